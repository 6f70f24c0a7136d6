// Each rule of the pass, named after its label.
// RUN: tc-opt %s -tcgen05-verify-kernels -split-input-file -verify-diagnostics

gpu.module @tcgen05_kernel_c1_two_groups {
  gpu.func @k(%bar: !sm90.mbarrier, %d: !tcgen05.tmem<128x8xi32, raw>) kernel {
    // expected-note @+1 {{cta_group 2 is used here}}
    tcgen05.shift %d window 0 cta_group 2 : !tcgen05.tmem<128x8xi32, raw>
    // expected-error @+1 {{expected cta_group 2, one for all tcgen05 operations of a kernel, got 1 (PTX ISA 9.0, 9.7.16.5.1 "CTA Pair")}}
    tcgen05.commit %bar : !sm90.mbarrier
    gpu.return
  }
}

// -----

gpu.module @tcgen05_kernel_c2_not_freed {
  gpu.func @k(%p: i1) workgroup(%slot : memref<1xi32, #gpu.address_space<workgroup>>) kernel {
    scf.if %p {
      // expected-note @+1 {{allocated here}}
      tcgen05.alloc %slot, 64 : memref<1xi32, #gpu.address_space<workgroup>>
    }
    // expected-error @+1 {{expected every allocation of Tensor Memory to be freed before the kernel ends, got 1 that is not (PTX ISA 9.0, 9.7.16.7 "Tensor Memory Allocation and Management Instructions")}}
    gpu.return
  }
}

// -----

gpu.module @tcgen05_kernel_c2_not_freed_on_a_path {
  gpu.func @k(%p: i1) workgroup(%slot : memref<1xi32, #gpu.address_space<workgroup>>) kernel {
    // expected-note @+1 {{allocated here}}
    tcgen05.alloc %slot, 64 : memref<1xi32, #gpu.address_space<workgroup>>
    %tmem = tcgen05.address %slot : memref<1xi32, #gpu.address_space<workgroup>> to !tcgen05.tmem<128x64xi32, raw>
    cf.cond_br %p, ^free, ^end
  ^free:
    // expected-note @+1 {{freed here on some paths}}
    tcgen05.dealloc %tmem : !tcgen05.tmem<128x64xi32, raw>
    cf.br ^end
  ^end:
    // expected-error @+1 {{expected every allocation of Tensor Memory to be freed before the kernel ends, got 1 that is not}}
    gpu.return
  }
}

// -----

gpu.module @tcgen05_kernel_c2_slot_written_again {
  gpu.func @k(%n: index) workgroup(%slot : memref<1xi32, #gpu.address_space<workgroup>>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      // expected-note @+2 {{allocated here}}
      // expected-error @+1 {{expected the allocation of the slot to be freed before the slot is written again}}
      tcgen05.alloc %slot, 64 : memref<1xi32, #gpu.address_space<workgroup>>
    }
    gpu.return
  }
}

// -----

gpu.module @tcgen05_kernel_c3_freed_twice {
  gpu.func @k() workgroup(%slot : memref<1xi32, #gpu.address_space<workgroup>>) kernel {
    tcgen05.alloc %slot, 64 : memref<1xi32, #gpu.address_space<workgroup>>
    %tmem = tcgen05.address %slot : memref<1xi32, #gpu.address_space<workgroup>> to !tcgen05.tmem<128x64xi32, raw>
    // expected-note @+1 {{freed here}}
    tcgen05.dealloc %tmem : !tcgen05.tmem<128x64xi32, raw>
    // expected-error @+1 {{expected what is freed to be allocated and not freed yet (PTX ISA 9.0, 9.7.16.7}}
    tcgen05.dealloc %tmem : !tcgen05.tmem<128x64xi32, raw>
    gpu.return
  }
}

// -----

gpu.module @tcgen05_kernel_c3_other_columns {
  gpu.func @k() workgroup(%slot : memref<1xi32, #gpu.address_space<workgroup>>) kernel {
    // expected-note @+1 {{allocated here}}
    tcgen05.alloc %slot, 64 : memref<1xi32, #gpu.address_space<workgroup>>
    %tmem = tcgen05.address %slot : memref<1xi32, #gpu.address_space<workgroup>> to !tcgen05.tmem<128x32xi32, raw>
    // expected-error @+1 {{expected the 64 columns that are allocated to be freed, got 32}}
    tcgen05.dealloc %tmem : !tcgen05.tmem<128x32xi32, raw>
    gpu.return
  }
}

// -----

gpu.module @tcgen05_kernel_c3_no_slot {
  gpu.func @k(%tmem: !tcgen05.tmem<128x64xi32, raw>) kernel {
    // expected-error @+1 {{expected an allocation that 'tcgen05.address' gives, whose slot says what is freed}}
    tcgen05.dealloc %tmem : !tcgen05.tmem<128x64xi32, raw>
    gpu.return
  }
}

// -----

gpu.module @tcgen05_kernel_c4_after_relinquish {
  gpu.func @k(%p: i1) workgroup(%slot : memref<1xi32, #gpu.address_space<workgroup>>) kernel {
    scf.if %p {
      // expected-note @+1 {{given up here}}
      tcgen05.relinquish_alloc_permit
    }
    // expected-error @+1 {{expected no allocation after the permit is given up (PTX ISA 9.0, 9.7.16.7}}
    tcgen05.alloc %slot, 64 : memref<1xi32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

gpu.module @tcgen05_kernel_c4_in_the_next_turn {
  gpu.func @k(%n: index) workgroup(%slot : memref<1xi32, #gpu.address_space<workgroup>>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      // expected-error @+1 {{expected no allocation after the permit is given up}}
      tcgen05.alloc %slot, 64 : memref<1xi32, #gpu.address_space<workgroup>>
      %tmem = tcgen05.address %slot : memref<1xi32, #gpu.address_space<workgroup>> to !tcgen05.tmem<128x64xi32, raw>
      tcgen05.dealloc %tmem : !tcgen05.tmem<128x64xi32, raw>
      // expected-note @+1 {{given up here}}
      tcgen05.relinquish_alloc_permit
    }
    gpu.return
  }
}

// -----

gpu.module @tcgen05_kernel_c5_too_many_columns {
  gpu.func @k() workgroup(%a : memref<1xi32, #gpu.address_space<workgroup>>, %b : memref<1xi32, #gpu.address_space<workgroup>>) kernel {
    // expected-note @+1 {{512 columns are allocated here}}
    tcgen05.alloc %a, 512 : memref<1xi32, #gpu.address_space<workgroup>>
    // expected-error @+1 {{expected at most 512 columns to be allocated at a time, got 544 (PTX ISA 9.0, 9.7.16.1.2 "Tensor Memory Allocation")}}
    tcgen05.alloc %b, 32 : memref<1xi32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

gpu.module @tcgen05_kernel_c6_more_than_before {
  gpu.func @k() workgroup(%a : memref<1xi32, #gpu.address_space<workgroup>>, %b : memref<1xi32, #gpu.address_space<workgroup>>) kernel {
    // expected-note @+1 {{the allocation before}}
    tcgen05.alloc %a, 64 : memref<1xi32, #gpu.address_space<workgroup>>
    // expected-error @+1 {{expected at most 64 columns, those of the allocation before, got 128 (PTX ISA 9.0, 9.7.16.1.2 "Tensor Memory Allocation")}}
    tcgen05.alloc %b, 128 : memref<1xi32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

gpu.module @tcgen05_kernel_c7_window_of_the_host {
  gpu.func @k(%w: !tcgen05.tmem<32x64xf32, D>) kernel {
    %part = tcgen05.slice %w[32] : !tcgen05.tmem<32x64xf32, D> to !tcgen05.tmem<32x32xf32, D>
    // expected-error @+1 {{expected a region that a 'tcgen05.warp_window' of the executing warp gives, got argument #0 of the kernel (PTX ISA 9.0, 9.7.16.8.1 "Access restrictions")}}
    %v = tcgen05.ld %part : !tcgen05.tmem<32x32xf32, D> to vector<32xf32>
    gpu.return
  }
}

// -----

gpu.module @tcgen05_kernel_c8_load_of_pending_store {
  gpu.func @k(%d: !tcgen05.tmem<128x64xf32, D>, %v: vector<32xf32>) kernel {
    %w = tcgen05.warp_window %d : !tcgen05.tmem<128x64xf32, D>
    %part = tcgen05.slice %w[32] : !tcgen05.tmem<32x64xf32, D> to !tcgen05.tmem<32x32xf32, D>
    // expected-note @+1 {{stored here}}
    tcgen05.st %v, %part : vector<32xf32> to !tcgen05.tmem<32x32xf32, D>
    // expected-error @+1 {{expected a 'tcgen05.wait st' before columns that are being stored are accessed again (PTX ISA 9.0, 9.7.16.6 "Memory Consistency Model for 5th generation of TensorCore operations")}}
    %p = tcgen05.ld %w : !tcgen05.tmem<32x64xf32, D> to vector<64xf32>
    gpu.return
  }
}

// -----

gpu.module @tcgen05_kernel_c8_store_over_pending_load {
  gpu.func @k(%d: !tcgen05.tmem<128x32xf32, D>, %v: vector<32xf32>) kernel {
    %w = tcgen05.warp_window %d : !tcgen05.tmem<128x32xf32, D>
    // expected-note @+1 {{loaded here}}
    %p = tcgen05.ld %w : !tcgen05.tmem<32x32xf32, D> to vector<32xf32>
    // A wait for stores does not end loads.
    tcgen05.wait st
    // expected-error @+1 {{expected a 'tcgen05.wait ld' before columns that are being loaded are accessed again}}
    tcgen05.st %v, %w : vector<32xf32> to !tcgen05.tmem<32x32xf32, D>
    gpu.return
  }
}

// -----

!a = memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>
!sf = !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
gpu.module @tcgen05_kernel_c9_scales_in_d {
  gpu.func @k(%tmem: !tcgen05.tmem<128x256xi32, raw>, %a: !a, %b: !a, %p: i1) kernel {
    %d = tcgen05.slice %tmem[0] : !tcgen05.tmem<128x256xi32, raw> to !tcgen05.tmem<128x128xf32, D>
    %sfa = tcgen05.slice %tmem[128] : !tcgen05.tmem<128x256xi32, raw> to !sf
    %sfb = tcgen05.slice %tmem[124] : !tcgen05.tmem<128x256xi32, raw> to !sf
    // expected-error @+1 {{expected operand #4 in columns that the operation does not write, got columns 124 to 128, operand #0 has 0 to 128 (PTX ISA 9.0, 9.7.16.10.9 "TensorCore 5th Generation Instructions: tcgen05.mma")}}
    tcgen05.mma_block_scale mxf8f6f4 %d, %a, %b scales %sfa, %sfb accumulate(%p) : !tcgen05.tmem<128x128xf32, D>, !a, !a, !sf, !sf
    gpu.return
  }
}

// -----

!b = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
gpu.module @tcgen05_kernel_c9_a_in_d {
  gpu.func @k(%tmem: !tcgen05.tmem<128x256xi32, raw>, %b: !b, %p: i1) kernel {
    %d = tcgen05.slice %tmem[0] : !tcgen05.tmem<128x256xi32, raw> to !tcgen05.tmem<128x128xf32, D>
    %a = tcgen05.slice %tmem[120] : !tcgen05.tmem<128x256xi32, raw> to !tcgen05.tmem<128x32xbf16, D, packed>
    // expected-error @+1 {{expected operand #1 in columns that the operation does not write, got columns 120 to 136, operand #0 has 0 to 128 (PTX ISA 9.0, 9.7.16.10.9 "TensorCore 5th Generation Instructions: tcgen05.mma")}}
    tcgen05.mma f16 %d, %a, %b accumulate(%p) : !tcgen05.tmem<128x128xf32, D>, !tcgen05.tmem<128x32xbf16, D, packed>, !b
    gpu.return
  }
}

// -----

!b = memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
!a = memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
!e = !tcgen05.tmem<128x2xi32, metadata16>
gpu.module @tcgen05_kernel_c9_metadata_in_d {
  gpu.func @k(%tmem: !tcgen05.tmem<128x256xi32, raw>, %a: !a, %b: !b, %p: i1) kernel {
    %d = tcgen05.slice %tmem[0] : !tcgen05.tmem<128x256xi32, raw> to !tcgen05.tmem<128x32xf32, E>
    %e = tcgen05.slice %tmem[31] : !tcgen05.tmem<128x256xi32, raw> to !e
    // expected-error @+1 {{expected operand #3 in columns that the operation does not write, got columns 31 to 33, operand #0 has 0 to 32}}
    tcgen05.mma_ws f16 %d, %a, %b sparse(%e : !e) accumulate(%p) : !tcgen05.tmem<128x32xf32, E>, !a, !b
    gpu.return
  }
}

// -----

!b = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!a = !tcgen05.tmem<128x16xbf16, D, packed>
gpu.module @tcgen05_kernel_c8_a_being_stored {
  gpu.func @k(%tmem: !tcgen05.tmem<128x256xi32, raw>, %b: !b, %v: vector<16xbf16>, %p: i1) kernel {
    %d = tcgen05.slice %tmem[0] : !tcgen05.tmem<128x256xi32, raw> to !tcgen05.tmem<128x128xf32, D>
    %a = tcgen05.slice %tmem[128] : !tcgen05.tmem<128x256xi32, raw> to !a
    %mine = tcgen05.warp_window %a : !a
    // expected-note @+1 {{stored here}}
    tcgen05.st %v, %mine : vector<16xbf16> to !tcgen05.tmem<32x16xbf16, D, packed>
    // expected-error @+1 {{expected a 'tcgen05.wait st' before columns that are being stored are accessed again}}
    tcgen05.mma f16 %d, %a, %b accumulate(%p) : !tcgen05.tmem<128x128xf32, D>, !a, !b
    gpu.return
  }
}

// -----

!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!e = !tcgen05.tmem<128x2xi32, metadata16>
gpu.module @tcgen05_kernel_c10_metadata_column {
  gpu.func @k(%slot: memref<1xi32, #gpu.address_space<workgroup>>, %a: !a, %p: i1) kernel {
    tcgen05.alloc %slot, 256 : memref<1xi32, #gpu.address_space<workgroup>>
    %tmem = tcgen05.address %slot : memref<1xi32, #gpu.address_space<workgroup>> to !tcgen05.tmem<128x256xi32, raw>
    %d = tcgen05.slice %tmem[0] : !tcgen05.tmem<128x256xi32, raw> to !tcgen05.tmem<128x128xf32, D>
    %e = tcgen05.slice %tmem[131] : !tcgen05.tmem<128x256xi32, raw> to !e
    // expected-error @+1 {{expected metadata from a multiple of 2 columns of the allocation on, got column 131 (PTX ISA 9.0, 9.7.16.10.8 "Sparse Matrices")}}
    tcgen05.mma f16 %d, %a, %a sparse(%e : !e) accumulate(%p) : !tcgen05.tmem<128x128xf32, D>, !a, !a
    tcgen05.dealloc %tmem : !tcgen05.tmem<128x256xi32, raw>
    gpu.return
  }
}

// -----

!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!e = !tcgen05.tmem<128x4xi32, metadata16>
gpu.module @tcgen05_kernel_c10_four_columns {
  gpu.func @k(%slot: memref<1xi32, #gpu.address_space<workgroup>>, %a: !a, %p: i1) kernel {
    tcgen05.alloc %slot, 256 : memref<1xi32, #gpu.address_space<workgroup>>
    %tmem = tcgen05.address %slot : memref<1xi32, #gpu.address_space<workgroup>> to !tcgen05.tmem<128x256xi32, raw>
    %d = tcgen05.slice %tmem[0] : !tcgen05.tmem<128x256xi32, raw> to !tcgen05.tmem<128x128xf32, D>
    %e = tcgen05.slice %tmem[130] : !tcgen05.tmem<128x256xi32, raw> to !e
    // expected-error @+1 {{expected metadata from a multiple of 4 columns of the allocation on, got column 130 (PTX ISA 9.0, 9.7.16.10.8 "Sparse Matrices")}}
    tcgen05.mma f16 %d, %a, %a sparse(%e : !e) accumulate(%p) {selector = 2 : i32} : !tcgen05.tmem<128x128xf32, D>, !a, !a
    tcgen05.dealloc %tmem : !tcgen05.tmem<128x256xi32, raw>
    gpu.return
  }
}

// -----

gpu.module @tcgen05_kernel_c2_freed_in_one_branch {
  gpu.func @k(%p: i1) workgroup(%slot : memref<1xi32, #gpu.address_space<workgroup>>) kernel {
    // expected-note @+1 {{allocated here}}
    tcgen05.alloc %slot, 64 : memref<1xi32, #gpu.address_space<workgroup>>
    %tmem = tcgen05.address %slot : memref<1xi32, #gpu.address_space<workgroup>> to !tcgen05.tmem<128x64xi32, raw>
    scf.if %p {
      // expected-note @+1 {{freed here on some paths}}
      tcgen05.dealloc %tmem : !tcgen05.tmem<128x64xi32, raw>
    }
    // expected-error @+1 {{expected every allocation of Tensor Memory to be freed before the kernel ends, got 1 that is not}}
    gpu.return
  }
}

// -----

gpu.module @tcgen05_kernel_c2_freed_in_one_case {
  gpu.func @k(%p: index) workgroup(%slot : memref<1xi32, #gpu.address_space<workgroup>>) kernel {
    // expected-note @+1 {{allocated here}}
    tcgen05.alloc %slot, 64 : memref<1xi32, #gpu.address_space<workgroup>>
    %tmem = tcgen05.address %slot : memref<1xi32, #gpu.address_space<workgroup>> to !tcgen05.tmem<128x64xi32, raw>
    scf.index_switch %p
    case 0 {
      // expected-note @+1 {{freed here on some paths}}
      tcgen05.dealloc %tmem : !tcgen05.tmem<128x64xi32, raw>
      scf.yield
    }
    default {
    }
    // expected-error @+1 {{expected every allocation of Tensor Memory to be freed before the kernel ends, got 1 that is not}}
    gpu.return
  }
}

// -----

gpu.module @tcgen05_kernel_c2_freed_in_no_turn_that_allocates {
  gpu.func @k(%p: i1, %n: index) workgroup(%slot : memref<1xi32, #gpu.address_space<workgroup>>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      %first = arith.cmpi eq, %i, %c0 : index
      scf.if %first {
        // expected-note @+1 {{allocated here}}
        tcgen05.alloc %slot, 64 : memref<1xi32, #gpu.address_space<workgroup>>
      }
    }
    // expected-error @+1 {{expected every allocation of Tensor Memory to be freed before the kernel ends, got 1 that is not}}
    gpu.return
  }
}

// -----

gpu.module @tcgen05_kernel_c3_freed_in_a_branch_and_after_it {
  gpu.func @k(%p: i1) workgroup(%slot : memref<1xi32, #gpu.address_space<workgroup>>) kernel {
    tcgen05.alloc %slot, 64 : memref<1xi32, #gpu.address_space<workgroup>>
    %tmem = tcgen05.address %slot : memref<1xi32, #gpu.address_space<workgroup>> to !tcgen05.tmem<128x64xi32, raw>
    scf.if %p {
      // expected-note @+1 {{freed here}}
      tcgen05.dealloc %tmem : !tcgen05.tmem<128x64xi32, raw>
    }
    // expected-error @+1 {{expected what is freed to be allocated and not freed yet}}
    tcgen05.dealloc %tmem : !tcgen05.tmem<128x64xi32, raw>
    gpu.return
  }
}

// -----

gpu.module @tcgen05_kernel_c3_freed_before_and_in_a_branch {
  gpu.func @k(%p: i1) workgroup(%slot : memref<1xi32, #gpu.address_space<workgroup>>) kernel {
    tcgen05.alloc %slot, 64 : memref<1xi32, #gpu.address_space<workgroup>>
    %tmem = tcgen05.address %slot : memref<1xi32, #gpu.address_space<workgroup>> to !tcgen05.tmem<128x64xi32, raw>
    // expected-note @+1 {{freed here}}
    tcgen05.dealloc %tmem : !tcgen05.tmem<128x64xi32, raw>
    scf.if %p {
      // expected-error @+1 {{expected what is freed to be allocated and not freed yet}}
      tcgen05.dealloc %tmem : !tcgen05.tmem<128x64xi32, raw>
    }
    gpu.return
  }
}

// -----

gpu.module @tcgen05_kernel_c3_freed_twice_by_one_condition {
  gpu.func @k(%p: i1) workgroup(%slot : memref<1xi32, #gpu.address_space<workgroup>>) kernel {
    tcgen05.alloc %slot, 64 : memref<1xi32, #gpu.address_space<workgroup>>
    %tmem = tcgen05.address %slot : memref<1xi32, #gpu.address_space<workgroup>> to !tcgen05.tmem<128x64xi32, raw>
    scf.if %p {
      // expected-note @+1 {{freed here}}
      tcgen05.dealloc %tmem : !tcgen05.tmem<128x64xi32, raw>
    }
    scf.if %p {
      // expected-error @+1 {{expected what is freed to be allocated and not freed yet}}
      tcgen05.dealloc %tmem : !tcgen05.tmem<128x64xi32, raw>
    }
    gpu.return
  }
}

// -----

gpu.module @tcgen05_kernel_c3_freed_in_the_other_branch {
  gpu.func @k(%p: i1) workgroup(%slot : memref<1xi32, #gpu.address_space<workgroup>>) kernel {
    %tmem = tcgen05.address %slot : memref<1xi32, #gpu.address_space<workgroup>> to !tcgen05.tmem<128x64xi32, raw>
    scf.if %p {
      tcgen05.alloc %slot, 64 : memref<1xi32, #gpu.address_space<workgroup>>
    } else {
      // expected-error @+1 {{expected what is freed to be allocated and not freed yet}}
      tcgen05.dealloc %tmem : !tcgen05.tmem<128x64xi32, raw>
    }
    gpu.return
  }
}

// -----

gpu.module @tcgen05_kernel_c3_freed_in_every_turn {
  gpu.func @k(%n: index) workgroup(%slot : memref<1xi32, #gpu.address_space<workgroup>>) kernel {
    tcgen05.alloc %slot, 64 : memref<1xi32, #gpu.address_space<workgroup>>
    %tmem = tcgen05.address %slot : memref<1xi32, #gpu.address_space<workgroup>> to !tcgen05.tmem<128x64xi32, raw>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      // expected-note @+2 {{freed here}}
      // expected-error @+1 {{expected what is freed to be allocated and not freed yet}}
      tcgen05.dealloc %tmem : !tcgen05.tmem<128x64xi32, raw>
    }
    gpu.return
  }
}

// -----

gpu.module @tcgen05_kernel_c5_on_a_path {
  gpu.func @k(%p: i1) workgroup(%slot : memref<1xi32, #gpu.address_space<workgroup>>, %other : memref<1xi32, #gpu.address_space<workgroup>>) kernel {
    scf.if %p {
      // expected-note @+1 {{512 columns are allocated here}}
      tcgen05.alloc %slot, 512 : memref<1xi32, #gpu.address_space<workgroup>>
    }
    // expected-error @+1 {{expected at most 512 columns to be allocated at a time, got 544}}
    tcgen05.alloc %other, 32 : memref<1xi32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

gpu.module @tcgen05_kernel_c6_after_a_branch {
  gpu.func @k(%p: i1) workgroup(%slot : memref<1xi32, #gpu.address_space<workgroup>>, %other : memref<1xi32, #gpu.address_space<workgroup>>) kernel {
    %tmem = tcgen05.address %slot : memref<1xi32, #gpu.address_space<workgroup>> to !tcgen05.tmem<128x64xi32, raw>
    scf.if %p {
      // expected-note @+1 {{the allocation before}}
      tcgen05.alloc %slot, 64 : memref<1xi32, #gpu.address_space<workgroup>>
      tcgen05.dealloc %tmem : !tcgen05.tmem<128x64xi32, raw>
    }
    // expected-error @+1 {{expected at most 64 columns, those of the allocation before, got 128}}
    tcgen05.alloc %other, 128 : memref<1xi32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

gpu.module @tcgen05_kernel_c8_stored_in_a_branch {
  gpu.func @k(%d: !tcgen05.tmem<128x32xf32, D>, %v: vector<32xf32>, %p: i1) kernel {
    %w = tcgen05.warp_window %d : !tcgen05.tmem<128x32xf32, D>
    scf.if %p {
      // expected-note @+1 {{stored here}}
      tcgen05.st %v, %w : vector<32xf32> to !tcgen05.tmem<32x32xf32, D>
    }
    // expected-error @+1 {{expected a 'tcgen05.wait st' before columns that are being stored are accessed again}}
    %l = tcgen05.ld %w : !tcgen05.tmem<32x32xf32, D> to vector<32xf32>
    gpu.return
  }
}

// -----

gpu.module @tcgen05_kernel_c8_waited_for_in_one_branch {
  gpu.func @k(%d: !tcgen05.tmem<128x32xf32, D>, %v: vector<32xf32>, %p: i1) kernel {
    %w = tcgen05.warp_window %d : !tcgen05.tmem<128x32xf32, D>
    // expected-note @+1 {{stored here}}
    tcgen05.st %v, %w : vector<32xf32> to !tcgen05.tmem<32x32xf32, D>
    scf.if %p {
      tcgen05.wait st
    }
    // expected-error @+1 {{expected a 'tcgen05.wait st' before columns that are being stored are accessed again}}
    %l = tcgen05.ld %w : !tcgen05.tmem<32x32xf32, D> to vector<32xf32>
    gpu.return
  }
}

// -----

gpu.module @tcgen05_kernel_c8_stored_and_loaded_by_one_condition {
  gpu.func @k(%d: !tcgen05.tmem<128x32xf32, D>, %v: vector<32xf32>, %p: i1) kernel {
    %w = tcgen05.warp_window %d : !tcgen05.tmem<128x32xf32, D>
    scf.if %p {
      // expected-note @+1 {{stored here}}
      tcgen05.st %v, %w : vector<32xf32> to !tcgen05.tmem<32x32xf32, D>
    }
    scf.if %p {
    } else {
      tcgen05.wait st
    }
    scf.if %p {
      // expected-error @+1 {{expected a 'tcgen05.wait st' before columns that are being stored are accessed again}}
      %l = tcgen05.ld %w : !tcgen05.tmem<32x32xf32, D> to vector<32xf32>
    }
    gpu.return
  }
}

// -----

gpu.module @tcgen05_kernel_c8_stored_in_the_turn_before {
  gpu.func @k(%d: !tcgen05.tmem<128x32xf32, D>, %v: vector<32xf32>, %n: index) kernel {
    %w = tcgen05.warp_window %d : !tcgen05.tmem<128x32xf32, D>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      // expected-error @+1 {{expected a 'tcgen05.wait st' before columns that are being stored are accessed again}}
      %l = tcgen05.ld %w : !tcgen05.tmem<32x32xf32, D> to vector<32xf32>
      %m = tcgen05.wait ld(%l : vector<32xf32>)
      // expected-note @+1 {{stored here}}
      tcgen05.st %v, %w : vector<32xf32> to !tcgen05.tmem<32x32xf32, D>
    }
    gpu.return
  }
}

// -----

gpu.module @tcgen05_kernel_c8_stored_in_a_loop {
  gpu.func @k(%d: !tcgen05.tmem<128x32xf32, D>, %v: vector<32xf32>, %n: index) kernel {
    %w = tcgen05.warp_window %d : !tcgen05.tmem<128x32xf32, D>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      tcgen05.wait st
      // expected-note @+1 {{stored here}}
      tcgen05.st %v, %w : vector<32xf32> to !tcgen05.tmem<32x32xf32, D>
    }
    // expected-error @+1 {{expected a 'tcgen05.wait st' before columns that are being stored are accessed again}}
    %l = tcgen05.ld %w : !tcgen05.tmem<32x32xf32, D> to vector<32xf32>
    gpu.return
  }
}

// -----

gpu.module @tcgen05_kernel_c8_stored_in_a_while {
  gpu.func @k(%d: !tcgen05.tmem<128x32xf32, D>, %v: vector<32xf32>, %p: i1) kernel {
    %w = tcgen05.warp_window %d : !tcgen05.tmem<128x32xf32, D>
    scf.while : () -> () {
      // expected-note @+1 {{stored here}}
      tcgen05.st %v, %w : vector<32xf32> to !tcgen05.tmem<32x32xf32, D>
      scf.condition(%p)
    } do {
      tcgen05.wait st
      scf.yield
    }
    // expected-error @+1 {{expected a 'tcgen05.wait st' before columns that are being stored are accessed again}}
    %l = tcgen05.ld %w : !tcgen05.tmem<32x32xf32, D> to vector<32xf32>
    gpu.return
  }
}

// -----

gpu.module @tcgen05_kernel_c8_loaded_in_a_branch {
  gpu.func @k(%d: !tcgen05.tmem<128x32xf32, D>, %v: vector<32xf32>, %p: i1) kernel {
    %w = tcgen05.warp_window %d : !tcgen05.tmem<128x32xf32, D>
    scf.if %p {
      // expected-note @+1 {{loaded here}}
      %l = tcgen05.ld %w : !tcgen05.tmem<32x32xf32, D> to vector<32xf32>
    }
    // expected-error @+1 {{expected a 'tcgen05.wait ld' before columns that are being loaded are accessed again}}
    tcgen05.st %v, %w : vector<32xf32> to !tcgen05.tmem<32x32xf32, D>
    gpu.return
  }
}

// -----

gpu.module @tcgen05_kernel_c8_reduced_while_stored {
  gpu.func @k(%d: !tcgen05.tmem<128x32xf32, D>, %v: vector<32xf32>) kernel {
    %w = tcgen05.warp_window %d : !tcgen05.tmem<128x32xf32, D>
    // expected-note @+1 {{stored here}}
    tcgen05.st %v, %w : vector<32xf32> to !tcgen05.tmem<32x32xf32, D>
    // expected-error @+1 {{expected a 'tcgen05.wait st' before columns that are being stored are accessed again}}
    %l, %r = tcgen05.ld_red min %w : !tcgen05.tmem<32x32xf32, D> to vector<32xf32>, vector<1xf32>
    gpu.return
  }
}

// -----

gpu.module @tcgen05_kernel_c8_stored_on_the_only_path {
  gpu.func @k(%d: !tcgen05.tmem<128x32xf32, D>, %v: vector<32xf32>, %p: i1) kernel {
    %w = tcgen05.warp_window %d : !tcgen05.tmem<128x32xf32, D>
    cf.cond_br %p, ^store, ^end
  ^store:
    // expected-note @+1 {{stored here}}
    tcgen05.st %v, %w : vector<32xf32> to !tcgen05.tmem<32x32xf32, D>
    cf.br ^load
  ^load:
    // expected-error @+1 {{expected a 'tcgen05.wait st' before columns that are being stored are accessed again}}
    %l = tcgen05.ld %w : !tcgen05.tmem<32x32xf32, D> to vector<32xf32>
    cf.br ^end
  ^end:
    gpu.return
  }
}

// -----

gpu.module @tcgen05_kernel_c12_loaded {
  gpu.func @k() workgroup(%slot : memref<1xi32, #gpu.address_space<workgroup>>) kernel {
    tcgen05.alloc %slot, 64 : memref<1xi32, #gpu.address_space<workgroup>>
    %tmem = tcgen05.address %slot : memref<1xi32, #gpu.address_space<workgroup>> to !tcgen05.tmem<128x64xi32, raw>
    %d = tcgen05.slice %tmem[0] : !tcgen05.tmem<128x64xi32, raw> to !tcgen05.tmem<128x32xf32, D>
    %w = tcgen05.warp_window %d : !tcgen05.tmem<128x32xf32, D>
    // expected-note @+1 {{freed here}}
    tcgen05.dealloc %tmem : !tcgen05.tmem<128x64xi32, raw>
    // expected-error @+1 {{expected operand #0 in Tensor Memory that is allocated, got an allocation that is freed (PTX ISA 9.0, 9.7.16.7 "Tensor Memory Allocation and Management Instructions")}}
    %l = tcgen05.ld %w : !tcgen05.tmem<32x32xf32, D> to vector<32xf32>
    gpu.return
  }
}

// -----

gpu.module @tcgen05_kernel_c12_stored_on_a_path {
  gpu.func @k(%v: vector<32xf32>, %p: i1, %n: index) workgroup(%slot : memref<1xi32, #gpu.address_space<workgroup>>) kernel {
    tcgen05.alloc %slot, 64 : memref<1xi32, #gpu.address_space<workgroup>>
    %tmem = tcgen05.address %slot : memref<1xi32, #gpu.address_space<workgroup>> to !tcgen05.tmem<128x64xi32, raw>
    %d = tcgen05.slice %tmem[%n] : !tcgen05.tmem<128x64xi32, raw> to !tcgen05.tmem<128x32xf32, D>
    %w = tcgen05.warp_window %d : !tcgen05.tmem<128x32xf32, D>
    scf.if %p {
      // expected-note @+1 {{freed here}}
      tcgen05.dealloc %tmem : !tcgen05.tmem<128x64xi32, raw>
    }
    // expected-error @+1 {{expected operand #1 in Tensor Memory that is allocated, got an allocation that is freed}}
    tcgen05.st %v, %w : vector<32xf32> to !tcgen05.tmem<32x32xf32, D>
    scf.if %p {
    } else {
      tcgen05.dealloc %tmem : !tcgen05.tmem<128x64xi32, raw>
    }
    gpu.return
  }
}

// -----

!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<32x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 2048>, #gpu.address_space<workgroup>>
gpu.module @tcgen05_kernel_c12_multiplied {
  gpu.func @k(%a: !a, %b: !b, %p: i1) workgroup(%slot : memref<1xi32, #gpu.address_space<workgroup>>) kernel {
    tcgen05.alloc %slot, 64 : memref<1xi32, #gpu.address_space<workgroup>>
    %tmem = tcgen05.address %slot : memref<1xi32, #gpu.address_space<workgroup>> to !tcgen05.tmem<128x64xi32, raw>
    %d = tcgen05.slice %tmem[0] : !tcgen05.tmem<128x64xi32, raw> to !tcgen05.tmem<128x32xf32, D>
    // expected-note @+1 {{freed here}}
    tcgen05.dealloc %tmem : !tcgen05.tmem<128x64xi32, raw>
    scf.if %p {
      // Another read of the slot gives the same address.
      %again = tcgen05.address %slot : memref<1xi32, #gpu.address_space<workgroup>> to !tcgen05.tmem<128x64xi32, raw>
      %e = tcgen05.slice %again[0] : !tcgen05.tmem<128x64xi32, raw> to !tcgen05.tmem<128x32xf32, D>
      // expected-error @+1 {{expected operand #0 in Tensor Memory that is allocated, got an allocation that is freed}}
      tcgen05.mma f16 %e, %a, %b accumulate(%p) : !tcgen05.tmem<128x32xf32, D>, !a, !b
    }
    gpu.return
  }
}

// -----

gpu.module @tcgen05_kernel_c12_copied {
  gpu.func @k(%t: memref<128x16xi8, #sm90.smem_layout<k_major, none, bits = 8, slab = 2048>, #gpu.address_space<workgroup>>) workgroup(%slot : memref<1xi32, #gpu.address_space<workgroup>>) kernel {
    tcgen05.alloc %slot, 64 : memref<1xi32, #gpu.address_space<workgroup>>
    %tmem = tcgen05.address %slot : memref<1xi32, #gpu.address_space<workgroup>> to !tcgen05.tmem<128x64xi32, raw>
    %sf = tcgen05.slice %tmem[4] : !tcgen05.tmem<128x64xi32, raw> to !tcgen05.tmem<128x8xi32, raw>
    // expected-note @+1 {{freed here}}
    tcgen05.dealloc %tmem : !tcgen05.tmem<128x64xi32, raw>
    // expected-error @+1 {{expected operand #0 in Tensor Memory that is allocated, got an allocation that is freed}}
    tcgen05.shift %sf window 0 : !tcgen05.tmem<128x8xi32, raw>
    gpu.return
  }
}

// -----

gpu.module @tcgen05_kernel_c15_negative {
  gpu.func @k(%tmem: !tcgen05.tmem<128x64xi32, raw>) kernel {
    %c = arith.constant -8 : index
    // expected-error @+1 {{'tcgen05.slice' op expected the result to lie within the 64 columns of the source, got 32 from -8 on (PTX ISA 9.0, 9.7.16.1 "Tensor Memory")}}
    %d = tcgen05.slice %tmem[%c] : !tcgen05.tmem<128x64xi32, raw> to !tcgen05.tmem<128x32xf32, D>
    gpu.return
  }
}

// -----

gpu.module @tcgen05_kernel_c15_beyond {
  gpu.func @k(%tmem: !tcgen05.tmem<128x64xi32, raw>) kernel {
    %c = arith.constant 33 : index
    // expected-error @+1 {{'tcgen05.slice' op expected the result to lie within the 64 columns of the source, got 32 from 33 on (PTX ISA 9.0, 9.7.16.1 "Tensor Memory")}}
    %d = tcgen05.slice %tmem[%c] : !tcgen05.tmem<128x64xi32, raw> to !tcgen05.tmem<128x32xf32, D>
    gpu.return
  }
}

// -----

gpu.module @tcgen05_kernel_c15_beyond_64_bits {
  gpu.func @k(%tmem: !tcgen05.tmem<128x64xi32, raw>, %v: vector<1xf32>) kernel {
    %c = arith.constant 9223372036854775807 : index
    // expected-error @+1 {{'tcgen05.slice' op expected the result to lie within the 64 columns of the source, got 32 from 9223372036854775807 on}}
    %d = tcgen05.slice %tmem[%c] : !tcgen05.tmem<128x64xi32, raw> to !tcgen05.tmem<128x32xf32, D>
    %e = tcgen05.slice %d[%c] : !tcgen05.tmem<128x32xf32, D> to !tcgen05.tmem<128x1xf32, D>
    %w = tcgen05.warp_window %e : !tcgen05.tmem<128x1xf32, D>
    tcgen05.st %v, %w : vector<1xf32> to !tcgen05.tmem<32x1xf32, D>
    tcgen05.wait st
    gpu.return
  }
}

// -----

gpu.module @tcgen05_kernel_c17_beside_another {
  gpu.func @k() workgroup(%slot : memref<1xi32, #gpu.address_space<workgroup>>, %other : memref<1xi32, #gpu.address_space<workgroup>>) kernel {
    // expected-note @+1 {{96 columns are allocated here}}
    tcgen05.alloc %slot, 96 exclusive : memref<1xi32, #gpu.address_space<workgroup>>
    // expected-error @+1 {{expected an exclusive allocation to be the only one, got 2 at a time (PTX ISA 9.4, 9.7.18.7 "Tensor Memory Allocation and Management Instructions")}}
    tcgen05.alloc %other, 32 : memref<1xi32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

gpu.module @tcgen05_kernel_c17_freed_as_another {
  gpu.func @k() workgroup(%slot : memref<1xi32, #gpu.address_space<workgroup>>) kernel {
    // expected-note @+1 {{allocated here}}
    tcgen05.alloc %slot, 64 exclusive : memref<1xi32, #gpu.address_space<workgroup>>
    %tmem = tcgen05.address %slot : memref<1xi32, #gpu.address_space<workgroup>> to !tcgen05.tmem<128x64xi32, raw>
    // expected-error @+1 {{expected 'exclusive', as what is freed was allocated (PTX ISA 9.4, 9.7.18.7}}
    tcgen05.dealloc %tmem : !tcgen05.tmem<128x64xi32, raw>
    gpu.return
  }
}

// -----

gpu.module @tcgen05_kernel_c5_of_the_target [#nvvm.target<chip = "sm_100a">] {
  gpu.func @k() workgroup(%slot : memref<1xi32, #gpu.address_space<workgroup>>) kernel {
    // expected-error @+1 {{expected at most 512 columns of the target to be allocated, got 576 (PTX ISA 9.0, 9.7.16.1.2 "Tensor Memory Allocation")}}
    tcgen05.alloc %slot, 576 exclusive : memref<1xi32, #gpu.address_space<workgroup>>
    gpu.return
  }
}
