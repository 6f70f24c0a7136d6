// RUN: tc-opt %s --mlir-print-local-scope -convert-tmm-pipelines-to-sm90 -convert-tmm-kernel-interface-to-sm90 -tmm-distribute -convert-tmm-tiles -convert-tmm-roles-to-sm90 -sm90-allocate-smem -canonicalize -cse | FileCheck %s

// Tiles of a pair of CTAs: copies that count on the leader's barrier, and one
// instruction of two CTAs. The pipelines between them are lowered first
// (TMMToSM90/convert-tmm-pipelines-to-sm90-cluster.mlir).

#pair = #tmm.ctas<2, along = [0]>
!a = !tmm.buffer<128x64xf16, #sm90.smem<k_major, b128>>
!b = !tmm.buffer<32x64xf16, #sm90.smem<k_major, b128>>
!acc = !tmm.buffer<128x64xf32, #tcgen05.tmem<ctas = 2>>
!ring = !tmm.pipeline<(!a, !b), depth = 2>
!accs = !tmm.pipeline<(!acc), depth = 1>

// CHECK-LABEL: gpu.func @k
// CHECK-DAG: tcgen05.reserve : !tcgen05.tmem<128x64xf32, A>
// CHECK-DAG: %[[RANK:.*]] = gpu.cluster_block_id x
// CHECK-DAG: %[[FULL:.*]] = sm90.mbarrier.view %{{.*}}[40960] : {{.*}} to !sm90.mbarrier_array<2>
// CHECK-DAG: sm90.mbarrier.view %{{.*}}[40976] : {{.*}} to !sm90.mbarrier_array<2>
// CHECK-DAG: sm90.mbarrier.view %{{.*}}[40992] : {{.*}} to !sm90.mbarrier_array<1>
// CHECK-DAG: sm90.mbarrier.view %{{.*}}[41000] : {{.*}} to !sm90.mbarrier_array<1>
// CHECK-DAG: %[[LEADER_FULL:.*]] = sm90.mbarrier.map %[[FULL]], %c0_i32
// Each CTA loads its part, the leader multiplies.
// CHECK: scf.for
// CHECK:   %[[F:.*]] = sm90.mbarrier.get %[[LEADER_FULL]]
// CHECK:   sm90.tma_load %{{.*}}, %[[F]] cta_group 2 : !sm90.tensor_map<128x64xf16, b128>
// CHECK:   sm90.tma_load %{{.*}}, %[[F]] cta_group 2 : !sm90.tensor_map<32x64xf16, b128>
// CHECK:   sm90.mbarrier.arrive_expect_tx %[[F]], 20480 relaxed : !sm90.cluster_mbarrier
// CHECK:   scf.if %[[LEADER:.*]] {
// CHECK:   tcgen05.mma f16 cta_group 2
// CHECK:   tcgen05.mma f16 cta_group 2 {{.*}} {a_k = 48 : i64, b_k = 48 : i64}
// CHECK:   tcgen05.commit %{{.*}} multicast %c3_i16 cta_group 2
// CHECK: tcgen05.fence after
// CHECK: tcgen05.ld
// CHECK: tcgen05.fence before
module attributes {gpu.container_module} {
  func.func @host(%a: memref<256x512xf16>, %b: memref<64x512xf16>, %d: memref<256x64xf32>) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %threads = arith.constant 128 : index
    gpu.launch_func @m::@k clusters in (%c2, %c1, %c1) blocks in (%c2, %c1, %c1) threads in (%threads, %c1, %c1)
      args(%a : memref<256x512xf16>, %b : memref<64x512xf16>, %d : memref<256x64xf32>)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    gpu.func @k(%a: memref<256x512xf16>, %b: memref<64x512xf16>, %d: memref<256x64xf32>) kernel
        attributes {known_block_size = array<i32: 128, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c8 = arith.constant 8 : i32
      %c64 = arith.constant 64 : i32
      %true = arith.constant true
      %ring = tmm.pipeline : !ring
      %accs = tmm.pipeline : !accs
      %p0 = tmm.pipeline_start %ring : !ring
      %q0 = tmm.pipeline_start %accs : !accs
      %acc = tmm.producer_acquire %accs[%q0] : !accs
      %s:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%p = %p0, %c = %p0) -> (!tmm.pipeline_state, !tmm.pipeline_state) : i32 {
        %k = arith.muli %i, %c64 : i32
        %more = arith.cmpi ne, %i, %c0 : i32
        %ta, %tb = tmm.producer_acquire %ring[%p] : !ring
        tmm.load %a[%c0, %k], %ta by(#sm90.tma) : memref<256x512xf16>, !a
        tmm.load %b[%c0, %k], %tb by(#sm90.tma) : memref<64x512xf16>, !b
        %p1 = tmm.producer_commit %ring[%p] : !ring
        %ra, %rb = tmm.consumer_wait %ring[%c] : !ring
        tmm.mma %ra, %rb, %acc accumulate(%more) over #pair by(#tcgen05.mma) : !a, !b, !acc
        %n1 = tmm.consumer_release %ring[%c] : !ring
        scf.yield %p1, %n1 : !tmm.pipeline_state, !tmm.pipeline_state
      }
      %q1 = tmm.producer_commit %accs[%q0] : !accs
      %done = tmm.consumer_wait %accs[%q0] : !accs
      %r = tmm.read %done[%c0] if %true layout(#tcgen05.rows) : !acc -> vector<128x32xf32>
      tmm.store %r, %d[%c0, %c0] in_bounds [true, true] layout(#tcgen05.rows) : vector<128x32xf32>, memref<256x64xf32>
      %e1 = tmm.consumer_release %accs[%q0] : !accs
      tmm.producer_tail %ring[%s#0] : !ring
      tmm.producer_tail %accs[%q1] : !accs
      gpu.return
    }
  }
}
