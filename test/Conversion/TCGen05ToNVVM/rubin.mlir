// Forms that NVVM of LLVM 22 does not have are inline PTX: an exclusive allocation, which
// may have all 576 columns, what becomes of B in the collector buffer, and a commit that
// waits for the reads of A alone. LLVM knows neither the chip nor the PTX version: it
// compiles for sm_100f, and the two lines are written after it.
// RUN: tc-opt %s | tc-opt | FileCheck %s --check-prefix=OPS
// RUN: tc-compile %s -o %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx
// RUN: %python %S/Inputs/assemble.py %t.ptx sm_107a

!d = !tcgen05.tmem<128x256xf32, D>
!e = !tcgen05.tmem<128x64xf32, D>
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<256x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 16384>, #gpu.address_space<workgroup>>
!A = memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>
!B = memref<64x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>
!sf = !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
!smem = memref<131072xi8, #gpu.address_space<workgroup>>
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
    %e = tcgen05.reserve : !e
    %sa = tcgen05.reserve : !sf
    %sb = tcgen05.reserve : !sf
    %a = sm90.smem_view %smem[0] : !smem to !a
    %b = sm90.smem_view %smem[16384] : !smem to !b
    %a8 = sm90.smem_view %smem[65536] : !smem to !A
    %b8 = sm90.smem_view %smem[98304] : !smem to !B
    tcgen05.mma f16 %d0, %a, %b accumulate(%p) collector_b fill : !d, !a, !b
    tcgen05.mma f16 %d0, %a, %b accumulate(%p) disable(%lanes : vector<4xi32>) collector fill collector_b lastuse {scale_d = 3 : i32} : !d, !a, !b
    tcgen05.mma_block_scale mxf8f6f4 %e, %a8, %b8 scales %sa, %sb accumulate(%p) collector_b fill {wide_k} : !e, !A, !B, !sf, !sf
    tcgen05.mma_block_scale mxf8f6f4 %e, %a8, %b8 scales %sa, %sb accumulate(%p) collector_b use {wide_k} : !e, !A, !B, !sf, !sf
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
}
