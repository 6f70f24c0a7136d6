// RUN: tc-opt %s -tmm-tile=chip=sm_100a -split-input-file -verify-diagnostics
// RUN: not tc-opt %s -tmm-tile=chip=sm_80 -split-input-file 2>&1 | FileCheck %s --check-prefix=UNIT
// RUN: not tc-opt %s -tmm-tile=chip=sm_75 -split-input-file 2>&1 | FileCheck %s --check-prefix=OLD

// OLD: expected a chip with a matrix unit that kernels are made for, got sm_75

// UNIT: expected a chip whose matrix unit reads A where threads write it (sm_90a, sm_100a, sm_103a), got sm_80
func.func @unit(%q: memref<64x64xbf16>, %o: memref<64x64xbf16>) {
  tmm.attention %q, %q, %q scale(1.0) outs(%o : memref<64x64xbf16>) : memref<64x64xbf16>, memref<64x64xbf16>, memref<64x64xbf16>
  return
}

// -----

func.func @columns(%q: memref<64x264xbf16>, %o: memref<64x264xbf16>) {
  // expected-error @+1 {{expected q and v of 1 to 256 columns, known when compiling, got 264}}
  tmm.attention %q, %q, %q scale(1.0) outs(%o : memref<64x264xbf16>) : memref<64x264xbf16>, memref<64x264xbf16>, memref<64x264xbf16>
  return
}

// -----

func.func @dynamic(%q: memref<64x?xbf16>, %o: memref<64x?xbf16>) {
  // expected-error @+1 {{expected q and v of 1 to 256 columns, known when compiling, got ?}}
  tmm.attention %q, %q, %q scale(1.0) outs(%o : memref<64x?xbf16>) : memref<64x?xbf16>, memref<64x?xbf16>, memref<64x?xbf16>
  return
}

// -----

func.func @tensors(%q: tensor<64x64xbf16>, %o: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  // expected-error @+1 {{expected memrefs, as kernels have, got tensors: one-shot-bufferize makes these}}
  %r = tmm.attention %q, %q, %q scale(1.0) outs(%o : tensor<64x64xbf16>) : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xbf16>
  return %r : tensor<64x64xbf16>
}

// -----

func.func @rows(%q: memref<1000000000x64xbf16>, %o: memref<1000000000x64xbf16>) {
  // expected-error @+1 {{q and k must have at most 536870911 rows}}
  tmm.attention %q, %q, %q scale(1.0) outs(%o : memref<1000000000x64xbf16>)
    : memref<1000000000x64xbf16>, memref<1000000000x64xbf16>, memref<1000000000x64xbf16>
  return
}

// -----

func.func @no_keys(%q: memref<64x64xbf16>, %k: memref<0x64xbf16>, %o: memref<64x64xbf16>) {
  // expected-error @+1 {{expected k of at least 1 row, got none}}
  tmm.attention %q, %k, %k scale(1.0) outs(%o : memref<64x64xbf16>) : memref<64x64xbf16>, memref<0x64xbf16>, memref<0x64xbf16>
  return
}

// -----

func.func @batches(%q: memref<1x2x3x4x64x64xbf16>) {
  // expected-error @+1 {{expected at most 3 dimensions of batches, got 4}}
  tmm.attention %q, %q, %q scale(1.0) outs(%q : memref<1x2x3x4x64x64xbf16>) : memref<1x2x3x4x64x64xbf16>, memref<1x2x3x4x64x64xbf16>, memref<1x2x3x4x64x64xbf16>
  return
}
