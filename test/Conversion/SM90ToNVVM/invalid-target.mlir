// RUN: tc-opt %s -convert-sm90-to-nvvm -split-input-file -verify-diagnostics

// expected-note @+1 {{the target is named here}}
gpu.module @no_wgmma [#nvvm.target<chip = "sm_100a">] {
  gpu.func @k() kernel {
    // expected-error @+1 {{expected a target that has wgmma (sm_90a), got sm_100a (PTX ISA 9.0, 9.7.15.5.2 "Asynchronous Multiply-and-Accumulate Instruction: wgmma.mma_async")}}
    sm90.wgmma.commit_group
    gpu.return
  }
}

// -----

// expected-note @+1 {{the target is named here}}
gpu.module @no_work_stealing [#nvvm.target<chip = "sm_90a">] {
  gpu.func @k(%r: memref<2xi64, #gpu.address_space<workgroup>>) kernel {
    // expected-error @+1 {{expected a target that has clusterlaunchcontrol (sm_100a, sm_100f, sm_103a, sm_103f, sm_107f, sm_107a, sm_110a, sm_110f, sm_120a, sm_121a), got sm_90a}}
    %c, %x, %y, %z = sm90.clusterlaunchcontrol.query %r : memref<2xi64, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

// expected-note @+1 {{the target is named here}}
gpu.module @no_st_async [#nvvm.target<chip = "sm_80">] {
  gpu.func @k(%v: i32, %w: memref<1xi32, #gpu.address_space<workgroup>>, %b: !sm90.mbarrier) kernel {
    // expected-error @+1 {{expected a target that has st.async (sm_100a, sm_100f, sm_103a, sm_103f, sm_107f, sm_107a, sm_110a, sm_110f, sm_90a, sm_120a, sm_121a), got sm_80 (PTX ISA 9.0, 9.7.9.12}}
    sm90.st_async %v, %w, %b : memref<1xi32, #gpu.address_space<workgroup>>, !sm90.mbarrier
    gpu.return
  }
}

// -----

!map = !sm90.tensor_map<128x64xbf16, b128>
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 16384>, #gpu.address_space<workgroup>>
// expected-note @+1 {{the target is named here}}
gpu.module @no_override [#nvvm.target<chip = "sm_100a">] {
  gpu.func @k(%map: !map, %a: !a, %b: !sm90.mbarrier, %i: index, %x: i64) kernel {
    // expected-error @+1 {{expected a target that has TMA with .override::global_address (sm_107f, sm_107a), got sm_100a (PTX ISA 9.4, 9.7.10.28.5.2}}
    sm90.tma_load %map[%i, %i], %a, %b address %x : !map, !a, !sm90.mbarrier
    gpu.return
  }
}

// -----

!map = !sm90.tensor_map<128x64xbf16, b128>
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 16384>, #gpu.address_space<workgroup>>
// expected-note @+1 {{the target is named here}}
gpu.module @no_report [#nvvm.target<chip = "sm_103a">] {
  gpu.func @k(%map: !map, %a: !a, %b: !sm90.mbarrier, %i: index) kernel {
    // expected-error @+1 {{expected a target that has TMA with .mbarrier::report (sm_107f, sm_107a), got sm_103a (PTX ISA 9.4, 9.7.10.28.1.3}}
    sm90.tma_load %map[%i, %i], %a, %b report neg_zero16 : !map, !a, !sm90.mbarrier
    gpu.return
  }
}

// -----

!map = !sm90.tensor_map<128x64xbf16, b128>
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 16384>, #gpu.address_space<workgroup>>
// expected-note @+1 {{the target is named here}}
gpu.module @no_wide_mask [#nvvm.target<chip = "sm_90a">] {
  gpu.func @k(%map: !map, %a: !a, %b: !sm90.mbarrier, %i: index, %m: i32) kernel {
    // expected-error @+1 {{expected a target that has TMA with .multicast::cluster::32b (sm_107f, sm_107a), got sm_90a}}
    sm90.tma_load %map[%i, %i], %a, %b multicast32 %m : !map, !a, !sm90.mbarrier
    gpu.return
  }
}

// -----

// expected-note @+1 {{the target is named here}}
gpu.module @no_arrivals [#nvvm.target<chip = "sm_100f">] {
  gpu.func @k(%b: !sm90.mbarrier, %m: i32) kernel {
    // expected-error @+1 {{expected a target that has mbarrier.arrive with .multicast::cluster::32b (sm_107f, sm_107a), got sm_100f (PTX ISA 9.4, 9.7.15.16.16}}
    sm90.mbarrier.arrive %b multicast32 %m : !sm90.mbarrier
    gpu.return
  }
}

// -----

// All chips with TMA have them, from a later version of PTX on.
gpu.module @old_version [#nvvm.target<chip = "sm_90a", features = "+ptx90">] {
  gpu.func @k(%b: !sm90.mbarrier) kernel {
    // expected-error @+1 {{expected the feature '+ptx93' or a later one for mbarriers of layout v1, got '+ptx90' (PTX ISA 9.4, 9.7.15.16.2}}
    sm90.mbarrier.init %b, 1 {reports} : !sm90.mbarrier
    gpu.return
  }
}

// -----

// Without either, any target will do.
gpu.module @other [#nvvm.target<chip = "sm_90a">] {
  gpu.func @k() kernel {
    sm90.fence_mbarrier_init
    gpu.return
  }
}
