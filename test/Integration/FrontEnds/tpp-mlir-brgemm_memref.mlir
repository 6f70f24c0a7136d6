func.func @brgemm(%arg0: memref<4x33x42xbf16>, %arg1: memref<4x42x50xbf16>, %arg2: memref<33x50xf32>) {
  linalg.batch_reduce_matmul ins(%arg0, %arg1 : memref<4x33x42xbf16>, memref<4x42x50xbf16>) outs(%arg2 : memref<33x50xf32>)
  return
}
