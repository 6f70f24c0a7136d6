// RUN: tc-opt %s -tcgen05-allocate-tmem -split-input-file -verify-diagnostics

gpu.module @module {
  // expected-error @+1 {{expected at most 512 columns of Tensor Memory, got 520 in 3 reserved regions (PTX ISA 9.0, 9.7.16.1.2 "Tensor Memory Allocation")}}
  gpu.func @too_many() kernel {
    // expected-note @+1 {{256 columns are reserved here}}
    %a = tcgen05.reserve : !tcgen05.tmem<128x256xf32, D>
    // expected-note @+1 {{256 columns are reserved here}}
    %b = tcgen05.reserve : !tcgen05.tmem<128x256xf32, D>
    // expected-note @+1 {{8 columns are reserved here}}
    %c = tcgen05.reserve : !tcgen05.tmem<128x8xf32, D>
    gpu.return
  }
}

// -----

gpu.module @module {
  gpu.func @mixed_groups() kernel {
    // expected-note @+1 {{the other region is reserved here}}
    %a = tcgen05.reserve : !tcgen05.tmem<128x256xf32, D>
    // expected-error @+1 {{expected one cta_group in a kernel, got regions of cta_group 1 and 2 (PTX ISA 9.0, 9.7.16.5.1 "CTA Pair")}}
    %b = tcgen05.reserve : !tcgen05.tmem<128x128xf32, A>
    gpu.return
  }
}

// -----

func.func @no_kernel() {
  // expected-error @+1 {{expected tcgen05.reserve in a gpu.func kernel}}
  %a = tcgen05.reserve : !tcgen05.tmem<128x256xf32, D>
  return
}
