// What collector buffers hold: rules C11, C13 and C14, named after their labels.
// RUN: tc-opt %s -tcgen05-verify-kernels -split-input-file -verify-diagnostics

!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
gpu.module @tcgen05_kernel_c11_not_filled {
  gpu.func @k(%d: !tcgen05.tmem<128x128xf32, D>, %a: !a, %p: i1) kernel {
    tcgen05.mma_ws f16 %d, %a, %a accumulate(%p) collector fill {buffer = 1 : i32} : !tcgen05.tmem<128x128xf32, D>, !a, !a
    tcgen05.mma_ws f16 %d, %a, %a accumulate(%p) collector use {buffer = 1 : i32} : !tcgen05.tmem<128x128xf32, D>, !a, !a
    // expected-error @+1 {{expected an operation of the kernel that fills the collector buffer of b 2, got lastuse alone (PTX ISA 9.0, 9.7.16.10.9.3 "TensorCore 5th Generation Instructions: tcgen05.mma.ws")}}
    tcgen05.mma_ws f16 %d, %a, %a accumulate(%p) collector lastuse {buffer = 2 : i32} : !tcgen05.tmem<128x128xf32, D>, !a, !a
    gpu.return
  }
}

// -----

!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
gpu.module @tcgen05_kernel_c11_of_a {
  gpu.func @k(%d: !tcgen05.tmem<128x128xf32, D>, %a: !a, %p: i1) kernel {
    tcgen05.mma_ws f16 %d, %a, %a accumulate(%p) collector fill : !tcgen05.tmem<128x128xf32, D>, !a, !a
    // expected-error @+1 {{expected an operation of the kernel that fills the collector buffer of a, got use alone (PTX ISA 9.0, 9.7.16.10.9 "TensorCore 5th Generation Instructions: tcgen05.mma")}}
    tcgen05.mma f16 %d, %a, %a accumulate(%p) collector use : !tcgen05.tmem<128x128xf32, D>, !a, !a
    gpu.return
  }
}

// -----

!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<32x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 2048>, #gpu.address_space<workgroup>>
gpu.module @tcgen05_kernel_c13_use_before_fill {
  gpu.func @k(%d: !tcgen05.tmem<128x32xf32, D>, %a: !a, %b: !b, %p: i1) kernel {
    // expected-error @+1 {{expected a fill of the collector buffer of a that is still valid, got use before any fill (PTX ISA 9.0, 9.7.16.10.9 "TensorCore 5th Generation Instructions: tcgen05.mma")}}
    tcgen05.mma f16 %d, %a, %b accumulate(%p) collector use : !tcgen05.tmem<128x32xf32, D>, !a, !b
    tcgen05.mma f16 %d, %a, %b accumulate(%p) collector fill : !tcgen05.tmem<128x32xf32, D>, !a, !b
    gpu.return
  }
}

// -----

!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<32x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 2048>, #gpu.address_space<workgroup>>
gpu.module @tcgen05_kernel_c13_in_a_loop_that_does_not_fill {
  gpu.func @k(%d: !tcgen05.tmem<128x32xf32, D>, %a: !a, %b: !b, %p: i1, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      // expected-error @+1 {{expected a fill of the collector buffer of a that is still valid, got lastuse before any fill}}
      tcgen05.mma f16 %d, %a, %b accumulate(%p) collector lastuse : !tcgen05.tmem<128x32xf32, D>, !a, !b
    }
    tcgen05.mma f16 %d, %a, %b accumulate(%p) collector fill : !tcgen05.tmem<128x32xf32, D>, !a, !b
    gpu.return
  }
}

// -----

!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<32x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 2048>, #gpu.address_space<workgroup>>
gpu.module @tcgen05_kernel_c13_after_lastuse {
  gpu.func @k(%d: !tcgen05.tmem<128x32xf32, D>, %a: !a, %b: !b, %p: i1) kernel {
    tcgen05.mma f16 %d, %a, %b accumulate(%p) collector fill : !tcgen05.tmem<128x32xf32, D>, !a, !b
    tcgen05.mma f16 %d, %a, %b accumulate(%p) collector use : !tcgen05.tmem<128x32xf32, D>, !a, !b
    // expected-note @+1 {{emptied here, by lastuse}}
    tcgen05.mma f16 %d, %a, %b accumulate(%p) collector lastuse : !tcgen05.tmem<128x32xf32, D>, !a, !b
    // expected-error @+1 {{expected a fill of the collector buffer of a that is still valid, got use after the buffer was emptied}}
    tcgen05.mma f16 %d, %a, %b accumulate(%p) collector use : !tcgen05.tmem<128x32xf32, D>, !a, !b
    gpu.return
  }
}

// -----

!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<32x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 2048>, #gpu.address_space<workgroup>>
gpu.module @tcgen05_kernel_c13_after_the_default {
  gpu.func @k(%d: !tcgen05.tmem<128x32xf32, D>, %a: !a, %b: !b, %p: i1) kernel {
    tcgen05.mma f16 %d, %a, %b accumulate(%p) collector fill : !tcgen05.tmem<128x32xf32, D>, !a, !b
    scf.if %p {
      // expected-note @+1 {{emptied here, by discard}}
      tcgen05.mma f16 %d, %a, %b accumulate(%p) : !tcgen05.tmem<128x32xf32, D>, !a, !b
      // expected-error @+1 {{expected a fill of the collector buffer of a that is still valid, got lastuse after the buffer was emptied}}
      tcgen05.mma f16 %d, %a, %b accumulate(%p) collector lastuse : !tcgen05.tmem<128x32xf32, D>, !a, !b
    }
    gpu.return
  }
}

// -----

!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<32x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 2048>, #gpu.address_space<workgroup>>
gpu.module @tcgen05_kernel_c13_in_both_branches {
  gpu.func @k(%d: !tcgen05.tmem<128x32xf32, D>, %a: !a, %b: !b, %p: i1) kernel {
    tcgen05.mma f16 %d, %a, %b accumulate(%p) collector fill : !tcgen05.tmem<128x32xf32, D>, !a, !b
    scf.if %p {
      tcgen05.mma f16 %d, %a, %b accumulate(%p) : !tcgen05.tmem<128x32xf32, D>, !a, !b
    } else {
      tcgen05.mma f16 %d, %a, %b accumulate(%p) collector lastuse : !tcgen05.tmem<128x32xf32, D>, !a, !b
    }
    // expected-error @+1 {{expected a fill of the collector buffer of a that is still valid, got use before any fill}}
    tcgen05.mma f16 %d, %a, %b accumulate(%p) collector use : !tcgen05.tmem<128x32xf32, D>, !a, !b
    gpu.return
  }
}

// -----

!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
gpu.module @tcgen05_kernel_c13_of_b {
  gpu.func @k(%d: !tcgen05.tmem<128x128xf32, D>, %a: !a, %p: i1) kernel {
    tcgen05.mma_ws f16 %d, %a, %a accumulate(%p) collector fill {buffer = 1 : i32} : !tcgen05.tmem<128x128xf32, D>, !a, !a
    tcgen05.mma_ws f16 %d, %a, %a accumulate(%p) collector fill {buffer = 3 : i32} : !tcgen05.tmem<128x128xf32, D>, !a, !a
    // expected-note @+1 {{emptied here, by discard}}
    tcgen05.mma_ws f16 %d, %a, %a accumulate(%p) {buffer = 1 : i32} : !tcgen05.tmem<128x128xf32, D>, !a, !a
    tcgen05.mma_ws f16 %d, %a, %a accumulate(%p) collector use {buffer = 3 : i32} : !tcgen05.tmem<128x128xf32, D>, !a, !a
    // expected-error @+1 {{expected a fill of the collector buffer of b 1 that is still valid, got use after the buffer was emptied (PTX ISA 9.0, 9.7.16.10.9.3 "TensorCore 5th Generation Instructions: tcgen05.mma.ws")}}
    tcgen05.mma_ws f16 %d, %a, %a accumulate(%p) collector use {buffer = 1 : i32} : !tcgen05.tmem<128x128xf32, D>, !a, !a
    gpu.return
  }
}

// -----

!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<32x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 2048>, #gpu.address_space<workgroup>>
gpu.module @tcgen05_kernel_c14_other_k {
  gpu.func @k(%d: !tcgen05.tmem<128x32xf32, D>, %a: !a, %b: !b, %p: i1) kernel {
    // expected-note @+1 {{filled here}}
    tcgen05.mma f16 %d, %a, %b accumulate(%p) collector fill : !tcgen05.tmem<128x32xf32, D>, !a, !b
    // expected-error @+1 {{expected the a that the collector buffer of a was filled with, got a_k = 16, filled with a_k = 0 (PTX ISA 9.0, 9.7.16.10.9 "TensorCore 5th Generation Instructions: tcgen05.mma")}}
    tcgen05.mma f16 %d, %a, %b accumulate(%p) collector use {a_k = 16 : i64, b_k = 16 : i64} : !tcgen05.tmem<128x32xf32, D>, !a, !b
    gpu.return
  }
}

// -----

!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
gpu.module @tcgen05_kernel_c14_other_b_k {
  gpu.func @k(%d: !tcgen05.tmem<128x128xf32, D>, %a: !a, %p: i1) kernel {
    // expected-note @+1 {{filled here}}
    tcgen05.mma_ws f16 %d, %a, %a accumulate(%p) collector fill {buffer = 2 : i32} : !tcgen05.tmem<128x128xf32, D>, !a, !a
    // expected-error @+1 {{expected the b that the collector buffer of b 2 was filled with, got b_k = 16, filled with b_k = 0}}
    tcgen05.mma_ws f16 %d, %a, %a accumulate(%p) collector lastuse {buffer = 2 : i32, b_k = 16 : i64} : !tcgen05.tmem<128x128xf32, D>, !a, !a
    gpu.return
  }
}

// -----

!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<32x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 2048>, #gpu.address_space<workgroup>>
gpu.module @tcgen05_kernel_c14_other_offset {
  gpu.func @k(%d: !tcgen05.tmem<128x32xf32, D>, %bytes: memref<65536xi8, #gpu.address_space<workgroup>>, %b: !b, %p: i1, %n: index) kernel {
    %a = sm90.smem_view %bytes[0] : memref<65536xi8, #gpu.address_space<workgroup>> to !a
    %c = sm90.smem_view %bytes[16384] : memref<65536xi8, #gpu.address_space<workgroup>> to !a
    // expected-note @+1 {{filled here}}
    tcgen05.mma f16 %d, %a, %b accumulate(%p) collector fill : !tcgen05.tmem<128x32xf32, D>, !a, !b
    // expected-error @+1 {{expected the a that the collector buffer of a was filled with, got offset 16384, filled with offset 0}}
    tcgen05.mma f16 %d, %c, %b accumulate(%p) collector use : !tcgen05.tmem<128x32xf32, D>, !a, !b
    gpu.return
  }
}

// -----

!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<32x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 2048>, #gpu.address_space<workgroup>>
gpu.module @tcgen05_kernel_c14_other_k_of_the_same_bytes {
  gpu.func @k(%d: !tcgen05.tmem<128x32xf32, D>, %bytes: memref<65536xi8, #gpu.address_space<workgroup>>, %b: !b, %p: i1, %n: index) kernel {
    %a = sm90.smem_view %bytes[0] : memref<65536xi8, #gpu.address_space<workgroup>> to !a
    %c = sm90.smem_view %bytes[0] : memref<65536xi8, #gpu.address_space<workgroup>> to !a
    // expected-note @+1 {{filled here}}
    tcgen05.mma f16 %d, %a, %b accumulate(%p) collector fill : !tcgen05.tmem<128x32xf32, D>, !a, !b
    // expected-error @+1 {{expected the a that the collector buffer of a was filled with, got a_k = 32, filled with a_k = 0}}
    tcgen05.mma f16 %d, %c, %b accumulate(%p) collector use {a_k = 32 : i64} : !tcgen05.tmem<128x32xf32, D>, !a, !b
    gpu.return
  }
}

// -----

!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<32x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 2048>, #gpu.address_space<workgroup>>
gpu.module @tcgen05_kernel_c14_other_columns {
  gpu.func @k(%tmem: !tcgen05.tmem<128x256xi32, raw>, %a: !a, %b: !b, %p: i1) kernel {
    %d = tcgen05.slice %tmem[0] : !tcgen05.tmem<128x256xi32, raw> to !tcgen05.tmem<128x32xf32, D>
    %x = tcgen05.slice %tmem[64] : !tcgen05.tmem<128x256xi32, raw> to !tcgen05.tmem<128x32xbf16, D, packed>
    %y = tcgen05.slice %tmem[128] : !tcgen05.tmem<128x256xi32, raw> to !tcgen05.tmem<128x32xbf16, D, packed>
    // expected-note @+1 {{filled here}}
    tcgen05.mma f16 %d, %x, %b accumulate(%p) collector fill : !tcgen05.tmem<128x32xf32, D>, !tcgen05.tmem<128x32xbf16, D, packed>, !b
    // expected-error @+1 {{expected the a that the collector buffer of a was filled with, got column 136, filled with column 64}}
    tcgen05.mma f16 %d, %y, %b accumulate(%p) collector use {a_k = 16 : i64} : !tcgen05.tmem<128x32xf32, D>, !tcgen05.tmem<128x32xbf16, D, packed>, !b
    gpu.return
  }
}

// -----

!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<32x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 2048>, #gpu.address_space<workgroup>>
gpu.module @tcgen05_kernel_c14_other_memory {
  gpu.func @k(%tmem: !tcgen05.tmem<128x256xi32, raw>, %a: !a, %b: !b, %p: i1) kernel {
    %d = tcgen05.slice %tmem[0] : !tcgen05.tmem<128x256xi32, raw> to !tcgen05.tmem<128x32xf32, D>
    %x = tcgen05.slice %tmem[64] : !tcgen05.tmem<128x256xi32, raw> to !tcgen05.tmem<128x32xbf16, D, packed>
    %y = tcgen05.slice %tmem[128] : !tcgen05.tmem<128x256xi32, raw> to !tcgen05.tmem<128x32xbf16, D, packed>
    // expected-note @+1 {{filled here}}
    tcgen05.mma f16 %d, %x, %b accumulate(%p) collector fill : !tcgen05.tmem<128x32xf32, D>, !tcgen05.tmem<128x32xbf16, D, packed>, !b
    // expected-error @+1 {{expected the a that the collector buffer of a was filled with, got shared memory, filled with Tensor Memory}}
    tcgen05.mma f16 %d, %a, %b accumulate(%p) collector use : !tcgen05.tmem<128x32xf32, D>, !a, !b
    gpu.return
  }
}

// -----

!b = memref<32x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 2048>, #gpu.address_space<workgroup>>
gpu.module @tcgen05_kernel_c14_other_lanes {
  gpu.func @k(%tmem: !tcgen05.tmem<128x256xi32, raw>, %b: !b, %p: i1) kernel {
    %d = tcgen05.slice %tmem[0] : !tcgen05.tmem<128x256xi32, raw> to !tcgen05.tmem<64x32xf32, F>
    %e = tcgen05.slice %tmem[0] lane 16 : !tcgen05.tmem<128x256xi32, raw> to !tcgen05.tmem<64x32xf32, F>
    %x = tcgen05.slice %tmem[64] : !tcgen05.tmem<128x256xi32, raw> to !tcgen05.tmem<64x32xbf16, F, packed>
    %y = tcgen05.slice %tmem[64] lane 16 : !tcgen05.tmem<128x256xi32, raw> to !tcgen05.tmem<64x32xbf16, F, packed>
    // expected-note @+1 {{filled here}}
    tcgen05.mma f16 %d, %x, %b accumulate(%p) collector fill : !tcgen05.tmem<64x32xf32, F>, !tcgen05.tmem<64x32xbf16, F, packed>, !b
    // expected-error @+1 {{expected the a that the collector buffer of a was filled with, got the upper lanes, filled with the lower lanes}}
    tcgen05.mma f16 %e, %y, %b accumulate(%p) collector use : !tcgen05.tmem<64x32xf32, F>, !tcgen05.tmem<64x32xbf16, F, packed>, !b
    gpu.return
  }
}

// -----

!d = !tcgen05.tmem<128x256xf32, D>
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<256x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 16384>, #gpu.address_space<workgroup>>
gpu.module @tcgen05_kernel_c11_b {
  gpu.func @k(%d: !d, %a: !a, %b: !b, %p: i1) kernel {
    tcgen05.mma f16 %d, %a, %b accumulate(%p) collector fill : !d, !a, !b
    // expected-error @+1 {{expected an operation of the kernel that fills the collector buffer of b, got lastuse alone (PTX ISA 9.4, 9.7.18.10.9 "TensorCore 5th Generation Instructions: tcgen05.mma")}}
    tcgen05.mma f16 %d, %a, %b accumulate(%p) collector lastuse collector_b lastuse : !d, !a, !b
    gpu.return
  }
}

// -----

!d = !tcgen05.tmem<128x256xf32, D>
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<256x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 16384>, #gpu.address_space<workgroup>>
gpu.module @tcgen05_kernel_c14_b {
  gpu.func @k(%d: !d, %a: !a, %b: !b, %p: i1) kernel {
    // expected-note @+1 {{filled here}}
    tcgen05.mma f16 %d, %a, %b accumulate(%p) collector_b fill : !d, !a, !b
    // expected-error @+1 {{expected the b that the collector buffer of b was filled with, got b_k = 16, filled with b_k = 0 (PTX ISA 9.4, 9.7.18.10.9}}
    tcgen05.mma f16 %d, %a, %b accumulate(%p) collector_b use {b_k = 16 : i64} : !d, !a, !b
    gpu.return
  }
}
