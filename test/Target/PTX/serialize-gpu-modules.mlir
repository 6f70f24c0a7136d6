// RUN: tc-opt %s --tc-serialize-gpu-modules | FileCheck %s --check-prefixes=CHECK,PTX
// RUN: tc-opt %s --tc-serialize-gpu-modules=format=cubin | FileCheck %s --check-prefixes=CHECK,CUBIN
// RUN: not tc-opt %s --tc-serialize-gpu-modules=format=fatbin 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not tc-opt %s --tc-serialize-gpu-modules="format=cubin ptxas=%S/no-such-program" 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not env PATH= %tc_build/bin/tc-opt %s --tc-serialize-gpu-modules=format=cubin 2>&1 | FileCheck %s --check-prefix=NOPATH
// RUN: not env TMPDIR=%t.none tc-opt %s --tc-serialize-gpu-modules=format=cubin 2>&1 | FileCheck %s --check-prefix=TEMPORARY

// TEMPORARY: error: cannot create a temporary file: {{[Nn]o such file}}
// FORMAT: error: format: expected 'ptx' or 'cubin', got 'fatbin'
// MISSING: error: ptxas: expected a program, got '{{.*}}no-such-program'
// NOPATH: error: ptxas not found: a cubin needs NVIDIA's assembler on PATH, in CUDA_HOME/bin or named by --ptxas or TC_PTXAS

// The host keeps its launch; the module becomes a binary of the same name.
// CHECK-LABEL: module attributes {gpu.container_module}
module attributes {gpu.container_module} {
  // CHECK: gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_100a", features = "+ptx86">,
  // PTX-SAME: assembly = "
  // PTX-SAME: .target sm_100a
  // PTX-SAME: .visible .entry store(
  // PTX-SAME: .reqntid 128, 1, 1
  // PTX-SAME: st.global
  // CUBIN-SAME: bin = "\7FELF
  gpu.module @kernels [#nvvm.target<chip = "sm_100a", features = "+ptx86">] {
    llvm.func @store(%p: !llvm.ptr<1>, %v: i32) attributes {gpu.kernel, nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
      llvm.store %v, %p : i32, !llvm.ptr<1>
      llvm.return
    }
  }
  // CHECK: func.func @host
  // CHECK: gpu.launch_func @kernels::@store
  func.func @host(%p: !llvm.ptr<1>, %v: i32) {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    gpu.launch_func @kernels::@store blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1) args(%p : !llvm.ptr<1>, %v : i32)
    return
  }
}
