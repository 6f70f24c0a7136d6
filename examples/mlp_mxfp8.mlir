// Two layers in mxfp8 as linalg writes them: f32 between operations that multiply
// elements by the factor of their block of 32, and ones that divide by it. Each product becomes one
// kernel; nothing is left of the arithmetic on blocks. Rows and columns are expanded into the
// parts that factors are stored by (docs/LowPrecision.md).
#elements = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)>
#factors = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d3, d2, d1, d4)>
#blocks = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4)>
#block = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#factor = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d2, d1, d4)>
#all = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]
func.func @mlp(%x: tensor<256x384xf8E4M3FN>, %sx: tensor<2x3x32x4x4xf8E8M0FNU>,
               %w1: tensor<256x384xf8E4M3FN>, %sw1: tensor<2x3x32x4x4xf8E8M0FNU>,
               %w2: tensor<384x256xf8E4M3FN>, %sw2: tensor<3x2x32x4x4xf8E8M0FNU>,
               %d: tensor<256x384xf32>)
    -> (tensor<256x384xf32>, tensor<256x256xf8E4M3FN>, tensor<2x2x32x4x4xf8E8M0FNU>) {
  %zero = arith.constant 0.0 : f32
  // X and W1.
  %x1_x = tensor.expand_shape %x [[0, 1, 2], [3, 4, 5]] output_shape [2, 4, 32, 3, 4, 32]
      : tensor<256x384xf8E4M3FN> into tensor<2x4x32x3x4x32xf8E4M3FN>
  %x1_e = tensor.empty() : tensor<2x4x32x3x4x32xf32>
  %x1_p = linalg.generic {indexing_maps = [#elements, #factors, #elements], iterator_types = #all}
      ins(%x1_x, %sx : tensor<2x4x32x3x4x32xf8E4M3FN>, tensor<2x3x32x4x4xf8E8M0FNU>) outs(%x1_e : tensor<2x4x32x3x4x32xf32>) {
  ^bb0(%element: f8E4M3FN, %factor: f8E8M0FNU, %out: f32):
    %wide = arith.scaling_extf %element, %factor : f8E4M3FN, f8E8M0FNU to f32
    linalg.yield %wide : f32
  } -> tensor<2x4x32x3x4x32xf32>
  %xf = tensor.collapse_shape %x1_p [[0, 1, 2], [3, 4, 5]] : tensor<2x4x32x3x4x32xf32> into tensor<256x384xf32>
  %w1d_x = tensor.expand_shape %w1 [[0, 1, 2], [3, 4, 5]] output_shape [2, 4, 32, 3, 4, 32]
      : tensor<256x384xf8E4M3FN> into tensor<2x4x32x3x4x32xf8E4M3FN>
  %w1d_e = tensor.empty() : tensor<2x4x32x3x4x32xf32>
  %w1d_p = linalg.generic {indexing_maps = [#elements, #factors, #elements], iterator_types = #all}
      ins(%w1d_x, %sw1 : tensor<2x4x32x3x4x32xf8E4M3FN>, tensor<2x3x32x4x4xf8E8M0FNU>) outs(%w1d_e : tensor<2x4x32x3x4x32xf32>) {
  ^bb0(%element: f8E4M3FN, %factor: f8E8M0FNU, %out: f32):
    %wide = arith.scaling_extf %element, %factor : f8E4M3FN, f8E8M0FNU to f32
    linalg.yield %wide : f32
  } -> tensor<2x4x32x3x4x32xf32>
  %w1f = tensor.collapse_shape %w1d_p [[0, 1, 2], [3, 4, 5]] : tensor<2x4x32x3x4x32xf32> into tensor<256x384xf32>
  %e1 = tensor.empty() : tensor<256x256xf32>
  %y_z = linalg.fill ins(%zero : f32) outs(%e1 : tensor<256x256xf32>) -> tensor<256x256xf32>
  %y = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%xf, %w1f : tensor<256x384xf32>, tensor<256x384xf32>) outs(%y_z : tensor<256x256xf32>) -> tensor<256x256xf32>
  // H: the largest of each block, its factor, and the elements divided by it.
  %relu = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<256x256xf32>) outs(%e1 : tensor<256x256xf32>) {
  ^bb0(%in: f32, %out: f32):
    %max = arith.maximumf %in, %zero : f32
    linalg.yield %max : f32
  } -> tensor<256x256xf32>
  %h6 = tensor.expand_shape %relu [[0, 1, 2], [3, 4, 5]] output_shape [2, 4, 32, 2, 4, 32] : tensor<256x256xf32> into tensor<2x4x32x2x4x32xf32>
  %le = tensor.empty() : tensor<2x4x32x2x4xf32>
  %lz = linalg.fill ins(%zero : f32) outs(%le : tensor<2x4x32x2x4xf32>) -> tensor<2x4x32x2x4xf32>
  %largest = linalg.generic {indexing_maps = [#elements, #blocks], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%h6 : tensor<2x4x32x2x4x32xf32>) outs(%lz : tensor<2x4x32x2x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %absolute = math.absf %in : f32
    %max = arith.maximumf %absolute, %out : f32
    linalg.yield %max : f32
  } -> tensor<2x4x32x2x4xf32>
  %se = tensor.empty() : tensor<2x2x32x4x4xf8E8M0FNU>
  %sh = linalg.generic {indexing_maps = [#block, #factor], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%largest : tensor<2x4x32x2x4xf32>) outs(%se : tensor<2x2x32x4x4xf8E8M0FNU>) {
  ^bb0(%in: f32, %out: f8E8M0FNU):
    %emax = arith.constant 3.90625e-03 : f32
    %scaled = arith.mulf %in, %emax : f32
    %power = arith.truncf %scaled toward_zero : f32 to f8E8M0FNU
    linalg.yield %power : f8E8M0FNU
  } -> tensor<2x2x32x4x4xf8E8M0FNU>
  %qe = tensor.empty() : tensor<2x4x32x2x4x32xf8E4M3FN>
  %q6 = linalg.generic {indexing_maps = [#elements, #factors, #elements], iterator_types = #all}
      ins(%h6, %sh : tensor<2x4x32x2x4x32xf32>, tensor<2x2x32x4x4xf8E8M0FNU>) outs(%qe : tensor<2x4x32x2x4x32xf8E4M3FN>) {
  ^bb0(%in: f32, %factor: f8E8M0FNU, %out: f8E4M3FN):
    %narrow = arith.scaling_truncf %in, %factor : f32, f8E8M0FNU to f8E4M3FN
    linalg.yield %narrow : f8E4M3FN
  } -> tensor<2x4x32x2x4x32xf8E4M3FN>
  %h = tensor.collapse_shape %q6 [[0, 1, 2], [3, 4, 5]] : tensor<2x4x32x2x4x32xf8E4M3FN> into tensor<256x256xf8E4M3FN>
  // H and W2.
  %h2_x = tensor.expand_shape %h [[0, 1, 2], [3, 4, 5]] output_shape [2, 4, 32, 2, 4, 32]
      : tensor<256x256xf8E4M3FN> into tensor<2x4x32x2x4x32xf8E4M3FN>
  %h2_e = tensor.empty() : tensor<2x4x32x2x4x32xf32>
  %h2_p = linalg.generic {indexing_maps = [#elements, #factors, #elements], iterator_types = #all}
      ins(%h2_x, %sh : tensor<2x4x32x2x4x32xf8E4M3FN>, tensor<2x2x32x4x4xf8E8M0FNU>) outs(%h2_e : tensor<2x4x32x2x4x32xf32>) {
  ^bb0(%element: f8E4M3FN, %factor: f8E8M0FNU, %out: f32):
    %wide = arith.scaling_extf %element, %factor : f8E4M3FN, f8E8M0FNU to f32
    linalg.yield %wide : f32
  } -> tensor<2x4x32x2x4x32xf32>
  %hf = tensor.collapse_shape %h2_p [[0, 1, 2], [3, 4, 5]] : tensor<2x4x32x2x4x32xf32> into tensor<256x256xf32>
  %w2d_x = tensor.expand_shape %w2 [[0, 1, 2], [3, 4, 5]] output_shape [3, 4, 32, 2, 4, 32]
      : tensor<384x256xf8E4M3FN> into tensor<3x4x32x2x4x32xf8E4M3FN>
  %w2d_e = tensor.empty() : tensor<3x4x32x2x4x32xf32>
  %w2d_p = linalg.generic {indexing_maps = [#elements, #factors, #elements], iterator_types = #all}
      ins(%w2d_x, %sw2 : tensor<3x4x32x2x4x32xf8E4M3FN>, tensor<3x2x32x4x4xf8E8M0FNU>) outs(%w2d_e : tensor<3x4x32x2x4x32xf32>) {
  ^bb0(%element: f8E4M3FN, %factor: f8E8M0FNU, %out: f32):
    %wide = arith.scaling_extf %element, %factor : f8E4M3FN, f8E8M0FNU to f32
    linalg.yield %wide : f32
  } -> tensor<3x4x32x2x4x32xf32>
  %w2f = tensor.collapse_shape %w2d_p [[0, 1, 2], [3, 4, 5]] : tensor<3x4x32x2x4x32xf32> into tensor<384x256xf32>
  %r_z = linalg.fill ins(%zero : f32) outs(%d : tensor<256x384xf32>) -> tensor<256x384xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%hf, %w2f : tensor<256x256xf32>, tensor<384x256xf32>) outs(%r_z : tensor<256x384xf32>) -> tensor<256x384xf32>
  return %r, %h, %sh : tensor<256x384xf32>, tensor<256x256xf8E4M3FN>, tensor<2x2x32x4x4xf8E8M0FNU>
}
