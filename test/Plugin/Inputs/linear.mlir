// What a front end prints: a product with bias and activation.
func.func @linear(%x: tensor<512x1024xbf16>, %w: tensor<1024x768xbf16>, %bias: tensor<768xf32>) -> tensor<512x768xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<512x768xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<512x768xf32>) -> tensor<512x768xf32>
  %product = linalg.matmul ins(%x, %w : tensor<512x1024xbf16>, tensor<1024x768xbf16>) outs(%start : tensor<512x768xf32>)
    -> tensor<512x768xf32>
  %wide = linalg.broadcast ins(%bias : tensor<768xf32>) outs(%empty : tensor<512x768xf32>) dimensions = [0]
  %sum = linalg.add ins(%product, %wide : tensor<512x768xf32>, tensor<512x768xf32>) outs(%empty : tensor<512x768xf32>)
    -> tensor<512x768xf32>
  %result = linalg.tanh ins(%sum : tensor<512x768xf32>) outs(%empty : tensor<512x768xf32>) -> tensor<512x768xf32>
  return %result : tensor<512x768xf32>
}
