// RUN: tc-opt --tmm-choose-config --split-input-file --verify-diagnostics %s

func.func @tile_m(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: tile M of 96: expected 128, the rows of the accumulator of one CTA, or 64}}
  tmm.matmul transpose_b config <tile = [96, 128, 64]> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @tile_n(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: tile N of 260: expected a multiple of 16 up to 256, nearest 256}}
  tmm.matmul transpose_b config <tile = [128, 260, 64]> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @tile_n_step(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: tile N of 24: expected a multiple of 16 up to 256, nearest 32}}
  tmm.matmul transpose_b config <tile = [128, 24, 64]> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @tile_n_rows_along_n(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: tile N of 80: expected a multiple of 64 up to 256 (rows of B run along N and are cut into swizzle rows), nearest 64}}
  tmm.matmul config <tile = [128, 80, 64]> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @tile_k(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: tile K of 96: expected a multiple of 64 up to 256 (swizzle rows, and K of an instruction), nearest 128}}
  tmm.matmul config <tile = [128, 128, 96]> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @cluster(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: cluster of 4x1: expected 1x1, the CTAs of a matrix instruction}}
  tmm.matmul config <cluster = [4, 1]> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @cluster_of_pair(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: cluster of 1x1: expected 2x1, the CTAs of a matrix instruction}}
  tmm.matmul config <cta_group = 2, cluster = [1, 1]> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @tile_m_of_pair(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: tile M of 128: expected 256, the rows of the accumulators of two CTAs}}
  tmm.matmul config <tile = [128, 128, 64], cta_group = 2> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @tile_n_of_pair(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: tile N of 48: expected a multiple of 32 up to 256 for cta-group 2, where a CTA has half of the columns, nearest 64}}
  tmm.matmul transpose_b config <tile = [256, 48, 64], cta_group = 2> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @tile_n_of_pair_rows_along_n(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: tile N of 64: expected a multiple of 128 up to 256 (rows of B run along N and are cut into swizzle rows) for cta-group 2, where a CTA has half of the columns, nearest 128}}
  tmm.matmul config <tile = [256, 64, 64], cta_group = 2> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @sms_of_pair(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: sms of 3: expected an even number for cta-group 2, nearest 4}}
  tmm.matmul config <cta_group = 2, sms = 3> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @stages_of_pair(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: expected at most 232448 bytes of shared memory, got 263328 (8 stages of 32768, 160 of barriers, 1008 of alignment, 16 for the address of Tensor Memory); at most 7 stages fit this tile}}
  tmm.matmul config <tile = [256, 256, 64], cta_group = 2, stages = 8> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

// Narrower rows allow narrower tiles.
func.func @swizzle(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: tile N of 80: expected a multiple of 32 up to 256 (rows of B run along N and are cut into swizzle rows), nearest 96}}
  tmm.matmul config <tile = [128, 80, 64], swizzle = 64B> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @no_swizzle(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: tile K of 24: expected a multiple of 16 up to 256 (swizzle rows, and K of an instruction), nearest 32}}
  tmm.matmul config <tile = [128, 64, 24], swizzle = none> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @clc(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: scheduler of clc: expected static, kernels compute their tiles from the index of the CTA}}
  tmm.matmul config <scheduler = clc> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @stream_k(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: scheduler of stream-k: expected static, kernels compute their tiles from the index of the CTA}}
  tmm.matmul config <scheduler = stream_k> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @subtile(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: epilogue-subtile of 24: expected 16, 32, 64 or 128 columns}}
  tmm.matmul config <epilogue_subtile = 24> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @subtile_of_tile(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: epilogue-subtile of 32: expected a divisor of tile N, 48}}
  tmm.matmul transpose_b config <tile = [128, 48, 64], epilogue_subtile = 32> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @stages(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: expected at most 232448 bytes of shared memory, got 246896 (5 stages of 49152, 112 of barriers, 1008 of alignment, 16 for the address of Tensor Memory); at most 4 stages fit this tile}}
  tmm.matmul config <tile = [128, 256, 64], stages = 5> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @tile_too_large(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: expected at most 232448 bytes of shared memory, got 394304 (2 stages of 196608, 64 of barriers, 1008 of alignment, 16 for the address of Tensor Memory); at most 1 stage fits this tile}}
  tmm.matmul config <tile = [128, 256, 256], stages = 2> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @tensor_memory(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: expected at most 512 columns of Tensor Memory, got 576 (3 accumulators of 192 columns); at most 2 accumulator stages fit this tile}}
  tmm.matmul config <tile = [128, 192, 64], accumulator_stages = 3> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @store_in_place(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: epilogue of tma-store: expected direct, D is read where it is written}}
  tmm.matmul accumulate config <epilogue = tma_store> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @store_pitch(%a: memref<64x64xbf16>, %b: memref<133x64xbf16>, %d: memref<64x133xbf16>) {
  // expected-error @below {{configuration: epilogue of tma-store: expected direct, TMA needs a multiple of 16 bytes for the rows of D, got 266; (PTX ISA 9.0, 5.5}}
  tmm.matmul transpose_b config <epilogue = tma_store> ins(%a, %b : memref<64x64xbf16>, memref<133x64xbf16>) outs(%d : memref<64x133xbf16>)
  return
}

// -----

func.func @store_offset(%a: memref<64x64xbf16>, %b: memref<64x64xbf16>, %d: memref<64x64xbf16, strided<[128, 1], offset: 4>>) {
  // expected-error @below {{configuration: store-stages of 2: expected none, TMA needs a multiple of 16 bytes for the offset of D, got 8; (PTX ISA 9.0, 5.5}}
  tmm.matmul config <store_stages = 2> ins(%a, %b : memref<64x64xbf16>, memref<64x64xbf16>) outs(%d : memref<64x64xbf16, strided<[128, 1], offset: 4>>)
  return
}

// -----

func.func @store_stages_without_ring(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: store-stages of 2: expected none with epilogue direct, which has no store buffers}}
  tmm.matmul config <epilogue = direct, store_stages = 2> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @store_ring_too_large(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: expected at most 232448 bytes of shared memory, got 263264 (4 stages of 49152, 65536 of store buffers, 96 of barriers, 1008 of alignment, 16 for the address of Tensor Memory); at most 3 stages fit this tile}}
  tmm.matmul config <tile = [128, 256, 64], stages = 4, store_stages = 4> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @registers(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: epilogue-registers of 100: expected a multiple of 8 up to 240, from 64 on, or 0, nearest 104}}
  tmm.matmul config <epilogue_registers = 100> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @registers_without_roles(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: epilogue-registers of 168: expected 0, without roles there is nobody to give registers up}}
  tmm.matmul config <roles = none, epilogue_registers = 168> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}
