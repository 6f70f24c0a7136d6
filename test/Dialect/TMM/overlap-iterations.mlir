// RUN: tc-opt %s -tmm-overlap-iterations -split-input-file -verify-diagnostics | FileCheck %s

!q = !tmm.buffer<64x64xbf16, #sm90.smem<k_major, b128>>
!k = !tmm.buffer<32x64xbf16, #sm90.smem<k_major, b128>>
!v = !tmm.buffer<64x32xbf16, #sm90.smem<mn_major, b128>>
gpu.module @kernels {
  // The product of the deferred part takes what the iteration before made; a number of iterations that is not known
  // may be 0.
  // CHECK-LABEL: gpu.func @dynamic
  // CHECK: %[[RUNS:.*]] = arith.cmpi slt, %c0_i32, %[[N:.*]] : i32
  // CHECK: %[[R:.*]] = scf.if %[[RUNS]] -> (vector<64x64xf32>)
  // CHECK:   %[[S0:.*]] = tmm.mma %[[Q:[^,]*]], %[[K:[^,]*]], %{{.*}} accumulate(%false)
  // CHECK:   %[[P0:.*]] = arith.truncf %[[S0]]
  // CHECK:   %[[NEXT:.*]] = arith.addi %c0_i32, %c1_i32
  // CHECK:   %[[LOOP:.*]]:2 = scf.for %{{.*}} = %[[NEXT]] to %[[N]] step %c1_i32 iter_args(%[[A:.*]] = %[[P0]], %[[O:.*]] = %{{.*}})
  // CHECK:     %[[S:.*]] = tmm.mma %[[Q]], %[[K]], %{{.*}} accumulate(%false)
  // CHECK-NEXT: %[[NEW:.*]] = tmm.mma %[[A]], %[[V:[^,]*]], %[[O]] accumulate(%true)
  // CHECK-NEXT: %[[P:.*]] = arith.truncf %[[S]]
  // CHECK:     scf.yield %[[P]], %[[NEW]]
  // CHECK:   %[[LAST:.*]] = tmm.mma %[[LOOP]]#0, %[[V]], %[[LOOP]]#1 accumulate(%true)
  // CHECK:   scf.yield %[[LAST]]
  // CHECK: } else {
  // CHECK-NEXT: scf.yield
  // CHECK-NOT: tmm.resume
  // CHECK-NOT: tmm.defer
  gpu.func @dynamic(%n: i32) kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %false = arith.constant false
    %true = arith.constant true
    %none = arith.constant dense<0.0> : vector<64x32xf32>
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %q = tmm.alloc : !q
    %k = tmm.alloc : !k
    %v = tmm.alloc : !v
    %o = scf.for %i = %c0 to %n step %c1 iter_args(%old = %zero) -> (vector<64x64xf32>) : i32 {
      %s = tmm.mma %q, %k, %none accumulate(%false) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
        : !q, !k, vector<64x32xf32> -> vector<64x32xf32>
      tmm.resume
      %p = arith.truncf %s : vector<64x32xf32> to vector<64x32xbf16>
      tmm.defer
      %new = tmm.mma %p, %v, %old accumulate(%true) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
        : vector<64x32xbf16>, !v, vector<64x64xf32> -> vector<64x64xf32>
      scf.yield %new : vector<64x64xf32>
    }
    gpu.return
  }

  // No engine works on: nothing to overlap with.
  // CHECK-LABEL: gpu.func @threads
  // CHECK: scf.for
  // CHECK-NEXT: arith.addf
  // CHECK-NEXT: arith.mulf
  // CHECK-NEXT: scf.yield
  gpu.func @threads(%n: i32, %x: f32) kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %o = scf.for %i = %c0 to %n step %c1 iter_args(%old = %x) -> (f32) : i32 {
      %a = arith.addf %old, %x : f32
      tmm.resume
      tmm.defer
      %b = arith.mulf %a, %x : f32
      scf.yield %b : f32
    }
    gpu.return
  }
}

// -----

!q = !tmm.buffer<64x64xbf16, #sm90.smem<k_major, b128>>
gpu.module @kernels {
  // tmm_defer_c1
  gpu.func @no_resume(%n: i32) kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %false = arith.constant false
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %q = tmm.alloc : !q
    scf.for %i = %c0 to %n step %c1 : i32 {
      // expected-error @+1 {{expected one tmm.resume and then one tmm.defer in the body of a loop, got no tmm.resume before it}}
      tmm.defer
      %s = tmm.mma %q, %q, %zero accumulate(%false) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
        : !q, !q, vector<64x64xf32> -> vector<64x64xf32>
    }
    gpu.return
  }
}

// -----

!q = !tmm.buffer<64x64xbf16, #sm90.smem<k_major, b128>>
gpu.module @kernels {
  // tmm_defer_c2
  gpu.func @early(%n: i32) kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %zero = arith.constant dense<0.0> : vector<64x64xf32>
    %q = tmm.alloc : !q
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%old = %zero) -> (vector<64x64xf32>) : i32 {
      // expected-note @+1 {{used here}}
      %s = tmm.mma %q, %q, %old accumulate(%true) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
        : !q, !q, vector<64x64xf32> -> vector<64x64xf32>
      tmm.resume
      // expected-error @+1 {{expected nothing before tmm.resume to use what the deferred part of the iteration before computes, got a use}}
      tmm.defer
      %t = arith.addf %s, %s : vector<64x64xf32>
      scf.yield %t : vector<64x64xf32>
    }
    gpu.return
  }
}

// -----

// tcgen05.mma runs in the order of issue: the role that issues it issues the product of the next block first.
!q = !tmm.buffer<128x64xbf16, #sm90.smem<k_major, b128>>
!k = !tmm.buffer<64x64xbf16, #sm90.smem<k_major, b128>>
!p = !tmm.buffer<128x64xbf16, #tcgen05.operand>
!v = !tmm.buffer<64x64xbf16, #sm90.smem<mn_major, b128>>
!acc = !tmm.buffer<128x64xf32, #tcgen05.tmem>
gpu.module @kernels {
  // CHECK-LABEL: gpu.func @queue
  // CHECK: tmm.mma %{{.*}}, %{{.*}}, %[[S:[^ ]*]] accumulate(%false)
  // CHECK: scf.for
  // CHECK:   tmm.mma %{{.*}}, %{{.*}}, %[[S]] accumulate(%false)
  // CHECK-NEXT: tmm.mma %{{.*}}, %{{.*}}, %[[O:[^ ]*]] accumulate(%true)
  // CHECK: }
  // CHECK: tmm.mma %{{.*}}, %{{.*}}, %[[O]] accumulate(%true)
  gpu.func @queue(%q: !q, %k: !k, %p: !p, %v: !v, %s: !acc, %o: !acc) kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c9 = arith.constant 9 : i32
    %false = arith.constant false
    %true = arith.constant true
    scf.for %i = %c0 to %c9 step %c1 : i32 {
      tmm.mma %q, %k, %s accumulate(%false) by(#tcgen05.mma) : !q, !k, !acc
      tmm.resume
      tmm.defer
      tmm.mma %p, %v, %o accumulate(%true) by(#tcgen05.mma) : !p, !v, !acc
    }
    gpu.return
  }
}
