// RUN: tc-opt %s --mlir-print-local-scope --tmm-tile=chip=sm_90a --canonicalize --cse | FileCheck %s

#all = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>
#turned = affine_map<(r, c) -> (c, r)>

// What is compared, or rounded to an integer that may be another one, is divided; so is the least of it.
// CHECK-LABEL: gpu.func @floor_rows(
// CHECK:         arith.divf %{{.*}}, %{{.*}} : vector<{{.*}}x256xf32>
// CHECK:         math.floor
func.func @floor(%x: memref<64x256xf32>, %o: memref<64x256xf32>) {
  tmm.rows ins(%x : memref<64x256xf32>) outs(%o : memref<64x256xf32>) maps [#all, #all] {
  ^bb0(%e: f32):
    %max = tmm.row_reduce <maximumf> %e : f32
    %q = arith.divf %e, %max : f32
    %f = math.floor %q : f32
    tmm.yield %f : f32
  }
  return
}

// CHECK-LABEL: gpu.func @least_rows(
// CHECK:         arith.divf %{{.*}}, %{{.*}} : vector<{{.*}}x256xf32>
// CHECK:         tmm.reduce <minimumf>
func.func @least(%x: memref<64x256xf32>, %o: memref<64xf32>) {
  tmm.rows ins(%x : memref<64x256xf32>) outs(%o : memref<64xf32>) maps [#all, #row] {
  ^bb0(%e: f32):
    %max = tmm.row_reduce <maximumf> %e : f32
    %q = arith.divf %e, %max : f32
    %min = tmm.row_reduce <minimumf> %q : f32
    %f = math.floor %min : f32
    tmm.yield %f : f32
  }
  return
}

// CHECK-LABEL: gpu.func @compared_rows(
// CHECK:         arith.divf %{{.*}}, %{{.*}} : vector<{{.*}}x256xf32>
// CHECK:         arith.cmpf
func.func @compared(%x: memref<64x256xf32>, %o: memref<64x256xi1>) {
  tmm.rows ins(%x : memref<64x256xf32>) outs(%o : memref<64x256xi1>) maps [#all, #all] {
  ^bb0(%e: f32):
    %max = tmm.row_reduce <maximumf> %e : f32
    %q = arith.divf %e, %max : f32
    %one = arith.constant 1.0 : f32
    %c = arith.cmpf oeq, %q, %one : f32
    tmm.yield %c : i1
  }
  return
}

// Steps that each use the one before several times are walked once.
// CHECK-LABEL: gpu.func @steps_rows(
// CHECK-NOT:     arith.divf %{{.*}}, %{{.*}} : vector<{{.*}}x256xf32>
// CHECK:         tmm.store
func.func @steps(%x: memref<64x256xf32>, %o: memref<64x256xf32>) {
  tmm.rows ins(%x : memref<64x256xf32>) outs(%o : memref<64x256xf32>) maps [#all, #all] {
  ^bb0(%e: f32):
    %max = tmm.row_reduce <maximumf> %e : f32
    %0 = arith.divf %e, %max : f32
    %1 = math.fma %0, %0, %0 : f32
    %2 = math.fma %1, %1, %1 : f32
    %3 = math.fma %2, %2, %2 : f32
    %4 = math.fma %3, %3, %3 : f32
    %5 = math.fma %4, %4, %4 : f32
    %6 = math.fma %5, %5, %5 : f32
    %7 = math.fma %6, %6, %6 : f32
    %8 = math.fma %7, %7, %7 : f32
    %9 = math.fma %8, %8, %8 : f32
    %10 = math.fma %9, %9, %9 : f32
    %11 = math.fma %10, %10, %10 : f32
    %12 = math.fma %11, %11, %11 : f32
    %13 = math.fma %12, %12, %12 : f32
    %14 = math.fma %13, %13, %13 : f32
    tmm.yield %14 : f32
  }
  return
}

// One sum of columns has registers for four CTAs; two would spill.
// CHECK-LABEL: gpu.func @one_sum_rows(
// CHECK-SAME:    nvvm.minctasm = 4
func.func @one_sum(%x: memref<512x256xf32>, %o: memref<256xf32>) {
  tmm.rows ins(%x : memref<512x256xf32>) outs(%o : memref<256xf32>) maps [#turned, #row] {
  ^bb0(%e: f32):
    %sum = tmm.row_reduce <add> %e : f32
    tmm.yield %sum : f32
  }
  return
}

// CHECK-LABEL: gpu.func @two_sums_rows(
// CHECK-NOT:     nvvm.minctasm
// CHECK:         tmm.fetch {{.*}} nontemporal
func.func @two_sums(%x: memref<512x256xf32>, %y: memref<512x256xf32>, %o: memref<256xf32>, %p: memref<256xf32>) {
  tmm.rows ins(%x, %y : memref<512x256xf32>, memref<512x256xf32>) outs(%o, %p : memref<256xf32>, memref<256xf32>)
      maps [#turned, #turned, #row, #row] {
  ^bb0(%e: f32, %f: f32):
    %s = tmm.row_reduce <add> %e : f32
    %t = tmm.row_reduce <add> %f : f32
    tmm.yield %s, %t : f32, f32
  }
  return
}

// Tiles of 8 bytes beside those of 2 are turned through 48 KiB.
// CHECK-LABEL: gpu.func @mixed_rows(
// CHECK:         #tmm.thread_rows<threads = 8, chunk = 4, rows = 1>
func.func @mixed(%x: memref<512x256xi16>, %y: memref<512x256xi64>, %o: memref<256xi64>) {
  tmm.rows ins(%x, %y : memref<512x256xi16>, memref<512x256xi64>) outs(%o : memref<256xi64>)
      maps [#turned, #turned, #row] {
  ^bb0(%e: i16, %f: i64):
    %w = arith.extsi %e : i16 to i64
    %t = arith.addi %w, %f : i64
    %s = tmm.row_reduce <add> %t : i64
    tmm.yield %s : i64
  }
  return
}

// A number of columns without an operand is no tile that could be turned.
// CHECK-LABEL: gpu.func @places_rows(
// CHECK-NOT:     tmm.transpose
// CHECK:         tmm.reduce <add>
func.func @places(%x: memref<8x?xi32>, %o: memref<8xi32>, %p: memref<8x?xi32>) {
  tmm.rows ins(%x : memref<8x?xi32>) outs(%o, %p : memref<8xi32>, memref<8x?xi32>) maps [#all, #row, #all] {
  ^bb0(%e: i32):
    %at = tmm.row_index 1
    %i = arith.index_cast %at : index to i32
    %s = tmm.row_reduce <add> %i : i32
    %t = arith.addi %e, %s : i32
    tmm.yield %s, %t : i32, i32
  }
  return
}
