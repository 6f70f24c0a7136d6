// RUN: tc-opt %s --mlir-print-local-scope | tc-opt --mlir-print-local-scope | FileCheck %s

!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<72x64xbf16, #sm90.smem_layout<mn_major, none, bits = 16, slab = 512>, #gpu.address_space<workgroup>>
!a8 = memref<64x128xui8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>
!b8 = memref<8x128xi8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 1024>, #gpu.address_space<workgroup>>

// CHECK-LABEL: func.func @rows
// CHECK: sm90.mma_sync %{{.*}}, %{{.*}}, %{{.*}} row(%{{.*}}) : vector<36xf32>
// CHECK: sm90.mma_sync %{{.*}}, %{{.*}}, %{{.*}} row(%{{.*}}) {a_k = 48 : i64, b_k = 16 : i64} : vector<72xf32>
// CHECK: sm90.mma_sync %{{.*}}, %{{.*}}, %{{.*}} row(%{{.*}}) : vector<4xi32>
func.func @rows(%d: vector<36xf32>, %e: vector<72xf32>, %i: vector<4xi32>, %a: !a, %b: !b, %a8: !a8, %b8: !b8, %row: i32)
    attributes {layout = #sm90.mma_layout<32>, engine = #sm90.mma_sync} {
  %0 = sm90.mma_sync %d, %a, %b row(%row) : vector<36xf32>, !a, !b
  %1 = sm90.mma_sync %e, %a, %b row(%row) {a_k = 48, b_k = 16} : vector<72xf32>, !a, !b
  %2 = sm90.mma_sync %i, %a8, %b8 row(%row) : vector<4xi32>, !a8, !b8
  return
}
