// A kernel that keeps the rules: the pass says nothing and changes nothing.
// RUN: tc-opt %s -tcgen05-verify-kernels | FileCheck %s

!slot = memref<1xi32, #gpu.address_space<workgroup>>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @k
  gpu.func @k(%n: index, %v: vector<32xf32>) workgroup(%slot : !slot, %other : !slot) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tid = gpu.thread_id x
    %first = arith.cmpi ult, %tid, %n : index
    scf.if %first {
      tcgen05.alloc %slot, 256 : !slot
    }
    %tmem = tcgen05.address %slot : !slot to !tcgen05.tmem<128x256xi32, raw>
    // One loop allocates and frees in every turn.
    scf.for %i = %c0 to %n step %c1 {
      tcgen05.alloc %other, 256 : !slot
      %more = tcgen05.address %other : !slot to !tcgen05.tmem<128x256xi32, raw>
      tcgen05.dealloc %more : !tcgen05.tmem<128x256xi32, raw>
    }
    scf.if %first {
      tcgen05.relinquish_alloc_permit
    }
    %d = tcgen05.slice %tmem[0] : !tcgen05.tmem<128x256xi32, raw> to !tcgen05.tmem<128x64xf32, D>
    %w = tcgen05.warp_window %d : !tcgen05.tmem<128x64xf32, D>
    %left = tcgen05.slice %w[0] : !tcgen05.tmem<32x64xf32, D> to !tcgen05.tmem<32x32xf32, D>
    %right = tcgen05.slice %w[32] : !tcgen05.tmem<32x64xf32, D> to !tcgen05.tmem<32x32xf32, D>
    // Other columns need no wait.
    tcgen05.st %v, %left : vector<32xf32> to !tcgen05.tmem<32x32xf32, D>
    %p = tcgen05.ld %right : !tcgen05.tmem<32x32xf32, D> to vector<32xf32>
    tcgen05.wait st
    // Two loads do not disturb each other.
    %q = tcgen05.ld %w : !tcgen05.tmem<32x64xf32, D> to vector<64xf32>
    %r:2 = tcgen05.wait ld(%p, %q : vector<32xf32>, vector<64xf32>)
    tcgen05.st %r#0, %right : vector<32xf32> to !tcgen05.tmem<32x32xf32, D>
    tcgen05.wait st
    scf.if %first {
      // CHECK: tcgen05.dealloc
      // CHECK: tcgen05.dealloc
      tcgen05.dealloc %tmem : !tcgen05.tmem<128x256xi32, raw>
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @blocks
  gpu.func @blocks(%p: i1) workgroup(%slot : !slot) kernel {
    tcgen05.alloc %slot, 32 : !slot
    %tmem = tcgen05.address %slot : !slot to !tcgen05.tmem<128x32xi32, raw>
    cf.br ^loop
  ^loop:
    cf.cond_br %p, ^loop, ^end
  ^end:
    tcgen05.dealloc %tmem : !tcgen05.tmem<128x32xi32, raw>
    gpu.return
  }
}
