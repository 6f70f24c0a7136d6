func.func @matmul(%a: memref<256x256xbf16>, %b: memref<512x256xbf16>, %d: memref<256x512xbf16>) {
  %zero = arith.constant 0.0 : bf16
  linalg.fill ins(%zero : bf16) outs(%d : memref<256x512xbf16>)
  // B is stored N x K.
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                                 affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : memref<256x256xbf16>, memref<512x256xbf16>) outs(%d : memref<256x512xbf16>)
  return
}
