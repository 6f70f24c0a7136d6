// RUN: tc-opt %s -tmm-release-early | FileCheck %s

// The accumulator is released in the last iteration, after its last reader and
// before what the iteration does with the data; the loop passes on the state.

// CHECK-LABEL: gpu.func @columns
// CHECK: %[[ACC:.*]] = tmm.consumer_wait %[[ACCS:.*]][%[[S:.*]]] :
// CHECK: %[[LOOP:.*]]:2 = scf.for %[[J:.*]] = %c0_i32 to %c128_i32 step %c32_i32 iter_args(%[[N:.*]] = %c0_i32, %[[C:.*]] = %[[S]])
// CHECK:   tmm.read %[[ACC]]
// CHECK:   tmm.read %[[ACC]]
// CHECK:   %[[LAST:.*]] = arith.cmpi eq, %[[J]], %c96_i32
// CHECK:   %[[NEXT:.*]] = scf.if %[[LAST]]
// CHECK:     %[[RELEASED:.*]] = tmm.consumer_release %[[ACCS]][%[[C]]]
// CHECK:     scf.yield %[[RELEASED]]
// CHECK:   } else {
// CHECK:     scf.yield %[[C]]
// CHECK:   }
// CHECK:   tmm.store
// CHECK:   scf.yield %{{.*}}, %[[NEXT]]
// CHECK: }
// CHECK-NOT: tmm.consumer_release
// CHECK: tmm.consumer_wait %[[ACCS]][%[[LOOP]]#1]

// An uneven step: the last iteration starts at 48.
// CHECK-LABEL: gpu.func @uneven
// CHECK: scf.for %[[J:.*]] = %c0_i32
// CHECK:   arith.cmpi eq, %[[J]], %c48_i32

// The last iteration is not known, nor whether there is one.
// CHECK-LABEL: gpu.func @dynamic_bound
// CHECK: scf.for
// CHECK: }
// CHECK: tmm.consumer_release

// A second loop still reads the slot.
// CHECK-LABEL: gpu.func @two_loops
// CHECK: scf.for
// CHECK: scf.for
// CHECK: }
// CHECK: tmm.consumer_release

// Another engine reads: its release completes later whatever its place.
// CHECK-LABEL: gpu.func @tensor_core
// CHECK: scf.for
// CHECK: }
// CHECK: tmm.consumer_release

// Unsigned, the bounds are in the wrong order: there is no iteration.
// CHECK-LABEL: gpu.func @unsigned_bounds
// CHECK: scf.for unsigned
// CHECK: }
// CHECK: tmm.consumer_release
gpu.module @m {
  gpu.func @columns(%d: memref<128x128xf32>, %p: i1) kernel {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %c128 = arith.constant 128 : i32
    %accs = tmm.pipeline : <(<128x128xf32, #tcgen05.tmem>), depth = 2>
    %s = tmm.pipeline_start %accs : <(<128x128xf32, #tcgen05.tmem>), depth = 2>
    %acc = tmm.consumer_wait %accs[%s] : <(<128x128xf32, #tcgen05.tmem>), depth = 2>
    %n = scf.for %j = %c0 to %c128 step %c32 iter_args(%i = %c0) -> (i32) : i32 {
      %r = tmm.read %acc[%j] if %p : <128x128xf32, #tcgen05.tmem> -> vector<128x16xf32>
      %u = tmm.read %acc[%j] if %p : <128x128xf32, #tcgen05.tmem> -> vector<128x16xf32>
      %t = arith.addf %r, %u : vector<128x16xf32>
      tmm.store %t, %d[%c0, %j] : vector<128x16xf32>, memref<128x128xf32>
      %k = arith.addi %i, %j : i32
      scf.yield %k : i32
    }
    %s1 = tmm.consumer_release %accs[%s] : <(<128x128xf32, #tcgen05.tmem>), depth = 2>
    %next = tmm.consumer_wait %accs[%s1] : <(<128x128xf32, #tcgen05.tmem>), depth = 2>
    gpu.return
  }
  gpu.func @uneven(%d: memref<128x128xf32>, %p: i1) kernel {
    %c0 = arith.constant 0 : i32
    %c16 = arith.constant 16 : i32
    %c60 = arith.constant 60 : i32
    %accs = tmm.pipeline : <(<128x128xf32, #tcgen05.tmem>), depth = 2>
    %s = tmm.pipeline_start %accs : <(<128x128xf32, #tcgen05.tmem>), depth = 2>
    %acc = tmm.consumer_wait %accs[%s] : <(<128x128xf32, #tcgen05.tmem>), depth = 2>
    scf.for %j = %c0 to %c60 step %c16 : i32 {
      %r = tmm.read %acc[%j] if %p : <128x128xf32, #tcgen05.tmem> -> vector<128x16xf32>
      tmm.store %r, %d[%c0, %j] : vector<128x16xf32>, memref<128x128xf32>
    }
    %s1 = tmm.consumer_release %accs[%s] : <(<128x128xf32, #tcgen05.tmem>), depth = 2>
    gpu.return
  }
  gpu.func @dynamic_bound(%d: memref<128x128xf32>, %p: i1, %n: i32) kernel {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %accs = tmm.pipeline : <(<128x128xf32, #tcgen05.tmem>), depth = 2>
    %s = tmm.pipeline_start %accs : <(<128x128xf32, #tcgen05.tmem>), depth = 2>
    %acc = tmm.consumer_wait %accs[%s] : <(<128x128xf32, #tcgen05.tmem>), depth = 2>
    scf.for %j = %c0 to %n step %c32 : i32 {
      %r = tmm.read %acc[%j] if %p : <128x128xf32, #tcgen05.tmem> -> vector<128x32xf32>
      tmm.store %r, %d[%c0, %j] : vector<128x32xf32>, memref<128x128xf32>
    }
    %s1 = tmm.consumer_release %accs[%s] : <(<128x128xf32, #tcgen05.tmem>), depth = 2>
    gpu.return
  }
  gpu.func @two_loops(%d: memref<128x128xf32>, %p: i1) kernel {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %c128 = arith.constant 128 : i32
    %accs = tmm.pipeline : <(<128x128xf32, #tcgen05.tmem>), depth = 2>
    %s = tmm.pipeline_start %accs : <(<128x128xf32, #tcgen05.tmem>), depth = 2>
    %acc = tmm.consumer_wait %accs[%s] : <(<128x128xf32, #tcgen05.tmem>), depth = 2>
    scf.for %j = %c0 to %c128 step %c32 : i32 {
      %r = tmm.read %acc[%j] if %p : <128x128xf32, #tcgen05.tmem> -> vector<128x32xf32>
      tmm.store %r, %d[%c0, %j] : vector<128x32xf32>, memref<128x128xf32>
    }
    scf.for %j = %c0 to %c128 step %c32 : i32 {
      %r = tmm.read %acc[%j] if %p : <128x128xf32, #tcgen05.tmem> -> vector<128x32xf32>
      tmm.store %r, %d[%c0, %j] : vector<128x32xf32>, memref<128x128xf32>
    }
    %s1 = tmm.consumer_release %accs[%s] : <(<128x128xf32, #tcgen05.tmem>), depth = 2>
    gpu.return
  }
  gpu.func @tensor_core(%p: i1) kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %acc = tmm.alloc : <128x64xf32, #tcgen05.tmem>
    %ring = tmm.pipeline : <(<128x64xf16, #sm90.smem<k_major, none>>, <64x64xf16, #sm90.smem<k_major, none>>), depth = 2>
    %s = tmm.pipeline_start %ring : <(<128x64xf16, #sm90.smem<k_major, none>>, <64x64xf16, #sm90.smem<k_major, none>>), depth = 2>
    %a, %b = tmm.consumer_wait %ring[%s] : <(<128x64xf16, #sm90.smem<k_major, none>>, <64x64xf16, #sm90.smem<k_major, none>>), depth = 2>
    scf.for %j = %c0 to %c4 step %c1 : i32 {
      tmm.mma %a, %b, %acc accumulate(%p) by(#tcgen05.mma) : <128x64xf16, #sm90.smem<k_major, none>>, <64x64xf16, #sm90.smem<k_major, none>>, !tmm.buffer<128x64xf32, #tcgen05.tmem>
    }
    %s1 = tmm.consumer_release %ring[%s] : <(<128x64xf16, #sm90.smem<k_major, none>>, <64x64xf16, #sm90.smem<k_major, none>>), depth = 2>
    gpu.return
  }
  gpu.func @unsigned_bounds(%d: memref<128x128xf32>, %p: i1) kernel {
    %c0 = arith.constant -16 : i32
    %c16 = arith.constant 16 : i32
    %c60 = arith.constant 60 : i32
    %accs = tmm.pipeline : <(<128x128xf32, #tcgen05.tmem>), depth = 2>
    %s = tmm.pipeline_start %accs : <(<128x128xf32, #tcgen05.tmem>), depth = 2>
    %acc = tmm.consumer_wait %accs[%s] : <(<128x128xf32, #tcgen05.tmem>), depth = 2>
    scf.for unsigned %j = %c0 to %c60 step %c16 : i32 {
      %r = tmm.read %acc[%j] if %p : <128x128xf32, #tcgen05.tmem> -> vector<128x16xf32>
      tmm.store %r, %d[%c0, %j] : vector<128x16xf32>, memref<128x128xf32>
    }
    %s1 = tmm.consumer_release %accs[%s] : <(<128x128xf32, #tcgen05.tmem>), depth = 2>
    gpu.return
  }

  // A release that is before the loop is the program's.
  // CHECK-LABEL: gpu.func @before_loop
  // CHECK: tmm.consumer_release
  // CHECK: scf.for
  // CHECK-NOT: tmm.consumer_release
  gpu.func @before_loop(%d: memref<128x128xf32>, %p: i1) kernel {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %c128 = arith.constant 128 : i32
    %accs = tmm.pipeline : <(<128x128xf32, #tcgen05.tmem>), depth = 2>
    %s = tmm.pipeline_start %accs : <(<128x128xf32, #tcgen05.tmem>), depth = 2>
    %acc = tmm.consumer_wait %accs[%s] : <(<128x128xf32, #tcgen05.tmem>), depth = 2>
    %s1 = tmm.consumer_release %accs[%s] : <(<128x128xf32, #tcgen05.tmem>), depth = 2>
    %n = scf.for %j = %c0 to %c128 step %c32 iter_args(%i = %c0) -> (i32) : i32 {
      %r = tmm.read %acc[%j] if %p : <128x128xf32, #tcgen05.tmem> -> vector<128x16xf32>
      %u = tmm.read %acc[%j] if %p : <128x128xf32, #tcgen05.tmem> -> vector<128x16xf32>
      %t = arith.addf %r, %u : vector<128x16xf32>
      tmm.store %t, %d[%c0, %j] : vector<128x16xf32>, memref<128x128xf32>
      %k = arith.addi %i, %j : i32
      scf.yield %k : i32
    }
    %next = tmm.consumer_wait %accs[%s1] : <(<128x128xf32, #tcgen05.tmem>), depth = 2>
    gpu.return
  }
}
