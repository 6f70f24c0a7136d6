// RUN: %mlir_opt %s --pass-pipeline='builtin.module(transform-interpreter)' --split-input-file --verify-diagnostics

gpu.module @m {
  gpu.func @undriven(%a: memref<?x?xf16>, %i: i32) kernel {
    // expected-note @below {{role epilogue here}}
    tmm.role "epilogue" warps(4) drives [#tmm.threads]
    %t = tmm.alloc : <128x64xf16, #sm90.smem<k_major, none>>
    // expected-error @below {{expected one role that drives #sm90.tma, got 0: name the role on the op}}
    tmm.load %a[%i, %i], %t by(#sm90.tma) : memref<?x?xf16>, <128x64xf16, #sm90.smem<k_major, none>>
    gpu.return
  }
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    transform.tmm.assign_roles %root : !transform.any_op
    transform.yield
  }
}

// -----

gpu.module @m {
  gpu.func @undeclared(%a: memref<?x?xf16>, %i: i32) kernel {
    // expected-note @below {{role epilogue here}}
    tmm.role "epilogue" warps(4) drives [#tmm.threads]
    %t = tmm.alloc : <128x64xf16, #sm90.smem<k_major, none>>
    // expected-note @below {{payload here}}
    tmm.load %a[%i, %i], %t by(#sm90.tma) : memref<?x?xf16>, <128x64xf16, #sm90.smem<k_major, none>>
    gpu.return
  }
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tmm.load"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{expected a role that the kernel declares, got 'load'}}
    transform.tmm.assign_roles %0 role("load") : !transform.any_op
    transform.yield
  }
}

// -----

gpu.module @m {
  gpu.func @of_every_role() kernel {
    tmm.role "epilogue" warps(4) drives [#tmm.threads]
    // expected-note @below {{payload here}}
    tmm.wait_prerequisites
    gpu.return
  }
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tmm.wait_prerequisites"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{'transform.tmm.assign_roles' op expected an operation on tiles that one role executes, got 'tmm.wait_prerequisites'}}
    transform.tmm.assign_roles %0 role("epilogue") : !transform.any_op
    transform.yield
  }
}

// -----

// The kernels are meant.
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @k() kernel {
      gpu.return
    }
  }
  func.func @launches(%i: index) {
    // expected-note @below {{payload here}}
    gpu.launch_func @m::@k blocks in (%i, %i, %i) threads in (%i, %i, %i)
    return
  }
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["gpu.launch_func"]} in %root : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{'transform.tmm.assign_roles' op expected a kernel, a module or an operation on tiles, got 'gpu.launch_func'}}
    transform.tmm.assign_roles %0 : !transform.any_op
    transform.yield
  }
}
