// RUN: tc-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --canonicalize | FileCheck %s

// A result for each output; what nobody reads is written in place.
// CHECK-LABEL: func.func @all(
// CHECK-SAME: %[[Q:.*]]: memref<64x64xbf16>, %[[L:.*]]: memref<64xf32>, %[[DQ:.*]]: memref<64x64xbf16>, %[[DK:.*]]: memref<64x64xbf16>, %[[DV:.*]]: memref<64x64xbf16>)
// CHECK-NOT: memref.copy
// CHECK: tmm.attention_backward %[[Q]], %[[Q]], %[[Q]], %[[Q]], %[[L]], %[[L]] scale(1.000000e+00) diagonal(1) window(2) dq(%[[DQ]] : memref<64x64xbf16>) dk_dv(%[[DK]], %[[DV]] : memref<64x64xbf16>, memref<64x64xbf16>) {name = "kept"}
// CHECK: return %[[DQ]], %[[DK]], %[[DV]]
func.func @all(%q: tensor<64x64xbf16>, %l: tensor<64xf32>, %dq: tensor<64x64xbf16> {bufferization.writable = true},
               %dk: tensor<64x64xbf16> {bufferization.writable = true}, %dv: tensor<64x64xbf16> {bufferization.writable = true})
    -> (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xbf16>) {
  %r:3 = tmm.attention_backward %q, %q, %q, %q, %l, %l scale(1.0) diagonal(1) window(2)
    dq(%dq : tensor<64x64xbf16>) dk_dv(%dk, %dv : tensor<64x64xbf16>, tensor<64x64xbf16>) {name = "kept"}
    : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64xf32>, tensor<64xf32> -> tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xbf16>
  return %r#0, %r#1, %r#2 : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xbf16>
}

// What Q is is still read: the output gets a buffer of its own.
// CHECK-LABEL: func.func @in_place(
// CHECK: %[[A:.*]] = memref.alloc
// CHECK: tmm.attention_backward {{.*}} dq(%[[A]] : memref<64x64xbf16>)
func.func @in_place(%q: tensor<64x64xbf16> {bufferization.writable = true}, %l: tensor<64xf32>) -> tensor<64x64xbf16> {
  %r = tmm.attention_backward %q, %q, %q, %q, %l, %l scale(1.0) dq(%q : tensor<64x64xbf16>)
    : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64xf32>, tensor<64xf32> -> tensor<64x64xbf16>
  return %r : tensor<64x64xbf16>
}
