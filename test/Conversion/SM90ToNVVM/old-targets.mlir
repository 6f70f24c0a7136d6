// RUN: tc-opt %s -convert-sm90-to-nvvm -split-input-file -verify-diagnostics | FileCheck %s

// What has another form before sm_90.
gpu.module @kernels [#nvvm.target<chip = "sm_80">] {
  // CHECK-LABEL: gpu.func @forms
  gpu.func @forms(%b: !sm90.mbarrier, %parity: i32) -> i1 {
    // CHECK: nvvm.mbarrier.arrive %{{[^,]*}} :
    sm90.mbarrier.arrive %b : !sm90.mbarrier
    // CHECK: scf.while
    // CHECK: nvvm.mbarrier.test.wait
    sm90.mbarrier.wait_parity %b, %parity : !sm90.mbarrier
    // CHECK-NOT: fence.mbarrier
    sm90.fence_mbarrier_init
    // CHECK: %[[LANE:.*]] = nvvm.read.ptx.sreg.laneid
    // CHECK: llvm.icmp "eq" %[[LANE]], %{{.*}} : i32
    %0 = sm90.elect
    gpu.return %0 : i1
  }
}

// -----

// expected-note @below {{the target is named here}}
gpu.module @kernels [#nvvm.target<chip = "sm_80">] {
  gpu.func @group() {
    // expected-error @below {{expected a target that has TMA (sm_100a, sm_100f, sm_103a, sm_103f, sm_107f, sm_107a, sm_110a, sm_110f, sm_90a, sm_120a, sm_121a), got sm_80}}
    sm90.bulk_commit_group
    gpu.return
  }
}

// -----

// expected-note @below {{the target is named here}}
gpu.module @kernels [#nvvm.target<chip = "sm_89">] {
  gpu.func @fence() {
    // expected-error @below {{expected a target that has the instructions of sm_90 (}}
    sm90.fence_proxy_async shared_cta
    gpu.return
  }
}

// -----

!D = memref<16x32xbf16, #sm90.smem_layout<k_major, b64, bits = 16, slab = 512>, #gpu.address_space<workgroup>>
// expected-note @below {{the target is named here}}
gpu.module @kernels [#nvvm.target<chip = "sm_80">] {
  gpu.func @matrices(%d: !D, %v: vector<8xbf16>, %row: i32) {
    // expected-error @below {{expected a target that has stmatrix (}}
    sm90.stmatrix %v, %d[%row, 0] : vector<8xbf16>, !D
    gpu.return
  }
}

// -----

// A module that names no target has what the newest has.
gpu.module @kernels {
  gpu.func @any() {
    %0 = sm90.elect
    gpu.return
  }
}
