// RUN: tc-opt --tmm-choose-config --split-input-file --verify-diagnostics %s

func.func @tma_rows(%a: memref<64x22xbf16>, %b: memref<22x48xbf16>, %d: memref<64x48xf32>) {
  // expected-error @below {{configuration: load-a of tma: expected cp-async or threads, TMA needs a multiple of 16 bytes for the rows of A, got 44 (PTX ISA 9.0, 5.5}}
  tmm.matmul config <ring = <load_a = tma>> ins(%a, %b : memref<64x22xbf16>, memref<22x48xbf16>) outs(%d : memref<64x48xf32>)
  return
}

// -----

func.func @tma_offset(%a: memref<64x24xbf16>, %b: memref<24x48xbf16, strided<[48, 1], offset: 1>>, %d: memref<64x48xf32>) {
  // expected-error @below {{configuration: load-b of tma: expected threads, TMA needs a multiple of 16 bytes for the offset of B, got 2}}
  tmm.matmul config <ring = <load_b = tma>> ins(%a, %b : memref<64x24xbf16>, memref<24x48xbf16, strided<[48, 1], offset: 1>>) outs(%d : memref<64x48xf32>)
  return
}

// -----

func.func @copies_of_two_bytes(%a: memref<64x21xbf16>, %b: memref<21x48xbf16>, %d: memref<64x48xf32>) {
  // expected-error @below {{configuration: load-a of cp-async: expected threads, the copies of cp.async are 4 bytes or more, and rows start at multiples of 2}}
  tmm.matmul config <ring = <load_a = cp_async>> ins(%a, %b : memref<64x21xbf16>, memref<21x48xbf16>) outs(%d : memref<64x48xf32>)
  return
}

// -----

func.func @four_bits(%a: memref<128x256xf4E2M1FN>, %b: memref<128x256xf4E2M1FN>, %d: memref<128x128xf32>) {
  // expected-error @below {{configuration: load-b of threads: expected tma, elements of 4 bits have no addresses that threads could load}}
  tmm.matmul transpose_b config <ring = <load_b = threads>> ins(%a, %b : memref<128x256xf4E2M1FN>, memref<128x256xf4E2M1FN>) outs(%d : memref<128x128xf32>)
  return
}

// -----

func.func @pair(%a: memref<300x22xbf16>, %b: memref<22x48xbf16>, %d: memref<300x48xf32>) {
  // expected-error @below {{configuration: cta-group of 2: expected 1, the CTAs of a pair wait for loads by TMA alone, and load-a is cp-async}}
  tmm.matmul config <tile = <cta_group = 2>> ins(%a, %b : memref<300x22xbf16>, memref<22x48xbf16>) outs(%d : memref<300x48xf32>)
  return
}

// -----

func.func @pair_b(%a: memref<300x24xbf16>, %b: memref<24x48xbf16>, %d: memref<300x48xf32>) {
  // expected-error @below {{configuration: cta-group of 2: expected 1, the CTAs of a pair wait for loads by TMA alone, and load-b is threads}}
  tmm.matmul config <tile = <cta_group = 2>, ring = <load_b = threads>> ins(%a, %b : memref<300x24xbf16>, memref<24x48xbf16>) outs(%d : memref<300x48xf32>)
  return
}

// -----

func.func @registers(%a: memref<300x22xbf16>, %b: memref<22x48xbf16>, %d: memref<300x48xf32>) {
  // expected-error @below {{configuration: epilogue-registers of 128: expected 0, threads that load keep theirs, and load-a is cp-async}}
  tmm.matmul config <roles = <epilogue_registers = 128>> ins(%a, %b : memref<300x22xbf16>, memref<22x48xbf16>) outs(%d : memref<300x48xf32>)
  return
}

// -----

func.func @hint(%a: memref<64x22xbf16>, %b: memref<22x48xbf16>, %d: memref<64x48xf32>) {
  // expected-error @below {{configuration: cache-hint-a of evict-first: expected none, TMA alone takes hints, and load-a is cp-async}}
  tmm.matmul config <ring = <cache_hint_a = evict_first>> ins(%a, %b : memref<64x22xbf16>, memref<22x48xbf16>) outs(%d : memref<64x48xf32>)
  return
}
