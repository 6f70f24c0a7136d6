// Each rule of the verifiers, named after its label.
// RUN: tc-opt %s -split-input-file -verify-diagnostics

func.func @dynamic_smem_bad_dynamic() {
  // expected-error @+1 {{expected a static number of bytes, got 'memref<?xi8, #gpu.address_space<workgroup>>'}}
  %s = sm90.dynamic_smem align 1024 : memref<?xi8, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_dynamic_smem_c1_bad_align() {
  // expected-error @+1 {{expected align to be a power of two of at least 16, got 24}}
  %s = sm90.dynamic_smem align 24 : memref<1024xi8, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_dynamic_smem_c2_bad_size() {
  // expected-error @+1 {{expected at most 334848 bytes of shared memory, got 335856 with the padding for align 1024}}
  %s = sm90.dynamic_smem align 1024 : memref<334848xi8, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_smem_view_c1_bad_end(%s: memref<20000xi8, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expected the tile to lie within the source of 20000 bytes, got 16384 from 4096 on}}
  %t = sm90.smem_view %s[4096] : memref<20000xi8, #gpu.address_space<workgroup>> to memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_smem_view_c1_next_to_2_63(%s: memref<20000xi8, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expected the tile to lie within the source of 20000 bytes, got 128 from 9223372036854775792 on}}
  %t = sm90.smem_view %s[9223372036854775792] : memref<20000xi8, #gpu.address_space<workgroup>> to memref<32xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_smem_view_c2_bad_offset(%s: memref<20000xi8, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expected the offset to be a multiple of 1024 bytes, got 512, the nearest is 1024 (PTX ISA 9.0, 5.5.7 "Swizzling-modes")}}
  %t = sm90.smem_view %s[512] : memref<20000xi8, #gpu.address_space<workgroup>> to memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @smem_view_bad_layout(%s: memref<20000xi8, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expected a row-major result or a layout of a tile in shared memory}}
  %t = sm90.smem_view %s[0] : memref<20000xi8, #gpu.address_space<workgroup>> to memref<8x8xf32, strided<[16, 1]>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @smem_view_bad_shape(%s: memref<20000xi8, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expected a static result shape}}
  %t = sm90.smem_view %s[0] : memref<20000xi8, #gpu.address_space<workgroup>> to memref<?xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @smem_view_bad_element(%s: memref<20000xi8, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expected integer or float elements, got 'vector<4xf32>'}}
  %t = sm90.smem_view %s[0] : memref<20000xi8, #gpu.address_space<workgroup>> to memref<4xvector<4xf32>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @smem_view_bad_space(%s: memref<20000xi8>) {
  // expected-error @+1 {{operand #0 must be one-dimensional memref of i8 in workgroup memory}}
  %t = sm90.smem_view %s[0] : memref<20000xi8> to memref<8xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @smem_view_bad_number_of_offsets(%s: memref<20000xi8, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expected one offset, got 2}}
  %t = sm90.smem_view %s[0, 0] : memref<20000xi8, #gpu.address_space<workgroup>> to memref<8xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_mbarrier_view_c1_bad_end(%s: memref<64xi8, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expected the mbarriers to lie within the source of 64 bytes, got 3 of 8 bytes from 48 on}}
  %b = sm90.mbarrier.view %s[48] : memref<64xi8, #gpu.address_space<workgroup>> to !sm90.mbarrier_array<3>
  return
}

// -----

func.func @sm90_mbarrier_view_c1_next_to_2_63(%s: memref<64xi8, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expected the mbarriers to lie within the source of 64 bytes, got 1 of 8 bytes from 9223372036854775800 on}}
  %b = sm90.mbarrier.view %s[9223372036854775800] : memref<64xi8, #gpu.address_space<workgroup>> to !sm90.mbarrier_array<1>
  return
}

// -----

func.func @sm90_mbarrier_view_c1_bytes_of_2_63(%s: memref<64xi8, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expected the mbarriers to lie within the source of 64 bytes, got 2305843009213693952 of 8 bytes from 0 on}}
  %b = sm90.mbarrier.view %s[0] : memref<64xi8, #gpu.address_space<workgroup>> to !sm90.mbarrier_array<2305843009213693952>
  return
}

// -----

func.func @sm90_mbarrier_view_c2_bad_offset(%s: memref<64xi8, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expected the offset to be a multiple of 8 bytes, got 4, the nearest is 8}}
  %b = sm90.mbarrier.view %s[4] : memref<64xi8, #gpu.address_space<workgroup>> to !sm90.mbarrier_array<3>
  return
}

// -----

func.func @sm90_mbarrier_get_c1_bad_index(%bars: !sm90.mbarrier_array<3>) {
  // expected-error @+1 {{expected an index from 0 to 2, got 3}}
  %b = sm90.mbarrier.get %bars[3] : !sm90.mbarrier_array<3>
  return
}

// -----

func.func @sm90_mbarrier_init_c1_bad_count(%b: !sm90.mbarrier) {
  // expected-error @+1 {{expected count from 1 to 1048575, got 0 (PTX ISA 9.0, 9.7.13.15 "Parallel Synchronization and Communication Instructions: mbarrier")}}
  sm90.mbarrier.init %b, 0 : !sm90.mbarrier
  return
}

// -----

func.func @sm90_mbarrier_arrive_c1_bad_count(%b: !sm90.mbarrier) {
  // expected-error @+1 {{expected count from 1 to 1048575, got -1}}
  sm90.mbarrier.arrive %b, -1 : !sm90.mbarrier
  return
}

// -----

func.func @sm90_mbarrier_arrive_expect_tx_c1_bad_bytes(%b: !sm90.mbarrier) {
  // expected-error @+1 {{expected bytes from 1 to 1048575, got 1048576}}
  sm90.mbarrier.arrive_expect_tx %b, 1048576 : !sm90.mbarrier
  return
}

// -----

func.func @sm90_tensor_map_encode_c1_bad_rank(%A: memref<?x?xbf16>, %n: index) {
  // expected-error @+1 {{expected 2 dims and 1 strides for '!sm90.tensor_map<128x64xbf16, b128>', got 2 dims and 2 strides (PTX ISA 9.0, 5.5 "Tensors")}}
  %0 = sm90.tensor_map.encode %A[0] dims [%n, %n] strides [%n, 2] : memref<?x?xbf16> to !sm90.tensor_map<128x64xbf16, b128>
  return
}

// -----

func.func @sm90_tensor_map_encode_c2_bad_stride(%A: memref<?x?xbf16>, %n: index) {
  // expected-error @+1 {{expected the stride of dimension 0 to be a multiple of 16 bytes from 0 to below 2^40, got 72, the nearest is 80}}
  %0 = sm90.tensor_map.encode %A[0] dims [%n, %n] strides [72] : memref<?x?xbf16> to !sm90.tensor_map<128x64xbf16, b128>
  return
}

// -----

func.func @sm90_tensor_map_encode_c3_bad_dim(%A: memref<?x?xbf16>, %n: index) {
  // expected-error @+1 {{expected dimension 1 to have from 1 to 2^32 elements, got 0}}
  %0 = sm90.tensor_map.encode %A[0] dims [%n, 0] strides [%n] : memref<?x?xbf16> to !sm90.tensor_map<128x64xbf16, b128>
  return
}

// -----

func.func @sm90_tensor_map_encode_c4_bad_element(%A: memref<?x?xf16>, %n: index) {
  // expected-error @+1 {{expected a buffer of 'bf16', the elements of the tensor map, got 'f16'}}
  %0 = sm90.tensor_map.encode %A[0] dims [%n, %n] strides [%n] : memref<?x?xf16> to !sm90.tensor_map<128x64xbf16, b128>
  return
}

// -----

func.func @sm90_tensor_map_encode_c5_bad_element_strides(%A: memref<?x?xbf16>, %n: index) {
  // expected-error @+1 {{expected 2 element strides from 1 to 8, got [1, 9]}}
  %0 = sm90.tensor_map.encode %A[0] dims [%n, %n] strides [%n] element_strides [1, 9] : memref<?x?xbf16> to !sm90.tensor_map<128x64xbf16, b128>
  return
}

// -----

func.func @sm90_tensor_map_encode_c6_bad_offset(%A: memref<?x?xbf16>, %n: index) {
  // expected-error @+1 {{expected the offset to be a multiple of 16 bytes, got 8}}
  %0 = sm90.tensor_map.encode %A[8] dims [%n, %n] strides [%n] : memref<?x?xbf16> to !sm90.tensor_map<128x64xbf16, b128>
  return
}

// -----

func.func @sm90_tma_load_c1_bad_coordinates(%map: !sm90.tensor_map<128x64xbf16, b128>, %tile: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
    %b: !sm90.mbarrier, %i: index) {
  // expected-error @+1 {{expected 2 coordinates, got 1 (PTX ISA 9.0, 9.7.9.27 "Data Movement and Conversion Instructions: Tensor copy")}}
  sm90.tma_load %map[%i], %tile, %b : !sm90.tensor_map<128x64xbf16, b128>,
    memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, !sm90.mbarrier
  return
}

// -----

func.func @sm90_tma_load_c2_bad_element(%map: !sm90.tensor_map<128x64xf16, b128>, %tile: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
    %b: !sm90.mbarrier, %i: index) {
  // expected-error @+1 {{expected a destination of 'f16', the elements of the tensor map, got 'bf16'}}
  sm90.tma_load %map[%i, %i], %tile, %b : !sm90.tensor_map<128x64xf16, b128>,
    memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, !sm90.mbarrier
  return
}

// -----

func.func @sm90_tma_load_c3_bad_box(%map: !sm90.tensor_map<64x64xbf16, b128>, %tile: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
    %b: !sm90.mbarrier, %i: index) {
  // expected-error @+1 {{expected a box of 128x64, one slab of the destination, got 64x64}}
  sm90.tma_load %map[%i, %i], %tile, %b : !sm90.tensor_map<64x64xbf16, b128>,
    memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, !sm90.mbarrier
  return
}

// -----

func.func @sm90_tma_load_c3_bad_slab(%map: !sm90.tensor_map<64x32xbf16, b128>, %tile: memref<128x64xbf16, #sm90.smem_layout<mn_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>,
    %b: !sm90.mbarrier, %i: index) {
  // expected-error @+1 {{expected a box of 64x64, one slab of the destination, got 64x32}}
  sm90.tma_load %map[%i, %i], %tile, %b : !sm90.tensor_map<64x32xbf16, b128>,
    memref<128x64xbf16, #sm90.smem_layout<mn_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>, !sm90.mbarrier
  return
}

// -----

func.func @tma_load_bad_layout(%map: !sm90.tensor_map<128x64xbf16, b128>, %tile: memref<128x64xbf16, strided<[128, 1]>, #gpu.address_space<workgroup>>,
    %b: !sm90.mbarrier, %i: index) {
  // expected-error @+1 {{expected a row-major destination or a layout of a tile in shared memory, got 'memref<128x64xbf16, strided<[128, 1]>, #gpu.address_space<workgroup>>'}}
  sm90.tma_load %map[%i, %i], %tile, %b : !sm90.tensor_map<128x64xbf16, b128>,
    memref<128x64xbf16, strided<[128, 1]>, #gpu.address_space<workgroup>>, !sm90.mbarrier
  return
}

// -----

func.func @sm90_tma_load_c4_bad_swizzle(%map: !sm90.tensor_map<128x64xbf16, none>, %tile: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
    %b: !sm90.mbarrier, %i: index) {
  // expected-error @+1 {{expected swizzle b128, that of the destination, got none}}
  sm90.tma_load %map[%i, %i], %tile, %b : !sm90.tensor_map<128x64xbf16, none>,
    memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, !sm90.mbarrier
  return
}

// -----

func.func @sm90_tma_load_c5_bad_rows(%map: !sm90.tensor_map<128x32xbf16, b128>, %tile: memref<128x32xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
    %b: !sm90.mbarrier, %i: index) {
  // expected-error @+1 {{expected rows of 128 bytes, the span of swizzle b128, got 64}}
  sm90.tma_load %map[%i, %i], %tile, %b : !sm90.tensor_map<128x32xbf16, b128>,
    memref<128x32xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, !sm90.mbarrier
  return
}

// -----

func.func @sm90_tma_load_c6_bad_group(%map: !sm90.tensor_map<128x64xbf16, b128>, %tile: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
    %b: !sm90.cluster_mbarrier, %i: index) {
  // expected-error @+1 {{expected cta_group 2 for an mbarrier of the cluster, got cta_group 1}}
  sm90.tma_load %map[%i, %i], %tile, %b : !sm90.tensor_map<128x64xbf16, b128>,
    memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, !sm90.cluster_mbarrier
  return
}

// -----

func.func @sm90_mbarrier_map_c1_bad_rank(%bars: !sm90.mbarrier_array<4>) {
  %rank = arith.constant 16 : i32
  // expected-error @+1 {{expected a rank from 0 to 15, got 16}}
  %peers = sm90.mbarrier.map %bars, %rank : !sm90.mbarrier_array<4>
  return
}

// -----

func.func @sm90_mbarrier_get_c1_bad_cluster_index(%bars: !sm90.cluster_mbarrier_array<4>) {
  // expected-error @+1 {{expected an index from 0 to 3, got 4}}
  %b = sm90.mbarrier.get %bars[4] : !sm90.cluster_mbarrier_array<4>
  return
}

// -----

// Only its own CTA can wait for a barrier.
func.func @wait_parity_bad_barrier(%b: !sm90.cluster_mbarrier, %parity: i32) {
  // expected-error @+1 {{operand #0 must be an mbarrier object in shared memory, but got '!sm90.cluster_mbarrier'}}
  sm90.mbarrier.wait_parity %b, %parity : !sm90.cluster_mbarrier
  return
}

// -----

// expected-error @+1 {{expected at least one mbarrier, got 0}}
func.func private @mbarrier_array_bad_count(!sm90.mbarrier_array<0>)

// -----

// expected-error @+1 {{expected at least one mbarrier, got 0}}
func.func private @cluster_mbarrier_array_bad_count(!sm90.cluster_mbarrier_array<0>)

// -----

// expected-error @+1 {{expected a box of 1 to 5 dimensions, got 6}}
func.func private @sm90_tensor_map_c1_bad_rank(!sm90.tensor_map<1x1x1x1x8x64xbf16, b128>)

// -----

// expected-error @+1 {{expected dimension 0 of the box to be from 1 to 256, got 512}}
func.func private @sm90_tensor_map_c1_bad_extent(!sm90.tensor_map<512x64xbf16, b128>)

// -----

// expected-error @+1 {{expected rows of the box to be a multiple of 16 bytes, got 24 bytes, the nearest is 16 elements}}
func.func private @sm90_tensor_map_c2_bad_row(!sm90.tensor_map<8x12xbf16, none>)

// -----

// expected-error @+1 {{expected rows of the box of at most 64 bytes for swizzle b64, got 128 bytes, the nearest is 32 elements}}
func.func private @sm90_tensor_map_c3_bad_row(!sm90.tensor_map<8x64xbf16, b64>)

// -----

// expected-error @+1 {{expected a swizzle none, b32, b64, b128, b128_atom32, b128_atom32_flip8 or b128_atom64, got 'b256'}}
func.func private @tensor_map_bad_swizzle(!sm90.tensor_map<8x64xbf16, b256>)

// -----

// expected-error @+1 {{expected elements of 8, 16, 32 or 64 bits, or f4E2M1FN, got 'i4'}}
func.func private @tensor_map_bad_element(!sm90.tensor_map<8x64xi4, none>)

// -----

func.func @sm90_named_barrier_c1_bad_id() {
  // expected-error @+1 {{expected a number from 1 to 15, got 0 (0 is the barrier of all threads)}}
  sm90.named_barrier 0 threads 128
  return
}

// -----

func.func @sm90_named_barrier_c2_bad_threads() {
  // expected-error @+1 {{expected threads to be a multiple of 32 up to 1024, got 100, the nearest is 128}}
  sm90.named_barrier 1 threads 100
  return
}

// -----

!tile = memref<128x32xbf16, #sm90.smem_layout<k_major, b64, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
func.func @sm90_tma_store_c1_bad_coordinates(%map: !sm90.tensor_map<128x32xbf16, b64>, %tile: !tile, %i: index) {
  // expected-error @+1 {{expected 2 coordinates, got 1}}
  sm90.tma_store %map[%i], %tile : !sm90.tensor_map<128x32xbf16, b64>, !tile
  return
}

// -----

!tile = memref<128x32xbf16, #sm90.smem_layout<k_major, b64, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
func.func @sm90_tma_store_c2_bad_element(%map: !sm90.tensor_map<128x32xf16, b64>, %tile: !tile, %i: index) {
  // expected-error @+1 {{expected a source of 'f16', the elements of the tensor map, got 'bf16'}}
  sm90.tma_store %map[%i, %i], %tile : !sm90.tensor_map<128x32xf16, b64>, !tile
  return
}

// -----

!tile = memref<128x32xbf16, #sm90.smem_layout<k_major, b64, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
func.func @sm90_tma_store_c3_bad_box(%map: !sm90.tensor_map<64x32xbf16, b64>, %tile: !tile, %i: index) {
  // expected-error @+1 {{expected a box of 128x32, one slab of the source, got 64x32}}
  sm90.tma_store %map[%i, %i], %tile : !sm90.tensor_map<64x32xbf16, b64>, !tile
  return
}

// -----

!tile = memref<128x32xbf16, #sm90.smem_layout<k_major, b64, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
func.func @sm90_tma_store_c4_bad_swizzle(%map: !sm90.tensor_map<128x32xbf16, none>, %tile: !tile, %i: index) {
  // expected-error @+1 {{expected swizzle b64, that of the source, got none}}
  sm90.tma_store %map[%i, %i], %tile : !sm90.tensor_map<128x32xbf16, none>, !tile
  return
}

// -----

!tile = memref<128x16xbf16, #sm90.smem_layout<k_major, b64, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
func.func @sm90_tma_store_c5_bad_row(%map: !sm90.tensor_map<128x16xbf16, b64>, %tile: !tile, %i: index) {
  // expected-error @+1 {{expected rows of 64 bytes, the span of swizzle b64, got 32}}
  sm90.tma_store %map[%i, %i], %tile : !sm90.tensor_map<128x16xbf16, b64>, !tile
  return
}

// -----

!tile = memref<32x128xbf16, #gpu.address_space<workgroup>>
func.func @sm90_smem_store_c1_bad_layout(%v: vector<8xbf16>, %tile: !tile, %row: i32) {
  // expected-error @+1 {{expected a tile in slabs, got 'memref<32x128xbf16, #gpu.address_space<workgroup>>'}}
  sm90.smem_store %v, %tile[%row, 0] : vector<8xbf16>, !tile
  return
}

// -----

!tile = memref<128x32xbf16, #sm90.smem_layout<k_major, b64, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
func.func @sm90_smem_store_c2_bad_value(%v: vector<3xbf16>, %tile: !tile, %row: i32) {
  // expected-error @+1 {{expected a value of 1, 2, 4, 8 or 16 bytes of 'bf16', got 'vector<3xbf16>'}}
  sm90.smem_store %v, %tile[%row, 0] : vector<3xbf16>, !tile
  return
}

// -----

!tile = memref<128x32xbf16, #sm90.smem_layout<k_major, b64, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
func.func @sm90_smem_store_c2_wide_value(%v: vector<16xbf16>, %tile: !tile, %row: i32) {
  // expected-error @+1 {{expected a value of 1, 2, 4, 8 or 16 bytes of 'bf16', got 'vector<16xbf16>'}}
  sm90.smem_store %v, %tile[%row, 0] : vector<16xbf16>, !tile
  return
}

// -----

!tile = memref<32x128xbf16, #sm90.smem_layout<mn_major, b64, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
func.func @sm90_stmatrix_c1_bad_layout(%v: vector<8xbf16>, %tile: !tile, %row: i32) {
  // expected-error @+1 {{expected a tile whose rows run along dimension 1, got 'memref<32x128xbf16}}
  sm90.stmatrix %v, %tile[%row, 0] : vector<8xbf16>, !tile
  return
}

// -----

!tile = memref<128x32xbf16, #sm90.smem_layout<k_major, b64, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
func.func @sm90_stmatrix_c2_bad_value(%v: vector<6xbf16>, %tile: !tile, %row: i32) {
  // expected-error @+1 {{expected a value of 2, 4 or 8 elements of 16 bits of a tile of them, got 'vector<6xbf16>'}}
  sm90.stmatrix %v, %tile[%row, 0] : vector<6xbf16>, !tile
  return
}

// -----

!tile = memref<128x32xf32, #sm90.smem_layout<k_major, b128, bits = 32, slab = 4096>, #gpu.address_space<workgroup>>
func.func @sm90_stmatrix_c2_bad_bits(%v: vector<4xf32>, %tile: !tile, %row: i32) {
  // expected-error @+1 {{expected a value of 2, 4 or 8 elements of 16 bits of a tile of them, got 'vector<4xf32>' and 'memref<128x32xf32}}
  sm90.stmatrix %v, %tile[%row, 0] : vector<4xf32>, !tile
  return
}

// -----

!tile = memref<128x32xbf16, #sm90.smem_layout<k_major, b64, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
func.func @sm90_stmatrix_c3_bad_column(%v: vector<2xbf16>, %tile: !tile, %row: i32) {
  // expected-error @+1 {{expected a column that is a multiple of 8 up to 24, got 4}}
  sm90.stmatrix %v, %tile[%row, 4] : vector<2xbf16>, !tile
  return
}

// -----

!tile = memref<128x32xbf16, #sm90.smem_layout<k_major, b64, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
func.func @sm90_smem_store_c2_bits(%v: vector<4xf4E2M1FN>, %tile: memref<128x64xf4E2M1FN, #gpu.address_space<workgroup>>, %row: i32) {
  // expected-error @+1 {{expected a value of 1, 2, 4, 8 or 16 bytes of 'f4E2M1FN', got 'vector<4xf4E2M1FN>'}}
  sm90.smem_store %v, %tile[%row, 0] : vector<4xf4E2M1FN>, memref<128x64xf4E2M1FN, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_stmatrix_c2_index(%v: vector<4xindex>, %tile: memref<128x64xindex, #gpu.address_space<workgroup>>, %row: i32) {
  // expected-error @+1 {{expected a value of 2, 4 or 8 elements of 16 bits of a tile of them, got 'vector<4xindex>'}}
  sm90.stmatrix %v, %tile[%row, 0] : vector<4xindex>, memref<128x64xindex, #gpu.address_space<workgroup>>
  return
}

// -----

!tile = memref<128x32xbf16, #sm90.smem_layout<k_major, b64, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
func.func @sm90_smem_store_c3_bad_column(%v: vector<8xbf16>, %tile: !tile, %row: i32) {
  // expected-error @+1 {{expected a column that is a multiple of 8 up to 24, got 12}}
  sm90.smem_store %v, %tile[%row, 12] : vector<8xbf16>, !tile
  return
}

// -----

!tile = memref<128x32xbf16, #sm90.smem_layout<k_major, b64, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
func.func @sm90_smem_store_c3_next_to_2_63(%v: vector<8xbf16>, %tile: !tile, %row: i32) {
  // expected-error @+1 {{expected a column that is a multiple of 8 up to 24, got 9223372036854775800}}
  sm90.smem_store %v, %tile[%row, 9223372036854775800] : vector<8xbf16>, !tile
  return
}

// -----

!tile = memref<128x32xbf16, #sm90.smem_layout<k_major, b64, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
func.func @sm90_smem_store_c3_column_outside(%v: vector<8xbf16>, %tile: !tile, %row: i32) {
  // expected-error @+1 {{expected a column that is a multiple of 8 up to 24, got 32}}
  sm90.smem_store %v, %tile[%row, 32] : vector<8xbf16>, !tile
  return
}

// -----

func.func @sm90_set_max_registers_c1() {
  // expected-error @below {{expected a multiple of 8 registers from 24 to 256, got 100; nearest 104}}
  sm90.set_max_registers increase 100
  return
}

// -----

func.func @sm90_smem_alloc_c1_bad_size() {
  // expected-error @+1 {{expected a static number of bytes of at least 1, got 'memref<?xi8, #gpu.address_space<workgroup>>'}}
  %s = sm90.smem_alloc align 16 : memref<?xi8, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_smem_alloc_c2_bad_align() {
  // expected-error @+1 {{expected align to be a power of two of at least 1, got 24}}
  %s = sm90.smem_alloc align 24 : memref<64xi8, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @smem_view_dynamic(%m: memref<1024xi8, #gpu.address_space<workgroup>>) {
  // expected-error @below {{expected a static result shape, got 'memref<?xf32, #gpu.address_space<workgroup>>'}}
  %v = sm90.smem_view %m[0] : memref<1024xi8, #gpu.address_space<workgroup>> to memref<?xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @smem_view_strided(%m: memref<1024xi8, #gpu.address_space<workgroup>>) {
  // expected-error @below {{expected a row-major result or a layout of a tile in shared memory, got 'memref<4x4xf32, strided<[8, 1]>, #gpu.address_space<workgroup>>'}}
  %v = sm90.smem_view %m[0] : memref<1024xi8, #gpu.address_space<workgroup>> to memref<4x4xf32, strided<[8, 1]>, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @smem_view_two_offsets(%m: memref<1024xi8, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error @below {{expected 0 values for the offset, got 1}}
  %v = "sm90.smem_view"(%m, %i) <{static_offset = array<i64: 0>}> : (memref<1024xi8, #gpu.address_space<workgroup>>, index) -> memref<4x4xf32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @sm90_smem_store_c1_row_major(%m: memref<128x64xbf16, #gpu.address_space<workgroup>>, %v: vector<8xbf16>, %i: i32) {
  // expected-error @below {{expected a tile in slabs, got 'memref<128x64xbf16, #gpu.address_space<workgroup>>'}}
  sm90.smem_store %v, %m[%i, 8] : vector<8xbf16>, memref<128x64xbf16, #gpu.address_space<workgroup>>
  return
}
