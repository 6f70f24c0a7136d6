// RUN: tc-opt %s -tmm-tile=chip=sm_80 -verify-diagnostics

func.func @counter(%a: memref<256x128xbf16>, %b: memref<128x128xbf16>, %d: memref<256x128xf32>) {
  // expected-error @below {{expected scheduler static on sm_80, which has no st.async, got counter}}
  tmm.matmul config <tile = <shape = 128x64x64>, ring = <swizzle = 128B>, scheduler = <kind = counter>, epilogue = <subtile = 32>>
    ins(%a, %b : memref<256x128xbf16>, memref<128x128xbf16>) outs(%d : memref<256x128xf32>)
  return
}
