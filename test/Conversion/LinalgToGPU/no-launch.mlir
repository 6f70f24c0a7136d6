// Functions that launch nothing become kernels where a target is given.
// RUN: tc-opt %s --convert-linalg-to-gpu=chip=sm_90a | FileCheck %s
// RUN: tc-opt %s --convert-linalg-to-gpu | FileCheck %s --check-prefix=ALONE
// RUN: not tc-opt %s --convert-linalg-to-gpu=chip=sm_42 2>&1 | FileCheck %s --check-prefix=CHIP

// CHECK:       gpu.container_module
// CHECK-LABEL: func.func @exp(
// CHECK:         gpu.launch_func @kernels::@exp_exp blocks
// CHECK-LABEL: func.func @nothing(
// CHECK-NOT:     gpu.launch_func
// CHECK:       gpu.module @kernels [#nvvm.target<{{.*}}chip = "sm_90a"
// CHECK:         gpu.func @exp_exp(

// ALONE-LABEL: func.func @exp(
// ALONE:         linalg.exp
// ALONE-NOT:   gpu.module

// CHIP: error: chip: 'sm_42' is not known
func.func @exp(%d: memref<64x64xf32>, %e: memref<64x64xf32>) {
  linalg.exp ins(%d : memref<64x64xf32>) outs(%e : memref<64x64xf32>)
  return
}
func.func @nothing(%d: memref<64x64xf32>) {
  return
}
