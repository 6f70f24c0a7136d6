// The images are an argument; the product says what of them its A is, and the launch how the driver encodes them.
// RUN: tc-compile %s --config="tile=128x64x64" -o %t.ptx
// RUN: FileCheck %s --input-file=%t.json
// RUN: FileCheck %s --input-file=%t.ptx --check-prefix=PTX
// RUN: tc-run %t.ptx --size A_dim0=3,D_dim0=3 --check --races=strict --schedule=eager,lazy,random:1 | FileCheck %s --check-prefix=RESULT
// PTX: cp.async.bulk.tensor.4d.shared::cta.global.im2col.mbarrier::complete_tx::bytes

// CHECK: "kernels": [
// CHECK-NEXT: {
// CHECK-NEXT: "entry": "conv_matmul"
// CHECK: "tensor_map": {
// CHECK-NEXT: "buffer": "A",
// CHECK-NEXT: "offset": 0,
// CHECK-NEXT: "dtype": "bf16",
// CHECK-NEXT: "dims": [
// CHECK-NEXT: 64,
// CHECK-NEXT: 9,
// CHECK-NEXT: 10,
// CHECK-NEXT: "max(A_dim0, 1)"
// CHECK: "im2col": {
// CHECK-NEXT: "lower": [
// CHECK-NEXT: -2,
// CHECK-NEXT: 0
// CHECK-NEXT: ],
// CHECK-NEXT: "upper": [
// CHECK-NEXT: -1,
// CHECK-NEXT: -3
// CHECK-NEXT: ],
// CHECK-NEXT: "channels": 64,
// CHECK-NEXT: "pixels": 128
// CHECK-NEXT: },
// CHECK-NEXT: "element_strides": [
// CHECK-NEXT: 1,
// CHECK-NEXT: 1,
// CHECK-NEXT: 2,
// CHECK-NEXT: 1
// CHECK: "formula": "D = windows(A) * B + D",
// CHECK: "a": {
// CHECK-NEXT: "buffer": "A",
// CHECK-NEXT: "offset": 0,
// CHECK-NEXT: "shape": [
// CHECK-NEXT: "A_dim0",
// CHECK-NEXT: 10,
// CHECK-NEXT: 9,
// CHECK-NEXT: 64
// CHECK-NEXT: ],
// CHECK-NEXT: "strides": [
// CHECK-NEXT: 5760,
// CHECK-NEXT: 576,
// CHECK-NEXT: 64,
// CHECK-NEXT: 1
// CHECK-NEXT: ],
// CHECK-NEXT: "windows": {
// CHECK-NEXT: "output": [
// CHECK-NEXT: 4,
// CHECK-NEXT: 10
// CHECK: "window": [
// CHECK: "strides": [
// CHECK: "dilations": [
// CHECK: "padding": [
// CHECK-NEXT: 0,
// CHECK-NEXT: 2
// RESULT: check D = windows(A) * B + D: M=120 N=72 K=768
func.func @conv(%i: tensor<?x10x9x64xbf16>, %f: tensor<4x3x64x72xbf16>, %o: tensor<?x4x10x72xf32>) -> tensor<?x4x10x72xf32> {
  %none = arith.constant 0.0 : bf16
  %p = tensor.pad %i low[0, 0, 2, 0] high[0, 0, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %none : bf16
  } : tensor<?x10x9x64xbf16> to tensor<?x10x12x64xbf16>
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<[2, 1]> : tensor<2xi64>} ins(%p, %f : tensor<?x10x12x64xbf16>, tensor<4x3x64x72xbf16>)
      outs(%o : tensor<?x4x10x72xf32>) -> tensor<?x4x10x72xf32>
  return %r : tensor<?x4x10x72xf32>
}
