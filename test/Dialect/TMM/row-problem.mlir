// RUN: tc-opt %s | tc-opt | FileCheck %s --check-prefixes=CHECK,KEPT
// RUN: tc-opt %s --tmm-drop-problems | FileCheck %s --check-prefixes=CHECK,DROPPED

#x = affine_map<(r, c) -> (r, c)>
#s = affine_map<(r, c) -> (r)>

// CHECK-LABEL: func.func @sums
// KEPT: tmm.row_problem ins(%{{.*}} : memref<?x4096xf32>) outs(%{{.*}} : memref<?xf32>) maps [#{{.*}}, #{{.*}}] {
// KEPT: tmm.row_index 1
// KEPT: tmm.row_reduce <add>
// DROPPED-NOT: tmm
func.func @sums(%x: memref<?x4096xf32>, %o: memref<?xf32>) {
  tmm.row_problem ins(%x : memref<?x4096xf32>) outs(%o : memref<?xf32>) maps [#x, #s] {
  ^bb0(%e: f32):
    %i = tmm.row_index 1
    %sum = tmm.row_reduce <add> %e : f32
    tmm.yield %sum : f32
  }
  return
}
