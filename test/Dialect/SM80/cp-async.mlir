// RUN: tc-opt %s --mlir-print-local-scope | tc-opt --mlir-print-local-scope | FileCheck %s
// RUN: tc-opt %s --mlir-print-op-generic | tc-opt --mlir-print-local-scope | FileCheck %s

!tile = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!matrix = memref<4x48xbf16, #gpu.address_space<global>>

// CHECK-LABEL: func.func @copies
// CHECK-SAME: %[[M:.*]]: memref<4x48xbf16, #gpu.address_space<global>>, %[[T:.*]]: memref<128x64xbf16, {{.*}}, %[[I:.*]]: index, %[[ROW:.*]]: i32, %[[B:.*]]: !sm90.mbarrier) attributes {engine = #sm80.cp_async}
func.func @copies(%m: !matrix, %tile: !tile, %i: index, %row: i32, %b: !sm90.mbarrier) attributes {engine = #sm80.cp_async} {
  // CHECK: sm80.cp_async %[[M]][%[[I]], %[[I]]], %[[T]][%[[ROW]], %[[ROW]] + 16] bytes 4 valid %[[ROW]] : memref<4x48xbf16, #gpu.address_space<global>>, memref<128x64xbf16
  sm80.cp_async %m[%i, %i], %tile[%row, %row + 16] bytes 4 valid %row : !matrix, !tile
  // CHECK: sm80.cp_async %[[M]][%[[I]], %[[I]]], %[[T]][%[[ROW]], 8] bytes 16 valid %[[ROW]] :
  sm80.cp_async %m[%i, %i], %tile[%row, 8] bytes 16 valid %row : !matrix, !tile
  // CHECK: sm80.cp_async_arrive %[[B]] : !sm90.mbarrier
  sm80.cp_async_arrive %b : !sm90.mbarrier
  return
}
