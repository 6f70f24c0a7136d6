// RUN: tc-opt %s -split-input-file -verify-diagnostics

#all = affine_map<(r, c) -> (r, c)>
func.func @tmm_rows_c1_count(%x: tensor<8x16xf32>, %o: tensor<8x16xf32>) {
  // expected-error @below {{expected 2 maps, one for each operand, got 1}}
  %y = tmm.rows ins(%x : tensor<8x16xf32>) outs(%o : tensor<8x16xf32>) maps [#all] {
  ^bb0(%e: f32):
    tmm.yield %e : f32
  } -> tensor<8x16xf32>
  return
}

// -----

func.func @tmm_rows_c1_no_output(%x: memref<8x16xf32>) {
  // expected-error @below {{expected an output, got none}}
  "tmm.rows"(%x) <{maps = [affine_map<(r, c) -> (r, c)>], operandSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0(%e: f32):
    "tmm.yield"() : () -> ()
  }) : (memref<8x16xf32>) -> ()
  return
}

// -----

func.func @tmm_rows_c1_no_dims(%o: memref<f32>) {
  // expected-error @below {{expected maps of at least 1 dimension, got 0}}
  tmm.rows outs(%o : memref<f32>) maps [affine_map<() -> ()>] {
    %zero = arith.constant 0.0 : f32
    tmm.yield %zero : f32
  }
  return
}

// -----

func.func @tmm_rows_c1_dims(%x: memref<8xf32>, %o: memref<8x16xf32>) {
  // expected-error @below {{operand 1: expected a map of 1 dimensions, got affine_map<(d0, d1) -> (d0, d1)>}}
  tmm.rows ins(%x : memref<8xf32>) outs(%o : memref<8x16xf32>) maps [affine_map<(c) -> (c)>, affine_map<(r, c) -> (r, c)>] {
  ^bb0(%e: f32):
    tmm.yield %e : f32
  }
  return
}

// -----

func.func @tmm_rows_c1_symbols(%o: memref<8xf32>) {
  // expected-error @below {{operand 0: expected a map of 1 dimensions, got affine_map<(d0)[s0] -> (d0)>}}
  tmm.rows outs(%o : memref<8xf32>) maps [affine_map<(c)[s] -> (c)>] {
    %zero = arith.constant 0.0 : f32
    tmm.yield %zero : f32
  }
  return
}

// -----

func.func @tmm_rows_c1_rank(%x: memref<8xf32>, %o: memref<8x16xf32>) {
  // expected-error @below {{operand 0: expected a map of 1 results, got affine_map<(d0, d1) -> (d0, d1)>}}
  tmm.rows ins(%x : memref<8xf32>) outs(%o : memref<8x16xf32>) maps [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r, c)>] {
  ^bb0(%e: f32):
    tmm.yield %e : f32
  }
  return
}

// -----

func.func @tmm_rows_c1_twice(%x: memref<8x8xf32>, %o: memref<8xf32>) {
  // expected-error @below {{operand 0: expected dimensions, each at most once, or 0, got affine_map<(d0) -> (d0, d0)>}}
  tmm.rows ins(%x : memref<8x8xf32>) outs(%o : memref<8xf32>) maps [affine_map<(c) -> (c, c)>, affine_map<(c) -> (c)>] {
  ^bb0(%e: f32):
    tmm.yield %e : f32
  }
  return
}

// -----

func.func @tmm_rows_c1_sum(%x: memref<8xf32>, %o: memref<8xf32>) {
  // expected-error @below {{operand 0: expected dimensions, each at most once, or 0, got affine_map<(d0) -> (d0 * 2)>}}
  tmm.rows ins(%x : memref<8xf32>) outs(%o : memref<8xf32>) maps [affine_map<(c) -> (c * 2)>, affine_map<(c) -> (c)>] {
  ^bb0(%e: f32):
    tmm.yield %e : f32
  }
  return
}

// -----

// Nobody says how long a row is.
func.func @tmm_rows_c1_no_size(%o: memref<8xf32>) {
  // expected-error @below {{expected an operand along dimension 1, got none}}
  tmm.rows outs(%o : memref<8xf32>) maps [affine_map<(r, c) -> (r)>] {
    %zero = arith.constant 0.0 : f32
    tmm.yield %zero : f32
  }
  return
}

// -----

#all = affine_map<(r, c) -> (r, c)>
func.func @tmm_rows_c2(%x: memref<8x16xf32>, %o: memref<16xf32>) {
  // expected-error @below {{operand 1: expected an output along dimension 0, got affine_map<(d0, d1) -> (d1)>}}
  tmm.rows ins(%x : memref<8x16xf32>) outs(%o : memref<16xf32>) maps [#all, affine_map<(r, c) -> (c)>] {
  ^bb0(%e: f32):
    tmm.yield %e : f32
  }
  return
}

// -----

#all = affine_map<(r, c) -> (r, c)>
func.func @tmm_rows_c3(%x: memref<8x16xf32>, %o: memref<?x17xf32>) {
  // expected-error @below {{operand 1: expected 16 elements along 1, got affine_map<(d0, d1) -> (d0, d1)>}}
  tmm.rows ins(%x : memref<8x16xf32>) outs(%o : memref<?x17xf32>) maps [#all, #all] {
  ^bb0(%e: f32):
    tmm.yield %e : f32
  }
  return
}

// -----

func.func @tmm_rows_c3_zero(%x: memref<8x2xf32>, %o: memref<8x16xf32>) {
  // expected-error @below {{operand 0: expected a dimension of 2 elements for 1, got affine_map<(d0, d1) -> (d0, 0)>}}
  tmm.rows ins(%x : memref<8x2xf32>) outs(%o : memref<8x16xf32>) maps [affine_map<(r, c) -> (r, 0)>, affine_map<(r, c) -> (r, c)>] {
  ^bb0(%e: f32):
    tmm.yield %e : f32
  }
  return
}

// -----

#all = affine_map<(r, c) -> (r, c)>
func.func @tmm_rows_c4_takes(%x: memref<8x16xf32>, %o: memref<8x16xf32>) {
  // expected-error @below {{expected the body to take the elements of ins, got 'bf16'}}
  tmm.rows ins(%x : memref<8x16xf32>) outs(%o : memref<8x16xf32>) maps [#all, #all] {
  ^bb0(%e: bf16):
    %f = arith.extf %e : bf16 to f32
    tmm.yield %f : f32
  }
  return
}

// -----

#all = affine_map<(r, c) -> (r, c)>
func.func @tmm_rows_c4_elements(%x: memref<8x16xtf32>, %o: memref<8x16xtf32>) {
  // expected-error @below {{operand 0: expected elements of 8, 16, 32 or 64 bits, or i1, got 'tf32'}}
  tmm.rows ins(%x : memref<8x16xtf32>) outs(%o : memref<8x16xtf32>) maps [#all, #all] {
  ^bb0(%e: tf32):
    tmm.yield %e : tf32
  }
  return
}

// -----

#all = affine_map<(r, c) -> (r, c)>
func.func @tmm_rows_c4_yields(%x: memref<8x16xf32>, %o: memref<8x16xbf16>) {
  // expected-error @below {{expected the body to yield the elements of outs, got 'f32'}}
  tmm.rows ins(%x : memref<8x16xf32>) outs(%o : memref<8x16xbf16>) maps [#all, #all] {
  ^bb0(%e: f32):
    tmm.yield %e : f32
  }
  return
}

// -----

#all = affine_map<(r, c) -> (r, c)>
func.func @tmm_rows_c4_end(%x: memref<8x16xf32>, %o: memref<8x16xf32>) {
  // expected-error @below {{expected a body that ends in tmm.yield}}
  tmm.rows ins(%x : memref<8x16xf32>) outs(%o : memref<8x16xf32>) maps [#all, #all] {
  ^bb0(%e: f32):
    llvm.unreachable
  }
  return
}

// -----

#all = affine_map<(r, c) -> (r, c)>
func.func @tmm_rows_c5(%x: memref<8x16xf32>, %o: memref<8x16xf32>) {
  tmm.rows ins(%x : memref<8x16xf32>) outs(%o : memref<8x16xf32>) maps [#all, #all] {
  ^bb0(%e: f32):
    // expected-error @below {{expected an elementwise operation, a constant, tmm.row_index, tmm.row_pick or tmm.row_reduce in the body}}
    %t = gpu.thread_id x
    tmm.yield %e : f32
  }
  return
}

// -----

#all = affine_map<(r, c) -> (r, c)>
func.func @tmm_rows_c6(%x: memref<8x16xf32>, %o: memref<8xf32>) {
  // expected-error @below {{operand 1: expected a value that is the same in the whole row, such as that of tmm.row_reduce, for an output without the column}}
  tmm.rows ins(%x : memref<8x16xf32>) outs(%o : memref<8xf32>) maps [#all, affine_map<(r, c) -> (r)>] {
  ^bb0(%e: f32):
    %f = math.absf %e : f32
    tmm.yield %f : f32
  }
  return
}

// -----

// The number of a column differs along a row, that of a row does not.
#all = affine_map<(r, c) -> (r, c)>
func.func @tmm_rows_c6_index(%x: memref<8x16xf32>, %o: memref<8xi32>, %p: memref<8xi32>) {
  // expected-error @below {{operand 2: expected a value that is the same in the whole row}}
  tmm.rows ins(%x : memref<8x16xf32>) outs(%o, %p : memref<8xi32>, memref<8xi32>)
      maps [#all, affine_map<(r, c) -> (r)>, affine_map<(r, c) -> (r)>] {
  ^bb0(%e: f32):
    %r = tmm.row_index 0
    %c = tmm.row_index 1
    %i = arith.index_cast %r : index to i32
    %j = arith.index_cast %c : index to i32
    tmm.yield %i, %j : i32, i32
  }
  return
}

// -----

func.func @tmm_rows_c1_added(%x: memref<8x16xf32>, %o: memref<8x16xf32>) {
  // expected-error @below {{operand 0: expected numbers to be added to dimensions of pieces alone}}
  tmm.rows ins(%x : memref<8x16xf32>) outs(%o : memref<8x16xf32>)
      maps [affine_map<(r, c) -> (r, c + 4)>, affine_map<(r, c) -> (r, c)>] {
  ^bb0(%e: f32):
    tmm.yield %e : f32
  }
  return
}

// -----

#all = affine_map<(r, c) -> (r, c)>
func.func @tmm_rows_c7_count(%x: memref<8x16xf32>, %o: memref<8x16xf32>) {
  // expected-error @below {{expected 1 lists of pieces, one for each of ins, got 2}}
  tmm.rows ins(%x : memref<8x16xf32>) outs(%o : memref<8x16xf32>) maps [#all, #all]
      pieces [array<i64: 1>, array<i64>] {
  ^bb0(%e: f32):
    tmm.yield %e : f32
  }
  return
}

// -----

func.func @tmm_rows_c7_dims(%x: memref<16xf32>, %o: memref<8x16xf32>) {
  // expected-error @below {{operand 0: expected dimensions of its map as those of pieces, got 0}}
  tmm.rows ins(%x : memref<16xf32>) outs(%o : memref<8x16xf32>)
      maps [affine_map<(r, c) -> (c)>, affine_map<(r, c) -> (r, c)>] pieces [array<i64: 0>] {
  ^bb0(%e: f32):
    tmm.yield %e : f32
  }
  return
}

// -----

// Pieces have sizes of their own.
func.func @tmm_rows_c3_pieces(%x: memref<8x4xf32>, %o: memref<8xf32>) {
  // expected-error @below {{expected an operand along dimension 1, got none}}
  tmm.rows ins(%x : memref<8x4xf32>) outs(%o : memref<8xf32>)
      maps [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>] pieces [array<i64: 1>] {
  ^bb0(%e: f32):
    %s = tmm.row_reduce <add> %e : f32
    tmm.yield %s : f32
  }
  return
}

// -----

#all = affine_map<(r, c) -> (r, c)>
func.func @tmm_row_pick_c1(%x: memref<8x16xf32>, %o: memref<8x16xf32>) {
  tmm.rows ins(%x : memref<8x16xf32>) outs(%o : memref<8x16xf32>) maps [#all, #all] {
  ^bb0(%e: f32):
    %c = tmm.row_index 1
    // expected-error @below {{expected an index that is the same in the whole row}}
    %p = tmm.row_pick %e at %c : f32, index
    tmm.yield %p : f32
  }
  return
}

// -----

func.func @tmm_rows_c3_far(%x: memref<8x4xf32>, %o: memref<8x16xf32>) {
  // expected-error @below {{operand 0: expected numbers of less than 1073741824, got affine_map<(d0, d1) -> (d0, d1 + 4294967296)>}}
  tmm.rows ins(%x : memref<8x4xf32>) outs(%o : memref<8x16xf32>)
      maps [affine_map<(r, c) -> (r, c + 4294967296)>, affine_map<(r, c) -> (r, c)>] pieces [array<i64: 1>] {
  ^bb0(%e: f32):
    tmm.yield %e : f32
  }
  return
}
