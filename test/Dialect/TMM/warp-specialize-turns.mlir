// RUN: tc-opt %s -tmm-warp-specialize | FileCheck %s

// Instances that take turns in ops without results.
// CHECK: tmm.warp_specialize "epilogue" warps(4) turns(2) {
// CHECK: scf.if
// CHECK-NEXT: tmm.store
// CHECK: } "epilogue" warps(4) turns(2) {
// CHECK: scf.if
// CHECK-NEXT: tmm.store
gpu.module @m {
  gpu.func @stores(%d: memref<?x?xf16>, %v: vector<128x64xf16>, %i: i32, %n: i32) kernel {
    tmm.role "epilogue" warps(4) turns(2) of "tiles" drives [#tmm.threads]
    scf.for %j = %i to %n step %i : i32 {
      tmm.loop "tiles"
      tmm.store %v, %d[%j, %i] role("epilogue") : vector<128x64xf16>, memref<?x?xf16>
    }
    gpu.return
  }
}

// What one role reads and a loop carries: the other role's loop does not change it, and
// the instance whose turn it is not has no loop.
// CHECK-LABEL: gpu.func @carried
// CHECK: tmm.warp_specialize "epilogue" warps(4) turns(2) {
// CHECK: scf.if
// CHECK-NEXT: scf.for
// CHECK:     %[[V:.*]] = tmm.read
// CHECK:     %[[S:.*]] = arith.addf %{{.*}}, %[[V]]
// CHECK:     scf.yield %[[S]]
// CHECK:   tmm.store
// CHECK: } else {
// CHECK-NEXT: }
// CHECK: } "other" warps(1) {
// CHECK-NOT: tmm.read
// CHECK: scf.for {{.*}} iter_args(%[[OLD:.*]] = %{{.*}})
// CHECK:   tmm.store
// CHECK:   scf.yield %[[OLD]]
gpu.module @n {
  gpu.func @carried(%acc: !tmm.buffer<128x64xf32, #tcgen05.tmem>, %d: memref<?x?xf32>, %e: memref<?x?xf32>, %v: vector<128x32xf32>,
                    %i: i32, %n: i32, %c: i1) kernel {
    tmm.role "epilogue" warps(4) turns(2) of "tiles" drives [#tmm.threads]
    tmm.role "other" warps(1) drives []
    scf.for %j = %i to %n step %i : i32 {
      tmm.loop "tiles"
      %sum = scf.for %k = %i to %n step %i iter_args(%s = %v) -> (vector<128x32xf32>) : i32 {
        %r = tmm.read %acc[%k] if %c layout(#tcgen05.rows) role("epilogue") : <128x64xf32, #tcgen05.tmem> -> vector<128x32xf32>
        %t = arith.addf %s, %r : vector<128x32xf32>
        tmm.store %v, %e[%j, %k] role("other") : vector<128x32xf32>, memref<?x?xf32>
        scf.yield %t : vector<128x32xf32>
      }
      tmm.store %sum, %d[%j, %i] role("epilogue") : vector<128x32xf32>, memref<?x?xf32>
    }
    gpu.return
  }
}

// The same where a loop starts with what is read, and where one only computes with it.
// CHECK-LABEL: gpu.func @computed
// CHECK: tmm.warp_specialize "epilogue" warps(4) turns(2) {
// CHECK:      scf.if
// CHECK-NEXT:   %[[V:.*]] = tmm.read
// CHECK-NEXT:   %[[S:.*]] = scf.for {{.*}} iter_args(%[[OLD:.*]] = %[[V]])
// CHECK-NEXT:     arith.addf %[[OLD]], %[[V]]
// CHECK:        tmm.store %[[S]]
// CHECK:        %[[T:.*]] = scf.for {{.*}} iter_args(%[[OLD:.*]] = %{{.*}})
// CHECK-NEXT:     arith.mulf %[[OLD]], %[[V]]
// CHECK:        tmm.store %[[T]]
// CHECK-NEXT: } else {
// CHECK-NEXT: }
// CHECK: } "other" warps(1) {
// CHECK-NEXT: scf.for
// CHECK-NEXT:   tmm.store
// CHECK-NEXT: }
gpu.module @o {
  gpu.func @computed(%acc: !tmm.buffer<128x64xf32, #tcgen05.tmem>, %d: memref<?x?xf32>, %e: memref<?x?xf32>, %v: vector<128x32xf32>,
                     %i: i32, %n: i32, %c: i1) kernel {
    tmm.role "epilogue" warps(4) turns(2) of "tiles" drives [#tmm.threads]
    tmm.role "other" warps(1) drives []
    scf.for %j = %i to %n step %i : i32 {
      tmm.loop "tiles"
      %r = tmm.read %acc[%j] if %c layout(#tcgen05.rows) role("epilogue") : <128x64xf32, #tcgen05.tmem> -> vector<128x32xf32>
      %sum = scf.for %k = %i to %n step %i iter_args(%s = %r) -> (vector<128x32xf32>) : i32 {
        %t = arith.addf %s, %r : vector<128x32xf32>
        scf.yield %t : vector<128x32xf32>
      }
      tmm.store %sum, %d[%j, %i] role("epilogue") : vector<128x32xf32>, memref<?x?xf32>
      %product = scf.for %k = %i to %n step %i iter_args(%s = %v) -> (vector<128x32xf32>) : i32 {
        %t = arith.mulf %s, %r : vector<128x32xf32>
        scf.yield %t : vector<128x32xf32>
      }
      tmm.store %product, %d[%i, %j] role("epilogue") : vector<128x32xf32>, memref<?x?xf32>
      tmm.store %v, %e[%j, %i] role("other") : vector<128x32xf32>, memref<?x?xf32>
    }
    gpu.return
  }
}

// What the other instance's K loop makes is counted by its bounds, which are signed.
// CHECK-LABEL: gpu.func @counted
// CHECK: tmm.warp_specialize "load" warps(1) turns(2) elected {
// CHECK: } else {
// CHECK:      %[[LENGTH:.*]] = arith.subi
// CHECK:      %[[COUNT:.*]] = arith.ceildivsi %[[LENGTH]]
// CHECK:      %[[ALL:.*]] = arith.maxsi %[[COUNT]], %{{.*}}
// CHECK:      tmm.skip %{{.*}}[%{{.*}}] by %[[ALL]]
// CHECK-NOT:  scf.for
// CHECK: }
// CHECK-LABEL: gpu.func @counted_unsigned
// CHECK: tmm.warp_specialize "load" warps(1) turns(2) elected {
// CHECK: } else {
// CHECK-NEXT: scf.for unsigned
// CHECK-NEXT:   tmm.skip %{{.*}}[%{{.*}}] :
!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
!ring = !tmm.pipeline<(!tile), depth = 2>
gpu.module @p {
  gpu.func @counted(%a: memref<?x?xf16>, %i: i32, %n: i32) kernel {
    tmm.role "load" warps(1) turns(2) of "tiles" drives []
    tmm.role "store" warps(1) drives []
    %ring = tmm.pipeline : !ring
    %s0 = tmm.pipeline_start %ring : !ring
    %r:2 = scf.for %j = %i to %n step %i iter_args(%p = %s0, %c = %s0) -> (!tmm.pipeline_state, !tmm.pipeline_state) : i32 {
      tmm.loop "tiles"
      %q:2 = scf.for %k = %i to %j step %n iter_args(%p0 = %p, %c0 = %c) -> (!tmm.pipeline_state, !tmm.pipeline_state) : i32 {
        %t = tmm.producer_acquire %ring[%p0] : !ring
        tmm.load %a[%i, %k], %t by(#sm90.tma) role("load") : memref<?x?xf16>, !tile
        %p1 = tmm.producer_commit %ring[%p0] : !ring
        %u = tmm.consumer_wait %ring[%c0] : !ring
        tmm.unload %u, %a[%k, %i] by(#sm90.tma_store) role("store") : !tile, memref<?x?xf16>
        %c1 = tmm.consumer_release %ring[%c0] : !ring
        scf.yield %p1, %c1 : !tmm.pipeline_state, !tmm.pipeline_state
      }
      scf.yield %q#0, %q#1 : !tmm.pipeline_state, !tmm.pipeline_state
    }
    gpu.return
  }
  gpu.func @counted_unsigned(%a: memref<?x?xf16>, %i: i32, %n: i32) kernel {
    tmm.role "load" warps(1) turns(2) of "tiles" drives []
    tmm.role "store" warps(1) drives []
    %ring = tmm.pipeline : !ring
    %s0 = tmm.pipeline_start %ring : !ring
    %r:2 = scf.for %j = %i to %n step %i iter_args(%p = %s0, %c = %s0) -> (!tmm.pipeline_state, !tmm.pipeline_state) : i32 {
      tmm.loop "tiles"
      %q:2 = scf.for unsigned %k = %i to %j step %n iter_args(%p0 = %p, %c0 = %c) -> (!tmm.pipeline_state, !tmm.pipeline_state) : i32 {
        %t = tmm.producer_acquire %ring[%p0] : !ring
        tmm.load %a[%i, %k], %t by(#sm90.tma) role("load") : memref<?x?xf16>, !tile
        %p1 = tmm.producer_commit %ring[%p0] : !ring
        %u = tmm.consumer_wait %ring[%c0] : !ring
        tmm.unload %u, %a[%k, %i] by(#sm90.tma_store) role("store") : !tile, memref<?x?xf16>
        %c1 = tmm.consumer_release %ring[%c0] : !ring
        scf.yield %p1, %c1 : !tmm.pipeline_state, !tmm.pipeline_state
      }
      scf.yield %q#0, %q#1 : !tmm.pipeline_state, !tmm.pipeline_state
    }
    gpu.return
  }
}
