// RUN: tc-opt %s -split-input-file -convert-tmm-to-tcgen05 -canonicalize -cse | FileCheck %s

// Pipelines of a pair of CTAs: the leader's barriers count what both do, one
// thread of the leader drives the tensor core, and its commits arrive in both.

#smem = #tmm.layout<k_major, swizzle = 128>

// CHECK-LABEL: gpu.func @k
// CHECK-DAG: %[[ACCS:.*]] = tcgen05.reserve : !tcgen05.tmem<128x64xf32, A>
// CHECK-DAG: %[[ELECTED:.*]] = sm90.elect
// CHECK-DAG: %[[MINE:.*]] = arith.andi %{{.*}}, %[[ELECTED]]
// CHECK-DAG: %[[RANK:.*]] = gpu.cluster_block_id x
// CHECK-DAG: %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0_i32
// CHECK-DAG: %[[LEADER:.*]] = arith.andi %[[MINE]], %[[FIRST]]
// CHECK-DAG: %[[FULL:.*]] = sm90.mbarrier.view %{{.*}}[40960] : {{.*}} to !sm90.mbarrier_array<2>
// CHECK-DAG: %[[EMPTY:.*]] = sm90.mbarrier.view %{{.*}}[40976] : {{.*}} to !sm90.mbarrier_array<2>
// CHECK-DAG: %[[DONE:.*]] = sm90.mbarrier.view %{{.*}}[40992] : {{.*}} to !sm90.mbarrier_array<1>
// CHECK-DAG: %[[READ:.*]] = sm90.mbarrier.view %{{.*}}[41000] : {{.*}} to !sm90.mbarrier_array<1>
// CHECK-DAG: %[[LEADER_FULL:.*]] = sm90.mbarrier.map %[[FULL]], %c0_i32
// CHECK-DAG: %[[LEADER_READ:.*]] = sm90.mbarrier.map %[[READ]], %c0_i32

// Every CTA initialises its own; the threads of both release the accumulator.
// CHECK: scf.if %[[MINE]] {
// CHECK-COUNT-2: sm90.mbarrier.init %{{.*}}, 2 : !sm90.mbarrier
// CHECK-COUNT-3: sm90.mbarrier.init %{{.*}}, 1 : !sm90.mbarrier
// CHECK: sm90.mbarrier.init %{{.*}}, 256 : !sm90.mbarrier
// CHECK: sm90.fence_mbarrier_init
// CHECK: }
// CHECK-NEXT: sm90.cluster_arrive
// CHECK-NEXT: sm90.cluster_wait

// The accumulator is free when the threads of both CTAs have arrived.
// CHECK: scf.if %[[LEADER]] {
// CHECK:   sm90.mbarrier.wait_parity %{{.*}}, %c1_i32 relaxed cluster
// CHECK:   tcgen05.fence after
// CHECK: scf.for
// Each CTA waits for its own slot and loads its part, onto the leader's barrier.
// CHECK:   scf.if %[[MINE]] {
// CHECK:     %[[E:.*]] = sm90.mbarrier.get %[[EMPTY]]
// CHECK:     sm90.mbarrier.wait_parity %[[E]], %{{[^ ]*}} : !sm90.mbarrier
// CHECK:   %[[F:.*]] = sm90.mbarrier.get %[[LEADER_FULL]]
// CHECK:   sm90.tma_load %{{.*}}, %[[F]] cta_group 2 : !sm90.tensor_map<128x64xf16, b128>
// CHECK:   sm90.tma_load %{{.*}}, %{{.*}} cta_group 2 : !sm90.tensor_map<32x64xf16, b128>
// CHECK:   sm90.mbarrier.arrive_expect_tx %[[F]], 20480 relaxed : !sm90.cluster_mbarrier
// The leader multiplies and releases the slot in both CTAs.
// CHECK:   scf.if %[[LEADER]] {
// CHECK:     %[[H:.*]] = sm90.mbarrier.get %[[FULL]]
// CHECK:     sm90.mbarrier.wait_parity %[[H]], %{{[^ ]*}} : !sm90.mbarrier
// CHECK:   tcgen05.mma f16 cta_group 2
// CHECK:   tcgen05.commit %{{.*}} multicast %c3_i16 cta_group 2
// CHECK: scf.if %[[LEADER]] {
// CHECK:   %[[D:.*]] = sm90.mbarrier.get %[[DONE]][0]
// CHECK:   tcgen05.commit %[[D]] multicast %c3_i16 cta_group 2
// CHECK: sm90.mbarrier.wait_parity %{{.*}}, %c0_i32 : !sm90.mbarrier
// CHECK: tcgen05.fence after
// CHECK: tcgen05.ld
// CHECK: tcgen05.fence before
// CHECK: %[[R:.*]] = sm90.mbarrier.get %[[LEADER_READ]][0] : !sm90.cluster_mbarrier_array<1>
// CHECK: sm90.mbarrier.arrive %[[R]] relaxed : !sm90.cluster_mbarrier
// Both wait for the release of their slots, the leader for the accumulator's.
// CHECK: scf.if %[[MINE]]
// CHECK-COUNT-2: sm90.mbarrier.wait_parity
// CHECK: scf.if %[[LEADER]]
// CHECK: sm90.mbarrier.wait_parity {{.*}} relaxed cluster
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
      %ring = tmm.pipeline : <(<128x64xf16, smem, #smem>, <32x64xf16, smem, #smem>), depth = 2, scope = pair>
      %accs = tmm.pipeline : <(<128x64xf32, tmem>), depth = 1, scope = pair>
      %p0 = tmm.pipeline_start %ring : <(<128x64xf16, smem, #smem>, <32x64xf16, smem, #smem>), depth = 2, scope = pair>
      %q0 = tmm.pipeline_start %accs : <(<128x64xf32, tmem>), depth = 1, scope = pair>
      %acc = tmm.producer_acquire %accs[%q0] : <(<128x64xf32, tmem>), depth = 1, scope = pair> -> !tmm.buffer<128x64xf32, tmem>
      %s:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%p = %p0, %c = %p0) -> (!tmm.pipeline_state, !tmm.pipeline_state) : i32 {
        %k = arith.muli %i, %c64 : i32
        %more = arith.cmpi ne, %i, %c0 : i32
        %ta, %tb = tmm.producer_acquire %ring[%p] : <(<128x64xf16, smem, #smem>, <32x64xf16, smem, #smem>), depth = 2, scope = pair> -> !tmm.buffer<128x64xf16, smem, #smem>, !tmm.buffer<32x64xf16, smem, #smem>
        tmm.load %a[%c0, %k], %ta : memref<256x512xf16>, <128x64xf16, smem, #smem>
        tmm.load %b[%c0, %k], %tb : memref<64x512xf16>, <32x64xf16, smem, #smem>
        %p1 = tmm.producer_commit %ring[%p] : <(<128x64xf16, smem, #smem>, <32x64xf16, smem, #smem>), depth = 2, scope = pair>
        %ra, %rb = tmm.consumer_wait %ring[%c] : <(<128x64xf16, smem, #smem>, <32x64xf16, smem, #smem>), depth = 2, scope = pair> -> !tmm.buffer<128x64xf16, smem, #smem>, !tmm.buffer<32x64xf16, smem, #smem>
        tmm.mma %ra, %rb, %acc accumulate(%more) pair : <128x64xf16, smem, #smem>, <32x64xf16, smem, #smem>, <128x64xf32, tmem>
        %n1 = tmm.consumer_release %ring[%c] : <(<128x64xf16, smem, #smem>, <32x64xf16, smem, #smem>), depth = 2, scope = pair>
        scf.yield %p1, %n1 : !tmm.pipeline_state, !tmm.pipeline_state
      }
      %q1 = tmm.producer_commit %accs[%q0] : <(<128x64xf32, tmem>), depth = 1, scope = pair>
      %done = tmm.consumer_wait %accs[%q0] : <(<128x64xf32, tmem>), depth = 1, scope = pair> -> !tmm.buffer<128x64xf32, tmem>
      %r = tmm.read %done[%c0] if %true : <128x64xf32, tmem> -> vector<128x32xf32>
      tmm.store %r, %d[%c0, %c0] in_bounds [true, true] : vector<128x32xf32>, memref<256x64xf32>
      %e1 = tmm.consumer_release %accs[%q0] : <(<128x64xf32, tmem>), depth = 1, scope = pair>
      tmm.producer_tail %ring[%s#0] : <(<128x64xf16, smem, #smem>, <32x64xf16, smem, #smem>), depth = 2, scope = pair>
      tmm.producer_tail %accs[%q1] : <(<128x64xf32, tmem>), depth = 1, scope = pair>
      gpu.return
    }
  }
}

// -----

// With roles, the tensor core's role runs in the leader alone.

#smem = #tmm.layout<k_major, swizzle = 128>

// CHECK-LABEL: gpu.func @k
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0_i32
// CHECK: sm90.cluster_wait
// CHECK: arith.cmpi ult, %{{.*}}, %c4_i32
// CHECK: sm90.mbarrier.arrive %{{.*}} relaxed : !sm90.cluster_mbarrier
// CHECK: arith.cmpi ult, %{{.*}}, %c5_i32
// CHECK: %[[LOADS:.*]] = sm90.elect
// CHECK: scf.if %[[LOADS]] {
// CHECK: sm90.tma_load
// CHECK: sm90.mbarrier.arrive_expect_tx
// CHECK: arith.cmpi ult, %{{.*}}, %c6_i32
// CHECK: %[[MULTIPLIES:.*]] = sm90.elect
// CHECK: %[[LEADER:.*]] = arith.andi %[[MULTIPLIES]], %[[FIRST]]
// CHECK: scf.if %[[LEADER]] {
// CHECK-NOT: scf.if
// CHECK: tcgen05.mma f16 cta_group 2
// CHECK: tcgen05.commit %{{.*}} multicast %c3_i16 cta_group 2
module attributes {gpu.container_module} {
  func.func @host(%a: memref<256x512xf16>, %b: memref<64x512xf16>, %d: memref<256x64xf32>) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %threads = arith.constant 192 : index
    gpu.launch_func @m::@k clusters in (%c2, %c1, %c1) blocks in (%c2, %c1, %c1) threads in (%threads, %c1, %c1)
      args(%a : memref<256x512xf16>, %b : memref<64x512xf16>, %d : memref<256x64xf32>)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    gpu.func @k(%a: memref<256x512xf16>, %b: memref<64x512xf16>, %d: memref<256x64xf32>) kernel
        attributes {known_block_size = array<i32: 192, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c8 = arith.constant 8 : i32
      %c64 = arith.constant 64 : i32
      %true = arith.constant true
      %ring = tmm.pipeline : <(<128x64xf16, smem, #smem>, <32x64xf16, smem, #smem>), depth = 2, scope = pair>
      %accs = tmm.pipeline : <(<128x64xf32, tmem>), depth = 1, scope = pair>
      %p0 = tmm.pipeline_start %ring : <(<128x64xf16, smem, #smem>, <32x64xf16, smem, #smem>), depth = 2, scope = pair>
      %q0 = tmm.pipeline_start %accs : <(<128x64xf32, tmem>), depth = 1, scope = pair>
      tmm.warp_specialize threads warps(4) {
      %done = tmm.consumer_wait %accs[%q0] : <(<128x64xf32, tmem>), depth = 1, scope = pair> -> !tmm.buffer<128x64xf32, tmem>
      %r = tmm.read %done[%c0] if %true : <128x64xf32, tmem> -> vector<128x32xf32>
      tmm.store %r, %d[%c0, %c0] in_bounds [true, true] : vector<128x32xf32>, memref<256x64xf32>
      %e1 = tmm.consumer_release %accs[%q0] : <(<128x64xf32, tmem>), depth = 1, scope = pair>
      } tma warps(1) {
      %s = scf.for %i = %c0 to %c8 step %c1 iter_args(%p = %p0) -> (!tmm.pipeline_state) : i32 {
        %k = arith.muli %i, %c64 : i32
        %ta, %tb = tmm.producer_acquire %ring[%p] : <(<128x64xf16, smem, #smem>, <32x64xf16, smem, #smem>), depth = 2, scope = pair> -> !tmm.buffer<128x64xf16, smem, #smem>, !tmm.buffer<32x64xf16, smem, #smem>
        tmm.load %a[%c0, %k], %ta : memref<256x512xf16>, <128x64xf16, smem, #smem>
        tmm.load %b[%c0, %k], %tb : memref<64x512xf16>, <32x64xf16, smem, #smem>
        %p1 = tmm.producer_commit %ring[%p] : <(<128x64xf16, smem, #smem>, <32x64xf16, smem, #smem>), depth = 2, scope = pair>
        scf.yield %p1 : !tmm.pipeline_state
      }
      tmm.producer_tail %ring[%s] : <(<128x64xf16, smem, #smem>, <32x64xf16, smem, #smem>), depth = 2, scope = pair>
      } tensor_core warps(1) {
      %acc = tmm.producer_acquire %accs[%q0] : <(<128x64xf32, tmem>), depth = 1, scope = pair> -> !tmm.buffer<128x64xf32, tmem>
      %s = scf.for %i = %c0 to %c8 step %c1 iter_args(%c = %p0) -> (!tmm.pipeline_state) : i32 {
        %more = arith.cmpi ne, %i, %c0 : i32
        %ra, %rb = tmm.consumer_wait %ring[%c] : <(<128x64xf16, smem, #smem>, <32x64xf16, smem, #smem>), depth = 2, scope = pair> -> !tmm.buffer<128x64xf16, smem, #smem>, !tmm.buffer<32x64xf16, smem, #smem>
        tmm.mma %ra, %rb, %acc accumulate(%more) pair : <128x64xf16, smem, #smem>, <32x64xf16, smem, #smem>, <128x64xf32, tmem>
        %n1 = tmm.consumer_release %ring[%c] : <(<128x64xf16, smem, #smem>, <32x64xf16, smem, #smem>), depth = 2, scope = pair>
        scf.yield %n1 : !tmm.pipeline_state
      }
      %q1 = tmm.producer_commit %accs[%q0] : <(<128x64xf32, tmem>), depth = 1, scope = pair>
      tmm.producer_tail %accs[%q1] : <(<128x64xf32, tmem>), depth = 1, scope = pair>
      }
      gpu.return
    }
  }
}
