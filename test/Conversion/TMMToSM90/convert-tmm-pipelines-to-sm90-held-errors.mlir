// RUN: tc-opt %s -convert-tmm-pipelines-to-sm90 -split-input-file -verify-diagnostics

// A held slot is released of the pipeline that it is a slot of.

!tile = !tmm.buffer<64x64xf16, #sm90.smem<k_major, b128>>
!ring = !tmm.pipeline<(!tile), depth = 2>

gpu.module @m {
  gpu.func @of_another(%a: memref<?x?xf16>, %n: i32, %p: i1, %d: memref<?x?xf32>) kernel
      attributes {known_block_size = array<i32: 160, 1, 1>} {
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ring = tmm.pipeline : !ring
    %other = tmm.pipeline : !ring
    tmm.warp_specialize "mma" warps(4) {
      %s = tmm.pipeline_start %ring : !ring
      %q = tmm.pipeline_start %other : !ring
      // expected-note @below {{held here}}
      %none = tmm.hold %ring[%s] : !ring
      %sum, %e, %o, %last = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %c = %s, %r = %q, %held = %none)
          -> (vector<64x64xf32>, !tmm.pipeline_state, !tmm.pipeline_state, !tmm.held_slot) : i32 {
        %t = tmm.consumer_wait %ring[%c] : !ring
        %u = tmm.consumer_wait %other[%r] : !ring
        %new = tmm.mma %t, %u, %acc accumulate(%p) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
            : !tile, !tile, vector<64x64xf32> -> vector<64x64xf32>
        %done = tmm.await %new by(#sm90.wgmma) pending 0 : vector<64x64xf32>
        // expected-error @below {{expected a held slot in loops and in tmm.release_held of its own pipeline, got one of another use}}
        tmm.release_held %other[%held] : !ring
        %next = tmm.consumer_release %ring[%c] : !ring
        %more = tmm.consumer_release %other[%r] : !ring
        scf.yield %done, %next, %more, %held : vector<64x64xf32>, !tmm.pipeline_state, !tmm.pipeline_state, !tmm.held_slot
      }
      tmm.store %sum, %d[%c0, %c0] layout(#sm90.wgmma_layout) : vector<64x64xf32>, memref<?x?xf32>
    } "load" warps(1) elected {
      %s = tmm.pipeline_start %ring : !ring
      %q = tmm.pipeline_start %other : !ring
      %e, %o = scf.for %k = %c0 to %n step %c1 iter_args(%c = %s, %r = %q) -> (!tmm.pipeline_state, !tmm.pipeline_state) : i32 {
        %t = tmm.producer_acquire %ring[%c] : !ring
        tmm.load %a[%c0, %k], %t by(#sm90.tma) : memref<?x?xf16>, !tile
        %next = tmm.producer_commit %ring[%c] : !ring
        %u = tmm.producer_acquire %other[%r] : !ring
        tmm.load %a[%c0, %k], %u by(#sm90.tma) : memref<?x?xf16>, !tile
        %more = tmm.producer_commit %other[%r] : !ring
        scf.yield %next, %more : !tmm.pipeline_state, !tmm.pipeline_state
      }
      tmm.producer_tail %ring[%e] : !ring
      tmm.producer_tail %other[%o] : !ring
    }
    gpu.return
  }
}

// -----

// A held slot that nothing releases.
!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
!ring = !tmm.pipeline<(!tile), depth = 2>
gpu.module @m {
  gpu.func @kept(%a: memref<?x?xf16>, %i: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %ring = tmm.pipeline : !ring
    %s = tmm.pipeline_start %ring : !ring
    %t = tmm.producer_acquire %ring[%s] : !ring
    tmm.load %a[%i, %i], %t by(#sm90.tma) : memref<?x?xf16>, !tile
    %p = tmm.producer_commit %ring[%s] : !ring
    %u = tmm.consumer_wait %ring[%s] : !ring
    tmm.unload %u, %a[%i, %i] by(#sm90.tma_store) : !tile, memref<?x?xf16>
    // expected-error @below {{expected a tmm.release_held of the held slot, got none}}
    %held = tmm.hold %ring[%s] : !ring
    %c = tmm.skip %ring[%s] : !ring
    gpu.return
  }
}
