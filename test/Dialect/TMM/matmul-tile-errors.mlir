// RUN: tc-opt --transform-interpreter --split-input-file --verify-diagnostics %s

// After ours, upstream adds two errors of its own.
func.func @k_without_accumulate(%a: memref<100x40xbf16>, %b: memref<40x70xbf16>, %d: memref<100x70xf32>) {
  // expected-error @below {{tiling K: expected `accumulate` (each tile adds to D); fill D with zero and set it, or tile M and N only}}
  // expected-error @below {{to tile operation}}
  // expected-error @below {{failed to generate tiling loops}}
  tmm.matmul ins(%a, %b : memref<100x40xbf16>, memref<40x70xbf16>) outs(%d : memref<100x70xf32>)
  return
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %1, %loops = transform.structured.tile_using_for %0 tile_sizes [0, 0, 16]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

func.func @k_into_bf16(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xbf16>) {
  // expected-error @below {{tiling K: expected D of 'f32', got 'bf16', which each tile would round; tile M and N only}}
  // expected-error @below {{to tile operation}}
  // expected-error @below {{failed to generate tiling loops}}
  tmm.matmul accumulate ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xbf16>)
  return
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %1, %loops = transform.structured.tile_using_for %0 tile_sizes [0, 0, 16]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

func.func @loops_without_accumulate(%a: memref<8x16xbf16>, %b: memref<16x24xbf16>, %d: memref<8x24xf32>) {
  // expected-error @below {{tiling K: expected `accumulate`}}
  // expected-note @below {{attempted to apply to this op}}
  tmm.matmul ins(%a, %b : memref<8x16xbf16>, memref<16x24xbf16>) outs(%d : memref<8x24xf32>)
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

// -----

func.func @scaled(%a: memref<256x256xf8E4M3FN>, %b: memref<256x256xf8E4M3FN>, %s: memref<2x2x32x4x4xf8E8M0FNU>, %d: memref<256x256xf32>) {
  // expected-error @below {{tiling: expected no scale factors, whose blocks of 128 rows a tile would cut; compile the whole product}}
  // expected-error @below {{to tile operation}}
  // expected-error @below {{failed to generate tiling loops}}
  tmm.matmul ins(%a, %b : memref<256x256xf8E4M3FN>, memref<256x256xf8E4M3FN>)
    scales(%s, %s : memref<2x2x32x4x4xf8E8M0FNU>, memref<2x2x32x4x4xf8E8M0FNU>) outs(%d : memref<256x256xf32>)
  return
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %1, %loops = transform.structured.tile_using_for %0 tile_sizes [64]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

func.func @k_with_epilogue(%a: memref<100x40xf16>, %b: memref<40x70xf16>, %d: memref<100x70xf32>) {
  // expected-error @below {{tiling K: expected no epilogue, which computes on the whole sum; tile M and N only}}
  // expected-error @below {{to tile operation}}
  // expected-error @below {{failed to generate tiling loops}}
  tmm.matmul accumulate ins(%a, %b : memref<100x40xf16>, memref<40x70xf16>) outs(%d : memref<100x70xf32>)
      epilogue(%acc) { tmm.yield %acc : f32 }
  return
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %1, %loops = transform.structured.tile_using_for %0 tile_sizes [0, 0, 16]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

func.func @k_in_f16(%a: memref<100x40xf16>, %b: memref<40x70xf16>, %d: memref<100x70xf16>) {
  // expected-error @below {{tiling K: expected no f16_sum, which each tile would start anew; tile M and N only}}
  // expected-error @below {{to tile operation}}
  // expected-error @below {{failed to generate tiling loops}}
  tmm.matmul accumulate f16_sum ins(%a, %b : memref<100x40xf16>, memref<40x70xf16>) outs(%d : memref<100x70xf16>)
  return
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %1, %loops = transform.structured.tile_using_for %0 tile_sizes [0, 0, 16]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

func.func @outputs(%a: memref<256x256xbf16>, %b: memref<256x256xbf16>, %amax: memref<f32>, %d: memref<256x256xf32>) {
  // expected-error @below {{tiling: expected no output beside D, got amax, of which a tile has no part of its own; compile the whole product}}
  // expected-error @below {{to tile operation}}
  // expected-error @below {{failed to generate tiling loops}}
  tmm.matmul ins(%a, %b : memref<256x256xbf16>, memref<256x256xbf16>) outs(%d : memref<256x256xf32>) amax(%amax : memref<f32>)
  return
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %1, %loops = transform.structured.tile_using_for %0 tile_sizes [64]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

func.func @sparse(%a: memref<256x64xbf16>, %b: memref<128x256xbf16>, %s: memref<2x1x128x4xi32>, %d: memref<256x256xf32>) {
  // expected-error @below {{tiling: expected no metadata, whose blocks of 128 rows a tile would cut; compile the whole product}}
  // expected-error @below {{to tile operation}}
  // expected-error @below {{failed to generate tiling loops}}
  tmm.matmul ins(%a, %b : memref<256x64xbf16>, memref<128x256xbf16>)
    metadata(%s : memref<2x1x128x4xi32>) outs(%d : memref<256x256xf32>)
  return
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %1, %loops = transform.structured.tile_using_for %0 tile_sizes [64]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

!windows = memref<40x48xbf16, #tmm.windows<output = [20], window = [3], channels = 16, strides = [1], dilations = [1], padding = [0]>>
func.func @windows(%i: memref<2x22x16xbf16>, %b: memref<48x32xbf16>, %d: memref<40x32xf32>) {
  %a = tmm.windows %i as <output = [20], window = [3], channels = 16, strides = [1], dilations = [1], padding = [0]> : memref<2x22x16xbf16> to !windows
  // expected-error @below {{tiling: expected no windows of images, which have no parts; compile the whole product}}
  // expected-error @below {{to tile operation}}
  // expected-error @below {{failed to generate tiling loops}}
  tmm.matmul ins(%a, %b : !windows, memref<48x32xbf16>) outs(%d : memref<40x32xf32>)
  return
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %1, %loops = transform.structured.tile_using_for %0 tile_sizes [16, 0, 0]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

func.func @rows(%a: memref<40x48xbf16>, %b: memref<3x48x32xbf16>, %ends: memref<3xi32>, %d: memref<40x32xf32>) {
  // expected-error @below {{tiling: expected no ends, as only the device knows which rows a tile has; compile the whole product}}
  // expected-error @below {{to tile operation}}
  // expected-error @below {{failed to generate tiling loops}}
  tmm.matmul ins(%a, %b : memref<40x48xbf16>, memref<3x48x32xbf16>) ends(%ends : memref<3xi32>) outs(%d : memref<40x32xf32>)
  return
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %1, %loops = transform.structured.tile_using_for %0 tile_sizes [0, 16, 0, 0]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
