// Block-scaled kinds of mma.sync: a chip without Tensor Memory. test/Integration/block_scaled.py runs such kernels bit for bit.
// RUN: split-file %s %t
// RUN: tc-compile %t/nvfp4.mlir --chip=sm_120a -o %t/nvfp4.ptx
// RUN: FileCheck %t/nvfp4.mlir --input-file=%t/nvfp4.ptx
// RUN: tc-compile %t/mxfp8.mlir --chip=sm_121a -o - --emit=ptx | FileCheck %t/mxfp8.mlir
// RUN: not tc-compile %t/mxfp8.mlir --chip=sm_90a -o - --emit=ptx 2>&1 | FileCheck %s --check-prefix=HOPPER
// RUN: not tc-compile %t/mxfp8.mlir --chip=sm_90a --config=unit=mma-sync -o - --emit=ptx 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not tc-compile %t/mxfp8.mlir --chip=sm_100a --config=unit=mma-sync -o - --emit=ptx 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not tc-compile %t/mxfp8.mlir --chip=sm_89 -o - --emit=ptx 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not tc-compile %t/mxfp8.mlir --chip=sm_120a --config=scale-stages=2 -o - --emit=ptx 2>&1 | FileCheck %s --check-prefix=STAGES
// RUN: not tc-compile %t/mxfp8.mlir --chip=sm_120a --config=tile=64x64x128 -o - --emit=ptx 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: not tc-compile %t/mxfp8.mlir --chip=sm_120a --config=load-a=threads -o - --emit=ptx 2>&1 | FileCheck %s --check-prefix=REGISTERS
// RUN: not tc-compile %t/mxfp8.mlir --chip=sm_120a --config=epilogue=tma-store -o - --emit=ptx 2>&1 | FileCheck %s --check-prefix=STORE
// RUN: not tc-compile %t/bf16.mlir --chip=sm_90a --config=scale-stages=2 -o - --emit=ptx 2>&1 | FileCheck %s --check-prefix=NONE
// HOPPER: operands: expected element types of kind {{.*}}, got those of kind mxf8f6f4
// CHIP: operands: expected none with scale factors, which mma.sync of the chip does not take (that of sm_120a and sm_121a does), got those of kind mxf8f6f4
// STAGES: scale-stages of 2: expected none, unit mma-sync reads scale factors where they arrive
// NONE: scale-stages of 2: expected none, the operands have no scale factors or metadata
// TILE: tile M of 64: expected 128 or 256, rows of blocks of scale factors, nearest 128
// REGISTERS: expected at most 128 registers for each of 416 threads, got about 155 (64 of them for the accumulator)
// STORE: expected at most 168 registers for each of 288 threads, got about 171 (64 of them for the accumulator); choose epilogue=direct

//--- nvfp4.mlir
// 64 elements of K have 4 factors: a whole register of them.
// CHECK: .target sm_120a
// CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{.*}}, [%rd{{[0-9]+}}+{{[0-9]+}}];
// CHECK: mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3
// CHECK-NOT: tcgen05
func.func @f(%a: memref<256x512xf4E2M1FN>, %b: memref<384x512xf4E2M1FN>, %sa: memref<2x8x32x4x4xf8E4M3FN>,
             %sb: memref<3x8x32x4x4xf8E4M3FN>, %d: memref<256x384xbf16>) {
  tmm.matmul transpose_b ins(%a, %b : memref<256x512xf4E2M1FN>, memref<384x512xf4E2M1FN>)
    scales(%sa, %sb : memref<2x8x32x4x4xf8E4M3FN>, memref<3x8x32x4x4xf8E4M3FN>) outs(%d : memref<256x384xbf16>)
  return
}

//--- mxfp8.mlir
// 32 elements have one: byte k / 32 mod 4 of the register.
// CHECK: .target sm_121a
// CHECK: mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e5m2.f32.ue8m0
// CHECK-NOT: tcgen05
func.func @f(%a: memref<?x?xf8E4M3FN>, %b: memref<?x?xf8E5M2>, %sa: memref<?x?x32x4x4xf8E8M0FNU>,
             %sb: memref<?x?x32x4x4xf8E8M0FNU>, %d: memref<?x?xf32>) {
  tmm.matmul transpose_b ins(%a, %b : memref<?x?xf8E4M3FN>, memref<?x?xf8E5M2>)
    scales(%sa, %sb : memref<?x?x32x4x4xf8E8M0FNU>, memref<?x?x32x4x4xf8E8M0FNU>) outs(%d : memref<?x?xf32>)
  return
}

//--- bf16.mlir
func.func @f(%a: memref<256x512xbf16>, %b: memref<384x512xbf16>, %d: memref<256x384xf32>) {
  tmm.matmul transpose_b ins(%a, %b : memref<256x512xbf16>, memref<384x512xbf16>) outs(%d : memref<256x384xf32>)
  return
}
