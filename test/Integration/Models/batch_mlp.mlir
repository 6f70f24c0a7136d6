// A feed-forward block on [batch, tokens, features] as torch-mlir prints it: the weights are
// transposed and broadcast to every element of the batch, then linalg.batch_matmul.
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d2)>
module attributes {torch.debug_module_name = "FeedForward"} {
  func.func @forward(%arg0: tensor<3x136x64xbf16>, %arg1: tensor<200x64xbf16>, %arg2: tensor<200xf32>, %arg3: tensor<72x200xbf16>, %arg4: tensor<72xf32>) -> tensor<3x136x72xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<64x200xbf16>
    %transposed = linalg.transpose ins(%arg1 : tensor<200x64xbf16>) outs(%0 : tensor<64x200xbf16>) permutation = [1, 0]
    %1 = tensor.empty() : tensor<3x64x200xbf16>
    %2 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%transposed : tensor<64x200xbf16>) outs(%1 : tensor<3x64x200xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<3x64x200xbf16>
    %3 = tensor.empty() : tensor<3x136x200xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<3x136x200xf32>) -> tensor<3x136x200xf32>
    %5 = linalg.batch_matmul ins(%arg0, %2 : tensor<3x136x64xbf16>, tensor<3x64x200xbf16>) outs(%4 : tensor<3x136x200xf32>) -> tensor<3x136x200xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%5, %arg2 : tensor<3x136x200xf32>, tensor<200xf32>) outs(%3 : tensor<3x136x200xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %14 = arith.addf %in, %in_1 : f32
      linalg.yield %14 : f32
    } -> tensor<3x136x200xf32>
    %7 = tensor.empty() : tensor<3x136x200xbf16>
    %8 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6 : tensor<3x136x200xf32>) outs(%7 : tensor<3x136x200xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %14 = arith.cmpf ugt, %in, %cst : f32
      %15 = arith.select %14, %in, %cst : f32
      %16 = arith.truncf %15 : f32 to bf16
      linalg.yield %16 : bf16
    } -> tensor<3x136x200xbf16>
    %9 = tensor.empty() : tensor<200x72xbf16>
    %transposed_0 = linalg.transpose ins(%arg3 : tensor<72x200xbf16>) outs(%9 : tensor<200x72xbf16>) permutation = [1, 0]
    %10 = tensor.empty() : tensor<3x200x72xbf16>
    %11 = linalg.broadcast ins(%transposed_0 : tensor<200x72xbf16>) outs(%10 : tensor<3x200x72xbf16>) dimensions = [0]
    %12 = tensor.empty() : tensor<3x136x72xf32>
    %13 = linalg.fill ins(%cst : f32) outs(%12 : tensor<3x136x72xf32>) -> tensor<3x136x72xf32>
    %r = linalg.batch_matmul ins(%8, %11 : tensor<3x136x200xbf16>, tensor<3x200x72xbf16>) outs(%13 : tensor<3x136x72xf32>) -> tensor<3x136x72xf32>
    %s = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%r, %arg4 : tensor<3x136x72xf32>, tensor<72xf32>) outs(%12 : tensor<3x136x72xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %14 = arith.addf %in, %in_1 : f32
      linalg.yield %14 : f32
    } -> tensor<3x136x72xf32>
    return %s : tensor<3x136x72xf32>
  }
}
