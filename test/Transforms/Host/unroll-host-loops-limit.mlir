// RUN: tc-opt %s --tc-unroll-host-loops | FileCheck %s

// All iterations count, those of the loops inside, too.
// CHECK-LABEL: func.func @nest(
// CHECK:         scf.for
// CHECK-COUNT-40: linalg.matmul
// CHECK-NOT:     linalg.matmul
func.func @nest(%a: memref<64x64xbf16>, %b: memref<64x64xbf16>, %d: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c40 = arith.constant 40 : index
  scf.for %i = %c0 to %c40 step %c1 {
    scf.for %j = %c0 to %c40 step %c1 {
      linalg.matmul ins(%a, %b : memref<64x64xbf16>, memref<64x64xbf16>) outs(%d : memref<64x64xf32>)
    }
  }
  return
}
