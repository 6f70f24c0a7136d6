#a = affine_map<(b, m, n, k) -> (b, m, k)>
#b = affine_map<(b, m, n, k) -> (b, n, k)>
#c = affine_map<(b, m, n, k) -> (b, n, m)>
func.func @contract(%A: tensor<3x22x34xbf16>, %B: tensor<3x18x34xbf16>, %C: tensor<3x18x22xf32>) -> tensor<3x18x22xf32> {
  %0 = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%A, %B : tensor<3x22x34xbf16>, tensor<3x18x34xbf16>)
      outs(%C : tensor<3x18x22xf32>) -> tensor<3x18x22xf32>
  return %0 : tensor<3x18x22xf32>
}
