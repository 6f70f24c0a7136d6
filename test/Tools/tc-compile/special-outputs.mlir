// RUN: sh %S/Inputs/special-outputs.sh %t %s 2>&1 | FileCheck %s

// CHECK: link: 640, 1 module
// CHECK-NEXT: pipe: 1 module
// CHECK-NEXT: device
// CHECK-NEXT: tc-compile: error: cannot write '/dev/full': No space left on device
// CHECK-NEXT: full: 0
func.func @f(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %d: memref<64x64xf32>) {
  linalg.matmul ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%d : memref<64x64xf32>)
  return
}
