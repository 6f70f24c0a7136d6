// RUN: tc-opt %s --mlir-print-local-scope -tmm-materialize-pipelines | FileCheck %s

// Scale factors are part of a slot with the operands, although another engine
// reads them: one commit covers both. Their columns are a ring of their own, with
// a depth of its own, whose two ends are ops of one role.

#pair = #tmm.ctas<2, along = [0]>
!a = !tmm.buffer<128x256xf8E4M3FN, #sm90.smem<k_major, b128>>
!fa = !tmm.buffer<128x8xf8E8M0FNU, #sm90.smem<blocked, none>>
!fb = !tmm.buffer<256x8xf8E8M0FNU, #sm90.smem<blocked, none>>
!ca = !tmm.buffer<128x8xf8E8M0FNU, #tcgen05.scales>
!cb = !tmm.buffer<256x8xf8E8M0FNU, #tcgen05.scales>
!acc = !tmm.buffer<128x256xf32, #tcgen05.tmem<ctas = 2>>

// CHECK-LABEL: gpu.func @k
// CHECK-DAG: %[[RING:.*]] = tmm.pipeline stages(4) : <(<128x256xf8E4M3FN, #sm90.smem<k_major, b128>>, <128x256xf8E4M3FN, #sm90.smem<k_major, b128>>, <128x8xf8E8M0FNU, #sm90.smem<blocked, none>>, <256x8xf8E8M0FNU, #sm90.smem<blocked, none>>), depth = 1>
// CHECK-DAG: %[[SCALES:.*]] = tmm.pipeline stages(2) : <(<128x8xf8E8M0FNU, #tcgen05.scales>, <256x8xf8E8M0FNU, #tcgen05.scales>), depth = 1>
// CHECK: scf.for
// CHECK: %[[FREE:.*]]:4 = tmm.producer_acquire %[[RING]]
// CHECK: tmm.load %{{.*}}, %[[FREE]]#2 blocked by(#sm90.tma)
// CHECK: tmm.load %{{.*}}, %[[FREE]]#3 blocked by(#sm90.tma)
// CHECK-NEXT: tmm.producer_commit %[[RING]]
// CHECK-NEXT: %[[FULL:.*]]:4 = tmm.consumer_wait %[[RING]]
// CHECK-NEXT: %[[COLUMNS:.*]]:2 = tmm.producer_acquire %[[SCALES]]
// CHECK-NEXT: tmm.copy %[[FULL]]#2, %[[COLUMNS]]#0 over #tmm.ctas<2, along = [0]>
// CHECK-NEXT: tmm.copy %[[FULL]]#3, %[[COLUMNS]]#1 over #tmm.ctas<2, along = [0]>
// CHECK-NEXT: tmm.producer_commit %[[SCALES]]
// CHECK-NEXT: %[[FACTORS:.*]]:2 = tmm.consumer_wait %[[SCALES]]
// CHECK-NEXT: tmm.mma %[[FULL]]#0, %[[FULL]]#1, %{{.*}} scales(%[[FACTORS]]#0, %[[FACTORS]]#1) extent(%{{.*}})
// CHECK-NEXT: tmm.consumer_release %[[SCALES]]
// CHECK-NEXT: tmm.consumer_release %[[RING]]
gpu.module @m {
  gpu.func @k(%a: memref<?x?xf8E4M3FN>, %s: memref<?x?x32x4x4xf8E8M0FNU>, %d: memref<?x?xf32>, %n: i32, %p: i1) kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %acc = tmm.alloc : !acc
    scf.for %i = %c0 to %n step %c1 : i32 {
      %ta = tmm.alloc stages(4) : !a
      %tb = tmm.alloc stages(4) : !a
      %fa = tmm.alloc stages(4) : !fa
      %fb = tmm.alloc stages(4) : !fb
      %ca = tmm.alloc stages(2) : !ca
      %cb = tmm.alloc stages(2) : !cb
      tmm.load %a[%c0, %i], %ta by(#sm90.tma) : memref<?x?xf8E4M3FN>, !a
      tmm.load %a[%c0, %i], %tb by(#sm90.tma) : memref<?x?xf8E4M3FN>, !a
      tmm.load %s[%c0, %i], %fa blocked by(#sm90.tma) : memref<?x?x32x4x4xf8E8M0FNU>, !fa
      tmm.load %s[%c0, %i], %fb blocked by(#sm90.tma) : memref<?x?x32x4x4xf8E8M0FNU>, !fb
      tmm.copy %fa, %ca over #pair by(#tcgen05.cp) : !fa, !ca
      tmm.copy %fb, %cb over #pair by(#tcgen05.cp) : !fb, !cb
      tmm.mma %ta, %tb, %acc scales(%ca, %cb) extent(%n) accumulate(%p) over #pair by(#tcgen05.mma) : !a, !a, !acc, !ca, !cb
    }
    %r = tmm.read %acc[%c0] if %p : !acc -> vector<128x32xf32>
    tmm.store %r, %d[%c0, %c0] : vector<128x32xf32>, memref<?x?xf32>
    gpu.return
  }
}
