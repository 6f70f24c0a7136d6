// RUN: tc-opt %s --mlir-print-local-scope -convert-tmm-pipelines-to-sm90 -canonicalize -cse | FileCheck %s

// The ends of the ring of scale columns are one role: a multiplication after a copy
// needs no signal, a copy after a multiplication waits for its commit. So the ring
// has mbarriers in one direction, one for each slot, in the CTA that issues.

#pair = #tmm.ctas<2, along = [0]>
!a = !tmm.buffer<128x256xf8E4M3FN, #sm90.smem<k_major, b128>>
!fa = !tmm.buffer<128x8xf8E8M0FNU, #sm90.smem<blocked, none>>
!fb = !tmm.buffer<256x8xf8E8M0FNU, #sm90.smem<blocked, none>>
!ca = !tmm.buffer<128x8xf8E8M0FNU, #tcgen05.scales>
!cb = !tmm.buffer<256x8xf8E8M0FNU, #tcgen05.scales>
!acc = !tmm.buffer<128x256xf32, #tcgen05.tmem<ctas = 2>>
!ring = !tmm.pipeline<(!a, !a, !fa, !fb), depth = 2>
!scales = !tmm.pipeline<(!ca, !cb), depth = 3>
!accs = !tmm.pipeline<(!acc), depth = 1>

// CHECK-LABEL: gpu.func @k
// CHECK-DAG: %[[RING:.*]] = sm90.smem_alloc align 8 : memref<32xi8, #gpu.address_space<workgroup>>
// CHECK-DAG: %[[BAR:.*]] = sm90.smem_alloc align 8 : memref<24xi8, #gpu.address_space<workgroup>>
// CHECK-DAG: %[[EMPTY:.*]] = sm90.mbarrier.view %[[BAR]][0] : {{.*}} to !sm90.mbarrier_array<3>
// CHECK-DAG: %[[COLUMNS:.*]] = tmm.storage : <<256x8xf8E8M0FNU, #tcgen05.scales>, depth = 3>
// CHECK: scf.for
// Two operand tiles of 32 KB, factors of 1 KB and 2 KB, of both CTAs.
// CHECK: sm90.mbarrier.arrive_expect_tx %{{.*}}, 68608 relaxed
// CHECK: tmm.issue over #tmm.ctas<2, along = [0]> {
// CHECK:   %[[E:.*]] = sm90.mbarrier.get %[[EMPTY]][%{{.*}}]
// CHECK-NEXT: sm90.mbarrier.wait_parity %[[E]]
// CHECK: tmm.issue over #tmm.ctas<2, along = [0]> {
// CHECK-NEXT: tcgen05.fence after
// CHECK: %[[TO:.*]] = tmm.slot %[[COLUMNS]]
// CHECK: tmm.copy
// CHECK-NEXT: tmm.copy %{{.*}}, %[[TO]]
// CHECK-NOT: mbarrier
// CHECK: tmm.mma
// CHECK-NEXT: tmm.issue over #tmm.ctas<2, along = [0]> {
// CHECK:   sm90.mbarrier.get %[[EMPTY]][%{{.*}}]
// CHECK-NEXT: tcgen05.commit %{{.*}} cta_group 2 : !sm90.mbarrier
module attributes {gpu.container_module} {
  func.func @host(%a: memref<256x544xf8E4M3FN>, %b: memref<256x544xf8E4M3FN>, %sa: memref<2x5x32x4x4xf8E8M0FNU>, %sb: memref<2x5x32x4x4xf8E8M0FNU>, %d: memref<256x256xf32>) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c128 = arith.constant 128 : index
    gpu.launch_func @m::@k clusters in (%c2, %c1, %c1) blocks in (%c2, %c1, %c1) threads in (%c128, %c1, %c1)
      args(%a : memref<256x544xf8E4M3FN>, %b : memref<256x544xf8E4M3FN>, %sa : memref<2x5x32x4x4xf8E8M0FNU>, %sb : memref<2x5x32x4x4xf8E8M0FNU>, %d : memref<256x256xf32>)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    gpu.func @k(%a: memref<256x544xf8E4M3FN>, %b: memref<256x544xf8E4M3FN>, %sa: memref<2x5x32x4x4xf8E8M0FNU>, %sb: memref<2x5x32x4x4xf8E8M0FNU>, %d: memref<256x256xf32>) kernel
        attributes {known_block_size = array<i32: 128, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c3 = arith.constant 3 : i32
      %c8 = arith.constant 8 : i32
      %c256 = arith.constant 256 : i32
      %c544 = arith.constant 544 : i32
      %true = arith.constant true
      %ring = tmm.pipeline : !ring
      %scales = tmm.pipeline : !scales
      %accs = tmm.pipeline : !accs
      %p0 = tmm.pipeline_start %ring : !ring
      %s0 = tmm.pipeline_start %scales : !scales
      %q0 = tmm.pipeline_start %accs : !accs
      %acc = tmm.producer_acquire %accs[%q0] : !accs
      %s:4 = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %p0, %c = %p0, %sp = %s0, %sc = %s0) -> (!tmm.pipeline_state, !tmm.pipeline_state, !tmm.pipeline_state, !tmm.pipeline_state) : i32 {
        %k = arith.muli %i, %c256 : i32
        %j = arith.muli %i, %c8 : i32
        %rest = arith.subi %c544, %k : i32
        %more = arith.cmpi ne, %i, %c0 : i32
        %ta, %tb, %fa, %fb = tmm.producer_acquire %ring[%p] : !ring
        tmm.load %a[%c0, %k], %ta by(#sm90.tma) : memref<256x544xf8E4M3FN>, !a
        tmm.load %b[%c0, %k], %tb by(#sm90.tma) : memref<256x544xf8E4M3FN>, !a
        tmm.load %sa[%c0, %j], %fa blocked by(#sm90.tma) : memref<2x5x32x4x4xf8E8M0FNU>, !fa
        tmm.load %sb[%c0, %j], %fb blocked by(#sm90.tma) : memref<2x5x32x4x4xf8E8M0FNU>, !fb
        %p1 = tmm.producer_commit %ring[%p] : !ring
        %ra, %rb, %rfa, %rfb = tmm.consumer_wait %ring[%c] : !ring
        %ca, %cb = tmm.producer_acquire %scales[%sp] : !scales
        tmm.copy %rfa, %ca over #pair by(#tcgen05.cp) : !fa, !ca
        tmm.copy %rfb, %cb over #pair by(#tcgen05.cp) : !fb, !cb
        %sp1 = tmm.producer_commit %scales[%sp] : !scales
        %xa, %xb = tmm.consumer_wait %scales[%sc] : !scales
        tmm.mma %ra, %rb, %acc scales(%xa, %xb) extent(%rest) accumulate(%more) over #pair by(#tcgen05.mma) : !a, !a, !acc, !ca, !cb
        %sc1 = tmm.consumer_release %scales[%sc] : !scales
        %n1 = tmm.consumer_release %ring[%c] : !ring
        scf.yield %p1, %n1, %sp1, %sc1 : !tmm.pipeline_state, !tmm.pipeline_state, !tmm.pipeline_state, !tmm.pipeline_state
      }
      %q1 = tmm.producer_commit %accs[%q0] : !accs
      %done = tmm.consumer_wait %accs[%q0] : !accs
      %r = tmm.read %done[%c0] if %true : !acc -> vector<128x32xf32>
      tmm.store %r, %d[%c0, %c0] in_bounds [true, true] : vector<128x32xf32>, memref<256x256xf32>
      %e1 = tmm.consumer_release %accs[%q0] : !accs
      tmm.producer_tail %ring[%s#0] : !ring
      tmm.producer_tail %scales[%s#2] : !scales
      tmm.producer_tail %accs[%q1] : !accs
      gpu.return
    }
  }
}
