// RUN: tc-opt %s | tc-opt --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: @types
// CHECK-SAME: !sm90.mbarrier,
// CHECK-SAME: !sm90.mbarrier_array<7>
// CHECK-SAME: !sm90.tensor_map<256xf32, none>
// CHECK-SAME: !sm90.tensor_map<1x128x64xbf16, b128>
// CHECK-SAME: !sm90.tensor_map<64x32xf32, b128_atom32>
func.func private @types(!sm90.mbarrier, !sm90.mbarrier_array<7>, !sm90.tensor_map<256xf32, none>,
                         !sm90.tensor_map<1x128x64xbf16, b128>, !sm90.tensor_map<64x32xf32, b128_atom32>)

// CHECK-LABEL: @layouts
// CHECK-SAME: #sm90.smem_layout<k_major, none, bits = 16, slab = 1024>
// CHECK-SAME: #sm90.smem_layout<k_major, b32, bits = 8, slab = 4096>
// CHECK-SAME: #sm90.smem_layout<mn_major, b64, bits = 16, slab = 2048>
// CHECK-SAME: #sm90.smem_layout<mn_major, b128, bits = 16, slab = 4096>
// CHECK-SAME: #sm90.smem_layout<mn_major, b128_atom32, bits = 32, slab = 2048>
func.func private @layouts(
  memref<128x64xbf16, #sm90.smem_layout<k_major, none, bits = 16, slab = 1024>, #gpu.address_space<workgroup>>,
  memref<128x64xi8, #sm90.smem_layout<k_major, b32, bits = 8, slab = 4096>, #gpu.address_space<workgroup>>,
  memref<128x64xbf16, #sm90.smem_layout<mn_major, b64, bits = 16, slab = 2048>, #gpu.address_space<workgroup>>,
  memref<128x64xbf16, #sm90.smem_layout<mn_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>,
  memref<128x64xf32, #sm90.smem_layout<mn_major, b128_atom32, bits = 32, slab = 2048>, #gpu.address_space<workgroup>>)

// Elements of 4 bits, packed, and of 4 and 6 bits, unpacked to bytes.
// CHECK-LABEL: @narrow
// CHECK-SAME: !sm90.tensor_map<64x256xf4E2M1FN, b128>
// CHECK-SAME: !sm90.tensor_map<64x128xf4E2M1FN, b128, unpacked>
// CHECK-SAME: !sm90.tensor_map<64x128xf6E3M2FN, none, unpacked>
// CHECK-SAME: #sm90.smem_layout<k_major, b128, bits = 4, slab = 16384>
// CHECK-SAME: !tmm.buffer<64x128xf6E2M3FN, #sm90.smem<k_unpacked, b128>>
func.func private @narrow(!sm90.tensor_map<64x256xf4E2M1FN, b128>, !sm90.tensor_map<64x128xf4E2M1FN, b128, unpacked>,
  !sm90.tensor_map<64x128xf6E3M2FN, none, unpacked>,
  memref<64x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 4, slab = 16384>, #gpu.address_space<workgroup>>,
  !tmm.buffer<64x128xf6E2M3FN, #sm90.smem<k_unpacked, b128>>)
