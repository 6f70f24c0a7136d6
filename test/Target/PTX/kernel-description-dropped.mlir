// RUN: tc-compile %s -o %t.ptx
// RUN: FileCheck %s --input-file=%t.json
// RUN: tc-run %t.ptx --check --races=strict | FileCheck %s --check-prefix=CHECKED

// Dimensions of one element that a slice leaves out, one with a step that makes
// its stride another than that of the buffer.

// CHECK: "tensor_map": {
// CHECK-NEXT: "buffer": "arg0",
// CHECK-NEXT: "offset": 22528,
// CHECK: "dims": [
// CHECK-NEXT: 80,
// CHECK-NEXT: 1
// CHECKED: maximum error/bound 0.
func.func @slice(%a: memref<1x4x64x88xbf16>, %b: memref<80x40xbf16>, %d: memref<1x40xf32>) {
  %row = memref.subview %a[0, 2, 0, 0] [1, 1, 1, 80] [1, 2, 1, 1] : memref<1x4x64x88xbf16> to memref<1x80xbf16, strided<[11264, 1], offset: 11264>>
  linalg.matmul ins(%row, %b : memref<1x80xbf16, strided<[11264, 1], offset: 11264>>, memref<80x40xbf16>) outs(%d : memref<1x40xf32>)
  return
}
