// The rules of tcgen05.mma, one function for each.
// RUN: tc-opt %s -split-input-file -verify-diagnostics

func.func @tcgen05_mma_c1_bad_kind(%d: !tcgen05.tmem<128x64xf32, D>,
    %a: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
    %b: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected a kind without scale factors (f16, tf32, f8f6f4, i8, ti16), got mxf4, whose scale factors this operation has no operands for (PTX ISA 9.0, 9.7.16.10.9 "TensorCore 5th Generation Instructions: tcgen05.mma")}}
  tcgen05.mma mxf4 %d, %a, %b accumulate(%p)
      : !tcgen05.tmem<128x64xf32, D>,
        memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
        memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @tcgen05_mma_c2_bad_group(%d: !tcgen05.tmem<128x64xf32, D>,
    %a: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
    %b: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected d to be a whole accumulator with layout A (M=256) or B (M=128) for kind f16 with cta_group 2, got '!tcgen05.tmem<128x64xf32, D>'}}
  tcgen05.mma f16 cta_group 2 %d, %a, %b accumulate(%p)
      : !tcgen05.tmem<128x64xf32, D>,
        memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
        memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @tcgen05_mma_c2_bad_layout(%d: !tcgen05.tmem<128x32xf32, E>,
    %a: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
    %b: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected d to be a whole accumulator with layout D (M=128) or F (M=64) for kind f16 with cta_group 1, got '!tcgen05.tmem<128x32xf32, E>'}}
  tcgen05.mma f16 %d, %a, %b accumulate(%p)
      : !tcgen05.tmem<128x32xf32, E>,
        memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
        memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @tcgen05_mma_c2_bad_window(%d: !tcgen05.tmem<32x64xf32, D>,
    %a: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
    %b: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected d to be a whole accumulator with layout D (M=128) or F (M=64) for kind f16 with cta_group 1, got '!tcgen05.tmem<32x64xf32, D>'}}
  tcgen05.mma f16 %d, %a, %b accumulate(%p)
      : !tcgen05.tmem<32x64xf32, D>,
        memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
        memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @tcgen05_mma_c3_bad_n(%d: !tcgen05.tmem<128x60xf32, D>,
    %a: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
    %b: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected N to be a multiple of 8 from 8 to 256 for kind f16 with cta_group 1, got 60, the nearest is 64 (PTX ISA 9.0, 9.7.16.2.1 "Matrix Shape")}}
  tcgen05.mma f16 %d, %a, %b accumulate(%p)
      : !tcgen05.tmem<128x60xf32, D>,
        memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
        memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @tcgen05_mma_c3_bad_n_large(%d: !tcgen05.tmem<128x264xf32, D>,
    %a: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
    %b: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected N to be a multiple of 8 from 8 to 256 for kind f16 with cta_group 1, got 264, the nearest is 256}}
  tcgen05.mma f16 %d, %a, %b accumulate(%p)
      : !tcgen05.tmem<128x264xf32, D>,
        memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
        memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @tcgen05_mma_c3_bad_n_pair(%d: !tcgen05.tmem<128x72xf32, A>,
    %a: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
    %b: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected N to be a multiple of 16 from 16 to 256 for kind f16 with cta_group 2, got 72, the nearest is 80}}
  tcgen05.mma f16 cta_group 2 %d, %a, %b accumulate(%p)
      : !tcgen05.tmem<128x72xf32, A>,
        memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
        memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @tcgen05_mma_c3_bad_n_i8(%d: !tcgen05.tmem<128x40xi32, D>,
    %a: memref<128x64xi8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>,
    %b: memref<40x64xi8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 5120>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected N to be a multiple of 16 from 16 to 256, 8 or 24 for kind i8 with cta_group 1, got 40, the nearest is 48}}
  tcgen05.mma i8 %d, %a, %b accumulate(%p)
      : !tcgen05.tmem<128x40xi32, D>,
        memref<128x64xi8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>,
        memref<40x64xi8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 5120>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @tcgen05_mma_c3_bad_n_transposed_8bit(%d: !tcgen05.tmem<128x72xf32, D>,
    %a: memref<128x64xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>,
    %b: memref<80x64xf8E4M3FN, #sm90.smem_layout<mn_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected N to be a multiple of 16 from 16 to 256 for kind f8f6f4 with cta_group 1 and mn_major 8-bit b, got 72, the nearest is 80}}
  tcgen05.mma f8f6f4 %d, %a, %b accumulate(%p)
      : !tcgen05.tmem<128x72xf32, D>,
        memref<128x64xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>,
        memref<80x64xf8E4M3FN, #sm90.smem_layout<mn_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @tcgen05_mma_c4_bad_a(%d: !tcgen05.tmem<128x64xf32, D>,
    %a: memref<128x64xf32, #sm90.smem_layout<k_major, b128, bits = 32, slab = 4096>, #gpu.address_space<workgroup>>,
    %b: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected a of f16 or bf16 for kind f16, got 'f32' (PTX ISA 9.0, 9.7.16.10 "TensorCore 5th Generation Matrix Multiply and accumulate Operations")}}
  tcgen05.mma f16 %d, %a, %b accumulate(%p)
      : !tcgen05.tmem<128x64xf32, D>,
        memref<128x64xf32, #sm90.smem_layout<k_major, b128, bits = 32, slab = 4096>, #gpu.address_space<workgroup>>,
        memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @tcgen05_mma_c4_bad_b(%d: !tcgen05.tmem<128x64xf32, D>,
    %a: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
    %b: memref<64x64xf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected b to have the element type of a, 'bf16', for kind f16, got 'f16'}}
  tcgen05.mma f16 %d, %a, %b accumulate(%p)
      : !tcgen05.tmem<128x64xf32, D>,
        memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
        memref<64x64xf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @tcgen05_mma_c4_bad_d(%d: !tcgen05.tmem<128x64xf16, D>,
    %a: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
    %b: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected d of f32 for kind f16 with a of 'bf16', got 'f16'}}
  tcgen05.mma f16 %d, %a, %b accumulate(%p)
      : !tcgen05.tmem<128x64xf16, D>,
        memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
        memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @tcgen05_mma_c4_bad_d_f16(%d: !tcgen05.tmem<128x64xi32, D>,
    %a: memref<128x64xf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
    %b: memref<64x64xf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected d of f32 or f16 for kind f16 with a of 'f16', got 'i32'}}
  tcgen05.mma f16 %d, %a, %b accumulate(%p)
      : !tcgen05.tmem<128x64xi32, D>,
        memref<128x64xf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
        memref<64x64xf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @tcgen05_mma_c4_bad_d_i8(%d: !tcgen05.tmem<128x64xf32, D>,
    %a: memref<128x64xi8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>,
    %b: memref<64x64xi8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected d of i32 for kind i8 with a of 'i8', got 'f32'}}
  tcgen05.mma i8 %d, %a, %b accumulate(%p)
      : !tcgen05.tmem<128x64xf32, D>,
        memref<128x64xi8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>,
        memref<64x64xi8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @tcgen05_mma_c5_bad_a_rows(%d: !tcgen05.tmem<128x64xf32, D>,
    %a: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>,
    %b: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected a to have the 128 rows of one CTA for M = 128 and cta_group 1, got 64 (PTX ISA 9.0, 9.7.16.5.1 "CTA Pair")}}
  tcgen05.mma f16 %d, %a, %b accumulate(%p)
      : !tcgen05.tmem<128x64xf32, D>,
        memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>,
        memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @tcgen05_mma_c5_bad_b_columns(%d: !tcgen05.tmem<128x64xf32, A>,
    %a: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
    %b: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected b to have the 32 columns of one CTA for N = 64 and cta_group 2, got 64}}
  tcgen05.mma f16 cta_group 2 %d, %a, %b accumulate(%p)
      : !tcgen05.tmem<128x64xf32, A>,
        memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
        memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @tcgen05_mma_c6_bad_a_k(%d: !tcgen05.tmem<128x64xf32, D>,
    %a: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
    %b: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected a_k to be a multiple of K = 16 up to 48, got 8}}
  tcgen05.mma f16 %d, %a, %b accumulate(%p) {a_k = 8 : i64}
      : !tcgen05.tmem<128x64xf32, D>,
        memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
        memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @tcgen05_mma_c6_huge_a_k(%d: !tcgen05.tmem<128x64xf32, D>,
    %a: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
    %b: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected a_k to be a multiple of K = 16 up to 48, got 9223372036854775792}}
  tcgen05.mma f16 %d, %a, %b accumulate(%p) {a_k = 9223372036854775792 : i64}
      : !tcgen05.tmem<128x64xf32, D>,
        memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
        memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @tcgen05_mma_c6_bad_b_k(%d: !tcgen05.tmem<128x64xf32, D>,
    %a: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
    %b: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected b_k to be a multiple of K = 16 up to 48, got 64}}
  tcgen05.mma f16 %d, %a, %b accumulate(%p) {b_k = 64 : i64}
      : !tcgen05.tmem<128x64xf32, D>,
        memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
        memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @tcgen05_mma_c6_huge_b_k(%d: !tcgen05.tmem<128x64xf32, D>,
    %a: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
    %b: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected b_k to be a multiple of K = 16 up to 48, got 9223372036854775792}}
  tcgen05.mma f16 %d, %a, %b accumulate(%p) {b_k = 9223372036854775792 : i64}
      : !tcgen05.tmem<128x64xf32, D>,
        memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
        memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @tcgen05_mma_c7_bad_bits(%d: !tcgen05.tmem<128x64xf32, D>,
    %a: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>,
    %b: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected the layout of a to have bits = 16, those of 'bf16' of kind f16, got 8 (PTX ISA 9.0, 9.7.16.3 "Major-ness supported by Strides")}}
  tcgen05.mma f16 %d, %a, %b accumulate(%p)
      : !tcgen05.tmem<128x64xf32, D>,
        memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>,
        memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @tcgen05_mma_c7_bad_k_major_atom(%d: !tcgen05.tmem<128x64xf32, D>,
    %a: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
    %b: memref<64x64xbf16, #sm90.smem_layout<k_major, b128_atom32, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected swizzle none, b32, b64 or b128 for k_major b, got b128_atom32}}
  tcgen05.mma f16 %d, %a, %b accumulate(%p)
      : !tcgen05.tmem<128x64xf32, D>,
        memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
        memref<64x64xbf16, #sm90.smem_layout<k_major, b128_atom32, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @tcgen05_mma_c7_bad_mn_major_atom(%d: !tcgen05.tmem<128x64xf32, D>,
    %a: memref<128x64xbf16, #sm90.smem_layout<mn_major, b128_atom32, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>,
    %b: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected swizzle none, b32, b64 or b128 for mn_major a of kind f16, got b128_atom32}}
  tcgen05.mma f16 %d, %a, %b accumulate(%p)
      : !tcgen05.tmem<128x64xf32, D>,
        memref<128x64xbf16, #sm90.smem_layout<mn_major, b128_atom32, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>,
        memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @tcgen05_mma_c7_bad_tf32(%d: !tcgen05.tmem<128x64xf32, D>,
    %a: memref<128x32xf32, #sm90.smem_layout<mn_major, b128, bits = 32, slab = 1024>, #gpu.address_space<workgroup>>,
    %b: memref<64x32xf32, #sm90.smem_layout<k_major, b128, bits = 32, slab = 2048>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected swizzle b128_atom32 for mn_major a of kind tf32, got b128}}
  tcgen05.mma tf32 %d, %a, %b accumulate(%p)
      : !tcgen05.tmem<128x64xf32, D>,
        memref<128x32xf32, #sm90.smem_layout<mn_major, b128, bits = 32, slab = 1024>, #gpu.address_space<workgroup>>,
        memref<64x32xf32, #sm90.smem_layout<k_major, b128, bits = 32, slab = 2048>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @tcgen05_mma_c8_bad_scale(%d: !tcgen05.tmem<128x64xf32, D>,
    %a: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
    %b: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected scale_d from 0 to 15, got 16}}
  tcgen05.mma f16 %d, %a, %b accumulate(%p) {scale_d = 16 : i32}
      : !tcgen05.tmem<128x64xf32, D>,
        memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
        memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @tcgen05_mma_c8_bad_scale_kind(%d: !tcgen05.tmem<128x64xi32, D>,
    %a: memref<128x64xi8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>,
    %b: memref<64x64xui8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected no scale_d for kind i8, only f16 and tf32 have it}}
  tcgen05.mma i8 %d, %a, %b accumulate(%p) {scale_d = 1 : i32}
      : !tcgen05.tmem<128x64xi32, D>,
        memref<128x64xi8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>,
        memref<64x64xui8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @tcgen05_mma_c8_bad_negate(%d: !tcgen05.tmem<128x64xi32, D>,
    %a: memref<128x64xi8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>,
    %b: memref<64x64xui8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected no negate_a or negate_b for kind i8 (PTX ISA 9.0, 9.7.16.10.1 "Transpose and Negate operations")}}
  tcgen05.mma i8 %d, %a, %b accumulate(%p) {negate_b}
      : !tcgen05.tmem<128x64xi32, D>,
        memref<128x64xi8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>,
        memref<64x64xui8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @tcgen05_mma_c8_bad_saturate(%d: !tcgen05.tmem<128x64xf32, D>,
    %a: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
    %b: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{expected saturate only for kind i8, got kind f16}}
  tcgen05.mma f16 %d, %a, %b accumulate(%p) {saturate}
      : !tcgen05.tmem<128x64xf32, D>,
        memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
        memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @mma_bad_operand(%d: !tcgen05.tmem<128x64xf32, D>, %a: memref<128x64xbf16, #gpu.address_space<workgroup>>,
    %b: memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, %p: i1) {
  // expected-error @+1 {{operand #1 must be a tile in shared memory or a region of Tensor Memory}}
  tcgen05.mma f16 %d, %a, %b accumulate(%p)
      : !tcgen05.tmem<128x64xf32, D>, memref<128x64xbf16, #gpu.address_space<workgroup>>,
        memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
  return
}
