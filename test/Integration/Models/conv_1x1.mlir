// A convolution with a 1x1 window on NHWC is a product: the pixels are the rows. Bias, relu6.
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> (d1)>
func.func @main(%image: tensor<2x7x10x64xbf16>, %filter: tensor<1x1x64x136xbf16>, %bias: tensor<136xf32>) -> tensor<2x7x10x136xbf16> {
  %zero = arith.constant 0.0 : f32
  %six = arith.constant 6.0 : f32
  %pixels = tensor.collapse_shape %image [[0, 1, 2], [3]] : tensor<2x7x10x64xbf16> into tensor<140x64xbf16>
  %weights = tensor.collapse_shape %filter [[0, 1, 2], [3]] : tensor<1x1x64x136xbf16> into tensor<64x136xbf16>
  %e = tensor.empty() : tensor<140x136xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<140x136xf32>) -> tensor<140x136xf32>
  %p = linalg.matmul ins(%pixels, %weights : tensor<140x64xbf16>, tensor<64x136xbf16>) outs(%f : tensor<140x136xf32>) -> tensor<140x136xf32>
  %o = tensor.empty() : tensor<140x136xbf16>
  %r = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%p, %bias : tensor<140x136xf32>, tensor<136xf32>) outs(%o : tensor<140x136xbf16>) {
  ^bb0(%in: f32, %b: f32, %out: bf16):
    %0 = arith.addf %in, %b : f32
    %1 = math.clampf %0 to [%zero, %six] : f32
    %2 = arith.truncf %1 : f32 to bf16
    linalg.yield %2 : bf16
  } -> tensor<140x136xbf16>
  %expanded = tensor.expand_shape %r [[0, 1, 2], [3]] output_shape [2, 7, 10, 136] : tensor<140x136xbf16> into tensor<2x7x10x136xbf16>
  return %expanded : tensor<2x7x10x136xbf16>
}
