// Rules of instructions that read 64 bytes of a row, of the collector buffer of B and of
// exclusive allocations.
// RUN: tc-opt %s -split-input-file -verify-diagnostics

!d = !tcgen05.tmem<128x256xf32, D>
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<256x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 16384>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_c13_kind(%d: !d, %a: !a, %b: !b, %p: i1) {
  // expected-error @+1 {{expected no wide_k for kind f16, only f8f6f4, mxf8f6f4, mxf4 and mxf4nvf4 have it (PTX ISA 9.4, 9.7.18.2.1 "Matrix Shape")}}
  tcgen05.mma f16 %d, %a, %b accumulate(%p) {wide_k} : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x256xf32, D>
!a = memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>
!b = memref<256x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 32768>, #gpu.address_space<workgroup>>
!e8 = !tcgen05.tmem<128x2xi32, metadata8>
func.func @tcgen05_mma_c13_sparse(%d: !d, %a: !a, %b: !b, %e: !e8, %p: i1) {
  // expected-error @+1 {{expected no wide_k for a sparse a: sources disagree on its instruction descriptor (PTX ISA 9.4, 9.7.18.2.1 "Matrix Shape")}}
  tcgen05.mma f8f6f4 %d, %a, %b sparse(%e : !e8) accumulate(%p) {wide_k} : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<64x256xf32, F>
!a = memref<64x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<256x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 32768>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_c13_rows(%d: !d, %a: !a, %b: !b, %p: i1) {
  // expected-error @+1 {{expected 128 rows of a in a CTA with wide_k, got 64 (PTX ISA 9.4, 9.7.18.2.1 "Matrix Shape")}}
  tcgen05.mma f8f6f4 %d, %a, %b accumulate(%p) {wide_k} : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x256xf32, D>
!a = memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>
!b = memref<256x128xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 32768>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_c13_type(%d: !d, %a: !a, %b: !b, %p: i1) {
  // expected-error @+1 {{expected b of f8E4M3FN or f8E5M2 for kind f8f6f4 with wide_k, got 'f4E2M1FN' (PTX ISA 9.4, 9.7.18.2.1 "Matrix Shape")}}
  tcgen05.mma f8f6f4 %d, %a, %b accumulate(%p) {wide_k} : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x256xf32, D>
!a = memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b32, bits = 8, slab = 4096>, #gpu.address_space<workgroup>>
!b = memref<256x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 32768>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_c13_swizzle(%d: !d, %a: !a, %b: !b, %p: i1) {
  // expected-error @+1 {{expected swizzle none, b64 or b128 for k_major a of an instruction with wide_k, which reads 64 bytes of a row, got b32 (PTX ISA 9.0, 9.7.16.3 "Major-ness supported by Strides")}}
  tcgen05.mma f8f6f4 %d, %a, %b accumulate(%p) {wide_k} : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x256xf32, D>
!a = memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>
!b = memref<256x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 32768>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_c6_wide_step(%d: !d, %a: !a, %b: !b, %p: i1) {
  // expected-error @+1 {{expected a_k to be a multiple of K = 64 up to 64, got 32}}
  tcgen05.mma f8f6f4 %d, %a, %b accumulate(%p) {wide_k, a_k = 32 : i64} : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x256xi32, D>
!a = memref<128x64xi8, #sm90.smem_layout<k_major, b64, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<256x64xi8, #sm90.smem_layout<k_major, b64, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_c14_kind(%d: !d, %a: !a, %b: !b, %p: i1) {
  // expected-error @+1 {{expected no collector_b for kind i8, only f16, tf32, f8f6f4 and ti16 have it, got fill (PTX ISA 9.4, 9.7.18.10.9 "TensorCore 5th Generation Instructions: tcgen05.mma")}}
  tcgen05.mma i8 %d, %a, %b accumulate(%p) collector_b fill : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x256xf32, D>
!a = memref<128x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 4, slab = 32768>, #gpu.address_space<workgroup>>
!b = memref<256x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 4, slab = 65536>, #gpu.address_space<workgroup>>
!sf = !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
!sb = !tcgen05.tmem<128x32xf8E8M0FNU, scales, packed>
func.func @tcgen05_mma_block_scale_c13_scale_vec(%d: !d, %a: !a, %b: !b, %sa: !sf, %sb: !sb, %p: i1) {
  // expected-error @+1 {{expected no scale_vec with wide_k: of .scale_vec at this K sources disagree, the size of a block says the same (PTX ISA 9.4, 9.7.18.2.1 "Matrix Shape")}}
  tcgen05.mma_block_scale mxf4 %d, %a, %b scales %sa, %sb accumulate(%p) {wide_k, scale_vec} : !d, !a, !b, !sf, !sb
  return
}

// -----

!d = !tcgen05.tmem<128x64xf32, D>
!a = memref<128x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 4, slab = 32768>, #gpu.address_space<workgroup>>
!b = memref<64x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 4, slab = 16384>, #gpu.address_space<workgroup>>
!sf = !tcgen05.tmem<128x32xf8E4M3FN, scales, packed>
func.func @tcgen05_mma_block_scale_c13_columns(%d: !d, %a: !a, %b: !b, %sa: !sf, %sb: !sf, %p: i1) {
  // expected-error @+1 {{expected N to be 128 or 256 with wide_k and scale_block 16: of other N sources disagree on the factors of b, got 64 (PTX ISA 9.4, 9.7.18.2.1 "Matrix Shape")}}
  tcgen05.mma_block_scale mxf4nvf4 %d, %a, %b scales %sa, %sb accumulate(%p) {wide_k, scale_block = 16 : i64} : !d, !a, !b, !sf, !sf
  return
}

// -----

!d = !tcgen05.tmem<128x256xf32, D>
!a = memref<128x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 4, slab = 32768>, #gpu.address_space<workgroup>>
!b = memref<256x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 4, slab = 65536>, #gpu.address_space<workgroup>>
!sf = !tcgen05.tmem<128x16xf8E4M3FN, scales, packed>
!sb = !tcgen05.tmem<128x64xf8E4M3FN, scales, packed>
func.func @tcgen05_mma_block_scale_c9_two_cells(%d: !d, %a: !a, %b: !b, %sa: !sf, %sb: !sb, %p: i1) {
  // expected-error @+1 {{expected scales_a of '!tcgen05.tmem<128x32xf8E4M3FN, scales, packed>' for 128 rows, got '!tcgen05.tmem<128x16xf8E4M3FN, scales, packed>'}}
  tcgen05.mma_block_scale mxf4nvf4 %d, %a, %b scales %sa, %sb accumulate(%p) {wide_k, scale_block = 16 : i64} : !d, !a, !b, !sf, !sb
  return
}

// -----

!d = !tcgen05.tmem<128x256xf32, D>
!a = memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>
!b = memref<256x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 32768>, #gpu.address_space<workgroup>>
!sf = !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
!sb = !tcgen05.tmem<128x32xf8E8M0FNU, scales, packed>
func.func @tcgen05_mma_block_scale_c10_two_factors(%d: !d, %a: !a, %b: !b, %sa: !sf, %sb: !sb, %p: i1) {
  // expected-error @+1 {{expected a_block to be a multiple of the 2 factors of an instruction, up to 2, got 1}}
  tcgen05.mma_block_scale mxf8f6f4 %d, %a, %b scales %sa, %sb accumulate(%p) {wide_k, a_block = 1 : i64} : !d, !a, !b, !sf, !sb
  return
}

// -----

!d = !tcgen05.tmem<128x24xi32, D>
!a = memref<128x64xi16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 16384>, #gpu.address_space<workgroup>>
!b = memref<24x64xi16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 3072>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_c3_ti16(%d: !d, %a: !a, %b: !b, %p: i1) {
  // expected-error @+1 {{expected N to be a multiple of 16 from 16 to 256 for kind ti16 with cta_group 1, got 24, the nearest is 32}}
  tcgen05.mma ti16 %d, %a, %b accumulate(%p) : !d, !a, !b
  return
}

// -----

// With 64 rows N is a multiple of 8.
!d = !tcgen05.tmem<64x24xi32, F>
!a = memref<64x64xi16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<24x64xi16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 3072>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_c4_ti16(%d: !d, %a: !a, %b: !b, %e: !tcgen05.tmem<64x24xf32, F>, %p: i1) {
  tcgen05.mma ti16 %d, %a, %b accumulate(%p) : !d, !a, !b
  // expected-error @+1 {{expected d of i32 for kind ti16 with a of 'i16', got 'f32'}}
  tcgen05.mma ti16 %e, %a, %b accumulate(%p) : !tcgen05.tmem<64x24xf32, F>, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x64xi32, D>
!a = memref<128x64xi16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 16384>, #gpu.address_space<workgroup>>
!b = memref<64x64xi16, #sm90.smem_layout<mn_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_c7_ti16(%d: !d, %a: !a, %b: !b, %p: i1) {
  // expected-error @+1 {{expected k_major b of 'i16' for kind ti16, of which the tables of PTX ISA 9.4 disagree, got mn_major}}
  tcgen05.mma ti16 %d, %a, %b accumulate(%p) : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x64xi32, D>
!a = memref<128x64xi16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 16384>, #gpu.address_space<workgroup>>
!b = memref<64x64xi16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_c8_ti16(%d: !d, %a: !a, %b: !b, %p: i1) {
  // expected-error @+1 {{expected no scale_d for kind ti16, only f16 and tf32 have it}}
  tcgen05.mma ti16 %d, %a, %b accumulate(%p) {scale_d = 3 : i32} : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x64xi32, D>
!a = memref<128x64xi16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 16384>, #gpu.address_space<workgroup>>
!b = memref<64x64xi16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_ws_c8_ti16(%d: !d, %a: !a, %b: !b, %p: i1) {
  // expected-error @+1 {{expected saturate only for kind i8, got kind ti16}}
  tcgen05.mma_ws ti16 %d, %a, %b accumulate(%p) {saturate} : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x256xf32, D>
!a = memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>
!b = memref<256x256xi3, #sm90.smem_layout<k_major, b64, bits = 4, slab = 32768>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_c15(%d: !d, %a: !a, %b: !b, %p: i1) {
  // expected-error @+1 {{expected lookup with b of indices, 'i3' (PTX ISA 9.4, 9.7.18.10.8 "Decompression of input matrices")}}
  tcgen05.mma f8f6f4 %d, %a, %b accumulate(%p) {wide_k} : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x256xf32, D>
!a = memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>
!b = memref<256x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 32768>, #gpu.address_space<workgroup>>
!t = !tcgen05.tmem<128x8xf8E4M3FN, D, packed>
func.func @tcgen05_mma_c15_indices(%d: !d, %a: !a, %b: !b, %t: !t, %p: i1) {
  // expected-error @+1 {{expected b of i3, indices into the table, with lookup, got 'f8E4M3FN' (PTX ISA 9.4, 9.7.18.10.8 "Decompression of input matrices")}}
  tcgen05.mma f8f6f4 %d, %a, %b lookup(%t : !t) accumulate(%p) {wide_k} : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x256xi32, D>
!a = memref<128x128xi8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>
!b = memref<256x256xi3, #sm90.smem_layout<k_major, b64, bits = 4, slab = 32768>, #gpu.address_space<workgroup>>
!t = !tcgen05.tmem<128x8xf8E4M3FN, D, packed>
func.func @tcgen05_mma_c15_kind(%d: !d, %a: !a, %b: !b, %t: !t, %p: i1) {
  // expected-error @+1 {{expected no lookup for kind i8, only f8f6f4 and mxf8f6f4 have it (PTX ISA 9.4, 9.7.18.10.8 "Decompression of input matrices")}}
  tcgen05.mma i8 %d, %a, %b lookup(%t : !t) accumulate(%p) {wide_k} : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x256xf32, D>
!a = memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>
!b = memref<256x256xi3, #sm90.smem_layout<k_major, b64, bits = 4, slab = 32768>, #gpu.address_space<workgroup>>
!t = !tcgen05.tmem<128x8xf8E4M3FN, D, packed>
func.func @tcgen05_mma_c15_narrow(%d: !d, %a: !a, %b: !b, %t: !t, %p: i1) {
  // expected-error @+1 {{expected wide_k with lookup, whose K is 64 (PTX ISA 9.4, 9.7.18.10.8 "Decompression of input matrices")}}
  tcgen05.mma f8f6f4 %d, %a, %b lookup(%t : !t) accumulate(%p) : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x256xf32, D>
!a = memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>
!b = memref<256x64xi3, #sm90.smem_layout<k_major, b64, bits = 4, slab = 32768>, #gpu.address_space<workgroup>>
!t = !tcgen05.tmem<128x8xf8E4M3FN, D, packed>
func.func @tcgen05_mma_c15_rows(%d: !d, %a: !a, %b: !b, %t: !t, %p: i1) {
  // expected-error @+1 {{expected rows of b to have a multiple of 128 indices, which share 48 bytes, got 64 (PTX ISA 9.4, 9.7.18.10.8 "Decompression of input matrices")}}
  tcgen05.mma f8f6f4 %d, %a, %b lookup(%t : !t) accumulate(%p) {wide_k} : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x256xf32, D>
!a = memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>
!b = memref<256x256xi3, #sm90.smem_layout<k_major, b32, bits = 4, slab = 16384>, #gpu.address_space<workgroup>>
!t = !tcgen05.tmem<128x8xf8E4M3FN, D, packed>
func.func @tcgen05_mma_c15_swizzle(%d: !d, %a: !a, %b: !b, %t: !t, %p: i1) {
  // expected-error @+1 {{expected swizzle none, b64 or b128 for k_major b of an instruction with lookup, which reads 48 bytes of a row, got b32}}
  tcgen05.mma f8f6f4 %d, %a, %b lookup(%t : !t) accumulate(%p) {wide_k} : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x256xf32, D>
!a = memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>
!b = memref<256x128xi3, #sm90.smem_layout<k_major, b64, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>
!t = !tcgen05.tmem<128x8xf8E4M3FN, D, packed>
func.func @tcgen05_mma_c15_bits(%d: !d, %a: !a, %b: !b, %t: !t, %p: i1) {
  // expected-error @+1 {{expected the layout of b to have bits = 4, those of 'i3' of kind f8f6f4, got 8}}
  tcgen05.mma f8f6f4 %d, %a, %b lookup(%t : !t) accumulate(%p) {wide_k} : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x256xf32, D>
!a = memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>
!b = memref<256x256xi3, #sm90.smem_layout<k_major, b64, bits = 4, slab = 32768>, #gpu.address_space<workgroup>>
!t = !tcgen05.tmem<128x16xf8E4M3FN, D, packed>
func.func @tcgen05_mma_c15_table(%d: !d, %a: !a, %b: !b, %t: !t, %p: i1) {
  // expected-error @+1 {{expected lookup of '!tcgen05.tmem<128x8xf8E4M3FN, D, packed>' or of its window, '!tcgen05.tmem<32x8xf8E4M3FN, D, packed>', got '!tcgen05.tmem<128x16xf8E4M3FN, D, packed>' (PTX ISA 9.4, 9.7.18.10.8 "Decompression of input matrices")}}
  tcgen05.mma f8f6f4 %d, %a, %b lookup(%t : !t) accumulate(%p) {wide_k} : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x256xf32, D>
!a = !tcgen05.tmem<128x128xf8E4M3FN, D, packed>
!b = memref<256x256xi3, #sm90.smem_layout<k_major, b64, bits = 4, slab = 32768>, #gpu.address_space<workgroup>>
!t = !tcgen05.tmem<128x8xf8E4M3FN, D, packed>
func.func @tcgen05_mma_c15_shift(%d: !d, %a: !a, %b: !b, %t: !t, %p: i1) {
  // expected-error @+1 {{expected no ashift with lookup (PTX ISA 9.4, 9.7.18.10.8 "Decompression of input matrices")}}
  tcgen05.mma f8f6f4 %d, %a, %b lookup(%t : !t) accumulate(%p) {wide_k, ashift} : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x256xf32, D>
!a = memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>
!b = memref<256x256xi3, #sm90.smem_layout<k_major, b64, bits = 4, slab = 32768>, #gpu.address_space<workgroup>>
!t = !tcgen05.tmem<128x8xf8E4M3FN, D, packed>
!sa = !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
!sb = !tcgen05.tmem<128x32xf8E8M0FNU, scales, packed>
func.func @tcgen05_mma_block_scale_c14(%d: !d, %a: !a, %b: !b, %t: !t, %sa: !sa, %sb: !sb, %p: i1) {
  // expected-error @+1 {{expected wide_k with lookup, whose K is 64 (PTX ISA 9.4, 9.7.18.10.8 "Decompression of input matrices")}}
  tcgen05.mma_block_scale mxf8f6f4 %d, %a, %b lookup(%t : !t) scales %sa, %sb accumulate(%p) : !d, !a, !b, !sa, !sb
  return
}

// -----

!d = !tcgen05.tmem<128x256xf32, D>
!a = memref<128x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 4, slab = 32768>, #gpu.address_space<workgroup>>
!b = memref<256x256xi3, #sm90.smem_layout<k_major, b64, bits = 4, slab = 32768>, #gpu.address_space<workgroup>>
!t = !tcgen05.tmem<128x8xf8E4M3FN, D, packed>
!sa = !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
!sb = !tcgen05.tmem<128x32xf8E8M0FNU, scales, packed>
func.func @tcgen05_mma_block_scale_c14_kind(%d: !d, %a: !a, %b: !b, %t: !t, %sa: !sa, %sb: !sb, %p: i1) {
  // expected-error @+1 {{expected no lookup for kind mxf4, only f8f6f4 and mxf8f6f4 have it (PTX ISA 9.4, 9.7.18.10.8 "Decompression of input matrices")}}
  tcgen05.mma_block_scale mxf4 %d, %a, %b lookup(%t : !t) scales %sa, %sb accumulate(%p) {wide_k} : !d, !a, !b, !sa, !sb
  return
}

// -----

!d = !tcgen05.tmem<128x256xf32, D>
!a = memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>
!b = memref<256x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 32768>, #gpu.address_space<workgroup>>
!sa = !tcgen05.tmem<128x8xf8E8M0FNU, D, packed>
!sb = !tcgen05.tmem<128x32xf8E8M0FNU, scales, packed>
func.func @tcgen05_mma_block_scale_c9_lanes(%d: !d, %a: !a, %b: !b, %sa: !sa, %sb: !sb, %p: i1) {
  // expected-error @+1 {{expected scales_a of '!tcgen05.tmem<128x4xf8E8M0FNU, D, packed>' for 128 rows, got '!tcgen05.tmem<128x8xf8E8M0FNU, D, packed>'}}
  tcgen05.mma_block_scale mxf8f6f4 %d, %a, %b scales %sa, %sb accumulate(%p) : !d, !a, !b, !sa, !sb
  return
}

// -----

!d = !tcgen05.tmem<128x64xf32, B>
!a = memref<64x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<64x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>
!sa = !tcgen05.tmem<128x4xf8E8M0FNU, D, packed>
!sb = !tcgen05.tmem<128x16xf8E8M0FNU, scales_split, packed>
func.func @tcgen05_mma_block_scale_c9_lanes_pair(%d: !d, %a: !a, %b: !b, %sa: !sa, %sb: !sb, %p: i1) {
  // expected-error @+1 {{expected scales_a of '!tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>' for 64 rows, got '!tcgen05.tmem<128x4xf8E8M0FNU, D, packed>'}}
  tcgen05.mma_block_scale mxf8f6f4 cta_group 2 %d, %a, %b scales %sa, %sb accumulate(%p) : !d, !a, !b, !sa, !sb
  return
}

// -----

!d = !tcgen05.tmem<128x256xf32, D>
!a = !tcgen05.tmem<128x64xf4E2M1FN, D, packed>
!b = memref<256x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 32768>, #gpu.address_space<workgroup>>
!sa = !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
!sb = !tcgen05.tmem<128x32xf8E8M0FNU, scales, packed>
func.func @tcgen05_mma_block_scale_c13_tmem(%d: !d, %a: !a, %b: !b, %sa: !sa, %sb: !sb, %p: i1) {
  // expected-error @+1 {{expected a in shared memory with wide_k and elements of 'f4E2M1FN', of which no text says how they are in Tensor Memory, got '!tcgen05.tmem<128x64xf4E2M1FN, D, packed>' (PTX ISA 9.4, 9.7.18.2.1}}
  tcgen05.mma_block_scale mxf8f6f4 %d, %a, %b scales %sa, %sb accumulate(%p) {wide_k} : !d, !a, !b, !sa, !sb
  return
}

// -----

!d = !tcgen05.tmem<128x256xf32, D>
!a = !tcgen05.tmem<128x64xf6E2M3FN, D, bytes>
!b = memref<256x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 32768>, #gpu.address_space<workgroup>>
!sa = !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
!sb = !tcgen05.tmem<128x32xf8E8M0FNU, scales, packed>
func.func @tcgen05_mma_block_scale_c12_packed(%d: !d, %a: !a, %b: !b, %sa: !sa, %sb: !sb, %p: i1) {
  // expected-error @+1 {{expected a to be whole, with layout D, that of d, and elements of 6 bits (packed), got '!tcgen05.tmem<128x64xf6E2M3FN, D, bytes>'}}
  tcgen05.mma_block_scale mxf8f6f4 %d, %a, %b scales %sa, %sb accumulate(%p) {wide_k} : !d, !a, !b, !sa, !sb
  return
}

// -----

!d = !tcgen05.tmem<128x256xf32, D>
!a = memref<128x128xf6E2M3FN, #sm90.smem_layout<k_major, b32, bits = 6, slab = 4096>, #gpu.address_space<workgroup>>
!b = memref<256x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 32768>, #gpu.address_space<workgroup>>
!sa = !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
!sb = !tcgen05.tmem<128x32xf8E8M0FNU, scales, packed>
func.func @tcgen05_mma_block_scale_c13_span(%d: !d, %a: !a, %b: !b, %sa: !sa, %sb: !sb, %p: i1) {
  // expected-error @+1 {{expected swizzle none, b64 or b128 for k_major a of an instruction with wide_k, which reads 48 bytes of a row, got b32}}
  tcgen05.mma_block_scale mxf8f6f4 %d, %a, %b scales %sa, %sb accumulate(%p) {wide_k} : !d, !a, !b, !sa, !sb
  return
}

// -----

!d = !tcgen05.tmem<128x256xf32, D>
!a = memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>
!b = memref<256x128xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 32768>, #gpu.address_space<workgroup>>
!sa = !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
!sb = !tcgen05.tmem<128x32xf8E8M0FNU, scales, packed>
func.func @tcgen05_mma_block_scale_c7_packed(%d: !d, %a: !a, %b: !b, %sa: !sa, %sb: !sb, %p: i1) {
  // expected-error @+1 {{expected the layout of b to have bits = 4, those of 'f4E2M1FN' of kind mxf8f6f4, got 8}}
  tcgen05.mma_block_scale mxf8f6f4 %d, %a, %b scales %sa, %sb accumulate(%p) {wide_k} : !d, !a, !b, !sa, !sb
  return
}

// -----

// What TMA unpacks has gaps.
!d = !tcgen05.tmem<128x256xf32, D>
!a = memref<128x128xf6E2M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>
!b = memref<256x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 32768>, #gpu.address_space<workgroup>>
!sa = !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
!sb = !tcgen05.tmem<128x32xf8E8M0FNU, scales, packed>
func.func @tcgen05_mma_block_scale_c7_unpacked(%d: !d, %a: !a, %b: !b, %sa: !sa, %sb: !sb, %p: i1) {
  // expected-error @+1 {{expected the layout of a to have bits = 6, those of 'f6E2M3FN' of kind mxf8f6f4, got 8}}
  tcgen05.mma_block_scale mxf8f6f4 %d, %a, %b scales %sa, %sb accumulate(%p) {wide_k} : !d, !a, !b, !sa, !sb
  return
}

// -----

!d = !tcgen05.tmem<128x256xf32, D>
!a = memref<128x32xf8E4M3FN, #sm90.smem_layout<k_major, none, bits = 8, slab = 2048>, #gpu.address_space<workgroup>>
!b = memref<256x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 32768>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_c6_short_rows(%d: !d, %a: !a, %b: !b, %p: i1) {
  // expected-error @+1 {{expected rows of a of at least 64 elements, which one instruction reads, got 32}}
  tcgen05.mma f8f6f4 %d, %a, %b accumulate(%p) {wide_k} : !d, !a, !b
  return
}

// -----

// An element without a width.
!d = !tcgen05.tmem<128x64xf32, D>
!a = memref<128x64xf8E4M3FN, #sm90.smem_layout<k_major, b64, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<64x64xindex, #sm90.smem_layout<mn_major, b64, bits = 8, slab = 4096>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_c3_no_width(%d: !d, %a: !a, %b: !b, %p: i1) {
  // expected-error @+1 {{'index'}}
  tcgen05.mma f8f6f4 %d, %a, %b accumulate(%p) : !d, !a, !b
  return
}

// -----

func.func @tcgen05_commit_c1_many(%bar: !sm90.mbarrier) {
  %none = arith.constant 0 : i32
  // expected-error @+1 {{expected multicast32 to name a CTA, got 0}}
  tcgen05.commit %bar multicast32 %none : !sm90.mbarrier
  return
}

// -----

func.func @tcgen05_commit_c2(%bar: !sm90.mbarrier, %few: i16, %many: i32) {
  // expected-error @+1 {{expected multicast or multicast32, got both (PTX ISA 9.4, 9.7.18.12}}
  tcgen05.commit %bar multicast %few multicast32 %many : !sm90.mbarrier
  return
}

// -----

func.func @tcgen05_alloc_c1_exclusive(%slot: memref<1xi32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expected columns of an exclusive allocation to be a multiple of 32 up to 576, got 608, the nearest is 576 (PTX ISA 9.4, 9.7.18.7 "Tensor Memory Allocation and Management Instructions")}}
  tcgen05.alloc %slot, 608 exclusive : memref<1xi32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @tcgen05_dealloc_c1_exclusive(%tmem: !tcgen05.tmem<128x100xi32, raw>) {
  // expected-error @+1 {{expected columns of an exclusive allocation to be a multiple of 32 up to 576, got 100, the nearest is 128}}
  tcgen05.dealloc %tmem exclusive : !tcgen05.tmem<128x100xi32, raw>
  return
}

// -----

// Without 'exclusive' no allocation has more than 512.
func.func @tcgen05_alloc_c1_shared(%slot: memref<1xi32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expected columns to be a power of two from 32 to 512, got 576, the nearest is 512}}
  tcgen05.alloc %slot, 576 : memref<1xi32, #gpu.address_space<workgroup>>
  return
}
