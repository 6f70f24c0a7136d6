// RUN: tc-opt %s --tc-fold-constants --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @converted(
// CHECK-DAG:     arith.constant dense<[1.000000e+00, 2.500000e+00, -3.000000e+00]> : tensor<3xf32>
// CHECK-NOT:     linalg
#v = affine_map<(j) -> (j)>
func.func @converted() -> tensor<3xf32> {
  %b = arith.constant dense<[1.0, 2.5, -3.0]> : tensor<3xbf16>
  %e = tensor.empty() : tensor<3xf32>
  %f = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%b : tensor<3xbf16>) outs(%e : tensor<3xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %1 = arith.extf %a : bf16 to f32
    linalg.yield %1 : f32
  } -> tensor<3xf32>
  return %f : tensor<3xf32>
}

// -----

// Two vectors and a number, then a reshape.
// CHECK-LABEL: func.func @computed(
// CHECK:         %[[R:.*]] = arith.constant dense<{{\[\[}}1.100000e+01, 4.200000e+01]]> : tensor<1x2xf32>
// CHECK:         return %[[R]]
#v = affine_map<(j) -> (j)>
#s = affine_map<(j) -> ()>
func.func @computed() -> tensor<1x2xf32> {
  %a = arith.constant dense<[5.0, 20.0]> : tensor<2xf32>
  %b = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %two = arith.constant dense<2.0> : tensor<f32>
  %e = tensor.empty() : tensor<2xf32>
  %f = linalg.generic {indexing_maps = [#v, #s, #v, #v], iterator_types = ["parallel"]} ins(%a, %two, %b : tensor<2xf32>, tensor<f32>, tensor<2xf32>) outs(%e : tensor<2xf32>) {
  ^bb0(%x: f32, %t: f32, %y: f32, %o: f32):
    %1 = arith.mulf %x, %t : f32
    %2 = arith.addf %1, %y : f32
    linalg.yield %2 : f32
  } -> tensor<2xf32>
  %r = tensor.expand_shape %f [[0, 1]] output_shape [1, 2] : tensor<2xf32> into tensor<1x2xf32>
  return %r : tensor<1x2xf32>
}

// -----

// Matrices, what an argument is in, and what depends on where an element is.
// CHECK-LABEL: func.func @kept(
// CHECK-COUNT-3: linalg.generic
#v = affine_map<(j) -> (j)>
#m = affine_map<(i, j) -> (i, j)>
func.func @kept(%x: tensor<2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xbf16>
  %b = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %ew = tensor.empty() : tensor<2x2xf32>
  %eb = tensor.empty() : tensor<2xf32>
  %0 = linalg.generic {indexing_maps = [#m, #m], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<2x2xbf16>) outs(%ew : tensor<2x2xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %1 = arith.extf %a : bf16 to f32
    linalg.yield %1 : f32
  } -> tensor<2x2xf32>
  %2 = linalg.generic {indexing_maps = [#v, #v, #v], iterator_types = ["parallel"]} ins(%x, %b : tensor<2xf32>, tensor<2xf32>) outs(%eb : tensor<2xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %1 = arith.addf %a, %c : f32
    linalg.yield %1 : f32
  } -> tensor<2xf32>
  %3 = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%b : tensor<2xf32>) outs(%eb : tensor<2xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %1 = math.fpowi %a, %n : f32, i32
    linalg.yield %1 : f32
  } -> tensor<2xf32>
  return %0, %2, %3 : tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>
}

// -----

// As torch-mlir prints a batch norm: a resource, a number that is rounded, and a
// check of what is divided by.
// CHECK-LABEL: func.func @checked(
// CHECK:         arith.constant dense<[2.000000e+00, 3.000000e+00]> : tensor<2xf32>
// CHECK-NOT:     linalg.generic
// CHECK-NOT:     cf.assert
#v = affine_map<(j) -> (j)>
func.func @checked() -> tensor<2xf32> {
  %b = arith.constant dense_resource<numbers> : tensor<2xf32>
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f64
  %e = tensor.empty() : tensor<2xf32>
  %0 = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%b : tensor<2xf32>) outs(%e : tensor<2xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.truncf %one : f64 to f32
    %1 = arith.addf %a, %n : f32
    %2 = arith.cmpf one, %1, %zero : f32
    cf.assert %2, "zero"
    linalg.yield %1 : f32
  } -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
{-#
  dialect_resources: {
    builtin: {
      numbers: "0x040000000000803F00000040"
    }
  }
#-}

// -----

// A fill stays, and is a number to what reads it.
// CHECK-LABEL: func.func @filled(
// CHECK:         linalg.fill
// CHECK:         arith.constant dense<3.000000e+00> : tensor<4xf32>
#v = affine_map<(j) -> (j)>
func.func @filled() -> (tensor<4xf32>, tensor<4xf32>) {
  %one = arith.constant 1.0 : f32
  %two = arith.constant dense<2.0> : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.fill ins(%one : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %f = linalg.generic {indexing_maps = [#v, #v, #v], iterator_types = ["parallel"]} ins(%a, %two : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %1 = arith.addf %x, %y : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %a, %f : tensor<4xf32>, tensor<4xf32>
}
