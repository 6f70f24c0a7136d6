// The module of compiler.c.
func.func @f(%a: memref<256x128xbf16>, %b: memref<128x64xbf16>, %d: memref<256x64xf32>) {
  linalg.matmul ins(%a, %b : memref<256x128xbf16>, memref<128x64xbf16>) outs(%d : memref<256x64xf32>)
  return
}
