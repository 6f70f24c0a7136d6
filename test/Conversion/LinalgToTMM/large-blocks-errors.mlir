// RUN: tc-opt %s -convert-linalg-to-tmm=f32=refuse -split-input-file -verify-diagnostics

// Arithmetic on blocks of 128 elements that is not read as scale factors.

#ax = affine_map<(m, j, k) -> (m, j, k)>
#as = affine_map<(m, j, k) -> (m, j)>
func.func @f(%a: tensor<64x256xf8E4M3FN>, %sa: tensor<64x2xf32>, %given: tensor<64x2x128xf8E4M3FN>, %d: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %a_x = tensor.expand_shape %a [[0], [1, 2]] output_shape [64, 2, 128] : tensor<64x256xf8E4M3FN> into tensor<64x2x128xf8E4M3FN>
  %a_e = tensor.empty() : tensor<64x2x128xf32>
  %a_p = linalg.generic {indexing_maps = [#ax, #as, #ax], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%given, %sa : tensor<64x2x128xf8E4M3FN>, tensor<64x2xf32>) outs(%a_e : tensor<64x2x128xf32>) {
  ^bb0(%element: f8E4M3FN, %factor: f32, %out: f32):
    %0 = arith.extf %element : f8E4M3FN to f32
    %1 = arith.mulf %0, %factor : f32
    linalg.yield %1 : f32
  } -> tensor<64x2x128xf32>
  %a_f = tensor.collapse_shape %a_p [[0], [1, 2]] : tensor<64x2x128xf32> into tensor<64x256xf32>
  // expected-error @below {{'linalg.matmul' op cannot become tmm.matmul: input 0: scale factors: expected elements that are an expanded matrix}}
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a_f, %a_f : tensor<64x256xf32>, tensor<64x256xf32>) outs(%d : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

#ax = affine_map<(m, j, k) -> (m, j, k)>
#as = affine_map<(m, j, k) -> (m, j)>
func.func @f(%a: tensor<64x256xf8E4M3FN>, %sa: tensor<64x2xbf16>, %given: tensor<64x2x128xf8E4M3FN>, %d: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %a_x = tensor.expand_shape %a [[0], [1, 2]] output_shape [64, 2, 128] : tensor<64x256xf8E4M3FN> into tensor<64x2x128xf8E4M3FN>
  %a_e = tensor.empty() : tensor<64x2x128xf32>
  %a_p = linalg.generic {indexing_maps = [#ax, #as, #ax], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a_x, %sa : tensor<64x2x128xf8E4M3FN>, tensor<64x2xbf16>) outs(%a_e : tensor<64x2x128xf32>) {
  ^bb0(%element: f8E4M3FN, %small: bf16, %out: f32):
    %0 = arith.extf %element : f8E4M3FN to f32
    %factor = arith.extf %small : bf16 to f32
    %1 = arith.mulf %0, %factor : f32
    linalg.yield %1 : f32
  } -> tensor<64x2x128xf32>
  %a_f = tensor.collapse_shape %a_p [[0], [1, 2]] : tensor<64x2x128xf32> into tensor<64x256xf32>
  // expected-error @below {{'linalg.matmul' op cannot become tmm.matmul: input 0: scale factors: expected factors of f32, got tensor<64x2xbf16>}}
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a_f, %a_f : tensor<64x256xf32>, tensor<64x256xf32>) outs(%d : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

#ax = affine_map<(m, j, k) -> (m, j, k)>
#as = affine_map<(m, j, k) -> (m, j)>
func.func @f(%a: tensor<64x256xf8E4M3FN>, %sa: tensor<64x2xf32>, %given: tensor<64x2x128xf8E4M3FN>, %d: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %a_x = tensor.expand_shape %a [[0], [1, 2]] output_shape [64, 2, 128] : tensor<64x256xf8E4M3FN> into tensor<64x2x128xf8E4M3FN>
  %a_e = tensor.empty() : tensor<64x2x128xf32>
  %a_p = linalg.generic {indexing_maps = [#ax, #ax], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a_x : tensor<64x2x128xf8E4M3FN>) outs(%a_e : tensor<64x2x128xf32>) {
  ^bb0(%element: f8E4M3FN, %out: f32):
    %0 = arith.extf %element : f8E4M3FN to f32
    %1 = arith.mulf %0, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64x2x128xf32>
  %a_f = tensor.collapse_shape %a_p [[0], [1, 2]] : tensor<64x2x128xf32> into tensor<64x256xf32>
  // expected-error @below {{'linalg.matmul' op cannot become tmm.matmul: input 0: scale factors: expected an elementwise operation on elements and factors in 3 dimensions, got 3 with 1 inputs}}
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a_f, %a_f : tensor<64x256xf32>, tensor<64x256xf32>) outs(%d : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

#ax = affine_map<(m, j, k) -> (m, j, k)>
#as = affine_map<(m, j, k) -> (m, j)>
func.func @f(%a: tensor<64x256xf8E4M3FN>, %sa: tensor<64x2xf32>, %given: tensor<64x2x128xf8E4M3FN>, %d: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %a_x = tensor.expand_shape %a [[0], [1, 2]] output_shape [64, 2, 128] : tensor<64x256xf8E4M3FN> into tensor<64x2x128xf8E4M3FN>
  %a_e = tensor.empty() : tensor<64x2x128xf32>
  %a_p = linalg.generic {indexing_maps = [affine_map<(m, j, k) -> (m, 1 - j, k)>, #as, #ax], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a_x, %sa : tensor<64x2x128xf8E4M3FN>, tensor<64x2xf32>) outs(%a_e : tensor<64x2x128xf32>) {
  ^bb0(%element: f8E4M3FN, %factor: f32, %out: f32):
    %0 = arith.extf %element : f8E4M3FN to f32
    %1 = arith.mulf %0, %factor : f32
    linalg.yield %1 : f32
  } -> tensor<64x2x128xf32>
  %a_f = tensor.collapse_shape %a_p [[0], [1, 2]] : tensor<64x2x128xf32> into tensor<64x256xf32>
  // expected-error @below {{'linalg.matmul' op cannot become tmm.matmul: input 0: scale factors: expected elements and products in the order of the loops, got (d0, d1, d2) -> (d0, -d1 + 1, d2) and (d0, d1, d2) -> (d0, d1, d2)}}
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a_f, %a_f : tensor<64x256xf32>, tensor<64x256xf32>) outs(%d : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
