// RUN: tc-opt %s -split-input-file -allow-unregistered-dialect -tmm-lower-scheduler -canonicalize -cse | FileCheck %s

// The rows of each problem are in memory: the number of a tile counts from the
// first one of the problem that is known, and as long as it is past the last
// one, those of the problem are taken off and the next one's end is read, not
// before its begin and not past M.

// CHECK-LABEL: gpu.func @k
// CHECK-SAME: (%[[M:.*]]: i32, %[[N:.*]]: i32, %[[K:.*]]: i32, %[[G:.*]]: i32, %[[ROWS:.*]]: memref<?xi32>)
// CHECK-DAG: %[[TILES_N:.*]] = arith.ceildivui %[[N]], %c64_i32
// CHECK-DAG: %[[BLOCKS:.*]] = arith.ceildivui %[[K]], %c32_i32
// CHECK-DAG: %[[CTA:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK: %[[LOADED:.*]] = memref.load %[[ROWS]][%c0]
// CHECK: %[[MOST:.*]] = arith.maxsi %[[LOADED]], %c0_i32
// CHECK: %[[END0:.*]] = arith.minsi %[[MOST]], %[[M]]
// CHECK: %[[FIRST:.*]]:5 = scf.while (%[[T:.*]] = %[[CTA]], %[[P:.*]] = %c0_i32, %[[B:.*]] = %c0_i32, %[[E:.*]] = %[[END0]])
// CHECK: %[[HAS:.*]] = arith.subi %[[E]], %[[B]]
// CHECK: %[[TILES_M:.*]] = arith.ceildivui %[[HAS]], %c128_i32
// CHECK: %[[TILES:.*]] = arith.muli %[[TILES_M]], %[[TILES_N]]
// CHECK-DAG: %[[SOME:.*]] = arith.cmpi ult, %[[P]], %[[G]]
// CHECK-DAG: %[[PAST:.*]] = arith.cmpi uge, %[[T]], %[[TILES]]
// CHECK: %[[MORE:.*]] = arith.andi %[[SOME]], %[[PAST]]
// CHECK: scf.condition(%[[MORE]]) %[[T]], %[[P]], %[[B]], %[[E]], %[[TILES]]
// CHECK: ^bb0(%[[T:.*]]: i32, %[[P:.*]]: i32, %{{.*}}: i32, %[[E:.*]]: i32, %[[TILES:.*]]: i32):
// CHECK: %[[LEFT:.*]] = arith.subi %[[T]], %[[TILES]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[P]], %c1_i32
// CHECK: %[[LAST:.*]] = arith.subi %[[G]], %c1_i32
// CHECK: %[[AT:.*]] = arith.minui %[[NEXT]], %[[LAST]]
// CHECK: %[[PLACE:.*]] = arith.index_cast %[[AT]]
// CHECK: %[[TOLD:.*]] = memref.load %[[ROWS]][%[[PLACE]]]
// CHECK: %[[ATLEAST:.*]] = arith.maxsi %[[TOLD]], %[[E]]
// CHECK: %[[END:.*]] = arith.minsi %[[ATLEAST]], %[[M]]
// CHECK: scf.yield %[[LEFT]], %[[NEXT]], %[[E]], %[[END]]
// CHECK: scf.while (%{{.*}} = %[[FIRST]]#0, %[[P:.*]] = %[[FIRST]]#1, %{{.*}} = %[[FIRST]]#2, %{{.*}} = %[[FIRST]]#3)
// CHECK: %[[VALID:.*]] = arith.cmpi ult, %[[P]], %[[G]]
// CHECK: ^bb0(%[[T:.*]]: i32, %[[P:.*]]: i32, %[[B:.*]]: i32, %[[E:.*]]: i32):
// CHECK: %[[TILES_M:.*]] = arith.ceildivui %{{.*}}, %c128_i32
// CHECK: %[[TM:.*]] = arith.remui %[[T]], %[[TILES_M]]
// CHECK: %[[TN:.*]] = arith.divui %[[T]], %[[TILES_M]]
// CHECK: %[[DOWN:.*]] = arith.muli %[[TM]], %c128_i32
// CHECK: %[[ROW:.*]] = arith.addi %[[B]], %[[DOWN]]
// CHECK: %[[COL:.*]] = arith.muli %[[TN]], %c64_i32
// CHECK: "test.use"(%[[ROW]], %[[COL]], %c0_i32, %[[BLOCKS]], %[[P]], %[[E]])
// CHECK: %[[STEP:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK: %[[AFTER:.*]] = arith.addi %[[T]], %[[STEP]]
// CHECK: %[[FOUND:.*]]:5 = scf.while (%{{.*}} = %[[AFTER]], %{{.*}} = %[[P]], %{{.*}} = %[[B]], %{{.*}} = %[[E]])
// CHECK: scf.yield %[[FOUND]]#0, %[[FOUND]]#1, %[[FOUND]]#2, %[[FOUND]]#3
module attributes {gpu.container_module} {
  func.func @host(%m: i32, %n: i32, %k: i32, %g: i32, %rows: memref<?xi32>) {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1) args(%m : i32, %n : i32, %k : i32, %g : i32, %rows : memref<?xi32>)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_90a">] {
    gpu.func @k(%m: i32, %n: i32, %k: i32, %g: i32, %rows: memref<?xi32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %sched = tmm.scheduler #tmm.grouped(%m, %n, %k) batch %g rows(%rows : memref<?xi32>) stacked tile [128, 64, 32] : !tmm.scheduler
      %first = tmm.first_work %sched : !tmm.work
      %last = scf.while (%w = %first) : (!tmm.work) -> !tmm.work {
        %valid = tmm.work_valid %sched, %w : i1
        scf.condition(%valid) %w : !tmm.work
      } do {
      ^bb0(%w: !tmm.work):
        %row, %col, %block, %count = tmm.work_tile %sched, %w : i32
        %group = tmm.work_batch %sched, %w : i32
        %end = tmm.work_end %sched, %w : i32
        "test.use"(%row, %col, %block, %count, %group, %end) : (i32, i32, i32, i32, i32, i32) -> ()
        %next = tmm.next_work %sched, %w : !tmm.work
        scf.yield %next : !tmm.work
      }
      gpu.return
    }
  }
}

// -----

// Problems apart: each begins at row 0. How many tiles there are is what the
// search takes off the largest number.

// CHECK-LABEL: gpu.func @apart
// CHECK-SAME: (%[[M:.*]]: i32, %{{.*}}: i32, %[[ROWS:.*]]: memref<?xi32>)
// CHECK: %[[ALL:.*]]:3 = scf.while (%{{.*}} = %c-1_i32, %{{.*}} = %c0_i32, %[[E:.*]] = %{{.*}})
// CHECK: arith.ceildivui %[[E]], %c128_i32
// CHECK: %[[TOLD:.*]] = memref.load %[[ROWS]]
// CHECK: %[[ATLEAST:.*]] = arith.maxsi %[[TOLD]], %c0_i32
// CHECK: %[[END:.*]] = arith.minsi %[[ATLEAST]], %[[M]]
// CHECK: scf.yield %{{.*}}, %{{.*}}, %[[END]]
// CHECK: %[[COUNT:.*]] = arith.subi %c-1_i32, %[[ALL]]#0
// CHECK: "test.use"(%[[COUNT]])
module attributes {gpu.container_module} {
  func.func @host(%m: i32, %g: i32, %rows: memref<?xi32>) {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    gpu.launch_func @m::@apart blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1) args(%m : i32, %g : i32, %rows : memref<?xi32>)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_90a">] {
    gpu.func @apart(%m: i32, %g: i32, %rows: memref<?xi32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %sched = tmm.scheduler #tmm.grouped(%m, %m, %m) batch %g rows(%rows : memref<?xi32>) tile [128, 64, 32] : !tmm.scheduler
      %count = tmm.work_count %sched : i32
      "test.use"(%count) : (i32) -> ()
      gpu.return
    }
  }
}
