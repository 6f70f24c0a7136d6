func.func @conv_3d(%arg0: tensor<1x6x7x8x5xf16>, %arg1: tensor<2x3x3x5x14xf16>) -> tensor<1x5x5x6x14xf32> {
  %cst = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x5x5x6x14xf32>
  %f = linalg.fill ins(%cst : f32) outs(%e : tensor<1x5x5x6x14xf32>) -> tensor<1x5x5x6x14xf32>
  %0 = linalg.conv_3d_ndhwc_dhwcf {dilations = dense<1> : tensor<3xi64>, strides = dense<1> : tensor<3xi64>}
    ins(%arg0, %arg1 : tensor<1x6x7x8x5xf16>, tensor<2x3x3x5x14xf16>) outs(%f : tensor<1x5x5x6x14xf32>) -> tensor<1x5x5x6x14xf32>
  return %0 : tensor<1x5x5x6x14xf32>
}
