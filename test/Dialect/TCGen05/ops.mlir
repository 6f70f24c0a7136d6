// Every operation parses and prints, in its own form and in the generic one.
// RUN: tc-opt %s | tc-opt --mlir-print-local-scope | FileCheck %s
// RUN: tc-opt %s -mlir-print-op-generic | tc-opt --mlir-print-local-scope | FileCheck %s

!slot = memref<1xi32, #gpu.address_space<workgroup>>
!a = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
!b = memref<64x64xbf16, #sm90.smem_layout<mn_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
!d = !tcgen05.tmem<128x64xf32, D>

// CHECK-LABEL: func.func @reserve
func.func @reserve() {
  // CHECK: tcgen05.reserve : !tcgen05.tmem<128x128xf32, D>
  %acc = tcgen05.reserve : !tcgen05.tmem<128x128xf32, D>
  return
}

// CHECK-LABEL: func.func @allocation
// CHECK-SAME: (%[[SLOT:.*]]: memref<1xi32, #gpu.address_space<workgroup>>)
func.func @allocation(%slot: !slot) {
  // CHECK: tcgen05.alloc %[[SLOT]], 256 : memref<1xi32, #gpu.address_space<workgroup>>
  tcgen05.alloc %slot, 256 : !slot
  // CHECK: tcgen05.alloc %[[SLOT]], 512 cta_group 2 : memref
  tcgen05.alloc %slot, 512 cta_group 2 : !slot
  // CHECK: tcgen05.relinquish_alloc_permit{{$}}
  tcgen05.relinquish_alloc_permit
  // CHECK: tcgen05.relinquish_alloc_permit cta_group 2
  tcgen05.relinquish_alloc_permit cta_group 2
  // CHECK: %[[TMEM:.*]] = tcgen05.address %[[SLOT]] : memref<1xi32, #gpu.address_space<workgroup>> to !tcgen05.tmem<128x256xi32, raw>
  %tmem = tcgen05.address %slot : !slot to !tcgen05.tmem<128x256xi32, raw>
  // CHECK: tcgen05.dealloc %[[TMEM]] : !tcgen05.tmem<128x256xi32, raw>
  tcgen05.dealloc %tmem : !tcgen05.tmem<128x256xi32, raw>
  // CHECK: tcgen05.dealloc %[[TMEM]] cta_group 2 : !tcgen05.tmem<128x256xi32, raw>
  tcgen05.dealloc %tmem cta_group 2 : !tcgen05.tmem<128x256xi32, raw>
  return
}

// CHECK-LABEL: func.func @regions
// CHECK-SAME: (%[[TMEM:.*]]: !tcgen05.tmem<128x256xi32, raw>, %[[N:.*]]: index)
func.func @regions(%tmem: !tcgen05.tmem<128x256xi32, raw>, %n: index) {
  // CHECK: %[[D:.*]] = tcgen05.slice %[[TMEM]][64] : !tcgen05.tmem<128x256xi32, raw> to !tcgen05.tmem<128x128xf32, D>
  %d = tcgen05.slice %tmem[64] : !tcgen05.tmem<128x256xi32, raw> to !tcgen05.tmem<128x128xf32, D>
  // CHECK: tcgen05.slice %[[TMEM]][%[[N]]] : !tcgen05.tmem<128x256xi32, raw> to !tcgen05.tmem<64x128xf32, F>
  %f = tcgen05.slice %tmem[%n] : !tcgen05.tmem<128x256xi32, raw> to !tcgen05.tmem<64x128xf32, F>
  // CHECK: %[[W:.*]] = tcgen05.warp_window %[[D]] : !tcgen05.tmem<128x128xf32, D>
  %w = tcgen05.warp_window %d : !tcgen05.tmem<128x128xf32, D>
  // CHECK: tcgen05.slice %[[W]][32] : !tcgen05.tmem<32x128xf32, D> to !tcgen05.tmem<32x32xf32, D>
  %p = tcgen05.slice %w[32] : !tcgen05.tmem<32x128xf32, D> to !tcgen05.tmem<32x32xf32, D>
  return
}

// CHECK-LABEL: func.func @mma
// CHECK-SAME: (%[[D:.*]]: !tcgen05.tmem<128x64xf32, D>, %[[A:.*]]: memref<128x64xbf16{{.*}}>, %[[B:.*]]: memref<64x64xbf16{{.*}}>, %[[P:.*]]: i1)
func.func @mma(%d: !d, %a: !a, %b: !b, %p: i1) {
  // CHECK: tcgen05.mma f16 %[[D]], %[[A]], %[[B]] accumulate(%[[P]]) : !tcgen05.tmem<128x64xf32, D>
  tcgen05.mma f16 %d, %a, %b accumulate(%p) : !d, !a, !b
  // CHECK: tcgen05.mma f16 %[[D]], %[[A]], %[[B]] accumulate(%[[P]]) collector fill {a_k = 16 : i64, b_k = 32 : i64, negate_a, scale_d = 3 : i32}
  tcgen05.mma f16 %d, %a, %b accumulate(%p) collector fill
      {a_k = 16 : i64, b_k = 32 : i64, scale_d = 3 : i32, negate_a} : !d, !a, !b
  return
}

// CHECK-LABEL: func.func @mma_pair
func.func @mma_pair(%d: !tcgen05.tmem<128x128xf32, A>, %a: !a, %b: !b, %p: i1) {
  // CHECK: tcgen05.mma f16 cta_group 2 %{{.*}}, %{{.*}}, %{{.*}} accumulate(%{{.*}}) : !tcgen05.tmem<128x128xf32, A>
  tcgen05.mma f16 cta_group 2 %d, %a, %b accumulate(%p) : !tcgen05.tmem<128x128xf32, A>, !a, !b
  return
}

// CHECK-LABEL: func.func @commit
// CHECK-SAME: (%[[BAR:.*]]: !sm90.mbarrier, %[[MASK:.*]]: i16)
func.func @commit(%bar: !sm90.mbarrier, %mask: i16) {
  // CHECK: tcgen05.commit %[[BAR]] : !sm90.mbarrier
  tcgen05.commit %bar : !sm90.mbarrier
  // CHECK: tcgen05.commit %[[BAR]] multicast %[[MASK]] cta_group 2 : !sm90.mbarrier
  tcgen05.commit %bar multicast %mask cta_group 2 : !sm90.mbarrier
  return
}

// CHECK-LABEL: func.func @load
// CHECK-SAME: (%[[W:.*]]: !tcgen05.tmem<32x64xf32, D>, %[[H:.*]]: !tcgen05.tmem<32x1xf16, D>)
func.func @load(%w: !tcgen05.tmem<32x64xf32, D>, %h: !tcgen05.tmem<32x1xf16, D>) {
  // CHECK: %[[V:.*]] = tcgen05.ld %[[W]] : !tcgen05.tmem<32x64xf32, D> to vector<64xf32>
  %v = tcgen05.ld %w : !tcgen05.tmem<32x64xf32, D> to vector<64xf32>
  // CHECK: %[[U:.*]] = tcgen05.ld %[[H]] : !tcgen05.tmem<32x1xf16, D> to vector<1xi32>
  %u = tcgen05.ld %h : !tcgen05.tmem<32x1xf16, D> to vector<1xi32>
  // CHECK: tcgen05.st %{{.*}}, %[[W]] : vector<64xf32> to !tcgen05.tmem<32x64xf32, D>
  %zeros = arith.constant dense<0.0> : vector<64xf32>
  tcgen05.st %zeros, %w : vector<64xf32> to !tcgen05.tmem<32x64xf32, D>
  // CHECK: %{{.*}}:2 = tcgen05.wait ld(%[[V]], %[[U]] : vector<64xf32>, vector<1xi32>)
  %read:2 = tcgen05.wait ld(%v, %u : vector<64xf32>, vector<1xi32>)
  // CHECK: tcgen05.wait ld{{$}}
  tcgen05.wait ld
  // CHECK: tcgen05.wait st
  tcgen05.wait st
  // CHECK: tcgen05.fence before
  tcgen05.fence before
  // CHECK: tcgen05.fence after
  tcgen05.fence after
  return
}
