// RUN: tc-opt %s -split-input-file -allow-unregistered-dialect -tmm-lower-scheduler -canonicalize -cse | FileCheck %s

// CTA c of g computes tiles c, c + g, c + 2g, ..., numbered with M fastest; a
// count of 0 K-blocks follows from K alone.

// CHECK-LABEL: gpu.func @k
// CHECK-SAME: (%[[M:.*]]: i32, %[[N:.*]]: i32, %[[K:.*]]: i32)
// CHECK-DAG: %[[TILES_M:.*]] = arith.ceildivui %[[M]], %c128_i32
// CHECK-DAG: %[[TILES_N:.*]] = arith.ceildivui %[[N]], %c64_i32
// CHECK-DAG: %[[TILES:.*]] = arith.muli %[[TILES_M]], %[[TILES_N]]
// CHECK-DAG: %[[BLOCKS:.*]] = arith.ceildivui %[[K]], %c32_i32
// CHECK-DAG: %[[CTA:.*]] = gpu.block_id x
// CHECK: scf.while (%[[W:.*]] = %{{.*}}) : (i32) -> i32
// CHECK: %[[VALID:.*]] = arith.cmpi ult, %[[W]], %[[TILES]]
// CHECK: scf.condition(%[[VALID]]) %[[W]]
// CHECK: ^bb0(%[[T:.*]]: i32):
// CHECK-DAG: %[[TM:.*]] = arith.remui %[[T]], %[[TILES_M]]
// CHECK-DAG: %[[TN:.*]] = arith.divui %[[T]], %[[TILES_M]]
// CHECK-DAG: %[[ROW:.*]] = arith.muli %[[TM]], %c128_i32
// CHECK-DAG: %[[COL:.*]] = arith.muli %[[TN]], %c64_i32
// CHECK: "test.use"(%[[ROW]], %[[COL]], %c0_i32, %[[BLOCKS]])
// CHECK: %[[GRID:.*]] = gpu.grid_dim x
// CHECK: %[[STEP:.*]] = arith.index_cast %[[GRID]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[T]], %[[STEP]]
// CHECK: scf.yield %[[NEXT]]
module attributes {gpu.container_module} {
  func.func @host(%m: i32, %n: i32, %k: i32) {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1) args(%m : i32, %n : i32, %k : i32)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    gpu.func @k(%m: i32, %n: i32, %k: i32) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %sched = tmm.scheduler #tmm.static(%m, %n, %k) tile [128, 64, 32] : !tmm.scheduler
      %first = tmm.first_work %sched : !tmm.work
      %last = scf.while (%w = %first) : (!tmm.work) -> !tmm.work {
        %valid = tmm.work_valid %sched, %w : i1
        scf.condition(%valid) %w : !tmm.work
      } do {
      ^bb0(%w: !tmm.work):
        %row, %col, %block, %count = tmm.work_tile %sched, %w : i32
        "test.use"(%row, %col, %block, %count) : (i32, i32, i32, i32) -> ()
        %next = tmm.next_work %sched, %w : !tmm.work
        scf.yield %next : !tmm.work
      }
      gpu.return
    }
  }
}

// -----

// The CTAs of a pair have the same work: pair p of g computes p, p + g, ...

// CHECK-LABEL: gpu.func @pair
// CHECK-DAG: %[[ID:.*]] = gpu.block_id x
// CHECK-DAG: %[[CTA:.*]] = arith.index_cast %[[ID]]
// CHECK-DAG: %[[PAIR:.*]] = arith.divui %[[CTA]], %c2_i32
// CHECK: scf.while (%{{.*}} = %[[PAIR]]) : (i32) -> i32
// CHECK: %[[GRID:.*]] = gpu.grid_dim x
// CHECK: %[[CTAS:.*]] = arith.index_cast %[[GRID]]
// CHECK: %[[PAIRS:.*]] = arith.divui %[[CTAS]], %c2_i32
// CHECK: arith.addi %{{.*}}, %[[PAIRS]]
module attributes {gpu.container_module} {
  func.func @host(%m: i32) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c128 = arith.constant 128 : index
    gpu.launch_func @m::@pair blocks in (%c2, %c1, %c1) threads in (%c128, %c1, %c1) args(%m : i32)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    gpu.func @pair(%m: i32) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %sched = tmm.scheduler #tmm.static(%m, %m, %m) tile [256, 64, 32] ctas 2 : !tmm.scheduler
      %first = tmm.first_work %sched : !tmm.work
      %last = scf.while (%w = %first) : (!tmm.work) -> !tmm.work {
        %valid = tmm.work_valid %sched, %w : i1
        scf.condition(%valid) %w : !tmm.work
      } do {
      ^bb0(%w: !tmm.work):
        %row, %col, %block, %count = tmm.work_tile %sched, %w : i32
        "test.use"(%row, %col, %block, %count) : (i32, i32, i32, i32) -> ()
        %next = tmm.next_work %sched, %w : !tmm.work
        scf.yield %next : !tmm.work
      }
      gpu.return
    }
  }
}
