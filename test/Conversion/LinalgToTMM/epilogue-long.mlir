// RUN: tc-opt %s -convert-linalg-to-tmm | FileCheck %s

// However many operations follow a matmul in place, one after the other.
// CHECK-LABEL: func @long
// CHECK-NOT: linalg
// CHECK: tmm.matmul
// CHECK-COUNT-12: arith.addf
// CHECK: tmm.yield
// CHECK-NOT: linalg
func.func @long(%a: memref<64x16xbf16>, %b: memref<16x72xbf16>, %r: memref<64x72xf32>, %d: memref<64x72xf32>) {
  %z = arith.constant 0.0 : f32
  linalg.fill ins(%z : f32) outs(%d : memref<64x72xf32>)
  linalg.matmul ins(%a, %b : memref<64x16xbf16>, memref<16x72xbf16>) outs(%d : memref<64x72xf32>)
  linalg.add ins(%d, %r : memref<64x72xf32>, memref<64x72xf32>) outs(%d : memref<64x72xf32>)
  linalg.add ins(%d, %r : memref<64x72xf32>, memref<64x72xf32>) outs(%d : memref<64x72xf32>)
  linalg.add ins(%d, %r : memref<64x72xf32>, memref<64x72xf32>) outs(%d : memref<64x72xf32>)
  linalg.add ins(%d, %r : memref<64x72xf32>, memref<64x72xf32>) outs(%d : memref<64x72xf32>)
  linalg.add ins(%d, %r : memref<64x72xf32>, memref<64x72xf32>) outs(%d : memref<64x72xf32>)
  linalg.add ins(%d, %r : memref<64x72xf32>, memref<64x72xf32>) outs(%d : memref<64x72xf32>)
  linalg.add ins(%d, %r : memref<64x72xf32>, memref<64x72xf32>) outs(%d : memref<64x72xf32>)
  linalg.add ins(%d, %r : memref<64x72xf32>, memref<64x72xf32>) outs(%d : memref<64x72xf32>)
  linalg.add ins(%d, %r : memref<64x72xf32>, memref<64x72xf32>) outs(%d : memref<64x72xf32>)
  linalg.add ins(%d, %r : memref<64x72xf32>, memref<64x72xf32>) outs(%d : memref<64x72xf32>)
  linalg.add ins(%d, %r : memref<64x72xf32>, memref<64x72xf32>) outs(%d : memref<64x72xf32>)
  linalg.add ins(%d, %r : memref<64x72xf32>, memref<64x72xf32>) outs(%d : memref<64x72xf32>)
  return
}
