#map = affine_map<(d0, d1, d2) -> (d2, d0)>
#map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map4 = affine_map<(d0, d1, d2) -> (d1, d2)>
func.func public @main(%x: tensor<45x30xf16>, %w: tensor<30x21xf16>, %dy: tensor<45x21xf16>) -> (tensor<30x21xf32>, tensor<45x30xf16>) {
  %cst = arith.constant 0.000000e+00 : f32
  %0 = tensor.empty() : tensor<30x21xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<30x21xf32>) -> tensor<30x21xf32>
  %dw = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %dy : tensor<45x30xf16>, tensor<45x21xf16>) outs(%1 : tensor<30x21xf32>) {
  ^bb0(%in: f16, %in_0: f16, %out: f32):
    %7 = arith.extf %in : f16 to f32
    %8 = arith.extf %in_0 : f16 to f32
    %9 = arith.mulf %7, %8 : f32
    %10 = arith.addf %out, %9 : f32
    linalg.yield %10 : f32
  } -> tensor<30x21xf32>
  %2 = tensor.empty() : tensor<45x30xf32>
  %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<45x30xf32>) -> tensor<45x30xf32>
  %dx = linalg.generic {indexing_maps = [#map3, #map4, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%dy, %w : tensor<45x21xf16>, tensor<30x21xf16>) outs(%3 : tensor<45x30xf32>) {
  ^bb0(%in: f16, %in_0: f16, %out: f32):
    %7 = arith.extf %in : f16 to f32
    %8 = arith.extf %in_0 : f16 to f32
    %9 = arith.mulf %7, %8 : f32
    %10 = arith.addf %out, %9 : f32
    linalg.yield %10 : f32
  } -> tensor<45x30xf32>
  %4 = tensor.empty() : tensor<45x30xf16>
  %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%dx : tensor<45x30xf32>) outs(%4 : tensor<45x30xf16>) {
  ^bb0(%in: f32, %out: f16):
    %7 = arith.truncf %in : f32 to f16
    linalg.yield %7 : f16
  } -> tensor<45x30xf16>
  return %dw, %5 : tensor<30x21xf32>, tensor<45x30xf16>
}
