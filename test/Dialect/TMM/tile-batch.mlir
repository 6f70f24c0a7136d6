// RUN: tc-opt %s -tmm-tile -canonicalize | FileCheck %s

// A batch is a number of problems for the scheduler. The indices of its
// dimensions come from the number of the problem; operands without a dimension
// do not get its index.

// CHECK-LABEL: func.func @f(
// CHECK-DAG: %[[B0:.*]] = memref.dim %{{.*}}, %c0
// CHECK: %[[TILES:.*]] = arith.muli %{{.*}}, %[[B0]]
// CHECK: arith.muli %[[TILES]], %c3
// CHECK: gpu.launch_func @kernels::@f_matmul

// CHECK-LABEL: func.func @empty(
// CHECK-NOT: gpu.launch_func
// CHECK: return

// CHECK-LABEL: gpu.func @f_matmul(
// CHECK-SAME: %[[A:.*]]: memref<?x3x?x72xbf16>, %[[B:.*]]: memref<72x136xbf16>, %[[D:.*]]: memref<?x3x?x136xf32>, %[[X:.*]]: memref<?x1x136xf32>, %[[M:.*]]: i32, %[[N0:.*]]: i32) kernel
// CHECK: %[[COUNT:.*]] = arith.muli %[[N0]], %c3_i32
// CHECK: %[[SCHED:.*]] = tmm.scheduler #tmm.static(%[[M]], %c136_i32, %c72_i32) batch %[[COUNT]] tile [128, 64, 64]
// CHECK: %[[BATCH:.*]] = tmm.work_batch %[[SCHED]], %{{.*}} : i32
// CHECK: %[[HEAD:.*]] = arith.remui %[[BATCH]], %c3_i32
// CHECK: %[[FIRST:.*]] = arith.divui %[[BATCH]], %c3_i32
// CHECK: tmm.load %[[A]][%{{.*}}, %{{.*}}] batch(%[[FIRST]], %[[HEAD]]), %{{.*}} by(#sm90.tma) : memref<?x3x?x72xbf16>
// CHECK: tmm.load %[[B]][%{{.*}}, %{{[0-9]+}}], %{{.*}} transposed by(#sm90.tma) : memref<72x136xbf16>
// CHECK: tmm.fetch %[[X]][%{{.*}}, %{{.*}}] batch(%[[FIRST]], %c0_i32) along n
// CHECK: tmm.store %{{.*}}, %[[D]][%{{.*}}, %{{.*}}] batch(%[[FIRST]], %[[HEAD]])
func.func @f(%a: memref<?x3x?x72xbf16>, %b: memref<72x136xbf16>, %d: memref<?x3x?x136xf32>, %x: memref<?x1x136xf32>) {
  tmm.matmul config <tile = <shape = 128x64x64>, ring = <swizzle = 128B>, scheduler = <sms = 148>, epilogue = <subtile = 32>>
    ins(%a, %b : memref<?x3x?x72xbf16>, memref<72x136xbf16>) outs(%d : memref<?x3x?x136xf32>)
    epilogue(%acc, %y = %x along n : memref<?x1x136xf32>) {
    %0 = arith.addf %acc, %y : f32
    tmm.yield %0 : f32
  }
  return
}

// No problem, no kernel.
func.func @empty(%a: memref<0x200x72xbf16>, %b: memref<0x72x136xbf16>, %d: memref<0x200x136xf32>) {
  tmm.matmul config <tile = <shape = 128x64x64>, ring = <swizzle = 128B>, epilogue = <subtile = 32>>
    ins(%a, %b : memref<0x200x72xbf16>, memref<0x72x136xbf16>) outs(%d : memref<0x200x136xf32>)
  return
}
