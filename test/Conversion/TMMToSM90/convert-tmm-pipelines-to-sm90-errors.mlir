// RUN: tc-opt %s -split-input-file -convert-tmm-pipelines-to-sm90 -verify-diagnostics

// Agent sets of another cluster than the kernel's.
!tile = !tmm.buffer<64x64xf16, #sm90.smem<k_major, b128>>
!acc = !tmm.buffer<64x128xf32, #tcgen05.tmem<ctas = 2>>
!ring = !tmm.pipeline<(!tile), depth = 2>
!accs = !tmm.pipeline<(!acc), depth = 1>
gpu.module @m {
  gpu.func @another_cluster(%a: memref<?x?xf16>, %d: memref<?x?xf32>, %i: i32, %p: i1) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    // expected-error @below {{expected agent sets of a cluster of 1 CTAs, that of the kernel, got #tmm.ctas<2, along = [0]>}}
    %ring = tmm.pipeline : !ring
    %accs = tmm.pipeline : !accs
    %s = tmm.pipeline_start %ring : !ring
    %q = tmm.pipeline_start %accs : !accs
    %acc = tmm.producer_acquire %accs[%q] : !accs
    %t = tmm.producer_acquire %ring[%s] : !ring
    tmm.load %a[%i, %i], %t by(#sm90.tma) : memref<?x?xf16>, !tile
    %u = tmm.consumer_wait %ring[%s] : !ring
    // expected-note @below {{used here}}
    tmm.mma %u, %u, %acc accumulate(%p) over #tmm.ctas<2, along = [0]> by(#tcgen05.mma) : !tile, !tile, !acc
    %done = tmm.consumer_wait %accs[%q] : !accs
    %r = tmm.read %done[%i] if %p : !acc -> vector<64x32xf32>
    gpu.return
  }
}

// -----

!tile = !tmm.buffer<64x64xf16, #sm90.smem<k_major, b128>>
!d = !tmm.buffer<128x32xbf16, #sm90.smem<n_major, b64>>
!ring = !tmm.pipeline<(!tile), depth = 2>
gpu.module @m {
  gpu.func @targets(%a: memref<?x?xf16>, %i: i32) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
    // expected-error @below {{expected agent sets of a cluster of 2 CTAs, that of the kernel, got #tmm.ctas<2x4, along = [1]>}}
    %ring = tmm.pipeline : !ring
    %s = tmm.pipeline_start %ring : !ring
    %t = tmm.producer_acquire %ring[%s] : !ring
    // expected-note @below {{used here}}
    tmm.load %a[%i, %i], %t to #tmm.ctas<2x4, along = [1]> by(#sm90.tma) : memref<?x?xf16>, !tile
    %u = tmm.consumer_wait %ring[%s] : !ring
    tmm.unload %u, %a[%i, %i] by(#sm90.tma_store) : !tile, memref<?x?xf16>
    gpu.return
  }
}

// -----

// Groups that another role than the issuing one would have to wait for.
!d = !tmm.buffer<128x32xbf16, #sm90.smem<n_major, b64>>
!ring = !tmm.pipeline<(!d), depth = 2>
gpu.module @m {
  gpu.func @groups(%d: memref<?x?xbf16>, %v: vector<128x32xbf16>, %i: i32) kernel
      attributes {known_block_size = array<i32: 160, 1, 1>} {
    // expected-error @below {{expected one role at both ends, because only the thread that issues to #sm90.tma_store can wait for it, got two}}
    %ring = tmm.pipeline : !ring
    %s = tmm.pipeline_start %ring : !ring
    tmm.warp_specialize "epilogue" warps(4) {
      %free = tmm.producer_acquire %ring[%s] : !ring
      // expected-note @below {{other end here}}
      tmm.stage %v, %free : vector<128x32xbf16>, !d
      %p1 = tmm.producer_commit %ring[%s] : !ring
    } "store" warps(1) elected {
      %full = tmm.consumer_wait %ring[%s] : !ring
      // expected-note @below {{issued here}}
      tmm.unload %full, %d[%i, %i] by(#sm90.tma_store) : !d, memref<?x?xbf16>
      %c1 = tmm.consumer_release %ring[%s] : !ring
    }
    gpu.return
  }
}

// -----

// Ops of one role that end in two ways.
!tile = !tmm.buffer<128x32xbf16, #sm90.smem<n_major, b64>>
!ring = !tmm.pipeline<(!tile, !tile), depth = 2>
gpu.module @m {
  gpu.func @completions(%d: memref<?x?xbf16>, %v: vector<128x32xbf16>, %i: i32) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    // expected-error @below {{expected the ops of one role that use a slot to have one completion, got two}}
    %ring = tmm.pipeline : !ring
    %s = tmm.pipeline_start %ring : !ring
    %t, %u = tmm.producer_acquire %ring[%s] : !ring
    // expected-note @below {{first op here}}
    tmm.load %d[%i, %i], %t by(#sm90.tma) : memref<?x?xbf16>, !tile
    // expected-note @below {{second op here}}
    tmm.stage %v, %u : vector<128x32xbf16>, !tile
    %f:2 = tmm.consumer_wait %ring[%s] : !ring
    tmm.unload %f#0, %d[%i, %i] by(#sm90.tma_store) : !tile, memref<?x?xbf16>
    gpu.return
  }
}

// -----

// Ops of one role on one slot that span different CTAs.
!tile = !tmm.buffer<64x64xf16, #sm90.smem<k_major, b128>>
!acc = !tmm.buffer<64x128xf32, #tcgen05.tmem<ctas = 2>>
!single = !tmm.buffer<64x64xf32, #tcgen05.tmem>
!ring = !tmm.pipeline<(!tile), depth = 2>
!accs = !tmm.pipeline<(!acc, !single), depth = 1>
gpu.module @m {
  gpu.func @spans(%a: memref<?x?xf16>, %i: i32, %p: i1) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
    // expected-error @below {{expected the ops of one role that use a slot to span the same CTAs, got others}}
    %ring = tmm.pipeline : !ring
    %accs = tmm.pipeline : !accs
    %s = tmm.pipeline_start %ring : !ring
    %q = tmm.pipeline_start %accs : !accs
    %acc, %one = tmm.producer_acquire %accs[%q] : !accs
    %t = tmm.producer_acquire %ring[%s] : !ring
    tmm.load %a[%i, %i], %t by(#sm90.tma) : memref<?x?xf16>, !tile
    %u = tmm.consumer_wait %ring[%s] : !ring
    // expected-note @below {{op here}}
    tmm.mma %u, %u, %acc accumulate(%p) over #tmm.ctas<2, along = [0]> by(#tcgen05.mma) : !tile, !tile, !acc
    // expected-note @below {{op here}}
    tmm.mma %u, %u, %one accumulate(%p) by(#tcgen05.mma) : !tile, !tile, !single
    gpu.return
  }
}

// -----

!tile = !tmm.buffer<64x64xf16, #sm90.smem<k_major, b128>>
!ring = !tmm.pipeline<(!tile), depth = 2>
gpu.module @m {
  // expected-error @below {{expected known_block_size, got none}}
  gpu.func @no_block_size() kernel {
    %ring = tmm.pipeline : !ring
    gpu.return
  }
}

// -----

!tile = !tmm.buffer<64x64xf16, #sm90.smem<k_major, b128>>
!ring = !tmm.pipeline<(!tile), depth = 2>
gpu.module @m {
  // expected-error @below {{expected known_block_size with sizes of at least 1, got 0}}
  gpu.func @no_threads() kernel attributes {known_block_size = array<i32: 0, 1, 1>} {
    %ring = tmm.pipeline : !ring
    gpu.return
  }
}

// -----

!tile = !tmm.buffer<64x64xf16, #sm90.smem<k_major, b128>>
!ring = !tmm.pipeline<(!tile), depth = 2>
gpu.module @m {
  // expected-error @below {{expected known_cluster_size with sizes of at least 1, got -1}}
  gpu.func @negative_cluster() kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_cluster_size = array<i32: -1, 1, 1>} {
    %ring = tmm.pipeline : !ring
    gpu.return
  }
}

// -----

!tile = !tmm.buffer<64x64xf16, #sm90.smem<k_major, b128>>
!ring = !tmm.pipeline<(!tile), depth = 2>
gpu.module @m {
  // expected-error @below {{expected known_grid_size with sizes of at least 1, got 0}}
  gpu.func @empty_grid() kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 4, 0, 1>} {
    %ring = tmm.pipeline : !ring
    gpu.return
  }
}

// -----

!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
!ring = !tmm.pipeline<(!tile), depth = 2>
gpu.module @m {
  gpu.func @state_of_two_ends(%a: memref<?x?xf16>, %i: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %ring = tmm.pipeline : !ring
    %s0 = tmm.pipeline_start %ring : !ring
    %t = tmm.producer_acquire %ring[%s0] : !ring
    tmm.load %a[%i, %i], %t by(#sm90.tma) : memref<?x?xf16>, !tile
    %p = tmm.producer_commit %ring[%s0] : !ring
    %u = tmm.consumer_wait %ring[%s0] : !ring
    tmm.unload %u, %a[%i, %i] by(#sm90.tma_store) : !tile, memref<?x?xf16>
    %c = tmm.consumer_release %ring[%s0] : !ring
    // expected-note @below {{the other one here}}
    tmm.producer_tail %ring[%p] : !ring
    // expected-error @below {{expected a state of its own for each end of each pipeline, got one for two ends}}
    %v = tmm.consumer_wait %ring[%p] : !ring
    tmm.unload %v, %a[%i, %i] by(#sm90.tma_store) : !tile, memref<?x?xf16>
    gpu.return
  }
}
