// RUN: tc-opt %s --mlir-print-local-scope -tmm-materialize-pipelines | FileCheck %s

// The operands of an iteration share a pipeline, the accumulator has its own.
// States are carried through both loops, the tails end the kernel, and nothing
// is peeled.

// CHECK-LABEL: gpu.func @k
// CHECK-DAG: %[[RING:.*]] = tmm.pipeline : <(<128x64xf16, #sm90.smem<k_major, none>>, <32x64xf16, #sm90.smem<k_major, none>>), depth = 1>
// CHECK-DAG: %[[ACCS:.*]] = tmm.pipeline : <(<128x32xf32, #tcgen05.tmem>), depth = 1>
// CHECK: %[[W:.*]]:5 = scf.while (%{{.*}}, %[[PA:.*]] = %{{.*}}, %[[CA:.*]] = %{{.*}}, %[[PR:.*]] = %{{.*}}, %[[CR:.*]] = %{{.*}})
// CHECK: do
// CHECK: ^bb0(%{{.*}}: i32, %[[P:.*]]: !tmm.pipeline_state, %[[C:.*]]: !tmm.pipeline_state, %[[RP:.*]]: !tmm.pipeline_state, %[[RC:.*]]: !tmm.pipeline_state):
// CHECK: %[[ACC:.*]] = tmm.producer_acquire %[[ACCS]][%[[P]]]
// CHECK: %[[LOOP:.*]]:2 = scf.for {{.*}} iter_args(%[[IP:.*]] = %[[RP]], %[[IC:.*]] = %[[RC]])
// CHECK-NEXT: %[[FREE:.*]]:2 = tmm.producer_acquire %[[RING]][%[[IP]]]
// CHECK-NEXT: tmm.load %{{.*}}, %[[FREE]]#0
// CHECK-NEXT: tmm.load %{{.*}}, %[[FREE]]#1
// CHECK-NEXT: %[[PRODUCED:.*]] = tmm.producer_commit %[[RING]][%[[IP]]]
// CHECK-NEXT: %[[FULL:.*]]:2 = tmm.consumer_wait %[[RING]][%[[IC]]]
// CHECK-NEXT: tmm.mma %[[FULL]]#0, %[[FULL]]#1, %[[ACC]]
// CHECK-NEXT: %[[CONSUMED:.*]] = tmm.consumer_release %[[RING]][%[[IC]]]
// CHECK-NEXT: scf.yield %[[PRODUCED]], %[[CONSUMED]]
// CHECK: %[[ACCP:.*]] = tmm.producer_commit %[[ACCS]][%[[P]]]
// CHECK: %[[DONE:.*]] = tmm.consumer_wait %[[ACCS]][%[[C]]]
// CHECK: tmm.read %[[DONE]]
// CHECK: %[[ACCC:.*]] = tmm.consumer_release %[[ACCS]][%[[C]]]
// CHECK: scf.yield %{{.*}}, %[[ACCP]], %[[ACCC]], %[[LOOP]]#0, %[[LOOP]]#1
// CHECK: tmm.producer_tail %[[ACCS]][%[[W]]#1]
// CHECK: tmm.producer_tail %[[RING]][%[[W]]#3]
// CHECK-NOT: tmm.alloc
gpu.module @m {
  gpu.func @k(%a: memref<?x?xf16>, %d: memref<?x?xf32>, %n: i32, %p: i1) kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %w = scf.while (%t = %c0) : (i32) -> i32 {
      %more = arith.cmpi ult, %t, %n : i32
      scf.condition(%more) %t : i32
    } do {
    ^bb0(%t: i32):
      %acc = tmm.alloc : <128x32xf32, #tcgen05.tmem>
      scf.for %i = %c0 to %n step %c1 : i32 {
        %ta = tmm.alloc : <128x64xf16, #sm90.smem<k_major, none>>
        %tb = tmm.alloc : <32x64xf16, #sm90.smem<k_major, none>>
        tmm.load %a[%t, %i], %ta by(#sm90.tma) : memref<?x?xf16>, <128x64xf16, #sm90.smem<k_major, none>>
        tmm.load %a[%t, %i], %tb by(#sm90.tma) : memref<?x?xf16>, <32x64xf16, #sm90.smem<k_major, none>>
        tmm.mma %ta, %tb, %acc accumulate(%p) by(#tcgen05.mma) : <128x64xf16, #sm90.smem<k_major, none>>, <32x64xf16, #sm90.smem<k_major, none>>, !tmm.buffer<128x32xf32, #tcgen05.tmem>
      }
      %r = tmm.read %acc[%c0] if %p : <128x32xf32, #tcgen05.tmem> -> vector<128x32xf32>
      tmm.store %r, %d[%t, %c0] : vector<128x32xf32>, memref<?x?xf32>
      %next = arith.addi %t, %c1 : i32
      scf.yield %next : i32
    }
    gpu.return
  }
}

// Two buffers with the same engines: the second is filled after the first was emptied,
// so each has a pipeline.
// CHECK-LABEL: gpu.func @one_after_the_other
// CHECK: tmm.producer_acquire %[[FIRST:.*]][
// CHECK: tmm.consumer_wait %[[FIRST]][
// CHECK: tmm.consumer_release %[[FIRST]][
// CHECK: tmm.producer_acquire %[[SECOND:.*]][
// CHECK: tmm.consumer_wait %[[SECOND]][
// CHECK: tmm.consumer_release %[[SECOND]][
gpu.module @n {
  gpu.func @one_after_the_other(%d: memref<?x?xf32>, %v: vector<128x32xf32>, %i: i32) kernel {
    %first = tmm.alloc : <128x32xf32, #sm90.smem<n_major, b128>>
    tmm.stage %v, %first : vector<128x32xf32>, <128x32xf32, #sm90.smem<n_major, b128>>
    tmm.unload %first, %d[%i, %i] by(#sm90.tma_store) : <128x32xf32, #sm90.smem<n_major, b128>>, memref<?x?xf32>
    %second = tmm.alloc : <128x32xf32, #sm90.smem<n_major, b128>>
    tmm.stage %v, %second : vector<128x32xf32>, <128x32xf32, #sm90.smem<n_major, b128>>
    tmm.unload %second, %d[%i, %i] by(#sm90.tma_store) : <128x32xf32, #sm90.smem<n_major, b128>>, memref<?x?xf32>
    gpu.return
  }
}

// A has slots of its own where they are released when they have been read.
// CHECK-LABEL: gpu.func @on_read
// CHECK-DAG: %[[A:.*]] = tmm.pipeline stages(4) release_on_read : <(<128x64xf16
// CHECK-DAG: %[[B:.*]] = tmm.pipeline stages(4) : <(<32x64xf16
// CHECK: tmm.mma
// CHECK-NEXT: tmm.consumer_release %[[B]]
// CHECK-NEXT: tmm.consumer_release %[[A]]
gpu.module @o {
  gpu.func @on_read(%a: memref<?x?xf16>, %n: i32, %p: i1, %acc: !tmm.buffer<128x32xf32, #tcgen05.tmem>) kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %ta = tmm.alloc stages(4) release_on_read : <128x64xf16, #sm90.smem<k_major, none>>
      %tb = tmm.alloc stages(4) : <32x64xf16, #sm90.smem<k_major, none>>
      tmm.load %a[%i, %i], %ta by(#sm90.tma) : memref<?x?xf16>, <128x64xf16, #sm90.smem<k_major, none>>
      tmm.load %a[%i, %i], %tb by(#sm90.tma) : memref<?x?xf16>, <32x64xf16, #sm90.smem<k_major, none>>
      tmm.mma %ta, %tb, %acc accumulate(%p) by(#tcgen05.mma) : <128x64xf16, #sm90.smem<k_major, none>>, <32x64xf16, #sm90.smem<k_major, none>>, !tmm.buffer<128x32xf32, #tcgen05.tmem>
    }
    gpu.return
  }
}
