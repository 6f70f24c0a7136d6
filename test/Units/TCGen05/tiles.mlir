// RUN: tc-opt %s --mlir-print-local-scope -convert-tmm-pipelines-to-sm90 -convert-tmm-kernel-interface-to-sm90 -tmm-distribute -convert-tmm-tiles -convert-tmm-roles-to-sm90 -sm90-allocate-smem -canonicalize -cse | FileCheck %s

// Tiles in shared and Tensor Memory: tensor maps and shared memory of the
// launch, one copy for each slab, one tcgen05.mma for each step along K. The
// pipelines between them are lowered first
// (TMMToSM90/convert-tmm-pipelines-to-sm90.mlir).

!a = !tmm.buffer<128x64xf16, #sm90.smem<k_major, b128>>
!b = !tmm.buffer<32x64xf16, #sm90.smem<k_major, b128>>
!acc = !tmm.buffer<128x32xf32, #tcgen05.tmem>
!ring = !tmm.pipeline<(!a, !b), depth = 2>
!accs = !tmm.pipeline<(!acc), depth = 1>

// CHECK-LABEL: func.func @host
// CHECK: %[[TA:.*]] = sm90.tensor_map.encode %{{.*}}[0] dims [256, 512] strides [1024]
// CHECK: %[[TB:.*]] = sm90.tensor_map.encode %{{.*}}[0] dims [32, 512] strides [1024]
// CHECK: gpu.launch_func @m::@k {{.*}} dynamic_shared_memory_size %c42008_i32
// CHECK-SAME: args(%[[TA]] : !sm90.tensor_map<128x64xf16, b128>, %[[TB]] : !sm90.tensor_map<32x64xf16, b128>, %{{.*}} : memref<f32, #gpu.address_space<global>>)

// CHECK-LABEL: gpu.func @k
// Two slots of 16 KB + 4 KB, then two arrays of two barriers and one barrier.
// CHECK-DAG: %[[ACCS:.*]] = tcgen05.reserve : !tcgen05.tmem<128x32xf32, D>
// CHECK-DAG: %[[SMEM:.*]] = sm90.dynamic_smem align 1024 : memref<41000xi8, #gpu.address_space<workgroup>>
// CHECK-DAG: sm90.mbarrier.view %[[SMEM]][40960] : {{.*}} to !sm90.mbarrier_array<2>
// CHECK-DAG: sm90.mbarrier.view %[[SMEM]][40976] : {{.*}} to !sm90.mbarrier_array<2>
// CHECK-DAG: sm90.mbarrier.view %[[SMEM]][40992] : {{.*}} to !sm90.mbarrier_array<1>
// CHECK: scf.for
// CHECK:   sm90.tma_load %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}}, %[[FULL:.*]] : !sm90.tensor_map<128x64xf16, b128>
// CHECK:   sm90.tma_load %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}}, %[[FULL]] : !sm90.tensor_map<32x64xf16, b128>
// CHECK:   sm90.mbarrier.arrive_expect_tx %[[FULL]], 20480
// CHECK:   tcgen05.mma f16
// CHECK:   tcgen05.mma f16 {{.*}} {a_k = 16 : i64, b_k = 16 : i64}
// CHECK:   tcgen05.mma f16 {{.*}} {a_k = 32 : i64, b_k = 32 : i64}
// CHECK:   tcgen05.mma f16 {{.*}} {a_k = 48 : i64, b_k = 48 : i64}
// CHECK-NOT: tcgen05.mma
// CHECK: tcgen05.fence after
// CHECK: tcgen05.ld
// CHECK: tcgen05.wait ld
// CHECK: tcgen05.fence before
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
      %ring = tmm.pipeline : !ring
      %accs = tmm.pipeline : !accs
      %p0 = tmm.pipeline_start %ring : !ring
      %q0 = tmm.pipeline_start %accs : !accs
      %acc = tmm.producer_acquire %accs[%q0] : !accs
      %s:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%p = %p0, %c = %p0) -> (!tmm.pipeline_state, !tmm.pipeline_state) : i32 {
        %k = arith.muli %i, %c64 : i32
        %more = arith.cmpi ne, %i, %c0 : i32
        %ta, %tb = tmm.producer_acquire %ring[%p] : !ring
        tmm.load %a[%c0, %k], %ta by(#sm90.tma) : memref<256x512xf16>, !a
        tmm.load %b[%c0, %k], %tb by(#sm90.tma) : memref<32x512xf16>, !b
        %p1 = tmm.producer_commit %ring[%p] : !ring
        %ra, %rb = tmm.consumer_wait %ring[%c] : !ring
        tmm.mma %ra, %rb, %acc accumulate(%more) by(#tcgen05.mma) : !a, !b, !acc
        %n1 = tmm.consumer_release %ring[%c] : !ring
        scf.yield %p1, %n1 : !tmm.pipeline_state, !tmm.pipeline_state
      }
      %q1 = tmm.producer_commit %accs[%q0] : !accs
      %done = tmm.consumer_wait %accs[%q0] : !accs
      %r = tmm.read %done[%c0] if %true layout(#tcgen05.rows) : !acc -> vector<128x32xf32>
      tmm.store %r, %d[%c0, %c0] in_bounds [true, true] layout(#tcgen05.rows) : vector<128x32xf32>, memref<256x32xf32>
      %e1 = tmm.consumer_release %accs[%q0] : !accs
      tmm.producer_tail %ring[%s#0] : !ring
      tmm.producer_tail %accs[%q1] : !accs
      gpu.return
    }
  }
}
