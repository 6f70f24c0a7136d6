// RUN: tc-opt %s --mlir-print-local-scope --convert-tmm-tiles | FileCheck %s

#a = #sm90.smem<k_major, b128>
!a1 = !tmm.buffer<64x32xbf16, #sm90.smem<k_major, b64>>
!b1 = !tmm.buffer<24x32xbf16, #sm90.smem<k_major, b64>>
!a2 = !tmm.buffer<128x32xf16, #sm90.smem<mn_major, b128>>
!b2 = !tmm.buffer<64x32xf16, #sm90.smem<mn_major, b128>>
!s1 = !tmm.buffer<128x32xbf16, #sm90.smem<k_major, b64>>

gpu.module @kernels {

// One warpgroup: a group of two steps along K.
// CHECK-LABEL: gpu.func @one
// CHECK: %[[AS:.*]] = sm90.smem_alloc align 512 : memref<16384xi8
// CHECK: %[[A:.*]] = sm90.smem_view %[[AS]][%{{.*}}]
// CHECK: %[[B:.*]] = sm90.smem_view
// CHECK: %[[READY:.*]] = sm90.wgmma.fence(%{{.*}} : vector<12xf32>)
// CHECK: %[[D0:.*]] = sm90.wgmma.mma_async %[[READY]], %[[A]], %[[B]] accumulate(%[[MORE:.*]]) : vector<12xf32>, memref<64x32xbf16, #sm90.smem_layout<k_major, b64
// CHECK: %[[TRUE:.*]] = arith.constant true
// CHECK: %[[D1:.*]] = sm90.wgmma.mma_async %[[D0]], %[[A]], %[[B]] accumulate(%[[TRUE]]) {a_k = 16 : i64, b_k = 16 : i64}
// CHECK: sm90.wgmma.commit_group
// CHECK: sm90.wgmma.wait_group 0(%[[D1]] : vector<12xf32>)
gpu.func @one(%index: i32, %acc: vector<12xf32>, %more: i1) kernel {
  %as = tmm.storage : !tmm.storage<!a1, depth = 4>
  %bs = tmm.storage : !tmm.storage<!b1, depth = 4>
  %a = tmm.slot %as[%index] : !tmm.storage<!a1, depth = 4>
  %b = tmm.slot %bs[%index] : !tmm.storage<!b1, depth = 4>
  %new = tmm.mma %a, %b, %acc accumulate(%more) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
    : !a1, !b1, vector<12xf32> -> vector<12xf32>
  %sum = tmm.await %new by(#sm90.wgmma) pending 0 : vector<12xf32>
  gpu.return
}

// Two: each has the slab of A with its rows, 4096 bytes further on.
// CHECK-LABEL: gpu.func @two
// The number of the warpgroup is that of the first lane: the same for a warp.
// CHECK: %[[T:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK: %[[OWN:.*]] = arith.divui %[[T]], %c128{{.*}} : i32
// CHECK: %[[NUMBER:.*]], %{{.*}} = gpu.shuffle idx %[[OWN]], %c0{{.*}}, %c32{{.*}} : i32
// CHECK: %[[WHOLE:.*]] = sm90.smem_view %[[AS:.*]][0] {{.*}} to memref<128x32xf16
// CHECK: %[[BYTES:.*]] = arith.muli %[[NUMBER]], %c4096{{.*}} : i32
// CHECK: %[[PART:.*]] = sm90.smem_view %[[AS]][%{{.*}}] {{.*}} to memref<64x32xf16, #sm90.smem_layout<mn_major, b128, bits = 16, slab = 2048>
// CHECK: sm90.wgmma.mma_async %{{.*}}, %[[PART]], %{{.*}}
// CHECK: sm90.wgmma.mma_async %{{.*}}, %[[PART]], %{{.*}} {a_k = 16 : i64, b_k = 16 : i64}
gpu.func @two(%index: i32, %acc: vector<32xf32>, %more: i1) kernel {
  %as = tmm.storage : !tmm.storage<!a2, depth = 1>
  %bs = tmm.storage : !tmm.storage<!b2, depth = 1>
  %a = tmm.slot %as[%index] : !tmm.storage<!a2, depth = 1>
  %b = tmm.slot %bs[%index] : !tmm.storage<!b2, depth = 1>
  %new = tmm.mma %a, %b, %acc accumulate(%more) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
    : !a2, !b2, vector<32xf32> -> vector<32xf32>
  %sum = tmm.await %new by(#sm90.wgmma) pending 0 : vector<32xf32>
  gpu.return
}

// Two instructions of one warpgroup for its 128 rows, in one group.
// CHECK-LABEL: gpu.func @both
// CHECK: %[[A:.*]] = sm90.smem_view {{.*}} to memref<128x32xf16
// CHECK: %[[R:.*]] = sm90.wgmma.fence
// CHECK: %[[D0:.*]] = sm90.wgmma.mma_async %[[R]], %[[A]], %{{.*}} {d_rows = 128 : i64} : vector<64xf32>
// CHECK: %[[D1:.*]] = sm90.wgmma.mma_async %[[D0]], %[[A]], %{{.*}} {a_m = 64 : i64, d_m = 64 : i64, d_rows = 128 : i64} : vector<64xf32>
// CHECK: %[[D2:.*]] = sm90.wgmma.mma_async %[[D1]], %[[A]], %{{.*}} {a_k = 16 : i64, b_k = 16 : i64, d_rows = 128 : i64} : vector<64xf32>
// CHECK: sm90.wgmma.mma_async %[[D2]], %[[A]], %{{.*}} {a_k = 16 : i64, a_m = 64 : i64, b_k = 16 : i64, d_m = 64 : i64, d_rows = 128 : i64} : vector<64xf32>
// CHECK: sm90.wgmma.commit_group
gpu.func @both(%index: i32, %acc: vector<64xf32>, %more: i1) kernel {
  %as = tmm.storage : !tmm.storage<!a2, depth = 1>
  %bs = tmm.storage : !tmm.storage<!b2, depth = 1>
  %a = tmm.slot %as[%index] : !tmm.storage<!a2, depth = 1>
  %b = tmm.slot %bs[%index] : !tmm.storage<!b2, depth = 1>
  %new = tmm.mma %a, %b, %acc accumulate(%more) by(#sm90.wgmma) layout(#sm90.wgmma_layout<128>)
    : !a2, !b2, vector<64xf32> -> vector<64xf32>
  %sum = tmm.await %new by(#sm90.wgmma) pending 0 : vector<64xf32>
  gpu.return
}

// A tile that is read along its other dimension: the same bytes, N x K.
// CHECK-LABEL: gpu.func @turned
// CHECK: %[[READ:.*]] = sm90.smem_view %[[BS:.*]][%[[AT:.*]]] {{.*}} to memref<32x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 2048>
// CHECK: %[[B:.*]] = sm90.smem_view %[[BS]][%[[AT]]] {{.*}} to memref<64x32xbf16, #sm90.smem_layout<mn_major, b128, bits = 16, slab = 2048>
// CHECK: %[[R:.*]]:2 = sm90.wgmma.fence
// CHECK: sm90.wgmma.mma_async %[[R]]#0, %{{.*}}, %[[B]]
// CHECK: sm90.wgmma.mma_async %{{.*}}, %{{.*}}, %[[B]] {{.*}}b_k = 16 : i64
gpu.func @turned(%index: i32, %a: vector<16xbf16>, %acc: vector<32xf32>, %more: i1) kernel {
  %bs = tmm.storage : !tmm.storage<<32x64xbf16, #a>, depth = 2>
  %b = tmm.slot %bs[%index] : !tmm.storage<<32x64xbf16, #a>, depth = 2>
  %new = tmm.mma %a, %b transposed, %acc accumulate(%more) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
    : vector<16xbf16>, <32x64xbf16, #a>, vector<32xf32> -> vector<32xf32>
  %sum = tmm.await %new by(#sm90.wgmma) pending 0 : vector<32xf32>
  gpu.return
}
}
