// RUN: tc-opt %s -convert-linalg-to-tmm=f32=refuse -split-input-file -verify-diagnostics

#elements = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)>
#factors = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d3, d2, d1, d4)>
#all = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]

func.func @sum(%a: tensor<128x256xf8E4M3FN>, %sa: tensor<1x2x32x4x4xf8E8M0FNU>, %b: tensor<256x256xf8E4M3FN>, %sb: tensor<2x2x32x4x4xf8E8M0FNU>,
    %d: tensor<128x256xf32>) -> tensor<128x256xf32> {
  %a_x = tensor.expand_shape %a [[0, 1, 2], [3, 4, 5]] output_shape [1, 4, 32, 2, 4, 32] : tensor<128x256xf8E4M3FN> into tensor<1x4x32x2x4x32xf8E4M3FN>
  %a_e = tensor.empty() : tensor<1x4x32x2x4x32xf32>
  %a_p = linalg.generic {indexing_maps = [#elements, #factors, #elements], iterator_types = #all}
      ins(%a_x, %sa : tensor<1x4x32x2x4x32xf8E4M3FN>, tensor<1x2x32x4x4xf8E8M0FNU>) outs(%a_e : tensor<1x4x32x2x4x32xf32>) {
  ^bb0(%element: f8E4M3FN, %factor: f8E8M0FNU, %out: f32):
    %0 = arith.extf %element : f8E4M3FN to f32
    %1 = arith.extf %factor : f8E8M0FNU to f32
    %2 = arith.addf %0, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<1x4x32x2x4x32xf32>
  %a_f = tensor.collapse_shape %a_p [[0, 1, 2], [3, 4, 5]] : tensor<1x4x32x2x4x32xf32> into tensor<128x256xf32>
  %b_x = tensor.expand_shape %b [[0, 1, 2], [3, 4, 5]] output_shape [2, 4, 32, 2, 4, 32] : tensor<256x256xf8E4M3FN> into tensor<2x4x32x2x4x32xf8E4M3FN>
  %b_e = tensor.empty() : tensor<2x4x32x2x4x32xf32>
  %b_p = linalg.generic {indexing_maps = [#elements, #factors, #elements], iterator_types = #all}
      ins(%b_x, %sb : tensor<2x4x32x2x4x32xf8E4M3FN>, tensor<2x2x32x4x4xf8E8M0FNU>) outs(%b_e : tensor<2x4x32x2x4x32xf32>) {
  ^bb0(%element: f8E4M3FN, %factor: f8E8M0FNU, %out: f32):
    %0 = arith.scaling_extf %element, %factor : f8E4M3FN, f8E8M0FNU to f32
    linalg.yield %0 : f32
  } -> tensor<2x4x32x2x4x32xf32>
  %b_f = tensor.collapse_shape %b_p [[0, 1, 2], [3, 4, 5]] : tensor<2x4x32x2x4x32xf32> into tensor<256x256xf32>
  // expected-error @below {{cannot become tmm.matmul: input 0: scale factors: expected the product of an element and a factor, arith.scaling_extf, or arith.mulf of both widened}}
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a_f, %b_f : tensor<128x256xf32>, tensor<256x256xf32>) outs(%d : tensor<128x256xf32>) -> tensor<128x256xf32>
  return %0 : tensor<128x256xf32>
}

// -----

#elements = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)>
#factors = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d3, d2, d1, d4)>
#all = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]

// Factors as a matrix of M x K / 32.
func.func @row_major(%a: tensor<128x256xf8E4M3FN>, %sa: tensor<1x4x32x2x4xf8E8M0FNU>, %b: tensor<256x256xf8E4M3FN>, %sb: tensor<2x2x32x4x4xf8E8M0FNU>,
    %d: tensor<128x256xf32>) -> tensor<128x256xf32> {
  %a_x = tensor.expand_shape %a [[0, 1, 2], [3, 4, 5]] output_shape [1, 4, 32, 2, 4, 32] : tensor<128x256xf8E4M3FN> into tensor<1x4x32x2x4x32xf8E4M3FN>
  %a_e = tensor.empty() : tensor<1x4x32x2x4x32xf32>
  %a_p = linalg.generic {indexing_maps = [#elements, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4)>, #elements], iterator_types = #all}
      ins(%a_x, %sa : tensor<1x4x32x2x4x32xf8E4M3FN>, tensor<1x4x32x2x4xf8E8M0FNU>) outs(%a_e : tensor<1x4x32x2x4x32xf32>) {
  ^bb0(%element: f8E4M3FN, %factor: f8E8M0FNU, %out: f32):
    %0 = arith.scaling_extf %element, %factor : f8E4M3FN, f8E8M0FNU to f32
    linalg.yield %0 : f32
  } -> tensor<1x4x32x2x4x32xf32>
  %a_f = tensor.collapse_shape %a_p [[0, 1, 2], [3, 4, 5]] : tensor<1x4x32x2x4x32xf32> into tensor<128x256xf32>
  %b_x = tensor.expand_shape %b [[0, 1, 2], [3, 4, 5]] output_shape [2, 4, 32, 2, 4, 32] : tensor<256x256xf8E4M3FN> into tensor<2x4x32x2x4x32xf8E4M3FN>
  %b_e = tensor.empty() : tensor<2x4x32x2x4x32xf32>
  %b_p = linalg.generic {indexing_maps = [#elements, #factors, #elements], iterator_types = #all}
      ins(%b_x, %sb : tensor<2x4x32x2x4x32xf8E4M3FN>, tensor<2x2x32x4x4xf8E8M0FNU>) outs(%b_e : tensor<2x4x32x2x4x32xf32>) {
  ^bb0(%element: f8E4M3FN, %factor: f8E8M0FNU, %out: f32):
    %0 = arith.scaling_extf %element, %factor : f8E4M3FN, f8E8M0FNU to f32
    linalg.yield %0 : f32
  } -> tensor<2x4x32x2x4x32xf32>
  %b_f = tensor.collapse_shape %b_p [[0, 1, 2], [3, 4, 5]] : tensor<2x4x32x2x4x32xf32> into tensor<256x256xf32>
  // expected-error @below {{cannot become tmm.matmul: input 0: scale factors: expected factors in blocks of 128 rows and 4 columns, indexing map (d0, d1, d2, d3, d4, d5) -> (d0, d3, d2, d1, d4), got (d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4)}}
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a_f, %b_f : tensor<128x256xf32>, tensor<256x256xf32>) outs(%d : tensor<128x256xf32>) -> tensor<128x256xf32>
  return %0 : tensor<128x256xf32>
}

// -----

#elements = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)>
#factors = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d3, d2, d1, d4)>
#all = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]

func.func @blocks_of_64(%a: tensor<128x256xf8E4M3FN>, %sa: tensor<1x2x32x4x4xf8E8M0FNU>, %b: tensor<256x256xf8E4M3FN>, %sb: tensor<2x1x32x4x4xf8E8M0FNU>,
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
  %b_x = tensor.expand_shape %b [[0, 1, 2], [3, 4, 5]] output_shape [2, 4, 32, 1, 4, 64] : tensor<256x256xf8E4M3FN> into tensor<2x4x32x1x4x64xf8E4M3FN>
  %b_e = tensor.empty() : tensor<2x4x32x1x4x64xf32>
  %b_p = linalg.generic {indexing_maps = [#elements, #factors, #elements], iterator_types = #all}
      ins(%b_x, %sb : tensor<2x4x32x1x4x64xf8E4M3FN>, tensor<2x1x32x4x4xf8E8M0FNU>) outs(%b_e : tensor<2x4x32x1x4x64xf32>) {
  ^bb0(%element: f8E4M3FN, %factor: f8E8M0FNU, %out: f32):
    %0 = arith.scaling_extf %element, %factor : f8E4M3FN, f8E8M0FNU to f32
    linalg.yield %0 : f32
  } -> tensor<2x4x32x1x4x64xf32>
  %b_f = tensor.collapse_shape %b_p [[0, 1, 2], [3, 4, 5]] : tensor<2x4x32x1x4x64xf32> into tensor<256x256xf32>
  // expected-error @below {{cannot become tmm.matmul: input 1: scale factors: expected rows in ? x 4 x 32 and columns in ? x 4 x 16 or 32 parts, got tensor<2x4x32x1x4x64xf8E4M3FN>}}
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a_f, %b_f : tensor<128x256xf32>, tensor<256x256xf32>) outs(%d : tensor<128x256xf32>) -> tensor<128x256xf32>
  return %0 : tensor<128x256xf32>
}

// -----

// Factors for blocks of columns of B, which are along N.

#elements = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)>
#factors = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d3, d2, d1, d4)>
#all = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]

func.func @along_n(%a: tensor<128x256xf8E4M3FN>, %sa: tensor<1x2x32x4x4xf8E8M0FNU>, %b: tensor<256x256xf8E4M3FN>, %sb: tensor<2x2x32x4x4xf8E8M0FNU>,
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
  %b_x = tensor.expand_shape %b [[0, 1, 2], [3, 4, 5]] output_shape [2, 4, 32, 2, 4, 32] : tensor<256x256xf8E4M3FN> into tensor<2x4x32x2x4x32xf8E4M3FN>
  %b_e = tensor.empty() : tensor<2x4x32x2x4x32xf32>
  %b_p = linalg.generic {indexing_maps = [#elements, #factors, #elements], iterator_types = #all}
      ins(%b_x, %sb : tensor<2x4x32x2x4x32xf8E4M3FN>, tensor<2x2x32x4x4xf8E8M0FNU>) outs(%b_e : tensor<2x4x32x2x4x32xf32>) {
  ^bb0(%element: f8E4M3FN, %factor: f8E8M0FNU, %out: f32):
    %0 = arith.scaling_extf %element, %factor : f8E4M3FN, f8E8M0FNU to f32
    linalg.yield %0 : f32
  } -> tensor<2x4x32x2x4x32xf32>
  %b_f = tensor.collapse_shape %b_p [[0, 1, 2], [3, 4, 5]] : tensor<2x4x32x2x4x32xf32> into tensor<256x256xf32>
  // expected-error @below {{cannot become tmm.matmul: scale factors: expected both inputs with K as their last dimension, of which a block shares a factor}}
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a_f, %b_f : tensor<128x256xf32>, tensor<256x256xf32>) outs(%d : tensor<128x256xf32>) -> tensor<128x256xf32>
  return %0 : tensor<128x256xf32>
}

// -----

#x = affine_map<(m, j, k) -> (m, j, k)>
#s = affine_map<(m, j, k) -> (m, j)>
func.func @plain_of_64(%a: tensor<200x192xf8E4M3FN>, %sa: tensor<200x3xf8E8M0FNU>, %b: tensor<136x192xf8E4M3FN>, %sb: tensor<136x3xf8E8M0FNU>, %d: tensor<200x136xf32>) -> tensor<200x136xf32> {
  %a_x = tensor.expand_shape %a [[0], [1, 2]] output_shape [200, 3, 64] : tensor<200x192xf8E4M3FN> into tensor<200x3x64xf8E4M3FN>
  %a_e = tensor.empty() : tensor<200x3x64xf32>
  %a_p = linalg.generic {indexing_maps = [#x, #s, #x], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a_x, %sa : tensor<200x3x64xf8E4M3FN>, tensor<200x3xf8E8M0FNU>) outs(%a_e : tensor<200x3x64xf32>) {
  ^bb0(%element: f8E4M3FN, %factor: f8E8M0FNU, %out: f32):
    %0 = arith.scaling_extf %element, %factor : f8E4M3FN, f8E8M0FNU to f32
    linalg.yield %0 : f32
  } -> tensor<200x3x64xf32>
  %a_f = tensor.collapse_shape %a_p [[0], [1, 2]] : tensor<200x3x64xf32> into tensor<200x192xf32>
  %b_x = tensor.expand_shape %b [[0], [1, 2]] output_shape [136, 3, 64] : tensor<136x192xf8E4M3FN> into tensor<136x3x64xf8E4M3FN>
  %b_e = tensor.empty() : tensor<136x3x64xf32>
  %b_p = linalg.generic {indexing_maps = [#x, #s, #x], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%b_x, %sb : tensor<136x3x64xf8E4M3FN>, tensor<136x3xf8E8M0FNU>) outs(%b_e : tensor<136x3x64xf32>) {
  ^bb0(%element: f8E4M3FN, %factor: f8E8M0FNU, %out: f32):
    %0 = arith.scaling_extf %element, %factor : f8E4M3FN, f8E8M0FNU to f32
    linalg.yield %0 : f32
  } -> tensor<136x3x64xf32>
  %b_f = tensor.collapse_shape %b_p [[0], [1, 2]] : tensor<136x3x64xf32> into tensor<136x192xf32>
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%d : tensor<200x136xf32>) -> tensor<200x136xf32>
  // expected-error @below {{cannot become tmm.matmul: input 0: scale factors: expected columns in ? x 16 or 32 parts, got tensor<200x3x64xf8E4M3FN>}}
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a_f, %b_f : tensor<200x192xf32>, tensor<136x192xf32>) outs(%z : tensor<200x136xf32>) -> tensor<200x136xf32>
  return %0 : tensor<200x136xf32>
}

// -----

#x = affine_map<(m, j, k) -> (m, j, k)>
#s = affine_map<(m, j, k) -> (j, m)>
func.func @plain_transposed(%a: tensor<128x128xf8E4M3FN>, %sa: tensor<4x128xf8E8M0FNU>, %b: tensor<128x128xf8E4M3FN>, %sb: tensor<4x128xf8E8M0FNU>, %d: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %a_x = tensor.expand_shape %a [[0], [1, 2]] output_shape [128, 4, 32] : tensor<128x128xf8E4M3FN> into tensor<128x4x32xf8E4M3FN>
  %a_e = tensor.empty() : tensor<128x4x32xf32>
  %a_p = linalg.generic {indexing_maps = [#x, #s, #x], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a_x, %sa : tensor<128x4x32xf8E4M3FN>, tensor<4x128xf8E8M0FNU>) outs(%a_e : tensor<128x4x32xf32>) {
  ^bb0(%element: f8E4M3FN, %factor: f8E8M0FNU, %out: f32):
    %0 = arith.scaling_extf %element, %factor : f8E4M3FN, f8E8M0FNU to f32
    linalg.yield %0 : f32
  } -> tensor<128x4x32xf32>
  %a_f = tensor.collapse_shape %a_p [[0], [1, 2]] : tensor<128x4x32xf32> into tensor<128x128xf32>
  %b_x = tensor.expand_shape %b [[0], [1, 2]] output_shape [128, 4, 32] : tensor<128x128xf8E4M3FN> into tensor<128x4x32xf8E4M3FN>
  %b_e = tensor.empty() : tensor<128x4x32xf32>
  %b_p = linalg.generic {indexing_maps = [#x, #s, #x], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%b_x, %sb : tensor<128x4x32xf8E4M3FN>, tensor<4x128xf8E8M0FNU>) outs(%b_e : tensor<128x4x32xf32>) {
  ^bb0(%element: f8E4M3FN, %factor: f8E8M0FNU, %out: f32):
    %0 = arith.scaling_extf %element, %factor : f8E4M3FN, f8E8M0FNU to f32
    linalg.yield %0 : f32
  } -> tensor<128x4x32xf32>
  %b_f = tensor.collapse_shape %b_p [[0], [1, 2]] : tensor<128x4x32xf32> into tensor<128x128xf32>
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%d : tensor<128x128xf32>) -> tensor<128x128xf32>
  // expected-error @below {{cannot become tmm.matmul: input 0: scale factors: expected a factor for 1 x 32 elements, indexing map (d0, d1, d2) -> (d0, d1), got (d0, d1, d2) -> (d1, d0)}}
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a_f, %b_f : tensor<128x128xf32>, tensor<128x128xf32>) outs(%z : tensor<128x128xf32>) -> tensor<128x128xf32>
  return %0 : tensor<128x128xf32>
}
