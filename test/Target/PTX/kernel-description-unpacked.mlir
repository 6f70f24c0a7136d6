// RUN: tc-compile %s --config="cta-group=1 tile=128x128x128" --emit=tiles -o - | FileCheck %s --check-prefix=TILES
// RUN: tc-compile %s --config="cta-group=1 tile=128x128x128" --emit=tcgen05 -o - | FileCheck %s --check-prefix=TCGEN05
// RUN: tc-compile %s --config="cta-group=1 tile=128x128x128" -o %t.ptx
// RUN: FileCheck %s --input-file=%t.json
// RUN: FileCheck %s --input-file=%t.ptx --check-prefix=PTX
// RUN: not tc-compile %s --config="cta-group=1 tile=128x128x64 swizzle=64B" -o %t.ptx 2>&1 | FileCheck %s --check-prefix=SWIZZLE

// TMA unpacks elements of 6 and 4 bits to bytes: a row of a slab has 128 of them.
// A copy counts the bytes in global memory, 12 for 16 elements of 6 bits and 8 for 16
// of 4 bits: 12288 and 8192 of the 16384 of a slab.

// TILES: #sm90.smem<k_unpacked, b128>

// TCGEN05: memref<128x128xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>
// TCGEN05: !sm90.tensor_map<128x128xf6E3M2FN, b128, unpacked>
// TCGEN05: sm90.mbarrier.arrive_expect_tx {{.*}} 20480
// TCGEN05: tcgen05.mma f8f6f4

// CHECK: "message": "operand A: the length of rows must be a multiple of 128 elements, which TMA unpacks as a whole"
// CHECK: "tensor_map": {
// CHECK-NEXT: "buffer": "A",
// CHECK-NEXT: "offset": 0,
// CHECK-NEXT: "dtype": "16u6_align16b",
// CHECK-NEXT: "dims": [
// CHECK-NEXT: "max(K, 128)",
// CHECK: "strides": [
// CHECK-NEXT: "K * 6 floordiv 8"
// CHECK: "box": [
// CHECK-NEXT: 128,
// CHECK-NEXT: 128
// CHECK: "buffer": "B",
// CHECK: "dtype": "16u4_align16b",

// PTX: tcgen05.mma.cta_group::1.kind::f8f6f4

// SWIZZLE: swizzle of 64B: expected 128B, in which TMA unpacks elements of 4 and 6 bits
func.func @f(%a: memref<?x?xf6E3M2FN>, %b: memref<?x?xf4E2M1FN>, %d: memref<?x?xf32>) {
  tmm.matmul transpose_b ins(%a, %b : memref<?x?xf6E3M2FN>, memref<?x?xf4E2M1FN>) outs(%d : memref<?x?xf32>)
  return
}
