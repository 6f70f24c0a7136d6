// RUN: tc-opt %s --tc-decompose-aggregates | FileCheck %s

// CHECK-LABEL: func.func @softmax(
// CHECK-NOT:     linalg.softmax
// CHECK:         %[[MAX:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
// CHECK:           arith.maxnumf
// CHECK:         %[[EXP:.*]] = linalg.generic {{.*}} ins(%arg0, %[[MAX]]
// CHECK:           math.exp
// CHECK:         %[[SUM:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]{{.*}} ins(%[[EXP]]
// CHECK:           arith.addf
// CHECK:         linalg.generic {{.*}} ins(%[[EXP]], %[[SUM]]
// CHECK:           arith.divf
func.func @softmax(%x: tensor<64x100xf32>) -> tensor<64x100xf32> {
  %e = tensor.empty() : tensor<64x100xf32>
  %s = linalg.softmax dimension(1) ins(%x : tensor<64x100xf32>) outs(%e : tensor<64x100xf32>) -> tensor<64x100xf32>
  return %s : tensor<64x100xf32>
}

// CHECK-LABEL: func.func @concat(
// CHECK:         %[[FIRST:.*]] = tensor.insert_slice %arg0 into %{{.*}}[0, 0] [64, 100] [1, 1]
// CHECK:         tensor.insert_slice %arg1 into %[[FIRST]][0, 100] [64, 28] [1, 1]
func.func @concat(%x: tensor<64x100xf32>, %y: tensor<64x28xf32>) -> tensor<64x128xf32> {
  %s = tensor.concat dim(1) %x, %y : (tensor<64x100xf32>, tensor<64x28xf32>) -> tensor<64x128xf32>
  return %s : tensor<64x128xf32>
}

// There are no patterns for memrefs.
// CHECK-LABEL: func.func @memrefs(
// CHECK:         linalg.softmax
func.func @memrefs(%x: memref<64x100xf32>, %y: memref<64x100xf32>) {
  linalg.softmax dimension(1) ins(%x : memref<64x100xf32>) outs(%y : memref<64x100xf32>)
  return
}
