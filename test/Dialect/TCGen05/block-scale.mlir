// Every operation parses and prints, in its own form and in the generic one.
// RUN: tc-opt %s | tc-opt --mlir-print-local-scope | FileCheck %s
// RUN: tc-opt %s -mlir-print-op-generic | tc-opt --mlir-print-local-scope | FileCheck %s

!A = memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>
!B = memref<64x128xf8E5M2, #sm90.smem_layout<mn_major, b64, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>
!tile = memref<32x16xf8E8M0FNU, #gpu.address_space<workgroup>>
!A4 = memref<128x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 4, slab = 32768>, #gpu.address_space<workgroup>>
!B4 = memref<64x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 4, slab = 16384>, #gpu.address_space<workgroup>>
!sf4 = !tcgen05.tmem<128x16xf8E4M3FN, scales, packed>
!sf = !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>

// CHECK-LABEL: func.func @block_scale
// CHECK-SAME: (%[[D:.*]]: !tcgen05.tmem<128x64xf32, D>, %[[A:.*]]: memref<128x128xf8E4M3FN, {{.*}}, %[[B:.*]]: memref<64x128xf8E5M2, {{.*}}, %[[T:.*]]: memref<32x16xf8E8M0FNU, {{.*}}, %[[P:.*]]: i1, %[[N:.*]]: index)
func.func @block_scale(%d: !tcgen05.tmem<128x64xf32, D>, %a: !A, %b: !B, %t: !tile, %p: i1, %n: index) {
  // CHECK: %[[SF:.*]] = tcgen05.reserve : !tcgen05.tmem<128x64xf8E8M0FNU, scales, packed>
  %ring = tcgen05.reserve : !tcgen05.tmem<128x64xf8E8M0FNU, scales, packed>
  // CHECK: %[[SA:.*]] = tcgen05.slice %[[SF]][%[[N]]] : !tcgen05.tmem<128x64xf8E8M0FNU, scales, packed> to !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
  %sa = tcgen05.slice %ring[%n] : !tcgen05.tmem<128x64xf8E8M0FNU, scales, packed> to !sf
  %sb = tcgen05.slice %ring[4] : !tcgen05.tmem<128x64xf8E8M0FNU, scales, packed> to !sf
  // CHECK: tcgen05.cp %[[T]], %[[SA]] : memref<32x16xf8E8M0FNU, #gpu.address_space<workgroup>>, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
  tcgen05.cp %t, %sa : !tile, !sf
  // CHECK: tcgen05.cp %[[T]], %{{.*}} cta_group 2 :
  tcgen05.cp %t, %sb cta_group 2 : !tile, !sf
  // CHECK: tcgen05.mma_block_scale mxf8f6f4 %[[D]], %[[A]], %[[B]] scales %[[SA]], %{{.*}} accumulate(%[[P]]) {a_block = 3 : i64, a_k = 96 : i64, b_block = 3 : i64, b_k = 96 : i64, negate_b} : !tcgen05.tmem<128x64xf32, D>,
  tcgen05.mma_block_scale mxf8f6f4 %d, %a, %b scales %sa, %sb accumulate(%p) {a_k = 96 : i64, b_k = 96 : i64, a_block = 3 : i64, b_block = 3 : i64, negate_b}
      : !tcgen05.tmem<128x64xf32, D>, !A, !B, !sf, !sf
  // CHECK: tcgen05.mma_block_scale mxf8f6f4 {{.*}} accumulate(%[[P]]) collector fill :
  tcgen05.mma_block_scale mxf8f6f4 %d, %a, %b scales %sa, %sb accumulate(%p) collector fill
      : !tcgen05.tmem<128x64xf32, D>, !A, !B, !sf, !sf
  return
}

// Elements of 4 bits, factors for 32 and for 16 elements.
// CHECK-LABEL: func.func @nibbles
func.func @nibbles(%d: !tcgen05.tmem<128x64xf32, D>, %a: !A4, %b: !B4, %s: !sf, %t: !sf4, %p: i1) {
  // CHECK: tcgen05.mma_block_scale mxf4 {{.*}} accumulate(%{{.*}}) {a_block = 2 : i64, a_k = 192 : i64, b_k = 64 : i64} :
  tcgen05.mma_block_scale mxf4 %d, %a, %b scales %s, %s accumulate(%p) {a_block = 2 : i64, a_k = 192 : i64, b_k = 64 : i64}
      : !tcgen05.tmem<128x64xf32, D>, !A4, !B4, !sf, !sf
  // CHECK: tcgen05.mma_block_scale mxf4nvf4 {{.*}} accumulate(%{{.*}}) {scale_block = 16 : i64} :
  tcgen05.mma_block_scale mxf4nvf4 %d, %a, %b scales %t, %t accumulate(%p) {scale_block = 16 : i64}
      : !tcgen05.tmem<128x64xf32, D>, !A4, !B4, !sf4, !sf4
  return
}

// The pair: half of the columns of B, factors of all of them.
// CHECK-LABEL: func.func @pair
func.func @pair(%d: !tcgen05.tmem<128x144xf32, A>, %a: !A, %b: memref<72x32xf8E4M3FN, #sm90.smem_layout<k_major, b32, bits = 8, slab = 2304>, #gpu.address_space<workgroup>>,
                %sa: !sf, %sb: !tcgen05.tmem<128x32xf8E8M0FNU, scales, packed>, %p: i1) {
  // CHECK: tcgen05.mma_block_scale mxf8f6f4 cta_group 2 %{{.*}} !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, !tcgen05.tmem<128x32xf8E8M0FNU, scales, packed>
  tcgen05.mma_block_scale mxf8f6f4 cta_group 2 %d, %a, %b scales %sa, %sb accumulate(%p)
      : !tcgen05.tmem<128x144xf32, A>, !A, memref<72x32xf8E4M3FN, #sm90.smem_layout<k_major, b32, bits = 8, slab = 2304>, #gpu.address_space<workgroup>>, !sf, !tcgen05.tmem<128x32xf8E8M0FNU, scales, packed>
  return
}
