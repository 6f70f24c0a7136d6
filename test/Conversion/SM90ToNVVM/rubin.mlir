// Copies that override their tensor map, masks of 32 CTAs, and barriers on which copies
// report: NVVM of LLVM 22 has none of them, and writes the texts as they are here.
// RUN: tc-opt %s | tc-opt | FileCheck %s --check-prefix=OPS
// RUN: tc-compile %s -o %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx
// RUN: %python %S/../TCGen05ToNVVM/Inputs/assemble.py %t.ptx sm_107f

!map = !sm90.tensor_map<128x64xbf16, b128>
!row = !sm90.tensor_map<64xf32, none>
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 16384>, #gpu.address_space<workgroup>>
!r = memref<64xf32, #gpu.address_space<workgroup>>
!smem = memref<20480xi8, #gpu.address_space<workgroup>>
gpu.module @kernels [#nvvm.target<chip = "sm_107f", features = "+ptx94">] {
  // OPS-LABEL: gpu.func @loads
  // OPS: sm90.tma_load %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}}, %{{.*}} multicast32 %{{.*}} address %{{.*}} report neg_zero16
  // OPS: sm90.tma_load %{{.*}} address %{{.*}} extents[%{{.*}}, %{{.*}}] pitches[%{{.*}}] :
  // CHECK-LABEL: .entry loads(
  // CHECK: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.mbarrier::report::validity::per_16bytes::8000.multicast::cluster::32b.override::global_address [%r{{[0-9]+}}], [%rd{{[0-9]+}}, %rd{{[0-9]+}}, {%r{{[0-9]+}}, %r{{[0-9]+}}}], [%r{{[0-9]+}}], %r{{[0-9]+}};
  // CHECK: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.override::global_address.override::global_dim_stride [%r{{[0-9]+}}], [%rd{{[0-9]+}}, %rd{{[0-9]+}}, {%rs{{[0-9]+}}, %rs{{[0-9]+}}}, {%r{{[0-9]+}}}, %rs{{[0-9]+}}, {%r{{[0-9]+}}, %r{{[0-9]+}}}], [%r{{[0-9]+}}];
  gpu.func @loads(%map: !map, %m: index, %k: index, %pitch: index, %address: i64, %mask: i32) kernel {
    %smem = sm90.dynamic_smem align 1024 : !smem
    %c0 = arith.constant 0 : index
    %a = sm90.smem_view %smem[0] : !smem to !a
    %bars = sm90.mbarrier.view %smem[16384] : !smem to !sm90.mbarrier_array<1>
    %full = sm90.mbarrier.get %bars[0] : !sm90.mbarrier_array<1>
    sm90.tma_load %map[%m, %k], %a, %full multicast32 %mask address %address report neg_zero16 : !map, !a, !sm90.mbarrier
    sm90.tma_load %map[%c0, %c0], %a, %full address %address extents [%m, %k] pitches [%pitch] : !map, !a, !sm90.mbarrier
    gpu.return
  }
  // CHECK-LABEL: .entry stores(
  // CHECK: cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group.override::global_address [%rd{{[0-9]+}}, %rd{{[0-9]+}}, {%r{{[0-9]+}}, %r{{[0-9]+}}}], [%r{{[0-9]+}}];
  // CHECK: cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group.L2::cache_hint.override::global_address.override::global_dim [%rd{{[0-9]+}}, %rd{{[0-9]+}}, {%rs{{[0-9]+}}}, {%r{{[0-9]+}}}], [%r{{[0-9]+}}], %rd{{[0-9]+}};
  gpu.func @stores(%map: !map, %rows: !row, %m: index, %k: index, %address: i64) kernel {
    %smem = sm90.dynamic_smem align 1024 : !smem
    %c0 = arith.constant 0 : index
    %a = sm90.smem_view %smem[0] : !smem to !a
    %r = sm90.smem_view %smem[0] : !smem to !r
    %policy = sm90.cache_policy evict_last
    sm90.tma_store %map[%m, %k], %a address %address : !map, !a
    sm90.tma_store %rows[%c0], %r cache_policy %policy address %address extents [%m] pitches [] : !row, !r
    gpu.return
  }
  // CHECK-LABEL: .entry barriers(
  // CHECK: mbarrier.init.layout::v1.shared::cta.b64 [%r{{[0-9]+}}], %r{{[0-9]+}};
  // CHECK: mbarrier.arrive.release.cluster.shared::cluster.multicast::cluster::32b.b64 _, [%r{{[0-9]+}}], %r{{[0-9]+}}, %r{{[0-9]+}};
  // CHECK: mbarrier.arrive.expect_tx.relaxed.cluster.shared::cluster.multicast::cluster::32b.b64 _, [%r{{[0-9]+}}], %r{{[0-9]+}}, %r{{[0-9]+}};
  // CHECK: mbarrier.try_wait.parity.phase_type::conditional.acquire.cta.shared::cta.b64 p, [%r{{[0-9]+}}], %r{{[0-9]+}};
  // CHECK: mbarrier.test_wait.parity.phase_type::primary.acquire.cta.shared::cta.b64 q|p, [%r{{[0-9]+}}], %r{{[0-9]+}};
  gpu.func @barriers(%mask: i32, %parity: i32, %out: memref<1xi1>) kernel {
    %smem = sm90.dynamic_smem align 1024 : !smem
    %c0 = arith.constant 0 : index
    %bars = sm90.mbarrier.view %smem[0] : !smem to !sm90.mbarrier_array<1>
    %b = sm90.mbarrier.get %bars[0] : !sm90.mbarrier_array<1>
    sm90.mbarrier.init %b, 2 {reports} : !sm90.mbarrier
    sm90.mbarrier.arrive %b multicast32 %mask : !sm90.mbarrier
    sm90.mbarrier.arrive_expect_tx %b, 16 multicast32 %mask relaxed : !sm90.mbarrier
    sm90.mbarrier.wait_parity %b, %parity {conditional} : !sm90.mbarrier
    %reported = sm90.mbarrier.reported %b, %parity : !sm90.mbarrier
    memref.store %reported, %out[%c0] : memref<1xi1>
    gpu.return
  }
}
