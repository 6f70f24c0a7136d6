// A layer of named operations: broadcast bias, add, relu as a maximum with zeros.
func.func @main(%x: tensor<130x64xf16>, %w: tensor<64x72xf16>, %bias: tensor<72xf32>) -> tensor<130x72xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<130x72xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<130x72xf32>) -> tensor<130x72xf32>
  %mm = linalg.matmul ins(%x, %w : tensor<130x64xf16>, tensor<64x72xf16>) outs(%zeros : tensor<130x72xf32>) -> tensor<130x72xf32>
  %b = linalg.broadcast ins(%bias : tensor<72xf32>) outs(%empty : tensor<130x72xf32>) dimensions = [0]
  %sum = linalg.add ins(%mm, %b : tensor<130x72xf32>, tensor<130x72xf32>) outs(%empty : tensor<130x72xf32>) -> tensor<130x72xf32>
  %relu = linalg.max ins(%sum, %zeros : tensor<130x72xf32>, tensor<130x72xf32>) outs(%empty : tensor<130x72xf32>) -> tensor<130x72xf32>
  return %relu : tensor<130x72xf32>
}
