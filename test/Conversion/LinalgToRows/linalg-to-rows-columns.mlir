// RUN: tc-opt %s --mlir-print-local-scope --tc-decompose-aggregates --convert-linalg-to-rows | FileCheck %s

// The reduced dimension is the column, and comes first in memory.
// CHECK-LABEL: func.func @column_sums(
// CHECK:         tmm.rows ins(%{{.*}} : tensor<8x64xf32>) outs(%{{.*}} : tensor<64xf32>)
// CHECK-SAME:      maps [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>] {
// CHECK:           tmm.row_reduce <add>
func.func @column_sums(%x: tensor<8x64xf32>) -> tensor<64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %sum = linalg.reduce ins(%x : tensor<8x64xf32>) outs(%start : tensor<64xf32>) dimensions = [0]
    (%in: f32, %acc: f32) {
      %0 = arith.addf %in, %acc : f32
      linalg.yield %0 : f32
    }
  return %sum : tensor<64xf32>
}

// Without a reduction, too.
// CHECK-LABEL: func.func @transpose(
// CHECK:         tmm.rows ins(%{{.*}} : tensor<?x64xbf16>) outs(%{{.*}} : tensor<64x?xbf16>)
// CHECK-SAME:      maps [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>] {
// CHECK-NEXT:    ^bb0(%[[IN:.*]]: bf16):
// CHECK-NEXT:      tmm.yield %[[IN]] : bf16
func.func @transpose(%x: tensor<?x64xbf16>, %n: index) -> tensor<64x?xbf16> {
  %e = tensor.empty(%n) : tensor<64x?xbf16>
  %y = linalg.transpose ins(%x : tensor<?x64xbf16>) outs(%e : tensor<64x?xbf16>) permutation = [1, 0]
  return %y : tensor<64x?xbf16>
}

// Where rows stay rows, threads of an elementwise operation read and write along memory.
// CHECK-LABEL: func.func @batches(
// CHECK-NOT:     tmm.rows
// CHECK:         linalg.generic
func.func @batches(%x: tensor<4x8x64xbf16>) -> tensor<8x4x64xbf16> {
  %e = tensor.empty() : tensor<8x4x64xbf16>
  %y = linalg.transpose ins(%x : tensor<4x8x64xbf16>) outs(%e : tensor<8x4x64xbf16>) permutation = [1, 0, 2]
  return %y : tensor<8x4x64xbf16>
}

// What is transposed joins a reduction.
// CHECK-LABEL: func.func @transposed_softmax(
// CHECK-NOT:     linalg.
// CHECK:         tmm.rows ins(%{{.*}} : tensor<8x64xf32>) outs(%{{.*}} : tensor<64x8xf32>)
// CHECK-SAME:      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>] {
// CHECK:           tmm.row_reduce <maxnumf>
// CHECK:           tmm.row_reduce <add>
// CHECK-NOT:     linalg.
func.func @transposed_softmax(%x: tensor<8x64xf32>) -> tensor<64x8xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %f = tensor.empty() : tensor<64x8xf32>
  %z = linalg.transpose ins(%y : tensor<8x64xf32>) outs(%f : tensor<64x8xf32>) permutation = [1, 0]
  return %z : tensor<64x8xf32>
}

// Few and long rows are reduced in parts, then the parts.
// CHECK-LABEL: func.func @long(
// CHECK-SAME:    %[[X:.*]]: tensor<4x1048576xf32>)
// CHECK:         %[[PARTS:.*]] = tensor.expand_shape %[[X]] {{\[\[}}0], [1, 2]] output_shape [4, 128, 8192]
// CHECK:         %[[SUMS:.*]] = tmm.rows ins(%[[PARTS]] : tensor<4x128x8192xf32>) outs(%{{.*}} : tensor<128x4xf32>)
// CHECK-SAME:      maps [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d1, d0)>] {
// CHECK:         tmm.rows ins(%[[SUMS]] : tensor<128x4xf32>) outs(%{{.*}} : tensor<4xf32>)
// CHECK-SAME:      maps [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>] {
func.func @long(%x: tensor<4x1048576xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.reduce ins(%x : tensor<4x1048576xf32>) outs(%start : tensor<4xf32>) dimensions = [1]
    (%in: f32, %acc: f32) {
      %0 = arith.addf %in, %acc : f32
      linalg.yield %0 : f32
    }
  return %sum : tensor<4xf32>
}

// CHECK-LABEL: func.func @long_columns(
// CHECK:         %[[SUMS:.*]] = tmm.rows ins(%{{.*}} : tensor<128x128x256xf32>) outs(%{{.*}} : tensor<128x256xf32>)
// CHECK-SAME:      maps [affine_map<(d0, d1, d2) -> (d0, d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>] {
// CHECK:         tmm.rows ins(%[[SUMS]] : tensor<128x256xf32>) outs(%{{.*}} : tensor<256xf32>)
func.func @long_columns(%x: tensor<16384x256xf32>) -> tensor<256xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<256xf32>) -> tensor<256xf32>
  %sum = linalg.reduce ins(%x : tensor<16384x256xf32>) outs(%start : tensor<256xf32>) dimensions = [0]
    (%in: f32, %acc: f32) {
      %0 = arith.addf %in, %acc : f32
      linalg.yield %0 : f32
    }
  return %sum : tensor<256xf32>
}

// A CTA for each of many rows is enough.
// CHECK-LABEL: func.func @many_rows(
// CHECK-NOT:     tensor.expand_shape
// CHECK:         tmm.rows ins(%{{.*}} : tensor<512x131072xf32>)
// CHECK-NOT:     tmm.rows
func.func @many_rows(%x: tensor<512x131072xf32>) -> tensor<512xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<512xf32>) -> tensor<512xf32>
  %sum = linalg.reduce ins(%x : tensor<512x131072xf32>) outs(%start : tensor<512xf32>) dimensions = [1]
    (%in: f32, %acc: f32) {
      %0 = arith.addf %in, %acc : f32
      linalg.yield %0 : f32
    }
  return %sum : tensor<512xf32>
}

// Parts have the type of the output: small ones would be rounded twice.
// CHECK-LABEL: func.func @small_type(
// CHECK-NOT:     tensor.expand_shape
// CHECK:         tmm.rows ins(%{{.*}}, %{{.*}} : tensor<4x1048576xbf16>, tensor<4xbf16>) outs(%{{.*}} : tensor<4xbf16>)
// CHECK-NOT:     tmm.rows
func.func @small_type(%x: tensor<4x1048576xbf16>, %old: tensor<4xbf16>) -> tensor<4xbf16> {
  %sum = linalg.reduce ins(%x : tensor<4x1048576xbf16>) outs(%old : tensor<4xbf16>) dimensions = [1]
    (%in: bf16, %acc: bf16) {
      %0 = arith.addf %in, %acc : bf16
      linalg.yield %0 : bf16
    }
  return %sum : tensor<4xbf16>
}
