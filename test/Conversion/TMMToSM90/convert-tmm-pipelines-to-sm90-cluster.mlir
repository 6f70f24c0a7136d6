// RUN: tc-opt %s --mlir-print-local-scope -split-input-file -convert-tmm-pipelines-to-sm90 -canonicalize -cse | FileCheck %s

// Pipelines of a pair of CTAs: the leader's barriers count what both do, one
// thread of the leader drives the matrix unit, and its commits arrive in both.

#pair = #tmm.ctas<2, along = [0]>
!a = !tmm.buffer<128x64xf16, #sm90.smem<k_major, b128>>
!b = !tmm.buffer<32x64xf16, #sm90.smem<k_major, b128>>
!acc = !tmm.buffer<128x64xf32, #tcgen05.tmem<ctas = 2>>
!ring = !tmm.pipeline<(!a, !b), depth = 2>
!accs = !tmm.pipeline<(!acc), depth = 1>

// CHECK-LABEL: gpu.func @k
// CHECK-DAG: %[[RING:.*]] = sm90.smem_alloc align 8 : memref<32xi8
// CHECK-DAG: %[[FULL:.*]] = sm90.mbarrier.view %[[RING]][0] : {{.*}} to !sm90.mbarrier_array<2>
// CHECK-DAG: %[[EMPTY:.*]] = sm90.mbarrier.view %[[RING]][16] : {{.*}} to !sm90.mbarrier_array<2>
// CHECK-DAG: %[[BARS:.*]] = sm90.smem_alloc align 8 : memref<16xi8
// CHECK-DAG: %[[DONE:.*]] = sm90.mbarrier.view %[[BARS]][0] : {{.*}} to !sm90.mbarrier_array<1>
// CHECK-DAG: %[[READ:.*]] = sm90.mbarrier.view %[[BARS]][8] : {{.*}} to !sm90.mbarrier_array<1>
// CHECK-DAG: %[[LEADER_FULL:.*]] = sm90.mbarrier.map %[[FULL]], %c0_i32
// CHECK-DAG: %[[LEADER_READ:.*]] = sm90.mbarrier.map %[[READ]], %c0_i32

// Every CTA initialises its own; the threads of both release the accumulator.
// CHECK: tmm.issue {
// CHECK-NEXT: sm90.mbarrier.init %{{.*}}, 2 : !sm90.mbarrier_array<2>
// CHECK-NEXT: sm90.mbarrier.init %{{.*}}, 1 : !sm90.mbarrier_array<2>
// CHECK-NEXT: sm90.mbarrier.init %{{.*}}, 1 : !sm90.mbarrier_array<1>
// CHECK-NEXT: sm90.mbarrier.init %{{.*}}, 256 : !sm90.mbarrier_array<1>
// CHECK-NEXT: sm90.fence_mbarrier_init
// CHECK-NEXT: }
// CHECK-NEXT: sm90.cluster_arrive
// CHECK-NEXT: sm90.cluster_wait

// The accumulator is free when the threads of both CTAs have arrived.
// CHECK: tmm.issue over #tmm.ctas<2, along = [0]> {
// CHECK:   sm90.mbarrier.wait_parity %{{.*}}, %c1_i32 relaxed cluster
// CHECK:   tcgen05.fence after
// CHECK: scf.for
// Each CTA waits for its own slot and loads its part, onto the leader's barrier.
// CHECK:   tmm.issue {
// CHECK:     %[[E:.*]] = sm90.mbarrier.get %[[EMPTY]]
// CHECK:     sm90.mbarrier.wait_parity %[[E]], %{{[^ ]*}} : !sm90.mbarrier
// CHECK:   }
// CHECK:   %[[F:.*]] = sm90.mbarrier.get %[[LEADER_FULL]]
// CHECK:   tmm.load %{{.*}} signal %[[F]] : !sm90.cluster_mbarrier
// CHECK:   tmm.load %{{.*}} signal %[[F]] : !sm90.cluster_mbarrier
// CHECK:   tmm.issue {
// CHECK-NEXT: sm90.mbarrier.arrive_expect_tx %[[F]], 20480 relaxed : !sm90.cluster_mbarrier
// The leader multiplies and releases the slot in both CTAs.
// CHECK:   tmm.issue over #tmm.ctas<2, along = [0]> {
// CHECK:     %[[H:.*]] = sm90.mbarrier.get %[[FULL]]
// CHECK:     sm90.mbarrier.wait_parity %[[H]], %{{[^ ]*}} : !sm90.mbarrier
// CHECK:   }
// CHECK:   tmm.mma
// CHECK:   tmm.issue over #tmm.ctas<2, along = [0]> {
// CHECK:     %[[C:.*]] = sm90.mbarrier.get %[[EMPTY]]
// CHECK-NEXT: tcgen05.commit %[[C]] multicast %c3_i16 cta_group 2
// CHECK: tmm.issue over #tmm.ctas<2, along = [0]> {
// CHECK:   %[[D:.*]] = sm90.mbarrier.get %[[DONE]][0]
// CHECK:   tcgen05.commit %[[D]] multicast %c3_i16 cta_group 2
// CHECK: sm90.mbarrier.wait_parity %{{.*}}, %c0_i32 : !sm90.mbarrier
// CHECK: tcgen05.fence after
// CHECK: tmm.read
// CHECK: tcgen05.fence before
// CHECK: %[[R:.*]] = sm90.mbarrier.get %[[LEADER_READ]][0] : !sm90.cluster_mbarrier_array<1>
// CHECK: sm90.mbarrier.arrive %[[R]] relaxed : !sm90.cluster_mbarrier
// Both wait for the release of their slots, the leader for the accumulator's.
// CHECK: scf.for %{{.*}} = %c0_i32 to %c2_i32
// CHECK:   tmm.issue {
// CHECK:     sm90.mbarrier.wait_parity
// CHECK: tmm.issue over #tmm.ctas<2, along = [0]> {
// CHECK: sm90.mbarrier.wait_parity {{.*}} relaxed cluster
// CHECK-NOT: sm90.mbarrier.wait_parity
// CHECK: gpu.return
gpu.module @m {
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
    %r = tmm.read %done[%c0] if %true : !acc -> vector<128x32xf32>
    tmm.store %r, %d[%c0, %c0] in_bounds [true, true] : vector<128x32xf32>, memref<256x64xf32>
    %e1 = tmm.consumer_release %accs[%q0] : !accs
    tmm.producer_tail %ring[%s#0] : !ring
    tmm.producer_tail %accs[%q1] : !accs
    gpu.return
  }
}

// -----

// With roles: in a role that is one thread of control, of the leader alone, there
// is no guard left to ask for.

#pair = #tmm.ctas<2, along = [0]>
!a = !tmm.buffer<128x64xf16, #sm90.smem<k_major, b128>>
!b = !tmm.buffer<32x64xf16, #sm90.smem<k_major, b128>>
!acc = !tmm.buffer<128x64xf32, #tcgen05.tmem<ctas = 2>>
!ring = !tmm.pipeline<(!a, !b), depth = 2>
!accs = !tmm.pipeline<(!acc), depth = 1>

// CHECK-LABEL: gpu.func @k
// CHECK: sm90.cluster_wait
// CHECK: tmm.warp_specialize "epilogue" warps(4) {
// CHECK:   sm90.mbarrier.arrive %{{.*}} relaxed : !sm90.cluster_mbarrier
// CHECK: } "load" warps(1) elected {
// CHECK-NOT: tmm.issue
// CHECK:   tmm.load
// CHECK-NOT: tmm.issue
// CHECK:   sm90.mbarrier.arrive_expect_tx {{.*}}, 20480 relaxed
// CHECK-NOT: tmm.issue
// CHECK: } "mma" warps(1) elected over #tmm.ctas<2, along = [0]> {
// CHECK-NOT: tmm.issue
// CHECK:   tmm.mma
// CHECK-NOT: tmm.issue
// CHECK:   tcgen05.commit %{{.*}} multicast %c3_i16 cta_group 2
// CHECK-NOT: tmm.issue
// CHECK: gpu.return
gpu.module @m {
  gpu.func @k(%a: memref<256x512xf16>, %b: memref<64x512xf16>, %d: memref<256x64xf32>) kernel
      attributes {known_block_size = array<i32: 192, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c8 = arith.constant 8 : i32
    %c64 = arith.constant 64 : i32
    %true = arith.constant true
    %ring = tmm.pipeline : !ring
    %accs = tmm.pipeline : !accs
    %p0 = tmm.pipeline_start %ring : !ring
    %q0 = tmm.pipeline_start %accs : !accs
    tmm.warp_specialize "epilogue" warps(4) {
      %done = tmm.consumer_wait %accs[%q0] : !accs
      %r = tmm.read %done[%c0] if %true : !acc -> vector<128x32xf32>
      tmm.store %r, %d[%c0, %c0] in_bounds [true, true] : vector<128x32xf32>, memref<256x64xf32>
      %e1 = tmm.consumer_release %accs[%q0] : !accs
    } "load" warps(1) elected {
      %s = scf.for %i = %c0 to %c8 step %c1 iter_args(%p = %p0) -> (!tmm.pipeline_state) : i32 {
        %k = arith.muli %i, %c64 : i32
        %ta, %tb = tmm.producer_acquire %ring[%p] : !ring
        tmm.load %a[%c0, %k], %ta by(#sm90.tma) : memref<256x512xf16>, !a
        tmm.load %b[%c0, %k], %tb by(#sm90.tma) : memref<64x512xf16>, !b
        %p1 = tmm.producer_commit %ring[%p] : !ring
        scf.yield %p1 : !tmm.pipeline_state
    }
    tmm.producer_tail %ring[%s] : !ring
    } "mma" warps(1) elected over #pair {
      %acc = tmm.producer_acquire %accs[%q0] : !accs
      %s = scf.for %i = %c0 to %c8 step %c1 iter_args(%c = %p0) -> (!tmm.pipeline_state) : i32 {
        %more = arith.cmpi ne, %i, %c0 : i32
        %ra, %rb = tmm.consumer_wait %ring[%c] : !ring
        tmm.mma %ra, %rb, %acc accumulate(%more) over #pair by(#tcgen05.mma) : !a, !b, !acc
        %n1 = tmm.consumer_release %ring[%c] : !ring
        scf.yield %n1 : !tmm.pipeline_state
    }
    %q1 = tmm.producer_commit %accs[%q0] : !accs
    tmm.producer_tail %accs[%q1] : !accs
    }
    gpu.return
  }
}

// -----

// A row of a cluster of 2 x 2 shares A, a column shares B: each CTA loads a part of
// both for the others, and expects all bytes of its own slot. The slot of a CTA is
// free when those that got copies from it have released theirs: itself, one of its
// row and one of its column.

#row = #tmm.ctas<2x2, along = [1]>
#column = #tmm.ctas<2x2, along = [0]>
!a = !tmm.buffer<128x64xf16, #sm90.smem<k_major, b128>>
!b = !tmm.buffer<64x64xf16, #sm90.smem<k_major, b128>>
!acc = !tmm.buffer<128x64xf32, #tcgen05.tmem>
!ring = !tmm.pipeline<(!a, !b), depth = 3>
!accs = !tmm.pipeline<(!acc), depth = 1>

// CHECK-LABEL: gpu.func @multicast
// CHECK-DAG: %[[ID:.*]] = gpu.cluster_block_id x
// CHECK-DAG: %[[RANK:.*]] = arith.index_cast %[[ID]] : index to i32
// CHECK-DAG: %[[FULL:.*]] = sm90.mbarrier.view %{{.*}}[0] : {{.*}} to !sm90.mbarrier_array<3>
// CHECK-DAG: %[[EMPTY:.*]] = sm90.mbarrier.view %{{.*}}[24] : {{.*}} to !sm90.mbarrier_array<3>
// The CTAs that sent it parts: itself, one of its row and one of its column.
// CHECK: %[[AT1:.*]] = arith.cmpi eq, %[[RANK]], %c1_i32
// CHECK: %[[M1:.*]] = arith.select %[[AT1]], %c11_i16, %c7_i16
// CHECK: %[[AT2:.*]] = arith.cmpi eq, %[[RANK]], %c2_i32
// CHECK: %[[M2:.*]] = arith.select %[[AT2]], %c13_i16, %[[M1]]
// CHECK: %[[AT3:.*]] = arith.cmpi eq, %[[RANK]], %c3_i32
// CHECK: %[[MASK:.*]] = arith.select %[[AT3]], %c14_i16, %[[M2]]
// CHECK: tmm.issue {
// CHECK-NEXT: sm90.mbarrier.init %{{.*}}, 1 : !sm90.mbarrier_array<3>
// CHECK-NEXT: sm90.mbarrier.init %{{.*}}, 3 : !sm90.mbarrier_array<3>
// CHECK: sm90.fence_mbarrier_init
// CHECK: sm90.cluster_arrive
// CHECK: tmm.load %{{.*}} to #tmm.ctas<2x2, along = [1]> by(#sm90.tma) signal %[[F:[^ ]*]] : !sm90.mbarrier
// CHECK: tmm.load %{{.*}} to #tmm.ctas<2x2, along = [0]> by(#sm90.tma) signal %[[F]] : !sm90.mbarrier
// CHECK: sm90.mbarrier.arrive_expect_tx %[[F]], 24576
// CHECK: } "mma" warps(1) elected {
// CHECK: %[[E:.*]] = sm90.mbarrier.get %[[EMPTY]]
// CHECK: tcgen05.commit %[[E]] multicast %[[MASK]] :
gpu.module @m {
  gpu.func @multicast(%a: memref<256x512xf16>, %b: memref<128x512xf16>, %d: memref<256x128xf32>, %i: i32) kernel
      attributes {known_block_size = array<i32: 192, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>} {
    %true = arith.constant true
    %ring = tmm.pipeline : !ring
    %accs = tmm.pipeline : !accs
    %p0 = tmm.pipeline_start %ring : !ring
    %q0 = tmm.pipeline_start %accs : !accs
    tmm.warp_specialize "epilogue" warps(4) {
      %done = tmm.consumer_wait %accs[%q0] : !accs
      %r = tmm.read %done[%i] if %true : !acc -> vector<128x32xf32>
      tmm.store %r, %d[%i, %i] : vector<128x32xf32>, memref<256x128xf32>
      %e1 = tmm.consumer_release %accs[%q0] : !accs
    } "load" warps(1) elected {
      %ta, %tb = tmm.producer_acquire %ring[%p0] : !ring
      tmm.load %a[%i, %i], %ta to #row by(#sm90.tma) : memref<256x512xf16>, !a
      tmm.load %b[%i, %i], %tb to #column by(#sm90.tma) : memref<128x512xf16>, !b
      %p1 = tmm.producer_commit %ring[%p0] : !ring
      tmm.producer_tail %ring[%p1] : !ring
    } "mma" warps(1) elected {
      %acc = tmm.producer_acquire %accs[%q0] : !accs
      %ra, %rb = tmm.consumer_wait %ring[%p0] : !ring
      tmm.mma %ra, %rb, %acc accumulate(%true) by(#tcgen05.mma) : !a, !b, !acc
      %c1 = tmm.consumer_release %ring[%p0] : !ring
      %q1 = tmm.producer_commit %accs[%q0] : !accs
      tmm.producer_tail %accs[%q1] : !accs
    }
    gpu.return
  }
}

// -----

// A role that runs in both CTAs, because not all that it does spans them: what spans
// them acts in the first one all the same.

#pair = #tmm.ctas<2, along = [0]>
!a = !tmm.buffer<128x64xf16, #sm90.smem<k_major, b128>>
!b = !tmm.buffer<32x64xf16, #sm90.smem<k_major, b128>>
!acc = !tmm.buffer<128x64xf32, #tcgen05.tmem<ctas = 2>>
!ring = !tmm.pipeline<(!a, !b), depth = 2>
!accs = !tmm.pipeline<(!acc), depth = 1>

// CHECK-LABEL: gpu.func @not_over
// CHECK: sm90.mbarrier.init %{{.*}}, 2 : !sm90.mbarrier_array<2>
// CHECK-NEXT: sm90.mbarrier.init %{{.*}}, 1 : !sm90.mbarrier_array<2>
// CHECK-NEXT: sm90.mbarrier.init %{{.*}}, 1 : !sm90.mbarrier_array<1>
// CHECK-NEXT: sm90.mbarrier.init %{{.*}}, 256 : !sm90.mbarrier_array<1>
// CHECK: } "mma" warps(1) elected {
// CHECK: tmm.issue over #tmm.ctas<2, along = [0]> {
gpu.module @m {
  gpu.func @not_over(%a: memref<256x512xf16>, %b: memref<64x512xf16>, %d: memref<256x64xf32>) kernel
      attributes {known_block_size = array<i32: 192, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c8 = arith.constant 8 : i32
    %c64 = arith.constant 64 : i32
    %true = arith.constant true
    %ring = tmm.pipeline : !ring
    %accs = tmm.pipeline : !accs
    %p0 = tmm.pipeline_start %ring : !ring
    %q0 = tmm.pipeline_start %accs : !accs
    tmm.warp_specialize "epilogue" warps(4) {
      %done = tmm.consumer_wait %accs[%q0] : !accs
      %r = tmm.read %done[%c0] if %true : !acc -> vector<128x32xf32>
      tmm.store %r, %d[%c0, %c0] in_bounds [true, true] : vector<128x32xf32>, memref<256x64xf32>
      %e1 = tmm.consumer_release %accs[%q0] : !accs
    } "load" warps(1) elected {
      %s = scf.for %i = %c0 to %c8 step %c1 iter_args(%p = %p0) -> (!tmm.pipeline_state) : i32 {
        %k = arith.muli %i, %c64 : i32
        %ta, %tb = tmm.producer_acquire %ring[%p] : !ring
        tmm.load %a[%c0, %k], %ta by(#sm90.tma) : memref<256x512xf16>, !a
        tmm.load %b[%c0, %k], %tb by(#sm90.tma) : memref<64x512xf16>, !b
        %p1 = tmm.producer_commit %ring[%p] : !ring
        scf.yield %p1 : !tmm.pipeline_state
    }
    tmm.producer_tail %ring[%s] : !ring
    } "mma" warps(1) elected {
      %acc = tmm.producer_acquire %accs[%q0] : !accs
      %s = scf.for %i = %c0 to %c8 step %c1 iter_args(%c = %p0) -> (!tmm.pipeline_state) : i32 {
        %more = arith.cmpi ne, %i, %c0 : i32
        %ra, %rb = tmm.consumer_wait %ring[%c] : !ring
        tmm.mma %ra, %rb, %acc accumulate(%more) over #pair by(#tcgen05.mma) : !a, !b, !acc
        %n1 = tmm.consumer_release %ring[%c] : !ring
        scf.yield %n1 : !tmm.pipeline_state
    }
    %q1 = tmm.producer_commit %accs[%q0] : !accs
    tmm.producer_tail %accs[%q1] : !accs
    }
    gpu.return
  }
}
