// REQUIRES: test-lib
// RUN: tc-opt %s -convert-tmm-pipelines-to-sm90 -split-input-file -verify-diagnostics

// Roles make as many rounds of slots that pipelines share, and each its transactions in one
// order.

// The first role makes a round too few.
!tile = !tmm.buffer<4x32xf32, #sm90.smem<plain, none>>
!ring = !tmm.pipeline<(!tile), depth = 2>
!state = !tmm.pipeline_state
gpu.module @m {
  gpu.func @first_5(%x: memref<f32>, %p: i1) kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %c5 = arith.constant 5 : i32
    %c6 = arith.constant 6 : i32
    // expected-note @below {{first user of the slots here}}
    %ring = tmm.pipeline : !ring
    %next = tmm.pipeline over %ring : !ring on !ring
    %s = tmm.pipeline_start %ring : !ring
    %q = tmm.pipeline_start %next : !ring
    tmm.warp_specialize "first" warps(1) {
      %ra:1 = scf.for %i_a = %c0 to %c5 step %c1 iter_args(%a = %s) -> (!state) : i32 {
        // expected-note @below {{the other one here}}
        %anb = tmm.producer_acquire %ring[%a] : !ring
        test_unit.fill %anb, %x[%c0] by(#test_unit.worker<0>) : !tile, memref<f32>
        %an = tmm.producer_commit %ring[%a] : !ring
        scf.yield %an : !state
      }
    } "second" warps(1) {
      %rb:2 = scf.for %i_b = %c0 to %c6 step %c1 iter_args(%b = %s, %c = %q) -> (!state, !state) : i32 {
        // expected-error @below {{expected one transaction of each end of pipelines that share slots in a round, got roles that make 5 and 6}}
        %bnb = tmm.consumer_wait %ring[%b] : !ring
        test_unit.drain %bnb, %x[%c0] by(#test_unit.worker<1>) : !tile, memref<f32>
        %bn = tmm.consumer_release %ring[%b] : !ring
        %cnb = tmm.producer_acquire %next[%c] : !ring
        test_unit.fill %cnb, %x[%c0] by(#test_unit.worker<1>) : !tile, memref<f32>
        %cn = tmm.producer_commit %next[%c] : !ring
        scf.yield %bn, %cn : !state, !state
      }
    } "third" warps(1) {
      %rg:1 = scf.for %i_g = %c0 to %c6 step %c1 iter_args(%g = %q) -> (!state) : i32 {
        %gnb = tmm.consumer_wait %next[%g] : !ring
        test_unit.drain %gnb, %x[%c0] by(#test_unit.worker<2>) : !tile, memref<f32>
        %gn = tmm.consumer_release %next[%g] : !ring
        scf.yield %gn : !state
      }
    }
    gpu.return
  }
}

// -----

// So does the third one.
!tile = !tmm.buffer<4x32xf32, #sm90.smem<plain, none>>
!ring = !tmm.pipeline<(!tile), depth = 2>
!state = !tmm.pipeline_state
gpu.module @m {
  gpu.func @third_5(%x: memref<f32>, %p: i1) kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %c5 = arith.constant 5 : i32
    %c6 = arith.constant 6 : i32
    // expected-note @below {{first user of the slots here}}
    %ring = tmm.pipeline : !ring
    %next = tmm.pipeline over %ring : !ring on !ring
    %s = tmm.pipeline_start %ring : !ring
    %q = tmm.pipeline_start %next : !ring
    tmm.warp_specialize "first" warps(1) {
      %ra:1 = scf.for %i_a = %c0 to %c6 step %c1 iter_args(%a = %s) -> (!state) : i32 {
        // expected-note @below {{the other one here}}
        %anb = tmm.producer_acquire %ring[%a] : !ring
        test_unit.fill %anb, %x[%c0] by(#test_unit.worker<0>) : !tile, memref<f32>
        %an = tmm.producer_commit %ring[%a] : !ring
        scf.yield %an : !state
      }
    } "second" warps(1) {
      %rb:2 = scf.for %i_b = %c0 to %c6 step %c1 iter_args(%b = %s, %c = %q) -> (!state, !state) : i32 {
        %bnb = tmm.consumer_wait %ring[%b] : !ring
        test_unit.drain %bnb, %x[%c0] by(#test_unit.worker<1>) : !tile, memref<f32>
        %bn = tmm.consumer_release %ring[%b] : !ring
        %cnb = tmm.producer_acquire %next[%c] : !ring
        test_unit.fill %cnb, %x[%c0] by(#test_unit.worker<1>) : !tile, memref<f32>
        %cn = tmm.producer_commit %next[%c] : !ring
        scf.yield %bn, %cn : !state, !state
      }
    } "third" warps(1) {
      %rg:1 = scf.for %i_g = %c0 to %c5 step %c1 iter_args(%g = %q) -> (!state) : i32 {
        // expected-error @below {{expected one transaction of each end of pipelines that share slots in a round, got roles that make 6 and 5}}
        %gnb = tmm.consumer_wait %next[%g] : !ring
        test_unit.drain %gnb, %x[%c0] by(#test_unit.worker<2>) : !tile, memref<f32>
        %gn = tmm.consumer_release %next[%g] : !ring
        scf.yield %gn : !state
      }
    }
    gpu.return
  }
}

// -----

// The first role makes some rounds.
!tile = !tmm.buffer<4x32xf32, #sm90.smem<plain, none>>
!ring = !tmm.pipeline<(!tile), depth = 2>
!state = !tmm.pipeline_state
gpu.module @m {
  gpu.func @in_a_branch(%x: memref<f32>, %p: i1) kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %c5 = arith.constant 5 : i32
    %c6 = arith.constant 6 : i32
    // expected-note @below {{first user of the slots here}}
    %ring = tmm.pipeline : !ring
    %next = tmm.pipeline over %ring : !ring on !ring
    %s = tmm.pipeline_start %ring : !ring
    %q = tmm.pipeline_start %next : !ring
    tmm.warp_specialize "first" warps(1) {
      %ra:1 = scf.for %i_a = %c0 to %c6 step %c1 iter_args(%a = %s) -> (!state) : i32 {
        // expected-note @below {{branch here}}
        %an = scf.if %p -> (!state) {
          // expected-error @below {{expected one transaction of each end of pipelines that share slots in a round, got a branch that makes 1 or 0}}
          %inb = tmm.producer_acquire %ring[%a] : !ring
          test_unit.fill %inb, %x[%c0] by(#test_unit.worker<0>) : !tile, memref<f32>
          %in = tmm.producer_commit %ring[%a] : !ring
          scf.yield %in : !state
        } else {
          scf.yield %a : !state
        }
        scf.yield %an : !state
      }
    } "second" warps(1) {
      %rb:2 = scf.for %i_b = %c0 to %c6 step %c1 iter_args(%b = %s, %c = %q) -> (!state, !state) : i32 {
        %bnb = tmm.consumer_wait %ring[%b] : !ring
        test_unit.drain %bnb, %x[%c0] by(#test_unit.worker<1>) : !tile, memref<f32>
        %bn = tmm.consumer_release %ring[%b] : !ring
        %cnb = tmm.producer_acquire %next[%c] : !ring
        test_unit.fill %cnb, %x[%c0] by(#test_unit.worker<1>) : !tile, memref<f32>
        %cn = tmm.producer_commit %next[%c] : !ring
        scf.yield %bn, %cn : !state, !state
      }
    } "third" warps(1) {
      %rg:1 = scf.for %i_g = %c0 to %c6 step %c1 iter_args(%g = %q) -> (!state) : i32 {
        %gnb = tmm.consumer_wait %next[%g] : !ring
        test_unit.drain %gnb, %x[%c0] by(#test_unit.worker<2>) : !tile, memref<f32>
        %gn = tmm.consumer_release %next[%g] : !ring
        scf.yield %gn : !state
      }
    }
    gpu.return
  }
}

// -----

// Both pipelines are filled by one role, the second one first.
!tile = !tmm.buffer<4x32xf32, #sm90.smem<plain, none>>
!ring = !tmm.pipeline<(!tile), depth = 2>
!state = !tmm.pipeline_state
gpu.module @m {
  gpu.func @fills_in_another_order(%x: memref<f32>, %p: i1) kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %c5 = arith.constant 5 : i32
    %c6 = arith.constant 6 : i32
    // expected-note @below {{first user of the slots here}}
    %ring = tmm.pipeline : !ring
    %next = tmm.pipeline over %ring : !ring on !ring
    %s = tmm.pipeline_start %ring : !ring
    %q = tmm.pipeline_start %next : !ring
    tmm.warp_specialize "first" warps(1) {
      %ra:2 = scf.for %i_a = %c0 to %c6 step %c1 iter_args(%a = %s, %c = %q) -> (!state, !state) : i32 {
        // expected-error @below {{expected pipelines that share slots to make their transactions one after the other in one block, got another order}}
        %cnb = tmm.producer_acquire %next[%c] : !ring
        test_unit.fill %cnb, %x[%c0] by(#test_unit.worker<0>) : !tile, memref<f32>
        %cn = tmm.producer_commit %next[%c] : !ring
        // expected-note @below {{expected before}}
        %anb = tmm.producer_acquire %ring[%a] : !ring
        test_unit.fill %anb, %x[%c0] by(#test_unit.worker<0>) : !tile, memref<f32>
        %an = tmm.producer_commit %ring[%a] : !ring
        scf.yield %an, %cn : !state, !state
      }
    } "second" warps(1) {
      %rb:1 = scf.for %i_b = %c0 to %c6 step %c1 iter_args(%b = %s) -> (!state) : i32 {
        %bnb = tmm.consumer_wait %ring[%b] : !ring
        test_unit.drain %bnb, %x[%c0] by(#test_unit.worker<1>) : !tile, memref<f32>
        %bn = tmm.consumer_release %ring[%b] : !ring
        scf.yield %bn : !state
      }
    } "third" warps(1) {
      %rg:1 = scf.for %i_g = %c0 to %c6 step %c1 iter_args(%g = %q) -> (!state) : i32 {
        %gnb = tmm.consumer_wait %next[%g] : !ring
        test_unit.drain %gnb, %x[%c0] by(#test_unit.worker<2>) : !tile, memref<f32>
        %gn = tmm.consumer_release %next[%g] : !ring
        scf.yield %gn : !state
      }
    }
    gpu.return
  }
}

// -----

// Both pipelines are drained by one role, the second one first.
!tile = !tmm.buffer<4x32xf32, #sm90.smem<plain, none>>
!ring = !tmm.pipeline<(!tile), depth = 2>
!state = !tmm.pipeline_state
gpu.module @m {
  gpu.func @drains_in_another_order(%x: memref<f32>, %p: i1) kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %c5 = arith.constant 5 : i32
    %c6 = arith.constant 6 : i32
    // expected-note @below {{first user of the slots here}}
    %ring = tmm.pipeline : !ring
    %next = tmm.pipeline over %ring : !ring on !ring
    %s = tmm.pipeline_start %ring : !ring
    %q = tmm.pipeline_start %next : !ring
    tmm.warp_specialize "first" warps(1) {
      %ra:1 = scf.for %i_a = %c0 to %c6 step %c1 iter_args(%a = %s) -> (!state) : i32 {
        %anb = tmm.producer_acquire %ring[%a] : !ring
        test_unit.fill %anb, %x[%c0] by(#test_unit.worker<0>) : !tile, memref<f32>
        %an = tmm.producer_commit %ring[%a] : !ring
        scf.yield %an : !state
      }
    } "second" warps(1) {
      %rc:1 = scf.for %i_c = %c0 to %c6 step %c1 iter_args(%c = %q) -> (!state) : i32 {
        %cnb = tmm.producer_acquire %next[%c] : !ring
        test_unit.fill %cnb, %x[%c0] by(#test_unit.worker<1>) : !tile, memref<f32>
        %cn = tmm.producer_commit %next[%c] : !ring
        scf.yield %cn : !state
      }
    } "third" warps(1) {
      %rg:2 = scf.for %i_g = %c0 to %c6 step %c1 iter_args(%g = %q, %b = %s) -> (!state, !state) : i32 {
        // expected-error @below {{expected pipelines that share slots to make their transactions one after the other in one block, got another order}}
        %gnb = tmm.consumer_wait %next[%g] : !ring
        test_unit.drain %gnb, %x[%c0] by(#test_unit.worker<2>) : !tile, memref<f32>
        %gn = tmm.consumer_release %next[%g] : !ring
        // expected-note @below {{expected before}}
        %bnb = tmm.consumer_wait %ring[%b] : !ring
        test_unit.drain %bnb, %x[%c0] by(#test_unit.worker<2>) : !tile, memref<f32>
        %bn = tmm.consumer_release %ring[%b] : !ring
        scf.yield %gn, %bn : !state, !state
      }
    }
    gpu.return
  }
}

// -----

// The role in the middle takes the slot while it holds it.
!tile = !tmm.buffer<4x32xf32, #sm90.smem<plain, none>>
!ring = !tmm.pipeline<(!tile), depth = 2>
!state = !tmm.pipeline_state
gpu.module @m {
  gpu.func @held(%x: memref<f32>, %p: i1) kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %c5 = arith.constant 5 : i32
    %c6 = arith.constant 6 : i32
    // expected-note @below {{first user of the slots here}}
    %ring = tmm.pipeline : !ring
    %next = tmm.pipeline over %ring : !ring on !ring
    %s = tmm.pipeline_start %ring : !ring
    %q = tmm.pipeline_start %next : !ring
    tmm.warp_specialize "first" warps(1) {
      %ra:1 = scf.for %i_a = %c0 to %c6 step %c1 iter_args(%a = %s) -> (!state) : i32 {
        %anb = tmm.producer_acquire %ring[%a] : !ring
        test_unit.fill %anb, %x[%c0] by(#test_unit.worker<0>) : !tile, memref<f32>
        %an = tmm.producer_commit %ring[%a] : !ring
        scf.yield %an : !state
      }
    } "second" warps(1) {
      %rb:2 = scf.for %i_b = %c0 to %c6 step %c1 iter_args(%b = %s, %c = %q) -> (!state, !state) : i32 {
        %t = tmm.consumer_wait %ring[%b] : !ring
        test_unit.drain %t, %x[%c0] by(#test_unit.worker<1>) : !tile, memref<f32>
        %held = tmm.hold %ring[%b] : !ring
        %bn = tmm.skip %ring[%b] : !ring
        // expected-error @below {{expected pipelines that share slots to make their transactions one after the other in one block, got another order}}
        %cnb = tmm.producer_acquire %next[%c] : !ring
        test_unit.fill %cnb, %x[%c0] by(#test_unit.worker<1>) : !tile, memref<f32>
        %cn = tmm.producer_commit %next[%c] : !ring
        // expected-note @below {{expected before}}
        tmm.release_held %ring[%held] : !ring
        scf.yield %bn, %cn : !state, !state
      }
    } "third" warps(1) {
      %rg:1 = scf.for %i_g = %c0 to %c6 step %c1 iter_args(%g = %q) -> (!state) : i32 {
        %gnb = tmm.consumer_wait %next[%g] : !ring
        test_unit.drain %gnb, %x[%c0] by(#test_unit.worker<2>) : !tile, memref<f32>
        %gn = tmm.consumer_release %next[%g] : !ring
        scf.yield %gn : !state
      }
    }
    gpu.return
  }
}

// -----

// The second end is in an inner loop.
!tile = !tmm.buffer<4x32xf32, #sm90.smem<plain, none>>
!ring = !tmm.pipeline<(!tile), depth = 2>
!state = !tmm.pipeline_state
gpu.module @m {
  gpu.func @in_two_blocks(%x: memref<f32>, %p: i1) kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %c5 = arith.constant 5 : i32
    %c6 = arith.constant 6 : i32
    // expected-note @below {{first user of the slots here}}
    %ring = tmm.pipeline : !ring
    %next = tmm.pipeline over %ring : !ring on !ring
    %s = tmm.pipeline_start %ring : !ring
    %q = tmm.pipeline_start %next : !ring
    tmm.warp_specialize "first" warps(1) {
      %ra:1 = scf.for %i_a = %c0 to %c6 step %c1 iter_args(%a = %s) -> (!state) : i32 {
        %anb = tmm.producer_acquire %ring[%a] : !ring
        test_unit.fill %anb, %x[%c0] by(#test_unit.worker<0>) : !tile, memref<f32>
        %an = tmm.producer_commit %ring[%a] : !ring
        scf.yield %an : !state
      }
    } "second" warps(1) {
      %rb:2 = scf.for %i_b = %c0 to %c6 step %c1 iter_args(%b = %s, %c = %q) -> (!state, !state) : i32 {
        // expected-note @below {{expected before}}
        %bnb = tmm.consumer_wait %ring[%b] : !ring
        test_unit.drain %bnb, %x[%c0] by(#test_unit.worker<1>) : !tile, memref<f32>
        %bn = tmm.consumer_release %ring[%b] : !ring
        %cn = scf.for %i_d = %c0 to %c1 step %c1 iter_args(%d = %c) -> (!state) : i32 {
          // expected-error @below {{expected pipelines that share slots to make their transactions one after the other in one block, got another order}}
          %dnb = tmm.producer_acquire %next[%d] : !ring
          test_unit.fill %dnb, %x[%c0] by(#test_unit.worker<1>) : !tile, memref<f32>
          %dn = tmm.producer_commit %next[%d] : !ring
          scf.yield %dn : !state
        }
        scf.yield %bn, %cn : !state, !state
      }
    } "third" warps(1) {
      %rg:1 = scf.for %i_g = %c0 to %c6 step %c1 iter_args(%g = %q) -> (!state) : i32 {
        %gnb = tmm.consumer_wait %next[%g] : !ring
        test_unit.drain %gnb, %x[%c0] by(#test_unit.worker<2>) : !tile, memref<f32>
        %gn = tmm.consumer_release %next[%g] : !ring
        scf.yield %gn : !state
      }
    }
    gpu.return
  }
}
