// RUN: tc-opt %s --mlir-print-local-scope -tmm-choose-config -tmm-tile -tmm-assign-roles -tmm-materialize-pipelines -tmm-release-early -tmm-pipeline -tmm-warp-specialize | FileCheck %s

// An accumulator for each K-block is a slot of a pipeline inside of the loop over
// them, like the operands. The factors are on their way before it is awaited, and it
// is free when its last columns are read.

// CHECK: tmm.warp_specialize "epilogue"
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} iter_args(%{{.*}} = %{{.*}}, %[[STATE:.*]] = %{{.*}}) -> (vector<128x128xf32>,
// CHECK: tmm.fetch {{.*}} along m
// CHECK: tmm.fetch
// CHECK: %[[FULL:.*]] = tmm.consumer_wait %{{.*}}[%[[STATE]]] : <(<128x128xf32, #tcgen05.tmem>), depth = 2>
// CHECK: scf.for
// CHECK: tmm.read %[[FULL]]
// CHECK-NEXT: arith.constant 112
// CHECK-NEXT: arith.cmpi eq
// CHECK-NEXT: scf.if
// CHECK-NEXT: tmm.consumer_release
// CHECK: math.fma
// CHECK: "mma" warps(1) elected
// CHECK: scf.for
// CHECK: tmm.consumer_wait
// CHECK: tmm.producer_acquire
// CHECK: tmm.mma
// CHECK: tmm.producer_commit
func.func @f(%a: memref<256x512xf8E4M3FN>, %sa: memref<256x4xf32>, %sb: memref<2x4xf32>, %d: memref<256x256xf32>) {
  tmm.matmul transpose_b config <tile = <shape = 128x128x128, cta_group = 1>> ins(%a, %a : memref<256x512xf8E4M3FN>, memref<256x512xf8E4M3FN>)
    scales(%sa, %sb : memref<256x4xf32>, memref<2x4xf32>) outs(%d : memref<256x256xf32>)
  return
}
