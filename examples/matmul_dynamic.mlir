// Any M, N and K, the right operand stored N x K, added to what is in %d. The
// sizes are given when the kernel runs:
//
//   tc-compile examples/matmul_dynamic.mlir -o matmul.ptx
//   tc-run matmul.ptx --check --size M=200,N=136,K=72

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>

func.func @matmul(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xbf16>) {
  linalg.matmul indexing_maps = [#a, #b, #d]
    ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xbf16>)
  return
}
