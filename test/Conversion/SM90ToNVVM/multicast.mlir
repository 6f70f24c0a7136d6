// What CTAs of a cluster do to each other: a load that goes to several, arrivals
// and expected bytes on the barrier of another. Down to PTX, which ptxas takes.
// RUN: tc-opt %s -pass-pipeline='builtin.module(gpu.module(convert-sm90-to-nvvm,convert-gpu-to-nvvm{use-bare-ptr-memref-call-conv=1},convert-sm90-kernel-params,reconcile-unrealized-casts,sm90-verify-lowered),tc-serialize-gpu-modules)' \
// RUN:   | FileCheck %s
// RUN: %if ptxas %{ tc-opt %s -pass-pipeline='builtin.module(gpu.module(convert-sm90-to-nvvm,convert-gpu-to-nvvm{use-bare-ptr-memref-call-conv=1},convert-sm90-kernel-params,reconcile-unrealized-casts,sm90-verify-lowered),tc-serialize-gpu-modules{format=cubin})' \
// RUN:   | FileCheck %s --check-prefix=CUBIN %}
// CUBIN: gpu.binary @kernels {{.*}} bin = "\7FELF

// CHECK: gpu.binary @kernels
// CHECK-SAME: .target sm_90a
// CHECK-SAME: mapa.shared::cluster.u64
// CHECK-SAME: mbarrier.arrive.expect_tx.relaxed.cluster.shared::cluster.b64
// CHECK-SAME: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [
// CHECK-SAME: mbarrier.arrive.release.cluster.shared::cluster.b64
// CHECK-SAME: mbarrier.arrive.relaxed.cluster.shared::cluster.b64
!smem = memref<8208xi8, #gpu.address_space<workgroup>>
!tile = memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
!map = !sm90.tensor_map<64x64xbf16, b128>
gpu.module @kernels [#nvvm.target<chip = "sm_90a", features = "+ptx86">] {
  gpu.func @k(%map: !map, %mask: i16, %rank: i32) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %smem = sm90.dynamic_smem align 1024 : !smem
    %a = sm90.smem_view %smem[0] : !smem to !tile
    %bars = sm90.mbarrier.view %smem[8192] : !smem to !sm90.mbarrier_array<2>
    %full = sm90.mbarrier.get %bars[0] : !sm90.mbarrier_array<2>
    %theirs = sm90.mbarrier.map %bars, %rank : !sm90.mbarrier_array<2>
    %theirFull = sm90.mbarrier.get %theirs[0] : !sm90.cluster_mbarrier_array<2>
    %theirEmpty = sm90.mbarrier.get %theirs[1] : !sm90.cluster_mbarrier_array<2>
    sm90.mbarrier.arrive_expect_tx %theirFull, 8192 relaxed : !sm90.cluster_mbarrier
    sm90.tma_load %map[%c0, %c0], %a, %full multicast %mask : !map, !tile, !sm90.mbarrier
    sm90.mbarrier.arrive %theirEmpty : !sm90.cluster_mbarrier
    sm90.mbarrier.arrive %theirEmpty relaxed : !sm90.cluster_mbarrier
    gpu.return
  }
}
