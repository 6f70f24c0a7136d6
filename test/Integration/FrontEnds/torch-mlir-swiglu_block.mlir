#x = affine_map<(d0, d1, d2) -> (d0, d2)>
#w = affine_map<(d0, d1, d2) -> (d1, d2)>
#y = affine_map<(d0, d1, d2) -> (d0, d1)>
#map = affine_map<(d0, d1) -> (d0, d1)>
func.func @swiglu(%x: tensor<19x37xbf16>, %wg: tensor<66x37xbf16>, %wu: tensor<66x37xbf16>, %wd: tensor<37x66xbf16>) -> tensor<19x37xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %one = arith.constant 1.000000e+00 : f32
  %0 = tensor.empty() : tensor<19x66xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<19x66xf32>) -> tensor<19x66xf32>
  %g = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %wg : tensor<19x37xbf16>, tensor<66x37xbf16>) outs(%1 : tensor<19x66xf32>) -> tensor<19x66xf32>
  %u = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %wu : tensor<19x37xbf16>, tensor<66x37xbf16>) outs(%1 : tensor<19x66xf32>) -> tensor<19x66xf32>
  %s = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%g : tensor<19x66xf32>) outs(%0 : tensor<19x66xf32>) {
  ^bb0(%in: f32, %out: f32):
    %4 = arith.negf %in : f32
    %5 = math.exp %4 : f32
    %6 = arith.addf %5, %one : f32
    %7 = arith.divf %one, %6 : f32
    %8 = arith.mulf %7, %in : f32
    linalg.yield %8 : f32
  } -> tensor<19x66xf32>
  %h0 = tensor.empty() : tensor<19x66xbf16>
  %h = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%s, %u : tensor<19x66xf32>, tensor<19x66xf32>) outs(%h0 : tensor<19x66xbf16>) {
  ^bb0(%in: f32, %in_0: f32, %out: bf16):
    %4 = arith.mulf %in, %in_0 : f32
    %5 = arith.truncf %4 : f32 to bf16
    linalg.yield %5 : bf16
  } -> tensor<19x66xbf16>
  %2 = tensor.empty() : tensor<19x37xf32>
  %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<19x37xf32>) -> tensor<19x37xf32>
  %r = linalg.matmul indexing_maps = [#x, #w, #y] ins(%h, %wd : tensor<19x66xbf16>, tensor<37x66xbf16>) outs(%3 : tensor<19x37xf32>) -> tensor<19x37xf32>
  return %r : tensor<19x37xf32>
}
