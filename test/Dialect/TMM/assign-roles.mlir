// RUN: tc-opt %s -tmm-assign-roles | FileCheck %s

// An op gets the role that drives its engine; one that has a role keeps it, and
// what every role executes gets none. Two load roles, one per operand, differ in
// the names on their ops alone.

// CHECK-LABEL: gpu.func @k
// CHECK: tmm.wait_prerequisites{{$}}
// CHECK: tmm.load %{{.*}}, %[[A:.*]] by(#sm90.tma) role("load A")
// CHECK: tmm.load %{{.*}}, %[[B:.*]] by(#sm90.tma) role("load B")
// CHECK: tmm.mma %[[A]], %[[B]], %{{.*}} by(#tcgen05.mma) role("mma")
// CHECK: tmm.read {{.*}} role("epilogue")
// CHECK: tmm.fetch {{.*}} role("epilogue")
// CHECK: tmm.stage {{.*}} role("epilogue")
// CHECK: tmm.unload {{.*}} by(#sm90.tma_store) role("epilogue")
// CHECK: tmm.launch_dependents by(#sm90.tma) role("load A")

// CHECK-LABEL: gpu.func @without_roles
// CHECK-NOT: role(

!a = !tmm.buffer<128x64xbf16, #sm90.smem<k_major, b128>>
!b = !tmm.buffer<32x64xbf16, #sm90.smem<k_major, b128>>
!acc = !tmm.buffer<128x32xf32, #tcgen05.tmem>
!d = !tmm.buffer<128x32xf32, #sm90.smem<n_major, b128>>
gpu.module @m {
  gpu.func @k(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x32xf32>, %i: i32, %p: i1) kernel {
    tmm.role "epilogue" warps(4) drives [#tmm.threads, #sm90.tma_store]
    tmm.role "load A" warps(1) drives []
    tmm.role "load B" warps(1) drives [#sm90.tma]
    tmm.role "mma" warps(1) drives [#tcgen05.mma]
    tmm.wait_prerequisites
    %ta = tmm.alloc : !a
    %tb = tmm.alloc : !b
    %acc = tmm.alloc : !acc
    %out = tmm.alloc : !d
    tmm.load %a[%i, %i], %ta by(#sm90.tma) role("load A") : memref<?x?xbf16>, !a
    tmm.load %b[%i, %i], %tb by(#sm90.tma) : memref<?x?xbf16>, !b
    tmm.mma %ta, %tb, %acc accumulate(%p) by(#tcgen05.mma) : !a, !b, !acc
    %r = tmm.read %acc[%i] if %p : !acc -> vector<128x32xf32>
    %c = tmm.fetch %d[%i, %i] : memref<?x32xf32> -> vector<128x32xf32>
    %s = arith.addf %r, %c : vector<128x32xf32>
    tmm.stage %s, %out : vector<128x32xf32>, !d
    tmm.unload %out, %d[%i, %i] by(#sm90.tma_store) : !d, memref<?x32xf32>
    tmm.launch_dependents by(#sm90.tma) role("load A")
    gpu.return
  }
  gpu.func @without_roles(%d: memref<?x32xf32>, %v: vector<128x32xf32>, %i: i32) kernel {
    tmm.store %v, %d[%i, %i] : vector<128x32xf32>, memref<?x32xf32>
    gpu.return
  }
}
