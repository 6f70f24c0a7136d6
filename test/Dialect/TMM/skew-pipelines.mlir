// RUN: tc-opt --tmm-skew-pipelines %s | FileCheck %s

!a = !tmm.buffer<128x64xbf16, #sm90.smem<k_major, none>>
!b = !tmm.buffer<64x64xbf16, #sm90.smem<k_major, none>>
!acc = !tmm.buffer<128x64xf32, #tcgen05.tmem>
!d = !tmm.buffer<128x32xf32, #sm90.smem<n_major, b128>>

gpu.module @kernels {
  // Three blocks are loaded before the loop, or as many as there are; the
  // body multiplies block i and then loads block i + 3, where there is one.
  // CHECK-LABEL: gpu.func @ring
  // CHECK-SAME: (%[[A:.*]]: memref<?x?xbf16>, %[[B:.*]]: memref<?x?xbf16>, %[[ROW:.*]]: i32, %[[COUNT:.*]]: i32)
  // CHECK: %[[START:.*]] = tmm.pipeline_start
  // CHECK: %[[AHEAD:.*]] = arith.constant 3 : i32
  // CHECK: %[[SUM:.*]] = arith.addi %[[ZERO:.*]], %[[AHEAD]] : i32
  // CHECK: %[[END:.*]] = arith.minsi %[[SUM]], %[[COUNT]] : i32
  // CHECK: %[[FRONT:.*]] = scf.for %[[J:.*]] = %[[ZERO]] to %[[END]] step %{{.*}} iter_args(%[[P:.*]] = %[[START]])
  // CHECK:   %[[K:.*]] = arith.muli %[[J]], %{{.*}} : i32
  // CHECK:   %[[FREE:.*]]:2 = tmm.producer_acquire %{{.*}}[%[[P]]]
  // CHECK:   tmm.load %[[A]][%[[ROW]], %[[K]]], %[[FREE]]#0
  // CHECK:   tmm.load %[[B]][%[[ROW]], %[[K]]], %[[FREE]]#1
  // CHECK:   %[[P1:.*]] = tmm.producer_commit %{{.*}}[%[[P]]]
  // CHECK:   scf.yield %[[P1]]
  // CHECK: %[[LOOP:.*]]:2 = scf.for %[[I:.*]] = %[[ZERO]] to %[[COUNT]] step %{{.*}} iter_args(%[[P:.*]] = %[[FRONT]], %[[C:.*]] = %[[START]])
  // CHECK-NOT: acquire
  // CHECK:   tmm.consumer_wait %{{.*}}[%[[C]]]
  // CHECK:   tmm.mma
  // CHECK:   %[[C1:.*]] = tmm.consumer_release %{{.*}}[%[[C]]]
  // CHECK:   %[[NEXT:.*]] = arith.addi %[[I]], %[[AHEAD]] : i32
  // CHECK:   %[[MORE:.*]] = arith.cmpi slt, %[[NEXT]], %[[COUNT]] : i32
  // CHECK:   %[[P2:.*]] = scf.if %[[MORE]]
  // CHECK:     %[[K:.*]] = arith.muli %[[NEXT]], %{{.*}} : i32
  // CHECK:     tmm.producer_acquire %{{.*}}[%[[P]]]
  // CHECK:     %[[P3:.*]] = tmm.producer_commit %{{.*}}[%[[P]]]
  // CHECK:     scf.yield %[[P3]]
  // CHECK:   } else {
  // CHECK:     scf.yield %[[P]]
  // CHECK:   scf.yield %[[P2]], %[[C1]]
  // CHECK: tmm.producer_tail %{{.*}}[%[[LOOP]]#0]
  gpu.func @ring(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %row: i32, %count: i32) kernel {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %width = arith.constant 64 : i32
    %yes = arith.constant true
    %acc = tmm.alloc : !acc
    %ring = tmm.pipeline : !tmm.pipeline<(!a, !b), depth = 4>
    %start = tmm.pipeline_start %ring : !tmm.pipeline<(!a, !b), depth = 4>
    %s:2 = scf.for %i = %zero to %count step %one iter_args(%p = %start, %c = %start) -> (!tmm.pipeline_state, !tmm.pipeline_state) : i32 {
      %k = arith.muli %i, %width : i32
      %free:2 = tmm.producer_acquire %ring[%p] : !tmm.pipeline<(!a, !b), depth = 4>
      tmm.load %a[%row, %k], %free#0 by(#sm90.tma) : memref<?x?xbf16>, !a
      tmm.load %b[%row, %k], %free#1 by(#sm90.tma) : memref<?x?xbf16>, !b
      %p1 = tmm.producer_commit %ring[%p] : !tmm.pipeline<(!a, !b), depth = 4>
      %full:2 = tmm.consumer_wait %ring[%c] : !tmm.pipeline<(!a, !b), depth = 4>
      tmm.mma %full#0, %full#1, %acc accumulate(%yes) by(#tcgen05.mma) : !a, !b, !acc
      %c1 = tmm.consumer_release %ring[%c] : !tmm.pipeline<(!a, !b), depth = 4>
      scf.yield %p1, %c1 : !tmm.pipeline_state, !tmm.pipeline_state
    }
    tmm.producer_tail %ring[%s#0] : !tmm.pipeline<(!a, !b), depth = 4>
    gpu.return
  }

  // With one slot there is nothing to be ahead with; with roles the load warp is.
  // CHECK-LABEL: gpu.func @one_slot
  // CHECK: scf.for
  // CHECK-NEXT: arith.muli
  // CHECK-NEXT: tmm.producer_acquire
  // CHECK-NOT: scf.for
  gpu.func @one_slot(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %row: i32, %count: i32) kernel {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %width = arith.constant 64 : i32
    %yes = arith.constant true
    %acc = tmm.alloc : !acc
    %ring = tmm.pipeline : !tmm.pipeline<(!a, !b), depth = 1>
    %start = tmm.pipeline_start %ring : !tmm.pipeline<(!a, !b), depth = 1>
    %s:2 = scf.for %i = %zero to %count step %one iter_args(%p = %start, %c = %start) -> (!tmm.pipeline_state, !tmm.pipeline_state) : i32 {
      %k = arith.muli %i, %width : i32
      %free:2 = tmm.producer_acquire %ring[%p] : !tmm.pipeline<(!a, !b), depth = 1>
      tmm.load %a[%row, %k], %free#0 by(#sm90.tma) : memref<?x?xbf16>, !a
      tmm.load %b[%row, %k], %free#1 by(#sm90.tma) : memref<?x?xbf16>, !b
      %p1 = tmm.producer_commit %ring[%p] : !tmm.pipeline<(!a, !b), depth = 1>
      %full:2 = tmm.consumer_wait %ring[%c] : !tmm.pipeline<(!a, !b), depth = 1>
      tmm.mma %full#0, %full#1, %acc accumulate(%yes) by(#tcgen05.mma) : !a, !b, !acc
      %c1 = tmm.consumer_release %ring[%c] : !tmm.pipeline<(!a, !b), depth = 1>
      scf.yield %p1, %c1 : !tmm.pipeline_state, !tmm.pipeline_state
    }
    tmm.producer_tail %ring[%s#0] : !tmm.pipeline<(!a, !b), depth = 1>
    gpu.return
  }

  // Signed comparisons would make transactions of a loop that has no iteration.
  // CHECK-LABEL: gpu.func @unsigned_loop
  // CHECK: scf.for unsigned
  // CHECK-NEXT: arith.muli
  // CHECK-NEXT: tmm.producer_acquire
  // CHECK-NOT: scf.for
  gpu.func @unsigned_loop(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %row: i32, %count: i32) kernel {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %width = arith.constant 64 : i32
    %yes = arith.constant true
    %acc = tmm.alloc : !acc
    %ring = tmm.pipeline : !tmm.pipeline<(!a, !b), depth = 4>
    %start = tmm.pipeline_start %ring : !tmm.pipeline<(!a, !b), depth = 4>
    %s:2 = scf.for unsigned %i = %zero to %count step %one iter_args(%p = %start, %c = %start) -> (!tmm.pipeline_state, !tmm.pipeline_state) : i32 {
      %k = arith.muli %i, %width : i32
      %free:2 = tmm.producer_acquire %ring[%p] : !tmm.pipeline<(!a, !b), depth = 4>
      tmm.load %a[%row, %k], %free#0 by(#sm90.tma) : memref<?x?xbf16>, !a
      tmm.load %b[%row, %k], %free#1 by(#sm90.tma) : memref<?x?xbf16>, !b
      %p1 = tmm.producer_commit %ring[%p] : !tmm.pipeline<(!a, !b), depth = 4>
      %full:2 = tmm.consumer_wait %ring[%c] : !tmm.pipeline<(!a, !b), depth = 4>
      tmm.mma %full#0, %full#1, %acc accumulate(%yes) by(#tcgen05.mma) : !a, !b, !acc
      %c1 = tmm.consumer_release %ring[%c] : !tmm.pipeline<(!a, !b), depth = 4>
      scf.yield %p1, %c1 : !tmm.pipeline_state, !tmm.pipeline_state
    }
    tmm.producer_tail %ring[%s#0] : !tmm.pipeline<(!a, !b), depth = 4>
    gpu.return
  }

  // What fills a store buffer is computed in the iteration: nothing to be ahead with.
  // CHECK-LABEL: gpu.func @store_ring
  // CHECK: scf.for
  // CHECK-NEXT: tmm.read
  // CHECK-NEXT: tmm.producer_acquire
  // CHECK-NOT: scf.for
  gpu.func @store_ring(%d: memref<128x64xf32>, %written: i1) kernel {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %acc = tmm.alloc : !acc
    %ring = tmm.pipeline : !tmm.pipeline<(!d), depth = 2>
    %start = tmm.pipeline_start %ring : !tmm.pipeline<(!d), depth = 2>
    %s:2 = scf.for %i = %zero to %two step %one iter_args(%p = %start, %c = %start) -> (!tmm.pipeline_state, !tmm.pipeline_state) : i32 {
      %r = tmm.read %acc[%i] if %written : !acc -> vector<128x32xf32>
      %free = tmm.producer_acquire %ring[%p] : !tmm.pipeline<(!d), depth = 2>
      tmm.stage %r, %free : vector<128x32xf32>, !d
      %p1 = tmm.producer_commit %ring[%p] : !tmm.pipeline<(!d), depth = 2>
      %full = tmm.consumer_wait %ring[%c] : !tmm.pipeline<(!d), depth = 2>
      tmm.unload %full, %d[%zero, %i] by(#sm90.tma_store) : !d, memref<128x64xf32>
      %c1 = tmm.consumer_release %ring[%c] : !tmm.pipeline<(!d), depth = 2>
      scf.yield %p1, %c1 : !tmm.pipeline_state, !tmm.pipeline_state
    }
    tmm.producer_tail %ring[%s#0] : !tmm.pipeline<(!d), depth = 2>
    gpu.return
  }

  // A slot that is not released in each iteration is not free for the transaction
  // that comes depth - 1 later.
  // CHECK-LABEL: gpu.func @late_release
  // CHECK: scf.for
  // CHECK-NEXT: arith.muli
  // CHECK-NEXT: tmm.producer_acquire
  // CHECK-NOT: scf.for
  gpu.func @late_release(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %row: i32, %count: i32, %last: i1) kernel {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %width = arith.constant 64 : i32
    %yes = arith.constant true
    %acc = tmm.alloc : !acc
    %ring = tmm.pipeline : !tmm.pipeline<(!a, !b), depth = 4>
    %start = tmm.pipeline_start %ring : !tmm.pipeline<(!a, !b), depth = 4>
    %s:2 = scf.for %i = %zero to %count step %one iter_args(%p = %start, %c = %start) -> (!tmm.pipeline_state, !tmm.pipeline_state) : i32 {
      %k = arith.muli %i, %width : i32
      %free:2 = tmm.producer_acquire %ring[%p] : !tmm.pipeline<(!a, !b), depth = 4>
      tmm.load %a[%row, %k], %free#0 by(#sm90.tma) : memref<?x?xbf16>, !a
      tmm.load %b[%row, %k], %free#1 by(#sm90.tma) : memref<?x?xbf16>, !b
      %p1 = tmm.producer_commit %ring[%p] : !tmm.pipeline<(!a, !b), depth = 4>
      %full:2 = tmm.consumer_wait %ring[%c] : !tmm.pipeline<(!a, !b), depth = 4>
      tmm.mma %full#0, %full#1, %acc accumulate(%yes) by(#tcgen05.mma) : !a, !b, !acc
      %c1 = scf.if %last -> (!tmm.pipeline_state) {
        %c2 = tmm.consumer_release %ring[%c] : !tmm.pipeline<(!a, !b), depth = 4>
        scf.yield %c2 : !tmm.pipeline_state
      } else {
        scf.yield %c : !tmm.pipeline_state
      }
      scf.yield %p1, %c1 : !tmm.pipeline_state, !tmm.pipeline_state
    }
    tmm.producer_tail %ring[%s#0] : !tmm.pipeline<(!a, !b), depth = 4>
    gpu.return
  }

  // The same where releases have a count of their own, which may lag.
  // CHECK-LABEL: gpu.func @other_release
  // CHECK: scf.for
  // CHECK-NEXT: arith.muli
  // CHECK-NEXT: tmm.producer_acquire
  // CHECK-NOT: scf.for
  gpu.func @other_release(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %row: i32, %count: i32) kernel {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %width = arith.constant 64 : i32
    %yes = arith.constant true
    %acc = tmm.alloc : !acc
    %ring = tmm.pipeline : !tmm.pipeline<(!a, !b), depth = 4>
    %start = tmm.pipeline_start %ring : !tmm.pipeline<(!a, !b), depth = 4>
    %s:3 = scf.for %i = %zero to %count step %one iter_args(%p = %start, %c = %start, %r = %start) -> (!tmm.pipeline_state, !tmm.pipeline_state, !tmm.pipeline_state) : i32 {
      %k = arith.muli %i, %width : i32
      %free:2 = tmm.producer_acquire %ring[%p] : !tmm.pipeline<(!a, !b), depth = 4>
      tmm.load %a[%row, %k], %free#0 by(#sm90.tma) : memref<?x?xbf16>, !a
      tmm.load %b[%row, %k], %free#1 by(#sm90.tma) : memref<?x?xbf16>, !b
      %p1 = tmm.producer_commit %ring[%p] : !tmm.pipeline<(!a, !b), depth = 4>
      %full:2 = tmm.consumer_wait %ring[%c] : !tmm.pipeline<(!a, !b), depth = 4>
      tmm.mma %full#0, %full#1, %acc accumulate(%yes) by(#tcgen05.mma) : !a, !b, !acc
      %c1 = tmm.skip %ring[%c] : !tmm.pipeline<(!a, !b), depth = 4>
      %r1 = tmm.consumer_release %ring[%r] : !tmm.pipeline<(!a, !b), depth = 4>
      scf.yield %p1, %c1, %r1 : !tmm.pipeline_state, !tmm.pipeline_state, !tmm.pipeline_state
    }
    tmm.producer_tail %ring[%s#0] : !tmm.pipeline<(!a, !b), depth = 4>
    gpu.return
  }

  // Nor where what is released is another transaction, or is released before it is read.
  // CHECK-LABEL: gpu.func @release_of_another
  // CHECK: scf.for
  // CHECK-NEXT: arith.muli
  // CHECK-NEXT: tmm.producer_acquire
  // CHECK-NOT: scf.for
  gpu.func @release_of_another(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %row: i32, %count: i32) kernel {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %width = arith.constant 64 : i32
    %yes = arith.constant true
    %acc = tmm.alloc : !acc
    %ring = tmm.pipeline : !tmm.pipeline<(!a, !b), depth = 4>
    %start = tmm.pipeline_start %ring : !tmm.pipeline<(!a, !b), depth = 4>
    %s:2 = scf.for %i = %zero to %count step %one iter_args(%p = %start, %c = %start) -> (!tmm.pipeline_state, !tmm.pipeline_state) : i32 {
      %k = arith.muli %i, %width : i32
      %free:2 = tmm.producer_acquire %ring[%p] : !tmm.pipeline<(!a, !b), depth = 4>
      tmm.load %a[%row, %k], %free#0 by(#sm90.tma) : memref<?x?xbf16>, !a
      tmm.load %b[%row, %k], %free#1 by(#sm90.tma) : memref<?x?xbf16>, !b
      %p1 = tmm.producer_commit %ring[%p] : !tmm.pipeline<(!a, !b), depth = 4>
      %full:2 = tmm.consumer_wait %ring[%c] : !tmm.pipeline<(!a, !b), depth = 4>
      tmm.mma %full#0, %full#1, %acc accumulate(%yes) by(#tcgen05.mma) : !a, !b, !acc
      %c1 = tmm.consumer_release %ring[%start] : !tmm.pipeline<(!a, !b), depth = 4>
      scf.yield %p1, %c1 : !tmm.pipeline_state, !tmm.pipeline_state
    }
    tmm.producer_tail %ring[%s#0] : !tmm.pipeline<(!a, !b), depth = 4>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @release_before
  // CHECK: scf.for
  // CHECK-NEXT: arith.muli
  // CHECK-NEXT: tmm.producer_acquire
  // CHECK-NOT: scf.for
  gpu.func @release_before(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %row: i32, %count: i32) kernel {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %width = arith.constant 64 : i32
    %yes = arith.constant true
    %acc = tmm.alloc : !acc
    %ring = tmm.pipeline : !tmm.pipeline<(!a, !b), depth = 4>
    %start = tmm.pipeline_start %ring : !tmm.pipeline<(!a, !b), depth = 4>
    %s:2 = scf.for %i = %zero to %count step %one iter_args(%p = %start, %c = %start) -> (!tmm.pipeline_state, !tmm.pipeline_state) : i32 {
      %k = arith.muli %i, %width : i32
      %free:2 = tmm.producer_acquire %ring[%p] : !tmm.pipeline<(!a, !b), depth = 4>
      tmm.load %a[%row, %k], %free#0 by(#sm90.tma) : memref<?x?xbf16>, !a
      tmm.load %b[%row, %k], %free#1 by(#sm90.tma) : memref<?x?xbf16>, !b
      %p1 = tmm.producer_commit %ring[%p] : !tmm.pipeline<(!a, !b), depth = 4>
      %c1 = tmm.consumer_release %ring[%c] : !tmm.pipeline<(!a, !b), depth = 4>
      %full:2 = tmm.consumer_wait %ring[%c] : !tmm.pipeline<(!a, !b), depth = 4>
      tmm.mma %full#0, %full#1, %acc accumulate(%yes) by(#tcgen05.mma) : !a, !b, !acc
      scf.yield %p1, %c1 : !tmm.pipeline_state, !tmm.pipeline_state
    }
    tmm.producer_tail %ring[%s#0] : !tmm.pipeline<(!a, !b), depth = 4>
    gpu.return
  }
}
