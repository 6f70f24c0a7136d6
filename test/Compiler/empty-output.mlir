// RUN: tc-compile %s -o %t.ptx && FileCheck %s --check-prefix=PTX < %t.ptx
// RUN: FileCheck %s < %t.json
// RUN: tc-run %t.ptx --check | FileCheck %s --check-prefix=EXECUTED

// An output that is known to be empty: no kernel, no launch, a description all
// the same, with the roles of the buffers.
// PTX: .target sm_100a
// PTX-NOT: .entry
// CHECK: "function": "matmul"
// CHECK: "A": {
// CHECK: "role": "in"
// CHECK: "B": {
// CHECK: "role": "in"
// CHECK: "D": {
// CHECK: "role": "inout"
// CHECK: "kernels": []
// CHECK: "launches": []
// CHECK: "problems": [
// CHECK-NEXT: {
// CHECK-NEXT: "formula": "D = A * B + D",
// CHECK-NOT: "launch":
// EXECUTED: 0 of 0 launches
// EXECUTED: check D = A * B + D: M=0 N=136 K=72
// EXECUTED-NEXT: maximum error 0 
func.func @matmul(%a: memref<0x72xbf16>, %b: memref<72x136xbf16>, %d: memref<0x136xf32>) {
  linalg.matmul ins(%a, %b : memref<0x72xbf16>, memref<72x136xbf16>) outs(%d : memref<0x136xf32>)
  return
}
