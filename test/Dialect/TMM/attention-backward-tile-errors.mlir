// RUN: tc-opt %s -tmm-tile=chip=sm_90a -split-input-file -verify-diagnostics
// RUN: not tc-opt %s -tmm-tile=chip=sm_80 -split-input-file 2>&1 | FileCheck %s --check-prefix=UNIT

// UNIT: expected a chip whose matrix unit reads A where threads write it (sm_90a, sm_100a, sm_103a), got sm_80
func.func @unit(%q: memref<64x64xbf16>, %l: memref<64xf32>) {
  tmm.attention_backward %q, %q, %q, %q, %l, %l scale(1.0) dq(%q : memref<64x64xbf16>)
    : memref<64x64xbf16>, memref<64x64xbf16>, memref<64x64xbf16>, memref<64x64xbf16>, memref<64xf32>, memref<64xf32>
  return
}

// -----

func.func @dynamic(%q: memref<64x?xbf16>, %l: memref<64xf32>) {
  // expected-error @+1 {{expected q and v of at least 1 column, known when compiling, got ?}}
  tmm.attention_backward %q, %q, %q, %q, %l, %l scale(1.0) dq(%q : memref<64x?xbf16>)
    : memref<64x?xbf16>, memref<64x?xbf16>, memref<64x?xbf16>, memref<64x?xbf16>, memref<64xf32>, memref<64xf32>
  return
}

// -----

func.func @columns(%q: memref<64x256xbf16>, %l: memref<64xf32>) {
  // expected-error @+1 {{expected q and v of fewer columns, whose dk and dv fit beside scores and whose tiles fit into the shared memory of a CTA, got 256 and 256}}
  tmm.attention_backward %q, %q, %q, %q, %l, %l scale(1.0) dk_dv(%q, %q : memref<64x256xbf16>, memref<64x256xbf16>)
    : memref<64x256xbf16>, memref<64x256xbf16>, memref<64x256xbf16>, memref<64x256xbf16>, memref<64xf32>, memref<64xf32>
  return
}

// -----

func.func @row_columns(%q: memref<64x512xbf16>, %l: memref<64xf32>) {
  // expected-error @+1 {{expected q and v of fewer columns, whose dq fits beside scores and whose tiles fit into the shared memory of a CTA, got 512 and 512}}
  tmm.attention_backward %q, %q, %q, %q, %l, %l scale(1.0) dq(%q : memref<64x512xbf16>)
    : memref<64x512xbf16>, memref<64x512xbf16>, memref<64x512xbf16>, memref<64x512xbf16>, memref<64xf32>, memref<64xf32>
  return
}

// -----

func.func @all(%q: memref<64x64xbf16>, %l: memref<64xf32>) {
  // expected-error @+1 {{expected the outputs of one kernel, dq or dk_dv, got all: tmm-split-k makes an op of each}}
  tmm.attention_backward %q, %q, %q, %q, %l, %l scale(1.0) dq(%q : memref<64x64xbf16>) dk_dv(%q, %q : memref<64x64xbf16>, memref<64x64xbf16>)
    : memref<64x64xbf16>, memref<64x64xbf16>, memref<64x64xbf16>, memref<64x64xbf16>, memref<64xf32>, memref<64xf32>
  return
}

// -----

func.func @rows(%q: memref<1000000000x64xbf16>, %l: memref<1000000000xf32>) {
  // expected-error @+1 {{q and k must have at most 536870911 rows}}
  tmm.attention_backward %q, %q, %q, %q, %l, %l scale(1.0) dq(%q : memref<1000000000x64xbf16>)
    : memref<1000000000x64xbf16>, memref<1000000000x64xbf16>, memref<1000000000x64xbf16>, memref<1000000000x64xbf16>, memref<1000000000xf32>, memref<1000000000xf32>
  return
}

// -----

func.func @no_keys(%q: memref<0x64xbf16>, %l: memref<0xf32>) {
  // expected-error @+1 {{expected k of at least 1 row, got none}}
  tmm.attention_backward %q, %q, %q, %q, %l, %l scale(1.0) dq(%q : memref<0x64xbf16>)
    : memref<0x64xbf16>, memref<0x64xbf16>, memref<0x64xbf16>, memref<0x64xbf16>, memref<0xf32>, memref<0xf32>
  return
}

// -----

func.func @batches(%q: memref<1x2x3x4x64x64xbf16>, %l: memref<1x2x3x4x64xf32>) {
  // expected-error @+1 {{expected at most 3 dimensions of batches, got 4}}
  tmm.attention_backward %q, %q, %q, %q, %l, %l scale(1.0) dq(%q : memref<1x2x3x4x64x64xbf16>)
    : memref<1x2x3x4x64x64xbf16>, memref<1x2x3x4x64x64xbf16>, memref<1x2x3x4x64x64xbf16>, memref<1x2x3x4x64x64xbf16>, memref<1x2x3x4x64xf32>, memref<1x2x3x4x64xf32>
  return
}

// -----

func.func @tensors(%q: tensor<64x64xbf16>, %l: tensor<64xf32>) -> tensor<64x64xbf16> {
  // expected-error @+1 {{expected memrefs, as kernels have, got tensors: one-shot-bufferize makes these}}
  %r = tmm.attention_backward %q, %q, %q, %q, %l, %l scale(1.0) dq(%q : tensor<64x64xbf16>)
    : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64xf32>, tensor<64xf32> -> tensor<64x64xbf16>
  return %r : tensor<64x64xbf16>
}
