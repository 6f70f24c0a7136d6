// RUN: tc-opt %s --mlir-print-local-scope -split-input-file -convert-tmm-pipelines-to-sm90 -convert-tmm-kernel-interface-to-sm90 -tmm-distribute -convert-tmm-tiles -convert-tmm-roles-to-sm90 -sm90-allocate-smem -canonicalize -cse | FileCheck %s

// Metadata of a K-block of 256: two blocks. In memory one is two rows of the widest
// box; a copy to Tensor Memory brings its 4 columns. Of 16 bits an instruction takes
// 32 elements of B, 16 of A, and selects one of two columns. After the first, an
// instruction is issued only where K goes on.

#pair = #tmm.ctas<2, along = [0]>
!a = !tmm.buffer<128x128xbf16, #sm90.smem<k_major, b128>>
!b = !tmm.buffer<128x256xbf16, #sm90.smem<k_major, b128>>
!e = !tmm.buffer<128x8xi32, #sm90.smem<blocked, none>>
!ce = !tmm.buffer<128x8xi32, #tcgen05.metadata<16>>
!acc = !tmm.buffer<128x256xf32, #tcgen05.tmem<ctas = 2>>
!ring = !tmm.pipeline<(!a, !b, !e), depth = 2>
!metadata = !tmm.pipeline<(!ce), depth = 3>
!accs = !tmm.pipeline<(!acc), depth = 1>

// CHECK-LABEL: func.func @host
// CHECK-DAG: sm90.tensor_map.encode %{{.*}}[0] dims [2, 10, 256] strides [10240, 1024] l2_promotion l2_256b : memref<2x5x128x4xi32> to !sm90.tensor_map<1x4x256xi32, none>
// CHECK-LABEL: gpu.func @k
// CHECK-DAG: %[[RING:.*]] = tcgen05.reserve : !tcgen05.tmem<128x24xi32, metadata16>
// CHECK: scf.for
// CHECK: sm90.tma_load %{{.*}} : !sm90.tensor_map<1x4x256xi32, none>, memref<1x4x256xi32, #gpu.address_space<workgroup>>
// CHECK: %[[E:.*]] = tcgen05.slice %[[RING]][%{{.*}}] : !tcgen05.tmem<128x24xi32, metadata16> to !tcgen05.tmem<128x8xi32, metadata16>
// CHECK: %[[E0:.*]] = tcgen05.slice %[[E]][0] : !tcgen05.tmem<128x8xi32, metadata16> to !tcgen05.tmem<128x4xi32, metadata16>
// CHECK: tcgen05.cp %{{.*}}, %[[E0]] shape "128x128b" cta_group 2 : memref<128x4xi32, #gpu.address_space<workgroup>>
// CHECK: arith.addi %{{.*}}, %c2048
// CHECK: %[[E1:.*]] = tcgen05.slice %[[E]][4]
// CHECK: tcgen05.cp %{{.*}}, %[[E1]] shape "128x128b" cta_group 2
// CHECK: %[[E:.*]] = tcgen05.slice %[[RING]][%{{.*}}]
// CHECK: %[[TWO:.*]] = tcgen05.slice %[[E]][0] : {{.*}} to !tcgen05.tmem<128x2xi32, metadata16>
// CHECK: tcgen05.mma f16 cta_group 2 %{{.*}} sparse(%[[TWO]] : !tcgen05.tmem<128x2xi32, metadata16>) accumulate(%{{.*}}) :
// CHECK: arith.cmpi sgt, %[[REST:.*]], %c32_i32
// CHECK: scf.if
// CHECK: tcgen05.mma {{.*}} sparse(%{{.*}}) accumulate(%true) {a_k = 16 : i64, b_k = 32 : i64, selector = 1 : i32}
// CHECK: arith.cmpi sgt, %[[REST]], %c64_i32
// CHECK: %[[TWO:.*]] = tcgen05.slice %[[E]][2]
// CHECK: tcgen05.mma {{.*}} sparse(%[[TWO]] : {{.*}}) accumulate(%true) {a_k = 32 : i64, b_k = 64 : i64}
// CHECK: arith.cmpi sgt, %[[REST]], %c224_i32
// CHECK: %[[TWO:.*]] = tcgen05.slice %[[E]][6]
// CHECK: tcgen05.mma {{.*}} sparse(%[[TWO]] : {{.*}}) accumulate(%true) {a_k = 112 : i64, b_k = 224 : i64, selector = 1 : i32}
module attributes {gpu.container_module} {
  func.func @host(%a: memref<256x272xbf16>, %b: memref<256x544xbf16>, %e: memref<2x5x128x4xi32>, %d: memref<256x256xf32>) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c128 = arith.constant 128 : index
    gpu.launch_func @m::@k clusters in (%c2, %c1, %c1) blocks in (%c2, %c1, %c1) threads in (%c128, %c1, %c1)
      args(%a : memref<256x272xbf16>, %b : memref<256x544xbf16>, %e : memref<2x5x128x4xi32>, %d : memref<256x256xf32>)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    gpu.func @k(%a: memref<256x272xbf16>, %b: memref<256x544xbf16>, %e: memref<2x5x128x4xi32>, %d: memref<256x256xf32>) kernel
        attributes {known_block_size = array<i32: 128, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c3 = arith.constant 3 : i32
      %c8 = arith.constant 8 : i32
      %c128 = arith.constant 128 : i32
      %c256 = arith.constant 256 : i32
      %c544 = arith.constant 544 : i32
      %true = arith.constant true
      %ring = tmm.pipeline : !ring
      %metadata = tmm.pipeline : !metadata
      %accs = tmm.pipeline : !accs
      %p0 = tmm.pipeline_start %ring : !ring
      %s0 = tmm.pipeline_start %metadata : !metadata
      %q0 = tmm.pipeline_start %accs : !accs
      %acc = tmm.producer_acquire %accs[%q0] : !accs
      %s:4 = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %p0, %c = %p0, %sp = %s0, %sc = %s0) -> (!tmm.pipeline_state, !tmm.pipeline_state, !tmm.pipeline_state, !tmm.pipeline_state) : i32 {
        %k = arith.muli %i, %c256 : i32
        %half = arith.muli %i, %c128 : i32
        %j = arith.muli %i, %c8 : i32
        %rest = arith.subi %c544, %k : i32
        %more = arith.cmpi ne, %i, %c0 : i32
        %ta, %tb, %te = tmm.producer_acquire %ring[%p] : !ring
        tmm.load %a[%c0, %half], %ta by(#sm90.tma) : memref<256x272xbf16>, !a
        tmm.load %b[%c0, %k], %tb by(#sm90.tma) : memref<256x544xbf16>, !b
        tmm.load %e[%c0, %j], %te blocked by(#sm90.tma) : memref<2x5x128x4xi32>, !e
        %p1 = tmm.producer_commit %ring[%p] : !ring
        %ra, %rb, %re = tmm.consumer_wait %ring[%c] : !ring
        %ce = tmm.producer_acquire %metadata[%sp] : !metadata
        tmm.copy %re, %ce over #pair by(#tcgen05.cp) : !e, !ce
        %sp1 = tmm.producer_commit %metadata[%sp] : !metadata
        %xe = tmm.consumer_wait %metadata[%sc] : !metadata
        tmm.mma %ra, %rb, %acc metadata(%xe : !ce) extent(%rest) accumulate(%more) over #pair by(#tcgen05.mma) : !a, !b, !acc
        %sc1 = tmm.consumer_release %metadata[%sc] : !metadata
        %n1 = tmm.consumer_release %ring[%c] : !ring
        scf.yield %p1, %n1, %sp1, %sc1 : !tmm.pipeline_state, !tmm.pipeline_state, !tmm.pipeline_state, !tmm.pipeline_state
      }
      %q1 = tmm.producer_commit %accs[%q0] : !accs
      %done = tmm.consumer_wait %accs[%q0] : !accs
      %r = tmm.read %done[%c0] if %true layout(#tcgen05.rows) : !acc -> vector<128x32xf32>
      tmm.store %r, %d[%c0, %c0] in_bounds [true, true] layout(#tcgen05.rows) : vector<128x32xf32>, memref<256x256xf32>
      %e1 = tmm.consumer_release %accs[%q0] : !accs
      tmm.producer_tail %ring[%s#0] : !ring
      tmm.producer_tail %metadata[%s#2] : !metadata
      tmm.producer_tail %accs[%q1] : !accs
      gpu.return
    }
  }
}
