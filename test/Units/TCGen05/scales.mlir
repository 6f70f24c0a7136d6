// RUN: tc-opt %s --mlir-print-local-scope -convert-tmm-pipelines-to-sm90 -convert-tmm-kernel-interface-to-sm90 -tmm-distribute -convert-tmm-tiles -convert-tmm-roles-to-sm90 -sm90-allocate-smem -canonicalize -cse | FileCheck %s

// Factors of a K-block of 256: two blocks of 4 along K for each 128 rows. A copy of
// TMA brings all of an operand, rows of 256 bytes, two for each block; a copy to
// Tensor Memory brings one block to 4 columns, the rows of one block along K next
// to each other. After the first, an instruction is issued only where K goes on.

#pair = #tmm.ctas<2, along = [0]>
!a = !tmm.buffer<128x256xf8E4M3FN, #sm90.smem<k_major, b128>>
!fa = !tmm.buffer<128x8xf8E8M0FNU, #sm90.smem<blocked, none>>
!fb = !tmm.buffer<256x8xf8E8M0FNU, #sm90.smem<blocked, none>>
!ca = !tmm.buffer<128x8xf8E8M0FNU, #tcgen05.scales>
!cb = !tmm.buffer<256x8xf8E8M0FNU, #tcgen05.scales>
!acc = !tmm.buffer<128x256xf32, #tcgen05.tmem<ctas = 2>>
!ring = !tmm.pipeline<(!a, !a, !fa, !fb), depth = 2>
!scales = !tmm.pipeline<(!ca, !cb), depth = 3>
!accs = !tmm.pipeline<(!acc), depth = 1>

// CHECK-LABEL: func.func @host
// CHECK-DAG: sm90.tensor_map.encode %{{.*}}[0] dims [2, 10, 256] strides [2560, 256] l2_promotion l2_256b : memref<2x5x32x4x4xf8E8M0FNU> to !sm90.tensor_map<1x4x256xf8E8M0FNU, none>
// CHECK-DAG: sm90.tensor_map.encode %{{.*}}[0] dims [2, 10, 256] strides [2560, 256] l2_promotion l2_256b : memref<2x5x32x4x4xf8E8M0FNU> to !sm90.tensor_map<2x4x256xf8E8M0FNU, none>
// CHECK-LABEL: gpu.func @k
// CHECK-DAG: %[[SA:.*]] = tcgen05.reserve : !tcgen05.tmem<128x96xf8E8M0FNU, scales, packed>
// CHECK-DAG: %[[SB:.*]] = tcgen05.reserve : !tcgen05.tmem<128x192xf8E8M0FNU, scales, packed>
// CHECK: scf.for
// CHECK: sm90.tma_load %{{.*}} : !sm90.tensor_map<1x4x256xf8E8M0FNU, none>, memref<1x4x256xf8E8M0FNU, #gpu.address_space<workgroup>>
// CHECK: sm90.tma_load %{{.*}} : !sm90.tensor_map<2x4x256xf8E8M0FNU, none>, memref<2x4x256xf8E8M0FNU, #gpu.address_space<workgroup>>
// CHECK: %[[A:.*]] = tcgen05.slice %[[SA]][%{{.*}}] : {{.*}} to !tcgen05.tmem<128x32xf8E8M0FNU, scales, packed>
// CHECK: %[[B:.*]] = tcgen05.slice %[[SB]][%{{.*}}] : {{.*}} to !tcgen05.tmem<128x64xf8E8M0FNU, scales, packed>
// CHECK-COUNT-2: tcgen05.cp %{{.*}} cta_group 2
// The blocks of B: rows 0 and 128 of the first 4 factors, then of the others.
// CHECK: %[[B0:.*]] = tcgen05.slice %[[B]][0]
// CHECK: tcgen05.cp %{{.*}}, %[[B0]] cta_group 2
// CHECK: arith.addi %[[AT:.*]], %c1024
// CHECK: %[[B1:.*]] = tcgen05.slice %[[B]][4]
// CHECK: tcgen05.cp %{{.*}}, %[[B1]] cta_group 2
// CHECK: arith.addi %[[AT]], %c512
// CHECK: %[[B2:.*]] = tcgen05.slice %[[B]][8]
// CHECK: tcgen05.cp %{{.*}}, %[[B2]] cta_group 2
// CHECK: %[[B3:.*]] = tcgen05.slice %[[B]][12]
// CHECK: tcgen05.cp %{{.*}}, %[[B3]] cta_group 2
// CHECK: %[[A:.*]] = tcgen05.slice %[[SA]][%{{.*}}]
// CHECK: %[[B:.*]] = tcgen05.slice %[[SB]][%{{.*}}]
// CHECK: %[[A0:.*]] = tcgen05.slice %[[A]][0] : {{.*}} to !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
// CHECK: %[[B0:.*]] = tcgen05.slice %[[B]][0] : {{.*}} to !tcgen05.tmem<128x32xf8E8M0FNU, scales, packed>
// CHECK: tcgen05.mma_block_scale mxf8f6f4 cta_group 2 %{{.*}} scales %[[A0]], %[[B0]] accumulate(%{{.*}}) :
// CHECK: %[[P:.*]] = arith.cmpi sgt, %[[REST:.*]], %c32_i32
// CHECK: scf.if %[[P]]
// CHECK: tcgen05.mma_block_scale {{.*}} accumulate(%true) {a_block = 1 : i64, a_k = 32 : i64, b_block = 1 : i64, b_k = 32 : i64}
// CHECK: %[[P:.*]] = arith.cmpi sgt, %[[REST]], %c128_i32
// CHECK: %[[A1:.*]] = tcgen05.slice %[[A]][4]
// CHECK: %[[B1:.*]] = tcgen05.slice %[[B]][8]
// CHECK: tcgen05.mma_block_scale {{.*}} scales %[[A1]], %[[B1]] accumulate(%true) {a_k = 128 : i64, b_k = 128 : i64}
module attributes {gpu.container_module} {
  func.func @host(%a: memref<256x544xf8E4M3FN>, %b: memref<256x544xf8E4M3FN>, %sa: memref<2x5x32x4x4xf8E8M0FNU>, %sb: memref<2x5x32x4x4xf8E8M0FNU>, %d: memref<256x256xf32>) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c128 = arith.constant 128 : index
    gpu.launch_func @m::@k clusters in (%c2, %c1, %c1) blocks in (%c2, %c1, %c1) threads in (%c128, %c1, %c1)
      args(%a : memref<256x544xf8E4M3FN>, %b : memref<256x544xf8E4M3FN>, %sa : memref<2x5x32x4x4xf8E8M0FNU>, %sb : memref<2x5x32x4x4xf8E8M0FNU>, %d : memref<256x256xf32>)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    gpu.func @k(%a: memref<256x544xf8E4M3FN>, %b: memref<256x544xf8E4M3FN>, %sa: memref<2x5x32x4x4xf8E8M0FNU>, %sb: memref<2x5x32x4x4xf8E8M0FNU>, %d: memref<256x256xf32>) kernel
        attributes {known_block_size = array<i32: 128, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c3 = arith.constant 3 : i32
      %c8 = arith.constant 8 : i32
      %c256 = arith.constant 256 : i32
      %c544 = arith.constant 544 : i32
      %true = arith.constant true
      %ring = tmm.pipeline : !ring
      %scales = tmm.pipeline : !scales
      %accs = tmm.pipeline : !accs
      %p0 = tmm.pipeline_start %ring : !ring
      %s0 = tmm.pipeline_start %scales : !scales
      %q0 = tmm.pipeline_start %accs : !accs
      %acc = tmm.producer_acquire %accs[%q0] : !accs
      %s:4 = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %p0, %c = %p0, %sp = %s0, %sc = %s0) -> (!tmm.pipeline_state, !tmm.pipeline_state, !tmm.pipeline_state, !tmm.pipeline_state) : i32 {
        %k = arith.muli %i, %c256 : i32
        %j = arith.muli %i, %c8 : i32
        %rest = arith.subi %c544, %k : i32
        %more = arith.cmpi ne, %i, %c0 : i32
        %ta, %tb, %fa, %fb = tmm.producer_acquire %ring[%p] : !ring
        tmm.load %a[%c0, %k], %ta by(#sm90.tma) : memref<256x544xf8E4M3FN>, !a
        tmm.load %b[%c0, %k], %tb by(#sm90.tma) : memref<256x544xf8E4M3FN>, !a
        tmm.load %sa[%c0, %j], %fa blocked by(#sm90.tma) : memref<2x5x32x4x4xf8E8M0FNU>, !fa
        tmm.load %sb[%c0, %j], %fb blocked by(#sm90.tma) : memref<2x5x32x4x4xf8E8M0FNU>, !fb
        %p1 = tmm.producer_commit %ring[%p] : !ring
        %ra, %rb, %rfa, %rfb = tmm.consumer_wait %ring[%c] : !ring
        %ca, %cb = tmm.producer_acquire %scales[%sp] : !scales
        tmm.copy %rfa, %ca over #pair by(#tcgen05.cp) : !fa, !ca
        tmm.copy %rfb, %cb over #pair by(#tcgen05.cp) : !fb, !cb
        %sp1 = tmm.producer_commit %scales[%sp] : !scales
        %xa, %xb = tmm.consumer_wait %scales[%sc] : !scales
        tmm.mma %ra, %rb, %acc scales(%xa, %xb) extent(%rest) accumulate(%more) over #pair by(#tcgen05.mma) : !a, !a, !acc, !ca, !cb
        %sc1 = tmm.consumer_release %scales[%sc] : !scales
        %n1 = tmm.consumer_release %ring[%c] : !ring
        scf.yield %p1, %n1, %sp1, %sc1 : !tmm.pipeline_state, !tmm.pipeline_state, !tmm.pipeline_state, !tmm.pipeline_state
      }
      %q1 = tmm.producer_commit %accs[%q0] : !accs
      %done = tmm.consumer_wait %accs[%q0] : !accs
      %r = tmm.read %done[%c0] if %true layout(#tcgen05.rows) : !acc -> vector<128x32xf32>
      tmm.store %r, %d[%c0, %c0] in_bounds [true, true] layout(#tcgen05.rows) : vector<128x32xf32>, memref<256x256xf32>
      %e1 = tmm.consumer_release %accs[%q0] : !accs
      tmm.producer_tail %ring[%s#0] : !ring
      tmm.producer_tail %scales[%s#2] : !scales
      tmm.producer_tail %accs[%q1] : !accs
      gpu.return
    }
  }
}
