// The second product of multi-head attention, after the softmax: P * V for every head, and the
// heads of a sequence share V in groups (grouped queries).
func.func @values(%p: tensor<2x2x3x136x200xbf16>, %v: tensor<2x2x200x64xbf16>) -> tensor<2x2x3x136x64xbf16> {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<2x2x3x136x64xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<2x2x3x136x64xbf16>) -> tensor<2x2x3x136x64xbf16>
  %r = linalg.contract indexing_maps = [affine_map<(b, h, g, i, c, j) -> (b, h, g, i, j)>, affine_map<(b, h, g, i, c, j) -> (b, h, j, c)>, affine_map<(b, h, g, i, c, j) -> (b, h, g, i, c)>]
    ins(%p, %v : tensor<2x2x3x136x200xbf16>, tensor<2x2x200x64xbf16>) outs(%f : tensor<2x2x3x136x64xbf16>) -> tensor<2x2x3x136x64xbf16>
  return %r : tensor<2x2x3x136x64xbf16>
}
