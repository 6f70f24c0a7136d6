// RUN: tc-opt --convert-linalg-to-tmm %s | FileCheck %s

// CHECK-LABEL: func @memrefs
//  CHECK-SAME: %[[A:.*]]: memref<?x?xbf16>, %[[B:.*]]: memref<?x?xbf16>, %[[D:.*]]: memref<?x?xf32>
func.func @memrefs(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // CHECK-NOT: linalg
  // CHECK: tmm.matmul accumulate ins(%[[A]], %[[B]] : memref<?x?xbf16>, memref<?x?xbf16>) outs(%[[D]] : memref<?x?xf32>)
  linalg.matmul ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// CHECK-LABEL: func @tensors
//  CHECK-SAME: %[[A:.*]]: tensor<8x16xf16>, %[[B:.*]]: tensor<16x24xf16>, %[[D:.*]]: tensor<8x24xf16>
func.func @tensors(%a: tensor<8x16xf16>, %b: tensor<16x24xf16>, %d: tensor<8x24xf16>) -> tensor<8x24xf16> {
  // CHECK: %[[R:.*]] = tmm.matmul accumulate ins(%[[A]], %[[B]] : {{.*}}) outs(%[[D]] : tensor<8x24xf16>) -> tensor<8x24xf16>
  // CHECK: return %[[R]]
  %0 = linalg.matmul ins(%a, %b : tensor<8x16xf16>, tensor<16x24xf16>) outs(%d : tensor<8x24xf16>) -> tensor<8x24xf16>
  return %0 : tensor<8x24xf16>
}

// CHECK-LABEL: func @bf16_output
func.func @bf16_output(%a: memref<8x16xbf16>, %b: memref<16x24xbf16>, %d: memref<8x24xbf16>) {
  // CHECK: tmm.matmul accumulate ins({{.*}}) outs(%{{.*}} : memref<8x24xbf16>)
  linalg.matmul ins(%a, %b : memref<8x16xbf16>, memref<16x24xbf16>) outs(%d : memref<8x24xbf16>)
  return
}

// CHECK-LABEL: func @transpose_a
func.func @transpose_a(%a: memref<16x8xbf16>, %b: memref<16x24xbf16>, %d: memref<8x24xf32>) {
  // CHECK: tmm.matmul accumulate transpose_a ins(
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : memref<16x8xbf16>, memref<16x24xbf16>) outs(%d : memref<8x24xf32>)
  return
}

// CHECK-LABEL: func @transpose_b
func.func @transpose_b(%a: memref<8x16xbf16>, %b: memref<24x16xbf16>, %d: memref<8x24xf32>) {
  // CHECK: tmm.matmul accumulate transpose_b ins(
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : memref<8x16xbf16>, memref<24x16xbf16>) outs(%d : memref<8x24xf32>)
  return
}

// CHECK-LABEL: func @transpose_both
func.func @transpose_both(%a: tensor<16x8xbf16>, %b: tensor<24x16xbf16>, %d: tensor<8x24xf32>) -> tensor<8x24xf32> {
  // CHECK: tmm.matmul accumulate transpose_a transpose_b ins(
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : tensor<16x8xbf16>, tensor<24x16xbf16>) outs(%d : tensor<8x24xf32>) -> tensor<8x24xf32>
  return %0 : tensor<8x24xf32>
}

// A square matrix has only its maps to say what is transposed.
// CHECK-LABEL: func @square
func.func @square(%a: memref<8x8xf16>, %b: memref<8x8xf16>, %d: memref<8x8xf32>) {
  // CHECK: tmm.matmul accumulate transpose_a ins(
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : memref<8x8xf16>, memref<8x8xf16>) outs(%d : memref<8x8xf32>)
  return
}

// CHECK-LABEL: func @contract
//  CHECK-SAME: %[[A:.*]]: memref<8x16xbf16>, %[[B:.*]]: memref<24x16xbf16>, %[[D:.*]]: memref<8x24xf32>
func.func @contract(%a: memref<8x16xbf16>, %b: memref<24x16xbf16>, %d: memref<8x24xf32>) {
  // CHECK: tmm.matmul accumulate transpose_b ins(%[[A]], %[[B]] :
  linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : memref<8x16xbf16>, memref<24x16xbf16>) outs(%d : memref<8x24xf32>)
  return
}

// D^T = A * B: the operands change places and both are transposed.
// CHECK-LABEL: func @contract_transposed_output
//  CHECK-SAME: %[[A:.*]]: memref<8x16xbf16>, %[[B:.*]]: memref<16x24xbf16>, %[[D:.*]]: memref<24x8xf32>
func.func @contract_transposed_output(%a: memref<8x16xbf16>, %b: memref<16x24xbf16>, %d: memref<24x8xf32>) {
  // CHECK: tmm.matmul accumulate transpose_a transpose_b ins(%[[B]], %[[A]] : memref<16x24xbf16>, memref<8x16xbf16>) outs(%[[D]] :
  linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (n, m)>]
    ins(%a, %b : memref<8x16xbf16>, memref<16x24xbf16>) outs(%d : memref<24x8xf32>)
  return
}

// Strided rows stay as they are; what is no contraction stays in its function.
// CHECK-LABEL: func @strided_and_others
func.func @strided_and_others(%a: memref<8x16xbf16, strided<[?, 1], offset: ?>>, %b: memref<16x24xbf16, strided<[32, 1]>>, %d: memref<8x24xf32>, %e: memref<8x24xf32>) {
  // CHECK: tmm.matmul accumulate ins(%{{.*}}, %{{.*}} : memref<8x16xbf16, strided<[?, 1], offset: ?>>, memref<16x24xbf16, strided<[32, 1]>>)
  // CHECK: linalg.exp
  linalg.matmul ins(%a, %b : memref<8x16xbf16, strided<[?, 1], offset: ?>>, memref<16x24xbf16, strided<[32, 1]>>) outs(%d : memref<8x24xf32>)
  linalg.exp ins(%e : memref<8x24xf32>) outs(%e : memref<8x24xf32>)
  return
}

// A transpose of an input is read through.
// CHECK-LABEL: func @transposed_weights
//  CHECK-SAME: %[[A:.*]]: tensor<8x16xbf16>, %[[W:.*]]: tensor<24x16xbf16>, %[[D:.*]]: tensor<8x24xf32>
func.func @transposed_weights(%a: tensor<8x16xbf16>, %w: tensor<24x16xbf16>, %d: tensor<8x24xf32>) -> tensor<8x24xf32> {
  // CHECK-NOT: linalg.transpose
  // CHECK: tmm.matmul accumulate transpose_b ins(%[[A]], %[[W]] :
  %e = tensor.empty() : tensor<16x24xbf16>
  %t = linalg.transpose ins(%w : tensor<24x16xbf16>) outs(%e : tensor<16x24xbf16>) permutation = [1, 0]
  %0 = linalg.matmul ins(%a, %t : tensor<8x16xbf16>, tensor<16x24xbf16>) outs(%d : tensor<8x24xf32>) -> tensor<8x24xf32>
  return %0 : tensor<8x24xf32>
}
