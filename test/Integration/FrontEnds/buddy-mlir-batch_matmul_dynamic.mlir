func.func @batch_matmul(%arg0: memref<?x?x?xbf16>, %arg1: memref<?x?x?xbf16>, %arg2: memref<?x?x?xf32>) {
  linalg.batch_matmul
    ins(%arg0, %arg1 : memref<?x?x?xbf16>, memref<?x?x?xbf16>)
    outs(%arg2 : memref<?x?x?xf32>)
  return
}
