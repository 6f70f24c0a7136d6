// The pass runs between two levels of tc: what it made is lowered to PTX and runs,
// as every kernel, on the emulator.

// RUN: share-opt %s --convert-linalg-to-tmm --tmm-choose-config --spare-multiprocessors=count=100 -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: share-opt %t.mlir --tmm-tile --canonicalize | FileCheck %s --check-prefix=TILES
// RUN: tc-compile %t.mlir -o %t.ptx
// RUN: tc-run %t.ptx --check --schedule lazy | FileCheck %s --check-prefix=CHECKED

// 128 tiles would take as many of the 148 multiprocessors.
// CHECK: sms = 48
// CHECK-LABEL: func.func @many_tiles
// TILES: %[[CTAS:.*]] = arith.constant 48 : index
// TILES: gpu.launch_func {{.*}}blocks in (%[[CTAS]],
// CHECKED: check D = A * B + D: M=2048 N=1024 K=64
func.func @many_tiles(%a: memref<2048x64xbf16>, %b: memref<64x1024xbf16>, %d: memref<2048x1024xf32>) {
  linalg.matmul ins(%a, %b : memref<2048x64xbf16>, memref<64x1024xbf16>) outs(%d : memref<2048x1024xf32>)
  return
}
