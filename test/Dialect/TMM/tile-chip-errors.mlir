// RUN: tc-opt %s -split-input-file -tmm-tile=chip=sm_90a -verify-diagnostics

// Configurations that the matrix unit of the chip does not have.

func.func @clc(%a: memref<256x128xbf16>, %b: memref<128x128xbf16>, %d: memref<256x128xf32>) {
  // expected-error @below {{expected scheduler static on sm_90a, which cannot take over work, got clc}}
  tmm.matmul config <tile = <shape = 128x64x64>, ring = <swizzle = 128B>, scheduler = <kind = clc>, epilogue = <subtile = 32>>
    ins(%a, %b : memref<256x128xbf16>, memref<128x128xbf16>) outs(%d : memref<256x128xf32>)
  return
}

// -----

func.func @pair(%a: memref<256x128xbf16>, %b: memref<128x128xbf16>, %d: memref<256x128xf32>) {
  // expected-error @below {{expected cta_group 1, as wgmma is an instruction of one CTA, got 2}}
  tmm.matmul config <tile = <shape = 256x64x64, cta_group = 2>, ring = <swizzle = 128B>, epilogue = <subtile = 32>>
    ins(%a, %b : memref<256x128xbf16>, memref<128x128xbf16>) outs(%d : memref<256x128xf32>)
  return
}

// -----

func.func @columns(%a: memref<256x128xbf16>, %b: memref<128x128xbf16>, %d: memref<256x128xf32>) {
  // expected-error @below {{expected tile N to be a multiple of 8 up to 256, got 512, the nearest is 256 (PTX ISA}}
  tmm.matmul config <tile = <shape = 128x512x64>, ring = <swizzle = 128B>, epilogue = <subtile = 32>>
    ins(%a, %b : memref<256x128xbf16>, memref<128x128xbf16>) outs(%d : memref<256x128xf32>)
  return
}
