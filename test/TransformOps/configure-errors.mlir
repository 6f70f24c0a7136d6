// RUN: %mlir_opt %s --pass-pipeline='builtin.module(transform-interpreter)' --split-input-file --verify-diagnostics

func.func @no_matmul(%d: memref<256x512xf32>, %x: f32) {
  // expected-note @below {{payload here}}
  linalg.fill ins(%x : f32) outs(%d : memref<256x512xf32>)
  return
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["linalg.fill"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{'transform.tmm.configure' op expected 'tmm.matmul', got 'linalg.fill'}}
    transform.tmm.configure %0 "stages=4" : !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    // expected-error @below {{config, from character 12 on: unknown configuration field 'stage': expected one of tile, unit, }}
    transform.tmm.configure %root "unit=wgmma stage=4" : !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    // expected-error @below {{config, from character 6 on: tile: expected 3 numbers with 'x' between them (M, N, K), got '128x128'}}
    transform.tmm.configure %root "tile=128x128" : !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    // expected-error @below {{expected no chip with check, which completes nothing}}
    transform.tmm.configure %root check "stages=4" for "sm_90a" : !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    // expected-error @below {{expected a chip, which the table of measured configurations is for}}
    transform.tmm.configure %root "stages=4" tuned "table.tsv" : !transform.any_op
    transform.yield
  }
}

// -----

func.func @other_value(%a: memref<256x1024xbf16>, %b: memref<1024x512xbf16>, %d: memref<256x512xf32>) {
  // expected-note @below {{payload here}}
  tmm.matmul config <epilogue = <kind = tma_store>> ins(%a, %b : memref<256x1024xbf16>, memref<1024x512xbf16>) outs(%d : memref<256x512xf32>)
  return
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.tmm.configure %0 check "epilogue=tma-store" : !transform.any_op
    // expected-error @below {{'transform.tmm.configure' op expected a configuration with epilogue=direct, got epilogue=tma-store}}
    transform.tmm.configure %0 check "epilogue=direct" : !transform.any_op
    transform.yield
  }
}

// -----

func.func @no_value(%a: memref<256x1024xbf16>, %b: memref<1024x512xbf16>, %d: memref<256x512xf32>) {
  // expected-note @below {{payload here}}
  tmm.matmul ins(%a, %b : memref<256x1024xbf16>, memref<1024x512xbf16>) outs(%d : memref<256x512xf32>)
  return
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{expected a configuration with tile=128x64x64, got one without tile}}
    transform.tmm.configure %0 check "tile=128x64x64" : !transform.any_op
    transform.yield
  }
}

// -----

// What is set does not go with what was.
func.func @part(%a: memref<256x1024xbf16>, %b: memref<1024x512xbf16>, %d: memref<256x512xf32>) {
  // expected-error @below {{configuration: store-stages of 2: expected none with epilogue direct, which has no store buffers}}
  tmm.matmul config <epilogue = <stages = 2>> ins(%a, %b : memref<256x1024xbf16>, memref<1024x512xbf16>) outs(%d : memref<256x512xf32>)
  return
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-note @below {{asked for here}}
    transform.tmm.configure %0 "epilogue=direct" : !transform.any_op
    transform.yield
  }
}

// -----

// What tmm-choose-config refuses.
func.func @resources(%a: memref<256x1024xbf16>, %b: memref<1024x512xbf16>, %d: memref<256x512xf32>) {
  // expected-error @below {{configuration: }}
  tmm.matmul ins(%a, %b : memref<256x1024xbf16>, memref<1024x512xbf16>) outs(%d : memref<256x512xf32>)
  return
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-note @below {{asked for here}}
    transform.tmm.configure %0 "tile=128x256x64 stages=40" for "sm_90a" : !transform.any_op
    transform.yield
  }
}

// -----

func.func @chip(%a: memref<256x1024xbf16>, %b: memref<1024x512xbf16>, %d: memref<256x512xf32>) {
  // expected-error @below {{chip option: expected a chip with a known matrix unit and number of multiprocessors, got 'sm_1'}}
  tmm.matmul ins(%a, %b : memref<256x1024xbf16>, memref<1024x512xbf16>) outs(%d : memref<256x512xf32>)
  return
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-note @below {{asked for here}}
    transform.tmm.configure %0 "" for "sm_1" : !transform.any_op
    transform.yield
  }
}
