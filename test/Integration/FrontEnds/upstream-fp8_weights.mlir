func.func @main(%x: tensor<37x64xbf16>, %w: tensor<64x56xf8E4M3FN>, %s: tensor<56xf32>) -> tensor<37x56xf32> {
  %empty = tensor.empty() : tensor<64x56xbf16>
  %wide = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<64x56xf8E4M3FN>) outs(%empty : tensor<64x56xbf16>) {
  ^bb0(%in: f8E4M3FN, %out: bf16):
    %0 = arith.extf %in : f8E4M3FN to bf16
    linalg.yield %0 : bf16
  } -> tensor<64x56xbf16>
  %zero = arith.constant 0.0 : f32
  %d = tensor.empty() : tensor<37x56xf32>
  %z = linalg.fill ins(%zero : f32) outs(%d : tensor<37x56xf32>) -> tensor<37x56xf32>
  %y = linalg.matmul ins(%x, %wide : tensor<37x64xbf16>, tensor<64x56xbf16>) outs(%z : tensor<37x56xf32>) -> tensor<37x56xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%y, %s : tensor<37x56xf32>, tensor<56xf32>) outs(%d : tensor<37x56xf32>) {
  ^bb0(%in: f32, %factor: f32, %out: f32):
    %0 = arith.mulf %in, %factor : f32
    linalg.yield %0 : f32
  } -> tensor<37x56xf32>
  return %r : tensor<37x56xf32>
}
