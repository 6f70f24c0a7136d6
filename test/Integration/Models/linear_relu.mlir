// A fully connected layer: transposed weights, bias and relu as generic
// operations, as importers from PyTorch print it.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
func.func @forward(%arg0: tensor<200x96xbf16>, %arg1: tensor<136x96xbf16>, %arg2: tensor<136xf32>) -> tensor<200x136xbf16> {
  %cst = arith.constant 0.000000e+00 : f32
  %0 = tensor.empty() : tensor<96x136xbf16>
  %transposed = linalg.transpose ins(%arg1 : tensor<136x96xbf16>) outs(%0 : tensor<96x136xbf16>) permutation = [1, 0]
  %1 = tensor.empty() : tensor<200x136xf32>
  %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<200x136xf32>) -> tensor<200x136xf32>
  %3 = linalg.matmul ins(%arg0, %transposed : tensor<200x96xbf16>, tensor<96x136xbf16>) outs(%2 : tensor<200x136xf32>) -> tensor<200x136xf32>
  %4 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%3, %arg2 : tensor<200x136xf32>, tensor<136xf32>) outs(%1 : tensor<200x136xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %8 = arith.addf %in, %in_0 : f32
    linalg.yield %8 : f32
  } -> tensor<200x136xf32>
  %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<200x136xf32>) outs(%1 : tensor<200x136xf32>) {
  ^bb0(%in: f32, %out: f32):
    %8 = arith.cmpf ugt, %in, %cst : f32
    %9 = arith.select %8, %in, %cst : f32
    linalg.yield %9 : f32
  } -> tensor<200x136xf32>
  %6 = tensor.empty() : tensor<200x136xbf16>
  %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<200x136xf32>) outs(%6 : tensor<200x136xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %8 = arith.truncf %in : f32 to bf16
    linalg.yield %8 : bf16
  } -> tensor<200x136xbf16>
  return %7 : tensor<200x136xbf16>
}
