// RUN: tc-opt --mlir-print-local-scope --tmm-choose-config %s | FileCheck %s

// A grid of whole clusters: 18 of 8 CTAs on 148 multiprocessors.
// CHECK-LABEL: func @clusters
func.func @clusters(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // CHECK: shape = 256x{{[0-9]+}}x64, unit = tcgen05, cta_group = 2, cluster = 2x4>, {{.*}} scheduler = <kind = clc, raster = {{8|16}}, sms = 144,
  tmm.matmul config <tile = <cluster = 2x4>, scheduler = <kind = clc>> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// Three CTAs share a tile of B along K: a K-block that is cut into three.
// CHECK-LABEL: func @three
func.func @three(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // CHECK: shape = 128x{{[0-9]+}}x192, unit = tcgen05, cta_group = 1, cluster = 3x1>
  tmm.matmul config <tile = <cluster = 3x1>> ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}
