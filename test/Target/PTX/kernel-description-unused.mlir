// RUN: tc-compile %s -o %t.ptx
// RUN: FileCheck %s --input-file=%t.json
// RUN: tc-run %t.ptx --check

// An argument that no launch gets is not written.
// CHECK: "D": {
// CHECK: "role": "inout"
// CHECK: "arg3": {
// CHECK: "role": "in"
func.func @unused(%a: memref<64x64xbf16>, %b: memref<64x64xbf16>, %d: memref<64x64xf32>, %other: memref<5xf32>) {
  linalg.matmul ins(%a, %b : memref<64x64xbf16>, memref<64x64xbf16>) outs(%d : memref<64x64xf32>)
  return
}
