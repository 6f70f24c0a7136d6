// RUN: tc-opt %s --mlir-print-local-scope -convert-tmm-pipelines-to-sm90 -convert-tmm-kernel-interface-to-sm90 -tmm-distribute -convert-tmm-tiles -convert-tmm-roles-to-sm90 -canonicalize -cse | FileCheck %s

// Tiles in roles: a role is the branch of its warps; the thread of an asynchronous role is
// elected once, before its loop, and its body has no further guards.

// CHECK-LABEL: gpu.func @k
// The prologue's leader, then the roles in the order of their warps.
// CHECK: sm90.mbarrier.init %{{.*}}, 128
// CHECK: gpu.barrier
// CHECK: %[[WARP:.*]] = arith.divui %{{.*}}, %c32_i32
// CHECK: %[[THREADS:.*]] = arith.cmpi ult, %[[WARP]], %c4_i32
// CHECK: scf.if %[[THREADS]] {
// CHECK:   sm90.mbarrier.wait_parity
// CHECK-NEXT: tcgen05.fence after
// CHECK:   tcgen05.ld
// CHECK:   sm90.mbarrier.arrive
// CHECK: %[[TMA:.*]] = arith.cmpi eq, %[[WARP]], %c4_i32
// CHECK: scf.if %[[TMA]] {
// CHECK-NEXT: %[[E0:.*]] = sm90.elect
// CHECK-NEXT: scf.if %[[E0]] {
// CHECK-NOT: scf.if
// CHECK:     sm90.tma_load
// CHECK-NOT: scf.if
// CHECK:     sm90.mbarrier.arrive_expect_tx
// CHECK: %[[TC:.*]] = arith.cmpi eq, %[[WARP]], %c5_i32
// CHECK: scf.if %[[TC]] {
// CHECK-NEXT:  %[[E1:.*]] = sm90.elect
// CHECK-NEXT:  scf.if %[[E1]] {
// CHECK-NOT: scf.if
// CHECK:       tcgen05.mma
// CHECK:       tcgen05.commit
#smem = #sm90.smem<k_major, b128>
module attributes {gpu.container_module} {
  func.func @host(%a: memref<128x64xf16>, %d: memref<128x128xf32>) {
    %c1 = arith.constant 1 : index
    %c192 = arith.constant 192 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c192, %c1, %c1)
      args(%a : memref<128x64xf16>, %d : memref<128x128xf32>)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    gpu.func @k(%a: memref<128x64xf16>, %d: memref<128x128xf32>) kernel
        attributes {known_block_size = array<i32: 192, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %true = arith.constant true
      %false = arith.constant false
      %ring = tmm.pipeline : <(<128x64xf16, #smem>), depth = 1>
      %accs = tmm.pipeline : <(<128x128xf32, #tcgen05.tmem>), depth = 1>
      %p0 = tmm.pipeline_start %ring : <(<128x64xf16, #smem>), depth = 1>
      %q0 = tmm.pipeline_start %accs : <(<128x128xf32, #tcgen05.tmem>), depth = 1>
      tmm.warp_specialize "epilogue" warps(4) {
        %done = tmm.consumer_wait %accs[%q0] : <(<128x128xf32, #tcgen05.tmem>), depth = 1>
        %r = tmm.read %done[%c0] if %true layout(#tcgen05.rows) : <128x128xf32, #tcgen05.tmem> -> vector<128x32xf32>
        tmm.store %r, %d[%c0, %c0] in_bounds [true, true] layout(#tcgen05.rows) : vector<128x32xf32>, memref<128x128xf32>
        %e1 = tmm.consumer_release %accs[%q0] : <(<128x128xf32, #tcgen05.tmem>), depth = 1>
      } "load" warps(1) elected {
        %t = tmm.producer_acquire %ring[%p0] : <(<128x64xf16, #smem>), depth = 1>
        tmm.load %a[%c0, %c0], %t by(#sm90.tma) : memref<128x64xf16>, <128x64xf16, #smem>
        %p1 = tmm.producer_commit %ring[%p0] : <(<128x64xf16, #smem>), depth = 1>
      } "mma" warps(1) elected {
        %acc = tmm.producer_acquire %accs[%q0] : <(<128x128xf32, #tcgen05.tmem>), depth = 1>
        %u = tmm.consumer_wait %ring[%p0] : <(<128x64xf16, #smem>), depth = 1>
        tmm.mma %u, %u, %acc accumulate(%false) by(#tcgen05.mma) : <128x64xf16, #smem>, <128x64xf16, #smem>, !tmm.buffer<128x128xf32, #tcgen05.tmem>
        %n1 = tmm.consumer_release %ring[%p0] : <(<128x64xf16, #smem>), depth = 1>
        %q1 = tmm.producer_commit %accs[%q0] : <(<128x128xf32, #tcgen05.tmem>), depth = 1>
      }
      gpu.return
    }
  }
}
