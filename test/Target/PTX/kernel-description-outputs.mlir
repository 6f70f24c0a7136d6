// RUN: tc-compile %s -o %t.ptx
// RUN: FileCheck %s --input-file=%t.json
// RUN: FileCheck %s --input-file=%t.ptx --check-prefix=PTX

// Outputs beside D, what sizes must be, and what amax starts with.

// CHECK: "message": "N must be a multiple of 64, the K of the next matmul, as D has scale factors"
// CHECK: "value": "N",
// CHECK-NEXT: "multiple_of": 64
// CHECK: "SFD": {
// CHECK-NEXT: "dtype": "ue4m3",
// CHECK-NEXT: "shape": [
// CHECK-NEXT: "M ceildiv 128",
// CHECK-NEXT: "N ceildiv 64",
// CHECK: "role": "out"
// CHECK: "amax": {
// CHECK-NEXT: "dtype": "f32",
// CHECK-NEXT: "shape": [],
// CHECK-NEXT: "role": "inout",
// CHECK-NEXT: "init": "zeros"
// CHECK: "formula": "D, SFD, amax = epilogue(A * B)",
// CHECK: "scale_d": {
// CHECK-NEXT: "buffer": "SFD",
// CHECK: "scale_block_d": 16,
// CHECK: "amax": {
// CHECK-NEXT: "buffer": "amax",
// CHECK: "result": "t0",
// CHECK-NEXT: "amax": "acc"

// PTX: cvt.rn.satfinite.e4m3x2.f32
// PTX: cvt.rn.satfinite.e2m1x2.f32
func.func @f(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf4E2M1FN>, %s: memref<?x?x32x4x4xf8E4M3FN>,
             %amax: memref<f32>, %scale: f32) {
  tmm.matmul ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf4E2M1FN>)
    scale_d(%s : memref<?x?x32x4x4xf8E4M3FN>) amax(%amax : memref<f32>) epilogue(%acc, %x = %scale : f32) {
    %0 = arith.mulf %acc, %x : f32
    tmm.yield %0, %acc : f32, f32
  }
  return
}
