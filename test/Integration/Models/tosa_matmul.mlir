// What TOSA leaves: tosa.matmul is a batched product, and reshapes around it are
// tensor.expand_shape and tensor.collapse_shape with a batch of one.
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (0, 0, d2)>
func.func @main(%arg0: tensor<136x80xf16>, %arg1: tensor<80x72xf16>, %arg2: tensor<72xf32>) -> tensor<136x72xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %cst_0 = arith.constant 6.000000e+00 : f32
  %expanded = tensor.expand_shape %arg0 [[0, 1], [2]] output_shape [1, 136, 80] : tensor<136x80xf16> into tensor<1x136x80xf16>
  %expanded_1 = tensor.expand_shape %arg1 [[0, 1], [2]] output_shape [1, 80, 72] : tensor<80x72xf16> into tensor<1x80x72xf16>
  %expanded_2 = tensor.expand_shape %arg2 [[0, 1, 2]] output_shape [1, 1, 72] : tensor<72xf32> into tensor<1x1x72xf32>
  %0 = tensor.empty() : tensor<1x136x72xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x136x72xf32>) -> tensor<1x136x72xf32>
  %2 = linalg.batch_matmul ins(%expanded, %expanded_1 : tensor<1x136x80xf16>, tensor<1x80x72xf16>) outs(%1 : tensor<1x136x72xf32>) -> tensor<1x136x72xf32>
  %3 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2, %expanded_2 : tensor<1x136x72xf32>, tensor<1x1x72xf32>) outs(%0 : tensor<1x136x72xf32>) {
  ^bb0(%in: f32, %in_3: f32, %out: f32):
    %4 = arith.addf %in, %in_3 : f32
    %5 = arith.minimumf %4, %cst_0 : f32
    %6 = arith.maximumf %5, %cst : f32
    linalg.yield %6 : f32
  } -> tensor<1x136x72xf32>
  %collapsed = tensor.collapse_shape %3 [[0, 1], [2]] : tensor<1x136x72xf32> into tensor<136x72xf32>
  return %collapsed : tensor<136x72xf32>
}
