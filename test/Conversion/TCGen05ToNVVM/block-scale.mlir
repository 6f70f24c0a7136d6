// RUN: tc-opt %s -convert-tcgen05-to-nvvm -canonicalize | FileCheck %s

!A = memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>
!B = memref<256x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 32768>, #gpu.address_space<workgroup>>
!tile = memref<32x16xf8E8M0FNU, #gpu.address_space<workgroup>>
!A4 = memref<128x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 4, slab = 32768>, #gpu.address_space<workgroup>>
!B4 = memref<256x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 4, slab = 65536>, #gpu.address_space<workgroup>>
!sf4 = !tcgen05.tmem<128x16xf8E4M3FN, scales, packed>
!sb4 = !tcgen05.tmem<128x32xf8E4M3FN, scales, packed>
!sf = !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
!sb = !tcgen05.tmem<128x32xf8E8M0FNU, scales, packed>

// The descriptor of a tile of factors: stride 128, no swizzle, the constant bit.
// The instruction descriptors: those of PTX ISA's table for e4m3, M = 128,
// N = 256, factors in bytes 0, and in byte 2 (A) and 1 (B) with B negated.
// CHECK-LABEL: func.func @block_scale
func.func @block_scale(%d: !tcgen05.tmem<128x256xf32, D>, %a: !A, %b: !B, %t: !tile, %sa: !sf, %sb: !sb, %p: i1) {
  // CHECK-DAG: %[[TILE:.*]] = llvm.mlir.constant(70403103981568 : i64)
  // CHECK-DAG: %[[FIRST:.*]] = llvm.mlir.constant(146800640 : i32)
  // CHECK-DAG: %[[SECOND:.*]] = llvm.mlir.constant(1220558864 : i32)
  // CHECK: %[[S:.*]] = llvm.add %{{.*}}, %[[TILE]]
  // CHECK: nvvm.tcgen05.cp %{{.*}}, %[[S]] {multicast = #nvvm.tcgen05_cp_multicast<warpx4>, shape = #nvvm.tcgen05_cp_shape<shape_32x128b>}
  tcgen05.cp %t, %sa : !tile, !sf
  // CHECK: nvvm.tcgen05.mma.block_scale %{{.*}}, %{{.*}}, %{{.*}}, %[[FIRST]], %{{.*}}, %{{.*}}, %{{.*}} {ctaGroup = #nvvm.cta_group<cta_1>, kind = #nvvm.block_scale_kind<mxf8f6f4>}
  tcgen05.mma_block_scale mxf8f6f4 %d, %a, %b scales %sa, %sb accumulate(%p)
      : !tcgen05.tmem<128x256xf32, D>, !A, !B, !sf, !sb
  // CHECK: nvvm.tcgen05.mma.block_scale %{{.*}}, %{{.*}}, %{{.*}}, %[[SECOND]]
  tcgen05.mma_block_scale mxf8f6f4 %d, %a, %b scales %sa, %sb accumulate(%p) {a_k = 64 : i64, b_k = 32 : i64, a_block = 2 : i64, b_block = 1 : i64, negate_b}
      : !tcgen05.tmem<128x256xf32, D>, !A, !B, !sf, !sb
  return
}

// The instruction descriptors of PTX ISA's tables for elements of 4 bits, M = 128,
// N = 256: mxf4 with factors from byte 2 on, mxf4nvf4 with f8E4M3FN for 16, and with
// f8E8M0FNU for 16 and 32 elements. A step along K of 64 elements is 32 bytes.
// CHECK-LABEL: func.func @nibbles
func.func @nibbles(%d: !tcgen05.tmem<128x256xf32, D>, %a: !A4, %b: !B4, %sa: !sf, %sb: !sb, %ta: !sf4, %tb: !sb4, %p: i1) {
  // CHECK-DAG: %[[MX:.*]] = llvm.mlir.constant(1220543648 : i32)
  // CHECK-DAG: %[[NV:.*]] = llvm.mlir.constant(138413184 : i32)
  // CHECK-DAG: %[[E8:.*]] = llvm.mlir.constant(146801792 : i32)
  // CHECK: nvvm.tcgen05.mma.block_scale %{{.*}}, %{{.*}}, %{{.*}}, %[[MX]], %{{.*}}, %{{.*}}, %{{.*}} {ctaGroup = #nvvm.cta_group<cta_1>, kind = #nvvm.block_scale_kind<mxf4>}
  tcgen05.mma_block_scale mxf4 %d, %a, %b scales %sa, %sb accumulate(%p) {a_block = 2 : i64, b_block = 2 : i64, a_k = 64 : i64, b_k = 64 : i64}
      : !tcgen05.tmem<128x256xf32, D>, !A4, !B4, !sf, !sb
  // CHECK: nvvm.tcgen05.mma.block_scale %{{.*}}, %{{.*}}, %{{.*}}, %[[NV]], %{{.*}}, %{{.*}}, %{{.*}} {blockScale = #nvvm.tcgen05_mma_block_scale<block16>, ctaGroup = #nvvm.cta_group<cta_1>, kind = #nvvm.block_scale_kind<mxf4nvf4>}
  tcgen05.mma_block_scale mxf4nvf4 %d, %a, %b scales %ta, %tb accumulate(%p) {scale_block = 16 : i64}
      : !tcgen05.tmem<128x256xf32, D>, !A4, !B4, !sf4, !sb4
  // CHECK: nvvm.tcgen05.mma.block_scale %{{.*}}, %{{.*}}, %{{.*}}, %[[E8]], %{{.*}} {blockScale = #nvvm.tcgen05_mma_block_scale<block16>
  tcgen05.mma_block_scale mxf4nvf4 %d, %a, %b scales %sa, %sb accumulate(%p) {scale_block = 16 : i64}
      : !tcgen05.tmem<128x256xf32, D>, !A4, !B4, !sf, !sb
  // CHECK: nvvm.tcgen05.mma.block_scale %{{.*}}, %{{.*}}, %{{.*}}, %[[E8]], %{{.*}} {blockScale = #nvvm.tcgen05_mma_block_scale<block32>
  tcgen05.mma_block_scale mxf4nvf4 %d, %a, %b scales %sa, %sb accumulate(%p)
      : !tcgen05.tmem<128x256xf32, D>, !A4, !B4, !sf, !sb
  return
}
