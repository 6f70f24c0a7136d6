// RUN: tc-opt %s -split-input-file -convert-tmm-to-tcgen05 -canonicalize -cse | FileCheck %s

// A ring between TMA and the tensor core, and an accumulator between the tensor
// core and the threads: counts, bytes, parities and fences follow from the
// engines.

#smem = #tmm.layout<k_major, swizzle = 128>

// CHECK-LABEL: func.func @host
// CHECK: %[[TA:.*]] = sm90.tensor_map.encode %{{.*}}[0] dims [256, 512] strides [1024]
// CHECK: %[[TB:.*]] = sm90.tensor_map.encode %{{.*}}[0] dims [32, 512] strides [1024]
// CHECK: gpu.launch_func @m::@k {{.*}} dynamic_shared_memory_size %c42016_i32
// CHECK-SAME: args(%[[TA]] : !sm90.tensor_map<128x64xf16, b128>, %[[TB]] : !sm90.tensor_map<32x64xf16, b128>, %{{.*}} : memref<f32, #gpu.address_space<global>>)

// CHECK-LABEL: gpu.func @k
// Two slots of 16 KB + 4 KB, then four pairs of barriers.
// CHECK-DAG: %[[ACCS:.*]] = tcgen05.reserve : !tcgen05.tmem<128x32xf32, D>
// CHECK-DAG: %[[SMEM:.*]] = sm90.dynamic_smem align 1024 : memref<41008xi8, #gpu.address_space<workgroup>>
// CHECK-DAG: %[[FULL:.*]] = sm90.mbarrier.view %[[SMEM]][40960] : {{.*}} to !sm90.mbarrier_array<2>
// CHECK-DAG: %[[EMPTY:.*]] = sm90.mbarrier.view %[[SMEM]][40976] : {{.*}} to !sm90.mbarrier_array<2>
// CHECK-DAG: %[[DONE:.*]] = sm90.mbarrier.view %[[SMEM]][40992] : {{.*}} to !sm90.mbarrier_array<1>
// CHECK-DAG: %[[READ:.*]] = sm90.mbarrier.view %[[SMEM]][41000] : {{.*}} to !sm90.mbarrier_array<1>

// TMA arrives once with its bytes, a commit once, threads each.
// CHECK: scf.if %[[LEADER:.*]] {
// CHECK-COUNT-5: sm90.mbarrier.init %{{.*}}, 1 : !sm90.mbarrier
// CHECK: sm90.mbarrier.init %{{.*}}, 128 : !sm90.mbarrier
// CHECK: sm90.fence_mbarrier_init
// CHECK: }
// CHECK: gpu.barrier

// The first lap of the producer passes: parity 1 of a fresh barrier.
// CHECK: scf.if %[[LEADER]] {
// CHECK:   sm90.mbarrier.wait_parity %{{.*}}, %c1_i32
// CHECK:   tcgen05.fence after
// CHECK: }
// CHECK: scf.for {{.*}} iter_args(%[[PS:.*]] = %c0_i32, %[[PP:.*]] = %c0_i32, %[[CS:.*]] = %c0_i32, %[[CP:.*]] = %c0_i32)
// CHECK:   scf.if %[[LEADER]] {
// CHECK:     %[[PARITY:.*]] = arith.xori %[[PP]], %c1_i32
// CHECK:     %[[E:.*]] = sm90.mbarrier.get %[[EMPTY]]
// CHECK:     sm90.mbarrier.wait_parity %[[E]], %[[PARITY]]
// CHECK:   }
// CHECK:   sm90.tma_load
// CHECK:   sm90.tma_load
// CHECK:   sm90.mbarrier.arrive_expect_tx %{{.*}}, 20480
// The state: next slot, and the lap flips where it wraps.
// CHECK:   %[[NEXT:.*]] = arith.addi %[[PS]], %c1_i32
// CHECK:   %[[WRAPS:.*]] = arith.cmpi eq, %[[NEXT]], %c2_i32
// CHECK:   %[[SLOT:.*]] = arith.select %[[WRAPS]], %c0_i32, %[[NEXT]]
// CHECK:   %[[FLIP:.*]] = arith.extui %[[WRAPS]]
// CHECK:   %[[LAP:.*]] = arith.xori %[[PP]], %[[FLIP]]
// CHECK:     %[[F:.*]] = sm90.mbarrier.get %[[FULL]]
// CHECK:     sm90.mbarrier.wait_parity %[[F]], %[[CP]]
// CHECK:     tcgen05.mma f16
// CHECK:     tcgen05.mma f16 {{.*}} {a_k = 16 : i64, b_k = 16 : i64}
// CHECK:     tcgen05.mma f16 {{.*}} {a_k = 32 : i64, b_k = 32 : i64}
// CHECK:     tcgen05.mma f16 {{.*}} {a_k = 48 : i64, b_k = 48 : i64}
// CHECK-NOT: tcgen05.mma
// CHECK:     %[[RELEASED:.*]] = sm90.mbarrier.get %[[EMPTY]]
// CHECK:     tcgen05.commit %[[RELEASED]]
// CHECK: scf.if %[[LEADER]] {
// CHECK:   %[[D:.*]] = sm90.mbarrier.get %[[DONE]][0]
// CHECK:   tcgen05.commit %[[D]]
// CHECK: }
// All threads wait for the accumulator and fence before they load it.
// CHECK: sm90.mbarrier.wait_parity %{{.*}}, %c0_i32
// CHECK: tcgen05.fence after
// CHECK: tcgen05.ld
// CHECK: tcgen05.wait ld
// CHECK: tcgen05.fence before
// CHECK: sm90.mbarrier.arrive
// The tails: one wait for each slot.
// CHECK: scf.if %[[LEADER]]
// CHECK-COUNT-3: sm90.mbarrier.wait_parity
module attributes {gpu.container_module} {
  func.func @host(%a: memref<256x512xf16>, %b: memref<32x512xf16>, %d: memref<256x32xf32>) {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1)
      args(%a : memref<256x512xf16>, %b : memref<32x512xf16>, %d : memref<256x32xf32>)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    gpu.func @k(%a: memref<256x512xf16>, %b: memref<32x512xf16>, %d: memref<256x32xf32>) kernel
        attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c8 = arith.constant 8 : i32
      %c64 = arith.constant 64 : i32
      %true = arith.constant true
      %ring = tmm.pipeline : <(<128x64xf16, smem, #smem>, <32x64xf16, smem, #smem>), depth = 2>
      %accs = tmm.pipeline : <(<128x32xf32, tmem>), depth = 1>
      %p0 = tmm.pipeline_start %ring : <(<128x64xf16, smem, #smem>, <32x64xf16, smem, #smem>), depth = 2>
      %q0 = tmm.pipeline_start %accs : <(<128x32xf32, tmem>), depth = 1>
      %acc = tmm.producer_acquire %accs[%q0] : <(<128x32xf32, tmem>), depth = 1> -> !tmm.buffer<128x32xf32, tmem>
      %s:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%p = %p0, %c = %p0) -> (!tmm.pipeline_state, !tmm.pipeline_state) : i32 {
        %k = arith.muli %i, %c64 : i32
        %more = arith.cmpi ne, %i, %c0 : i32
        %ta, %tb = tmm.producer_acquire %ring[%p] : <(<128x64xf16, smem, #smem>, <32x64xf16, smem, #smem>), depth = 2> -> !tmm.buffer<128x64xf16, smem, #smem>, !tmm.buffer<32x64xf16, smem, #smem>
        tmm.load %a[%c0, %k], %ta : memref<256x512xf16>, <128x64xf16, smem, #smem>
        tmm.load %b[%c0, %k], %tb : memref<32x512xf16>, <32x64xf16, smem, #smem>
        %p1 = tmm.producer_commit %ring[%p] : <(<128x64xf16, smem, #smem>, <32x64xf16, smem, #smem>), depth = 2>
        %ra, %rb = tmm.consumer_wait %ring[%c] : <(<128x64xf16, smem, #smem>, <32x64xf16, smem, #smem>), depth = 2> -> !tmm.buffer<128x64xf16, smem, #smem>, !tmm.buffer<32x64xf16, smem, #smem>
        tmm.mma %ra, %rb, %acc accumulate(%more) : <128x64xf16, smem, #smem>, <32x64xf16, smem, #smem>, <128x32xf32, tmem>
        %n1 = tmm.consumer_release %ring[%c] : <(<128x64xf16, smem, #smem>, <32x64xf16, smem, #smem>), depth = 2>
        scf.yield %p1, %n1 : !tmm.pipeline_state, !tmm.pipeline_state
      }
      %q1 = tmm.producer_commit %accs[%q0] : <(<128x32xf32, tmem>), depth = 1>
      %done = tmm.consumer_wait %accs[%q0] : <(<128x32xf32, tmem>), depth = 1> -> !tmm.buffer<128x32xf32, tmem>
      %r = tmm.read %done[%c0] if %true : <128x32xf32, tmem> -> vector<128x32xf32>
      tmm.store %r, %d[%c0, %c0] in_bounds [true, true] : vector<128x32xf32>, memref<256x32xf32>
      %e1 = tmm.consumer_release %accs[%q0] : <(<128x32xf32, tmem>), depth = 1>
      tmm.producer_tail %ring[%s#0] : <(<128x64xf16, smem, #smem>, <32x64xf16, smem, #smem>), depth = 2>
      tmm.producer_tail %accs[%q1] : <(<128x32xf32, tmem>), depth = 1>
      gpu.return
    }
  }
}
