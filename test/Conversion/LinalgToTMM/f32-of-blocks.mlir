// What is nearly a matrix with scale factors is multiplied as f32, and a remark says what it lacks.
// RUN: tc-opt %s -convert-linalg-to-tmm -verify-diagnostics | FileCheck %s

#x = affine_map<(m, j, k) -> (m, j, k)>
#s = affine_map<(m, j, k) -> (m, j)>

// CHECK-LABEL: func.func @blocks_of_64(
// CHECK:         arith.scaling_extf
// CHECK:         tmm.matmul {{.*}} : tensor<200x576xbf16>
func.func @blocks_of_64(%a: tensor<200x3x64xf8E4M3FN>, %sa: tensor<200x3xf8E8M0FNU>, %b: tensor<192x136xbf16>, %d: tensor<200x136xf32>) -> tensor<200x136xf32> {
  %e = tensor.empty() : tensor<200x3x64xf32>
  %p = linalg.generic {indexing_maps = [#x, #s, #x], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a, %sa : tensor<200x3x64xf8E4M3FN>, tensor<200x3xf8E8M0FNU>) outs(%e : tensor<200x3x64xf32>) {
  ^bb0(%element: f8E4M3FN, %factor: f8E8M0FNU, %out: f32):
    %0 = arith.scaling_extf %element, %factor : f8E4M3FN, f8E8M0FNU to f32
    linalg.yield %0 : f32
  } -> tensor<200x3x64xf32>
  %f = tensor.collapse_shape %p [[0], [1, 2]] : tensor<200x3x64xf32> into tensor<200x192xf32>
  // expected-remark @+2 {{multiplies f32 as three products of parts in bf16}}
  // expected-remark @below {{input 0 is multiplied as f32: scale factors: expected columns in ? x 16 or 32 parts, got tensor<200x3x64xf8E4M3FN>}}
  %0 = linalg.matmul ins(%f, %b : tensor<200x192xf32>, tensor<192x136xbf16>) outs(%d : tensor<200x136xf32>) -> tensor<200x136xf32>
  return %0 : tensor<200x136xf32>
}
