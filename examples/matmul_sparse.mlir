// bf16, of A two of each four elements of a row and metadata that says which, in
// blocks as Tensor Memory has them (tmm.matmul says how; tclib/sparse.py and
// tc/Runtime/Sparse.h make them). A is M x K/2. Any M and N, K a multiple of 16:
//
//   tc-compile examples/matmul_sparse.mlir -o matmul.ptx
//   tc-run matmul.ptx --check --size M=200,N=144,K=416

func.func @matmul(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %metadata: memref<?x?x128x4xi32>, %d: memref<?x?xbf16>) {
  tmm.matmul transpose_b ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>)
    metadata(%metadata : memref<?x?x128x4xi32>) outs(%d : memref<?x?xbf16>)
  return
}
