// RUN: tc-opt %s --mlir-print-local-scope -convert-tmm-pipelines-to-sm90 -canonicalize -cse | FileCheck %s

// The ring from which a copy engine stores, which completes in groups that the
// thread that issued them waits for: no mbarriers, and the two meetings of the
// threads. A role has a named barrier of its own.

!d = !tmm.buffer<128x32xbf16, #sm90.smem<n_major, b64>>
!ring = !tmm.pipeline<(!d), depth = 2>

// CHECK-LABEL: gpu.func @k(
// CHECK: %[[STORAGE:.*]] = tmm.storage : <<128x32xbf16, #sm90.smem<n_major, b64>>, depth = 2>
// CHECK-NOT: sm90.mbarrier
// CHECK: scf.for %[[J:.*]] = %c0_i32 to %c128_i32 step %c32_i32 iter_args(%[[S:[^ ]*]] = %c0_i32, %{{[^ ]*}} = %c0_i32, %[[C:[^ ]*]] = %c0_i32,
// One group may still read: the other slot is free.
// CHECK-NEXT: tmm.issue {
// CHECK-NEXT:   sm90.bulk_wait_group 1 read
// CHECK-NEXT: }
// CHECK-NEXT: sm90.named_barrier 1 threads 128
// CHECK-NEXT: %[[SLOT:.*]] = tmm.slot %[[STORAGE]][%[[S]]]
// CHECK-NEXT: tmm.stage %{{.*}}, %[[SLOT]]
// CHECK-NEXT: sm90.fence_proxy_async shared_cta
// CHECK:      sm90.named_barrier 1 threads 128
// CHECK-NEXT: %[[FULL:.*]] = tmm.slot %[[STORAGE]][%[[C]]]
// CHECK-NEXT: tmm.unload %[[FULL]]
// CHECK-NEXT: tmm.issue {
// CHECK-NEXT:   sm90.bulk_commit_group
// CHECK-NEXT: }
// Before the kernel ends all of D is written.
// CHECK: tmm.issue {
// CHECK-NEXT: sm90.bulk_wait_group 0{{$}}
// CHECK-NEXT: }
// CHECK-NEXT: gpu.return

// CHECK-LABEL: gpu.func @roles(
// CHECK-NOT: sm90.mbarrier
// CHECK: tmm.warp_specialize "other" warps(1) {
// CHECK-NEXT: } "epilogue" warps(4) {
// CHECK-NEXT: tmm.issue {
// CHECK-NEXT:   sm90.bulk_wait_group 1 read
// CHECK-NEXT: }
// CHECK-NEXT: sm90.named_barrier 2 threads 128
// CHECK: tmm.stage
// CHECK: sm90.named_barrier 2 threads 128
// CHECK: tmm.unload
gpu.module @m {
  gpu.func @k(%d: memref<?x?xbf16>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c32 = arith.constant 32 : i32
    %c128 = arith.constant 128 : i32
    %value = arith.constant dense<1.5> : vector<128x32xbf16>
    %ring = tmm.pipeline : !ring
    %s = tmm.pipeline_start %ring : !ring
    %e:2 = scf.for %j = %c0 to %c128 step %c32 iter_args(%p = %s, %c = %s) -> (!tmm.pipeline_state, !tmm.pipeline_state) : i32 {
      %free = tmm.producer_acquire %ring[%p] : !ring
      tmm.stage %value, %free : vector<128x32xbf16>, !d
      %p1 = tmm.producer_commit %ring[%p] : !ring
      %full = tmm.consumer_wait %ring[%c] : !ring
      tmm.unload %full, %d[%c0, %j] by(#sm90.tma_store) : !d, memref<?x?xbf16>
      %c1 = tmm.consumer_release %ring[%c] : !ring
      scf.yield %p1, %c1 : !tmm.pipeline_state, !tmm.pipeline_state
    }
    tmm.producer_tail %ring[%e#0] : !ring
    gpu.return
  }
  gpu.func @roles(%d: memref<?x?xbf16>, %i: i32) kernel attributes {known_block_size = array<i32: 160, 1, 1>} {
    %value = arith.constant dense<1.5> : vector<128x32xbf16>
    %ring = tmm.pipeline : !ring
    %s = tmm.pipeline_start %ring : !ring
    tmm.warp_specialize "other" warps(1) {
    } "epilogue" warps(4) {
      %free = tmm.producer_acquire %ring[%s] : !ring
      tmm.stage %value, %free : vector<128x32xbf16>, !d
      %p1 = tmm.producer_commit %ring[%s] : !ring
      %full = tmm.consumer_wait %ring[%s] : !ring
      tmm.unload %full, %d[%i, %i] by(#sm90.tma_store) : !d, memref<?x?xbf16>
      %c1 = tmm.consumer_release %ring[%s] : !ring
      tmm.producer_tail %ring[%p1] : !ring
    }
    gpu.return
  }
}
