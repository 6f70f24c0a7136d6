// Four layers: four kernels, launched in order over three temporaries.
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
func.func @main(%x: tensor<72x64xbf16>, %w1: tensor<64x136xbf16>, %w2: tensor<136x200xbf16>, %w3: tensor<200x136xbf16>, %w4: tensor<136x8xbf16>, %bias: tensor<8xf32>) -> tensor<72x8xf32> {
  %zero = arith.constant 0.0 : f32
  %zb = arith.constant 0.0 : bf16
  %e1 = tensor.empty() : tensor<72x136xbf16>
  %f1 = linalg.fill ins(%zb : bf16) outs(%e1 : tensor<72x136xbf16>) -> tensor<72x136xbf16>
  %p1 = linalg.matmul ins(%x, %w1 : tensor<72x64xbf16>, tensor<64x136xbf16>) outs(%f1 : tensor<72x136xbf16>) -> tensor<72x136xbf16>
  %r1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%p1 : tensor<72x136xbf16>) outs(%e1 : tensor<72x136xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %0 = arith.maximumf %in, %zb : bf16
    linalg.yield %0 : bf16
  } -> tensor<72x136xbf16>
  %e2 = tensor.empty() : tensor<72x200xbf16>
  %f2 = linalg.fill ins(%zb : bf16) outs(%e2 : tensor<72x200xbf16>) -> tensor<72x200xbf16>
  %p2 = linalg.matmul ins(%r1, %w2 : tensor<72x136xbf16>, tensor<136x200xbf16>) outs(%f2 : tensor<72x200xbf16>) -> tensor<72x200xbf16>
  %r2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%p2 : tensor<72x200xbf16>) outs(%e2 : tensor<72x200xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %0 = arith.maximumf %in, %zb : bf16
    linalg.yield %0 : bf16
  } -> tensor<72x200xbf16>
  %e3 = tensor.empty() : tensor<72x136xbf16>
  %f3 = linalg.fill ins(%zb : bf16) outs(%e3 : tensor<72x136xbf16>) -> tensor<72x136xbf16>
  %p3 = linalg.matmul ins(%r2, %w3 : tensor<72x200xbf16>, tensor<200x136xbf16>) outs(%f3 : tensor<72x136xbf16>) -> tensor<72x136xbf16>
  %r3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%p3 : tensor<72x136xbf16>) outs(%e3 : tensor<72x136xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %0 = arith.maximumf %in, %zb : bf16
    linalg.yield %0 : bf16
  } -> tensor<72x136xbf16>
  %e4 = tensor.empty() : tensor<72x8xf32>
  %f4 = linalg.fill ins(%zero : f32) outs(%e4 : tensor<72x8xf32>) -> tensor<72x8xf32>
  %p4 = linalg.matmul ins(%r3, %w4 : tensor<72x136xbf16>, tensor<136x8xbf16>) outs(%f4 : tensor<72x8xf32>) -> tensor<72x8xf32>
  %r4 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%p4, %bias : tensor<72x8xf32>, tensor<8xf32>) outs(%e4 : tensor<72x8xf32>) {
  ^bb0(%in: f32, %b: f32, %out: f32):
    %0 = arith.addf %in, %b : f32
    linalg.yield %0 : f32
  } -> tensor<72x8xf32>
  return %r4 : tensor<72x8xf32>
}
