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
