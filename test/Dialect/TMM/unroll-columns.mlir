// RUN: tc-opt %s --allow-unregistered-dialect --tmm-unroll-columns --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: gpu.func @loop
// CHECK-NOT: scf.for
// CHECK: %[[R0:.*]] = vector.extract_strided_slice %[[SUM:.*]] {offsets = [0, 0], sizes = [128, 32], strides = [1, 1]}
// CHECK: "use"(%[[R0]]
// CHECK: %[[R1:.*]] = vector.extract_strided_slice %[[SUM]] {offsets = [0, 32], sizes = [128, 32], strides = [1, 1]}
// CHECK: "use"(%[[R1]]
// CHECK: gpu.return
gpu.module @kernels {
gpu.func @loop(%sum: vector<128x64xf32>) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i32
  scf.for %column = %c0 to %c64 step %c32 : i32 {
    %r = tmm.extract_columns %sum[%column] : vector<128x64xf32> -> vector<128x32xf32>
    "use"(%r) : (vector<128x32xf32>) -> ()
  }
  gpu.return
}
}

// -----

// Two loops count the column; the one around them does not, and one inside does
// something else. What a loop carries goes on.
// CHECK-LABEL: gpu.func @nested
// CHECK: scf.for %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[S0:.*]] = %{{.*}}) -> (i32)
// CHECK: vector.extract_strided_slice {{.*}}offsets = [0, 0]
// CHECK: scf.for
// CHECK: %[[S1:.*]] = "next"(%[[S0]]
// CHECK: offsets = [0, 8]
// CHECK: %[[S2:.*]] = "next"(%[[S1]]
// CHECK: offsets = [0, 16]
// CHECK: %[[S3:.*]] = "next"(%[[S2]]
// CHECK: offsets = [0, 24]
// CHECK: %[[S4:.*]] = "next"(%[[S3]]
// CHECK: scf.yield %[[S4]]
gpu.module @kernels {
gpu.func @nested(%sum: vector<64x32xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c8 = arith.constant 8 : i32
  %c16 = arith.constant 16 : i32
  %c32 = arith.constant 32 : i32
  %done = scf.for %tile = %c0 to %n step %c1 iter_args(%s0 = %c0) -> (i32) : i32 {
    %outer = scf.for %half = %c0 to %c2 step %c1 iter_args(%s1 = %s0) -> (i32) : i32 {
      %inner = scf.for %at = %c0 to %c16 step %c8 iter_args(%s2 = %s1) -> (i32) : i32 {
        %first = arith.muli %half, %c16 : i32
        %column = arith.addi %first, %at : i32
        %r = tmm.extract_columns %sum[%column] : vector<64x32xf32> -> vector<64x8xf32>
        scf.for %other = %c0 to %n step %c1 : i32 {
          "use"(%r) : (vector<64x8xf32>) -> ()
        }
        %s3 = "next"(%s2) : (i32) -> i32
        scf.yield %s3 : i32
      }
      scf.yield %inner : i32
    }
    scf.yield %outer : i32
  }
  gpu.return
}
}

// -----

// The bounds are not known: left to those who need the column.
// CHECK-LABEL: gpu.func @unknown
// CHECK: scf.for
// CHECK: tmm.extract_columns
gpu.module @kernels {
gpu.func @unknown(%sum: vector<64x32xf32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  scf.for %at = %c0 to %n step %c8 : i32 {
    %r = tmm.extract_columns %sum[%at] : vector<64x32xf32> -> vector<64x8xf32>
    "use"(%r) : (vector<64x8xf32>) -> ()
  }
  gpu.return
}
}

// -----

// It never runs: nothing to unroll.
// CHECK-LABEL: gpu.func @never
// CHECK: scf.for
// CHECK: tmm.extract_columns
gpu.module @kernels {
gpu.func @never(%sum: vector<64x32xf32>) {
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  scf.for %at = %c0 to %c0 step %c8 : i32 {
    %r = tmm.extract_columns %sum[%at] : vector<64x32xf32> -> vector<64x8xf32>
    "use"(%r) : (vector<64x8xf32>) -> ()
  }
  gpu.return
}
}

// -----

gpu.module @kernels {
gpu.func @many(%sum: vector<64x32xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %most = arith.constant 2000000000 : i32
  // expected-note @below {{loop here}}
  scf.for %at = %c0 to %most step %c1 : i32 {
    // expected-error @below {{expected a loop of at most 32 iterations, the columns of tile, to count its column, got 2000000000}}
    %r = tmm.extract_columns %sum[%at] : vector<64x32xf32> -> vector<64x8xf32>
    "use"(%r) : (vector<64x8xf32>) -> ()
  }
  gpu.return
}
}

// -----

// What a loop puts back, it carries on.
// CHECK-LABEL: gpu.func @insert
// CHECK-SAME: (%[[S0:.*]]: vector<128x64xf32>)
// CHECK-NOT: scf.for
// CHECK: %[[R0:.*]] = vector.extract_strided_slice %[[S0]] {offsets = [0, 0], sizes = [128, 32], strides = [1, 1]}
// CHECK: %[[A0:.*]] = arith.addf %[[R0]], %[[R0]]
// CHECK: %[[S1:.*]] = vector.insert_strided_slice %[[A0]], %[[S0]] {offsets = [0, 0], strides = [1, 1]} : vector<128x32xf32> into vector<128x64xf32>
// CHECK: %[[R1:.*]] = vector.extract_strided_slice %[[S1]] {offsets = [0, 32], sizes = [128, 32], strides = [1, 1]}
// CHECK: %[[A1:.*]] = arith.addf %[[R1]], %[[R1]]
// CHECK: %[[S2:.*]] = vector.insert_strided_slice %[[A1]], %[[S1]] {offsets = [0, 32], strides = [1, 1]}
// CHECK: "use"(%[[S2]])
gpu.module @kernels {
gpu.func @insert(%sum: vector<128x64xf32>) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i32
  %all = scf.for %column = %c0 to %c64 step %c32 iter_args(%s = %sum) -> (vector<128x64xf32>) : i32 {
    %r = tmm.extract_columns %s[%column] : vector<128x64xf32> -> vector<128x32xf32>
    %a = arith.addf %r, %r : vector<128x32xf32>
    %next = tmm.insert_columns %a, %s[%column] : vector<128x32xf32>, vector<128x64xf32>
    scf.yield %next : vector<128x64xf32>
  }
  "use"(%all) : (vector<128x64xf32>) -> ()
  gpu.return
}
}

// -----

// No loop with constant bounds counts the column: it stays.
// CHECK-LABEL: gpu.func @unknown_insert
// CHECK: tmm.insert_columns
gpu.module @kernels {
gpu.func @unknown_insert(%part: vector<64x8xf32>, %sum: vector<64x32xf32>, %at: i32) {
  %r = tmm.insert_columns %part, %sum[%at] : vector<64x8xf32>, vector<64x32xf32>
  "use"(%r) : (vector<64x32xf32>) -> ()
  gpu.return
}
}
