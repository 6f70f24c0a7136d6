// RUN: tc-opt %s -tmm-materialize-pipelines -split-input-file -verify-diagnostics | FileCheck %s

// Threads multiply the sums, the matrix unit adds to them where they are, and after the loop the threads read
// what it left: that is no transaction.

!acc = !tmm.buffer<128x64xf32, #tcgen05.tmem>
!a = !tmm.buffer<128x64xbf16, #sm90.smem<k_major, b128>>
!b = !tmm.buffer<64x64xbf16, #sm90.smem<k_major, b128>>
gpu.module @kernels {
  // CHECK-LABEL: gpu.func @sums
  // CHECK: %[[SUMS:.*]] = tmm.pipeline : !{{.*}}tmem
  // CHECK: %[[LOOP:.*]]:{{.*}} = scf.for
  // CHECK:   %[[FREE:.*]] = tmm.producer_acquire %[[SUMS]][%[[P:.*]]]
  // CHECK:   scf.if
  // CHECK:     tmm.rescale %[[FREE]] by
  // CHECK:   %[[NEXT:.*]] = tmm.producer_commit %[[SUMS]][%[[P]]]
  // CHECK:   %[[FULL:.*]] = tmm.consumer_wait %[[SUMS]]
  // CHECK:   tmm.mma %{{.*}}, %{{.*}}, %[[FULL]] accumulate
  // CHECK:   tmm.consumer_release %[[SUMS]]
  // CHECK:   scf.yield
  // CHECK: %[[LEFT:.*]] = tmm.producer_inspect %[[SUMS]][%[[LOOP]]#0]
  // CHECK: tmm.read %[[LEFT]]
  // CHECK: tmm.producer_tail %[[SUMS]][%[[LOOP]]#0]
  gpu.func @sums(%a: memref<128x?xbf16>, %d: memref<128x64xf32>, %n: i32, %f: vector<128x1xf32>) kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %acc = tmm.alloc : !acc
    scf.for %i = %c0 to %n step %c1 : i32 {
      %more = arith.cmpi ne, %i, %c0 : i32
      %ta = tmm.alloc : !a
      %tb = tmm.alloc : !b
      tmm.load %a[%c0, %i], %ta by(#sm90.tma) role("load") : memref<128x?xbf16>, !a
      tmm.load %a[%c0, %i], %tb by(#sm90.tma) role("load") : memref<128x?xbf16>, !b
      scf.if %more {
        tmm.rescale %acc by %f layout(#tcgen05.rows) role("threads") : !acc, vector<128x1xf32>
      }
      tmm.mma %ta, %tb, %acc accumulate(%more) by(#tcgen05.mma) role("mma") : !a, !b, !acc
    }
    %r = tmm.read %acc[%c0] if %true layout(#tcgen05.rows) role("threads") : !acc -> vector<128x64xf32>
    tmm.store %r, %d[%c0, %c0] layout(#tcgen05.rows) role("threads") : vector<128x64xf32>, memref<128x64xf32>
    gpu.return
  }
}

// -----

!acc = !tmm.buffer<128x64xf32, #tcgen05.tmem>
!a = !tmm.buffer<128x64xbf16, #sm90.smem<k_major, b128>>
!b = !tmm.buffer<64x64xbf16, #sm90.smem<k_major, b128>>
gpu.module @kernels {
  gpu.func @inside(%a: !a, %b: !b, %d: memref<128x64xf32>, %n: i32, %f: vector<128x1xf32>) kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    // expected-error @+1 {{'tmm.alloc' op expected what writes the buffer to read it after the loop in which another engine modifies it, got another place}}
    %acc = tmm.alloc : !acc
    scf.for %i = %c0 to %n step %c1 : i32 {
      tmm.rescale %acc by %f layout(#tcgen05.rows) role("threads") : !acc, vector<128x1xf32>
      tmm.mma %a, %b, %acc accumulate(%true) by(#tcgen05.mma) role("mma") : !a, !b, !acc
      // expected-note @+1 {{read here}}
      %r = tmm.read %acc[%c0] if %true layout(#tcgen05.rows) role("threads") : !acc -> vector<128x64xf32>
      tmm.store %r, %d[%c0, %c0] layout(#tcgen05.rows) role("threads") : vector<128x64xf32>, memref<128x64xf32>
    }
    gpu.return
  }
}

// -----

// Sums that are read after different loops have pipelines of their own.
!acc = !tmm.buffer<128x64xf32, #tcgen05.tmem>
!a = !tmm.buffer<128x64xbf16, #sm90.smem<k_major, b128>>
!b = !tmm.buffer<64x64xbf16, #sm90.smem<k_major, b128>>
gpu.module @kernels {
  // CHECK-LABEL: gpu.func @two_loops
  // CHECK-COUNT-2: tmm.pipeline : !{{.*}}tmem
  // CHECK-COUNT-2: tmm.producer_inspect
  gpu.func @two_loops(%a: !a, %b: !b, %d: memref<128x64xf32>, %n: i32, %f: vector<128x1xf32>) kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %true = arith.constant true
    %outer = tmm.alloc : !acc
    scf.for %i = %c0 to %n step %c1 : i32 {
      %inner = tmm.alloc : !acc
      scf.for %j = %c0 to %n step %c1 : i32 {
        tmm.rescale %outer by %f layout(#tcgen05.rows) role("threads") : !acc, vector<128x1xf32>
        tmm.rescale %inner by %f layout(#tcgen05.rows) role("threads") : !acc, vector<128x1xf32>
        tmm.mma %a, %b, %outer accumulate(%true) by(#tcgen05.mma) role("mma") : !a, !b, !acc
        tmm.mma %a, %b, %inner accumulate(%true) by(#tcgen05.mma) role("mma") : !a, !b, !acc
      }
      %r = tmm.read %inner[%c0] if %true layout(#tcgen05.rows) role("threads") : !acc -> vector<128x64xf32>
      tmm.store %r, %d[%c0, %c0] layout(#tcgen05.rows) role("threads") : vector<128x64xf32>, memref<128x64xf32>
    }
    %s = tmm.read %outer[%c0] if %true layout(#tcgen05.rows) role("threads") : !acc -> vector<128x64xf32>
    tmm.store %s, %d[%c0, %c0] layout(#tcgen05.rows) role("threads") : vector<128x64xf32>, memref<128x64xf32>
    gpu.return
  }
}
