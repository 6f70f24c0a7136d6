// RUN: tc-opt %s -convert-sm80-to-nvvm -split-input-file -verify-diagnostics | FileCheck %s

// Any known target has what sm_80 has.
gpu.module @kernels [#nvvm.target<chip = "sm_80">] {
  // CHECK-LABEL: gpu.func @copies
  gpu.func @copies(%b: !sm90.mbarrier) {
    // CHECK: nvvm.cp.async.mbarrier.arrive
    sm80.cp_async_arrive %b : !sm90.mbarrier
    gpu.return
  }
}

// -----

!A = memref<16x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 2048>, #gpu.address_space<workgroup>>
!B = memref<8x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 1024>, #gpu.address_space<workgroup>>
// expected-note @below {{the target is named here}}
gpu.module @kernels [#nvvm.target<chip = "sm_86">] {
  gpu.func @bytes(%a: !A, %b: !B, %d: vector<4xf32>, %row: i32) {
    // expected-error @below {{expected a target that has mma.sync of fp8 (}}
    %0 = sm80.mma_sync %d, %a, %b row(%row) : vector<4xf32>, !A, !B
    gpu.return
  }
}

// -----

!A = memref<64x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 8192>, #gpu.address_space<workgroup>>
!B = memref<72x128xf8E5M2, #sm90.smem_layout<k_major, b128, bits = 8, slab = 9216>, #gpu.address_space<workgroup>>
!S = memref<1x2x256xf8E8M0FNU, #gpu.address_space<workgroup>>
// expected-note @below {{the target is named here}}
gpu.module @kernels [#nvvm.target<chip = "sm_90a">] {
  gpu.func @scaled(%a: !A, %b: !B, %s: !S, %d: vector<36xf32>, %row: i32) {
    // expected-error @below {{expected a target that has mma.sync with scale factors (sm_120a, sm_121a)}}
    %0 = sm80.mma_sync %d, %a, %b row(%row) scales(%s, %s) : vector<36xf32>, !A, !B, !S, !S
    gpu.return
  }
}

// -----

// expected-note @below {{the target is named here}}
gpu.module @kernels [#nvvm.target<chip = "sm_75">] {
  gpu.func @too_old(%b: !sm90.mbarrier) {
    // expected-error @below {{expected a target that has cp.async (sm_100a, sm_100f, sm_103a, sm_103f, sm_107f, sm_107a, sm_110a, sm_110f, sm_90a, sm_120a, sm_121a, sm_80, sm_86, sm_89), got sm_75 (PTX ISA}}
    sm80.cp_async_arrive %b : !sm90.mbarrier
    gpu.return
  }
}

// -----

// expected-note @below {{the target is named here}}
gpu.module @kernels [#nvvm.target<chip = "gfx90a">] {
  gpu.func @too_old(%b: !sm90.mbarrier) {
    // expected-error @below {{expected a target that has cp.async (sm_100a, sm_100f, sm_103a, sm_103f, sm_107f, sm_107a, sm_110a, sm_110f, sm_90a, sm_120a, sm_121a, sm_80, sm_86, sm_89), got gfx90a (PTX ISA}}
    sm80.cp_async_arrive %b : !sm90.mbarrier
    gpu.return
  }
}

// -----

!A = memref<16x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 2048>, #gpu.address_space<workgroup>>
!B = memref<8x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 1024>, #gpu.address_space<workgroup>>
// expected-note @below {{the target is named here}}
gpu.module @kernels [#nvvm.target<chip = "sm_70">] {
  gpu.func @too_old_for_mma(%a: !A, %b: !B, %d: vector<4xf32>, %row: i32) {
    // expected-error @below {{expected a target that has mma.sync of sm_80 (}}
    %0 = sm80.mma_sync %d, %a, %b row(%row) : vector<4xf32>, !A, !B
    gpu.return
  }
}
