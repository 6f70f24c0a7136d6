// RUN: tc-opt %s -convert-linalg-to-tmm -tmm-choose-config="config=tile=128x64x64" -tmm-tile -canonicalize -cse \
// RUN:   -tmm-assign-roles -tmm-materialize-pipelines -tmm-warp-specialize -tmm-lower-scheduler -convert-tmm-pipelines-to-sm90 -convert-tmm-to-tcgen05 -canonicalize -cse | FileCheck %s

// Dynamic sizes: the host checks what TMA asks of the strides, encodes a size of
// 0 as 1 (the kernel loads nothing then) and passes each size once.

// CHECK-LABEL: func.func @dynamic
// CHECK-SAME: (%[[A:.*]]: memref<?x?xbf16>, %[[B:.*]]: memref<?x?xbf16>, %[[D:.*]]: memref<?x?xf32>)
// CHECK-DAG: %[[M:.*]] = memref.dim %[[D]], %c0
// CHECK-DAG: %[[N:.*]] = memref.dim %[[D]], %c1
// CHECK-DAG: %[[K:.*]] = memref.dim %[[A]], %c1
// CHECK: scf.if
// CHECK-DAG: %[[PITCH:.*]] = arith.muli %[[K]], %c2
// CHECK-DAG: %[[REST:.*]] = arith.remui %[[PITCH]], %c16
// CHECK-DAG: %[[OK:.*]] = arith.cmpi eq, %[[REST]], %c0
// CHECK: cf.assert %[[OK]], "operand A: the stride of dimension 0 must be a multiple of 16 bytes (8 elements) for TMA; pad its rows to the next multiple"
// CHECK: %[[AT_LEAST:.*]] = arith.maxui %[[PITCH]], %c16
// CHECK: sm90.tensor_map.encode %[[A]][0] dims [%{{.*}}, %{{.*}}] strides [%[[AT_LEAST]]]
// CHECK: cf.assert %{{.*}}, "operand B: the stride of dimension 0
// CHECK: sm90.tensor_map.encode %[[B]]
// CHECK: %[[BASE:.*]], %{{.*}}, %{{.*}}:2, %{{.*}}:2 = memref.extract_strided_metadata %[[D]]
// CHECK: gpu.launch_func {{.*}} args(%{{.*}} : i32, %{{.*}} : i32, %{{.*}} : i32, %{{.*}} : !sm90.tensor_map<128x64xbf16, b128>, %{{.*}} : !sm90.tensor_map<64x64xbf16, b128>, %{{.*}} : memref<f32, #gpu.address_space<global>>)
func.func @dynamic(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  linalg.matmul ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}
