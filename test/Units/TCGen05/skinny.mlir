// RUN: tc-opt %s --mlir-print-local-scope -tmm-choose-config="config=epilogue=direct" -tmm-tile -canonicalize -tmm-assign-roles -tmm-materialize-pipelines -tmm-pipeline -tmm-warp-specialize -canonicalize -cse -tmm-lower-scheduler -convert-tmm-pipelines-to-sm90 -convert-tmm-kernel-interface-to-sm90 -tmm-distribute -convert-tmm-tiles -convert-tmm-roles-to-sm90 -canonicalize -cse | FileCheck %s --check-prefixes=CHECK,DIRECT
// RUN: tc-opt %s --mlir-print-local-scope -tmm-choose-config="config=epilogue=tma-store" -tmm-tile -canonicalize -tmm-assign-roles -tmm-materialize-pipelines -tmm-pipeline -tmm-warp-specialize -canonicalize -cse -tmm-lower-scheduler -convert-tmm-pipelines-to-sm90 -convert-tmm-kernel-interface-to-sm90 -tmm-distribute -convert-tmm-tiles -convert-tmm-roles-to-sm90 -canonicalize -cse | FileCheck %s --check-prefixes=CHECK,RING

// Data path layout F: row r of the accumulator is in lane 32 * (r / 16) + r mod
// 16. Each warp of the epilogue holds 16 rows, the other threads none: they store
// nothing, to D or to the store ring.

// CHECK-LABEL: gpu.func @f_matmul(
// CHECK-DAG: %[[WARP:.*]] = arith.divui %[[THREAD:.*]], %c32_i32
// CHECK: tcgen05.ld %{{.*}} : !tcgen05.tmem<16x8xf32, F> to vector<8xf32>
// CHECK-DAG: %[[SKIPPED:.*]] = arith.muli %[[WARP]], %c16_i32
// CHECK-DAG: %[[OWN:.*]] = arith.subi %[[THREAD]], %[[SKIPPED]]
// CHECK-DAG: %[[LANE:.*]] = arith.remui %[[THREAD]], %c32_i32
// CHECK-DAG: %[[HOLDS:.*]] = arith.cmpi ult, %[[LANE]], %c16_i32
// DIRECT: arith.andi %{{.*}}, %[[HOLDS]]
// RING: scf.if %[[HOLDS]] {
// RING-NEXT: vector.shuffle
// RING-NEXT: sm90.smem_store %{{.*}}, %{{.*}}[%[[OWN]], 0]
// CHECK: tcgen05.mma f16 {{.*}} : !tcgen05.tmem<64x8xf32, F>
func.func @f(%a: memref<48x200xbf16>, %b: memref<8x200xbf16>, %d: memref<48x8xf32>) {
  tmm.matmul transpose_b ins(%a, %b : memref<48x200xbf16>, memref<8x200xbf16>) outs(%d : memref<48x8xf32>)
  return
}
