// RUN: tc-opt --tmm-choose-config --split-input-file --verify-diagnostics %s

func.func @rows(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %e: memref<?x?x128x4xi32>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: tile M of 64: expected 128, the rows of the accumulator of one CTA, 64 of a sparse A have metadata that the ISA does not state}}
  tmm.matmul transpose_b config <tile = <shape = 64x128x128>> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) metadata(%e : memref<?x?x128x4xi32>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @tile_k(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %e: memref<?x?x128x4xi32>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: tile K of 64: expected a multiple of 128 up to 256 (swizzle rows of a sparse A, and blocks of metadata), nearest 128}}
  tmm.matmul transpose_b config <tile = <shape = 128x128x64>> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) metadata(%e : memref<?x?x128x4xi32>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @swizzle(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %e: memref<?x?x128x4xi32>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: swizzle of 32B: expected none, 64B or 128B, as an instruction reads 64 bytes of a row of B where A is sparse}}
  tmm.matmul transpose_b config <ring = <swizzle = 32B>> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) metadata(%e : memref<?x?x128x4xi32>) outs(%d : memref<?x?xf32>)
  return
}

// -----

// The tile of a transposed A has half of the K-block, 32 rows, of which each CTA loads a part.
func.func @shared_rows(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %e: memref<?x?x128x4xi32>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: tile K of 64: expected a multiple of 128, 8 rows for each of the 8 CTAs that share a tile of A, nearest 128}}
  tmm.matmul transpose_a transpose_b allow_tf32 config <tile = <shape = 128x32x64, cta_group = 1, cluster = 1x8>> ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) metadata(%e : memref<?x?x128x4xi32>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @columns(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %e: memref<?x?x128x4xi32>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: expected at most 512 columns of Tensor Memory, got 520 (2 accumulators of 256 columns, 8 of metadata); at most 1 accumulator stage fits this tile}}
  tmm.matmul transpose_b config <tile = <shape = 128x256x128>, accumulators = <stages = 2>> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) metadata(%e : memref<?x?x128x4xi32>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @stages(%a: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: scale-stages of 2: expected none, the operands have no scale factors or metadata}}
  tmm.matmul transpose_b config <ring = <scale_stages = 2>> ins(%a, %a : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}
