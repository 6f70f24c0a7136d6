// Rules of the pass on paths through blocks and branches, named after their labels.
// RUN: tc-opt %s -tcgen05-verify-kernels -split-input-file -verify-diagnostics

gpu.module @tcgen05_kernel_c1_in_a_function {
  func.func @helper() {
    // expected-error @+1 {{expected cta_group 1, one for all tcgen05 operations of a kernel, got 2}}
    tcgen05.relinquish_alloc_permit cta_group 2
    return
  }
  gpu.func @k() kernel {
    func.call @helper() : () -> ()
    // expected-note @+1 {{cta_group 1 is used here}}
    tcgen05.relinquish_alloc_permit
    gpu.return
  }
}

// -----

!slot = memref<1xi32, #gpu.address_space<workgroup>>
!all = !tcgen05.tmem<128x32xi32, raw>
gpu.module @tcgen05_kernel_c2_allocated_in_a_block {
  gpu.func @k(%p: i1) workgroup(%slot : !slot) kernel {
    cf.cond_br %p, ^allocate, ^end
  ^allocate:
    // expected-note @+1 {{allocated here}}
    tcgen05.alloc %slot, 32 : !slot
    cf.br ^end
  ^end:
    // expected-error @+1 {{expected every allocation of Tensor Memory to be freed before the kernel ends, got 1 that is not}}
    gpu.return
  }
}

// -----

!slot = memref<1xi32, #gpu.address_space<workgroup>>
!all = !tcgen05.tmem<128x32xi32, raw>
gpu.module @tcgen05_kernel_c2_at_an_early_end {
  gpu.func @k(%p: i1) workgroup(%slot : !slot) kernel {
    // expected-note @+1 {{allocated here}}
    tcgen05.alloc %slot, 32 : !slot
    %tmem = tcgen05.address %slot : !slot to !all
    cf.cond_br %p, ^early, ^late
  ^early:
    // expected-error @+1 {{expected every allocation of Tensor Memory to be freed before the kernel ends, got 1 that is not}}
    gpu.return
  ^late:
    tcgen05.dealloc %tmem : !all
    gpu.return
  }
}

// -----

!slot = memref<1xi32, #gpu.address_space<workgroup>>
gpu.module @tcgen05_kernel_c2_at_the_end_of_all_warps {
  gpu.func @k(%n: index) workgroup(%slot : !slot) kernel {
    %tid = gpu.thread_id x
    %p = arith.cmpi ult, %tid, %n : index
    cf.cond_br %p, ^one, ^other
  ^one:
    // expected-note @+1 {{allocated here}}
    tcgen05.alloc %slot, 32 : !slot
    // expected-error @+1 {{expected every allocation of Tensor Memory to be freed before the kernel ends, got 1 that is not}}
    gpu.return
  ^other:
    gpu.return
  }
}

// -----

!slot = memref<1xi32, #gpu.address_space<workgroup>>
gpu.module @tcgen05_kernel_c2_short_circuit {
  gpu.func @k(%p: i1, %q: i1) workgroup(%slot : !slot) kernel {
    cf.cond_br %p, ^and, ^allocate
  ^and:
    cf.cond_br %q, ^allocate, ^nothing
  ^allocate:
    // expected-note @+1 {{allocated here}}
    tcgen05.alloc %slot, 32 : !slot
    cf.br ^end
  ^nothing:
    cf.br ^end
  ^end:
    // expected-error @+1 {{expected every allocation of Tensor Memory to be freed before the kernel ends, got 1 that is not}}
    gpu.return
  }
}

// -----

!slot = memref<1xi32, #gpu.address_space<workgroup>>
!all = !tcgen05.tmem<128x32xi32, raw>
gpu.module @tcgen05_kernel_c2_affine {
  gpu.func @k(%n: index) workgroup(%slot : !slot) kernel {
    // expected-note @+1 {{allocated here}}
    tcgen05.alloc %slot, 32 : !slot
    %tmem = tcgen05.address %slot : !slot to !all
    affine.if affine_set<(d0) : (d0 - 31 >= 0)>(%n) {
      // expected-note @+1 {{freed here on some paths}}
      tcgen05.dealloc %tmem : !all
    }
    // expected-error @+1 {{expected every allocation of Tensor Memory to be freed before the kernel ends, got 1 that is not}}
    gpu.return
  }
}

// -----

!slot = memref<1xi32, #gpu.address_space<workgroup>>
gpu.module @tcgen05_kernel_c2_after_a_call {
  func.func @nothing() {
    return
  }
  gpu.func @k() workgroup(%slot : !slot) kernel {
    // expected-note @+1 {{allocated here}}
    tcgen05.alloc %slot, 32 : !slot
    func.call @nothing() : () -> ()
    // expected-error @+1 {{expected every allocation of Tensor Memory to be freed before the kernel ends, got 1 that is not}}
    gpu.return
  }
}

// -----

!slot = memref<1xi32, #gpu.address_space<workgroup>>
!all = !tcgen05.tmem<128x32xi32, raw>
gpu.module @tcgen05_kernel_c2_in_every_turn_of_blocks {
  gpu.func @k(%p: i1) workgroup(%slot : !slot) kernel {
    cf.br ^loop
  ^loop:
    // expected-note @+2 {{allocated here}}
    // expected-error @+1 {{expected the allocation of the slot to be freed before the slot is written again}}
    tcgen05.alloc %slot, 32 : !slot
    cf.cond_br %p, ^loop, ^end
  ^end:
    %tmem = tcgen05.address %slot : !slot to !all
    tcgen05.dealloc %tmem : !all
    gpu.return
  }
}

// -----

!slot = memref<1xi32, #gpu.address_space<workgroup>>
!all = !tcgen05.tmem<128x32xi32, raw>
gpu.module @tcgen05_kernel_c3_in_every_turn_of_blocks {
  gpu.func @k(%p: i1) workgroup(%slot : !slot) kernel {
    tcgen05.alloc %slot, 32 : !slot
    %tmem = tcgen05.address %slot : !slot to !all
    cf.br ^loop
  ^loop:
    // expected-note @+2 {{freed here}}
    // expected-error @+1 {{expected what is freed to be allocated and not freed yet}}
    tcgen05.dealloc %tmem : !all
    cf.cond_br %p, ^loop, ^end
  ^end:
    gpu.return
  }
}

// -----

!slot = memref<1xi32, #gpu.address_space<workgroup>>
!all = !tcgen05.tmem<128x32xi32, raw>
gpu.module @tcgen05_kernel_c3_freed_before_it_is_allocated {
  gpu.func @k() workgroup(%slot : !slot) kernel {
    %tmem = tcgen05.address %slot : !slot to !all
    // expected-error @+1 {{expected what is freed to be allocated and not freed yet}}
    tcgen05.dealloc %tmem : !all
    tcgen05.alloc %slot, 32 : !slot
    gpu.return
  }
}

// -----

!slot = memref<1xi32, #gpu.address_space<workgroup>>
!all = !tcgen05.tmem<128x32xi32, raw>
gpu.module @tcgen05_kernel_c3_in_the_other_block {
  gpu.func @k(%p: i1) workgroup(%slot : !slot) kernel {
    %tmem = tcgen05.address %slot : !slot to !all
    cf.cond_br %p, ^one, ^other
  ^one:
    tcgen05.alloc %slot, 32 : !slot
    cf.br ^end
  ^other:
    // expected-error @+1 {{expected what is freed to be allocated and not freed yet}}
    tcgen05.dealloc %tmem : !all
    cf.br ^end
  ^end:
    gpu.return
  }
}

// -----

!slot = memref<1xi32, #gpu.address_space<workgroup>>
!all = !tcgen05.tmem<128x32xi32, raw>
gpu.module @tcgen05_kernel_c3_of_a_slot_named_again {
  memref.global "private" @word : !slot
  gpu.func @k() kernel {
    %a = memref.get_global @word : !slot
    tcgen05.alloc %a, 32 : !slot
    %b = memref.get_global @word : !slot
    %tmem = tcgen05.address %b : !slot to !all
    // expected-note @+1 {{freed here}}
    tcgen05.dealloc %tmem : !all
    %c = memref.get_global @word : !slot
    %again = tcgen05.address %c : !slot to !all
    // expected-error @+1 {{expected what is freed to be allocated and not freed yet}}
    tcgen05.dealloc %again : !all
    gpu.return
  }
}

// -----

!slot = memref<1xi32, #gpu.address_space<workgroup>>
!all = !tcgen05.tmem<128x32xi32, raw>
gpu.module @tcgen05_kernel_c3_allocated_in_a_branch {
  gpu.func @k(%p: i1) workgroup(%slot : !slot) kernel {
    scf.if %p {
      // expected-note @+1 {{allocated here}}
      tcgen05.alloc %slot, 32 : !slot
    }
    %tmem = tcgen05.address %slot : !slot to !all
    // expected-error @+1 {{expected what is freed to be allocated on all paths, got an allocation on some (PTX ISA 9.0, 9.7.16.7}}
    tcgen05.dealloc %tmem : !all
    gpu.return
  }
}

// -----

!slot = memref<1xi32, #gpu.address_space<workgroup>>
!all = !tcgen05.tmem<128x32xi32, raw>
gpu.module @tcgen05_kernel_c3_allocated_in_a_block {
  gpu.func @k(%p: i1) workgroup(%slot : !slot) kernel {
    cf.cond_br %p, ^allocate, ^free
  ^allocate:
    // expected-note @+1 {{allocated here}}
    tcgen05.alloc %slot, 32 : !slot
    cf.br ^free
  ^free:
    %tmem = tcgen05.address %slot : !slot to !all
    // expected-error @+1 {{expected what is freed to be allocated on all paths, got an allocation on some}}
    tcgen05.dealloc %tmem : !all
    gpu.return
  }
}

// -----

!slot = memref<1xi32, #gpu.address_space<workgroup>>
!all = !tcgen05.tmem<128x32xi32, raw>
gpu.module @tcgen05_kernel_c3_allocated_in_three_of_four_cases {
  gpu.func @k(%p: i1, %n: index) workgroup(%slot : !slot) kernel {
    scf.index_switch %n
    case 0 {
      scf.if %p {
        // expected-note @+1 {{allocated here}}
        tcgen05.alloc %slot, 32 : !slot
      } else {
        // expected-note @+1 {{allocated here}}
        tcgen05.alloc %slot, 32 : !slot
      }
      scf.yield
    }
    case 1 {
      scf.yield
    }
    default {
      // expected-note @+1 {{allocated here}}
      tcgen05.alloc %slot, 32 : !slot
    }
    %tmem = tcgen05.address %slot : !slot to !all
    // expected-error @+1 {{expected what is freed to be allocated on all paths, got an allocation on some}}
    tcgen05.dealloc %tmem : !all
    gpu.return
  }
}

// -----

!slot = memref<1xi32, #gpu.address_space<workgroup>>
!all = !tcgen05.tmem<128x32xi32, raw>
gpu.module @tcgen05_kernel_c4_in_a_block {
  gpu.func @k(%p: i1) workgroup(%slot : !slot) kernel {
    cf.cond_br %p, ^give, ^allocate
  ^give:
    // expected-note @+1 {{given up here}}
    tcgen05.relinquish_alloc_permit
    cf.br ^allocate
  ^allocate:
    // expected-error @+1 {{expected no allocation after the permit is given up}}
    tcgen05.alloc %slot, 32 : !slot
    gpu.return
  }
}

// -----

gpu.module @tcgen05_kernel_c8_stored_in_a_block {
  gpu.func @k(%d: !tcgen05.tmem<128x32xf32, D>, %v: vector<32xf32>, %p: i1) kernel {
    %w = tcgen05.warp_window %d : !tcgen05.tmem<128x32xf32, D>
    cf.cond_br %p, ^store, ^load
  ^store:
    // expected-note @+1 {{stored here}}
    tcgen05.st %v, %w : vector<32xf32> to !tcgen05.tmem<32x32xf32, D>
    cf.br ^load
  ^load:
    // expected-error @+1 {{expected a 'tcgen05.wait st' before columns that are being stored are accessed again}}
    %l = tcgen05.ld %w : !tcgen05.tmem<32x32xf32, D> to vector<32xf32>
    gpu.return
  }
}

// -----

gpu.module @tcgen05_kernel_c8_in_the_next_turn_of_blocks {
  gpu.func @k(%d: !tcgen05.tmem<128x32xf32, D>, %v: vector<32xf32>, %p: i1) kernel {
    %w = tcgen05.warp_window %d : !tcgen05.tmem<128x32xf32, D>
    cf.br ^loop
  ^loop:
    // expected-error @+1 {{expected a 'tcgen05.wait st' before columns that are being stored are accessed again}}
    %l = tcgen05.ld %w : !tcgen05.tmem<32x32xf32, D> to vector<32xf32>
    %m = tcgen05.wait ld(%l : vector<32xf32>)
    // expected-note @+1 {{stored here}}
    tcgen05.st %v, %w : vector<32xf32> to !tcgen05.tmem<32x32xf32, D>
    cf.cond_br %p, ^loop, ^end
  ^end:
    gpu.return
  }
}

// -----

!slot = memref<1xi32, #gpu.address_space<workgroup>>
!all = !tcgen05.tmem<128x32xi32, raw>
gpu.module @tcgen05_kernel_c8_of_another_address_of_the_slot {
  gpu.func @k(%v: vector<32xf32>) workgroup(%slot : !slot) kernel {
    tcgen05.alloc %slot, 32 : !slot
    %x = tcgen05.address %slot : !slot to !all
    %y = tcgen05.address %slot : !slot to !all
    %d = tcgen05.slice %x[0] : !all to !tcgen05.tmem<128x32xf32, D>
    %e = tcgen05.slice %y[0] : !all to !tcgen05.tmem<128x32xf32, D>
    %w = tcgen05.warp_window %d : !tcgen05.tmem<128x32xf32, D>
    %u = tcgen05.warp_window %e : !tcgen05.tmem<128x32xf32, D>
    // expected-note @+1 {{stored here}}
    tcgen05.st %v, %w : vector<32xf32> to !tcgen05.tmem<32x32xf32, D>
    // expected-error @+1 {{expected a 'tcgen05.wait st' before columns that are being stored are accessed again}}
    %l = tcgen05.ld %u : !tcgen05.tmem<32x32xf32, D> to vector<32xf32>
    gpu.return
  }
}

// -----

!slot = memref<1xi32, #gpu.address_space<workgroup>>
gpu.module @tcgen05_kernel_c16_more_than_allocated {
  gpu.func @k() workgroup(%slot : !slot) kernel {
    // expected-note @+1 {{allocated here}}
    tcgen05.alloc %slot, 32 : !slot
    // expected-error @+1 {{expected at most the 32 columns that are allocated, got 64 (PTX ISA 9.0, 9.7.16.1.2 "Tensor Memory Allocation")}}
    %tmem = tcgen05.address %slot : !slot to !tcgen05.tmem<128x64xi32, raw>
    gpu.return
  }
}

// -----

!slot = memref<1xi32, #gpu.address_space<workgroup>>
gpu.module @tcgen05_kernel_c3_columns_of_no_allocation {
  gpu.func @k(%p: i1, %q: i1) workgroup(%slot : !slot) kernel {
    scf.if %p {
      // expected-note @+1 {{allocated here}}
      tcgen05.alloc %slot, 64 : !slot
    }
    %tmem = tcgen05.address %slot : !slot to !tcgen05.tmem<128x32xi32, raw>
    scf.if %q {
      // expected-error @+1 {{expected the 64 columns that are allocated to be freed, got 32}}
      tcgen05.dealloc %tmem : !tcgen05.tmem<128x32xi32, raw>
    }
    gpu.return
  }
}

// -----

gpu.module @tcgen05_kernel_c8_loop_of_blocks_without_a_turn {
  gpu.func @k(%d: !tcgen05.tmem<128x32xf32, D>, %v: vector<32xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %w = tcgen05.warp_window %d : !tcgen05.tmem<128x32xf32, D>
    // expected-note @+1 {{stored here}}
    tcgen05.st %v, %w : vector<32xf32> to !tcgen05.tmem<32x32xf32, D>
    cf.br ^loop(%c0 : index)
  ^loop(%i: index):
    %more = arith.cmpi ult, %i, %n : index
    cf.cond_br %more, ^turn, ^end
  ^turn:
    tcgen05.wait st
    %next = arith.addi %i, %c1 : index
    cf.br ^loop(%next : index)
  ^end:
    // expected-error @+1 {{expected a 'tcgen05.wait st' before columns that are being stored are accessed again}}
    %l = tcgen05.ld %w : !tcgen05.tmem<32x32xf32, D> to vector<32xf32>
    gpu.return
  }
}

// -----

!slot = memref<1xi32, #gpu.address_space<workgroup>>
!all = !tcgen05.tmem<128x32xi32, raw>
gpu.module @tcgen05_kernel_c3_in_a_branch_before_all_allocations {
  gpu.func @k(%p: i1) workgroup(%slot : !slot) kernel {
    %tmem = tcgen05.address %slot : !slot to !all
    scf.if %p {
      // expected-error @+1 {{expected what is freed to be allocated and not freed yet}}
      tcgen05.dealloc %tmem : !all
    }
    tcgen05.alloc %slot, 32 : !slot
    tcgen05.dealloc %tmem : !all
    gpu.return
  }
}

// -----

!slot = memref<1xi32, #gpu.address_space<workgroup>>
!all = !tcgen05.tmem<128x32xi32, raw>
gpu.module @tcgen05_kernel_c3_by_the_warp_that_allocates_later {
  gpu.func @k(%n: index) workgroup(%slot : !slot) kernel {
    %tid = gpu.thread_id x
    %p = arith.cmpi ult, %tid, %n : index
    %tmem = tcgen05.address %slot : !slot to !all
    scf.if %p {
      // expected-error @+1 {{expected what is freed to be allocated and not freed yet}}
      tcgen05.dealloc %tmem : !all
    }
    scf.if %p {
      tcgen05.alloc %slot, 32 : !slot
      tcgen05.dealloc %tmem : !all
    }
    gpu.return
  }
}

// -----

!slot = memref<1xi32, #gpu.address_space<workgroup>>
!all = !tcgen05.tmem<128x32xi32, raw>
gpu.module @tcgen05_kernel_c3_before_the_allocation_of_a_turn {
  gpu.func @k(%n: index) workgroup(%slot : !slot) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tmem = tcgen05.address %slot : !slot to !all
    scf.for %i = %c0 to %n step %c1 {
      // expected-error @+1 {{expected what is freed to be allocated and not freed yet}}
      tcgen05.dealloc %tmem : !all
      tcgen05.alloc %slot, 32 : !slot
    }
    gpu.return
  }
}

// -----

!slot = memref<1xi32, #gpu.address_space<workgroup>>
!all = !tcgen05.tmem<128x32xi32, raw>
gpu.module @tcgen05_kernel_c3_allocated_in_a_branch_and_again_later {
  gpu.func @k(%p: i1) workgroup(%slot : !slot) kernel {
    scf.if %p {
      // expected-note @+1 {{allocated here}}
      tcgen05.alloc %slot, 32 : !slot
    }
    %tmem = tcgen05.address %slot : !slot to !all
    // expected-error @+1 {{expected what is freed to be allocated on all paths, got an allocation on some}}
    tcgen05.dealloc %tmem : !all
    tcgen05.alloc %slot, 32 : !slot
    tcgen05.dealloc %tmem : !all
    gpu.return
  }
}
