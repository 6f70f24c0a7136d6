// RUN: tc-compile %s --config="cta-group=1 tile=128x128x128" -o %t.ptx
// RUN: FileCheck %s --input-file=%t.json
// RUN: FileCheck %s --input-file=%t.ptx --check-prefix=PTX

// K is that of B, A has half of it. The blocks of metadata are counted by M and K,
// and not any bits are metadata.

// CHECK: "sizes": [
// CHECK-NEXT: "M",
// CHECK-NEXT: "N",
// CHECK-NEXT: "K"
// CHECK-NEXT: ],
// CHECK: "constraints": [
// CHECK-NOT: blocks of metadata
// CHECK: "K must be a multiple of 4, the elements that share a code of metadata"
// CHECK: "buffers": {
// CHECK: "A": {
// CHECK-NEXT: "dtype": "bf16",
// CHECK-NEXT: "shape": [
// CHECK-NEXT: "M",
// CHECK-NEXT: "K ceildiv 2"
// CHECK: "metadata": {
// CHECK-NEXT: "dtype": "i32",
// CHECK-NEXT: "shape": [
// CHECK-NEXT: "M ceildiv 128",
// CHECK-NEXT: "K ceildiv 128",
// CHECK-NEXT: 128,
// CHECK-NEXT: 4
// CHECK-NEXT: ],
// CHECK-NEXT: "role": "in",
// CHECK-NEXT: "init": "two_of_four"
// CHECK: "problems": [
// CHECK: "formula": "D = sparse(A, metadata) * B",
// CHECK: "k": "K",
// CHECK: "metadata": {
// CHECK-NEXT: "buffer": "metadata",

// PTX: tcgen05.cp.cta_group::1.128x128b
// PTX-COUNT-4: tcgen05.mma.sp.cta_group::1.kind::f16
func.func @f(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %e: memref<?x?x128x4xi32>, %d: memref<?x?xf32>) {
  tmm.matmul transpose_b ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) metadata(%e : memref<?x?x128x4xi32>)
             outs(%d : memref<?x?xf32>)
  return
}
