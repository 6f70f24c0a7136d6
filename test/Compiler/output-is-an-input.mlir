// RUN: not tc-compile %s -o %t.ptx 2>&1 | FileCheck %s
// CHECK: error: 'linalg.matmul' op cannot become tmm.matmul: its output is one of its inputs, which tiles of the output would overwrite while they are read

func.func @h6(%a: memref<256x256xbf16>, %b: memref<256x256xbf16>) {
  linalg.matmul ins(%a, %b : memref<256x256xbf16>, memref<256x256xbf16>) outs(%a : memref<256x256xbf16>)
  return
}
