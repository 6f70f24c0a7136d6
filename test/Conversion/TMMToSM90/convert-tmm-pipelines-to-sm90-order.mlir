// RUN: tc-opt %s -split-input-file -convert-tmm-pipelines-to-sm90 -verify-diagnostics

// A count that starts anew would wait for phases that are over.

!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
!ring = !tmm.pipeline<(!tile), depth = 2>
!s = !tmm.pipeline_state
gpu.module @m {
  gpu.func @start_in_loop(%a: memref<?x?xf16>, %i: i32, %n: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %ring = tmm.pipeline : !ring
    // expected-note @below {{loop here}}
    scf.for %j = %i to %n step %i : i32 {
      %s0 = tmm.pipeline_start %ring : !ring
      // expected-error @below {{'tmm.producer_acquire' op expected a state that the loop around it carries, got one that starts anew in each iteration}}
      %t = tmm.producer_acquire %ring[%s0] : !ring
      tmm.load %a[%i, %j], %t by(#sm90.tma) : memref<?x?xf16>, !tile
      %p1 = tmm.producer_commit %ring[%s0] : !ring
      %u = tmm.consumer_wait %ring[%s0] : !ring
      tmm.unload %u, %a[%j, %i] by(#sm90.tma_store) : !tile, memref<?x?xf16>
      %c1 = tmm.consumer_release %ring[%s0] : !ring
    }
    gpu.return
  }
}

// -----

// The start is before the loops, and the inner one starts with it each time.
!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
!ring = !tmm.pipeline<(!tile), depth = 2>
!s = !tmm.pipeline_state
gpu.module @m {
  gpu.func @inner_loop(%a: memref<?x?xf16>, %i: i32, %n: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %ring = tmm.pipeline : !ring
    %s0 = tmm.pipeline_start %ring : !ring
    // expected-note @below {{loop here}}
    scf.for %j = %i to %n step %i : i32 {
      // expected-error @below {{'scf.for' op expected a state that the loop around it carries, got one that starts anew in each iteration}}
      %r:2 = scf.for %k = %i to %n step %i iter_args(%p = %s0, %c = %s0) -> (!s, !s) : i32 {
        %t = tmm.producer_acquire %ring[%p] : !ring
        tmm.load %a[%i, %j], %t by(#sm90.tma) : memref<?x?xf16>, !tile
        %p1 = tmm.producer_commit %ring[%p] : !ring
        %u = tmm.consumer_wait %ring[%c] : !ring
        tmm.unload %u, %a[%j, %i] by(#sm90.tma_store) : !tile, memref<?x?xf16>
        %c1 = tmm.consumer_release %ring[%c] : !ring
        scf.yield %p1, %c1 : !s, !s
      }
    }
    gpu.return
  }
}

// -----

// The loop carries the state, but each iteration passes on the one it got.
!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
!ring = !tmm.pipeline<(!tile), depth = 2>
!s = !tmm.pipeline_state
gpu.module @m {
  gpu.func @old_state(%a: memref<?x?xf16>, %i: i32, %n: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %ring = tmm.pipeline : !ring
    %s0 = tmm.pipeline_start %ring : !ring
    %r:2 = scf.for %k = %i to %n step %i iter_args(%p = %s0, %c = %s0) -> (!s, !s) : i32 {
      %t = tmm.producer_acquire %ring[%p] : !ring
      tmm.load %a[%i, %k], %t by(#sm90.tma) : memref<?x?xf16>, !tile
      %p1 = tmm.producer_commit %ring[%p] : !ring
      %u = tmm.consumer_wait %ring[%c] : !ring
      tmm.unload %u, %a[%k, %i] by(#sm90.tma_store) : !tile, memref<?x?xf16>
      // expected-note @below {{last transaction here}}
      %c1 = tmm.consumer_release %ring[%c] : !ring
      // expected-error @below {{'scf.yield' op expected the state after the last transaction of the end, got an earlier one}}
      scf.yield %p1, %c : !s, !s
    }
    gpu.return
  }
}

// -----

// The state of the loop before, in a loop that does not carry it.
!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
!ring = !tmm.pipeline<(!tile), depth = 2>
!s = !tmm.pipeline_state
gpu.module @m {
  gpu.func @not_carried(%a: memref<?x?xf16>, %i: i32, %n: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %ring = tmm.pipeline : !ring
    %s0 = tmm.pipeline_start %ring : !ring
    %t0 = tmm.producer_acquire %ring[%s0] : !ring
    tmm.load %a[%i, %i], %t0 by(#sm90.tma) : memref<?x?xf16>, !tile
    %p = tmm.producer_commit %ring[%s0] : !ring
    // expected-note @below {{loop here}}
    %r = scf.for %k = %i to %n step %i iter_args(%c = %s0) -> (!s) : i32 {
      %t = tmm.producer_acquire %ring[%p] : !ring
      tmm.load %a[%i, %k], %t by(#sm90.tma) : memref<?x?xf16>, !tile
      // expected-error @below {{'tmm.producer_commit' op expected a state that the loop around it carries, got one that starts anew in each iteration}}
      %p1 = tmm.producer_commit %ring[%p] : !ring
      %u = tmm.consumer_wait %ring[%c] : !ring
      tmm.unload %u, %a[%k, %i] by(#sm90.tma_store) : !tile, memref<?x?xf16>
      %c1 = tmm.consumer_release %ring[%c] : !ring
      scf.yield %c1 : !s
    }
    gpu.return
  }
}

// -----

// Two loops, one after the other, that both start with the first transaction.
!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
!ring = !tmm.pipeline<(!tile), depth = 2>
!s = !tmm.pipeline_state
gpu.module @m {
  gpu.func @two_loops(%a: memref<?x?xf16>, %i: i32, %n: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %ring = tmm.pipeline : !ring
    %s0 = tmm.pipeline_start %ring : !ring
    tmm.warp_specialize "load" warps(1) elected {
      %q = scf.for %k = %i to %n step %i iter_args(%p = %s0) -> (!s) : i32 {
        %t = tmm.producer_acquire %ring[%p] : !ring
        tmm.load %a[%i, %k], %t by(#sm90.tma) : memref<?x?xf16>, !tile
        // expected-note @below {{last transaction here}}
        %p1 = tmm.producer_commit %ring[%p] : !ring
        scf.yield %p1 : !s
      }
      // expected-error @below {{'scf.for' op expected the state after the last transaction of the end, got an earlier one}}
      %r = scf.for %k = %i to %n step %i iter_args(%p = %s0) -> (!s) : i32 {
        %t = tmm.producer_acquire %ring[%p] : !ring
        tmm.load %a[%i, %k], %t by(#sm90.tma) : memref<?x?xf16>, !tile
        %p1 = tmm.producer_commit %ring[%p] : !ring
        scf.yield %p1 : !s
      }
    } "store" warps(1) elected {
      %r = scf.for %k = %i to %n step %i iter_args(%c = %s0) -> (!s) : i32 {
        %u = tmm.consumer_wait %ring[%c] : !ring
        tmm.unload %u, %a[%k, %i] by(#sm90.tma_store) : !tile, memref<?x?xf16>
        %c1 = tmm.consumer_release %ring[%c] : !ring
        scf.yield %c1 : !s
      }
    }
    gpu.return
  }
}

// -----

// A branch that makes a transaction and does not pass on its state.
!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
!ring = !tmm.pipeline<(!tile), depth = 2>
!s = !tmm.pipeline_state
gpu.module @m {
  gpu.func @branch(%a: memref<?x?xf16>, %i: i32, %y: i1) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %ring = tmm.pipeline : !ring
    %s0 = tmm.pipeline_start %ring : !ring
    %t0 = tmm.producer_acquire %ring[%s0] : !ring
    tmm.load %a[%i, %i], %t0 by(#sm90.tma) : memref<?x?xf16>, !tile
    %p = tmm.producer_commit %ring[%s0] : !ring
    scf.if %y {
      %t = tmm.producer_acquire %ring[%p] : !ring
      tmm.load %a[%i, %i], %t by(#sm90.tma) : memref<?x?xf16>, !tile
      // expected-note @below {{last transaction here}}
      %p1 = tmm.producer_commit %ring[%p] : !ring
    }
    %u = tmm.consumer_wait %ring[%s0] : !ring
    tmm.unload %u, %a[%i, %i] by(#sm90.tma_store) : !tile, memref<?x?xf16>
    %c1 = tmm.consumer_release %ring[%s0] : !ring
    // expected-error @below {{'tmm.producer_tail' op expected the state after the last transaction of the end, got an earlier one}}
    tmm.producer_tail %ring[%p] : !ring
    gpu.return
  }
}

// -----

// Roles that are only declared.
!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
!ring = !tmm.pipeline<(!tile), depth = 2>
gpu.module @m {
  gpu.func @not_cut(%a: memref<?x?xf16>, %i: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{'tmm.role' op expected a kernel that is cut into its roles, got one that declares them: tmm-warp-specialize comes first}}
    tmm.role "load" warps(1) drives []
    %ring = tmm.pipeline : !ring
    gpu.return
  }
}
