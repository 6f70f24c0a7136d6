// REQUIRES: test-lib
// RUN: tc-opt %s -convert-tmm-pipelines-to-sm90 -canonicalize -cse | FileCheck %s

// A CTA of 2,048 fills its own tile and that of the next one, and is released by both:
// whom it signals is counted up, but for the last one. No code is as long as the grid.

!tile = !tmm.buffer<2x64xf32, #test_unit.board<2>>
!ring = !tmm.pipeline<(!tile), depth = 1>

// CHECK-LABEL: gpu.func @neighbours
// The full counters of this CTA and the next one, in ascending order.
// CHECK: %[[LAST:.*]] = arith.cmpi uge, %[[RANK:.*]], %c2047_i32 : i32
// CHECK: arith.select %[[LAST]], %c0_i32, %[[RANK]] : i32
// CHECK: %[[NEXT:.*]] = arith.addi %[[RANK]], %c1_i32 : i32
// CHECK: arith.select %[[LAST]], %c2047_i32, %[[NEXT]] : i32
// The empty counters of the one before and this one.
// CHECK: %[[BEFORE:.*]] = arith.addi %[[RANK]], %c-1_i32 : i32
// CHECK: %[[THIRD:.*]] = arith.cmpi uge, %[[RANK]], %c2_i32 : i32
// CHECK: arith.select %[[THIRD]], %[[BEFORE]], %c0_i32 : i32
// CHECK: %[[SECOND:.*]] = arith.cmpi uge, %[[RANK]], %c1_i32 : i32
// CHECK: arith.select %[[SECOND]], %[[RANK]], %c2047_i32 : i32
// CHECK-NOT: arith.select
gpu.module @m {
  gpu.func @neighbours(%x: memref<f32>, %full: memref<i32>, %empty: memref<i32>, %i: i32) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 2048, 1, 1>} {
    %ring = tmm.pipeline : !ring
    tmm.warp_specialize "put" warps(1) {
      %s = tmm.pipeline_start %ring : !ring
      %t = tmm.producer_acquire %ring[%s] : !ring
      test_unit.fill %t, %x[%i] to(#test_unit.neighbours<2048, grid = true>) by(#test_unit.poster<1>) : !tile, memref<f32>
      %n = tmm.producer_commit %ring[%s] : !ring
    } "take" warps(1) {
      %s = tmm.pipeline_start %ring : !ring
      %t = tmm.consumer_wait %ring[%s] : !ring
      test_unit.drain %t, %x[%i] by(#test_unit.poster<2>) : !tile, memref<f32>
      %n = tmm.consumer_release %ring[%s] : !ring
    }
    gpu.return
  }
}
