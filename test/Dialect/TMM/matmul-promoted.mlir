// RUN: tc-opt %s | tc-opt | FileCheck %s

// Factors of f32 are matrices of any strides; of B one is for 128 columns, or for
// each.

// CHECK-LABEL: func @large
// CHECK: tmm.matmul transpose_b ins(%{{.*}}, %{{.*}} : memref<200x336xf8E4M3FN>, memref<272x336xf8E5M2>) scales(%{{.*}}, %{{.*}} : memref<200x3xf32, strided<[1, ?], offset: ?>>, memref<3x3xf32>) outs(
func.func @large(%a: memref<200x336xf8E4M3FN>, %b: memref<272x336xf8E5M2>, %sa: memref<200x3xf32, strided<[1, ?], offset: ?>>,
                 %sb: memref<3x3xf32>, %d: memref<200x272xbf16>) {
  tmm.matmul transpose_b ins(%a, %b : memref<200x336xf8E4M3FN>, memref<272x336xf8E5M2>)
    scales(%sa, %sb : memref<200x3xf32, strided<[1, ?], offset: ?>>, memref<3x3xf32>) outs(%d : memref<200x272xbf16>)
  return
}

// CHECK-LABEL: func @columns
// CHECK: scales(%{{.*}}, %{{.*}} : memref<4x?x?xf32>, memref<?x?xf32, strided<[1, ?]>>) scale_block = 128 scale_columns = 1 outs(
func.func @columns(%a: memref<4x?x?xf8E4M3FN>, %b: memref<?x?xf8E4M3FN>, %sa: memref<4x?x?xf32>,
                   %sb: memref<?x?xf32, strided<[1, ?]>>, %d: memref<4x?x?xf32>) {
  tmm.matmul ins(%a, %b : memref<4x?x?xf8E4M3FN>, memref<?x?xf8E4M3FN>)
    scales(%sa, %sb : memref<4x?x?xf32>, memref<?x?xf32, strided<[1, ?]>>) scale_block = 128 scale_columns = 1 outs(%d : memref<4x?x?xf32>)
  return
}

// CHECK-LABEL: func @tensors
// CHECK: scales(%{{.*}}, %{{.*}} : tensor<64x2xf32>, tensor<1x2xf32>) outs(%{{.*}} : tensor<64x32xf32>) -> tensor<64x32xf32>
func.func @tensors(%a: tensor<64x256xf4E2M1FN>, %b: tensor<32x256xf6E3M2FN>, %sa: tensor<64x2xf32>, %sb: tensor<1x2xf32>,
                   %d: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %r = tmm.matmul transpose_b ins(%a, %b : tensor<64x256xf4E2M1FN>, tensor<32x256xf6E3M2FN>)
    scales(%sa, %sb : tensor<64x2xf32>, tensor<1x2xf32>) outs(%d : tensor<64x32xf32>) -> tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}
