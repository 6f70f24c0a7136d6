// RUN: tc-opt %s -split-input-file -verify-diagnostics

func.func @sm90_wgmma_mma_async_c1_bad_a(%d: vector<64xf32>, %a: vector<4xf64>, %b: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected a of f16, bf16, f32, f8E4M3FN, f8E5M2, i8 or ui8, got 'f64'}}
  %0 = sm90.wgmma.mma_async %d, %a, %b accumulate(%p) : vector<64xf32>, vector<4xf64>, memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_wgmma_mma_async_c1_bad_b(%d: vector<64xf32>, %a: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %b: memref<128x64xf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected b of the same type with a of 'bf16', got 'f16'}}
  %0 = sm90.wgmma.mma_async %d, %a, %b accumulate(%p) : vector<64xf32>, memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, memref<128x64xf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_wgmma_mma_async_c1_bad_b_bytes(%d: vector<64xf32>, %a: vector<16xf8E4M3FN>, %b: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected b of f8E4M3FN or f8E5M2 with a of 'f8E4M3FN', got 'bf16'}}
  %0 = sm90.wgmma.mma_async %d, %a, %b accumulate(%p) : vector<64xf32>, vector<16xf8E4M3FN>, memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_wgmma_mma_async_c1_bad_d(%d: vector<64xf16>, %a: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %b: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected d of f32 with a of 'bf16', got 'f16' (PTX ISA 9.0, 9.7.15.3 "Matrix Data-types")}}
  %0 = sm90.wgmma.mma_async %d, %a, %b accumulate(%p) : vector<64xf16>, memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_wgmma_mma_async_c2_bad_n(%d: vector<50xf32>, %a: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %b: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected N, twice the elements of d for 64 rows, to be a multiple of 8 from 8 to 256, got 100, the nearest is 104 (PTX ISA 9.0, 9.7.15.2 "Matrix Shape")}}
  %0 = sm90.wgmma.mma_async %d, %a, %b accumulate(%p) : vector<50xf32>, memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_wgmma_mma_async_c2_large_n(%d: vector<256xf32>, %a: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %b: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{got 512, the nearest is 256}}
  %0 = sm90.wgmma.mma_async %d, %a, %b accumulate(%p) : vector<256xf32>, memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_wgmma_mma_async_c1_bad_b_integers(%d: vector<32xi32>, %a: memref<64x128xi8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, %b: memref<64x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected b of i8 or ui8 with a of 'i8', got 'f8E4M3FN'}}
  %0 = sm90.wgmma.mma_async %d, %a, %b accumulate(%p) : vector<32xi32>, memref<64x128xi8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, memref<64x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_wgmma_mma_async_c1_bad_d_integers(%d: vector<32xf32>, %a: memref<64x128xi8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, %b: memref<64x128xui8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected d of i32 with a of 'i8', got 'f32'}}
  %0 = sm90.wgmma.mma_async %d, %a, %b accumulate(%p) : vector<32xf32>, memref<64x128xi8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, memref<64x128xui8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_wgmma_mma_async_c2_bad_n_integers(%d: vector<20xi32>, %a: memref<64x128xi8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, %b: memref<64x128xui8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected N, twice the elements of d for 64 rows, to be 8, 24 or a multiple of 16 from 16 to 256, got 40, the nearest is 48}}
  %0 = sm90.wgmma.mma_async %d, %a, %b accumulate(%p) : vector<20xi32>, memref<64x128xi8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, memref<64x128xui8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_wgmma_mma_async_c8_negated(%d: vector<32xi32>, %a: memref<64x128xi8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, %b: memref<64x128xui8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected integers not to be negated, got negate_b}}
  %0 = sm90.wgmma.mma_async %d, %a, %b accumulate(%p) {negate_b} : vector<32xi32>, memref<64x128xi8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, memref<64x128xui8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_wgmma_mma_async_c3_bad_rows(%d: vector<64xf32>, %a: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %b: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected a_m to be a multiple of 64 with 64 rows of a from it, got 64 of 64 rows}}
  %0 = sm90.wgmma.mma_async %d, %a, %b accumulate(%p) {a_m = 64 : i64} : vector<64xf32>, memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_wgmma_mma_async_c3_bad_row(%d: vector<64xf32>, %a: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, %b: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected a_m to be a multiple of 64 with 64 rows of a from it, got 8 of 128 rows}}
  %0 = sm90.wgmma.mma_async %d, %a, %b accumulate(%p) {a_m = 8 : i64} : vector<64xf32>, memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_wgmma_mma_async_c3_bad_fragment(%d: vector<64xf32>, %a: vector<4xbf16>, %b: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected 8 elements of a in each thread, got 4 (PTX ISA 9.0, 9.7.15.5.1.1 "Register Fragments")}}
  %0 = sm90.wgmma.mma_async %d, %a, %b accumulate(%p) : vector<64xf32>, vector<4xbf16>, memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_wgmma_mma_async_c3_offset_of_fragment(%d: vector<64xf32>, %a: vector<8xbf16>, %b: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected no a_m and a_k with a in registers, got 0 and 16}}
  %0 = sm90.wgmma.mma_async %d, %a, %b accumulate(%p) {a_k = 16 : i64} : vector<64xf32>, vector<8xbf16>, memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_wgmma_mma_async_c4_bad_columns(%d: vector<64xf32>, %a: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %b: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected b_n to be a multiple of 8 with N = 128 columns of b from it, got 64 of 128 columns}}
  %0 = sm90.wgmma.mma_async %d, %a, %b accumulate(%p) {b_n = 64 : i64} : vector<64xf32>, memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_wgmma_mma_async_c4_bad_column(%d: vector<32xf32>, %a: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %b: memref<128x64xbf16, #sm90.smem_layout<mn_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected b_n to be a multiple of 64 with N = 64 columns of b from it, got 8 of 128 columns}}
  %0 = sm90.wgmma.mma_async %d, %a, %b accumulate(%p) {b_n = 8 : i64} : vector<32xf32>, memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, memref<128x64xbf16, #sm90.smem_layout<mn_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_wgmma_mma_async_c5_bad_k(%d: vector<64xf32>, %a: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %b: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected a_k to be a multiple of K = 16 up to 48, got 8}}
  %0 = sm90.wgmma.mma_async %d, %a, %b accumulate(%p) {a_k = 8 : i64} : vector<64xf32>, memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_wgmma_mma_async_c5_large_k(%d: vector<64xf32>, %a: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %b: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected b_k to be a multiple of K = 16 up to 48, got 64}}
  %0 = sm90.wgmma.mma_async %d, %a, %b accumulate(%p) {b_k = 64 : i64} : vector<64xf32>, memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_wgmma_mma_async_c5_huge_k(%d: vector<64xf32>, %a: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %b: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected b_k to be a multiple of K = 16 up to 48, got 9223372036854775792}}
  %0 = sm90.wgmma.mma_async %d, %a, %b accumulate(%p) {b_k = 9223372036854775792 : i64} : vector<64xf32>, memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_wgmma_mma_async_c6_bad_bits(%d: vector<64xf32>, %a: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, %b: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected the layout of a to have bits = 16, those of 'bf16', got 8}}
  %0 = sm90.wgmma.mma_async %d, %a, %b accumulate(%p) : vector<64xf32>, memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_wgmma_mma_async_c6_bad_swizzle(%d: vector<64xf32>, %a: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %b: memref<128x64xbf16, #sm90.smem_layout<mn_major, b128_atom32, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected swizzle none, b32, b64 or b128 for b, got b128_atom32 (PTX ISA 9.0, 9.7.15.5.1.2.2 "Matrix Descriptor Format")}}
  %0 = sm90.wgmma.mma_async %d, %a, %b accumulate(%p) : vector<64xf32>, memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, memref<128x64xbf16, #sm90.smem_layout<mn_major, b128_atom32, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_wgmma_mma_async_c6_bad_major(%d: vector<64xf32>, %a: vector<16xf8E4M3FN>, %b: memref<128x64xf8E4M3FN, #sm90.smem_layout<mn_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected a k_major b of 'f8E4M3FN', only 16-bit elements can be mn_major}}
  %0 = sm90.wgmma.mma_async %d, %a, %b accumulate(%p) : vector<64xf32>, vector<16xf8E4M3FN>, memref<128x64xf8E4M3FN, #sm90.smem_layout<mn_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_wgmma_mma_async_c7_read_before_wait(%d: vector<64xf32>, %a: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %b: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, %p: i1) -> vector<64xf32> {
  // expected-error @+1 {{expected the result to be used once, as d of 'sm90.wgmma.mma_async', by 'sm90.wgmma.wait_group' or by a terminator, got one by 'arith.negf' (PTX ISA 9.0, 9.7.15.7.3 "Asynchronous Multiply-and-Accumulate Instruction: wgmma.wait_group")}}
  %0 = sm90.wgmma.mma_async %d, %a, %b accumulate(%p) : vector<64xf32>, memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
  // expected-note @+1 {{used here}}
  %1 = arith.negf %0 : vector<64xf32>
  return %1 : vector<64xf32>
}

// -----

func.func @sm90_wgmma_mma_async_c7_two_uses(%d: vector<64xf32>, %a: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %b: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{by a terminator, got 2 uses}}
  %0 = sm90.wgmma.mma_async %d, %a, %b accumulate(%p) : vector<64xf32>, memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
  %1 = sm90.wgmma.wait_group 0 (%0 : vector<64xf32>)
  // expected-note @+1 {{used here}}
  %2 = sm90.wgmma.wait_group 0 (%0 : vector<64xf32>)
  return
}

// -----

func.func @sm90_wgmma_mma_async_c9_bad_rows(%d: vector<64xf32>, %a: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, %b: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected d_rows to be a multiple of 64 from 64 to 256, got 96}}
  %0 = sm90.wgmma.mma_async %d, %a, %b accumulate(%p) {d_rows = 96 : i64} : vector<64xf32>, memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_wgmma_mma_async_c9_bad_elements(%d: vector<64xf32>, %a: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, %b: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected a multiple of 3 elements of d for 192 rows, got 64}}
  %0 = sm90.wgmma.mma_async %d, %a, %b accumulate(%p) {d_rows = 192 : i64} : vector<64xf32>, memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_wgmma_mma_async_c9_bad_row(%d: vector<64xf32>, %a: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, %b: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected d_m to be a multiple of 64 below the 128 rows of d, got 128}}
  %0 = sm90.wgmma.mma_async %d, %a, %b accumulate(%p) {d_m = 128 : i64, d_rows = 128 : i64} : vector<64xf32>, memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_wgmma_wait_group_c1_bad_pending() {
  // expected-error @+1 {{expected from 0 to 7 pending groups, got 8}}
  sm90.wgmma.wait_group 8
  return
}
