// RUN: tc-opt %s --tc-check-shapes --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @add(
// CHECK-DAG:     %[[N:.*]] = tensor.dim %arg1,
// CHECK:         %[[EQ:.*]] = arith.cmpi eq, %[[N]], %{{.*}} : index
// CHECK:         cf.assert %[[EQ]], "linalg.add: dimension 0 of operand 1 must have as many elements as dimension 0 of operand 0"
// The output is as long as the first.
// CHECK-NOT:     cf.assert
func.func @add(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%m) : tensor<?xf32>
  %r = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @windows(

// CHECK:         %[[FITS:.*]] = arith.cmpi sle, %{{.*}}, %{{.*}} : index
// CHECK:         cf.assert %[[FITS]], "linalg.conv_1d: dimension 0 of operand 0 must be at least what its windows cover"
func.func @windows(%x: memref<?xf32>, %w: memref<3xf32>, %d: memref<?xf32>) {
  linalg.conv_1d ins(%x, %w : memref<?xf32>, memref<3xf32>) outs(%d : memref<?xf32>)
  return
}

// -----

// CHECK-LABEL: func.func @reshape(
// CHECK:         cf.assert %{{.*}}, "tensor.expand_shape: dimensions 0 to 1 of its result must multiply to dimension 0 of its operand"
// CHECK-NOT:     cf.assert
func.func @reshape(%x: tensor<?x16xf32>) -> (tensor<2x?x16xf32>, tensor<1x?x16xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %m = tensor.dim %x, %c0 : tensor<?x16xf32>
  %half = arith.divui %m, %c2 : index
  %r = tensor.expand_shape %x [[0, 1], [2]] output_shape [2, %half, 16] : tensor<?x16xf32> into tensor<2x?x16xf32>
  %s = tensor.expand_shape %x [[0, 1], [2]] output_shape [1, %m, 16] : tensor<?x16xf32> into tensor<1x?x16xf32>
  return %r, %s : tensor<2x?x16xf32>, tensor<1x?x16xf32>
}

// -----

// What is static was verified.
// CHECK-LABEL: func.func @known(
// CHECK-NOT:     cf.assert
func.func @known(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %r = linalg.exp ins(%x : tensor<4x16xf32>) outs(%x : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}
