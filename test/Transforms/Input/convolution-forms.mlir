// RUN: tc-opt %s --tc-convolutions-to-products=remarks --split-input-file --verify-diagnostics | FileCheck %s

// The filter is the first factor.
// CHECK-LABEL: func.func @filter_first(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<1x10x12x16xbf16>
// CHECK-DAG:     %[[WINDOWS:.*]] = tmm.windows %[[X]]
// CHECK-DAG:     tensor.collapse_shape %{{.*}} : tensor<3x3x16x32xbf16> into tensor<144x32xbf16>
// CHECK:         linalg.generic {{.*}} ins(%[[WINDOWS]],
#x = affine_map<(n, y, x, c, ry, rx, rz) -> (n, y + ry, x + rx, rz)>
#w = affine_map<(n, y, x, c, ry, rx, rz) -> (ry, rx, rz, c)>
#o = affine_map<(n, y, x, c, ry, rx, rz) -> (n, y, x, c)>
func.func @filter_first(%x: tensor<1x10x12x16xbf16>, %w: tensor<3x3x16x32xbf16>, %o: tensor<1x8x10x32xf32>) -> tensor<1x8x10x32xf32> {
  %r = linalg.generic {indexing_maps = [#w, #x, #o], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%w, %x : tensor<3x3x16x32xbf16>, tensor<1x10x12x16xbf16>) outs(%o : tensor<1x8x10x32xf32>) {
  ^bb0(%i: bf16, %f: bf16, %b: f32):
    %1 = arith.extf %i : bf16 to f32
    %2 = arith.extf %f : bf16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %b, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<1x8x10x32xf32>
  return %r : tensor<1x8x10x32xf32>
}

// -----

// What is broadcast is read as it is, by the collapsed operation.
// CHECK-LABEL: func.func @bias(
// CHECK-SAME:    %[[B:[^:]*]]: tensor<128xf32>)
// CHECK:         %[[D:.*]] = linalg.generic
// CHECK:         linalg.generic {{.*}} ins(%[[D]], %[[B]] : tensor<392x128xf32>, tensor<128xf32>)
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      arith.addf
func.func @bias(%x: tensor<2x16x16x64xbf16>, %w: tensor<3x3x64x128xbf16>, %b: tensor<128xf32>) -> tensor<2x14x14x128xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x14x14x128xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x14x14x128xf32>) -> tensor<2x14x14x128xf32>
  %c = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<2x16x16x64xbf16>, tensor<3x3x64x128xbf16>) outs(%f : tensor<2x14x14x128xf32>) -> tensor<2x14x14x128xf32>
  %bb = linalg.broadcast ins(%b : tensor<128xf32>) outs(%e : tensor<2x14x14x128xf32>) dimensions = [0, 1, 2]
  %r = linalg.add ins(%c, %bb : tensor<2x14x14x128xf32>, tensor<2x14x14x128xf32>) outs(%e : tensor<2x14x14x128xf32>) -> tensor<2x14x14x128xf32>
  return %r : tensor<2x14x14x128xf32>
}

// -----

// Zero points stay in the body, as inputs that are numbers.
// CHECK-LABEL: func.func @zero_points(
// CHECK:         %[[WINDOWS:.*]] = tmm.windows
// CHECK:         linalg.generic {{.*}} ins(%[[WINDOWS]], %{{.*}}, %{{.*}}, %{{.*}} : tensor<36x144xi8>, tensor<144x32xi8>, i32, i32)
// CHECK:           arith.subi
func.func @zero_points(%a: tensor<1x8x8x16xi8>, %b: tensor<3x3x16x32xi8>, %c: tensor<1x6x6x32xi32>) -> tensor<1x6x6x32xi32> {
  %zero = arith.constant 0 : i32
  %three = arith.constant 3 : i32
  %0 = linalg.conv_2d_nhwc_hwcf_q ins(%a, %b, %three, %zero : tensor<1x8x8x16xi8>, tensor<3x3x16x32xi8>, i32, i32) outs(%c : tensor<1x6x6x32xi32>) -> tensor<1x6x6x32xi32>
  return %0 : tensor<1x6x6x32xi32>
}

// -----

func.func @zero_point_of_filter(%a: tensor<1x8x8x16xi8>, %b: tensor<3x3x16x32xi8>, %c: tensor<1x6x6x32xi32>) -> tensor<1x6x6x32xi32> {
  %two = arith.constant 2 : i32
  // expected-remark @below {{its windows are gathered first: the zero point of its filter is not 0}}
  %0 = linalg.conv_2d_nhwc_hwcf_q ins(%a, %b, %two, %two : tensor<1x8x8x16xi8>, tensor<3x3x16x32xi8>, i32, i32) outs(%c : tensor<1x6x6x32xi32>) -> tensor<1x6x6x32xi32>
  return %0 : tensor<1x6x6x32xi32>
}
