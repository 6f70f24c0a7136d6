// Dynamic batch and features, bf16 from end to end: the arithmetic of the layer is
// computed in f32 and rounded once.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
func.func @main(%x: tensor<?x?xbf16>, %w: tensor<?x?xbf16>, %bias: tensor<?xbf16>) -> tensor<?x?xbf16> {
  %zero = arith.constant 0.0 : bf16
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xbf16>
  %n = tensor.dim %w, %c0 : tensor<?x?xbf16>
  %e = tensor.empty(%m, %n) : tensor<?x?xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %mm = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
    ins(%x, %w : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%f : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %r = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%mm, %bias : tensor<?x?xbf16>, tensor<?xbf16>) outs(%e : tensor<?x?xbf16>) {
  ^bb0(%in: bf16, %b: bf16, %out: bf16):
    %0 = arith.addf %in, %b : bf16
    %1 = arith.negf %0 : bf16
    %2 = math.exp %1 : bf16
    %one = arith.constant 1.0 : bf16
    %3 = arith.addf %2, %one : bf16
    %4 = arith.divf %0, %3 : bf16
    linalg.yield %4 : bf16
  } -> tensor<?x?xbf16>
  return %r : tensor<?x?xbf16>
}
