// RUN: tc-opt %s -tmm-tile -verify-diagnostics

func.func @subtile(%a: memref<256x256xbf16>, %d: memref<256x256xf8E4M3FN>, %s: memref<2x2x32x4x4xf8E8M0FNU>) {
  // expected-error @below {{expected epilogue_subtile of a multiple of 32, the elements that share a scale factor of D, got 16}}
  tmm.matmul transpose_b config <tile = <shape = 128x128x64>, ring = <stages = 2, swizzle = 128B>, epilogue = <kind = direct, subtile = 16>, roles = <kind = specialized>>
    ins(%a, %a : memref<256x256xbf16>, memref<256x256xbf16>) outs(%d : memref<256x256xf8E4M3FN>) scale_d(%s : memref<2x2x32x4x4xf8E8M0FNU>)
  return
}
