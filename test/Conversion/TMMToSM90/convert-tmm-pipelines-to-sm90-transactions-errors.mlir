// RUN: tc-opt %s -split-input-file -convert-tmm-pipelines-to-sm90 -verify-diagnostics

// A transaction begins and ends once, in one block.

// A slot that is taken and not handed over: its consumer waits for ever.
!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
!ring = !tmm.pipeline<(!tile), depth = 2>
!s = !tmm.pipeline_state
gpu.module @m {
  gpu.func @no_commit(%a: memref<?x?xf16>, %i: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %ring = tmm.pipeline : !ring
    %s = tmm.pipeline_start %ring : !ring
    // expected-error @below {{expected a tmm.producer_commit of its state after it in its block, or in a branch for the last iteration of a loop there, got none}}
    %t = tmm.producer_acquire %ring[%s] : !ring
    tmm.load %a[%i, %i], %t by(#sm90.tma) : memref<?x?xf16>, !tile
    %u = tmm.consumer_wait %ring[%s] : !ring
    tmm.unload %u, %a[%i, %i] by(#sm90.tma_store) : !tile, memref<?x?xf16>
    %c = tmm.consumer_release %ring[%s] : !ring
    gpu.return
  }
}

// -----

// One commit of two.
!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
!ring = !tmm.pipeline<(!tile), depth = 2>
!s = !tmm.pipeline_state
gpu.module @m {
  gpu.func @twice(%a: memref<?x?xf16>, %i: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %ring = tmm.pipeline : !ring
    %s = tmm.pipeline_start %ring : !ring
    // expected-error @below {{expected a tmm.producer_commit of its state after it in its block, or in a branch for the last iteration of a loop there, got none}}
    %t = tmm.producer_acquire %ring[%s] : !ring
    tmm.load %a[%i, %i], %t by(#sm90.tma) : memref<?x?xf16>, !tile
    %t1 = tmm.producer_acquire %ring[%s] : !ring
    tmm.load %a[%i, %i], %t1 by(#sm90.tma) : memref<?x?xf16>, !tile
    %p = tmm.producer_commit %ring[%s] : !ring
    %u = tmm.consumer_wait %ring[%s] : !ring
    tmm.unload %u, %a[%i, %i] by(#sm90.tma_store) : !tile, memref<?x?xf16>
    %c = tmm.consumer_release %ring[%s] : !ring
    gpu.return
  }
}

// -----

// A slot that is never released.
!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
!ring = !tmm.pipeline<(!tile), depth = 2>
!s = !tmm.pipeline_state
gpu.module @m {
  gpu.func @no_release(%a: memref<?x?xf16>, %i: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %ring = tmm.pipeline : !ring
    %s = tmm.pipeline_start %ring : !ring
    %t = tmm.producer_acquire %ring[%s] : !ring
    tmm.load %a[%i, %i], %t by(#sm90.tma) : memref<?x?xf16>, !tile
    %p = tmm.producer_commit %ring[%s] : !ring
    // expected-error @below {{expected a tmm.consumer_release of its state after it in its block, or in a branch for the last iteration of a loop there, got none}}
    %u = tmm.consumer_wait %ring[%s] : !ring
    tmm.unload %u, %a[%i, %i] by(#sm90.tma_store) : !tile, memref<?x?xf16>
    gpu.return
  }
}

// -----

// What is written after the commit comes too late for the consumer.
!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
!ring = !tmm.pipeline<(!tile), depth = 2>
!s = !tmm.pipeline_state
gpu.module @m {
  gpu.func @after_commit(%a: memref<?x?xf16>, %i: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %ring = tmm.pipeline : !ring
    %s = tmm.pipeline_start %ring : !ring
    %t = tmm.producer_acquire %ring[%s] : !ring
    // expected-note @below {{end here}}
    %p = tmm.producer_commit %ring[%s] : !ring
    // expected-error @below {{expected uses of a slot before the end of its transaction, got one after it}}
    tmm.load %a[%i, %i], %t by(#sm90.tma) : memref<?x?xf16>, !tile
    %u = tmm.consumer_wait %ring[%s] : !ring
    tmm.unload %u, %a[%i, %i] by(#sm90.tma_store) : !tile, memref<?x?xf16>
    %c = tmm.consumer_release %ring[%s] : !ring
    gpu.return
  }
}

// -----

// What is read after the release may be of the next transaction.
!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
!ring = !tmm.pipeline<(!tile), depth = 2>
!s = !tmm.pipeline_state
gpu.module @m {
  gpu.func @after_release(%a: memref<?x?xf16>, %i: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %ring = tmm.pipeline : !ring
    %s = tmm.pipeline_start %ring : !ring
    %t = tmm.producer_acquire %ring[%s] : !ring
    tmm.load %a[%i, %i], %t by(#sm90.tma) : memref<?x?xf16>, !tile
    %p = tmm.producer_commit %ring[%s] : !ring
    %u = tmm.consumer_wait %ring[%s] : !ring
    tmm.unload %u, %a[%i, %i] by(#sm90.tma_store) : !tile, memref<?x?xf16>
    // expected-note @below {{end here}}
    %c = tmm.consumer_release %ring[%s] : !ring
    // expected-error @below {{expected uses of a slot before the end of its transaction, got one after it}}
    tmm.unload %u, %a[%i, %i] by(#sm90.tma_store) : !tile, memref<?x?xf16>
    gpu.return
  }
}

// -----

// A release that is not executed each time.
!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
!ring = !tmm.pipeline<(!tile), depth = 2>
!s = !tmm.pipeline_state
gpu.module @m {
  gpu.func @in_a_branch(%a: memref<?x?xf16>, %i: i32, %y: i1) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %ring = tmm.pipeline : !ring
    %s = tmm.pipeline_start %ring : !ring
    %t = tmm.producer_acquire %ring[%s] : !ring
    tmm.load %a[%i, %i], %t by(#sm90.tma) : memref<?x?xf16>, !tile
    %p = tmm.producer_commit %ring[%s] : !ring
    // expected-error @below {{expected a tmm.consumer_release of its state after it in its block, or in a branch for the last iteration of a loop there, got none}}
    %u = tmm.consumer_wait %ring[%s] : !ring
    tmm.unload %u, %a[%i, %i] by(#sm90.tma_store) : !tile, memref<?x?xf16>
    %c = scf.if %y -> !s {
      %n = tmm.consumer_release %ring[%s] : !ring
      scf.yield %n : !s
    } else {
      scf.yield %s : !s
    }
    gpu.return
  }
}

// -----

// A release of a slot that was not waited for.
!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
!ring = !tmm.pipeline<(!tile), depth = 2>
!s = !tmm.pipeline_state
gpu.module @m {
  gpu.func @no_wait(%a: memref<?x?xf16>, %i: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %ring = tmm.pipeline : !ring
    %s = tmm.pipeline_start %ring : !ring
    %t = tmm.producer_acquire %ring[%s] : !ring
    tmm.load %a[%i, %i], %t by(#sm90.tma) : memref<?x?xf16>, !tile
    %p = tmm.producer_commit %ring[%s] : !ring
    %u = tmm.consumer_wait %ring[%s] : !ring
    tmm.unload %u, %a[%i, %i] by(#sm90.tma_store) : !tile, memref<?x?xf16>
    %c = tmm.consumer_release %ring[%s] : !ring
    // expected-error @below {{expected a tmm.consumer_wait of its state before it in its block, got none}}
    %c1 = tmm.consumer_release %ring[%c] : !ring
    gpu.return
  }
}

// -----

// The commit of another slot than the one that was taken.
!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
!ring = !tmm.pipeline<(!tile), depth = 2>
!s = !tmm.pipeline_state
gpu.module @m {
  gpu.func @another_slot(%a: memref<?x?xf16>, %i: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %ring = tmm.pipeline : !ring
    %s = tmm.pipeline_start %ring : !ring
    %s1 = tmm.skip %ring[%s] : !ring
    %t = tmm.producer_acquire %ring[%s] : !ring
    tmm.load %a[%i, %i], %t by(#sm90.tma) : memref<?x?xf16>, !tile
    // expected-error @below {{expected a tmm.producer_acquire of its state before it in its block, got none}}
    %p = tmm.producer_commit %ring[%s1] : !ring
    %u = tmm.consumer_wait %ring[%s] : !ring
    tmm.unload %u, %a[%i, %i] by(#sm90.tma_store) : !tile, memref<?x?xf16>
    %c = tmm.consumer_release %ring[%s] : !ring
    gpu.return
  }
}
