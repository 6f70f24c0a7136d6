// stablehlo.dot_general with a batching dimension and the contraction over the first dimension of
// the right side, as the conversion to linalg writes it: one generic, loops in the order of
// the result.
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
func.func @main(%arg0: tensor<4x72x96xf16>, %arg1: tensor<4x96x136xf16>) -> tensor<4x72x136xf16> {
  %cst = arith.constant 0.000000e+00 : f16
  %0 = tensor.empty() : tensor<4x72x136xf16>
  %1 = linalg.fill ins(%cst : f16) outs(%0 : tensor<4x72x136xf16>) -> tensor<4x72x136xf16>
  %2 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<4x72x96xf16>, tensor<4x96x136xf16>) outs(%1 : tensor<4x72x136xf16>) {
  ^bb0(%in: f16, %in_0: f16, %out: f16):
    %3 = arith.mulf %in, %in_0 : f16
    %4 = arith.addf %out, %3 : f16
    linalg.yield %4 : f16
  } -> tensor<4x72x136xf16>
  return %2 : tensor<4x72x136xf16>
}
