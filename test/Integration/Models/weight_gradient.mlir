// A training step's weight gradient: X^T * dY added to what earlier steps left, both operands
// stored with the summed dimension first.
func.func @main(%x: memref<200x136xbf16>, %dy: memref<200x72xbf16>, %dw: memref<136x72xf32>) {
  linalg.matmul indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>]
    ins(%x, %dy : memref<200x136xbf16>, memref<200x72xbf16>) outs(%dw : memref<136x72xf32>)
  return
}
