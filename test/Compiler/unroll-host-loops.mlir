// RUN: tc-opt %s --tc-unroll-host-loops | FileCheck %s
// RUN: tc-compile %s -o %t.ptx
// RUN: tc-run %t.ptx --function batches --check | FileCheck %s --check-prefix=BATCHES
// RUN: tc-run %t.ptx --function steps --check | FileCheck %s --check-prefix=STEPS
// RUN: tc-run %t.ptx --function never --check | FileCheck %s --check-prefix=NEVER

// Each iteration is a launch of its own.
// CHECK-LABEL: func.func @batches(
// CHECK-NOT:     scf.for
// CHECK-COUNT-4: linalg.matmul
// CHECK-NOT:     linalg.matmul
// CHECK-LABEL: func.func @steps(
// CHECK-NOT:     scf.for
// CHECK:         %[[FIRST:.*]] = linalg.matmul {{.*}} outs(%arg2
// CHECK:         %[[SECOND:.*]] = linalg.matmul {{.*}} outs(%[[FIRST]]
// CHECK:         return %[[SECOND]]
// CHECK-LABEL: func.func @never(
// CHECK-NOT:     scf.for
// CHECK-COUNT-1: linalg.matmul
// CHECK-NOT:     linalg.matmul

// BATCHES-COUNT-4: check arg2 = arg0 * arg1: M=72 N=40 K=64
// STEPS-COUNT-2: check arg2 = arg0 * arg1 + arg2: M=72 N=40 K=64
// NEVER-COUNT-1: check D = A * B + D
func.func @batches(%a: memref<4x72x64xbf16>, %b: memref<64x40xbf16>, %d: memref<4x72x40xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %ai = memref.subview %a[%i, 0, 0] [1, 72, 64] [1, 1, 1] : memref<4x72x64xbf16> to memref<72x64xbf16, strided<[64, 1], offset: ?>>
    %di = memref.subview %d[%i, 0, 0] [1, 72, 40] [1, 1, 1] : memref<4x72x40xf32> to memref<72x40xf32, strided<[40, 1], offset: ?>>
    linalg.fill ins(%zero : f32) outs(%di : memref<72x40xf32, strided<[40, 1], offset: ?>>)
    linalg.matmul ins(%ai, %b : memref<72x64xbf16, strided<[64, 1], offset: ?>>, memref<64x40xbf16>) outs(%di : memref<72x40xf32, strided<[40, 1], offset: ?>>)
  }
  return
}
func.func @steps(%a: tensor<72x128xbf16>, %b: tensor<128x40xbf16>, %d: tensor<72x40xf32>) -> tensor<72x40xf32> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %r = scf.for %k = %c0 to %c128 step %c64 iter_args(%acc = %d) -> tensor<72x40xf32> {
    %ai = tensor.extract_slice %a[0, %k] [72, 64] [1, 1] : tensor<72x128xbf16> to tensor<72x64xbf16>
    %bi = tensor.extract_slice %b[%k, 0] [64, 40] [1, 1] : tensor<128x40xbf16> to tensor<64x40xbf16>
    %next = linalg.matmul ins(%ai, %bi : tensor<72x64xbf16>, tensor<64x40xbf16>) outs(%acc : tensor<72x40xf32>) -> tensor<72x40xf32>
    scf.yield %next : tensor<72x40xf32>
  }
  return %r : tensor<72x40xf32>
}
func.func @never(%a: memref<64x64xbf16>, %b: memref<64x64xbf16>, %d: memref<64x64xf32>) {
  %c1 = arith.constant 1 : index
  linalg.matmul ins(%a, %b : memref<64x64xbf16>, memref<64x64xbf16>) outs(%d : memref<64x64xf32>)
  scf.for %i = %c1 to %c1 step %c1 {
    linalg.matmul ins(%a, %b : memref<64x64xbf16>, memref<64x64xbf16>) outs(%d : memref<64x64xf32>)
  }
  return
}
