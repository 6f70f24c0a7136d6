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

  // What a turn allocates the next one frees; the last one allocates nothing.
  // CHECK-LABEL: gpu.func @freed_by_the_next_turn
  gpu.func @freed_by_the_next_turn(%n: index) workgroup(%slot : !slot) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    tcgen05.alloc %slot, 32 : !slot
    %tmem = tcgen05.address %slot : !slot to !all
    scf.for %i = %c0 to %n step %c1 {
      tcgen05.dealloc %tmem : !all
      %next = arith.addi %i, %c1 : index
      %is_more = arith.cmpi ult, %next, %n : index
      scf.if %is_more {
        tcgen05.alloc %slot, 32 : !slot
      }
    }
    // The slot was freed before; from the second turn on it is another
    // allocation that is freed.
    scf.for %i = %c0 to %n step %c1 {
      %is_later = arith.cmpi ugt, %i, %c0 : index
      scf.if %is_later {
        tcgen05.dealloc %tmem : !all
      }
      tcgen05.alloc %slot, 32 : !slot
    }
    tcgen05.dealloc %tmem : !all
    gpu.return
  }

  // The time does not grow with the product of the turns of loops in loops.
  // CHECK-LABEL: gpu.func @loops_in_loops
  gpu.func @loops_in_loops(%n: index, %p: i1) workgroup(%slot : !slot) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tmem = tcgen05.address %slot : !slot to !all
    scf.for %i0 = %c0 to %n step %c1 {
    scf.for %i1 = %c0 to %n step %c1 {
    scf.for %i2 = %c0 to %n step %c1 {
    scf.for %i3 = %c0 to %n step %c1 {
    scf.for %i4 = %c0 to %n step %c1 {
    scf.for %i5 = %c0 to %n step %c1 {
    scf.for %i6 = %c0 to %n step %c1 {
    scf.for %i7 = %c0 to %n step %c1 {
    scf.for %i8 = %c0 to %n step %c1 {
    scf.for %i9 = %c0 to %n step %c1 {
    scf.for %i10 = %c0 to %n step %c1 {
    scf.for %i11 = %c0 to %n step %c1 {
    scf.for %i12 = %c0 to %n step %c1 {
    scf.for %i13 = %c0 to %n step %c1 {
    scf.for %i14 = %c0 to %n step %c1 {
    scf.for %i15 = %c0 to %n step %c1 {
    scf.for %i16 = %c0 to %n step %c1 {
    scf.for %i17 = %c0 to %n step %c1 {
    scf.for %i18 = %c0 to %n step %c1 {
    scf.for %i19 = %c0 to %n step %c1 {
    scf.for %i20 = %c0 to %n step %c1 {
    scf.for %i21 = %c0 to %n step %c1 {
    scf.for %i22 = %c0 to %n step %c1 {
    scf.for %i23 = %c0 to %n step %c1 {
    scf.for %i24 = %c0 to %n step %c1 {
    scf.for %i25 = %c0 to %n step %c1 {
    scf.for %i26 = %c0 to %n step %c1 {
    scf.for %i27 = %c0 to %n step %c1 {
    scf.for %i28 = %c0 to %n step %c1 {
    scf.for %i29 = %c0 to %n step %c1 {
    scf.for %i30 = %c0 to %n step %c1 {
    scf.for %i31 = %c0 to %n step %c1 {
    scf.for %i32 = %c0 to %n step %c1 {
    scf.for %i33 = %c0 to %n step %c1 {
    scf.for %i34 = %c0 to %n step %c1 {
    scf.for %i35 = %c0 to %n step %c1 {
    scf.for %i36 = %c0 to %n step %c1 {
    scf.for %i37 = %c0 to %n step %c1 {
    scf.for %i38 = %c0 to %n step %c1 {
    scf.for %i39 = %c0 to %n step %c1 {
    tcgen05.alloc %slot, 32 : !slot
    tcgen05.dealloc %tmem : !all
    } } } } } } } } } } } } } } } } } } } }     } } } } } } } } } } } } } } } } } } } }
    gpu.return
  }

  // Of very many choices it is not found out whether they leave a path.
  // CHECK-LABEL: gpu.func @choices
  gpu.func @choices(%p: i1, %all: vector<60xi1>) workgroup(%slot : !slot) kernel {
    %tmem = tcgen05.address %slot : !slot to !all
    %a0, %b0 = builtin.unrealized_conversion_cast %all : vector<60xi1> to i1, i1
    scf.if %a0 { scf.if %b0 { tcgen05.alloc %slot, 32 : !slot } }
    %a1, %b1 = builtin.unrealized_conversion_cast %all : vector<60xi1> to i1, i1
    scf.if %a1 { scf.if %b1 { tcgen05.alloc %slot, 32 : !slot } }
    %a2, %b2 = builtin.unrealized_conversion_cast %all : vector<60xi1> to i1, i1
    scf.if %a2 { scf.if %b2 { tcgen05.alloc %slot, 32 : !slot } }
    %a3, %b3 = builtin.unrealized_conversion_cast %all : vector<60xi1> to i1, i1
    scf.if %a3 { scf.if %b3 { tcgen05.alloc %slot, 32 : !slot } }
    %a4, %b4 = builtin.unrealized_conversion_cast %all : vector<60xi1> to i1, i1
    scf.if %a4 { scf.if %b4 { tcgen05.alloc %slot, 32 : !slot } }
    %a5, %b5 = builtin.unrealized_conversion_cast %all : vector<60xi1> to i1, i1
    scf.if %a5 { scf.if %b5 { tcgen05.alloc %slot, 32 : !slot } }
    %a6, %b6 = builtin.unrealized_conversion_cast %all : vector<60xi1> to i1, i1
    scf.if %a6 { scf.if %b6 { tcgen05.alloc %slot, 32 : !slot } }
    %a7, %b7 = builtin.unrealized_conversion_cast %all : vector<60xi1> to i1, i1
    scf.if %a7 { scf.if %b7 { tcgen05.alloc %slot, 32 : !slot } }
    %a8, %b8 = builtin.unrealized_conversion_cast %all : vector<60xi1> to i1, i1
    scf.if %a8 { scf.if %b8 { tcgen05.alloc %slot, 32 : !slot } }
    %a9, %b9 = builtin.unrealized_conversion_cast %all : vector<60xi1> to i1, i1
    scf.if %a9 { scf.if %b9 { tcgen05.alloc %slot, 32 : !slot } }
    %a10, %b10 = builtin.unrealized_conversion_cast %all : vector<60xi1> to i1, i1
    scf.if %a10 { scf.if %b10 { tcgen05.alloc %slot, 32 : !slot } }
    %a11, %b11 = builtin.unrealized_conversion_cast %all : vector<60xi1> to i1, i1
    scf.if %a11 { scf.if %b11 { tcgen05.alloc %slot, 32 : !slot } }
    %a12, %b12 = builtin.unrealized_conversion_cast %all : vector<60xi1> to i1, i1
    scf.if %a12 { scf.if %b12 { tcgen05.alloc %slot, 32 : !slot } }
    %a13, %b13 = builtin.unrealized_conversion_cast %all : vector<60xi1> to i1, i1
    scf.if %a13 { scf.if %b13 { tcgen05.alloc %slot, 32 : !slot } }
    %a14, %b14 = builtin.unrealized_conversion_cast %all : vector<60xi1> to i1, i1
    scf.if %a14 { scf.if %b14 { tcgen05.alloc %slot, 32 : !slot } }
    %a15, %b15 = builtin.unrealized_conversion_cast %all : vector<60xi1> to i1, i1
    scf.if %a15 { scf.if %b15 { tcgen05.alloc %slot, 32 : !slot } }
    %a16, %b16 = builtin.unrealized_conversion_cast %all : vector<60xi1> to i1, i1
    scf.if %a16 { scf.if %b16 { tcgen05.alloc %slot, 32 : !slot } }
    %a17, %b17 = builtin.unrealized_conversion_cast %all : vector<60xi1> to i1, i1
    scf.if %a17 { scf.if %b17 { tcgen05.alloc %slot, 32 : !slot } }
    %a18, %b18 = builtin.unrealized_conversion_cast %all : vector<60xi1> to i1, i1
    scf.if %a18 { scf.if %b18 { tcgen05.alloc %slot, 32 : !slot } }
    %a19, %b19 = builtin.unrealized_conversion_cast %all : vector<60xi1> to i1, i1
    scf.if %a19 { scf.if %b19 { tcgen05.alloc %slot, 32 : !slot } }
    %a20, %b20 = builtin.unrealized_conversion_cast %all : vector<60xi1> to i1, i1
    scf.if %a20 { scf.if %b20 { tcgen05.alloc %slot, 32 : !slot } }
    %a21, %b21 = builtin.unrealized_conversion_cast %all : vector<60xi1> to i1, i1
    scf.if %a21 { scf.if %b21 { tcgen05.alloc %slot, 32 : !slot } }
    %a22, %b22 = builtin.unrealized_conversion_cast %all : vector<60xi1> to i1, i1
    scf.if %a22 { scf.if %b22 { tcgen05.alloc %slot, 32 : !slot } }
    %a23, %b23 = builtin.unrealized_conversion_cast %all : vector<60xi1> to i1, i1
    scf.if %a23 { scf.if %b23 { tcgen05.alloc %slot, 32 : !slot } }
    %a24, %b24 = builtin.unrealized_conversion_cast %all : vector<60xi1> to i1, i1
    scf.if %a24 { scf.if %b24 { tcgen05.alloc %slot, 32 : !slot } }
    %a25, %b25 = builtin.unrealized_conversion_cast %all : vector<60xi1> to i1, i1
    scf.if %a25 { scf.if %b25 { tcgen05.alloc %slot, 32 : !slot } }
    %a26, %b26 = builtin.unrealized_conversion_cast %all : vector<60xi1> to i1, i1
    scf.if %a26 { scf.if %b26 { tcgen05.alloc %slot, 32 : !slot } }
    %a27, %b27 = builtin.unrealized_conversion_cast %all : vector<60xi1> to i1, i1
    scf.if %a27 { scf.if %b27 { tcgen05.alloc %slot, 32 : !slot } }
    %a28, %b28 = builtin.unrealized_conversion_cast %all : vector<60xi1> to i1, i1
    scf.if %a28 { scf.if %b28 { tcgen05.alloc %slot, 32 : !slot } }
    %a29, %b29 = builtin.unrealized_conversion_cast %all : vector<60xi1> to i1, i1
    scf.if %a29 { scf.if %b29 { tcgen05.alloc %slot, 32 : !slot } }
    scf.if %p {
      tcgen05.alloc %slot, 32 : !slot
    } else {
      tcgen05.alloc %slot, 32 : !slot
    }
    tcgen05.dealloc %tmem : !all
    gpu.return
  }
}
