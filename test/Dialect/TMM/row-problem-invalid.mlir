// RUN: tc-opt %s -split-input-file -verify-diagnostics

#x = affine_map<(r, c) -> (r, c)>

// The rules are those of tmm.rows.
func.func @maps(%x: memref<8x16xf32>, %o: memref<8x16xf32>) {
  // expected-error @below {{'tmm.row_problem' op expected 2 maps, one for each operand, got 1}}
  tmm.row_problem ins(%x : memref<8x16xf32>) outs(%o : memref<8x16xf32>) maps [#x] {
  ^bb0(%e: f32):
    tmm.yield %e : f32
  }
  return
}

// -----

#x = affine_map<(r, c) -> (r, c)>
#s = affine_map<(r, c) -> (r)>

func.func @along(%x: memref<8x16xf32>, %o: memref<8xf32>) {
  // expected-error @below {{'tmm.row_problem' op operand 1: expected a value that is the same in the whole row}}
  tmm.row_problem ins(%x : memref<8x16xf32>) outs(%o : memref<8xf32>) maps [#x, #s] {
  ^bb0(%e: f32):
    tmm.yield %e : f32
  }
  return
}
