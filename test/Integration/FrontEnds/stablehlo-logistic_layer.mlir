module @jit_layer {
  func.func public @main(%arg0: tensor<26x30xbf16>, %arg1: tensor<30x22xbf16>, %arg2: tensor<22xf32>) -> tensor<26x22xf32> {
    %0 = tensor.empty() : tensor<26x22xf32>
    %cst = arith.constant 0.000000e+00 : f32
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<26x22xf32>) -> tensor<26x22xf32>
    %2 = linalg.matmul ins(%arg0, %arg1 : tensor<26x30xbf16>, tensor<30x22xbf16>) outs(%1 : tensor<26x22xf32>) -> tensor<26x22xf32>
    %3 = tensor.empty() : tensor<26x22xf32>
    %broadcasted = linalg.broadcast ins(%arg2 : tensor<22xf32>) outs(%3 : tensor<26x22xf32>) dimensions = [0]
    %4 = tensor.empty() : tensor<26x22xf32>
    %mapped = linalg.map { arith.addf } ins(%2, %broadcasted : tensor<26x22xf32>, tensor<26x22xf32>) outs(%4 : tensor<26x22xf32>)
    %5 = tensor.empty() : tensor<26x22xf32>
    %mapped_0 = linalg.map ins(%mapped : tensor<26x22xf32>) outs(%5 : tensor<26x22xf32>)
      (%in: f32, %init: f32) {
        %cst_1 = arith.constant 1.000000e+00 : f32
        %6 = arith.negf %in : f32
        %7 = math.exp %6 : f32
        %8 = arith.addf %7, %cst_1 : f32
        %9 = arith.divf %cst_1, %8 : f32
        linalg.yield %9 : f32
      }
    return %mapped_0 : tensor<26x22xf32>
  }
}
