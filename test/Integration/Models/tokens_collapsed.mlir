// A linear layer on [batch, tokens, features], both sizes dynamic, as IREE's flow prints it: the
// leading dimensions are collapsed into the rows of one product and expanded after it.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
func.func @linear(%x: tensor<?x136x64xbf16>, %w: tensor<72x64xbf16>, %bias: tensor<72xbf16>) -> tensor<?x136x72xbf16> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c136 = arith.constant 136 : index
  %b = tensor.dim %x, %c0 : tensor<?x136x64xbf16>
  %rows = arith.muli %b, %c136 : index
  %collapsed = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x136x64xbf16> into tensor<?x64xbf16>
  %e = tensor.empty(%rows) : tensor<?x72xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x72xf32>) -> tensor<?x72xf32>
  %p = linalg.matmul indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>]
    ins(%collapsed, %w : tensor<?x64xbf16>, tensor<72x64xbf16>) outs(%f : tensor<?x72xf32>) -> tensor<?x72xf32>
  %o = tensor.empty(%rows) : tensor<?x72xbf16>
  %r = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%p, %bias : tensor<?x72xf32>, tensor<72xbf16>) outs(%o : tensor<?x72xbf16>) {
  ^bb0(%in: f32, %in_0: bf16, %out: bf16):
    %0 = arith.extf %in_0 : bf16 to f32
    %1 = arith.addf %in, %0 : f32
    %2 = arith.truncf %1 : f32 to bf16
    linalg.yield %2 : bf16
  } -> tensor<?x72xbf16>
  %expanded = tensor.expand_shape %r [[0, 1], [2]] output_shape [%b, 136, 72] : tensor<?x72xbf16> into tensor<?x136x72xbf16>
  return %expanded : tensor<?x136x72xbf16>
}
