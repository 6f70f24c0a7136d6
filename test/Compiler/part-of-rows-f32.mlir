// RUN: tc-compile %s -o %t.ptx
// RUN: tc-run %t.ptx --check --races=strict --schedule=eager,lazy,random:1
// RUN: not tc-compile %s --config="epilogue=tma-store" -o %t.ptx 2>&1 | FileCheck %s
// CHECK: error: 'linalg.matmul' op configuration: epilogue of tma-store: expected direct, TMA writes 16 bytes as a whole, and rows of D end inside of them, after 392

// D is 98 columns of a matrix with rows of 128: columns 98.. belong to somebody else.
func.func @matmul(%a: memref<256x128xbf16>, %b: memref<128x98xbf16, strided<[104, 1]>>, %d: memref<256x98xf32, strided<[128, 1]>>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<256x98xf32, strided<[128, 1]>>)
  linalg.matmul ins(%a, %b : memref<256x128xbf16>, memref<128x98xbf16, strided<[104, 1]>>) outs(%d : memref<256x98xf32, strided<[128, 1]>>)
  return
}
