// RUN: tc-opt %s -convert-sm80-to-nvvm -canonicalize | FileCheck %s

// Copies of 16 bytes leave L1 out; the swizzle of the row joins the bytes of the column.
!tile = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!matrix = memref<?x48xbf16, #gpu.address_space<global>>

// CHECK-LABEL: gpu.func @copies
// CHECK: llvm.xor
// CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 4, cache = ca, %[[VALID:.*]] : !llvm.ptr<3>, !llvm.ptr<1>, i32
// CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg, %[[VALID]] : !llvm.ptr<3>, !llvm.ptr<1>, i32
// CHECK: nvvm.cp.async.mbarrier.arrive %{{.*}} {noinc = true} : !llvm.ptr<3>
gpu.module @m {
  gpu.func @copies(%m: !matrix, %tile: !tile, %i: index, %row: i32, %own: i32, %valid: i32, %b: !sm90.mbarrier) {
    sm80.cp_async %m[%i, %i], %tile[%row, %own + 0] bytes 4 valid %valid : !matrix, !tile
    sm80.cp_async %m[%i, %i], %tile[%row, 8] bytes 16 valid %valid : !matrix, !tile
    sm80.cp_async_arrive %b : !sm90.mbarrier
    gpu.return
  }
}
