// Element types choose the kind of tcgen05.mma. test/Integration/kinds.py runs such kernels.
// RUN: split-file %s %t
// RUN: tc-compile %t/fp8.mlir -o - --emit=ptx | FileCheck %t/fp8.mlir
// RUN: tc-compile %t/tf32.mlir -o - --emit=ptx | FileCheck %t/tf32.mlir
// RUN: tc-compile %t/i8.mlir -o - --emit=ptx | FileCheck %t/i8.mlir
// RUN: not tc-compile %t/tf32.mlir -o - --emit=ptx --chip=sm_90a --config=load-a=tma 2>&1 | FileCheck %s --check-prefix=TF32
// RUN: tc-compile %t/tf32.mlir -o - --emit=ptx --chip=sm_90a "--config=load-a=cp-async load-b=cp-async" | FileCheck %t/tf32.mlir --check-prefix=HOPPER
// RUN: not tc-compile %t/fp4.mlir -o - --emit=ptx --chip=sm_90a 2>&1 | FileCheck %s --check-prefix=FP4
// RUN: tc-compile %t/fp8.mlir -o - --emit=ptx --chip=sm_90a | FileCheck %t/fp8.mlir --check-prefix=HOPPER
// RUN: tc-compile %t/i8.mlir -o - --emit=ptx --chip=sm_90a | FileCheck %t/i8.mlir --check-prefix=HOPPER
// RUN: not tc-compile %t/tf32.mlir -o - --emit=ptx --config=swizzle=64B 2>&1 | FileCheck %s --check-prefix=SWIZZLE
// TF32: load-a of tma: expected cp-async or threads, unit wgmma reads elements of 32 bits adjacent along K, and TMA keeps the order
// FP4: operands: expected elements of 8 bits, the fewest that unit wgmma multiplies, got fewer
// SWIZZLE: swizzle of 64B: expected 128B, the only one in which elements of 32 bits are read along M or N

//--- fp8.mlir
// CHECK: tcgen05.mma.cta_group::{{[12]}}.kind::f8f6f4
// HOPPER: wgmma.mma_async.sync.aligned.m64n{{[0-9]+}}k32.f32.e4m3.e5m2
func.func @f(%a: memref<512x256xf8E4M3FN>, %b: memref<512x256xf8E5M2>, %d: memref<512x512xbf16>) {
  tmm.matmul transpose_b ins(%a, %b : memref<512x256xf8E4M3FN>, memref<512x256xf8E5M2>) outs(%d : memref<512x512xbf16>)
  return
}

//--- fp4.mlir
func.func @f(%a: memref<512x256xf4E2M1FN>, %b: memref<512x256xf8E5M2>, %d: memref<512x512xbf16>) {
  tmm.matmul transpose_b ins(%a, %b : memref<512x256xf4E2M1FN>, memref<512x256xf8E5M2>) outs(%d : memref<512x512xbf16>)
  return
}

//--- tf32.mlir
// CHECK: tcgen05.mma.cta_group::{{[12]}}.kind::tf32
// HOPPER-DAG: cp.async.ca.shared.global
// HOPPER-DAG: wgmma.mma_async.sync.aligned.m64n{{[0-9]+}}k8.f32.tf32.tf32
func.func @f(%a: memref<256x512xf32>, %b: memref<256x512xf32>, %d: memref<512x512xf32>) {
  tmm.matmul transpose_a allow_tf32 ins(%a, %b : memref<256x512xf32>, memref<256x512xf32>) outs(%d : memref<512x512xf32>)
  return
}

//--- i8.mlir
// CHECK-DAG: tcgen05.mma.cta_group::{{[12]}}.kind::i8
// CHECK-DAG: cvt.rn.f32.s32
// HOPPER: wgmma.mma_async.sync.aligned.m64n{{[0-9]+}}k32.s32.s8.u8 {{.*}}, %p{{[0-9]+}};
// HOPPER: cvt.rn.f32.s32
func.func @f(%a: memref<512x256xi8>, %b: memref<512x256xui8>, %scale: f32, %d: memref<512x512xbf16>) {
  tmm.matmul transpose_b ins(%a, %b : memref<512x256xi8>, memref<512x256xui8>) outs(%d : memref<512x512xbf16>)
    epilogue(%acc : i32, %s = %scale : f32) {
      %0 = arith.sitofp %acc : i32 to f32
      %1 = arith.mulf %0, %s : f32
      %2 = arith.truncf %1 : f32 to bf16
      tmm.yield %2 : bf16
    }
  return
}
