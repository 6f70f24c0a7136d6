// RUN: tc-compile %s -o %t.ptx
// RUN: tc-run %t.ptx --check --races=strict --schedule=eager,lazy,random:1

// The batches of A are one matrix.

func.func @m(%a: memref<4x64x64xbf16, strided<[0, 64, 1]>>, %b: memref<4x64x64xbf16>, %d: memref<4x64x64xf32>) {
  linalg.batch_matmul ins(%a, %b : memref<4x64x64xbf16, strided<[0, 64, 1]>>, memref<4x64x64xbf16>) outs(%d : memref<4x64x64xf32>)
  return
}
