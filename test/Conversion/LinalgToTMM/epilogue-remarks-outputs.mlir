// RUN: tc-opt %s -convert-linalg-to-tmm -split-input-file -verify-diagnostics

// What a product gives beside D, and what it adds to, keeps an operation outside.

func.func @integers(%a: tensor<64x64xi8>, %b: tensor<64x64xi8>, %c: tensor<64x64xi32>, %e: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-note @below {{of this product}}
  %0 = linalg.matmul ins(%a, %b : tensor<64x64xi8>, tensor<64x64xi8>) outs(%c : tensor<64x64xi32>) -> tensor<64x64xi32>
  // expected-remark @below {{stays outside the kernel: the product of integers is added to what its output held}}
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<64x64xi32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%in: i32, %out: f32):
    %2 = arith.sitofp %in : i32 to f32
    linalg.yield %2 : f32
  } -> tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}

// -----

func.func @amax(%a: tensor<200x72xbf16>, %b: tensor<72x136xbf16>, %d: tensor<200x136xf32>,
                %q: tensor<200x136xf8E4M3FN>, %amax: tensor<f32>) -> (tensor<200x136xf8E4M3FN>, tensor<f32>) {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.fill ins(%zero : f32) outs(%d : tensor<200x136xf32>) -> tensor<200x136xf32>
  // expected-note @below {{of this product}}
  %1 = linalg.matmul ins(%a, %b : tensor<200x72xbf16>, tensor<72x136xbf16>) outs(%0 : tensor<200x136xf32>) -> tensor<200x136xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%1 : tensor<200x136xf32>) outs(%amax : tensor<f32>) {
  ^bb0(%x: f32, %old: f32):
    %m = math.absf %x : f32
    %n = arith.maximumf %old, %m : f32
    linalg.yield %n : f32
  } -> tensor<f32>
  %scale = tensor.extract %2[] : tensor<f32>
  // expected-remark @below {{stays outside the kernel: amax of the product is used before it}}
  %3 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%1 : tensor<200x136xf32>) outs(%q : tensor<200x136xf8E4M3FN>) {
  ^bb0(%x: f32, %old: f8E4M3FN):
    %m = arith.mulf %x, %scale : f32
    %n = arith.truncf %m : f32 to f8E4M3FN
    linalg.yield %n : f8E4M3FN
  } -> tensor<200x136xf8E4M3FN>
  return %3, %2 : tensor<200x136xf8E4M3FN>, tensor<f32>
}
