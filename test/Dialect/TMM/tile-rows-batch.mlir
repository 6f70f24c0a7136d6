// RUN: tc-opt %s --mlir-print-local-scope --tmm-tile=chip=sm_90a --canonicalize --cse | FileCheck %s

// A mask that is the same for some rows, places, and a tile that rows do not fill.
// CHECK-LABEL: func.func @batch(
// CHECK-SAME:    %[[X:.*]]: memref<4x?x8x100xf32>, %[[M:.*]]: memref<4x1x8x100xf32>,
// CHECK:         %[[SIZE:.*]] = memref.dim %[[X]], %c1
// CHECK:         %[[MASK:.*]] = memref.collapse_shape %[[M]] {{\[\[}}0], [1, 2], [3]]
// CHECK:         cf.assert %{{.*}}, "operands 0 and 2 must agree in size"
// CHECK:         %[[GRID:.*]] = arith.muli %[[SIZE]], %c4
// CHECK:         gpu.launch_func {{ *}}@kernels::@batch_rows blocks in (%[[GRID]], %c1, %c1)
// CHECK-SAME:      %[[MASK]] : memref<4x8x100xf32>
func.func @batch(%x: memref<4x?x8x100xf32>, %m: memref<4x1x8x100xf32>, %o: memref<4x?x8x100xi32>) {
  tmm.rows ins(%x, %m : memref<4x?x8x100xf32>, memref<4x1x8x100xf32>) outs(%o : memref<4x?x8x100xi32>)
      maps [affine_map<(a, b, r, c) -> (a, b, r, c)>, affine_map<(a, b, r, c) -> (a, 0, r, c)>, affine_map<(a, b, r, c) -> (a, b, r, c)>] {
  ^bb0(%e: f32, %f: f32):
    %g = arith.addf %e, %f : f32
    %max = tmm.row_reduce <minimumf> %g : f32
    %is = arith.cmpf oeq, %g, %max : f32
    %i = tmm.row_index 3
    %j = tmm.row_index 1
    %k = arith.addi %i, %j : index
    %zero = arith.constant 0 : index
    %s = arith.select %is, %k, %zero : index
    %t = arith.index_cast %s : index to i32
    tmm.yield %t : i32
  }
  return
}

// Dimensions that all have next to each other, or none, are one.
// CHECK-LABEL: func.func @joined(
// CHECK-SAME:    %[[X:.*]]: memref<4x?x8x64xf32>, %[[W:.*]]: memref<64xf32>,
// CHECK:         %[[ALL:.*]] = memref.collapse_shape %[[X]] {{\[\[}}0, 1, 2], [3]]
// CHECK:         %[[ROWS:.*]] = arith.muli %{{.*}}, %c32
// CHECK:         %[[GRID:.*]] = arith.ceildivui %[[ROWS]], %c64
// CHECK:         gpu.launch_func {{ *}}@kernels::@joined_rows blocks in (%[[GRID]], %c1, %c1)
// CHECK-SAME:      args(%[[ALL]] : memref<?x64xf32>, %[[W]] : memref<64xf32>,
func.func @joined(%x: memref<4x?x8x64xf32>, %w: memref<64xf32>, %o: memref<4x?x8x64xf32>) {
  tmm.rows ins(%x, %w : memref<4x?x8x64xf32>, memref<64xf32>) outs(%o : memref<4x?x8x64xf32>)
      maps [affine_map<(a, b, r, c) -> (a, b, r, c)>, affine_map<(a, b, r, c) -> (c)>, affine_map<(a, b, r, c) -> (a, b, r, c)>] {
  ^bb0(%e: f32, %f: f32):
    %sum = tmm.row_reduce <add> %e : f32
    %q = arith.divf %f, %sum : f32
    tmm.yield %q : f32
  }
  return
}

// Others are counted by the grid, and have the same order in all operands.
// CHECK-LABEL: func.func @apart(
// CHECK-SAME:    %[[X:.*]]: memref<8x16x64xf32, strided<[2048, 64, 1]>>, %[[O:.*]]: memref<16x8x64xf32>)
// CHECK-NOT:     memref.collapse_shape
// CHECK:         %[[MOVED:.*]] = memref.transpose %[[O]] (d0, d1, d2) -> (d1, d0, d2)
// CHECK:         gpu.launch_func {{ *}}@kernels::@apart_rows blocks in (%c8, %c1, %c1)
// CHECK-SAME:      args(%[[X]] : {{.*}}, %[[MOVED]] :
func.func @apart(%x: memref<8x16x64xf32, strided<[2048, 64, 1]>>, %o: memref<16x8x64xf32>) {
  tmm.rows ins(%x : memref<8x16x64xf32, strided<[2048, 64, 1]>>) outs(%o : memref<16x8x64xf32>)
      maps [affine_map<(a, r, c) -> (a, r, c)>, affine_map<(a, r, c) -> (r, a, c)>] {
  ^bb0(%e: f32):
    %sum = tmm.row_reduce <add> %e : f32
    tmm.yield %sum : f32
  }
  return
}

// No dimension of rows: outputs get one.
// CHECK-LABEL: func.func @one_row(
// CHECK-SAME:    %[[X:.*]]: memref<64xf32>, %[[O:.*]]: memref<64xf32>, %[[S:.*]]: memref<f32>)
// CHECK-DAG:     %[[WIDE:.*]] = memref.expand_shape %[[O]] {{\[\[}}0, 1]] output_shape [1, 64]
// CHECK-DAG:     %[[ONE:.*]] = memref.expand_shape %[[S]] [] output_shape [1, 1]
// CHECK:         gpu.launch_func {{ *}}@kernels::@one_row_rows blocks in (%c1, %c1, %c1)
// CHECK-SAME:      args(%[[X]] : memref<64xf32>, %[[WIDE]] : memref<1x64xf32>, %[[ONE]] : memref<1x1xf32>)
func.func @one_row(%x: memref<64xf32>, %o: memref<64xf32>, %s: memref<f32>) {
  tmm.rows ins(%x : memref<64xf32>) outs(%o, %s : memref<64xf32>, memref<f32>)
      maps [affine_map<(c) -> (c)>, affine_map<(c) -> (c)>, affine_map<(c) -> ()>] {
  ^bb0(%e: f32):
    %sum = tmm.row_reduce <add> %e : f32
    %q = arith.divf %e, %sum : f32
    tmm.yield %q, %sum : f32, f32
  }
  return
}

// No element times any number.
// CHECK-LABEL: func.func @nothing(
// CHECK-NOT:     gpu.launch_func
// CHECK:         return
func.func @nothing(%x: memref<0x?x?x8xf32>, %o: memref<0x?x?xf32>) {
  tmm.rows ins(%x : memref<0x?x?x8xf32>) outs(%o : memref<0x?x?xf32>)
      maps [affine_map<(a, b, r, c) -> (a, b, r, c)>, affine_map<(a, b, r, c) -> (a, b, r)>] {
  ^bb0(%e: f32):
    %sum = tmm.row_reduce <add> %e : f32
    tmm.yield %sum : f32
  }
  return
}

// The kernels, in the same order.

// CHECK-LABEL: gpu.func @batch_rows(
// CHECK-SAME:    %[[X:.*]]: memref<4x?x8x100xf32>, %[[M:.*]]: memref<4x8x100xf32>, %[[O:.*]]: memref<4x?x8x100xi32>, %[[SIZE:.*]]: i32)
// CHECK:         %[[B:.*]] = arith.remui %{{.*}}, %[[SIZE]]
// CHECK:         %[[A:.*]] = arith.divui %{{.*}}, %[[SIZE]]
// CHECK:         tmm.fetch %[[X]][%c0_i32, %c0_i32] batch(%[[A]], %[[B]]) layout
// CHECK:         tmm.fetch %[[M]][%c0_i32, %c0_i32] batch(%[[A]]) layout
// CHECK:         %[[INSIDE:.*]] = tmm.crop {{.*}} to[%c32_i32, %c100_i32] fill 0x7F800000 : f32
// CHECK:         tmm.reduce <minimumf> %[[INSIDE]]
// CHECK:         %[[BATCH:.*]] = arith.index_cast %[[B]] : i32 to index
// CHECK:         %[[VALUES:.*]] = vector.broadcast %[[BATCH]] : index to vector<32x1xindex>
// CHECK-DAG:     %[[COLUMNS:.*]] = tmm.positions %c0_i32 along n
// CHECK-DAG:     %[[ALL:.*]] = tmm.broadcast %[[VALUES]]
// CHECK:         arith.addi %[[COLUMNS]], %[[ALL]]
// CHECK:         tmm.store %{{.*}}, %[[O]][%c0_i32, %c0_i32] batch(%[[A]], %[[B]]) layout

// CHECK-LABEL: gpu.func @joined_rows(
// CHECK:         %[[ROW:.*]] = arith.muli %{{.*}}, %c64_i32
// CHECK:         tmm.fetch %{{.*}}[%[[ROW]], %c0_i32] in_bounds [false, true]
// CHECK:         tmm.fetch %{{.*}} along n
