// RUN: tc-opt %s -split-input-file -verify-diagnostics --mlir-print-local-scope -convert-tmm-pipelines-to-sm90 | FileCheck %s

// With release_on_read a slot of A is free when the matrix unit has read it, one of B when
// the products are done.
!a = !tmm.buffer<128x64xf16, #sm90.smem<k_major, b128>>
!b = !tmm.buffer<64x64xf16, #sm90.smem<k_major, b128>>
!acc = !tmm.buffer<128x64xf32, #tcgen05.tmem>
!as = !tmm.pipeline<(!a), depth = 2>
!bs = !tmm.pipeline<(!b), depth = 2>
// CHECK-LABEL: gpu.func @a
// CHECK: tmm.mma
// CHECK: tcgen05.commit %{{.*}} {reads_of_a} : !sm90.mbarrier
// CHECK: tcgen05.commit %{{[0-9a-z_]*}} : !sm90.mbarrier
gpu.module @m {
  gpu.func @a(%m: memref<?x?xf16>, %i: i32, %p: i1, %acc: !acc) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %as = tmm.pipeline release_on_read : !as
    %bs = tmm.pipeline : !bs
    %sa = tmm.pipeline_start %as : !as
    %sb = tmm.pipeline_start %bs : !bs
    tmm.warp_specialize "load" warps(1) elected {
      %a = tmm.producer_acquire %as[%sa] : !as
      tmm.load %m[%i, %i], %a by(#sm90.tma) : memref<?x?xf16>, !a
      %pa = tmm.producer_commit %as[%sa] : !as
      %b = tmm.producer_acquire %bs[%sb] : !bs
      tmm.load %m[%i, %i], %b by(#sm90.tma) : memref<?x?xf16>, !b
      %pb = tmm.producer_commit %bs[%sb] : !bs
    } "mma" warps(1) elected {
      %a = tmm.consumer_wait %as[%sa] : !as
      %b = tmm.consumer_wait %bs[%sb] : !bs
      tmm.mma %a, %b, %acc accumulate(%p) by(#tcgen05.mma) : !a, !b, !acc
      %ca = tmm.consumer_release %as[%sa] : !as
      %cb = tmm.consumer_release %bs[%sb] : !bs
    }
    gpu.return
  }
}

// -----

// Nothing says when B was read.
!a = !tmm.buffer<128x64xf16, #sm90.smem<k_major, b128>>
!acc = !tmm.buffer<128x128xf32, #tcgen05.tmem>
!as = !tmm.pipeline<(!a), depth = 2>
gpu.module @m {
  gpu.func @b(%m: memref<?x?xf16>, %i: i32, %p: i1, %acc: !acc) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    // expected-error @below {{release_on_read: expected engines that say when they have read the slot, got #tcgen05.mma and operand #1 of tmm.mma}}
    %as = tmm.pipeline release_on_read : !as
    %sa = tmm.pipeline_start %as : !as
    tmm.warp_specialize "load" warps(1) elected {
      %a = tmm.producer_acquire %as[%sa] : !as
      tmm.load %m[%i, %i], %a by(#sm90.tma) : memref<?x?xf16>, !a
      %pa = tmm.producer_commit %as[%sa] : !as
    } "mma" warps(1) elected {
      %a = tmm.consumer_wait %as[%sa] : !as
      // expected-note @below {{read here}}
      tmm.mma %a, %a, %acc accumulate(%p) by(#tcgen05.mma) : !a, !a, !acc
      %ca = tmm.consumer_release %as[%sa] : !as
    }
    gpu.return
  }
}
