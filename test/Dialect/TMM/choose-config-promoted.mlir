// RUN: tc-opt %s -split-input-file --tmm-choose-config | FileCheck %s

// A K-block is what shares a factor, and threads hold the sums of a row: at most 128
// columns.

// CHECK: #config = #tmm.config<tile = <shape = 256x128x128, unit = tcgen05, cta_group = 2
// CHECK-SAME: accumulators = <stages = 2>
// CHECK: func.func @large
func.func @large(%a: memref<4096x4096xf8E4M3FN>, %sa: memref<4096x32xf32>, %sb: memref<32x32xf32>, %d: memref<4096x4096xbf16>) {
  tmm.matmul transpose_b ins(%a, %a : memref<4096x4096xf8E4M3FN>, memref<4096x4096xf8E4M3FN>)
    scales(%sa, %sb : memref<4096x32xf32>, memref<32x32xf32>) outs(%d : memref<4096x4096xbf16>)
  return
}

// -----

// One thread of control holds the states of all loops beside the sums, and factors of
// columns take registers, too.

// CHECK: #config = #tmm.config<tile = <shape = {{[0-9]+}}x{{[0-9][0-9]|1[01][0-9]}}x128,
// CHECK: #config1 = #tmm.config<tile = <shape = {{[0-9]+}}x{{[0-9][0-9]|1[01][0-9]}}x128,
// CHECK: func.func @one_thread
func.func @one_thread(%a: memref<4096x4096xf8E4M3FN>, %sa: memref<4096x32xf32>, %sb: memref<32x32xf32>, %d: memref<4096x4096xbf16>) {
  tmm.matmul transpose_b config <roles = <kind = none>> ins(%a, %a : memref<4096x4096xf8E4M3FN>, memref<4096x4096xf8E4M3FN>)
    scales(%sa, %sb : memref<4096x32xf32>, memref<32x32xf32>) outs(%d : memref<4096x4096xbf16>)
  return
}
func.func @columns(%a: memref<4096x4096xf8E4M3FN>, %sa: memref<4096x32xf32>, %sb: memref<4096x32xf32, strided<[1, 4096]>>, %d: memref<4096x4096xbf16>) {
  tmm.matmul transpose_b ins(%a, %a : memref<4096x4096xf8E4M3FN>, memref<4096x4096xf8E4M3FN>)
    scales(%sa, %sb : memref<4096x32xf32>, memref<4096x32xf32, strided<[1, 4096]>>) scale_columns = 1 outs(%d : memref<4096x4096xbf16>)
  return
}
