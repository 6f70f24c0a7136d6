// RUN: tc-opt %s -split-input-file -verify-diagnostics

func.func @sm90_mma_sync_c1_bad_a(%d: vector<64xf32>, %a: memref<64x64xf64, #sm90.smem_layout<k_major, b128, bits = 32, slab = 2048>, #gpu.address_space<workgroup>>, %b: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, %row: i32) {
  // expected-error @+1 {{expected a of f16, bf16, f32, f8E4M3FN, f8E5M2, i8 or ui8, got 'f64' (PTX ISA 9.0, 9.7.14.5.14 "Multiply-and-Accumulate Instruction: mma")}}
  %0 = sm90.mma_sync %d, %a, %b row(%row) : vector<64xf32>, memref<64x64xf64, #sm90.smem_layout<k_major, b128, bits = 32, slab = 2048>, #gpu.address_space<workgroup>>, memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_mma_sync_c1_bad_b(%d: vector<64xf32>, %a: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %b: memref<128x64xf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, %row: i32) {
  // expected-error @+1 {{expected b of the same type with a of 'bf16', got 'f16'}}
  %0 = sm90.mma_sync %d, %a, %b row(%row) : vector<64xf32>, memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, memref<128x64xf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_mma_sync_c1_bad_d(%d: vector<64xf16>, %a: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %b: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, %row: i32) {
  // expected-error @+1 {{expected d of f32 with a of 'bf16', got 'f16'}}
  %0 = sm90.mma_sync %d, %a, %b row(%row) : vector<64xf16>, memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_mma_sync_c1_integers(%d: vector<64xf32>, %a: memref<64x128xi8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, %b: memref<128x128xi8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>, %row: i32) {
  // expected-error @+1 {{expected d of i32 with a of 'i8', got 'f32'}}
  %0 = sm90.mma_sync %d, %a, %b row(%row) : vector<64xf32>, memref<64x128xi8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, memref<128x128xi8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_mma_sync_c2_bad_n(%d: vector<128xf32>, %a: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %b: memref<264x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 16896>, #gpu.address_space<workgroup>>, %row: i32) {
  // expected-error @+1 {{expected b to have a multiple of 8 columns from 8 to 256, got 264, the nearest is 256 (PTX ISA 9.0, 9.7.14.5.8 "Matrix Fragments for mma.m16n8k16 with floating point type")}}
  %0 = sm90.mma_sync %d, %a, %b row(%row) : vector<128xf32>, memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, memref<264x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 16896>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_mma_sync_c2_bad_d(%d: vector<48xf32>, %a: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %b: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, %row: i32) {
  // expected-error @+1 {{expected d to have 64 or 128 elements with 128 columns of b, got 48}}
  %0 = sm90.mma_sync %d, %a, %b row(%row) : vector<48xf32>, memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_mma_sync_c3_few_rows(%d: vector<128xf32>, %a: memref<16x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 1024>, #gpu.address_space<workgroup>>, %b: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, %row: i32) {
  // expected-error @+1 {{expected a to have at least 32 rows, those of d, got 16}}
  %0 = sm90.mma_sync %d, %a, %b row(%row) : vector<128xf32>, memref<16x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 1024>, #gpu.address_space<workgroup>>, memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_mma_sync_c4_bad_k(%d: vector<64xf32>, %a: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %b: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, %row: i32) {
  // expected-error @+1 {{expected a_k to be a multiple of K = 16 up to 48, got 8}}
  %0 = sm90.mma_sync %d, %a, %b row(%row) {a_k = 8 : i64} : vector<64xf32>, memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_mma_sync_c4_large_k(%d: vector<64xf32>, %a: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %b: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, %row: i32) {
  // expected-error @+1 {{expected b_k to be a multiple of K = 16 up to 48, got 64}}
  %0 = sm90.mma_sync %d, %a, %b row(%row) {b_k = 64 : i64} : vector<64xf32>, memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_mma_sync_c5_bad_bits(%d: vector<64xf32>, %a: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, %b: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, %row: i32) {
  // expected-error @+1 {{expected the layout of a to have bits = 16, those of 'bf16', got 8 (PTX ISA 9.0, 9.7.14.5.15 "Warp-level matrix load instruction: ldmatrix")}}
  %0 = sm90.mma_sync %d, %a, %b row(%row) : vector<64xf32>, memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_mma_sync_c5_bad_swizzle(%d: vector<64xf32>, %a: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %b: memref<128x64xbf16, #sm90.smem_layout<mn_major, b128_atom32, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %row: i32) {
  // expected-error @+1 {{expected swizzle none, b32, b64 or b128 for b, got b128_atom32}}
  %0 = sm90.mma_sync %d, %a, %b row(%row) : vector<64xf32>, memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, memref<128x64xbf16, #sm90.smem_layout<mn_major, b128_atom32, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_mma_sync_c5_bad_major(%d: vector<64xf32>, %a: memref<64x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, %b: memref<128x128xf8E4M3FN, #sm90.smem_layout<mn_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>, %row: i32) {
  // expected-error @+1 {{expected a k_major b of 'f8E4M3FN', only 16-bit elements can be mn_major}}
  %0 = sm90.mma_sync %d, %a, %b row(%row) : vector<64xf32>, memref<64x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, memref<128x128xf8E4M3FN, #sm90.smem_layout<mn_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>
  return
}

// -----

// sm90_mma_layout_c1
// expected-error @+1 {{expected 16 or 32 rows for each warp, got 24}}
func.func private @layout() attributes {layout = #sm90.mma_layout<24>}
