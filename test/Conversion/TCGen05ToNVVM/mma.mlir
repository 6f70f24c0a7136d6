// RUN: tc-opt %s --mlir-print-local-scope -convert-tcgen05-to-nvvm -canonicalize -cse | FileCheck %s

!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<256x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 16384>, #gpu.address_space<workgroup>>

// Both descriptors have the same constant bits: LBO 1, SBO 64, bit 46, swizzle
// 2 (0x4000404000010000). The base is built once; a step of 16 bf16 is 2 units
// of 16 bytes. The instruction descriptor is 0x08400490.
// CHECK-LABEL: func.func @steps
// CHECK-SAME: (%{{.*}}: !tcgen05.tmem<128x256xf32, D>, %{{.*}}, %{{.*}}, %[[P:.*]]: i1)
func.func @steps(%d: !tcgen05.tmem<128x256xf32, D>, %a: !a, %b: !b, %p: i1) {
  // CHECK-DAG: %[[D:.*]] = builtin.unrealized_conversion_cast %{{.*}} : !tcgen05.tmem<128x256xf32, D> to !llvm.ptr<6>
  // CHECK-DAG: %[[BITS:.*]] = llvm.mlir.constant(4611756662049538048 : i64) : i64
  // CHECK-DAG: %[[IDESC:.*]] = llvm.mlir.constant(138413200 : i32) : i32
  // CHECK-DAG: %[[TWO:.*]] = llvm.mlir.constant(2 : i64) : i64
  // CHECK: %[[ADDR:.*]] = llvm.ptrtoint %{{.*}} : !llvm.ptr<3> to i32
  // CHECK: %[[MASKED:.*]] = llvm.and %[[ADDR]], %{{.*}} : i32
  // CHECK: %[[ENC:.*]] = llvm.lshr %[[MASKED]], %{{.*}} : i32
  // CHECK: %[[WIDE:.*]] = llvm.zext %[[ENC]] : i32 to i64
  // CHECK: %[[A:.*]] = llvm.add %[[WIDE]], %[[BITS]] overflow<nuw> : i64
  // CHECK: %[[B:.*]] = llvm.add %{{.*}}, %[[BITS]] overflow<nuw> : i64
  // CHECK: nvvm.tcgen05.mma %[[D]], %[[A]], %[[B]], %[[IDESC]], %[[P]] {ctaGroup = #nvvm.cta_group<cta_1>, kind = #nvvm.tcgen05_mma_kind<f16>}
  tcgen05.mma f16 %d, %a, %b accumulate(%p) : !tcgen05.tmem<128x256xf32, D>, !a, !b
  // CHECK-NEXT: %[[A1:.*]] = llvm.add %[[A]], %[[TWO]] : i64
  // CHECK-NEXT: %[[B1:.*]] = llvm.add %[[B]], %[[TWO]] : i64
  // CHECK-NEXT: nvvm.tcgen05.mma %[[D]], %[[A1]], %[[B1]], %[[IDESC]], %[[P]]
  tcgen05.mma f16 %d, %a, %b accumulate(%p) {a_k = 16 : i64, b_k = 16 : i64} : !tcgen05.tmem<128x256xf32, D>, !a, !b
  return
}

!at = memref<128x64xbf16, #sm90.smem_layout<mn_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
!bt = memref<128x64xbf16, #sm90.smem_layout<mn_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>

// MN-major: LBO is the slab (8192 bytes), SBO eight k (1024 bytes), 16 k are 2048
// bytes; the transpose bits 15 and 16 are set (0x08218490), M = 128, N = 128.
// CHECK-LABEL: func.func @mn_major
func.func @mn_major(%d: !tcgen05.tmem<128x128xf32, D>, %a: !at, %b: !bt, %p: i1) {
  // CHECK-DAG: llvm.mlir.constant(4611756662083026944 : i64) : i64
  // CHECK-DAG: llvm.mlir.constant(136414352 : i32) : i32
  // CHECK-DAG: llvm.mlir.constant(128 : i64) : i64
  // CHECK: nvvm.tcgen05.mma
  tcgen05.mma f16 %d, %a, %b accumulate(%p) {a_k = 16 : i64, b_k = 16 : i64} : !tcgen05.tmem<128x128xf32, D>, !at, !bt
  return
}

!f = memref<128x64xf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>

// A pair: M of the instruction is 256, half of A and of B in each CTA.
// CHECK-LABEL: func.func @pair
func.func @pair(%d: !tcgen05.tmem<128x256xf32, A>, %a: !f, %b: !f, %p: i1) {
  // CHECK-DAG: llvm.mlir.constant(272629776 : i32) : i32
  // CHECK: nvvm.tcgen05.mma {{.*}} {collectorOp = #nvvm.tcgen05_mma_collectorop<fill>, ctaGroup = #nvvm.cta_group<cta_2>, kind = #nvvm.tcgen05_mma_kind<f16>}
  tcgen05.mma f16 cta_group 2 %d, %a, %b accumulate(%p) collector fill : !tcgen05.tmem<128x256xf32, A>, !f, !f
  return
}

// CHECK-LABEL: func.func @scale
func.func @scale(%d: !tcgen05.tmem<128x128xf32, D>, %a: !f, %b: !f, %p: i1) {
  // CHECK: %[[S:.*]] = llvm.mlir.constant(3 : i64) : i64
  // CHECK: nvvm.tcgen05.mma {{.*}} scale = %[[S]]
  tcgen05.mma f16 %d, %a, %b accumulate(%p) {scale_d = 3 : i32} : !tcgen05.tmem<128x128xf32, D>, !f, !f
  return
}

// CHECK-LABEL: func.func @commit
func.func @commit(%bar: !sm90.mbarrier) {
  // CHECK: %[[BAR:.*]] = builtin.unrealized_conversion_cast %{{.*}} : !sm90.mbarrier to !llvm.ptr<3>
  // CHECK: nvvm.tcgen05.commit %[[BAR]] : !llvm.ptr<3>
  tcgen05.commit %bar : !sm90.mbarrier
  return
}

// CHECK-LABEL: func.func @commit_multicast
func.func @commit_multicast(%bar: !sm90.mbarrier, %mask: i16) {
  // CHECK: nvvm.tcgen05.commit %{{.*}}, multicast_mask = %{{.*}} {group = #nvvm.cta_group<cta_2>} : !llvm.ptr<3>, i16
  tcgen05.commit %bar multicast %mask cta_group 2 : !sm90.mbarrier
  return
}
