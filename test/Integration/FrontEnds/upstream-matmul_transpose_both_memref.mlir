func.func @matmul_both(%a: memref<26x58xf16>, %b: memref<74x26xf16>, %c: memref<58x74xf32>) {
  linalg.matmul
    indexing_maps = [
      affine_map<(m, n, k) -> (k, m)>,
      affine_map<(m, n, k) -> (n, k)>,
      affine_map<(m, n, k) -> (m, n)>
    ]
    ins(%a, %b : memref<26x58xf16>, memref<74x26xf16>) outs(%c : memref<58x74xf32>)
  return
}
