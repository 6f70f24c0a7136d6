// RUN: tc-opt %s -split-input-file -verify-diagnostics

func.func @tcgen05_mma_block_scale_c1_bad_kind(%d: !tcgen05.tmem<128x64xf32, D>, %a: memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>, %b: memref<64x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, %sa: !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, %sb: !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, %p: i1) {
  // expected-error @+1 {{expected a kind with scale factors (mxf8f6f4, mxf4, mxf4nvf4), got f8f6f4 (PTX ISA 9.0, 9.7.16.10.7 "Block Scaling")}}
  tcgen05.mma_block_scale f8f6f4 %d, %a, %b scales %sa, %sb accumulate(%p) : !tcgen05.tmem<128x64xf32, D>, memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>, memref<64x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
  return
}

// -----

func.func @tcgen05_mma_block_scale_c4_other_kind(%d: !tcgen05.tmem<128x64xf32, D>, %a: memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>, %b: memref<64x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, %sa: !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, %sb: !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, %p: i1) {
  // expected-error @+1 {{expected a of f4E2M1FN for kind mxf4nvf4, got 'f8E4M3FN'}}
  tcgen05.mma_block_scale mxf4nvf4 %d, %a, %b scales %sa, %sb accumulate(%p) : !tcgen05.tmem<128x64xf32, D>, memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>, memref<64x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
  return
}

// -----

func.func @tcgen05_mma_block_scale_c2_bad_m(%d: !tcgen05.tmem<64x64xf32, F>, %a: memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>, %b: memref<64x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, %sa: !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, %sb: !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, %p: i1) {
  // expected-error @+1 {{expected M of 128 for kind mxf8f6f4 with cta_group 1, got 64}}
  tcgen05.mma_block_scale mxf8f6f4 %d, %a, %b scales %sa, %sb accumulate(%p) : !tcgen05.tmem<64x64xf32, F>, memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>, memref<64x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
  return
}

// -----

func.func @tcgen05_mma_block_scale_c3_bad_n(%d: !tcgen05.tmem<128x60xf32, D>, %a: memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>, %b: memref<64x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, %sa: !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, %sb: !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, %p: i1) {
  // expected-error @+1 {{expected N to be a multiple of 8 from 8 to 256 for kind mxf8f6f4 with cta_group 1, got 60, the nearest is 64}}
  tcgen05.mma_block_scale mxf8f6f4 %d, %a, %b scales %sa, %sb accumulate(%p) : !tcgen05.tmem<128x60xf32, D>, memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>, memref<64x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
  return
}

// -----

func.func @tcgen05_mma_block_scale_c4_bad_a(%d: !tcgen05.tmem<128x64xf32, D>, %a: memref<128x128xi8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>, %b: memref<64x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, %sa: !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, %sb: !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, %p: i1) {
  // expected-error @+1 {{expected a of f8E4M3FN, f8E5M2, f6E2M3FN, f6E3M2FN or f4E2M1FN for kind mxf8f6f4, got 'i8'}}
  tcgen05.mma_block_scale mxf8f6f4 %d, %a, %b scales %sa, %sb accumulate(%p) : !tcgen05.tmem<128x64xf32, D>, memref<128x128xi8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>, memref<64x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
  return
}

// -----

func.func @tcgen05_mma_block_scale_c4_bad_d(%d: !tcgen05.tmem<128x64xf16, D>, %a: memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>, %b: memref<64x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, %sa: !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, %sb: !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, %p: i1) {
  // expected-error @+1 {{expected d of f32 for kind mxf8f6f4}}
  tcgen05.mma_block_scale mxf8f6f4 %d, %a, %b scales %sa, %sb accumulate(%p) : !tcgen05.tmem<128x64xf16, D>, memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>, memref<64x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
  return
}

// -----

func.func @tcgen05_mma_block_scale_c5_bad_rows(%d: !tcgen05.tmem<128x64xf32, D>, %a: memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>, %b: memref<128x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>, %sa: !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, %sb: !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, %p: i1) {
  // expected-error @+1 {{expected b to have the 64 columns of one CTA for N = 64 and cta_group 1, got 128}}
  tcgen05.mma_block_scale mxf8f6f4 %d, %a, %b scales %sa, %sb accumulate(%p) : !tcgen05.tmem<128x64xf32, D>, memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>, memref<128x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
  return
}

// -----

func.func @tcgen05_mma_block_scale_c6_bad_k(%d: !tcgen05.tmem<128x64xf32, D>, %a: memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>, %b: memref<64x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, %sa: !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, %sb: !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, %p: i1) {
  // expected-error @+1 {{expected a_k to be a multiple of K = 32 up to 96, got 16}}
  tcgen05.mma_block_scale mxf8f6f4 %d, %a, %b scales %sa, %sb accumulate(%p) {a_k = 16 : i64} : !tcgen05.tmem<128x64xf32, D>, memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>, memref<64x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
  return
}

// -----

func.func @tcgen05_mma_block_scale_c7_bad_layout(%d: !tcgen05.tmem<128x64xf32, D>, %a: memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>, %b: memref<64x128xf8E5M2, #sm90.smem_layout<mn_major, b128_atom32, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>, %sa: !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, %sb: !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, %p: i1) {
  // expected-error @+1 {{expected swizzle none, b32, b64 or b128 for mn_major b of kind mxf8f6f4, got b128_atom32}}
  tcgen05.mma_block_scale mxf8f6f4 %d, %a, %b scales %sa, %sb accumulate(%p) : !tcgen05.tmem<128x64xf32, D>, memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>, memref<64x128xf8E5M2, #sm90.smem_layout<mn_major, b128_atom32, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
  return
}

// -----

func.func @tcgen05_mma_block_scale_c9_bad_layout(%d: !tcgen05.tmem<128x64xf32, D>, %a: memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>, %b: memref<64x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, %sa: !tcgen05.tmem<128x16xi32, raw>, %sb: !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, %p: i1) {
  // expected-error @+1 {{expected scales_a of '!tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>' for 128 rows, got '!tcgen05.tmem<128x16xi32, raw>' (PTX ISA 9.0, 9.7.16.10.7.2 "Scale Factor A ID")}}
  tcgen05.mma_block_scale mxf8f6f4 %d, %a, %b scales %sa, %sb accumulate(%p) : !tcgen05.tmem<128x64xf32, D>, memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>, memref<64x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, !tcgen05.tmem<128x16xi32, raw>, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
  return
}

// -----

func.func @tcgen05_mma_block_scale_c11_bad_element(%d: !tcgen05.tmem<128x64xf32, D>, %a: memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>, %b: memref<64x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, %sa: !tcgen05.tmem<128x16xf8E4M3FN, scales, packed>, %sb: !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, %p: i1) {
  // expected-error @+1 {{expected scale factors of f8E8M0FNU for 32 elements for kind mxf8f6f4, got 'f8E4M3FN' for 32 (PTX ISA 9.0, 9.7.16.10.7 "Block Scaling")}}
  tcgen05.mma_block_scale mxf8f6f4 %d, %a, %b scales %sa, %sb accumulate(%p) : !tcgen05.tmem<128x64xf32, D>, memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>, memref<64x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, !tcgen05.tmem<128x16xf8E4M3FN, scales, packed>, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
  return
}

// -----

func.func @tcgen05_mma_block_scale_c9_bad_rows(%d: !tcgen05.tmem<128x136xf32, D>, %a: memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>, %b: memref<136x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 17408>, #gpu.address_space<workgroup>>, %sa: !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, %sb: !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, %p: i1) {
  // expected-error @+1 {{expected scales_b of '!tcgen05.tmem<128x32xf8E8M0FNU, scales, packed>' for 136 rows, got '!tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>' (PTX ISA 9.0, 9.7.16.10.7.3 "Scale Factor B ID")}}
  tcgen05.mma_block_scale mxf8f6f4 %d, %a, %b scales %sa, %sb accumulate(%p) : !tcgen05.tmem<128x136xf32, D>, memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>, memref<136x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 17408>, #gpu.address_space<workgroup>>, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
  return
}

// -----

func.func @tcgen05_mma_block_scale_c10_bad_block(%d: !tcgen05.tmem<128x64xf32, D>, %a: memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>, %b: memref<64x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, %sa: !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, %sb: !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, %p: i1) {
  // expected-error @+1 {{expected b_block from 0 to 3, got 4}}
  tcgen05.mma_block_scale mxf8f6f4 %d, %a, %b scales %sa, %sb accumulate(%p) {b_block = 4 : i64} : !tcgen05.tmem<128x64xf32, D>, memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>, memref<64x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
  return
}

// -----

func.func @tcgen05_mma_block_scale_c9_other_element(%d: !tcgen05.tmem<128x64xf32, D>, %a: memref<128x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 4, slab = 32768>, #gpu.address_space<workgroup>>, %b: memref<64x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 4, slab = 16384>, #gpu.address_space<workgroup>>, %sa: !tcgen05.tmem<128x16xf8E4M3FN, scales, packed>, %sb: !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, %p: i1) {
  // expected-error @+1 {{expected scales_b of '!tcgen05.tmem<128x16xf8E4M3FN, scales, packed>' for 64 rows, got '!tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>'}}
  tcgen05.mma_block_scale mxf4nvf4 %d, %a, %b scales %sa, %sb accumulate(%p) {scale_block = 16 : i64} : !tcgen05.tmem<128x64xf32, D>, memref<128x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 4, slab = 32768>, #gpu.address_space<workgroup>>, memref<64x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 4, slab = 16384>, #gpu.address_space<workgroup>>, !tcgen05.tmem<128x16xf8E4M3FN, scales, packed>, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
  return
}

// -----

func.func @tcgen05_mma_block_scale_c10_step(%d: !tcgen05.tmem<128x64xf32, D>, %a: memref<128x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 4, slab = 32768>, #gpu.address_space<workgroup>>, %b: memref<64x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 4, slab = 16384>, #gpu.address_space<workgroup>>, %sa: !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, %sb: !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, %p: i1) {
  // expected-error @+1 {{expected a_block to be a multiple of the 2 factors of an instruction, up to 2, got 1}}
  tcgen05.mma_block_scale mxf4 %d, %a, %b scales %sa, %sb accumulate(%p) {a_block = 1 : i64} : !tcgen05.tmem<128x64xf32, D>, memref<128x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 4, slab = 32768>, #gpu.address_space<workgroup>>, memref<64x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 4, slab = 16384>, #gpu.address_space<workgroup>>, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
  return
}

// -----

func.func @tcgen05_mma_block_scale_c10_four(%d: !tcgen05.tmem<128x64xf32, D>, %a: memref<128x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 4, slab = 32768>, #gpu.address_space<workgroup>>, %b: memref<64x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 4, slab = 16384>, #gpu.address_space<workgroup>>, %sa: !tcgen05.tmem<128x16xf8E4M3FN, scales, packed>, %sb: !tcgen05.tmem<128x16xf8E4M3FN, scales, packed>, %p: i1) {
  // expected-error @+1 {{expected b_block to be a multiple of the 4 factors of an instruction, up to 0, got 2}}
  tcgen05.mma_block_scale mxf4nvf4 %d, %a, %b scales %sa, %sb accumulate(%p) {b_block = 2 : i64, scale_block = 16 : i64} : !tcgen05.tmem<128x64xf32, D>, memref<128x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 4, slab = 32768>, #gpu.address_space<workgroup>>, memref<64x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 4, slab = 16384>, #gpu.address_space<workgroup>>, !tcgen05.tmem<128x16xf8E4M3FN, scales, packed>, !tcgen05.tmem<128x16xf8E4M3FN, scales, packed>
  return
}

// -----

func.func @tcgen05_mma_block_scale_c11_mxf4_16(%d: !tcgen05.tmem<128x64xf32, D>, %a: memref<128x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 4, slab = 32768>, #gpu.address_space<workgroup>>, %b: memref<64x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 4, slab = 16384>, #gpu.address_space<workgroup>>, %sa: !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, %sb: !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, %p: i1) {
  // expected-error @+1 {{expected scale factors of f8E8M0FNU for 32 elements for kind mxf4, got 'f8E8M0FNU' for 16}}
  tcgen05.mma_block_scale mxf4 %d, %a, %b scales %sa, %sb accumulate(%p) {scale_block = 16 : i64} : !tcgen05.tmem<128x64xf32, D>, memref<128x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 4, slab = 32768>, #gpu.address_space<workgroup>>, memref<64x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 4, slab = 16384>, #gpu.address_space<workgroup>>, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
  return
}

// -----

func.func @tcgen05_mma_block_scale_c11_nvf4_64(%d: !tcgen05.tmem<128x64xf32, D>, %a: memref<128x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 4, slab = 32768>, #gpu.address_space<workgroup>>, %b: memref<64x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 4, slab = 16384>, #gpu.address_space<workgroup>>, %sa: !tcgen05.tmem<128x16xf8E4M3FN, scales, packed>, %sb: !tcgen05.tmem<128x16xf8E4M3FN, scales, packed>, %p: i1) {
  // expected-error @+1 {{expected scale factors of f8E4M3FN for 16 elements, f8E8M0FNU for 16 elements, f8E8M0FNU for 32 elements, f8E4M3FN for 32 elements, ui8 (ue5m3) for 16 elements or ui8 (ue5m3) for 32 elements for kind mxf4nvf4, got 'f8E4M3FN' for 64}}
  tcgen05.mma_block_scale mxf4nvf4 %d, %a, %b scales %sa, %sb accumulate(%p) {scale_block = 64 : i64} : !tcgen05.tmem<128x64xf32, D>, memref<128x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 4, slab = 32768>, #gpu.address_space<workgroup>>, memref<64x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 4, slab = 16384>, #gpu.address_space<workgroup>>, !tcgen05.tmem<128x16xf8E4M3FN, scales, packed>, !tcgen05.tmem<128x16xf8E4M3FN, scales, packed>
  return
}

// -----

func.func @tcgen05_mma_block_scale_c6_step(%d: !tcgen05.tmem<128x64xf32, D>, %a: memref<128x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 4, slab = 32768>, #gpu.address_space<workgroup>>, %b: memref<64x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 4, slab = 16384>, #gpu.address_space<workgroup>>, %sa: !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, %sb: !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, %p: i1) {
  // expected-error @+1 {{expected a_k to be a multiple of K = 64 up to 192, got 32}}
  tcgen05.mma_block_scale mxf4 %d, %a, %b scales %sa, %sb accumulate(%p) {a_k = 32 : i64} : !tcgen05.tmem<128x64xf32, D>, memref<128x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 4, slab = 32768>, #gpu.address_space<workgroup>>, memref<64x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 4, slab = 16384>, #gpu.address_space<workgroup>>, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
  return
}

// -----

func.func @tcgen05_mma_block_scale_c7_bits(%d: !tcgen05.tmem<128x64xf32, D>, %a: memref<128x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>, %b: memref<64x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 4, slab = 16384>, #gpu.address_space<workgroup>>, %sa: !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, %sb: !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, %p: i1) {
  // expected-error @+1 {{expected the layout of a to have bits = 4, those of 'f4E2M1FN' of kind mxf4, got 8}}
  tcgen05.mma_block_scale mxf4 %d, %a, %b scales %sa, %sb accumulate(%p) : !tcgen05.tmem<128x64xf32, D>, memref<128x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>, memref<64x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 4, slab = 16384>, #gpu.address_space<workgroup>>, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
  return
}

// -----

func.func @tcgen05_warp_window_c1_scales(%d: !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>) {
  // expected-error @+1 {{expected a whole region with a data path layout, got '!tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>'}}
  %w = tcgen05.warp_window %d : !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
  return
}

// -----

// expected-error @+1 {{got 128x16 elements of 8 bits, not packed (PTX ISA 9.0, 9.7.16.10.7.2 "Scale Factor A ID")}}
func.func private @scales_21(!tcgen05.tmem<128x16xf8E8M0FNU, scales>)

// -----

// expected-error @+1 {{expected 128 lanes, a multiple of 16 columns and packed elements of 8 bits for layout scales, got 128x8 elements of 8 bits}}
func.func private @scales_22(!tcgen05.tmem<128x8xf8E8M0FNU, scales, packed>)

// -----

// expected-error @+1 {{got 128x16 elements of 16 bits}}
func.func private @scales_23(!tcgen05.tmem<128x16xf16, scales, packed>)

// -----

// expected-error @+1 {{expected 128 lanes for layout scales, got 32}}
func.func private @scales_24(!tcgen05.tmem<32x16xf8E8M0FNU, scales, packed>)
