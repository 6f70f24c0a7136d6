// RUN: tc-opt %s --convert-linalg-to-tmm --split-input-file | FileCheck %s

// Batch dimensions are those of the output before M and N; the operands
// are matched with them as in numpy.matmul.

// CHECK-LABEL: func.func @named(
// CHECK: tmm.matmul ins(%{{.*}}, %{{.*}} : memref<3x200x72xbf16>, memref<3x72x136xbf16>) outs(%{{.*}} : memref<3x200x136xf32>)
func.func @named(%a: memref<3x200x72xbf16>, %b: memref<3x72x136xbf16>, %d: memref<3x200x136xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<3x200x136xf32>)
  linalg.batch_matmul ins(%a, %b : memref<3x200x72xbf16>, memref<3x72x136xbf16>) outs(%d : memref<3x200x136xf32>)
  return
}

// CHECK-LABEL: func.func @transposed(
// CHECK: tmm.matmul accumulate transpose_a transpose_b ins(
func.func @transposed(%a: memref<?x?x?xf16>, %b: memref<?x?x?xf16>, %d: memref<?x?x?xf16>) {
  linalg.batch_matmul indexing_maps = [affine_map<(b, m, n, k) -> (b, k, m)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>]
    ins(%a, %b : memref<?x?x?xf16>, memref<?x?x?xf16>) outs(%d : memref<?x?x?xf16>)
  return
}

// Weights that every problem uses have no batch dimension.
// CHECK-LABEL: func.func @shared(
// CHECK: tmm.matmul accumulate ins(%{{.*}}, %{{.*}} : memref<3x200x72xbf16>, memref<72x136xbf16>) outs(
func.func @shared(%a: memref<3x200x72xbf16>, %b: memref<72x136xbf16>, %d: memref<3x200x136xf32>) {
  linalg.contract indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>]
    ins(%a, %b : memref<3x200x72xbf16>, memref<72x136xbf16>) outs(%d : memref<3x200x136xf32>)
  return
}

// One that is missing after another becomes a dimension of size 1.
// CHECK-LABEL: func.func @groups(
// CHECK: %[[B:.*]] = memref.expand_shape %{{.*}} {{\[\[}}0], [1, 2], [3], [4]] output_shape [2, 3, 1, 136, 64]
// CHECK: tmm.matmul accumulate transpose_b ins(%{{.*}}, %[[B]] : memref<2x3x4x72x64xbf16>, memref<2x3x1x136x64xbf16>)
func.func @groups(%q: memref<2x3x4x72x64xbf16>, %k: memref<2x3x136x64xbf16>, %d: memref<2x3x4x72x136xf32>) {
  linalg.contract indexing_maps = [affine_map<(b, h, g, m, n, k) -> (b, h, g, m, k)>, affine_map<(b, h, g, m, n, k) -> (b, h, n, k)>, affine_map<(b, h, g, m, n, k) -> (b, h, g, m, n)>]
    ins(%q, %k : memref<2x3x4x72x64xbf16>, memref<2x3x136x64xbf16>) outs(%d : memref<2x3x4x72x136xf32>)
  return
}

// -----

// What only moves elements need not be made: a broadcast of the weights, a
// transposition, and both.

// CHECK-LABEL: func.func @broadcast_weights(
// CHECK-SAME: %[[X:.*]]: tensor<3x200x72xbf16>, %[[W:.*]]: tensor<136x72xbf16>
// CHECK: tmm.matmul transpose_b ins(%[[X]], %[[W]] : tensor<3x200x72xbf16>, tensor<136x72xbf16>)
func.func @broadcast_weights(%x: tensor<3x200x72xbf16>, %w: tensor<136x72xbf16>) -> tensor<3x200x136xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<72x136xbf16>
  %t = linalg.transpose ins(%w : tensor<136x72xbf16>) outs(%e0 : tensor<72x136xbf16>) permutation = [1, 0]
  %e1 = tensor.empty() : tensor<3x72x136xbf16>
  %b = linalg.broadcast ins(%t : tensor<72x136xbf16>) outs(%e1 : tensor<3x72x136xbf16>) dimensions = [0]
  %e = tensor.empty() : tensor<3x200x136xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x200x136xf32>) -> tensor<3x200x136xf32>
  %r = linalg.batch_matmul ins(%x, %b : tensor<3x200x72xbf16>, tensor<3x72x136xbf16>) outs(%f : tensor<3x200x136xf32>) -> tensor<3x200x136xf32>
  return %r : tensor<3x200x136xf32>
}

// The transposition that makes a batch dimension the first one cannot be left out.
// CHECK-LABEL: func.func @heads_in_front(
// CHECK: %[[T:.*]] = linalg.transpose
// CHECK: tmm.matmul ins(%[[T]],
func.func @heads_in_front(%x: tensor<200x3x72xbf16>, %w: tensor<3x72x136xbf16>) -> tensor<3x200x136xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<3x200x72xbf16>
  %t = linalg.transpose ins(%x : tensor<200x3x72xbf16>) outs(%e0 : tensor<3x200x72xbf16>) permutation = [1, 0, 2]
  %e = tensor.empty() : tensor<3x200x136xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x200x136xf32>) -> tensor<3x200x136xf32>
  %r = linalg.batch_matmul ins(%t, %w : tensor<3x200x72xbf16>, tensor<3x72x136xbf16>) outs(%f : tensor<3x200x136xf32>) -> tensor<3x200x136xf32>
  return %r : tensor<3x200x136xf32>
}

// -----

// Operands of an epilogue: a bias for all, a row for each problem stored with a
// dimension of size 1, and a mask that the heads share.

// CHECK-LABEL: func.func @epilogue(
// CHECK-SAME: %[[Q:.*]]: tensor<2x3x200x72xbf16>, %[[K:.*]]: tensor<2x3x72x136xbf16>, %[[BIAS:.*]]: tensor<136xf32>, %[[ROW:.*]]: tensor<2x3x1x136xf32>, %[[MASK:.*]]: tensor<2x200x136xbf16>
// CHECK-DAG: %[[ROWS:.*]] = tensor.collapse_shape %[[ROW]] {{\[\[}}0], [1, 2], [3]] : tensor<2x3x1x136xf32> into tensor<2x3x136xf32>
// CHECK-DAG: %[[MASKS:.*]] = tensor.expand_shape %[[MASK]] {{\[\[}}0, 1], [2], [3]] output_shape [2, 1, 200, 136]
// CHECK: tmm.matmul ins(%[[Q]], %[[K]]
// CHECK-SAME: epilogue(%{{.*}}, %{{.*}} = %[[BIAS]] along n : tensor<136xf32>, %{{.*}} = %[[ROWS]] along n : tensor<2x3x136xf32>, %{{.*}} = %[[MASKS]] : tensor<2x1x200x136xbf16>)
func.func @epilogue(%q: tensor<2x3x200x72xbf16>, %k: tensor<2x3x72x136xbf16>, %bias: tensor<136xf32>, %row: tensor<2x3x1x136xf32>, %mask: tensor<2x200x136xbf16>) -> tensor<2x3x200x136xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x3x200x136xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x3x200x136xf32>) -> tensor<2x3x200x136xf32>
  %p = linalg.contract indexing_maps = [affine_map<(b, h, m, n, k) -> (b, h, m, k)>, affine_map<(b, h, m, n, k) -> (b, h, k, n)>, affine_map<(b, h, m, n, k) -> (b, h, m, n)>]
    ins(%q, %k : tensor<2x3x200x72xbf16>, tensor<2x3x72x136xbf16>) outs(%f : tensor<2x3x200x136xf32>) -> tensor<2x3x200x136xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(b, h, m, n) -> (b, h, m, n)>, affine_map<(b, h, m, n) -> (n)>, affine_map<(b, h, m, n) -> (b, h, 0, n)>, affine_map<(b, h, m, n) -> (b, m, n)>, affine_map<(b, h, m, n) -> (b, h, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%p, %bias, %row, %mask : tensor<2x3x200x136xf32>, tensor<136xf32>, tensor<2x3x1x136xf32>, tensor<2x200x136xbf16>) outs(%e : tensor<2x3x200x136xf32>) {
  ^bb0(%x: f32, %c: f32, %y: f32, %s: bf16, %o: f32):
    %0 = arith.addf %x, %c : f32
    %1 = arith.addf %0, %y : f32
    %2 = arith.extf %s : bf16 to f32
    %3 = arith.addf %1, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<2x3x200x136xf32>
  return %r : tensor<2x3x200x136xf32>
}
