// RUN: tc-opt %s --mlir-print-local-scope -convert-sm90-to-nvvm | FileCheck %s

!tile = memref<128x32xbf16, #sm90.smem_layout<k_major, b64, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
!map = !sm90.tensor_map<128x32xbf16, b64>

// Coordinates are reversed: PTX counts from the fastest dimension.
// CHECK-LABEL: func.func @store
// CHECK-SAME: (%[[MAP:.*]]: !sm90.tensor_map<128x32xbf16, b64>, %[[TILE:.*]]: memref{{.*}}, %[[ROW:.*]]: index, %[[COL:.*]]: index, %[[POLICY:.*]]: i64)
func.func @store(%map: !map, %tile: !tile, %row: index, %col: index, %policy: i64) {
  // CHECK-DAG: %[[M:.*]] = builtin.unrealized_conversion_cast %[[MAP]] : !sm90.tensor_map<128x32xbf16, b64> to !llvm.ptr
  // CHECK-DAG: %[[T:.*]] = builtin.unrealized_conversion_cast %[[TILE]] : {{.*}} to !llvm.ptr<3>
  // CHECK-DAG: %[[ROW64:.*]] = builtin.unrealized_conversion_cast %[[ROW]] : index to i64
  // CHECK-DAG: %[[COL64:.*]] = builtin.unrealized_conversion_cast %[[COL]] : index to i64
  // CHECK: %[[COL32:.*]] = llvm.trunc %[[COL64]] : i64 to i32
  // CHECK: %[[ROW32:.*]] = llvm.trunc %[[ROW64]] : i64 to i32
  // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %[[M]], %[[T]], box[%[[COL32]], %[[ROW32]]] : !llvm.ptr, <3>
  sm90.tma_store %map[%row, %col], %tile : !map, !tile
  // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %[[M]], %[[T]], box[%{{.*}}, %{{.*}}] l2_cache_hint = %[[POLICY]] : !llvm.ptr, <3>
  sm90.tma_store %map[%row, %col], %tile cache_policy %policy : !map, !tile
  // CHECK: nvvm.cp.async.bulk.commit.group
  sm90.bulk_commit_group
  // CHECK: nvvm.cp.async.bulk.wait_group 1 {read}
  sm90.bulk_wait_group 1 read
  // CHECK: nvvm.cp.async.bulk.wait_group 0{{$}}
  sm90.bulk_wait_group 0
  return
}

// CHECK-LABEL: func.func @meet
func.func @meet() {
  // CHECK: %[[ID:.*]] = llvm.mlir.constant(2 : i32) : i32
  // CHECK: %[[THREADS:.*]] = llvm.mlir.constant(128 : i32) : i32
  // CHECK: nvvm.barrier id = %[[ID]] number_of_threads = %[[THREADS]]
  sm90.named_barrier 2 threads 128
  return
}

// A row of 64 bytes: the two address bits above bit 6 are exchanged with those of
// the 16-byte chunk; the column joins by an XOR.
// CHECK-LABEL: func.func @row
// CHECK-SAME: %[[ROW:[^:]*]]: i32
func.func @row(%row: i32, %tile: !tile, %v: vector<8xbf16>) {
  // CHECK: %[[T:.*]] = builtin.unrealized_conversion_cast %{{.*}} : memref{{.*}} to !llvm.ptr<3>
  // CHECK: %[[LINE:.*]] = llvm.mul %[[ROW]], %{{.*}} : i32
  // CHECK: %[[BITS:.*]] = llvm.lshr %[[LINE]], %{{.*}} : i32
  // CHECK: %[[MASK:.*]] = llvm.mlir.constant(3 : i32) : i32
  // CHECK: %[[LOW:.*]] = llvm.and %[[BITS]], %[[MASK]] : i32
  // CHECK: %[[SHIFTED:.*]] = llvm.shl %[[LOW]], %{{.*}} : i32
  // CHECK: %[[SWIZZLED:.*]] = llvm.xor %[[LINE]], %[[SHIFTED]] : i32
  // CHECK: %[[P:.*]] = llvm.getelementptr %[[T]][%[[SWIZZLED]]] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
  // CHECK: %[[WORDS:.*]] = llvm.bitcast %{{.*}} : vector<8xbf16> to vector<4xi32>
  // CHECK: llvm.store %[[WORDS]], %[[P]] {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
  sm90.smem_store %v, %tile[%row, 0] : vector<8xbf16>, !tile
  // CHECK: %[[C:.*]] = llvm.mlir.constant(48 : i64) : i64
  // CHECK: %[[Q:.*]] = llvm.ptrtoint %{{.*}} : !llvm.ptr<3> to i64
  // CHECK: %[[X:.*]] = llvm.xor %[[Q]], %[[C]] : i64
  // CHECK: llvm.inttoptr %[[X]] : i64 to !llvm.ptr<3>
  sm90.smem_store %v, %tile[%row, 24] : vector<8xbf16>, !tile
  return
}

// What a lane gives of its own joins the address by the XOR, too.
// CHECK-LABEL: func.func @own
// CHECK-SAME: %[[OWN:[^:]*]]: i32, %{{.*}}: memref
func.func @own(%own: i32, %tile: !tile, %row: i32, %pair: vector<2xbf16>, %v: vector<8xbf16>, %two: vector<4xbf16>) {
  // CHECK: %[[BYTES:.*]] = llvm.mul %[[OWN]], %{{.*}} : i32
  // CHECK: %[[SUM:.*]] = llvm.add %[[BYTES]], %{{.*}} : i32
  // CHECK: %[[WIDE:.*]] = llvm.zext %[[SUM]] : i32 to i64
  // CHECK: %[[X:.*]] = llvm.xor %{{.*}}, %[[WIDE]] : i64
  // CHECK: %[[P:.*]] = llvm.inttoptr %[[X]] : i64 to !llvm.ptr<3>
  // CHECK: %[[WORD:.*]] = llvm.bitcast %{{.*}} : vector<2xbf16> to i32
  // CHECK: llvm.store %[[WORD]], %[[P]] {alignment = 4 : i64} : i32, !llvm.ptr<3>
  sm90.smem_store %pair, %tile[%row, %own + 8] : vector<2xbf16>, !tile
  // CHECK: llvm.zext
  // CHECK: %[[P4:.*]] = llvm.inttoptr
  // CHECK: %[[WORDS:.*]] = llvm.bitcast %{{.*}} : vector<8xbf16> to vector<4xi32>
  // CHECK-COUNT-4: llvm.extractelement %[[WORDS]]
  // CHECK: nvvm.stmatrix %[[P4]], {{.*}}{eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : !llvm.ptr<3>, i32, i32, i32, i32
  sm90.stmatrix %v, %tile[%row, %own + 16] : vector<8xbf16>, !tile
  // CHECK: nvvm.stmatrix {{.*}} : !llvm.ptr<3>, i32, i32{{$}}
  sm90.stmatrix %two, %tile[%row, 0] : vector<4xbf16>, !tile
  // CHECK: nvvm.stmatrix {{.*}} : !llvm.ptr<3>, i32{{$}}
  sm90.stmatrix %pair, %tile[%row, 0] : vector<2xbf16>, !tile
  return
}

// The second slab of a tile of rows of 256 bytes.
!wide = memref<128x64xf32, #sm90.smem_layout<k_major, b128, bits = 32, slab = 4096>, #gpu.address_space<workgroup>>
// CHECK-LABEL: func.func @slab
func.func @slab(%row: i32, %tile: !wide, %v: vector<4xf32>) {
  // CHECK: llvm.mlir.constant(16 : i64) : i64
  // CHECK: %[[P:.*]] = llvm.inttoptr
  // CHECK: llvm.getelementptr %[[P]][16384] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  sm90.smem_store %v, %tile[%row, 36] : vector<4xf32>, !wide
  return
}
