// RUN: tc-opt %s --pass-pipeline="builtin.module(gpu.module(gpu.func(convert-tcgen05-to-nvvm)))" -split-input-file -verify-diagnostics

// The pass on a part of a module looks at the target around it, too.

// expected-note @+1 {{the target is named here}}
gpu.module @wrong_chip [#nvvm.target<chip = "sm_90a">] {
  gpu.func @kernel() kernel {
    // expected-error @+1 {{expected a target that has tcgen05 instructions (sm_100a, sm_100f, sm_103a, sm_103f, sm_107a, sm_107f, sm_110a, sm_110f), got sm_90a (PTX ISA 9.0, 9.7.16.10.9}}
    tcgen05.wait ld
    gpu.return
  }
}

// -----

// expected-note @+1 {{the target is named here}}
gpu.module @gated [#nvvm.target<chip = "sm_103a">] {
  // expected-error @+1 {{expected convert-tcgen05-to-nvvm on a gpu.module or above it, whose target it marks as one with tcgen05, got it on gpu.func}}
  gpu.func @kernel() kernel {
    tcgen05.wait ld
    gpu.return
  }
  gpu.func @without() kernel {
    gpu.return
  }
}

// -----

gpu.module @accepted [#nvvm.target<chip = "sm_100a">] {
  gpu.func @kernel() kernel {
    tcgen05.wait ld
    gpu.return
  }
}
