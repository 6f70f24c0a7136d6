// Elementwise operations that all read a product are one epilogue where none is computed twice.
// RUN: tc-opt %s -convert-linalg-to-tmm -verify-diagnostics -split-input-file | FileCheck %s

#m = affine_map<(i, j) -> (i, j)>

// x * sigmoid(x).
// CHECK-LABEL: func.func @silu(
// CHECK:         tmm.matmul
// CHECK-SAME:      epilogue
// CHECK:           math.exp
// CHECK:           arith.mulf
// CHECK-NOT:     linalg.
func.func @silu(%a: tensor<8x16xbf16>, %b: tensor<16x24xbf16>) -> tensor<8x24xf32> {
  %z = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<8x24xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x24xf32>) -> tensor<8x24xf32>
  %p = linalg.matmul ins(%a, %b : tensor<8x16xbf16>, tensor<16x24xbf16>) outs(%f : tensor<8x24xf32>) -> tensor<8x24xf32>
  %n = linalg.negf ins(%p : tensor<8x24xf32>) outs(%e : tensor<8x24xf32>) -> tensor<8x24xf32>
  %s = linalg.generic {indexing_maps = [#m, #m], iterator_types = ["parallel", "parallel"]} ins(%n : tensor<8x24xf32>) outs(%e : tensor<8x24xf32>) {
  ^bb0(%x: f32, %o: f32):
    %1 = math.exp %x : f32
    %2 = arith.addf %1, %one : f32
    %3 = arith.divf %one, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<8x24xf32>
  %r = linalg.mul ins(%p, %s : tensor<8x24xf32>, tensor<8x24xf32>) outs(%e : tensor<8x24xf32>) -> tensor<8x24xf32>
  return %r : tensor<8x24xf32>
}

// -----

#m = affine_map<(i, j) -> (i, j)>

// What is returned, too, is not merged away.
// CHECK-LABEL: func.func @kept(
// CHECK:         tmm.matmul
// CHECK-NOT:       epilogue
// CHECK:         linalg.exp
// CHECK:         linalg.mul
func.func @kept(%a: tensor<8x16xbf16>, %b: tensor<16x24xbf16>) -> (tensor<8x24xf32>, tensor<8x24xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x24xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x24xf32>) -> tensor<8x24xf32>
  // expected-note @below {{of this product}}
  %p = linalg.matmul ins(%a, %b : tensor<8x16xbf16>, tensor<16x24xbf16>) outs(%f : tensor<8x24xf32>) -> tensor<8x24xf32>
  // expected-remark @below {{stays outside the kernel: the product is also used by 'linalg.mul'}}
  %s = linalg.exp ins(%p : tensor<8x24xf32>) outs(%e : tensor<8x24xf32>) -> tensor<8x24xf32>
  // expected-remark @below {{stays outside the kernel: the product is also used by 'linalg.exp'}}
  %r = linalg.mul ins(%p, %s : tensor<8x24xf32>, tensor<8x24xf32>) outs(%e : tensor<8x24xf32>) -> tensor<8x24xf32>
  return %r, %s : tensor<8x24xf32>, tensor<8x24xf32>
}

// -----

#m = affine_map<(i, j) -> (i, j)>

// A consumer that reads the product twice, and one whose output is not an input of the next.
// CHECK-LABEL: func.func @twice(
// CHECK:         tmm.matmul
// CHECK-SAME:      epilogue
// CHECK:           %[[S:.*]] = arith.mulf
// CHECK:           arith.addf
// CHECK-NOT:     linalg.
func.func @twice(%a: tensor<8x16xbf16>, %b: tensor<16x24xbf16>) -> tensor<8x24xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x24xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x24xf32>) -> tensor<8x24xf32>
  %p = linalg.matmul ins(%a, %b : tensor<8x16xbf16>, tensor<16x24xbf16>) outs(%f : tensor<8x24xf32>) -> tensor<8x24xf32>
  %q = linalg.mul ins(%p, %p : tensor<8x24xf32>, tensor<8x24xf32>) outs(%e : tensor<8x24xf32>) -> tensor<8x24xf32>
  %r = linalg.add ins(%p, %q : tensor<8x24xf32>, tensor<8x24xf32>) outs(%e : tensor<8x24xf32>) -> tensor<8x24xf32>
  return %r : tensor<8x24xf32>
}

// -----

#m = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func.func @as_output(
// CHECK:         tmm.matmul
// CHECK:         math.absf
// CHECK:         linalg.mul
func.func @as_output(%a: tensor<8x16xbf16>, %b: tensor<16x24xbf16>) -> tensor<8x24xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x24xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x24xf32>) -> tensor<8x24xf32>
  // expected-note @below {{of this product}}
  %p = linalg.matmul ins(%a, %b : tensor<8x16xbf16>, tensor<16x24xbf16>) outs(%f : tensor<8x24xf32>) -> tensor<8x24xf32>
  // expected-remark @below {{stays outside the kernel: the product is also used by 'linalg.mul'}}
  %s = linalg.generic {indexing_maps = [#m, #m], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<8x24xf32>) outs(%e : tensor<8x24xf32>) {
  ^bb0(%x: f32, %o: f32):
    %1 = math.absf %x : f32
    linalg.yield %1 : f32
  } -> tensor<8x24xf32>
  // expected-remark @below {{stays outside the kernel: the product is also used by 'linalg.generic'}}
  %r = linalg.mul ins(%p, %p : tensor<8x24xf32>, tensor<8x24xf32>) outs(%s : tensor<8x24xf32>) -> tensor<8x24xf32>
  return %r : tensor<8x24xf32>
}
