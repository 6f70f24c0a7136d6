// RUN: tc-opt %s --mlir-print-local-scope -tmm-assign-roles -tmm-materialize-pipelines | FileCheck %s
// RUN: tc-opt %s --mlir-print-local-scope -tmm-assign-roles -tmm-materialize-pipelines -tmm-warp-specialize -canonicalize | FileCheck %s --check-prefix=ROLES

// The store buffer becomes a ring between the threads and the TMA store, with both
// ends in the loop over columns.

#out = #sm90.smem<n_major, b64>

// CHECK-LABEL: gpu.func @k
// CHECK: %[[RING:.*]] = tmm.pipeline stages(2) : <(<128x32xbf16, #sm90.smem<n_major, b64>>), depth = 1>
// CHECK: %[[LOOP:.*]]:2 = scf.for {{.*}} iter_args(%[[P:.*]] = %{{.*}}, %[[C:.*]] = %{{.*}})
// CHECK: %[[FREE:.*]] = tmm.producer_acquire %[[RING]][%[[P]]]
// CHECK-NEXT: tmm.stage %{{.*}}, %[[FREE]]
// CHECK-NEXT: %[[PRODUCED:.*]] = tmm.producer_commit %[[RING]][%[[P]]]
// CHECK-NEXT: %[[FULL:.*]] = tmm.consumer_wait %[[RING]][%[[C]]]
// CHECK-NEXT: tmm.unload %[[FULL]]
// CHECK-NEXT: %[[CONSUMED:.*]] = tmm.consumer_release %[[RING]][%[[C]]]
// CHECK-NEXT: scf.yield %[[PRODUCED]], %[[CONSUMED]]
// CHECK: tmm.producer_tail %[[RING]][%[[LOOP]]#0]

// A bulk group belongs to the thread that commits it: both ends
// are of the role that drives the threads and the store.
// ROLES-LABEL: gpu.func @k
// ROLES: tmm.warp_specialize "epilogue" warps(4) {
// ROLES:   tmm.producer_acquire
// ROLES:   tmm.stage
// ROLES:   tmm.producer_commit
// ROLES:   tmm.consumer_wait
// ROLES:   tmm.unload
// ROLES:   tmm.consumer_release
// ROLES:   tmm.producer_tail
// ROLES: } "load" warps(1) elected {
// ROLES-NOT: tmm.unload
// ROLES-NOT: tmm.producer_tail
// ROLES: gpu.return
gpu.module @m {
  gpu.func @k(%d: memref<128x128xbf16>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    tmm.role "epilogue" warps(4) drives [#tmm.threads, #sm90.tma_store]
    tmm.role "load" warps(1) drives [#sm90.tma]
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %c128 = arith.constant 128 : i32
    %v = arith.constant dense<1.0> : vector<128x32xbf16>
    scf.for %j = %c0 to %c128 step %c32 : i32 {
      %t = tmm.alloc stages(2) : <128x32xbf16, #out>
      tmm.stage %v, %t : vector<128x32xbf16>, <128x32xbf16, #out>
      tmm.unload %t, %d[%c0, %j] by(#sm90.tma_store) : <128x32xbf16, #out>, memref<128x128xbf16>
    }
    gpu.return
  }
}
