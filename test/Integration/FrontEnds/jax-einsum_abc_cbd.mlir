#map = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d3, d2, d1)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
func.func public @main(%arg0: tensor<21x5x18xf16>, %arg1: tensor<18x5x33xf16>) -> tensor<21x33xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %0 = tensor.empty() : tensor<21x33xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<21x33xf32>) -> tensor<21x33xf32>
  %2 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%arg0, %arg1 : tensor<21x5x18xf16>, tensor<18x5x33xf16>) outs(%1 : tensor<21x33xf32>) {
  ^bb0(%in: f16, %in_0: f16, %out: f32):
    %3 = arith.extf %in : f16 to f32
    %4 = arith.extf %in_0 : f16 to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = arith.addf %out, %5 : f32
    linalg.yield %6 : f32
  } -> tensor<21x33xf32>
  return %2 : tensor<21x33xf32>
}
