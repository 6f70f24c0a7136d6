#map = affine_map<(d0, d1, d2) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d1)>
module {
  func.func public @ffn$async(%arg0: tensor<97x203xf16>, %arg1: tensor<121x203xf16>, %arg2: tensor<121xf32>) -> tensor<97x121xf16> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 5.000000e-01 : f32
    %cst_1 = arith.constant 0.707106769 : f32
    %cst_2 = arith.constant 1.000000e+00 : f32
    %0 = tensor.empty() : tensor<97x121xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<97x121xf32>) -> tensor<97x121xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<97x203xf16>, tensor<121x203xf16>) outs(%1 : tensor<97x121xf32>) {
    ^bb0(%in: f16, %in_3: f16, %out: f32):
      %5 = arith.extf %in : f16 to f32
      %6 = arith.extf %in_3 : f16 to f32
      %7 = arith.mulf %5, %6 : f32
      %8 = arith.addf %out, %7 : f32
      linalg.yield %8 : f32
    } -> tensor<97x121xf32>
    %3 = tensor.empty() : tensor<97x121xf16>
    %4 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%2, %arg2 : tensor<97x121xf32>, tensor<121xf32>) outs(%3 : tensor<97x121xf16>) {
    ^bb0(%in: f32, %in_3: f32, %out: f16):
      %5 = arith.addf %in, %in_3 : f32
      %6 = arith.mulf %5, %cst_0 : f32
      %7 = arith.mulf %5, %cst_1 : f32
      %8 = math.erf %7 : f32
      %9 = arith.addf %8, %cst_2 : f32
      %10 = arith.mulf %6, %9 : f32
      %11 = arith.truncf %10 : f32 to f16
      linalg.yield %11 : f16
    } -> tensor<97x121xf16>
    return %4 : tensor<97x121xf16>
  }
}
