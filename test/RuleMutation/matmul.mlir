// D = A * B^T, bf16 to f32; three K-blocks of 64 in two stages.

func.func @matmul(%a: memref<256x192xbf16>, %b: memref<256x192xbf16>, %d: memref<256x256xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<256x256xf32>)
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : memref<256x192xbf16>, memref<256x192xbf16>)
    outs(%d : memref<256x256xf32>)
  return
}
