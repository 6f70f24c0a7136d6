func.func @main(%arg0: tensor<?x?x64xf16>, %arg1: tensor<?x64x48xf16>) -> tensor<?x?x48xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %dim = tensor.dim %arg0, %c0 : tensor<?x?x64xf16>
  %dim_0 = tensor.dim %arg0, %c1 : tensor<?x?x64xf16>
  %0 = tensor.empty(%dim, %dim_0) : tensor<?x?x48xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<?x?x48xf32>) -> tensor<?x?x48xf32>
  %2 = linalg.batch_matmul ins(%arg0, %arg1 : tensor<?x?x64xf16>, tensor<?x64x48xf16>) outs(%1 : tensor<?x?x48xf32>) -> tensor<?x?x48xf32>
  return %2 : tensor<?x?x48xf32>
}
