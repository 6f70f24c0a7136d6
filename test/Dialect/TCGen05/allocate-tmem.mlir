// RUN: tc-opt %s --mlir-print-local-scope -tcgen05-allocate-tmem -split-input-file -allow-unregistered-dialect | FileCheck %s

// One region: the smallest power of two that holds it, address through shared
// memory, free after a barrier.
gpu.module @one {
  // CHECK-LABEL: gpu.func @one
  // CHECK-SAME: workgroup(%[[SLOT:.*]] : memref<1xi32, #gpu.address_space<workgroup>>)
  gpu.func @one() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    // CHECK: %[[X:.*]] = gpu.thread_id x
    // CHECK: %[[FIRST:.*]] = arith.cmpi ult, %[[X]], %{{.*}} : index
    // CHECK-NOT: gpu.thread_id
    // CHECK: scf.if %[[FIRST]] {
    // CHECK-NEXT: tcgen05.alloc %[[SLOT]], 128 : memref
    // CHECK-NEXT: tcgen05.relinquish_alloc_permit
    // CHECK-NEXT: }
    // CHECK-NEXT: tcgen05.fence before
    // CHECK-NEXT: gpu.barrier
    // CHECK-NEXT: tcgen05.fence after
    // CHECK-NEXT: %[[TMEM:.*]] = tcgen05.address %[[SLOT]] : {{.*}} to !tcgen05.tmem<128x128xi32, raw>
    // CHECK-NEXT: %[[ACC:.*]] = tcgen05.slice %[[TMEM]][0] : !tcgen05.tmem<128x128xi32, raw> to !tcgen05.tmem<128x72xf32, D>
    // CHECK-NEXT: "test.use"(%[[ACC]])
    %acc = tcgen05.reserve : !tcgen05.tmem<128x72xf32, D>
    "test.use"(%acc) : (!tcgen05.tmem<128x72xf32, D>) -> ()
    // CHECK-NEXT: tcgen05.fence before
    // CHECK-NEXT: gpu.barrier
    // CHECK-NEXT: tcgen05.fence after
    // CHECK-NEXT: scf.if %[[FIRST]] {
    // CHECK-NEXT: tcgen05.dealloc %[[TMEM]] : !tcgen05.tmem<128x128xi32, raw>
    // CHECK-NEXT: }
    // CHECK-NEXT: gpu.return
    gpu.return
  }
}

// -----

// Several regions are side by side, the widest first. Without a known block
// size, warp 0 is told from all three thread numbers.
gpu.module @many {
  // CHECK-LABEL: gpu.func @many
  gpu.func @many() kernel {
    // CHECK: gpu.thread_id x
    // CHECK: gpu.thread_id y
    // CHECK: gpu.thread_id z
    // CHECK: tcgen05.alloc %{{.*}}, 512 : memref
    // CHECK: %[[TMEM:.*]] = tcgen05.address
    // CHECK: %[[SMALL:.*]] = tcgen05.slice %[[TMEM]][384] : {{.*}} to !tcgen05.tmem<64x32xf32, F>
    // CHECK: %[[WIDE:.*]] = tcgen05.slice %[[TMEM]][0] : {{.*}} to !tcgen05.tmem<128x256xf32, D>
    // CHECK: %[[MIDDLE:.*]] = tcgen05.slice %[[TMEM]][256] : {{.*}} to !tcgen05.tmem<128x128xf32, D>
    // CHECK: "test.use"(%[[SMALL]], %[[WIDE]], %[[MIDDLE]])
    %small = tcgen05.reserve : !tcgen05.tmem<64x32xf32, F>
    %wide = tcgen05.reserve : !tcgen05.tmem<128x256xf32, D>
    %middle = tcgen05.reserve : !tcgen05.tmem<128x128xf32, D>
    "test.use"(%small, %wide, %middle) : (!tcgen05.tmem<64x32xf32, F>, !tcgen05.tmem<128x256xf32, D>, !tcgen05.tmem<128x128xf32, D>) -> ()
    gpu.return
  }
}

// -----

// A pair allocates for both CTAs and meets in barriers of the cluster.
gpu.module @pair {
  // CHECK-LABEL: gpu.func @pair
  gpu.func @pair() kernel {
    // CHECK: nvvm.cluster.arrive.relaxed
    // CHECK-NEXT: nvvm.cluster.wait
    // CHECK: tcgen05.alloc %{{.*}}, 256 cta_group 2 : memref
    // CHECK-NEXT: tcgen05.relinquish_alloc_permit cta_group 2
    // CHECK: tcgen05.fence before
    // CHECK-NEXT: nvvm.cluster.arrive
    // CHECK-NEXT: nvvm.cluster.wait
    // CHECK-NEXT: tcgen05.fence after
    // CHECK: tcgen05.slice %{{.*}}[0] : {{.*}} to !tcgen05.tmem<128x256xf32, A>
    %acc = tcgen05.reserve : !tcgen05.tmem<128x256xf32, A>
    "test.use"(%acc) : (!tcgen05.tmem<128x256xf32, A>) -> ()
    // CHECK: nvvm.cluster.arrive
    // CHECK-NEXT: nvvm.cluster.wait
    // CHECK: tcgen05.dealloc %{{.*}} cta_group 2 : !tcgen05.tmem<128x256xi32, raw>
    gpu.return
  }
}

// -----

// A kernel without regions stays as it is.
gpu.module @none {
  // CHECK-LABEL: gpu.func @none
  // CHECK-NOT: tcgen05
  // CHECK: gpu.return
  gpu.func @none() kernel {
    gpu.return
  }
}

// -----

// Metadata starts at a multiple of 4 columns, whatever is before it.
gpu.module @metadata {
  // CHECK-LABEL: gpu.func @metadata
  gpu.func @metadata() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    // CHECK: tcgen05.alloc %{{.*}}, 128 : memref
    // CHECK: tcgen05.slice %[[TMEM:.*]][0] : {{.*}} to !tcgen05.tmem<128x66xf32, D>
    // CHECK: tcgen05.slice %[[TMEM]][68] : {{.*}} to !tcgen05.tmem<128x3xi32, metadata16>
    // CHECK: tcgen05.slice %[[TMEM]][72] : {{.*}} to !tcgen05.tmem<128x1xi32, metadata16>
    %acc = tcgen05.reserve : !tcgen05.tmem<128x66xf32, D>
    %e = tcgen05.reserve : !tcgen05.tmem<128x3xi32, metadata16>
    %f = tcgen05.reserve : !tcgen05.tmem<128x1xi32, metadata16>
    "test.use"(%acc, %e, %f) : (!tcgen05.tmem<128x66xf32, D>, !tcgen05.tmem<128x3xi32, metadata16>, !tcgen05.tmem<128x1xi32, metadata16>) -> ()
    gpu.return
  }
}

// A table of B, of which a window is used, begins in an even column.
!a = memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>
!b = memref<64x128xi3, #sm90.smem_layout<k_major, b64, bits = 4, slab = 8192>, #gpu.address_space<workgroup>>
gpu.module @tables [#nvvm.target<chip = "sm_107f">] {
  // CHECK-LABEL: gpu.func @after_one_column
  // CHECK: tcgen05.slice %[[TMEM:.*]][0] : {{.*}} to !tcgen05.tmem<128x64xf32, D>
  // CHECK: tcgen05.slice %[[TMEM]][64] : {{.*}} to !tcgen05.tmem<128x3xf32, D>
  // CHECK: tcgen05.slice %[[TMEM]][68] : {{.*}} to !tcgen05.tmem<128x8xf8E4M3FN, D, packed>
  gpu.func @after_one_column(%a: !a, %b: !b, %p: i1) kernel {
    %d = tcgen05.reserve : !tcgen05.tmem<128x64xf32, D>
    %one = tcgen05.reserve : !tcgen05.tmem<128x3xf32, D>
    %t = tcgen05.reserve : !tcgen05.tmem<128x8xf8E4M3FN, D, packed>
    %w = tcgen05.warp_window %t : !tcgen05.tmem<128x8xf8E4M3FN, D, packed>
    tcgen05.mma f8f6f4 %d, %a, %b lookup(%w : !tcgen05.tmem<32x8xf8E4M3FN, D, packed>) accumulate(%p) {wide_k} : !tcgen05.tmem<128x64xf32, D>, !a, !b
    "test.use"(%one) : (!tcgen05.tmem<128x3xf32, D>) -> ()
    gpu.return
  }
}

// Where the chip has more than 512 columns an exclusive allocation has them: two accumulators
// of 256 and 48 columns of scale factors, 560 columns, rounded up to 32.
gpu.module @rubin [#nvvm.target<chip = "sm_107f">] {
  // CHECK-LABEL: gpu.func @two_accumulators_beside_scales
  // CHECK: tcgen05.alloc %{{.*}}, 576 exclusive :
  // CHECK: tcgen05.slice %{{.*}}[0] : !tcgen05.tmem<128x576xi32, raw>
  // CHECK: tcgen05.slice %{{.*}}[256] : !tcgen05.tmem<128x576xi32, raw>
  // CHECK: tcgen05.slice %{{.*}}[512] : !tcgen05.tmem<128x576xi32, raw>
  // CHECK: tcgen05.slice %{{.*}}[544] : !tcgen05.tmem<128x576xi32, raw>
  // CHECK: tcgen05.dealloc %{{.*}} exclusive : !tcgen05.tmem<128x576xi32, raw>
  gpu.func @two_accumulators_beside_scales() kernel {
    %d0 = tcgen05.reserve : !tcgen05.tmem<128x256xf32, D>
    %d1 = tcgen05.reserve : !tcgen05.tmem<128x256xf32, D>
    %sb = tcgen05.reserve : !tcgen05.tmem<128x128xf8E4M3FN, scales, packed>
    %sa = tcgen05.reserve : !tcgen05.tmem<128x64xf8E4M3FN, scales, packed>
    gpu.return
  }
  // Fewer columns need none.
  // CHECK-LABEL: gpu.func @one_accumulator
  // CHECK: tcgen05.alloc %{{.*}}, 512 :
  gpu.func @one_accumulator() kernel {
    %d0 = tcgen05.reserve : !tcgen05.tmem<128x256xf32, D>
    %sa = tcgen05.reserve : !tcgen05.tmem<128x64xf8E4M3FN, scales, packed>
    gpu.return
  }
}
