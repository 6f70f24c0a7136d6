// 8-bit operands with f32 factors for large blocks, as DeepSeek's models and DeepGEMM
// have them: one for each row and 128 elements of K of A, one for 128 x 128 of B.
// Any M, N and K:
//
//   tc-compile examples/matmul_fp8_blocks.mlir -o matmul.ptx
//   tc-run matmul.ptx --check --size M=200,N=272,K=336

func.func @matmul(%a: memref<?x?xf8E4M3FN>, %b: memref<?x?xf8E4M3FN>, %scale_a: memref<?x?xf32>,
                  %scale_b: memref<?x?xf32>, %d: memref<?x?xbf16>) {
  tmm.matmul transpose_b ins(%a, %b : memref<?x?xf8E4M3FN>, memref<?x?xf8E4M3FN>)
    scales(%scale_a, %scale_b : memref<?x?xf32>, memref<?x?xf32>)
    outs(%d : memref<?x?xbf16>)
  return
}
