// RUN: %mlir_opt %s --pass-pipeline='builtin.module(transform-interpreter)' --split-input-file --mlir-print-local-scope | FileCheck %s

// Fields are set, others are kept.
// CHECK-LABEL: func @set
// CHECK: tmm.matmul config <tile = <shape = 128x128x64>, ring = <stages = 4>, epilogue = <kind = direct>> ins
// CHECK: tmm.matmul config <ring = <stages = 4>, epilogue = <kind = direct>> ins
func.func @set(%a: memref<256x1024xbf16>, %b: memref<1024x512xbf16>, %d: memref<256x512xf32>) {
  tmm.matmul config <tile = <shape = 128x128x64>, ring = <stages = 2>> ins(%a, %b : memref<256x1024xbf16>, memref<1024x512xbf16>)
    outs(%d : memref<256x512xf32>)
  tmm.matmul ins(%a, %b : memref<256x1024xbf16>, memref<1024x512xbf16>) outs(%d : memref<256x512xf32>)
  return
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.tmm.configure %0 "stages=4 epilogue=direct" : !transform.any_op
    // The handle is still that of both.
    transform.tmm.configure %0 check "stages=4" : !transform.any_op
    transform.tmm.configure %0 "" : !transform.any_op
    transform.yield
  }
}

// -----

// With a chip every field is set, those that were given as they were.
// CHECK-LABEL: func @complete
// CHECK: tmm.matmul config <tile = <shape = 128x128x64, unit = wgmma, cta_group = 1, cluster = {{[0-9x]+}}>,
// CHECK-SAME: ring = <stages = 3, swizzle = 128B,
// CHECK-SAME: roles = <kind = {{[a-z_]+}}, epilogue_registers = {{[0-9]+}}>> ins
func.func @complete(%a: memref<256x1024xbf16>, %b: memref<1024x512xbf16>, %d: memref<256x512xf32>) {
  tmm.matmul config <ring = <stages = 3>> ins(%a, %b : memref<256x1024xbf16>, memref<1024x512xbf16>) outs(%d : memref<256x512xf32>)
  return
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.tmm.configure %0 "tile=128x128x64" for "sm_90a" : !transform.any_op
    transform.yield
  }
}

// -----

// A failure can be silenced: the next alternative is taken, and nothing has changed before. On tensors, too.
// CHECK-LABEL: func @alternative
// CHECK: tmm.matmul config <ring = <stages = 2>, accumulators = <stages = 1>> ins
func.func @alternative(%a: tensor<256x1024xbf16>, %b: tensor<1024x512xbf16>, %d: tensor<256x512xf32>) -> tensor<256x512xf32> {
  %0 = tmm.matmul config <ring = <stages = 2>> ins(%a, %b : tensor<256x1024xbf16>, tensor<1024x512xbf16>)
    outs(%d : tensor<256x512xf32>) -> tensor<256x512xf32>
  return %0 : tensor<256x512xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %f = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.alternatives %f : !transform.any_op {
    ^bb0(%scope: !transform.any_op):
      %0 = transform.structured.match ops{["tmm.matmul"]} in %scope : (!transform.any_op) -> !transform.any_op
      transform.tmm.configure %0 check "stages=3" : !transform.any_op
      transform.tmm.configure %0 "stages=4" : !transform.any_op
    }, {
    ^bb0(%scope: !transform.any_op):
      %0 = transform.structured.match ops{["tmm.matmul"]} in %scope : (!transform.any_op) -> !transform.any_op
      transform.tmm.configure %0 "tile=100x100x100" for "sm_100a" : !transform.any_op
    }, {
    ^bb0(%scope: !transform.any_op):
      %0 = transform.structured.match ops{["tmm.matmul"]} in %scope : (!transform.any_op) -> !transform.any_op
      transform.tmm.configure %0 "accumulator-stages=1" : !transform.any_op
    }
    transform.yield
  }
}
