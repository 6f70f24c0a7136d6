// RUN: tc-opt %s -allow-unregistered-dialect -tmm-lower-scheduler -canonicalize -cse | FileCheck %s

// As many numbers have work as there are tiles, of all problems of the batch.
// CHECK-LABEL: gpu.func @k
// CHECK-SAME: (%[[M:.*]]: i32, %[[BATCH:.*]]: i32)
// CHECK-DAG: %[[TILES_M:.*]] = arith.ceildivui %[[M]], %c256_i32
// CHECK-DAG: %[[TILES_N:.*]] = arith.ceildivui %[[M]], %c64_i32
// CHECK: %[[TILES:.*]] = arith.muli %[[TILES_M]], %[[TILES_N]]
// CHECK: %[[ALL:.*]] = arith.muli %[[TILES]], %[[BATCH]]
// CHECK: "test.use"(%[[TILES]], %[[ALL]])
gpu.module @m [#nvvm.target<chip = "sm_90a">] {
  gpu.func @k(%m: i32, %batch: i32) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %one = tmm.scheduler #tmm.static(%m, %m, %m) tile [256, 64, 32] ctas 2 : !tmm.scheduler
    %many = tmm.scheduler #tmm.static<raster = 8>(%m, %m, %m) batch %batch tile [256, 64, 32] ctas 2 : !tmm.scheduler
    %0 = tmm.work_count %one : i32
    %1 = tmm.work_count %many : i32
    "test.use"(%0, %1) : (i32, i32) -> ()
    gpu.return
  }
}
