#q = affine_map<(b, m, n, d) -> (b, m, d)>
#k = affine_map<(b, m, n, d) -> (b, n, d)>
#s = affine_map<(b, m, n, d) -> (b, m, n)>
#id = affine_map<(b, m, n) -> (b, m, n)>
func.func @attention(%q: tensor<3x33x40xf16>, %k: tensor<3x51x40xf16>, %v: tensor<3x51x40xf16>) -> tensor<3x33x40xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.158113882 : f32
  %e = tensor.empty() : tensor<3x33x51xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x33x51xf32>) -> tensor<3x33x51xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<3x33x40xf16>, tensor<3x51x40xf16>) outs(%f : tensor<3x33x51xf32>) {
  ^bb0(%x: f16, %y: f16, %o: f32):
    %0 = arith.extf %x : f16 to f32
    %1 = arith.extf %y : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %2, %o : f32
    linalg.yield %3 : f32
  } -> tensor<3x33x51xf32>
  %scaled = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<3x33x51xf32>) outs(%e : tensor<3x33x51xf32>) {
  ^bb0(%x: f32, %o: f32):
    %0 = arith.mulf %x, %scale : f32
    linalg.yield %0 : f32
  } -> tensor<3x33x51xf32>
  %sm = linalg.softmax dimension(2) ins(%scaled : tensor<3x33x51xf32>) outs(%e : tensor<3x33x51xf32>) -> tensor<3x33x51xf32>
  %pe = tensor.empty() : tensor<3x33x51xf16>
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%sm : tensor<3x33x51xf32>) outs(%pe : tensor<3x33x51xf16>) {
  ^bb0(%x: f32, %o: f16):
    %0 = arith.truncf %x : f32 to f16
    linalg.yield %0 : f16
  } -> tensor<3x33x51xf16>
  %oe = tensor.empty() : tensor<3x33x40xf32>
  %of = linalg.fill ins(%zero : f32) outs(%oe : tensor<3x33x40xf32>) -> tensor<3x33x40xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<3x33x51xf16>, tensor<3x51x40xf16>) outs(%of : tensor<3x33x40xf32>) -> tensor<3x33x40xf32>
  return %r : tensor<3x33x40xf32>
}
