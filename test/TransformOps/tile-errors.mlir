// RUN: %mlir_opt %s --pass-pipeline='builtin.module(transform-interpreter)' --split-input-file --verify-diagnostics

func.func @no_kernel(%d: memref<256x512xf32>, %x: f32) {
  // expected-note @below {{payload here}}
  linalg.fill ins(%x : f32) outs(%d : memref<256x512xf32>)
  return
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["linalg.fill"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{'transform.tmm.tile' op expected an operation that becomes a kernel, got 'linalg.fill'}}
    %k, %l = transform.tmm.tile %0 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

func.func @tensors(%a: tensor<8x8xf16>, %b: tensor<8x8xf16>, %d: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @below {{expected memref operands, got tensors: run one-shot-bufferize before tmm-tile}}
  %r = tmm.matmul ins(%a, %b : tensor<8x8xf16>, tensor<8x8xf16>) outs(%d : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %k, %l = transform.tmm.tile %0 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

func.func @incomplete(%a: memref<8x8xf16>, %b: memref<8x8xf16>, %d: memref<8x8xf32>) {
  // expected-error @below {{expected a configuration with tile, swizzle and epilogue_subtile, got an incomplete one: run tmm-choose-config before tmm-tile}}
  tmm.matmul ins(%a, %b : memref<8x8xf16>, memref<8x8xf16>) outs(%d : memref<8x8xf32>)
  return
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.tmm.configure %0 "tile=128x64x64" : !transform.any_op
    %k, %l = transform.tmm.tile %0 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

func.func @other_chip(%a: memref<256x1024xbf16>, %b: memref<1024x512xbf16>, %d: memref<256x512xf32>) {
  // expected-error @below {{configuration: expected a unit of chip sm_90a, wgmma or mma-sync, got tcgen05}}
  tmm.matmul ins(%a, %b : memref<256x1024xbf16>, memref<1024x512xbf16>) outs(%d : memref<256x512xf32>)
  return
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.tmm.configure %0 "split-k=1" for "sm_100a" : !transform.any_op
    %k, %l = transform.tmm.tile %0 for "sm_90a" : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

%a = memref.alloc() : memref<256x1024xbf16>
%b = memref.alloc() : memref<1024x512xbf16>
%d = memref.alloc() : memref<256x512xf32>
// expected-note @below {{payload here}}
tmm.matmul ins(%a, %b : memref<256x1024xbf16>, memref<1024x512xbf16>) outs(%d : memref<256x512xf32>)

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{'transform.tmm.tile' op expected an operation in a function of a module, got 'tmm.matmul'}}
    %k, %l = transform.tmm.tile %0 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

func.func @parts_of_k(%a: memref<128x1024xbf16>, %b: memref<1024x128xbf16>, %d: memref<128x128xf32>) {
  // expected-error @below {{expected split_k of 1, got 2: run tmm-split-k before tmm-tile}}
  tmm.matmul ins(%a, %b : memref<128x1024xbf16>, memref<1024x128xbf16>) outs(%d : memref<128x128xf32>)
  return
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.tmm.configure %0 "split-k=2" for "sm_90a" : !transform.any_op
    %k, %l = transform.tmm.tile %0 for "sm_90a" : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
