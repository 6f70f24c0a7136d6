// RUN: tc-opt %s --mlir-print-local-scope --tmm-distribute --convert-tmm-tiles --canonicalize --cse | FileCheck %s

// A warp has 32 rows of A, and all of B, in a step of 16 along K.
// CHECK-LABEL: gpu.func @steps
// CHECK-DAG: %[[A:.*]] = sm90.smem_view %{{.*}} to memref<128x32xbf16
// CHECK-DAG: %[[B:.*]] = sm90.smem_view %{{.*}} to memref<24x32xbf16
// CHECK: %[[WARP:.*]] = arith.divui %{{.*}}, %c32
// CHECK: %[[ROW:.*]] = arith.muli %[[WARP]], %c32
// CHECK: %[[D:.*]] = sm80.mma_sync %{{.*}}, %[[A]], %[[B]] row(%[[ROW]]) : vector<24xf32>
// CHECK: sm80.mma_sync %[[D]], %[[A]], %[[B]] row(%[[ROW]]) {a_k = 16 : i64, b_k = 16 : i64} : vector<24xf32>
// CHECK-NOT: sm80.mma_sync

// An accumulator that is to be overwritten is zero before.
// CHECK-LABEL: gpu.func @starts
// CHECK-SAME: %[[OLD:[a-z0-9]+]]: vector<24xf32>, %[[MORE:[a-z0-9]+]]: i1
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<24xf32>
// CHECK: %[[FIRST:.*]] = arith.select %[[MORE]], %[[OLD]], %[[ZERO]]
// CHECK: sm80.mma_sync %[[FIRST]]
!a = !tmm.buffer<128x32xbf16, #sm90.smem<k_major, b64>>
!b = !tmm.buffer<24x32xbf16, #sm90.smem<k_major, b64>>
gpu.module @kernels {
  gpu.func @steps(%index: i32, %acc: vector<24xf32>, %out: memref<24xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %true = arith.constant true
    %as = tmm.storage : !tmm.storage<!a, depth = 4>
    %bs = tmm.storage : !tmm.storage<!b, depth = 4>
    %a = tmm.slot %as[%index] : !tmm.storage<!a, depth = 4>
    %b = tmm.slot %bs[%index] : !tmm.storage<!b, depth = 4>
    %new = tmm.mma %a, %b, %acc accumulate(%true) by(#sm80.mma_sync) layout(#sm80.mma_layout<32>)
      : !a, !b, vector<24xf32> -> vector<24xf32>
    %c0 = arith.constant 0 : index
    vector.store %new, %out[%c0] : memref<24xf32>, vector<24xf32>
    gpu.return
  }
  gpu.func @starts(%index: i32, %acc: vector<24xf32>, %more: i1, %out: memref<24xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %as = tmm.storage : !tmm.storage<!a, depth = 4>
    %bs = tmm.storage : !tmm.storage<!b, depth = 4>
    %a = tmm.slot %as[%index] : !tmm.storage<!a, depth = 4>
    %b = tmm.slot %bs[%index] : !tmm.storage<!b, depth = 4>
    %new = tmm.mma %a, %b, %acc accumulate(%more) by(#sm80.mma_sync) layout(#sm80.mma_layout<32>)
      : !a, !b, vector<24xf32> -> vector<24xf32>
    %c0 = arith.constant 0 : index
    vector.store %new, %out[%c0] : memref<24xf32>, vector<24xf32>
    gpu.return
  }
}
