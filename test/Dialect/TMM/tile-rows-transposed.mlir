// RUN: tc-opt %s --mlir-print-local-scope --tmm-tile=chip=sm_90a --canonicalize --cse | FileCheck %s

#all = affine_map<(r, c) -> (r, c)>
#turned = affine_map<(r, c) -> (c, r)>
#row = affine_map<(r, c) -> (r)>

// The grid counts tiles of rows and of columns.
// CHECK-LABEL: func.func @transpose(
// CHECK:         gpu.launch_func {{ *}}@kernels::@transpose_rows blocks in (%c32, %c1, %c1) threads in (%c256, %c1, %c1)
func.func @transpose(%x: memref<512x256xbf16>, %o: memref<256x512xbf16>) {
  tmm.rows ins(%x : memref<512x256xbf16>) outs(%o : memref<256x512xbf16>) maps [#turned, #all] {
  ^bb0(%e: bf16):
    tmm.yield %e : bf16
  }
  return
}

// CHECK-LABEL: func.func @column_sums(
// CHECK:         gpu.launch_func {{ *}}@kernels::@column_sums_rows blocks in (%c8, %c1, %c1)
func.func @column_sums(%x: memref<512x256xf32>, %o: memref<256xf32>) {
  tmm.rows ins(%x : memref<512x256xf32>) outs(%o : memref<256xf32>) maps [#turned, #row] {
  ^bb0(%e: f32):
    %sum = tmm.row_reduce <add> %e : f32
    tmm.yield %sum : f32
  }
  return
}

func.func @output(%x: memref<512x256xf32>, %o: memref<256x512xf32>) {
  tmm.rows ins(%x : memref<512x256xf32>) outs(%o : memref<256x512xf32>) maps [#all, #turned] {
  ^bb0(%e: f32):
    %sum = tmm.row_reduce <mul> %e : f32
    %d = arith.divf %e, %sum : f32
    tmm.yield %d : f32
  }
  return
}

func.func @both(%x: memref<512x100xf32>, %v: memref<100xf32>, %o: memref<512x100xf32>) {
  tmm.rows ins(%x, %v : memref<512x100xf32>, memref<100xf32>) outs(%o : memref<512x100xf32>) maps [#turned, #row, #turned] {
  ^bb0(%e: f32, %f: f32):
    %d = arith.addf %e, %f : f32
    %sum = tmm.row_reduce <add> %d : f32
    %q = arith.divf %d, %sum : f32
    tmm.yield %q : f32
  }
  return
}

// The kernels, in the same order.

// Squares whose rows are lines of the cache, for who reads and for who writes.
// CHECK-LABEL: gpu.func @transpose_rows(
// CHECK-SAME:    %[[X:.*]]: memref<512x256xbf16>, %[[O:.*]]: memref<256x512xbf16>)
// CHECK:         %[[NUMBER:.*]] = arith.remui %{{.*}}, %c8_i32
// CHECK:         %[[COL:.*]] = arith.muli %[[NUMBER]], %c64_i32
// CHECK:         %[[TILE:.*]] = arith.divui %{{.*}}, %c8_i32
// CHECK:         %[[ROW:.*]] = arith.muli %[[TILE]], %c64_i32
// CHECK:         %[[IN:.*]] = tmm.fetch %[[X]][%[[COL]], %[[ROW]]] in_bounds [true, true] layout([[SQUARE:#tmm.thread_rows<threads = 8, chunk = 8, rows = 2>]])
// CHECK:         %[[OUT:.*]] = tmm.transpose %[[IN]] layout([[SQUARE]]) : vector<64x64xbf16> -> vector<64x64xbf16>
// CHECK:         tmm.store %[[OUT]], %[[O]][%[[ROW]], %[[COL]]] in_bounds [true, true] layout([[SQUARE]])

// Sums of tiles are turned once, not each tile.
// CHECK-LABEL: gpu.func @column_sums_rows(
// CHECK-SAME:    %[[X:.*]]: memref<512x256xf32>, %[[O:.*]]: memref<256x1xf32>)
// CHECK:         %[[SUMS:.*]] = scf.for %[[COL:.*]] = %c0_i32 to %c512_i32 step %c32_i32
// CHECK:           tmm.fetch %[[X]][%[[COL]], %[[ROW:.*]]] in_bounds
// CHECK-NOT:       tmm.transpose
// CHECK:           scf.yield
// CHECK:         %[[TURNED:.*]] = tmm.transpose %[[SUMS]]
// CHECK:         %[[SUM:.*]] = tmm.reduce <add> %[[TURNED]]
// CHECK:         tmm.store %[[SUM]], %[[O]][%[[ROW]], %c0_i32]

// Only the output is transposed.
// CHECK-LABEL: gpu.func @output_rows(
// CHECK:         %[[ONES:.*]] = arith.constant dense<1.000000e+00> : vector<32x32xf32>
// CHECK:         %[[PARTS:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[ONES]])
// CHECK:         tmm.reduce <mul> %[[PARTS]]
// CHECK:         scf.for %[[COL:.*]] = %c0_i32
// CHECK:           %[[SCALED:.*]] = arith.mulf
// CHECK:           %[[QUOTIENT:.*]] = arith.mulf %[[SCALED]]
// CHECK:           %[[OUT:.*]] = tmm.transpose %[[QUOTIENT]]
// CHECK:           tmm.store %[[OUT]], %{{.*}}[%[[COL]], %{{.*}}]

// What needs a value of a row is computed along rows, so each tile is turned.
// CHECK-LABEL: gpu.func @both_rows(
// CHECK-SAME:    %[[X:.*]]: memref<512x100xf32>, %[[V:.*]]: memref<100xf32>
// CHECK:         %[[VALUES:.*]] = tmm.fetch %[[V]]{{.*}} along m in_bounds [false, true] layout(#tmm.row_values<#tmm.thread_rows<threads = 8, chunk = 4, rows = 1>, columns = 32>) : memref<100xf32> -> vector<32x1xf32>
// CHECK:         %[[SUMS:.*]] = scf.for
// CHECK:           %[[IN:.*]] = tmm.fetch %[[X]]{{.*}} in_bounds [true, false]
// CHECK:           %[[TURNED:.*]] = tmm.transpose %[[IN]]
// CHECK:           %[[ALL:.*]] = tmm.broadcast %[[VALUES]]
// CHECK:           arith.addf %[[TURNED]], %[[ALL]]
// CHECK:         tmm.reduce <add> %[[SUMS]]
// CHECK:         scf.for
// CHECK:           tmm.transpose
// CHECK:           tmm.transpose
// CHECK:           tmm.store
