// RUN: tc-opt %s -tcgen05-allocate-tmem -split-input-file -verify-diagnostics

gpu.module @module {
  // expected-error @+1 {{expected at most 512 columns of Tensor Memory, got 520 with 3 reserved regions in use at a time (PTX ISA 9.0, 9.7.16.1.2 "Tensor Memory Allocation")}}
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

// -----

// The regions that are in use where most columns are: the first one is not.
gpu.module @module {
  // expected-error @+1 {{expected at most 512 columns of Tensor Memory, got 576 with 2 reserved regions in use at a time}}
  gpu.func @peak(%x: vector<64xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %a = tcgen05.reserve : !tcgen05.tmem<128x64xf32, D>
    // expected-note @unknown {{64 columns are reserved here for "weights"}}
    %b = tcgen05.reserve : !tcgen05.tmem<128x64xf32, D> loc("weights")
    // expected-note @+1 {{512 columns are reserved here}}
    %c = tcgen05.reserve : !tcgen05.tmem<128x512xf32, D>
    %ma = tcgen05.warp_window %a : !tcgen05.tmem<128x64xf32, D>
    tcgen05.st %x, %ma : vector<64xf32> to !tcgen05.tmem<32x64xf32, D>
    tcgen05.wait st
    tcgen05.fence before
    gpu.barrier
    tcgen05.fence after
    %mb = tcgen05.warp_window %b : !tcgen05.tmem<128x64xf32, D>
    tcgen05.st %x, %mb : vector<64xf32> to !tcgen05.tmem<32x64xf32, D>
    %mc = tcgen05.warp_window %c : !tcgen05.tmem<128x512xf32, D>
    %pc = tcgen05.slice %mc[0] : !tcgen05.tmem<32x512xf32, D> to !tcgen05.tmem<32x64xf32, D>
    tcgen05.st %x, %pc : vector<64xf32> to !tcgen05.tmem<32x64xf32, D>
    tcgen05.wait st
    gpu.return
  }
}

// -----

gpu.module @module {
  // expected-error @+1 {{expected at most 512 columns of Tensor Memory, got 640 with 3 reserved regions in use at a time}}
  gpu.func @ended(%x: vector<128xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    // expected-note @+1 {{256 columns are reserved here}}
    %a = tcgen05.reserve : !tcgen05.tmem<128x256xf32, D>
    // expected-note @+1 {{256 columns are reserved here}}
    %b = tcgen05.reserve : !tcgen05.tmem<128x256xf32, D>
    // expected-note @+1 {{128 columns are reserved here}}
    %c = tcgen05.reserve : !tcgen05.tmem<128x128xf32, D>
    %ma = tcgen05.warp_window %a : !tcgen05.tmem<128x256xf32, D>
    %pa = tcgen05.slice %ma[128] : !tcgen05.tmem<32x256xf32, D> to !tcgen05.tmem<32x128xf32, D>
    %mb = tcgen05.warp_window %b : !tcgen05.tmem<128x256xf32, D>
    %pb = tcgen05.slice %mb[128] : !tcgen05.tmem<32x256xf32, D> to !tcgen05.tmem<32x128xf32, D>
    %mc = tcgen05.warp_window %c : !tcgen05.tmem<128x128xf32, D>
    // expected-note @+1 {{and used here for the last time}}
    tcgen05.st %x, %mc : vector<128xf32> to !tcgen05.tmem<32x128xf32, D>
    tcgen05.st %x, %pb : vector<128xf32> to !tcgen05.tmem<32x128xf32, D>
    // expected-note @+1 {{and used here for the last time}}
    tcgen05.st %x, %pa : vector<128xf32> to !tcgen05.tmem<32x128xf32, D>
    tcgen05.wait st
    tcgen05.fence before
    gpu.barrier
    tcgen05.fence after
    tcgen05.st %x, %pb : vector<128xf32> to !tcgen05.tmem<32x128xf32, D>
    tcgen05.wait st
    gpu.return
  }
}

// -----

gpu.module @module [#nvvm.target<chip = "sm_107a">] {
  // expected-error @+1 {{expected at most 576 columns of Tensor Memory, got 584 with 3 reserved regions in use at a time}}
  gpu.func @too_many_of_rubin() kernel {
    // expected-note @+1 {{256 columns are reserved here}}
    %a = tcgen05.reserve : !tcgen05.tmem<128x256xf32, D>
    // expected-note @+1 {{256 columns are reserved here}}
    %b = tcgen05.reserve : !tcgen05.tmem<128x256xf32, D>
    // expected-note @+1 {{72 columns are reserved here}}
    %c = tcgen05.reserve : !tcgen05.tmem<128x72xf32, D>
    gpu.return
  }
}
