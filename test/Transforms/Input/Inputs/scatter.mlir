// Places may be equal in the run, and the last one wins: no thread knows.
func.func @scatter(%a: tensor<32x64xbf16>, %b: tensor<64x64xbf16>, %t: tensor<100x64xf32>, %i: tensor<32x1xi32>,
                   %d: tensor<32x64xf32>) -> tensor<100x64xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<32x64xbf16>, tensor<64x64xbf16>) outs(%d : tensor<32x64xf32>) -> tensor<32x64xf32>
  %r = tensor.scatter %0 into %t[%i] scatter_dims([0]) unique : (tensor<32x64xf32>, tensor<100x64xf32>, tensor<32x1xi32>) -> tensor<100x64xf32>
  return %r : tensor<100x64xf32>
}
