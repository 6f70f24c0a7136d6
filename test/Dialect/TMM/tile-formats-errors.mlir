// RUN: tc-opt %s -split-input-file -verify-diagnostics --tmm-tile

func.func @wide(%x: memref<8x8388608xf32>, %q: memref<8x8388608xf8E4M3FN>, %s: memref<1x65536x32x4x4xf8E8M0FNU>) {
  // expected-error @below {{'tmm.encode' op N must be at most 4194240}}
  tmm.encode ins(%x : memref<8x8388608xf32>) outs(%q : memref<8x8388608xf8E4M3FN>) scale_d(%s : memref<1x65536x32x4x4xf8E8M0FNU>)
  return
}
