// RUN: tc-opt %s -split-input-file -tmm-tile -verify-diagnostics

#all = affine_map<(r, c) -> (r, c)>
func.func @tensors(%x: tensor<8x16xf32>, %o: tensor<8x16xf32>) -> tensor<8x16xf32> {
  // expected-error @below {{'tmm.rows' op expected memrefs, as kernels have, got tensors: one-shot-bufferize makes these}}
  %y = tmm.rows ins(%x : tensor<8x16xf32>) outs(%o : tensor<8x16xf32>) maps [#all, #all] {
  ^bb0(%e: f32):
    tmm.yield %e : f32
  } -> tensor<8x16xf32>
  return %y : tensor<8x16xf32>
}

// -----

// A dimension that is 0 always has one element, but the type does not say that.
func.func @not_collapsible(%x: memref<8x?x16xf32, strided<[?, ?, 1]>>, %o: memref<8x16xf32>) {
  // expected-error @below {{operand 0: expected dimensions at 0 of 1 element each, next to each other in memory, got 'memref<8x?x16xf32, strided<[?, ?, 1]>>'}}
  tmm.rows ins(%x : memref<8x?x16xf32, strided<[?, ?, 1]>>) outs(%o : memref<8x16xf32>)
      maps [affine_map<(r, c) -> (r, 0, c)>, affine_map<(r, c) -> (r, c)>] {
  ^bb0(%e: f32):
    tmm.yield %e : f32
  }
  return
}

// -----

func.func @two_last(%x: memref<4x16x8xf32>, %o: memref<8x16x4xf32>) {
  // expected-error @below {{operand 1: expected dimension 1 last as in operand 0, or the column, so that tiles are squares of two dimensions, got affine_map<(d0, d1, d2) -> (d1, d2, d0)>}}
  tmm.rows ins(%x : memref<4x16x8xf32>) outs(%o : memref<8x16x4xf32>)
      maps [affine_map<(a, r, c) -> (a, c, r)>, affine_map<(a, r, c) -> (r, c, a)>] {
  ^bb0(%e: f32):
    tmm.yield %e : f32
  }
  return
}

// -----

func.func @size(%x: memref<1073741824xi8>, %o: memref<1073741824xi8>) {
  // expected-error @below {{expected sizes of at most 1073741823 elements, got 1073741824}}
  tmm.rows ins(%x : memref<1073741824xi8>) outs(%o : memref<1073741824xi8>) maps [affine_map<(c) -> (c)>, affine_map<(c) -> (c)>] {
  ^bb0(%e: i8):
    tmm.yield %e : i8
  }
  return
}

// -----

func.func @stride(%x: memref<8x16xf32, strided<[32, 2]>>, %o: memref<8x16xf32>) {
  // expected-error @below {{operand 0: expected unit innermost stride, got 'memref<8x16xf32, strided<[32, 2]>>'}}
  tmm.rows ins(%x : memref<8x16xf32, strided<[32, 2]>>) outs(%o : memref<8x16xf32>)
      maps [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r, c)>] {
  ^bb0(%e: f32):
    tmm.yield %e : f32
  }
  return
}

// -----

func.func @two_pieces(%x: memref<4x6x16xf32>, %o: memref<8x8x16xf32>) {
  // expected-error @below {{operand 0: expected pieces along the column or along the rows of tiles, dimension 0, got one along 1}}
  tmm.rows ins(%x : memref<4x6x16xf32>) outs(%o : memref<8x8x16xf32>)
      maps [affine_map<(a, r, c) -> (a, r, c)>, affine_map<(a, r, c) -> (a, r, c)>] pieces [array<i64: 0, 1>] {
  ^bb0(%e: f32):
    tmm.yield %e : f32
  }
  return
}

// -----

func.func @pick_transposed(%x: memref<16x8xf32>, %l: memref<8xi32>, %o: memref<8xf32>) {
  tmm.rows ins(%x, %l : memref<16x8xf32>, memref<8xi32>) outs(%o : memref<8xf32>)
      maps [affine_map<(r, c) -> (c, r)>, affine_map<(r, c) -> (r)>, affine_map<(r, c) -> (r)>] {
  ^bb0(%e: f32, %label: i32):
    // expected-error @below {{expected a value of operands whose columns are last in memory, got one of another}}
    %p = tmm.row_pick %e at %label : f32, i32
    tmm.yield %p : f32
  }
  return
}
