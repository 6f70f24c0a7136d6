// A kernel that keeps the rules: the pass says nothing and changes nothing.
// RUN: tc-opt %s -tcgen05-verify-kernels | FileCheck %s

!slot = memref<1xi32, #gpu.address_space<workgroup>>
!b = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>

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

  // One of two branches frees, whichever it is.
  // CHECK-LABEL: gpu.func @freed_in_both_branches
  gpu.func @freed_in_both_branches(%p: i1, %q: i1, %n: index) workgroup(%slot : !slot) kernel {
    tcgen05.alloc %slot, 32 : !slot
    %tmem = tcgen05.address %slot : !slot to !tcgen05.tmem<128x32xi32, raw>
    scf.if %p {
      tcgen05.dealloc %tmem : !tcgen05.tmem<128x32xi32, raw>
    } else {
      scf.index_switch %n
      case 0 {
        tcgen05.dealloc %tmem : !tcgen05.tmem<128x32xi32, raw>
        scf.yield
      }
      default {
        scf.if %q {
          tcgen05.dealloc %tmem : !tcgen05.tmem<128x32xi32, raw>
        } else {
          tcgen05.dealloc %tmem : !tcgen05.tmem<128x32xi32, raw>
        }
      }
    }
    tcgen05.alloc %slot, 32 : !slot
    scf.if %p {
      tcgen05.dealloc %tmem : !tcgen05.tmem<128x32xi32, raw>
    }
    %true = arith.constant true
    %not = arith.xori %p, %true : i1
    scf.if %not {
      tcgen05.dealloc %tmem : !tcgen05.tmem<128x32xi32, raw>
    }
    gpu.return
  }

  // What one warp allocates another one frees: nothing relates the conditions.
  // CHECK-LABEL: gpu.func @another_warp_frees
  gpu.func @another_warp_frees(%p: i1, %q: i1, %v: vector<32xf32>) workgroup(%slot : !slot, %other : !slot) kernel {
    scf.if %p {
      tcgen05.alloc %slot, 512 : !slot
    }
    %tmem = tcgen05.address %slot : !slot to !tcgen05.tmem<128x512xi32, raw>
    %d = tcgen05.slice %tmem[0] : !tcgen05.tmem<128x512xi32, raw> to !tcgen05.tmem<128x32xf32, D>
    %w = tcgen05.warp_window %d : !tcgen05.tmem<128x32xf32, D>
    scf.if %q {
      tcgen05.dealloc %tmem : !tcgen05.tmem<128x512xi32, raw>
    }
    // Not known to be the warp that frees.
    scf.if %p {
      tcgen05.st %v, %w : vector<32xf32> to !tcgen05.tmem<32x32xf32, D>
    }
    gpu.return
  }

  // The last turn gives the permit up; the first one allocates.
  // CHECK-LABEL: gpu.func @turns
  gpu.func @turns(%n: index) workgroup(%slot : !slot, %other : !slot) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %tmem = tcgen05.address %slot : !slot to !tcgen05.tmem<128x32xi32, raw>
    %more = tcgen05.address %other : !slot to !tcgen05.tmem<128x32xi32, raw>
    %last = arith.subi %n, %c1 : index
    scf.for %i = %c0 to %n step %c1 {
      %is_first = arith.cmpi eq, %i, %c0 : index
      scf.if %is_first {
        tcgen05.alloc %slot, 32 : !slot
      }
      tcgen05.alloc %other, 32 : !slot
      tcgen05.dealloc %more : !tcgen05.tmem<128x32xi32, raw>
      %is_last = arith.cmpi eq, %i, %last : index
      scf.if %is_last {
        tcgen05.relinquish_alloc_permit
      }
    }
    tcgen05.dealloc %tmem : !tcgen05.tmem<128x32xi32, raw>
    // Loops that are known to have one turn, or none.
    scf.for %i = %c0 to %c1 step %c1 {
      tcgen05.relinquish_alloc_permit
    }
    scf.for %i = %c2 to %c1 step %c1 {
      tcgen05.dealloc %tmem : !tcgen05.tmem<128x32xi32, raw>
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @waits
  gpu.func @waits(%d: !tcgen05.tmem<128x32xf32, D>, %v: vector<32xf32>, %p: i1, %q: i1, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %w = tcgen05.warp_window %d : !tcgen05.tmem<128x32xf32, D>
    // Both branches wait.
    tcgen05.st %v, %w : vector<32xf32> to !tcgen05.tmem<32x32xf32, D>
    scf.if %p {
      tcgen05.wait st
    } else {
      tcgen05.wait st
    }
    // The same condition.
    scf.if %p {
      tcgen05.st %v, %w : vector<32xf32> to !tcgen05.tmem<32x32xf32, D>
    }
    scf.if %p {
      tcgen05.wait st
    }
    // Branches of which one is taken.
    scf.if %p {
      tcgen05.st %v, %w : vector<32xf32> to !tcgen05.tmem<32x32xf32, D>
    } else {
      %a = tcgen05.ld %w : !tcgen05.tmem<32x32xf32, D> to vector<32xf32>
      %b = tcgen05.wait ld(%a : vector<32xf32>)
    }
    // Conditions that are not known to hold together.
    scf.if %q {
      %a = tcgen05.ld %w : !tcgen05.tmem<32x32xf32, D> to vector<32xf32>
      %b = tcgen05.wait ld(%a : vector<32xf32>)
    }
    tcgen05.wait st
    // A condition that changes from turn to turn.
    scf.for %i = %c0 to %n step %c1 {
      %is_last = arith.cmpi eq, %i, %n : index
      %a = tcgen05.ld %w : !tcgen05.tmem<32x32xf32, D> to vector<32xf32>
      %b = tcgen05.wait ld(%a : vector<32xf32>)
      scf.if %is_last {
        tcgen05.st %v, %w : vector<32xf32> to !tcgen05.tmem<32x32xf32, D>
      }
    }
    tcgen05.wait st
    // Every turn waits before the loop goes on.
    tcgen05.st %v, %w : vector<32xf32> to !tcgen05.tmem<32x32xf32, D>
    scf.for %i = %c0 to %n step %c1 {
      tcgen05.wait st
      %a = tcgen05.ld %w : !tcgen05.tmem<32x32xf32, D> to vector<32xf32>
      %b = tcgen05.wait ld(%a : vector<32xf32>)
      tcgen05.st %v, %w : vector<32xf32> to !tcgen05.tmem<32x32xf32, D>
    }
    gpu.return
  }

  // Regions that change from turn to turn.
  // CHECK-LABEL: gpu.func @two_sums
  gpu.func @two_sums(%d: !tcgen05.tmem<128x32xf32, D>, %e: !tcgen05.tmem<128x32xf32, D>, %v: vector<32xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = tcgen05.warp_window %d : !tcgen05.tmem<128x32xf32, D>
    %y = tcgen05.warp_window %e : !tcgen05.tmem<128x32xf32, D>
    scf.for %i = %c0 to %n step %c1 iter_args(%p = %x, %q = %y) -> (!tcgen05.tmem<32x32xf32, D>, !tcgen05.tmem<32x32xf32, D>) {
      tcgen05.st %v, %p : vector<32xf32> to !tcgen05.tmem<32x32xf32, D>
      scf.yield %q, %p : !tcgen05.tmem<32x32xf32, D>, !tcgen05.tmem<32x32xf32, D>
    }
    gpu.return
  }

  // An operand that is being loaded may be read.
  // CHECK-LABEL: gpu.func @a_is_read_twice
  gpu.func @a_is_read_twice(%tmem: !tcgen05.tmem<128x256xi32, raw>, %b: !b, %p: i1) kernel {
    %d = tcgen05.slice %tmem[0] : !tcgen05.tmem<128x256xi32, raw> to !tcgen05.tmem<128x128xf32, D>
    %a = tcgen05.slice %tmem[128] : !tcgen05.tmem<128x256xi32, raw> to !tcgen05.tmem<128x32xbf16, D, packed>
    %w = tcgen05.warp_window %a : !tcgen05.tmem<128x32xbf16, D, packed>
    %v = tcgen05.ld %w : !tcgen05.tmem<32x32xbf16, D, packed> to vector<32xbf16>
    tcgen05.mma f16 %d, %a, %b accumulate(%p) : !tcgen05.tmem<128x128xf32, D>, !tcgen05.tmem<128x32xbf16, D, packed>, !b
    gpu.return
  }

  // CHECK-LABEL: gpu.func @collectors
  gpu.func @collectors(%d: !tcgen05.tmem<128x128xf32, D>, %bytes: memref<65536xi8, #gpu.address_space<workgroup>>, %b: !b, %p: i1, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = sm90.smem_view %bytes[0] : memref<65536xi8, #gpu.address_space<workgroup>> to !b
    %same = sm90.smem_view %bytes[0] : memref<65536xi8, #gpu.address_space<workgroup>> to !b
    %some = sm90.smem_view %bytes[%n] : memref<65536xi8, #gpu.address_space<workgroup>> to !b
    // In order, and of the same bytes.
    tcgen05.mma f16 %d, %a, %b accumulate(%p) collector fill : !tcgen05.tmem<128x128xf32, D>, !b, !b
    tcgen05.mma f16 %d, %a, %b accumulate(%p) collector use : !tcgen05.tmem<128x128xf32, D>, !b, !b
    // The buffers of B are others.
    tcgen05.mma_ws f16 %d, %a, %b accumulate(%p) collector fill {buffer = 3 : i32} : !tcgen05.tmem<128x128xf32, D>, !b, !b
    tcgen05.mma_ws f16 %d, %a, %b accumulate(%p) : !tcgen05.tmem<128x128xf32, D>, !b, !b
    tcgen05.mma f16 %d, %same, %b accumulate(%p) collector use : !tcgen05.tmem<128x128xf32, D>, !b, !b
    tcgen05.mma f16 %d, %some, %b accumulate(%p) collector lastuse {a_k = 16 : i64} : !tcgen05.tmem<128x128xf32, D>, !b, !b
    tcgen05.mma_ws f16 %d, %a, %b accumulate(%p) collector lastuse {buffer = 3 : i32} : !tcgen05.tmem<128x128xf32, D>, !b, !b
    // The first turn fills.
    scf.for %i = %c0 to %n step %c1 {
      %is_first = arith.cmpi eq, %i, %c0 : index
      scf.if %is_first {
        tcgen05.mma f16 %d, %a, %b accumulate(%p) collector fill : !tcgen05.tmem<128x128xf32, D>, !b, !b
      } else {
        tcgen05.mma f16 %d, %a, %b accumulate(%p) collector use : !tcgen05.tmem<128x128xf32, D>, !b, !b
      }
    }
    // Filled before the loop.
    tcgen05.mma f16 %d, %a, %b accumulate(%p) collector fill {a_k = 16 : i64} : !tcgen05.tmem<128x128xf32, D>, !b, !b
    scf.for %i = %c0 to %n step %c1 {
      tcgen05.mma f16 %d, %a, %b accumulate(%p) collector use {a_k = 16 : i64} : !tcgen05.tmem<128x128xf32, D>, !b, !b
    }
    // Filled in a branch.
    scf.if %p {
      tcgen05.mma f16 %d, %a, %b accumulate(%p) collector lastuse {a_k = 16 : i64} : !tcgen05.tmem<128x128xf32, D>, !b, !b
      tcgen05.mma f16 %d, %a, %b accumulate(%p) collector fill : !tcgen05.tmem<128x128xf32, D>, !b, !b
    }
    tcgen05.mma f16 %d, %a, %b accumulate(%p) collector use : !tcgen05.tmem<128x128xf32, D>, !b, !b
    // A value of the turn before.
    scf.for %i = %c0 to %n step %c1 {
      %view = sm90.smem_view %bytes[%i] : memref<65536xi8, #gpu.address_space<workgroup>> to !b
      tcgen05.mma f16 %d, %view, %b accumulate(%p) collector use : !tcgen05.tmem<128x128xf32, D>, !b, !b
      tcgen05.mma f16 %d, %view, %b accumulate(%p) collector fill {a_k = 16 : i64} : !tcgen05.tmem<128x128xf32, D>, !b, !b
    }
    gpu.return
  }

  // A column that is a value, and in range.
  // CHECK-LABEL: gpu.func @last_column
  gpu.func @last_column(%tmem: !tcgen05.tmem<128x64xi32, raw>) kernel {
    %c = arith.constant 32 : index
    %d = tcgen05.slice %tmem[%c] : !tcgen05.tmem<128x64xi32, raw> to !tcgen05.tmem<128x32xf32, D>
    gpu.return
  }
}
