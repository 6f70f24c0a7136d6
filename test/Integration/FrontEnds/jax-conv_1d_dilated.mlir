func.func public @main(%arg0: tensor<2x31x6xbf16>, %arg1: tensor<3x6x20xbf16>) -> tensor<2x27x20xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %0 = tensor.empty() : tensor<2x27x20xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<2x27x20xf32>) -> tensor<2x27x20xf32>
  %2 = linalg.conv_1d_nwc_wcf {dilations = dense<2> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>} ins(%arg0, %arg1 : tensor<2x31x6xbf16>, tensor<3x6x20xbf16>) outs(%1 : tensor<2x27x20xf32>) -> tensor<2x27x20xf32>
  return %2 : tensor<2x27x20xf32>
}
