// RUN: tc-opt %s --tmm-choose-config --tmm-tile | FileCheck %s

// The host checks how many blocks the factors of D have.
// CHECK-LABEL: func @f
// CHECK: cf.assert %{{.*}}, "operand SFD: dimension 0 must be ceildiv(M, 128) blocks of scale factors"
// CHECK: cf.assert %{{.*}}, "operand SFD: dimension 1 must be ceildiv(N, 64) blocks of scale factors"
func.func @f(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf4E2M1FN>, %s: memref<?x?x32x4x4xf8E4M3FN>) {
  tmm.matmul ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf4E2M1FN>) scale_d(%s : memref<?x?x32x4x4xf8E4M3FN>)
  return
}
