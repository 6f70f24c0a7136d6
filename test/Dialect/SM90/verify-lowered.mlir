// RUN: tc-opt %s -sm90-verify-lowered -split-input-file -verify-diagnostics

gpu.module @operation {
  gpu.func @operation() kernel {
    // expected-error @+1 {{expected nothing of dialect sm90 after convert-sm90-to-nvvm, got operation sm90.fence_mbarrier_init}}
    sm90.fence_mbarrier_init
    gpu.return
  }
}

// -----

gpu.module @attribute {
  // expected-error @+1 {{got attribute sm90.tensor_map_params}}
  llvm.func @attribute(%arg0: !llvm.ptr) attributes {sm90.tensor_map_params = array<i64: 1, 0>} {
    llvm.return
  }
}

// -----

// The host keeps its tensor maps.
func.func @host(%A: memref<64x64xbf16>) {
  %0 = sm90.tensor_map.encode %A[0] dims [64, 64] strides [128] : memref<64x64xbf16> to !sm90.tensor_map<64x64xbf16, b128>
  return
}

// -----

gpu.module @layout {
  gpu.func @layout(%p: !llvm.ptr<3>) kernel {
    // expected-error @+1 {{got attribute #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>}}
    %a = builtin.unrealized_conversion_cast %p : !llvm.ptr<3> to memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

// Nothing left, on Hopper too: nothing said.
gpu.module @lowered [#nvvm.target<chip = "sm_90a">] {
  gpu.func @lowered() kernel {
    nvvm.wgmma.fence.aligned
    gpu.return
  }
}
