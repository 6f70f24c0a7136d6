// RUN: tc-opt %s -one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" | FileCheck %s --check-prefix=BUFFER
// RUN: tc-opt %s -transform-interpreter -canonicalize -split-input-file | FileCheck %s --check-prefix=TILE

// A matrix that is also D needs no copy; a row of it is another matter.
// BUFFER-LABEL: func @f(
// BUFFER-SAME: %[[A:.*]]: memref<8x16xf16>, %[[B:.*]]: memref<16x24xf16>, %[[D:.*]]: memref<8x24xf32>, %[[R:.*]]: memref<24xf32>, %[[S:.*]]: f32
// BUFFER-NOT: memref.copy
// BUFFER: tmm.matmul ins(%[[A]], %[[B]] : {{.*}}) outs(%[[D]] : memref<8x24xf32>) epilogue(%{{.*}}, %{{.*}} = %[[D]] : memref<8x24xf32>, %{{.*}} = %[[R]] along n : memref<24xf32>, %{{.*}} = %[[S]] : f32)
// BUFFER: math.exp
// BUFFER: return %[[D]]

// Slices of what the epilogue reads follow those of D.
// TILE-LABEL: func @f(
// TILE-SAME: %[[A:.*]]: tensor<8x16xf16>, %[[B:.*]]: tensor<16x24xf16>, %[[D:.*]]: tensor<8x24xf32>, %[[R:.*]]: tensor<24xf32>, %[[S:.*]]: f32
// TILE: scf.for %[[I:[a-z0-9]+]] =
// TILE: scf.for %[[J:[a-z0-9]+]] = {{.*}} iter_args(%[[T:[a-z0-9]+]] =
// TILE-DAG: %[[TD:.*]] = tensor.extract_slice %[[T]][%[[I]], %[[J]]] [4, 8] [1, 1]
// TILE-DAG: %[[TX:.*]] = tensor.extract_slice %[[D]][%[[I]], %[[J]]] [4, 8] [1, 1]
// TILE-DAG: %[[TR:.*]] = tensor.extract_slice %[[R]][%[[J]]] [8] [1]
// TILE: tmm.matmul {{.*}} outs(%[[TD]] : tensor<4x8xf32>) -> tensor<4x8xf32> epilogue(%{{.*}}, %{{.*}} = %[[TX]] : tensor<4x8xf32>, %{{.*}} = %[[TR]] along n : tensor<8xf32>, %{{.*}} = %[[S]] : f32)
func.func @f(%a: tensor<8x16xf16>, %b: tensor<16x24xf16>, %d: tensor<8x24xf32>, %row: tensor<24xf32>, %s: f32) -> tensor<8x24xf32> {
  %0 = tmm.matmul ins(%a, %b : tensor<8x16xf16>, tensor<16x24xf16>) outs(%d : tensor<8x24xf32>) -> tensor<8x24xf32>
      epilogue(%acc, %x = %d : tensor<8x24xf32>, %r = %row along n : tensor<24xf32>, %k = %s : f32) {
    %1 = math.exp %acc : f32
    %2 = arith.mulf %1, %x : f32
    %3 = arith.addf %2, %r : f32
    %4 = arith.addf %3, %k : f32
    tmm.yield %4 : f32
  }
  return %0 : tensor<8x24xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %matmul = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:2 = transform.structured.tile_using_for %matmul tile_sizes [4, 8, 0] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}
