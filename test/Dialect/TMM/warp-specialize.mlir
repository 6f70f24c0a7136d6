// RUN: tc-opt %s --mlir-print-local-scope -tmm-assign-roles -tmm-warp-specialize -canonicalize | FileCheck %s

// Each role gets the loops and what belongs to it; the states of the ends that
// a role does not hold are gone from its loops. Every launch has the threads of
// all roles.

#smem = #sm90.smem<k_major, b128>

// CHECK-LABEL: func.func @host
// CHECK-COUNT-2: gpu.launch_func {{.*}} threads in (%c192, %c1, %c1)
// CHECK-LABEL: gpu.func @k
// CHECK-SAME: known_block_size = array<i32: 192, 1, 1>
// CHECK: %[[RING:.*]] = tmm.pipeline : <(<128x64xf16, #sm90.smem<k_major, b128>>), depth = 3>
// CHECK: %[[ACCS:.*]] = tmm.pipeline : <(<128x128xf32, #tcgen05.tmem>), depth = 2>

// CHECK: tmm.warp_specialize "epilogue" warps(4) {
// CHECK-NOT: scf.for
// CHECK:   %[[DONE:.*]] = tmm.consumer_wait %[[ACCS]]
// CHECK:   tmm.read %[[DONE]]
// CHECK:   tmm.store
// CHECK:   tmm.consumer_release %[[ACCS]]
// CHECK-NOT: tmm.

// CHECK: } "load" warps(1) elected {
// CHECK:   %[[L:.*]] = scf.for {{.*}} iter_args(%[[P:.*]] = %{{.*}}) -> (!tmm.pipeline_state)
// CHECK:     tmm.producer_acquire %[[RING]][%[[P]]]
// CHECK:     tmm.load
// CHECK:     %[[P1:.*]] = tmm.producer_commit %[[RING]][%[[P]]]
// CHECK:     scf.yield %[[P1]]
// CHECK:   tmm.producer_tail %[[RING]][%[[L]]]

// CHECK: } "mma" warps(1) elected {
// CHECK:   %[[ACC:.*]] = tmm.producer_acquire %[[ACCS]]
// CHECK:   scf.for {{.*}} iter_args(%[[C:.*]] = %{{.*}}) -> (!tmm.pipeline_state)
// CHECK:     %[[FULL:.*]] = tmm.consumer_wait %[[RING]][%[[C]]]
// CHECK:     tmm.mma %[[FULL]], %[[FULL]], %[[ACC]]
// CHECK:     tmm.consumer_release %[[RING]][%[[C]]]
// CHECK:   %[[NEXT:.*]] = tmm.producer_commit %[[ACCS]]
// CHECK:   tmm.producer_tail %[[ACCS]][%[[NEXT]]]
// CHECK: gpu.return

// CHECK-LABEL: gpu.func @without_roles
// CHECK-NOT: tmm.warp_specialize
module attributes {gpu.container_module} {
  func.func @host(%a: memref<128x512xf16>, %d: memref<128x128xf32>, %n: i32) {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1)
      args(%a : memref<128x512xf16>, %d : memref<128x128xf32>, %n : i32)
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1)
      args(%a : memref<128x512xf16>, %d : memref<128x128xf32>, %n : i32)
    return
  }
  gpu.module @m {
    gpu.func @k(%a: memref<128x512xf16>, %d: memref<128x128xf32>, %n: i32) kernel
        attributes {known_block_size = array<i32: 128, 1, 1>} {
      tmm.role "epilogue" warps(4) drives [#tmm.threads]
      tmm.role "load" warps(1) drives [#sm90.tma]
      tmm.role "mma" warps(1) drives [#tcgen05.mma]
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %true = arith.constant true
      %ring = tmm.pipeline : <(<128x64xf16, #smem>), depth = 3>
      %accs = tmm.pipeline : <(<128x128xf32, #tcgen05.tmem>), depth = 2>
      %p0 = tmm.pipeline_start %ring : <(<128x64xf16, #smem>), depth = 3>
      %q0 = tmm.pipeline_start %accs : <(<128x128xf32, #tcgen05.tmem>), depth = 2>
      %acc = tmm.producer_acquire %accs[%q0] : <(<128x128xf32, #tcgen05.tmem>), depth = 2>
      %s:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %p0, %c = %p0) -> (!tmm.pipeline_state, !tmm.pipeline_state) : i32 {
        %t = tmm.producer_acquire %ring[%p] : <(<128x64xf16, #smem>), depth = 3>
        tmm.load %a[%c0, %i], %t by(#sm90.tma) : memref<128x512xf16>, <128x64xf16, #smem>
        %p1 = tmm.producer_commit %ring[%p] : <(<128x64xf16, #smem>), depth = 3>
        %u = tmm.consumer_wait %ring[%c] : <(<128x64xf16, #smem>), depth = 3>
        tmm.mma %u, %u, %acc accumulate(%true) by(#tcgen05.mma) : <128x64xf16, #smem>, <128x64xf16, #smem>, !tmm.buffer<128x128xf32, #tcgen05.tmem>
        %n1 = tmm.consumer_release %ring[%c] : <(<128x64xf16, #smem>), depth = 3>
        scf.yield %p1, %n1 : !tmm.pipeline_state, !tmm.pipeline_state
      }
      %q1 = tmm.producer_commit %accs[%q0] : <(<128x128xf32, #tcgen05.tmem>), depth = 2>
      %done = tmm.consumer_wait %accs[%q0] : <(<128x128xf32, #tcgen05.tmem>), depth = 2>
      %r = tmm.read %done[%c0] if %true : <128x128xf32, #tcgen05.tmem> -> vector<128x32xf32>
      tmm.store %r, %d[%c0, %c0] : vector<128x32xf32>, memref<128x128xf32>
      %e1 = tmm.consumer_release %accs[%q0] : <(<128x128xf32, #tcgen05.tmem>), depth = 2>
      tmm.producer_tail %ring[%s#0] : <(<128x64xf16, #smem>), depth = 3>
      tmm.producer_tail %accs[%q1] : <(<128x128xf32, #tcgen05.tmem>), depth = 2>
      gpu.return
    }
    gpu.func @without_roles() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      gpu.return
    }
  }
}

// A role runs in the first CTA alone where all of its ops span the same ones.
// CHECK-LABEL: gpu.func @spans
// CHECK: tmm.warp_specialize "same" warps(1) elected over #tmm.ctas<2, along = [0]> {
// CHECK: } "different" warps(1) elected {
gpu.module @spans {
  gpu.func @spans(%t: !tmm.buffer<64x64xf16, #sm90.smem<k_major, b128>>, %both: !tmm.buffer<64x128xf32, #tcgen05.tmem<ctas = 2>>,
                  %own: !tmm.buffer<64x64xf32, #tcgen05.tmem>, %i: i32, %n: i32, %p: i1) kernel {
    tmm.role "same" warps(1) drives []
    tmm.role "different" warps(1) drives []
    scf.for %j = %i to %n step %i : i32 {
      tmm.mma %t, %t, %both accumulate(%p) over #tmm.ctas<2, along = [0]> by(#tcgen05.mma) role("same")
        : <64x64xf16, #sm90.smem<k_major, b128>>, <64x64xf16, #sm90.smem<k_major, b128>>, !tmm.buffer<64x128xf32, #tcgen05.tmem<ctas = 2>>
      tmm.mma %t, %t, %own accumulate(%p) by(#tcgen05.mma) role("different")
        : <64x64xf16, #sm90.smem<k_major, b128>>, <64x64xf16, #sm90.smem<k_major, b128>>, !tmm.buffer<64x64xf32, #tcgen05.tmem>
      tmm.mma %t, %t, %both accumulate(%p) over #tmm.ctas<2, along = [0]> by(#tcgen05.mma) role("different")
        : <64x64xf16, #sm90.smem<k_major, b128>>, <64x64xf16, #sm90.smem<k_major, b128>>, !tmm.buffer<64x128xf32, #tcgen05.tmem<ctas = 2>>
    }
    gpu.return
  }
}
