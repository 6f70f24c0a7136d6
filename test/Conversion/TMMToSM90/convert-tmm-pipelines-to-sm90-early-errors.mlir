// RUN: tc-opt %s -split-input-file -convert-tmm-pipelines-to-sm90 -verify-diagnostics

// A release in a loop after the wait, as tmm-release-early makes it, is one in the last
// iteration.

// In another iteration than the last one, after which the others read what may be of
// the next transaction.
!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
!ring = !tmm.pipeline<(!tile), depth = 2>
!s = !tmm.pipeline_state
gpu.module @m {
  gpu.func @not_last(%a: memref<?x?xf16>, %i: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %ring = tmm.pipeline : !ring
    %s = tmm.pipeline_start %ring : !ring
    %t = tmm.producer_acquire %ring[%s] : !ring
    tmm.load %a[%i, %i], %t by(#sm90.tma) : memref<?x?xf16>, !tile
    %p = tmm.producer_commit %ring[%s] : !ring
    // expected-error @below {{expected a tmm.consumer_release of its state after it in its block, or in a branch for the last iteration of a loop there, got none}}
    %u = tmm.consumer_wait %ring[%s] : !ring
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %last = arith.constant 2 : i32
    %c = scf.for %j = %c0 to %c4 step %c1 iter_args(%held = %s) -> (!s) : i32 {
      tmm.unload %u, %a[%i, %i] by(#sm90.tma_store) : !tile, memref<?x?xf16>
      %is = arith.cmpi eq, %j, %last : i32
      %next = scf.if %is -> !s {
        %n = tmm.consumer_release %ring[%held] : !ring
        scf.yield %n : !s
      } else {
        scf.yield %held : !s
      }
      scf.yield %next : !s
    }
    gpu.return
  }
}

// -----

// After the release in the last iteration.
!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
!ring = !tmm.pipeline<(!tile), depth = 2>
!s = !tmm.pipeline_state
gpu.module @m {
  gpu.func @used_in_last(%a: memref<?x?xf16>, %i: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %ring = tmm.pipeline : !ring
    %s = tmm.pipeline_start %ring : !ring
    %t = tmm.producer_acquire %ring[%s] : !ring
    tmm.load %a[%i, %i], %t by(#sm90.tma) : memref<?x?xf16>, !tile
    %p = tmm.producer_commit %ring[%s] : !ring
    %u = tmm.consumer_wait %ring[%s] : !ring
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %last = arith.constant 3 : i32
    %c = scf.for %j = %c0 to %c4 step %c1 iter_args(%held = %s) -> (!s) : i32 {
      tmm.unload %u, %a[%i, %i] by(#sm90.tma_store) : !tile, memref<?x?xf16>
      %is = arith.cmpi eq, %j, %last : i32
      %next = scf.if %is -> !s {
        // expected-note @below {{end here}}
        %n = tmm.consumer_release %ring[%held] : !ring
        scf.yield %n : !s
      } else {
        scf.yield %held : !s
      }
      // expected-error @below {{expected uses of a slot before the end of its transaction, got one after it}}
      tmm.unload %u, %a[%i, %i] by(#sm90.tma_store) : !tile, memref<?x?xf16>
      scf.yield %next : !s
    }
    gpu.return
  }
}
