// RUN: tc-opt %s -tcgen05-verify-lowered -split-input-file -verify-diagnostics

gpu.module @operation {
  gpu.func @operation() kernel {
    // expected-error @+1 {{expected nothing of dialect tcgen05 after convert-tcgen05-to-nvvm, got operation tcgen05.wait}}
    tcgen05.wait ld
    gpu.return
  }
}

// -----

gpu.module @type {
  // expected-error @+1 {{expected nothing of dialect tcgen05 after convert-tcgen05-to-nvvm, got type !tcgen05.tmem<128x8xf32, D>}}
  gpu.func @type(%d: !tcgen05.tmem<128x8xf32, D>) kernel {
    gpu.return
  }
}

// -----

// Nothing left: nothing said.
gpu.module @lowered {
  gpu.func @lowered() kernel {
    nvvm.tcgen05.wait <load>
    gpu.return
  }
}
