// RUN: tc-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected im2col of a tensor of 3 to 5 dimensions, got 2}}
func.func private @sm90_tensor_map_c5_bad_rank(!sm90.tensor_map<64x64xbf16, b128, im2col = 2>)

// -----

// expected-error @+1 {{expected a box of pixels and channels for im2col, got one of 3 dimensions}}
func.func private @sm90_tensor_map_c5_bad_box(!sm90.tensor_map<1x64x64xbf16, b128, im2col = 3>)

// -----

// expected-error @+1 {{expected im2col of elements that are not unpacked, got unpacked}}
func.func private @sm90_tensor_map_c5_unpacked(!sm90.tensor_map<64x128xf4E2M1FN, b128, unpacked, im2col = 4>)

// -----

// expected-error @+1 {{expected dimension 0 of the box to be from 1 to 1024, got 1025}}
func.func private @sm90_tensor_map_c5_bad_pixels(!sm90.tensor_map<1025x64xbf16, b128, im2col = 4>)

// -----

func.func @sm90_tensor_map_encode_c8_boxes(%A: memref<2x8x9x64xbf16>) {
  // expected-error @+1 {{expected no corners for a tensor map of boxes, got im2col (PTX ISA 9.0, 5.5 "Tensors")}}
  %0 = sm90.tensor_map.encode %A[0] dims [2, 8, 9, 64] strides [9216, 1152, 128] im2col lower [0, 0] upper [0, 0]
    : memref<2x8x9x64xbf16> to !sm90.tensor_map<1x1x128x64xbf16, b128>
  return
}

// -----

func.func @sm90_tensor_map_encode_c8_none(%A: memref<2x8x9x64xbf16>) {
  // expected-error @+1 {{expected im2col with the lower and upper corners of the positions for '!sm90.tensor_map<128x64xbf16, b128, im2col = 4>', got none}}
  %0 = sm90.tensor_map.encode %A[0] dims [2, 8, 9, 64] strides [9216, 1152, 128]
    : memref<2x8x9x64xbf16> to !sm90.tensor_map<128x64xbf16, b128, im2col = 4>
  return
}

// -----

func.func @sm90_tensor_map_encode_c8_bad_lower(%A: memref<2x8x9x64xbf16>) {
  // expected-error @+1 {{expected lower of 2 entries from -128 to 127, got [-129, 0]}}
  %0 = sm90.tensor_map.encode %A[0] dims [2, 8, 9, 64] strides [9216, 1152, 128] im2col lower [-129, 0] upper [0, 0]
    : memref<2x8x9x64xbf16> to !sm90.tensor_map<128x64xbf16, b128, im2col = 4>
  return
}

// -----

func.func @sm90_tensor_map_encode_c8_bad_upper(%A: memref<2x8x64xbf16>) {
  // expected-error @+1 {{expected upper of 1 entry from -32768 to 32767, got [0, 0]}}
  %0 = sm90.tensor_map.encode %A[0] dims [2, 8, 64] strides [1024, 128] im2col lower [0] upper [0, 0]
    : memref<2x8x64xbf16> to !sm90.tensor_map<128x64xbf16, b128, im2col = 3>
  return
}

// -----

!tile = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
func.func @sm90_tma_load_c9_none(%map: !sm90.tensor_map<128x64xbf16, b128, im2col = 4>, %tile: !tile, %b: !sm90.mbarrier, %i: index) {
  // expected-error @+1 {{expected im2col with 2 offsets for '!sm90.tensor_map<128x64xbf16, b128, im2col = 4>', got 0}}
  sm90.tma_load %map[%i, %i, %i, %i], %tile, %b : !sm90.tensor_map<128x64xbf16, b128, im2col = 4>, !tile, !sm90.mbarrier
  return
}

// -----

!tile = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
func.func @sm90_tma_load_c9_boxes(%map: !sm90.tensor_map<128x64xbf16, b128>, %tile: !tile, %b: !sm90.mbarrier, %i: index) {
  // expected-error @+1 {{expected im2col with 0 offsets for '!sm90.tensor_map<128x64xbf16, b128>', got 1}}
  sm90.tma_load %map[%i, %i] im2col[%i], %tile, %b : !sm90.tensor_map<128x64xbf16, b128>, !tile, !sm90.mbarrier
  return
}

// -----

!tile = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
func.func @sm90_tma_load_c9_bad_offset(%map: !sm90.tensor_map<128x64xbf16, b128, im2col = 5>, %tile: !tile, %b: !sm90.mbarrier, %i: index) {
  %far = arith.constant 32 : index
  // expected-error @+1 {{expected im2col offsets from 0 to 31, got 32}}
  sm90.tma_load %map[%i, %i, %i, %i, %i] im2col[%i, %far, %i], %tile, %b : !sm90.tensor_map<128x64xbf16, b128, im2col = 5>, !tile, !sm90.mbarrier
  return
}

// -----

!tile = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
func.func @sm90_tma_load_c1_pixels(%map: !sm90.tensor_map<128x64xbf16, b128, im2col = 4>, %tile: !tile, %b: !sm90.mbarrier, %i: index) {
  // expected-error @+1 {{expected 4 coordinates, got 2}}
  sm90.tma_load %map[%i, %i] im2col[%i, %i], %tile, %b : !sm90.tensor_map<128x64xbf16, b128, im2col = 4>, !tile, !sm90.mbarrier
  return
}

// -----

!tile = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
func.func @sm90_tma_store_c9(%map: !sm90.tensor_map<128x64xbf16, b128, im2col = 4>, %tile: !tile, %i: index) {
  // expected-error @+1 {{expected a tensor map of boxes, got '!sm90.tensor_map<128x64xbf16, b128, im2col = 4>'}}
  sm90.tma_store %map[%i, %i, %i, %i], %tile : !sm90.tensor_map<128x64xbf16, b128, im2col = 4>, !tile
  return
}

// -----

// expected-error @+1 {{expected '>'}}
func.func private @im2col_twice(!sm90.tensor_map<64x64xbf16, b128, im2col = 4, im2col = 5>)

// -----

// expected-error @+1 {{expected 'im2col'}}
func.func private @unpacked_twice(!sm90.tensor_map<64x128xf4E2M1FN, b128, unpacked, unpacked>)
