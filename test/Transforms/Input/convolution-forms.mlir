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

// -----

// Dimensions of one element are dropped, as of the numbers of a batch norm, and
// what is elementwise is collapsed through what is before it.
// CHECK-LABEL: func.func @units(
// CHECK-SAME:    %[[S:[^:]*]]: tensor<128xf32>)
// CHECK:         %[[D:.*]] = linalg.generic
// CHECK:         %[[T:.*]] = linalg.generic {{.*}} ins(%[[D]], %[[S]] : tensor<392x128xf32>, tensor<128xf32>)
// CHECK:         linalg.generic {{.*}} ins(%[[T]] : tensor<392x128xf32>)
#image = affine_map<(n, h, w, c) -> (n, h, w, c)>
#units = affine_map<(n, h, w, c) -> (0, 0, c)>
func.func @units(%x: tensor<2x16x16x64xbf16>, %w: tensor<3x3x64x128xbf16>, %s: tensor<128xf32>) -> tensor<2x14x14x128xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x14x14x128xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x14x14x128xf32>) -> tensor<2x14x14x128xf32>
  %c = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<2x16x16x64xbf16>, tensor<3x3x64x128xbf16>) outs(%f : tensor<2x14x14x128xf32>) -> tensor<2x14x14x128xf32>
  %su = tensor.expand_shape %s [[0, 1, 2]] output_shape [1, 1, 128] : tensor<128xf32> into tensor<1x1x128xf32>
  %m = linalg.generic {indexing_maps = [#image, #units, #image], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%c, %su : tensor<2x14x14x128xf32>, tensor<1x1x128xf32>) outs(%e : tensor<2x14x14x128xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.mulf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<2x14x14x128xf32>
  %r = linalg.generic {indexing_maps = [#image, #image], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%m : tensor<2x14x14x128xf32>) outs(%e : tensor<2x14x14x128xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.maximumf %a, %z : f32
    linalg.yield %1 : f32
  } -> tensor<2x14x14x128xf32>
  return %r : tensor<2x14x14x128xf32>
}

// -----

// Blocks of what follows a product are no image.
// CHECK-LABEL: func.func @blocks(
// CHECK:         %[[R:.*]] = linalg.max
// CHECK:         %[[B:.*]] = tensor.expand_shape %[[R]]
// CHECK:         linalg.abs ins(%[[B]] : tensor<256x4x32xf32>)
func.func @blocks(%x: tensor<256x64xbf16>, %w: tensor<64x128xbf16>, %zeros: tensor<256x128xf32>, %e: tensor<256x4x32xf32>) -> tensor<256x4x32xf32> {
  %p = linalg.matmul ins(%x, %w : tensor<256x64xbf16>, tensor<64x128xbf16>) outs(%zeros : tensor<256x128xf32>) -> tensor<256x128xf32>
  %m = linalg.max ins(%p, %zeros : tensor<256x128xf32>, tensor<256x128xf32>) outs(%zeros : tensor<256x128xf32>) -> tensor<256x128xf32>
  %b = tensor.expand_shape %m [[0], [1, 2]] output_shape [256, 4, 32] : tensor<256x128xf32> into tensor<256x4x32xf32>
  %r = linalg.abs ins(%b : tensor<256x4x32xf32>) outs(%e : tensor<256x4x32xf32>) -> tensor<256x4x32xf32>
  return %r : tensor<256x4x32xf32>
}

// -----

// What pads images whose windows are gathered is gathered with them.
// CHECK-LABEL: func.func @padded(
// CHECK-NOT:     tensor.pad
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<2x12x10x8x3x3xf16>)
// CHECK:           %[[INSIDE:.*]] = arith.cmpi ult
// CHECK:           %[[X:.*]] = tensor.extract %arg0
// CHECK:           arith.select %{{.*}}, %[[X]], %{{.*}} : f16
func.func @padded(%x: tensor<2x8x12x10xf16>, %w: tensor<24x8x3x3xf16>, %d: tensor<2x24x12x10xf32>) -> tensor<2x24x12x10xf32> {
  %z = arith.constant 0.0 : f16
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %z : f16
  } : tensor<2x8x12x10xf16> to tensor<2x8x14x12xf16>
  // expected-remark @below {{its windows are gathered first: the channels are not the last dimension of the images}}
  %c = linalg.conv_2d_nchw_fchw ins(%p, %w : tensor<2x8x14x12xf16>, tensor<24x8x3x3xf16>) outs(%d : tensor<2x24x12x10xf32>) -> tensor<2x24x12x10xf32>
  return %c : tensor<2x24x12x10xf32>
}
