// Forms that NVVM of LLVM 22 does not have are inline PTX: an exclusive allocation, which
// may have all 576 columns, what becomes of B in the collector buffer, and a commit that
// waits for the reads of A alone or has a mask of 32 CTAs, and kind ti16. Factors of
// ue5m3 are told by the instruction descriptor. LLVM knows neither the chip nor the PTX version: it
// compiles for sm_100f, and the two lines are written after it.
// RUN: tc-opt %s | tc-opt | FileCheck %s --check-prefix=OPS
// RUN: tc-compile %s -o %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx
// RUN: %python %S/Inputs/assemble.py %t.ptx sm_107a

!d = !tcgen05.tmem<128x256xf32, D>
!h = !tcgen05.tmem<128x64xf32, D>
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<256x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 16384>, #gpu.address_space<workgroup>>
!A = memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>
!B = memref<64x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>
!sf = !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
!smem = memref<131072xi8, #gpu.address_space<workgroup>>
!i = !tcgen05.tmem<128x64xi32, D>
!t = memref<128x64xi16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 16384>, #gpu.address_space<workgroup>>
!u = memref<64x64xi16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!e = !tcgen05.tmem<128x2xi32, metadata16>
!n = memref<128x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 4, slab = 16384>, #gpu.address_space<workgroup>>
!m = memref<64x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 4, slab = 8192>, #gpu.address_space<workgroup>>
!f = !tcgen05.tmem<128x16xui8, scales, packed>
!g = !tcgen05.tmem<128x16xf8E4M3FN, scales, packed>
!bar = !sm90.mbarrier
gpu.module @kernels [#nvvm.target<chip = "sm_107a", features = "+ptx95">] {
  // CHECK: .version 9.5
  // CHECK-NEXT: .target sm_107a
  // CHECK-LABEL: .entry columns(
  // CHECK: tcgen05.alloc.exclusive.cta_group::1.sync.aligned.shared::cta.b32 [%r{{[0-9]+}}], 576;
  // CHECK: tcgen05.dealloc.exclusive.cta_group::1.sync.aligned.b32 %r{{[0-9]+}}, 576;
  gpu.func @columns() workgroup(%slot : memref<1xi32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    tcgen05.alloc %slot, 576 exclusive : memref<1xi32, #gpu.address_space<workgroup>>
    gpu.barrier
    %tmem = tcgen05.address %slot : memref<1xi32, #gpu.address_space<workgroup>> to !tcgen05.tmem<128x576xi32, raw>
    tcgen05.dealloc %tmem exclusive : !tcgen05.tmem<128x576xi32, raw>
    gpu.return
  }
  // OPS-LABEL: gpu.func @collectors
  // OPS: tcgen05.mma f16 {{.*}} accumulate({{.*}}) collector_b fill :
  // OPS: tcgen05.mma f16 {{.*}} collector fill collector_b lastuse {scale_d = 3 : i32} :
  // OPS: tcgen05.mma_block_scale mxf8f6f4 {{.*}} collector_b use {wide_k}
  // CHECK-LABEL: .entry collectors(
  // CHECK: tcgen05.mma.cta_group::1.kind::f16.collector::a::discard.collector::b::fill [%r{{[0-9]+}}], %rd{{[0-9]+}}, %rd{{[0-9]+}}, %r{{[0-9]+}}, %p{{[0-9]+}};
  // CHECK: tcgen05.mma.cta_group::1.kind::f16.collector::a::fill.collector::b::lastuse [%r{{[0-9]+}}], %rd{{[0-9]+}}, %rd{{[0-9]+}}, %r{{[0-9]+}}, {%r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}}, %p{{[0-9]+}}, 3;
  // CHECK: tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.collector::a::discard.collector::b::use [%r{{[0-9]+}}], %rd{{[0-9]+}}, %rd{{[0-9]+}}, %r{{[0-9]+}}, [%r{{[0-9]+}}], [%r{{[0-9]+}}], %p{{[0-9]+}};
  gpu.func @collectors(%n: i32, %lanes: vector<4xi32>) kernel {
    %smem = sm90.dynamic_smem align 1024 : !smem
    %zero = arith.constant 0 : i32
    %p = arith.cmpi ne, %n, %zero : i32
    %d0 = tcgen05.reserve : !d
    %e = tcgen05.reserve : !h
    %sa = tcgen05.reserve : !sf
    %sb = tcgen05.reserve : !sf
    %a = sm90.smem_view %smem[0] : !smem to !a
    %b = sm90.smem_view %smem[16384] : !smem to !b
    %a8 = sm90.smem_view %smem[65536] : !smem to !A
    %b8 = sm90.smem_view %smem[98304] : !smem to !B
    tcgen05.mma f16 %d0, %a, %b accumulate(%p) collector_b fill : !d, !a, !b
    tcgen05.mma f16 %d0, %a, %b accumulate(%p) disable(%lanes : vector<4xi32>) collector fill collector_b lastuse {scale_d = 3 : i32} : !d, !a, !b
    tcgen05.mma_block_scale mxf8f6f4 %e, %a8, %b8 scales %sa, %sb accumulate(%p) collector_b fill {wide_k} : !h, !A, !B, !sf, !sf
    tcgen05.mma_block_scale mxf8f6f4 %e, %a8, %b8 scales %sa, %sb accumulate(%p) collector_b use {wide_k} : !h, !A, !B, !sf, !sf
    gpu.return
  }
  // CHECK-LABEL: .entry early(
  // CHECK: tcgen05.commit.cta_group::1.sync_restrict::shared::read::mma::a.mbarrier::arrive::one.shared::cluster.b64 [%r{{[0-9]+}}];
  // CHECK: tcgen05.commit.cta_group::1.sync_restrict::shared::read::mma::a.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%r{{[0-9]+}}], %rs{{[0-9]+}};
  gpu.func @early(%mask: i16) kernel {
    %smem = sm90.dynamic_smem align 1024 : !smem
    %bars = sm90.mbarrier.view %smem[0] : !smem to !sm90.mbarrier_array<1>
    %bar = sm90.mbarrier.get %bars[0] : !sm90.mbarrier_array<1>
    tcgen05.commit %bar {reads_of_a} : !sm90.mbarrier
    tcgen05.commit %bar multicast %mask {reads_of_a} : !sm90.mbarrier
    gpu.return
  }
  // 0x08100000 is M = 128 and N = 64; bits 4, 7 and 10 on: i32, and 3 for s1z4m11.
  // CHECK-LABEL: .entry integers(
  // CHECK: mov.b32 [[W0:%r[0-9]+]], 135269792;
  // CHECK: tcgen05.mma.cta_group::1.kind::ti16.collector::a::discard [%r{{[0-9]+}}], %rd{{[0-9]+}}, %rd{{[0-9]+}}, [[W0]], %p{{[0-9]+}};
  // CHECK: mov.b32 [[W1:%r[0-9]+]], 135294368;
  // CHECK: tcgen05.mma.cta_group::1.kind::ti16.collector::a::fill.collector::b::fill [%r{{[0-9]+}}], %rd{{[0-9]+}}, %rd{{[0-9]+}}, [[W1]], %p{{[0-9]+}};
  // CHECK: mov.b32 [[W2:%r[0-9]+]], 135269797;
  // CHECK: tcgen05.mma.sp.cta_group::1.kind::ti16.collector::a::discard [%r{{[0-9]+}}], %rd{{[0-9]+}}, %rd{{[0-9]+}}, [%r{{[0-9]+}}], [[W2]], %p{{[0-9]+}};
  // CHECK: tcgen05.mma.ws.cta_group::1.kind::ti16.collector::b2::fill [%r{{[0-9]+}}], %rd{{[0-9]+}}, %rd{{[0-9]+}}, [[W0]], %p{{[0-9]+}}, %rd{{[0-9]+}};
  // CHECK: mov.b32 [[W3:%r[0-9]+]], 135269796;
  // CHECK: tcgen05.mma.ws.sp.cta_group::1.kind::ti16.collector::b0::discard [%r{{[0-9]+}}], %rd{{[0-9]+}}, %rd{{[0-9]+}}, [%r{{[0-9]+}}], [[W3]], %p{{[0-9]+}};
  gpu.func @integers(%n: i32, %mask: i64) kernel {
    %smem = sm90.dynamic_smem align 1024 : !smem
    %zero = arith.constant 0 : i32
    %p = arith.cmpi ne, %n, %zero : i32
    %d = tcgen05.reserve : !i
    %e = tcgen05.reserve : !e
    %a = sm90.smem_view %smem[0] : !smem to !t
    %b = sm90.smem_view %smem[16384] : !smem to !u
    tcgen05.mma ti16 %d, %a, %b accumulate(%p) : !i, !t, !u
    tcgen05.mma ti16 %d, %a, %b accumulate(%p) collector fill collector_b fill {negate_a, negate_b} : !i, !t, !u
    tcgen05.mma ti16 %d, %a, %b sparse(%e : !e) accumulate(%p) {selector = 1 : i32} : !i, !t, !u
    tcgen05.mma_ws ti16 %d, %a, %b accumulate(%p) mask(%mask) collector fill {buffer = 2 : i32} : !i, !t, !u
    tcgen05.mma_ws ti16 %d, %a, %b sparse(%e : !e) accumulate(%p) : !i, !t, !u
    gpu.return
  }
  // 0x08100480: M = 128, N = 64, e2m1 (1) for A and B; then bits 23 and 24: 2 for ue5m3, 0 for
  // ue4m3.
  // CHECK-LABEL: .entry factors(
  // CHECK: mov.b32 [[W4:%r[0-9]+]], 152044672;
  // CHECK: tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.block16.collector::a::discard [%r{{[0-9]+}}], %rd{{[0-9]+}}, %rd{{[0-9]+}}, [[W4]], [%r{{[0-9]+}}], [%r{{[0-9]+}}], %p{{[0-9]+}};
  // CHECK: mov.b32 [[W5:%r[0-9]+]], 135267456;
  // CHECK: tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.block32.collector::a::discard [%r{{[0-9]+}}], %rd{{[0-9]+}}, %rd{{[0-9]+}}, [[W5]], [%r{{[0-9]+}}], [%r{{[0-9]+}}], %p{{[0-9]+}};
  gpu.func @factors(%n: i32) kernel {
    %smem = sm90.dynamic_smem align 1024 : !smem
    %zero = arith.constant 0 : i32
    %p = arith.cmpi ne, %n, %zero : i32
    %d = tcgen05.reserve : !h
    %f = tcgen05.reserve : !f
    %g = tcgen05.reserve : !g
    %a = sm90.smem_view %smem[0] : !smem to !n
    %b = sm90.smem_view %smem[16384] : !smem to !m
    tcgen05.mma_block_scale mxf4nvf4 %d, %a, %b scales %f, %f accumulate(%p) {scale_block = 16 : i64} : !h, !n, !m, !f, !f
    tcgen05.mma_block_scale mxf4nvf4 %d, %a, %b scales %g, %g accumulate(%p) {scale_block = 32 : i64} : !h, !n, !m, !g, !g
    gpu.return
  }
  // CHECK-LABEL: .entry many(
  // CHECK: tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster::32b.b64 [%r{{[0-9]+}}], %r{{[0-9]+}};
  // CHECK: tcgen05.commit.cta_group::1.sync_restrict::shared::read::mma::a.mbarrier::arrive::one.shared::cluster.multicast::cluster::32b.b64 [%r{{[0-9]+}}], %r{{[0-9]+}};
  gpu.func @many(%mask: i32) kernel {
    %smem = sm90.dynamic_smem align 1024 : !smem
    %bars = sm90.mbarrier.view %smem[0] : !smem to !sm90.mbarrier_array<1>
    %bar = sm90.mbarrier.get %bars[0] : !sm90.mbarrier_array<1>
    tcgen05.commit %bar multicast32 %mask : !sm90.mbarrier
    tcgen05.commit %bar multicast32 %mask {reads_of_a} : !sm90.mbarrier
    gpu.return
  }
}
