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

// -----

gpu.module @m {
  gpu.func @part_of_a_warpgroup() kernel attributes {known_block_size = array<i32: 192, 1, 1>} {
    // expected-error @below {{expected whole warpgroups where roles have registers, got 6 warps; nearest legal 8, with a role that has no ops (PTX ISA 9.0, 9.7.19.5 "Miscellaneous Instructions: setmaxnreg")}}
    tmm.warp_specialize "epilogue" warps(4) registers(168) {
    } "load" warps(1) registers(56) elected {
    } "mma" warps(1) registers(56) elected {
    }
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @register_file() kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    // expected-error @below {{expected at most 65536 registers, those of an SM, got 70656, 184 for each of 384 threads at launch; at most 168 fit}}
    tmm.warp_specialize "epilogue" warps(4) registers(248) {
    } "epilogue" warps(4) registers(248) {
    } "load" warps(4) registers(56) {
    }
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @one_warpgroup() kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    // expected-error @below {{expected one number of registers in the warps of a warpgroup, got 40 for role mma and 56 for role load (PTX ISA 9.0, 9.7.19.5 "Miscellaneous Instructions: setmaxnreg")}}
    tmm.warp_specialize "epilogue" warps(4) registers(200) {
    } "mma" warps(1) registers(40) {
    } "load" warps(3) registers(56) {
    }
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @no_registers() kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    // expected-error @below {{expected registers for every role where one has them, got none for role load}}
    tmm.warp_specialize "epilogue" warps(4) registers(200) {
    } "load" warps(4) {
    }
    gpu.return
  }
}
