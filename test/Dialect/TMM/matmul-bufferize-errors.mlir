// RUN: tc-opt --one-shot-bufferize="bufferize-function-boundaries" --verify-diagnostics %s

// Upstream's default gives arguments a layout with every stride dynamic.
func.func @dynamic_layout(%a: tensor<8x16xbf16>, %b: tensor<16x24xbf16>, %d: tensor<8x24xf32>) -> tensor<8x24xf32> {
  // expected-error @below {{operand A: expected a buffer with innermost stride 1, got 'memref<8x16xbf16, strided<[?, ?], offset: ?>>'; bufferize function boundaries with function-boundary-type-conversion=identity-layout-map}}
  // expected-error @below {{failed to bufferize op}}
  %0 = tmm.matmul ins(%a, %b : tensor<8x16xbf16>, tensor<16x24xbf16>) outs(%d : tensor<8x24xf32>) -> tensor<8x24xf32>
  return %0 : tensor<8x24xf32>
}
