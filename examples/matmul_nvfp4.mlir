// 4-bit operands with a factor in f8E4M3FN for each 16 elements of K, in blocks of
// 128 rows and 4 factors, as cuBLAS has them, and a factor for the whole product.
// Two elements are in a byte. Any M and N, K a multiple of 64:
//
//   tc-compile examples/matmul_nvfp4.mlir -o matmul.ptx
//   tc-run matmul.ptx --check --size M=200,N=144,K=448 --scalar arg5=0.25

func.func @matmul(%a: memref<?x?xf4E2M1FN>, %b: memref<?x?xf4E2M1FN>, %scale_a: memref<?x?x32x4x4xf8E4M3FN>,
                  %scale_b: memref<?x?x32x4x4xf8E4M3FN>, %d: memref<?x?xbf16>, %alpha: f32) {
  tmm.matmul transpose_b ins(%a, %b : memref<?x?xf4E2M1FN>, memref<?x?xf4E2M1FN>)
    scales(%scale_a, %scale_b : memref<?x?x32x4x4xf8E4M3FN>, memref<?x?x32x4x4xf8E4M3FN>)
    outs(%d : memref<?x?xbf16>)
    epilogue(%acc, %x = %alpha : f32) {
      %0 = arith.mulf %acc, %x : f32
      %1 = arith.truncf %0 : f32 to bf16
      tmm.yield %1 : bf16
    }
  return
}
