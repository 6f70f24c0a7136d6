// RUN: tc-opt %s -split-input-file -verify-diagnostics

!tile = memref<128x64xbf16, #gpu.address_space<workgroup>>
func.func @sm80_cp_async_c1_bad_layout(%m: memref<?x42xbf16, #gpu.address_space<global>>, %tile: !tile, %i: index, %r: i32) {
  // expected-error @below {{expected a tile in slabs, got 'memref<128x64xbf16, #gpu.address_space<workgroup>>'}}
  sm80.cp_async %m[%i, %i], %tile[%r, 0] bytes 4 valid %r : memref<?x42xbf16, #gpu.address_space<global>>, !tile
  return
}

// -----

!tile = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
func.func @sm80_cp_async_c2_bad_bytes(%m: memref<?x42xbf16, #gpu.address_space<global>>, %tile: !tile, %i: index, %r: i32) {
  // expected-error @below {{expected 4, 8 or 16 bytes of whole elements of 'bf16', got 2 (PTX ISA 9.0, 9.7.9.25.3.1}}
  sm80.cp_async %m[%i, %i], %tile[%r, 0] bytes 2 valid %r : memref<?x42xbf16, #gpu.address_space<global>>, !tile
  return
}

// -----

!tile = memref<128x64xf32, #sm90.smem_layout<k_major, b128, bits = 32, slab = 4096>, #gpu.address_space<workgroup>>
func.func @sm80_cp_async_c3_bad_column(%m: memref<?x42xf32, #gpu.address_space<global>>, %tile: !tile, %i: index, %r: i32) {
  // expected-error @below {{expected a column that is a multiple of 2 up to 62, got 3}}
  sm80.cp_async %m[%i, %i], %tile[%r, 3] bytes 8 valid %r : memref<?x42xf32, #gpu.address_space<global>>, !tile
  return
}

// -----

// Its rows, which are its dimension 0, have 128 elements.
!tile = memref<128x64xf32, #sm90.smem_layout<mn_major, b128, bits = 32, slab = 2048>, #gpu.address_space<workgroup>>
func.func @sm80_cp_async_c3_past_the_row(%m: memref<?x44xf32, #gpu.address_space<global>>, %tile: !tile, %i: index, %r: i32) {
  // expected-error @below {{expected a column that is a multiple of 4 up to 124, got 128}}
  sm80.cp_async %m[%i, %i], %tile[%r, 128] bytes 16 valid %r : memref<?x44xf32, #gpu.address_space<global>>, !tile
  return
}

// -----

!tile = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
func.func @sm80_cp_async_c4_bad_space(%m: memref<?x42xbf16>, %tile: !tile, %i: index, %r: i32) {
  // expected-error @below {{expected a source of 'bf16' in global memory, of at least one dimension, with an index for each dimension, got 'memref<?x42xbf16>' with 2}}
  sm80.cp_async %m[%i, %i], %tile[%r, 0] bytes 4 valid %r : memref<?x42xbf16>, !tile
  return
}

// -----

!tile = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
func.func @sm80_cp_async_c4_bad_indices(%m: memref<?x42xbf16, #gpu.address_space<global>>, %tile: !tile, %i: index, %r: i32) {
  // expected-error @below {{with an index for each dimension, got 'memref<?x42xbf16, #gpu.address_space<global>>' with 1}}
  sm80.cp_async %m[%i], %tile[%r, 0] bytes 4 valid %r : memref<?x42xbf16, #gpu.address_space<global>>, !tile
  return
}

// -----

!tile = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
func.func @sm80_cp_async_c4_bad_element(%m: memref<?x42xf16, #gpu.address_space<global>>, %tile: !tile, %i: index, %r: i32) {
  // expected-error @below {{expected a source of 'bf16' in global memory}}
  sm80.cp_async %m[%i, %i], %tile[%r, 0] bytes 4 valid %r : memref<?x42xf16, #gpu.address_space<global>>, !tile
  return
}

// -----

// Any mbarrier will do, whichever dialect has it.
func.func @sm80_cp_async_arrive_no_mbarrier(%b: index) {
  // expected-error @below {{operand #0 must be mbarrier, but got 'index'}}
  sm80.cp_async_arrive %b : index
  return
}

// -----

!tile = memref<128x32xf32, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!m = memref<?x?xf32, #gpu.address_space<global>>
func.func @sm80_cp_async_c1_bad_bits(%m: !m, %tile: !tile, %i: index, %r: i32) {
  // expected-error @below {{expected the layout of tile to have bits = 32, those of 'f32', got 16}}
  sm80.cp_async %m[%i, %i], %tile[%r, 0] bytes 16 valid %r : !m, !tile
  return
}

// -----

!tile = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!m = memref<bf16, #gpu.address_space<global>>
func.func @sm80_cp_async_c4_no_dimension(%m: !m, %tile: !tile, %i: index, %r: i32) {
  // expected-error @below {{of at least one dimension, with an index for each dimension, got 'memref<bf16, #gpu.address_space<global>>' with 0}}
  sm80.cp_async %m[], %tile[%r, 0] bytes 16 valid %r : !m, !tile
  return
}

// -----

!tile = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!m = memref<?x?xbf16, strided<[?, 2]>, #gpu.address_space<global>>
func.func @sm80_cp_async_c5_every_second(%m: !m, %tile: !tile, %i: index, %r: i32) {
  // expected-error @below {{expected a source with a last stride of 1, whose elements are copied together, got 2}}
  sm80.cp_async %m[%i, %i], %tile[%r, 0] bytes 16 valid %r : !m, !tile
  return
}

// -----

!tile = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!m = memref<?x?xbf16, strided<[?, ?]>, #gpu.address_space<global>>
func.func @sm80_cp_async_c5_dynamic(%m: !m, %tile: !tile, %i: index, %r: i32) {
  // expected-error @below {{expected a source with a last stride of 1, whose elements are copied together, got a dynamic one}}
  sm80.cp_async %m[%i, %i], %tile[%r, 0] bytes 16 valid %r : !m, !tile
  return
}

// -----

!tile = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!m = memref<64x64xbf16, strided<[1, 64]>, #gpu.address_space<global>>
func.func @sm80_cp_async_c5_transposed(%m: !m, %tile: !tile, %i: index, %r: i32) {
  // expected-error @below {{expected a source with a last stride of 1, whose elements are copied together, got 64}}
  sm80.cp_async %m[%i, %i], %tile[%r, 0] bytes 16 valid %r : !m, !tile
  return
}

// -----

!tile = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!m = memref<64x64xbf16, affine_map<(d0, d1) -> (d0 floordiv 2, d1 mod 4, d0)>, #gpu.address_space<global>>
func.func @sm80_cp_async_c5_not_strided(%m: !m, %tile: !tile, %i: index, %r: i32) {
  // expected-error @below {{expected a strided source, got}}
  sm80.cp_async %m[%i, %i], %tile[%r, 0] bytes 16 valid %r : !m, !tile
  return
}

// -----

!tile = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!m = memref<?x42xbf16, #gpu.address_space<global>>
func.func @sm80_cp_async_c5_bad_rows(%m: !m, %tile: !tile, %i: index, %r: i32) {
  // expected-error @below {{expected a source with a stride of a multiple of 8 elements, which are 16 bytes, got 42 (PTX ISA 9.0, 9.7.9.25.3.1}}
  sm80.cp_async %m[%i, %i], %tile[%r, 0] bytes 16 valid %r : !m, !tile
  return
}

// -----

!tile = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!m = memref<?x64xbf16, strided<[64, 1], offset: 4>, #gpu.address_space<global>>
func.func @sm80_cp_async_c5_bad_offset(%m: !m, %tile: !tile, %i: index, %r: i32) {
  // expected-error @below {{expected a source with an offset of a multiple of 8 elements, which are 16 bytes, got 4}}
  sm80.cp_async %m[%i, %i], %tile[%r, 0] bytes 16 valid %r : !m, !tile
  return
}
