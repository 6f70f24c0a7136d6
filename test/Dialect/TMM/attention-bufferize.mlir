// RUN: tc-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --canonicalize | FileCheck %s

// A result for each output that was a tensor; what nobody reads is written in place.
// CHECK-LABEL: func.func @mixed(
// CHECK-SAME: %[[Q:.*]]: memref<64x64xbf16>, %[[O:.*]]: memref<64x64xbf16>, %[[L:.*]]: memref<64xf32>)
// CHECK-NOT: memref.copy
// CHECK: tmm.attention %[[Q]], %[[Q]], %[[Q]] scale(1.000000e+00) outs(%[[O]] : memref<64x64xbf16>, %[[L]] : memref<64xf32>) {name = "kept"}
// CHECK: return %[[O]]
func.func @mixed(%q: tensor<64x64xbf16>, %o: tensor<64x64xbf16> {bufferization.writable = true}, %l: memref<64xf32>) -> tensor<64x64xbf16> {
  %r = tmm.attention %q, %q, %q scale(1.0) outs(%o : tensor<64x64xbf16>, %l : memref<64xf32>) {name = "kept"}
    : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xbf16>
  return %r : tensor<64x64xbf16>
}

// CHECK-LABEL: func.func @both(
// CHECK: tmm.attention {{.*}} diagonal(1) window(2) outs(%{{.*}} : memref<64x64xf32>, %{{.*}} : memref<64xf32>)
func.func @both(%q: tensor<64x64xbf16>, %o: tensor<64x64xf32>, %l: tensor<64xf32>) -> (tensor<64x64xf32>, tensor<64xf32>) {
  %r:2 = tmm.attention %q, %q, %q scale(1.0) diagonal(1) window(2) outs(%o : tensor<64x64xf32>, %l : tensor<64xf32>)
    : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>, tensor<64xf32>
  return %r#0, %r#1 : tensor<64x64xf32>, tensor<64xf32>
}

// What Q is is still read: the output gets a buffer of its own.
// CHECK-LABEL: func.func @in_place(
// CHECK: %[[A:.*]] = memref.alloc
// CHECK: tmm.attention {{.*}} outs(%[[A]] : memref<64x64xbf16>)
func.func @in_place(%q: tensor<64x64xbf16> {bufferization.writable = true}) -> tensor<64x64xbf16> {
  %r = tmm.attention %q, %q, %q scale(1.0) outs(%q : tensor<64x64xbf16>)
    : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xbf16>
  return %r : tensor<64x64xbf16>
}

// CHECK-LABEL: func.func @bias(
// CHECK-SAME: %[[Q:.*]]: memref<64x64xbf16>, %[[B:.*]]: memref<1x64xf32>, %[[O:.*]]: memref<64x64xbf16>)
// CHECK-NOT: memref.copy
// CHECK: tmm.attention %[[Q]], %[[Q]], %[[Q]] scale(1.000000e+00) bias(%[[B]] : memref<1x64xf32>) outs(%[[O]] : memref<64x64xbf16>) {nan_if_hidden}
func.func @bias(%q: tensor<64x64xbf16>, %b: tensor<1x64xf32>, %o: tensor<64x64xbf16> {bufferization.writable = true}) -> tensor<64x64xbf16> {
  %r = tmm.attention %q, %q, %q scale(1.0) bias(%b : tensor<1x64xf32>) outs(%o : tensor<64x64xbf16>) {nan_if_hidden}
    : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xbf16>
  return %r : tensor<64x64xbf16>
}
