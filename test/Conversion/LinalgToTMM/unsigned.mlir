// Integers without a sign: what the body extends by zeros tmm.matmul reads as ui8.
// RUN: tc-opt %s -convert-linalg-to-tmm | FileCheck %s
// RUN: tc-opt %s -convert-linalg-to-tmm -one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" | FileCheck %s --check-prefix=BUFFER

// CHECK-LABEL: func.func @named(
// CHECK-SAME:  %[[A:.*]]: memref<8x16xi8>, %[[B:.*]]: memref<16x24xi8>
// CHECK-DAG:   %[[UA:.*]] = tmm.reinterpret %[[A]] : memref<8x16xi8> to memref<8x16xui8>
// CHECK-DAG:   %[[UB:.*]] = tmm.reinterpret %[[B]] : memref<16x24xi8> to memref<16x24xui8>
// CHECK:       tmm.matmul accumulate ins(%[[UA]], %[[UB]] : memref<8x16xui8>, memref<16x24xui8>)
func.func @named(%a: memref<8x16xi8>, %b: memref<16x24xi8>, %d: memref<8x24xi32>) {
  linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%a, %b : memref<8x16xi8>, memref<16x24xi8>) outs(%d : memref<8x24xi32>)
  return
}

// Nothing is copied.
// CHECK-LABEL: func.func @batch(
// CHECK:       tmm.reinterpret %{{.*}} : tensor<2x8x16xi8> to tensor<2x8x16xui8>
// CHECK:       tmm.reinterpret %{{.*}} : tensor<2x16x24xi8> to tensor<2x16x24xui8>
// CHECK:       tmm.matmul ins({{.*}}) outs({{.*}}) -> tensor<2x8x24xi32>
// BUFFER-LABEL: func.func @batch(
// BUFFER-SAME:  %[[A:.*]]: memref<2x8x16xi8>, %[[B:.*]]: memref<2x16x24xi8>
// BUFFER-NOT:   memref.copy
// BUFFER-DAG:   %[[UA:.*]] = tmm.reinterpret %[[A]] : memref<2x8x16xi8> to memref<2x8x16xui8>
// BUFFER-DAG:   %[[UB:.*]] = tmm.reinterpret %[[B]] : memref<2x16x24xi8> to memref<2x16x24xui8>
// BUFFER:       tmm.matmul ins(%[[UA]], %[[UB]] : memref<2x8x16xui8>, memref<2x16x24xui8>)
func.func @batch(%a: tensor<2x8x16xi8>, %b: tensor<2x16x24xi8>) -> tensor<2x8x24xi32> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<2x8x24xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<2x8x24xi32>) -> tensor<2x8x24xi32>
  %d = linalg.batch_matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%a, %b : tensor<2x8x16xi8>, tensor<2x16x24xi8>) outs(%init : tensor<2x8x24xi32>) -> tensor<2x8x24xi32>
  return %d : tensor<2x8x24xi32>
}

// Each operand by itself; the first input is B here, and stored N x K.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>
// CHECK-LABEL: func.func @mixed(
// CHECK-SAME:  %[[B:.*]]: memref<24x16xi8, strided<[?, 1], offset: ?>>, %[[A:.*]]: memref<8x16xi8>
// CHECK:       %[[UB:.*]] = tmm.reinterpret %[[B]] : memref<24x16xi8, strided<[?, 1], offset: ?>> to memref<24x16xui8, strided<[?, 1], offset: ?>>
// CHECK-NOT:   tmm.reinterpret
// CHECK:       tmm.matmul accumulate transpose_b ins(%[[A]], %[[UB]] :
func.func @mixed(%b: memref<24x16xi8, strided<[?, 1], offset: ?>>, %a: memref<8x16xi8>, %d: memref<8x24xi32>) {
  linalg.generic {indexing_maps = [#b, #a, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%b, %a : memref<24x16xi8, strided<[?, 1], offset: ?>>, memref<8x16xi8>) outs(%d : memref<8x24xi32>) {
  ^bb0(%x: i8, %y: i8, %z: i32):
    %0 = arith.extui %x : i8 to i32
    %1 = arith.extsi %y : i8 to i32
    %2 = arith.muli %1, %0 : i32
    %3 = arith.addi %z, %2 : i32
    linalg.yield %3 : i32
  }
  return
}

// Floats have a sign, whatever the cast is called.
// CHECK-LABEL: func.func @floats(
// CHECK-NOT:   tmm.reinterpret
// CHECK:       tmm.matmul
func.func @floats(%a: memref<8x16xbf16>, %b: memref<16x24xbf16>, %d: memref<8x24xf32>) {
  linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%a, %b : memref<8x16xbf16>, memref<16x24xbf16>) outs(%d : memref<8x24xf32>)
  return
}
