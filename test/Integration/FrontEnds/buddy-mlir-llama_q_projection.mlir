#map = affine_map<(d0, d1) -> (d0, d1)>
#mapt = affine_map<(d0, d1) -> (d1, d0)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>
#id4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
func.func @subgraph0(%arg0: tensor<1x40x96xf16>, %arg1: tensor<96x96xf16>) -> tensor<1x4x40x24xf16> {
  %cst = arith.constant 0.000000e+00 : f16
  %0 = tensor.empty() : tensor<96x96xf16>
  %1 = linalg.generic {indexing_maps = [#mapt, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<96x96xf16>) outs(%0 : tensor<96x96xf16>) {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  } -> tensor<96x96xf16>
  %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2]] : tensor<1x40x96xf16> into tensor<40x96xf16>
  %2 = tensor.empty() : tensor<40x96xf16>
  %3 = linalg.fill ins(%cst : f16) outs(%2 : tensor<40x96xf16>) -> tensor<40x96xf16>
  %4 = linalg.matmul {cast = #linalg.type_fn<cast_signed>} ins(%collapsed, %1 : tensor<40x96xf16>, tensor<96x96xf16>) outs(%3 : tensor<40x96xf16>) -> tensor<40x96xf16>
  %expanded = tensor.expand_shape %4 [[0, 1], [2, 3]] output_shape [1, 40, 4, 24] : tensor<40x96xf16> into tensor<1x40x4x24xf16>
  %5 = tensor.empty() : tensor<1x4x40x24xf16>
  %6 = linalg.generic {indexing_maps = [#map4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded : tensor<1x40x4x24xf16>) outs(%5 : tensor<1x4x40x24xf16>) {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  } -> tensor<1x4x40x24xf16>
  return %6 : tensor<1x4x40x24xf16>
}
