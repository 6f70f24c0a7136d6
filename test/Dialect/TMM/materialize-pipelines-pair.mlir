// RUN: tc-opt %s -tmm-materialize-pipelines | FileCheck %s

// The scope of a pipeline is that of the ops that use its buffers: a pair's mma
// makes the pipelines of its operands and of its accumulator the pair's.

// CHECK-LABEL: gpu.func @k
// CHECK-DAG: tmm.pipeline : <(<128x64xf16, smem>, <32x64xf16, smem>), depth = 1, scope = pair>
// CHECK-DAG: tmm.pipeline : <(<128x64xf32, tmem>), depth = 1, scope = pair>
// CHECK: tmm.mma {{.*}} pair
gpu.module @m {
  gpu.func @k(%a: memref<?x?xf16>, %d: memref<?x?xf32>, %n: i32, %p: i1) kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %acc = tmm.alloc : <128x64xf32, tmem>
    scf.for %i = %c0 to %n step %c1 : i32 {
      %ta = tmm.alloc : <128x64xf16, smem>
      %tb = tmm.alloc : <32x64xf16, smem>
      tmm.load %a[%c0, %i], %ta : memref<?x?xf16>, <128x64xf16, smem>
      tmm.load %a[%c0, %i], %tb : memref<?x?xf16>, <32x64xf16, smem>
      tmm.mma %ta, %tb, %acc accumulate(%p) pair : <128x64xf16, smem>, <32x64xf16, smem>, <128x64xf32, tmem>
    }
    %r = tmm.read %acc[%c0] if %p : <128x64xf32, tmem> -> vector<128x32xf32>
    tmm.store %r, %d[%c0, %c0] : vector<128x32xf32>, memref<?x?xf32>
    gpu.return
  }
}
