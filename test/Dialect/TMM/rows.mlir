// RUN: tc-opt %s --mlir-print-local-scope | tc-opt --mlir-print-local-scope | FileCheck %s

#all = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>
#column = affine_map<(r, c) -> (c)>

// CHECK-LABEL: func.func @softmax(
// CHECK:         tmm.rows ins(%{{.*}} : tensor<?x4096xf32>) outs(%{{.*}} : tensor<?x4096xf32>)
// CHECK-SAME:      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>] {
// CHECK-NEXT:    ^bb0(%[[E:.*]]: f32):
// CHECK-NEXT:      %[[MAX:.*]] = tmm.row_reduce <maximumf> %[[E]] : f32
// CHECK-NEXT:      %[[D:.*]] = arith.subf %[[E]], %[[MAX]] : f32
// CHECK:           tmm.yield %{{.*}} : f32
// CHECK-NEXT:    } -> tensor<?x4096xf32>
func.func @softmax(%x: tensor<?x4096xf32>, %o: tensor<?x4096xf32>) -> tensor<?x4096xf32> {
  %y = tmm.rows ins(%x : tensor<?x4096xf32>) outs(%o : tensor<?x4096xf32>) maps [#all, #all] {
  ^bb0(%e: f32):
    %max = tmm.row_reduce <maximumf> %e : f32
    %d = arith.subf %e, %max : f32
    %p = math.exp %d : f32
    %sum = tmm.row_reduce <add> %p : f32
    %q = arith.divf %p, %sum : f32
    tmm.yield %q : f32
  } -> tensor<?x4096xf32>
  return %y : tensor<?x4096xf32>
}

// Memrefs, two outputs, one of them with an element for each row and at 0 of a dimension, a column for all rows.
// CHECK-LABEL: func.func @two_outputs(
// CHECK:         tmm.rows ins(%{{.*}}, %{{.*}} : memref<8x16xbf16>, memref<16xbf16>) outs(%{{.*}}, %{{.*}} : memref<8x16xbf16>, memref<8x1xi64>)
// CHECK-SAME:      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>]
// CHECK-SAME:      attributes {name = "scaled"} {
// CHECK:           tmm.row_index 1
// CHECK:           tmm.row_reduce <maxsi> %{{.*}} : i64
// CHECK:           tmm.yield %{{.*}}, %{{.*}} : bf16, i64
// CHECK-NEXT:    }
// CHECK-NEXT:    return
func.func @two_outputs(%x: memref<8x16xbf16>, %s: memref<16xbf16>, %o: memref<8x16xbf16>, %v: memref<8x1xi64>) {
  tmm.rows ins(%x, %s : memref<8x16xbf16>, memref<16xbf16>) outs(%o, %v : memref<8x16xbf16>, memref<8x1xi64>)
      maps [#all, #column, #all, affine_map<(r, c) -> (r, 0)>] attributes {name = "scaled"} {
  ^bb0(%e: bf16, %f: bf16):
    %p = arith.mulf %e, %f : bf16
    %c = tmm.row_index 1
    %i = arith.index_cast %c : index to i64
    %last = tmm.row_reduce <maxsi> %i : i64
    tmm.yield %p, %last : bf16, i64
  }
  return
}

// Nothing is read.
// CHECK-LABEL: func.func @no_inputs(
// CHECK:         tmm.rows outs(%{{.*}} : memref<?xf32>) maps [affine_map<(d0) -> (d0)>] {
func.func @no_inputs(%o: memref<?xf32>) {
  tmm.rows outs(%o : memref<?xf32>) maps [affine_map<(c) -> (c)>] {
    %zero = arith.constant 0.0 : f32
    tmm.yield %zero : f32
  }
  return
}

// A concatenation is two operands, of which each is zero where the other one is; an element of each row.
// CHECK-LABEL: func.func @pieces(
// CHECK:         tmm.rows ins(%{{.*}}, %{{.*}}, %{{.*}} : memref<8x24xf32>, memref<8x40xf32>, memref<8xi64>)
// CHECK-SAME:      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1 - 24)>,
// CHECK-SAME:      pieces [array<i64: 1>, array<i64: 1>, array<i64>] {
// CHECK:           tmm.row_pick %{{.*}} at %{{.*}} : f32, i64
func.func @pieces(%x: memref<8x24xf32>, %y: memref<8x40xf32>, %l: memref<8xi64>, %o: memref<8x64xf32>, %p: memref<8xf32>) {
  tmm.rows ins(%x, %y, %l : memref<8x24xf32>, memref<8x40xf32>, memref<8xi64>) outs(%o, %p : memref<8x64xf32>, memref<8xf32>)
      maps [#all, affine_map<(r, c) -> (r, c - 24)>, affine_map<(r, c) -> (r)>, #all, affine_map<(r, c) -> (r)>]
      pieces [array<i64: 1>, array<i64: 1>, array<i64>] {
  ^bb0(%a: f32, %b: f32, %label: i64):
    %c24 = arith.constant 24 : index
    %c = tmm.row_index 1
    %is = arith.cmpi ult, %c, %c24 : index
    %e = arith.select %is, %a, %b : f32
    %picked = tmm.row_pick %e at %label : f32, i64
    tmm.yield %e, %picked : f32, f32
  }
  return
}
