#id = affine_map<(i, j) -> (i, j)>
func.func @two_outputs(%a: tensor<39x25xbf16>, %b: tensor<25x43xbf16>) -> (tensor<39x43xf32>, tensor<39x43xbf16>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<39x43xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<39x43xf32>) -> tensor<39x43xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<39x25xbf16>, tensor<25x43xbf16>) outs(%f : tensor<39x43xf32>) -> tensor<39x43xf32>
  %h = tensor.empty() : tensor<39x43xbf16>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<39x43xf32>) outs(%h : tensor<39x43xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %t = math.tanh %x : f32
    %r = arith.truncf %t : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<39x43xbf16>
  return %0, %1 : tensor<39x43xf32>, tensor<39x43xbf16>
}
