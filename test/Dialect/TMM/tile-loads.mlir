// RUN: tc-opt %s -tmm-choose-config="config='cta-group=1 tile=128x64x64'" -tmm-tile -canonicalize | FileCheck %s

// Each operand by its own engine; a role for the threads that load.
// CHECK-LABEL: gpu.func @mixed_matmul
// CHECK-SAME: known_block_size = array<i32: 128, 1, 1>
// CHECK: tmm.role "epilogue" warps(4) drives [#tmm.threads, #sm90.tma_store]
// CHECK: tmm.role "load" warps(1) drives [#sm90.tma, #sm90.clc]
// CHECK: tmm.role "mma" warps(1)
// CHECK: tmm.role "gather" warps(4) drives [#sm80.cp_async, #sm90.thread_load]
// CHECK: tmm.load %{{.*}} by(#sm90.tma) : memref<64x24xbf16>
// CHECK: tmm.load %{{.*}} transposed by(#sm80.cp_async) : memref<24x50xbf16>
func.func @mixed(%a: memref<64x24xbf16>, %b: memref<24x50xbf16>, %d: memref<64x50xf32>) {
  tmm.matmul ins(%a, %b : memref<64x24xbf16>, memref<24x50xbf16>) outs(%d : memref<64x50xf32>)
  return
}

// No role for what no operand is loaded by.
// CHECK-LABEL: gpu.func @gathered_matmul
// CHECK: tmm.role "epilogue"
// CHECK-NOT: "load"
// CHECK: tmm.role "mma" warps(1)
// CHECK: tmm.role "gather" warps(4)
// CHECK: tmm.load %{{.*}} by(#sm90.thread_load) : memref<64x21xbf16>
// CHECK: tmm.load %{{.*}} transposed by(#sm80.cp_async) : memref<21x50xbf16>
func.func @gathered(%a: memref<64x21xbf16>, %b: memref<21x50xbf16>, %d: memref<64x50xf32>) {
  tmm.matmul ins(%a, %b : memref<64x21xbf16>, memref<21x50xbf16>) outs(%d : memref<64x50xf32>)
  return
}

// CHECK-LABEL: gpu.func @tma_matmul
// CHECK: tmm.role "load"
// CHECK-NOT: "gather"
// CHECK: gpu.return
func.func @tma(%a: memref<64x24xbf16>, %b: memref<24x48xbf16>, %d: memref<64x48xf32>) {
  tmm.matmul ins(%a, %b : memref<64x24xbf16>, memref<24x48xbf16>) outs(%d : memref<64x48xf32>)
  return
}

// What TMA loads the CTAs of a cluster share; threads load for their own.
// CHECK-LABEL: gpu.func @cluster_matmul
// CHECK: tmm.load %{{.*}} to #tmm.ctas<2x2, along = [1]> by(#sm90.tma) : memref<300x24xbf16>
// CHECK: tmm.load %{{.*}} transposed by(#sm80.cp_async) : memref<24x50xbf16>
func.func @cluster(%a: memref<300x24xbf16>, %b: memref<24x50xbf16>, %d: memref<300x50xf32>) {
  tmm.matmul config <tile = <cluster = 2x2>> ins(%a, %b : memref<300x24xbf16>, memref<24x50xbf16>) outs(%d : memref<300x50xf32>)
  return
}
