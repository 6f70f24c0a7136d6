// RUN: tc-opt %s --mlir-print-local-scope -convert-tmm-pipelines-to-sm90 -canonicalize -cse | FileCheck %s

// A ring between a copy engine and the matrix unit, and an accumulator between
// the matrix unit and the threads, all in one thread of control: counts, bytes,
// parities and fences follow from the engines and memory spaces.

!a = !tmm.buffer<128x64xf16, #sm90.smem<k_major, b128>>
!b = !tmm.buffer<32x64xf16, #sm90.smem<k_major, b128>>
!acc = !tmm.buffer<128x32xf32, #tcgen05.tmem>
!ring = !tmm.pipeline<(!a, !b), depth = 2>
!accs = !tmm.pipeline<(!acc), depth = 1>

// CHECK-LABEL: gpu.func @k
// One storage for each buffer of a slot, two rows of mbarriers for the ring. The
// threads that read the accumulator are those that issue its mma: they meet, and
// there is one row.
// CHECK-DAG: %[[AS:.*]] = tmm.storage : <<128x64xf16, #sm90.smem<k_major, b128>>, depth = 2>
// CHECK-DAG: %[[BS:.*]] = tmm.storage : <<32x64xf16, #sm90.smem<k_major, b128>>, depth = 2>
// CHECK-DAG: %[[ACCS:.*]] = tmm.storage : <<128x32xf32, #tcgen05.tmem>, depth = 1>
// CHECK-DAG: %[[RING:.*]] = sm90.smem_alloc align 8 : memref<32xi8, #gpu.address_space<workgroup>>
// CHECK-DAG: %[[FULL:.*]] = sm90.mbarrier.view %[[RING]][0] : {{.*}} to !sm90.mbarrier_array<2>
// CHECK-DAG: %[[EMPTY:.*]] = sm90.mbarrier.view %[[RING]][16] : {{.*}} to !sm90.mbarrier_array<2>
// CHECK-DAG: %[[BAR:.*]] = sm90.smem_alloc align 8 : memref<8xi8, #gpu.address_space<workgroup>>
// CHECK-DAG: %[[DONE:.*]] = sm90.mbarrier.view %[[BAR]][0] : {{.*}} to !sm90.mbarrier_array<1>

// The copy engine arrives once with its bytes, a commit once.
// CHECK: tmm.issue {
// CHECK-NEXT: sm90.mbarrier.init %[[FULL]], 1 : !sm90.mbarrier_array<2>
// CHECK-NEXT: sm90.mbarrier.init %[[EMPTY]], 1 : !sm90.mbarrier_array<2>
// CHECK-NEXT: sm90.mbarrier.init %[[DONE]], 1 : !sm90.mbarrier_array<1>
// CHECK-NEXT: sm90.fence_mbarrier_init
// CHECK-NEXT: }
// CHECK-NEXT: gpu.barrier

// The threads meet before the issuing one overwrites what they read.
// CHECK-NEXT: sm90.named_barrier 1 threads 128
// CHECK-NEXT: tmm.issue {
// CHECK-NEXT:   tcgen05.fence after
// CHECK-NEXT: }
// CHECK: %[[ACC:.*]] = tmm.slot %[[ACCS]][%c0_i32]
// CHECK: %[[LOOP:.*]]:4 = scf.for {{.*}} iter_args(%[[PS:.*]] = %c0_i32, %[[PP:.*]] = %c0_i32, %[[CS:.*]] = %c0_i32, %[[CP:.*]] = %c0_i32)
// The producer waits for the other parity: the first lap passes.
// CHECK:   tmm.issue {
// CHECK:     %[[PARITY:.*]] = arith.xori %[[PP]], %c1_i32
// CHECK:     %[[E:.*]] = sm90.mbarrier.get %[[EMPTY]]
// CHECK:     sm90.mbarrier.wait_parity %[[E]], %[[PARITY]] :
// CHECK:   }
// CHECK:   %[[TA:.*]] = tmm.slot %[[AS]][%[[PS]]]
// CHECK:   %[[TB:.*]] = tmm.slot %[[BS]][%[[PS]]]
// CHECK:   %[[F:.*]] = sm90.mbarrier.get %[[FULL]]
// CHECK:   tmm.load %{{.*}}, %[[TA]] by(#sm90.tma) signal %[[F]] :
// CHECK:   tmm.load %{{.*}}, %[[TB]] by(#sm90.tma) signal %[[F]] :
// The bytes of both.
// CHECK:   tmm.issue {
// CHECK-NEXT: sm90.mbarrier.arrive_expect_tx %[[F]], 20480 :
// CHECK-NEXT: }
// The state: the other slot, and the lap flips after slot 1.
// CHECK:   %[[LAP:.*]] = arith.xori %[[PP]], %[[PS]]
// CHECK:   %[[SLOT:.*]] = arith.xori %[[PS]], %c1_i32
// CHECK:   tmm.issue {
// CHECK:     %[[W:.*]] = sm90.mbarrier.get %[[FULL]]
// CHECK:     sm90.mbarrier.wait_parity %[[W]], %[[CP]] :
// CHECK:   }
// CHECK:   %[[RA:.*]] = tmm.slot %[[AS]][%[[CS]]]
// CHECK:   %[[RB:.*]] = tmm.slot %[[BS]][%[[CS]]]
// CHECK:   tmm.mma %[[RA]], %[[RB]], %[[ACC]]
// CHECK:   tmm.issue {
// CHECK:     %[[R:.*]] = sm90.mbarrier.get %[[EMPTY]]
// CHECK-NEXT: tcgen05.commit %[[R]] :
// CHECK-NEXT: }
// CHECK:   scf.yield %[[SLOT]], %[[LAP]],
// CHECK: tmm.issue {
// CHECK-NEXT: %[[D:.*]] = sm90.mbarrier.get %[[DONE]][0]
// CHECK-NEXT: tcgen05.commit %[[D]] :
// CHECK-NEXT: }
// All threads wait for the accumulator and fence around their reads.
// CHECK: sm90.mbarrier.wait_parity %{{.*}}, %c0_i32 :
// CHECK-NEXT: tcgen05.fence after
// CHECK: tmm.read %[[ACC]]
// CHECK: tcgen05.fence before
// CHECK-NOT: sm90.mbarrier.arrive %
// The tail of the ring: one wait for each slot, of the other parity.
// CHECK: scf.for %{{.*}} = %c0_i32 to %c2_i32 step %c1_i32 iter_args(%[[TS:.*]] = %[[LOOP]]#0, %[[TP:.*]] = %[[LOOP]]#1)
// CHECK:   %[[T:.*]] = arith.xori %[[TP]], %c1_i32
// CHECK:   %[[TB:.*]] = sm90.mbarrier.get %[[EMPTY]]
// CHECK:   sm90.mbarrier.wait_parity %[[TB]], %[[T]] :
// CHECK-NOT: wait_parity
// CHECK: gpu.return
gpu.module @m {
  gpu.func @k(%a: memref<256x512xf16>, %b: memref<32x512xf16>, %d: memref<256x32xf32>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
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
      tmm.load %b[%c0, %k], %tb by(#sm90.tma) : memref<32x512xf16>, !b
      %p1 = tmm.producer_commit %ring[%p] : !ring
      %ra, %rb = tmm.consumer_wait %ring[%c] : !ring
      tmm.mma %ra, %rb, %acc accumulate(%more) by(#tcgen05.mma) : !a, !b, !acc
      %n1 = tmm.consumer_release %ring[%c] : !ring
      scf.yield %p1, %n1 : !tmm.pipeline_state, !tmm.pipeline_state
    }
    %q1 = tmm.producer_commit %accs[%q0] : !accs
    %done = tmm.consumer_wait %accs[%q0] : !accs
    %r = tmm.read %done[%c0] if %true : !acc -> vector<128x32xf32>
    tmm.store %r, %d[%c0, %c0] in_bounds [true, true] : vector<128x32xf32>, memref<256x32xf32>
    %e1 = tmm.consumer_release %accs[%q0] : !accs
    tmm.producer_tail %ring[%s#0] : !ring
    tmm.producer_tail %accs[%q1] : !accs
    gpu.return
  }
}
