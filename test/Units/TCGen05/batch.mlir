// RUN: tc-opt %s --mlir-print-local-scope -split-input-file -verify-diagnostics -tmm-choose-config="config=tile=128x64x64" -tmm-tile -canonicalize -tmm-assign-roles -tmm-materialize-pipelines -tmm-pipeline -tmm-warp-specialize -canonicalize -cse -tmm-lower-scheduler -convert-tmm-pipelines-to-sm90 -convert-tmm-kernel-interface-to-sm90 -tmm-distribute -convert-tmm-tiles -canonicalize -cse | FileCheck %s

// A tensor map has a dimension for each one of the batch. One of size 1 is left
// out, with its index. The scheduler's number gives problem and tile.

// CHECK-LABEL: func.func @f(
// CHECK: sm90.tensor_map.encode %{{.*}} dims [2, 3, 200, 72] strides [86400, 28800, 144]
// CHECK-SAME: <1x1x128x64xbf16
// CHECK: sm90.tensor_map.encode %{{.*}} dims [2, 72, 136] strides [19584, 272]
// CHECK-SAME: <1x64x64xbf16
// CHECK: sm90.tensor_map.encode %{{.*}} dims [2, 3, 200, 136] strides [326400, 108800, 544]
// CHECK-SAME: <1x1x128x32xf32
// CHECK-LABEL: gpu.func @f_matmul(
// CHECK: %[[IN:.*]] = arith.remui %[[WORK:.*]], %c6_i32
// CHECK: %[[BATCH:.*]] = arith.divui %[[WORK]], %c6_i32
func.func @f(%a: memref<2x3x200x72xbf16>, %b: memref<2x1x72x136xbf16>, %d: memref<2x3x200x136xf32>) {
  tmm.matmul ins(%a, %b : memref<2x3x200x72xbf16>, memref<2x1x72x136xbf16>) outs(%d : memref<2x3x200x136xf32>)
  return
}

// -----

// The matrices of a batch start at multiples of 16 bytes: known when compiling,
// or checked by the host.

// CHECK-LABEL: func.func @dynamic_stride(
// CHECK: cf.assert %{{.*}}, "operand A: the stride of dimension 0 must be a multiple of 16 bytes (8 elements) for TMA, or load-a=threads"
// CHECK-NOT: operand A: the stride of dimension 1
func.func @dynamic_stride(%a: memref<3x200x72xbf16, strided<[?, 72, 1]>>, %b: memref<72x136xbf16>, %d: memref<3x200x136xf32>) {
  tmm.matmul ins(%a, %b : memref<3x200x72xbf16, strided<[?, 72, 1]>>, memref<72x136xbf16>) outs(%d : memref<3x200x136xf32>)
  return
}

// -----

// Threads load matrices that TMA cannot address: the index of the batch is one of
// the copies'.
// CHECK-LABEL: gpu.func @stride_matmul(
// CHECK: %[[M:.*]] = memref.reinterpret_cast {{.*}} strides: [14404, 72, 1]
// CHECK: sm80.cp_async %[[M]][%{{.*}}, %{{.*}}, %{{.*}}], %{{.*}}[%{{.*}}, %{{.*}} + 0] bytes 8 valid
func.func @stride(%a: memref<3x200x72xbf16, strided<[14404, 72, 1]>>, %b: memref<72x136xbf16>, %d: memref<3x200x136xf32>) {
  tmm.matmul ins(%a, %b : memref<3x200x72xbf16, strided<[14404, 72, 1]>>, memref<72x136xbf16>) outs(%d : memref<3x200x136xf32>)
  return
}
