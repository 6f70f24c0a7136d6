module @module {
  func.func public @main(%arg0: tensor<77x131xbf16>, %arg1: tensor<131x45xbf16>) -> tensor<77x45xf32> attributes {iree.abi.stub} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<77x45xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<77x45xf32>) -> tensor<77x45xf32>
    %2 = linalg.matmul ins(%arg0, %arg1 : tensor<77x131xbf16>, tensor<131x45xbf16>) outs(%1 : tensor<77x45xf32>) -> tensor<77x45xf32>
    return %2 : tensor<77x45xf32>
  }
}
