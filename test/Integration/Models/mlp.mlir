// Two layers, dynamic batch: two kernels and a temporary.
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
func.func @mlp(%x: tensor<?x72xbf16>, %w1: tensor<72x136xbf16>, %b1: tensor<136xf32>, %w2: tensor<136x64xbf16>, %b2: tensor<64xf32>) -> tensor<?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x72xbf16>
  %e = tensor.empty(%m) : tensor<?x136xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x136xf32>) -> tensor<?x136xf32>
  %p = linalg.matmul ins(%x, %w1 : tensor<?x72xbf16>, tensor<72x136xbf16>) outs(%f : tensor<?x136xf32>) -> tensor<?x136xf32>
  %eb = tensor.empty(%m) : tensor<?x136xbf16>
  %q = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %b1 : tensor<?x136xf32>, tensor<136xf32>) outs(%eb : tensor<?x136xbf16>) {
  ^bb0(%a: f32, %b: f32, %o: bf16):
    %s = arith.addf %a, %b : f32
    %c = arith.constant 0.0 : f32
    %mx = arith.maximumf %s, %c : f32
    %t = arith.truncf %mx : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<?x136xbf16>
  %e2 = tensor.empty(%m) : tensor<?x64xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x64xf32>) -> tensor<?x64xf32>
  %p2 = linalg.matmul ins(%q, %w2 : tensor<?x136xbf16>, tensor<136x64xbf16>) outs(%f2 : tensor<?x64xf32>) -> tensor<?x64xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%p2, %b2 : tensor<?x64xf32>, tensor<64xf32>) outs(%e2 : tensor<?x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}
