// RUN: tc-opt %s -tmm-tile=chip=foo -verify-diagnostics

#all = affine_map<(r, c) -> (r, c)>
func.func @unknown(%x: memref<8x16xf32>, %o: memref<8x16xf32>) {
  // expected-error @below {{chip option: expected a chip that is known, such as sm_90a, got 'foo'}}
  tmm.rows ins(%x : memref<8x16xf32>) outs(%o : memref<8x16xf32>) maps [#all, #all] {
  ^bb0(%e: f32):
    tmm.yield %e : f32
  }
  return
}
