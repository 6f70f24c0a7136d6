// RUN: tc-opt %s -convert-tcgen05-to-nvvm -split-input-file -verify-diagnostics

func.func @reserve() {
  // expected-error @+1 {{expected no tcgen05.reserve, which tcgen05-allocate-tmem replaces}}
  %acc = tcgen05.reserve : !tcgen05.tmem<128x128xf32, D>
  return
}

// -----

func.func @mixed_groups(%slot: memref<1xi32, #gpu.address_space<workgroup>>, %bar: !sm90.mbarrier) {
  // expected-note @+1 {{cta_group 2 is used here}}
  tcgen05.alloc %slot, 64 cta_group 2 : memref<1xi32, #gpu.address_space<workgroup>>
  tcgen05.relinquish_alloc_permit cta_group 2
  // expected-error @+1 {{expected cta_group 2, one for all tcgen05 operations of a kernel, got 1 (PTX ISA 9.0, 9.7.16.5.1 "CTA Pair")}}
  tcgen05.commit %bar : !sm90.mbarrier
  return
}

// -----

// expected-note @+1 {{the target is named here}}
gpu.module @wrong_chip [#nvvm.target<chip = "sm_90a">] {
  gpu.func @kernel() kernel {
    // expected-error @+1 {{expected a target that has tcgen05 instructions and that NVVM accepts them for (sm_100a), got sm_90a}}
    tcgen05.wait ld
    gpu.return
  }
}

// -----

// Without tcgen05, any target will do.
gpu.module @other_chip [#nvvm.target<chip = "sm_90a">] {
  gpu.func @kernel() kernel {
    gpu.return
  }
}
