// RUN: tc-opt %s -split-input-file -verify-diagnostics

func.func @sm80_mma_sync_c1_bad_a(%d: vector<64xf32>, %a: memref<64x64xf64, #sm90.smem_layout<k_major, b128, bits = 32, slab = 2048>, #gpu.address_space<workgroup>>, %b: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, %row: i32) {
  // expected-error @+1 {{expected a of f16, bf16, f32, f8E4M3FN, f8E5M2, i8 or ui8, got 'f64' (PTX ISA 9.0, 9.7.14.5.14 "Multiply-and-Accumulate Instruction: mma")}}
  %0 = sm80.mma_sync %d, %a, %b row(%row) : vector<64xf32>, memref<64x64xf64, #sm90.smem_layout<k_major, b128, bits = 32, slab = 2048>, #gpu.address_space<workgroup>>, memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm80_mma_sync_c1_bad_b(%d: vector<64xf32>, %a: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %b: memref<128x64xf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, %row: i32) {
  // expected-error @+1 {{expected b of the same type with a of 'bf16', got 'f16'}}
  %0 = sm80.mma_sync %d, %a, %b row(%row) : vector<64xf32>, memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, memref<128x64xf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm80_mma_sync_c1_bad_d(%d: vector<64xf16>, %a: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %b: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, %row: i32) {
  // expected-error @+1 {{expected d of f32 with a of 'bf16', got 'f16'}}
  %0 = sm80.mma_sync %d, %a, %b row(%row) : vector<64xf16>, memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm80_mma_sync_c1_integers(%d: vector<64xf32>, %a: memref<64x128xi8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, %b: memref<128x128xi8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>, %row: i32) {
  // expected-error @+1 {{expected d of i32 with a of 'i8', got 'f32'}}
  %0 = sm80.mma_sync %d, %a, %b row(%row) : vector<64xf32>, memref<64x128xi8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, memref<128x128xi8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm80_mma_sync_c2_bad_n(%d: vector<128xf32>, %a: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %b: memref<264x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 16896>, #gpu.address_space<workgroup>>, %row: i32) {
  // expected-error @+1 {{expected b to have a multiple of 8 columns from 8 to 256, got 264, the nearest is 256 (PTX ISA 9.0, 9.7.14.5.8 "Matrix Fragments for mma.m16n8k16 with floating point type")}}
  %0 = sm80.mma_sync %d, %a, %b row(%row) : vector<128xf32>, memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, memref<264x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 16896>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm80_mma_sync_c2_bad_d(%d: vector<48xf32>, %a: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %b: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, %row: i32) {
  // expected-error @+1 {{expected d to have 64 or 128 elements with 128 columns of b, got 48}}
  %0 = sm80.mma_sync %d, %a, %b row(%row) : vector<48xf32>, memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm80_mma_sync_c3_few_rows(%d: vector<128xf32>, %a: memref<16x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 1024>, #gpu.address_space<workgroup>>, %b: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, %row: i32) {
  // expected-error @+1 {{expected a to have at least 32 rows, those of d, got 16}}
  %0 = sm80.mma_sync %d, %a, %b row(%row) : vector<128xf32>, memref<16x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 1024>, #gpu.address_space<workgroup>>, memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm80_mma_sync_c4_bad_k(%d: vector<64xf32>, %a: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %b: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, %row: i32) {
  // expected-error @+1 {{expected a_k to be a multiple of K = 16 up to 48, got 8}}
  %0 = sm80.mma_sync %d, %a, %b row(%row) {a_k = 8 : i64} : vector<64xf32>, memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm80_mma_sync_c4_large_k(%d: vector<64xf32>, %a: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %b: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, %row: i32) {
  // expected-error @+1 {{expected b_k to be a multiple of K = 16 up to 48, got 64}}
  %0 = sm80.mma_sync %d, %a, %b row(%row) {b_k = 64 : i64} : vector<64xf32>, memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm80_mma_sync_c5_bad_bits(%d: vector<64xf32>, %a: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, %b: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, %row: i32) {
  // expected-error @+1 {{expected the layout of a to have bits = 16, those of 'bf16', got 8 (PTX ISA 9.0, 9.7.14.5.15 "Warp-level matrix load instruction: ldmatrix")}}
  %0 = sm80.mma_sync %d, %a, %b row(%row) : vector<64xf32>, memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm80_mma_sync_c5_bad_swizzle(%d: vector<64xf32>, %a: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %b: memref<128x64xbf16, #sm90.smem_layout<mn_major, b128_atom32, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %row: i32) {
  // expected-error @+1 {{expected swizzle none, b32, b64 or b128 for b, got b128_atom32}}
  %0 = sm80.mma_sync %d, %a, %b row(%row) : vector<64xf32>, memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, memref<128x64xbf16, #sm90.smem_layout<mn_major, b128_atom32, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm80_mma_sync_c5_bad_major(%d: vector<64xf32>, %a: memref<64x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, %b: memref<128x128xf8E4M3FN, #sm90.smem_layout<mn_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>, %row: i32) {
  // expected-error @+1 {{expected a k_major b of 'f8E4M3FN', only 16-bit elements can be mn_major}}
  %0 = sm80.mma_sync %d, %a, %b row(%row) : vector<64xf32>, memref<64x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, memref<128x128xf8E4M3FN, #sm90.smem_layout<mn_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>
  return
}

// -----

// sm80_mma_layout_c1
// expected-error @+1 {{expected 16 or 32 rows for each warp, got 24}}
func.func private @layout() attributes {layout = #sm80.mma_layout<24>}

// -----

// sm80_row_layout_c1
// expected-error @+1 {{expected 16 or 32 rows for each warp, got 8}}
func.func private @row_layout() attributes {layout = #sm80.row_layout<8>}

// -----

func.func @sm80_mma_sync_c1_scaled_a(%d: vector<36xf32>, %a: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, %b: memref<72x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 9216>, #gpu.address_space<workgroup>>, %sa: memref<1x2x256xf8E8M0FNU, #gpu.address_space<workgroup>>, %sb: memref<1x2x256xf8E8M0FNU, #gpu.address_space<workgroup>>, %row: i32) {
  // expected-error @+1 {{expected a of f8E4M3FN, f8E5M2 or f4E2M1FN with scale factors, got 'bf16' (PTX ISA 9.0, 9.7.14.3 "Block Scaling for mma.sync")}}
  %0 = sm80.mma_sync %d, %a, %b row(%row) scales(%sa, %sb) : vector<36xf32>, memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, memref<72x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 9216>, #gpu.address_space<workgroup>>, memref<1x2x256xf8E8M0FNU, #gpu.address_space<workgroup>>, memref<1x2x256xf8E8M0FNU, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm80_mma_sync_c1_scaled_b(%d: vector<36xf32>, %a: memref<64x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, %b: memref<72x128xf4E2M1FN, #sm90.smem_layout<k_major, b64, bits = 4, slab = 9216>, #gpu.address_space<workgroup>>, %sa: memref<1x2x256xf8E8M0FNU, #gpu.address_space<workgroup>>, %sb: memref<1x2x256xf8E8M0FNU, #gpu.address_space<workgroup>>, %row: i32) {
  // expected-error @+1 {{expected b of f8E4M3FN or f8E5M2 with a of 'f8E5M2', got 'f4E2M1FN'}}
  %0 = sm80.mma_sync %d, %a, %b row(%row) scales(%sa, %sb) : vector<36xf32>, memref<64x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, memref<72x128xf4E2M1FN, #sm90.smem_layout<k_major, b64, bits = 4, slab = 9216>, #gpu.address_space<workgroup>>, memref<1x2x256xf8E8M0FNU, #gpu.address_space<workgroup>>, memref<1x2x256xf8E8M0FNU, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm80_mma_sync_c1_scaled_b_narrow(%d: vector<36xf32>, %a: memref<64x128xf4E2M1FN, #sm90.smem_layout<k_major, b64, bits = 4, slab = 8192>, #gpu.address_space<workgroup>>, %b: memref<72x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 9216>, #gpu.address_space<workgroup>>, %sa: memref<1x2x256xf8E8M0FNU, #gpu.address_space<workgroup>>, %sb: memref<1x2x256xf8E8M0FNU, #gpu.address_space<workgroup>>, %row: i32) {
  // expected-error @+1 {{expected b of f4E2M1FN with a of 'f4E2M1FN', got 'f8E5M2'}}
  %0 = sm80.mma_sync %d, %a, %b row(%row) scales(%sa, %sb) : vector<36xf32>, memref<64x128xf4E2M1FN, #sm90.smem_layout<k_major, b64, bits = 4, slab = 8192>, #gpu.address_space<workgroup>>, memref<72x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 9216>, #gpu.address_space<workgroup>>, memref<1x2x256xf8E8M0FNU, #gpu.address_space<workgroup>>, memref<1x2x256xf8E8M0FNU, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm80_mma_sync_c1_scaled_d(%d: vector<36xf16>, %a: memref<64x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, %b: memref<72x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 9216>, #gpu.address_space<workgroup>>, %sa: memref<1x2x256xf8E8M0FNU, #gpu.address_space<workgroup>>, %sb: memref<1x2x256xf8E8M0FNU, #gpu.address_space<workgroup>>, %row: i32) {
  // expected-error @+1 {{expected d of f32 with scale factors, got 'f16'}}
  %0 = sm80.mma_sync %d, %a, %b row(%row) scales(%sa, %sb) : vector<36xf16>, memref<64x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, memref<72x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 9216>, #gpu.address_space<workgroup>>, memref<1x2x256xf8E8M0FNU, #gpu.address_space<workgroup>>, memref<1x2x256xf8E8M0FNU, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm80_mma_sync_c6_types(%d: vector<36xf32>, %a: memref<64x128xf4E2M1FN, #sm90.smem_layout<k_major, b64, bits = 4, slab = 8192>, #gpu.address_space<workgroup>>, %b: memref<72x128xf4E2M1FN, #sm90.smem_layout<k_major, b64, bits = 4, slab = 9216>, #gpu.address_space<workgroup>>, %sa: memref<1x2x256xf8E8M0FNU, #gpu.address_space<workgroup>>, %sb: memref<1x4x256xf8E4M3FN, #gpu.address_space<workgroup>>, %row: i32) {
  // expected-error @+1 {{expected scale_b of 'f8E8M0FNU', as scale_a, got 'f8E4M3FN'}}
  %0 = sm80.mma_sync %d, %a, %b row(%row) scales(%sa, %sb) : vector<36xf32>, memref<64x128xf4E2M1FN, #sm90.smem_layout<k_major, b64, bits = 4, slab = 8192>, #gpu.address_space<workgroup>>, memref<72x128xf4E2M1FN, #sm90.smem_layout<k_major, b64, bits = 4, slab = 9216>, #gpu.address_space<workgroup>>, memref<1x2x256xf8E8M0FNU, #gpu.address_space<workgroup>>, memref<1x4x256xf8E4M3FN, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm80_mma_sync_c6_bytes(%d: vector<36xf32>, %a: memref<64x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, %b: memref<72x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 9216>, #gpu.address_space<workgroup>>, %sa: memref<1x4x256xf8E4M3FN, #gpu.address_space<workgroup>>, %sb: memref<1x4x256xf8E4M3FN, #gpu.address_space<workgroup>>, %row: i32) {
  // expected-error @+1 {{expected scale_a of f8E8M0FNU with a of 'f8E5M2', got 'f8E4M3FN'}}
  %0 = sm80.mma_sync %d, %a, %b row(%row) scales(%sa, %sb) : vector<36xf32>, memref<64x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, memref<72x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 9216>, #gpu.address_space<workgroup>>, memref<1x4x256xf8E4M3FN, #gpu.address_space<workgroup>>, memref<1x4x256xf8E4M3FN, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm80_mma_sync_c6_vector(%d: vector<36xf32>, %a: memref<64x128xf4E2M1FN, #sm90.smem_layout<k_major, b64, bits = 4, slab = 8192>, #gpu.address_space<workgroup>>, %b: memref<72x128xf4E2M1FN, #sm90.smem_layout<k_major, b64, bits = 4, slab = 9216>, #gpu.address_space<workgroup>>, %sa: memref<1x2x256xf8E4M3FN, #gpu.address_space<workgroup>>, %sb: memref<1x4x256xf8E4M3FN, #gpu.address_space<workgroup>>, %row: i32) {
  // expected-error @+1 {{expected scale_a to have 4 parts, two for 4 factors, each of 16 elements, got 2}}
  %0 = sm80.mma_sync %d, %a, %b row(%row) scales(%sa, %sb) : vector<36xf32>, memref<64x128xf4E2M1FN, #sm90.smem_layout<k_major, b64, bits = 4, slab = 8192>, #gpu.address_space<workgroup>>, memref<72x128xf4E2M1FN, #sm90.smem_layout<k_major, b64, bits = 4, slab = 9216>, #gpu.address_space<workgroup>>, memref<1x2x256xf8E4M3FN, #gpu.address_space<workgroup>>, memref<1x4x256xf8E4M3FN, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm80_mma_sync_c6_vector_b(%d: vector<36xf32>, %a: memref<64x128xf4E2M1FN, #sm90.smem_layout<k_major, b64, bits = 4, slab = 8192>, #gpu.address_space<workgroup>>, %b: memref<72x128xf4E2M1FN, #sm90.smem_layout<k_major, b64, bits = 4, slab = 9216>, #gpu.address_space<workgroup>>, %sa: memref<1x2x256xf8E8M0FNU, #gpu.address_space<workgroup>>, %sb: memref<1x6x256xf8E8M0FNU, #gpu.address_space<workgroup>>, %row: i32) {
  // expected-error @+1 {{expected scale_b to have 2 parts, two for 4 factors, each of 32 elements, got 6}}
  %0 = sm80.mma_sync %d, %a, %b row(%row) scales(%sa, %sb) : vector<36xf32>, memref<64x128xf4E2M1FN, #sm90.smem_layout<k_major, b64, bits = 4, slab = 8192>, #gpu.address_space<workgroup>>, memref<72x128xf4E2M1FN, #sm90.smem_layout<k_major, b64, bits = 4, slab = 9216>, #gpu.address_space<workgroup>>, memref<1x2x256xf8E8M0FNU, #gpu.address_space<workgroup>>, memref<1x6x256xf8E8M0FNU, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm80_mma_sync_c6_part_of_a_block(%d: vector<36xf32>, %a: memref<64x64xf8E5M2, #sm90.smem_layout<k_major, b64, bits = 8, slab = 4096>, #gpu.address_space<workgroup>>, %b: memref<72x64xf8E5M2, #sm90.smem_layout<k_major, b64, bits = 8, slab = 4608>, #gpu.address_space<workgroup>>, %sa: memref<1x0x256xf8E8M0FNU, #gpu.address_space<workgroup>>, %sb: memref<1x2x256xf8E8M0FNU, #gpu.address_space<workgroup>>, %row: i32) {
  // expected-error @+1 {{expected scale_a to have 2 parts, two for 4 factors, each of 32 elements, got 0}}
  %0 = sm80.mma_sync %d, %a, %b row(%row) scales(%sa, %sb) : vector<36xf32>, memref<64x64xf8E5M2, #sm90.smem_layout<k_major, b64, bits = 8, slab = 4096>, #gpu.address_space<workgroup>>, memref<72x64xf8E5M2, #sm90.smem_layout<k_major, b64, bits = 8, slab = 4608>, #gpu.address_space<workgroup>>, memref<1x0x256xf8E8M0FNU, #gpu.address_space<workgroup>>, memref<1x2x256xf8E8M0FNU, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm80_mma_sync_c7_rows_a(%d: vector<36xf32>, %a: memref<192x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 24576>, #gpu.address_space<workgroup>>, %b: memref<72x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 9216>, #gpu.address_space<workgroup>>, %sa: memref<1x2x256xf8E8M0FNU, #gpu.address_space<workgroup>>, %sb: memref<1x2x256xf8E8M0FNU, #gpu.address_space<workgroup>>, %row: i32) {
  // expected-error @+1 {{expected scale_a to have 2 blocks of 128 rows, for 192 rows, got 1 (PTX ISA 9.0, 9.7.14.3 "Block Scaling for mma.sync")}}
  %0 = sm80.mma_sync %d, %a, %b row(%row) scales(%sa, %sb) : vector<36xf32>, memref<192x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 24576>, #gpu.address_space<workgroup>>, memref<72x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 9216>, #gpu.address_space<workgroup>>, memref<1x2x256xf8E8M0FNU, #gpu.address_space<workgroup>>, memref<1x2x256xf8E8M0FNU, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm80_mma_sync_c7_rows_b(%d: vector<68xf32>, %a: memref<128x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>, %b: memref<136x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 17408>, #gpu.address_space<workgroup>>, %sa: memref<1x2x256xf8E8M0FNU, #gpu.address_space<workgroup>>, %sb: memref<1x2x256xf8E8M0FNU, #gpu.address_space<workgroup>>, %row: i32) {
  // expected-error @+1 {{expected scale_b to have 2 blocks of 128 rows, for 136 rows, got 1}}
  %0 = sm80.mma_sync %d, %a, %b row(%row) scales(%sa, %sb) : vector<68xf32>, memref<128x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>, memref<136x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 17408>, #gpu.address_space<workgroup>>, memref<1x2x256xf8E8M0FNU, #gpu.address_space<workgroup>>, memref<1x2x256xf8E8M0FNU, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm80_mma_sync_c6_one(%d: vector<36xf32>, %a: memref<64x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, %b: memref<72x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 9216>, #gpu.address_space<workgroup>>, %sa: memref<1x2x256xf8E8M0FNU, #gpu.address_space<workgroup>>, %row: i32) {
  // expected-error @+1 {{expected scale factors of both a and b, got those of one (PTX ISA 9.0, 9.7.14.3 "Block Scaling for mma.sync")}}
  %0 = "sm80.mma_sync"(%d, %a, %b, %row, %sa) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0>}> : (vector<36xf32>, memref<64x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, memref<72x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 9216>, #gpu.address_space<workgroup>>, i32, memref<1x2x256xf8E8M0FNU, #gpu.address_space<workgroup>>) -> vector<36xf32>
  return
}

// -----

func.func @sm80_mma_sync_scales_in_rows(%d: vector<36xf32>, %a: memref<64x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, %b: memref<72x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 9216>, #gpu.address_space<workgroup>>, %sa: memref<64x4xf8E8M0FNU, #gpu.address_space<workgroup>>, %row: i32) {
  // expected-error @+1 {{operand #4 must be memref of shape blocks x parts x 256 of f8E8M0FNU or f8E4M3FN in workgroup memory without a layout}}
  %0 = sm80.mma_sync %d, %a, %b row(%row) scales(%sa, %sa) : vector<36xf32>, memref<64x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, memref<72x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 9216>, #gpu.address_space<workgroup>>, memref<64x4xf8E8M0FNU, #gpu.address_space<workgroup>>, memref<64x4xf8E8M0FNU, #gpu.address_space<workgroup>>
  return
}

// -----

!A = memref<16x8xbf16, #sm90.smem_layout<k_major, none, bits = 16, slab = 256>, #gpu.address_space<workgroup>>
!B = memref<8x8xbf16, #sm90.smem_layout<k_major, none, bits = 16, slab = 128>, #gpu.address_space<workgroup>>
func.func @sm80_mma_sync_c4_short_tile(%d: vector<4xf32>, %a: !A, %b: !B, %row: i32) {
  // expected-error @below {{expected a to have at least K = 16 elements along K, got 8}}
  %0 = sm80.mma_sync %d, %a, %b row(%row) : vector<4xf32>, !A, !B
  return
}

// -----

!A = memref<16x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 2048>, #gpu.address_space<workgroup>>
!B = memref<8x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 1024>, #gpu.address_space<workgroup>>
func.func @scalable_registers(%d: vector<[4]xf32>, %a: !A, %b: !B, %row: i32) {
  // expected-error @below {{operand #0 must be fixed-length vector of}}
  %0 = sm80.mma_sync %d, %a, %b row(%row) : vector<[4]xf32>, !A, !B
  return
}
