// RUN: tc-opt %s --mlir-print-local-scope --tmm-distribute | FileCheck %s

#global = #gpu.address_space<global>

// Rows from `until` on are other tiles': a thread's row is compared with it, not
// with the rows of the matrix.
// CHECK-LABEL: gpu.func @until
// CHECK-SAME: %[[ROW:[a-z0-9]*]]: i32, %[[COL:[a-z0-9]*]]: i32, %[[END:[a-z0-9]*]]: i32, %{{.*}}: f32)
// CHECK: %[[AT:.*]] = arith.addi %[[ROW]], %{{.*}} : i32
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %[[AT]], %[[END]] : i32
// CHECK: scf.if %[[INSIDE]]
// CHECK: vector.store
gpu.module @kernels {
gpu.func @until(%d: memref<520x136xf32, #global>, %row: i32, %col: i32, %end: i32, %x: f32) kernel
    attributes {known_block_size = array<i32: 128, 1, 1>} {
  %t = vector.broadcast %x : f32 to vector<128x16xf32>
  tmm.store %t, %d[%row, %col] until %end in_bounds [false, true] layout(#tcgen05.rows) : vector<128x16xf32>, memref<520x136xf32, #global>
  gpu.return
}
}
