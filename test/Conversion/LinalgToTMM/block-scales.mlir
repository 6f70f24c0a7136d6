// RUN: tc-opt %s -convert-linalg-to-tmm -split-input-file | FileCheck %s

#elements = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)>
#factors = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d3, d2, d1, d4)>
#all = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]

// CHECK-LABEL: func @nvfp4
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<128x256xf4E2M1FN>, %[[SA:[a-z0-9]+]]: tensor<{{.*}}>, %[[B:[a-z0-9]+]]: tensor<256x256xf4E2M1FN>, %[[SB:[a-z0-9]+]]: tensor
// CHECK: tmm.matmul accumulate transpose_b ins(%[[A]], %[[B]] : tensor<128x256xf4E2M1FN>, tensor<256x256xf4E2M1FN>)
// CHECK-SAME: scales(%[[SA]], %[[SB]] : tensor<1x4x32x4x4xf8E4M3FN>, tensor<2x4x32x4x4xf8E4M3FN>) scale_block = 16
func.func @nvfp4(%a: tensor<128x256xf4E2M1FN>, %sa: tensor<1x4x32x4x4xf8E4M3FN>, %b: tensor<256x256xf4E2M1FN>, %sb: tensor<2x4x32x4x4xf8E4M3FN>,
    %d: tensor<128x256xf32>) -> tensor<128x256xf32> {
  %a_x = tensor.expand_shape %a [[0, 1, 2], [3, 4, 5]] output_shape [1, 4, 32, 4, 4, 16] : tensor<128x256xf4E2M1FN> into tensor<1x4x32x4x4x16xf4E2M1FN>
  %a_e = tensor.empty() : tensor<1x4x32x4x4x16xf32>
  %a_p = linalg.generic {indexing_maps = [#elements, #factors, #elements], iterator_types = #all}
      ins(%a_x, %sa : tensor<1x4x32x4x4x16xf4E2M1FN>, tensor<1x4x32x4x4xf8E4M3FN>) outs(%a_e : tensor<1x4x32x4x4x16xf32>) {
  ^bb0(%element: f4E2M1FN, %factor: f8E4M3FN, %out: f32):
    %0 = arith.extf %element : f4E2M1FN to f32
    %1 = arith.extf %factor : f8E4M3FN to f32
    %2 = arith.mulf %0, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<1x4x32x4x4x16xf32>
  %a_f = tensor.collapse_shape %a_p [[0, 1, 2], [3, 4, 5]] : tensor<1x4x32x4x4x16xf32> into tensor<128x256xf32>
  %b_x = tensor.expand_shape %b [[0, 1, 2], [3, 4, 5]] output_shape [2, 4, 32, 4, 4, 16] : tensor<256x256xf4E2M1FN> into tensor<2x4x32x4x4x16xf4E2M1FN>
  %b_e = tensor.empty() : tensor<2x4x32x4x4x16xf32>
  %b_p = linalg.generic {indexing_maps = [#elements, #factors, #elements], iterator_types = #all}
      ins(%b_x, %sb : tensor<2x4x32x4x4x16xf4E2M1FN>, tensor<2x4x32x4x4xf8E4M3FN>) outs(%b_e : tensor<2x4x32x4x4x16xf32>) {
  ^bb0(%element: f4E2M1FN, %factor: f8E4M3FN, %out: f32):
    %0 = arith.extf %element : f4E2M1FN to f32
    %1 = arith.extf %factor : f8E4M3FN to f32
    %2 = arith.mulf %0, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<2x4x32x4x4x16xf32>
  %b_f = tensor.collapse_shape %b_p [[0, 1, 2], [3, 4, 5]] : tensor<2x4x32x4x4x16xf32> into tensor<256x256xf32>
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a_f, %b_f : tensor<128x256xf32>, tensor<256x256xf32>) outs(%d : tensor<128x256xf32>) -> tensor<128x256xf32>
  return %0 : tensor<128x256xf32>
}

// -----

#elements = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)>
#factors = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d3, d2, d1, d4)>
#all = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]

// CHECK-LABEL: func @mixed
// CHECK: tmm.matmul accumulate transpose_b ins(%{{.*}} : tensor<128x256xf8E4M3FN>, tensor<256x256xf8E5M2>)
// CHECK-SAME: scales(%{{.*}} : tensor<1x2x32x4x4xf8E8M0FNU>, tensor<2x2x32x4x4xf8E8M0FNU>) scale_block = 32
func.func @mixed(%a: tensor<128x256xf8E4M3FN>, %sa: tensor<1x2x32x4x4xf8E8M0FNU>, %b: tensor<256x256xf8E5M2>, %sb: tensor<2x2x32x4x4xf8E8M0FNU>,
    %d: tensor<128x256xf32>) -> tensor<128x256xf32> {
  %a_x = tensor.expand_shape %a [[0, 1, 2], [3, 4, 5]] output_shape [1, 4, 32, 2, 4, 32] : tensor<128x256xf8E4M3FN> into tensor<1x4x32x2x4x32xf8E4M3FN>
  %a_e = tensor.empty() : tensor<1x4x32x2x4x32xf32>
  %a_p = linalg.generic {indexing_maps = [#elements, #factors, #elements], iterator_types = #all}
      ins(%a_x, %sa : tensor<1x4x32x2x4x32xf8E4M3FN>, tensor<1x2x32x4x4xf8E8M0FNU>) outs(%a_e : tensor<1x4x32x2x4x32xf32>) {
  ^bb0(%element: f8E4M3FN, %factor: f8E8M0FNU, %out: f32):
    %0 = arith.scaling_extf %element, %factor : f8E4M3FN, f8E8M0FNU to f32
    linalg.yield %0 : f32
  } -> tensor<1x4x32x2x4x32xf32>
  %a_f = tensor.collapse_shape %a_p [[0, 1, 2], [3, 4, 5]] : tensor<1x4x32x2x4x32xf32> into tensor<128x256xf32>
  %b_x = tensor.expand_shape %b [[0, 1, 2], [3, 4, 5]] output_shape [2, 4, 32, 2, 4, 32] : tensor<256x256xf8E5M2> into tensor<2x4x32x2x4x32xf8E5M2>
  %b_e = tensor.empty() : tensor<2x4x32x2x4x32xf32>
  %b_p = linalg.generic {indexing_maps = [#elements, #factors, #elements], iterator_types = #all}
      ins(%b_x, %sb : tensor<2x4x32x2x4x32xf8E5M2>, tensor<2x2x32x4x4xf8E8M0FNU>) outs(%b_e : tensor<2x4x32x2x4x32xf32>) {
  ^bb0(%element: f8E5M2, %factor: f8E8M0FNU, %out: f32):
    %0 = arith.extf %element : f8E5M2 to f32
    %1 = arith.extf %factor : f8E8M0FNU to f32
    %2 = arith.mulf %0, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<2x4x32x2x4x32xf32>
  %b_f = tensor.collapse_shape %b_p [[0, 1, 2], [3, 4, 5]] : tensor<2x4x32x2x4x32xf32> into tensor<256x256xf32>
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a_f, %b_f : tensor<128x256xf32>, tensor<256x256xf32>) outs(%d : tensor<128x256xf32>) -> tensor<128x256xf32>
  return %0 : tensor<128x256xf32>
}

// -----

// Other arithmetic on blocks stays outside: it makes an operand.
#elements = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)>
#factors = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d3, d2, d1, d4)>
#all = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]

// CHECK-LABEL: func @sum
// CHECK: %[[SUM:.*]] = linalg.generic
// CHECK: arith.addf
// CHECK: %[[A:.*]] = tensor.collapse_shape %[[SUM]]
// CHECK: tmm.matmul accumulate ins(%[[A]], %{{.*}} : tensor<128x256xbf16>, tensor<256x64xbf16>)
// CHECK-NOT: scales
func.func @sum(%a: tensor<128x256xbf16>, %sa: tensor<1x2x32x4x4xbf16>, %b: tensor<256x64xbf16>, %d: tensor<128x64xf32>) -> tensor<128x64xf32> {
  %a_x = tensor.expand_shape %a [[0, 1, 2], [3, 4, 5]] output_shape [1, 4, 32, 2, 4, 32] : tensor<128x256xbf16> into tensor<1x4x32x2x4x32xbf16>
  %a_e = tensor.empty() : tensor<1x4x32x2x4x32xbf16>
  %a_p = linalg.generic {indexing_maps = [#elements, #factors, #elements], iterator_types = #all}
      ins(%a_x, %sa : tensor<1x4x32x2x4x32xbf16>, tensor<1x2x32x4x4xbf16>) outs(%a_e : tensor<1x4x32x2x4x32xbf16>) {
  ^bb0(%element: bf16, %offset: bf16, %out: bf16):
    %0 = arith.addf %element, %offset : bf16
    linalg.yield %0 : bf16
  } -> tensor<1x4x32x2x4x32xbf16>
  %a_f = tensor.collapse_shape %a_p [[0, 1, 2], [3, 4, 5]] : tensor<1x4x32x2x4x32xbf16> into tensor<128x256xbf16>
  %0 = linalg.matmul ins(%a_f, %b : tensor<128x256xbf16>, tensor<256x64xbf16>) outs(%d : tensor<128x64xf32>) -> tensor<128x64xf32>
  return %0 : tensor<128x64xf32>
}

// -----

// Plain rows of factors are put into blocks of 128 x 4 by an operation of its own; what fills up the blocks
// repeats the last row and column.
#x = affine_map<(m, j, k) -> (m, j, k)>
#s = affine_map<(m, j, k) -> (m, j)>
// CHECK: affine_map<(d0, d1, d2, d3, d4) -> (d0 * 128 + d3 * 32 + d2)>
// CHECK: affine_map<(d0, d1, d2, d3, d4) -> (d1 * 4 + d4)>
// CHECK-LABEL: func @plain
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<200x224xf8E4M3FN>, %[[SA:[a-z0-9]+]]: tensor<200x7xf8E8M0FNU>, %[[B:[a-z0-9]+]]: tensor<136x224xf8E4M3FN>, %[[SB:[a-z0-9]+]]: tensor
// CHECK-DAG: %[[ROW:.*]] = arith.constant 199 : index
// CHECK-DAG: %[[COLUMN:.*]] = arith.constant 6 : index
// CHECK: %[[BA:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2x2x32x4x4xf8E8M0FNU>)
// CHECK: %[[R:.*]] = arith.minui %{{.*}}, %[[ROW]] : index
// CHECK: %[[C:.*]] = arith.minui %{{.*}}, %[[COLUMN]] : index
// CHECK: tensor.extract %[[SA]][%[[R]], %[[C]]]
// CHECK: %[[BB:.*]] = linalg.generic
// CHECK: tensor.extract %[[SB]]
// CHECK: tmm.matmul transpose_b ins(%[[A]], %[[B]] : tensor<200x224xf8E4M3FN>, tensor<136x224xf8E4M3FN>)
// CHECK-SAME: scales(%[[BA]], %[[BB]] : tensor<2x2x32x4x4xf8E8M0FNU>, tensor<2x2x32x4x4xf8E8M0FNU>) scale_block = 32
func.func @plain(%a: tensor<200x224xf8E4M3FN>, %sa: tensor<200x7xf8E8M0FNU>, %b: tensor<136x224xf8E4M3FN>, %sb: tensor<136x7xf8E8M0FNU>, %d: tensor<200x136xf32>) -> tensor<200x136xf32> {
  %a_x = tensor.expand_shape %a [[0], [1, 2]] output_shape [200, 7, 32] : tensor<200x224xf8E4M3FN> into tensor<200x7x32xf8E4M3FN>
  %a_e = tensor.empty() : tensor<200x7x32xf32>
  %a_p = linalg.generic {indexing_maps = [#x, #s, #x], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a_x, %sa : tensor<200x7x32xf8E4M3FN>, tensor<200x7xf8E8M0FNU>) outs(%a_e : tensor<200x7x32xf32>) {
  ^bb0(%element: f8E4M3FN, %factor: f8E8M0FNU, %out: f32):
    %0 = arith.scaling_extf %element, %factor : f8E4M3FN, f8E8M0FNU to f32
    linalg.yield %0 : f32
  } -> tensor<200x7x32xf32>
  %a_f = tensor.collapse_shape %a_p [[0], [1, 2]] : tensor<200x7x32xf32> into tensor<200x224xf32>
  %b_x = tensor.expand_shape %b [[0], [1, 2]] output_shape [136, 7, 32] : tensor<136x224xf8E4M3FN> into tensor<136x7x32xf8E4M3FN>
  %b_e = tensor.empty() : tensor<136x7x32xf32>
  %b_p = linalg.generic {indexing_maps = [#x, #s, #x], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%b_x, %sb : tensor<136x7x32xf8E4M3FN>, tensor<136x7xf8E8M0FNU>) outs(%b_e : tensor<136x7x32xf32>) {
  ^bb0(%element: f8E4M3FN, %factor: f8E8M0FNU, %out: f32):
    %0 = arith.scaling_extf %element, %factor : f8E4M3FN, f8E8M0FNU to f32
    linalg.yield %0 : f32
  } -> tensor<136x7x32xf32>
  %b_f = tensor.collapse_shape %b_p [[0], [1, 2]] : tensor<136x7x32xf32> into tensor<136x224xf32>
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%d : tensor<200x136xf32>) -> tensor<200x136xf32>
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a_f, %b_f : tensor<200x224xf32>, tensor<136x224xf32>) outs(%z : tensor<200x136xf32>) -> tensor<200x136xf32>
  return %0 : tensor<200x136xf32>
}

// -----

#x = affine_map<(m, j, k) -> (m, j, k)>
#s = affine_map<(m, j, k) -> (m, j)>
// CHECK-LABEL: func @plain_dynamic
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<?x4x32x4x4xf8E4M3FN>)
// CHECK: tmm.matmul transpose_b ins(%{{.*}} : tensor<?x256xf4E2M1FN>, tensor<136x256xf4E2M1FN>)
// CHECK-SAME: scales(%{{.*}} : tensor<?x4x32x4x4xf8E4M3FN>, tensor<2x4x32x4x4xf8E4M3FN>) scale_block = 16
func.func @plain_dynamic(%a: tensor<?x256xf4E2M1FN>, %sa: tensor<?x16xf8E4M3FN>, %b: tensor<136x256xf4E2M1FN>, %sb: tensor<136x16xf8E4M3FN>, %m: index, %d: tensor<?x136xf32>) -> tensor<?x136xf32> {
  %a_x = tensor.expand_shape %a [[0], [1, 2]] output_shape [%m, 16, 16] : tensor<?x256xf4E2M1FN> into tensor<?x16x16xf4E2M1FN>
  %a_e = tensor.empty(%m) : tensor<?x16x16xf32>
  %a_p = linalg.generic {indexing_maps = [#x, #s, #x], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a_x, %sa : tensor<?x16x16xf4E2M1FN>, tensor<?x16xf8E4M3FN>) outs(%a_e : tensor<?x16x16xf32>) {
  ^bb0(%element: f4E2M1FN, %factor: f8E4M3FN, %out: f32):
    %0 = arith.extf %element : f4E2M1FN to f32
    %1 = arith.extf %factor : f8E4M3FN to f32
    %2 = arith.mulf %0, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x16x16xf32>
  %a_f = tensor.collapse_shape %a_p [[0], [1, 2]] : tensor<?x16x16xf32> into tensor<?x256xf32>
  %b_x = tensor.expand_shape %b [[0], [1, 2]] output_shape [136, 16, 16] : tensor<136x256xf4E2M1FN> into tensor<136x16x16xf4E2M1FN>
  %b_e = tensor.empty() : tensor<136x16x16xf32>
  %b_p = linalg.generic {indexing_maps = [#x, #s, #x], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%b_x, %sb : tensor<136x16x16xf4E2M1FN>, tensor<136x16xf8E4M3FN>) outs(%b_e : tensor<136x16x16xf32>) {
  ^bb0(%element: f4E2M1FN, %factor: f8E4M3FN, %out: f32):
    %0 = arith.extf %element : f4E2M1FN to f32
    %1 = arith.extf %factor : f8E4M3FN to f32
    %2 = arith.mulf %0, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<136x16x16xf32>
  %b_f = tensor.collapse_shape %b_p [[0], [1, 2]] : tensor<136x16x16xf32> into tensor<136x256xf32>
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%d : tensor<?x136xf32>) -> tensor<?x136xf32>
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a_f, %b_f : tensor<?x256xf32>, tensor<136x256xf32>) outs(%z : tensor<?x136xf32>) -> tensor<?x136xf32>
  return %0 : tensor<?x136xf32>
}
