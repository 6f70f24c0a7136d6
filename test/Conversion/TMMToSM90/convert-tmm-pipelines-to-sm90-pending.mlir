// RUN: tc-opt %s --mlir-print-local-scope -tmm-await-work -convert-tmm-pipelines-to-sm90 -canonicalize -cse | FileCheck %s

// wgmma works on after the op that issued it: its work is awaited before the slot
// is released and before any op uses what it computes, wherever the ops are.

!tile = !tmm.buffer<64x64xf16, #sm90.smem<k_major, b128>>
!ring = !tmm.pipeline<(!tile), depth = 2>

// CHECK-LABEL: gpu.func @in_one_block
// CHECK: scf.for
// CHECK: %[[SUM:.*]] = tmm.mma
// CHECK: %[[DONE:.*]] = tmm.await %[[SUM]] by(#sm90.wgmma) pending 0
// CHECK: sm90.mbarrier.arrive
// CHECK: scf.yield %[[DONE]]

// CHECK-LABEL: gpu.func @in_branch
// CHECK: %[[R:.*]] = scf.if
// CHECK: %[[SUM:.*]] = tmm.mma
// CHECK-NEXT: %[[DONE:.*]] = tmm.await %[[SUM]] by(#sm90.wgmma) pending 0
// CHECK-NEXT: scf.yield %[[DONE]]
// CHECK: sm90.mbarrier.arrive

// CHECK-LABEL: gpu.func @in_chain
// CHECK: %[[FIRST:.*]] = tmm.mma
// CHECK-NEXT: %[[HALF:.*]] = tmm.await %[[FIRST]] by(#sm90.wgmma) pending 0
// CHECK: %[[SUM:.*]] = tmm.mma %{{.*}}, %{{.*}}, %[[HALF]]
// CHECK: %[[DONE:.*]] = tmm.await %[[SUM]] by(#sm90.wgmma) pending 0
// CHECK: sm90.mbarrier.arrive
// CHECK: scf.yield %[[DONE]]
gpu.module @m {
  gpu.func @in_one_block(%a: memref<?x?xf16>, %n: i32, %p: i1, %d: memref<?x?xf32>) kernel
      attributes {known_block_size = array<i32: 160, 1, 1>} {
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ring = tmm.pipeline : !ring
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

  gpu.func @in_branch(%a: memref<?x?xf16>, %n: i32, %p: i1, %d: memref<?x?xf32>) kernel
      attributes {known_block_size = array<i32: 160, 1, 1>} {
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ring = tmm.pipeline : !ring
    tmm.warp_specialize "mma" warps(4) {
      %s = tmm.pipeline_start %ring : !ring
      %sum, %e = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %c = %s)
          -> (vector<64x64xf32>, !tmm.pipeline_state) : i32 {
        %t = tmm.consumer_wait %ring[%c] : !ring
        %some = scf.if %p -> vector<64x64xf32> {
          %new = tmm.mma %t, %t, %acc accumulate(%p) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
              : !tile, !tile, vector<64x64xf32> -> vector<64x64xf32>
          scf.yield %new : vector<64x64xf32>
        } else {
          scf.yield %acc : vector<64x64xf32>
        }
        %next = tmm.consumer_release %ring[%c] : !ring
        scf.yield %some, %next : vector<64x64xf32>, !tmm.pipeline_state
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

  gpu.func @in_chain(%a: memref<?x?xf16>, %n: i32, %p: i1, %d: memref<?x?xf32>) kernel
      attributes {known_block_size = array<i32: 160, 1, 1>} {
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ring = tmm.pipeline : !ring
    tmm.warp_specialize "mma" warps(4) {
      %s = tmm.pipeline_start %ring : !ring
      %sum, %e = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %c = %s)
          -> (vector<64x64xf32>, !tmm.pipeline_state) : i32 {
        %t = tmm.consumer_wait %ring[%c] : !ring
        %half = tmm.mma %t, %t, %acc accumulate(%p) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
            : !tile, !tile, vector<64x64xf32> -> vector<64x64xf32>
        %new = tmm.mma %t, %t, %half accumulate(%p) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
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
}
