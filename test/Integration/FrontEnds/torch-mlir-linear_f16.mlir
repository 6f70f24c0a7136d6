#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
module attributes {torch.debug_module_name = "Linear"} {
  ml_program.global private mutable @global_seed(dense<0> : tensor<i64>) : tensor<i64>
  func.func @forward(%arg0: tensor<41x51xf16>, %arg1: tensor<30x51xf16>, %arg2: tensor<30xf16>) -> tensor<41x30xf16> {
    %cst = arith.constant 0.000000e+00 : f16
    %0 = tensor.empty() : tensor<51x30xf16>
    %transposed = linalg.transpose ins(%arg1 : tensor<30x51xf16>) outs(%0 : tensor<51x30xf16>) permutation = [1, 0]
    %1 = tensor.empty() : tensor<41x30xf16>
    %2 = linalg.fill ins(%cst : f16) outs(%1 : tensor<41x30xf16>) -> tensor<41x30xf16>
    %3 = linalg.matmul ins(%arg0, %transposed : tensor<41x51xf16>, tensor<51x30xf16>) outs(%2 : tensor<41x30xf16>) -> tensor<41x30xf16>
    %4 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%3, %arg2 : tensor<41x30xf16>, tensor<30xf16>) outs(%1 : tensor<41x30xf16>) {
    ^bb0(%in: f16, %in_0: f16, %out: f16):
      %5 = arith.addf %in, %in_0 : f16
      linalg.yield %5 : f16
    } -> tensor<41x30xf16>
    return %4 : tensor<41x30xf16>
  }
}
