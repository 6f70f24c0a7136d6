// RUN: tc-opt %s -split-input-file -convert-tmm-roles-to-sm90 -verify-diagnostics

gpu.module @m {
  // expected-note @below {{kernel here}}
  gpu.func @threads() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    // expected-error @below {{expected roles for the 128 threads of the kernel, got 160}}
    // expected-note @below {{role epilogue here, warps: 4}}
    tmm.warp_specialize "epilogue" warps(4) {
    // expected-note @below {{role load here, warps: 1}}
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

// -----

gpu.module @m {
  gpu.func @not_cut() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{'tmm.role' op expected a kernel that is cut into its roles, got one that declares them: tmm-warp-specialize comes first}}
    tmm.role "load" warps(1) drives [#sm90.tma]
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @part_of_a_warpgroup() kernel attributes {known_block_size = array<i32: 192, 1, 1>} {
    // expected-note @below {{role epilogue here, warps: 4, registers: 168}}
    tmm.warp_specialize "epilogue" warps(4) registers(168) {
    // expected-note @below {{role load here, warps: 1, registers: 56}}
    } "load" warps(1) registers(56) elected {
    // expected-error @below {{expected whole warpgroups where roles have registers, got 6 warps; nearest legal 8, with a role that has no ops (PTX ISA 9.0, 9.7.19.5 "Miscellaneous Instructions: setmaxnreg")}}
    // expected-note @below {{role mma here, warps: 1, registers: 56}}
    } "mma" warps(1) registers(56) elected {
    }
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @register_file() kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    // expected-error @below {{expected at most 65536 registers, those of an SM, got 70656, 184 for each of 384 threads at launch; at most 168 fit}}
    // expected-note @below {{role epilogue here, warps: 4, registers: 248}}
    tmm.warp_specialize "epilogue" warps(4) registers(248) {
    // expected-note @below {{role store here, warps: 4, registers: 248}}
    } "store" warps(4) registers(248) {
    // expected-note @below {{role load here, warps: 4, registers: 56}}
    } "load" warps(4) registers(56) {
    }
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @one_warpgroup() kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    // expected-note @below {{role epilogue here, warps: 4, registers: 200}}
    tmm.warp_specialize "epilogue" warps(4) registers(200) {
    // expected-note @below {{role mma here, warps: 1, registers: 40}}
    } "mma" warps(1) registers(40) {
    // expected-error @below {{expected one number of registers in the warps of a warpgroup, got 40 for role mma and 56 for role load (PTX ISA 9.0, 9.7.19.5 "Miscellaneous Instructions: setmaxnreg")}}
    // expected-note @below {{role load here, warps: 3, registers: 56}}
    } "load" warps(3) registers(56) {
    }
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @none_in_a_warpgroup() kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    // expected-note @below {{role epilogue here, warps: 4, registers: 200}}
    tmm.warp_specialize "epilogue" warps(4) registers(200) {
    // expected-note @below {{role mma here, warps: 1, registers: none}}
    } "mma" warps(1) {
    // expected-error @below {{expected one number of registers in the warps of a warpgroup, got none for role mma and 56 for role load (PTX ISA}}
    // expected-note @below {{role load here, warps: 3, registers: 56}}
    } "load" warps(3) registers(56) {
    }
    gpu.return
  }
}
