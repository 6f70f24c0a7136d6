// RUN: tc-compile %s --chip=sm_89 --config="tile=64x64x128 stages=2" -o %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx
// RUN: ptxas -arch=sm_89 %t.ptx -o %t.cubin
// RUN: tc-run %t.ptx --races=strict --schedule=eager,lazy,random:1 --check | FileCheck %s --check-prefix=EMULATED
// REQUIRES: ptxas

// Products of 8-bit floats summed in f16 came with PTX 8.7; sm_89's other kernels are older.
// CHECK: .version 8.7
// CHECK: .target sm_89
// CHECK: mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f16
// EMULATED: random:1 {{.*}} ok
func.func @f(%a: memref<70x144xf8E4M3FN>, %b: memref<88x144xf8E5M2>, %d: memref<70x88xf16>) {
  tmm.matmul transpose_b f16_sum ins(%a, %b : memref<70x144xf8E4M3FN>, memref<88x144xf8E5M2>) outs(%d : memref<70x88xf16>)
  return
}
