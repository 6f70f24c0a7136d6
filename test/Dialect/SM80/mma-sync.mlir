// RUN: tc-opt %s --mlir-print-local-scope | tc-opt --mlir-print-local-scope | FileCheck %s

!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<72x64xbf16, #sm90.smem_layout<mn_major, none, bits = 16, slab = 512>, #gpu.address_space<workgroup>>
!a8 = memref<64x128xui8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>
!b8 = memref<8x128xi8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 1024>, #gpu.address_space<workgroup>>

// CHECK-LABEL: func.func @rows
// CHECK: sm80.mma_sync %{{.*}}, %{{.*}}, %{{.*}} row(%{{.*}}) : vector<36xf32>
// CHECK: sm80.mma_sync %{{.*}}, %{{.*}}, %{{.*}} row(%{{.*}}) {a_k = 48 : i64, b_k = 16 : i64} : vector<72xf32>
// CHECK: sm80.mma_sync %{{.*}}, %{{.*}}, %{{.*}} row(%{{.*}}) : vector<4xi32>
func.func @rows(%d: vector<36xf32>, %e: vector<72xf32>, %i: vector<4xi32>, %a: !a, %b: !b, %a8: !a8, %b8: !b8, %row: i32)
    attributes {layout = #sm80.mma_layout<32>, engine = #sm80.mma_sync} {
  %0 = sm80.mma_sync %d, %a, %b row(%row) : vector<36xf32>, !a, !b
  %1 = sm80.mma_sync %e, %a, %b row(%row) {a_k = 48, b_k = 16} : vector<72xf32>, !a, !b
  %2 = sm80.mma_sync %i, %a8, %b8 row(%row) : vector<4xi32>, !a8, !b8
  return
}

!ax = memref<128x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>
!bx = memref<72x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 9216>, #gpu.address_space<workgroup>>
!sx = memref<1x2x256xf8E8M0FNU, #gpu.address_space<workgroup>>
!a4 = memref<128x128xf4E2M1FN, #sm90.smem_layout<k_major, b64, bits = 4, slab = 16384>, #gpu.address_space<workgroup>>
!b4 = memref<136x128xf4E2M1FN, #sm90.smem_layout<k_major, b64, bits = 4, slab = 17408>, #gpu.address_space<workgroup>>
!s4a = memref<1x4x256xf8E4M3FN, #gpu.address_space<workgroup>>
!s4b = memref<2x4x256xf8E4M3FN, #gpu.address_space<workgroup>>

// CHECK-LABEL: func.func @scaled
// CHECK: sm80.mma_sync %{{.*}}, %{{.*}}, %{{.*}} row(%{{.*}}) scales(%{{.*}}, %{{.*}}) {a_k = 32 : i64, b_k = 32 : i64} : vector<36xf32>, {{.*}}, memref<1x2x256xf8E8M0FNU, #gpu.address_space<workgroup>>, memref<1x2x256xf8E8M0FNU, #gpu.address_space<workgroup>>
// CHECK: sm80.mma_sync %{{.*}}, %{{.*}}, %{{.*}} row(%{{.*}}) scales(%{{.*}}, %{{.*}}) : vector<68xf32>, {{.*}}, memref<1x4x256xf8E4M3FN, #gpu.address_space<workgroup>>, memref<2x4x256xf8E4M3FN, #gpu.address_space<workgroup>>
func.func @scaled(%d: vector<36xf32>, %e: vector<68xf32>, %a: !ax, %b: !bx, %sa: !sx, %sb: !sx, %a4: !a4, %b4: !b4, %s4a: !s4a, %s4b: !s4b, %row: i32) {
  %0 = sm80.mma_sync %d, %a, %b row(%row) scales(%sa, %sb) {a_k = 32, b_k = 32} : vector<36xf32>, !ax, !bx, !sx, !sx
  %1 = sm80.mma_sync %e, %a4, %b4 row(%row) scales(%s4a, %s4b) : vector<68xf32>, !a4, !b4, !s4a, !s4b
  return
}
