// RUN: tc-opt %s -tmm-choose-config="chip=sm_90a config='tile=128x128x64 cluster=1x1 epilogue-subtile=32'" -tmm-tile="chip=sm_90a" -canonicalize | FileCheck %s

// Of more than two steps the later columns are asked into the cache when the first are computed.
// CHECK-LABEL: gpu.func @later_columns_matmul(
// CHECK-SAME: %[[C:[^ ]*]]: memref<256x512xbf16>) kernel
// CHECK: %[[ROW:.*]], %[[COL:.*]], %{{.*}}, %{{.*}} = tmm.work_tile
// CHECK: tmm.fetch %[[C]][%[[ROW]], %[[COL]]]
// CHECK: scf.for
// CHECK: %[[LATER:.*]] = arith.addi %[[COL]], %c64
// CHECK-NEXT: tmm.prefetch %[[C]][%[[ROW]], %[[LATER]]] in_bounds [true, true] layout(#sm80.row_layout<16>) : memref<256x512xbf16>, vector<128x64xbf16>
// CHECK-NEXT: scf.for
func.func @later_columns(%a: memref<256x200xbf16>, %b: memref<200x512xbf16>, %d: memref<256x512xbf16>, %c: memref<256x512xbf16>) {
  tmm.matmul ins(%a, %b : memref<256x200xbf16>, memref<200x512xbf16>) outs(%d : memref<256x512xbf16>)
      epilogue(%acc, %x = %c : memref<256x512xbf16>) {
    %wide = arith.extf %x : bf16 to f32
    %sum = arith.addf %acc, %wide : f32
    %narrow = arith.truncf %sum : f32 to bf16
    tmm.yield %narrow : bf16
  }
  return
}

// Of several matrices none is: threads have no registers for the addresses.
// CHECK-LABEL: gpu.func @two_matrices_matmul(
// CHECK-COUNT-2: tmm.fetch
// CHECK-NOT: tmm.prefetch
// CHECK: gpu.return
func.func @two_matrices(%a: memref<256x200xbf16>, %b: memref<200x512xbf16>, %d: memref<256x512xbf16>, %c: memref<256x512xbf16>, %e: memref<256x512xbf16>) {
  tmm.matmul ins(%a, %b : memref<256x200xbf16>, memref<200x512xbf16>) outs(%d : memref<256x512xbf16>)
      epilogue(%acc, %x = %c : memref<256x512xbf16>, %y = %e : memref<256x512xbf16>) {
    %wide = arith.extf %x : bf16 to f32
    %other = arith.extf %y : bf16 to f32
    %one = arith.addf %acc, %wide : f32
    %sum = arith.addf %one, %other : f32
    %narrow = arith.truncf %sum : f32 to bf16
    tmm.yield %narrow : bf16
  }
  return
}
