// RUN: tc-opt %s --mlir-print-local-scope -split-input-file -tmm-choose-config="chip=sm_90a config='scheduler=counter tile=128x64x64'" -tmm-tile=chip=sm_90a -canonicalize | FileCheck %s

// The host has the counter, 0 at first; the grid is what is resident. The warp that
// loads counts before the loads of a tile, and hands on the answer after them.
// CHECK: memref.global "private" @plain_matmul_counter : memref<i32> = dense<0>
// CHECK-LABEL: func.func @plain(
// CHECK: %[[TILES:.*]] = arith.muli
// CHECK: arith.minui %[[TILES]], %c132
// CHECK: %[[COUNTER:.*]] = memref.get_global @plain_matmul_counter : memref<i32>
// CHECK-NEXT: tmm.problem
// CHECK-NEXT: gpu.launch_func @kernels::@plain_matmul {{.*}}, %[[COUNTER]] : memref<i32>)
// CHECK-LABEL: gpu.func @plain_matmul(
// CHECK-SAME: %[[C:[a-z0-9]+]]: memref<i32>) kernel
// CHECK: tmm.role "load" warps(1) drives [#sm90.tma, #sm90.counter]
// CHECK: %[[SCHED:.*]] = tmm.scheduler
// CHECK: tmm.loop "tiles"
// CHECK: %[[COUNT:.*]] = tmm.work_count %[[SCHED]] : i32
// CHECK: %[[REQUEST:.*]] = tmm.count_request %[[C]] of %[[COUNT]] by(#sm90.counter) : memref<i32>
// CHECK: tmm.load
// CHECK: tmm.load
// CHECK: %[[ANSWER:.*]] = tmm.alloc stages(2) : <1x1xi32, #sm90.smem<plain, none>>
// CHECK: tmm.answer_request %[[REQUEST]] of %[[COUNT]], %[[ANSWER]] by(#sm90.counter)
// CHECK: tmm.unload
// CHECK: %[[CTA:.*]] = tmm.query_work %[[ANSWER]] by(#sm90.counter)
// CHECK: tmm.work_at %[[SCHED]], %[[CTA]]
func.func @plain(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  tmm.matmul config <tile = <cluster = 1x1>> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// -----

// The first CTA of a cluster asks for all of them; those that take turns are one more
// tile behind.
// CHECK-LABEL: gpu.func @cluster_matmul(
// CHECK: tmm.count_request %{{.*}} of %{{.*}} over #tmm.ctas<4, along = [0]> by(#sm90.counter)
// CHECK: tmm.alloc stages(3) : <1x1xi32, #sm90.smem<plain, none>>
// CHECK: tmm.answer_request %{{.*}} of %{{.*}}, %{{.*}} over #tmm.ctas<4, along = [0]> by(#sm90.counter)
// CHECK: %[[CTA:.*]] = tmm.query_work
// CHECK: %[[GROUP:.*]] = arith.floordivsi %[[CTA]], %c4
// CHECK: tmm.work_at %{{.*}}, %[[GROUP]]
func.func @cluster(%a: memref<1024x72xbf16>, %b: memref<1024x72xbf16>, %d: memref<1024x1024xf32>) {
  tmm.matmul transpose_b config <tile = <cluster = 2x2>, roles = <kind = ping_pong>>
    ins(%a, %b : memref<1024x72xbf16>, memref<1024x72xbf16>) outs(%d : memref<1024x1024xf32>)
  return
}

// -----

// Threads load: the role of TMA only counts.
// CHECK-LABEL: gpu.func @gathered_matmul
// CHECK: tmm.role "load" warps(1) drives [#sm90.tma, #sm90.counter]
// CHECK: tmm.role "gather" warps(4)
func.func @gathered(%a: memref<640x42xbf16>, %b: memref<640x42xbf16>, %d: memref<640x640xf32>) {
  tmm.matmul transpose_b ins(%a, %b : memref<640x42xbf16>, memref<640x42xbf16>) outs(%d : memref<640x640xf32>)
  return
}
