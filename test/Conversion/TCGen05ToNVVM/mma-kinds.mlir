// The other kinds: type codes, K and layouts of the instruction descriptor and
// of the K steps.
// RUN: tc-opt %s -convert-tcgen05-to-nvvm -canonicalize -cse | FileCheck %s

!a32 = memref<128x32xf32, #sm90.smem_layout<k_major, b128, bits = 32, slab = 4096>, #gpu.address_space<workgroup>>
!b32 = memref<128x32xf32, #sm90.smem_layout<mn_major, b128_atom32, bits = 32, slab = 1024>, #gpu.address_space<workgroup>>

// 0x08210910: tf32, N = 128, M = 128, B transposed. Eight k of A are 32 bytes, of
// B eight lines of 128 bytes.
// CHECK-LABEL: func.func @tf32
func.func @tf32(%d: !tcgen05.tmem<128x128xf32, D>, %a: !a32, %b: !b32, %p: i1) {
  // CHECK-DAG: llvm.mlir.constant(136382736 : i32) : i32
  // CHECK-DAG: llvm.mlir.constant(2 : i64) : i64
  // CHECK-DAG: llvm.mlir.constant(64 : i64) : i64
  // CHECK: nvvm.tcgen05.mma {{.*}} kind = #nvvm.tcgen05_mma_kind<tf32>
  tcgen05.mma tf32 %d, %a, %b accumulate(%p) {a_k = 8 : i64, b_k = 8 : i64} : !tcgen05.tmem<128x128xf32, D>, !a32, !b32
  return
}

!e4m3 = memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>
!e5m2 = memref<128x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>

// 0x08200410: e4m3 by e5m2, f32 sum.
// CHECK-LABEL: func.func @f8f6f4
func.func @f8f6f4(%d: !tcgen05.tmem<128x128xf32, D>, %a: !e4m3, %b: !e5m2, %p: i1) {
  // CHECK-DAG: llvm.mlir.constant(136315920 : i32) : i32
  // CHECK: nvvm.tcgen05.mma {{.*}} kind = #nvvm.tcgen05_mma_kind<f8f6f4>
  tcgen05.mma f8f6f4 %d, %a, %b accumulate(%p) : !tcgen05.tmem<128x128xf32, D>, !e4m3, !e5m2
  return
}

!s8 = memref<64x128xi8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>
!u8 = memref<24x128xui8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 3072>, #gpu.address_space<workgroup>>

// 0x040600A8: s8 by u8, saturated i32 sum, M = 64, N = 24.
// CHECK-LABEL: func.func @i8
func.func @i8(%d: !tcgen05.tmem<64x24xi32, F>, %a: !s8, %b: !u8, %p: i1) {
  // CHECK-DAG: llvm.mlir.constant(67502248 : i32) : i32
  // CHECK: nvvm.tcgen05.mma {{.*}} kind = #nvvm.tcgen05_mma_kind<i8>
  tcgen05.mma i8 %d, %a, %b accumulate(%p) {saturate} : !tcgen05.tmem<64x24xi32, F>, !s8, !u8
  return
}
