// One attention head as torch-mlir prints it: the softmax is between the products.
#map = affine_map<(d0, d1) -> (d0, d1)>
func.func @attention(%q: tensor<136x64xbf16>, %k: tensor<200x64xbf16>, %v: tensor<200x64xbf16>) -> tensor<136x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<64x200xbf16>
  %kt = linalg.transpose ins(%k : tensor<200x64xbf16>) outs(%e0 : tensor<64x200xbf16>) permutation = [1, 0]
  %e1 = tensor.empty() : tensor<136x200xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<136x200xf32>) -> tensor<136x200xf32>
  %s = linalg.matmul ins(%q, %kt : tensor<136x64xbf16>, tensor<64x200xbf16>) outs(%f1 : tensor<136x200xf32>) -> tensor<136x200xf32>
  %e2 = tensor.empty() : tensor<136x200xf32>
  %sc = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<136x200xf32>) outs(%e2 : tensor<136x200xf32>) {
  ^bb0(%in: f32, %out: f32):
    %scale = arith.constant 0.125 : f32
    %0 = arith.mulf %in, %scale : f32
    linalg.yield %0 : f32
  } -> tensor<136x200xf32>
  %e5 = tensor.empty() : tensor<136x200xf32>
  %sm = linalg.softmax dimension(1) ins(%sc : tensor<136x200xf32>) outs(%e5 : tensor<136x200xf32>) -> tensor<136x200xf32>
  %e6 = tensor.empty() : tensor<136x200xbf16>
  %p = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%sm : tensor<136x200xf32>) outs(%e6 : tensor<136x200xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %1 = arith.truncf %in : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<136x200xbf16>
  %e3 = tensor.empty() : tensor<136x64xf32>
  %f3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<136x64xf32>) -> tensor<136x64xf32>
  %o = linalg.matmul ins(%p, %v : tensor<136x200xbf16>, tensor<200x64xbf16>) outs(%f3 : tensor<136x64xf32>) -> tensor<136x64xf32>
  return %o : tensor<136x64xf32>
}
