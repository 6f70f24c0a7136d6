// RUN: tc-opt %s -split-input-file -tmm-assign-roles -verify-diagnostics

gpu.module @m {
  gpu.func @none(%a: memref<?x?xf16>, %i: i32) kernel {
    // expected-note @below {{role epilogue here}}
    tmm.role "epilogue" warps(4) drives [#tmm.threads]
    // expected-note @below {{role mma here}}
    tmm.role "mma" warps(1) drives [#tcgen05.mma]
    %t = tmm.alloc : <128x64xf16, #sm90.smem<k_major, none>>
    // expected-error @below {{expected one role that drives #sm90.tma, got 0: name the role on the op}}
    tmm.load %a[%i, %i], %t by(#sm90.tma) : memref<?x?xf16>, <128x64xf16, #sm90.smem<k_major, none>>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @several(%a: memref<?x?xf16>, %i: i32) kernel {
    tmm.role "epilogue" warps(4) drives [#tmm.threads]
    // expected-note @below {{role first here}}
    tmm.role "first" warps(1) drives [#sm90.tma]
    // expected-note @below {{role second here}}
    tmm.role "second" warps(1) drives [#sm90.tma, #tcgen05.mma]
    %t = tmm.alloc : <128x64xf16, #sm90.smem<k_major, none>>
    // expected-error @below {{expected one role that drives #sm90.tma, got 2: name the role on the op}}
    tmm.load %a[%i, %i], %t by(#sm90.tma) : memref<?x?xf16>, <128x64xf16, #sm90.smem<k_major, none>>
    gpu.return
  }
}
