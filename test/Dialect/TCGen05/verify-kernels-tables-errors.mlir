// Rules of the pass about tables of B and K of 64 bytes of a row, which sm_107 has.
// RUN: tc-opt %s --split-input-file --verify-diagnostics --tcgen05-verify-kernels

!a = memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>
!b = memref<128x128xi3, #sm90.smem_layout<k_major, b64, bits = 4, slab = 16384>, #gpu.address_space<workgroup>>
!t = !tcgen05.tmem<128x8xf8E4M3FN, D, packed>
gpu.module @tcgen05_kernel_c18_odd_column [#nvvm.target<chip = "sm_107f", features = "+ptx94">] {
  gpu.func @k(%slot: memref<1xi32, #gpu.address_space<workgroup>>, %a: !a, %b: !b, %p: i1) kernel {
    tcgen05.alloc %slot, 256 : memref<1xi32, #gpu.address_space<workgroup>>
    %tmem = tcgen05.address %slot : memref<1xi32, #gpu.address_space<workgroup>> to !tcgen05.tmem<128x256xi32, raw>
    %d = tcgen05.slice %tmem[0] : !tcgen05.tmem<128x256xi32, raw> to !tcgen05.tmem<128x128xf32, D>
    %even = tcgen05.slice %tmem[130] : !tcgen05.tmem<128x256xi32, raw> to !t
    %odd = tcgen05.slice %tmem[133] : !tcgen05.tmem<128x256xi32, raw> to !t
    tcgen05.mma f8f6f4 %d, %a, %b lookup(%even : !t) accumulate(%p) {wide_k} : !tcgen05.tmem<128x128xf32, D>, !a, !b
    // expected-error @+1 {{expected the table of lookup from a multiple of 2 columns of the allocation on, got column 133 (PTX ISA 9.4, 9.7.18.10.8 "Decompression of input matrices")}}
    tcgen05.mma f8f6f4 %d, %a, %b lookup(%odd : !t) accumulate(%p) {wide_k} : !tcgen05.tmem<128x128xf32, D>, !a, !b
    tcgen05.dealloc %tmem : !tcgen05.tmem<128x256xi32, raw>
    gpu.return
  }
}

// -----

!a = memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>
!b = memref<128x128xi3, #sm90.smem_layout<k_major, b64, bits = 4, slab = 16384>, #gpu.address_space<workgroup>>
!t = !tcgen05.tmem<128x8xf8E4M3FN, D, packed>
gpu.module @tcgen05_kernel_c14_another_table [#nvvm.target<chip = "sm_107f", features = "+ptx94">] {
  gpu.func @k(%slot: memref<1xi32, #gpu.address_space<workgroup>>, %a: !a, %b: !b, %p: i1) kernel {
    tcgen05.alloc %slot, 256 : memref<1xi32, #gpu.address_space<workgroup>>
    %tmem = tcgen05.address %slot : memref<1xi32, #gpu.address_space<workgroup>> to !tcgen05.tmem<128x256xi32, raw>
    %d = tcgen05.slice %tmem[0] : !tcgen05.tmem<128x256xi32, raw> to !tcgen05.tmem<128x128xf32, D>
    %t = tcgen05.slice %tmem[130] : !tcgen05.tmem<128x256xi32, raw> to !t
    %u = tcgen05.slice %tmem[132] : !tcgen05.tmem<128x256xi32, raw> to !t
    // expected-note @+1 {{filled here}}
    tcgen05.mma f8f6f4 %d, %a, %b lookup(%t : !t) accumulate(%p) collector_b fill {wide_k} : !tcgen05.tmem<128x128xf32, D>, !a, !b
    tcgen05.mma f8f6f4 %d, %a, %b lookup(%t : !t) accumulate(%p) collector_b use {wide_k} : !tcgen05.tmem<128x128xf32, D>, !a, !b
    // expected-error @+1 {{expected the b that the collector buffer of b was filled with, got the table in column 132, filled with that in column 130 (PTX ISA 9.4, 9.7.18.10.9 "TensorCore 5th Generation Instructions: tcgen05.mma")}}
    tcgen05.mma f8f6f4 %d, %a, %b lookup(%u : !t) accumulate(%p) collector_b use {wide_k} : !tcgen05.tmem<128x128xf32, D>, !a, !b
    tcgen05.dealloc %tmem : !tcgen05.tmem<128x256xi32, raw>
    gpu.return
  }
}

// -----

!a = memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>
!b = memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>
gpu.module @tcgen05_kernel_c14_another_depth [#nvvm.target<chip = "sm_107f", features = "+ptx94">] {
  gpu.func @k(%d: !tcgen05.tmem<128x128xf32, D>, %a: !a, %b: !b, %p: i1) kernel {
    // expected-note @+1 {{filled here}}
    tcgen05.mma f8f6f4 %d, %a, %b accumulate(%p) collector fill {wide_k} : !tcgen05.tmem<128x128xf32, D>, !a, !b
    // expected-error @+1 {{expected the a that the collector buffer of a was filled with, got K = 32, filled with K = 64}}
    tcgen05.mma f8f6f4 %d, %a, %b accumulate(%p) collector use : !tcgen05.tmem<128x128xf32, D>, !a, !b
    gpu.return
  }
}

// -----

!a = memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>
!b = memref<128x128xi3, #sm90.smem_layout<k_major, b64, bits = 4, slab = 16384>, #gpu.address_space<workgroup>>
!t = !tcgen05.tmem<128x8xf8E4M3FN, D, packed>
gpu.module @tcgen05_kernel_c14_indices [#nvvm.target<chip = "sm_107f", features = "+ptx94">] {
  gpu.func @k(%d: !tcgen05.tmem<128x128xf32, D>, %t: !t, %a: !a, %b: !b, %p: i1) kernel {
    // expected-note @+1 {{filled here}}
    tcgen05.mma f8f6f4 %d, %a, %a accumulate(%p) collector_b fill {wide_k} : !tcgen05.tmem<128x128xf32, D>, !a, !a
    // expected-error @+1 {{expected the b that the collector buffer of b was filled with, got indices, filled with numbers}}
    tcgen05.mma f8f6f4 %d, %a, %b lookup(%t : !t) accumulate(%p) collector_b use {wide_k} : !tcgen05.tmem<128x128xf32, D>, !a, !b
    gpu.return
  }
}
