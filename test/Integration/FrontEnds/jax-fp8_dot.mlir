#map = affine_map<(d0, d1, d2) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func public @main(%arg0: tensor<33x65xf8E4M3FN>, %arg1: tensor<65x39xf8E5M2>) -> tensor<33x39xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %scale = arith.constant dense<1.250000e-01> : tensor<f32>
  %0 = tensor.empty() : tensor<33x39xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<33x39xf32>) -> tensor<33x39xf32>
  %2 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<33x65xf8E4M3FN>, tensor<65x39xf8E5M2>) outs(%1 : tensor<33x39xf32>) {
  ^bb0(%in: f8E4M3FN, %in_0: f8E5M2, %out: f32):
    %4 = arith.extf %in : f8E4M3FN to f32
    %5 = arith.extf %in_0 : f8E5M2 to f32
    %6 = arith.mulf %4, %5 : f32
    %7 = arith.addf %out, %6 : f32
    linalg.yield %7 : f32
  } -> tensor<33x39xf32>
  %3 = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> ()>, #id], iterator_types = ["parallel", "parallel"]} ins(%2, %scale : tensor<33x39xf32>, tensor<f32>) outs(%0 : tensor<33x39xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %4 = arith.mulf %in, %in_0 : f32
    linalg.yield %4 : f32
  } -> tensor<33x39xf32>
  return %3 : tensor<33x39xf32>
}
