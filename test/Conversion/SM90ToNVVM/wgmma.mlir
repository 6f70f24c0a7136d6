// RUN: tc-opt %s -convert-sm90-to-nvvm -canonicalize -split-input-file | FileCheck %s

!A = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!B = memref<32x64xbf16, #sm90.smem_layout<mn_major, b64, bits = 16, slab = 2048>, #gpu.address_space<workgroup>>

// The descriptor of A: stride 1024 bytes, 128-byte swizzle; row 64 is 8192 bytes
// on, column 16 32 bytes: 514 * 16. Of B: leading 4096 bytes, stride 512,
// 64-byte swizzle; k = 32 is 2048 bytes on: 128 * 16.
// CHECK-LABEL: func.func @mma
func.func @mma(%a: !A, %b: !B, %d: vector<16xf32>, %p: i1) -> vector<16xf32> {
  // CHECK-DAG: %[[A_BITS:.*]] = llvm.mlir.constant(4611686293305360384 : i64)
  // CHECK-DAG: %[[A_STEP:.*]] = llvm.mlir.constant(514 : i64)
  // CHECK-DAG: %[[B_BITS:.*]] = llvm.mlir.constant(-9223371899399045120 : i64)
  // CHECK-DAG: %[[B_STEP:.*]] = llvm.mlir.constant(128 : i64)
  // CHECK: %[[F:.*]] = llvm.inline_asm has_side_effects "wgmma.fence.sync.aligned;", "=r,=r,=r,=r,=r,=r,=r,=r,=r,=r,=r,=r,=r,=r,=r,=r,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15"
  %f = sm90.wgmma.fence(%d : vector<16xf32>)
  // CHECK: %[[A_BASE:.*]] = llvm.add %{{.*}}, %[[A_BITS]]
  // CHECK: %[[A_AT:.*]] = llvm.add %[[A_BASE]], %[[A_STEP]]
  // CHECK: %[[B_BASE:.*]] = llvm.add %{{.*}}, %[[B_BITS]]
  // CHECK: %[[B_AT:.*]] = llvm.add %[[B_BASE]], %[[B_STEP]]
  // CHECK: llvm.inline_asm has_side_effects
  // CHECK-SAME: "wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {$0, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15}, $32, $33, $34, -1, 1, 0, 1;"
  // CHECK-SAME: "=r,{{.*}},0,1,{{.*}},15,l,l,b"
  // CHECK-SAME: %[[A_AT]], %[[B_AT]], %{{.*}} :
  %0 = sm90.wgmma.mma_async %f, %a, %b accumulate(%p) {a_m = 64 : i64, a_k = 16 : i64, b_k = 32 : i64, negate_a} : vector<16xf32>, !A, !B
  // CHECK: nvvm.wgmma.commit.group.sync.aligned
  sm90.wgmma.commit_group
  // CHECK: nvvm.wgmma.wait.group.sync.aligned 2
  sm90.wgmma.wait_group 2
  // CHECK: llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 0;", "=r,{{.*}},15"
  %1 = sm90.wgmma.wait_group 0 (%0 : vector<16xf32>)
  // CHECK: nvvm.wgmma.fence.aligned
  sm90.wgmma.fence
  return %1 : vector<16xf32>
}

// -----

!A = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!B = memref<16x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 2048>, #gpu.address_space<workgroup>>

// Of 128 rows of D the instruction has the registers of the last 64.
// CHECK-LABEL: func.func @rows
// CHECK-SAME: %[[D:[a-z0-9]*]]: vector<16xf32>
func.func @rows(%a: !A, %b: !B, %d: vector<16xf32>, %p: i1) -> vector<16xf32> {
  // CHECK: %[[PART:.*]] = llvm.shufflevector %[[D]], %[[D]] [8, 9, 10, 11, 12, 13, 14, 15] : vector<16xf32>
  // CHECK: llvm.bitcast %[[PART]]
  // CHECK: "wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {$0, $1, $2, $3, $4, $5, $6, $7}, $16, $17, $18, 1, 1, 0, 0;"
  // CHECK: %[[NEW:.*]] = llvm.bitcast %{{.*}} : vector<8xi32> to vector<8xf32>
  // CHECK: %[[WIDE:.*]] = llvm.shufflevector %[[NEW]], %[[NEW]] [0, 1, 2, 3, 4, 5, 6, 7, -1, -1, -1, -1, -1, -1, -1, -1] : vector<8xf32>
  // CHECK: llvm.shufflevector %[[D]], %[[WIDE]] [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23] : vector<16xf32>
  %0 = sm90.wgmma.mma_async %d, %a, %b accumulate(%p) {a_m = 64 : i64, d_m = 64 : i64, d_rows = 128 : i64} : vector<16xf32>, !A, !B
  %1 = sm90.wgmma.wait_group 0 (%0 : vector<16xf32>)
  return %1 : vector<16xf32>
}

// -----

!B = memref<8x16xf16, #sm90.smem_layout<k_major, b32, bits = 16, slab = 128>, #gpu.address_space<workgroup>>

// A in four registers, D in two with two sums each.
// CHECK-LABEL: func.func @registers
func.func @registers(%a: vector<8xf16>, %b: !B, %d: vector<4xf16>, %p: i1) -> vector<4xf16> {
  // CHECK: "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {$0, $1}, {$4, $5, $6, $7}, $8, $9, 1, -1, 0;", "=r,=r,0,1,r,r,r,r,l,b"
  %0 = sm90.wgmma.mma_async %d, %a, %b accumulate(%p) {negate_b} : vector<4xf16>, vector<8xf16>, !B
  %1 = sm90.wgmma.wait_group 0 (%0 : vector<4xf16>)
  return %1 : vector<4xf16>
}

// -----

!E = memref<64x32xf8E4M3FN, #sm90.smem_layout<k_major, b32, bits = 8, slab = 2048>, #gpu.address_space<workgroup>>
!T = memref<64x8xf32, #sm90.smem_layout<k_major, b32, bits = 32, slab = 512>, #gpu.address_space<workgroup>>

// No transposition in the text of types that have none.
// CHECK-LABEL: func.func @other_types
func.func @other_types(%e: !E, %t: !T, %ea: vector<16xf8E5M2>, %ta: vector<4xf32>, %d: vector<4xf32>, %p: i1) {
  // CHECK: "wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {$0, $1, $2, $3}, $8, $9, $10, 1, 1;"
  %0 = sm90.wgmma.mma_async %d, %e, %e accumulate(%p) : vector<4xf32>, !E, !E
  // CHECK: "wgmma.mma_async.sync.aligned.m64n8k32.f32.e5m2.e4m3 {$0, $1, $2, $3}, {$8, $9, $10, $11}, $12, $13, 1, 1;"
  %1 = sm90.wgmma.mma_async %0, %ea, %e accumulate(%p) : vector<4xf32>, vector<16xf8E5M2>, !E
  // CHECK: "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {$0, $1, $2, $3}, $8, $9, $10, 1, 1;"
  %2 = sm90.wgmma.mma_async %1, %t, %t accumulate(%p) : vector<4xf32>, !T, !T
  // CHECK: "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {$0, $1, $2, $3}, {$8, $9, $10, $11}, $12, $13, 1, 1;"
  %3 = sm90.wgmma.mma_async %2, %ta, %t accumulate(%p) : vector<4xf32>, vector<4xf32>, !T
  return
}
