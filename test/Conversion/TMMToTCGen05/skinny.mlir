// RUN: tc-opt %s -tmm-choose-config -tmm-tile -canonicalize -tmm-materialize-pipelines -tmm-pipeline -tmm-warp-specialize -canonicalize -cse -convert-tmm-to-tcgen05 -canonicalize -cse | FileCheck %s

// Data path layout F: row r of the accumulator is in lane 32 * (r / 16) + r mod
// 16. Each warp of the epilogue holds 16 rows, the other threads none.

// CHECK-LABEL: gpu.func @f_matmul(
// CHECK-DAG: %[[WARP:.*]] = arith.divui %[[THREAD:.*]], %c32_i32
// CHECK: tcgen05.ld %{{.*}} : !tcgen05.tmem<16x8xf32, F> to vector<8xf32>
// CHECK-DAG: %[[SKIPPED:.*]] = arith.muli %[[WARP]], %c16_i32
// CHECK-DAG: %[[OWN:.*]] = arith.subi %[[THREAD]], %[[SKIPPED]]
// CHECK-DAG: %[[LANE:.*]] = arith.remui %[[THREAD]], %c32_i32
// CHECK-DAG: %[[HOLDS:.*]] = arith.cmpi ult, %[[LANE]], %c16_i32
// CHECK: arith.andi %{{.*}}, %[[HOLDS]]
// CHECK: tcgen05.mma f16 {{.*}} : !tcgen05.tmem<64x8xf32, F>
func.func @f(%a: memref<48x200xbf16>, %b: memref<8x200xbf16>, %d: memref<48x8xf32>) {
  tmm.matmul transpose_b ins(%a, %b : memref<48x200xbf16>, memref<8x200xbf16>) outs(%d : memref<48x8xf32>)
  return
}
