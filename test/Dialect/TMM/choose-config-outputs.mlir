// RUN: tc-opt --mlir-print-local-scope --tmm-choose-config %s | FileCheck %s

// Blocks of D that share a scale factor are whole in tiles and subtiles.
// CHECK-LABEL: func @scaled
func.func @scaled(%a: memref<64x16xbf16>, %b: memref<32x16xbf16>, %d: memref<64x32xf8E4M3FN>, %s: memref<1x1x32x4x4xf8E8M0FNU>) {
  // CHECK: tile = <shape = {{[0-9]+}}x32x{{.*}}subtile = 32
  tmm.matmul transpose_b ins(%a, %b : memref<64x16xbf16>, memref<32x16xbf16>) outs(%d : memref<64x32xf8E4M3FN>) scale_d(%s : memref<1x1x32x4x4xf8E8M0FNU>)
  return
}

// CHECK-LABEL: func @scaled_waves
func.func @scaled_waves(%a: memref<1024x512xf8E4M3FN>, %b: memref<1024x512xf8E4M3FN>, %d: memref<1024x1024xf4E2M1FN>, %s: memref<8x8x32x4x4xf8E8M0FNU>) {
  // CHECK: subtile = 32
  tmm.matmul transpose_b ins(%a, %b : memref<1024x512xf8E4M3FN>, memref<1024x512xf8E4M3FN>) outs(%d : memref<1024x1024xf4E2M1FN>) scale_d(%s : memref<8x8x32x4x4xf8E8M0FNU>)
  return
}

// TMA stores 16 bytes or more: threads store 8, and where TMA is asked for, tiles are wider.
// CHECK-LABEL: func @narrow
func.func @narrow(%a: memref<64x31xf8E4M3FN>, %b: memref<16x31xf8E4M3FN>, %d: memref<64x16xf8E4M3FN>) {
  // CHECK: shape = 64x8x{{.*}}kind = direct, subtile = 8
  tmm.matmul transpose_b ins(%a, %b : memref<64x31xf8E4M3FN>, memref<16x31xf8E4M3FN>) outs(%d : memref<64x16xf8E4M3FN>)
  // CHECK: shape = 64x16x{{.*}}kind = tma_store, subtile = 16
  tmm.matmul transpose_b config <epilogue = <kind = tma_store>> ins(%a, %b : memref<64x31xf8E4M3FN>, memref<16x31xf8E4M3FN>) outs(%d : memref<64x16xf8E4M3FN>)
  return
}
