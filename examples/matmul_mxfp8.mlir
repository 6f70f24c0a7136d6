// 8-bit operands with a scale factor for each 32 elements of K, in blocks of 128
// rows and 4 factors, as cuBLAS has them. Any M, N and K:
//
//   tc-compile examples/matmul_mxfp8.mlir -o matmul.ptx
//   tc-run matmul.ptx --check --size M=200,N=144,K=416

func.func @matmul(%a: memref<?x?xf8E4M3FN>, %b: memref<?x?xf8E4M3FN>, %scale_a: memref<?x?x32x4x4xf8E8M0FNU>,
                  %scale_b: memref<?x?x32x4x4xf8E8M0FNU>, %d: memref<?x?xbf16>) {
  tmm.matmul transpose_b ins(%a, %b : memref<?x?xf8E4M3FN>, memref<?x?xf8E4M3FN>)
    scales(%scale_a, %scale_b : memref<?x?x32x4x4xf8E8M0FNU>, memref<?x?x32x4x4xf8E8M0FNU>)
    outs(%d : memref<?x?xbf16>)
  return
}
