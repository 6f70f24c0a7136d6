func.func @conv_pool(%x: tensor<1x10x10x4xbf16>, %f: tensor<3x3x4x12xbf16>) -> tensor<1x4x4x12xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<1x8x8x12xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x8x12xf32>) -> tensor<1x8x8x12xf32>
  %c = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %f : tensor<1x10x10x4xbf16>, tensor<3x3x4x12xbf16>) outs(%z : tensor<1x8x8x12xf32>) -> tensor<1x8x8x12xf32>
  %pe = tensor.empty() : tensor<1x4x4x12xf32>
  %pi = linalg.fill ins(%ninf : f32) outs(%pe : tensor<1x4x4x12xf32>) -> tensor<1x4x4x12xf32>
  %w = tensor.empty() : tensor<2x2xf32>
  %p = linalg.pooling_nhwc_max {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%c, %w : tensor<1x8x8x12xf32>, tensor<2x2xf32>) outs(%pi : tensor<1x4x4x12xf32>) -> tensor<1x4x4x12xf32>
  return %p : tensor<1x4x4x12xf32>
}
