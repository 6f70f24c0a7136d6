// Two products in a row, rounded to bf16 in between: two launches over a temporary.
func.func @chain(%x: tensor<136x64xbf16>, %w1: tensor<64x72xbf16>, %w2: tensor<72x128xbf16>) -> tensor<136x128xf32> {
  %z = arith.constant 0.0 : bf16
  %zf = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<136x72xbf16>
  %f = linalg.fill ins(%z : bf16) outs(%e : tensor<136x72xbf16>) -> tensor<136x72xbf16>
  %p = linalg.matmul ins(%x, %w1 : tensor<136x64xbf16>, tensor<64x72xbf16>) outs(%f : tensor<136x72xbf16>) -> tensor<136x72xbf16>
  %e2 = tensor.empty() : tensor<136x128xf32>
  %f2 = linalg.fill ins(%zf : f32) outs(%e2 : tensor<136x128xf32>) -> tensor<136x128xf32>
  %r = linalg.matmul ins(%p, %w2 : tensor<136x72xbf16>, tensor<72x128xbf16>) outs(%f2 : tensor<136x128xf32>) -> tensor<136x128xf32>
  return %r : tensor<136x128xf32>
}
