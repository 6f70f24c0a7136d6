func.func @conv2d(%arg0: memref<2x9x11x7xf16>, %arg1: memref<21x3x2x7xf16>, %arg2: memref<2x7x10x21xf32>) {
  linalg.conv_2d_nhwc_fhwc {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
    ins (%arg0, %arg1: memref<2x9x11x7xf16>, memref<21x3x2x7xf16>)
    outs (%arg2: memref<2x7x10x21xf32>)
  return
}
