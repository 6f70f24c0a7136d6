// RUN: tc-compile %s --config="cta-group=1 tile=128x128x256" -o %t.ptx
// RUN: FileCheck %s --input-file=%t.json
// RUN: FileCheck %s --input-file=%t.ptx --check-prefix=PTX

// Elements of 4 bits are counted, strides and offsets are bytes. Factors of
// f8E4M3FN have no sign.

// CHECK: "constraints": [
// CHECK: "message": "K must be a multiple of 2, the elements that share a byte"
// CHECK: "value": "K",
// CHECK-NEXT: "multiple_of": 2
// CHECK: "A": {
// CHECK-NEXT: "dtype": "e2m1",
// CHECK: "SFA": {
// CHECK-NEXT: "dtype": "ue4m3",
// CHECK-NEXT: "shape": [
// CHECK-NEXT: "M ceildiv 128",
// CHECK-NEXT: "K ceildiv 64",
// CHECK: "tensor_map": {
// CHECK-NEXT: "buffer": "A",
// CHECK: "dtype": "e2m1",
// CHECK: "box": [
// CHECK-NEXT: 256,
// CHECK-NEXT: 128
// CHECK: "scale_block": 16,

// PTX: tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.block16
func.func @f(%a: memref<?x?xf4E2M1FN>, %b: memref<?x?xf4E2M1FN>, %sa: memref<?x?x32x4x4xf8E4M3FN>,
             %sb: memref<?x?x32x4x4xf8E4M3FN>, %d: memref<?x?xf32>) {
  tmm.matmul transpose_b ins(%a, %b : memref<?x?xf4E2M1FN>, memref<?x?xf4E2M1FN>)
             scales(%sa, %sb : memref<?x?x32x4x4xf8E4M3FN>, memref<?x?x32x4x4xf8E4M3FN>)
             outs(%d : memref<?x?xf32>)
  return
}
