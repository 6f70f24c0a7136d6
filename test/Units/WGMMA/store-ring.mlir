// RUN: tc-opt %s --mlir-print-local-scope --split-input-file --tmm-distribute --convert-tmm-tiles --canonicalize --cse | FileCheck %s

// Fragments of an accumulator as stmatrix takes them: of 16 rows and 16 columns of
// a warp lane l gives the address of row l mod 16, columns 8 (l / 16) on.

#out = #sm90.smem<n_major, b64>
// CHECK-LABEL: gpu.func @matrices
// CHECK-DAG: %[[LANE:.*]] = arith.remui %[[THREAD:.*]], %c32
// CHECK-DAG: %[[FIRST:.*]] = arith.subi %[[THREAD]], %[[LANE]]
// CHECK-DAG: %[[IN:.*]] = arith.remui %[[LANE]], %c8
// CHECK-DAG: %[[MATRIX:.*]] = arith.divui %[[LANE]], %c8
// CHECK-DAG: %[[BELOW:.*]] = arith.remui %[[MATRIX]], %c2
// CHECK-DAG: %[[ROWS:.*]] = arith.muli %[[BELOW]], %c8
// CHECK-DAG: %[[ROW:.*]] = arith.addi %{{.*}}, %[[ROWS]]
// CHECK-DAG: %[[REST:.*]] = arith.divui %[[MATRIX]], %c2
// CHECK-DAG: %[[RIGHT:.*]] = arith.remui %[[REST]], %c2
// CHECK-DAG: %[[OWN:.*]] = arith.muli %[[RIGHT]], %c8
// CHECK: sm90.stmatrix %{{.*}}, %[[TILE:.*]][%[[ROW]], %[[OWN]] + 0] : vector<8xbf16>
// CHECK: sm90.stmatrix %{{.*}}, %[[TILE]][%[[ROW]], %[[OWN]] + 16] : vector<8xbf16>
// CHECK-NOT: sm90.stmatrix
gpu.module @m [#nvvm.target<chip = "sm_90a">] {
  gpu.func @matrices(%index: i32) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %acc = arith.constant dense<1.5> : vector<64x32xbf16>
    %s = tmm.storage : !tmm.storage<!tmm.buffer<64x32xbf16, #out>, depth = 2>
    %slot = tmm.slot %s[%index] : !tmm.storage<!tmm.buffer<64x32xbf16, #out>, depth = 2>
    tmm.stage %acc, %slot layout(#sm90.wgmma_layout) : vector<64x32xbf16>, !tmm.buffer<64x32xbf16, #out>
    %more = arith.constant true
    %as = tmm.storage : !tmm.storage<!tmm.buffer<64x32xbf16, #sm90.smem<k_major, b64>>, depth = 1>
    %a = tmm.slot %as[%index] : !tmm.storage<!tmm.buffer<64x32xbf16, #sm90.smem<k_major, b64>>, depth = 1>
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %bs = tmm.storage : !tmm.storage<!tmm.buffer<64x32xbf16, #sm90.smem<k_major, b64>>, depth = 1>
    %b = tmm.slot %bs[%index] : !tmm.storage<!tmm.buffer<64x32xbf16, #sm90.smem<k_major, b64>>, depth = 1>
    %new = tmm.mma %a, %b, %zero accumulate(%more) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
      : !tmm.buffer<64x32xbf16, #sm90.smem<k_major, b64>>, !tmm.buffer<64x32xbf16, #sm90.smem<k_major, b64>>, vector<64x64xf32> -> vector<64x64xf32>
    gpu.return
  }
}

// -----

// 24 columns are not swizzled: 8 columns in each slab, so matrices go two by two.

#out = #sm90.smem<n_major, none>
// CHECK-LABEL: gpu.func @slabs
// CHECK-COUNT-3: sm90.stmatrix %{{.*}} : vector<4xbf16>
// CHECK-NOT: sm90.stmatrix
gpu.module @m [#nvvm.target<chip = "sm_90a">] {
  gpu.func @slabs(%index: i32) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %acc = arith.constant dense<1.5> : vector<64x24xbf16>
    %s = tmm.storage : !tmm.storage<!tmm.buffer<64x24xbf16, #out>, depth = 2>
    %slot = tmm.slot %s[%index] : !tmm.storage<!tmm.buffer<64x24xbf16, #out>, depth = 2>
    tmm.stage %acc, %slot layout(#sm90.wgmma_layout) : vector<64x24xbf16>, !tmm.buffer<64x24xbf16, #out>
    %more = arith.constant true
    %as = tmm.storage : !tmm.storage<!tmm.buffer<64x32xbf16, #sm90.smem<k_major, b64>>, depth = 1>
    %a = tmm.slot %as[%index] : !tmm.storage<!tmm.buffer<64x32xbf16, #sm90.smem<k_major, b64>>, depth = 1>
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %bs = tmm.storage : !tmm.storage<!tmm.buffer<64x32xbf16, #sm90.smem<k_major, b64>>, depth = 1>
    %b = tmm.slot %bs[%index] : !tmm.storage<!tmm.buffer<64x32xbf16, #sm90.smem<k_major, b64>>, depth = 1>
    %new = tmm.mma %a, %b, %zero accumulate(%more) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
      : !tmm.buffer<64x32xbf16, #sm90.smem<k_major, b64>>, !tmm.buffer<64x32xbf16, #sm90.smem<k_major, b64>>, vector<64x64xf32> -> vector<64x64xf32>
    gpu.return
  }
}

// -----

// Elements of 32 bits are no matrices: each thread stores what it holds of a row.

#out = #sm90.smem<n_major, b128>
// CHECK-LABEL: gpu.func @pairs
// CHECK: sm90.smem_store %{{.*}}, %[[TILE:.*]][%[[ROW:.*]], %[[OWN:.*]] + 0] : vector<2xf32>
// CHECK: sm90.smem_store %{{.*}}, %[[TILE]][%[[BELOW:.*]], %[[OWN]] + 0] : vector<2xf32>
// CHECK: sm90.smem_store %{{.*}}, %[[TILE]][%[[ROW]], %[[OWN]] + 8] : vector<2xf32>
// CHECK-NOT: sm90.stmatrix
gpu.module @m [#nvvm.target<chip = "sm_90a">] {
  gpu.func @pairs(%index: i32) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %acc = arith.constant dense<1.5> : vector<64x32xf32>
    %s = tmm.storage : !tmm.storage<!tmm.buffer<64x32xf32, #out>, depth = 2>
    %slot = tmm.slot %s[%index] : !tmm.storage<!tmm.buffer<64x32xf32, #out>, depth = 2>
    tmm.stage %acc, %slot layout(#sm90.wgmma_layout) : vector<64x32xf32>, !tmm.buffer<64x32xf32, #out>
    %more = arith.constant true
    %as = tmm.storage : !tmm.storage<!tmm.buffer<64x32xbf16, #sm90.smem<k_major, b64>>, depth = 1>
    %a = tmm.slot %as[%index] : !tmm.storage<!tmm.buffer<64x32xbf16, #sm90.smem<k_major, b64>>, depth = 1>
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %bs = tmm.storage : !tmm.storage<!tmm.buffer<64x32xbf16, #sm90.smem<k_major, b64>>, depth = 1>
    %b = tmm.slot %bs[%index] : !tmm.storage<!tmm.buffer<64x32xbf16, #sm90.smem<k_major, b64>>, depth = 1>
    %new = tmm.mma %a, %b, %zero accumulate(%more) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
      : !tmm.buffer<64x32xbf16, #sm90.smem<k_major, b64>>, !tmm.buffer<64x32xbf16, #sm90.smem<k_major, b64>>, vector<64x64xf32> -> vector<64x64xf32>
    gpu.return
  }
}

// -----

// The rows of a second instruction are 64 below those of the first.

#out = #sm90.smem<n_major, b64>
// CHECK-LABEL: gpu.func @below
// CHECK: sm90.stmatrix %{{.*}}, %[[TILE:.*]][%[[ROW:.*]], %[[OWN:.*]] + 0] : vector<8xbf16>
// CHECK: sm90.stmatrix %{{.*}}, %[[TILE]][%[[ROW]], %[[OWN]] + 16] : vector<8xbf16>
// CHECK: %[[NEXT:.*]] = arith.addi %[[ROW]], %c64
// CHECK: sm90.stmatrix %{{.*}}, %[[TILE]][%[[NEXT]], %[[OWN]] + 0] : vector<8xbf16>
// CHECK: sm90.stmatrix %{{.*}}, %[[TILE]][%[[NEXT]], %[[OWN]] + 16] : vector<8xbf16>
// CHECK-NOT: sm90.stmatrix
gpu.module @m [#nvvm.target<chip = "sm_90a">] {
  gpu.func @below(%index: i32) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %acc = arith.constant dense<1.5> : vector<128x32xbf16>
    %s = tmm.storage : !tmm.storage<!tmm.buffer<128x32xbf16, #out>, depth = 2>
    %slot = tmm.slot %s[%index] : !tmm.storage<!tmm.buffer<128x32xbf16, #out>, depth = 2>
    tmm.stage %acc, %slot layout(#sm90.wgmma_layout<128>) : vector<128x32xbf16>, !tmm.buffer<128x32xbf16, #out>
    %more = arith.constant true
    %as = tmm.storage : !tmm.storage<!tmm.buffer<64x32xbf16, #sm90.smem<k_major, b64>>, depth = 1>
    %a = tmm.slot %as[%index] : !tmm.storage<!tmm.buffer<64x32xbf16, #sm90.smem<k_major, b64>>, depth = 1>
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %bs = tmm.storage : !tmm.storage<!tmm.buffer<64x32xbf16, #sm90.smem<k_major, b64>>, depth = 1>
    %b = tmm.slot %bs[%index] : !tmm.storage<!tmm.buffer<64x32xbf16, #sm90.smem<k_major, b64>>, depth = 1>
    %new = tmm.mma %a, %b, %zero accumulate(%more) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
      : !tmm.buffer<64x32xbf16, #sm90.smem<k_major, b64>>, !tmm.buffer<64x32xbf16, #sm90.smem<k_major, b64>>, vector<64x64xf32> -> vector<64x64xf32>
    gpu.return
  }
}
