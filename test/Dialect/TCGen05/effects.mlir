// Tensor Memory effects are seen: an unused load goes, an instruction that
// writes an accumulator and two loads around it stay.
// RUN: tc-opt %s -cse -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @loads
func.func @loads(%w: !tcgen05.tmem<32x8xf32, D>, %d: !tcgen05.tmem<128x8xf32, D>,
    %a: memref<128x16xbf16, #sm90.smem_layout<k_major, b32, bits = 16, slab = 2048>, #gpu.address_space<workgroup>>,
    %b: memref<8x16xbf16, #sm90.smem_layout<k_major, b32, bits = 16, slab = 128>, #gpu.address_space<workgroup>>,
    %p: i1) -> (vector<8xf32>, vector<8xf32>) {
  // CHECK: %[[V0:.*]] = tcgen05.ld
  %v0 = tcgen05.ld %w : !tcgen05.tmem<32x8xf32, D> to vector<8xf32>
  // CHECK-NEXT: tcgen05.mma
  tcgen05.mma f16 %d, %a, %b accumulate(%p) : !tcgen05.tmem<128x8xf32, D>,
    memref<128x16xbf16, #sm90.smem_layout<k_major, b32, bits = 16, slab = 2048>, #gpu.address_space<workgroup>>,
    memref<8x16xbf16, #sm90.smem_layout<k_major, b32, bits = 16, slab = 128>, #gpu.address_space<workgroup>>
  // CHECK-NEXT: %[[V1:.*]] = tcgen05.ld
  %v1 = tcgen05.ld %w : !tcgen05.tmem<32x8xf32, D> to vector<8xf32>
  // CHECK-NEXT: %[[W:.*]]:2 = tcgen05.wait ld(%[[V0]], %[[V1]] :
  %w01:2 = tcgen05.wait ld(%v0, %v1 : vector<8xf32>, vector<8xf32>)
  // CHECK-NEXT: return %[[W]]#0, %[[W]]#1
  return %w01#0, %w01#1 : vector<8xf32>, vector<8xf32>
}
