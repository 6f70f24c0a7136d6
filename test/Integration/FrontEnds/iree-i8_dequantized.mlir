#map = affine_map<(d0, d1, d2) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d1)>
func.func @dequantized(%arg0: tensor<50x71xi8>, %arg1: tensor<71x90xi8>, %arg2: tensor<90xf32>) -> tensor<50x90xf32> {
  %c0_i32 = arith.constant 0 : i32
  %0 = tensor.empty() : tensor<50x90xi32>
  %1 = linalg.fill ins(%c0_i32 : i32) outs(%0 : tensor<50x90xi32>) -> tensor<50x90xi32>
  %2 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<50x71xi8>, tensor<71x90xi8>) outs(%1 : tensor<50x90xi32>) {
  ^bb0(%in: i8, %in_0: i8, %out: i32):
    %5 = arith.extsi %in : i8 to i32
    %6 = arith.extsi %in_0 : i8 to i32
    %7 = arith.muli %5, %6 : i32
    %8 = arith.addi %out, %7 : i32
    linalg.yield %8 : i32
  } -> tensor<50x90xi32>
  %3 = tensor.empty() : tensor<50x90xf32>
  %4 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%2, %arg2 : tensor<50x90xi32>, tensor<90xf32>) outs(%3 : tensor<50x90xf32>) {
  ^bb0(%in: i32, %in_0: f32, %out: f32):
    %5 = arith.sitofp %in : i32 to f32
    %6 = arith.mulf %5, %in_0 : f32
    linalg.yield %6 : f32
  } -> tensor<50x90xf32>
  return %4 : tensor<50x90xf32>
}
