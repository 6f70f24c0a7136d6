// RUN: tc-opt %s | tc-opt --mlir-print-local-scope | FileCheck %s
// RUN: tc-opt %s -mlir-print-op-generic | tc-opt --mlir-print-local-scope | FileCheck %s

!answer = !tmm.buffer<1x2xi64, #sm90.smem<plain, none>>
!number = !tmm.buffer<1x1xi32, #sm90.smem<plain, none>>

// CHECK-LABEL: func.func @requests
// CHECK-SAME: (%[[M:.*]]: i32, %[[C:.*]]: memref<i32>)
func.func @requests(%m: i32, %counter: memref<i32>) -> (i32, i32) {
  %sched = tmm.scheduler #tmm.static(%m, %m, %m) tile [128, 64, 32] : !tmm.scheduler
  // CHECK: %[[COUNT:.*]] = tmm.work_count %{{.*}} : i32
  %count = tmm.work_count %sched : i32
  %a = tmm.alloc : !answer
  // CHECK: tmm.request_work %{{.*}} over #tmm.ctas<2, along = [0]> by(#sm90.clc) role("load") : <1x2xi64
  tmm.request_work %a over #tmm.ctas<2, along = [0]> by(#sm90.clc) role("load") : !answer
  // CHECK: tmm.query_work %{{.*}} by(#sm90.clc)
  %0 = tmm.query_work %a by(#sm90.clc) : !answer
  %n = tmm.alloc : !number
  // CHECK: %[[R:.*]] = tmm.count_request %[[C]] of %[[COUNT]] by(#sm90.counter) : memref<i32>
  %r = tmm.count_request %counter of %count by(#sm90.counter) : memref<i32>
  // CHECK: tmm.answer_request %[[R]] of %[[COUNT]], %{{.*}} by(#sm90.counter) : <1x1xi32, #sm90.smem<plain, none>>
  tmm.answer_request %r of %count, %n by(#sm90.counter) : !number
  // CHECK: %[[S:.*]] = tmm.count_request %[[C]] of %[[COUNT]] over #tmm.ctas<2, along = [0]> by(#sm90.counter) role("load")
  %s = tmm.count_request %counter of %count over #tmm.ctas<2, along = [0]> by(#sm90.counter) role("load") : memref<i32>
  // CHECK: tmm.answer_request %[[S]] of %[[COUNT]], %{{.*}} over #tmm.ctas<2, along = [0]> by(#sm90.counter) role("load")
  tmm.answer_request %s of %count, %n over #tmm.ctas<2, along = [0]> by(#sm90.counter) role("load") : !number
  // CHECK: %{{.*}} = tmm.issue over #tmm.ctas<2, along = [0]> -> i32 {
  // CHECK-NEXT: tmm.yield %[[M]] : i32
  %i = tmm.issue over #tmm.ctas<2, along = [0]> -> i32 {
    tmm.yield %m : i32
  }
  // CHECK: tmm.query_work %{{.*}} by(#sm90.counter)
  %1 = tmm.query_work %n by(#sm90.counter) : !number
  return %0, %1 : i32, i32
}

// CHECK-LABEL: func.func @rows
// CHECK-SAME: (%[[M:.*]]: i32, %[[ROWS:.*]]: memref<?xi32>, %[[T:.*]]: vector<128x32xf32>, %[[D:.*]]: memref<?x?xf32>)
func.func @rows(%m: i32, %rows: memref<?xi32>, %t: vector<128x32xf32>, %d: memref<?x?xf32>) -> i32 {
  // CHECK: %[[S:.*]] = tmm.scheduler #tmm.grouped<raster = 8>(%[[M]], %[[M]], %[[M]]) batch %[[M]] rows(%[[ROWS]] : memref<?xi32>) stacked tile [128, 64, 32] ctas 2
  %s = tmm.scheduler #tmm.grouped<raster = 8>(%m, %m, %m) batch %m rows(%rows : memref<?xi32>) stacked tile [128, 64, 32] ctas 2 : !tmm.scheduler
  // CHECK: tmm.scheduler #tmm.grouped(%[[M]], %[[M]], %[[M]]) batch %[[M]] rows(%[[ROWS]] : memref<?xi32>) tile [128, 64, 32]
  %o = tmm.scheduler #tmm.grouped(%m, %m, %m) batch %m rows(%rows : memref<?xi32>) tile [128, 64, 32] : !tmm.scheduler
  %w = tmm.first_work %s : !tmm.work
  // CHECK: %[[END:.*]] = tmm.work_end %[[S]], %{{.*}} : i32
  %end = tmm.work_end %s, %w : i32
  // CHECK: tmm.store %[[T]], %[[D]][%[[M]], %[[M]]] until %[[END]] in_bounds [false, true] : vector<128x32xf32>, memref<?x?xf32>
  tmm.store %t, %d[%m, %m] until %end in_bounds [false, true] : vector<128x32xf32>, memref<?x?xf32>
  %whole = arith.cmpi sle, %m, %end : i32
  %b = tmm.alloc : !tmm.buffer<128x32xf32, #sm90.smem<n_major, b128>>
  // CHECK: tmm.unload %{{.*}}, %[[D]][%[[M]], %[[M]]] when %{{.*}} by(#sm90.tma_store) : <128x32xf32, #sm90.smem<n_major, b128>>, memref<?x?xf32>
  tmm.unload %b, %d[%m, %m] when %whole by(#sm90.tma_store) : <128x32xf32, #sm90.smem<n_major, b128>>, memref<?x?xf32>
  return %end : i32
}
