// RUN: tc-opt %s -convert-linalg-to-tmm -split-input-file | FileCheck %s

// CHECK-LABEL: func @zero_points
// CHECK: tmm.matmul accumulate {{.*}}ins(%{{.*}} : tensor<8x32xi8>, tensor<{{.*}}xi8>) outs(%{{.*}} : tensor<8x24xi32>)
func.func @zero_points(%a: tensor<8x32xi8>, %b: tensor<24x32xi8>, %d: tensor<8x24xi32>) -> tensor<8x24xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<32x24xi8>
  %t = linalg.transpose ins(%b : tensor<24x32xi8>) outs(%e : tensor<32x24xi8>) permutation = [1, 0]
  %0 = linalg.quantized_matmul ins(%a, %t, %zero, %zero : tensor<8x32xi8>, tensor<32x24xi8>, i32, i32)
    outs(%d : tensor<8x24xi32>) -> tensor<8x24xi32>
  return %0 : tensor<8x24xi32>
}

// -----

// Sums of the columns of B times the zero point of A and of the rows of A times that of B are
// subtracted, and K times both is added.
// CHECK-LABEL: func @points_of_tensors
// CHECK-SAME: %[[A:.*]]: tensor<8x32xi8>, %[[B:.*]]: tensor<32x24xi8>
// CHECK: %[[COLUMNS:.*]] = linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]} ins(%[[B]] : {{.*}} outs(%{{.*}} : tensor<24xi32>)
// CHECK: arith.extsi
// CHECK: %[[ROWS:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%[[A]] : {{.*}} outs(%{{.*}} : tensor<8xi32>)
// CHECK: tmm.matmul
func.func @points_of_tensors(%a: tensor<8x32xi8>, %b: tensor<32x24xi8>) -> tensor<8x24xi32> {
  %zero = arith.constant 0 : i32
  %three = arith.constant 3 : i32
  %five = arith.constant -5 : i32
  %e = tensor.empty() : tensor<8x24xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<8x24xi32>) -> tensor<8x24xi32>
  %0 = linalg.quantized_matmul ins(%a, %b, %three, %five : tensor<8x32xi8>, tensor<32x24xi8>, i32, i32)
    outs(%f : tensor<8x24xi32>) -> tensor<8x24xi32>
  return %0 : tensor<8x24xi32>
}

// -----

// One point alone needs one of the sums; on memrefs they are buffers.
// CHECK-LABEL: func @points_of_memrefs
// CHECK-SAME: %[[A:.*]]: memref<2x?x32xi8>, %[[B:.*]]: memref<2x32x24xi8>, %[[D:.*]]: memref<2x?x24xi32>, %[[POINT:.*]]: i32
// CHECK: %[[ROWS:.*]] = memref.alloc(%{{.*}}) : memref<2x?xi32>
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[A]] : {{.*}}) outs(%[[ROWS]] :
// CHECK: tmm.matmul accumulate
// CHECK: linalg.generic {{.*}} ins(%[[ROWS]] : memref<2x?xi32>) outs(%[[D]] :
// CHECK: %[[PART:.*]] = arith.muli %{{.*}}, %[[POINT]]
// CHECK-NEXT: %[[RESULT:.*]] = arith.subi %{{.*}}, %[[PART]]
// CHECK-NEXT: linalg.yield %[[RESULT]]
func.func @points_of_memrefs(%a: memref<2x?x32xi8>, %b: memref<2x32x24xi8>, %d: memref<2x?x24xi32>, %point: i32) {
  %zero = arith.constant 0 : i32
  linalg.quantized_batch_matmul ins(%a, %b, %zero, %point : memref<2x?x32xi8>, memref<2x32x24xi8>, i32, i32) outs(%d : memref<2x?x24xi32>)
  return
}
