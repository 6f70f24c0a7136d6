// RUN: tc-opt %s --mlir-print-local-scope -tmm-materialize-pipelines | FileCheck %s

// Operands that several CTAs multiply as one are one pipeline of each of them:
// the span stays on the mma, from which its agents follow. A tile with other
// receivers is filled by the same loads.

!a = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
!b = !tmm.buffer<32x64xf16, #sm90.smem<k_major, none>>
!acc = !tmm.buffer<128x64xf32, #tcgen05.tmem<ctas = 2>>

// CHECK-LABEL: gpu.func @k
// CHECK-DAG: %[[RING:.*]] = tmm.pipeline : <(<128x64xf16, #sm90.smem<k_major, none>>, <32x64xf16, #sm90.smem<k_major, none>>), depth = 1>
// CHECK-DAG: %[[ACCS:.*]] = tmm.pipeline : <(<128x64xf32, #tcgen05.tmem<ctas = 2>>), depth = 1>
// CHECK: %[[ACC:.*]] = tmm.producer_acquire %[[ACCS]]
// CHECK: %[[FREE:.*]]:2 = tmm.producer_acquire %[[RING]]
// CHECK: tmm.load %{{.*}}, %[[FREE]]#0 to #tmm.ctas<2x2, along = [1]> by(#sm90.tma)
// CHECK: tmm.load %{{.*}}, %[[FREE]]#1 by(#sm90.tma)
// CHECK: tmm.producer_commit %[[RING]]
// CHECK: %[[FULL:.*]]:2 = tmm.consumer_wait %[[RING]]
// CHECK: tmm.mma %[[FULL]]#0, %[[FULL]]#1, %[[ACC]] accumulate(%{{.*}}) over #tmm.ctas<2x2, along = [0]>
// CHECK: tmm.consumer_release %[[RING]]
// CHECK: tmm.producer_commit %[[ACCS]]
// CHECK: tmm.consumer_wait %[[ACCS]]
gpu.module @m {
  gpu.func @k(%a: memref<?x?xf16>, %d: memref<?x?xf32>, %n: i32, %p: i1) kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %acc = tmm.alloc : !acc
    scf.for %i = %c0 to %n step %c1 : i32 {
      %ta = tmm.alloc : !a
      %tb = tmm.alloc : !b
      tmm.load %a[%c0, %i], %ta to #tmm.ctas<2x2, along = [1]> by(#sm90.tma) : memref<?x?xf16>, !a
      tmm.load %a[%c0, %i], %tb by(#sm90.tma) : memref<?x?xf16>, !b
      tmm.mma %ta, %tb, %acc accumulate(%p) over #tmm.ctas<2x2, along = [0]> by(#tcgen05.mma) : !a, !b, !acc
    }
    %r = tmm.read %acc[%c0] if %p : !acc -> vector<128x32xf32>
    tmm.store %r, %d[%c0, %c0] : vector<128x32xf32>, memref<?x?xf32>
    gpu.return
  }
}
