// RUN: env ASAN_OPTIONS=detect_leaks=0:exitcode=99 tc-opt %s --split-input-file --verify-diagnostics --tc-serialize-gpu-modules
// (What LLVM holds at a fatal error of its own is never freed: it leaves by longjmp.)

// expected-error @below {{'gpu.module' op expected a target '#nvvm.target<chip = ...>'}}
gpu.module @no_target {
}

// -----

// LLVM ends the process where it finds no instruction; the pass survives it.

// expected-error @below {{'gpu.module' op the LLVM back end failed for target #nvvm.target<chip = "sm_90", verifyTarget = false>}}
gpu.module @wrong_chip [#nvvm.target<chip = "sm_90", verifyTarget = false>] {
  llvm.func @k() attributes {gpu.kernel, nvvm.kernel} {
    nvvm.tcgen05.relinquish_alloc_permit
    llvm.return
  }
}

// -----

// expected-error @below {{'gpu.module' op cannot be translated to LLVM IR}}
gpu.module @cast [#nvvm.target<chip = "sm_100a">] {
  llvm.func @k(%a: i32) attributes {gpu.kernel, nvvm.kernel} {
    // expected-error @below {{LLVM Translation failed for operation: builtin.unrealized_conversion_cast}}
    %c = builtin.unrealized_conversion_cast %a : i32 to f32
    %d = llvm.fadd %c, %c : f32
    llvm.return
  }
}

// -----

gpu.module @wrong_level [#nvvm.target<chip = "sm_100a">] {
  llvm.func @k(%a: i32, %b: i32) attributes {gpu.kernel, nvvm.kernel} {
    // expected-error @below {{'arith.addi' op expected an operation of llvm or nvvm, which passes make of types that have instructions, got 'i32', 'i32' to 'i32'}}
    %c = arith.addi %a, %b : i32
    llvm.return
  }
}

// -----

// expected-error @below {{target triple 'nvptx65' is not one of this LLVM: }}
gpu.module @no_triple [#nvvm.target<chip = "sm_100a", triple = "nvptx65">] {
  llvm.func @k() attributes {gpu.kernel, nvvm.kernel} {
    llvm.return
  }
}

// -----

gpu.module @library [#nvvm.target<chip = "sm_100a">] {
  llvm.func @__nv_fmodf(f32, f32) -> f32
  llvm.func @k(%a: f32, %b: f32) attributes {gpu.kernel, nvvm.kernel} {
    // expected-error @below {{'llvm.call' op calls '__nv_fmodf' of libdevice, which is not linked: expected a function that tc-expand-math computes, of f32, f16 or bf16, or an exact one of f64}}
    %c = llvm.call @__nv_fmodf(%a, %b) : (f32, f32) -> f32
    llvm.return
  }
}

// -----

gpu.module @names [#nvvm.target<chip = "sm_100a">] {
  // expected-error @below {{'llvm.func' op expected a name that PTX takes, such as 'a_b', got 'a.b'}}
  llvm.func @"a.b"() attributes {gpu.kernel, nvvm.kernel} {
    llvm.return
  }
}

// -----

// expected-error @below {{'gpu.module' op expected at least the feature '+ptx87' for the chip 'sm_120a', got '+ptx86'}}
gpu.module @old_ptx [#nvvm.target<chip = "sm_120a", features = "+ptx86">] {
  llvm.func @k() attributes {gpu.kernel, nvvm.kernel} {
    llvm.return
  }
}

// -----

// A chip that no table of this project has: the version is LLVM's own.

// expected-error @below {{'gpu.module' op expected at least the feature '+ptx50' for the chip 'sm_60', got '+ptx42'}}
gpu.module @old_chip [#nvvm.target<chip = "sm_60", features = "+ptx42">] {
  llvm.func @k() attributes {gpu.kernel, nvvm.kernel} {
    llvm.return
  }
}

// -----

// expected-error @below {{'gpu.module' op expected a chip of this LLVM, such as sm_100a, got 'sm_999'}}
gpu.module @no_chip [#nvvm.target<chip = "sm_999">] {
  llvm.func @k() attributes {gpu.kernel, nvvm.kernel} {
    llvm.return
  }
}
