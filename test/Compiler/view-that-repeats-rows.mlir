// RUN: tc-compile %s -o %t.ptx
// RUN: tc-run %t.ptx --check --races=strict --schedule=eager,lazy,random:1

// All rows of A are the first row of a buffer.

func.func @m(%big: memref<64x64xbf16>, %b: memref<64x64xbf16>, %d: memref<64x64xf32>) {
  %z = arith.constant 0.0 : f32
  %a = memref.reinterpret_cast %big to offset: [0], sizes: [64, 64], strides: [0, 1] : memref<64x64xbf16> to memref<64x64xbf16, strided<[0, 1]>>
  linalg.fill ins(%z : f32) outs(%d : memref<64x64xf32>)
  linalg.matmul ins(%a, %b : memref<64x64xbf16, strided<[0, 1]>>, memref<64x64xbf16>) outs(%d : memref<64x64xf32>)
  return
}
