// RUN: tc-opt --mlir-print-local-scope --split-input-file --tmm-choose-config --verify-diagnostics %s | FileCheck %s
// RUN: tc-opt --mlir-print-local-scope --split-input-file --tmm-explain-config %s 2>&1 | FileCheck %s --check-prefix=EXPLAIN

// Two accumulators of 256 columns leave no room for scale factors: one.

// EXPLAIN: tile=256x256x128
// EXPLAIN: scale-stages=2
// EXPLAIN: accumulator-stages=1
// EXPLAIN: Tensor Memory: accumulators 1 x 256, scale factors 2 x 12, 512 allocated of 512 columns
// CHECK-LABEL: func.func @one_accumulator
// CHECK: tile = <shape = 256x256x128, unit = tcgen05, cta_group = 2, cluster = 2x1>
// CHECK-SAME: scale_stages = 2
// CHECK-SAME: accumulators = <stages = 1>
func.func @one_accumulator(%a: memref<8192x8192xf8E4M3FN>, %b: memref<8192x8192xf8E4M3FN>, %s: memref<64x64x32x4x4xf8E8M0FNU>, %d: memref<8192x8192xbf16>) {
  tmm.matmul transpose_b config <tile = <shape = 256x256x128>> ins(%a, %b : memref<8192x8192xf8E4M3FN>, memref<8192x8192xf8E4M3FN>)
    scales(%s, %s : memref<64x64x32x4x4xf8E8M0FNU>, memref<64x64x32x4x4xf8E8M0FNU>) outs(%d : memref<8192x8192xbf16>)
  return
}

// -----

// Where the accumulators are given, the tile follows.

// EXPLAIN: tile={{[0-9]+}}x128x128
// EXPLAIN: accumulator-stages=2
// EXPLAIN: Tensor Memory: accumulators 2 x 128, scale factors 2 x 8, 512 allocated of 512 columns
// CHECK-LABEL: func.func @two_accumulators
// CHECK: tile = <shape = {{[0-9]+}}x128x128,
func.func @two_accumulators(%a: memref<8192x8192xf8E4M3FN>, %b: memref<8192x8192xf8E4M3FN>, %s: memref<64x64x32x4x4xf8E8M0FNU>, %d: memref<8192x8192xbf16>) {
  tmm.matmul transpose_b config <accumulators = <stages = 2>> ins(%a, %b : memref<8192x8192xf8E4M3FN>, memref<8192x8192xf8E4M3FN>)
    scales(%s, %s : memref<64x64x32x4x4xf8E8M0FNU>, memref<64x64x32x4x4xf8E8M0FNU>) outs(%d : memref<8192x8192xbf16>)
  return
}
