// RUN: tc-opt %s -split-input-file -verify-diagnostics

#all = affine_map<(r, c) -> (r, c)>
func.func @results(%x: tensor<8x16xf32>, %o: tensor<8x16xf32>, %p: tensor<8x16xf32>) {
  // expected-error @below {{expected 2 results or none, got 1}}
  %y = tmm.rows ins(%x : tensor<8x16xf32>) outs(%o, %p : tensor<8x16xf32>, tensor<8x16xf32>) maps [#all, #all, #all] {
  ^bb0(%e: f32):
    tmm.yield %e, %e : f32, f32
  } -> tensor<8x16xf32>
  return
}

// -----

func.func @result_type(%o: tensor<8xf32>) {
  // expected-error @below {{expected type of operand #0 ('tensor<8xf32>') to match type of corresponding result ('tensor<9xf32>')}}
  %y = tmm.rows outs(%o : tensor<8xf32>) maps [affine_map<(c) -> (c)>] {
    %zero = arith.constant 0.0 : f32
    tmm.yield %zero : f32
  } -> tensor<9xf32>
  return
}

// -----

// Tensors are given back, memrefs are not.
func.func @no_result(%o: tensor<8xf32>) {
  // expected-error @below {{expected the number of tensor results (0) to be equal to the number of output tensors (1)}}
  tmm.rows outs(%o : tensor<8xf32>) maps [affine_map<(c) -> (c)>] {
    %zero = arith.constant 0.0 : f32
    tmm.yield %zero : f32
  }
  return
}

// -----

func.func @reduce_kind(%x: memref<8xf32>, %o: memref<8xf32>) {
  tmm.rows ins(%x : memref<8xf32>) outs(%o : memref<8xf32>) maps [affine_map<(c) -> (c)>, affine_map<(c) -> (c)>] {
  ^bb0(%e: f32):
    // expected-error @below {{'tmm.row_reduce' op expected a kind for 'f32', got maxsi}}
    %m = tmm.row_reduce <maxsi> %e : f32
    tmm.yield %m : f32
  }
  return
}

// -----

func.func @reduce_kind_of_integers(%x: memref<8xi32>, %o: memref<8xi32>) {
  tmm.rows ins(%x : memref<8xi32>) outs(%o : memref<8xi32>) maps [affine_map<(c) -> (c)>, affine_map<(c) -> (c)>] {
  ^bb0(%e: i32):
    // expected-error @below {{'tmm.row_reduce' op expected a kind for 'i32', got minnumf}}
    %m = tmm.row_reduce <minnumf> %e : i32
    tmm.yield %m : i32
  }
  return
}

// -----

func.func @reduce_type(%x: memref<8xbf16>, %o: memref<8xbf16>) {
  tmm.rows ins(%x : memref<8xbf16>) outs(%o : memref<8xbf16>) maps [affine_map<(c) -> (c)>, affine_map<(c) -> (c)>] {
  ^bb0(%e: bf16):
    // expected-error @below {{operand #0 must be 32-bit float or 64-bit float or 32-bit signless integer or 64-bit signless integer, but got 'bf16'}}
    %m = tmm.row_reduce <add> %e : bf16
    tmm.yield %m : bf16
  }
  return
}

// -----

func.func @reduce_outside(%e: f32) {
  // expected-error @below {{'tmm.row_reduce' op expects parent op to be one of 'tmm.rows, tmm.row_problem'}}
  %m = tmm.row_reduce <add> %e : f32
  return
}

// -----

func.func @index_outside() {
  // expected-error @below {{'tmm.row_index' op expects parent op to be one of 'tmm.rows, tmm.row_problem'}}
  %c = tmm.row_index 0
  return
}

// -----

func.func @tmm_row_index_c1(%o: memref<8xi32>) {
  tmm.rows outs(%o : memref<8xi32>) maps [affine_map<(c) -> (c)>] {
    // expected-error @below {{'tmm.row_index' op expected a dimension below 1, got 1}}
    %i = tmm.row_index 1
    %n = arith.index_cast %i : index to i32
    tmm.yield %n : i32
  }
  return
}
