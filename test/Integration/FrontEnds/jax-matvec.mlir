func.func public @main(%arg0: tensor<67x45xbf16>, %arg1: tensor<45xbf16>) -> tensor<67xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %0 = tensor.empty() : tensor<67xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<67xf32>) -> tensor<67xf32>
  %2 = linalg.matvec ins(%arg0, %arg1 : tensor<67x45xbf16>, tensor<45xbf16>) outs(%1 : tensor<67xf32>) -> tensor<67xf32>
  return %2 : tensor<67xf32>
}
