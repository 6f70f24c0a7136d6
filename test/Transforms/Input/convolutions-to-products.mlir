// RUN: tc-opt %s --tc-convolutions-to-products=remarks --mlir-print-local-scope --split-input-file --verify-diagnostics | FileCheck %s

// Rows of the matrix are the elements of the output image, columns those of a
// window, in the order of the filter; the epilogue is collapsed with it.
// CHECK-LABEL: func.func @nhwc(
// CHECK-DAG:     %[[WINDOWS:.*]] = tmm.windows %arg0 as <output = [4, 5], window = [3, 2], channels = 24, strides = [2, 1], dilations = [1, 3], padding = [0, 0]> : tensor<2x9x8x24xbf16> to tensor<40x144xbf16>
// CHECK-DAG:     %[[FILTER:.*]] = tensor.collapse_shape %arg1 {{\[\[}}0, 1, 2], [3]] : {{.*}} into tensor<144x72xbf16>
// CHECK:         %[[ZERO:.*]] = linalg.fill
// CHECK-SAME:      tensor<40x72xf32>
// CHECK:         %[[D:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[WINDOWS]], %[[FILTER]] : {{.*}}) outs(%[[ZERO]]
// CHECK:           arith.mulf
// CHECK:           arith.addf
// CHECK:         %[[R:.*]] = linalg.generic {{.*}} ins(%[[D]], %arg2 : tensor<40x72xf32>, tensor<72xf32>)
// CHECK:         %[[X:.*]] = tensor.expand_shape %[[R]] {{\[\[}}0, 1, 2], [3]] output_shape [2, 4, 5, 72]
// CHECK:         return %[[X]]
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d3)>
func.func @nhwc(%i: tensor<2x9x8x24xbf16>, %f: tensor<3x2x24x72xbf16>, %bias: tensor<72xf32>) -> tensor<2x4x5x72xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4x5x72xf32>
  %o = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4x5x72xf32>) -> tensor<2x4x5x72xf32>
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<[2, 1]> : tensor<2xi64>, dilations = dense<[1, 3]> : tensor<2xi64>}
      ins(%i, %f : tensor<2x9x8x24xbf16>, tensor<3x2x24x72xbf16>) outs(%o : tensor<2x4x5x72xf32>) -> tensor<2x4x5x72xf32>
  %e2 = tensor.empty() : tensor<2x4x5x72xf32>
  %q = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%r, %bias : tensor<2x4x5x72xf32>, tensor<72xf32>) outs(%e2 : tensor<2x4x5x72xf32>) {
  ^bb0(%in: f32, %b: f32, %out: f32):
    %0 = arith.addf %in, %b : f32
    linalg.yield %0 : f32
  } -> tensor<2x4x5x72xf32>
  return %q : tensor<2x4x5x72xf32>
}

// -----

// The image behind the channels: a batch of products with the filter on the left.
// CHECK-LABEL: func.func @nchw(
// CHECK:         %[[ROWS:.*]] = tensor.dim %arg2, %c2
// CHECK:         tensor.empty(%[[ROWS]]) : tensor<2x?x7x24x3x3xf16>
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d2, d1)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%{{.*}}, %{{.*}} : tensor<72x216xf16>, tensor<2x?x216xf16>)
func.func @nchw(%i: tensor<2x24x?x9xf16>, %f: tensor<72x24x3x3xf16>, %o: tensor<2x72x?x7xf32>) -> tensor<2x72x?x7xf32> {
  // expected-remark @below {{its windows are gathered first: the channels are not the last dimension of the images}}
  %r = linalg.conv_2d_nchw_fchw ins(%i, %f : tensor<2x24x?x9xf16>, tensor<72x24x3x3xf16>) outs(%o : tensor<2x72x?x7xf32>) -> tensor<2x72x?x7xf32>
  return %r : tensor<2x72x?x7xf32>
}

// -----

// A window of one element: the input is the matrix.
// CHECK-LABEL: func.func @one(
// CHECK-NOT:     memref.alloc
// CHECK:         %[[A:.*]] = memref.collapse_shape %arg0 {{\[\[}}0, 1, 2], [3]]
// CHECK:         %[[B:.*]] = memref.collapse_shape %arg1 {{\[\[}}0, 1, 2], [3]]
// CHECK:         %[[D:.*]] = memref.collapse_shape %arg2 {{\[\[}}0, 1, 2], [3]]
// CHECK:         linalg.generic {{.*}} ins(%[[A]], %[[B]] : {{.*}}) outs(%[[D]]
func.func @one(%i: memref<2x9x9x32xbf16>, %f: memref<1x1x32x40xbf16>, %o: memref<2x9x9x40xf32>) {
  linalg.conv_2d_nhwc_hwcf ins(%i, %f : memref<2x9x9x32xbf16>, memref<1x1x32x40xbf16>) outs(%o : memref<2x9x9x40xf32>)
  return
}

// -----

// CHECK-LABEL: func.func @memory(
// CHECK-NOT:     memref.alloc
// CHECK:         %[[WINDOWS:.*]] = tmm.windows %arg0 as <output = [37], window = [4], channels = 32, strides = [1], dilations = [1], padding = [0]> : memref<2x40x32xf16> to memref<74x128xf16, #tmm.windows<
// CHECK:         linalg.generic {{.*}} ins(%[[WINDOWS]]
func.func @memory(%i: memref<2x40x32xf16>, %f: memref<4x32x72xf16>, %o: memref<2x37x72xf32>) {
  linalg.conv_1d_nwc_wcf ins(%i, %f : memref<2x40x32xf16>, memref<4x32x72xf16>) outs(%o : memref<2x37x72xf32>)
  return
}

// -----

// Rows apart from each other have no common stride.
// CHECK-LABEL: func.func @apart(
// CHECK:         linalg.conv_1d_nwc_wcf
func.func @apart(%i: memref<2x40x32xf16>, %f: memref<4x32x72xf16>, %o: memref<2x37x72xf32, strided<[8192, 72, 1]>>) {
  linalg.conv_1d_nwc_wcf ins(%i, %f : memref<2x40x32xf16>, memref<4x32x72xf16>) outs(%o : memref<2x37x72xf32, strided<[8192, 72, 1]>>)
  return
}

// -----

func.func @depthwise(%i: tensor<2x12x11x24xf16>, %f: tensor<3x3x24xf16>, %o: tensor<2x10x9x24xf32>) -> tensor<2x10x9x24xf32> {
  // expected-remark @below {{stays outside of products: each of its groups of channels has a filter of its own}}
  %0 = linalg.depthwise_conv_2d_nhwc_hwc ins(%i, %f : tensor<2x12x11x24xf16>, tensor<3x3x24xf16>) outs(%o : tensor<2x10x9x24xf32>) -> tensor<2x10x9x24xf32>
  return %0 : tensor<2x10x9x24xf32>
}

// -----

func.func @grouped(%i: tensor<2x3x8x12x11xf16>, %f: tensor<3x16x8x3x3xf16>, %o: tensor<2x3x16x10x9xf32>) -> tensor<2x3x16x10x9xf32> {
  // expected-remark @below {{stays outside of products: each of its groups of channels has a filter of its own}}
  %0 = linalg.conv_2d_ngchw_gfchw ins(%i, %f : tensor<2x3x8x12x11xf16>, tensor<3x16x8x3x3xf16>) outs(%o : tensor<2x3x16x10x9xf32>) -> tensor<2x3x16x10x9xf32>
  return %0 : tensor<2x3x16x10x9xf32>
}

// -----

#in = affine_map<(n, x, f, k, c) -> (n, x + k, c)>
#filter = affine_map<(n, x, f, k, c) -> (k, f, c)>
#out = affine_map<(n, x, f, k, c) -> (n, x, f)>
// CHECK-LABEL: func.func @middle(
// CHECK-DAG:     %[[WINDOWS:.*]] = tmm.windows %arg0
// CHECK-DAG:     %[[FIRST:.*]] = linalg.transpose ins(%arg1 : tensor<3x16x24xf16>) outs(%{{.*}} : tensor<16x3x24xf16>) permutation = [1, 0, 2]
// CHECK-DAG:     %[[FILTER:.*]] = tensor.collapse_shape %[[FIRST]] {{\[\[}}0], [1, 2]]
// CHECK:         linalg.generic {{.*}} ins(%[[WINDOWS]], %[[FILTER]] : tensor<20x72xf16>, tensor<16x72xf16>)
func.func @middle(%i: tensor<2x12x24xf16>, %w: tensor<3x16x24xf16>, %o: tensor<2x10x16xf32>) -> tensor<2x10x16xf32> {
  // expected-remark @below {{its filter is transposed first: the output channels are neither its first nor its last dimension}}
  %0 = linalg.generic {indexing_maps = [#in, #filter, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%i, %w : tensor<2x12x24xf16>, tensor<3x16x24xf16>) outs(%o : tensor<2x10x16xf32>) {
  ^bb0(%x: f16, %y: f16, %s: f32):
    %a = arith.extf %x : f16 to f32
    %b = arith.extf %y : f16 to f32
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<2x10x16xf32>
  return %0 : tensor<2x10x16xf32>
}

// -----

#in = affine_map<(n, x, f, k, c) -> (n, x + k, c)>
#filter = affine_map<(n, x, f, k, c) -> (k, f, c)>
#out = affine_map<(n, x, f, k, c) -> (n, x, f)>
// CHECK-LABEL: func.func @middle_of_memref(
// CHECK:         %[[FIRST:.*]] = memref.alloc() : memref<16x3x24xf16>
// CHECK:         linalg.transpose ins(%arg1 : memref<3x16x24xf16>) outs(%[[FIRST]] : memref<16x3x24xf16>) permutation = [1, 0, 2]
// CHECK:         linalg.generic
// CHECK:         memref.dealloc %[[FIRST]]
func.func @middle_of_memref(%i: memref<2x12x24xf16>, %w: memref<3x16x24xf16>, %o: memref<2x10x16xf32>) {
  // expected-remark @below {{its filter is transposed first}}
  linalg.generic {indexing_maps = [#in, #filter, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%i, %w : memref<2x12x24xf16>, memref<3x16x24xf16>) outs(%o : memref<2x10x16xf32>) {
  ^bb0(%x: f16, %y: f16, %s: f32):
    %a = arith.extf %x : f16 to f32
    %b = arith.extf %y : f16 to f32
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  }
  return
}

// -----

// Windows of one element that do not cover the image: it is not the matrix.
// CHECK-LABEL: func.func @part_of_image(
// CHECK:         tmm.windows %arg0 as <output = [5, 7], window = [1, 1], channels = 32, strides = [1, 1], dilations = [1, 1], padding = [0, 0]>
// CHECK-SAME:      to tensor<70x32xbf16>
func.func @part_of_image(%i: tensor<2x6x9x32xbf16>, %f: tensor<1x1x32x40xbf16>, %o: tensor<2x5x7x40xf32>) -> tensor<2x5x7x40xf32> {
  %r = linalg.conv_2d_nhwc_hwcf ins(%i, %f : tensor<2x6x9x32xbf16>, tensor<1x1x32x40xbf16>) outs(%o : tensor<2x5x7x40xf32>) -> tensor<2x5x7x40xf32>
  return %r : tensor<2x5x7x40xf32>
}

// -----

// What the body does to the elements stays: the product is read from it. Channels of
// 24 bytes are padded to 32, of the images and of the filter.
#in = affine_map<(n, x, f, k, c) -> (n, x + k, c)>
#filter = affine_map<(n, x, f, k, c) -> (k, c, f)>
#out = affine_map<(n, x, f, k, c) -> (n, x, f)>
// CHECK-LABEL: func.func @body(
// CHECK:         %[[I:.*]] = tensor.pad %arg0 low[0, 0, 0] high[0, 0, 8]
// CHECK:         tensor<2x12x24xi8> to tensor<2x12x32xi8>
// CHECK:         %[[F:.*]] = tensor.pad %arg1 low[0, 0, 0] high[0, 8, 0]
// CHECK:         tensor<3x24x16xi8> to tensor<3x32x16xi8>
// CHECK:         tmm.windows %[[I]] as <output = [10], window = [3], channels = 32, {{.*}}> : tensor<2x12x32xi8> to tensor<20x96xi8>
// CHECK:         tensor.collapse_shape %[[F]] {{.*}} into tensor<96x16xi8>
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]
// CHECK:           arith.extui %{{.*}} : i8 to i32
// CHECK:           arith.extsi %{{.*}} : i8 to i32
func.func @body(%i: tensor<2x12x24xi8>, %w: tensor<3x24x16xi8>, %o: tensor<2x10x16xi32>) -> tensor<2x10x16xi32> {
  // expected-remark @below {{its channels are padded from 24 to 32 first, which TMA can load}}
  %0 = linalg.generic {indexing_maps = [#in, #filter, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%i, %w : tensor<2x12x24xi8>, tensor<3x24x16xi8>) outs(%o : tensor<2x10x16xi32>) {
  ^bb0(%x: i8, %y: i8, %s: i32):
    %a = arith.extui %x : i8 to i32
    %b = arith.extsi %y : i8 to i32
    %p = arith.muli %a, %b : i32
    %t = arith.addi %s, %p : i32
    linalg.yield %t : i32
  } -> tensor<2x10x16xi32>
  return %0 : tensor<2x10x16xi32>
}

// -----

// What pads the images with zeros is part of the windows; with something else it stays.
// CHECK-LABEL: func.func @padded(
// CHECK-NOT:     tensor.pad
// CHECK:         tmm.windows %arg0 as <output = [10], window = [3], channels = 24, strides = [1], dilations = [1], padding = [2]> : tensor<2x9x24xf16> to tensor<20x72xf16>
func.func @padded(%i: tensor<2x9x24xf16>, %f: tensor<3x24x16xf16>, %o: tensor<2x10x16xf32>) -> tensor<2x10x16xf32> {
  %zero = arith.constant 0.0 : f16
  %p = tensor.pad %i low[0, 2, 0] high[0, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index):
    tensor.yield %zero : f16
  } : tensor<2x9x24xf16> to tensor<2x12x24xf16>
  %0 = linalg.conv_1d_nwc_wcf ins(%p, %f : tensor<2x12x24xf16>, tensor<3x24x16xf16>) outs(%o : tensor<2x10x16xf32>) -> tensor<2x10x16xf32>
  return %0 : tensor<2x10x16xf32>
}

// CHECK-LABEL: func.func @ones(
// CHECK:         %[[P:.*]] = tensor.pad
// CHECK:         tmm.windows %[[P]] as <{{.*}} padding = [0]> : tensor<2x12x24xf16>
func.func @ones(%i: tensor<2x9x24xf16>, %f: tensor<3x24x16xf16>, %o: tensor<2x10x16xf32>) -> tensor<2x10x16xf32> {
  %one = arith.constant 1.0 : f16
  %p = tensor.pad %i low[0, 2, 0] high[0, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index):
    tensor.yield %one : f16
  } : tensor<2x9x24xf16> to tensor<2x12x24xf16>
  %0 = linalg.conv_1d_nwc_wcf ins(%p, %f : tensor<2x12x24xf16>, tensor<3x24x16xf16>) outs(%o : tensor<2x10x16xf32>) -> tensor<2x10x16xf32>
  return %0 : tensor<2x10x16xf32>
}

// 3 channels, inside of the padding of the image, which stays part of the windows; 1 of
// 8 bits, which would be 16 times as many, and memrefs, which are gathered, stay.
// CHECK-LABEL: func.func @colours(
// CHECK:         %[[I:.*]] = tensor.pad %arg0 low[0, 0, 0] high[0, 0, 5]
// CHECK:         %[[F:.*]] = tensor.pad %arg1 low[0, 0, 0] high[0, 0, 5]
// CHECK:         tensor<16x3x3xf16> to tensor<16x3x8xf16>
// CHECK:         tmm.windows %[[I]] as <output = [10], window = [3], channels = 8, strides = [1], dilations = [1], padding = [2]> : tensor<2x9x8xf16> to tensor<20x24xf16>
#colours = affine_map<(n, x, f, k, c) -> (n, x + k, c)>
#first = affine_map<(n, x, f, k, c) -> (f, k, c)>
#pixels = affine_map<(n, x, f, k, c) -> (n, x, f)>
func.func @colours(%i: tensor<2x9x3xf16>, %f: tensor<16x3x3xf16>, %o: tensor<2x10x16xf32>) -> tensor<2x10x16xf32> {
  %zero = arith.constant 0.0 : f16
  %p = tensor.pad %i low[0, 2, 0] high[0, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index):
    tensor.yield %zero : f16
  } : tensor<2x9x3xf16> to tensor<2x12x3xf16>
  // expected-remark @below {{its channels are padded from 3 to 8 first, which TMA can load}}
  %0 = linalg.generic {indexing_maps = [#colours, #first, #pixels], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%p, %f : tensor<2x12x3xf16>, tensor<16x3x3xf16>) outs(%o : tensor<2x10x16xf32>) {
  ^bb0(%x: f16, %y: f16, %s: f32):
    %a = arith.extf %x : f16 to f32
    %b = arith.extf %y : f16 to f32
    %q = arith.mulf %a, %b : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<2x10x16xf32>
  return %0 : tensor<2x10x16xf32>
}

// CHECK-LABEL: func.func @grey(
// CHECK:         tmm.windows %arg0 as <{{.*}} channels = 1,
func.func @grey(%i: tensor<2x12x1xi8>, %f: tensor<3x1x16xi8>, %o: tensor<2x10x16xi32>) -> tensor<2x10x16xi32> {
  %0 = linalg.conv_1d_nwc_wcf ins(%i, %f : tensor<2x12x1xi8>, tensor<3x1x16xi8>) outs(%o : tensor<2x10x16xi32>) -> tensor<2x10x16xi32>
  return %0 : tensor<2x10x16xi32>
}

// CHECK-LABEL: func.func @buffers(
// CHECK:         tmm.windows %arg0 as <{{.*}} channels = 3,
func.func @buffers(%i: memref<2x12x3xf16>, %f: memref<3x3x16xf16>, %o: memref<2x10x16xf32>) {
  linalg.conv_1d_nwc_wcf ins(%i, %f : memref<2x12x3xf16>, memref<3x3x16xf16>) outs(%o : memref<2x10x16xf32>)
  return
}

// More channels than the images have are no windows of these.
// CHECK-LABEL: func.func @channels(
// CHECK:         %[[P:.*]] = tensor.pad
// CHECK:         tmm.windows %[[P]]
func.func @channels(%i: tensor<2x12x20xf16>, %f: tensor<3x24x16xf16>, %o: tensor<2x10x16xf32>) -> tensor<2x10x16xf32> {
  %zero = arith.constant 0.0 : f16
  %p = tensor.pad %i low[0, 0, 0] high[0, 0, 4] {
  ^bb0(%a: index, %b: index, %c: index):
    tensor.yield %zero : f16
  } : tensor<2x12x20xf16> to tensor<2x12x24xf16>
  %0 = linalg.conv_1d_nwc_wcf ins(%p, %f : tensor<2x12x24xf16>, tensor<3x24x16xf16>) outs(%o : tensor<2x10x16xf32>) -> tensor<2x10x16xf32>
  return %0 : tensor<2x10x16xf32>
}

// -----

func.func @dynamic(%i: tensor<2x?x24xf16>, %f: tensor<3x24x16xf16>, %o: tensor<2x?x16xf32>) -> tensor<2x?x16xf32> {
  // expected-remark @below {{its windows are gathered first: an image has sizes that are not static}}
  %0 = linalg.conv_1d_nwc_wcf ins(%i, %f : tensor<2x?x24xf16>, tensor<3x24x16xf16>) outs(%o : tensor<2x?x16xf32>) -> tensor<2x?x16xf32>
  return %0 : tensor<2x?x16xf32>
}

func.func @parts(%i: tensor<2x12x24xf32>, %f: tensor<3x24x16xf32>, %o: tensor<2x10x16xf32>) -> tensor<2x10x16xf32> {
  // expected-remark @below {{its windows are gathered first: products of f32 are sums of products of parts of its elements}}
  %0 = linalg.conv_1d_nwc_wcf ins(%i, %f : tensor<2x12x24xf32>, tensor<3x24x16xf32>) outs(%o : tensor<2x10x16xf32>) -> tensor<2x10x16xf32>
  return %0 : tensor<2x10x16xf32>
}

func.func @apart(%i: memref<2x12x24xf16, strided<[1000, 60, 2]>>, %f: memref<3x24x16xf16>, %o: memref<2x10x16xf32>) {
  // expected-remark @below {{its windows are gathered first: the channels of an element are not next to each other}}
  linalg.conv_1d_nwc_wcf ins(%i, %f : memref<2x12x24xf16, strided<[1000, 60, 2]>>, memref<3x24x16xf16>) outs(%o : memref<2x10x16xf32>)
  return
}

// -----

#in = affine_map<(n, m, x, f, k, c) -> (n, m, x + k, c)>
#filter = affine_map<(n, m, x, f, k, c) -> (k, c, f)>
#out = affine_map<(n, m, x, f, k, c) -> (n, m, x, f)>
func.func @batches(%i: tensor<2x3x12x24xf16>, %w: tensor<3x24x16xf16>, %o: tensor<2x3x10x16xf32>) -> tensor<2x3x10x16xf32> {
  // expected-remark @below {{its windows are gathered first: the filter has other dimensions than the image, in another order}}
  %0 = linalg.generic {indexing_maps = [#in, #filter, #out], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%i, %w : tensor<2x3x12x24xf16>, tensor<3x24x16xf16>) outs(%o : tensor<2x3x10x16xf32>) {
  ^bb0(%x: f16, %y: f16, %s: f32):
    %a = arith.extf %x : f16 to f32
    %b = arith.extf %y : f16 to f32
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<2x3x10x16xf32>
  return %0 : tensor<2x3x10x16xf32>
}

// -----

#in = affine_map<(x, f, k, c) -> (x + k, c)>
#filter = affine_map<(x, f, k, c) -> (k, c, f)>
#out = affine_map<(x, f, k, c) -> (x, f)>
func.func @one_image(%i: tensor<12x24xf16>, %w: tensor<3x24x16xf16>, %o: tensor<10x16xf32>) -> tensor<10x16xf32> {
  // expected-remark @below {{its windows are gathered first: there is no dimension of images before one to three of an image}}
  %0 = linalg.generic {indexing_maps = [#in, #filter, #out], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%i, %w : tensor<12x24xf16>, tensor<3x24x16xf16>) outs(%o : tensor<10x16xf32>) {
  ^bb0(%x: f16, %y: f16, %s: f32):
    %a = arith.extf %x : f16 to f32
    %b = arith.extf %y : f16 to f32
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<10x16xf32>
  return %0 : tensor<10x16xf32>
}
