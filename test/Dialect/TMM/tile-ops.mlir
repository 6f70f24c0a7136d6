// RUN: tc-opt %s | tc-opt --mlir-print-local-scope | FileCheck %s
// RUN: tc-opt %s -mlir-print-op-generic | tc-opt --mlir-print-local-scope | FileCheck %s

// The tile program's ops round-trip in both forms.

// CHECK-LABEL: func.func @scheduler
// CHECK-SAME: (%[[M:.*]]: i32, %[[N:.*]]: i32, %[[K:.*]]: i32)
func.func @scheduler(%m: i32, %n: i32, %k: i32) -> (i1, i32, i32, i32, i32) {
  // CHECK: %[[SCHED:.*]] = tmm.scheduler #tmm.static(%[[M]], %[[N]], %[[K]]) tile [128, 64, 32] : !tmm.scheduler
  %sched = tmm.scheduler #tmm.static(%m, %n, %k) tile [128, 64, 32] : !tmm.scheduler
  // CHECK: tmm.scheduler #tmm.static<raster = 8>(%[[M]], %[[N]], %[[K]]) tile [256, 64, 32] ctas 2 : !tmm.scheduler
  %bands = tmm.scheduler #tmm.static<raster = 8>(%m, %n, %k) tile [256, 64, 32] ctas 2 : !tmm.scheduler
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
  // CHECK: %[[TA:.*]] = tmm.alloc : <128x64xbf16, #sm90.smem<k_major, b128>>
  %ta = tmm.alloc : <128x64xbf16, #sm90.smem<k_major, b128>>
  // CHECK: %[[TB:.*]] = tmm.alloc : <32x64xbf16, #sm90.smem<mn_major, b64>>
  %tb = tmm.alloc : <32x64xbf16, #sm90.smem<mn_major, b64>>
  // CHECK: %[[ACC:.*]] = tmm.alloc : <128x32xf32, #tcgen05.tmem>
  %acc = tmm.alloc : <128x32xf32, #tcgen05.tmem>
  // CHECK: tmm.load %[[A]][%[[ROW]], %[[K]]], %[[TA]] by(#sm90.tma) : memref<?x?xbf16>, <128x64xbf16, #sm90.smem<k_major, b128>>
  tmm.load %a[%row, %k], %ta by(#sm90.tma) : memref<?x?xbf16>, <128x64xbf16, #sm90.smem<k_major, b128>>
  // CHECK: tmm.load %[[B]][%[[ROW]], %[[K]]], %[[TB]] transposed
  tmm.load %b[%row, %k], %tb transposed by(#sm90.tma) : memref<?x?xbf16>, <32x64xbf16, #sm90.smem<mn_major, b64>>
  // CHECK: tmm.load %[[A]][%[[ROW]], %[[K]]], %[[TA]] cache_hint evict_last by(#sm90.tma) : memref<?x?xbf16>
  tmm.load %a[%row, %k], %ta cache_hint evict_last by(#sm90.tma) : memref<?x?xbf16>, <128x64xbf16, #sm90.smem<k_major, b128>>
  // CHECK: tmm.wait_prerequisites
  tmm.wait_prerequisites
  // CHECK: tmm.launch_dependents by(#sm90.tma)
  tmm.launch_dependents by(#sm90.tma)
  // CHECK: tmm.mma %[[TA]], %[[TB]], %[[ACC]] accumulate(%[[P]]) by(#tcgen05.mma)
  tmm.mma %ta, %tb, %acc accumulate(%p) by(#tcgen05.mma)
    : <128x64xbf16, #sm90.smem<k_major, b128>>, <32x64xbf16, #sm90.smem<mn_major, b64>>,
      !tmm.buffer<128x32xf32, #tcgen05.tmem>
  // CHECK: %[[R:.*]] = tmm.read %[[ACC]][%[[K]]] if %[[P]] : <128x32xf32, #tcgen05.tmem> -> vector<128x16xf32>
  %r = tmm.read %acc[%k] if %p : <128x32xf32, #tcgen05.tmem> -> vector<128x16xf32>
  // CHECK: tmm.extract_columns %[[R]][%[[K]]] : vector<128x16xf32> -> vector<128x8xf32>
  %columns = tmm.extract_columns %r[%k] : vector<128x16xf32> -> vector<128x8xf32>
  // CHECK: tmm.insert_columns %{{.*}}, %[[R]][%[[K]]] : vector<128x8xf32>, vector<128x16xf32>
  %all = tmm.insert_columns %columns, %r[%k] : vector<128x8xf32>, vector<128x16xf32>
  // CHECK: %[[C:.*]] = tmm.fetch %[[D]][%[[ROW]], %[[K]]] : memref<?x?xf32> -> vector<128x16xf32>
  %c = tmm.fetch %d[%row, %k] : memref<?x?xf32> -> vector<128x16xf32>
  // CHECK: tmm.prefetch %[[D]][%[[ROW]], %[[K]]] in_bounds [true, false] layout(#tcgen05.rows) role("epilogue") : memref<?x?xf32>, vector<128x64xf32>
  tmm.prefetch %d[%row, %k] in_bounds [true, false] layout(#tcgen05.rows) role("epilogue") : memref<?x?xf32>, vector<128x64xf32>
  // CHECK: %[[S:.*]] = arith.addf %[[R]], %[[C]]
  %s = arith.addf %r, %c : vector<128x16xf32>
  // CHECK: tmm.store %[[S]], %[[D]][%[[ROW]], %[[K]]] : vector<128x16xf32>, memref<?x?xf32>
  tmm.store %s, %d[%row, %k] : vector<128x16xf32>, memref<?x?xf32>
  return
}

// CHECK-LABEL: func.func @pair
// CHECK-SAME: (%[[M:.*]]: i32, %[[P:.*]]: i1)
func.func @pair(%m: i32, %p: i1) {
  // CHECK: tmm.scheduler #tmm.static(%[[M]], %[[M]], %[[M]]) tile [256, 64, 32] ctas 2 : !tmm.scheduler
  %sched = tmm.scheduler #tmm.static(%m, %m, %m) tile [256, 64, 32] ctas 2 : !tmm.scheduler
  %a = tmm.alloc : <128x64xbf16, #sm90.smem<k_major, none>>
  %b = tmm.alloc : <32x64xbf16, #sm90.smem<k_major, none>>
  %acc = tmm.alloc : <128x64xf32, #tcgen05.tmem<ctas = 2>>
  // CHECK: tmm.mma %{{.*}}, %{{.*}}, %{{.*}} accumulate(%[[P]]) over #tmm.ctas<2, along = [0]> by(#tcgen05.mma) : <128x64xbf16, #sm90.smem<k_major, none>>, <32x64xbf16, #sm90.smem<k_major, none>>, !tmm.buffer<128x64xf32, #tcgen05.tmem<ctas = 2>>
  tmm.mma %a, %b, %acc accumulate(%p) over #tmm.ctas<2, along = [0]> by(#tcgen05.mma) : <128x64xbf16, #sm90.smem<k_major, none>>, <32x64xbf16, #sm90.smem<k_major, none>>, !tmm.buffer<128x64xf32, #tcgen05.tmem<ctas = 2>>
  return
}

// CHECK-LABEL: func.func @pipeline
func.func @pipeline() {
  // CHECK: %[[RING:.*]] = tmm.pipeline : <(<128x64xf16, #sm90.smem<k_major, none>>, <64x64xf16, #sm90.smem<k_major, none>>), depth = 3>
  %ring = tmm.pipeline : <(<128x64xf16, #sm90.smem<k_major, none>>, <64x64xf16, #sm90.smem<k_major, none>>), depth = 3>
  // CHECK: %[[S:.*]] = tmm.pipeline_start %[[RING]]
  %s = tmm.pipeline_start %ring : <(<128x64xf16, #sm90.smem<k_major, none>>, <64x64xf16, #sm90.smem<k_major, none>>), depth = 3>
  // CHECK: tmm.producer_acquire %[[RING]][%[[S]]]
  %a, %b = tmm.producer_acquire %ring[%s] : <(<128x64xf16, #sm90.smem<k_major, none>>, <64x64xf16, #sm90.smem<k_major, none>>), depth = 3>
  // CHECK: %[[P:.*]] = tmm.producer_commit %[[RING]][%[[S]]]
  %p = tmm.producer_commit %ring[%s] : <(<128x64xf16, #sm90.smem<k_major, none>>, <64x64xf16, #sm90.smem<k_major, none>>), depth = 3>
  // CHECK: tmm.consumer_wait %[[RING]][%[[S]]]
  %c:2 = tmm.consumer_wait %ring[%s] : <(<128x64xf16, #sm90.smem<k_major, none>>, <64x64xf16, #sm90.smem<k_major, none>>), depth = 3>
  // CHECK: tmm.consumer_release %[[RING]][%[[S]]]
  %r = tmm.consumer_release %ring[%s] : <(<128x64xf16, #sm90.smem<k_major, none>>, <64x64xf16, #sm90.smem<k_major, none>>), depth = 3>
  // CHECK: tmm.producer_tail %[[RING]][%[[P]]]
  tmm.producer_tail %ring[%p] : <(<128x64xf16, #sm90.smem<k_major, none>>, <64x64xf16, #sm90.smem<k_major, none>>), depth = 3>
  return
}

// Problems of a batch.
// CHECK-LABEL: func.func @batch
func.func @batch(%a: memref<4x3x200x72xbf16>, %d: memref<4x3x200x136xf32>, %x: memref<4x136xf32>, %n: i32, %i: i32, %v: vector<128x32xf32>) -> i32 {
  // CHECK: %[[SCHED:.*]] = tmm.scheduler #tmm.static(%[[N:.*]], %[[N]], %[[N]]) batch %[[N]] tile [128, 64, 32] : !tmm.scheduler
  %sched = tmm.scheduler #tmm.static(%n, %n, %n) batch %n tile [128, 64, 32] : !tmm.scheduler
  %work = tmm.first_work %sched : !tmm.work
  // CHECK: %[[BATCH:.*]] = tmm.work_batch %[[SCHED]], %{{.*}} : i32
  %batch = tmm.work_batch %sched, %work : i32
  %tile = tmm.alloc : <128x64xbf16, #sm90.smem<k_major, none>>
  // CHECK: tmm.load %{{.*}}[%{{.*}}, %{{.*}}] batch(%[[BATCH]], %{{.*}}), %{{.*}} transposed
  tmm.load %a[%i, %i] batch(%batch, %i), %tile transposed by(#sm90.tma) : memref<4x3x200x72xbf16>, <128x64xbf16, #sm90.smem<k_major, none>>
  // CHECK: tmm.fetch %{{.*}}[%{{.*}}, %{{.*}}] batch(%[[BATCH]]) along n
  %f = tmm.fetch %x[%i, %i] batch(%batch) along n : memref<4x136xf32> -> vector<128x32xf32>
  // CHECK: tmm.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] batch(%[[BATCH]], %{{.*}}) in_bounds [true, false]
  tmm.store %f, %d[%i, %i] batch(%batch, %i) in_bounds [true, false] : vector<128x32xf32>, memref<4x3x200x136xf32>
  %o = tmm.alloc : <128x32xf32, #sm90.smem<n_major, b128>>
  // CHECK: tmm.unload %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] batch(%[[BATCH]], %{{.*}}) by(#sm90.tma_store) : <128x32xf32
  tmm.unload %o, %d[%i, %i] batch(%batch, %i) by(#sm90.tma_store) : <128x32xf32, #sm90.smem<n_major, b128>>, memref<4x3x200x136xf32>
  return %batch : i32
}

// CHECK-LABEL: func.func @store_buffer
// CHECK-SAME: (%[[V:.*]]: vector<128x32xbf16>, %[[D:.*]]: memref<?x256xbf16>, %[[I:.*]]: i32)
func.func @store_buffer(%v: vector<128x32xbf16>, %d: memref<?x256xbf16>, %i: i32) {
  // CHECK: %[[T:.*]] = tmm.alloc : <128x32xbf16, #sm90.smem<n_major, b64>>
  %t = tmm.alloc : <128x32xbf16, #sm90.smem<n_major, b64>>
  // CHECK: tmm.stage %[[V]], %[[T]] : vector<128x32xbf16>, <128x32xbf16, #sm90.smem<n_major, b64>>
  tmm.stage %v, %t : vector<128x32xbf16>, <128x32xbf16, #sm90.smem<n_major, b64>>
  // CHECK: tmm.unload %[[T]], %[[D]][%[[I]], %[[I]]] by(#sm90.tma_store) : <128x32xbf16, #sm90.smem<n_major, b64>>, memref<?x256xbf16>
  tmm.unload %t, %d[%i, %i] by(#sm90.tma_store) : <128x32xbf16, #sm90.smem<n_major, b64>>, memref<?x256xbf16>
  return
}

// Register tiles with their layout, and what a thread holds of them.
// CHECK-LABEL: func.func @layouts
func.func @layouts(%d: memref<?x?xf32>, %acc: !tmm.buffer<128x32xf32, #tcgen05.tmem>, %i: i32, %p: i1,
                   %a: !tmm.buffer<128x64xbf16, #sm90.smem<k_major, b128>>,
                   %b: !tmm.buffer<32x64xbf16, #sm90.smem<k_major, b128>>,
                   %t: !tmm.buffer<128x16xf32, #sm90.smem<n_major, b64>>, %sum: vector<16xf32>) {
  // CHECK: tmm.read %{{.*}}[%{{.*}}] if %{{.*}} layout(#tcgen05.rows) role("epilogue") : <128x32xf32, #tcgen05.tmem> -> vector<16xf32>
  %r = tmm.read %acc[%i] if %p layout(#tcgen05.rows) role("epilogue")
    : <128x32xf32, #tcgen05.tmem> -> vector<16xf32>
  // CHECK: %[[CHUNKS:.*]] = tmm.fetch %{{.*}} layout(#sm80.row_layout<32>) : memref<?x?xf32> -> vector<128x32xf32>
  // CHECK: tmm.convert_layout %[[CHUNKS]] from(#sm80.row_layout<32>) to(#sm80.mma_layout<32>) : vector<128x32xf32>
  // CHECK: %[[C:.*]] = tmm.fetch %{{.*}}[%{{.*}}, %{{.*}}] in_bounds [true, true] layout(#tcgen05.rows) : memref<?x?xf32> -> vector<128x16xf32>
  %chunks = tmm.fetch %d[%i, %i] layout(#sm80.row_layout<32>) : memref<?x?xf32> -> vector<128x32xf32>
  %own = tmm.convert_layout %chunks from(#sm80.row_layout<32>) to(#sm80.mma_layout<32>) : vector<128x32xf32>
  %c = tmm.fetch %d[%i, %i] in_bounds [true, true] layout(#tcgen05.rows) : memref<?x?xf32> -> vector<128x16xf32>
  // CHECK: tmm.store %[[C]], %{{.*}}[%{{.*}}, %{{.*}}] layout(#tcgen05.rows) : vector<128x16xf32>, memref<?x?xf32>
  tmm.store %c, %d[%i, %i] layout(#tcgen05.rows) : vector<128x16xf32>, memref<?x?xf32>
  // CHECK: tmm.stage %{{.*}}, %{{.*}} layout(#tcgen05.rows) : vector<16xf32>, <128x16xf32, #sm90.smem<n_major, b64>>
  tmm.stage %r, %t layout(#tcgen05.rows) : vector<16xf32>, <128x16xf32, #sm90.smem<n_major, b64>>
  // CHECK: tmm.mma %{{.*}} accumulate(%{{.*}}) by(#sm90.wgmma) layout(#sm90.wgmma_layout) : {{.*}}, vector<16xf32> -> vector<16xf32>
  %new = tmm.mma %a, %b, %sum accumulate(%p) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
    : <128x64xbf16, #sm90.smem<k_major, b128>>, <32x64xbf16, #sm90.smem<k_major, b128>>, vector<16xf32>
    -> vector<16xf32>
  return
}

// CHECK-LABEL: func.func @transposed
func.func @transposed(%a: vector<128x32xbf16>, %b: !tmm.buffer<32x64xbf16, #sm90.smem<k_major, b128>>, %acc: vector<128x64xf32>, %p: i1) {
  // CHECK: tmm.mma %{{.*}}, %{{.*}} transposed, %{{.*}} accumulate(%{{.*}}) by(#sm90.wgmma) layout(#sm90.wgmma_layout) : vector<128x32xbf16>, <32x64xbf16, #sm90.smem<k_major, b128>>, vector<128x64xf32> -> vector<128x64xf32>
  %new = tmm.mma %a, %b transposed, %acc accumulate(%p) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
    : vector<128x32xbf16>, <32x64xbf16, #sm90.smem<k_major, b128>>, vector<128x64xf32> -> vector<128x64xf32>
  return
}

// Roles, agent sets and accumulators in registers.
// CHECK-LABEL: func.func @agents
func.func @agents(%a: memref<?x?xbf16>, %ta: !tmm.buffer<128x64xbf16, #sm90.smem<k_major, b128>>,
                  %acc: vector<128x128xf32>, %i: i32, %p: i1) -> vector<128x128xf32> {
  // CHECK: tmm.load %{{.*}} to #tmm.ctas<2x4, along = [1]> by(#sm90.tma) role("load")
  tmm.load %a[%i, %i], %ta to #tmm.ctas<2x4, along = [1]> by(#sm90.tma) role("load")
    : memref<?x?xbf16>, <128x64xbf16, #sm90.smem<k_major, b128>>
  // CHECK: %[[SUM:.*]] = tmm.mma %{{.*}}, %{{.*}}, %{{.*}} accumulate(%{{.*}}) by(#tmm.threads) role("mma") : {{.*}}, vector<128x128xf32> -> vector<128x128xf32>
  %sum = tmm.mma %ta, %ta, %acc accumulate(%p) by(#tmm.threads) role("mma")
    : <128x64xbf16, #sm90.smem<k_major, b128>>, <128x64xbf16, #sm90.smem<k_major, b128>>, vector<128x128xf32> -> vector<128x128xf32>
  // CHECK: tmm.await %[[SUM]] by(#sm90.wgmma) pending 0 : vector<128x128xf32>
  %done = tmm.await %sum by(#sm90.wgmma) pending 0 : vector<128x128xf32>
  // CHECK: tmm.await by(#sm90.wgmma) pending 1
  tmm.await by(#sm90.wgmma) pending 1
  return %done : vector<128x128xf32>
}

// What lowered pipelines leave.
// CHECK-LABEL: func.func @lowered
func.func @lowered(%i: i32) {
  // CHECK: %[[S:.*]] = tmm.storage : <<128x64xbf16, #sm90.smem<k_major, b128>>, depth = 3>
  %s = tmm.storage : !tmm.storage<<128x64xbf16, #sm90.smem<k_major, b128>>, depth = 3>
  // CHECK: tmm.slot %[[S]][%{{.*}}] : <<128x64xbf16, #sm90.smem<k_major, b128>>, depth = 3>
  %tile = tmm.slot %s[%i] : !tmm.storage<<128x64xbf16, #sm90.smem<k_major, b128>>, depth = 3>
  // CHECK: tmm.issue over #tmm.ctas<2, along = [0]> {
  tmm.issue over #tmm.ctas<2, along = [0]> {
    // CHECK-NEXT: tmm.issue {
    tmm.issue {
    }
  }
  // CHECK: %[[RING:.*]] = tmm.pipeline
  %ring = tmm.pipeline : !tmm.pipeline<(<128x64xf16, #sm90.smem<k_major, none>>), depth = 3>
  %n = tmm.pipeline_start %ring : !tmm.pipeline<(<128x64xf16, #sm90.smem<k_major, none>>), depth = 3>
  // CHECK: tmm.skip %[[RING]][%{{.*}}]
  %n1 = tmm.skip %ring[%n] : !tmm.pipeline<(<128x64xf16, #sm90.smem<k_major, none>>), depth = 3>
  return
}

// CHECK-LABEL: func.func @write
func.func @write(%v: vector<128x32xbf16>, %r: vector<16xf16>, %c: i32) {
  %p = tmm.alloc : <128x128xbf16, #tcgen05.operand>
  // CHECK: tmm.write %{{.*}}, %{{.*}}[%{{.*}}] layout(#tcgen05.rows) role("epilogue") : vector<128x32xbf16>, <128x128xbf16, #tcgen05.operand>
  tmm.write %v, %p[%c] layout(#tcgen05.rows) role("epilogue") : vector<128x32xbf16>, <128x128xbf16, #tcgen05.operand>
  %q = tmm.alloc : <128x64xf16, #tcgen05.operand<ctas = 2>>
  // CHECK: tmm.write %{{.*}}, %{{.*}}[%{{.*}}] layout(#tcgen05.rows) : vector<16xf16>, <128x64xf16, #tcgen05.operand<ctas = 2>>
  tmm.write %r, %q[%c] layout(#tcgen05.rows) : vector<16xf16>, <128x64xf16, #tcgen05.operand<ctas = 2>>
  return
}

// CHECK-LABEL: func.func @metadata
func.func @metadata(%e: memref<?x?x128x4xi32>, %a: !tmm.buffer<128x128xi8, #sm90.smem<k_major, b128>>, %b: !tmm.buffer<64x256xui8, #sm90.smem<k_major, b128>>,
                    %acc: !tmm.buffer<128x128xi32, #tcgen05.tmem<ctas = 2>>, %row: i32, %k: i32, %p: i1) {
  %from = tmm.alloc : <128x8xi32, #sm90.smem<blocked, none>>
  %to = tmm.alloc : <128x8xi32, #tcgen05.metadata<8>>
  // CHECK: tmm.load %{{.*}}[%{{.*}}, %{{.*}}], %[[FROM:.*]] blocked by(#sm90.tma) : memref<?x?x128x4xi32>, <128x8xi32, #sm90.smem<blocked, none>>
  tmm.load %e[%row, %k], %from blocked by(#sm90.tma) : memref<?x?x128x4xi32>, <128x8xi32, #sm90.smem<blocked, none>>
  // CHECK: tmm.copy %[[FROM]], %[[TO:.*]] over #tmm.ctas<2, along = [0]> by(#tcgen05.cp) : <128x8xi32, #sm90.smem<blocked, none>>, <128x8xi32, #tcgen05.metadata<8>>
  tmm.copy %from, %to over #tmm.ctas<2, along = [0]> by(#tcgen05.cp) : <128x8xi32, #sm90.smem<blocked, none>>, <128x8xi32, #tcgen05.metadata<8>>
  // CHECK: tmm.mma %{{.*}}, %{{.*}}, %{{.*}} metadata(%[[TO]] : !tmm.buffer<128x8xi32, #tcgen05.metadata<8>>) extent(%{{.*}}) accumulate(%{{.*}}) over #tmm.ctas<2, along = [0]> by(#tcgen05.mma)
  tmm.mma %a, %b, %acc metadata(%to : !tmm.buffer<128x8xi32, #tcgen05.metadata<8>>) extent(%k) accumulate(%p) over #tmm.ctas<2, along = [0]> by(#tcgen05.mma)
    : <128x128xi8, #sm90.smem<k_major, b128>>, <64x256xui8, #sm90.smem<k_major, b128>>, !tmm.buffer<128x128xi32, #tcgen05.tmem<ctas = 2>>
  return
}

// CHECK-LABEL: func.func @scales
func.func @scales(%s: memref<?x?x32x4x4xf8E8M0FNU>, %a: !tmm.buffer<128x128xf8E4M3FN, #sm90.smem<k_major, b128>>,
                  %acc: !tmm.buffer<128x128xf32, #tcgen05.tmem>, %row: i32, %k: i32, %p: i1) {
  %from = tmm.alloc : <128x4xf8E8M0FNU, #sm90.smem<blocked, none>>
  %to = tmm.alloc : <128x4xf8E8M0FNU, #tcgen05.scales>
  // CHECK: tmm.load %{{.*}}[%{{.*}}, %{{.*}}], %[[FROM:.*]] blocked by(#sm90.tma) : memref<?x?x32x4x4xf8E8M0FNU>, <128x4xf8E8M0FNU, #sm90.smem<blocked, none>>
  tmm.load %s[%row, %k], %from blocked by(#sm90.tma) : memref<?x?x32x4x4xf8E8M0FNU>, <128x4xf8E8M0FNU, #sm90.smem<blocked, none>>
  // CHECK: tmm.copy %[[FROM]], %[[TO:.*]] by(#tcgen05.cp) : <128x4xf8E8M0FNU, #sm90.smem<blocked, none>>, <128x4xf8E8M0FNU, #tcgen05.scales>
  tmm.copy %from, %to by(#tcgen05.cp) : <128x4xf8E8M0FNU, #sm90.smem<blocked, none>>, <128x4xf8E8M0FNU, #tcgen05.scales>
  // CHECK: tmm.copy %{{.*}} over #tmm.ctas<2, along = [0]> by(#tcgen05.cp) role("mma")
  tmm.copy %from, %to over #tmm.ctas<2, along = [0]> by(#tcgen05.cp) role("mma") : <128x4xf8E8M0FNU, #sm90.smem<blocked, none>>, <128x4xf8E8M0FNU, #tcgen05.scales>
  // CHECK: tmm.mma %{{.*}}, %{{.*}}, %{{.*}} scales(%[[TO]], %[[TO]]) extent(%{{.*}}) accumulate(%{{.*}}) by(#tcgen05.mma)
  // CHECK-SAME: !tmm.buffer<128x128xf32, #tcgen05.tmem>, !tmm.buffer<128x4xf8E8M0FNU, #tcgen05.scales>, !tmm.buffer<128x4xf8E8M0FNU, #tcgen05.scales>
  tmm.mma %a, %a, %acc scales(%to, %to) extent(%k) accumulate(%p) by(#tcgen05.mma)
    : <128x128xf8E4M3FN, #sm90.smem<k_major, b128>>, <128x128xf8E4M3FN, #sm90.smem<k_major, b128>>, !tmm.buffer<128x128xf32, #tcgen05.tmem>,
      !tmm.buffer<128x4xf8E8M0FNU, #tcgen05.scales>, !tmm.buffer<128x4xf8E8M0FNU, #tcgen05.scales>
  return
}
