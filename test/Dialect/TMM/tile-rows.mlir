// RUN: tc-opt %s --mlir-print-local-scope --tmm-tile=chip=sm_90a --canonicalize --cse | FileCheck %s

#all = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>

// A row is a tile: fetched once, reduced twice, stored. The value of a row is stored by those that hold it.
// CHECK-LABEL: func.func @softmax(
// CHECK-SAME:    %[[X:.*]]: memref<?x4096xf32>, %[[O:.*]]: memref<?x4096xf32>, %[[S:.*]]: memref<?xf32>)
// CHECK:         %[[ROWS:.*]] = memref.dim %[[X]], %c0
// CHECK:         %[[VALUES:.*]] = memref.expand_shape %[[S]] {{\[\[}}0, 1]] output_shape [%{{.*}}, 1]
// CHECK:         %[[SOME:.*]] = arith.cmpi ne, %[[ROWS]], %c0
// CHECK:         scf.if %[[SOME]] {
// CHECK:           cf.assert %{{.*}}, "a dimension must have at most 1073741823 elements"
// CHECK:           cf.assert %{{.*}}, "operands 0 and 1 must agree in size"
// CHECK:           cf.assert %{{.*}}, "operands 0 and 2 must agree in size"
// CHECK:           %[[COUNT:.*]] = arith.index_cast %[[ROWS]] : index to i32
// CHECK:           gpu.launch_func {{ *}}@kernels::@softmax_rows blocks in (%[[ROWS]], %c1, %c1) threads in (%c256, %c1, %c1)
// CHECK-SAME:        args(%[[X]] : memref<?x4096xf32>, %[[O]] : memref<?x4096xf32>, %[[VALUES]] : memref<?x1xf32>, %[[COUNT]] : i32)
func.func @softmax(%x: memref<?x4096xf32>, %o: memref<?x4096xf32>, %s: memref<?xf32>) {
  tmm.rows ins(%x : memref<?x4096xf32>) outs(%o, %s : memref<?x4096xf32>, memref<?xf32>) maps [#all, #all, #row] {
  ^bb0(%e: f32):
    %max = tmm.row_reduce <maximumf> %e : f32
    %d = arith.subf %e, %max : f32
    %p = math.exp %d : f32
    %sum = tmm.row_reduce <add> %p : f32
    %q = arith.divf %p, %sum : f32
    tmm.yield %q, %sum : f32, f32
  }
  return
}

func.func @dynamic(%x: memref<8x?xf32>, %o: memref<8x?xf32>) {
  tmm.rows ins(%x : memref<8x?xf32>) outs(%o : memref<8x?xf32>) maps [#all, #all] {
  ^bb0(%e: f32):
    %sum = tmm.row_reduce <add> %e : f32
    %d = arith.divf %e, %sum : f32
    tmm.yield %d : f32
  }
  return
}

func.func @long(%x: memref<8192x16384xbf16>, %o: memref<8192x16384xbf16>) {
  tmm.rows ins(%x : memref<8192x16384xbf16>) outs(%o : memref<8192x16384xbf16>) maps [#all, #all] {
  ^bb0(%e: bf16):
    %f = arith.extf %e : bf16 to f32
    %sum = tmm.row_reduce <maxnumf> %f : f32
    %d = arith.divf %f, %sum : f32
    %g = arith.truncf %d : f32 to bf16
    tmm.yield %g : bf16
  }
  return
}

// Nothing to compute.
// CHECK-LABEL: func.func @empty(
// CHECK-NOT:     gpu.launch_func
// CHECK:         return
func.func @empty(%x: memref<0x16xf32>, %o: memref<0x16xf32>) {
  tmm.rows ins(%x : memref<0x16xf32>) outs(%o : memref<0x16xf32>) maps [#all, #all] {
  ^bb0(%e: f32):
    tmm.yield %e : f32
  }
  return
}

// A row without columns has a value.
// CHECK-LABEL: func.func @no_columns(
// CHECK:         gpu.launch_func {{ *}}@kernels::@no_columns_rows blocks in (%c16, %c1, %c1)
func.func @no_columns(%x: memref<16x0xf32>, %o: memref<16xf32>) {
  tmm.rows ins(%x : memref<16x0xf32>) outs(%o : memref<16xf32>) maps [#all, #row] {
  ^bb0(%e: f32):
    %sum = tmm.row_reduce <add> %e : f32
    tmm.yield %sum : f32
  }
  return
}

// The kernels, in the same order.

// CHECK-LABEL: gpu.func @softmax_rows(
// CHECK-SAME:    %[[X:.*]]: memref<?x4096xf32>, %[[O:.*]]: memref<?x4096xf32>, %[[S:.*]]: memref<?x1xf32>, %{{.*}}: i32) kernel
// CHECK-NOT:     scf.for
// CHECK-DAG:     %[[HUGE:.*]] = arith.constant dense<1.2676506E+30> : vector<1x1xf32>
// CHECK-DAG:     %[[TINY:.*]] = arith.constant dense<7.88860905E-31> : vector<1x1xf32>
// CHECK-DAG:     %[[ONE:.*]] = arith.constant dense<1.000000e+00> : vector<1x1xf32>
// CHECK:         %[[ROW:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK:         %[[IN:.*]] = tmm.fetch %[[X]][%[[ROW]], %c0_i32] in_bounds [false, true] layout([[ROWS:#tmm.thread_rows<threads = 256, chunk = 4, rows = 1>]])
// CHECK:         %[[MAX:.*]] = tmm.reduce <maximumf> %[[IN]] layout([[ROWS]]) : vector<1x4096xf32> -> vector<1x1xf32>
// CHECK:         %[[ALL_MAX:.*]] = tmm.broadcast %[[MAX]] layout([[ROWS]]) : vector<1x1xf32> -> vector<1x4096xf32>
// CHECK:         %[[LESS:.*]] = arith.subf %[[IN]], %[[ALL_MAX]]
// CHECK:         %[[EXP:.*]] = math.exp %[[LESS]]
// CHECK:         %[[SUM:.*]] = tmm.reduce <add> %[[EXP]]
// CHECK:         tmm.store %[[SUM]], %[[S]][%[[ROW]], %c0_i32] {{.*}} layout(#tmm.row_values<[[ROWS]], columns = 4096>)
// CHECK:         %[[SIZE:.*]] = math.absf %[[SUM]]
// CHECK:         arith.cmpf olt, %[[SIZE]], %[[TINY]]
// CHECK:         arith.cmpf ogt, %[[SIZE]], %[[HUGE]]
// CHECK:         %[[SCALE:.*]] = arith.select
// CHECK:         %[[SCALED:.*]] = arith.mulf %[[SUM]], %[[SCALE]]
// CHECK:         %[[INVERSE:.*]] = arith.divf %[[ONE]], %[[SCALED]]
// CHECK:         %[[ALL_SCALE:.*]] = tmm.broadcast %[[SCALE]]
// CHECK:         %[[FIRST:.*]] = arith.mulf %[[EXP]], %[[ALL_SCALE]]
// CHECK:         %[[ALL_INVERSE:.*]] = tmm.broadcast %[[INVERSE]]
// CHECK:         %[[OUT:.*]] = arith.mulf %[[FIRST]], %[[ALL_INVERSE]]
// CHECK:         tmm.store %[[OUT]], %[[O]][%[[ROW]], %c0_i32] in_bounds [false, true] layout([[ROWS]])

// Rows of any length: tile by tile, once for the sum and once for what is stored. Behind the last column nothing is added.
// CHECK-LABEL: gpu.func @dynamic_rows(
// CHECK-SAME:    %[[X:.*]]: memref<8x?xf32>, %[[O:.*]]: memref<8x?xf32>, %[[COLUMNS:.*]]: i32) kernel
// CHECK:         %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : vector<1x4096xf32>
// CHECK:         %[[SUMS:.*]] = scf.for %[[COL:.*]] = %c0_i32 to %[[COLUMNS]] step %c4096_i32 iter_args(%[[OLD:.*]] = %[[ZEROS]])
// CHECK:           %[[IN:.*]] = tmm.fetch %[[X]][%{{.*}}, %[[COL]]] in_bounds [true, false]
// CHECK:           %[[INSIDE:.*]] = tmm.crop %[[IN]][%c0_i32, %[[COL]]] to[%c1_i32, %[[COLUMNS]]] fill 0.000000e+00 : f32
// CHECK:           %[[NEW:.*]] = arith.addf %[[OLD]], %[[INSIDE]]
// CHECK:           scf.yield %[[NEW]]
// CHECK:         %[[SUM:.*]] = tmm.reduce <add> %[[SUMS]]
// CHECK:         %[[INVERSE:.*]] = arith.divf
// CHECK:         scf.for %[[COL:.*]] = %c0_i32 to %[[COLUMNS]] step %c4096_i32
// CHECK:           tmm.fetch %[[X]][%{{.*}}, %[[COL]]]
// CHECK:           tmm.broadcast %[[INVERSE]]
// CHECK:           tmm.store %{{.*}}, %[[O]][%{{.*}}, %[[COL]]] in_bounds [true, false]

// Of rows so long that registers decide it, two CTAs are resident: one reads while the other one reduces.
// CHECK-LABEL: gpu.func @long_rows(
// CHECK-SAME:    kernel attributes {known_block_size = array<i32: 512, 1, 1>, nvvm.minctasm = 2 : i32}
// CHECK-NOT:     scf.for
// CHECK:         %[[IN:.*]] = tmm.fetch {{.*}} -> vector<1x16384xbf16>
// The largest of 16 bits is that of their f32.
// CHECK:         %[[MAX:.*]] = tmm.reduce <maxnumf> %[[IN]] {{.*}} : vector<1x16384xbf16> -> vector<1x1xbf16>
// CHECK:         arith.extf %[[MAX]] : vector<1x1xbf16> to vector<1x1xf32>

// CHECK-LABEL: gpu.func @no_columns_rows(
// CHECK:         %[[INSIDE:.*]] = tmm.crop %{{.*}}[%c0_i32, %c0_i32] to[%c1_i32, %c0_i32] fill 0.000000e+00 : f32
// CHECK:         tmm.reduce <add> %[[INSIDE]]
