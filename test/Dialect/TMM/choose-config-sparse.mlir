// RUN: tc-opt --mlir-print-local-scope --split-input-file --tmm-choose-config %s | FileCheck %s
// RUN: tc-opt --mlir-print-local-scope --split-input-file --tmm-explain-config %s 2>&1 | FileCheck %s --check-prefix=EXPLAIN

// A row of the swizzle of a sparse A is for twice as many elements of B. Metadata
// takes 4 columns for each block.

// EXPLAIN: tile=256x{{[0-9]+}}x128
// EXPLAIN: scale-stages=2
// EXPLAIN: Tensor Memory: accumulators 1 x 256, metadata 2 x 4, 512 allocated of 512 columns
// CHECK-LABEL: func.func @half
// CHECK: tile = <shape = 256x{{[0-9]+}}x128, unit = tcgen05, cta_group = 2
// CHECK-SAME: scale_stages = 2
func.func @half(%a: memref<8192x4096xbf16>, %b: memref<8192x8192xbf16>, %e: memref<64x64x128x4xi32>, %d: memref<8192x8192xbf16>) {
  tmm.matmul transpose_b ins(%a, %b : memref<8192x4096xbf16>, memref<8192x8192xbf16>) metadata(%e : memref<64x64x128x4xi32>) outs(%d : memref<8192x8192xbf16>)
  return
}

// -----

// EXPLAIN: tile=128x64x64
// EXPLAIN: scale-stages=2
// CHECK-LABEL: func.func @tf32
// CHECK: tile = <shape = 128x64x64,
func.func @tf32(%a: memref<64x64xf32>, %b: memref<64x128xf32>, %e: memref<1x2x128x4xi32>, %d: memref<64x64xf32>) {
  tmm.matmul transpose_b allow_tf32 config <tile = <shape = 128x64x64>> ins(%a, %b : memref<64x64xf32>, memref<64x128xf32>) metadata(%e : memref<1x2x128x4xi32>) outs(%d : memref<64x64xf32>)
  return
}
