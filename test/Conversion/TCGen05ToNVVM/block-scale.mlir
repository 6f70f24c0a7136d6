// RUN: tc-opt %s -convert-tcgen05-to-nvvm -canonicalize | FileCheck %s

!A = memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>
!B = memref<256x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 32768>, #gpu.address_space<workgroup>>
!tile = memref<32x16xf8E8M0FNU, #gpu.address_space<workgroup>>
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
  // CHECK: %[[S:.*]] = llvm.or %{{.*}}, %[[TILE]]
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
