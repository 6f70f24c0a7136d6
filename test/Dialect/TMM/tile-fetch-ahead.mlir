// RUN: tc-opt %s -tmm-choose-config="chip=sm_90a config='tile=128x64x64 cluster=1x1 epilogue-subtile=32'" -tmm-tile="chip=sm_90a" -canonicalize | FileCheck %s

// A matrix that the epilogue adds: in the layout of memory, the first columns before the tile is multiplied, then those after the ones that are computed.
// CHECK-LABEL: gpu.func @residual_matmul(
// CHECK-SAME: %[[C:[^ ]*]]: memref<256x512xbf16>) kernel
// CHECK: scf.while
// CHECK: %[[ROW:.*]], %[[COL:.*]], %{{.*}}, %{{.*}} = tmm.work_tile
// CHECK: %[[FIRST:.*]] = tmm.fetch %[[C]][%[[ROW]], %[[COL]]] in_bounds [true, true] layout(#sm80.row_layout<16>) : memref<256x512xbf16> -> vector<128x32xbf16>
// CHECK: %[[SUM:.*]] = scf.for
// CHECK: scf.for %[[COLUMN:.*]] = %c0{{.*}} to %c64{{.*}} step %c32{{.*}} iter_args(%[[HERE:.*]] = %[[FIRST]]) -> (vector<128x32xbf16>)
// CHECK: %[[AFTER:.*]] = arith.addi %[[COLUMN]], %c32
// CHECK: %[[LAST:.*]] = arith.minsi %[[AFTER]], %c32
// CHECK: %[[AT:.*]] = arith.addi %[[COL]], %[[LAST]]
// CHECK: %[[NEXT:.*]] = tmm.fetch %[[C]][%[[ROW]], %[[AT]]] in_bounds [true, true] layout(#sm80.row_layout<16>)
// CHECK: %[[OWN:.*]] = tmm.convert_layout %[[HERE]] from(#sm80.row_layout<16>) to(#sm90.wgmma_layout) : vector<128x32xbf16>
// CHECK: arith.extf %[[OWN]]
// CHECK: scf.yield %[[NEXT]]
func.func @residual(%a: memref<256x200xbf16>, %b: memref<200x512xbf16>, %d: memref<256x512xbf16>, %c: memref<256x512xbf16>) {
  tmm.matmul ins(%a, %b : memref<256x200xbf16>, memref<200x512xbf16>) outs(%d : memref<256x512xbf16>)
      epilogue(%acc, %x = %c : memref<256x512xbf16>) {
    %wide = arith.extf %x : bf16 to f32
    %sum = arith.addf %acc, %wide : f32
    %narrow = arith.truncf %sum : f32 to bf16
    tmm.yield %narrow : bf16
  }
  return
}

// Where some are outside, the first ones come after it: checks take registers.
// CHECK-LABEL: gpu.func @tails_matmul
// CHECK: scf.while
// CHECK: %[[SUM:.*]] = scf.for
// CHECK: %[[FIRST:.*]] = tmm.fetch {{.*}} in_bounds [false, true] layout(#sm80.row_layout<16>)
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[FIRST]])
func.func @tails(%a: memref<200x200xbf16>, %b: memref<200x512xbf16>, %d: memref<200x512xbf16>, %c: memref<200x512xbf16>) {
  tmm.matmul ins(%a, %b : memref<200x200xbf16>, memref<200x512xbf16>) outs(%d : memref<200x512xbf16>)
      epilogue(%acc, %x = %c : memref<200x512xbf16>) {
    %wide = arith.extf %x : bf16 to f32
    %sum = arith.addf %acc, %wide : f32
    %narrow = arith.truncf %sum : f32 to bf16
    tmm.yield %narrow : bf16
  }
  return
}

// Elements of 32 bits are read as the accumulator has them.
// CHECK-LABEL: gpu.func @wide_residual_matmul
// CHECK: tmm.fetch %{{.*}} in_bounds [true, true] layout(#sm90.wgmma_layout) : memref<256x512xf32> -> vector<128x32xf32>
// CHECK-NOT: tmm.convert_layout
func.func @wide_residual(%a: memref<256x200xbf16>, %b: memref<200x512xbf16>, %d: memref<256x512xbf16>, %c: memref<256x512xf32>) {
  tmm.matmul ins(%a, %b : memref<256x200xbf16>, memref<200x512xbf16>) outs(%d : memref<256x512xbf16>)
      epilogue(%acc, %x = %c : memref<256x512xf32>) {
    %sum = arith.addf %acc, %x : f32
    %narrow = arith.truncf %sum : f32 to bf16
    tmm.yield %narrow : bf16
  }
  return
}

// Where threads store D, each reads what it overwrites.
// CHECK-LABEL: gpu.func @in_place_matmul
// CHECK: tmm.fetch %{{.*}} layout(#sm90.wgmma_layout) : memref<256x512xbf16> -> vector<128x32xbf16>
// CHECK-NOT: tmm.convert_layout
// CHECK: tmm.store
func.func @in_place(%a: memref<256x200xbf16>, %b: memref<200x512xbf16>, %d: memref<256x512xbf16>) {
  tmm.matmul accumulate ins(%a, %b : memref<256x200xbf16>, memref<200x512xbf16>) outs(%d : memref<256x512xbf16>)
  return
}
