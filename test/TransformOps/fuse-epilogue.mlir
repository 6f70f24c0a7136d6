// RUN: %mlir_opt %s --pass-pipeline='builtin.module(transform-interpreter,canonicalize)' --split-input-file | FileCheck %s

// Bias and activation, one after the other; what follows that is no operation of an epilogue stays.
// CHECK-LABEL: func @all(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<64x32xbf16>, %[[B:[a-z0-9]+]]: tensor<32x64xbf16>, %[[D:[a-z0-9]+]]: tensor<64x64xf32>, %[[X:[a-z0-9]+]]: tensor<64x64xf32>
// CHECK: %[[R:.*]] = tmm.matmul ins(%[[A]], %[[B]] : {{.*}}) outs(%[[D]] : tensor<64x64xf32>) {fused} -> tensor<64x64xf32> epilogue(%[[ACC:.*]], %[[E:.*]] = %[[X]] : tensor<64x64xf32>) {
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[ACC]], %[[E]] : f32
// CHECK-NEXT: %[[T:.*]] = math.tanh %[[S]] : f32
// CHECK-NEXT: tmm.yield %[[T]]
// CHECK-NEXT: }
// CHECK-NEXT: linalg.reduce {{.*}} ins(%[[R]]
func.func @all(%a: tensor<64x32xbf16>, %b: tensor<32x64xbf16>, %d: tensor<64x64xf32>, %x: tensor<64x64xf32>, %e: tensor<64xf32>) -> tensor<64xf32> {
  %0 = tmm.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x64xbf16>) outs(%d : tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = linalg.add ins(%0, %x : tensor<64x64xf32>, tensor<64x64xf32>) outs(%d : tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = linalg.tanh ins(%1 : tensor<64x64xf32>) outs(%d : tensor<64x64xf32>) -> tensor<64x64xf32>
  %3 = linalg.reduce { arith.addf } ins(%2 : tensor<64x64xf32>) outs(%e : tensor<64xf32>) dimensions = [1]
  return %3 : tensor<64xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %1 = transform.tmm.fuse_epilogue %0 : (!transform.any_op) -> !transform.any_op
    transform.annotate %1 "fused" : !transform.any_op
    transform.yield
  }
}

// -----

// What is picked, and nothing else.
// CHECK-LABEL: func @picked(
// CHECK: %[[R:.*]] = tmm.matmul {{.*}} epilogue(
// CHECK-NEXT: arith.addf
// CHECK-NEXT: tmm.yield
// CHECK-NEXT: }
// CHECK-NEXT: linalg.tanh ins(%[[R]]
func.func @picked(%a: tensor<64x32xbf16>, %b: tensor<32x64xbf16>, %d: tensor<64x64xf32>, %x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = tmm.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x64xbf16>) outs(%d : tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = linalg.add ins(%0, %x : tensor<64x64xf32>, tensor<64x64xf32>) outs(%d : tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = linalg.tanh ins(%1 : tensor<64x64xf32>) outs(%d : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %1 = transform.structured.match ops{["linalg.add"]} in %root : (!transform.any_op) -> !transform.any_op
    %2 = transform.tmm.fuse_epilogue %0 with %1 : (!transform.any_op, !transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// On memrefs in place; two readers of one product, x * tanh(x), become one on tensors.
// CHECK-LABEL: func @memrefs(
// CHECK: tmm.matmul ins({{.*}}) outs(%{{.*}} : memref<64x64xf32>) epilogue(%[[ACC:.*]]) {
// CHECK-NEXT: %[[T:.*]] = math.exp %[[ACC]] : f32
// CHECK-NEXT: tmm.yield %[[T]]
// CHECK-NOT: linalg
// CHECK: return
func.func @memrefs(%a: memref<64x32xbf16>, %b: memref<32x64xbf16>, %d: memref<64x64xf32>) {
  tmm.matmul ins(%a, %b : memref<64x32xbf16>, memref<32x64xbf16>) outs(%d : memref<64x64xf32>)
  linalg.exp ins(%d : memref<64x64xf32>) outs(%d : memref<64x64xf32>)
  return
}
// CHECK-LABEL: func @two_readers(
// CHECK: tmm.matmul {{.*}} epilogue(%[[ACC:.*]]) {
// CHECK-NEXT: %[[T:.*]] = math.tanh %[[ACC]] : f32
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: tmm.yield
// CHECK-NOT: linalg
// CHECK: return
func.func @two_readers(%a: tensor<64x32xbf16>, %b: tensor<32x64xbf16>, %d: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = tmm.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x64xbf16>) outs(%d : tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = linalg.tanh ins(%0 : tensor<64x64xf32>) outs(%d : tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = linalg.mul ins(%0, %1 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%d : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %1 = transform.tmm.fuse_epilogue %0 : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
