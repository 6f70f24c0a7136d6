// The output projection of a transformer block: bias, gelu (erf), residual, bf16.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
func.func @main(%x: tensor<136x128xbf16>, %w: tensor<128x200xbf16>, %bias: tensor<200xbf16>, %res: tensor<136x200xbf16>) -> tensor<136x200xbf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<136x200xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<136x200xf32>) -> tensor<136x200xf32>
  %mm = linalg.matmul ins(%x, %w : tensor<136x128xbf16>, tensor<128x200xbf16>) outs(%f : tensor<136x200xf32>) -> tensor<136x200xf32>
  %o = tensor.empty() : tensor<136x200xbf16>
  %r = linalg.generic {indexing_maps = [#map, #map1, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%mm, %bias, %res : tensor<136x200xf32>, tensor<200xbf16>, tensor<136x200xbf16>) outs(%o : tensor<136x200xbf16>) {
  ^bb0(%in: f32, %b: bf16, %s: bf16, %out: bf16):
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %sqrt = arith.constant 0.707106769 : f32
    %b32 = arith.extf %b : bf16 to f32
    %s32 = arith.extf %s : bf16 to f32
    %0 = arith.addf %in, %b32 : f32
    %1 = arith.mulf %0, %sqrt : f32
    %2 = math.erf %1 : f32
    %3 = arith.addf %2, %one : f32
    %4 = arith.mulf %0, %half : f32
    %5 = arith.mulf %4, %3 : f32
    %6 = arith.addf %5, %s32 : f32
    %7 = arith.truncf %6 : f32 to bf16
    linalg.yield %7 : bf16
  } -> tensor<136x200xbf16>
  return %r : tensor<136x200xbf16>
}
