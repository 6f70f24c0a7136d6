// RUN: tc-opt %s --tc-lower-to-tcgen05 | FileCheck %s --check-prefixes=CHECK,TCGEN05
// RUN: tc-opt %s --tc-lower-to-nvvm | FileCheck %s --check-prefixes=CHECK,NVVM
// RUN: tc-opt %s --tc-compile | FileCheck %s --check-prefixes=CHECK,BINARY
// RUN: tc-opt %s --tc-compile="chip=sm_100a format=cubin config=stages=1" | FileCheck %s --check-prefixes=CHECK,CUBIN
// RUN: tc-opt %s --tc-lower-to-tcgen05 | tc-opt --tc-lower-to-nvvm | FileCheck %s --check-prefixes=CHECK,NVVM

// From linalg to each level, and on from a level that another run left. The
// host function keeps its launch on the way.

// CHECK-LABEL: func.func @matmul(
// TCGEN05: tmm.problem accumulate ins(%{{.*}}, %{{.*}} :
// NVVM: tmm.problem accumulate ins(%{{.*}}, %{{.*}} :
// CHECK-NOT: tmm.problem
// CHECK: sm90.tensor_map.encode
// CHECK-NOT: tmm.problem
// CHECK: gpu.launch_func @kernels::@matmul_matmul
// CHECK-NOT: linalg.matmul
// CHECK-NOT: tmm.{{m|alloc|pipeline}}
// TCGEN05: gpu.func @matmul_matmul
// TCGEN05: tcgen05.mma
// NVVM: llvm.func @matmul_matmul
// NVVM-SAME: nvvm.reqntid = array<i32: 192, 1, 1>
// NVVM: nvvm.tcgen05.mma
// NVVM-NOT: = tcgen05.
// BINARY: gpu.binary @kernels
// BINARY-SAME: .visible .entry matmul_matmul(
// CUBIN: gpu.binary @kernels
// CUBIN-SAME: bin = "\7FELF
func.func @matmul(%a: memref<256x128xbf16>, %b: memref<128x256xbf16>, %d: memref<256x256xf32>) {
  linalg.matmul ins(%a, %b : memref<256x128xbf16>, memref<128x256xbf16>) outs(%d : memref<256x256xf32>)
  return
}
