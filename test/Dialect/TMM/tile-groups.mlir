// RUN: tc-opt %s -tmm-tile=chip=sm_90a -canonicalize | FileCheck %s

// Of groups only the device knows the rows: the grid holds the most tiles that
// they can have, whole ones and one of each group that is not.

// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[A:.*]]: memref<?x136xbf16>, %[[B:.*]]: memref<?x136x136xbf16>, %[[ENDS:.*]]: memref<?xi32>, %[[D:.*]]: memref<?x136xbf16>)
// CHECK-DAG: %[[M:.*]] = memref.dim %[[D]], %c0
// CHECK-DAG: %[[G:.*]] = memref.dim %[[ENDS]], %c0
// CHECK: %[[WHOLE:.*]] = arith.divui %[[M]], %c64
// CHECK: %[[MOST:.*]] = arith.addi %[[WHOLE]], %[[G]]
// CHECK: %[[TILES_M:.*]] = arith.minui %[[MOST]], %[[M]]
// CHECK: %[[TILES:.*]] = arith.muli %[[TILES_M]], %c3
// CHECK: arith.minui %[[TILES]], %c4
// CHECK: cf.assert %{{.*}}, "operand B: dimension 0 must have as many elements as dimension 0 of operand ends"
// CHECK: cf.assert %{{.*}}, "operand A: dimension 0 must have as many elements as dimension 0 of operand D"
// CHECK: tmm.problem transpose_b ins(%[[A]], %[[B]] : memref<?x136xbf16>, memref<?x136x136xbf16>) ends(%[[ENDS]] : memref<?xi32>) outs(%[[D]] : memref<?x136xbf16>)
// CHECK: gpu.launch_func @kernels::@f_matmul

// CHECK-LABEL: func.func @capacity(
// CHECK: tmm.problem transpose_b {{.*}} counts(%{{.*}} : memref<6xi32>) outs(

// TMA stores tiles that are whole, threads the others.
// CHECK-LABEL: gpu.func @f_matmul(
// CHECK-SAME: %[[A:.*]]: memref<?x136xbf16>, %[[B:.*]]: memref<?x136x136xbf16>, %[[D:.*]]: memref<?x136xbf16>, %[[ROWS:.*]]: memref<?xi32>, %[[M:.*]]: i32, %[[G:.*]]: i32) kernel
// CHECK: %[[SCHED:.*]] = tmm.scheduler #tmm.grouped(%[[M]], %c136_i32, %c136_i32) batch %[[G]] rows(%[[ROWS]] : memref<?xi32>) stacked tile [64, 64, 64]
// CHECK: %[[ROW:.*]], %[[COL:.*]], %{{.*}}, %{{.*}} = tmm.work_tile %[[SCHED]], %[[W:.*]] : i32
// CHECK: %[[GROUP:.*]] = tmm.work_batch %[[SCHED]], %[[W]]
// CHECK: %[[END:.*]] = tmm.work_end %[[SCHED]], %[[W]]
// CHECK: tmm.load %[[A]][%[[ROW]], %{{.*}}], %{{.*}} by(#sm90.tma) : memref<?x136xbf16>
// CHECK: tmm.load %[[B]][%[[COL]], %{{.*}}] batch(%[[GROUP]]), %{{.*}} by(#sm90.tma) : memref<?x136x136xbf16>
// CHECK: %[[LAST:.*]] = arith.addi %[[ROW]], %c64_i32
// CHECK: %[[IS_WHOLE:.*]] = arith.cmpi sle, %[[LAST]], %[[END]]
// CHECK: %[[UNTIL:.*]] = arith.select %[[IS_WHOLE]], %[[ROW]], %[[END]]
// CHECK: tmm.store %{{.*}}, %[[D]][%[[ROW]], %{{.*}}] until %[[UNTIL]] layout(#sm90.wgmma_layout)
// CHECK: tmm.unload %{{.*}}, %[[D]][%[[ROW]], %{{.*}}] when %[[IS_WHOLE]] by(#sm90.tma_store)

// With a capacity each problem begins at a row of its own, and is one of D.
// CHECK-LABEL: gpu.func @capacity_matmul(
// CHECK-SAME: %[[A:.*]]: memref<6x150x136xbf16>, %{{.*}}: memref<6x136x136xbf16>, %[[D:.*]]: memref<6x150x136xf32>, %[[ROWS:.*]]: memref<6xi32>) kernel
// CHECK: tmm.scheduler #tmm.grouped<raster = 2>(%c150_i32, %c136_i32, %c136_i32) batch %c6_i32 rows(%[[ROWS]] : memref<6xi32>) tile [64, 64, 64]
// CHECK: %[[GROUP:.*]] = tmm.work_batch
// CHECK: %[[END:.*]] = tmm.work_end
// CHECK: tmm.load %[[A]][%{{.*}}, %{{.*}}] batch(%[[GROUP]])
// CHECK: tmm.store %{{.*}}, %[[D]][%{{.*}}, %{{.*}}] batch(%[[GROUP]]) until %[[END]] layout
func.func @f(%a: memref<?x136xbf16>, %b: memref<?x136x136xbf16>, %ends: memref<?xi32>, %d: memref<?x136xbf16>) {
  tmm.matmul transpose_b config <tile = <shape = 64x64x64>, ring = <swizzle = 128B>, scheduler = <sms = 4>, epilogue = <kind = tma_store, subtile = 64, stages = 2>>
    ins(%a, %b : memref<?x136xbf16>, memref<?x136x136xbf16>) ends(%ends : memref<?xi32>) outs(%d : memref<?x136xbf16>)
  return
}

func.func @capacity(%a: memref<6x150x136xbf16>, %b: memref<6x136x136xbf16>, %counts: memref<6xi32>, %d: memref<6x150x136xf32>) {
  tmm.matmul transpose_b config <tile = <shape = 64x64x64>, ring = <swizzle = 128B>, scheduler = <sms = 4, raster = 2>, epilogue = <subtile = 32>>
    ins(%a, %b : memref<6x150x136xbf16>, memref<6x136x136xbf16>) counts(%counts : memref<6xi32>) outs(%d : memref<6x150x136xf32>)
  return
}
