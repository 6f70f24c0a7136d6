// RUN: tc-opt %s --tmm-choose-config=chip=sm_80 --split-input-file --verify-diagnostics
// RUN: tc-opt %s --split-input-file --tmm-choose-config=chip=sm_89

func.func @f(%a: memref<256x512xf8E4M3FN>, %b: memref<256x512xf8E5M2>, %d: memref<256x256xf32>) {
  // expected-error @below {{configuration: operands: expected elements of 16 bits, tf32 or integers, which the chip multiplies, got those of kind f8f6f4}}
  tmm.matmul transpose_b ins(%a, %b : memref<256x512xf8E4M3FN>, memref<256x512xf8E5M2>) outs(%d : memref<256x256xf32>)
  return
}

// -----

func.func @output(%a: memref<256x512xbf16>, %b: memref<256x512xbf16>, %d: memref<256x256xf8E4M3FN>) {
  // expected-error @below {{configuration: expected D and the values of the epilogue to have 16 bits or more, the chip has no conversions from and to floats of 8 bits}}
  tmm.matmul transpose_b ins(%a, %b : memref<256x512xbf16>, memref<256x512xbf16>) outs(%d : memref<256x256xf8E4M3FN>)
  return
}
