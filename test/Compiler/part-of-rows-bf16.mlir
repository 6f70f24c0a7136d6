// RUN: tc-compile %s -o %t.ptx
// RUN: tc-run %t.ptx --check --races=strict --schedule=eager,lazy,random:1

// D is 98 columns of a matrix with rows of 128: TMA would write two columns that belong to somebody else.

func.func @matmul(%a: memref<256x128xbf16>, %b: memref<98x128xbf16>, %d: memref<256x98xbf16, strided<[128, 1]>>) {
  %zero = arith.constant 0.0 : bf16
  linalg.fill ins(%zero : bf16) outs(%d : memref<256x98xbf16, strided<[128, 1]>>)
  linalg.matmul indexing_maps = [affine_map<(m,n,k)->(m,k)>,affine_map<(m,n,k)->(n,k)>,affine_map<(m,n,k)->(m,n)>] ins(%a, %b : memref<256x128xbf16>, memref<98x128xbf16>) outs(%d : memref<256x98xbf16, strided<[128, 1]>>)
  return
}
