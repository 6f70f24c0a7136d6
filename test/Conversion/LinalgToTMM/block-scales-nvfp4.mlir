// RUN: tc-opt %s -convert-linalg-to-tmm | FileCheck %s

// Factors with a significand: the largest divided by 6, and a product with the reciprocal.
// CHECK-LABEL: func @nvfp4
// CHECK: %[[R:.*]]:2 = tmm.matmul ins(%{{.*}}, %{{.*}} : tensor<128x64xbf16>, tensor<64x192xbf16>) outs(%{{.*}} : tensor<128x192xf4E2M1FN>)
// CHECK-SAME: scale_d(%{{.*}} : tensor<1x3x32x4x4xf8E4M3FN>)
// CHECK-SAME: epilogue(%[[ACC:.*]], %[[S:.*]] = %{{.*}} : f32) {
// CHECK: %[[Y:.*]] = arith.mulf %[[ACC]], %[[S]]
// CHECK: tmm.yield %[[Y]] : f32
// CHECK-NOT: linalg
// CHECK: return %[[R]]#0, %[[R]]#1
#elements = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)>
#factors = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d3, d2, d1, d4)>
#blocks = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4)>
#in = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d2, d1, d4)>
#out = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#id = affine_map<(i, j) -> (i, j)>
func.func @nvfp4(%a: tensor<128x64xbf16>, %b: tensor<64x192xbf16>, %d: tensor<128x192xf32>, %s: f32)
    -> (tensor<128x192xf4E2M1FN>, tensor<1x3x32x4x4xf8E4M3FN>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %0 = linalg.fill ins(%zero : f32) outs(%d : tensor<128x192xf32>) -> tensor<128x192xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<128x64xbf16>, tensor<64x192xbf16>) outs(%0 : tensor<128x192xf32>) -> tensor<128x192xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%1 : tensor<128x192xf32>) outs(%d : tensor<128x192xf32>) {
  ^bb0(%in: f32, %out: f32):
    %y = arith.mulf %in, %s : f32
    linalg.yield %y : f32
  } -> tensor<128x192xf32>
  %x = tensor.expand_shape %2 [[0, 1, 2], [3, 4, 5]] output_shape [1, 4, 32, 3, 4, 16] : tensor<128x192xf32> into tensor<1x4x32x3x4x16xf32>
  %e = tensor.empty() : tensor<1x4x32x3x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x32x3x4xf32>) -> tensor<1x4x32x3x4xf32>
  %m = linalg.generic {indexing_maps = [#elements, #blocks], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%x : tensor<1x4x32x3x4x16xf32>) outs(%f : tensor<1x4x32x3x4xf32>) {
  ^bb0(%in: f32, %old: f32):
    %absolute = math.absf %in : f32
    %max = arith.maximumf %old, %absolute : f32
    linalg.yield %max : f32
  } -> tensor<1x4x32x3x4xf32>
  %g = tensor.empty() : tensor<1x3x32x4x4xf8E4M3FN>
  %n = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%m : tensor<1x4x32x3x4xf32>) outs(%g : tensor<1x3x32x4x4xf8E4M3FN>) {
  ^bb0(%in: f32, %old: f8E4M3FN):
    %sixth = arith.constant 0.166666672 : f32
    %ratio = arith.mulf %in, %sixth : f32
    %factor = arith.truncf %ratio : f32 to f8E4M3FN
    linalg.yield %factor : f8E4M3FN
  } -> tensor<1x3x32x4x4xf8E4M3FN>
  %h = tensor.empty() : tensor<1x4x32x3x4x16xf4E2M1FN>
  %q = linalg.generic {indexing_maps = [#elements, #factors, #elements], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %n : tensor<1x4x32x3x4x16xf32>, tensor<1x3x32x4x4xf8E4M3FN>) outs(%h : tensor<1x4x32x3x4x16xf4E2M1FN>) {
  ^bb0(%in: f32, %factor: f8E4M3FN, %old: f4E2M1FN):
    %wide = arith.extf %factor : f8E4M3FN to f32
    %reciprocal = arith.divf %one, %wide : f32
    %y = arith.mulf %in, %reciprocal : f32
    %narrow = arith.truncf %y : f32 to f4E2M1FN
    linalg.yield %narrow : f4E2M1FN
  } -> tensor<1x4x32x3x4x16xf4E2M1FN>
  %r = tensor.collapse_shape %q [[0, 1, 2], [3, 4, 5]] : tensor<1x4x32x3x4x16xf4E2M1FN> into tensor<128x192xf4E2M1FN>
  return %r, %n : tensor<128x192xf4E2M1FN>, tensor<1x3x32x4x4xf8E4M3FN>
}
