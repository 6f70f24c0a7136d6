// RUN: tc-opt %s -convert-sm90-kernel-params -split-input-file -verify-diagnostics

// Memrefs were spread over several arguments.
// expected-error @+1 {{expected 2 arguments, one for each of the kernel before its conversion, got 3 (use-bare-ptr-memref-call-conv keeps memrefs to one)}}
llvm.func @spread(%arg0: !llvm.ptr, %arg1: !llvm.ptr, %arg2: i64) attributes {gpu.kernel, nvvm.kernel, sm90.tensor_map_params = array<i64: 2, 1>} {
  llvm.return
}

// -----

// expected-error @+1 {{expected argument 0 to be a pointer}}
llvm.func @scalar(%arg0: i64) attributes {gpu.kernel, nvvm.kernel, sm90.tensor_map_params = array<i64: 1, 0>} {
  llvm.return
}

// -----

// expected-error @+1 {{expected tensor maps as parameters of a kernel, got another function}}
llvm.func @function(%arg0: !llvm.ptr) attributes {sm90.tensor_map_params = array<i64: 1, 0>} {
  llvm.return
}
