// RUN: tc-opt %s -split-input-file -convert-tmm-roles-to-sm90 -verify-diagnostics

gpu.module @m {
  gpu.func @threads() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    // expected-error @below {{expected roles for the 128 threads of the kernel, got 160}}
    tmm.warp_specialize "epilogue" warps(4) {
    } "load" warps(1) elected {
    }
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error @below {{expected known_block_size, got none}}
  gpu.func @no_block_size() kernel {
    tmm.warp_specialize "load" warps(1) elected {
    }
    gpu.return
  }
}
