// RUN: tc-opt %s -convert-linalg-to-tmm -split-input-file | FileCheck %s

// The reduction is of what the product is before it is scaled and converted.
// CHECK-LABEL: func @amax
// CHECK-SAME: %[[D:[a-z0-9]+]]: tensor<200x136xf32>, %[[Q:[a-z0-9]+]]: tensor<200x136xf8E4M3FN>, %[[AMAX:[a-z0-9]+]]: tensor<f32>
// CHECK: %[[R:.*]]:2 = tmm.matmul ins({{.*}}) outs(%[[Q]] : tensor<200x136xf8E4M3FN>) amax(%[[AMAX]] : tensor<f32>)
// CHECK-SAME: epilogue(%[[ACC:.*]], %[[S:.*]] = %{{.*}} : f32) {
// CHECK: %[[Y:.*]] = arith.mulf %[[ACC]], %[[S]]
// CHECK: tmm.yield %[[Y]], %[[ACC]] : f32, f32
// CHECK-NOT: linalg.generic
// CHECK: return %[[R]]#0, %[[R]]#1
func.func @amax(%a: tensor<200x72xbf16>, %b: tensor<72x136xbf16>, %d: tensor<200x136xf32>,
                %q: tensor<200x136xf8E4M3FN>, %amax: tensor<f32>, %scale: f32) -> (tensor<200x136xf8E4M3FN>, tensor<f32>) {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.fill ins(%zero : f32) outs(%d : tensor<200x136xf32>) -> tensor<200x136xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<200x72xbf16>, tensor<72x136xbf16>) outs(%0 : tensor<200x136xf32>) -> tensor<200x136xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%1 : tensor<200x136xf32>) outs(%amax : tensor<f32>) {
  ^bb0(%x: f32, %old: f32):
    %m = math.absf %x : f32
    %n = arith.maximumf %old, %m : f32
    linalg.yield %n : f32
  } -> tensor<f32>
  %3 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%1 : tensor<200x136xf32>) outs(%q : tensor<200x136xf8E4M3FN>) {
  ^bb0(%x: f32, %old: f8E4M3FN):
    %m = arith.mulf %x, %scale : f32
    %n = arith.truncf %m : f32 to f8E4M3FN
    linalg.yield %n : f8E4M3FN
  } -> tensor<200x136xf8E4M3FN>
  return %3, %2 : tensor<200x136xf8E4M3FN>, tensor<f32>
}

// -----

// arith.maxnumf leaves NaN out: another number.
// CHECK-LABEL: func @not_amax
// CHECK: tmm.matmul
// CHECK-NOT: amax(
// CHECK: linalg.generic
func.func @not_amax(%a: tensor<200x72xbf16>, %b: tensor<72x136xbf16>, %d: tensor<200x136xf32>, %amax: tensor<f32>) -> (tensor<200x136xf32>, tensor<f32>) {
  %1 = linalg.matmul ins(%a, %b : tensor<200x72xbf16>, tensor<72x136xbf16>) outs(%d : tensor<200x136xf32>) -> tensor<200x136xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%1 : tensor<200x136xf32>) outs(%amax : tensor<f32>) {
  ^bb0(%x: f32, %old: f32):
    %m = math.absf %x : f32
    %n = arith.maxnumf %old, %m : f32
    linalg.yield %n : f32
  } -> tensor<f32>
  return %1, %2 : tensor<200x136xf32>, tensor<f32>
}
