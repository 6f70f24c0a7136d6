// RUN: tc-opt %s --allow-unregistered-dialect --mlir-print-local-scope -convert-tmm-kernel-interface-to-sm90 -canonicalize -cse | FileCheck %s

// A vector whose elements are apart: the kernel is told how far, where the type does not say. One number for each
// index needs no sizes but strides.

// CHECK-LABEL: func.func @f
// CHECK-SAME: (%[[X:.*]]: memref<?x?xf32, strided<[1, ?]>>, %[[Y:.*]]: memref<3x5xf32, strided<[1, 3]>>)
// CHECK: %{{.*}}, %{{.*}}, %{{.*}}:2, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata %[[X]]
// CHECK: gpu.launch_func {{.*}}%[[STRIDES]]#1 : index
// CHECK-LABEL: gpu.func @k
// CHECK-SAME: %[[STRIDE:[a-z0-9]+]]: index
// CHECK-DAG: %[[A:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [%{{.*}}, %{{.*}}], strides: [1, %[[STRIDE]]]
// CHECK-DAG: %[[B:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [3, 5], strides: [1, 3]
// CHECK: tmm.fetch %[[A]][{{.*}}] batch({{.*}}) along m
// CHECK: tmm.fetch %[[B]][{{.*}}] batch({{.*}})
module attributes {gpu.container_module} {
  func.func @f(%x: memref<?x?xf32, strided<[1, ?]>>, %y: memref<3x5xf32, strided<[1, 3]>>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%x : memref<?x?xf32, strided<[1, ?]>>, %y : memref<3x5xf32, strided<[1, 3]>>)
    return
  }
  gpu.module @m {
    gpu.func @k(%x: memref<?x?xf32, strided<[1, ?]>>, %y: memref<3x5xf32, strided<[1, 3]>>) kernel {
      %i = arith.constant 2 : i32
      %a = tmm.fetch %x[%i, %i] batch(%i) along m : memref<?x?xf32, strided<[1, ?]>> -> vector<128x32xf32>
      %b = tmm.fetch %y[%i, %i] batch(%i, %i) : memref<3x5xf32, strided<[1, 3]>> -> vector<128x32xf32>
      "use"(%a, %b) : (vector<128x32xf32>, vector<128x32xf32>) -> ()
      gpu.return
    }
  }
}
