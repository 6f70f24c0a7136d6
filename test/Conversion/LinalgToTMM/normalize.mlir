// RUN: tc-opt --convert-linalg-to-tmm %s | FileCheck %s

// Contractions with other dimensions than M, N and K in order: views where the
// elements of memrefs can stay where they are, copies and transpositions where not.

// CHECK-LABEL: @matvec
// CHECK-SAME: %[[A:.*]]: memref<8x16xbf16>, %[[X:.*]]: memref<16xbf16>, %[[D:.*]]: memref<8xf32>
// CHECK: %[[ROW:.*]] = memref.expand_shape %[[X]] {{\[}}[0, 1]] output_shape [1, 16]
// CHECK: %[[OUT:.*]] = memref.expand_shape %[[D]] {{\[}}[0, 1]] output_shape [1, 8]
// CHECK: tmm.matmul accumulate transpose_b ins(%[[ROW]], %[[A]] : {{.*}}) outs(%[[OUT]] : memref<1x8xf32>)
func.func @matvec(%a: memref<8x16xbf16>, %x: memref<16xbf16>, %d: memref<8xf32>) {
  linalg.matvec ins(%a, %x : memref<8x16xbf16>, memref<16xbf16>) outs(%d : memref<8xf32>)
  return
}

// CHECK-LABEL: @batch_vecmat
// CHECK: tensor.expand_shape %{{.*}} {{\[}}[0], [1, 2]] output_shape [3, 1, 16] : tensor<3x16xbf16> into tensor<3x1x16xbf16>
// CHECK: tmm.matmul ins({{.*}} : tensor<3x1x16xbf16>, tensor<3x16x24xbf16>) outs({{.*}} : tensor<3x1x24xf32>)
// CHECK: tensor.collapse_shape %{{.*}} {{\[}}[0], [1, 2]] : tensor<3x1x24xf32> into tensor<3x24xf32>
func.func @batch_vecmat(%x: tensor<3x16xbf16>, %b: tensor<3x16x24xbf16>) -> tensor<3x24xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x24xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x24xf32>) -> tensor<3x24xf32>
  %r = linalg.batch_vecmat ins(%x, %b : tensor<3x16xbf16>, tensor<3x16x24xbf16>) outs(%f : tensor<3x24xf32>) -> tensor<3x24xf32>
  return %r : tensor<3x24xf32>
}

// CHECK-LABEL: @dot
// CHECK: memref.expand_shape %{{.*}} [] output_shape [1, 1] : memref<f32> into memref<1x1xf32>
// CHECK: tmm.matmul accumulate transpose_b ins({{.*}} : memref<1x16xbf16>, memref<1x16xbf16>) outs({{.*}} : memref<1x1xf32>)
func.func @dot(%x: memref<16xbf16>, %y: memref<16xbf16>, %d: memref<f32>) {
  linalg.dot ins(%x, %y : memref<16xbf16>, memref<16xbf16>) outs(%d : memref<f32>)
  return
}

// Sums of products of each row for itself are no matrix product.

// CHECK-LABEL: @row_sums
// CHECK: linalg.generic
func.func @row_sums(%x: memref<8x16xf32>, %d: memref<8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
    ins(%x, %x : memref<8x16xf32>, memref<8x16xf32>) outs(%d : memref<8xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// CHECK-LABEL: @batch_inside
// CHECK: %[[A:.*]] = memref.transpose %{{.*}} (d0, d1, d2) -> (d1, d0, d2) : memref<8x2x16xbf16> to memref<2x8x16xbf16, strided<[16, 32, 1]>>
// CHECK: tmm.matmul accumulate ins(%[[A]], %{{.*}}) outs(%{{.*}} : memref<2x8x24xf32>)
func.func @batch_inside(%a: memref<8x2x16xbf16>, %b: memref<2x16x24xbf16>, %d: memref<2x8x24xf32>) {
  linalg.contract indexing_maps = [affine_map<(b, m, n, k) -> (m, b, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>]
    ins(%a, %b : memref<8x2x16xbf16>, memref<2x16x24xbf16>) outs(%d : memref<2x8x24xf32>)
  return
}

// Nothing has its elements adjacent along M or N: D is written elsewhere and copied.

// CHECK-LABEL: @batch_last
// CHECK: %[[D:.*]] = memref.transpose %{{.*}} (d0, d1, d2) -> (d2, d0, d1)
// CHECK: %[[TO:.*]] = memref.alloc() : memref<2x8x24xf32>
// CHECK: memref.copy %[[D]], %[[TO]]
// CHECK: tmm.matmul accumulate ins(%{{.*}}) outs(%[[TO]] : memref<2x8x24xf32>)
// CHECK: memref.copy %[[TO]], %[[D]]
func.func @batch_last(%a: memref<2x8x16xbf16>, %b: memref<2x16x24xbf16>, %d: memref<8x24x2xf32>) {
  linalg.contract indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (m, n, b)>]
    ins(%a, %b : memref<2x8x16xbf16>, memref<2x16x24xbf16>) outs(%d : memref<8x24x2xf32>)
  return
}

// CHECK-LABEL: @four_batch_dimensions
// CHECK-COUNT-3: memref.collapse_shape %{{.*}} {{\[}}[0, 1, 2, 3], [4], [5]]
// CHECK: tmm.matmul accumulate ins(%{{.*}} : memref<24x8x16xbf16>, memref<24x16x24xbf16>) outs(%{{.*}} : memref<24x8x24xf32>)
func.func @four_batch_dimensions(%a: memref<2x3x2x2x8x16xbf16>, %b: memref<2x3x2x2x16x24xbf16>, %d: memref<2x3x2x2x8x24xf32>) {
  linalg.contract indexing_maps = [affine_map<(a, b, c, d, m, n, k) -> (a, b, c, d, m, k)>, affine_map<(a, b, c, d, m, n, k) -> (a, b, c, d, k, n)>, affine_map<(a, b, c, d, m, n, k) -> (a, b, c, d, m, n)>]
    ins(%a, %b : memref<2x3x2x2x8x16xbf16>, memref<2x3x2x2x16x24xbf16>) outs(%d : memref<2x3x2x2x8x24xf32>)
  return
}

// CHECK-LABEL: @two_reductions
// CHECK: memref.collapse_shape %{{.*}} {{\[}}[0], [1, 2]] : memref<8x4x16xbf16> into memref<8x64xbf16>
// CHECK: memref.collapse_shape %{{.*}} {{\[}}[0, 1], [2]] : memref<4x16x24xbf16> into memref<64x24xbf16>
// CHECK: tmm.matmul accumulate
func.func @two_reductions(%a: memref<8x4x16xbf16>, %b: memref<4x16x24xbf16>, %d: memref<8x24xf32>) {
  linalg.contract indexing_maps = [affine_map<(m, n, j, k) -> (m, j, k)>, affine_map<(m, n, j, k) -> (j, k, n)>, affine_map<(m, n, j, k) -> (m, n)>]
    ins(%a, %b : memref<8x4x16xbf16>, memref<4x16x24xbf16>) outs(%d : memref<8x24xf32>)
  return
}

// CHECK-LABEL: @batch_reduce
// CHECK: linalg.transpose ins(%{{.*}} : tensor<?x8x16xbf16>) {{.*}} permutation = [1, 0, 2]
// CHECK: tensor.collapse_shape %{{.*}} {{\[}}[0], [1, 2]] : tensor<8x?x16xbf16> into tensor<8x?xbf16>
// CHECK: tensor.collapse_shape %{{.*}} {{\[}}[0, 1], [2]] : tensor<?x16x24xbf16> into tensor<?x24xbf16>
// CHECK: tmm.matmul accumulate
func.func @batch_reduce(%a: tensor<?x8x16xbf16>, %b: tensor<?x16x24xbf16>, %d: tensor<8x24xf32>) -> tensor<8x24xf32> {
  %r = linalg.batch_reduce_matmul ins(%a, %b : tensor<?x8x16xbf16>, tensor<?x16x24xbf16>) outs(%d : tensor<8x24xf32>) -> tensor<8x24xf32>
  return %r : tensor<8x24xf32>
}

// CHECK-LABEL: @column_major
// CHECK: %[[A:.*]] = memref.transpose %{{.*}} (d0, d1) -> (d1, d0) : memref<8x16xbf16, strided<[1, 8]>> to memref<16x8xbf16, strided<[8, 1]>>
// CHECK: tmm.matmul accumulate transpose_a ins(%[[A]], %{{.*}})
func.func @column_major(%a: memref<8x16xbf16, strided<[1, 8]>>, %b: memref<16x24xbf16>, %d: memref<8x24xf32>) {
  linalg.matmul ins(%a, %b : memref<8x16xbf16, strided<[1, 8]>>, memref<16x24xbf16>) outs(%d : memref<8x24xf32>)
  return
}

// CHECK-LABEL: @every_other
// CHECK: %[[A:.*]] = memref.alloc() : memref<8x16xbf16>
// CHECK: memref.copy %{{.*}}, %[[A]]
// CHECK: tmm.matmul accumulate ins(%[[A]], %{{.*}})
func.func @every_other(%a: memref<8x16xbf16, strided<[32, 2]>>, %b: memref<16x24xbf16>, %d: memref<8x24xf32>) {
  linalg.matmul ins(%a, %b : memref<8x16xbf16, strided<[32, 2]>>, memref<16x24xbf16>) outs(%d : memref<8x24xf32>)
  return
}

// Widened floats are multiplied as they were.

// CHECK-LABEL: @widened
// CHECK: tmm.matmul ins(%{{.*}}, %{{.*}} : tensor<8x16xbf16>, tensor<16x24xbf16>)
func.func @widened(%a: tensor<8x16xbf16>, %b: tensor<16x24xbf16>) -> tensor<8x24xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x16xf32>
  %wide = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%a : tensor<8x16xbf16>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%x: bf16, %out: f32):
    %0 = arith.extf %x : bf16 to f32
    linalg.yield %0 : f32
  } -> tensor<8x16xf32>
  %e1 = tensor.empty() : tensor<8x24xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8x24xf32>) -> tensor<8x24xf32>
  %r = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%wide, %b : tensor<8x16xf32>, tensor<16x24xbf16>) outs(%f : tensor<8x24xf32>) -> tensor<8x24xf32>
  return %r : tensor<8x24xf32>
}
