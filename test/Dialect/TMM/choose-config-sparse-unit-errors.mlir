// RUN: tc-opt --tmm-choose-config=chip=sm_90a --verify-diagnostics %s

func.func @unit(%a: memref<256x128xbf16>, %b: memref<256x256xbf16>, %e: memref<2x2x128x4xi32>, %d: memref<256x256xf32>) {
  // expected-error @below {{configuration: operands: expected A without metadata, unit wgmma multiplies no sparse one}}
  tmm.matmul transpose_b ins(%a, %b : memref<256x128xbf16>, memref<256x256xbf16>) metadata(%e : memref<2x2x128x4xi32>)
    outs(%d : memref<256x256xf32>)
  return
}
