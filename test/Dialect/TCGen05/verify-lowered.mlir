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

gpu.module @attribute {
  gpu.func @attribute(%p: !llvm.ptr<3>) kernel {
    // expected-error @+1 {{got attribute #tcgen05.smem_layout<k_major, b128, bits = 16, slab = 8192>}}
    %a = builtin.unrealized_conversion_cast %p : !llvm.ptr<3> to memref<128x64xbf16, #tcgen05.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
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
