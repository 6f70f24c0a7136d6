// RUN: tc-opt %s --convert-linalg-to-rows | FileCheck %s --implicit-check-not=tmm.

#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// Two reduction loops.
// CHECK-LABEL: func.func @two_loops(
func.func @two_loops(%x: tensor<8x64xf32>, %s: tensor<f32>) -> tensor<f32> {
  %sum = linalg.reduce ins(%x : tensor<8x64xf32>) outs(%s : tensor<f32>) dimensions = [0, 1]
    (%in: f32, %acc: f32) {
      %0 = arith.addf %in, %acc : f32
      linalg.yield %0 : f32
    }
  return %sum : tensor<f32>
}

// What is added depends on the sum.
// CHECK-LABEL: func.func @no_kind(
func.func @no_kind(%x: tensor<8x64xf32>, %s: tensor<8xf32>) -> tensor<8xf32> {
  %sum = linalg.reduce ins(%x : tensor<8x64xf32>) outs(%s : tensor<8xf32>) dimensions = [1]
    (%in: f32, %acc: f32) {
      %0 = arith.mulf %acc, %acc : f32
      %1 = arith.addf %in, %0 : f32
      linalg.yield %1 : f32
    }
  return %sum : tensor<8xf32>
}

// No reduction has differences.
// CHECK-LABEL: func.func @no_difference(
func.func @no_difference(%x: tensor<8x64xf32>, %s: tensor<8xf32>) -> tensor<8xf32> {
  %sum = linalg.reduce ins(%x : tensor<8x64xf32>) outs(%s : tensor<8xf32>) dimensions = [1]
    (%in: f32, %acc: f32) {
      %0 = arith.subf %acc, %in : f32
      linalg.yield %0 : f32
    }
  return %sum : tensor<8xf32>
}

// Nothing but an elementwise operation along memory.
// CHECK-LABEL: func.func @elementwise(
// CHECK:         linalg.generic
func.func @elementwise(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %y = linalg.exp ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}

// A window along the columns.
// CHECK-LABEL: func.func @window(
func.func @window(%x: tensor<8x66xf32>, %w: tensor<3xf32>, %s: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %sum = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1 + d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<8x66xf32>, tensor<3xf32>) outs(%s : tensor<8x64xf32>) {
  ^bb0(%in: f32, %v: f32, %acc: f32):
    %0 = arith.maximumf %in, %acc : f32
    linalg.yield %0 : f32
  } -> tensor<8x64xf32>
  return %sum : tensor<8x64xf32>
}

// CHECK-LABEL: func.func @memrefs(
func.func @memrefs(%x: memref<8x64xf32>, %s: memref<8xf32>) {
  linalg.reduce ins(%x : memref<8x64xf32>) outs(%s : memref<8xf32>) dimensions = [1]
    (%in: f32, %acc: f32) {
      %0 = arith.addf %in, %acc : f32
      linalg.yield %0 : f32
    }
  return
}

// No thread moves integers of 128 bits at once.
// CHECK-LABEL: func.func @types(
func.func @types(%x: tensor<8x64xi128>, %s: tensor<8xi128>) -> tensor<8xi128> {
  %sum = linalg.reduce ins(%x : tensor<8x64xi128>) outs(%s : tensor<8xi128>) dimensions = [1]
    (%in: i128, %acc: i128) {
      %0 = arith.addi %in, %acc : i128
      linalg.yield %0 : i128
    }
  return %sum : tensor<8xi128>
}

// The last of the largest.
// CHECK-LABEL: func.func @last(
func.func @last(%x: tensor<8x64xf32>) -> tensor<8xi64> {
  %zero = arith.constant 0 : i64
  %least = arith.constant 0xFF800000 : f32
  %values = tensor.empty() : tensor<8xf32>
  %v = linalg.fill ins(%least : f32) outs(%values : tensor<8xf32>) -> tensor<8xf32>
  %places = tensor.empty() : tensor<8xi64>
  %p = linalg.fill ins(%zero : i64) outs(%places : tensor<8xi64>) -> tensor<8xi64>
  %r:2 = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x64xf32>) outs(%v, %p : tensor<8xf32>, tensor<8xi64>) {
  ^bb0(%in: f32, %old: f32, %at: i64):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i64
    %m = arith.maximumf %in, %old : f32
    %g = arith.cmpf oge, %in, %old : f32
    %s = arith.select %g, %j, %at : i64
    linalg.yield %m, %s : f32, i64
  } -> (tensor<8xf32>, tensor<8xi64>)
  return %r#1 : tensor<8xi64>
}

// What it starts from may be NaN.
// CHECK-LABEL: func.func @unknown_start(
func.func @unknown_start(%x: tensor<8x64xf32>, %v: tensor<8xf32>, %p: tensor<8xi64>) -> tensor<8xi64> {
  %r:2 = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x64xf32>) outs(%v, %p : tensor<8xf32>, tensor<8xi64>) {
  ^bb0(%in: f32, %old: f32, %at: i64):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i64
    %m = arith.maximumf %in, %old : f32
    %g = arith.cmpf ogt, %in, %old : f32
    %s = arith.select %g, %j, %at : i64
    linalg.yield %m, %s : f32, i64
  } -> (tensor<8xf32>, tensor<8xi64>)
  return %r#1 : tensor<8xi64>
}

// The number of the row, not of the column.
// CHECK-LABEL: func.func @other_index(
func.func @other_index(%x: tensor<8x64xf32>) -> tensor<8xi64> {
  %zero = arith.constant 0 : i64
  %least = arith.constant 0xFF800000 : f32
  %values = tensor.empty() : tensor<8xf32>
  %v = linalg.fill ins(%least : f32) outs(%values : tensor<8xf32>) -> tensor<8xf32>
  %places = tensor.empty() : tensor<8xi64>
  %p = linalg.fill ins(%zero : i64) outs(%places : tensor<8xi64>) -> tensor<8xi64>
  %r:2 = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x64xf32>) outs(%v, %p : tensor<8xf32>, tensor<8xi64>) {
  ^bb0(%in: f32, %old: f32, %at: i64):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i64
    %m = arith.maximumf %in, %old : f32
    %g = arith.cmpf ogt, %in, %old : f32
    %s = arith.select %g, %j, %at : i64
    linalg.yield %m, %s : f32, i64
  } -> (tensor<8xf32>, tensor<8xi64>)
  return %r#1 : tensor<8xi64>
}
