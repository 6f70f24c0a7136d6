func.func @f(%a: memref<256x256xbf16>, %b: memref<64x256xbf16>, %d: memref<256x64xf32>) {
  tmm.matmul transpose_b ins(%a, %b : memref<256x256xbf16>, memref<64x256xbf16>) outs(%d : memref<256x64xf32>)
  return
}
