// RUN: tc-opt %s --mlir-print-local-scope -convert-tmm-tiles | FileCheck %s

// A row of 80 columns is read and written in pieces of a power of two; a warp whose factors are all 1 does neither.

!acc = !tmm.buffer<128x80xf32, #tcgen05.tmem>
gpu.module @m [#nvvm.target<chip = "sm_100a">] {
  // CHECK-LABEL: gpu.func @rows
  // CHECK: %[[FACTOR:.*]] = vector.extract %{{.*}}[0]
  // CHECK: %[[CHANGES:.*]] = arith.cmpf une, %[[FACTOR]], %{{.*}}
  // CHECK: %[[ANY:.*]] = nvvm.vote.sync any %{{.*}}, %[[CHANGES]]
  // CHECK: scf.if %[[ANY]] {
  // CHECK:   tcgen05.ld %{{.*}} : !tcgen05.tmem<32x32xf32, D> to vector<32xf32>
  // CHECK:   tcgen05.wait ld
  // CHECK:   arith.mulf
  // CHECK:   tcgen05.st
  // CHECK:   tcgen05.ld %{{.*}} : !tcgen05.tmem<32x32xf32, D> to vector<32xf32>
  // CHECK:   tcgen05.ld %{{.*}} : !tcgen05.tmem<32x16xf32, D> to vector<16xf32>
  // CHECK:   tcgen05.st
  // CHECK-NEXT: tcgen05.wait st
  // CHECK-NEXT: }
  gpu.func @rows(%f: vector<1xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %s = tmm.storage : <!acc, depth = 1>
    %t = tmm.slot %s[%c0] : <!acc, depth = 1>
    tmm.rescale %t by %f layout(#tcgen05.rows) : !acc, vector<1xf32>
    gpu.return
  }
  // CHECK-LABEL: gpu.func @read
  // CHECK: %[[A:.*]] = tcgen05.ld %{{.*}} : !tcgen05.tmem<32x64xf32, D> to vector<64xf32>
  // CHECK: %[[B:.*]] = tcgen05.ld %{{.*}} : !tcgen05.tmem<32x16xf32, D> to vector<16xf32>
  // CHECK: tcgen05.wait ld(%[[A]], %[[B]] :
  // CHECK: vector.insert_strided_slice
  gpu.func @read(%d: memref<128x80xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %true = arith.constant true
    %s = tmm.storage : <!acc, depth = 1>
    %t = tmm.slot %s[%c0] : <!acc, depth = 1>
    %r = tmm.read %t[%c0] if %true layout(#tcgen05.rows) : !acc -> vector<80xf32>
    %row = gpu.thread_id x
    vector.store %r, %d[%row, %row] : memref<128x80xf32>, vector<80xf32>
    gpu.return
  }
}
