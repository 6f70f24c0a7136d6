// A kernel by hand, down to PTX by the passes in the order that they ask for:
// D = A * B^T for one tile of 128x64x64, TMA loads, four instructions, the sum to
// registers and to global memory. The PTX has what the operations say, and
// ptxas takes it.
// RUN: tc-opt %s -pass-pipeline='builtin.module(gpu.module(tcgen05-allocate-tmem,canonicalize,cse,convert-tcgen05-to-nvvm,convert-sm90-to-nvvm,convert-scf-to-cf,convert-vector-to-llvm,expand-strided-metadata,convert-gpu-to-nvvm{use-bare-ptr-memref-call-conv=1},convert-sm90-kernel-params,reconcile-unrealized-casts,canonicalize,cse,tcgen05-verify-lowered,sm90-verify-lowered),gpu-module-to-binary{format=isa})' \
// RUN:   | FileCheck %s
// RUN: %if ptxas %{ tc-opt %s -pass-pipeline='builtin.module(gpu.module(tcgen05-allocate-tmem,canonicalize,cse,convert-tcgen05-to-nvvm,convert-sm90-to-nvvm,convert-scf-to-cf,convert-vector-to-llvm,expand-strided-metadata,convert-gpu-to-nvvm{use-bare-ptr-memref-call-conv=1},convert-sm90-kernel-params,reconcile-unrealized-casts),gpu-module-to-binary{format=bin})' \
// RUN:   | FileCheck %s --check-prefix=CUBIN %}
// CUBIN: gpu.binary @kernels {{.*}} bin = "\7FELF

// CHECK: gpu.binary @kernels
// CHECK-SAME: .extern .shared .align 16 .b8 tc_dynamic_smem[];
// CHECK-SAME: .visible .entry k(
// CHECK-SAME: .param .align 64 .b8 k_param_0[128]
// CHECK-SAME: .param .align 64 .b8 k_param_1[128]
// CHECK-SAME: tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32
// CHECK-SAME: tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
// CHECK-SAME: tcgen05.fence::before_thread_sync;
// CHECK-SAME: tcgen05.fence::after_thread_sync;
// CHECK-SAME: prefetch.param.tensormap
// CHECK-SAME: mbarrier.init.shared.b64
// CHECK-SAME: fence.mbarrier_init.release.cluster;
// CHECK-SAME: mbarrier.arrive.expect_tx.shared.b64
// CHECK-SAME: cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes
// CHECK-SAME: cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes
// CHECK-SAME: mbarrier.try_wait.parity.shared.b64
// CHECK-SAME: tcgen05.fence::after_thread_sync;
// CHECK-SAME: tcgen05.mma.cta_group::1.kind::f16.collector::a::discard
// CHECK-SAME: tcgen05.mma.cta_group::1.kind::f16.collector::a::discard
// CHECK-SAME: tcgen05.mma.cta_group::1.kind::f16.collector::a::discard
// CHECK-SAME: tcgen05.mma.cta_group::1.kind::f16.collector::a::discard
// CHECK-SAME: tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64
// CHECK-SAME: mbarrier.try_wait.parity.shared.b64
// CHECK-SAME: tcgen05.fence::after_thread_sync;
// CHECK-SAME: tcgen05.ld.sync.aligned.32x32b.x32.b32
// CHECK-SAME: tcgen05.ld.sync.aligned.32x32b.x32.b32
// CHECK-SAME: tcgen05.wait::ld.sync.aligned;
// CHECK-SAME: tcgen05.fence::before_thread_sync;
// CHECK-SAME: tcgen05.dealloc.cta_group::1.sync.aligned.b32

!A = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!B = memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
!dyn = memref<24592xi8, #gpu.address_space<workgroup>>
!mapA = !sm90.tensor_map<128x64xbf16, b128>
!mapB = !sm90.tensor_map<64x64xbf16, b128>
module attributes {gpu.container_module} {
  gpu.module @kernels [#nvvm.target<chip = "sm_100a", features = "+ptx86">] {
    gpu.func @k(%mapA: !mapA, %mapB: !mapB, %d: memref<f32, 1>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c0i = arith.constant 0 : i32
      %false = arith.constant false
      %true = arith.constant true
      %acc = tcgen05.reserve : !tcgen05.tmem<128x64xf32, D>
      %smem = sm90.dynamic_smem align 1024 : !dyn
      %a = sm90.smem_view %smem[0] : !dyn to !A
      %b = sm90.smem_view %smem[16384] : !dyn to !B
      %bars = sm90.mbarrier.view %smem[24576] : !dyn to !sm90.mbarrier_array<2>
      %full = sm90.mbarrier.get %bars[0] : !sm90.mbarrier_array<2>
      %done = sm90.mbarrier.get %bars[1] : !sm90.mbarrier_array<2>
      %tid = gpu.thread_id x
      %c32 = arith.constant 32 : index
      %w0 = arith.cmpi ult, %tid, %c32 : index
      scf.if %w0 {
        %leader = sm90.elect
        scf.if %leader {
          sm90.prefetch_tensor_map %mapA : !mapA
          sm90.mbarrier.init %full, 1 : !sm90.mbarrier
          sm90.mbarrier.init %done, 1 : !sm90.mbarrier
          sm90.fence_mbarrier_init
        }
      }
      gpu.barrier
      scf.if %w0 {
        %leader = sm90.elect
        scf.if %leader {
          sm90.mbarrier.arrive_expect_tx %full, 24576 : !sm90.mbarrier
          sm90.tma_load %mapA[%c0, %c0], %a, %full : !mapA, !A, !sm90.mbarrier
          sm90.tma_load %mapB[%c0, %c0], %b, %full : !mapB, !B, !sm90.mbarrier
          sm90.mbarrier.wait_parity %full, %c0i : !sm90.mbarrier
          tcgen05.fence after
          tcgen05.mma f16 %acc, %a, %b accumulate(%false) : !tcgen05.tmem<128x64xf32, D>, !A, !B
          tcgen05.mma f16 %acc, %a, %b accumulate(%true) {a_k = 16 : i64, b_k = 16 : i64} : !tcgen05.tmem<128x64xf32, D>, !A, !B
          tcgen05.mma f16 %acc, %a, %b accumulate(%true) {a_k = 32 : i64, b_k = 32 : i64} : !tcgen05.tmem<128x64xf32, D>, !A, !B
          tcgen05.mma f16 %acc, %a, %b accumulate(%true) {a_k = 48 : i64, b_k = 48 : i64} : !tcgen05.tmem<128x64xf32, D>, !A, !B
          tcgen05.commit %done : !sm90.mbarrier
        }
      }
      sm90.mbarrier.wait_parity %done, %c0i : !sm90.mbarrier
      tcgen05.fence after
      %mine = tcgen05.warp_window %acc : !tcgen05.tmem<128x64xf32, D>
      %p0 = tcgen05.slice %mine[0] : !tcgen05.tmem<32x64xf32, D> to !tcgen05.tmem<32x32xf32, D>
      %p1 = tcgen05.slice %mine[32] : !tcgen05.tmem<32x64xf32, D> to !tcgen05.tmem<32x32xf32, D>
      %v0 = tcgen05.ld %p0 : !tcgen05.tmem<32x32xf32, D> to vector<32xf32>
      %v1 = tcgen05.ld %p1 : !tcgen05.tmem<32x32xf32, D> to vector<32xf32>
      %w:2 = tcgen05.wait ld(%v0, %v1 : vector<32xf32>, vector<32xf32>)
      %dd = memref.reinterpret_cast %d to offset: [0], sizes: [128, 64], strides: [64, 1] : memref<f32, 1> to memref<128x64xf32, strided<[64, 1]>, 1>
      vector.store %w#0, %dd[%tid, %c0] : memref<128x64xf32, strided<[64, 1]>, 1>, vector<32xf32>
      vector.store %w#1, %dd[%tid, %c32] : memref<128x64xf32, strided<[64, 1]>, 1>, vector<32xf32>
      gpu.return
    }
  }
  func.func @host(%A: memref<?x64xbf16>, %B: memref<64x64xbf16>, %D: memref<f32, 1>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %smem = arith.constant 25600 : i32
    %m = memref.dim %A, %c0 : memref<?x64xbf16>
    %ma = sm90.tensor_map.encode %A[0] dims [%m, 64] strides [128] l2_promotion l2_256b : memref<?x64xbf16> to !mapA
    %mb = sm90.tensor_map.encode %B[0] dims [64, 64] strides [128] : memref<64x64xbf16> to !mapB
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1) dynamic_shared_memory_size %smem
      args(%ma : !mapA, %mb : !mapB, %D : memref<f32, 1>)
    return
  }
}
