// RUN: tc-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected elements of 4, 6, 8, 16 or 32 bits in shared memory, got 64}}
func.func private @layout_bad_bits(memref<128x64xi64, #sm90.smem_layout<k_major, b128, bits = 64, slab = 8192>, #gpu.address_space<workgroup>>)

// -----

// expected-error @+1 {{expected a swizzle with a matrix descriptor code (none, b32, b64, b128, b128_atom32), got b128_atom64}}
func.func private @layout_bad_swizzle(memref<128x64xbf16, #sm90.smem_layout<k_major, b128_atom64, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>)

// -----

// expected-error @+1 {{expected a slab of a positive multiple of 1024 bytes for swizzle b128, got 16400 bytes, the nearest is 17408}}
func.func private @layout_bad_slab(memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8200>, #gpu.address_space<workgroup>>)

// -----

// expected-error @+1 {{expected a tile of rank 2 (MN, K) for sm90.smem_layout, got rank 1}}
func.func private @layout_bad_rank(memref<64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>)

// -----

// expected-error @+1 {{expected a static tile shape for sm90.smem_layout}}
func.func private @layout_bad_dynamic(memref<?x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>)

// -----

// expected-error @+1 {{expected MN to be a multiple of 8 for k_major tiles, got 12, the nearest is 16}}
func.func private @layout_bad_lines(memref<12x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>)

// -----

// expected-error @+1 {{expected K to be a multiple of 4 for mn_major tiles, got 6, the nearest is 8}}
func.func private @layout_bad_lines_atom32(memref<32x6xf32, #sm90.smem_layout<mn_major, b128_atom32, bits = 32, slab = 8192>, #gpu.address_space<workgroup>>)

// -----

// expected-error @+1 {{expected K to fill rows of 16 bytes, a multiple of 8 elements, got 60, the nearest is 64}}
func.func private @layout_bad_rows(memref<128x60xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>)

// -----

// expected-error @+1 {{expected slabs that do not overlap, of at least 8192 elements, got 4096}}
func.func private @layout_bad_overlap(memref<128x128xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>)

// -----

// expected-error @+1 {{expected k_major elements of 4 bits, got mn_major}}
func.func private @layout_4_mn(memref<256x64xf4E2M1FN, #sm90.smem_layout<mn_major, b128, bits = 4, slab = 16384>, #gpu.address_space<workgroup>>)

// -----

// expected-error @+1 {{expected a slab of 1 to 16777216 elements, got 9223372036854774784}}
func.func private @layout_slab_beyond_64_bits(memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 9223372036854774784>, #gpu.address_space<workgroup>>)

// -----

// As bytes their number is 0, modulo 2^64.
// expected-error @+1 {{expected tiles of at most 16777216 elements along MN and K, got 1152921504606846976}}
func.func private @layout_bytes_beyond_64_bits(memref<1152921504606846976x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>)
