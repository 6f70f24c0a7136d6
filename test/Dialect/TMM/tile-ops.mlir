// RUN: tc-opt %s | tc-opt | FileCheck %s
// RUN: tc-opt %s -mlir-print-op-generic | tc-opt | FileCheck %s

// The tile program's ops round-trip in both forms.

// CHECK-LABEL: func.func @scheduler
// CHECK-SAME: (%[[M:.*]]: i32, %[[N:.*]]: i32, %[[K:.*]]: i32)
func.func @scheduler(%m: i32, %n: i32, %k: i32) -> (i1, i32, i32, i32, i32) {
  // CHECK: %[[SCHED:.*]] = tmm.scheduler static(%[[M]], %[[N]], %[[K]]) tile [128, 64, 32] : !tmm.scheduler
  %sched = tmm.scheduler static(%m, %n, %k) tile [128, 64, 32] : !tmm.scheduler
  // CHECK: tmm.scheduler static(%[[M]], %[[N]], %[[K]]) tile [256, 64, 32] ctas 2 raster 8 : !tmm.scheduler
  %bands = tmm.scheduler static(%m, %n, %k) tile [256, 64, 32] ctas 2 raster 8 : !tmm.scheduler
  // CHECK: %[[FIRST:.*]] = tmm.first_work %[[SCHED]] : !tmm.work
  %first = tmm.first_work %sched : !tmm.work
  // CHECK: %[[NEXT:.*]] = tmm.next_work %[[SCHED]], %[[FIRST]] : !tmm.work
  %next = tmm.next_work %sched, %first : !tmm.work
  // CHECK: tmm.work_valid %[[SCHED]], %[[NEXT]] : i1
  %valid = tmm.work_valid %sched, %next : i1
  // CHECK: tmm.work_tile %[[SCHED]], %[[NEXT]] : i32
  %row, %col, %block, %count = tmm.work_tile %sched, %next : i32
  return %valid, %row, %col, %block, %count : i1, i32, i32, i32, i32
}

// CHECK-LABEL: func.func @tiles
// CHECK-SAME: (%[[A:.*]]: memref<?x?xbf16>, %[[B:.*]]: memref<?x?xbf16>, %[[D:.*]]: memref<?x?xf32>, %[[ROW:.*]]: i32, %[[K:.*]]: i32, %[[P:.*]]: i1)
func.func @tiles(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>,
                 %row: i32, %k: i32, %p: i1) {
  // CHECK: %[[TA:.*]] = tmm.alloc : <128x64xbf16, smem, <k_major, swizzle = 128>>
  %ta = tmm.alloc : <128x64xbf16, smem, <k_major, swizzle = 128>>
  // CHECK: %[[TB:.*]] = tmm.alloc : <32x64xbf16, smem, <mn_major, swizzle = 64>>
  %tb = tmm.alloc : <32x64xbf16, smem, <mn_major, swizzle = 64>>
  // CHECK: %[[ACC:.*]] = tmm.alloc : <128x32xf32, tmem>
  %acc = tmm.alloc : <128x32xf32, tmem>
  // CHECK: tmm.load %[[A]][%[[ROW]], %[[K]]], %[[TA]] : memref<?x?xbf16>, <128x64xbf16, smem, <k_major, swizzle = 128>>
  tmm.load %a[%row, %k], %ta : memref<?x?xbf16>, <128x64xbf16, smem, <k_major, swizzle = 128>>
  // CHECK: tmm.load %[[B]][%[[ROW]], %[[K]]], %[[TB]] transposed
  tmm.load %b[%row, %k], %tb transposed : memref<?x?xbf16>, <32x64xbf16, smem, <mn_major, swizzle = 64>>
  // CHECK: tmm.load %[[A]][%[[ROW]], %[[K]]], %[[TA]] cache_hint evict_last : memref<?x?xbf16>
  tmm.load %a[%row, %k], %ta cache_hint evict_last : memref<?x?xbf16>, <128x64xbf16, smem, <k_major, swizzle = 128>>
  // CHECK: tmm.wait_prerequisites
  tmm.wait_prerequisites
  // CHECK: tmm.launch_dependents
  tmm.launch_dependents
  // CHECK: tmm.mma %[[TA]], %[[TB]], %[[ACC]] accumulate(%[[P]])
  tmm.mma %ta, %tb, %acc accumulate(%p)
    : <128x64xbf16, smem, <k_major, swizzle = 128>>, <32x64xbf16, smem, <mn_major, swizzle = 64>>,
      <128x32xf32, tmem>
  // CHECK: %[[R:.*]] = tmm.read %[[ACC]][%[[K]]] if %[[P]] : <128x32xf32, tmem> -> vector<128x16xf32>
  %r = tmm.read %acc[%k] if %p : <128x32xf32, tmem> -> vector<128x16xf32>
  // CHECK: %[[C:.*]] = tmm.fetch %[[D]][%[[ROW]], %[[K]]] : memref<?x?xf32> -> vector<128x16xf32>
  %c = tmm.fetch %d[%row, %k] : memref<?x?xf32> -> vector<128x16xf32>
  // CHECK: %[[S:.*]] = arith.addf %[[R]], %[[C]]
  %s = arith.addf %r, %c : vector<128x16xf32>
  // CHECK: tmm.store %[[S]], %[[D]][%[[ROW]], %[[K]]] : vector<128x16xf32>, memref<?x?xf32>
  tmm.store %s, %d[%row, %k] : vector<128x16xf32>, memref<?x?xf32>
  return
}

// CHECK-LABEL: func.func @pair
// CHECK-SAME: (%[[M:.*]]: i32, %[[P:.*]]: i1)
func.func @pair(%m: i32, %p: i1) {
  // CHECK: tmm.scheduler static(%[[M]], %[[M]], %[[M]]) tile [256, 64, 32] ctas 2 : !tmm.scheduler
  %sched = tmm.scheduler static(%m, %m, %m) tile [256, 64, 32] ctas 2 : !tmm.scheduler
  %a = tmm.alloc : <128x64xbf16, smem>
  %b = tmm.alloc : <32x64xbf16, smem>
  %acc = tmm.alloc : <128x64xf32, tmem>
  // CHECK: tmm.mma %{{.*}}, %{{.*}}, %{{.*}} accumulate(%[[P]]) pair : <128x64xbf16, smem>, <32x64xbf16, smem>, <128x64xf32, tmem>
  tmm.mma %a, %b, %acc accumulate(%p) pair : <128x64xbf16, smem>, <32x64xbf16, smem>, <128x64xf32, tmem>
  return
}

// CHECK-LABEL: func.func @pipeline
func.func @pipeline() {
  // CHECK: %[[RING:.*]] = tmm.pipeline : <(<128x64xf16, smem>, <64x64xf16, smem>), depth = 3>
  %ring = tmm.pipeline : <(<128x64xf16, smem>, <64x64xf16, smem>), depth = 3>
  // CHECK: %[[S:.*]] = tmm.pipeline_start %[[RING]]
  %s = tmm.pipeline_start %ring : <(<128x64xf16, smem>, <64x64xf16, smem>), depth = 3>
  // CHECK: tmm.producer_acquire %[[RING]][%[[S]]] : {{.*}} -> !tmm.buffer<128x64xf16, smem>, !tmm.buffer<64x64xf16, smem>
  %a, %b = tmm.producer_acquire %ring[%s]
    : <(<128x64xf16, smem>, <64x64xf16, smem>), depth = 3> -> !tmm.buffer<128x64xf16, smem>, !tmm.buffer<64x64xf16, smem>
  // CHECK: %[[P:.*]] = tmm.producer_commit %[[RING]][%[[S]]]
  %p = tmm.producer_commit %ring[%s] : <(<128x64xf16, smem>, <64x64xf16, smem>), depth = 3>
  // CHECK: tmm.consumer_wait %[[RING]][%[[S]]]
  %c:2 = tmm.consumer_wait %ring[%s]
    : <(<128x64xf16, smem>, <64x64xf16, smem>), depth = 3> -> !tmm.buffer<128x64xf16, smem>, !tmm.buffer<64x64xf16, smem>
  // CHECK: tmm.consumer_release %[[RING]][%[[S]]]
  %r = tmm.consumer_release %ring[%s] : <(<128x64xf16, smem>, <64x64xf16, smem>), depth = 3>
  // CHECK: tmm.producer_tail %[[RING]][%[[P]]]
  tmm.producer_tail %ring[%p] : <(<128x64xf16, smem>, <64x64xf16, smem>), depth = 3>
  return
}

// Problems of a batch.
// CHECK-LABEL: func.func @batch
func.func @batch(%a: memref<4x3x200x72xbf16>, %d: memref<4x3x200x136xf32>, %x: memref<4x136xf32>, %n: i32, %i: i32, %v: vector<128x32xf32>) -> i32 {
  // CHECK: %[[SCHED:.*]] = tmm.scheduler static(%[[N:.*]], %[[N]], %[[N]]) batch %[[N]] tile [128, 64, 32] : !tmm.scheduler
  %sched = tmm.scheduler static(%n, %n, %n) batch %n tile [128, 64, 32] : !tmm.scheduler
  %work = tmm.first_work %sched : !tmm.work
  // CHECK: %[[BATCH:.*]] = tmm.work_batch %[[SCHED]], %{{.*}} : i32
  %batch = tmm.work_batch %sched, %work : i32
  %tile = tmm.alloc : <128x64xbf16, smem>
  // CHECK: tmm.load %{{.*}}[%{{.*}}, %{{.*}}] batch(%[[BATCH]], %{{.*}}), %{{.*}} transposed
  tmm.load %a[%i, %i] batch(%batch, %i), %tile transposed : memref<4x3x200x72xbf16>, <128x64xbf16, smem>
  // CHECK: tmm.fetch %{{.*}}[%{{.*}}, %{{.*}}] batch(%[[BATCH]]) along n
  %f = tmm.fetch %x[%i, %i] batch(%batch) along n : memref<4x136xf32> -> vector<128x32xf32>
  // CHECK: tmm.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] batch(%[[BATCH]], %{{.*}}) in_bounds [true, false]
  tmm.store %f, %d[%i, %i] batch(%batch, %i) in_bounds [true, false] : vector<128x32xf32>, memref<4x3x200x136xf32>
  %o = tmm.alloc : <128x32xf32, smem, <n_major, swizzle = 128>>
  // CHECK: tmm.unload %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] batch(%[[BATCH]], %{{.*}}) : <128x32xf32
  tmm.unload %o, %d[%i, %i] batch(%batch, %i) : <128x32xf32, smem, <n_major, swizzle = 128>>, memref<4x3x200x136xf32>
  return %batch : i32
}

// CHECK-LABEL: func.func @store_buffer
// CHECK-SAME: (%[[V:.*]]: vector<128x32xbf16>, %[[D:.*]]: memref<?x256xbf16>, %[[I:.*]]: i32)
func.func @store_buffer(%v: vector<128x32xbf16>, %d: memref<?x256xbf16>, %i: i32) {
  // CHECK: %[[T:.*]] = tmm.alloc : <128x32xbf16, smem, <n_major, swizzle = 64>>
  %t = tmm.alloc : <128x32xbf16, smem, <n_major, swizzle = 64>>
  // CHECK: tmm.stage %[[V]], %[[T]] : vector<128x32xbf16>, <128x32xbf16, smem, <n_major, swizzle = 64>>
  tmm.stage %v, %t : vector<128x32xbf16>, <128x32xbf16, smem, <n_major, swizzle = 64>>
  // CHECK: tmm.unload %[[T]], %[[D]][%[[I]], %[[I]]] : <128x32xbf16, smem, <n_major, swizzle = 64>>, memref<?x256xbf16>
  tmm.unload %t, %d[%i, %i] : <128x32xbf16, smem, <n_major, swizzle = 64>>, memref<?x256xbf16>
  return
}
