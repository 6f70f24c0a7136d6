// RUN: tc-opt --tmm-choose-config --split-input-file --verify-diagnostics %s

func.func @tile_m(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: tile M of 96: expected 64 or 128, the rows of the accumulator of one CTA, nearest 64}}
  tmm.matmul transpose_b config <tile = <shape = 96x128x64>> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @tile_n(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: tile N of 260: expected a multiple of 16 up to 256, nearest 256}}
  tmm.matmul transpose_b config <tile = <shape = 128x260x64>> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @tile_n_step(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: tile N of 24: expected a multiple of 16 up to 256, nearest 32}}
  tmm.matmul transpose_b config <tile = <shape = 128x24x64>> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @tile_n_rows_along_n(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: tile N of 80: expected a multiple of 64 up to 256 (rows of B run along N and are cut into swizzle rows), nearest 64}}
  tmm.matmul config <tile = <shape = 128x80x64>> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @tile_k(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: tile K of 96: expected a multiple of 64 up to 256 (swizzle rows, and K of an instruction), nearest 128}}
  tmm.matmul config <tile = <shape = 128x128x96>> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @cluster(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: cluster of 16x1: expected at most 8 CTAs, nearest 8x1}}
  tmm.matmul config <tile = <cluster = 16x1>> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @wide_cluster(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: cluster of 2x16: expected at most 8 CTAs, a multiple of 2 along M, nearest 2x4}}
  tmm.matmul config <tile = <cta_group = 2, cluster = 2x16>> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @one_stage(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: expected at most 232448 bytes of shared memory, got 263200 (1 stage of 196608, 65536 of store buffers, 32 of barriers, 1008 of alignment, 16 for the address of Tensor Memory); with one stage, tile N of at most 192 fits}}
  tmm.matmul config <tile = <shape = 128x256x256>, ring = <stages = 1>, accumulators = <stages = 1>, epilogue = <stages = 4>> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @cluster_of_pair(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{cluster of 1x1: expected a multiple of 2 CTAs along M, those of a matrix instruction, nearest 2x1}}
  tmm.matmul config <tile = <cta_group = 2, cluster = 1x1>> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @tile_m_of_pair(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: tile M of 128: expected 256, the rows of the accumulators of two CTAs}}
  tmm.matmul config <tile = <shape = 128x128x64, cta_group = 2>> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @tile_n_of_pair(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: tile N of 48: expected a multiple of 32 up to 256 for cta-group 2, where a CTA has half of the columns, nearest 64}}
  tmm.matmul transpose_b config <tile = <shape = 256x48x64, cta_group = 2>> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @tile_n_of_pair_rows_along_n(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: tile N of 64: expected a multiple of 128 up to 256 (rows of B run along N and are cut into swizzle rows) for cta-group 2, where a CTA has half of the columns, nearest 128}}
  tmm.matmul config <tile = <shape = 256x64x64, cta_group = 2>> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @sms_of_pair(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: sms of 3: expected a multiple of 2, the CTAs of a cluster, nearest 4}}
  tmm.matmul config <tile = <cta_group = 2>, scheduler = <sms = 3>> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @stages_of_pair(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: expected at most 232448 bytes of shared memory, got 263328 (8 stages of 32768, 160 of barriers, 1008 of alignment, 16 for the address of Tensor Memory); at most 7 stages fit this tile}}
  tmm.matmul config <tile = <shape = 256x256x64, cta_group = 2>, ring = <stages = 8>> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

// Narrower rows allow narrower tiles.
func.func @swizzle(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: tile N of 80: expected a multiple of 32 up to 256 (rows of B run along N and are cut into swizzle rows), nearest 96}}
  tmm.matmul config <tile = <shape = 128x80x64>, ring = <swizzle = 64B>> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @no_swizzle(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: tile K of 24: expected a multiple of 16 up to 256 (swizzle rows, and K of an instruction), nearest 32}}
  tmm.matmul config <tile = <shape = 128x64x24>, ring = <swizzle = none>> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @sms_of_cluster(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: sms of 6: expected a multiple of 4, the CTAs of a cluster, nearest 8}}
  tmm.matmul config <tile = <cluster = 2x2>, scheduler = <sms = 6>> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @scales(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: scale-stages of 2: expected none, the operands have no scale factors}}
  tmm.matmul config <ring = <scale_stages = 2>> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @unit(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: unit of wgmma: expected tcgen05 or mma-sync, what the chip has}}
  tmm.matmul config <tile = <unit = wgmma>> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @multicast(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: cluster of 4x4: expected at most 8 CTAs, a multiple of 2 along M, nearest 2x4}}
  tmm.matmul config <tile = <cta_group = 2, cluster = 4x4>> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @size(%a: memref<8x2147483648xbf16>, %b: memref<2147483648x8xbf16>, %d: memref<8x8xf32>) {
  // expected-error @below {{configuration: expected K of at most 2147479552, as coordinates have 32 bits, got 2147483648}}
  tmm.matmul ins(%a, %b : memref<8x2147483648xbf16>, memref<2147483648x8xbf16>) outs(%d : memref<8x8xf32>)
  return
}

// -----

func.func @subtile(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: epilogue-subtile of 24: expected 16, 32, 64 or 128 columns}}
  tmm.matmul config <epilogue = <subtile = 24>> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @subtile_of_tile(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: epilogue-subtile of 32: expected a divisor of tile N, 48}}
  tmm.matmul transpose_b config <tile = <shape = 128x48x64>, epilogue = <subtile = 32>> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @stages(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: expected at most 232448 bytes of shared memory, got 246896 (5 stages of 49152, 112 of barriers, 1008 of alignment, 16 for the address of Tensor Memory); at most 4 stages fit this tile}}
  tmm.matmul config <tile = <shape = 128x256x64>, ring = <stages = 5>> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @tile_too_large(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: expected at most 232448 bytes of shared memory, got 394304 (2 stages of 196608, 64 of barriers, 1008 of alignment, 16 for the address of Tensor Memory); at most 1 stage fits this tile}}
  tmm.matmul config <tile = <shape = 128x256x256>, ring = <stages = 2>> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @tensor_memory(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: expected at most 512 columns of Tensor Memory, got 576 (3 accumulators of 192 columns); at most 2 accumulator stages fit this tile}}
  tmm.matmul config <tile = <shape = 128x192x64>, accumulators = <stages = 3>> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @store_in_place(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: epilogue of tma-store: expected direct, D is read where it is written}}
  tmm.matmul accumulate config <epilogue = <kind = tma_store>> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @store_pitch(%a: memref<64x64xbf16>, %b: memref<133x64xbf16>, %d: memref<64x133xbf16>) {
  // expected-error @below {{configuration: epilogue of tma-store: expected direct, TMA needs a multiple of 16 bytes for the rows of D, got 266 (PTX ISA 9.0, 5.5}}
  tmm.matmul transpose_b config <epilogue = <kind = tma_store>> ins(%a, %b : memref<64x64xbf16>, memref<133x64xbf16>) outs(%d : memref<64x133xbf16>)
  return
}

// -----

func.func @row_end(%a: memref<256x128xbf16>, %b: memref<98x128xbf16>, %d: memref<256x98xf32, strided<[128, 1]>>) {
  // expected-error @below {{configuration: epilogue of tma-store: expected direct, TMA writes 16 bytes as a whole, and rows of D end inside of them, after 392}}
  tmm.matmul transpose_b config <epilogue = <kind = tma_store>> ins(%a, %b : memref<256x128xbf16>, memref<98x128xbf16>) outs(%d : memref<256x98xf32, strided<[128, 1]>>)
  return
}

// -----

func.func @store_offset(%a: memref<64x64xbf16>, %b: memref<64x64xbf16>, %d: memref<64x64xbf16, strided<[128, 1], offset: 4>>) {
  // expected-error @below {{configuration: store-stages of 2: expected none, TMA needs a multiple of 16 bytes for the offset of D, got 8 (PTX ISA 9.0, 5.5}}
  tmm.matmul config <epilogue = <stages = 2>> ins(%a, %b : memref<64x64xbf16>, memref<64x64xbf16>) outs(%d : memref<64x64xbf16, strided<[128, 1], offset: 4>>)
  return
}

// -----

func.func @store_stages_without_ring(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{store-stages of 2: expected none with epilogue direct, which has no store buffers}}
  tmm.matmul config <epilogue = <kind = direct, stages = 2>> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @store_ring_too_large(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: expected at most 232448 bytes of shared memory, got 263264 (4 stages of 49152, 65536 of store buffers, 96 of barriers, 1008 of alignment, 16 for the address of Tensor Memory); at most 3 stages fit this tile}}
  tmm.matmul config <tile = <shape = 128x256x64>, ring = <stages = 4>, epilogue = <stages = 4>> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @registers(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: epilogue-registers of 100: expected a multiple of 8 up to 240, from 64 on, or 0, nearest 104}}
  tmm.matmul config <roles = <epilogue_registers = 100>> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @registers_without_roles(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{epilogue-registers of 168: expected 0, without roles no thread gives registers up}}
  tmm.matmul config <roles = <kind = none, epilogue_registers = 168>> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

// Two CTAs share a tile of B of 8 rows: a part is half of what the swizzle repeats.
func.func @shared_rows(%a: memref<136x72xf16>, %b: memref<24x72xf16>, %d: memref<136x24xf16>) {
  // expected-error @below {{configuration: tile N of 8: expected a multiple of 16, 8 rows for each of the 2 CTAs that share a tile of B, nearest 16}}
  tmm.matmul transpose_b config <tile = <shape = 64x8x64, cta_group = 1, cluster = 2x1>> ins(%a, %b : memref<136x72xf16>, memref<24x72xf16>) outs(%d : memref<136x24xf16>)
  return
}

// -----

// No tile of the unit has parts for as many CTAs: said of the cluster, whatever tile is open.
func.func @shared_by_three(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: cluster of 1x3: expected a number of CTAs along N that cuts tile M, 64 or 128, into multiples of 8 rows of A, nearest 1x2}}
  tmm.matmul config <tile = <cluster = 1x3>> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @shared_by_five(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: cluster of 5x1: expected a number of CTAs along M that cuts tile K, a multiple of 64 up to 256, into multiples of 8 rows of B, nearest 4x1}}
  tmm.matmul config <tile = <cluster = 5x1>> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

// The nearest K-block is one that the swizzle allows.
func.func @shared_k(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: tile K of 64: expected a multiple of 24, 8 rows for each of the 3 CTAs that share a tile of B, nearest 192}}
  tmm.matmul config <tile = <shape = 128x64x64, cluster = 3x1>> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

// Each field is legal, and no tile with all of them: N would be a multiple of 16 * 7 and of 128.
func.func @no_tile(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: expected fields that are legal with some tile, got cta-group=1 cluster=7x1 epilogue-subtile=128}}
  tmm.matmul transpose_b config <tile = <cta_group = 1, cluster = 7x1>, epilogue = <subtile = 128>> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

// Rows of the swizzle have 128 elements of 8 bits.
func.func @half_of_bytes(%a: memref<256x512xf8E4M3FN>, %b: memref<512x256xf8E4M3FN>, %d: memref<512x512xf32>) {
  // expected-error @below {{'tmm.matmul' op configuration: tile M of 64: expected 128, the rows of the accumulator of one CTA, or 64 with a swizzle whose rows, which run along M, have no more elements}}
  tmm.matmul transpose_a transpose_b config <tile = <shape = 64x64x64>> ins(%a, %b : memref<256x512xf8E4M3FN>, memref<512x256xf8E4M3FN>) outs(%d : memref<512x512xf32>)
  return
}
