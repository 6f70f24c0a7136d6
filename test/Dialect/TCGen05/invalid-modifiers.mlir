// Modifiers that an operation does not have; those of other dialects pass.
// RUN: tc-opt %s -split-input-file -verify-diagnostics

!d = !tcgen05.tmem<128x64xf32, D>
!a = memref<128x64xf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 16384>, #gpu.address_space<workgroup>>
!b = memref<64x64xf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
func.func @scale_of_ws(%d: !d, %a: !a, %b: !b, %p: i1) {
  tcgen05.mma_ws f16 %d, %a, %b accumulate(%p) {other.note = 3 : i32} : !d, !a, !b
  // expected-error @+1 {{'tcgen05.mma_ws' op expected modifiers among }}
  tcgen05.mma_ws f16 %d, %a, %b accumulate(%p) {scale_d = 3 : i32} : !d, !a, !b
  return
}

// -----

func.func @fence() {
  // expected-error @+1 {{'tcgen05.wait' op expected modifiers among }}
  tcgen05.wait ld {a_kk = 16 : i64}
  return
}
