// REQUIRES: test-lib
// RUN: split-file %s %t
// RUN: tc-opt %t/scheduler.mlir -tmm-lower-scheduler -verify-diagnostics
// RUN: tc-opt %t/arrivals.mlir -convert-tmm-pipelines-to-sm90 -verify-diagnostics
// RUN: tc-opt %t/buffers.mlir -tmm-materialize-pipelines -split-input-file -verify-diagnostics
// RUN: tc-opt %t/slots.mlir -split-input-file -verify-diagnostics
// RUN: tc-opt %t/storages.mlir -convert-tmm-tiles -verify-diagnostics
// RUN: tc-opt %t/signals.mlir -convert-tmm-pipelines-to-sm90 -split-input-file -verify-diagnostics

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

//--- buffers.mlir
!tile = !tmm.buffer<4x32xf32, #sm90.smem<plain, none>>
gpu.module @m {
  gpu.func @written_early(%x: memref<f32>, %i: i32) kernel {
    %s = tmm.alloc : !tile
    // expected-error @below {{expected the buffer whose memory it shares to be read before it is written}}
    %p = tmm.alloc over %s : !tile on !tile
    test_unit.fill %s, %x[%i] by(#test_unit.worker<0>) : !tile, memref<f32>
    // expected-note @below {{first writer here}}
    test_unit.fill %p, %x[%i] by(#test_unit.worker<1>) : !tile, memref<f32>
    // expected-note @below {{last reader here}}
    test_unit.drain %s, %x[%i] by(#test_unit.worker<1>) : !tile, memref<f32>
    test_unit.drain %p, %x[%i] by(#test_unit.worker<2>) : !tile, memref<f32>
    gpu.return
  }
}

// -----

// Buffers of two loops.
!tile = !tmm.buffer<4x32xf32, #sm90.smem<plain, none>>
gpu.module @m {
  gpu.func @two_loops(%x: memref<f32>, %n: i32) kernel {
    %c1 = arith.constant 1 : i32
    %s = tmm.alloc : !tile
    // expected-error @below {{expected transactions in the block of those of the buffer whose memory it shares, got another block}}
    %p = tmm.alloc over %s : !tile on !tile
    // expected-note @below {{those of the other buffer here}}
    scf.for %i = %c1 to %n step %c1 : i32 {
      test_unit.fill %s, %x[%i] by(#test_unit.worker<0>) : !tile, memref<f32>
      test_unit.drain %s, %x[%i] by(#test_unit.worker<1>) : !tile, memref<f32>
    }
    scf.for %i = %c1 to %n step %c1 : i32 {
      test_unit.fill %p, %x[%i] by(#test_unit.worker<1>) : !tile, memref<f32>
      test_unit.drain %p, %x[%i] by(#test_unit.worker<2>) : !tile, memref<f32>
    }
    gpu.return
  }
}

// -----

// What keeps its contents is one slot.
!tile = !tmm.buffer<4x32xf32, #sm90.smem<plain, none>>
gpu.module @m {
  gpu.func @kept(%x: memref<f32>, %n: i32) kernel {
    %c1 = arith.constant 1 : i32
    // expected-error @below {{expected one stage of a buffer that keeps its contents from one transaction to the next, got 2}}
    %s = tmm.alloc stages(2) : !tile
    // expected-note @below {{made here}}
    scf.for %i = %c1 to %n step %c1 : i32 {
      test_unit.fill %s, %x[%i] by(#test_unit.worker<0>) : !tile, memref<f32>
      test_unit.drain %s, %x[%i] by(#test_unit.worker<1>) : !tile, memref<f32>
    }
    gpu.return
  }
}

//--- signals.mlir
!tile = !tmm.buffer<4x32xf32, #test_unit.board<0>>
!ring = !tmm.pipeline<(!tile), depth = 1>
gpu.module @m {
  // CTAs of a grid whose size is not known.
  gpu.func @no_grid(%x: memref<f32>, %i: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{expected known_grid_size of a kernel whose CTAs signal each other, got #test_unit.everyone<4>}}
    %ring = tmm.pipeline : !ring
    %s = tmm.pipeline_start %ring : !ring
    %t = tmm.producer_acquire %ring[%s] : !ring
    // expected-note @below {{used here}}
    test_unit.fill %t, %x[%i] to(#test_unit.everyone<4>) by(#test_unit.poster<0>) : !tile, memref<f32>
    %n = tmm.producer_commit %ring[%s] : !ring
    %q = tmm.pipeline_start %ring : !ring
    %u = tmm.consumer_wait %ring[%q] : !ring
    test_unit.drain %u, %x[%i] by(#test_unit.poster<0>) : !tile, memref<f32>
    %r = tmm.consumer_release %ring[%q] : !ring
    gpu.return
  }
}

// -----

// mbarriers are in a cluster.
!tile = !tmm.buffer<4x32xf32, #test_unit.board<0>>
!ring = !tmm.pipeline<(!tile), depth = 1>
gpu.module @m {
  gpu.func @too_far(%x: memref<f32>, %i: i32) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 4, 1, 1>} {
    // expected-error @below {{expected #test_unit.worker<0> to arrive in its own cluster alone, as #sm90.mbarrier can, got CTA 1 that waits for CTA 0}}
    %ring = tmm.pipeline : !ring
    %s = tmm.pipeline_start %ring : !ring
    %t = tmm.producer_acquire %ring[%s] : !ring
    // expected-note @below {{issued here}}
    test_unit.fill %t, %x[%i] to(#test_unit.everyone<4>) by(#test_unit.worker<0>) : !tile, memref<f32>
    %n = tmm.producer_commit %ring[%s] : !ring
    %q = tmm.pipeline_start %ring : !ring
    %u = tmm.consumer_wait %ring[%q] : !ring
    test_unit.drain %u, %x[%i] by(#test_unit.worker<1>) : !tile, memref<f32>
    %r = tmm.consumer_release %ring[%q] : !ring
    gpu.return
  }
}

// -----

// A role that takes slots and does not say what for.
!tile = !tmm.buffer<4x32xf32, #sm90.smem<plain, none>>
!ring = !tmm.pipeline<(!tile), depth = 1>
gpu.module @m {
  gpu.func @idle(%x: memref<f32>, %i: i32) kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    // expected-note @below {{pipeline here}}
    %ring = tmm.pipeline : !ring
    %s = tmm.pipeline_start %ring : !ring
    tmm.warp_specialize "put" warps(1) {
      %t = tmm.producer_acquire %ring[%s] : !ring
      test_unit.fill %t, %x[%i] by(#test_unit.worker<0>) : !tile, memref<f32>
      %n = tmm.producer_commit %ring[%s] : !ring
    } "take" warps(1) {
      %t = tmm.consumer_wait %ring[%s] : !ring
      test_unit.drain %t, %x[%i] by(#test_unit.worker<1>) : !tile, memref<f32>
      %n = tmm.consumer_release %ring[%s] : !ring
    } "idle" warps(1) {
      // expected-error @below {{expected an op on tiles of the same role to read the slots, from which it follows how that completes, got none}}
      %n = tmm.consumer_release %ring[%s] : !ring
    }
    gpu.return
  }
}

// -----

// Two roles read, one of them writes.
!tile = !tmm.buffer<4x32xf32, #sm90.smem<plain, none>>
!ring = !tmm.pipeline<(!tile), depth = 1>
gpu.module @m {
  gpu.func @both(%x: memref<f32>, %i: i32) kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    // expected-error @below {{expected one role to read slots that it modifies, got two}}
    %ring = tmm.pipeline : !ring
    %s = tmm.pipeline_start %ring : !ring
    tmm.warp_specialize "put" warps(1) {
      %t = tmm.producer_acquire %ring[%s] : !ring
      test_unit.fill %t, %x[%i] by(#test_unit.worker<0>) : !tile, memref<f32>
      %n = tmm.producer_commit %ring[%s] : !ring
    } "scale" warps(1) {
      %t = tmm.consumer_wait %ring[%s] : !ring
      // expected-note @below {{modified here}}
      test_unit.scale %t by(#test_unit.worker<1>) : !tile
      %n = tmm.consumer_release %ring[%s] : !ring
    } "take" warps(1) {
      %t = tmm.consumer_wait %ring[%s] : !ring
      // expected-note @below {{read here}}
      test_unit.drain %t, %x[%i] by(#test_unit.worker<1>) : !tile, memref<f32>
      %n = tmm.consumer_release %ring[%s] : !ring
    }
    gpu.return
  }
}

// -----

// A producer that writes nothing.
!tile = !tmm.buffer<4x32xf32, #sm90.smem<plain, none>>
!ring = !tmm.pipeline<(!tile), depth = 1>
gpu.module @m {
  gpu.func @only_reads(%x: memref<f32>, %i: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %ring = tmm.pipeline : !ring
    %s = tmm.pipeline_start %ring : !ring
    // expected-note @below {{taken here}}
    %t = tmm.producer_acquire %ring[%s] : !ring
    // expected-error @below {{expected a buffer that a producer takes to be written, got an op that only reads it}}
    test_unit.drain %t, %x[%i] by(#test_unit.worker<0>) : !tile, memref<f32>
    %p = tmm.producer_commit %ring[%s] : !ring
    %u = tmm.consumer_wait %ring[%s] : !ring
    test_unit.drain %u, %x[%i] by(#test_unit.worker<1>) : !tile, memref<f32>
    %c = tmm.consumer_release %ring[%s] : !ring
    gpu.return
  }
}

// -----

// A grid does not execute an op as one.
!tile = !tmm.buffer<64x64xf16, #sm90.smem<k_major, b128>>
!acc = !tmm.buffer<64x256xf32, #tcgen05.tmem>
!ring = !tmm.pipeline<(!tile), depth = 1>
gpu.module @m {
  gpu.func @as_one(%x: memref<f32>, %a: memref<?x?xf16>, %acc: !acc, %i: i32, %p: i1) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 4, 1, 1>} {
    // expected-error @below {{expected CTAs of a cluster to execute an op as one, got #test_unit.everyone<4>}}
    %ring = tmm.pipeline : !ring
    %s = tmm.pipeline_start %ring : !ring
    %t = tmm.producer_acquire %ring[%s] : !ring
    tmm.load %a[%i, %i], %t by(#sm90.tma) : memref<?x?xf16>, !tile
    %u = tmm.consumer_wait %ring[%s] : !ring
    // expected-note @below {{used here}}
    tmm.mma %u, %u, %acc accumulate(%p) over #test_unit.everyone<4> by(#tcgen05.mma) : !tile, !tile, !acc
    gpu.return
  }
}

// -----

// One CTA is filled by those of a cluster and by those of the grid.
!tile = !tmm.buffer<4x32xf32, #test_unit.board<0>>
!ring = !tmm.pipeline<(!tile, !tile), depth = 1>
gpu.module @m {
  gpu.func @two_scopes(%x: memref<f32>, %i: i32) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 4, 1, 1>} {
    // expected-error @below {{expected all agent sets of a pipeline to be of a cluster, or all of the grid, got #tmm.ctas<4, along = [0]>}}
    %ring = tmm.pipeline : !ring
    %s = tmm.pipeline_start %ring : !ring
    %t:2 = tmm.producer_acquire %ring[%s] : !ring
    // expected-note @below {{used here}}
    test_unit.fill %t#0, %x[%i] to(#test_unit.everyone<4>) by(#test_unit.poster<0>) : !tile, memref<f32>
    test_unit.fill %t#1, %x[%i] to(#tmm.ctas<4, along = [0]>) by(#test_unit.poster<0>) : !tile, memref<f32>
    %u:2 = tmm.consumer_wait %ring[%s] : !ring
    test_unit.drain %u#0, %x[%i] by(#test_unit.poster<0>) : !tile, memref<f32>
    gpu.return
  }
}

// -----

// Two roles fill a slot, one signals on mbarriers, one on counters.
!tile = !tmm.buffer<4x32xf32, #sm90.smem<plain, none>>
!ring = !tmm.pipeline<(!tile, !tile), depth = 1>
gpu.module @m {
  gpu.func @two_kinds(%x: memref<f32>, %i: i32) kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    // expected-error @below {{expected the ends that complete to signal on one kind of memory, got #sm90.mbarrier and #test_unit.counter<0>}}
    %ring = tmm.pipeline : !ring
    %s = tmm.pipeline_start %ring : !ring
    tmm.warp_specialize "a" warps(1) {
      %t:2 = tmm.producer_acquire %ring[%s] : !ring
      // expected-note @below {{issued here}}
      test_unit.fill %t#1, %x[%i] by(#test_unit.poster<0>) : !tile, memref<f32>
      %n = tmm.producer_commit %ring[%s] : !ring
    } "b" warps(1) {
      %t:2 = tmm.producer_acquire %ring[%s] : !ring
      test_unit.fill %t#0, %x[%i] by(#test_unit.worker<0>) : !tile, memref<f32>
      %n = tmm.producer_commit %ring[%s] : !ring
    } "take" warps(1) {
      %t:2 = tmm.consumer_wait %ring[%s] : !ring
      test_unit.drain %t#0, %x[%i] by(#test_unit.worker<1>) : !tile, memref<f32>
      %n = tmm.consumer_release %ring[%s] : !ring
    }
    gpu.return
  }
}

// -----

// The role in the middle fills the second pipeline twice in a round.
!tile = !tmm.buffer<4x32xf32, #sm90.smem<plain, none>>
!ring = !tmm.pipeline<(!tile), depth = 1>
gpu.module @m {
  gpu.func @filled_twice(%x: memref<f32>, %i: i32) kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    // expected-note @below {{first user of the slots here}}
    %ring = tmm.pipeline : !ring
    %next = tmm.pipeline over %ring : !ring on !ring
    %s = tmm.pipeline_start %ring : !ring
    %q = tmm.pipeline_start %next : !ring
    tmm.warp_specialize "first" warps(1) {
      // expected-note @below {{the other one here}}
      %t = tmm.producer_acquire %ring[%s] : !ring
      test_unit.fill %t, %x[%i] by(#test_unit.worker<0>) : !tile, memref<f32>
      %n = tmm.producer_commit %ring[%s] : !ring
    } "second" warps(1) {
      %t = tmm.consumer_wait %ring[%s] : !ring
      test_unit.drain %t, %x[%i] by(#test_unit.worker<1>) : !tile, memref<f32>
      %n = tmm.consumer_release %ring[%s] : !ring
    } "third" warps(1) {
      // expected-error @below {{expected one transaction of each end of pipelines that share slots in a round, got roles that make 1 and 2}}
      %u = tmm.producer_acquire %next[%q] : !ring
      test_unit.fill %u, %x[%i] by(#test_unit.worker<2>) : !tile, memref<f32>
      %m = tmm.producer_commit %next[%q] : !ring
      %v = tmm.producer_acquire %next[%m] : !ring
      test_unit.fill %v, %x[%i] by(#test_unit.worker<2>) : !tile, memref<f32>
      %o = tmm.producer_commit %next[%m] : !ring
    } "fourth" warps(1) {
      %t = tmm.consumer_wait %next[%q] : !ring
      test_unit.drain %t, %x[%i] by(#test_unit.worker<1>) : !tile, memref<f32>
      %n = tmm.consumer_release %next[%q] : !ring
    }
    gpu.return
  }
}

// -----

// The second pipeline is filled in a loop, the first one is not.
!tile = !tmm.buffer<4x32xf32, #sm90.smem<plain, none>>
!ring = !tmm.pipeline<(!tile), depth = 1>
gpu.module @m {
  gpu.func @filled_in_a_loop(%x: memref<f32>, %i: i32) kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // expected-note @below {{first user of the slots here}}
    %ring = tmm.pipeline : !ring
    %next = tmm.pipeline over %ring : !ring on !ring
    %s = tmm.pipeline_start %ring : !ring
    %q = tmm.pipeline_start %next : !ring
    tmm.warp_specialize "first" warps(1) {
      // expected-note @below {{the other one here}}
      %t = tmm.producer_acquire %ring[%s] : !ring
      test_unit.fill %t, %x[%i] by(#test_unit.worker<0>) : !tile, memref<f32>
      %n = tmm.producer_commit %ring[%s] : !ring
    } "second" warps(1) {
      %t = tmm.consumer_wait %ring[%s] : !ring
      test_unit.drain %t, %x[%i] by(#test_unit.worker<1>) : !tile, memref<f32>
      %n = tmm.consumer_release %ring[%s] : !ring
    } "third" warps(1) {
      %e = scf.for %k = %c0 to %i step %c1 iter_args(%c = %q) -> (!tmm.pipeline_state) : i32 {
        // expected-error @below {{in a round, got roles that make 1 and 1 in 1 loops of unknown length}}
        %u = tmm.producer_acquire %next[%c] : !ring
        test_unit.fill %u, %x[%k] by(#test_unit.worker<2>) : !tile, memref<f32>
        %m = tmm.producer_commit %next[%c] : !ring
        scf.yield %m : !tmm.pipeline_state
      }
    } "fourth" warps(1) {
      %t = tmm.consumer_wait %next[%q] : !ring
      test_unit.drain %t, %x[%i] by(#test_unit.worker<1>) : !tile, memref<f32>
      %n = tmm.consumer_release %next[%q] : !ring
    }
    gpu.return
  }
}

// -----

// The role in the middle takes the slot again before it has given it back.
!tile = !tmm.buffer<4x32xf32, #sm90.smem<plain, none>>
!ring = !tmm.pipeline<(!tile), depth = 1>
gpu.module @m {
  gpu.func @taken_early(%x: memref<f32>, %i: i32) kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    // expected-note @below {{first user of the slots here}}
    %ring = tmm.pipeline : !ring
    %next = tmm.pipeline over %ring : !ring on !ring
    %s = tmm.pipeline_start %ring : !ring
    %q = tmm.pipeline_start %next : !ring
    tmm.warp_specialize "first" warps(1) {
      %t = tmm.producer_acquire %ring[%s] : !ring
      test_unit.fill %t, %x[%i] by(#test_unit.worker<0>) : !tile, memref<f32>
      %n = tmm.producer_commit %ring[%s] : !ring
    } "second" warps(1) {
      %t = tmm.consumer_wait %ring[%s] : !ring
      // expected-error @below {{expected pipelines that share slots to make their transactions one after the other in one block, got another order}}
      %u = tmm.producer_acquire %next[%q] : !ring
      test_unit.drain %t, %x[%i] by(#test_unit.worker<1>) : !tile, memref<f32>
      test_unit.fill %u, %x[%i] by(#test_unit.worker<1>) : !tile, memref<f32>
      // expected-note @below {{expected before}}
      %n = tmm.consumer_release %ring[%s] : !ring
      %m = tmm.producer_commit %next[%q] : !ring
    } "third" warps(1) {
      %t = tmm.consumer_wait %next[%q] : !ring
      test_unit.drain %t, %x[%i] by(#test_unit.worker<2>) : !tile, memref<f32>
      %n = tmm.consumer_release %next[%q] : !ring
    }
    gpu.return
  }
}

//--- slots.mlir
!tile = !tmm.buffer<4x32xf32, #sm90.smem<plain, none>>
!ring = !tmm.pipeline<(!tile), depth = 1>
gpu.module @m {
  gpu.func @tmm_pipeline_c1_argument(%ring: !ring) {
    // expected-error @below {{expected operand over to be the result of another tmm.pipeline, got another value}}
    %next = tmm.pipeline over %ring : !ring on !ring
    gpu.return
  }
}

// -----

!tile = !tmm.buffer<4x32xf32, #sm90.smem<plain, none>>
gpu.module @m {
  gpu.func @tmm_pipeline_c1_depths() {
    // expected-note @below {{shared slots here}}
    %ring = tmm.pipeline : !tmm.pipeline<(!tile), depth = 2>
    // expected-error @below {{expected as many slots in pipelines that share them, got 3 and 2}}
    %next = tmm.pipeline over %ring : !tmm.pipeline<(!tile), depth = 3> on !tmm.pipeline<(!tile), depth = 2>
    gpu.return
  }
}

// -----

!tile = !tmm.buffer<4x32xf32, #sm90.smem<plain, none>>
gpu.module @m {
  gpu.func @tmm_pipeline_c1_buffers() {
    // expected-note @below {{shared slots here}}
    %ring = tmm.pipeline : !tmm.pipeline<(!tile, !tile), depth = 1>
    // expected-error @below {{expected one buffer in slots that are shared, got 1 and 2}}
    %next = tmm.pipeline over %ring : !tmm.pipeline<(!tile), depth = 1> on !tmm.pipeline<(!tile, !tile), depth = 1>
    gpu.return
  }
}

// -----

!tile = !tmm.buffer<4x32xf32, #sm90.smem<plain, none>>
!ring = !tmm.pipeline<(!tile), depth = 1>
gpu.module @m {
  gpu.func @tmm_pipeline_c1_twice() {
    %ring = tmm.pipeline : !ring
    // expected-error @below {{expected to be alone over its slots, got two pipelines}}
    %next = tmm.pipeline over %ring : !ring on !ring
    // expected-note @below {{the other one here}}
    %other = tmm.pipeline over %ring : !ring on !ring
    gpu.return
  }
}

// -----

!tile = !tmm.buffer<4x32xf32, #sm90.smem<plain, none>>
!acc = !tmm.buffer<128x128xf32, #tcgen05.tmem>
gpu.module @m {
  gpu.func @tmm_pipeline_c2_memories() {
    // expected-note @below {{shared slots here}}
    %ring = tmm.pipeline : !tmm.pipeline<(!tile), depth = 1>
    // expected-error @below {{expected slots in one memory, got #tcgen05.tmem over #sm90.smem<plain, none>}}
    %next = tmm.pipeline over %ring : !tmm.pipeline<(!acc), depth = 1> on !tmm.pipeline<(!tile), depth = 1>
    gpu.return
  }
}

//--- storages.mlir
!small = !tmm.buffer<4x32xf32, #sm90.smem<plain, none>>
!large = !tmm.buffer<8x32xf32, #sm90.smem<plain, none>>
gpu.module @m {
  gpu.func @too_large() kernel {
    // expected-note @below {{shared storage here}}
    %a = tmm.storage : !tmm.storage<!small, depth = 2>
    // expected-error @below {{expected slots of 1024 bytes at multiples of 16 to fit those that they share, got slots of 512 bytes}}
    %b = tmm.storage over %a : !tmm.storage<!large, depth = 2> on !tmm.storage<!small, depth = 2>
    gpu.return
  }
}
