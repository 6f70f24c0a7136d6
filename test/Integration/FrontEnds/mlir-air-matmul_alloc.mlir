func.func @forward(%arg0: memref<48x27xbf16>, %arg1: memref<27x51xbf16>) -> memref<48x51xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %alloc = memref.alloc() {alignment = 128 : i64} : memref<48x51xf32>
  linalg.fill ins(%cst : f32) outs(%alloc : memref<48x51xf32>)
  %alloc_0 = memref.alloc() {alignment = 128 : i64} : memref<48x51xf32>
  memref.copy %alloc, %alloc_0 : memref<48x51xf32> to memref<48x51xf32>
  linalg.matmul ins(%arg0, %arg1 : memref<48x27xbf16>, memref<27x51xbf16>) outs(%alloc_0 : memref<48x51xf32>)
  return %alloc_0 : memref<48x51xf32>
}
