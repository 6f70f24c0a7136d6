#map = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d2, d3, d5)>
#map1 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d2, d5, d4)>
#map2 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d3, d4)>
#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#bias = affine_map<(d0, d1, d2, d3) -> (d1, d3)>
func.func @entry(%arg0: tensor<2x3x16x24xbf16>, %arg1: tensor<4x3x24x16xbf16>, %arg2: tensor<4x16xf32>) -> tensor<2x4x16x16xbf16> {
  %cst = arith.constant 0.000000e+00 : f32
  %e = tensor.empty() : tensor<2x4x16x16xf32>
  %f = linalg.fill ins(%cst : f32) outs(%e : tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
  %0 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<2x3x16x24xbf16>, tensor<4x3x24x16xbf16>) outs(%f : tensor<2x4x16x16xf32>) {
  ^bb0(%in: bf16, %in_0: bf16, %out: f32):
    %5 = arith.extf %in : bf16 to f32
    %6 = arith.extf %in_0 : bf16 to f32
    %7 = arith.mulf %5, %6 : f32
    %8 = arith.addf %out, %7 : f32
    linalg.yield %8 : f32
  } -> tensor<2x4x16x16xf32>
  %1 = linalg.generic {indexing_maps = [#id, #bias, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%0, %arg2 : tensor<2x4x16x16xf32>, tensor<4x16xf32>) outs(%e : tensor<2x4x16x16xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %5 = arith.addf %in, %in_0 : f32
    linalg.yield %5 : f32
  } -> tensor<2x4x16x16xf32>
  %2 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%1 : tensor<2x4x16x16xf32>) {
  ^bb0(%out: f32):
    %5 = arith.maximumf %out, %cst : f32
    linalg.yield %5 : f32
  } -> tensor<2x4x16x16xf32>
  %3 = tensor.empty() : tensor<2x4x16x16xbf16>
  %4 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2 : tensor<2x4x16x16xf32>) outs(%3 : tensor<2x4x16x16xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %5 = arith.truncf %in : f32 to bf16
    linalg.yield %5 : bf16
  } -> tensor<2x4x16x16xbf16>
  return %4 : tensor<2x4x16x16xbf16>
}
