// The rules of tcgen05.mma with A in Tensor Memory or sparse, and of its modifiers.
// RUN: tc-opt %s -split-input-file -verify-diagnostics

!d = !tcgen05.tmem<128x32xf32, B>
!a = memref<64x32xbf16, #sm90.smem_layout<k_major, b64, bits = 16, slab = 2048>, #gpu.address_space<workgroup>>
!b = memref<32x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 2048>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_c2_bad_layout_sparse(%d: !d, %a: !a, %b: !b, %p: i1, %e: !tcgen05.tmem<128x2xi32, metadata16>) {
  // expected-error @+1 {{expected d to be a whole accumulator with layout A (M=256) or C (M=128) for sparse kind f16 with cta_group 2, got '!tcgen05.tmem<128x32xf32, B>'}}
  tcgen05.mma f16 cta_group 2 %d, %a, %b sparse(%e : !tcgen05.tmem<128x2xi32, metadata16>) accumulate(%p) : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x64xf32, D>
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<64x64xbf16, #sm90.smem_layout<k_major, b32, bits = 16, slab = 1024>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_c7_bad_swizzle_sparse(%d: !d, %a: !a, %b: !b, %p: i1, %e: !tcgen05.tmem<128x2xi32, metadata16>) {
  // expected-error @+1 {{expected swizzle none, b64 or b128 for k_major b of a sparse instruction, which reads 64 bytes of a row, got b32}}
  tcgen05.mma f16 %d, %a, %b sparse(%e : !tcgen05.tmem<128x2xi32, metadata16>) accumulate(%p) : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x64xf32, D>
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_c6_bad_step_of_half_of_k(%d: !d, %a: !a, %b: !b, %p: i1, %e: !tcgen05.tmem<128x2xi32, metadata16>) {
  // expected-error @+1 {{expected a_k to be a multiple of K/2 = 16 up to 48, got 8}}
  tcgen05.mma f16 %d, %a, %b sparse(%e : !tcgen05.tmem<128x2xi32, metadata16>) accumulate(%p) {a_k = 8 : i64} : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x64xf32, D>
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_c6_bad_step_sparse(%d: !d, %a: !a, %b: !b, %p: i1, %e: !tcgen05.tmem<128x2xi32, metadata16>) {
  // expected-error @+1 {{expected b_k to be a multiple of K = 32 up to 32, got 16}}
  tcgen05.mma f16 %d, %a, %b sparse(%e : !tcgen05.tmem<128x2xi32, metadata16>) accumulate(%p) {a_k = 16 : i64, b_k = 16 : i64} : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x64xf32, D>
!a = !tcgen05.tmem<128x32xbf16, D, packed>
!b = memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_c6_bad_step_tmem(%d: !d, %a: !a, %b: !b, %p: i1) {
  // expected-error @+1 {{expected a_k to be a multiple of K = 16 up to 16, got 32}}
  tcgen05.mma f16 %d, %a, %b accumulate(%p) {a_k = 32 : i64} : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x64xf32, D>
!a = !tcgen05.tmem<128x32xbf16, A, packed>
!b = memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_c9_bad_layout(%d: !d, %a: !a, %b: !b, %p: i1) {
  // expected-error @+1 {{expected a to be whole, with layout D, that of d, and elements of 16 bits (packed), got '!tcgen05.tmem<128x32xbf16, A, packed>'}}
  tcgen05.mma f16 %d, %a, %b accumulate(%p) : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x64xf32, D>
!a = !tcgen05.tmem<128x32xbf16, D>
!b = memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_c9_bad_cells(%d: !d, %a: !a, %b: !b, %p: i1) {
  // expected-error @+1 {{expected a to be whole, with layout D, that of d, and elements of 16 bits (packed), got '!tcgen05.tmem<128x32xbf16, D>'}}
  tcgen05.mma f16 %d, %a, %b accumulate(%p) : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x64xf32, D>
!a = !tcgen05.tmem<128x32xf4E2M1FN, D, packed>
!b = memref<64x64xf8E4M3FN, #sm90.smem_layout<k_major, b64, bits = 8, slab = 4096>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_c9_bad_bytes(%d: !d, %a: !a, %b: !b, %p: i1) {
  // expected-error @+1 {{expected a to be whole, with layout D, that of d, and elements of 8 bits (bytes), got '!tcgen05.tmem<128x32xf4E2M1FN, D, packed>'}}
  tcgen05.mma f8f6f4 %d, %a, %b accumulate(%p) : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x64xf32, D>
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_c10_bad_metadata(%d: !d, %a: !a, %b: !b, %p: i1, %e: !tcgen05.tmem<128x2xi32, metadata8>) {
  // expected-error @+1 {{expected metadata of layout metadata16 with at least 1 columns for a of 'bf16', got '!tcgen05.tmem<128x2xi32, metadata8>'}}
  tcgen05.mma f16 %d, %a, %b sparse(%e : !tcgen05.tmem<128x2xi32, metadata8>) accumulate(%p) : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x64xf32, D>
!a = memref<128x32xf8E4M3FN, #sm90.smem_layout<k_major, b32, bits = 8, slab = 4096>, #gpu.address_space<workgroup>>
!b = memref<64x64xf8E4M3FN, #sm90.smem_layout<k_major, b64, bits = 8, slab = 4096>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_c10_bad_columns(%d: !d, %a: !a, %b: !b, %p: i1, %e: !tcgen05.tmem<128x4xi32, metadata8>) {
  // expected-error @+1 {{expected metadata of layout metadata8 with 2 columns for a of 'f8E4M3FN', got '!tcgen05.tmem<128x4xi32, metadata8>'}}
  tcgen05.mma f8f6f4 %d, %a, %b sparse(%e : !tcgen05.tmem<128x4xi32, metadata8>) accumulate(%p) : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x64xf32, D>
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_c10_bad_selected_column(%d: !d, %a: !a, %b: !b, %p: i1, %e: !tcgen05.tmem<128x2xi32, metadata16>) {
  // expected-error @+1 {{expected metadata of layout metadata16 with at least 4 columns for a of 'bf16', got '!tcgen05.tmem<128x2xi32, metadata16>'}}
  tcgen05.mma f16 %d, %a, %b sparse(%e : !tcgen05.tmem<128x2xi32, metadata16>) accumulate(%p) {selector = 3 : i32} : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x64xf32, D>
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_c10_bad_selector(%d: !d, %a: !a, %b: !b, %p: i1, %e: !tcgen05.tmem<128x2xi32, metadata16>) {
  // expected-error @+1 {{expected selector from 0 to 3, got 4}}
  tcgen05.mma f16 %d, %a, %b sparse(%e : !tcgen05.tmem<128x2xi32, metadata16>) accumulate(%p) {selector = 4 : i32} : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x64xf32, D>
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_c10_selector_of_dense(%d: !d, %a: !a, %b: !b, %p: i1) {
  // expected-error @+1 {{expected selector 0 but for a sparse a of kind f16, tf32 or ti16, got 1}}
  tcgen05.mma f16 %d, %a, %b accumulate(%p) {selector = 1 : i32} : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x64xf32, D>
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_c11_smem(%d: !d, %a: !a, %b: !b, %p: i1) {
  // expected-error @+1 {{expected a in Tensor Memory with ashift, got 'memref<128x64xbf16}}
  tcgen05.mma f16 %d, %a, %b accumulate(%p) {ashift} : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<64x64xf32, F>
!a = !tcgen05.tmem<64x32xbf16, F, packed>
!b = memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_c11_rows(%d: !d, %a: !a, %b: !b, %p: i1) {
  // expected-error @+1 {{expected 128 rows of a in a CTA with ashift, got 64}}
  tcgen05.mma f16 %d, %a, %b accumulate(%p) {ashift} : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x64xf32, D>
!a = !tcgen05.tmem<128x32xbf16, D, packed>
!b = memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_c11_collector(%d: !d, %a: !a, %b: !b, %p: i1) {
  // expected-error @+1 {{expected collector discard or lastuse with ashift, got fill}}
  tcgen05.mma f16 %d, %a, %b accumulate(%p) collector fill {ashift} : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x64xf32, D>
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_c12_words(%d: !d, %a: !a, %b: !b, %p: i1, %lanes: vector<8xi32>) {
  // expected-error @+1 {{expected a vector of 4 words to disable lanes with cta_group 1, got 'vector<8xi32>'}}
  tcgen05.mma f16 %d, %a, %b accumulate(%p) disable(%lanes : vector<8xi32>) : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x1024xf16, D, packed>
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_c2_packed(%d: !d, %a: !a, %b: !b, %p: i1) {
  // expected-error @+1 {{expected d to be a whole accumulator with layout D (M=128) or F (M=64) for kind f16 with cta_group 1, got '!tcgen05.tmem<128x1024xf16, D, packed>'}}
  tcgen05.mma f16 %d, %a, %b accumulate(%p) : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x64xf32, D>
!a = !tcgen05.tmem<128x3xbf16, D>
!b = memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_c9_part_of_a_cell(%d: !d, %a: !a, %b: !b, %p: i1) {
  // expected-error @+1 {{expected a to be whole, with layout D, that of d, and elements of 16 bits (packed), got '!tcgen05.tmem<128x3xbf16, D>'}}
  tcgen05.mma f16 %d, %a, %b accumulate(%p) : !d, !a, !b
  return
}

// -----

!d = !tcgen05.tmem<128x64xf32, D>
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_c10_no_metadata(%d: !d, %a: !a, %b: !b, %p: i1, %e: !tcgen05.tmem<128x2048xf8E4M3FN, D, packed>) {
  // expected-error @+1 {{expected metadata of layout metadata16 with at least 1 columns for a of 'bf16', got '!tcgen05.tmem<128x2048xf8E4M3FN, D, packed>'}}
  tcgen05.mma f16 %d, %a, %b sparse(%e : !tcgen05.tmem<128x2048xf8E4M3FN, D, packed>) accumulate(%p) : !d, !a, !b
  return
}
