// beta * C + alpha * A * B, with the bias broadcast into the initial value.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
func.func @addmm(%bias: tensor<72xbf16>, %a: tensor<136x64xbf16>, %b: tensor<64x72xbf16>) -> tensor<136x72xf32> {
  %e = tensor.empty() : tensor<136x72xf32>
  %init = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%bias : tensor<72xbf16>) outs(%e : tensor<136x72xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %w = arith.extf %in : bf16 to f32
    linalg.yield %w : f32
  } -> tensor<136x72xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<136x64xbf16>, tensor<64x72xbf16>) outs(%init : tensor<136x72xf32>) -> tensor<136x72xf32>
  return %0 : tensor<136x72xf32>
}
