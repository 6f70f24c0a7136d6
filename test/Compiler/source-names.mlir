// RUN: split-file %s %t
// RUN: not tc-compile %t/matmul.mlir -o - --config=scale-stages=2 2>&1 | FileCheck %t/matmul.mlir
// RUN: not tc-compile %t/fused.mlir -o - --config=scale-stages=2 2>&1 | FileCheck %t/fused.mlir
// RUN: not tc-compile %t/convolution.mlir -o - --config=scale-stages=2 2>&1 | FileCheck %t/convolution.mlir
// RUN: not tc-compile %t/tmm.mlir -o - 2>&1 | FileCheck %t/tmm.mlir

// What passes make of an operation is refused in its name, at its place.

//--- matmul.mlir
func.func @f(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>, %d: tensor<64x48xf32>) -> tensor<64x48xf32> {
  // CHECK: matmul.mlir:[[@LINE+1]]:8: error: 'linalg.matmul' op configuration: scale-stages of 2: expected none, the operands have no scale factors
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%d : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %0 : tensor<64x48xf32>
}

//--- fused.mlir
func.func @f(%a: memref<64x32xbf16>, %b: memref<32x48xbf16>, %d: memref<64x48xf32>) {
  // CHECK: fused.mlir:[[@LINE+1]]:3: error: 'linalg.matmul' op configuration
  linalg.matmul ins(%a, %b : memref<64x32xbf16>, memref<32x48xbf16>) outs(%d : memref<64x48xf32>)
  linalg.exp ins(%d : memref<64x48xf32>) outs(%d : memref<64x48xf32>)
  return
}

//--- convolution.mlir
func.func @f(%x: tensor<1x8x8x16xbf16>, %f: tensor<3x3x16x24xbf16>, %d: tensor<1x6x6x24xf32>) -> tensor<1x6x6x24xf32> {
  // CHECK: convolution.mlir:[[@LINE+1]]:8: error: 'linalg.conv_2d_nhwc_hwcf' op configuration
  %0 = linalg.conv_2d_nhwc_hwcf ins(%x, %f : tensor<1x8x8x16xbf16>, tensor<3x3x16x24xbf16>) outs(%d : tensor<1x6x6x24xf32>) -> tensor<1x6x6x24xf32>
  return %0 : tensor<1x6x6x24xf32>
}

//--- tmm.mlir
func.func @f(%a: memref<64x32xbf16>, %b: memref<32x48xbf16>, %s: f64, %d: memref<64x48xf32>) {
  %0 = arith.truncf %s : f64 to f32
  // CHECK: tmm.mlir:[[@LINE+1]]:3: error: 'tmm.matmul' op kernel operand {{[0-9]+}} cannot be described
  tmm.matmul ins(%a, %b : memref<64x32xbf16>, memref<32x48xbf16>) outs(%d : memref<64x48xf32>)
      epilogue(%acc, %x = %0 : f32) {
    %r = arith.mulf %acc, %x : f32
    tmm.yield %r : f32
  }
  return
}
