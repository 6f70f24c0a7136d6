// Rules of copies that override their tensor map, of masks of 32 CTAs and of reports.
// RUN: tc-opt %s -split-input-file -verify-diagnostics

!map = !sm90.tensor_map<128x64xbf16, b128>
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 16384>, #gpu.address_space<workgroup>>
func.func @sm90_tma_load_c10_counts(%map: !map, %a: !a, %full: !sm90.mbarrier, %i: index, %x: i64) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{expected 2 extents and 1 pitches, got 1 and 0 (PTX ISA 9.4, 9.7.10.28.5.2 "Overriding tensor property value")}}
  sm90.tma_load %map[%c0, %c0], %a, %full address %x extents [%i] pitches [] : !map, !a, !sm90.mbarrier
  return
}

// -----

!map = !sm90.tensor_map<128x64xbf16, b128>
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 16384>, #gpu.address_space<workgroup>>
func.func @sm90_tma_load_c10_address(%map: !map, %a: !a, %full: !sm90.mbarrier, %i: index) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{expected address with extents}}
  sm90.tma_load %map[%c0, %c0], %a, %full extents [%i, %i] pitches [%i] : !map, !a, !sm90.mbarrier
  return
}

// -----

!map = !sm90.tensor_map<128x64xbf16, b128>
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 16384>, #gpu.address_space<workgroup>>
func.func @sm90_tma_load_c10_coordinates(%map: !map, %a: !a, %full: !sm90.mbarrier, %i: index, %x: i64) {
  %c64 = arith.constant 64 : index
  // expected-error @+1 {{expected coordinates of 0 with extents, got 64}}
  sm90.tma_load %map[%i, %c64], %a, %full address %x extents [%i, %i] pitches [%i] : !map, !a, !sm90.mbarrier
  return
}

// -----

!map = !sm90.tensor_map<128x64xbf16, b128>
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 16384>, #gpu.address_space<workgroup>>
func.func @sm90_tma_load_c10_extent(%map: !map, %a: !a, %full: !sm90.mbarrier, %i: index, %x: i64) {
  %c256 = arith.constant 256 : index
  // expected-error @+1 {{expected extents from 1 to 255, got 256}}
  sm90.tma_load %map[%i, %i], %a, %full address %x extents [%i, %c256] pitches [%i] : !map, !a, !sm90.mbarrier
  return
}

// -----

!map = !sm90.tensor_map<128x64xbf16, b128>
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 16384>, #gpu.address_space<workgroup>>
func.func @sm90_tma_load_c10_multicast(%map: !map, %a: !a, %full: !sm90.mbarrier, %i: index, %x: i64, %m: i16) {
  // expected-error @+1 {{expected multicast32 with extents, got multicast}}
  sm90.tma_load %map[%i, %i], %a, %full multicast %m address %x extents [%i, %i] pitches [%i] : !map, !a, !sm90.mbarrier
  return
}

// -----

!map = !sm90.tensor_map<128x64xbf16, b128, im2col = 4>
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 16384>, #gpu.address_space<workgroup>>
func.func @sm90_tma_load_c10_im2col(%map: !map, %a: !a, %full: !sm90.mbarrier, %i: index, %x: i64) {
  // expected-error @+1 {{expected no extents for a tensor map of im2col, got}}
  sm90.tma_load %map[%i, %i, %i, %i] im2col [%i, %i], %a, %full address %x extents [%i, %i, %i, %i] pitches [%i, %i, %i] : !map, !a, !sm90.mbarrier
  return
}

// -----

!map = !sm90.tensor_map<128x64xbf16, b128>
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 16384>, #gpu.address_space<workgroup>>
func.func @sm90_tma_load_c11_both(%map: !map, %a: !a, %full: !sm90.mbarrier, %i: index, %few: i16, %many: i32) {
  // expected-error @+1 {{expected multicast or multicast32, got both}}
  sm90.tma_load %map[%i, %i], %a, %full multicast %few multicast32 %many : !map, !a, !sm90.mbarrier
  return
}

// -----

!map = !sm90.tensor_map<128x64xbf16, b128>
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 16384>, #gpu.address_space<workgroup>>
func.func @sm90_tma_load_c11_zero(%map: !map, %a: !a, %full: !sm90.mbarrier, %i: index) {
  %none = arith.constant 0 : i32
  // expected-error @+1 {{expected multicast32 to name a CTA, got 0}}
  sm90.tma_load %map[%i, %i], %a, %full multicast32 %none : !map, !a, !sm90.mbarrier
  return
}

// -----

!map = !sm90.tensor_map<128x64xbf16, b128>
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 16384>, #gpu.address_space<workgroup>>
func.func @sm90_tma_load_c12(%map: !map, %a: !a, %full: !sm90.mbarrier, %i: index) {
  // expected-error @+1 {{expected elements of 32 bits with report neg_zero32, got 'bf16' (PTX ISA 9.4, 9.7.10.28.1.3}}
  sm90.tma_load %map[%i, %i], %a, %full report neg_zero32 : !map, !a, !sm90.mbarrier
  return
}

// -----

!map = !sm90.tensor_map<128x64xbf16, b128>
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 16384>, #gpu.address_space<workgroup>>
func.func @sm90_tma_store_c10(%map: !map, %a: !a, %i: index, %x: i64) {
  %c24 = arith.constant 24 : index
  // expected-error @+1 {{expected pitches that are multiples of 16 below 2^40, got 24}}
  sm90.tma_store %map[%i, %i], %a address %x extents [%i, %i] pitches [%c24] : !map, !a
  return
}

// -----

func.func @sm90_mbarrier_init_c1_reports(%b: !sm90.mbarrier) {
  // expected-error @+1 {{expected count from 1 to 511 with reports, got 512 (PTX ISA 9.4, 9.7.15.16.2 "Layouts of the mbarrier object")}}
  sm90.mbarrier.init %b, 512 {reports} : !sm90.mbarrier
  return
}

// -----

func.func @sm90_mbarrier_arrive_c2(%b: !sm90.mbarrier) {
  %none = arith.constant 0 : i32
  // expected-error @+1 {{expected multicast32 to name a CTA, got 0 (PTX ISA 9.4, 9.7.15.16.16}}
  sm90.mbarrier.arrive %b multicast32 %none : !sm90.mbarrier
  return
}

// -----

func.func @sm90_mbarrier_arrive_expect_tx_c2(%b: !sm90.mbarrier) {
  %none = arith.constant 0 : i32
  // expected-error @+1 {{expected multicast32 to name a CTA, got 0}}
  sm90.mbarrier.arrive_expect_tx %b, 16 multicast32 %none : !sm90.mbarrier
  return
}
