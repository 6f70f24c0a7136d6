// RUN: tc-opt %s -convert-sm80-to-nvvm -canonicalize -cse -split-input-file | FileCheck %s

!A = memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
!B = memref<24x64xbf16, #sm90.smem_layout<mn_major, b32, bits = 16, slab = 1024>, #gpu.address_space<workgroup>>

// 16 rows of A, 32 bytes along K from byte 32 on: one ldmatrix. B runs along N in
// slabs of 16 columns, 2,048 bytes each: 16 columns by one transposing ldmatrix, 8 more by another,
// from line k = 32 on, 32 bytes each.
// CHECK-LABEL: func.func @mma
// CHECK-DAG: %[[LANE:.*]] = nvvm.read.ptx.sreg.laneid
// CHECK-DAG: %[[C32:.*]] = llvm.mlir.constant(32 : i32)
// CHECK: %[[A:.*]] = nvvm.ldmatrix %{{.*}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, num = 4 : i32,
// CHECK: %[[B0:.*]] = llvm.getelementptr %{{.*}}[1024]
// CHECK: nvvm.ldmatrix %[[B0]] {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<col>, num = 4 : i32,
// CHECK: nvvm.mma.sync A[{{.*}}] B[{{.*}}] C[{{.*}}] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>, shape = #nvvm.shape<m = 16, n = 8, k = 16>}
// CHECK: nvvm.mma.sync
// CHECK: %[[B1:.*]] = llvm.getelementptr %{{.*}}[3072]
// CHECK: nvvm.ldmatrix %[[B1]] {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<col>, num = 2 : i32,
// CHECK: nvvm.mma.sync
// CHECK-NOT: nvvm.mma.sync
func.func @mma(%a: !A, %b: !B, %d: vector<12xf32>, %row: i32) -> vector<12xf32> {
  %0 = sm80.mma_sync %d, %a, %b row(%row) {a_k = 16 : i64, b_k = 32 : i64} : vector<12xf32>, !A, !B
  return %0 : vector<12xf32>
}

// -----

!A = memref<32x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 4096>, #gpu.address_space<workgroup>>
!B = memref<8x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 1024>, #gpu.address_space<workgroup>>

// Halves in pairs, 32 rows, types that the op does not have.
// CHECK-LABEL: func.func @bytes
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k32.row.col.f16.e5m2.e4m3.f16"({{.*}}) : (i32, i32, i32, i32, i32, i32, vector<2xf16>, vector<2xf16>) -> !llvm.struct<(vector<2xf16>, vector<2xf16>)>
func.func @bytes(%a: !A, %b: !B, %d: vector<8xf16>, %row: i32) -> vector<8xf16> {
  %0 = sm80.mma_sync %d, %a, %b row(%row) : vector<8xf16>, !A, !B
  return %0 : vector<8xf16>
}

// -----

!A = memref<16x128xi8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 2048>, #gpu.address_space<workgroup>>
!B = memref<8x128xui8, #sm90.smem_layout<k_major, b128, bits = 8, slab = 1024>, #gpu.address_space<workgroup>>

// CHECK-LABEL: func.func @integers
// CHECK: nvvm.mma.sync {{.*}} {intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>, {{.*}}multiplicandAPtxType = #nvvm.mma_type<s8>, multiplicandBPtxType = #nvvm.mma_type<u8>, shape = #nvvm.shape<m = 16, n = 8, k = 32>}
func.func @integers(%a: !A, %b: !B, %d: vector<4xi32>, %row: i32) -> vector<4xi32> {
  %0 = sm80.mma_sync %d, %a, %b row(%row) {a_k = 96 : i64, b_k = 96 : i64} : vector<4xi32>, !A, !B
  return %0 : vector<4xi32>
}

// -----

!A = memref<128x128xf4E2M1FN, #sm90.smem_layout<k_major, b64, bits = 4, slab = 16384>, #gpu.address_space<workgroup>>
!B = memref<136x128xf4E2M1FN, #sm90.smem_layout<k_major, b64, bits = 4, slab = 17408>, #gpu.address_space<workgroup>>
!SA = memref<1x4x256xf8E4M3FN, #gpu.address_space<workgroup>>
!SB = memref<2x4x256xf8E4M3FN, #gpu.address_space<workgroup>>

// 16 rows and 17 times 8 columns; the second half of K: factors of block 1, 512 bytes further, of all four.
// The last 8 columns have the factors of the second 128 rows of B, 1,024 bytes further.
// CHECK-LABEL: func.func @scaled
// CHECK: %[[SA:.*]] = llvm.load %{{.*}} : !llvm.ptr<3> -> i32
// CHECK: %[[SB:.*]] = llvm.load %{{.*}} : !llvm.ptr<3> -> i32
// CHECK: nvvm.mma.block_scale A[{{.*}}] B[{{.*}}] C[{{.*}}] scaleA[%[[SA]]{{.*}}] scaleB[%[[SB]]{{.*}}]
// CHECK-SAME: kind = #nvvm.block_scale_kind<mxf4nvf4>
// CHECK-COUNT-16: nvvm.mma.block_scale
// CHECK-NOT: nvvm.mma.block_scale
func.func @scaled(%a: !A, %b: !B, %sa: !SA, %sb: !SB, %d: vector<68xf32>, %row: i32) -> vector<68xf32> {
  %0 = sm80.mma_sync %d, %a, %b row(%row) scales(%sa, %sb) {a_k = 64 : i64, b_k = 64 : i64} : vector<68xf32>, !A, !B, !SA, !SB
  return %0 : vector<68xf32>
}
