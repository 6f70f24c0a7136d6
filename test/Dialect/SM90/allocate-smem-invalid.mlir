// RUN: tc-opt %s -allow-unregistered-dialect -split-input-file -sm90-allocate-smem -verify-diagnostics

// The limit is that of the target, with static shared memory and padding.

!big = memref<131072xi8, #gpu.address_space<workgroup>>
gpu.module @m [#nvvm.target<chip = "sm_100a">] {
  // expected-error @below {{expected at most 232448 bytes of shared memory, got 263168 (262144 of allocations, 1008 of alignment, 16 of static shared memory): choose a smaller tile or fewer stages}}
  gpu.func @k() workgroup(%slot : memref<1xi32, #gpu.address_space<workgroup>>) kernel {
    // expected-note @below {{131072 bytes here}}
    %a = sm90.smem_alloc align 1024 : !big
    // expected-note @below {{131072 bytes here}}
    %b = sm90.smem_alloc align 1024 : !big
    "test.use"(%a, %b) : (!big, !big) -> ()
    gpu.return
  }
}

// -----

!bytes = memref<1024xi8, #gpu.address_space<workgroup>>
// expected-error @below {{expected a target whose shared memory is known (as #nvvm.target<chip = "sm_100a">), got none}}
gpu.module @m {
  gpu.func @k() kernel {
    %a = sm90.smem_alloc align 1024 : !bytes
    "test.use"(%a) : (!bytes) -> ()
    gpu.return
  }
}
