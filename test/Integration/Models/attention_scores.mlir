// The first product of multi-head attention: Q * K^T, scaled, plus a mask that the heads of a
// sequence share. The softmax that follows is no part of a kernel: a module is cut there, and
// attention_values.mlir is the other half.
#id = affine_map<(b, h, i, j) -> (b, h, i, j)>
#mask = affine_map<(b, h, i, j) -> (b, 0, i, j)>
func.func @scores(%q: tensor<2x3x136x64xbf16>, %k: tensor<2x3x200x64xbf16>, %mask: tensor<2x1x136x200xf32>) -> tensor<2x3x136x200xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.125 : f32
  %e = tensor.empty() : tensor<2x3x136x200xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x3x136x200xf32>) -> tensor<2x3x136x200xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b, h, i, j, c) -> (b, h, i, c)>, affine_map<(b, h, i, j, c) -> (b, h, j, c)>, affine_map<(b, h, i, j, c) -> (b, h, i, j)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
    ins(%q, %k : tensor<2x3x136x64xbf16>, tensor<2x3x200x64xbf16>) outs(%f : tensor<2x3x136x200xf32>) {
  ^bb0(%x: bf16, %y: bf16, %sum: f32):
    %0 = arith.extf %x : bf16 to f32
    %1 = arith.extf %y : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %2, %sum : f32
    linalg.yield %3 : f32
  } -> tensor<2x3x136x200xf32>
  %r = linalg.generic {indexing_maps = [#id, #mask, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%s, %mask : tensor<2x3x136x200xf32>, tensor<2x1x136x200xf32>) outs(%e : tensor<2x3x136x200xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %0 = arith.mulf %x, %scale : f32
    %1 = arith.addf %0, %y : f32
    linalg.yield %1 : f32
  } -> tensor<2x3x136x200xf32>
  return %r : tensor<2x3x136x200xf32>
}
