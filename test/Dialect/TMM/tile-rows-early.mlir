// RUN: tc-opt %s -split-input-file --tmm-tile=chip=sm_90a --canonicalize --cse | FileCheck %s
// RUN: tc-opt %s -split-input-file --tmm-tile=chip=sm_80 --canonicalize --cse | FileCheck %s --check-prefix=OTHER

#all = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>

// The element that a row has at a label is on its way with the row. A CTA that has its multiprocessor for itself asks for
// the row of the next one; how many there are says the chip. LLVM has a prefetch from sm_90 on.
// CHECK-LABEL: gpu.func @picked_rows(
// CHECK-SAME:    %[[X:.*]]: memref<1024x32768xf32>, %[[L:.*]]: memref<1024xi32>
// CHECK:         %[[LABEL:.*]] = tmm.fetch %[[L]][%[[ROW:.*]], %{{.*}}] along m
// CHECK:         %[[T:.*]] = tmm.fetch %[[X]][%[[ROW]], %{{.*}}] in_bounds [true, true]
// CHECK:         %[[NEXT:.*]] = arith.addi %[[ROW]], %c132_i32
// CHECK:         tmm.prefetch %[[X]][%[[NEXT]], %{{.*}}] in_bounds [false, true]
// CHECK-SAME:      vector<1x32768xf32>
// CHECK:         %[[E:.*]] = tmm.gather %[[X]][%[[ROW]], %[[LABEL]]]
// CHECK:         tmm.reduce <add> %[[T]]
// CHECK:         arith.subf %[[E]]
// OTHER-LABEL: gpu.func @picked_rows(
// OTHER-NOT:     tmm.prefetch
func.func @picked(%x: memref<1024x32768xf32>, %l: memref<1024xi32>, %o: memref<1024xf32>) {
  tmm.rows ins(%x, %l : memref<1024x32768xf32>, memref<1024xi32>) outs(%o : memref<1024xf32>) maps [#all, #row, #row] {
  ^bb0(%e: f32, %label: i32):
    %sum = tmm.row_reduce <add> %e : f32
    %d = arith.subf %e, %sum : f32
    %p = tmm.row_pick %d at %label : f32, i32
    tmm.yield %p : f32
  }
  return
}

// -----

#all = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>

// Half as many bytes: two CTAs have registers for the row as it is in memory, which the second reduction fetches again.
// CHECK-LABEL: gpu.func @again_rows(
// CHECK-SAME:    nvvm.minctasm = 2 : i32
// CHECK:         tmm.fetch
// CHECK-NOT:     tmm.prefetch
// CHECK:         tmm.reduce <maxnumf>
// CHECK:         gpu.barrier
// CHECK:         tmm.fetch
// CHECK:         tmm.reduce <add>
// CHECK-NOT:     gpu.barrier
func.func @again(%x: memref<1024x32768xbf16>, %o: memref<1024xf32>) {
  tmm.rows ins(%x : memref<1024x32768xbf16>) outs(%o : memref<1024xf32>) maps [#all, #row] {
  ^bb0(%e: bf16):
    %f = arith.extf %e : bf16 to f32
    %max = tmm.row_reduce <maxnumf> %f : f32
    %d = arith.subf %f, %max : f32
    %sum = tmm.row_reduce <add> %d : f32
    tmm.yield %sum : f32
  }
  return
}

// -----

#all = affine_map<(r, c) -> (r, c)>

// A concatenation along rows: its parts are fetched at rows and columns that may be before the first.
// CHECK-LABEL: gpu.func @pieces_rows(
// CHECK-SAME:    %[[X:.*]]: memref<4x24xf32>, %[[Y:.*]]: memref<4x40xf32>,
// CHECK-DAG:     tmm.fetch %[[X]][%{{.*}}] shift [0, 0]
// CHECK-DAG:     tmm.fetch %[[Y]][%{{.*}}] shift [0, -24]
// CHECK:         arith.select
func.func @pieces(%x: memref<4x24xf32>, %y: memref<4x40xf32>, %o: memref<4x64xf32>) {
  tmm.rows ins(%x, %y : memref<4x24xf32>, memref<4x40xf32>) outs(%o : memref<4x64xf32>)
      maps [#all, affine_map<(r, c) -> (r, c - 24)>, #all] pieces [array<i64: 1>, array<i64: 1>] {
  ^bb0(%a: f32, %b: f32):
    %c24 = arith.constant 24 : index
    %c = tmm.row_index 1
    %is = arith.cmpi ult, %c, %c24 : index
    %e = arith.select %is, %a, %b : f32
    tmm.yield %e : f32
  }
  return
}
