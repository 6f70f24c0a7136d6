func.func @stem(%arg0: tensor<1x17x17x3xf16>, %arg1: tensor<3x3x3x40xf16>) -> tensor<1x9x9x40xf16> {
  %cst = arith.constant 0.000000e+00 : f16
  %cst_0 = arith.constant 0.000000e+00 : f32
  %padded = tensor.pad %arg0 low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%arg2: index, %arg3: index, %arg4: index, %arg5: index):
    tensor.yield %cst : f16
  } : tensor<1x17x17x3xf16> to tensor<1x19x19x3xf16>
  %0 = tensor.empty() : tensor<1x9x9x40xf32>
  %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<1x9x9x40xf32>) -> tensor<1x9x9x40xf32>
  %2 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%padded, %arg1 : tensor<1x19x19x3xf16>, tensor<3x3x3x40xf16>) outs(%1 : tensor<1x9x9x40xf32>) -> tensor<1x9x9x40xf32>
  %3 = tensor.empty() : tensor<1x9x9x40xf16>
  %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2 : tensor<1x9x9x40xf32>) outs(%3 : tensor<1x9x9x40xf16>) {
  ^bb0(%in: f32, %out: f16):
    %5 = arith.maximumf %in, %cst_0 : f32
    %6 = arith.truncf %5 : f32 to f16
    linalg.yield %6 : f16
  } -> tensor<1x9x9x40xf16>
  return %4 : tensor<1x9x9x40xf16>
}
