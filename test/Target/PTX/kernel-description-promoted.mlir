// RUN: tc-compile %s --config="cta-group=1 tile=128x64x128 epilogue=direct" -o %t.ptx
// RUN: FileCheck %s --input-file=%t.json
// RUN: FileCheck %s --input-file=%t.ptx --check-prefix=PTX
// RUN: tc-run %t.ptx --size=M=40,N=136,K=160 --check --races=strict | FileCheck %s --check-prefix=RAN

// Factors of f32 are counted by M, N and K; the kernel takes a pointer to them, and how
// far apart those of neighbouring rows are.

// CHECK: "sizes": [
// CHECK-NEXT: "M",
// CHECK-NEXT: "N",
// CHECK-NEXT: "K"
// CHECK-NEXT: ],
// CHECK: "constraints": [
// CHECK-NOT: scale factors
// CHECK: "buffers": {
// CHECK: "SFA": {
// CHECK-NEXT: "dtype": "f32",
// CHECK-NEXT: "shape": [
// CHECK-NEXT: "M",
// CHECK-NEXT: "K ceildiv 128"
// CHECK-NEXT: ],
// CHECK: "SFB": {
// CHECK: "N ceildiv 128",
// CHECK-NEXT: "K ceildiv 128"
// CHECK: "problems": [
// CHECK: "formula": "D = scaled(A, SFA) * scaled(B, SFB)",
// CHECK: "scale_a": {
// CHECK-NEXT: "buffer": "SFA",
// CHECK: "scale_b": {
// CHECK-NEXT: "buffer": "SFB",
// CHECK: "scale_block": 128,
// CHECK-NEXT: "scale_columns": 128,

// PTX-DAG: tcgen05.mma.cta_group::1.kind::f8f6f4
// PTX-DAG: fma.rn.f32

// RAN: check D = scaled(A, SFA) * scaled(B, SFB): M=40 N=136 K=160, e4m3 x e5m2 -> f32
func.func @f(%a: memref<?x?xf8E4M3FN>, %b: memref<?x?xf8E5M2>, %sa: memref<?x?xf32>, %sb: memref<?x?xf32>, %d: memref<?x?xf32>) {
  tmm.matmul transpose_b ins(%a, %b : memref<?x?xf8E4M3FN>, memref<?x?xf8E5M2>)
    scales(%sa, %sb : memref<?x?xf32>, memref<?x?xf32>) outs(%d : memref<?x?xf32>)
  return
}
