#map = affine_map<(d0, d1) -> (d0, d1)>
func.func @addmm(%arg0: tensor<65x33xf32>, %arg1: tensor<65x47xf16>, %arg2: tensor<47x33xf16>) -> tensor<65x33xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %alpha = arith.constant 2.500000e+00 : f32
  %beta = arith.constant 2.500000e-01 : f32
  %0 = tensor.empty() : tensor<65x33xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<65x33xf32>) -> tensor<65x33xf32>
  %2 = linalg.matmul ins(%arg1, %arg2 : tensor<65x47xf16>, tensor<47x33xf16>) outs(%1 : tensor<65x33xf32>) -> tensor<65x33xf32>
  %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%2 : tensor<65x33xf32>) outs(%0 : tensor<65x33xf32>) {
  ^bb0(%in: f32, %out: f32):
    %6 = arith.mulf %in, %alpha : f32
    linalg.yield %6 : f32
  } -> tensor<65x33xf32>
  %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<65x33xf32>) outs(%0 : tensor<65x33xf32>) {
  ^bb0(%in: f32, %out: f32):
    %6 = arith.mulf %in, %beta : f32
    linalg.yield %6 : f32
  } -> tensor<65x33xf32>
  %5 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%4, %3 : tensor<65x33xf32>, tensor<65x33xf32>) outs(%0 : tensor<65x33xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %6 = arith.addf %in, %in_0 : f32
    linalg.yield %6 : f32
  } -> tensor<65x33xf32>
  return %5 : tensor<65x33xf32>
}
