#map = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d4)>
#map1 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d5, d4)>
#map2 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d5, d3)>
#map3 = affine_map<(d0, d1, d2, d3, d4, d5) -> ()>
#map4 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>
module {
  util.func public @attn(%arg0: tensor<2x3x41x64xf16>, %arg1: tensor<2x3x33x64xf16>, %arg2: tensor<2x3x33x32xf16>) -> tensor<2x3x41x32xf16> {
    %cst = arith.constant 1.250000e-01 : f16
    %0 = tensor.empty() : tensor<2x3x41x32xf16>
    %1 = iree_linalg_ext.attention <indexing_maps = [#map, #map1, #map2, #map3, #map4]> ins(%arg0, %arg1, %arg2, %cst : tensor<2x3x41x64xf16>, tensor<2x3x33x64xf16>, tensor<2x3x33x32xf16>, f16) outs(%0 : tensor<2x3x41x32xf16>) {
    ^bb0(%arg3: f32):
      iree_linalg_ext.yield %arg3 : f32
    } -> tensor<2x3x41x32xf16>
    util.return %1 : tensor<2x3x41x32xf16>
  }
}
