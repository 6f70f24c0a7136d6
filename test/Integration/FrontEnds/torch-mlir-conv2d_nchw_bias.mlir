module {
  func.func @forward(%arg0: tensor<1x5x15x13xbf16>, %arg1: tensor<32x5x3x3xbf16>, %arg2: tensor<32xf32>) -> tensor<1x32x15x13xf32> {
    %cst = arith.constant 0.000000e+00 : bf16
    %padded = tensor.pad %arg0 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg3: index, %arg4: index, %arg5: index, %arg6: index):
      tensor.yield %cst : bf16
    } : tensor<1x5x15x13xbf16> to tensor<1x5x17x15xbf16>
    %0 = tensor.empty() : tensor<1x32x15x13xf32>
    %broadcasted = linalg.broadcast ins(%arg2 : tensor<32xf32>) outs(%0 : tensor<1x32x15x13xf32>) dimensions = [0, 2, 3]
    %1 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded, %arg1 : tensor<1x5x17x15xbf16>, tensor<32x5x3x3xbf16>) outs(%broadcasted : tensor<1x32x15x13xf32>) -> tensor<1x32x15x13xf32>
    return %1 : tensor<1x32x15x13xf32>
  }
}
