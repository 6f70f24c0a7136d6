// RUN: tc-opt %s --mlir-print-local-scope -convert-sm90-to-nvvm | FileCheck %s

!tile = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!map = !sm90.tensor_map<128x64xbf16, b128>

// Coordinates are reversed: PTX counts from the fastest dimension.
// CHECK-LABEL: func.func @load
// CHECK-SAME: (%[[MAP:.*]]: !sm90.tensor_map<128x64xbf16, b128>, %[[TILE:.*]]: memref{{.*}}, %[[BAR:.*]]: !sm90.mbarrier, %[[ROW:.*]]: index, %[[K:.*]]: index, %[[MASK:.*]]: i16)
func.func @load(%map: !map, %tile: !tile, %b: !sm90.mbarrier, %row: index, %k: index, %mask: i16) {
  // CHECK-DAG: %[[M:.*]] = builtin.unrealized_conversion_cast %[[MAP]] : !sm90.tensor_map<128x64xbf16, b128> to !llvm.ptr
  // CHECK-DAG: %[[T:.*]] = builtin.unrealized_conversion_cast %[[TILE]] : {{.*}} to !llvm.ptr<3>
  // CHECK-DAG: %[[B:.*]] = builtin.unrealized_conversion_cast %[[BAR]] : !sm90.mbarrier to !llvm.ptr<3>
  // CHECK-DAG: %[[ROW64:.*]] = builtin.unrealized_conversion_cast %[[ROW]] : index to i64
  // CHECK-DAG: %[[K64:.*]] = builtin.unrealized_conversion_cast %[[K]] : index to i64
  // CHECK: nvvm.prefetch tensormap, %[[M]] : !llvm.ptr
  sm90.prefetch_tensor_map %map : !map
  // CHECK: %[[K32:.*]] = llvm.trunc %[[K64]] : i64 to i32
  // CHECK: %[[ROW32:.*]] = llvm.trunc %[[ROW64]] : i64 to i32
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %[[T]], %[[M]], %[[B]], box[%[[K32]], %[[ROW32]]] {isCTAOnly = true} : !llvm.ptr<3>, !llvm.ptr
  sm90.tma_load %map[%row, %k], %tile, %b : !map, !tile, !sm90.mbarrier
  // CHECK: %[[ADDRESS:.*]] = llvm.ptrtoint %[[T]] : !llvm.ptr<3> to i64
  // CHECK: %[[CLUSTER:.*]] = llvm.inttoptr %[[ADDRESS]] : i64 to !llvm.ptr<7>
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %[[CLUSTER]], %[[M]], %[[B]], box[%{{.*}}, %{{.*}}] multicast_mask = %[[MASK]] {group = #nvvm.cta_group<cta_2>} : !llvm.ptr<7>, !llvm.ptr
  sm90.tma_load %map[%row, %k], %tile, %b multicast %mask cta_group 2 : !map, !tile, !sm90.mbarrier
  return
}

// A policy is an operand of the copy; NVVM has no op that makes one.
// CHECK-LABEL: func.func @policy
func.func @policy(%map: !map, %tile: !tile, %b: !sm90.mbarrier, %row: index, %k: index) {
  // CHECK: %[[POLICY:.*]] = llvm.inline_asm "createpolicy.fractional.L2::evict_last.b64 $0, 1.0;", "=l"  : () -> i64
  %policy = sm90.cache_policy evict_last
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %{{.*}}, %{{.*}}, box[%{{.*}}, %{{.*}}] l2_cache_hint = %[[POLICY]]
  sm90.tma_load %map[%row, %k], %tile, %b cache_policy %policy : !map, !tile, !sm90.mbarrier
  return
}

// The barrier of the pair's other CTA.
// CHECK-LABEL: func.func @pair
func.func @pair(%map: !map, %tile: !tile, %b: !sm90.cluster_mbarrier, %row: index, %k: index) {
  // CHECK: %[[ADDRESS:.*]] = llvm.ptrtoint %{{.*}} : !llvm.ptr<7> to i64
  // CHECK: %[[BAR:.*]] = llvm.inttoptr %[[ADDRESS]] : i64 to !llvm.ptr<3>
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %{{.*}}, %[[BAR]], box[%{{.*}}, %{{.*}}] {group = #nvvm.cta_group<cta_2>} : !llvm.ptr<7>, !llvm.ptr
  sm90.tma_load %map[%row, %k], %tile, %b cta_group 2 : !map, !tile, !sm90.cluster_mbarrier
  return
}

// The host's operation stays.
// CHECK-LABEL: func.func @host
func.func @host(%A: memref<64x64xbf16>) -> !sm90.tensor_map<64x64xbf16, b128> {
  // CHECK: sm90.tensor_map.encode
  %0 = sm90.tensor_map.encode %A[0] dims [64, 64] strides [128] : memref<64x64xbf16> to !sm90.tensor_map<64x64xbf16, b128>
  return %0 : !sm90.tensor_map<64x64xbf16, b128>
}
