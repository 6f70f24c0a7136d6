// Every operation parses and prints, in its own form and in the generic one.
// RUN: tc-opt %s | tc-opt --mlir-print-local-scope | FileCheck %s
// RUN: tc-opt %s -mlir-print-op-generic | tc-opt --mlir-print-local-scope | FileCheck %s

!A = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!B = memref<128x64xbf16, #sm90.smem_layout<mn_major, b64, bits = 16, slab = 2048>, #gpu.address_space<workgroup>>
!E = memref<64x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>
!T = memref<64x32xf32, #sm90.smem_layout<k_major, b128, bits = 32, slab = 2048>, #gpu.address_space<workgroup>>

// CHECK-LABEL: func.func @wgmma
// CHECK-SAME: (%[[A:.*]]: memref<128x64xbf16, {{.*}}, %[[B:.*]]: memref<128x64xbf16, {{.*}}, %[[D:.*]]: vector<64xf32>, %[[F:.*]]: vector<8xbf16>, %[[P:.*]]: i1)
func.func @wgmma(%a: !A, %b: !B, %d: vector<64xf32>, %f: vector<8xbf16>, %p: i1) -> vector<64xf32> {
  // CHECK: sm90.wgmma.fence{{$}}
  sm90.wgmma.fence
  // CHECK: %[[R:.*]]:2 = sm90.wgmma.fence(%[[D]], %[[F]] : vector<64xf32>, vector<8xbf16>)
  %r:2 = sm90.wgmma.fence(%d, %f : vector<64xf32>, vector<8xbf16>)
  // CHECK: %[[D1:.*]] = sm90.wgmma.mma_async %[[R]]#0, %[[A]], %[[B]] accumulate(%[[P]]) {a_k = 16 : i64, a_m = 64 : i64, b_k = 32 : i64, negate_a} : vector<64xf32>, memref<128x64xbf16, {{.*}}>, memref<128x64xbf16, {{.*}}>
  %d1 = sm90.wgmma.mma_async %r#0, %a, %b accumulate(%p) {a_m = 64 : i64, a_k = 16 : i64, b_n = 0 : i64, b_k = 32 : i64, negate_a} : vector<64xf32>, !A, !B
  // CHECK: %[[D2:.*]] = sm90.wgmma.mma_async %[[D1]], %[[R]]#1, %[[B]] accumulate(%[[P]]) : vector<64xf32>, vector<8xbf16>, memref<128x64xbf16, {{.*}}>
  %d2 = sm90.wgmma.mma_async %d1, %r#1, %b accumulate(%p) : vector<64xf32>, vector<8xbf16>, !B
  // CHECK: sm90.wgmma.commit_group
  sm90.wgmma.commit_group
  // CHECK: sm90.wgmma.wait_group 1{{$}}
  sm90.wgmma.wait_group 1
  // CHECK: %[[S:.*]] = sm90.wgmma.wait_group 0(%[[D2]] : vector<64xf32>)
  %s = sm90.wgmma.wait_group 0 (%d2 : vector<64xf32>)
  // CHECK: return %[[S]]
  return %s : vector<64xf32>
}

// The accumulator goes around a loop.
// CHECK-LABEL: func.func @loop
func.func @loop(%a: !A, %b: !B, %d: vector<64xf32>, %p: i1, %n: index) -> vector<64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %d) -> vector<64xf32> {
    %next = sm90.wgmma.mma_async %acc, %a, %b accumulate(%p) : vector<64xf32>, !A, !B
    sm90.wgmma.commit_group
    scf.yield %next : vector<64xf32>
  }
  %s = sm90.wgmma.wait_group 0 (%last : vector<64xf32>)
  return %s : vector<64xf32>
}

// CHECK-LABEL: func.func @other_types
func.func @other_types(%e: !E, %t: !T, %h: vector<32xf16>, %f: vector<32xf32>, %ea: vector<16xf8E5M2>, %p: i1) {
  // CHECK: sm90.wgmma.mma_async {{.*}} : vector<32xf16>, memref<64x128xf8E4M3FN
  %0 = sm90.wgmma.mma_async %h, %e, %e accumulate(%p) {a_k = 96 : i64} : vector<32xf16>, !E, !E
  // CHECK: sm90.wgmma.mma_async {{.*}} : vector<32xf32>, vector<16xf8E5M2>, memref<64x128xf8E4M3FN
  %1 = sm90.wgmma.mma_async %f, %ea, %e accumulate(%p) : vector<32xf32>, vector<16xf8E5M2>, !E
  // CHECK: sm90.wgmma.mma_async {{.*}} : vector<32xf32>, memref<64x32xf32
  %2 = sm90.wgmma.mma_async %1, %t, %t accumulate(%p) {a_k = 8 : i64} : vector<32xf32>, !T, !T
  return
}
