// RUN: tc-opt %s -convert-tcgen05-to-nvvm -split-input-file -verify-diagnostics

func.func @reserve() {
  // expected-error @+1 {{expected no tcgen05.reserve, which tcgen05-allocate-tmem replaces}}
  %acc = tcgen05.reserve : !tcgen05.tmem<128x128xf32, D>
  return
}

// -----

// expected-note @+1 {{the target is named here}}
gpu.module @wrong_chip [#nvvm.target<chip = "sm_90a">] {
  gpu.func @kernel() kernel {
    // expected-error @+1 {{expected a target that has tcgen05 instructions (sm_100a, sm_100f, sm_103a, sm_103f, sm_107a, sm_107f, sm_110a, sm_110f), got sm_90a (PTX ISA 9.0, 9.7.16.10.9}}
    tcgen05.wait ld
    gpu.return
  }
}

// -----

// Without tcgen05, any target will do.
gpu.module @other_chip [#nvvm.target<chip = "sm_90a">] {
  gpu.func @kernel() kernel {
    gpu.return
  }
}

// -----

// expected-note @+1 {{the target is named here}}
gpu.module @shift [#nvvm.target<chip = "sm_100f">] {
  gpu.func @kernel(%d: !tcgen05.tmem<128x8xi32, raw>) kernel {
    // expected-error @+1 {{expected a target that has tcgen05.shift (sm_100a, sm_103a, sm_107a, sm_110a), got sm_100f (PTX ISA 9.0, 9.7.16.9.3 "Tensorcore 5th Generation Instructions: tcgen05.shift")}}
    tcgen05.shift %d window 0 : !tcgen05.tmem<128x8xi32, raw>
    gpu.return
  }
}

// -----

!a = memref<128x64xi8, #sm90.smem_layout<k_major, b64, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>
// expected-note @+1 {{the target is named here}}
gpu.module @i8 [#nvvm.target<chip = "sm_100a", features = "+ptx86">, #nvvm.target<chip = "sm_103a">] {
  gpu.func @kernel(%d: !tcgen05.tmem<128x128xi32, D>, %a: !a, %p: i1) kernel {
    // expected-error @+1 {{expected a target that has tcgen05.mma of kind i8 (sm_100a, sm_110a), got sm_103a}}
    tcgen05.mma i8 %d, %a, %a accumulate(%p) : !tcgen05.tmem<128x128xi32, D>, !a, !a
    gpu.return
  }
}

// -----

!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
// expected-note @+1 {{the target is named here}}
gpu.module @scale_d [#nvvm.target<chip = "sm_110a">] {
  gpu.func @kernel(%d: !tcgen05.tmem<128x128xf32, D>, %a: !a, %p: i1) kernel {
    // expected-error @+1 {{expected a target that has tcgen05.mma with scale-input-d (sm_100a, sm_100f, sm_103a, sm_103f, sm_107a, sm_107f), got sm_110a}}
    tcgen05.mma f16 %d, %a, %a accumulate(%p) {scale_d = 3 : i32} : !tcgen05.tmem<128x128xf32, D>, !a, !a
    gpu.return
  }
}

// -----

// Forms that came with sm_107, each on a target that lacks it.
!A = memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>
// expected-note @+1 {{the target is named here}}
gpu.module @wide_k [#nvvm.target<chip = "sm_103a", features = "+ptx90">] {
  gpu.func @kernel(%d: !tcgen05.tmem<128x128xf32, D>, %a: !A, %p: i1) kernel {
    // expected-error @+1 {{expected a target that has tcgen05.mma with K of 64 bytes (sm_107a, sm_107f), got sm_103a (PTX ISA 9.4, 9.7.18.2.1 "Matrix Shape")}}
    tcgen05.mma f8f6f4 %d, %a, %a accumulate(%p) {wide_k} : !tcgen05.tmem<128x128xf32, D>, !A, !A
    gpu.return
  }
}

// -----

!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
// expected-note @+1 {{the target is named here}}
gpu.module @collector_b [#nvvm.target<chip = "sm_100f", features = "+ptx90">] {
  gpu.func @kernel(%d: !tcgen05.tmem<128x128xf32, D>, %a: !a, %p: i1) kernel {
    // expected-error @+1 {{expected a target that has tcgen05.mma with .collector::b (sm_107a, sm_107f), got sm_100f (PTX ISA 9.4, 9.7.18.10.9}}
    tcgen05.mma f16 %d, %a, %a accumulate(%p) collector_b fill : !tcgen05.tmem<128x128xf32, D>, !a, !a
    gpu.return
  }
}

// -----

// expected-note @+1 {{the target is named here}}
gpu.module @reads_of_a [#nvvm.target<chip = "sm_110f", features = "+ptx90">] {
  gpu.func @kernel(%bar: !sm90.mbarrier) kernel {
    // expected-error @+1 {{expected a target that has tcgen05.commit with .sync_restrict::shared::read::mma::a (sm_107a, sm_107f), got sm_110f (PTX ISA 9.4, 9.7.18.12}}
    tcgen05.commit %bar {reads_of_a} : !sm90.mbarrier
    gpu.return
  }
}

// -----

!A = memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>
!B = memref<128x256xi3, #sm90.smem_layout<k_major, b64, bits = 4, slab = 16384>, #gpu.address_space<workgroup>>
// expected-note @+1 {{the target is named here}}
gpu.module @lookup [#nvvm.target<chip = "sm_107f", features = "+ptx94">, #nvvm.target<chip = "sm_100a", features = "+ptx90">] {
  gpu.func @kernel(%d: !tcgen05.tmem<128x128xf32, D>, %t: !tcgen05.tmem<128x8xf8E4M3FN, D, packed>, %a: !A, %b: !B, %p: i1) kernel {
    // expected-error @+1 {{expected a target that has tcgen05.mma with K of 64 bytes (sm_107a, sm_107f), got sm_100a}}
    tcgen05.mma f8f6f4 %d, %a, %b lookup(%t : !tcgen05.tmem<128x8xf8E4M3FN, D, packed>) accumulate(%p) {wide_k} : !tcgen05.tmem<128x128xf32, D>, !A, !B
    gpu.return
  }
}

// -----

!A = memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>
!sl = !tcgen05.tmem<128x4xf8E8M0FNU, D, packed>
!sb = !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
// expected-note @+1 {{the target is named here}}
gpu.module @lane_scales [#nvvm.target<chip = "sm_100a", features = "+ptx88">] {
  gpu.func @kernel(%d: !tcgen05.tmem<128x128xf32, D>, %a: !A, %sa: !sl, %sb: !sb, %p: i1) kernel {
    // expected-error @+1 {{expected a target that has tcgen05.mma with factors of a in 128 lanes (sm_107a, sm_107f), got sm_100a (PTX ISA 9.4, 9.7.18.10.7.1}}
    tcgen05.mma_block_scale mxf8f6f4 %d, %a, %a scales %sa, %sb accumulate(%p) : !tcgen05.tmem<128x128xf32, D>, !A, !A, !sl, !sb
    gpu.return
  }
}

// -----

// Older chips have it, too, but not in older PTX.
gpu.module @exclusive [#nvvm.target<chip = "sm_100a", features = "+ptx90">] {
  gpu.func @kernel() workgroup(%slot : memref<1xi32, #gpu.address_space<workgroup>>) kernel {
    // expected-error @+1 {{expected the feature '+ptx94' or a later one for tcgen05.alloc.exclusive, got '+ptx90' (PTX ISA 9.4, 9.7.18.7}}
    tcgen05.alloc %slot, 96 exclusive : memref<1xi32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

!t = memref<128x64xi16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 16384>, #gpu.address_space<workgroup>>
// expected-note @+1 {{the target is named here}}
gpu.module @ti16 [#nvvm.target<chip = "sm_103a", features = "+ptx90">] {
  gpu.func @kernel(%d: !tcgen05.tmem<128x128xi32, D>, %a: !t, %p: i1) kernel {
    // expected-error @+1 {{expected a target that has tcgen05.mma of kind ti16 (sm_107a, sm_107f), got sm_103a (PTX ISA 9.4, 9.7.18.4.2 "Instruction descriptor")}}
    tcgen05.mma ti16 %d, %a, %a accumulate(%p) : !tcgen05.tmem<128x128xi32, D>, !t, !t
    gpu.return
  }
}

// -----

!n = memref<128x256xf4E2M1FN, #sm90.smem_layout<k_major, b128, bits = 4, slab = 16384>, #gpu.address_space<workgroup>>
!g = !tcgen05.tmem<128x16xf8E4M3FN, scales, packed>
// expected-note @+1 {{the target is named here}}
gpu.module @factors [#nvvm.target<chip = "sm_100a", features = "+ptx90">] {
  gpu.func @kernel(%d: !tcgen05.tmem<128x128xf32, D>, %a: !n, %s: !g, %p: i1) kernel {
    // expected-error @+1 {{expected a target that has tcgen05.mma with factors of ue5m3, or of ue4m3 for 32 elements (sm_107a, sm_107f), got sm_100a (PTX ISA 9.4, 9.7.18.10.7.1}}
    tcgen05.mma_block_scale mxf4nvf4 %d, %a, %a scales %s, %s accumulate(%p) : !tcgen05.tmem<128x128xf32, D>, !n, !n, !g, !g
    gpu.return
  }
}

// -----

// expected-note @+1 {{the target is named here}}
gpu.module @many [#nvvm.target<chip = "sm_100a", features = "+ptx90">] {
  gpu.func @kernel(%bar: !sm90.mbarrier, %mask: i32) kernel {
    // expected-error @+1 {{expected a target that has tcgen05.commit with .multicast::cluster::32b (sm_107a, sm_107f), got sm_100a}}
    tcgen05.commit %bar multicast32 %mask : !sm90.mbarrier
    gpu.return
  }
}

// -----

// Removed from sm_107.
!i = memref<128x64xi8, #sm90.smem_layout<k_major, b64, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>
// expected-note @+1 {{the target is named here}}
gpu.module @integers [#nvvm.target<chip = "sm_107a", features = "+ptx94">] {
  gpu.func @kernel(%d: !tcgen05.tmem<128x128xi32, D>, %a: !i, %p: i1) kernel {
    // expected-error @+1 {{expected a target that has tcgen05.mma of kind i8 (sm_100a, sm_110a), got sm_107a}}
    tcgen05.mma i8 %d, %a, %a accumulate(%p) : !tcgen05.tmem<128x128xi32, D>, !i, !i
    gpu.return
  }
}
