// The rules of tcgen05.mma_ws and tcgen05.column_mask, one function for each.
// RUN: tc-opt %s -split-input-file -verify-diagnostics

!d = !tcgen05.tmem<128x64xf32, D>
!a = memref<128x64xf8E4M3FN, #sm90.smem_layout<k_major, b64, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<64x64xf8E4M3FN, #sm90.smem_layout<k_major, b64, bits = 8, slab = 4096>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_ws_c1_bad_kind(%d: !d, %a: !a, %b: !b, %p: i1) {
  // expected-error @+1 {{expected a kind without scale factors (f16, tf32, f8f6f4, i8, ti16), got mxf8f6f4}}
  tcgen05.mma_ws mxf8f6f4 %d, %a, %b accumulate(%p) : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<64x64xf32, F>
!a = memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
!b = memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_ws_c2_bad_layout(%d: !d, %a: !a, %b: !b, %p: i1) {
  // expected-error @+1 {{expected d to be a whole accumulator with layout D (M=128), E (M=64) or G (M=32) for weight-stationary kind f16 with cta_group 1, got '!tcgen05.tmem<64x64xf32, F>'}}
  tcgen05.mma_ws f16 %d, %a, %b accumulate(%p) : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x64xf32, D>
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_ws_c2_bad_group(%d: !d, %a: !a, %b: !b, %p: i1) {
  // expected-error @+1 {{expected cta_group 1, the only one of the weight-stationary instruction, got 2}}
  tcgen05.mma_ws f16 cta_group 2 %d, %a, %b accumulate(%p) : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x96xf32, D>
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<96x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 6144>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_ws_c3_bad_n(%d: !d, %a: !a, %b: !b, %p: i1) {
  // expected-error @+1 {{expected N to be 64, 128 or 256 for weight-stationary kind f16 with cta_group 1, got 96, the nearest is 64}}
  tcgen05.mma_ws f16 %d, %a, %b accumulate(%p) : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x256xf32, D>
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<256x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 16384>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_ws_c3_bad_n_sparse(%d: !d, %a: !a, %b: !b, %p: i1, %e: !tcgen05.tmem<128x2xi32, metadata16>) {
  // expected-error @+1 {{expected N to be 64 or 128 for weight-stationary sparse kind f16 with cta_group 1, got 256, the nearest is 128}}
  tcgen05.mma_ws f16 %d, %a, %b sparse(%e : !tcgen05.tmem<128x2xi32, metadata16>) accumulate(%p) : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x64xf32, D>
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<64x64xf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_ws_c4_bad_b(%d: !d, %a: !a, %b: !b, %p: i1) {
  // expected-error @+1 {{expected b to have the element type of a, 'bf16', for kind f16, got 'f16'}}
  tcgen05.mma_ws f16 %d, %a, %b accumulate(%p) : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x64xf32, D>
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_ws_c5_bad_columns(%d: !d, %a: !a, %b: !b, %p: i1) {
  // expected-error @+1 {{expected b to have the 64 columns of one CTA for N = 64 and cta_group 1, and 8 for the shift, got 64}}
  tcgen05.mma_ws f16 %d, %a, %b accumulate(%p) {max_shift = 8 : i64} : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x64xf32, D>
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_ws_c6_bad_step(%d: !d, %a: !a, %b: !b, %p: i1) {
  // expected-error @+1 {{expected a_k to be a multiple of K = 16 up to 48, got 8}}
  tcgen05.mma_ws f16 %d, %a, %b accumulate(%p) {a_k = 8 : i64} : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x64xf32, D>
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<64x64xbf16, #sm90.smem_layout<k_major, b128_atom32, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_ws_c7_bad_swizzle(%d: !d, %a: !a, %b: !b, %p: i1) {
  // expected-error @+1 {{expected swizzle none, b32, b64 or b128 for k_major b, got b128_atom32}}
  tcgen05.mma_ws f16 %d, %a, %b accumulate(%p) : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x64xf32, D>
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_ws_c8_saturate(%d: !d, %a: !a, %b: !b, %p: i1) {
  // expected-error @+1 {{expected saturate only for kind i8, got kind f16}}
  tcgen05.mma_ws f16 %d, %a, %b accumulate(%p) {saturate} : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x64xi32, D>
!a = memref<128x64xi8, #sm90.smem_layout<k_major, b64, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<64x64xi8, #sm90.smem_layout<k_major, b64, bits = 8, slab = 4096>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_ws_c8_negate(%d: !d, %a: !a, %b: !b, %p: i1) {
  // expected-error @+1 {{expected no negate_a or negate_b for kind i8}}
  tcgen05.mma_ws i8 %d, %a, %b accumulate(%p) {negate_b} : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x16xf32, G>
!a = !tcgen05.tmem<128x32xbf16, D, packed>
!b = memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_ws_c9_bad_layout(%d: !d, %a: !a, %b: !b, %p: i1) {
  // expected-error @+1 {{expected a to be whole, with layout G, that of d, and elements of 16 bits (packed), got '!tcgen05.tmem<128x32xbf16, D, packed>'}}
  tcgen05.mma_ws f16 %d, %a, %b accumulate(%p) : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x64xi32, D>
!a = memref<128x32xi8, #sm90.smem_layout<k_major, b32, bits = 8, slab = 4096>, #gpu.address_space<workgroup>>
!b = memref<64x64xi8, #sm90.smem_layout<k_major, b64, bits = 8, slab = 4096>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_ws_c10_bad_metadata(%d: !d, %a: !a, %b: !b, %p: i1, %e: !tcgen05.tmem<128x2xi32, metadata16>) {
  // expected-error @+1 {{expected metadata of layout metadata8 with 2 columns for a of 'i8', got '!tcgen05.tmem<128x2xi32, metadata16>'}}
  tcgen05.mma_ws i8 %d, %a, %b sparse(%e : !tcgen05.tmem<128x2xi32, metadata16>) accumulate(%p) : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x64xf32, D>
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_ws_c11_bad_buffer(%d: !d, %a: !a, %b: !b, %p: i1) {
  // expected-error @+1 {{expected buffer from 0 to 3, got 4}}
  tcgen05.mma_ws f16 %d, %a, %b accumulate(%p) {buffer = 4 : i32} : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x64xf32, D>
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<88x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 5632>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_ws_c12_bad_max_shift(%d: !d, %a: !a, %b: !b, %p: i1) {
  // expected-error @+1 {{expected max_shift of 0, 8, 16 or 32 with M = 128, got 24}}
  tcgen05.mma_ws f16 %d, %a, %b accumulate(%p) {max_shift = 24 : i64} : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x16xf32, G>
!a = memref<32x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 2048>, #gpu.address_space<workgroup>>
!b = memref<96x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 6144>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_ws_c12_bad_max_shift_of_32_rows(%d: !d, %a: !a, %b: !b, %p: i1) {
  // expected-error @+1 {{expected max_shift of 0, 8 or 16 with M = 32, got 32}}
  tcgen05.mma_ws f16 %d, %a, %b accumulate(%p) {max_shift = 32 : i64} : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x64xf32, D>
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<72x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4608>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_ws_c12_bad_mask(%d: !d, %a: !a, %b: !b, %p: i1) {
  // expected-note @+1 {{the mask is made here}}
  %mask = tcgen05.column_mask use 1 skip 1 shift 9
  // expected-error @+1 {{expected a mask that shifts by at most max_shift = 8, got 9}}
  tcgen05.mma_ws f16 %d, %a, %b accumulate(%p) mask(%mask) {max_shift = 8 : i64} : !d, !a, !b
  return
}

// -----

func.func @tcgen05_column_mask_c1_bad_use() {
  // expected-error @+1 {{expected use from 1 to 256, got 0}}
  %mask = tcgen05.column_mask use 0 skip 1
  return
}

// -----

func.func @tcgen05_column_mask_c1_bad_skip() {
  // expected-error @+1 {{expected skip from 1 to 256, got 257}}
  %mask = tcgen05.column_mask use 1 skip 257
  return
}

// -----

func.func @tcgen05_column_mask_c2_parts() {
  // expected-error @+1 {{expected drop and skip_first for at most 4 parts, got 5}}
  %mask = tcgen05.column_mask use 1 skip 1 drop [0, 0, 0, 0, 0]
  return
}

// -----

func.func @tcgen05_column_mask_c2_drop() {
  // expected-error @+1 {{expected drop from 0 to 255, got 256}}
  %mask = tcgen05.column_mask use 1 skip 1 drop [0, 256]
  return
}

// -----

func.func @tcgen05_column_mask_c3_shift() {
  // expected-error @+1 {{expected shift from 0 to 32, got 33}}
  %mask = tcgen05.column_mask use 1 skip 1 shift 33
  return
}
