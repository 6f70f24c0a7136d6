// RUN: tc-opt --tmm-choose-config=chip=sm_90a --split-input-file --verify-diagnostics %s

func.func @launched(%a: memref<512x2048xbf16>, %b: memref<2048x512xbf16>, %d: memref<512x512xf32>) {
  // expected-error @below {{configuration: expected at most 96 registers for each of 640 threads at launch, got 208 (epilogue-registers of 240); choose fewer rows or fewer epilogue registers}}
  tmm.matmul config <tile = <shape = 256x64x64>, roles = <epilogue_registers = 240>> ins(%a, %b : memref<512x2048xbf16>, memref<2048x512xbf16>) outs(%d : memref<512x512xf32>)
  return
}

// -----

func.func @subtile(%a: memref<64x32xbf16>, %b: memref<32x48xbf16>, %d: memref<64x48xf32>) {
  // expected-error @below {{configuration: epilogue-subtile of 24: expected 8, 16, 32, 64 or 128 columns, nearest 16}}
  tmm.matmul config <epilogue = <subtile = 24>> ins(%a, %b : memref<64x32xbf16>, memref<32x48xbf16>) outs(%d : memref<64x48xf32>)
  return
}
