// REQUIRES: test-lib
// RUN: tc-opt %s -convert-tmm-pipelines-to-sm90 -split-input-file | FileCheck %s

// Six rounds of slots that two pipelines share, counted in other ways by the first role.

!tile = !tmm.buffer<4x32xf32, #sm90.smem<plain, none>>
!ring = !tmm.pipeline<(!tile), depth = 2>
!state = !tmm.pipeline_state
gpu.module @m {
  // CHECK-LABEL: gpu.func @both_arms
  // CHECK: sm90.mbarrier.init
  gpu.func @both_arms(%x: memref<f32>, %p: i1) kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %c5 = arith.constant 5 : i32
    %c6 = arith.constant 6 : i32
    %ring = tmm.pipeline : !ring
    %next = tmm.pipeline over %ring : !ring on !ring
    %s = tmm.pipeline_start %ring : !ring
    %q = tmm.pipeline_start %next : !ring
    tmm.warp_specialize "first" warps(1) {
      %ra:1 = scf.for %i_a = %c0 to %c6 step %c1 iter_args(%a = %s) -> (!state) : i32 {
        %an = scf.if %p -> (!state) {
          %inb = tmm.producer_acquire %ring[%a] : !ring
          test_unit.fill %inb, %x[%c0] by(#test_unit.worker<0>) : !tile, memref<f32>
          %in = tmm.producer_commit %ring[%a] : !ring
          scf.yield %in : !state
        } else {
          %inb = tmm.producer_acquire %ring[%a] : !ring
          test_unit.fill %inb, %x[%c0] by(#test_unit.worker<0>) : !tile, memref<f32>
          %in = tmm.producer_commit %ring[%a] : !ring
          scf.yield %in : !state
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

!tile = !tmm.buffer<4x32xf32, #sm90.smem<plain, none>>
!ring = !tmm.pipeline<(!tile), depth = 2>
!state = !tmm.pipeline_state
gpu.module @m {
  // CHECK-LABEL: gpu.func @two_times_three
  // CHECK: sm90.mbarrier.init
  gpu.func @two_times_three(%x: memref<f32>, %p: i1) kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %c5 = arith.constant 5 : i32
    %c6 = arith.constant 6 : i32
    %ring = tmm.pipeline : !ring
    %next = tmm.pipeline over %ring : !ring on !ring
    %s = tmm.pipeline_start %ring : !ring
    %q = tmm.pipeline_start %next : !ring
    tmm.warp_specialize "first" warps(1) {
      %ro:1 = scf.for %i_o = %c0 to %c2 step %c1 iter_args(%o = %s) -> (!state) : i32 {
        %on = scf.for %i_a = %c0 to %c3 step %c1 iter_args(%a = %o) -> (!state) : i32 {
          %anb = tmm.producer_acquire %ring[%a] : !ring
          test_unit.fill %anb, %x[%c0] by(#test_unit.worker<0>) : !tile, memref<f32>
          %an = tmm.producer_commit %ring[%a] : !ring
          scf.yield %an : !state
        }
        scf.yield %on : !state
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

!tile = !tmm.buffer<4x32xf32, #sm90.smem<plain, none>>
!ring = !tmm.pipeline<(!tile), depth = 2>
!state = !tmm.pipeline_state
gpu.module @m {
  // CHECK-LABEL: gpu.func @five_and_one
  // CHECK: sm90.mbarrier.init
  gpu.func @five_and_one(%x: memref<f32>, %p: i1) kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %c5 = arith.constant 5 : i32
    %c6 = arith.constant 6 : i32
    %ring = tmm.pipeline : !ring
    %next = tmm.pipeline over %ring : !ring on !ring
    %s = tmm.pipeline_start %ring : !ring
    %q = tmm.pipeline_start %next : !ring
    tmm.warp_specialize "first" warps(1) {
      %ra = scf.for %i_a = %c0 to %c5 step %c1 iter_args(%a = %s) -> (!state) : i32 {
        %anb = tmm.producer_acquire %ring[%a] : !ring
        test_unit.fill %anb, %x[%c0] by(#test_unit.worker<0>) : !tile, memref<f32>
        %an = tmm.producer_commit %ring[%a] : !ring
        scf.yield %an : !state
      }
      %lastb = tmm.producer_acquire %ring[%ra] : !ring
      test_unit.fill %lastb, %x[%c0] by(#test_unit.worker<0>) : !tile, memref<f32>
      %last = tmm.producer_commit %ring[%ra] : !ring
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
