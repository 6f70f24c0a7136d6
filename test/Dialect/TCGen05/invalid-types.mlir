// Each rule of the types and of the layout attribute.
// RUN: tc-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected lanes x columns, got 3 dimensions}}
func.func private @tmem_bad_rank(!tcgen05.tmem<2x128x128xf32, D>)

// -----

// expected-error @+1 {{expected a data path layout A, B, C, D, E, F, G, scales, scales_split, metadata32, metadata16, metadata8, metadata4 or raw, got 'H' (PTX ISA 9.0, 9.7.16.10.5 "Data Path Layout Organization")}}
func.func private @tmem_bad_layout(!tcgen05.tmem<128x128xf32, H>)

// -----

// expected-error @+1 {{expected 128 lanes, or 32 in the window of a warp, for layout D, got 64}}
func.func private @tmem_bad_lanes(!tcgen05.tmem<64x128xf32, D>)

// -----

// expected-error @+1 {{expected 128 lanes for layout raw, got 32}}
func.func private @tmem_bad_raw_lanes(!tcgen05.tmem<32x128xi32, raw>)

// -----

// expected-error @+1 {{expected element type i32 for layout raw, got 'f32'}}
func.func private @tmem_bad_raw_element(!tcgen05.tmem<128x128xf32, raw>)

// -----

// expected-error @+1 {{expected an integer or float element type of 1 to 32 bits, got 'f64'}}
func.func private @tmem_bad_element(!tcgen05.tmem<128x128xf64, D>)

// -----

// expected-error @+1 {{expected 1 to 576 columns of 32-bit cells, got 1024 (PTX ISA 9.0, 9.7.16.1 "Tensor Memory")}}
func.func private @tmem_bad_columns(!tcgen05.tmem<128x1024xf32, D>)

// -----

// expected-error @+1 {{expected elements of fewer than 32 bits where they are packed, got 'f32'}}
func.func private @tmem_bad_packed(!tcgen05.tmem<128x16xf32, D, packed>)

// -----

// expected-error @+1 {{expected packed columns to fill 32-bit cells, got 3 elements of 16 bits}}
func.func private @tmem_bad_packed_columns(!tcgen05.tmem<128x3xbf16, D, packed>)

// -----

// expected-error @+1 {{expected element type i32 for layout metadata16, got 'f32'}}
func.func private @metadata_element(!tcgen05.tmem<128x2xf32, metadata16>)

// -----

// expected-error @+1 {{expected elements of fewer than 8 bits where they take a byte each, got 'f8E4M3FN'}}
func.func private @wide_bytes(!tcgen05.tmem<128x32xf8E4M3FN, D, bytes>)

// -----

// expected-error @+1 {{expected elements of a byte to fill 32-bit cells, got 34 columns}}
func.func private @part_of_a_cell(!tcgen05.tmem<128x34xf6E2M3FN, D, bytes>)

// -----

// expected-error @+1 {{expected 128 lanes, a multiple of 16 columns and packed elements of 8 bits for layout scales_split, got 128x8 elements of 8 bits}}
func.func private @split(!tcgen05.tmem<128x8xf8E8M0FNU, scales_split, packed>)

// -----

// expected-error @+1 {{expected an integer or float element type of 1 to 32 bits, got 'i0'}}
func.func private @no_bits(!tcgen05.tmem<128x32xi0, D>)

// -----

// As bits their number is 32, modulo 2^64.
// expected-error @+1 {{expected 1 to 576 columns of 32-bit cells, got 1152921504606846978 elements}}
func.func private @columns_beyond_64_bits(!tcgen05.tmem<128x1152921504606846978xf16, D, packed>)

// -----

// expected-error @below {{expected an integer or float element type of 1 to 32 bits, got 'f64'}}
func.func @tcgen05_tmem_c1_bad_element(%t: !tmm.buffer<64x256xf64, #tcgen05.tmem>) {
  return
}
