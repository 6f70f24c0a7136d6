// Products of f32 as sums of products of parts: a dimension of terms before K,
// the smallest term first.
// RUN: tc-opt %s -convert-linalg-to-tmm=f32=bf16x3 | FileCheck %s
// RUN: tc-opt %s -convert-linalg-to-tmm=f32=bf16x9 | FileCheck %s --check-prefix=NINE
// RUN: tc-opt %s -convert-linalg-to-tmm=f32=tf32x3 | FileCheck %s --check-prefix=TF32
// RUN: tc-opt %s -convert-linalg-to-tmm=f32=tf32 | FileCheck %s --check-prefix=PLAIN
// RUN: not tc-opt %s -convert-linalg-to-tmm=f32=bf16x2 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: f32: expected tf32, tf32x3, bf16x3, bf16x9, narrow, fma or refuse, got 'bf16x2'
// RUN: not tc-opt %s -convert-linalg-to-tmm="f32=bf16x3 allow-tf32" 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: error: f32: expected tf32 beside allow-tf32, got 'bf16x3'

// A is low, high, high, B is high, low, high.
// CHECK-LABEL: func.func @both
// CHECK: %[[A:.*]] = linalg.generic
// CHECK-SAME: ins(%{{.*}} : tensor<40x64xf32>) outs(%{{.*}} : tensor<40x3x64xbf16>)
// CHECK: %[[TERM:.*]] = linalg.index 1
// CHECK: %[[HIGH:.*]] = arith.truncf %[[X:.*]] : f32 to bf16
// CHECK: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK: %[[IS:.*]] = arith.cmpi eq, %[[TERM]], %[[ZERO]]
// CHECK: %[[H:.*]] = arith.truncf %[[X]] : f32 to bf16
// CHECK: %[[W:.*]] = arith.extf %[[H]] : bf16 to f32
// CHECK: %[[REST:.*]] = arith.subf %[[X]], %[[W]] : f32
// CHECK: %[[LOW:.*]] = arith.truncf %[[REST]] : f32 to bf16
// CHECK: arith.select %[[IS]], %[[LOW]], %[[HIGH]] : bf16
// CHECK: linalg.generic
// CHECK-SAME: outs(%{{.*}} : tensor<3x64x72xbf16>)
// CHECK: arith.constant 1 : index
// CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0], [1, 2]] : tensor<40x3x64xbf16> into tensor<40x192xbf16>
// CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0, 1], [2]] : tensor<3x64x72xbf16> into tensor<192x72xbf16>
// CHECK: tmm.matmul ins(%{{.*}}, %{{.*}} : tensor<40x192xbf16>, tensor<192x72xbf16>)
// NINE-LABEL: func.func @both
// NINE: tmm.matmul ins(%{{.*}}, %{{.*}} : tensor<40x576xbf16>, tensor<576x72xbf16>)
// TF32-LABEL: func.func @both
// TF32: arith.addi %{{.*}}, %c4096
// TF32: arith.andi %{{.*}}, %c-8192
// TF32: tmm.matmul allow_tf32 ins(%{{.*}}, %{{.*}} : tensor<40x192xf32>, tensor<192x72xf32>)
// PLAIN-LABEL: func.func @both
// PLAIN: tmm.matmul allow_tf32 ins(%{{.*}}, %{{.*}} : tensor<40x64xf32>, tensor<64x72xf32>)
func.func @both(%a: tensor<40x64xf32>, %b: tensor<64x72xf32>) -> tensor<40x72xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40x72xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<40x72xf32>) -> tensor<40x72xf32>
  %d = linalg.matmul ins(%a, %b : tensor<40x64xf32>, tensor<64x72xf32>) outs(%f : tensor<40x72xf32>) -> tensor<40x72xf32>
  return %d : tensor<40x72xf32>
}

// bf16 that was widened has one part: two terms.
// CHECK-LABEL: func.func @one_exact
// CHECK: tmm.matmul accumulate ins(%{{.*}}, %{{.*}} : tensor<40x128xbf16>, tensor<128x72xbf16>)
// NINE-LABEL: func.func @one_exact
// NINE: tmm.matmul accumulate ins(%{{.*}}, %{{.*}} : tensor<40x192xbf16>, tensor<192x72xbf16>)
// As tf32 it stays f32, which has its numbers.
// PLAIN-LABEL: func.func @one_exact
// PLAIN: tmm.matmul accumulate allow_tf32 ins(%{{.*}}, %{{.*}} : tensor<40x64xf32>, tensor<64x72xf32>)
func.func @one_exact(%a: tensor<40x64xf32>, %b: tensor<64x72xbf16>, %d: tensor<40x72xf32>) -> tensor<40x72xf32> {
  %e = tensor.empty() : tensor<64x72xf32>
  %w = linalg.generic {indexing_maps = [affine_map<(k, n) -> (k, n)>, affine_map<(k, n) -> (k, n)>], iterator_types = ["parallel", "parallel"]}
    ins(%b : tensor<64x72xbf16>) outs(%e : tensor<64x72xf32>) {
    ^bb0(%x: bf16, %o: f32):
      %0 = arith.extf %x : bf16 to f32
      linalg.yield %0 : f32
  } -> tensor<64x72xf32>
  %r = linalg.matmul ins(%a, %w : tensor<40x64xf32>, tensor<64x72xf32>) outs(%d : tensor<40x72xf32>) -> tensor<40x72xf32>
  return %r : tensor<40x72xf32>
}

// What is bf16 already is multiplied as it is.
// CHECK-LABEL: func.func @exact
// CHECK-NOT: linalg.index
// CHECK: tmm.matmul accumulate ins(%{{.*}}, %{{.*}} : memref<40x64xbf16>, memref<64x72xbf16>)
func.func @exact(%a: memref<40x64xbf16>, %b: memref<64x72xbf16>, %d: memref<40x72xf32>) {
  linalg.matmul ins(%a, %b : memref<40x64xbf16>, memref<64x72xbf16>) outs(%d : memref<40x72xf32>)
  return
}

// Sizes that are not known, on memrefs.
// CHECK-LABEL: func.func @dynamic
// CHECK: memref.alloc(%{{.*}}, %{{.*}}) : memref<?x3x?xbf16>
// CHECK: memref.alloc(%{{.*}}, %{{.*}}) : memref<?x3x?xbf16>
// CHECK: tmm.matmul accumulate transpose_b ins(
func.func @dynamic(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %d: memref<?x?xf32>) {
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%d : memref<?x?xf32>)
  return
}
