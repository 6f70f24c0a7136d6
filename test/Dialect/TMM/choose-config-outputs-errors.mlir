// RUN: tc-opt --tmm-choose-config --split-input-file --verify-diagnostics %s

func.func @tile(%a: memref<64x31xf8E4M3FN>, %b: memref<16x31xf8E4M3FN>, %d: memref<64x16xf8E4M3FN>) {
  // expected-error @below {{configuration: tile N of 8: expected a multiple of 16 up to 256 (TMA stores multiples of 16 bytes), nearest 16}}
  tmm.matmul transpose_b config <tile = <shape = 64x8x128>, epilogue = <kind = tma_store>> ins(%a, %b : memref<64x31xf8E4M3FN>, memref<16x31xf8E4M3FN>) outs(%d : memref<64x16xf8E4M3FN>)
  return
}

// -----

func.func @subtile(%a: memref<64x31xf8E4M3FN>, %b: memref<16x31xf8E4M3FN>, %d: memref<64x16xf8E4M3FN>) {
  // expected-error @below {{configuration: epilogue-subtile of 8: expected 16, 32, 64 or 128 columns (TMA stores multiples of 16 bytes), nearest 16}}
  tmm.matmul transpose_b config <tile = <shape = 64x16x128>, epilogue = <kind = tma_store, subtile = 8>> ins(%a, %b : memref<64x31xf8E4M3FN>, memref<16x31xf8E4M3FN>) outs(%d : memref<64x16xf8E4M3FN>)
  return
}

// -----

func.func @block(%a: memref<64x16xbf16>, %b: memref<32x16xbf16>, %d: memref<64x32xf8E4M3FN>, %s: memref<1x1x32x4x4xf8E8M0FNU>) {
  // expected-error @below {{configuration: tile N of 24: expected a multiple of 32 up to 256 (32 elements of D share a scale factor), nearest 32}}
  tmm.matmul transpose_b config <tile = <shape = 64x24x64>> ins(%a, %b : memref<64x16xbf16>, memref<32x16xbf16>) outs(%d : memref<64x32xf8E4M3FN>) scale_d(%s : memref<1x1x32x4x4xf8E8M0FNU>)
  return
}
