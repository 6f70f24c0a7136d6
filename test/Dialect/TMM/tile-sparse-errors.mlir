// RUN: tc-opt %s -tmm-tile=chip=sm_90a -verify-diagnostics

func.func @unit(%a: memref<256x128xbf16>, %b: memref<256x256xbf16>, %e: memref<2x2x128x4xi32>, %d: memref<256x256xf32>) {
  // expected-error @below {{expected A without metadata on sm_90a, for which products of a sparse A are not lowered}}
  tmm.matmul transpose_b config <tile = <shape = 128x128x128>, ring = <stages = 2, swizzle = 128B>, epilogue = <kind = direct, subtile = 32>, roles = <kind = specialized>>
    ins(%a, %b : memref<256x128xbf16>, memref<256x256xbf16>) metadata(%e : memref<2x2x128x4xi32>)
    outs(%d : memref<256x256xf32>)
  return
}
