// RUN: tc-opt %s --mlir-print-local-scope -tmm-await-work -convert-tmm-pipelines-to-sm90 -canonicalize -cse | FileCheck %s

// With late_release the work of a transaction is awaited when that of the next one is
// issued, and its slot released then; the last one after the loop, if there was one.

!tile = !tmm.buffer<64x64xf16, #sm90.smem<k_major, b128>>
!ring = !tmm.pipeline<(!tile), depth = 3>
!one = !tmm.pipeline<(!tile), depth = 1>

// CHECK-LABEL: gpu.func @late
// CHECK: %[[R:.*]]:4 = scf.for %[[K:.*]] = %[[FROM:.*]] to %[[TO:.*]] step {{.*}} iter_args(%[[ACC:.*]] = {{.*}}, %[[SLOT:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %[[HELD:.*]] = %{{.*}})
// CHECK: sm90.mbarrier.wait_parity
// CHECK: %[[SUM:.*]] = tmm.mma %{{.*}}, %{{.*}}, %[[ACC]]
// CHECK-NEXT: %[[GOES_ON:.*]] = tmm.await %[[SUM]] by(#sm90.wgmma) pending 1
// CHECK-NEXT: %[[OTHERS:.*]] = arith.cmpi ne, %[[K]], %[[FROM]]
// CHECK: scf.if %[[OTHERS]]
// CHECK: arith.index_cast %[[HELD]]
// CHECK: sm90.mbarrier.arrive
// CHECK: scf.yield %[[GOES_ON]], %{{.*}}, %{{.*}}, %[[SLOT]]
// CHECK: %[[DONE:.*]] = tmm.await %[[R]]#0 by(#sm90.wgmma) pending 0
// CHECK: %[[SOME:.*]] = arith.cmpi sgt, %[[TO]], %[[FROM]]
// CHECK: scf.if %[[SOME]]
// CHECK: arith.index_cast %[[R]]#3
// CHECK: sm90.mbarrier.arrive
// CHECK: tmm.store %[[DONE]]

// The next transaction waits for the only slot.
// CHECK-LABEL: gpu.func @one_slot
// CHECK: tmm.mma
// CHECK-NOT: pending 1
// CHECK: pending 0
// CHECK: sm90.mbarrier.arrive
// CHECK: scf.yield

// The next iteration reads the sum.
// CHECK-LABEL: gpu.func @read_sum
// CHECK: tmm.mma
// CHECK-NOT: pending 1
// CHECK: pending 0
// CHECK: sm90.mbarrier.arrive
// CHECK: scf.yield

// Iterations have results of their own.
// CHECK-LABEL: gpu.func @other_result
// CHECK: tmm.mma
// CHECK-NOT: pending 1
// CHECK: pending 0
// CHECK: sm90.mbarrier.arrive
// CHECK: scf.yield
gpu.module @m {
  gpu.func @late(%a: memref<?x?xf16>, %n: i32, %p: i1, %d: memref<?x?xf32>) kernel
      attributes {known_block_size = array<i32: 160, 1, 1>} {
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ring = tmm.pipeline late_release : !ring
    tmm.warp_specialize "mma" warps(4) {
      %s = tmm.pipeline_start %ring : !ring
      %sum, %e = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %c = %s)
          -> (vector<64x64xf32>, !tmm.pipeline_state) : i32 {
        %t = tmm.consumer_wait %ring[%c] : !ring
        %new = tmm.mma %t, %t, %acc accumulate(%p) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
            : !tile, !tile, vector<64x64xf32> -> vector<64x64xf32>
        %next = tmm.consumer_release %ring[%c] : !ring
        scf.yield %new, %next : vector<64x64xf32>, !tmm.pipeline_state
      }
      tmm.store %sum, %d[%c0, %c0] layout(#sm90.wgmma_layout) : vector<64x64xf32>, memref<?x?xf32>
    } "load" warps(1) elected {
      %s = tmm.pipeline_start %ring : !ring
      %e = scf.for %k = %c0 to %n step %c1 iter_args(%c = %s) -> (!tmm.pipeline_state) : i32 {
        %t = tmm.producer_acquire %ring[%c] : !ring
        tmm.load %a[%c0, %k], %t by(#sm90.tma) : memref<?x?xf16>, !tile
        %next = tmm.producer_commit %ring[%c] : !ring
        scf.yield %next : !tmm.pipeline_state
      }
      tmm.producer_tail %ring[%e] : !ring
    }
    gpu.return
  }

  gpu.func @one_slot(%a: memref<?x?xf16>, %n: i32, %p: i1, %d: memref<?x?xf32>) kernel
      attributes {known_block_size = array<i32: 160, 1, 1>} {
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ring = tmm.pipeline late_release : !one
    tmm.warp_specialize "mma" warps(4) {
      %s = tmm.pipeline_start %ring : !one
      %sum, %e = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %c = %s)
          -> (vector<64x64xf32>, !tmm.pipeline_state) : i32 {
        %t = tmm.consumer_wait %ring[%c] : !one
        %new = tmm.mma %t, %t, %acc accumulate(%p) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
            : !tile, !tile, vector<64x64xf32> -> vector<64x64xf32>
        %next = tmm.consumer_release %ring[%c] : !one
        scf.yield %new, %next : vector<64x64xf32>, !tmm.pipeline_state
      }
      tmm.store %sum, %d[%c0, %c0] layout(#sm90.wgmma_layout) : vector<64x64xf32>, memref<?x?xf32>
    } "load" warps(1) elected {
      %s = tmm.pipeline_start %ring : !one
      %e = scf.for %k = %c0 to %n step %c1 iter_args(%c = %s) -> (!tmm.pipeline_state) : i32 {
        %t = tmm.producer_acquire %ring[%c] : !one
        tmm.load %a[%c0, %k], %t by(#sm90.tma) : memref<?x?xf16>, !tile
        %next = tmm.producer_commit %ring[%c] : !one
        scf.yield %next : !tmm.pipeline_state
      }
      tmm.producer_tail %ring[%e] : !one
    }
    gpu.return
  }

  gpu.func @read_sum(%a: memref<?x?xf16>, %n: i32, %p: i1, %d: memref<?x?xf32>) kernel
      attributes {known_block_size = array<i32: 160, 1, 1>} {
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ring = tmm.pipeline late_release : !ring
    tmm.warp_specialize "mma" warps(4) {
      %s = tmm.pipeline_start %ring : !ring
      %sum, %e = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %c = %s)
          -> (vector<64x64xf32>, !tmm.pipeline_state) : i32 {
        %t = tmm.consumer_wait %ring[%c] : !ring
        %new = tmm.mma %t, %t, %acc accumulate(%p) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
            : !tile, !tile, vector<64x64xf32> -> vector<64x64xf32>
        %read = vector.extract_strided_slice %acc {offsets = [0, 0], sizes = [64, 8], strides = [1, 1]}
            : vector<64x64xf32> to vector<64x8xf32>
        tmm.store %read, %d[%k, %c0] layout(#sm90.wgmma_layout) : vector<64x8xf32>, memref<?x?xf32>
        %next = tmm.consumer_release %ring[%c] : !ring
        scf.yield %new, %next : vector<64x64xf32>, !tmm.pipeline_state
      }
      tmm.store %sum, %d[%c0, %c0] layout(#sm90.wgmma_layout) : vector<64x64xf32>, memref<?x?xf32>
    } "load" warps(1) elected {
      %s = tmm.pipeline_start %ring : !ring
      %e = scf.for %k = %c0 to %n step %c1 iter_args(%c = %s) -> (!tmm.pipeline_state) : i32 {
        %t = tmm.producer_acquire %ring[%c] : !ring
        tmm.load %a[%c0, %k], %t by(#sm90.tma) : memref<?x?xf16>, !tile
        %next = tmm.producer_commit %ring[%c] : !ring
        scf.yield %next : !tmm.pipeline_state
      }
      tmm.producer_tail %ring[%e] : !ring
    }
    gpu.return
  }

  gpu.func @other_result(%a: memref<?x?xf16>, %n: i32, %p: i1, %d: memref<?x?xf32>) kernel
      attributes {known_block_size = array<i32: 160, 1, 1>} {
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ring = tmm.pipeline late_release : !ring
    tmm.warp_specialize "mma" warps(4) {
      %s = tmm.pipeline_start %ring : !ring
      %sum, %e = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %c = %s)
          -> (vector<64x64xf32>, !tmm.pipeline_state) : i32 {
        %t = tmm.consumer_wait %ring[%c] : !ring
        %new = tmm.mma %t, %t, %zero accumulate(%p) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
            : !tile, !tile, vector<64x64xf32> -> vector<64x64xf32>
        %twice = arith.addf %new, %acc : vector<64x64xf32>
        %next = tmm.consumer_release %ring[%c] : !ring
        scf.yield %twice, %next : vector<64x64xf32>, !tmm.pipeline_state
      }
      tmm.store %sum, %d[%c0, %c0] layout(#sm90.wgmma_layout) : vector<64x64xf32>, memref<?x?xf32>
    } "load" warps(1) elected {
      %s = tmm.pipeline_start %ring : !ring
      %e = scf.for %k = %c0 to %n step %c1 iter_args(%c = %s) -> (!tmm.pipeline_state) : i32 {
        %t = tmm.producer_acquire %ring[%c] : !ring
        tmm.load %a[%c0, %k], %t by(#sm90.tma) : memref<?x?xf16>, !tile
        %next = tmm.producer_commit %ring[%c] : !ring
        scf.yield %next : !tmm.pipeline_state
      }
      tmm.producer_tail %ring[%e] : !ring
    }
    gpu.return
  }
}
