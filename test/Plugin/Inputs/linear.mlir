// What a front end prints: a product with bias and activation.
func.func @linear(%x: tensor<256x256xbf16>, %w: tensor<256x384xbf16>, %bias: tensor<384xf32>) -> tensor<256x384xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<256x384xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<256x384xf32>) -> tensor<256x384xf32>
  %product = linalg.matmul ins(%x, %w : tensor<256x256xbf16>, tensor<256x384xbf16>) outs(%start : tensor<256x384xf32>)
    -> tensor<256x384xf32>
  %wide = linalg.broadcast ins(%bias : tensor<384xf32>) outs(%empty : tensor<256x384xf32>) dimensions = [0]
  %sum = linalg.add ins(%product, %wide : tensor<256x384xf32>, tensor<256x384xf32>) outs(%empty : tensor<256x384xf32>)
    -> tensor<256x384xf32>
  %result = linalg.tanh ins(%sum : tensor<256x384xf32>) outs(%empty : tensor<256x384xf32>) -> tensor<256x384xf32>
  return %result : tensor<256x384xf32>
}
