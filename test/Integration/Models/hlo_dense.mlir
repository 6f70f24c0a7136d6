// A dense layer as it comes from StableHLO: the product with a widened sum as
// linalg.generic, elementwise operations as linalg.map.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @main(%arg0: tensor<144x80xbf16>, %arg1: tensor<80x136xbf16>, %arg2: tensor<136xf32>) -> tensor<144x136xf32> {
  %cst = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<144x136xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<144x136xf32>) -> tensor<144x136xf32>
  %2 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<144x80xbf16>, tensor<80x136xbf16>) outs(%1 : tensor<144x136xf32>) {
  ^bb0(%in: bf16, %in_0: bf16, %out: f32):
    %6 = arith.extf %in : bf16 to f32
    %7 = arith.extf %in_0 : bf16 to f32
    %8 = arith.mulf %6, %7 : f32
    %9 = arith.addf %out, %8 : f32
    linalg.yield %9 : f32
  } -> tensor<144x136xf32>
  %broadcasted = linalg.broadcast ins(%arg2 : tensor<136xf32>) outs(%0 : tensor<144x136xf32>) dimensions = [0]
  %mapped = linalg.map { arith.addf } ins(%2, %broadcasted : tensor<144x136xf32>, tensor<144x136xf32>) outs(%0 : tensor<144x136xf32>)
  %mapped_1 = linalg.map { math.tanh } ins(%mapped : tensor<144x136xf32>) outs(%0 : tensor<144x136xf32>)
  return %mapped_1 : tensor<144x136xf32>
}
