func.func @f(%x: tensor<3xf32>, %zero: f32) -> tensor<4xf32> {
  %p = tensor.pad %x low[-4] high[5] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<3xf32> to tensor<4xf32>
  return %p : tensor<4xf32>
}
