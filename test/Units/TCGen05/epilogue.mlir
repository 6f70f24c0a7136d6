// RUN: tc-opt %s --mlir-print-local-scope -convert-linalg-to-tmm -tmm-choose-config="config=tile=128x64x64" -tmm-tile -canonicalize -tmm-assign-roles -tmm-materialize-pipelines -tmm-pipeline -tmm-warp-specialize -canonicalize -cse -tmm-lower-scheduler -convert-tmm-pipelines-to-sm90 -convert-tmm-kernel-interface-to-sm90 -tmm-distribute -convert-tmm-tiles -canonicalize -cse | FileCheck %s

// A thread holds one row: a column gives it one element, a row all of its
// columns in wide loads where they are inside, else one by one.

// CHECK-LABEL: gpu.func @f_matmul(
// CHECK-SAME: %{{[a-z0-9]+}}: memref<f32, #gpu.address_space<global>>, %{{[a-z0-9]+}}: memref<bf16, #gpu.address_space<global>>, %{{[a-z0-9]+}}: memref<bf16, #gpu.address_space<global>>
// CHECK-DAG: %[[D:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [200, 70], strides: [70, 1] : memref<f32
// CHECK-DAG: %[[COLUMN:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [200], strides: [1] : memref<bf16
// CHECK-DAG: %[[ROW:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [70], strides: [1] : memref<bf16
// CHECK: memref.load %[[COLUMN]]
// CHECK: vector.broadcast %{{.*}} : bf16 to vector<32xbf16>
// CHECK: vector.load %[[ROW]]{{.*}} {alignment = 16 : i64} : {{.*}}, vector<8xbf16>
// CHECK: vector.load %[[ROW]]{{.*}} {alignment = 4 : i64} : {{.*}}, vector<2xbf16>
// CHECK: tcgen05.ld
// CHECK: arith.mulf %{{.*}} : vector<32xf32>
// CHECK: math.exp %{{.*}} : vector<32xf32>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
#column = affine_map<(i, j) -> (i)>
func.func @f(%a: memref<200x64xbf16>, %b: memref<72x64xbf16>, %d: memref<200x70xf32>, %column: memref<200xbf16>, %row: memref<70xbf16>) {
  %s = memref.subview %b[0, 0] [70, 64] [1, 1] : memref<72x64xbf16> to memref<70x64xbf16, strided<[64, 1]>>
  tmm.matmul transpose_b ins(%a, %s : memref<200x64xbf16>, memref<70x64xbf16, strided<[64, 1]>>) outs(%d : memref<200x70xf32>)
      epilogue(%acc, %c = %column along m : memref<200xbf16>, %r = %row along n : memref<70xbf16>) {
    %0 = arith.extf %c : bf16 to f32
    %1 = arith.extf %r : bf16 to f32
    %2 = arith.mulf %acc, %0 : f32
    %3 = arith.addf %2, %1 : f32
    %4 = math.exp %3 : f32
    tmm.yield %4 : f32
  }
  return
}
