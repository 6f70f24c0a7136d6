// RUN: tc-opt %s --tc-fuse-elementwise --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @chain(
// CHECK-COUNT-1: linalg.generic
// CHECK:         arith.mulf
// CHECK:         arith.addf
// CHECK-NOT:     linalg.generic
#m = affine_map<(i) -> (i)>
func.func @chain(%x: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.generic {indexing_maps = [#m, #m], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.mulf %a, %a : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  %2 = linalg.generic {indexing_maps = [#m, #m, #m], iterator_types = ["parallel"]} ins(%0, %x : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  return %2 : tensor<?xf32>
}

// -----

// The sizes of the reshape are computed after what it would move before.
// CHECK-LABEL: func.func @padded(
// CHECK:         tensor.pad
// CHECK:         arith.divsi
// CHECK:         tensor.expand_shape
func.func @padded(%x: tensor<?x?xf16>) -> tensor<?x2x?xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f16
  %n = tensor.dim %x, %c0 : tensor<?x?xf16>
  %k = tensor.dim %x, %c1 : tensor<?x?xf16>
  %p = tensor.pad %x low[0, 2] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f16
  } : tensor<?x?xf16> to tensor<?x?xf16>
  %k4 = affine.apply affine_map<()[s0] -> (s0 + 4)>()[%k]
  %h = arith.divsi %n, %c2 : index
  %r = tensor.expand_shape %p [[0, 1], [2]] output_shape [%h, 2, %k4] : tensor<?x?xf16> into tensor<?x2x?xf16>
  return %r : tensor<?x2x?xf16>
}
