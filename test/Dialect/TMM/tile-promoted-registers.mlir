// RUN: tc-opt %s --mlir-print-local-scope -tmm-tile=chip=sm_90a -canonicalize | FileCheck %s

// Where the accumulator is in registers, the same loop: the product of a K-block is
// a value that starts from zero, beside the sums. The factors of the next block are
// on their way while this one is multiplied.

// CHECK: gpu.func @f_matmul
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<128x128xf32>
// CHECK: %[[A0:.*]] = tmm.fetch {{.*}} along m
// CHECK: %[[B0:.*]] = tmm.fetch
// CHECK: scf.for {{.*}} iter_args(%[[SUMS:.*]] = %[[ZERO]], %[[FA:.*]] = %[[A0]], %[[FB:.*]] = %[[B0]]) -> (vector<128x128xf32>, vector<128x16xf32>, vector<128x16xf32>)
// CHECK: tmm.alloc stages(2) late_release
// CHECK: %[[P:.*]] = tmm.mma %{{.*}}, %{{.*}}, %[[ZERO]] accumulate(%false) by(#sm90.wgmma)
// CHECK: %[[AHEAD:.*]] = arith.minui
// CHECK: %[[A1:.*]] = tmm.fetch {{.*}} batch(%[[AHEAD]]) along m
// CHECK: %[[B1:.*]] = tmm.fetch {{.*}} batch(%[[AHEAD]], %{{.*}})
// CHECK: %[[NEXT:.*]] = scf.for %[[AT:.*]] = {{.*}} iter_args(%[[S:.*]] = %[[SUMS]])
// CHECK: %[[PART:.*]] = tmm.extract_columns %[[P]][%[[AT]]]
// CHECK: %[[F:.*]] = arith.mulf %[[FA]], %[[FB]]
// CHECK: %[[OLD:.*]] = tmm.extract_columns %[[S]][%[[AT]]]
// CHECK: math.fma %[[PART]], %[[F]], %[[OLD]]
// CHECK: tmm.insert_columns
// CHECK: scf.yield %[[NEXT]], %[[A1]], %[[B1]]
func.func @f(%a: memref<256x256xf8E4M3FN>, %sa: memref<256x2xf32>, %sb: memref<2x2xf32>, %d: memref<256x256xf32>) {
  tmm.matmul transpose_b config <tile = <shape = 128x128x128>, ring = <stages = 2, swizzle = 128B>, epilogue = <kind = direct, subtile = 32>, roles = <kind = specialized>>
    ins(%a, %a : memref<256x256xf8E4M3FN>, memref<256x256xf8E4M3FN>) scales(%sa, %sb : memref<256x2xf32>, memref<2x2xf32>)
    outs(%d : memref<256x256xf32>)
  return
}
