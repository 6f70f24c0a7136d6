// A cluster of two CTAs, one of which has no tile.
// RUN: tc-compile %s --config=cluster=2x1 -o %t.ptx
// RUN: tc-run %t.ptx --check --races=strict | FileCheck %s

// CHECK: check D = A * B + D: M=64 N=72 K=40
// CHECK-NEXT: maximum error
func.func @main(%a: memref<64x40xf16>, %b: memref<40x72xf16>, %d: memref<64x72xf32>) {
  linalg.matmul ins(%a, %b : memref<64x40xf16>, memref<40x72xf16>) outs(%d : memref<64x72xf32>)
  return
}
