// The gated unit of a language model: silu(X * G) * (X * U). The second product is an
// operand of the epilogue of the first.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
func.func @main(%x: tensor<72x128xbf16>, %g: tensor<128x136xbf16>, %u: tensor<128x136xbf16>) -> tensor<72x136xbf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<72x136xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<72x136xf32>) -> tensor<72x136xf32>
  %gate = linalg.matmul ins(%x, %g : tensor<72x128xbf16>, tensor<128x136xbf16>) outs(%f : tensor<72x136xf32>) -> tensor<72x136xf32>
  %up = linalg.matmul ins(%x, %u : tensor<72x128xbf16>, tensor<128x136xbf16>) outs(%f : tensor<72x136xf32>) -> tensor<72x136xf32>
  %o = tensor.empty() : tensor<72x136xbf16>
  %r = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%gate, %up : tensor<72x136xf32>, tensor<72x136xf32>) outs(%o : tensor<72x136xbf16>) {
  ^bb0(%in: f32, %y: f32, %out: bf16):
    %one = arith.constant 1.0 : f32
    %0 = arith.negf %in : f32
    %1 = math.exp %0 : f32
    %2 = arith.addf %1, %one : f32
    %3 = arith.divf %in, %2 : f32
    %4 = arith.mulf %3, %y : f32
    %5 = arith.truncf %4 : f32 to bf16
    linalg.yield %5 : bf16
  } -> tensor<72x136xbf16>
  return %r : tensor<72x136xbf16>
}
