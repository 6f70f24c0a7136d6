// RUN: tc-opt %s -convert-sm90-to-nvvm -split-input-file -verify-diagnostics

// An accumulator in flight that two waits take would be copied before it is written.
!A = memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
!B = memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
func.func @awaited_twice(%a: !A, %b: !B, %zero: vector<32xf32>, %p: i1, %n: index) -> (vector<32xf32>, vector<32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (vector<32xf32>) {
    %in = sm90.wgmma.fence(%acc : vector<32xf32>)
    %d = sm90.wgmma.mma_async %in, %a, %b accumulate(%p) : vector<32xf32>, !A, !B
    sm90.wgmma.commit_group
    %go = sm90.wgmma.wait_group 1 (%d : vector<32xf32>)
    scf.yield %go : vector<32xf32>
  }
  // expected-note @below {{used here}}
  %one = sm90.wgmma.wait_group 0 (%sum : vector<32xf32>)
  // expected-error @below {{expected each of values, which are in flight, to have no other use, got one with 2 uses}}
  %two = sm90.wgmma.wait_group 0 (%sum : vector<32xf32>)
  return %one, %two : vector<32xf32>, vector<32xf32>
}
