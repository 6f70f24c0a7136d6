// RUN: tc-opt %s --mlir-print-local-scope --convert-tmm-tiles | FileCheck %s

// Kernels of a module may be of different units: each tile is its engine's.
!a = !tmm.buffer<64x32xbf16, #sm90.smem<k_major, b64>>
!b = !tmm.buffer<24x32xbf16, #sm90.smem<k_major, b64>>

gpu.module @kernels {

// CHECK-LABEL: gpu.func @wgmma
// CHECK-NOT: mma_sync
// CHECK-COUNT-2: sm90.wgmma.mma_async
// CHECK-NOT: mma_sync
gpu.func @wgmma(%index: i32, %acc: vector<12xf32>, %more: i1) kernel {
  %as = tmm.storage : !tmm.storage<!a, depth = 1>
  %bs = tmm.storage : !tmm.storage<!b, depth = 1>
  %a = tmm.slot %as[%index] : !tmm.storage<!a, depth = 1>
  %b = tmm.slot %bs[%index] : !tmm.storage<!b, depth = 1>
  %new = tmm.mma %a, %b, %acc accumulate(%more) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
    : !a, !b, vector<12xf32> -> vector<12xf32>
  %sum = tmm.await %new by(#sm90.wgmma) pending 0 : vector<12xf32>
  gpu.return
}

// CHECK-LABEL: gpu.func @mma_sync
// CHECK-NOT: wgmma
// CHECK-COUNT-2: sm80.mma_sync
// CHECK-NOT: wgmma
gpu.func @mma_sync(%index: i32, %acc: vector<12xf32>, %more: i1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
  %as = tmm.storage : !tmm.storage<!a, depth = 1>
  %bs = tmm.storage : !tmm.storage<!b, depth = 1>
  %a = tmm.slot %as[%index] : !tmm.storage<!a, depth = 1>
  %b = tmm.slot %bs[%index] : !tmm.storage<!b, depth = 1>
  %new = tmm.mma %a, %b, %acc accumulate(%more) by(#sm80.mma_sync) layout(#sm80.mma_layout<16>)
    : !a, !b, vector<12xf32> -> vector<12xf32>
  gpu.return
}
}
