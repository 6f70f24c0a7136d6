// RUN: tc-opt %s | tc-opt | FileCheck %s
// RUN: tc-opt %s --mlir-print-op-generic | tc-opt | FileCheck %s
// RUN: tc-opt %s -canonicalize -cse | FileCheck %s
// RUN: tc-opt %s -tmm-choose-config -tmm-tile | FileCheck %s
// RUN: tc-opt %s -tmm-drop-problems | FileCheck %s --check-prefix=DROP

// The statement of what a launch computes has the syntax and the rules of
// tmm.matmul. Nothing folds it away, no pass takes it for a matmul, and it does
// nothing itself.

// DROP-NOT: tmm.problem
// DROP: gpu.launch_func

// CHECK-LABEL: func.func @host(
// CHECK-SAME: %[[A:.*]]: memref<?x72xbf16>, %[[B:.*]]: memref<136x72xbf16>, %[[D:.*]]: memref<?x136xbf16>, %[[X:.*]]: memref<136xf32>, %[[S:.*]]: f32)
// CHECK: tmm.problem accumulate transpose_b ins(%[[A]], %[[B]] : memref<?x72xbf16>, memref<136x72xbf16>) outs(%[[D]] : memref<?x136xbf16>)
// CHECK-SAME: epilogue(%[[ACC:.*]], %[[BIAS:.*]] = %[[X]] along n : memref<136xf32>, %[[SCALE:.*]] = %[[S]] : f32) {
// CHECK: arith.mulf %[[ACC]], %[[SCALE]] : f32
// CHECK: tmm.yield %{{.*}} : bf16
// CHECK: gpu.launch_func @m::@k
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @k() kernel { gpu.return }
  }
  func.func @host(%a: memref<?x72xbf16>, %b: memref<136x72xbf16>, %d: memref<?x136xbf16>, %x: memref<136xf32>, %s: f32) {
    %c1 = arith.constant 1 : index
    tmm.problem accumulate transpose_b ins(%a, %b : memref<?x72xbf16>, memref<136x72xbf16>) outs(%d : memref<?x136xbf16>)
        epilogue(%acc, %bias = %x along n : memref<136xf32>, %scale = %s : f32) {
      %0 = arith.mulf %acc, %scale : f32
      %1 = arith.addf %0, %bias : f32
      %2 = arith.truncf %1 : f32 to bf16
      tmm.yield %2 : bf16
    }
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
}
