func.func @mmt4d(%A: tensor<3x5x8x4xi8>, %B: tensor<2x5x8x4xi8>, %C: tensor<3x2x8x8xi32>) -> tensor<3x2x8x8xi32> {
  %0 = linalg.mmt4d ins(%A, %B : tensor<3x5x8x4xi8>, tensor<2x5x8x4xi8>) outs(%C : tensor<3x2x8x8xi32>) -> tensor<3x2x8x8xi32>
  return %0 : tensor<3x2x8x8xi32>
}
