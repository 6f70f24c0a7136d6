// RUN: tc-opt %s -tmm-tile -canonicalize | FileCheck %s

// The region becomes operations on register tiles. Constants on the host are
// constants of the kernel, D is not passed twice, what is fetched comes before
// the accumulator is read.

// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[A:.*]]: memref<256x64xbf16>, %[[B:.*]]: memref<64x128xbf16>, %[[D:.*]]: memref<256x128xbf16>, %[[ROW:.*]]: memref<128xf32>, %[[COLUMN:.*]]: memref<256xf16>, %[[S:.*]]: f32)
// CHECK: tmm.problem ins(%[[A]], %[[B]] :
// CHECK-SAME: epilogue(%{{.*}}, %{{.*}} = %[[ROW]] along n : memref<128xf32>, %{{.*}} = %[[COLUMN]] along m : memref<256xf16>, %{{.*}} = %[[S]] : f32, %{{.*}} = %cst : f32, %{{.*}} = %[[D]] : memref<256x128xbf16>) {
// CHECK: math.tanh %{{.*}} : f32
// CHECK: gpu.launch_func @kernels::@f_matmul
// CHECK-SAME: args(%[[A]] : memref<256x64xbf16>, %[[B]] : memref<64x128xbf16>, %[[D]] : memref<256x128xbf16>, %[[ROW]] : memref<128xf32>, %[[COLUMN]] : memref<256xf16>, %[[S]] : f32)

// CHECK: gpu.func @f_matmul(%{{.*}}, %{{.*}}, %[[D:.*]]: memref<256x128xbf16>, %[[ROW:.*]]: memref<128xf32>, %[[COLUMN:.*]]: memref<256xf16>, %[[S:.*]]: f32) kernel
// CHECK-DAG: %[[TWO:.*]] = arith.constant dense<2.000000e+00> : vector<128x32xf32>
// CHECK: scf.for
// CHECK: scf.for %[[J:.*]] =
// CHECK: %[[COL:.*]] = arith.addi
// CHECK: %[[OLD:.*]] = tmm.fetch %[[D]][%{{.*}}, %[[COL]]] in_bounds [true, true] layout(#tcgen05.rows) : memref<256x128xbf16> -> vector<128x32xbf16>
// CHECK: %[[R:.*]] = tmm.fetch %[[ROW]][%{{.*}}, %[[COL]]] along n in_bounds [true, true] layout(#tcgen05.rows) : memref<128xf32> -> vector<128x32xf32>
// CHECK: %[[C:.*]] = tmm.fetch %[[COLUMN]][%{{.*}}, %[[COL]]] along m in_bounds [true, true] layout(#tcgen05.rows) : memref<256xf16> -> vector<128x32xf16>
// CHECK: %[[SCALAR:.*]] = vector.broadcast %[[S]] : f32 to vector<128x32xf32>
// CHECK: %[[ACC:.*]] = tmm.read
// CHECK: %[[V0:.*]] = arith.mulf %[[ACC]], %[[TWO]]
// CHECK: %[[V1:.*]] = arith.addf %[[V0]], %[[R]]
// CHECK: %[[V2:.*]] = arith.extf %[[C]]
// CHECK: %[[V3:.*]] = arith.addf %[[V1]], %[[V2]]
// CHECK: %[[V4:.*]] = arith.mulf %[[V3]], %[[SCALAR]]
// A function stays as exact as its flags say, whatever the output is.
// CHECK: %[[V5:.*]] = math.tanh %[[V4]] :
// CHECK: %[[V6:.*]] = arith.extf %[[OLD]]
// CHECK: %[[V7:.*]] = arith.addf %[[V5]], %[[V6]]
// CHECK: %[[V8:.*]] = arith.truncf %[[V7]]
// CHECK: tmm.store %[[V8]], %[[D]]
func.func @f(%a: memref<256x64xbf16>, %b: memref<64x128xbf16>, %d: memref<256x128xbf16>, %row: memref<128xf32>, %column: memref<256xf16>, %s: f32) {
  %two = arith.constant 2.0 : f32
  tmm.matmul config <tile = <shape = 128x64x64>, ring = <swizzle = 128B>, epilogue = <subtile = 32>>
    ins(%a, %b : memref<256x64xbf16>, memref<64x128xbf16>) outs(%d : memref<256x128xbf16>)
    epilogue(%acc, %x0 = %row along n : memref<128xf32>, %x1 = %column along m : memref<256xf16>, %x2 = %s : f32, %x3 = %two : f32, %x4 = %d : memref<256x128xbf16>) {
      %0 = arith.mulf %acc, %x3 : f32
      %1 = arith.addf %0, %x0 : f32
      %2 = arith.extf %x1 : f16 to f32
      %3 = arith.addf %1, %2 : f32
      %4 = arith.mulf %3, %x2 : f32
      %5 = math.tanh %4 : f32
      %6 = arith.extf %x4 : bf16 to f32
      %7 = arith.addf %5, %6 : f32
      %8 = arith.truncf %7 : f32 to bf16
      tmm.yield %8 : bf16
    }
  return
}
