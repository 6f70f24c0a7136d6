#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0, 0)>
#map2 = affine_map<(d0, d1) -> (d1)>
func.func @forward(%arg0: tensor<21x50xf32>, %arg1: tensor<50xf32>, %arg2: tensor<50xf32>, %arg3: tensor<50x34xbf16>) -> tensor<21x34xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %cst_0 = arith.constant 5.000000e+01 : f32
  %cst_1 = arith.constant 9.99999974E-6 : f32
  %0 = tensor.empty() : tensor<21x1xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<21x1xf32>) -> tensor<21x1xf32>
  %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<21x50xf32>) outs(%1 : tensor<21x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %14 = arith.addf %in, %out : f32
    linalg.yield %14 : f32
  } -> tensor<21x1xf32>
  %3 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%2 : tensor<21x1xf32>) outs(%0 : tensor<21x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %14 = arith.divf %in, %cst_0 : f32
    linalg.yield %14 : f32
  } -> tensor<21x1xf32>
  %4 = tensor.empty() : tensor<21x50xf32>
  %5 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %3 : tensor<21x50xf32>, tensor<21x1xf32>) outs(%4 : tensor<21x50xf32>) {
  ^bb0(%in: f32, %in_2: f32, %out: f32):
    %14 = arith.subf %in, %in_2 : f32
    linalg.yield %14 : f32
  } -> tensor<21x50xf32>
  %6 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%5 : tensor<21x50xf32>) outs(%1 : tensor<21x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %14 = arith.mulf %in, %in : f32
    %15 = arith.addf %14, %out : f32
    linalg.yield %15 : f32
  } -> tensor<21x1xf32>
  %7 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<21x1xf32>) outs(%0 : tensor<21x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %14 = arith.divf %in, %cst_0 : f32
    %15 = arith.addf %14, %cst_1 : f32
    %16 = math.rsqrt %15 : f32
    linalg.yield %16 : f32
  } -> tensor<21x1xf32>
  %8 = tensor.empty() : tensor<21x50xbf16>
  %9 = linalg.generic {indexing_maps = [#map, #map1, #map2, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%5, %7, %arg1, %arg2 : tensor<21x50xf32>, tensor<21x1xf32>, tensor<50xf32>, tensor<50xf32>) outs(%8 : tensor<21x50xbf16>) {
  ^bb0(%in: f32, %in_2: f32, %in_3: f32, %in_4: f32, %out: bf16):
    %14 = arith.mulf %in, %in_2 : f32
    %15 = arith.mulf %14, %in_3 : f32
    %16 = arith.addf %15, %in_4 : f32
    %17 = arith.truncf %16 : f32 to bf16
    linalg.yield %17 : bf16
  } -> tensor<21x50xbf16>
  %10 = tensor.empty() : tensor<21x34xf32>
  %11 = linalg.fill ins(%cst : f32) outs(%10 : tensor<21x34xf32>) -> tensor<21x34xf32>
  %12 = linalg.matmul ins(%9, %arg3 : tensor<21x50xbf16>, tensor<50x34xbf16>) outs(%11 : tensor<21x34xf32>) -> tensor<21x34xf32>
  return %12 : tensor<21x34xf32>
}
