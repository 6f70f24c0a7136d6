// RUN: tc-opt %s --mlir-print-local-scope --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --canonicalize | FileCheck %s

#all = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>

// Outputs are written in place, and never read: nothing is copied.
// CHECK-LABEL: func.func @in_place(
// CHECK-SAME:    %[[X:.*]]: memref<8x16xf32>, %[[O:.*]]: memref<8x16xf32>)
// CHECK-NOT:     memref.alloc
// CHECK-NOT:     memref.copy
// CHECK:         tmm.rows ins(%[[X]] : memref<8x16xf32>) outs(%[[O]] : memref<8x16xf32>) maps {{.*}} attributes {name = "kept"} {
// CHECK:         return %[[O]]
func.func @in_place(%x: tensor<8x16xf32>, %o: tensor<8x16xf32> {bufferization.writable = true}) -> tensor<8x16xf32> {
  %y = tmm.rows ins(%x : tensor<8x16xf32>) outs(%o : tensor<8x16xf32>) maps [#all, #all] attributes {name = "kept"} {
  ^bb0(%e: f32):
    %sum = tmm.row_reduce <add> %e : f32
    tmm.yield %sum : f32
  } -> tensor<8x16xf32>
  return %y : tensor<8x16xf32>
}

// What is read afterwards gets a buffer of its own.
// CHECK-LABEL: func.func @read_again(
// CHECK-SAME:    %[[X:.*]]: memref<8x16xf32>)
// CHECK:         %[[O:.*]] = memref.alloc() {{.*}} : memref<8x16xf32>
// CHECK-NOT:     memref.copy
// CHECK:         tmm.rows ins(%[[X]] : memref<8x16xf32>) outs(%[[O]] : memref<8x16xf32>)
// CHECK:         return %[[O]], %[[X]]
func.func @read_again(%x: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  %y = tmm.rows ins(%x : tensor<8x16xf32>) outs(%x : tensor<8x16xf32>) maps [#all, #all] {
  ^bb0(%e: f32):
    %sum = tmm.row_reduce <add> %e : f32
    tmm.yield %sum : f32
  } -> tensor<8x16xf32>
  return %y, %x : tensor<8x16xf32>, tensor<8x16xf32>
}

// Elements of a row that are not adjacent are copied.
// CHECK-LABEL: func.func @strided(
// CHECK-SAME:    %[[X:.*]]: memref<8x32xf32>, %[[O:.*]]: memref<8x32xf32>)
// CHECK:         %[[DENSE:.*]] = memref.alloc() {{.*}} : memref<8x16xf32>
// CHECK:         memref.copy %{{.*}}, %[[DENSE]] : memref<8x16xf32, strided<[32, 2]>> to memref<8x16xf32>
// CHECK:         %[[OUT:.*]] = memref.alloc() {{.*}} : memref<8x16xf32>
// CHECK:         tmm.rows ins(%[[DENSE]] : memref<8x16xf32>) outs(%[[OUT]] : memref<8x16xf32>)
// CHECK:         memref.copy %[[OUT]], %{{.*}} : memref<8x16xf32> to memref<8x16xf32, strided<[32, 2]>>
func.func @strided(%x: tensor<8x32xf32>, %o: tensor<8x32xf32> {bufferization.writable = true}) -> tensor<8x32xf32> {
  %a = tensor.extract_slice %x[0, 0] [8, 16] [1, 2] : tensor<8x32xf32> to tensor<8x16xf32>
  %b = tensor.extract_slice %o[0, 0] [8, 16] [1, 2] : tensor<8x32xf32> to tensor<8x16xf32>
  %y = tmm.rows ins(%a : tensor<8x16xf32>) outs(%b : tensor<8x16xf32>) maps [#all, #all] {
  ^bb0(%e: f32):
    %sum = tmm.row_reduce <add> %e : f32
    tmm.yield %sum : f32
  } -> tensor<8x16xf32>
  %z = tensor.insert_slice %y into %o[0, 0] [8, 16] [1, 2] : tensor<8x16xf32> into tensor<8x32xf32>
  return %z : tensor<8x32xf32>
}

// Memrefs stay.
// CHECK-LABEL: func.func @memrefs(
// CHECK-SAME:    %[[X:.*]]: memref<8x16xf32>, %[[S:.*]]: memref<8xf32>)
// CHECK-NEXT:    tmm.rows ins(%[[X]] : memref<8x16xf32>) outs(%[[S]] : memref<8xf32>)
func.func @memrefs(%x: memref<8x16xf32>, %s: memref<8xf32>) {
  tmm.rows ins(%x : memref<8x16xf32>) outs(%s : memref<8xf32>) maps [#all, #row] {
  ^bb0(%e: f32):
    %sum = tmm.row_reduce <add> %e : f32
    tmm.yield %sum : f32
  }
  return
}
