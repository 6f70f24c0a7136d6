// RUN: tc-opt --split-input-file --verify-diagnostics %s

// expected-error @below {{expected rows x columns, got 3 dimensions}}
func.func private @buffer_rank(!tmm.buffer<2x128x64xbf16, #sm90.smem<k_major, none>>)

// -----

// expected-error @below {{expected positive rows and columns, got 0x64}}
func.func private @buffer_empty(!tmm.buffer<0x64xbf16, #sm90.smem<k_major, none>>)

// -----

// expected-error @below {{expected an integer or float element type, got 'index'}}
func.func private @buffer_element(!tmm.buffer<128x64xindex, #sm90.smem<k_major, none>>)

// -----

// expected-error @below {{failed to parse TMM_BufferType parameter 'space' which is to be a `::tc::MemorySpaceAttrInterface`}}
// expected-error @below {{expected attribute value}}
func.func private @buffer_space(!tmm.buffer<128x64xbf16, gmem>)

// -----

// An attribute that is no memory space.
// expected-error @below {{failed to parse TMM_BufferType parameter 'space' which is to be a `::tc::MemorySpaceAttrInterface`}}
// expected-error @below {{invalid kind of attribute specified}}
func.func private @buffer_engine(!tmm.buffer<128x64xbf16, #sm90.tma>)

// -----

// expected-error @below {{expected one of [none, b32, b64, b128, b128_atom32, b128_atom32_flip8, b128_atom64] for swizzle mode of a tile in shared memory, got: b48}}
// expected-error @below {{failed to parse SM90_SmemAttr parameter 'swizzle'}}
// expected-error @below {{failed to parse TMM_BufferType parameter 'space'}}
func.func private @swizzle(!tmm.buffer<128x64xbf16, #sm90.smem<k_major, b48>>)

// -----

// tcgen05_tmem_c1: what the accumulator of one instruction can be.
// expected-error @below {{expected an accumulator that a tcgen05.mma of one CTA can write, or two (64, 128 or 256 rows, 8 to 256 columns, a multiple of 8), got 96, 64 of 'f32' (PTX ISA 9.0, 9.7.16.2.1 "Matrix Shape")}}
func.func private @accumulator_rows(!tmm.buffer<96x64xf32, #tcgen05.tmem>)

// -----

// tcgen05_tmem_c1
// expected-error @below {{expected an accumulator that a tcgen05.mma of two CTAs can write, or two (64, 128 or 256 rows, 8 to 256 columns, a multiple of 8), got 128, 264 of 'f32'}}
func.func private @accumulator_columns(!tmm.buffer<128x264xf32, #tcgen05.tmem<ctas = 2>>)

// -----

// expected-error @below {{expected ctas = 1 or 2, got 3}}
// expected-error @below {{failed to parse TMM_BufferType parameter 'space'}}
func.func private @accumulator_ctas(!tmm.buffer<128x64xf32, #tcgen05.tmem<ctas = 3>>)

// -----

// expected-error @below {{expected at least one buffer in a slot, got none}}
func.func private @pipeline_empty(!tmm.pipeline<(), depth = 1>)

// -----

// expected-error @below {{expected a depth of at least 1, got 0}}
func.func private @pipeline_depth(!tmm.pipeline<(<128x64xbf16, #sm90.smem<k_major, none>>), depth = 0>)

// -----

// expected-error @below {{expected a depth of at most 65536, got 1152921504606846977}}
func.func private @pipeline_slots(!tmm.pipeline<(<128x64xbf16, #sm90.smem<k_major, none>>), depth = 1152921504606846977>)

// -----

func.func @tmm_alloc_c3() {
  // expected-error @below {{expected at most 65536 stages, got 65537}}
  %a = tmm.alloc stages(65537) : !tmm.buffer<128x64xbf16, #sm90.smem<k_major, none>>
  return
}

// -----

// tmm_ctas_c1
// expected-error @below {{expected extents of a cluster from 1 to 16, got 0}}
func.func private @cluster_extent() attributes {s = #tmm.ctas<2x0, along = [0]>}

// -----

// tmm_ctas_c1
// expected-error @below {{expected a cluster of 1 to 16 CTAs, got 32}}
func.func private @cluster_size() attributes {s = #tmm.ctas<4x8, along = [0]>}

// -----

// tmm_ctas_c2
// expected-error @below {{expected along to name dimensions 0 to 1 in ascending order, got [2]}}
func.func private @cluster_dimension() attributes {s = #tmm.ctas<2x4, along = [2]>}

// -----

// tmm_ctas_c2
// expected-error @below {{expected along to name dimensions 0 to 1 in ascending order, got [1, 0]}}
func.func private @cluster_order() attributes {s = #tmm.ctas<2x4, along = [1, 0]>}

// -----

// expected-error @below {{expected a multiple of 128x4 elements of 8 bits, or of i32, not swizzled, in blocks, got 64x4 of 'f8E8M0FNU' (PTX ISA}}
func.func private @buffer_blocked(!tmm.buffer<64x4xf8E8M0FNU, #sm90.smem<blocked, none>>)

// -----

// tcgen05_scales_c1
// expected-error @below {{expected scale factors of a multiple of 128 rows and 4 columns, of 8 bits, got 128, 2 of 'f8E8M0FNU' (PTX ISA}}
func.func private @buffer_scales(!tmm.buffer<128x2xf8E8M0FNU, #tcgen05.scales>)

// -----

// tcgen05_scales_c2
// expected-error @below {{expected rows = 128 or none, got 64 (PTX ISA}}
// expected-error @below {{failed to parse TMM_BufferType parameter 'space'}}
func.func private @buffer_scales_rows(!tmm.buffer<128x4xf8E8M0FNU, #tcgen05.scales<rows = 64>>)

// -----

// tcgen05_operand_c1
// expected-error @below {{expected ctas = 1 or 2, got 4}}
// expected-error @below {{failed to parse TMM_BufferType parameter 'space'}}
func.func private @buffer_operand_ctas(!tmm.buffer<128x64xbf16, #tcgen05.operand<ctas = 4>>)

// -----

// tcgen05_operand_c2
// expected-error @below {{expected A of 128 rows of 8 to 256 cells of 32 bits, a multiple of 8, of elements of 8, 16 or 32 bits, got 64, 64 of 'bf16' (PTX ISA}}
func.func private @buffer_operand_rows(!tmm.buffer<64x64xbf16, #tcgen05.operand>)

// -----

// tcgen05_operand_c2
// expected-error @below {{expected A of 128 rows of 8 to 256 cells of 32 bits, a multiple of 8, of elements of 8, 16 or 32 bits, got 128, 72 of 'bf16' (PTX ISA}}
func.func private @buffer_operand_columns(!tmm.buffer<128x72xbf16, #tcgen05.operand>)
// -----

// tcgen05_metadata_c1
// expected-error @below {{expected metadata of elements of 8, 16 or 32 bits, got 4 (PTX ISA}}
// expected-error @below {{failed to parse TMM_BufferType parameter 'space'}}
func.func private @buffer_metadata_bits(!tmm.buffer<128x4xi32, #tcgen05.metadata<4>>)

// -----

// tcgen05_metadata_c2
// expected-error @below {{expected metadata of 128 lanes and a multiple of 4 columns, of i32, got 128, 2 of 'i32' (PTX ISA}}
func.func private @buffer_metadata(!tmm.buffer<128x2xi32, #tcgen05.metadata<16>>)
