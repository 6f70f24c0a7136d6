// RUN: tc-opt %s -split-input-file -verify-diagnostics

// sm90_smem_c1
// expected-error @below {{expected MN to be a multiple of 8 for k_major tiles, got 12, the nearest is 16}}
func.func private @smem_rows(!tmm.buffer<12x64xbf16, #sm90.smem<k_major, b128>>)

// -----

// sm90_smem_c1
// expected-error @below {{expected elements of 4, 6, 8, 16 or 32 bits in shared memory, got 64}}
func.func private @smem_bits(!tmm.buffer<128x64xf64, #sm90.smem<k_major, b128>>)

// -----

// sm90_smem_c2, tmm_load_c1: 32 rows in 8 parts are 4 rows, half of what the swizzle repeats.
func.func @tmm_load_c1_parts(%a: memref<?x?xf16>, %i: i32) {
  %t = tmm.alloc : <32x64xf16, #sm90.smem<k_major, b128>>
  // expected-error @below {{operand buffer: expected rows to be a multiple of 64, 8 for each of the 8 CTAs that receive the tile, got 32, the nearest is 64 (PTX ISA}}
  tmm.load %a[%i, %i], %t to #tmm.ctas<8, along = [0]> by(#sm90.tma) : memref<?x?xf16>, <32x64xf16, #sm90.smem<k_major, b128>>
  return
}

// -----

// An MN-major tile is cut along K.
func.func @load_parts_mn(%a: memref<?x?xf16>, %i: i32) {
  %t = tmm.alloc : <128x16xf16, #sm90.smem<mn_major, b64>>
  // expected-error @below {{operand buffer: expected columns to be a multiple of 32, 8 for each of the 4 CTAs that receive the tile, got 16, the nearest is 32 (PTX ISA}}
  tmm.load %a[%i, %i], %t transposed to #tmm.ctas<2x4, along = [1]> by(#sm90.tma) : memref<?x?xf16>, <128x16xf16, #sm90.smem<mn_major, b64>>
  return
}

// -----

// More rows than offsets are computed for.
// expected-error @below {{expected tiles of at most 16777216 elements along MN and K, got 2147483648}}
func.func @sm90_smem_c1_huge(%t: !tmm.buffer<2147483648x64xf16, #sm90.smem<k_major, b128>>) {
  return
}

// -----

// A slab of as many rows is too large.
// expected-error @below {{expected a slab of 1 to 16777216 elements, got 1073741824}}
func.func @sm90_smem_c1_huge_slab(%t: !tmm.buffer<16777216x64xf16, #sm90.smem<k_major, b128>>) {
  return
}
