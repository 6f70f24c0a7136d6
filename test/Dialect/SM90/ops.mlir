// Every operation parses and prints, in its own form and in the generic one.
// RUN: tc-opt %s | tc-opt --mlir-print-local-scope | FileCheck %s
// RUN: tc-opt %s -mlir-print-op-generic | tc-opt --mlir-print-local-scope | FileCheck %s

!smem = memref<33792xi8, #gpu.address_space<workgroup>>
!tile = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!map = !sm90.tensor_map<128x64xbf16, b128>

// CHECK-LABEL: func.func @smem
// CHECK-SAME: (%[[N:.*]]: index)
func.func @smem(%n: index) {
  // CHECK: %[[S:.*]] = sm90.dynamic_smem align 1024 : memref<33792xi8, #gpu.address_space<workgroup>>
  %s = sm90.dynamic_smem align 1024 : !smem
  // CHECK: sm90.smem_view %[[S]][16384] : memref<33792xi8, #gpu.address_space<workgroup>> to memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
  %a = sm90.smem_view %s[16384] : !smem to !tile
  // CHECK: sm90.smem_view %[[S]][%[[N]]] : memref<33792xi8, #gpu.address_space<workgroup>> to memref<32x32xf32, #gpu.address_space<workgroup>>
  %c = sm90.smem_view %s[%n] : !smem to memref<32x32xf32, #gpu.address_space<workgroup>>
  // CHECK: %[[BARS:.*]] = sm90.mbarrier.view %[[S]][32768] : memref<33792xi8, #gpu.address_space<workgroup>> to !sm90.mbarrier_array<4>
  %bars = sm90.mbarrier.view %s[32768] : !smem to !sm90.mbarrier_array<4>
  // CHECK: sm90.mbarrier.get %[[BARS]][3] : !sm90.mbarrier_array<4>
  %b3 = sm90.mbarrier.get %bars[3] : !sm90.mbarrier_array<4>
  // CHECK: sm90.mbarrier.get %[[BARS]][%[[N]]] : !sm90.mbarrier_array<4>
  %bn = sm90.mbarrier.get %bars[%n] : !sm90.mbarrier_array<4>
  // CHECK: sm90.mbarrier.init %[[BARS]], 1 : !sm90.mbarrier_array<4>
  sm90.mbarrier.init %bars, 1 : !sm90.mbarrier_array<4>
  return
}

// CHECK-LABEL: func.func @mbarrier
// CHECK-SAME: (%[[B:.*]]: !sm90.mbarrier, %[[P:.*]]: i32)
func.func @mbarrier(%b: !sm90.mbarrier, %parity: i32) {
  // CHECK: sm90.mbarrier.init %[[B]], 128 : !sm90.mbarrier
  sm90.mbarrier.init %b, 128 : !sm90.mbarrier
  // CHECK: sm90.fence_mbarrier_init
  sm90.fence_mbarrier_init
  // CHECK: sm90.mbarrier.arrive %[[B]] : !sm90.mbarrier
  sm90.mbarrier.arrive %b : !sm90.mbarrier
  // CHECK: sm90.mbarrier.arrive %[[B]], 4 : !sm90.mbarrier
  sm90.mbarrier.arrive %b, 4 : !sm90.mbarrier
  // CHECK: sm90.mbarrier.arrive_expect_tx %[[B]], 32768 : !sm90.mbarrier
  sm90.mbarrier.arrive_expect_tx %b, 32768 : !sm90.mbarrier
  // CHECK: sm90.mbarrier.wait_parity %[[B]], %[[P]] : !sm90.mbarrier
  sm90.mbarrier.wait_parity %b, %parity : !sm90.mbarrier
  // CHECK: sm90.fence_proxy_async all
  sm90.fence_proxy_async all
  // CHECK: sm90.fence_proxy_async shared_cta
  sm90.fence_proxy_async shared_cta
  // CHECK: sm90.fence_sync_restrict release
  sm90.fence_sync_restrict release
  // CHECK: sm90.fence_sync_restrict acquire
  sm90.fence_sync_restrict acquire
  // CHECK: sm90.elect
  %leader = sm90.elect
  return
}

// Barriers of another CTA of the cluster.
// CHECK-LABEL: func.func @cluster
// CHECK-SAME: (%[[BARS:.*]]: !sm90.mbarrier_array<4>, %[[RANK:.*]]: i32, %[[N:.*]]: index, %[[B:.*]]: !sm90.mbarrier, %[[MAP:.*]]: !sm90.tensor_map<128x64xbf16, b128>, %[[T:.*]]: memref<128x64xbf16{{.*}}>)
func.func @cluster(%bars: !sm90.mbarrier_array<4>, %rank: i32, %n: index, %b: !sm90.mbarrier, %map: !map, %tile: !tile) {
  // CHECK: %[[PEERS:.*]] = sm90.mbarrier.map %[[BARS]], %[[RANK]] : !sm90.mbarrier_array<4>
  %peers = sm90.mbarrier.map %bars, %rank : !sm90.mbarrier_array<4>
  // CHECK: sm90.mbarrier.get %[[PEERS]][3] : !sm90.cluster_mbarrier_array<4>
  %p3 = sm90.mbarrier.get %peers[3] : !sm90.cluster_mbarrier_array<4>
  // CHECK: %[[PEER:.*]] = sm90.mbarrier.get %[[PEERS]][%[[N]]] : !sm90.cluster_mbarrier_array<4>
  %peer = sm90.mbarrier.get %peers[%n] : !sm90.cluster_mbarrier_array<4>
  // CHECK: sm90.mbarrier.arrive %[[PEER]] : !sm90.cluster_mbarrier
  sm90.mbarrier.arrive %peer : !sm90.cluster_mbarrier
  // CHECK: sm90.mbarrier.arrive_expect_tx %[[PEER]], 128 : !sm90.cluster_mbarrier
  sm90.mbarrier.arrive_expect_tx %peer, 128 : !sm90.cluster_mbarrier
  // CHECK: sm90.mbarrier.arrive %[[PEER]], 2 relaxed : !sm90.cluster_mbarrier
  sm90.mbarrier.arrive %peer, 2 relaxed : !sm90.cluster_mbarrier
  // CHECK: sm90.mbarrier.arrive_expect_tx %[[PEER]], 128 relaxed : !sm90.cluster_mbarrier
  sm90.mbarrier.arrive_expect_tx %peer, 128 relaxed : !sm90.cluster_mbarrier
  // CHECK: sm90.mbarrier.wait_parity %[[B]], %[[RANK]] relaxed cluster : !sm90.mbarrier
  sm90.mbarrier.wait_parity %b, %rank relaxed cluster : !sm90.mbarrier
  // CHECK: sm90.mbarrier.wait_parity %[[B]], %[[RANK]] cluster : !sm90.mbarrier
  sm90.mbarrier.wait_parity %b, %rank cluster : !sm90.mbarrier
  // CHECK: sm90.tma_load %[[MAP]][%[[N]], %[[N]]], %[[T]], %[[PEER]] cta_group 2 : !sm90.tensor_map<128x64xbf16, b128>, memref<128x64xbf16{{.*}}>, !sm90.cluster_mbarrier
  sm90.tma_load %map[%n, %n], %tile, %peer cta_group 2 : !map, !tile, !sm90.cluster_mbarrier
  // CHECK: sm90.cluster_arrive
  sm90.cluster_arrive
  // CHECK: sm90.cluster_wait
  sm90.cluster_wait
  // CHECK: sm90.griddepcontrol wait
  sm90.griddepcontrol wait
  // CHECK: sm90.griddepcontrol launch_dependents
  sm90.griddepcontrol launch_dependents
  // CHECK: sm90.set_max_registers increase 168
  sm90.set_max_registers increase 168
  // CHECK: sm90.set_max_registers decrease 40
  sm90.set_max_registers decrease 40
  return
}

// CHECK-LABEL: func.func @encode
// CHECK-SAME: (%[[A:.*]]: memref<?x?xbf16>, %[[M:.*]]: index, %[[K:.*]]: index, %[[P:.*]]: index)
func.func @encode(%A: memref<?x?xbf16>, %m: index, %k: index, %pitch: index) {
  // CHECK: sm90.tensor_map.encode %[[A]][0] dims [%[[M]], %[[K]]] strides [%[[P]]] : memref<?x?xbf16> to !sm90.tensor_map<128x64xbf16, b128>
  %0 = sm90.tensor_map.encode %A[0] dims [%m, %k] strides [%pitch] : memref<?x?xbf16> to !map
  // CHECK: sm90.tensor_map.encode %[[A]][%[[P]]] dims [256, 64] strides [128] l2_promotion l2_256b oob_fill nan element_strides [1, 2] : memref<?x?xbf16> to !sm90.tensor_map<128x64xbf16, b128>
  %1 = sm90.tensor_map.encode %A[%pitch] dims [256, 64] strides [128] l2_promotion l2_256b oob_fill nan
      element_strides [1, 2] : memref<?x?xbf16> to !map
  return
}

// CHECK-LABEL: func.func @tma
// CHECK-SAME: (%[[MAP:.*]]: !sm90.tensor_map<128x64xbf16, b128>, %[[T:.*]]: memref<128x64xbf16{{.*}}>, %[[B:.*]]: !sm90.mbarrier, %[[I:.*]]: index, %[[MASK:.*]]: i16)
func.func @tma(%map: !map, %tile: !tile, %b: !sm90.mbarrier, %i: index, %mask: i16) {
  // CHECK: sm90.prefetch_tensor_map %[[MAP]] : !sm90.tensor_map<128x64xbf16, b128>
  sm90.prefetch_tensor_map %map : !map
  // CHECK: sm90.tma_load %[[MAP]][%[[I]], %[[I]]], %[[T]], %[[B]] : !sm90.tensor_map<128x64xbf16, b128>, memref<128x64xbf16{{.*}}>, !sm90.mbarrier
  sm90.tma_load %map[%i, %i], %tile, %b : !map, !tile, !sm90.mbarrier
  // CHECK: sm90.tma_load %[[MAP]][%[[I]], %[[I]]], %[[T]], %[[B]] multicast %[[MASK]] cta_group 2 : !sm90.tensor_map
  sm90.tma_load %map[%i, %i], %tile, %b multicast %mask cta_group 2 : !map, !tile, !sm90.mbarrier
  // CHECK: %[[FIRST:.*]] = sm90.cache_policy evict_first
  %first = sm90.cache_policy evict_first
  // CHECK: sm90.cache_policy evict_last
  %last = sm90.cache_policy evict_last
  // CHECK: sm90.cache_policy evict_normal
  %normal = sm90.cache_policy evict_normal
  // CHECK: sm90.tma_load %[[MAP]][%[[I]], %[[I]]], %[[T]], %[[B]] cache_policy %[[FIRST]] : !sm90.tensor_map
  sm90.tma_load %map[%i, %i], %tile, %b cache_policy %first : !map, !tile, !sm90.mbarrier
  return
}

// CHECK-LABEL: func.func @tma_store
// CHECK-SAME: (%[[MAP:.*]]: !sm90.tensor_map<128x64xbf16, b128>, %[[T:.*]]: memref<128x64xbf16{{.*}}>, %[[I:.*]]: index, %[[V:.*]]: vector<8xbf16>, %[[ROW:.*]]: i32, %[[POLICY:.*]]: i64, %{{.*}}: vector<2xbf16>)
func.func @tma_store(%map: !map, %tile: !tile, %i: index, %v: vector<8xbf16>, %row: i32, %policy: i64,
                     %pair: vector<2xbf16>) {
  // CHECK: sm90.smem_store %[[V]], %[[T]][%[[ROW]], 8] : vector<8xbf16>, memref<128x64xbf16
  sm90.smem_store %v, %tile[%row, 8] : vector<8xbf16>, !tile
  // CHECK: sm90.smem_store %{{.*}}, %[[T]][%[[ROW]], %[[ROW]] + 16] : vector<2xbf16>, memref<128x64xbf16
  sm90.smem_store %pair, %tile[%row, %row + 16] : vector<2xbf16>, !tile
  // CHECK: sm90.stmatrix %[[V]], %[[T]][%[[ROW]], %[[ROW]] + 32] : vector<8xbf16>, memref<128x64xbf16
  sm90.stmatrix %v, %tile[%row, %row + 32] : vector<8xbf16>, !tile
  // CHECK: sm90.stmatrix %{{.*}}, %[[T]][%[[ROW]], 56] : vector<2xbf16>, memref<128x64xbf16
  sm90.stmatrix %pair, %tile[%row, 56] : vector<2xbf16>, !tile
  // CHECK: sm90.named_barrier 1 threads 128
  sm90.named_barrier 1 threads 128
  // CHECK: sm90.tma_store %[[MAP]][%[[I]], %[[I]]], %[[T]] : !sm90.tensor_map<128x64xbf16, b128>, memref<128x64xbf16
  sm90.tma_store %map[%i, %i], %tile : !map, !tile
  // CHECK: sm90.tma_store %[[MAP]][%[[I]], %[[I]]], %[[T]] cache_policy %[[POLICY]] : !sm90.tensor_map
  sm90.tma_store %map[%i, %i], %tile cache_policy %policy : !map, !tile
  // CHECK: sm90.bulk_commit_group
  sm90.bulk_commit_group
  // CHECK: sm90.bulk_wait_group 1 read
  sm90.bulk_wait_group 1 read
  // CHECK: sm90.bulk_wait_group 0{{$}}
  sm90.bulk_wait_group 0
  return
}
