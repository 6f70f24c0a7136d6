// RUN: tc-opt %s -split-input-file -convert-tmm-pipelines-to-sm90 -verify-diagnostics

// What a user writes after the kernel is cut: instances that take turns.

// A slot of three is used by both instances in turn: each misses every other phase of it.
!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
!ring = !tmm.pipeline<(!tile), depth = 3>
!s = !tmm.pipeline_state
gpu.module @m {
  gpu.func @three_slots(%a: memref<?x?xf16>, %n: i32) kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // expected-note @below {{pipeline here}}
    %ring = tmm.pipeline : !ring
    %s0 = tmm.pipeline_start %ring : !ring
    tmm.warp_specialize "store" warps(1) turns(2) elected {
      %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%c = %s0, %turn = %c0) -> (!s, i32) : i32 {
        %mine = arith.cmpi eq, %turn, %c0 : i32
        %next = scf.if %mine -> (!s) {
          %t = tmm.consumer_wait %ring[%c] : !ring
          tmm.unload %t, %a[%j, %c0] by(#sm90.tma_store) : !tile, memref<?x?xf16>
          %c2 = tmm.consumer_release %ring[%c] : !ring
          scf.yield %c2 : !s
        } else {
          %c2 = tmm.skip %ring[%c] : !ring
          scf.yield %c2 : !s
        }
        %other = arith.subi %c1, %turn : i32
        scf.yield %next, %other : !s, i32
      }
    // expected-error @below {{'tmm.warp_specialize' op expected a multiple of 2 slots in each pipeline whose transactions the 2 instances of role store take in turn, got 3, nearest 4}}
    } "store" warps(1) turns(2) elected {
      %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%c = %s0, %turn = %c0) -> (!s, i32) : i32 {
        %mine = arith.cmpi eq, %turn, %c1 : i32
        %next = scf.if %mine -> (!s) {
          %t = tmm.consumer_wait %ring[%c] : !ring
          tmm.unload %t, %a[%j, %c0] by(#sm90.tma_store) : !tile, memref<?x?xf16>
          %c2 = tmm.consumer_release %ring[%c] : !ring
          scf.yield %c2 : !s
        } else {
          %c2 = tmm.skip %ring[%c] : !ring
          scf.yield %c2 : !s
        }
        %other = arith.subi %c1, %turn : i32
        scf.yield %next, %other : !s, i32
      }
    } "load" warps(1) elected {
      %r = scf.for %j = %c0 to %n step %c1 iter_args(%p = %s0) -> (!s) : i32 {
        %t = tmm.producer_acquire %ring[%p] : !ring
        tmm.load %a[%c0, %j], %t by(#sm90.tma) : memref<?x?xf16>, !tile
        %p1 = tmm.producer_commit %ring[%p] : !ring
        scf.yield %p1 : !s
      }
    }
    gpu.return
  }
}

// -----

// A role of one instance that leaves transactions to another: nobody makes them.
!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
!ring = !tmm.pipeline<(!tile), depth = 2>
!s = !tmm.pipeline_state
gpu.module @m {
  gpu.func @renamed(%a: memref<?x?xf16>, %n: i32) kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // expected-note @below {{pipeline here}}
    %ring = tmm.pipeline : !ring
    %s0 = tmm.pipeline_start %ring : !ring
    // expected-note @below {{role here}}
    tmm.warp_specialize "store" warps(1) elected {
      %r = scf.for %j = %c0 to %n step %c1 iter_args(%c = %s0) -> (!s) : i32 {
        %mine = arith.cmpi eq, %j, %c0 : i32
        %next = scf.if %mine -> (!s) {
          %t = tmm.consumer_wait %ring[%c] : !ring
          tmm.unload %t, %a[%j, %c0] by(#sm90.tma_store) : !tile, memref<?x?xf16>
          %c2 = tmm.consumer_release %ring[%c] : !ring
          scf.yield %c2 : !s
        } else {
          // expected-error @below {{expected role store to make all transactions of slots that no other instance of it uses, or to hold the slot (tmm.hold of the same state in this block, with a tmm.release_held), got one that is left to another}}
          %c2 = tmm.skip %ring[%c] : !ring
          scf.yield %c2 : !s
        }
        scf.yield %next : !s
      }
    } "load" warps(1) elected {
      %r = scf.for %j = %c0 to %n step %c1 iter_args(%p = %s0) -> (!s) : i32 {
        %t = tmm.producer_acquire %ring[%p] : !ring
        tmm.load %a[%c0, %j], %t by(#sm90.tma) : memref<?x?xf16>, !tile
        %p1 = tmm.producer_commit %ring[%p] : !ring
        scf.yield %p1 : !s
      }
    }
    gpu.return
  }
}

// -----

// One instance reads the slots, the other one does not.
!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
!ring = !tmm.pipeline<(!tile), depth = 2>
gpu.module @m {
  gpu.func @missing(%a: memref<?x?xf16>, %i: i32) kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    // expected-note @below {{pipeline here}}
    %ring = tmm.pipeline : !ring
    %s0 = tmm.pipeline_start %ring : !ring
    // expected-error @below {{'tmm.warp_specialize' op expected all 2 instances of role store to read the slots, got 1}}
    tmm.warp_specialize "store" warps(1) turns(2) elected {
      %t = tmm.consumer_wait %ring[%s0] : !ring
      tmm.unload %t, %a[%i, %i] by(#sm90.tma_store) : !tile, memref<?x?xf16>
      %c1 = tmm.consumer_release %ring[%s0] : !ring
      %c2 = tmm.skip %ring[%c1] : !ring
    } "store" warps(1) turns(2) elected {
    } "load" warps(1) elected {
      %t = tmm.producer_acquire %ring[%s0] : !ring
      tmm.load %a[%i, %i], %t by(#sm90.tma) : memref<?x?xf16>, !tile
      %p1 = tmm.producer_commit %ring[%s0] : !ring
    }
    gpu.return
  }
}

// -----

// Both instances fill every slot.
!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
!ring = !tmm.pipeline<(!tile), depth = 2>
gpu.module @m {
  gpu.func @both(%a: memref<?x?xf16>, %i: i32) kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    // expected-note @below {{pipeline here}}
    %ring = tmm.pipeline : !ring
    %s0 = tmm.pipeline_start %ring : !ring
    tmm.warp_specialize "store" warps(1) elected {
      %t = tmm.consumer_wait %ring[%s0] : !ring
      tmm.unload %t, %a[%i, %i] by(#sm90.tma_store) : !tile, memref<?x?xf16>
      %c1 = tmm.consumer_release %ring[%s0] : !ring
    } "load" warps(1) turns(2) elected {
      %t = tmm.producer_acquire %ring[%s0] : !ring
      tmm.load %a[%i, %i], %t by(#sm90.tma) : memref<?x?xf16>, !tile
      %p1 = tmm.producer_commit %ring[%s0] : !ring
    // expected-error @below {{'tmm.warp_specialize' op expected the instance of role load to count what the others do with the slots (tmm.skip), got none that it leaves to them}}
    } "load" warps(1) turns(2) elected {
      %t = tmm.producer_acquire %ring[%s0] : !ring
      tmm.load %a[%i, %i], %t by(#sm90.tma) : memref<?x?xf16>, !tile
      %p1 = tmm.producer_commit %ring[%s0] : !ring
    }
    gpu.return
  }
}

// -----

// A turn has as many transactions as its inner loop has iterations: nothing says
// that an instance has seen the phase before.
!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
!ring = !tmm.pipeline<(!tile), depth = 2>
!s = !tmm.pipeline_state
gpu.module @m {
  gpu.func @inner_loop(%a: memref<?x?xf16>, %n: i32) kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %ring = tmm.pipeline : !ring
    %s0 = tmm.pipeline_start %ring : !ring
    tmm.warp_specialize "load" warps(1) turns(2) elected {
      %r = scf.for %j = %c0 to %n step %c2 iter_args(%p = %s0) -> (!s) : i32 {
        %q = scf.for %k = %c0 to %n step %c1 iter_args(%p0 = %p) -> (!s) : i32 {
          %t = tmm.producer_acquire %ring[%p0] : !ring
          tmm.load %a[%j, %k], %t by(#sm90.tma) : memref<?x?xf16>, !tile
          %p1 = tmm.producer_commit %ring[%p0] : !ring
          scf.yield %p1 : !s
        }
        %skipped = tmm.skip %ring[%q] by %n : !ring
        scf.yield %skipped : !s
      }
    // expected-note @below {{role here}}
    } "load" warps(1) turns(2) elected {
      %first = tmm.skip %ring[%s0] by %n : !ring
      %r = scf.for %j = %c1 to %n step %c2 iter_args(%p = %first) -> (!s) : i32 {
        %q = scf.for %k = %c0 to %n step %c1 iter_args(%p0 = %p) -> (!s) : i32 {
          // expected-error @below {{expected tmm.take_turn before and tmm.pass_turn after what makes transactions of a turn in an inner loop or branch, got no order of the 2 instances of role load}}
          %t = tmm.producer_acquire %ring[%p0] : !ring
          tmm.load %a[%j, %k], %t by(#sm90.tma) : memref<?x?xf16>, !tile
          %p1 = tmm.producer_commit %ring[%p0] : !ring
          scf.yield %p1 : !s
        }
        %skipped = tmm.skip %ring[%q] by %n : !ring
        scf.yield %skipped : !s
      }
    } "store" warps(1) elected {
      %r = scf.for %j = %c0 to %n step %c1 iter_args(%c = %s0) -> (!s) : i32 {
        %t = tmm.consumer_wait %ring[%c] : !ring
        tmm.unload %t, %a[%j, %c0] by(#sm90.tma_store) : !tile, memref<?x?xf16>
        %n1 = tmm.consumer_release %ring[%c] : !ring
        scf.yield %n1 : !s
      }
    }
    gpu.return
  }
}
