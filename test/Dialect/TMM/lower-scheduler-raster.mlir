// RUN: tc-opt %s -split-input-file -allow-unregistered-dialect -tmm-lower-scheduler -canonicalize -cse | FileCheck %s

// In bands of 4 rows of tiles, column by column; the last band may be lower.

// CHECK-LABEL: gpu.func @bands
// CHECK-SAME: (%[[M:.*]]: i32, %[[N:.*]]: i32, %[[K:.*]]: i32)
// CHECK-DAG: %[[TILES_M:.*]] = arith.ceildivui %[[M]], %c128_i32
// CHECK-DAG: %[[TILES_N0:.*]] = arith.ceildivui %[[N]], %c64_i32
// CHECK-DAG: %[[TILES:.*]] = arith.muli %[[TILES_M]], %[[TILES_N0]]
// CHECK-DAG: %[[CTA:.*]] = gpu.block_id x
// CHECK-DAG: %[[T:.*]] = arith.index_cast %[[CTA]]
// CHECK-DAG: %[[TILES_N:.*]] = arith.divui %[[TILES]], %[[TILES_M]]
// CHECK-DAG: %[[PER_BAND:.*]] = arith.muli %[[TILES_N]], %c4_i32
// CHECK-DAG: %[[BAND:.*]] = arith.divui %[[T]], %[[PER_BAND]]
// CHECK-DAG: %[[FIRST:.*]] = arith.muli %[[BAND]], %c4_i32
// CHECK-DAG: %[[LEFT:.*]] = arith.subi %[[TILES_M]], %[[FIRST]]
// CHECK-DAG: %[[HEIGHT:.*]] = arith.minui %[[LEFT]], %c4_i32
// CHECK-DAG: %[[I:.*]] = arith.remui %[[T]], %[[PER_BAND]]
// CHECK-DAG: %[[IN_BAND:.*]] = arith.remui %[[I]], %[[HEIGHT]]
// CHECK-DAG: %[[TM:.*]] = arith.addi %[[FIRST]], %[[IN_BAND]]
// CHECK-DAG: %[[TN:.*]] = arith.divui %[[I]], %[[HEIGHT]]
// CHECK-DAG: %[[ROW:.*]] = arith.muli %[[TM]], %c128_i32
// CHECK-DAG: %[[COL:.*]] = arith.muli %[[TN]], %c64_i32
// CHECK: "test.use"(%[[ROW]], %[[COL]])
module attributes {gpu.container_module} {
  func.func @host(%m: i32, %n: i32, %k: i32) {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    gpu.launch_func @m::@bands blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1) args(%m : i32, %n : i32, %k : i32)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    gpu.func @bands(%m: i32, %n: i32, %k: i32) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %sched = tmm.scheduler #tmm.static<raster = 4>(%m, %n, %k) tile [128, 64, 32] : !tmm.scheduler
      %work = tmm.first_work %sched : !tmm.work
      %row, %col, %block, %count = tmm.work_tile %sched, %work : i32
      "test.use"(%row, %col) : (i32, i32) -> ()
      gpu.return
    }
  }
}

// -----

// 128 rows of 2^31 / 64 tiles are more than numbers of 32 bits: a band has the rows that there are.

// CHECK-LABEL: gpu.func @high_bands
// CHECK-SAME: (%[[M:.*]]: i32, %[[N:.*]]: i32, %[[K:.*]]: i32)
// CHECK-DAG: %[[TILES_M:.*]] = arith.ceildivui %[[M]], %c128_i32
// CHECK-DAG: %[[TILES_N:.*]] = arith.divui %{{.*}}, %[[TILES_M]]
// CHECK-DAG: %[[RASTER:.*]] = arith.minui %[[TILES_M]], %c128_i32
// CHECK-DAG: arith.muli %[[RASTER]], %[[TILES_N]]
module attributes {gpu.container_module} {
  func.func @host(%m: i32, %n: i32, %k: i32) {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    gpu.launch_func @m::@high_bands blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1) args(%m : i32, %n : i32, %k : i32)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    gpu.func @high_bands(%m: i32, %n: i32, %k: i32) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %sched = tmm.scheduler #tmm.static<raster = 128>(%m, %n, %k) tile [128, 64, 32] : !tmm.scheduler
      %work = tmm.first_work %sched : !tmm.work
      %row, %col, %block, %count = tmm.work_tile %sched, %work : i32
      "test.use"(%row, %col) : (i32, i32) -> ()
      gpu.return
    }
  }
}
