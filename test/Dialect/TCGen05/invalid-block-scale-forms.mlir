// The rules of tcgen05.mma_block_scale with A in Tensor Memory or sparse, and of split factors.
// RUN: tc-opt %s -split-input-file -verify-diagnostics

!d = !tcgen05.tmem<64x64xf32, C>
!a = memref<64x32xf8E4M3FN, #sm90.smem_layout<k_major, b32, bits = 8, slab = 2048>, #gpu.address_space<workgroup>>
!b = memref<32x64xf8E4M3FN, #sm90.smem_layout<k_major, b64, bits = 8, slab = 2048>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_block_scale_c2_bad_sparse_rows(%d: !d, %a: !a, %b: !b, %p: i1, %sa: !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, %sb: !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, %e: !tcgen05.tmem<128x2xi32, metadata8>) {
  // expected-error @+1 {{expected M of 256 for sparse kind mxf8f6f4 with cta_group 2, got 128}}
  tcgen05.mma_block_scale mxf8f6f4 cta_group 2 %d, %a, %b sparse(%e : !tcgen05.tmem<128x2xi32, metadata8>) scales %sa, %sb accumulate(%p) : !d, !a, !b, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
  return
}

// -----

!d = !tcgen05.tmem<128x64xf32, D>
!a = memref<128x64xf4E2M1FN, #sm90.smem_layout<k_major, b32, bits = 4, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<64x128xf4E2M1FN, #sm90.smem_layout<k_major, b64, bits = 4, slab = 8192>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_block_scale_c8_bad_metadata(%d: !d, %a: !a, %b: !b, %p: i1, %sa: !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, %sb: !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, %e: !tcgen05.tmem<128x2xi32, metadata8>) {
  // expected-error @+1 {{expected metadata of layout metadata4 with 2 columns for a of 'f4E2M1FN', got '!tcgen05.tmem<128x2xi32, metadata8>'}}
  tcgen05.mma_block_scale mxf4 %d, %a, %b sparse(%e : !tcgen05.tmem<128x2xi32, metadata8>) scales %sa, %sb accumulate(%p) : !d, !a, !b, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
  return
}

// -----

!d = !tcgen05.tmem<128x32xf32, B>
!a = memref<64x32xf8E4M3FN, #sm90.smem_layout<k_major, b32, bits = 8, slab = 2048>, #gpu.address_space<workgroup>>
!b = memref<32x32xf8E4M3FN, #sm90.smem_layout<k_major, b32, bits = 8, slab = 1024>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_block_scale_c9_bad_split(%d: !d, %a: !a, %b: !b, %p: i1, %sa: !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, %sb: !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>) {
  // expected-error @+1 {{expected scales_b of '!tcgen05.tmem<128x16xf8E8M0FNU, scales_split, packed>' for 64 rows, got '!tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>'}}
  tcgen05.mma_block_scale mxf8f6f4 cta_group 2 %d, %a, %b scales %sa, %sb accumulate(%p) : !d, !a, !b, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
  return
}

// -----

!d = !tcgen05.tmem<128x64xf32, D>
!a = !tcgen05.tmem<128x64xf4E2M1FN, D, bytes>
!b = memref<64x64xf4E2M1FN, #sm90.smem_layout<k_major, b32, bits = 4, slab = 4096>, #gpu.address_space<workgroup>>
func.func @tcgen05_mma_block_scale_c12_bad_a(%d: !d, %a: !a, %b: !b, %p: i1, %sa: !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, %sb: !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>) {
  // expected-error @+1 {{expected a to be whole, with layout D, that of d, and elements of 4 bits (packed), got '!tcgen05.tmem<128x64xf4E2M1FN, D, bytes>'}}
  tcgen05.mma_block_scale mxf4 %d, %a, %b scales %sa, %sb accumulate(%p) : !d, !a, !b, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
  return
}
