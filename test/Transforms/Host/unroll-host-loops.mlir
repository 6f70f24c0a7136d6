// RUN: tc-opt %s --tc-unroll-host-loops | FileCheck %s
// RUN: sed '/^\/\/ Not compiled/,$d' %s > %t.mlir
// RUN: tc-opt %t.mlir --tc-unroll-host-loops -o %t.unrolled.mlir
// RUN: tc-compile %t.unrolled.mlir -o %t.ptx
// RUN: tc-run %t.ptx --function batches --check | FileCheck %s --check-prefix=BATCHES
// RUN: tc-run %t.ptx --function steps --check | FileCheck %s --check-prefix=STEPS
// RUN: tc-run %t.ptx --function never --check | FileCheck %s --check-prefix=NEVER

// RUN: tc-run %t.ptx --function tiles --check | FileCheck %s --check-prefix=TILES

// No copy of a slice to itself.
// TILES: 2 of 2 launches
// TILES-COUNT-2: check arg2 = arg0 * arg1 + arg2: M=32 N=64 K=64

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

// CHECK-LABEL: func.func @tiles(
// CHECK-NOT:     scf.forall
// CHECK:         %[[T0:.*]] = linalg.matmul
// CHECK:         %[[R0:.*]] = tensor.insert_slice %[[T0]] into %arg2[%{{.*}}, 0]
// CHECK:         tensor.extract_slice %[[R0]]
// CHECK:         %[[T1:.*]] = linalg.matmul
// CHECK:         %[[R1:.*]] = tensor.insert_slice %[[T1]] into %[[R0]][
// CHECK:         return %[[R1]]
// CHECK-LABEL: func.func @none(
// CHECK-NEXT:    return %arg0
// CHECK-LABEL: func.func @sums(
// CHECK:         scf.parallel
// CHECK-LABEL: func.func @elementwise(
// CHECK-NOT:     scf.for
// CHECK-COUNT-3: math.tanh
// CHECK-NOT:     math.tanh
// CHECK-LABEL: func.func @sizes(
// CHECK:         scf.for

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
func.func @tiles(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>, %d: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %r = scf.forall (%i) = (0) to (64) step (32) shared_outs(%o = %d) -> (tensor<64x64xf32>) {
    %as = tensor.extract_slice %a[%i, 0] [32, 64] [1, 1] : tensor<64x64xbf16> to tensor<32x64xbf16>
    %os = tensor.extract_slice %o[%i, 0] [32, 64] [1, 1] : tensor<64x64xf32> to tensor<32x64xf32>
    %t = linalg.matmul ins(%as, %b : tensor<32x64xbf16>, tensor<64x64xbf16>) outs(%os : tensor<32x64xf32>) -> tensor<32x64xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[%i, 0] [32, 64] [1, 1] : tensor<32x64xf32> into tensor<64x64xf32>
    }
  }
  return %r : tensor<64x64xf32>
}
// Not compiled.
func.func @none(%d: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %r = scf.forall (%i, %j) = (0, 4) to (64, 4) step (32, 1) shared_outs(%o = %d) -> (tensor<64x64xf32>) {
    %t = math.tanh %o : tensor<64x64xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[0, 0] [64, 64] [1, 1] : tensor<64x64xf32> into tensor<64x64xf32>
    }
  }
  return %r : tensor<64x64xf32>
}
// Its sum is no list of launches.
func.func @sums(%x: tensor<64x64xf32>, %zero: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = scf.parallel (%i) = (%c0) to (%c2) step (%c1) init (%zero) -> f32 {
    %y = math.tanh %x : tensor<64x64xf32>
    %e = tensor.extract %y[%i, %i] : tensor<64x64xf32>
    scf.reduce(%e : f32) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      scf.reduce.return %s : f32
    }
  }
  return %r : f32
}
func.func @elementwise(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%y = %x) -> tensor<64x64xf32> {
    %z = math.tanh %y : tensor<64x64xf32>
    scf.yield %z : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}
// Nothing that becomes a kernel.
func.func @sizes(%x: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%y = %x) -> index {
    %z = arith.muli %y, %y : index
    scf.yield %z : index
  }
  return %r : index
}
