// RUN: tc-compile %s -o %t.ptx
// RUN: tc-run %t.ptx --check --races=strict --schedule=eager,lazy,random:1

// All rows of A are one row.

func.func @m(%a: memref<64x64xbf16, strided<[0, 1]>>, %b: memref<64x64xbf16>, %d: memref<64x64xf32>) {
  linalg.matmul ins(%a, %b : memref<64x64xbf16, strided<[0, 1]>>, memref<64x64xbf16>) outs(%d : memref<64x64xf32>)
  return
}
