// The general product of BLAS: alpha * A * B + beta * C with alpha and beta as arguments.
#map = affine_map<(d0, d1) -> (d0, d1)>
func.func @gemm(%alpha: f32, %a: tensor<136x64xbf16>, %b: tensor<64x72xbf16>, %beta: f32, %c: tensor<136x72xf32>) -> tensor<136x72xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<136x72xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<136x72xf32>) -> tensor<136x72xf32>
  %p = linalg.matmul ins(%a, %b : tensor<136x64xbf16>, tensor<64x72xbf16>) outs(%f : tensor<136x72xf32>) -> tensor<136x72xf32>
  %r = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%p, %c : tensor<136x72xf32>, tensor<136x72xf32>) outs(%e : tensor<136x72xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %0 = arith.mulf %x, %alpha : f32
    %1 = arith.mulf %y, %beta : f32
    %2 = arith.addf %0, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<136x72xf32>
  return %r : tensor<136x72xf32>
}
