// RUN: not tc-opt %s --tc-serialize-gpu-modules 2>&1 | FileCheck %s

// One error for each function and place of the source: unrolled loops repeat them.

// CHECK: f.mlir:7:3: error: 'llvm.call' op calls '__nv_fmodf' of libdevice, which is not linked: expected a function that tc-expand-math computes, of f32, f16 or bf16, or an exact one of f64
// CHECK-NOT: f.mlir:7:3: error:
// CHECK: f.mlir:8:3: error: 'llvm.call' op calls '__nv_fmodf'
// CHECK-NOT: error:

#first = loc("f.mlir":7:3)
#second = loc("f.mlir":8:3)

gpu.module @library [#nvvm.target<chip = "sm_100a">] {
  llvm.func @__nv_fmodf(f32, f32) -> f32
  llvm.func @k(%a: f32, %b: f32) attributes {gpu.kernel, nvvm.kernel} {
    %0 = llvm.call @__nv_fmodf(%a, %b) : (f32, f32) -> f32 loc(#first)
    %1 = llvm.call @__nv_fmodf(%0, %b) : (f32, f32) -> f32 loc(#first)
    %2 = llvm.call @__nv_fmodf(%1, %b) : (f32, f32) -> f32 loc(#second)
    llvm.return
  }
}
