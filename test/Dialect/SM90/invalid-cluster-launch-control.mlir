// RUN: tc-opt %s -split-input-file -verify-diagnostics

func.func @try_cancel_bad_response(%r: memref<4xi32, #gpu.address_space<workgroup>>, %b: !sm90.mbarrier) {
  // expected-error @+1 {{operand #0 must be memref<2xi64> in workgroup memory, but got 'memref<4xi32, #gpu.address_space<workgroup>>'}}
  sm90.clusterlaunchcontrol.try_cancel %r, %b : memref<4xi32, #gpu.address_space<workgroup>>, !sm90.mbarrier
  return
}

// -----

func.func @try_cancel_bad_barrier(%r: memref<2xi64, #gpu.address_space<workgroup>>, %b: !sm90.cluster_mbarrier) {
  // expected-error @+1 {{operand #1 must be an mbarrier object in shared memory, but got '!sm90.cluster_mbarrier'}}
  sm90.clusterlaunchcontrol.try_cancel %r, %b : memref<2xi64, #gpu.address_space<workgroup>>, !sm90.cluster_mbarrier
  return
}

// -----

func.func @sm90_clusterlaunchcontrol_try_cancel_c1_bad_offset(%smem: memref<64xi8, #gpu.address_space<workgroup>>, %b: !sm90.mbarrier) {
  // expected-note @+1 {{the offset is given here}}
  %r = sm90.smem_view %smem[8] : memref<64xi8, #gpu.address_space<workgroup>> to memref<2xi64, #gpu.address_space<workgroup>>
  // expected-error @+1 {{expected a response at a multiple of 16 bytes, got 8, the nearest is 16 (PTX ISA 9.0, 9.7.13.17 "Parallel Synchronization and Communication Instructions: clusterlaunchcontrol.try_cancel")}}
  sm90.clusterlaunchcontrol.try_cancel %r, %b : memref<2xi64, #gpu.address_space<workgroup>>, !sm90.mbarrier
  return
}
