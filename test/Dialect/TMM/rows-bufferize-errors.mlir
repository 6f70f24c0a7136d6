// RUN: tc-opt --one-shot-bufferize="bufferize-function-boundaries" --verify-diagnostics %s

// Upstream's default gives arguments a layout with every stride dynamic.
func.func @dynamic_layout(%x: tensor<8x16xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{operand 0: expected a buffer with innermost stride 1, got 'memref<8x16xf32, strided<[?, ?], offset: ?>>'; bufferize function boundaries with function-boundary-type-conversion=identity-layout-map}}
  // expected-error @below {{failed to bufferize op}}
  %0 = tmm.rows ins(%x : tensor<8x16xf32>) outs(%o : tensor<8xf32>) maps [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>] {
  ^bb0(%e: f32):
    %sum = tmm.row_reduce <add> %e : f32
    tmm.yield %sum : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
