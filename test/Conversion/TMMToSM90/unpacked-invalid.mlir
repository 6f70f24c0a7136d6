// RUN: tc-opt %s -split-input-file -verify-diagnostics -convert-tmm-kernel-interface-to-sm90

// Elements of 4 and 6 bits that TMA unpacks.

// expected-error @+1 {{expected unpacked elements of f4E2M1FN, f6E2M3FN or f6E3M2FN, got 'f8E4M3FN' (PTX ISA 9.0, 5.5}}
func.func private @sm90_tensor_map_c4_bad_element(!sm90.tensor_map<64x128xf8E4M3FN, b128, unpacked>)

// -----

// expected-error @+1 {{expected elements of 'f6E3M2FN' to be unpacked, got no unpacked}}
func.func private @sm90_tensor_map_c4_packed(!sm90.tensor_map<64x128xf6E3M2FN, b128>)

// -----

// expected-error @+1 {{expected rows of the box of 128 unpacked elements, got 64}}
func.func private @sm90_tensor_map_c4_bad_row(!sm90.tensor_map<64x64xf4E2M1FN, b128, unpacked>)

// -----

// expected-error @+1 {{expected swizzle none or b128 of unpacked elements, got b64}}
func.func private @sm90_tensor_map_c4_bad_swizzle(!sm90.tensor_map<64x128xf4E2M1FN, b64, unpacked>)

// -----

func.func @sm90_tensor_map_encode_c2_unpacked(%A: memref<?x?xf6E2M3FN>, %n: index) {
  // expected-error @+1 {{expected the stride of dimension 0 to be a multiple of 32 bytes from 0 to below 2^40, got 144, the nearest is 160}}
  %0 = sm90.tensor_map.encode %A[0] dims [%n, %n] strides [144] : memref<?x?xf6E2M3FN> to !sm90.tensor_map<64x128xf6E2M3FN, b128, unpacked>
  return
}

// -----

func.func @sm90_tensor_map_encode_c6_unpacked(%A: memref<?x?xf6E2M3FN>, %n: index) {
  // expected-error @+1 {{expected the offset to be a multiple of 32 bytes, got 48}}
  %0 = sm90.tensor_map.encode %A[48] dims [%n, %n] strides [%n] : memref<?x?xf6E2M3FN> to !sm90.tensor_map<64x128xf6E2M3FN, b128, unpacked>
  return
}

// -----

func.func @sm90_tensor_map_encode_c7(%A: memref<?x?xf4E2M1FN>, %n: index) {
  // expected-error @+1 {{expected rows of a multiple of 128 unpacked elements, got 192, the nearest is 256}}
  %0 = sm90.tensor_map.encode %A[0] dims [%n, 192] strides [96] : memref<?x?xf4E2M1FN> to !sm90.tensor_map<64x128xf4E2M1FN, b128, unpacked>
  return
}

// -----

!tile = memref<64x128xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>
func.func @sm90_tma_load_c7(%map: !sm90.tensor_map<64x128xf4E2M1FN, b128>, %tile: !tile, %b: !sm90.mbarrier, %i: index) {
  // expected-error @+1 {{expected a destination with bits = 4 in shared memory, as the tensor map has them, got 8}}
  sm90.tma_load %map[%i, %i], %tile, %b : !sm90.tensor_map<64x128xf4E2M1FN, b128>, !tile, !sm90.mbarrier
  return
}

// -----

!tile = memref<64x128xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>
func.func @sm90_tma_store_c7(%map: !sm90.tensor_map<64x128xf4E2M1FN, b128>, %tile: !tile, %i: index) {
  // expected-error @+1 {{expected a source with bits = 4 in shared memory, as the tensor map has them, got 8}}
  sm90.tma_store %map[%i, %i], %tile : !sm90.tensor_map<64x128xf4E2M1FN, b128>, !tile
  return
}

// -----

!tile = memref<64x128xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>
func.func @sm90_tma_store_c8(%map: !sm90.tensor_map<64x128xf4E2M1FN, b128, unpacked>, %tile: !tile, %i: index) {
  // expected-error @+1 {{expected a tensor map of elements that are not unpacked, which are loaded only, got '!sm90.tensor_map<64x128xf4E2M1FN, b128, unpacked>'}}
  sm90.tma_store %map[%i, %i], %tile : !sm90.tensor_map<64x128xf4E2M1FN, b128, unpacked>, !tile
  return
}

// -----

// sm90_smem_c3
// expected-error @+1 {{expected f4E2M1FN, f6E2M3FN or f6E3M2FN in a multiple of 128 columns with swizzle b128 for order k_unpacked, as TMA unpacks them, got 64x64 of 'f6E2M3FN' with b128}}
func.func private @smem_columns(!tmm.buffer<64x64xf6E2M3FN, #sm90.smem<k_unpacked, b128>>)

// -----

// sm90_smem_c3
// expected-error @+1 {{for order k_unpacked, as TMA unpacks them, got 64x128 of 'f8E5M2' with b128}}
func.func private @smem_element(!tmm.buffer<64x128xf8E5M2, #sm90.smem<k_unpacked, b128>>)

// -----

// sm90_smem_c3
// expected-error @+1 {{for order k_unpacked, as TMA unpacks them, got 64x128 of 'f4E2M1FN' with b64}}
func.func private @smem_swizzle(!tmm.buffer<64x128xf4E2M1FN, #sm90.smem<k_unpacked, b64>>)

// -----

module attributes {gpu.container_module} {
  func.func @host(%n: index, %s: memref<64x192xf4E2M1FN, strided<[256, 1]>>) {
    // expected-error @below {{operand argument 0: rows have 192 elements, of which TMA unpacks 128 as a whole: expected a multiple of 128, nearest legal 256}}
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%s : memref<64x192xf4E2M1FN, strided<[256, 1]>>)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    gpu.func @k(%s: memref<64x192xf4E2M1FN, strided<[256, 1]>>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %tile = tmm.alloc : <64x128xf4E2M1FN, #sm90.smem<k_unpacked, b128>>
      tmm.load %s[%c0, %c0], %tile by(#sm90.tma) : memref<64x192xf4E2M1FN, strided<[256, 1]>>, <64x128xf4E2M1FN, #sm90.smem<k_unpacked, b128>>
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  func.func @host(%n: index, %s: memref<64x256xf6E3M2FN, strided<[320, 1]>>) {
    // expected-error @below {{operand argument 0: dimension 0 has a stride of 240 bytes (320 elements), which TMA cannot address: expected a multiple of 32, nearest legal 288 bytes (384 elements)}}
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%s : memref<64x256xf6E3M2FN, strided<[320, 1]>>)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    gpu.func @k(%s: memref<64x256xf6E3M2FN, strided<[320, 1]>>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %tile = tmm.alloc : <64x128xf6E3M2FN, #sm90.smem<k_unpacked, b128>>
      tmm.load %s[%c0, %c0], %tile by(#sm90.tma) : memref<64x256xf6E3M2FN, strided<[320, 1]>>, <64x128xf6E3M2FN, #sm90.smem<k_unpacked, b128>>
      gpu.return
    }
  }
}
