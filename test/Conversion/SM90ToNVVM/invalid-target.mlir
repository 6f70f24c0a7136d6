// RUN: tc-opt %s -convert-sm90-to-nvvm -split-input-file -verify-diagnostics

// expected-note @+1 {{the target is named here}}
gpu.module @no_wgmma [#nvvm.target<chip = "sm_100a">] {
  gpu.func @k() kernel {
    // expected-error @+1 {{expected a target that has wgmma (sm_90a), got sm_100a (PTX ISA 9.0, 9.7.15.5.2 "Asynchronous Multiply-and-Accumulate Instruction: wgmma.mma_async")}}
    sm90.wgmma.commit_group
    gpu.return
  }
}

// -----

// expected-note @+1 {{the target is named here}}
gpu.module @no_work_stealing [#nvvm.target<chip = "sm_90a">] {
  gpu.func @k(%r: memref<2xi64, #gpu.address_space<workgroup>>) kernel {
    // expected-error @+1 {{expected a target that has clusterlaunchcontrol (sm_100a, sm_100f, sm_103a, sm_103f, sm_107f, sm_107a, sm_110a, sm_110f, sm_120a, sm_121a), got sm_90a}}
    %c, %x, %y, %z = sm90.clusterlaunchcontrol.query %r : memref<2xi64, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

// expected-note @+1 {{the target is named here}}
gpu.module @no_st_async [#nvvm.target<chip = "sm_80">] {
  gpu.func @k(%v: i32, %w: memref<1xi32, #gpu.address_space<workgroup>>, %b: !sm90.mbarrier) kernel {
    // expected-error @+1 {{expected a target that has st.async (sm_100a, sm_100f, sm_103a, sm_103f, sm_107f, sm_107a, sm_110a, sm_110f, sm_90a, sm_120a, sm_121a), got sm_80 (PTX ISA 9.0, 9.7.9.12}}
    sm90.st_async %v, %w, %b : memref<1xi32, #gpu.address_space<workgroup>>, !sm90.mbarrier
    gpu.return
  }
}

// -----

// Without either, any target will do.
gpu.module @other [#nvvm.target<chip = "sm_90a">] {
  gpu.func @k() kernel {
    sm90.fence_mbarrier_init
    gpu.return
  }
}
