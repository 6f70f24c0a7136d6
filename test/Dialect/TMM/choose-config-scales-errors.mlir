// RUN: tc-opt --tmm-choose-config --split-input-file --verify-diagnostics %s
// RUN: not tc-opt --tmm-choose-config=chip=sm_90a %S/choose-config-scales.mlir 2>&1 | FileCheck %s

// CHECK: error: 'tmm.matmul' op configuration: operands: expected element types of kind f16 or tf32 or f8f6f4 or i8, which unit wgmma multiplies, got those of kind mxf8f6f4

func.func @accumulators(%a: memref<?x?xf8E4M3FN>, %s: memref<?x?x32x4x4xf8E8M0FNU>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: expected at most 512 columns of Tensor Memory, got 536 (2 accumulators of 256 columns, 24 of scale factors); at most 1 accumulator stage fits this tile}}
  tmm.matmul transpose_b config <tile = <shape = 128x256x128>, accumulators = <stages = 2>> ins(%a, %a : memref<?x?xf8E4M3FN>, memref<?x?xf8E4M3FN>)
    scales(%s, %s : memref<?x?x32x4x4xf8E8M0FNU>, memref<?x?x32x4x4xf8E8M0FNU>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @scale_stages(%a: memref<?x?xf8E4M3FN>, %s: memref<?x?x32x4x4xf8E8M0FNU>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: expected at most 512 columns of Tensor Memory, got 616 (1 accumulator of 256 columns, 360 of scale factors); at most 21 scale stages fit this tile and one accumulator}}
  tmm.matmul transpose_b config <tile = <shape = 128x256x128>, ring = <scale_stages = 30>> ins(%a, %a : memref<?x?xf8E4M3FN>, memref<?x?xf8E4M3FN>)
    scales(%s, %s : memref<?x?x32x4x4xf8E8M0FNU>, memref<?x?x32x4x4xf8E8M0FNU>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @tile_m(%a: memref<?x?xf8E4M3FN>, %s: memref<?x?x32x4x4xf8E8M0FNU>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: tile M of 64: expected 128, the rows of the accumulator of one CTA}}
  tmm.matmul transpose_b config <tile = <shape = 64x128x128>> ins(%a, %a : memref<?x?xf8E4M3FN>, memref<?x?xf8E4M3FN>)
    scales(%s, %s : memref<?x?x32x4x4xf8E8M0FNU>, memref<?x?x32x4x4xf8E8M0FNU>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @tile_n(%a: memref<?x?xf8E4M3FN>, %s: memref<?x?x32x4x4xf8E8M0FNU>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: tile N of 64: expected a multiple of 128 up to 256 (rows of a block of scale factors), nearest 128}}
  tmm.matmul transpose_b config <tile = <shape = 128x64x128>> ins(%a, %a : memref<?x?xf8E4M3FN>, memref<?x?xf8E4M3FN>)
    scales(%s, %s : memref<?x?x32x4x4xf8E8M0FNU>, memref<?x?x32x4x4xf8E8M0FNU>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @tile_k(%a: memref<?x?xf8E4M3FN>, %s: memref<?x?x32x4x4xf8E8M0FNU>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: tile K of 64: expected a multiple of 128 up to 256 (swizzle rows, and blocks of scale factors), nearest 128}}
  tmm.matmul transpose_b config <tile = <shape = 128x128x64>, ring = <swizzle = 64B>> ins(%a, %a : memref<?x?xf8E4M3FN>, memref<?x?xf8E4M3FN>)
    scales(%s, %s : memref<?x?x32x4x4xf8E8M0FNU>, memref<?x?x32x4x4xf8E8M0FNU>) outs(%d : memref<?x?xf32>)
  return
}
