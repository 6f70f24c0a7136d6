// RUN: tc-opt %s --mlir-print-local-scope -tmm-pipeline | FileCheck %s

// Each pipeline gets the depth that it asks for; only types change.

// CHECK-LABEL: gpu.func @k
// CHECK: %[[RING:.*]] = tmm.pipeline stages(5) : <(<128x64xf16, #sm90.smem<k_major, none>>), depth = 5>
// CHECK: tmm.pipeline_start %[[RING]] : <(<128x64xf16, #sm90.smem<k_major, none>>), depth = 5>
// CHECK: tmm.pipeline stages(2) : <(<128x32xf32, #tcgen05.tmem>), depth = 2>
// CHECK: %[[STORES:.*]] = tmm.pipeline stages(3) : <(<128x32xf32, #sm90.smem<n_major, b128>>), depth = 3>
// CHECK: tmm.producer_acquire %[[STORES]]{{.*}} depth = 3>
// CHECK: tmm.producer_commit %[[STORES]]{{.*}} depth = 3>
// CHECK: tmm.consumer_wait %[[STORES]]{{.*}} depth = 3>
// CHECK: tmm.producer_tail %[[STORES]]{{.*}} depth = 3>

// CHECK-LABEL: gpu.func @without_stages
// CHECK: tmm.pipeline : <(<128x64xf16, #sm90.smem<k_major, none>>), depth = 1>

// What a cut kernel, or its author, relies on stays.
// CHECK-LABEL: gpu.func @deep
// CHECK: tmm.pipeline : <(<128x64xf16, #sm90.smem<k_major, none>>), depth = 4>
// CHECK: tmm.pipeline stages(4) : <(<128x64xf16, #sm90.smem<k_major, none>>), depth = 4>

!ring = !tmm.pipeline<(<128x64xf16, #sm90.smem<k_major, none>>), depth = 1>
!accs = !tmm.pipeline<(<128x32xf32, #tcgen05.tmem>), depth = 1>
!stores = !tmm.pipeline<(<128x32xf32, #sm90.smem<n_major, b128>>), depth = 1>
gpu.module @m {
  gpu.func @k(%d: memref<128x32xf32>, %v: vector<128x32xf32>, %i: i32) kernel {
    %ring = tmm.pipeline stages(5) : !ring
    %start = tmm.pipeline_start %ring : !ring
    %accs = tmm.pipeline stages(2) : !accs
    %stores = tmm.pipeline stages(3) : !stores
    %s = tmm.pipeline_start %stores : !stores
    %free = tmm.producer_acquire %stores[%s] : !stores
    tmm.stage %v, %free : vector<128x32xf32>, <128x32xf32, #sm90.smem<n_major, b128>>
    %s1 = tmm.producer_commit %stores[%s] : !stores
    %full = tmm.consumer_wait %stores[%s] : !stores
    tmm.unload %full, %d[%i, %i] by(#sm90.tma_store) : <128x32xf32, #sm90.smem<n_major, b128>>, memref<128x32xf32>
    tmm.producer_tail %stores[%s1] : !stores
    gpu.return
  }
  gpu.func @without_stages() kernel {
    %ring = tmm.pipeline : !ring
    gpu.return
  }
  gpu.func @deep() kernel {
    %ring = tmm.pipeline : !tmm.pipeline<(<128x64xf16, #sm90.smem<k_major, none>>), depth = 4>
    %other = tmm.pipeline stages(4) : !tmm.pipeline<(<128x64xf16, #sm90.smem<k_major, none>>), depth = 4>
    gpu.return
  }
}
