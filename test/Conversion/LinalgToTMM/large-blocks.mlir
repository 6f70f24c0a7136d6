// RUN: tc-opt %s -convert-linalg-to-tmm=f32=refuse -split-input-file -verify-diagnostics | FileCheck %s

// A factor of f32 for 1 x 128 elements of A, and for 128 x 128 of B, as arithmetic on
// expanded matrices.

#ax = affine_map<(m, j, k) -> (m, j, k)>
#as = affine_map<(m, j, k) -> (m, j)>
#bx = affine_map<(i, n, j, k) -> (i, n, j, k)>
#bs = affine_map<(i, n, j, k) -> (i, j)>

// CHECK-LABEL: func @fp8
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<?x512xf8E4M3FN>, %[[SA:[a-z0-9]+]]: tensor<?x4xf32>, %[[B:[a-z0-9]+]]: tensor<256x512xf8E5M2>, %[[SB:[a-z0-9]+]]: tensor<2x4xf32>
// CHECK: tmm.matmul accumulate transpose_b ins(%[[A]], %[[B]] : tensor<?x512xf8E4M3FN>, tensor<256x512xf8E5M2>)
// CHECK-SAME: scales(%[[SA]], %[[SB]] : tensor<?x4xf32>, tensor<2x4xf32>) scale_block = 128 outs
func.func @fp8(%a: tensor<?x512xf8E4M3FN>, %sa: tensor<?x4xf32>, %b: tensor<256x512xf8E5M2>, %sb: tensor<2x4xf32>,
    %m: index, %d: tensor<?x256xf32>) -> tensor<?x256xf32> {
  %a_x = tensor.expand_shape %a [[0], [1, 2]] output_shape [%m, 4, 128] : tensor<?x512xf8E4M3FN> into tensor<?x4x128xf8E4M3FN>
  %a_e = tensor.empty(%m) : tensor<?x4x128xf32>
  %a_p = linalg.generic {indexing_maps = [#ax, #as, #ax], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a_x, %sa : tensor<?x4x128xf8E4M3FN>, tensor<?x4xf32>) outs(%a_e : tensor<?x4x128xf32>) {
  ^bb0(%element: f8E4M3FN, %factor: f32, %out: f32):
    %0 = arith.extf %element : f8E4M3FN to f32
    %1 = arith.mulf %0, %factor : f32
    linalg.yield %1 : f32
  } -> tensor<?x4x128xf32>
  %a_f = tensor.collapse_shape %a_p [[0], [1, 2]] : tensor<?x4x128xf32> into tensor<?x512xf32>
  %b_x = tensor.expand_shape %b [[0, 1], [2, 3]] output_shape [2, 128, 4, 128] : tensor<256x512xf8E5M2> into tensor<2x128x4x128xf8E5M2>
  %b_e = tensor.empty() : tensor<2x128x4x128xf32>
  %b_p = linalg.generic {indexing_maps = [#bx, #bs, #bx], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%b_x, %sb : tensor<2x128x4x128xf8E5M2>, tensor<2x4xf32>) outs(%b_e : tensor<2x128x4x128xf32>) {
  ^bb0(%element: f8E5M2, %factor: f32, %out: f32):
    %0 = arith.extf %element : f8E5M2 to f32
    %1 = arith.mulf %factor, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x128x4x128xf32>
  %b_f = tensor.collapse_shape %b_p [[0, 1], [2, 3]] : tensor<2x128x4x128xf32> into tensor<256x512xf32>
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a_f, %b_f : tensor<?x512xf32>, tensor<256x512xf32>) outs(%d : tensor<?x256xf32>) -> tensor<?x256xf32>
  return %0 : tensor<?x256xf32>
}

// -----

// A factor for each row of both: those of B would have to be adjacent along N.

#ax = affine_map<(m, j, k) -> (m, j, k)>
#as = affine_map<(m, j, k) -> (m, j)>

func.func @rows(%a: tensor<64x256xf8E4M3FN>, %sa: tensor<64x2xf32>, %d: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %a_x = tensor.expand_shape %a [[0], [1, 2]] output_shape [64, 2, 128] : tensor<64x256xf8E4M3FN> into tensor<64x2x128xf8E4M3FN>
  %a_e = tensor.empty() : tensor<64x2x128xf32>
  %a_p = linalg.generic {indexing_maps = [#ax, #as, #ax], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a_x, %sa : tensor<64x2x128xf8E4M3FN>, tensor<64x2xf32>) outs(%a_e : tensor<64x2x128xf32>) {
  ^bb0(%element: f8E4M3FN, %factor: f32, %out: f32):
    %0 = arith.extf %element : f8E4M3FN to f32
    %1 = arith.mulf %0, %factor : f32
    linalg.yield %1 : f32
  } -> tensor<64x2x128xf32>
  %a_f = tensor.collapse_shape %a_p [[0], [1, 2]] : tensor<64x2x128xf32> into tensor<64x256xf32>
  // expected-error @below {{scale factors of f32: expected one for 1 x 128 elements of the first input and for 128 x 128 of the second, got 1 and 1 rows of them (0: other factors)}}
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a_f, %a_f : tensor<64x256xf32>, tensor<64x256xf32>) outs(%d : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

#ax = affine_map<(m, j, k) -> (m, j, k)>
#as = affine_map<(m, j, k) -> (j, m)>

func.func @map(%a: tensor<64x256xf8E4M3FN>, %sa: tensor<2x64xf32>, %d: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %a_x = tensor.expand_shape %a [[0], [1, 2]] output_shape [64, 2, 128] : tensor<64x256xf8E4M3FN> into tensor<64x2x128xf8E4M3FN>
  %a_e = tensor.empty() : tensor<64x2x128xf32>
  %a_p = linalg.generic {indexing_maps = [#ax, #as, #ax], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a_x, %sa : tensor<64x2x128xf8E4M3FN>, tensor<2x64xf32>) outs(%a_e : tensor<64x2x128xf32>) {
  ^bb0(%element: f8E4M3FN, %factor: f32, %out: f32):
    %0 = arith.extf %element : f8E4M3FN to f32
    %1 = arith.mulf %0, %factor : f32
    linalg.yield %1 : f32
  } -> tensor<64x2x128xf32>
  %a_f = tensor.collapse_shape %a_p [[0], [1, 2]] : tensor<64x2x128xf32> into tensor<64x256xf32>
  // expected-error @below {{scale factors: expected a factor for 1 x 128 elements, indexing map (d0, d1, d2) -> (d0, d1), got (d0, d1, d2) -> (d1, d0)}}
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a_f, %a_f : tensor<64x256xf32>, tensor<64x256xf32>) outs(%d : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

// What is done with the parts is no product with a factor; without factors f32 is
// not multiplied.

#ax = affine_map<(m, j, k) -> (m, j, k)>
#as = affine_map<(m, j, k) -> (m, j)>

func.func @sum(%a: tensor<64x256xf8E4M3FN>, %sa: tensor<64x2xf32>, %d: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %a_x = tensor.expand_shape %a [[0], [1, 2]] output_shape [64, 2, 128] : tensor<64x256xf8E4M3FN> into tensor<64x2x128xf8E4M3FN>
  %a_e = tensor.empty() : tensor<64x2x128xf32>
  %a_p = linalg.generic {indexing_maps = [#ax, #as, #ax], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a_x, %sa : tensor<64x2x128xf8E4M3FN>, tensor<64x2xf32>) outs(%a_e : tensor<64x2x128xf32>) {
  ^bb0(%element: f8E4M3FN, %factor: f32, %out: f32):
    %0 = arith.extf %element : f8E4M3FN to f32
    %1 = arith.addf %0, %factor : f32
    linalg.yield %1 : f32
  } -> tensor<64x2x128xf32>
  %a_f = tensor.collapse_shape %a_p [[0], [1, 2]] : tensor<64x2x128xf32> into tensor<64x256xf32>
  // expected-error @below {{scale factors: expected the product of an element and a factor, arith.mulf of both widened}}
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a_f, %a_f : tensor<64x256xf32>, tensor<64x256xf32>) outs(%d : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

// K is the first dimension of the second input.

#ax = affine_map<(m, j, k) -> (m, j, k)>
#as = affine_map<(m, j, k) -> (m, j)>
#bx = affine_map<(i, n, j, k) -> (i, n, j, k)>
#bs = affine_map<(i, n, j, k) -> (i, j)>

func.func @last(%a: tensor<64x256xf8E4M3FN>, %sa: tensor<64x2xf32>, %b: tensor<256x128xf8E4M3FN>, %sb: tensor<2x1xf32>,
    %d: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %a_x = tensor.expand_shape %a [[0], [1, 2]] output_shape [64, 2, 128] : tensor<64x256xf8E4M3FN> into tensor<64x2x128xf8E4M3FN>
  %a_e = tensor.empty() : tensor<64x2x128xf32>
  %a_p = linalg.generic {indexing_maps = [#ax, #as, #ax], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a_x, %sa : tensor<64x2x128xf8E4M3FN>, tensor<64x2xf32>) outs(%a_e : tensor<64x2x128xf32>) {
  ^bb0(%element: f8E4M3FN, %factor: f32, %out: f32):
    %0 = arith.extf %element : f8E4M3FN to f32
    %1 = arith.mulf %0, %factor : f32
    linalg.yield %1 : f32
  } -> tensor<64x2x128xf32>
  %a_f = tensor.collapse_shape %a_p [[0], [1, 2]] : tensor<64x2x128xf32> into tensor<64x256xf32>
  %b_x = tensor.expand_shape %b [[0, 1], [2, 3]] output_shape [2, 128, 1, 128] : tensor<256x128xf8E4M3FN> into tensor<2x128x1x128xf8E4M3FN>
  %b_e = tensor.empty() : tensor<2x128x1x128xf32>
  %b_p = linalg.generic {indexing_maps = [#bx, #bs, #bx], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%b_x, %sb : tensor<2x128x1x128xf8E4M3FN>, tensor<2x1xf32>) outs(%b_e : tensor<2x128x1x128xf32>) {
  ^bb0(%element: f8E4M3FN, %factor: f32, %out: f32):
    %0 = arith.extf %element : f8E4M3FN to f32
    %1 = arith.mulf %0, %factor : f32
    linalg.yield %1 : f32
  } -> tensor<2x128x1x128xf32>
  %b_f = tensor.collapse_shape %b_p [[0, 1], [2, 3]] : tensor<2x128x1x128xf32> into tensor<256x128xf32>
  // expected-error @below {{scale factors: expected both inputs with K as their last dimension, of which a block shares a factor}}
  %0 = linalg.matmul ins(%a_f, %b_f : tensor<64x256xf32>, tensor<256x128xf32>) outs(%d : tensor<64x128xf32>) -> tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}
