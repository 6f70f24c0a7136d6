module {
  util.func public @attn(%arg0: tensor<4x65x32xbf16>, %arg1: tensor<4x47x32xbf16>, %arg2: tensor<4x24x47xbf16>, %arg3: tensor<65x47xbf16>) -> tensor<4x65x24xf32> {
    %cst = arith.constant 2.500000e-01 : f32
    %0 = tensor.empty() : tensor<4x65x24xf32>
    %1 = iree_linalg_ext.attention {indexing_maps = [affine_map<(b, m, n, k, l) -> (b, m, k)>, affine_map<(b, m, n, k, l) -> (b, l, k)>, affine_map<(b, m, n, k, l) -> (b, n, l)>, affine_map<(b, m, n, k, l) -> ()>, affine_map<(b, m, n, k, l) -> (m, l)>, affine_map<(b, m, n, k, l) -> (b, m, n)>]}
      ins(%arg0, %arg1, %arg2, %cst, %arg3 : tensor<4x65x32xbf16>, tensor<4x47x32xbf16>, tensor<4x24x47xbf16>, f32, tensor<65x47xbf16>) outs(%0 : tensor<4x65x24xf32>) {
    ^bb0(%score: f32):
      %half = arith.constant 5.000000e-01 : f32
      %x = arith.mulf %score, %half : f32
      %t = math.tanh %x : f32
      iree_linalg_ext.yield %t : f32
    } -> tensor<4x65x24xf32>
    util.return %1 : tensor<4x65x24xf32>
  }
}
