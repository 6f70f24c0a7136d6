// RUN: tc-opt %s --mlir-print-local-scope -tmm-choose-config | FileCheck %s

// Up to 64 rows, a tile has 64: the accumulator fills half of the lanes, and its
// columns come in steps of 8.

// CHECK-LABEL: func.func @few_rows(
// CHECK: tmm.matmul transpose_b config <tile = <shape = 64x8x64, unit = tcgen05, cta_group = 1
// CHECK-SAME: subtile = 8
func.func @few_rows(%a: memref<48x200xbf16>, %b: memref<8x200xbf16>, %d: memref<48x8xf32>) {
  tmm.matmul transpose_b ins(%a, %b : memref<48x200xbf16>, memref<8x200xbf16>) outs(%d : memref<48x8xf32>)
  return
}

// CHECK-LABEL: func.func @more_rows(
// CHECK: tmm.matmul transpose_b config <tile = <shape = 128x
func.func @more_rows(%a: memref<65x200xbf16>, %b: memref<8x200xbf16>, %d: memref<65x8xf32>) {
  tmm.matmul transpose_b ins(%a, %b : memref<65x200xbf16>, memref<8x200xbf16>) outs(%d : memref<65x8xf32>)
  return
}

// Rows of an unknown number are many; 64 can be asked for.
// CHECK-LABEL: func.func @unknown_rows(
// CHECK: tmm.matmul transpose_b config <tile = <shape = 128x
// CHECK: tmm.matmul transpose_b config <tile = <shape = 64x24x64
// CHECK-SAME: subtile = 8
func.func @unknown_rows(%a: memref<?x200xbf16>, %b: memref<24x200xbf16>, %d: memref<?x24xf32>) {
  tmm.matmul transpose_b ins(%a, %b : memref<?x200xbf16>, memref<24x200xbf16>) outs(%d : memref<?x24xf32>)
  tmm.matmul transpose_b config <tile = <shape = 64x24x64>> ins(%a, %b : memref<?x200xbf16>, memref<24x200xbf16>) outs(%d : memref<?x24xf32>)
  return
}
