// RUN: tc-compile %s --config="cta-group=1 tile=128x128x128" -o %t.ptx
// RUN: FileCheck %s --input-file=%t.json
// RUN: FileCheck %s --input-file=%t.ptx --check-prefix=PTX

// The blocks of scale factors are counted by M, N and K, which a caller gives.
// Checks that follow from that are not written.

// CHECK: "sizes": [
// CHECK-NEXT: "M",
// CHECK-NEXT: "N",
// CHECK-NEXT: "K"
// CHECK-NEXT: ],
// CHECK: "constraints": [
// CHECK-NOT: scale factors
// CHECK: "buffers": {
// CHECK: "SFA": {
// CHECK-NEXT: "dtype": "ue8m0",
// CHECK-NEXT: "shape": [
// CHECK-NEXT: "M ceildiv 128",
// CHECK-NEXT: "K ceildiv 128",
// CHECK-NEXT: 32,
// CHECK-NEXT: 4,
// CHECK-NEXT: 4
// CHECK-NEXT: ],
// CHECK-NEXT: "role": "in"
// CHECK: "SFB": {
// CHECK: "N ceildiv 128",
// CHECK: "problems": [
// CHECK: "formula": "D = scaled(A, SFA) * scaled(B, SFB)",
// CHECK: "scale_a": {
// CHECK-NEXT: "buffer": "SFA",
// CHECK: "scale_b": {
// CHECK-NEXT: "buffer": "SFB",
// CHECK: "scale_block": 32,

// PTX: tcgen05.cp.cta_group::1.32x128b.warpx4
// PTX: tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale
func.func @f(%a: memref<?x?xf8E4M3FN>, %b: memref<?x?xf8E5M2>, %sa: memref<?x?x32x4x4xf8E8M0FNU>,
             %sb: memref<?x?x32x4x4xf8E8M0FNU>, %d: memref<?x?xf32>) {
  tmm.matmul transpose_b ins(%a, %b : memref<?x?xf8E4M3FN>, memref<?x?xf8E5M2>)
             scales(%sa, %sb : memref<?x?x32x4x4xf8E8M0FNU>, memref<?x?x32x4x4xf8E8M0FNU>)
             outs(%d : memref<?x?xf32>)
  return
}
