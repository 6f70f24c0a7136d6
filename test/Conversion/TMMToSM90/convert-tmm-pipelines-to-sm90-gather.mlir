// RUN: tc-opt %s --mlir-print-local-scope -split-input-file -verify-diagnostics -convert-tmm-pipelines-to-sm90 -canonicalize -cse | FileCheck %s

// Tiles that the threads of a role load. The copies of cp.async arrive, once for each of
// 128 threads, and the one that multiplies executes the fence after its wait; threads that
// store themselves execute it before they arrive.

!tile = !tmm.buffer<128x64xbf16, #sm90.smem<k_major, b128>>
!acc = !tmm.buffer<128x128xf32, #tcgen05.tmem>
!ring = !tmm.pipeline<(!tile), depth = 2>

// CHECK-LABEL: gpu.func @two_engines
// CHECK-DAG: sm90.mbarrier.init %[[FULL_A:.*]], 128 : !sm90.mbarrier_array<2>
// CHECK-DAG: sm90.mbarrier.init %[[EMPTY_A:.*]], 1 :
// CHECK-DAG: sm90.mbarrier.init %[[FULL_B:.*]], 128 :
// CHECK: "mma" warps(1)
// CHECK: sm90.mbarrier.wait_parity
// CHECK-NEXT: sm90.fence_proxy_async shared_cta
// CHECK: sm90.mbarrier.wait_parity
// CHECK-NOT: sm90.fence_proxy_async
// CHECK: tmm.mma
// CHECK: tcgen05.commit
// CHECK: "gather" warps(4)
// CHECK: sm90.mbarrier.wait_parity
// CHECK: tmm.load %{{.*}} by(#sm80.cp_async)
// CHECK-NOT: fence
// CHECK: sm80.cp_async_arrive
// CHECK: tmm.load %{{.*}} by(#sm90.thread_load)
// CHECK-NEXT: sm90.fence_proxy_async shared_cta
// CHECK: sm90.mbarrier.arrive
gpu.module @m [#nvvm.target<chip = "sm_100a">] {
  gpu.func @two_engines(%a: memref<?x22xbf16>, %b: memref<?x21xbf16>, %n: i32, %p: i1) kernel
      attributes {known_block_size = array<i32: 160, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %storage = tmm.alloc : !acc
    %ra = tmm.pipeline : !ring
    %rb = tmm.pipeline : !ring
    tmm.warp_specialize "mma" warps(1) elected {
      %s = tmm.pipeline_start %ra : !ring
      %t = tmm.pipeline_start %rb : !ring
      %e:2 = scf.for %k = %c0 to %n step %c1 iter_args(%c = %s, %d = %t)
          -> (!tmm.pipeline_state, !tmm.pipeline_state) : i32 {
        %x = tmm.consumer_wait %ra[%c] : !ring
        %y = tmm.consumer_wait %rb[%d] : !ring
        tmm.mma %x, %y, %storage accumulate(%p) by(#tcgen05.mma) : !tile, !tile, !acc
        %nx = tmm.consumer_release %ra[%c] : !ring
        %ny = tmm.consumer_release %rb[%d] : !ring
        scf.yield %nx, %ny : !tmm.pipeline_state, !tmm.pipeline_state
      }
    } "gather" warps(4) {
      %s = tmm.pipeline_start %ra : !ring
      %t = tmm.pipeline_start %rb : !ring
      %e:2 = scf.for %k = %c0 to %n step %c1 iter_args(%c = %s, %d = %t)
          -> (!tmm.pipeline_state, !tmm.pipeline_state) : i32 {
        %x = tmm.producer_acquire %ra[%c] : !ring
        tmm.load %a[%c0, %k], %x by(#sm80.cp_async) : memref<?x22xbf16>, !tile
        %nx = tmm.producer_commit %ra[%c] : !ring
        %y = tmm.producer_acquire %rb[%d] : !ring
        tmm.load %b[%c0, %k], %y by(#sm90.thread_load) : memref<?x21xbf16>, !tile
        %ny = tmm.producer_commit %rb[%d] : !ring
        scf.yield %nx, %ny : !tmm.pipeline_state, !tmm.pipeline_state
      }
      tmm.producer_tail %ra[%e#0] : !ring
      tmm.producer_tail %rb[%e#1] : !ring
    }
    gpu.return
  }
}

// -----

// The first CTA of a pair waits for both; copies arrive in their own.
!half = !tmm.buffer<64x64xbf16, #sm90.smem<k_major, b128>>
!acc = !tmm.buffer<128x128xf32, #tcgen05.tmem<ctas = 2>>
!a = !tmm.buffer<128x64xbf16, #sm90.smem<k_major, b128>>
!ring = !tmm.pipeline<(!a, !half), depth = 2>
gpu.module @m [#nvvm.target<chip = "sm_100a">] {
  gpu.func @pair(%a: memref<?x22xbf16>, %b: memref<?x22xbf16>, %n: i32, %p: i1) kernel
      attributes {known_block_size = array<i32: 160, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %storage = tmm.alloc : !acc
    // expected-error @below {{expected #sm80.cp_async to arrive on barriers of its own CTA alone, got CTA 0 that waits for CTA 1}}
    %r = tmm.pipeline : !ring
    tmm.warp_specialize "mma" warps(1) elected {
      %s = tmm.pipeline_start %r : !ring
      %x, %y = tmm.consumer_wait %r[%s] : !ring
      tmm.mma %x, %y, %storage accumulate(%p) over #tmm.ctas<2, along = [0]> by(#tcgen05.mma) : !a, !half, !acc
      %nx = tmm.consumer_release %r[%s] : !ring
    } "gather" warps(4) {
      %s = tmm.pipeline_start %r : !ring
      %x, %y = tmm.producer_acquire %r[%s] : !ring
      // expected-note @below {{issued here}}
      tmm.load %a[%c0, %c0], %x by(#sm80.cp_async) : memref<?x22xbf16>, !a
      tmm.load %b[%c0, %c0], %y by(#sm80.cp_async) : memref<?x22xbf16>, !half
      %nx = tmm.producer_commit %r[%s] : !ring
      tmm.producer_tail %r[%nx] : !ring
    }
    gpu.return
  }
}
