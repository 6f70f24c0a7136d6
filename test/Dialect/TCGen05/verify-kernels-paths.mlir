// Kernels that keep the rules on paths through blocks, roles of warps and
// functions: the pass says nothing.
// RUN: tc-opt %s -tcgen05-verify-kernels | FileCheck %s

!slot = memref<1xi32, #gpu.address_space<workgroup>>
!all = !tcgen05.tmem<128x32xi32, raw>

gpu.module @kernels {
  memref.global "private" @word : !slot
  func.func private @somewhere(!slot)

  // CHECK-LABEL: gpu.func @one_condition_in_blocks
  gpu.func @one_condition_in_blocks(%p: i1) workgroup(%slot : !slot) kernel {
    cf.cond_br %p, ^allocate, ^all
  ^allocate:
    tcgen05.alloc %slot, 32 : !slot
    cf.br ^all
  ^all:
    %tmem = tcgen05.address %slot : !slot to !all
    cf.cond_br %p, ^free, ^end
  ^free:
    tcgen05.dealloc %tmem : !all
    cf.br ^end
  ^end:
    gpu.return
  }

  // CHECK-LABEL: gpu.func @another_warp_frees_in_blocks
  gpu.func @another_warp_frees_in_blocks(%p: i1, %q: i1) workgroup(%slot : !slot) kernel {
    cf.cond_br %p, ^allocate, ^all
  ^allocate:
    tcgen05.alloc %slot, 32 : !slot
    cf.br ^all
  ^all:
    %tmem = tcgen05.address %slot : !slot to !all
    cf.cond_br %q, ^free, ^end
  ^free:
    tcgen05.dealloc %tmem : !all
    cf.br ^end
  ^end:
    gpu.return
  }

  // CHECK-LABEL: gpu.func @every_end_frees
  gpu.func @every_end_frees(%p: i1) workgroup(%slot : !slot) kernel {
    tcgen05.alloc %slot, 32 : !slot
    %tmem = tcgen05.address %slot : !slot to !all
    cf.cond_br %p, ^early, ^late
  ^early:
    tcgen05.dealloc %tmem : !all
    gpu.return
  ^late:
    tcgen05.dealloc %tmem : !all
    gpu.return
  }

  // The producer ends first; another warp frees.
  // CHECK-LABEL: gpu.func @one_warp_ends_early
  gpu.func @one_warp_ends_early() workgroup(%slot : !slot) kernel {
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %tid = gpu.thread_id x
    %is_first = arith.cmpi ult, %tid, %c32 : index
    %is_producer = arith.cmpi uge, %tid, %c64 : index
    scf.if %is_first {
      tcgen05.alloc %slot, 32 : !slot
    }
    gpu.barrier
    cf.cond_br %is_producer, ^produce, ^consume
  ^produce:
    gpu.return
  ^consume:
    %tmem = tcgen05.address %slot : !slot to !all
    scf.if %is_first {
      tcgen05.dealloc %tmem : !all
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @first_turn_of_blocks
  gpu.func @first_turn_of_blocks(%n: index) workgroup(%slot : !slot) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tmem = tcgen05.address %slot : !slot to !all
    cf.br ^loop(%c0 : index)
  ^loop(%i: index):
    %is_first = arith.cmpi eq, %i, %c0 : index
    scf.if %is_first {
      tcgen05.alloc %slot, 32 : !slot
    }
    %next = arith.addi %i, %c1 : index
    %is_last = arith.cmpi eq, %next, %n : index
    cf.cond_br %is_last, ^end, ^loop(%next : index)
  ^end:
    tcgen05.dealloc %tmem : !all
    gpu.return
  }

  // CHECK-LABEL: gpu.func @last_turn_of_blocks
  gpu.func @last_turn_of_blocks(%n: index) workgroup(%slot : !slot) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    tcgen05.alloc %slot, 32 : !slot
    %tmem = tcgen05.address %slot : !slot to !all
    cf.br ^loop(%c0 : index)
  ^loop(%i: index):
    %next = arith.addi %i, %c1 : index
    %is_last = arith.cmpi eq, %next, %n : index
    scf.if %is_last {
      tcgen05.dealloc %tmem : !all
    }
    cf.cond_br %is_last, ^end, ^loop(%next : index)
  ^end:
    gpu.return
  }

  // CHECK-LABEL: gpu.func @first_and_last_turn
  gpu.func @first_and_last_turn(%n: index, %m: index) workgroup(%slot : !slot) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tmem = tcgen05.address %slot : !slot to !all
    // What the turn before allocated.
    scf.for %i = %c0 to %n step %c1 {
      %is_later = arith.cmpi ugt, %i, %c0 : index
      scf.if %is_later {
        tcgen05.dealloc %tmem : !all
      }
      tcgen05.alloc %slot, 32 : !slot
    }
    // One turn, the last one.
    scf.for %i = %c0 to %c1 step %c1 {
      %is_last = arith.cmpi eq, %i, %m : index
      scf.if %is_last {
        tcgen05.dealloc %tmem : !all
      }
    }
    gpu.return
  }

  // Roles in branches of one operation: one warp allocates, another frees.
  // CHECK-LABEL: gpu.func @roles
  gpu.func @roles(%n: index) workgroup(%slot : !slot, %other : !slot) kernel {
    %c1 = arith.constant 1 : index
    %tid = gpu.thread_id x
    %p = arith.cmpi ult, %tid, %n : index
    %q = arith.cmpi eq, %tid, %n : index
    scf.if %p {
      tcgen05.alloc %slot, 32 : !slot
      tcgen05.relinquish_alloc_permit
      gpu.barrier
    } else {
      gpu.barrier
      scf.if %q {
        %tmem = tcgen05.address %slot : !slot to !all
        tcgen05.dealloc %tmem : !all
      }
    }
    scf.index_switch %tid
    case 0 {
      gpu.barrier
      %tmem = tcgen05.address %other : !slot to !all
      tcgen05.dealloc %tmem : !all
      scf.yield
    }
    case 32 {
      tcgen05.alloc %other, 32 : !slot
      gpu.barrier
      scf.yield
    }
    default {
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @roles_in_blocks
  gpu.func @roles_in_blocks(%n: index) workgroup(%slot : !slot) kernel {
    %tid = gpu.thread_id x
    %p = arith.cmpi ult, %tid, %n : index
    cf.cond_br %p, ^first, ^second
  ^first:
    tcgen05.alloc %slot, 32 : !slot
    gpu.barrier
    cf.br ^end
  ^second:
    gpu.barrier
    %tmem = tcgen05.address %slot : !slot to !all
    tcgen05.dealloc %tmem : !all
    cf.br ^end
  ^end:
    gpu.return
  }

  // One of two ends frees, in the warp that does it.
  // CHECK-LABEL: gpu.func @freed_in_one_of_two_ways
  gpu.func @freed_in_one_of_two_ways(%p: i1, %q: i1, %r: i1) workgroup(%slot : !slot) kernel {
    scf.if %p {
      tcgen05.alloc %slot, 32 : !slot
    }
    %tmem = tcgen05.address %slot : !slot to !all
    %true = arith.constant true
    %not = arith.xori %q, %true : i1
    scf.if %q {
      scf.if %r {
        tcgen05.dealloc %tmem : !all
      }
    }
    scf.if %not {
      scf.if %r {
        tcgen05.dealloc %tmem : !all
      }
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @affine
  gpu.func @affine() workgroup(%slot : !slot) kernel {
    %tid = gpu.thread_id x
    tcgen05.alloc %slot, 32 : !slot
    %tmem = tcgen05.address %slot : !slot to !all
    affine.if affine_set<(d0) : (d0 - 31 >= 0)>(%tid) {
      tcgen05.dealloc %tmem : !all
    } else {
      tcgen05.dealloc %tmem : !all
    }
    gpu.return
  }

  // A slot that is named again is the same.
  // CHECK-LABEL: gpu.func @slots
  gpu.func @slots(%n: index) workgroup(%slot : !slot, %other : !slot) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %here = memref.get_global @word : !slot
    tcgen05.alloc %here, 32 : !slot
    %there = memref.get_global @word : !slot
    %any = memref.cast %there : !slot to memref<?xi32, #gpu.address_space<workgroup>>
    %one = memref.cast %any : memref<?xi32, #gpu.address_space<workgroup>> to !slot
    %tmem = tcgen05.address %one : !slot to !all
    tcgen05.dealloc %tmem : !all
    // Of one that a loop carries it is not known which.
    tcgen05.alloc %slot, 32 : !slot
    tcgen05.alloc %other, 32 : !slot
    scf.for %i = %c0 to %n step %c1 iter_args(%x = %slot, %y = %other) -> (!slot, !slot) {
      %mine = tcgen05.address %x : !slot to !all
      tcgen05.dealloc %mine : !all
      tcgen05.alloc %x, 32 : !slot
      scf.yield %y, %x : !slot, !slot
    }
    %first = tcgen05.address %slot : !slot to !all
    tcgen05.dealloc %first : !all
    %second = tcgen05.address %other : !slot to !all
    tcgen05.dealloc %second : !all
    gpu.return
  }

  // Functions may allocate and free.
  func.func @allocate(%slot: !slot) {
    tcgen05.alloc %slot, 32 : !slot
    return
  }
  func.func @free(%slot: !slot) {
    %tmem = tcgen05.address %slot : !slot to !all
    tcgen05.dealloc %tmem : !all
    return
  }
  // CHECK-LABEL: gpu.func @calls
  gpu.func @calls() workgroup(%slot : !slot, %other : !slot) kernel {
    func.call @allocate(%slot) : (!slot) -> ()
    %tmem = tcgen05.address %slot : !slot to !all
    tcgen05.dealloc %tmem : !all
    tcgen05.alloc %slot, 32 : !slot
    func.call @free(%slot) : (!slot) -> ()
    tcgen05.alloc %other, 32 : !slot
    func.call @somewhere(%other) : (!slot) -> ()
    gpu.return
  }

  // Columns that every path allocates.
  // CHECK-LABEL: gpu.func @allocated_on_all_paths
  gpu.func @allocated_on_all_paths(%p: i1, %q: i1) workgroup(%slot : !slot) kernel {
    scf.if %p {
      scf.if %q {
        tcgen05.alloc %slot, 32 : !slot
      } else {
        tcgen05.alloc %slot, 32 : !slot
      }
    } else {
      tcgen05.alloc %slot, 32 : !slot
    }
    // A part of the allocation, and all.
    %part = tcgen05.address %slot : !slot to !tcgen05.tmem<128x16xi32, raw>
    %tmem = tcgen05.address %slot : !slot to !all
    tcgen05.dealloc %tmem : !all
    gpu.return
  }

  // Waits in both of two blocks.
  // CHECK-LABEL: gpu.func @waits_in_blocks
  gpu.func @waits_in_blocks(%d: !tcgen05.tmem<128x32xf32, D>, %v: vector<32xf32>, %p: i1) kernel {
    %w = tcgen05.warp_window %d : !tcgen05.tmem<128x32xf32, D>
    tcgen05.st %v, %w : vector<32xf32> to !tcgen05.tmem<32x32xf32, D>
    cf.cond_br %p, ^one, ^other
  ^one:
    tcgen05.wait st
    cf.br ^load
  ^other:
    tcgen05.wait st
    cf.br ^load
  ^load:
    %a = tcgen05.ld %w : !tcgen05.tmem<32x32xf32, D> to vector<32xf32>
    %b = tcgen05.wait ld(%a : vector<32xf32>)
    gpu.return
  }

  // The address of the wider one of two allocations.
  // CHECK-LABEL: gpu.func @two_widths
  gpu.func @two_widths(%p: i1, %q: i1) workgroup(%slot : !slot) kernel {
    scf.if %p {
      tcgen05.alloc %slot, 64 : !slot
    }
    scf.if %q {
      scf.if %p {
        %wide = tcgen05.address %slot : !slot to !tcgen05.tmem<128x64xi32, raw>
        tcgen05.dealloc %wide : !tcgen05.tmem<128x64xi32, raw>
        tcgen05.alloc %slot, 32 : !slot
      }
    }
    %wide = tcgen05.address %slot : !slot to !tcgen05.tmem<128x64xi32, raw>
    %narrow = tcgen05.address %slot : !slot to !all
    scf.if %p {
      scf.if %q {
        tcgen05.dealloc %narrow : !all
      } else {
        tcgen05.dealloc %wide : !tcgen05.tmem<128x64xi32, raw>
      }
    }
    gpu.return
  }

  // Two ways of a kernel, chosen by conditions that exclude each other.
  // CHECK-LABEL: gpu.func @two_ways
  gpu.func @two_ways(%p: i1, %q: i1, %r: i1, %s: i1) workgroup(%slot : !slot) kernel {
    scf.if %p {
      tcgen05.alloc %slot, 64 : !slot
    }
    scf.if %q {
      tcgen05.alloc %slot, 32 : !slot
    }
    %wide = tcgen05.address %slot : !slot to !tcgen05.tmem<128x64xi32, raw>
    %narrow = tcgen05.address %slot : !slot to !all
    scf.if %r {
      tcgen05.dealloc %wide : !tcgen05.tmem<128x64xi32, raw>
    }
    scf.if %s {
      tcgen05.dealloc %narrow : !all
    }
    gpu.return
  }

  // Blocks that are never executed.
  // CHECK-LABEL: gpu.func @never
  gpu.func @never(%p: i1) workgroup(%slot : !slot) kernel {
    %tmem = tcgen05.address %slot : !slot to !all
    cf.cond_br %p, ^one, ^end
  ^one:
    cf.cond_br %p, ^more, ^never
  ^never:
    tcgen05.dealloc %tmem : !all
    cf.cond_br %p, ^end, ^after
  ^after:
    tcgen05.alloc %slot, 32 : !slot
    cf.br ^more
  ^more:
    cf.br ^end
  ^end:
    gpu.return
  }
}
