// REQUIRES: test-lib
// RUN: split-file %s %t
// RUN: tc-opt %t/scheduler.mlir -tmm-lower-scheduler -verify-diagnostics
// RUN: tc-opt %t/arrivals.mlir -convert-tmm-pipelines-to-sm90 -verify-diagnostics

//--- scheduler.mlir
// One loop cannot carry work items of two kinds.
gpu.module @m {
  gpu.func @numbers(%m: i32) kernel {
    // expected-note @below {{another scheduler here, #tmm.static}}
    %a = tmm.scheduler #tmm.static(%m, %m, %m) tile [128, 64, 32] : !tmm.scheduler
    // expected-error @below {{expected work items of the same numbers from all schedulers of a kernel, got #test_unit.countdown<64>}}
    %b = tmm.scheduler #test_unit.countdown<64>(%m, %m, %m) tile [128, 32, 32] : !tmm.scheduler
    gpu.return
  }
}

//--- arrivals.mlir
// Of CTAs in a circle the first three act for themselves and the next one: the
// first and the last of four see one arrival, the others two.
!tile = !tmm.buffer<64x64xf16, #sm90.smem<k_major, b128>>
!acc = !tmm.buffer<64x128xf32, #tcgen05.tmem>
!ring = !tmm.pipeline<(!tile), depth = 2>
!accs = !tmm.pipeline<(!acc), depth = 1>
gpu.module @m {
  gpu.func @uneven(%a: memref<?x?xf16>, %i: i32, %p: i1) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>} {
    // expected-error @below {{expected as many arrivals in each CTA that waits, got 1 and 2}}
    %ring = tmm.pipeline : !ring
    %accs = tmm.pipeline : !accs
    %s = tmm.pipeline_start %ring : !ring
    %q = tmm.pipeline_start %accs : !accs
    %acc = tmm.producer_acquire %accs[%q] : !accs
    %t = tmm.producer_acquire %ring[%s] : !ring
    tmm.load %a[%i, %i], %t by(#sm90.tma) : memref<?x?xf16>, !tile
    %u = tmm.consumer_wait %ring[%s] : !ring
    tmm.mma %u, %u, %acc accumulate(%p) over #test_unit.neighbours<4> by(#tcgen05.mma) : !tile, !tile, !acc
    %done = tmm.consumer_wait %accs[%q] : !accs
    %r = tmm.read %done[%i] if %p : !acc -> vector<64x32xf32>
    gpu.return
  }
}
