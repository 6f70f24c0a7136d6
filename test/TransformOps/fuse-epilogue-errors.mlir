// RUN: %mlir_opt %s --pass-pipeline='builtin.module(transform-interpreter)' --split-input-file --verify-diagnostics

module attributes {transform.with_named_sequence} {
  // expected-note @below {{payload here}}
  func.func private @no_product()
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{'transform.tmm.fuse_epilogue' op expected 'tmm.matmul', got 'func.func'}}
    %1 = transform.tmm.fuse_epilogue %0 : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

func.func @nothing(%a: tensor<64x32xbf16>, %b: tensor<32x64xbf16>, %d: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-note @below {{payload here}}
  %0 = tmm.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x64xbf16>) outs(%d : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{'transform.tmm.fuse_epilogue' op expected an operation of linalg on the result of the product, got none}}
    %1 = transform.tmm.fuse_epilogue %0 : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

func.func @reduction(%a: tensor<64x32xbf16>, %b: tensor<32x64xbf16>, %d: tensor<64x64xf32>, %e: tensor<64xf32>) -> tensor<64xf32> {
  // expected-note @below {{of this product}}
  %0 = tmm.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x64xbf16>) outs(%d : tensor<64x64xf32>) -> tensor<64x64xf32>
  // expected-error @below {{'linalg.reduce' op cannot be fused into the epilogue: expected an elementwise operation, got a reduction}}
  %1 = linalg.reduce { arith.addf } ins(%0 : tensor<64x64xf32>) outs(%e : tensor<64xf32>) dimensions = [1]
  return %1 : tensor<64xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-note @below {{asked for here}}
    %1 = transform.tmm.fuse_epilogue %0 : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// The second of two is picked: its operand is not the product.
func.func @not_of_it(%a: tensor<64x32xbf16>, %b: tensor<32x64xbf16>, %d: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-note @below {{of this product}}
  %0 = tmm.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x64xbf16>) outs(%d : tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = linalg.exp ins(%0 : tensor<64x64xf32>) outs(%d : tensor<64x64xf32>) -> tensor<64x64xf32>
  // expected-error @below {{'linalg.tanh' op cannot be fused into the epilogue: it does not read the product}}
  %2 = linalg.tanh ins(%1 : tensor<64x64xf32>) outs(%d : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %1 = transform.structured.match ops{["linalg.tanh"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-note @below {{asked for here}}
    %2 = transform.tmm.fuse_epilogue %0 with %1 : (!transform.any_op, !transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

func.func @several(%a: memref<64x32xbf16>, %b: memref<32x64xbf16>, %d: memref<64x64xf32>) {
  tmm.matmul ins(%a, %b : memref<64x32xbf16>, memref<32x64xbf16>) outs(%d : memref<64x64xf32>)
  linalg.exp ins(%d : memref<64x64xf32>) outs(%d : memref<64x64xf32>)
  tmm.matmul ins(%a, %b : memref<64x32xbf16>, memref<32x64xbf16>) outs(%d : memref<64x64xf32>)
  return
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %1 = transform.structured.match ops{["linalg.exp"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{expected one product for the operations to fuse, got 2}}
    %2 = transform.tmm.fuse_epilogue %0 with %1 : (!transform.any_op, !transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

func.func @no_linalg(%a: tensor<64x32xbf16>, %b: tensor<32x64xbf16>, %d: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = tmm.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x64xbf16>) outs(%d : tensor<64x64xf32>) -> tensor<64x64xf32>
  // expected-note @below {{payload here}}
  %1 = math.exp %0 : tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %1 = transform.structured.match ops{["math.exp"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{'transform.tmm.fuse_epilogue' op expected operations of linalg to fuse, got 'math.exp'}}
    %2 = transform.tmm.fuse_epilogue %0 with %1 : (!transform.any_op, !transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// A handle of what was fused is of no use afterwards.
func.func @lost(%a: tensor<64x32xbf16>, %b: tensor<32x64xbf16>, %d: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-note @below {{replacement value 0}}
  %0 = tmm.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x64xbf16>) outs(%d : tensor<64x64xf32>) -> tensor<64x64xf32>
  // expected-note @below {{replaced op}}
  %1 = linalg.exp ins(%0 : tensor<64x64xf32>) outs(%d : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-note @below {{replacement is required because this handle must be updated}}
    %1 = transform.structured.match ops{["linalg.exp"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{tracking listener failed to find replacement op}}
    // expected-note @below {{ran out of suitable replacement values}}
    %2 = transform.tmm.fuse_epilogue %0 : (!transform.any_op) -> !transform.any_op
    transform.annotate %1 "lost" : !transform.any_op
    transform.yield
  }
}
