// RUN: tc-opt --resolve-ranked-shaped-type-result-dims --canonicalize --split-input-file %s | FileCheck %s

// A cast that forgets sizes is folded, the sizes reach the choice of the configuration.
// CHECK-LABEL: func @memref_cast
//  CHECK-SAME: %[[A:.*]]: memref<8x16xbf16>
func.func @memref_cast(%a: memref<8x16xbf16>, %b: memref<16x24xbf16>, %d: memref<8x24xf32>) {
  // CHECK-NOT: memref.cast
  // CHECK: tmm.matmul ins(%[[A]], %{{.*}} : memref<8x16xbf16>, memref<16x24xbf16>)
  %0 = memref.cast %a : memref<8x16xbf16> to memref<?x?xbf16>
  tmm.matmul ins(%0, %b : memref<?x?xbf16>, memref<16x24xbf16>) outs(%d : memref<8x24xf32>)
  return
}

// -----

// CHECK-LABEL: func @tensor_cast
//  CHECK-SAME: %[[A:.*]]: tensor<8x16xbf16>, %[[B:.*]]: tensor<16x24xbf16>, %[[D:.*]]: tensor<8x24xf32>
func.func @tensor_cast(%a: tensor<8x16xbf16>, %b: tensor<16x24xbf16>, %d: tensor<8x24xf32>) -> tensor<?x?xf32> {
  // CHECK: %[[R:.*]] = tmm.matmul accumulate ins(%[[A]], %[[B]] : tensor<8x16xbf16>, tensor<16x24xbf16>) outs(%[[D]] : tensor<8x24xf32>) -> tensor<8x24xf32>
  // CHECK: tensor.cast %[[R]]
  %0 = tensor.cast %d : tensor<8x24xf32> to tensor<?x?xf32>
  %1 = tmm.matmul accumulate ins(%a, %b : tensor<8x16xbf16>, tensor<16x24xbf16>)
    outs(%0 : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: func @unused
func.func @unused(%a: tensor<8x16xbf16>, %b: tensor<16x24xbf16>, %d: tensor<8x24xf32>) {
  // CHECK-NOT: tmm.matmul
  %0 = tmm.matmul ins(%a, %b : tensor<8x16xbf16>, tensor<16x24xbf16>) outs(%d : tensor<8x24xf32>) -> tensor<8x24xf32>
  return
}

// -----

// A matmul on memrefs writes: it stays.
// CHECK-LABEL: func @used
func.func @used(%a: memref<8x16xbf16>, %b: memref<16x24xbf16>, %d: memref<8x24xf32>) {
  // CHECK: tmm.matmul
  tmm.matmul ins(%a, %b : memref<8x16xbf16>, memref<16x24xbf16>) outs(%d : memref<8x24xf32>)
  return
}

// -----

// The size of the result is that of the initial value.
// CHECK-LABEL: func @result_size
//  CHECK-SAME: %[[D:[^ ]*]]: tensor<?x24xf32>
func.func @result_size(%a: tensor<?x16xbf16>, %b: tensor<16x24xbf16>, %d: tensor<?x24xf32>) -> index {
  // CHECK: %[[M:.*]] = tensor.dim %[[D]], %{{.*}}
  // CHECK: return %[[M]]
  %c0 = arith.constant 0 : index
  %0 = tmm.matmul ins(%a, %b : tensor<?x16xbf16>, tensor<16x24xbf16>) outs(%d : tensor<?x24xf32>) -> tensor<?x24xf32>
  %m = tensor.dim %0, %c0 : tensor<?x24xf32>
  return %m : index
}
