// RUN: tc-opt --transform-interpreter --split-input-file %s | FileCheck %s

// CHECK-LABEL: func @loops
//  CHECK-SAME: %[[A:[^ ]*]]: memref<16x8xbf16>, %[[B:[^ ]*]]: memref<16x24xbf16>, %[[D:[^ ]*]]: memref<8x24xf32>
func.func @loops(%a: memref<16x8xbf16>, %b: memref<16x24xbf16>, %d: memref<8x24xf32>) {
  // CHECK: scf.for %[[M:.*]] =
  // CHECK: scf.for %[[N:.*]] =
  // CHECK: scf.for %[[K:.*]] =
  // CHECK: %[[X:.*]] = memref.load %[[A]][%[[K]], %[[M]]]
  // CHECK: %[[XF:.*]] = arith.extf %[[X]] : bf16 to f32
  // CHECK: %[[Y:.*]] = memref.load %[[B]][%[[K]], %[[N]]]
  // CHECK: %[[YF:.*]] = arith.extf %[[Y]] : bf16 to f32
  // CHECK: %[[OLD:.*]] = memref.load %[[D]][%[[M]], %[[N]]]
  // CHECK: %[[P:.*]] = arith.mulf %[[XF]], %[[YF]]
  // CHECK: %[[S:.*]] = arith.addf %[[OLD]], %[[P]]
  // CHECK: memref.store %[[S]], %[[D]][%[[M]], %[[N]]]
  tmm.matmul accumulate transpose_a ins(%a, %b : memref<16x8xbf16>, memref<16x24xbf16>) outs(%d : memref<8x24xf32>)
  return
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %1 = transform.structured.convert_to_loops %0 : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// CHECK-LABEL: func @batch
//  CHECK-SAME: %[[A:[^ ]*]]: memref<3x8x16xbf16>, %[[B:[^ ]*]]: memref<16x24xbf16>, %[[D:[^ ]*]]: memref<3x8x24xf32>
func.func @batch(%a: memref<3x8x16xbf16>, %b: memref<16x24xbf16>, %d: memref<3x8x24xf32>) {
  // CHECK: scf.for %[[I:.*]] =
  // CHECK: scf.for %[[M:.*]] =
  // CHECK: scf.for %[[N:.*]] =
  // CHECK: scf.for %[[K:.*]] =
  // CHECK: memref.load %[[A]][%[[I]], %[[M]], %[[K]]]
  // CHECK: memref.load %[[B]][%[[K]], %[[N]]]
  // CHECK: memref.store %{{.*}}, %[[D]][%[[I]], %[[M]], %[[N]]]
  tmm.matmul accumulate ins(%a, %b : memref<3x8x16xbf16>, memref<16x24xbf16>) outs(%d : memref<3x8x24xf32>)
  return
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %1 = transform.structured.convert_to_loops %0 : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// Integers without a sign: of bytes that linalg has, and of others.
// CHECK-LABEL: func @unsigned
//  CHECK-SAME: %[[A:[^ ]*]]: memref<8x16xi8>, %[[B:[^ ]*]]: memref<16x24xui8>, %[[D:[^ ]*]]: memref<8x24xi32>
func.func @unsigned(%a: memref<8x16xi8>, %b: memref<16x24xui8>, %d: memref<8x24xi32>) {
  // CHECK: %[[X:.*]] = memref.load %[[A]][
  // CHECK: arith.extui %[[X]] : i8 to i32
  // CHECK: %[[BYTES:.*]] = tmm.reinterpret %[[B]] : memref<16x24xui8> to memref<16x24xi8>
  // CHECK: %[[Y:.*]] = memref.load %[[BYTES]][
  // CHECK: arith.extui %[[Y]] : i8 to i32
  %u = tmm.reinterpret %a : memref<8x16xi8> to memref<8x16xui8>
  tmm.matmul accumulate ins(%u, %b : memref<8x16xui8>, memref<16x24xui8>) outs(%d : memref<8x24xi32>)
  return
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %1 = transform.structured.convert_to_loops %0 : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
