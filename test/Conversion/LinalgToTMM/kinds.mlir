// Element types other than bf16 and f16.
// RUN: tc-opt %s -convert-linalg-to-tmm=allow-tf32 | FileCheck %s

// CHECK-LABEL: func.func @f8
// CHECK-NEXT: tmm.matmul ins(%{{.*}}, %{{.*}} : memref<?x?xf8E4M3FN>, memref<?x?xf8E5M2>) outs(%{{.*}} : memref<?x?xbf16>)
func.func @f8(%a: memref<?x?xf8E4M3FN>, %b: memref<?x?xf8E5M2>, %d: memref<?x?xbf16>) {
  %z = arith.constant 0.0 : bf16
  linalg.fill ins(%z : bf16) outs(%d : memref<?x?xbf16>)
  linalg.matmul ins(%a, %b : memref<?x?xf8E4M3FN>, memref<?x?xf8E5M2>) outs(%d : memref<?x?xbf16>)
  return
}

// CHECK-LABEL: func.func @tf32
// CHECK-NEXT: tmm.matmul accumulate allow_tf32 ins(
func.func @tf32(%a: memref<200x96xf32>, %b: memref<96x144xf32>, %d: memref<200x144xf32>) {
  linalg.matmul ins(%a, %b : memref<200x96xf32>, memref<96x144xf32>) outs(%d : memref<200x144xf32>)
  return
}

// The product of integers, and what makes numbers of it.
// CHECK-LABEL: func.func @dequantised
// CHECK: %[[R:.*]] = tmm.matmul ins(%{{.*}}, %{{.*}} : tensor<200x96xi8>, tensor<96x144xi8>)
// CHECK-SAME: outs(%{{.*}} : tensor<200x144xbf16>) -> tensor<200x144xbf16>
// CHECK-SAME: epilogue(%[[ACC:.*]]: i32, %[[S:.*]] = %{{.*}} along n : tensor<144xf32>) {
// CHECK-NEXT: %[[X:.*]] = arith.sitofp %[[ACC]] : i32 to f32
// CHECK-NEXT: %[[Y:.*]] = arith.mulf %[[X]], %[[S]] : f32
// CHECK-NEXT: arith.truncf %[[Y]] : f32 to bf16
// CHECK: return %[[R]]
func.func @dequantised(%a: tensor<200x96xi8>, %b: tensor<96x144xi8>, %s: tensor<144xf32>,
                       %d: tensor<200x144xbf16>) -> tensor<200x144xbf16> {
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<200x144xi32>
  %f = linalg.fill ins(%z : i32) outs(%e : tensor<200x144xi32>) -> tensor<200x144xi32>
  %p = linalg.matmul ins(%a, %b : tensor<200x96xi8>, tensor<96x144xi8>) outs(%f : tensor<200x144xi32>) -> tensor<200x144xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>,
                                        affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
    ins(%p, %s : tensor<200x144xi32>, tensor<144xf32>) outs(%d : tensor<200x144xbf16>) {
    ^bb0(%x: i32, %y: f32, %o: bf16):
      %0 = arith.sitofp %x : i32 to f32
      %1 = arith.mulf %0, %y : f32
      %2 = arith.truncf %1 : f32 to bf16
      linalg.yield %2 : bf16
  } -> tensor<200x144xbf16>
  return %r : tensor<200x144xbf16>
}

// No kind mixes bf16 and f8: weights of 8 bits are read where they have become bf16.
// CHECK-LABEL: func.func @f8_weights
// CHECK: %[[W:.*]] = linalg.generic
// CHECK: tmm.matmul accumulate ins(%{{.*}}, %[[W]] : tensor<64x128xbf16>, tensor<128x64xbf16>)
func.func @f8_weights(%a: tensor<64x128xbf16>, %b: tensor<128x64xf8E4M3FN>, %d: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<128x64xbf16>
  %w = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<128x64xf8E4M3FN>) outs(%e : tensor<128x64xbf16>) {
  ^bb0(%x: f8E4M3FN, %o: bf16):
    %y = arith.extf %x : f8E4M3FN to bf16
    linalg.yield %y : bf16
  } -> tensor<128x64xbf16>
  %0 = linalg.matmul ins(%a, %w : tensor<64x128xbf16>, tensor<128x64xbf16>) outs(%d : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
