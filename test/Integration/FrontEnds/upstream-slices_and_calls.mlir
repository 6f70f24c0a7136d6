module {
  func.func private @tile.product(%a: tensor<33x59xbf16>, %b: tensor<59x25xbf16>) -> tensor<33x25xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<33x25xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<33x25xf32>) -> tensor<33x25xf32>
    %0 = linalg.matmul ins(%a, %b : tensor<33x59xbf16>, tensor<59x25xbf16>) outs(%f : tensor<33x25xf32>) -> tensor<33x25xf32>
    return %0 : tensor<33x25xf32>
  }
  func.func @main.entry(%a: tensor<50x61xbf16>, %b: tensor<61x40xbf16>, %c: tensor<50x40xf32>) -> tensor<50x40xf32> {
    %as = tensor.extract_slice %a[3, 1] [33, 59] [1, 1] : tensor<50x61xbf16> to tensor<33x59xbf16>
    %bs = tensor.extract_slice %b[1, 5] [59, 25] [1, 1] : tensor<61x40xbf16> to tensor<59x25xbf16>
    %p = call @tile.product(%as, %bs) : (tensor<33x59xbf16>, tensor<59x25xbf16>) -> tensor<33x25xf32>
    %r = tensor.insert_slice %p into %c[10, 7] [33, 25] [1, 1] : tensor<33x25xf32> into tensor<50x40xf32>
    return %r : tensor<50x40xf32>
  }
}
