// RUN: tc-opt --transform-interpreter --split-input-file --verify-diagnostics %s

// After ours, upstream adds an error of its own.
func.func @unsigned(%a: memref<8x32xi8>, %b: memref<32x24xui8>, %d: memref<8x24xi32>) {
  // expected-error @below {{loops: expected elements that arith computes with, got 'ui8'}}
  // expected-note @below {{attempted to apply to this op}}
  tmm.matmul accumulate ins(%a, %b : memref<8x32xi8>, memref<32x24xui8>) outs(%d : memref<8x24xi32>)
  return
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{failed to apply}}
    %1 = transform.structured.convert_to_loops %0 : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
