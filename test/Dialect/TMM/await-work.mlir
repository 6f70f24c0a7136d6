// RUN: tc-opt %s --mlir-print-local-scope -tmm-await-work -split-input-file | FileCheck %s
// RUN: tc-opt %s --mlir-print-local-scope -tmm-await-work -tmm-await-work -split-input-file | FileCheck %s

// Work of wgmma is pending when the op that issued it returns: it is awaited before
// the slot is released. (Late releases: TMMToSM90/convert-tmm-pipelines-to-sm90-late.mlir.)

!tile = !tmm.buffer<64x64xf16, #sm90.smem<k_major, b128>>
!ring = !tmm.pipeline<(!tile), depth = 3>

// CHECK-LABEL: gpu.func @late
// CHECK: %[[START:.*]] = tmm.pipeline_start %[[RING:.*]] :
// CHECK: %[[NONE:.*]] = tmm.hold %[[RING]][%[[START]]]
// CHECK: %[[R:.*]]:3 = scf.for %[[K:.*]] = %[[FROM:.*]] to %[[TO:.*]] step {{.*}} iter_args(%[[ACC:.*]] = {{.*}}, %[[S:.*]] = %[[START]], %[[HELD:.*]] = %[[NONE]])
// CHECK: %[[SUM:.*]] = tmm.mma
// CHECK-NEXT: %[[GOES_ON:.*]] = tmm.await %[[SUM]] by(#sm90.wgmma) pending 1
// CHECK-NEXT: %[[OTHERS:.*]] = arith.cmpi ne, %[[K]], %[[FROM]]
// CHECK-NEXT: scf.if %[[OTHERS]] {
// CHECK-NEXT: tmm.release_held %[[RING]][%[[HELD]]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[THIS:.*]] = tmm.hold %[[RING]][%[[S]]]
// CHECK-NEXT: %[[NEXT:.*]] = tmm.skip %[[RING]][%[[S]]]
// CHECK-NEXT: scf.yield %[[GOES_ON]], %[[NEXT]], %[[THIS]]
// CHECK: %[[DONE:.*]] = tmm.await %[[R]]#0 by(#sm90.wgmma) pending 0
// CHECK-NEXT: %[[SOME:.*]] = arith.cmpi slt, %[[FROM]], %[[TO]]
// CHECK-NEXT: scf.if %[[SOME]] {
// CHECK-NEXT: tmm.release_held %[[RING]][%[[R]]#2]
// CHECK: tmm.store %[[DONE]]

// What its pipeline does not ask for is released at once, once awaited.
// CHECK-LABEL: gpu.func @at_once
// CHECK: %[[SUM:.*]] = tmm.mma
// CHECK-NEXT: tmm.await %[[SUM]] by(#sm90.wgmma) pending 0
// CHECK-NEXT: tmm.consumer_release
// CHECK-NOT: tmm.hold
gpu.module @m {
  gpu.func @late(%a: memref<?x?xf16>, %n: i32, %p: i1, %d: memref<?x?xf32>) kernel
      attributes {known_block_size = array<i32: 160, 1, 1>} {
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ring = tmm.pipeline late_release : !ring
    tmm.warp_specialize "mma" warps(4) {
      %s = tmm.pipeline_start %ring : !ring
      %sum, %e = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %c = %s)
          -> (vector<64x64xf32>, !tmm.pipeline_state) : i32 {
        %t = tmm.consumer_wait %ring[%c] : !ring
        %new = tmm.mma %t, %t, %acc accumulate(%p) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
            : !tile, !tile, vector<64x64xf32> -> vector<64x64xf32>
        %next = tmm.consumer_release %ring[%c] : !ring
        scf.yield %new, %next : vector<64x64xf32>, !tmm.pipeline_state
      }
      tmm.store %sum, %d[%c0, %c0] layout(#sm90.wgmma_layout) : vector<64x64xf32>, memref<?x?xf32>
    } "load" warps(1) elected {
      %s = tmm.pipeline_start %ring : !ring
      %e = scf.for %k = %c0 to %n step %c1 iter_args(%c = %s) -> (!tmm.pipeline_state) : i32 {
        %t = tmm.producer_acquire %ring[%c] : !ring
        tmm.load %a[%c0, %k], %t by(#sm90.tma) : memref<?x?xf16>, !tile
        %next = tmm.producer_commit %ring[%c] : !ring
        scf.yield %next : !tmm.pipeline_state
      }
      tmm.producer_tail %ring[%e] : !ring
    }
    gpu.return
  }

  gpu.func @at_once(%a: memref<?x?xf16>, %n: i32, %p: i1, %d: memref<?x?xf32>) kernel
      attributes {known_block_size = array<i32: 160, 1, 1>} {
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ring = tmm.pipeline : !ring
    tmm.warp_specialize "mma" warps(4) {
      %s = tmm.pipeline_start %ring : !ring
      %sum, %e = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %c = %s)
          -> (vector<64x64xf32>, !tmm.pipeline_state) : i32 {
        %t = tmm.consumer_wait %ring[%c] : !ring
        %new = tmm.mma %t, %t, %acc accumulate(%p) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
            : !tile, !tile, vector<64x64xf32> -> vector<64x64xf32>
        %next = tmm.consumer_release %ring[%c] : !ring
        scf.yield %new, %next : vector<64x64xf32>, !tmm.pipeline_state
      }
      tmm.store %sum, %d[%c0, %c0] layout(#sm90.wgmma_layout) : vector<64x64xf32>, memref<?x?xf32>
    } "load" warps(1) elected {
      %s = tmm.pipeline_start %ring : !ring
      %e = scf.for %k = %c0 to %n step %c1 iter_args(%c = %s) -> (!tmm.pipeline_state) : i32 {
        %t = tmm.producer_acquire %ring[%c] : !ring
        tmm.load %a[%c0, %k], %t by(#sm90.tma) : memref<?x?xf16>, !tile
        %next = tmm.producer_commit %ring[%c] : !ring
        scf.yield %next : !tmm.pipeline_state
      }
      tmm.producer_tail %ring[%e] : !ring
    }
    gpu.return
  }
}

// -----

// An op that reads two pipelines is awaited once, before the first of the two releases,
// whichever comes first, and never late.
!tile = !tmm.buffer<64x64xf16, #sm90.smem<k_major, b128>>
!ring = !tmm.pipeline<(!tile), depth = 2>

// CHECK-LABEL: gpu.func @two_rings
// CHECK: tmm.warp_specialize "mma"
// CHECK: %[[SUM:.*]] = tmm.mma
// CHECK-NEXT: %[[DONE:.*]] = tmm.await %[[SUM]] by(#sm90.wgmma) pending 0
// CHECK-NEXT: tmm.consumer_release %[[SECOND:.*]][
// CHECK-NEXT: tmm.consumer_release %[[FIRST:.*]][
// CHECK-NEXT: scf.yield %[[DONE]],
// CHECK-NOT: tmm.await
gpu.module @m {
  gpu.func @two_rings(%a: memref<?x?xf16>, %n: i32, %p: i1, %d: memref<?x?xf32>) kernel
      attributes {known_block_size = array<i32: 192, 1, 1>} {
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %first = tmm.pipeline late_release : !ring
    %second = tmm.pipeline late_release : !ring
    tmm.warp_specialize "mma" warps(4) {
      %s = tmm.pipeline_start %first : !ring
      %t = tmm.pipeline_start %second : !ring
      %sum, %e, %f = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %c = %s, %x = %t)
          -> (vector<64x64xf32>, !tmm.pipeline_state, !tmm.pipeline_state) : i32 {
        %l = tmm.consumer_wait %first[%c] : !ring
        %r = tmm.consumer_wait %second[%x] : !ring
        %new = tmm.mma %l, %r, %acc accumulate(%p) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
            : !tile, !tile, vector<64x64xf32> -> vector<64x64xf32>
        %y = tmm.consumer_release %second[%x] : !ring
        %next = tmm.consumer_release %first[%c] : !ring
        scf.yield %new, %next, %y : vector<64x64xf32>, !tmm.pipeline_state, !tmm.pipeline_state
      }
      tmm.store %sum, %d[%c0, %c0] layout(#sm90.wgmma_layout) : vector<64x64xf32>, memref<?x?xf32>
    } "load" warps(1) elected {
      %s = tmm.pipeline_start %first : !ring
      %e = scf.for %k = %c0 to %n step %c1 iter_args(%c = %s) -> (!tmm.pipeline_state) : i32 {
        %t = tmm.producer_acquire %first[%c] : !ring
        tmm.load %a[%c0, %k], %t by(#sm90.tma) : memref<?x?xf16>, !tile
        %next = tmm.producer_commit %first[%c] : !ring
        scf.yield %next : !tmm.pipeline_state
      }
    } "copy" warps(1) elected {
      %s = tmm.pipeline_start %second : !ring
      %e = scf.for %k = %c0 to %n step %c1 iter_args(%c = %s) -> (!tmm.pipeline_state) : i32 {
        %t = tmm.producer_acquire %second[%c] : !ring
        tmm.load %a[%c0, %k], %t by(#sm90.tma) : memref<?x?xf16>, !tile
        %next = tmm.producer_commit %second[%c] : !ring
        scf.yield %next : !tmm.pipeline_state
      }
    }
    gpu.return
  }
}

// -----

// A loop that ends a role is awaited at its end.
!tile = !tmm.buffer<64x64xf16, #sm90.smem<k_major, b128>>
!ring = !tmm.pipeline<(!tile), depth = 3>

// CHECK-LABEL: gpu.func @last
// CHECK: tmm.await {{.*}} pending 1
// CHECK: scf.yield
// CHECK: tmm.await {{.*}} pending 0
// CHECK: scf.if
// CHECK-NEXT: tmm.release_held
gpu.module @m {
  gpu.func @last(%a: memref<?x?xf16>, %n: i32, %p: i1) kernel attributes {known_block_size = array<i32: 160, 1, 1>} {
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ring = tmm.pipeline late_release : !ring
    tmm.warp_specialize "mma" warps(4) {
      %s = tmm.pipeline_start %ring : !ring
      %sum, %e = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %c = %s)
          -> (vector<64x64xf32>, !tmm.pipeline_state) : i32 {
        %t = tmm.consumer_wait %ring[%c] : !ring
        %new = tmm.mma %t, %t, %acc accumulate(%p) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
            : !tile, !tile, vector<64x64xf32> -> vector<64x64xf32>
        %next = tmm.consumer_release %ring[%c] : !ring
        scf.yield %new, %next : vector<64x64xf32>, !tmm.pipeline_state
      }
    } "load" warps(1) elected {
      %s = tmm.pipeline_start %ring : !ring
      %e = scf.for %k = %c0 to %n step %c1 iter_args(%c = %s) -> (!tmm.pipeline_state) : i32 {
        %t = tmm.producer_acquire %ring[%c] : !ring
        tmm.load %a[%c0, %k], %t by(#sm90.tma) : memref<?x?xf16>, !tile
        %next = tmm.producer_commit %ring[%c] : !ring
        scf.yield %next : !tmm.pipeline_state
      }
    }
    gpu.return
  }
}

// -----

// A role that fills the ring itself has filled all slots ahead: it does not wait for one
// that it holds.
!tile = !tmm.buffer<64x64xf16, #sm90.smem<k_major, b128>>
!ring = !tmm.pipeline<(!tile), depth = 2>

// CHECK-LABEL: gpu.func @fills_itself
// CHECK: %[[SUM:.*]] = tmm.mma
// CHECK-NEXT: tmm.await %[[SUM]] by(#sm90.wgmma) pending 0
// CHECK-NEXT: tmm.consumer_release
// CHECK-NOT: tmm.hold
gpu.module @m {
  gpu.func @fills_itself(%a: memref<?x?xf16>, %n: i32, %p: i1, %d: memref<?x?xf32>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %ring = tmm.pipeline late_release : !ring
    tmm.warp_specialize "all" warps(4) {
      %s = tmm.pipeline_start %ring : !ring
      %ahead = scf.for %k = %c0 to %c2 step %c1 iter_args(%q = %s) -> (!tmm.pipeline_state) : i32 {
        %u = tmm.producer_acquire %ring[%q] : !ring
        tmm.load %a[%c0, %k], %u by(#sm90.tma) : memref<?x?xf16>, !tile
        %next = tmm.producer_commit %ring[%q] : !ring
        scf.yield %next : !tmm.pipeline_state
      }
      %sum, %e, %f = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %c = %s, %q = %ahead)
          -> (vector<64x64xf32>, !tmm.pipeline_state, !tmm.pipeline_state) : i32 {
        %t = tmm.consumer_wait %ring[%c] : !ring
        %new = tmm.mma %t, %t, %acc accumulate(%p) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
            : !tile, !tile, vector<64x64xf32> -> vector<64x64xf32>
        %next = tmm.consumer_release %ring[%c] : !ring
        %u = tmm.producer_acquire %ring[%q] : !ring
        tmm.load %a[%c0, %k], %u by(#sm90.tma) : memref<?x?xf16>, !tile
        %more = tmm.producer_commit %ring[%q] : !ring
        scf.yield %new, %next, %more : vector<64x64xf32>, !tmm.pipeline_state, !tmm.pipeline_state
      }
      tmm.store %sum, %d[%c0, %c0] layout(#sm90.wgmma_layout) : vector<64x64xf32>, memref<?x?xf32>
      tmm.producer_tail %ring[%f] : !ring
    }
    gpu.return
  }
}

// -----

// Work whose result the iteration uses is awaited before that use, when other work of the engine is on its way; all slots
// that it reads are released there, in branches, too.
!tile = !tmm.buffer<64x64xf16, #sm90.smem<k_major, b128>>
!one = !tmm.pipeline<(!tile), depth = 1>
!ring = !tmm.pipeline<(!tile), depth = 2>

// CHECK-LABEL: gpu.func @between
// CHECK: %[[S:.*]] = tmm.mma %{{.*}} accumulate(%false)
// CHECK-NEXT: arith.cmpi
// CHECK-NEXT: %[[V:.*]] = tmm.consumer_wait
// CHECK-NEXT: arith.addf
// CHECK-NEXT: %[[O:.*]] = tmm.mma %{{.*}}, %[[V]], %{{.*}} accumulate(%true)
// CHECK-NEXT: %[[DONE:.*]] = tmm.await %[[S]] by(#sm90.wgmma) pending 1
// CHECK-NEXT: tmm.consumer_release
// CHECK-NEXT: scf.if
// CHECK-NEXT: tmm.consumer_release
// CHECK: %[[P:.*]] = arith.truncf %[[DONE]]
// CHECK-NEXT: %[[OUT:.*]] = tmm.await %[[O]] by(#sm90.wgmma) pending 0
// CHECK-NEXT: tmm.consumer_release
// CHECK-NEXT: scf.yield %[[OUT]], %[[P]]
gpu.module @m {
  gpu.func @between(%a: memref<?x?xf16>, %n: i32) kernel attributes {known_block_size = array<i32: 160, 1, 1>} {
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %start = arith.constant dense<0.0> : vector<64x64xf16>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c7 = arith.constant 7 : i32
    %c8 = arith.constant 8 : i32
    %false = arith.constant false
    %true = arith.constant true
    %qs = tmm.pipeline : !one
    %ks = tmm.pipeline late_release : !ring
    %vs = tmm.pipeline late_release : !ring
    tmm.warp_specialize "mma" warps(4) {
      %sq = tmm.pipeline_start %qs : !one
      %sk = tmm.pipeline_start %ks : !ring
      %sv = tmm.pipeline_start %vs : !ring
      %q = tmm.consumer_wait %qs[%sq] : !one
      %r:5 = scf.for %i = %c0 to %c8 step %c1 iter_args(%old = %zero, %p = %start, %cq = %sq, %ck = %sk, %cv = %sv)
          -> (vector<64x64xf32>, vector<64x64xf16>, !tmm.pipeline_state, !tmm.pipeline_state, !tmm.pipeline_state) : i32 {
        %k = tmm.consumer_wait %ks[%ck] : !ring
        %s = tmm.mma %q, %k, %zero accumulate(%false) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
          : !tile, !tile, vector<64x64xf32> -> vector<64x64xf32>
        %nk = tmm.consumer_release %ks[%ck] : !ring
        %last = arith.cmpi eq, %i, %c7 : i32
        %nq = scf.if %last -> (!tmm.pipeline_state) {
          %released = tmm.consumer_release %qs[%cq] : !one
          scf.yield %released : !tmm.pipeline_state
        } else {
          scf.yield %cq : !tmm.pipeline_state
        }
        %v = tmm.consumer_wait %vs[%cv] : !ring
        %twice = arith.addf %old, %old : vector<64x64xf32>
        %o = tmm.mma %p, %v, %twice accumulate(%true) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
          : vector<64x64xf16>, !tile, vector<64x64xf32> -> vector<64x64xf32>
        %nv = tmm.consumer_release %vs[%cv] : !ring
        %next = arith.truncf %s : vector<64x64xf32> to vector<64x64xf16>
        scf.yield %o, %next, %nq, %nk, %nv
          : vector<64x64xf32>, vector<64x64xf16>, !tmm.pipeline_state, !tmm.pipeline_state, !tmm.pipeline_state
      }
    } "load" warps(1) elected {
      %sq = tmm.pipeline_start %qs : !one
      %sk = tmm.pipeline_start %ks : !ring
      %sv = tmm.pipeline_start %vs : !ring
      %qt = tmm.producer_acquire %qs[%sq] : !one
      tmm.load %a[%c0, %c0], %qt by(#sm90.tma) : memref<?x?xf16>, !tile
      %nq = tmm.producer_commit %qs[%sq] : !one
      %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%ck = %sk, %cv = %sv) -> (!tmm.pipeline_state, !tmm.pipeline_state) : i32 {
        %k = tmm.producer_acquire %ks[%ck] : !ring
        tmm.load %a[%c0, %i], %k by(#sm90.tma) : memref<?x?xf16>, !tile
        %nk = tmm.producer_commit %ks[%ck] : !ring
        %v = tmm.producer_acquire %vs[%cv] : !ring
        tmm.load %a[%c0, %i], %v by(#sm90.tma) : memref<?x?xf16>, !tile
        %nv = tmm.producer_commit %vs[%cv] : !ring
        scf.yield %nk, %nv : !tmm.pipeline_state, !tmm.pipeline_state
      }
    }
    gpu.return
  }
}

// -----

// What an iteration uses is awaited there; the slot is held until the next work is
// issued. With one slot that would wait for itself.
!tile = !tmm.buffer<64x64xf16, #sm90.smem<k_major, b128>>
!ring = !tmm.pipeline<(!tile), depth = 3>
!single = !tmm.pipeline<(!tile), depth = 1>

// CHECK-LABEL: gpu.func @used_at_once
// CHECK: %[[START:.*]] = tmm.pipeline_start %[[RING:.*]] :
// CHECK: %[[NONE:.*]] = tmm.hold %[[RING]][%[[START]]]
// CHECK: %[[R:.*]]:3 = scf.for %[[K:.*]] = %[[FROM:.*]] to %[[TO:.*]] step {{.*}} iter_args(%{{.*}} = {{.*}}, %[[S:.*]] = %[[START]], %[[HELD:.*]] = %[[NONE]])
// CHECK: %[[SUM:.*]] = tmm.mma
// CHECK-NEXT: %[[OTHERS:.*]] = arith.cmpi ne, %[[K]], %[[FROM]]
// CHECK-NEXT: scf.if %[[OTHERS]] {
// CHECK-NEXT: tmm.release_held %[[RING]][%[[HELD]]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[DONE:.*]] = tmm.await %[[SUM]] by(#sm90.wgmma) pending 0
// CHECK-NEXT: %[[THIS:.*]] = tmm.hold %[[RING]][%[[S]]]
// CHECK-NEXT: %[[NEXT:.*]] = tmm.skip %[[RING]][%[[S]]]
// CHECK-NEXT: %[[TOTAL:.*]] = arith.addf %{{.*}}, %[[DONE]]
// CHECK-NEXT: scf.yield %[[TOTAL]], %[[NEXT]], %[[THIS]]
// CHECK: arith.cmpi slt, %[[FROM]], %[[TO]]
// CHECK-NEXT: scf.if
// CHECK-NEXT: tmm.release_held %[[RING]][%[[R]]#2]
// CHECK-LABEL: gpu.func @only_slot
// CHECK-NOT: tmm.hold
gpu.module @m {
  gpu.func @used_at_once(%a: memref<?x?xf16>, %n: i32, %p: i1, %d: memref<?x?xf32>) kernel
      attributes {known_block_size = array<i32: 160, 1, 1>} {
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ring = tmm.pipeline late_release : !ring
    tmm.warp_specialize "mma" warps(4) {
      %s = tmm.pipeline_start %ring : !ring
      %sum, %e = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %c = %s)
          -> (vector<64x64xf32>, !tmm.pipeline_state) : i32 {
        %t = tmm.consumer_wait %ring[%c] : !ring
        %new = tmm.mma %t, %t, %zero accumulate(%p) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
            : !tile, !tile, vector<64x64xf32> -> vector<64x64xf32>
        %next = tmm.consumer_release %ring[%c] : !ring
        %total = arith.addf %acc, %new : vector<64x64xf32>
        scf.yield %total, %next : vector<64x64xf32>, !tmm.pipeline_state
      }
      tmm.store %sum, %d[%c0, %c0] layout(#sm90.wgmma_layout) : vector<64x64xf32>, memref<?x?xf32>
    } "load" warps(1) elected {
      %s = tmm.pipeline_start %ring : !ring
      %e = scf.for %k = %c0 to %n step %c1 iter_args(%c = %s) -> (!tmm.pipeline_state) : i32 {
        %t = tmm.producer_acquire %ring[%c] : !ring
        tmm.load %a[%c0, %k], %t by(#sm90.tma) : memref<?x?xf16>, !tile
        %next = tmm.producer_commit %ring[%c] : !ring
        scf.yield %next : !tmm.pipeline_state
      }
      tmm.producer_tail %ring[%e] : !ring
    }
    gpu.return
  }

  gpu.func @only_slot(%a: memref<?x?xf16>, %n: i32, %p: i1, %d: memref<?x?xf32>) kernel
      attributes {known_block_size = array<i32: 160, 1, 1>} {
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ring = tmm.pipeline late_release : !single
    tmm.warp_specialize "mma" warps(4) {
      %s = tmm.pipeline_start %ring : !single
      %sum, %e = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %c = %s)
          -> (vector<64x64xf32>, !tmm.pipeline_state) : i32 {
        %t = tmm.consumer_wait %ring[%c] : !single
        %new = tmm.mma %t, %t, %zero accumulate(%p) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
            : !tile, !tile, vector<64x64xf32> -> vector<64x64xf32>
        %next = tmm.consumer_release %ring[%c] : !single
        %total = arith.addf %acc, %new : vector<64x64xf32>
        scf.yield %total, %next : vector<64x64xf32>, !tmm.pipeline_state
      }
      tmm.store %sum, %d[%c0, %c0] layout(#sm90.wgmma_layout) : vector<64x64xf32>, memref<?x?xf32>
    } "load" warps(1) elected {
      %s = tmm.pipeline_start %ring : !single
      %e = scf.for %k = %c0 to %n step %c1 iter_args(%c = %s) -> (!tmm.pipeline_state) : i32 {
        %t = tmm.producer_acquire %ring[%c] : !single
        tmm.load %a[%c0, %k], %t by(#sm90.tma) : memref<?x?xf16>, !tile
        %next = tmm.producer_commit %ring[%c] : !single
        scf.yield %next : !tmm.pipeline_state
      }
      tmm.producer_tail %ring[%e] : !single
    }
    gpu.return
  }
}

// -----

// A slot that later ops read, too: what each computes is awaited where it is used, work in between stays pending, and
// the slot is released after all of it.
!tile = !tmm.buffer<64x64xf16, #sm90.smem<k_major, b128>>
!ring = !tmm.pipeline<(!tile), depth = 2>

// CHECK-LABEL: gpu.func @read_again
// CHECK: %[[S:.*]] = tmm.mma
// CHECK-NEXT: %[[R:.*]] = tmm.mma
// CHECK-NEXT: %[[S_DONE:.*]] = tmm.await %[[S]] by(#sm90.wgmma) pending 1
// CHECK-NEXT: math.exp2 %[[S_DONE]]
// CHECK: %[[FIRST:.*]] = tmm.mma
// CHECK-NEXT: %[[R_DONE:.*]] = tmm.await %[[R]] by(#sm90.wgmma) pending 1
// CHECK-NEXT: arith.mulf %{{.*}}, %[[R_DONE]]
// CHECK: %[[SECOND:.*]] = tmm.mma
// CHECK-NEXT: tmm.await {{.*}} by(#sm90.wgmma) pending 0
// CHECK-NEXT: tmm.consumer_release
gpu.module @m {
  gpu.func @read_again(%a: memref<?x?xf16>, %n: i32, %d: memref<?x?xf32>) kernel
      attributes {known_block_size = array<i32: 160, 1, 1>} {
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %false = arith.constant false
    %true = arith.constant true
    %ring = tmm.pipeline late_release : !ring
    tmm.warp_specialize "mma" warps(4) {
      %s = tmm.pipeline_start %ring : !ring
      %x, %y, %e = scf.for %k = %c0 to %n step %c1 iter_args(%old = %zero, %older = %zero, %c = %s)
          -> (vector<64x64xf32>, vector<64x64xf32>, !tmm.pipeline_state) : i32 {
        %t = tmm.consumer_wait %ring[%c] : !ring
        %scores = tmm.mma %t, %t, %zero accumulate(%false) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
            : !tile, !tile, vector<64x64xf32> -> vector<64x64xf32>
        %products = tmm.mma %t, %t, %zero accumulate(%false) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
            : !tile, !tile, vector<64x64xf32> -> vector<64x64xf32>
        %p = math.exp2 %scores : vector<64x64xf32>
        %p16 = arith.truncf %p : vector<64x64xf32> to vector<64x64xf16>
        %first = tmm.mma %p16, %t transposed, %old accumulate(%true) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
            : vector<64x64xf16>, !tile, vector<64x64xf32> -> vector<64x64xf32>
        %q = arith.mulf %p, %products : vector<64x64xf32>
        %q16 = arith.truncf %q : vector<64x64xf32> to vector<64x64xf16>
        %second = tmm.mma %q16, %t transposed, %older accumulate(%true) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
            : vector<64x64xf16>, !tile, vector<64x64xf32> -> vector<64x64xf32>
        %next = tmm.consumer_release %ring[%c] : !ring
        scf.yield %first, %second, %next : vector<64x64xf32>, vector<64x64xf32>, !tmm.pipeline_state
      }
      tmm.store %x, %d[%c0, %c0] layout(#sm90.wgmma_layout) : vector<64x64xf32>, memref<?x?xf32>
      tmm.store %y, %d[%c0, %c0] layout(#sm90.wgmma_layout) : vector<64x64xf32>, memref<?x?xf32>
    } "load" warps(1) elected {
      %s = tmm.pipeline_start %ring : !ring
      %e = scf.for %k = %c0 to %n step %c1 iter_args(%c = %s) -> (!tmm.pipeline_state) : i32 {
        %t = tmm.producer_acquire %ring[%c] : !ring
        tmm.load %a[%c0, %k], %t by(#sm90.tma) : memref<?x?xf16>, !tile
        %next = tmm.producer_commit %ring[%c] : !ring
        scf.yield %next : !tmm.pipeline_state
      }
      tmm.producer_tail %ring[%e] : !ring
    }
    gpu.return
  }
}
