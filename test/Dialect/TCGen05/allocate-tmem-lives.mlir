// RUN: tc-opt %s --mlir-print-local-scope -tcgen05-allocate-tmem -split-input-file | FileCheck %s

// The threads that read the first region meet before the second one is written:
// both have the same columns.
gpu.module @after {
  // CHECK-LABEL: gpu.func @after
  gpu.func @after(%x: vector<128xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    // CHECK: tcgen05.alloc %{{.*}}, 256 : memref
    // CHECK: tcgen05.slice %[[TMEM:.*]][0] : {{.*}} to !tcgen05.tmem<128x128xf32, D>
    %a = tcgen05.reserve : !tcgen05.tmem<128x128xf32, D>
    // CHECK: tcgen05.slice %[[TMEM]][0] : {{.*}} to !tcgen05.tmem<128x256xf32, D>
    %b = tcgen05.reserve : !tcgen05.tmem<128x256xf32, D>
    %ma = tcgen05.warp_window %a : !tcgen05.tmem<128x128xf32, D>
    tcgen05.st %x, %ma : vector<128xf32> to !tcgen05.tmem<32x128xf32, D>
    tcgen05.wait st
    tcgen05.fence before
    gpu.barrier
    tcgen05.fence after
    %mb = tcgen05.warp_window %b : !tcgen05.tmem<128x256xf32, D>
    %pb = tcgen05.slice %mb[128] : !tcgen05.tmem<32x256xf32, D> to !tcgen05.tmem<32x128xf32, D>
    tcgen05.st %x, %pb : vector<128xf32> to !tcgen05.tmem<32x128xf32, D>
    tcgen05.wait st
    gpu.return
  }
}

// -----

// Without the wait, or the fences, or the barrier, nothing says that the stores
// are complete.
gpu.module @unordered {
  // CHECK-LABEL: gpu.func @no_wait
  gpu.func @no_wait(%x: vector<32xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    // CHECK: tcgen05.slice %[[TMEM:.*]][0] : {{.*}} to !tcgen05.tmem<128x32xf32, D>
    // CHECK: tcgen05.slice %[[TMEM]][32] : {{.*}} to !tcgen05.tmem<128x32xf32, D>
    %a = tcgen05.reserve : !tcgen05.tmem<128x32xf32, D>
    %b = tcgen05.reserve : !tcgen05.tmem<128x32xf32, D>
    %ma = tcgen05.warp_window %a : !tcgen05.tmem<128x32xf32, D>
    tcgen05.st %x, %ma : vector<32xf32> to !tcgen05.tmem<32x32xf32, D>
    tcgen05.fence before
    gpu.barrier
    tcgen05.fence after
    %mb = tcgen05.warp_window %b : !tcgen05.tmem<128x32xf32, D>
    tcgen05.st %x, %mb : vector<32xf32> to !tcgen05.tmem<32x32xf32, D>
    gpu.return
  }
  // CHECK-LABEL: gpu.func @no_fence
  gpu.func @no_fence(%x: vector<32xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    // CHECK: tcgen05.slice %[[TMEM:.*]][0] : {{.*}} to !tcgen05.tmem<128x32xf32, D>
    // CHECK: tcgen05.slice %[[TMEM]][32] : {{.*}} to !tcgen05.tmem<128x32xf32, D>
    %a = tcgen05.reserve : !tcgen05.tmem<128x32xf32, D>
    %b = tcgen05.reserve : !tcgen05.tmem<128x32xf32, D>
    %ma = tcgen05.warp_window %a : !tcgen05.tmem<128x32xf32, D>
    tcgen05.st %x, %ma : vector<32xf32> to !tcgen05.tmem<32x32xf32, D>
    tcgen05.wait st
    gpu.barrier
    tcgen05.fence after
    %mb = tcgen05.warp_window %b : !tcgen05.tmem<128x32xf32, D>
    tcgen05.st %x, %mb : vector<32xf32> to !tcgen05.tmem<32x32xf32, D>
    gpu.return
  }
  // CHECK-LABEL: gpu.func @in_one_loop
  gpu.func @in_one_loop(%x: vector<32xf32>, %n: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    // CHECK: tcgen05.slice %[[TMEM:.*]][0] : {{.*}} to !tcgen05.tmem<128x32xf32, D>
    // CHECK: tcgen05.slice %[[TMEM]][32] : {{.*}} to !tcgen05.tmem<128x32xf32, D>
    %a = tcgen05.reserve : !tcgen05.tmem<128x32xf32, D>
    %b = tcgen05.reserve : !tcgen05.tmem<128x32xf32, D>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      %ma = tcgen05.warp_window %a : !tcgen05.tmem<128x32xf32, D>
      tcgen05.st %x, %ma : vector<32xf32> to !tcgen05.tmem<32x32xf32, D>
      tcgen05.wait st
      tcgen05.fence before
      gpu.barrier
      tcgen05.fence after
      %mb = tcgen05.warp_window %b : !tcgen05.tmem<128x32xf32, D>
      tcgen05.st %x, %mb : vector<32xf32> to !tcgen05.tmem<32x32xf32, D>
    }
    gpu.return
  }
}

// -----

// A product is complete when a thread has waited for its commit; the next one
// takes its columns. A second commit to the mbarrier may be the one that is
// waited for: then it does not.
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!d = !tcgen05.tmem<128x128xf32, D>
gpu.module @products {
  // CHECK-LABEL: gpu.func @waited
  gpu.func @waited(%s: !a, %bar: !sm90.mbarrier, %is: i1, %parity: i32) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    // CHECK: tcgen05.alloc %{{.*}}, 128 : memref
    // CHECK: tcgen05.slice %[[TMEM:.*]][0] : {{.*}} to !tcgen05.tmem<128x128xf32, D>
    // CHECK: tcgen05.slice %[[TMEM]][0] : {{.*}} to !tcgen05.tmem<128x128xf32, D>
    %first = tcgen05.reserve : !d
    %second = tcgen05.reserve : !d
    scf.if %is {
      tcgen05.mma f16 %first, %s, %s accumulate(%is) : !d, !a, !a
      tcgen05.commit %bar : !sm90.mbarrier
    }
    sm90.mbarrier.wait_parity %bar, %parity : !sm90.mbarrier
    tcgen05.fence before
    gpu.barrier
    tcgen05.fence after
    scf.if %is {
      tcgen05.mma f16 %second, %s, %s accumulate(%is) : !d, !a, !a
    }
    gpu.return
  }
  // Of a new mbarrier the phase of parity 1 is over: nothing is waited for.
  // CHECK-LABEL: gpu.func @parity_of_no_commit
  gpu.func @parity_of_no_commit(%s: !a, %bar: !sm90.mbarrier, %is: i1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    // CHECK: tcgen05.alloc %{{.*}}, 256 : memref
    %first = tcgen05.reserve : !d
    %second = tcgen05.reserve : !d
    %parity = arith.constant 1 : i32
    scf.if %is {
      tcgen05.mma f16 %first, %s, %s accumulate(%is) : !d, !a, !a
      tcgen05.commit %bar : !sm90.mbarrier
    }
    sm90.mbarrier.wait_parity %bar, %parity : !sm90.mbarrier
    tcgen05.fence before
    gpu.barrier
    tcgen05.fence after
    scf.if %is {
      tcgen05.mma f16 %second, %s, %s accumulate(%is) : !d, !a, !a
    }
    gpu.return
  }
  // CHECK-LABEL: gpu.func @two_commits
  gpu.func @two_commits(%s: !a, %bar: !sm90.mbarrier, %is: i1, %parity: i32) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    // CHECK: tcgen05.alloc %{{.*}}, 256 : memref
    %first = tcgen05.reserve : !d
    %second = tcgen05.reserve : !d
    scf.if %is {
      tcgen05.commit %bar : !sm90.mbarrier
      tcgen05.mma f16 %first, %s, %s accumulate(%is) : !d, !a, !a
      tcgen05.commit %bar : !sm90.mbarrier
    }
    sm90.mbarrier.wait_parity %bar, %parity : !sm90.mbarrier
    tcgen05.fence before
    gpu.barrier
    tcgen05.fence after
    scf.if %is {
      tcgen05.mma f16 %second, %s, %s accumulate(%is) : !d, !a, !a
    }
    gpu.return
  }
  // CHECK-LABEL: gpu.func @not_waited
  gpu.func @not_waited(%s: !a, %bar: !sm90.mbarrier, %is: i1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    // CHECK: tcgen05.alloc %{{.*}}, 256 : memref
    %first = tcgen05.reserve : !d
    %second = tcgen05.reserve : !d
    scf.if %is {
      tcgen05.mma f16 %first, %s, %s accumulate(%is) : !d, !a, !a
      tcgen05.commit %bar : !sm90.mbarrier
    }
    tcgen05.fence before
    gpu.barrier
    tcgen05.fence after
    scf.if %is {
      tcgen05.mma f16 %second, %s, %s accumulate(%is) : !d, !a, !a
    }
    gpu.return
  }
}

// -----

// The CTAs of a pair meet in the barrier of the cluster; one of the CTA is not
// enough.
gpu.module @pairs {
  // CHECK-LABEL: gpu.func @cluster
  gpu.func @cluster(%x: vector<32xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    // CHECK: tcgen05.slice %[[TMEM:.*]][0] : {{.*}} to !tcgen05.tmem<128x32xf32, A>
    // CHECK: tcgen05.slice %[[TMEM]][0] : {{.*}} to !tcgen05.tmem<128x32xf32, A>
    %a = tcgen05.reserve : !tcgen05.tmem<128x32xf32, A>
    %b = tcgen05.reserve : !tcgen05.tmem<128x32xf32, A>
    %ma = tcgen05.warp_window %a : !tcgen05.tmem<128x32xf32, A>
    tcgen05.st %x, %ma : vector<32xf32> to !tcgen05.tmem<32x32xf32, A>
    tcgen05.wait st
    tcgen05.fence before
    sm90.cluster_arrive
    sm90.cluster_wait
    tcgen05.fence after
    %mb = tcgen05.warp_window %b : !tcgen05.tmem<128x32xf32, A>
    tcgen05.st %x, %mb : vector<32xf32> to !tcgen05.tmem<32x32xf32, A>
    gpu.return
  }
  // CHECK-LABEL: gpu.func @one_cta
  gpu.func @one_cta(%x: vector<32xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    // CHECK: tcgen05.slice %[[TMEM:.*]][0] : {{.*}} to !tcgen05.tmem<128x32xf32, A>
    // CHECK: tcgen05.slice %[[TMEM]][32] : {{.*}} to !tcgen05.tmem<128x32xf32, A>
    %a = tcgen05.reserve : !tcgen05.tmem<128x32xf32, A>
    %b = tcgen05.reserve : !tcgen05.tmem<128x32xf32, A>
    %ma = tcgen05.warp_window %a : !tcgen05.tmem<128x32xf32, A>
    tcgen05.st %x, %ma : vector<32xf32> to !tcgen05.tmem<32x32xf32, A>
    tcgen05.wait st
    tcgen05.fence before
    gpu.barrier
    tcgen05.fence after
    %mb = tcgen05.warp_window %b : !tcgen05.tmem<128x32xf32, A>
    tcgen05.st %x, %mb : vector<32xf32> to !tcgen05.tmem<32x32xf32, A>
    gpu.return
  }
}

// -----

// Two sums of 64 rows, read 16 lanes at a time, have the halves of the same
// columns. A third one, read 32 lanes at a time, has columns of its own.
gpu.module @halves {
  // CHECK-LABEL: gpu.func @halves
  gpu.func @halves(%x: vector<32xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    // CHECK: tcgen05.alloc %{{.*}}, 128 : memref
    // CHECK: tcgen05.slice %[[TMEM:.*]][0] : {{.*}} to !tcgen05.tmem<64x64xf32, F>
    // CHECK: tcgen05.slice %[[TMEM]][0] lane 16 : {{.*}} to !tcgen05.tmem<64x64xf32, F>
    // CHECK: tcgen05.slice %[[TMEM]][64] : {{.*}} to !tcgen05.tmem<64x64xf32, F>
    %a = tcgen05.reserve : !tcgen05.tmem<64x64xf32, F>
    %b = tcgen05.reserve : !tcgen05.tmem<64x64xf32, F>
    %c = tcgen05.reserve : !tcgen05.tmem<64x64xf32, F>
    %ma = tcgen05.warp_window %a : !tcgen05.tmem<64x64xf32, F>
    tcgen05.st %x, %ma shape "16x64b" : vector<32xf32> to !tcgen05.tmem<16x64xf32, F>
    %mb = tcgen05.warp_window %b : !tcgen05.tmem<64x64xf32, F>
    tcgen05.st %x, %mb shape "16x64b" : vector<32xf32> to !tcgen05.tmem<16x64xf32, F>
    tcgen05.wait st
    %mc = tcgen05.warp_window %c : !tcgen05.tmem<64x64xf32, F>
    %p = tcgen05.ld %mc : !tcgen05.tmem<16x64xf32, F> to vector<64xf32>
    %v = tcgen05.wait ld(%p : vector<64xf32>)
    gpu.return
  }
}

// -----

// Widest first they would take 544 columns; never more than 480 are in use.
gpu.module @other_order {
  // CHECK-LABEL: gpu.func @other_order
  // CHECK: tcgen05.alloc %{{.*}}, 512 : memref
  gpu.func @other_order() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %r0 = tcgen05.reserve : !tcgen05.tmem<128x96xf32, D>
    %r1 = tcgen05.reserve : !tcgen05.tmem<128x192xf32, D>
    %r2 = tcgen05.reserve : !tcgen05.tmem<128x256xf32, D>
    %r3 = tcgen05.reserve : !tcgen05.tmem<128x32xf32, D>
    %r4 = tcgen05.reserve : !tcgen05.tmem<128x192xf32, D>
    %w0 = tcgen05.warp_window %r0 : !tcgen05.tmem<128x96xf32, D>
    %s0 = tcgen05.slice %w0[0] : !tcgen05.tmem<32x96xf32, D> to !tcgen05.tmem<32x32xf32, D>
    %w1 = tcgen05.warp_window %r1 : !tcgen05.tmem<128x192xf32, D>
    %s1 = tcgen05.slice %w1[0] : !tcgen05.tmem<32x192xf32, D> to !tcgen05.tmem<32x32xf32, D>
    %w2 = tcgen05.warp_window %r2 : !tcgen05.tmem<128x256xf32, D>
    %s2 = tcgen05.slice %w2[0] : !tcgen05.tmem<32x256xf32, D> to !tcgen05.tmem<32x32xf32, D>
    %w3 = tcgen05.warp_window %r3 : !tcgen05.tmem<128x32xf32, D>
    %s3 = tcgen05.slice %w3[0] : !tcgen05.tmem<32x32xf32, D> to !tcgen05.tmem<32x32xf32, D>
    %w4 = tcgen05.warp_window %r4 : !tcgen05.tmem<128x192xf32, D>
    %s4 = tcgen05.slice %w4[0] : !tcgen05.tmem<32x192xf32, D> to !tcgen05.tmem<32x32xf32, D>
    %l1_0 = tcgen05.ld %s1 : !tcgen05.tmem<32x32xf32, D> to vector<32xf32>
    %l2_0 = tcgen05.ld %s2 : !tcgen05.tmem<32x32xf32, D> to vector<32xf32>
    %l3_0 = tcgen05.ld %s3 : !tcgen05.tmem<32x32xf32, D> to vector<32xf32>
    tcgen05.wait ld
    tcgen05.fence before
    gpu.barrier
    tcgen05.fence after
    %l0_2 = tcgen05.ld %s0 : !tcgen05.tmem<32x32xf32, D> to vector<32xf32>
    %l1_2 = tcgen05.ld %s1 : !tcgen05.tmem<32x32xf32, D> to vector<32xf32>
    %l4_2 = tcgen05.ld %s4 : !tcgen05.tmem<32x32xf32, D> to vector<32xf32>
    tcgen05.wait ld
    gpu.return
  }
}
