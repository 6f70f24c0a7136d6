module attributes {torch.debug_module_name = "conv2d"} {
  func.func @forward(%arg0: memref<1x8x12x10xf16>, %arg1: memref<24x8x3x3xf16>, %arg2: memref<1x24x10x8xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    linalg.fill ins(%cst : f32) outs(%arg2 : memref<1x24x10x8xf32>)
    linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%arg0, %arg1 : memref<1x8x12x10xf16>, memref<24x8x3x3xf16>) outs(%arg2 : memref<1x24x10x8xf32>)
    return
  }
}
