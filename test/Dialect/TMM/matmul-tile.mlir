// RUN: tc-opt --transform-interpreter --canonicalize --cse --split-input-file %s | FileCheck %s

// CHECK: #config = #tmm.config<ring = <stages = 2>>
// CHECK-LABEL: func @memrefs_m_and_n
//  CHECK-SAME: %[[A:.*]]: memref<100x40xbf16>, %[[B:.*]]: memref<40x70xbf16>, %[[D:.*]]: memref<100x70xf32>
func.func @memrefs_m_and_n(%a: memref<100x40xbf16>, %b: memref<40x70xbf16>, %d: memref<100x70xf32>) {
  // CHECK: scf.for %[[M:.*]] = %{{.*}} to %c100
  // CHECK:   scf.for %[[N:.*]] = %{{.*}} to %c70
  // CHECK:     %[[H:.*]] = affine.min #{{.*}}(%[[M]])
  // CHECK:     %[[W:.*]] = affine.min #{{.*}}(%[[N]])
  // CHECK:     %[[TA:.*]] = memref.subview %[[A]][%[[M]], 0] [%[[H]], 40] [1, 1]
  // CHECK:     %[[TB:.*]] = memref.subview %[[B]][0, %[[N]]] [40, %[[W]]] [1, 1]
  // CHECK:     %[[TD:.*]] = memref.subview %[[D]][%[[M]], %[[N]]] [%[[H]], %[[W]]] [1, 1]
  // CHECK:     tmm.matmul config #config ins(%[[TA]], %[[TB]] : memref<?x40xbf16, strided<[40, 1], offset: ?>>, memref<40x?xbf16, strided<[70, 1], offset: ?>>) outs(%[[TD]] : memref<?x?xf32, strided<[70, 1], offset: ?>>)
  tmm.matmul config <ring = <stages = 2>> ins(%a, %b : memref<100x40xbf16>, memref<40x70xbf16>) outs(%d : memref<100x70xf32>)
  return
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %1, %loops:2 = transform.structured.tile_using_for %0 tile_sizes [32, 48, 0]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Transposed operands are cut along the dimensions that they have.
// CHECK-LABEL: func @tensors_all_dimensions
//  CHECK-SAME: %[[A:.*]]: tensor<?x?xbf16>, %[[B:.*]]: tensor<?x?xbf16>, %[[D:.*]]: tensor<?x?xf32>
func.func @tensors_all_dimensions(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %d: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // CHECK: scf.for %[[M:.*]] = {{.*}} iter_args(
  // CHECK: scf.for %[[N:.*]] = {{.*}} iter_args(
  // CHECK: scf.for %[[K:.*]] = {{.*}} iter_args(%[[I:.*]] = %{{.*}})
  // CHECK: %[[TA:.*]] = tensor.extract_slice %[[A]][%[[K]], %[[M]]]
  // CHECK: %[[TB:.*]] = tensor.extract_slice %[[B]][%[[N]], %[[K]]]
  // CHECK: %[[TD:.*]] = tensor.extract_slice %[[I]][%[[M]], %[[N]]]
  // CHECK: %[[R:.*]] = tmm.matmul accumulate transpose_a transpose_b ins(%[[TA]], %[[TB]] : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%[[TD]] : tensor<?x?xf32>)
  // CHECK: tensor.insert_slice %[[R]] into %[[I]][%[[M]], %[[N]]]
  %0 = tmm.matmul accumulate transpose_a transpose_b
    ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%d : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %1, %loops:3 = transform.structured.tile_using_for %0 tile_sizes [32, 48, 16]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Dynamic K that is not cut needs no accumulation.
// CHECK-LABEL: func @dynamic_k_in_one_tile
func.func @dynamic_k_in_one_tile(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  // CHECK: scf.forall
  // CHECK: tmm.matmul ins(
  tmm.matmul ins(%a, %b : memref<?x?xf16>, memref<?x?xf16>) outs(%d : memref<?x?xf16>)
  return
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %1, %loop = transform.structured.tile_using_forall %0 tile_sizes [32, 48]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// A matmul is fused into the loop over its consumer.
// CHECK-LABEL: func @fuse_into_consumer
func.func @fuse_into_consumer(%a: tensor<64x16xbf16>, %b: tensor<16x64xbf16>, %d: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // CHECK: scf.for
  // CHECK:   %[[P:.*]] = tmm.matmul ins(%{{.*}}, %{{.*}} : tensor<32x16xbf16>, tensor<16x64xbf16>) outs(%{{.*}} : tensor<32x64xf32>)
  // CHECK:   linalg.exp ins(%[[P]] : tensor<32x64xf32>)
  %0 = tmm.matmul ins(%a, %b : tensor<64x16xbf16>, tensor<16x64xbf16>) outs(%d : tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = linalg.exp ins(%0 : tensor<64x64xf32>) outs(%d : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["linalg.exp"]} in %root : (!transform.any_op) -> !transform.any_op
    %1, %loop = transform.structured.fuse %0 tile_sizes [32]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// The batch dimensions are outer loops. An operand without one, or with one
// of size 1, is not cut along it.
// CHECK-LABEL: func @batch
//  CHECK-SAME: %[[A:.*]]: memref<2x3x100x40xbf16>, %[[B:.*]]: memref<1x40x70xbf16>, %[[D:.*]]: memref<2x3x100x70xf32>, %[[X:.*]]: memref<3x70xf32>)
func.func @batch(%a: memref<2x3x100x40xbf16>, %b: memref<1x40x70xbf16>, %d: memref<2x3x100x70xf32>, %x: memref<3x70xf32>) {
  // CHECK: scf.for %[[I:.*]] = %{{.*}} to %c2
  // CHECK:   scf.for %[[J:.*]] = %{{.*}} to %c3
  // CHECK:     scf.for %[[M:.*]] = %{{.*}} to %c100
  // CHECK:       %[[TA:.*]] = memref.subview %[[A]][%[[I]], %[[J]], %[[M]], 0] [1, 1, %{{.*}}, 40] [1, 1, 1, 1]
  // CHECK:       %[[TD:.*]] = memref.subview %[[D]][%[[I]], %[[J]], %[[M]], 0] [1, 1, %{{.*}}, 70] [1, 1, 1, 1]
  // CHECK:       %[[TX:.*]] = memref.subview %[[X]][%[[J]], 0] [1, 70] [1, 1]
  // CHECK:       tmm.matmul ins(%[[TA]], %{{.*}} : memref<1x1x?x40xbf16, strided<[12000, 4000, 40, 1], offset: ?>>, memref<1x40x70xbf16{{.*}}>) outs(%[[TD]]
  // CHECK-SAME:  epilogue(%{{.*}}, %{{.*}} = %[[TX]] along n : memref<1x70xf32
  tmm.matmul ins(%a, %b : memref<2x3x100x40xbf16>, memref<1x40x70xbf16>) outs(%d : memref<2x3x100x70xf32>)
      epilogue(%acc, %y = %x along n : memref<3x70xf32>) {
    %0 = arith.addf %acc, %y : f32
    tmm.yield %0 : f32
  }
  return
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %1, %loops:3 = transform.structured.tile_using_for %0 tile_sizes [1, 1, 32, 0, 0]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}
