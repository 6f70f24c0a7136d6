// Each rule of the types and of the layout attribute.
// RUN: tc-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected lanes x columns, got 3 dimensions}}
func.func private @tmem_bad_rank(!tcgen05.tmem<2x128x128xf32, D>)

// -----

// expected-error @+1 {{expected a data path layout A, B, C, D, E, F, G or raw, got 'H' (PTX ISA 9.0, 9.7.16.10.5 "Data Path Layout Organization")}}
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

// expected-error @+1 {{expected an integer or float element type of at most 32 bits, got 'f64'}}
func.func private @tmem_bad_element(!tcgen05.tmem<128x128xf64, D>)

// -----

// expected-error @+1 {{expected 1 to 512 columns of 32-bit cells, got 1024 (PTX ISA 9.0, 9.7.16.1 "Tensor Memory")}}
func.func private @tmem_bad_columns(!tcgen05.tmem<128x1024xf32, D>)

// -----

// expected-error @+1 {{expected elements of fewer than 32 bits where they are packed, got 'f32'}}
func.func private @tmem_bad_packed(!tcgen05.tmem<128x16xf32, D, packed>)

// -----

// expected-error @+1 {{expected packed columns to fill 32-bit cells, got 3 elements of 16 bits}}
func.func private @tmem_bad_packed_columns(!tcgen05.tmem<128x3xbf16, D, packed>)

// -----

// expected-error @+1 {{expected elements of 8, 16 or 32 bits in shared memory, got 64}}
func.func private @layout_bad_bits(memref<128x64xi64, #tcgen05.smem_layout<k_major, b128, bits = 64, slab = 8192>, #gpu.address_space<workgroup>>)

// -----

// expected-error @+1 {{expected a swizzle with a matrix descriptor code (none, b32, b64, b128, b128_atom32), got b128_atom64}}
func.func private @layout_bad_swizzle(memref<128x64xbf16, #tcgen05.smem_layout<k_major, b128_atom64, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>)

// -----

// expected-error @+1 {{expected a slab of a positive multiple of 1024 bytes for swizzle b128, got 16400 bytes, the nearest is 17408}}
func.func private @layout_bad_slab(memref<128x64xbf16, #tcgen05.smem_layout<k_major, b128, bits = 16, slab = 8200>, #gpu.address_space<workgroup>>)

// -----

// expected-error @+1 {{expected a tile of rank 2 (MN, K) for tcgen05.smem_layout, got rank 1}}
func.func private @layout_bad_rank(memref<64xbf16, #tcgen05.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>)

// -----

// expected-error @+1 {{expected a static tile shape for tcgen05.smem_layout}}
func.func private @layout_bad_dynamic(memref<?x64xbf16, #tcgen05.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>)

// -----

// expected-error @+1 {{expected MN to be a multiple of 8 for k_major tiles, got 12, the nearest is 16}}
func.func private @layout_bad_lines(memref<12x64xbf16, #tcgen05.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>)

// -----

// expected-error @+1 {{expected K to be a multiple of 4 for mn_major tiles, got 6, the nearest is 8}}
func.func private @layout_bad_lines_atom32(memref<32x6xf32, #tcgen05.smem_layout<mn_major, b128_atom32, bits = 32, slab = 8192>, #gpu.address_space<workgroup>>)

// -----

// expected-error @+1 {{expected K to fill rows of 16 bytes, a multiple of 8 elements, got 60, the nearest is 64}}
func.func private @layout_bad_rows(memref<128x60xbf16, #tcgen05.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>)

// -----

// expected-error @+1 {{expected slabs that do not overlap, of at least 8192 elements, got 4096}}
func.func private @layout_bad_overlap(memref<128x128xbf16, #tcgen05.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>)
