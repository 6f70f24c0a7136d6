func.func @two(%a: memref<128x128xbf16>, %b: memref<128x128xbf16>, %c: memref<128x128xbf16>, %d: memref<128x128xbf16>) {
  tmm.matmul ins(%a, %b : memref<128x128xbf16>, memref<128x128xbf16>) outs(%c : memref<128x128xbf16>)
  tmm.matmul ins(%c, %b : memref<128x128xbf16>, memref<128x128xbf16>) outs(%d : memref<128x128xbf16>)
  return
}
