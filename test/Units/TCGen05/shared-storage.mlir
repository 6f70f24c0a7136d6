// RUN: tc-opt %s --mlir-print-local-scope -convert-tmm-tiles -split-input-file -verify-diagnostics | FileCheck %s

// An operand in the columns of an accumulator: slots are those of the accumulator, seen as others.

!s = !tmm.buffer<128x128xf32, #tcgen05.tmem>
!p = !tmm.buffer<128x64xbf16, #tcgen05.operand>
gpu.module @m [#nvvm.target<chip = "sm_100a">] {
  // CHECK-LABEL: gpu.func @operand
  // CHECK: %[[S:.*]] = tcgen05.reserve : !tcgen05.tmem<128x256xf32, D>
  // CHECK: %[[P:.*]] = tcgen05.slice %[[S]][%{{.*}}] : !tcgen05.tmem<128x256xf32, D> to !tcgen05.tmem<128x64xbf16, D, packed>
  // CHECK: tcgen05.warp_window %[[P]]
  gpu.func @operand(%slot: i32, %v: vector<64xbf16>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %s = tmm.storage : <!s, depth = 2>
    %p = tmm.storage over %s : <!p, depth = 2> on !tmm.storage<!s, depth = 2>
    %t = tmm.slot %p[%slot] : <!p, depth = 2>
    tmm.write %v, %t[%c0] layout(#tcgen05.rows) : vector<64xbf16>, !p
    gpu.return
  }
}

// -----

!s = !tmm.buffer<128x32xf32, #tcgen05.tmem>
!p = !tmm.buffer<128x128xbf16, #tcgen05.operand>
gpu.module @m [#nvvm.target<chip = "sm_100a">] {
  gpu.func @wide(%v: vector<128xbf16>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : i32
    // expected-note @+1 {{shared storage here}}
    %s = tmm.storage : <!s, depth = 1>
    // expected-error @+1 {{'tmm.storage' op expected slots of at most 32 columns of Tensor Memory, those of the slots that they share, got 64}}
    %p = tmm.storage over %s : <!p, depth = 1> on !tmm.storage<!s, depth = 1>
    %t = tmm.slot %p[%c0] : <!p, depth = 1>
    tmm.write %v, %t[%c0] layout(#tcgen05.rows) : vector<128xbf16>, !p
    gpu.return
  }
}

// -----

!s = !tmm.buffer<128x128xf32, #tcgen05.tmem>
!p = !tmm.buffer<128x64xbf16, #sm90.smem<k_major, b128>>
gpu.module @m {
  gpu.func @tmm_storage_c1_memory() kernel {
    %s = tmm.storage : <!s, depth = 2>
    // expected-error @+1 {{'tmm.storage' op expected slots in one memory, got #sm90.smem<k_major, b128> over #tcgen05.tmem}}
    %p = tmm.storage over %s : <!p, depth = 2> on !tmm.storage<!s, depth = 2>
    gpu.return
  }
}

// -----

!s = !tmm.buffer<128x128xf32, #tcgen05.tmem>
!p = !tmm.buffer<128x64xbf16, #tcgen05.operand>
gpu.module @m {
  gpu.func @tmm_storage_c1_slots() kernel {
    %s = tmm.storage : <!s, depth = 2>
    // expected-error @+1 {{'tmm.storage' op expected as many slots as the shared storage has, 2, got 4}}
    %p = tmm.storage over %s : <!p, depth = 4> on !tmm.storage<!s, depth = 2>
    gpu.return
  }
}

// -----

!acc = !tmm.buffer<128x80xf32, #tcgen05.tmem>
gpu.module @m [#nvvm.target<chip = "sm_100a">] {
  gpu.func @factors(%f: vector<4xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %s = tmm.storage : <!acc, depth = 1>
    %t = tmm.slot %s[%c0] : <!acc, depth = 1>
    // expected-error @+1 {{'tmm.rescale' op expected the factor of the row that a thread holds, got 'vector<4xf32>'}}
    tmm.rescale %t by %f layout(#tcgen05.rows) : !acc, vector<4xf32>
    gpu.return
  }
}
