// RUN: tc-opt %s -convert-tmm-pipelines-to-sm90 -split-input-file -verify-diagnostics

// Held slots are released once, when the work on them has been awaited; what is in flight
// is awaited once, before its first use.

// The slot of the last iteration is kept.
!tile = !tmm.buffer<64x64xf16, #sm90.smem<k_major, b128>>
!ring = !tmm.pipeline<(!tile), depth = 3>
gpu.module @m {
  gpu.func @never_last(%a: memref<?x?xf16>, %n: i32, %p: i1, %d: memref<?x?xf32>) kernel
      attributes {known_block_size = array<i32: 160, 1, 1>} {
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ring = tmm.pipeline : !ring
    tmm.warp_specialize "mma" warps(4) {
      %s = tmm.pipeline_start %ring : !ring
      %none = tmm.hold %ring[%s] : !ring
      // expected-note @below {{loop here}}
      %sum, %e, %last = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %c = %s, %held = %none)
          -> (vector<64x64xf32>, !tmm.pipeline_state, !tmm.held_slot) : i32 {
        %t = tmm.consumer_wait %ring[%c] : !ring
        %new = tmm.mma %t, %t, %acc accumulate(%p) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
            : !tile, !tile, vector<64x64xf32> -> vector<64x64xf32>
        %go = tmm.await %new by(#sm90.wgmma) pending 1 : vector<64x64xf32>
        %others = arith.cmpi ne, %k, %c0 : i32
        scf.if %others {
          tmm.release_held %ring[%held] : !ring
        }
        // expected-error @below {{expected one use of the held slot after the loop, by tmm.release_held, got 0}}
        %now = tmm.hold %ring[%c] : !ring
        %next = tmm.skip %ring[%c] : !ring
        scf.yield %go, %next, %now : vector<64x64xf32>, !tmm.pipeline_state, !tmm.held_slot
      }
      %done = tmm.await %sum by(#sm90.wgmma) pending 0 : vector<64x64xf32>
      tmm.store %done, %d[%c0, %c0] layout(#sm90.wgmma_layout) : vector<64x64xf32>, memref<?x?xf32>
    } "load" warps(1) elected {
      %s = tmm.pipeline_start %ring : !ring
      %e = scf.for %k = %c0 to %n step %c1 iter_args(%c = %s) -> (!tmm.pipeline_state) : i32 {
        %t = tmm.producer_acquire %ring[%c] : !ring
        tmm.load %a[%c0, %k], %t by(#sm90.tma) : memref<?x?xf16>, !tile
        %next = tmm.producer_commit %ring[%c] : !ring
        scf.yield %next : !tmm.pipeline_state
      }
      tmm.producer_tail %ring[%e] : !ring
    }
    gpu.return
  }
}

// -----

// Two releases in an iteration.
!tile = !tmm.buffer<64x64xf16, #sm90.smem<k_major, b128>>
!ring = !tmm.pipeline<(!tile), depth = 3>
gpu.module @m {
  gpu.func @twice_in_loop(%a: memref<?x?xf16>, %n: i32, %p: i1, %d: memref<?x?xf32>) kernel
      attributes {known_block_size = array<i32: 160, 1, 1>} {
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ring = tmm.pipeline : !ring
    tmm.warp_specialize "mma" warps(4) {
      %s = tmm.pipeline_start %ring : !ring
      %none = tmm.hold %ring[%s] : !ring
      // expected-note @below {{loop here}}
      %sum, %e, %last = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %c = %s, %held = %none)
          -> (vector<64x64xf32>, !tmm.pipeline_state, !tmm.held_slot) : i32 {
        %t = tmm.consumer_wait %ring[%c] : !ring
        %new = tmm.mma %t, %t, %acc accumulate(%p) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
            : !tile, !tile, vector<64x64xf32> -> vector<64x64xf32>
        %go = tmm.await %new by(#sm90.wgmma) pending 1 : vector<64x64xf32>
        %others = arith.cmpi ne, %k, %c0 : i32
        scf.if %others {
          tmm.release_held %ring[%held] : !ring
          tmm.release_held %ring[%held] : !ring
        }
        // expected-error @below {{expected one use of the held slot in the next iteration, by tmm.release_held, got 2}}
        %now = tmm.hold %ring[%c] : !ring
        %next = tmm.skip %ring[%c] : !ring
        scf.yield %go, %next, %now : vector<64x64xf32>, !tmm.pipeline_state, !tmm.held_slot
      }
      %done = tmm.await %sum by(#sm90.wgmma) pending 0 : vector<64x64xf32>
      %some = arith.cmpi slt, %c0, %n : i32
      scf.if %some {
        tmm.release_held %ring[%last] : !ring
      }
      tmm.store %done, %d[%c0, %c0] layout(#sm90.wgmma_layout) : vector<64x64xf32>, memref<?x?xf32>
    } "load" warps(1) elected {
      %s = tmm.pipeline_start %ring : !ring
      %e = scf.for %k = %c0 to %n step %c1 iter_args(%c = %s) -> (!tmm.pipeline_state) : i32 {
        %t = tmm.producer_acquire %ring[%c] : !ring
        tmm.load %a[%c0, %k], %t by(#sm90.tma) : memref<?x?xf16>, !tile
        %next = tmm.producer_commit %ring[%c] : !ring
        scf.yield %next : !tmm.pipeline_state
      }
      tmm.producer_tail %ring[%e] : !ring
    }
    gpu.return
  }
}

// -----

// Two releases after the loop.
!tile = !tmm.buffer<64x64xf16, #sm90.smem<k_major, b128>>
!ring = !tmm.pipeline<(!tile), depth = 3>
gpu.module @m {
  gpu.func @twice_after_loop(%a: memref<?x?xf16>, %n: i32, %p: i1, %d: memref<?x?xf32>) kernel
      attributes {known_block_size = array<i32: 160, 1, 1>} {
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ring = tmm.pipeline : !ring
    tmm.warp_specialize "mma" warps(4) {
      %s = tmm.pipeline_start %ring : !ring
      %none = tmm.hold %ring[%s] : !ring
      // expected-note @below {{loop here}}
      %sum, %e, %last = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %c = %s, %held = %none)
          -> (vector<64x64xf32>, !tmm.pipeline_state, !tmm.held_slot) : i32 {
        %t = tmm.consumer_wait %ring[%c] : !ring
        %new = tmm.mma %t, %t, %acc accumulate(%p) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
            : !tile, !tile, vector<64x64xf32> -> vector<64x64xf32>
        %go = tmm.await %new by(#sm90.wgmma) pending 1 : vector<64x64xf32>
        %others = arith.cmpi ne, %k, %c0 : i32
        scf.if %others {
          tmm.release_held %ring[%held] : !ring
        }
        // expected-error @below {{expected one use of the held slot after the loop, by tmm.release_held, got 2}}
        %now = tmm.hold %ring[%c] : !ring
        %next = tmm.skip %ring[%c] : !ring
        scf.yield %go, %next, %now : vector<64x64xf32>, !tmm.pipeline_state, !tmm.held_slot
      }
      %done = tmm.await %sum by(#sm90.wgmma) pending 0 : vector<64x64xf32>
      %some = arith.cmpi slt, %c0, %n : i32
      scf.if %some {
        tmm.release_held %ring[%last] : !ring
      }
      scf.if %some {
        tmm.release_held %ring[%last] : !ring
      }
      tmm.store %done, %d[%c0, %c0] layout(#sm90.wgmma_layout) : vector<64x64xf32>, memref<?x?xf32>
    } "load" warps(1) elected {
      %s = tmm.pipeline_start %ring : !ring
      %e = scf.for %k = %c0 to %n step %c1 iter_args(%c = %s) -> (!tmm.pipeline_state) : i32 {
        %t = tmm.producer_acquire %ring[%c] : !ring
        tmm.load %a[%c0, %k], %t by(#sm90.tma) : memref<?x?xf16>, !tile
        %next = tmm.producer_commit %ring[%c] : !ring
        scf.yield %next : !tmm.pipeline_state
      }
      tmm.producer_tail %ring[%e] : !ring
    }
    gpu.return
  }
}

// -----

// The first iteration has no slot to release.
!tile = !tmm.buffer<64x64xf16, #sm90.smem<k_major, b128>>
!ring = !tmm.pipeline<(!tile), depth = 3>
gpu.module @m {
  gpu.func @unguarded(%a: memref<?x?xf16>, %n: i32, %p: i1, %d: memref<?x?xf32>) kernel
      attributes {known_block_size = array<i32: 160, 1, 1>} {
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ring = tmm.pipeline : !ring
    tmm.warp_specialize "mma" warps(4) {
      %s = tmm.pipeline_start %ring : !ring
      %none = tmm.hold %ring[%s] : !ring
      // expected-note @below {{loop here}}
      %sum, %e, %last = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %c = %s, %held = %none)
          -> (vector<64x64xf32>, !tmm.pipeline_state, !tmm.held_slot) : i32 {
        %t = tmm.consumer_wait %ring[%c] : !ring
        %new = tmm.mma %t, %t, %acc accumulate(%p) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
            : !tile, !tile, vector<64x64xf32> -> vector<64x64xf32>
        %go = tmm.await %new by(#sm90.wgmma) pending 1 : vector<64x64xf32>
        // expected-error @below {{expected an scf.if in the loop, taken where its variable is not the lower bound, around the release of the slot of the iteration before, got none}}
        tmm.release_held %ring[%held] : !ring
        %now = tmm.hold %ring[%c] : !ring
        %next = tmm.skip %ring[%c] : !ring
        scf.yield %go, %next, %now : vector<64x64xf32>, !tmm.pipeline_state, !tmm.held_slot
      }
      %done = tmm.await %sum by(#sm90.wgmma) pending 0 : vector<64x64xf32>
      %some = arith.cmpi slt, %c0, %n : i32
      scf.if %some {
        tmm.release_held %ring[%last] : !ring
      }
      tmm.store %done, %d[%c0, %c0] layout(#sm90.wgmma_layout) : vector<64x64xf32>, memref<?x?xf32>
    } "load" warps(1) elected {
      %s = tmm.pipeline_start %ring : !ring
      %e = scf.for %k = %c0 to %n step %c1 iter_args(%c = %s) -> (!tmm.pipeline_state) : i32 {
        %t = tmm.producer_acquire %ring[%c] : !ring
        tmm.load %a[%c0, %k], %t by(#sm90.tma) : memref<?x?xf16>, !tile
        %next = tmm.producer_commit %ring[%c] : !ring
        scf.yield %next : !tmm.pipeline_state
      }
      tmm.producer_tail %ring[%e] : !ring
    }
    gpu.return
  }
}

// -----

// Without iterations there is no slot.
!tile = !tmm.buffer<64x64xf16, #sm90.smem<k_major, b128>>
!ring = !tmm.pipeline<(!tile), depth = 3>
gpu.module @m {
  gpu.func @unguarded_last(%a: memref<?x?xf16>, %n: i32, %p: i1, %d: memref<?x?xf32>) kernel
      attributes {known_block_size = array<i32: 160, 1, 1>} {
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ring = tmm.pipeline : !ring
    tmm.warp_specialize "mma" warps(4) {
      %s = tmm.pipeline_start %ring : !ring
      %none = tmm.hold %ring[%s] : !ring
      // expected-note @below {{loop here}}
      %sum, %e, %last = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %c = %s, %held = %none)
          -> (vector<64x64xf32>, !tmm.pipeline_state, !tmm.held_slot) : i32 {
        %t = tmm.consumer_wait %ring[%c] : !ring
        %new = tmm.mma %t, %t, %acc accumulate(%p) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
            : !tile, !tile, vector<64x64xf32> -> vector<64x64xf32>
        %go = tmm.await %new by(#sm90.wgmma) pending 1 : vector<64x64xf32>
        %others = arith.cmpi ne, %k, %c0 : i32
        scf.if %others {
          tmm.release_held %ring[%held] : !ring
        }
        %now = tmm.hold %ring[%c] : !ring
        %next = tmm.skip %ring[%c] : !ring
        scf.yield %go, %next, %now : vector<64x64xf32>, !tmm.pipeline_state, !tmm.held_slot
      }
      %done = tmm.await %sum by(#sm90.wgmma) pending 0 : vector<64x64xf32>
      // expected-error @below {{expected an scf.if after the loop, taken where the lower bound is less than the upper one, around the release of the slot of the last iteration, got none}}
      tmm.release_held %ring[%last] : !ring
      tmm.store %done, %d[%c0, %c0] layout(#sm90.wgmma_layout) : vector<64x64xf32>, memref<?x?xf32>
    } "load" warps(1) elected {
      %s = tmm.pipeline_start %ring : !ring
      %e = scf.for %k = %c0 to %n step %c1 iter_args(%c = %s) -> (!tmm.pipeline_state) : i32 {
        %t = tmm.producer_acquire %ring[%c] : !ring
        tmm.load %a[%c0, %k], %t by(#sm90.tma) : memref<?x?xf16>, !tile
        %next = tmm.producer_commit %ring[%c] : !ring
        scf.yield %next : !tmm.pipeline_state
      }
      tmm.producer_tail %ring[%e] : !ring
    }
    gpu.return
  }
}

// -----

// Released at once, and held.
!tile = !tmm.buffer<64x64xf16, #sm90.smem<k_major, b128>>
!ring = !tmm.pipeline<(!tile), depth = 3>
gpu.module @m {
  gpu.func @hold_and_release(%a: memref<?x?xf16>, %n: i32, %p: i1, %d: memref<?x?xf32>) kernel
      attributes {known_block_size = array<i32: 160, 1, 1>} {
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ring = tmm.pipeline : !ring
    tmm.warp_specialize "mma" warps(4) {
      %s = tmm.pipeline_start %ring : !ring
      %none = tmm.hold %ring[%s] : !ring
      %sum, %e, %last = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %c = %s, %held = %none)
          -> (vector<64x64xf32>, !tmm.pipeline_state, !tmm.held_slot) : i32 {
        %t = tmm.consumer_wait %ring[%c] : !ring
        %new = tmm.mma %t, %t, %acc accumulate(%p) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
            : !tile, !tile, vector<64x64xf32> -> vector<64x64xf32>
        %go = tmm.await %new by(#sm90.wgmma) pending 0 : vector<64x64xf32>
        %others = arith.cmpi ne, %k, %c0 : i32
        scf.if %others {
          tmm.release_held %ring[%held] : !ring
        }
        // expected-error @below {{expected a tmm.skip of the same state in its block, which counts the transaction of a slot that is released later, got none}}
        %now = tmm.hold %ring[%c] : !ring
        %next = tmm.consumer_release %ring[%c] : !ring
        // expected-note @below {{used here}}
        scf.yield %go, %next, %now : vector<64x64xf32>, !tmm.pipeline_state, !tmm.held_slot
      }
      %done = tmm.await %sum by(#sm90.wgmma) pending 0 : vector<64x64xf32>
      %some = arith.cmpi slt, %c0, %n : i32
      scf.if %some {
        tmm.release_held %ring[%last] : !ring
      }
      tmm.store %done, %d[%c0, %c0] layout(#sm90.wgmma_layout) : vector<64x64xf32>, memref<?x?xf32>
    } "load" warps(1) elected {
      %s = tmm.pipeline_start %ring : !ring
      %e = scf.for %k = %c0 to %n step %c1 iter_args(%c = %s) -> (!tmm.pipeline_state) : i32 {
        %t = tmm.producer_acquire %ring[%c] : !ring
        tmm.load %a[%c0, %k], %t by(#sm90.tma) : memref<?x?xf16>, !tile
        %next = tmm.producer_commit %ring[%c] : !ring
        scf.yield %next : !tmm.pipeline_state
      }
      tmm.producer_tail %ring[%e] : !ring
    }
    gpu.return
  }
}

// -----

// A slot that nothing waited for.
!tile = !tmm.buffer<64x64xf16, #sm90.smem<k_major, b128>>
!ring = !tmm.pipeline<(!tile), depth = 3>
gpu.module @m {
  gpu.func @never_taken(%a: memref<?x?xf16>, %n: i32, %p: i1, %d: memref<?x?xf32>) kernel
      attributes {known_block_size = array<i32: 160, 1, 1>} {
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ring = tmm.pipeline : !ring
    tmm.warp_specialize "mma" warps(4) {
      %s = tmm.pipeline_start %ring : !ring
      %none = tmm.hold %ring[%s] : !ring
      %sum, %e, %last = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %c = %s, %held = %none)
          -> (vector<64x64xf32>, !tmm.pipeline_state, !tmm.held_slot) : i32 {
        %t = tmm.consumer_wait %ring[%c] : !ring
        %new = tmm.mma %t, %t, %acc accumulate(%p) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
            : !tile, !tile, vector<64x64xf32> -> vector<64x64xf32>
        %go = tmm.await %new by(#sm90.wgmma) pending 1 : vector<64x64xf32>
        %others = arith.cmpi ne, %k, %c0 : i32
        scf.if %others {
          tmm.release_held %ring[%held] : !ring
        }
        %now = tmm.hold %ring[%c] : !ring
        %next = tmm.skip %ring[%c] : !ring
        scf.yield %go, %next, %now : vector<64x64xf32>, !tmm.pipeline_state, !tmm.held_slot
      }
      %done = tmm.await %sum by(#sm90.wgmma) pending 0 : vector<64x64xf32>
      %some = arith.cmpi slt, %c0, %n : i32
      scf.if %some {
        tmm.release_held %ring[%last] : !ring
      }
      // expected-error @below {{expected a tmm.skip of the same state in its block}}
      %more = tmm.hold %ring[%e] : !ring
      // expected-note @below {{used here}}
      tmm.release_held %ring[%more] : !ring
      tmm.store %done, %d[%c0, %c0] layout(#sm90.wgmma_layout) : vector<64x64xf32>, memref<?x?xf32>
    } "load" warps(1) elected {
      %s = tmm.pipeline_start %ring : !ring
      %e = scf.for %k = %c0 to %n step %c1 iter_args(%c = %s) -> (!tmm.pipeline_state) : i32 {
        %t = tmm.producer_acquire %ring[%c] : !ring
        tmm.load %a[%c0, %k], %t by(#sm90.tma) : memref<?x?xf16>, !tile
        %next = tmm.producer_commit %ring[%c] : !ring
        scf.yield %next : !tmm.pipeline_state
      }
      tmm.producer_tail %ring[%e] : !ring
    }
    gpu.return
  }
}

// -----

// The work of the iteration before is awaited too late.
!tile = !tmm.buffer<64x64xf16, #sm90.smem<k_major, b128>>
!ring = !tmm.pipeline<(!tile), depth = 3>
gpu.module @m {
  gpu.func @await_after_release(%a: memref<?x?xf16>, %n: i32, %p: i1, %d: memref<?x?xf32>) kernel
      attributes {known_block_size = array<i32: 160, 1, 1>} {
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ring = tmm.pipeline : !ring
    tmm.warp_specialize "mma" warps(4) {
      %s = tmm.pipeline_start %ring : !ring
      %none = tmm.hold %ring[%s] : !ring
      %sum, %e, %last = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %c = %s, %held = %none)
          -> (vector<64x64xf32>, !tmm.pipeline_state, !tmm.held_slot) : i32 {
        %t = tmm.consumer_wait %ring[%c] : !ring
        // expected-note @below {{work here}}
        %new = tmm.mma %t, %t, %acc accumulate(%p) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
            : !tile, !tile, vector<64x64xf32> -> vector<64x64xf32>
        %others = arith.cmpi ne, %k, %c0 : i32
        scf.if %others {
          // expected-error @below {{expected a tmm.await by #sm90.wgmma with at most 1 pending between the work on the slot and its release, got none}}
          tmm.release_held %ring[%held] : !ring
        }
        %now = tmm.hold %ring[%c] : !ring
        %next = tmm.skip %ring[%c] : !ring
        %go = tmm.await %new by(#sm90.wgmma) pending 1 : vector<64x64xf32>
        scf.yield %go, %next, %now : vector<64x64xf32>, !tmm.pipeline_state, !tmm.held_slot
      }
      %done = tmm.await %sum by(#sm90.wgmma) pending 0 : vector<64x64xf32>
      %some = arith.cmpi slt, %c0, %n : i32
      scf.if %some {
        tmm.release_held %ring[%last] : !ring
      }
      tmm.store %done, %d[%c0, %c0] layout(#sm90.wgmma_layout) : vector<64x64xf32>, memref<?x?xf32>
    } "load" warps(1) elected {
      %s = tmm.pipeline_start %ring : !ring
      %e = scf.for %k = %c0 to %n step %c1 iter_args(%c = %s) -> (!tmm.pipeline_state) : i32 {
        %t = tmm.producer_acquire %ring[%c] : !ring
        tmm.load %a[%c0, %k], %t by(#sm90.tma) : memref<?x?xf16>, !tile
        %next = tmm.producer_commit %ring[%c] : !ring
        scf.yield %next : !tmm.pipeline_state
      }
      tmm.producer_tail %ring[%e] : !ring
    }
    gpu.return
  }
}

// -----

// Two transactions are pending: that of the slot is.
!tile = !tmm.buffer<64x64xf16, #sm90.smem<k_major, b128>>
!ring = !tmm.pipeline<(!tile), depth = 3>
gpu.module @m {
  gpu.func @two_pending(%a: memref<?x?xf16>, %n: i32, %p: i1, %d: memref<?x?xf32>) kernel
      attributes {known_block_size = array<i32: 160, 1, 1>} {
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ring = tmm.pipeline : !ring
    tmm.warp_specialize "mma" warps(4) {
      %s = tmm.pipeline_start %ring : !ring
      %none = tmm.hold %ring[%s] : !ring
      %sum, %e, %last = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %c = %s, %held = %none)
          -> (vector<64x64xf32>, !tmm.pipeline_state, !tmm.held_slot) : i32 {
        %t = tmm.consumer_wait %ring[%c] : !ring
        // expected-note @below {{work here}}
        %new = tmm.mma %t, %t, %acc accumulate(%p) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
            : !tile, !tile, vector<64x64xf32> -> vector<64x64xf32>
        %go = tmm.await %new by(#sm90.wgmma) pending 2 : vector<64x64xf32>
        %others = arith.cmpi ne, %k, %c0 : i32
        scf.if %others {
          // expected-error @below {{with at most 1 pending between the work on the slot and its release, got none}}
          tmm.release_held %ring[%held] : !ring
        }
        %now = tmm.hold %ring[%c] : !ring
        %next = tmm.skip %ring[%c] : !ring
        scf.yield %go, %next, %now : vector<64x64xf32>, !tmm.pipeline_state, !tmm.held_slot
      }
      %done = tmm.await %sum by(#sm90.wgmma) pending 0 : vector<64x64xf32>
      %some = arith.cmpi slt, %c0, %n : i32
      scf.if %some {
        tmm.release_held %ring[%last] : !ring
      }
      tmm.store %done, %d[%c0, %c0] layout(#sm90.wgmma_layout) : vector<64x64xf32>, memref<?x?xf32>
    } "load" warps(1) elected {
      %s = tmm.pipeline_start %ring : !ring
      %e = scf.for %k = %c0 to %n step %c1 iter_args(%c = %s) -> (!tmm.pipeline_state) : i32 {
        %t = tmm.producer_acquire %ring[%c] : !ring
        tmm.load %a[%c0, %k], %t by(#sm90.tma) : memref<?x?xf16>, !tile
        %next = tmm.producer_commit %ring[%c] : !ring
        scf.yield %next : !tmm.pipeline_state
      }
      tmm.producer_tail %ring[%e] : !ring
    }
    gpu.return
  }
}

// -----

// Released at once, with its work pending.
!tile = !tmm.buffer<64x64xf16, #sm90.smem<k_major, b128>>
!ring = !tmm.pipeline<(!tile), depth = 3>
gpu.module @m {
  gpu.func @one_pending_at_once(%a: memref<?x?xf16>, %n: i32, %p: i1, %d: memref<?x?xf32>) kernel
      attributes {known_block_size = array<i32: 160, 1, 1>} {
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ring = tmm.pipeline : !ring
    tmm.warp_specialize "mma" warps(4) {
      %s = tmm.pipeline_start %ring : !ring
      %none = tmm.hold %ring[%s] : !ring
      %sum, %e, %last = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %c = %s, %held = %none)
          -> (vector<64x64xf32>, !tmm.pipeline_state, !tmm.held_slot) : i32 {
        %t = tmm.consumer_wait %ring[%c] : !ring
        // expected-note @below {{work here}}
        %new = tmm.mma %t, %t, %acc accumulate(%p) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
            : !tile, !tile, vector<64x64xf32> -> vector<64x64xf32>
        %go = tmm.await %new by(#sm90.wgmma) pending 1 : vector<64x64xf32>
        %others = arith.cmpi ne, %k, %c0 : i32
        scf.if %others {
          tmm.release_held %ring[%held] : !ring
        }
        %now = tmm.hold %ring[%c] : !ring
        %next = tmm.skip %ring[%c] : !ring
        scf.yield %go, %next, %now : vector<64x64xf32>, !tmm.pipeline_state, !tmm.held_slot
      }
      %done = tmm.await %sum by(#sm90.wgmma) pending 1 : vector<64x64xf32>
      %some = arith.cmpi slt, %c0, %n : i32
      scf.if %some {
        // expected-error @below {{with at most 0 pending between the work on the slot and its release, got none}}
        tmm.release_held %ring[%last] : !ring
      }
      tmm.store %done, %d[%c0, %c0] layout(#sm90.wgmma_layout) : vector<64x64xf32>, memref<?x?xf32>
    } "load" warps(1) elected {
      %s = tmm.pipeline_start %ring : !ring
      %e = scf.for %k = %c0 to %n step %c1 iter_args(%c = %s) -> (!tmm.pipeline_state) : i32 {
        %t = tmm.producer_acquire %ring[%c] : !ring
        tmm.load %a[%c0, %k], %t by(#sm90.tma) : memref<?x?xf16>, !tile
        %next = tmm.producer_commit %ring[%c] : !ring
        scf.yield %next : !tmm.pipeline_state
      }
      tmm.producer_tail %ring[%e] : !ring
    }
    gpu.return
  }
}

// -----

// The transaction that follows waits for the slot.
!tile = !tmm.buffer<64x64xf16, #sm90.smem<k_major, b128>>
!ring = !tmm.pipeline<(!tile), depth = 1>
gpu.module @m {
  gpu.func @one_slot(%a: memref<?x?xf16>, %n: i32, %p: i1, %d: memref<?x?xf32>) kernel
      attributes {known_block_size = array<i32: 160, 1, 1>} {
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ring = tmm.pipeline : !ring
    tmm.warp_specialize "mma" warps(4) {
      %s = tmm.pipeline_start %ring : !ring
      %none = tmm.hold %ring[%s] : !ring
      %sum, %e, %last = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %c = %s, %held = %none)
          -> (vector<64x64xf32>, !tmm.pipeline_state, !tmm.held_slot) : i32 {
        %t = tmm.consumer_wait %ring[%c] : !ring
        %new = tmm.mma %t, %t, %acc accumulate(%p) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
            : !tile, !tile, vector<64x64xf32> -> vector<64x64xf32>
        %go = tmm.await %new by(#sm90.wgmma) pending 1 : vector<64x64xf32>
        %others = arith.cmpi ne, %k, %c0 : i32
        scf.if %others {
          // expected-note @below {{released here}}
          tmm.release_held %ring[%held] : !ring
        }
        // expected-error @below {{expected at most 0 transactions to begin while a slot of a ring of 1 is held, got 1}}
        %now = tmm.hold %ring[%c] : !ring
        %next = tmm.skip %ring[%c] : !ring
        scf.yield %go, %next, %now : vector<64x64xf32>, !tmm.pipeline_state, !tmm.held_slot
      }
      %done = tmm.await %sum by(#sm90.wgmma) pending 0 : vector<64x64xf32>
      %some = arith.cmpi slt, %c0, %n : i32
      scf.if %some {
        tmm.release_held %ring[%last] : !ring
      }
      tmm.store %done, %d[%c0, %c0] layout(#sm90.wgmma_layout) : vector<64x64xf32>, memref<?x?xf32>
    } "load" warps(1) elected {
      %s = tmm.pipeline_start %ring : !ring
      %e = scf.for %k = %c0 to %n step %c1 iter_args(%c = %s) -> (!tmm.pipeline_state) : i32 {
        %t = tmm.producer_acquire %ring[%c] : !ring
        tmm.load %a[%c0, %k], %t by(#sm90.tma) : memref<?x?xf16>, !tile
        %next = tmm.producer_commit %ring[%c] : !ring
        scf.yield %next : !tmm.pipeline_state
      }
      tmm.producer_tail %ring[%e] : !ring
    }
    gpu.return
  }
}

// -----

// The sum is used while it is computed.
!tile = !tmm.buffer<64x64xf16, #sm90.smem<k_major, b128>>
!ring = !tmm.pipeline<(!tile), depth = 3>
gpu.module @m {
  gpu.func @used_in_flight(%a: memref<?x?xf16>, %n: i32, %p: i1, %d: memref<?x?xf32>) kernel
      attributes {known_block_size = array<i32: 160, 1, 1>} {
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ring = tmm.pipeline : !ring
    tmm.warp_specialize "mma" warps(4) {
      %s = tmm.pipeline_start %ring : !ring
      %none = tmm.hold %ring[%s] : !ring
      %sum, %e, %last = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %c = %s, %held = %none)
          -> (vector<64x64xf32>, !tmm.pipeline_state, !tmm.held_slot) : i32 {
        %t = tmm.consumer_wait %ring[%c] : !ring
        // expected-note @below {{work here}}
        %new = tmm.mma %t, %t, %acc accumulate(%p) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
            : !tile, !tile, vector<64x64xf32> -> vector<64x64xf32>
        %go = tmm.await %new by(#sm90.wgmma) pending 1 : vector<64x64xf32>
        %others = arith.cmpi ne, %k, %c0 : i32
        scf.if %others {
          tmm.release_held %ring[%held] : !ring
        }
        %now = tmm.hold %ring[%c] : !ring
        %next = tmm.skip %ring[%c] : !ring
        scf.yield %go, %next, %now : vector<64x64xf32>, !tmm.pipeline_state, !tmm.held_slot
      }
      %some = arith.cmpi slt, %c0, %n : i32
      tmm.await by(#sm90.wgmma) pending 0
      scf.if %some {
        tmm.release_held %ring[%last] : !ring
      }
      // expected-error @below {{expected a value in flight to go through a tmm.await by #sm90.wgmma with at most 0 pending before it is used, got none}}
      tmm.store %sum, %d[%c0, %c0] layout(#sm90.wgmma_layout) : vector<64x64xf32>, memref<?x?xf32>
    } "load" warps(1) elected {
      %s = tmm.pipeline_start %ring : !ring
      %e = scf.for %k = %c0 to %n step %c1 iter_args(%c = %s) -> (!tmm.pipeline_state) : i32 {
        %t = tmm.producer_acquire %ring[%c] : !ring
        tmm.load %a[%c0, %k], %t by(#sm90.tma) : memref<?x?xf16>, !tile
        %next = tmm.producer_commit %ring[%c] : !ring
        scf.yield %next : !tmm.pipeline_state
      }
      tmm.producer_tail %ring[%e] : !ring
    }
    gpu.return
  }
}

// -----

// A second await would copy registers before they are written.
!tile = !tmm.buffer<64x64xf16, #sm90.smem<k_major, b128>>
!ring = !tmm.pipeline<(!tile), depth = 3>
gpu.module @m {
  gpu.func @awaited_twice(%a: memref<?x?xf16>, %n: i32, %p: i1, %d: memref<?x?xf32>) kernel
      attributes {known_block_size = array<i32: 160, 1, 1>} {
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ring = tmm.pipeline : !ring
    tmm.warp_specialize "mma" warps(4) {
      %s = tmm.pipeline_start %ring : !ring
      %none = tmm.hold %ring[%s] : !ring
      %sum, %e, %last = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %c = %s, %held = %none)
          -> (vector<64x64xf32>, !tmm.pipeline_state, !tmm.held_slot) : i32 {
        %t = tmm.consumer_wait %ring[%c] : !ring
        %new = tmm.mma %t, %t, %acc accumulate(%p) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
            : !tile, !tile, vector<64x64xf32> -> vector<64x64xf32>
        %go = tmm.await %new by(#sm90.wgmma) pending 1 : vector<64x64xf32>
        %others = arith.cmpi ne, %k, %c0 : i32
        scf.if %others {
          tmm.release_held %ring[%held] : !ring
        }
        %now = tmm.hold %ring[%c] : !ring
        %next = tmm.skip %ring[%c] : !ring
        scf.yield %go, %next, %now : vector<64x64xf32>, !tmm.pipeline_state, !tmm.held_slot
      }
      // expected-note @below {{used here}}
      %done = tmm.await %sum by(#sm90.wgmma) pending 0 : vector<64x64xf32>
      // expected-error @below {{expected each of values, which are in flight, to have no other use, got one with 2 uses}}
      %again = tmm.await %sum by(#sm90.wgmma) pending 0 : vector<64x64xf32>
      %some = arith.cmpi slt, %c0, %n : i32
      scf.if %some {
        tmm.release_held %ring[%last] : !ring
      }
      tmm.store %done, %d[%c0, %c0] layout(#sm90.wgmma_layout) : vector<64x64xf32>, memref<?x?xf32>
    } "load" warps(1) elected {
      %s = tmm.pipeline_start %ring : !ring
      %e = scf.for %k = %c0 to %n step %c1 iter_args(%c = %s) -> (!tmm.pipeline_state) : i32 {
        %t = tmm.producer_acquire %ring[%c] : !ring
        tmm.load %a[%c0, %k], %t by(#sm90.tma) : memref<?x?xf16>, !tile
        %next = tmm.producer_commit %ring[%c] : !ring
        scf.yield %next : !tmm.pipeline_state
      }
      tmm.producer_tail %ring[%e] : !ring
    }
    gpu.return
  }
}

// -----

// One transaction is held twice.
!tile = !tmm.buffer<64x64xf16, #sm90.smem<k_major, b128>>
!ring = !tmm.pipeline<(!tile), depth = 3>
gpu.module @m {
  gpu.func @held_twice(%a: memref<?x?xf16>, %n: i32, %p: i1, %d: memref<?x?xf32>) kernel
      attributes {known_block_size = array<i32: 160, 1, 1>} {
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ring = tmm.pipeline : !ring
    tmm.warp_specialize "mma" warps(4) {
      %s = tmm.pipeline_start %ring : !ring
      %none = tmm.hold %ring[%s] : !ring
      %sum, %e, %last = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %c = %s, %held = %none)
          -> (vector<64x64xf32>, !tmm.pipeline_state, !tmm.held_slot) : i32 {
        %t = tmm.consumer_wait %ring[%c] : !ring
        %new = tmm.mma %t, %t, %acc accumulate(%p) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
            : !tile, !tile, vector<64x64xf32> -> vector<64x64xf32>
        %go = tmm.await %new by(#sm90.wgmma) pending 1 : vector<64x64xf32>
        %others = arith.cmpi ne, %k, %c0 : i32
        scf.if %others {
          tmm.release_held %ring[%held] : !ring
        }
        // expected-error @below {{expected one tmm.hold of a transaction, got two}}
        %also = tmm.hold %ring[%c] : !ring
        // expected-note @below {{the other one here}}
        %now = tmm.hold %ring[%c] : !ring
        %next = tmm.skip %ring[%c] : !ring
        tmm.release_held %ring[%also] : !ring
        scf.yield %go, %next, %now : vector<64x64xf32>, !tmm.pipeline_state, !tmm.held_slot
      }
      %done = tmm.await %sum by(#sm90.wgmma) pending 0 : vector<64x64xf32>
      %some = arith.cmpi slt, %c0, %n : i32
      scf.if %some {
        tmm.release_held %ring[%last] : !ring
      }
      tmm.store %done, %d[%c0, %c0] layout(#sm90.wgmma_layout) : vector<64x64xf32>, memref<?x?xf32>
    } "load" warps(1) elected {
      %s = tmm.pipeline_start %ring : !ring
      %e = scf.for %k = %c0 to %n step %c1 iter_args(%c = %s) -> (!tmm.pipeline_state) : i32 {
        %t = tmm.producer_acquire %ring[%c] : !ring
        tmm.load %a[%c0, %k], %t by(#sm90.tma) : memref<?x?xf16>, !tile
        %next = tmm.producer_commit %ring[%c] : !ring
        scf.yield %next : !tmm.pipeline_state
      }
      tmm.producer_tail %ring[%e] : !ring
    }
    gpu.return
  }
}

// -----

// A slot of a transaction goes into a loop.
!tile = !tmm.buffer<64x64xf16, #sm90.smem<k_major, b128>>
!ring = !tmm.pipeline<(!tile), depth = 3>
gpu.module @m {
  gpu.func @carried_into(%a: memref<?x?xf16>, %n: i32, %p: i1, %d: memref<?x?xf32>) kernel
      attributes {known_block_size = array<i32: 160, 1, 1>} {
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ring = tmm.pipeline : !ring
    tmm.warp_specialize "mma" warps(4) {
      %s = tmm.pipeline_start %ring : !ring
      %t0 = tmm.consumer_wait %ring[%s] : !ring
      // expected-error @below {{expected a held slot to be released in its block, or carried by its loop, got another use}}
      %none = tmm.hold %ring[%s] : !ring
      %s1 = tmm.skip %ring[%s] : !ring
      // expected-note @below {{used here}}
      %sum, %e, %last = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %c = %s1, %held = %none)
          -> (vector<64x64xf32>, !tmm.pipeline_state, !tmm.held_slot) : i32 {
        %t = tmm.consumer_wait %ring[%c] : !ring
        %new = tmm.mma %t, %t, %acc accumulate(%p) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
            : !tile, !tile, vector<64x64xf32> -> vector<64x64xf32>
        %go = tmm.await %new by(#sm90.wgmma) pending 1 : vector<64x64xf32>
        %others = arith.cmpi ne, %k, %c0 : i32
        scf.if %others {
          tmm.release_held %ring[%held] : !ring
        }
        %now = tmm.hold %ring[%c] : !ring
        %next = tmm.skip %ring[%c] : !ring
        scf.yield %go, %next, %now : vector<64x64xf32>, !tmm.pipeline_state, !tmm.held_slot
      }
      %done = tmm.await %sum by(#sm90.wgmma) pending 0 : vector<64x64xf32>
      %some = arith.cmpi slt, %c0, %n : i32
      scf.if %some {
        tmm.release_held %ring[%last] : !ring
      }
      tmm.store %done, %d[%c0, %c0] layout(#sm90.wgmma_layout) : vector<64x64xf32>, memref<?x?xf32>
    } "load" warps(1) elected {
      %s = tmm.pipeline_start %ring : !ring
      %e = scf.for %k = %c0 to %n step %c1 iter_args(%c = %s) -> (!tmm.pipeline_state) : i32 {
        %t = tmm.producer_acquire %ring[%c] : !ring
        tmm.load %a[%c0, %k], %t by(#sm90.tma) : memref<?x?xf16>, !tile
        %next = tmm.producer_commit %ring[%c] : !ring
        scf.yield %next : !tmm.pipeline_state
      }
      tmm.producer_tail %ring[%e] : !ring
    }
    gpu.return
  }
}

// -----

// Two loops carry a held slot.
!tile = !tmm.buffer<64x64xf16, #sm90.smem<k_major, b128>>
!ring = !tmm.pipeline<(!tile), depth = 3>
gpu.module @m {
  gpu.func @carried_by_two(%a: memref<?x?xf16>, %n: i32, %p: i1, %d: memref<?x?xf32>) kernel
      attributes {known_block_size = array<i32: 160, 1, 1>} {
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ring = tmm.pipeline : !ring
    tmm.warp_specialize "mma" warps(4) {
      %s = tmm.pipeline_start %ring : !ring
      %none = tmm.hold %ring[%s] : !ring
      %oe, %olast = scf.for %j = %c0 to %n step %c1 iter_args(%os = %s, %oh = %none) -> (!tmm.pipeline_state, !tmm.held_slot) : i32 {
      // expected-error @below {{expected a tmm.hold that counts no transaction where a loop carries held slots, got another value}}
      %sum, %e, %last = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %c = %os, %held = %oh)
          -> (vector<64x64xf32>, !tmm.pipeline_state, !tmm.held_slot) : i32 {
        %t = tmm.consumer_wait %ring[%c] : !ring
        %new = tmm.mma %t, %t, %acc accumulate(%p) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
            : !tile, !tile, vector<64x64xf32> -> vector<64x64xf32>
        %go = tmm.await %new by(#sm90.wgmma) pending 1 : vector<64x64xf32>
        %others = arith.cmpi ne, %k, %c0 : i32
        scf.if %others {
          tmm.release_held %ring[%held] : !ring
        }
        // expected-note @below {{held here}}
        %now = tmm.hold %ring[%c] : !ring
        %next = tmm.skip %ring[%c] : !ring
        scf.yield %go, %next, %now : vector<64x64xf32>, !tmm.pipeline_state, !tmm.held_slot
      }
      %done = tmm.await %sum by(#sm90.wgmma) pending 0 : vector<64x64xf32>
      %some = arith.cmpi slt, %c0, %n : i32
      scf.if %some {
        tmm.release_held %ring[%last] : !ring
      }
      tmm.store %done, %d[%c0, %c0] layout(#sm90.wgmma_layout) : vector<64x64xf32>, memref<?x?xf32>
      scf.yield %e, %oh : !tmm.pipeline_state, !tmm.held_slot
      }
    } "load" warps(1) elected {
      %s = tmm.pipeline_start %ring : !ring
      %e = scf.for %k = %c0 to %n step %c1 iter_args(%c = %s) -> (!tmm.pipeline_state) : i32 {
        %t = tmm.producer_acquire %ring[%c] : !ring
        tmm.load %a[%c0, %k], %t by(#sm90.tma) : memref<?x?xf16>, !tile
        %next = tmm.producer_commit %ring[%c] : !ring
        scf.yield %next : !tmm.pipeline_state
      }
      tmm.producer_tail %ring[%e] : !ring
    }
    gpu.return
  }
}

// -----

// The role would wait for the slot that it holds.
!tile = !tmm.buffer<64x64xf16, #sm90.smem<k_major, b128>>
!ring = !tmm.pipeline<(!tile), depth = 3>
gpu.module @m {
  gpu.func @fills(%a: memref<?x?xf16>, %n: i32, %p: i1, %d: memref<?x?xf32>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ring = tmm.pipeline : !ring
    tmm.warp_specialize "mma" warps(4) {
      %s = tmm.pipeline_start %ring : !ring
      %none = tmm.hold %ring[%s] : !ring
      %sum, %e, %f, %last = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %c = %s, %q = %s, %held = %none)
          -> (vector<64x64xf32>, !tmm.pipeline_state, !tmm.pipeline_state, !tmm.held_slot) : i32 {
        // expected-note @below {{taken here}}
        %u = tmm.producer_acquire %ring[%q] : !ring
        tmm.load %a[%c0, %k], %u by(#sm90.tma) : memref<?x?xf16>, !tile
        %filled = tmm.producer_commit %ring[%q] : !ring
        %t = tmm.consumer_wait %ring[%c] : !ring
        %new = tmm.mma %t, %t, %acc accumulate(%p) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
            : !tile, !tile, vector<64x64xf32> -> vector<64x64xf32>
        %go = tmm.await %new by(#sm90.wgmma) pending 1 : vector<64x64xf32>
        %others = arith.cmpi ne, %k, %c0 : i32
        scf.if %others {
          // expected-error @below {{expected a held slot to be released before the role takes one to fill it, got another order}}
          tmm.release_held %ring[%held] : !ring
        }
        %now = tmm.hold %ring[%c] : !ring
        %next = tmm.skip %ring[%c] : !ring
        scf.yield %go, %next, %filled, %now : vector<64x64xf32>, !tmm.pipeline_state, !tmm.pipeline_state, !tmm.held_slot
      }
      %done = tmm.await %sum by(#sm90.wgmma) pending 0 : vector<64x64xf32>
      %some = arith.cmpi slt, %c0, %n : i32
      scf.if %some {
        tmm.release_held %ring[%last] : !ring
      }
      tmm.store %done, %d[%c0, %c0] layout(#sm90.wgmma_layout) : vector<64x64xf32>, memref<?x?xf32>
    }
    gpu.return
  }
}

// -----

// Released twice in its block.
!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
!ring = !tmm.pipeline<(!tile), depth = 2>
gpu.module @m {
  gpu.func @twice_in_a_block(%a: memref<?x?xf16>, %i: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %ring = tmm.pipeline : !ring
    %s = tmm.pipeline_start %ring : !ring
    %t = tmm.producer_acquire %ring[%s] : !ring
    tmm.load %a[%i, %i], %t by(#sm90.tma) : memref<?x?xf16>, !tile
    %p = tmm.producer_commit %ring[%s] : !ring
    %u = tmm.consumer_wait %ring[%s] : !ring
    tmm.unload %u, %a[%i, %i] by(#sm90.tma_store) : !tile, memref<?x?xf16>
    // expected-error @below {{expected one use of the held slot, got 2}}
    %held = tmm.hold %ring[%s] : !ring
    %c = tmm.skip %ring[%s] : !ring
    tmm.release_held %ring[%held] : !ring
    tmm.release_held %ring[%held] : !ring
    gpu.return
  }
}
