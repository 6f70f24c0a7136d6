func.func @quantized(%a: tensor<29x43xi8>, %b: tensor<43x37xi8>) -> tensor<29x37xi32> {
  %azp = arith.constant 3 : i32
  %bzp = arith.constant -7 : i32
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<29x37xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<29x37xi32>) -> tensor<29x37xi32>
  %0 = linalg.quantized_matmul ins(%a, %b, %azp, %bzp : tensor<29x43xi8>, tensor<43x37xi8>, i32, i32) outs(%f : tensor<29x37xi32>) -> tensor<29x37xi32>
  return %0 : tensor<29x37xi32>
}
