// RUN: %mlir_opt %s --pass-pipeline='builtin.module(transform-interpreter)' --split-input-file | FileCheck %s

// Two roles for the loads, by hand; the rest as the pass does.
// CHECK-LABEL: gpu.func @k
// CHECK: tmm.wait_prerequisites{{$}}
// CHECK: tmm.load %{{.*}}, %[[A:.*]] by(#sm90.tma) role("load A")
// CHECK: tmm.load %{{.*}}, %[[B:.*]] by(#sm90.tma) role("load B")
// CHECK: tmm.mma %[[A]], %[[B]], %{{.*}} by(#tcgen05.mma) role("mma")
// CHECK: tmm.read {{.*}} role("epilogue")
// CHECK: tmm.store {{.*}} role("epilogue")

// CHECK-LABEL: gpu.func @without_roles
// CHECK-NOT: role(
// CHECK: gpu.return
!a = !tmm.buffer<128x64xbf16, #sm90.smem<k_major, b128>>
!b = !tmm.buffer<32x64xbf16, #sm90.smem<k_major, b128>>
!acc = !tmm.buffer<128x32xf32, #tcgen05.tmem>
gpu.module @m {
  gpu.func @k(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x32xf32>, %i: i32, %p: i1) kernel {
    tmm.role "epilogue" warps(4) drives [#tmm.threads]
    tmm.role "load A" warps(1) drives [#sm90.tma]
    tmm.role "load B" warps(1) drives []
    tmm.role "mma" warps(1) drives [#tcgen05.mma]
    tmm.wait_prerequisites
    %ta = tmm.alloc : !a
    %tb = tmm.alloc : !b
    %acc = tmm.alloc : !acc
    tmm.load %a[%i, %i], %ta by(#sm90.tma) : memref<?x?xbf16>, !a
    tmm.load %b[%i, %i], %tb by(#sm90.tma) role("epilogue") : memref<?x?xbf16>, !b
    tmm.mma %ta, %tb, %acc accumulate(%p) by(#tcgen05.mma) : !a, !b, !acc
    %r = tmm.read %acc[%i] if %p : !acc -> vector<128x32xf32>
    tmm.store %r, %d[%i, %i] : vector<128x32xf32>, memref<?x32xf32>
    gpu.return
  }
  gpu.func @without_roles(%d: memref<?x32xf32>, %v: vector<128x32xf32>, %i: i32) kernel {
    tmm.store %v, %d[%i, %i] : vector<128x32xf32>, memref<?x32xf32>
    gpu.return
  }
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %loads = transform.structured.match ops{["tmm.load"]} in %root : (!transform.any_op) -> !transform.any_op
    %a, %b = transform.split_handle %loads : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.tmm.assign_roles %b role("load B") : !transform.any_op
    // An operation alone, by its engine; what has a role keeps it.
    transform.tmm.assign_roles %loads : !transform.any_op
    %kernels = transform.structured.match ops{["gpu.func"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.tmm.assign_roles %kernels : !transform.any_op
    transform.yield
  }
}
