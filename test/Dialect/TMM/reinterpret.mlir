// Integers with and without a sign: round trip, and what is left of it for LLVM.
// RUN: tc-opt %s | tc-opt | FileCheck %s
// RUN: tc-opt %s --mlir-print-op-generic | tc-opt | FileCheck %s
// RUN: tc-opt %s -tmm-drop-problems | FileCheck %s --check-prefix=DROP

// CHECK-LABEL: func.func @reinterpret(
// DROP-LABEL:  func.func @reinterpret(
func.func @reinterpret(%a: memref<?x8xi8, strided<[?, 1], offset: ?>>, %t: tensor<4x?xui8>) -> (memref<?x8xui8, strided<[?, 1], offset: ?>>, tensor<4x?xi8>) {
  // CHECK: tmm.reinterpret %{{.*}} : memref<?x8xi8, strided<[?, 1], offset: ?>> to memref<?x8xui8, strided<[?, 1], offset: ?>>
  // DROP: builtin.unrealized_conversion_cast %{{.*}} : memref<?x8xi8, strided<[?, 1], offset: ?>> to memref<?x8xui8, strided<[?, 1], offset: ?>>
  %0 = tmm.reinterpret %a : memref<?x8xi8, strided<[?, 1], offset: ?>> to memref<?x8xui8, strided<[?, 1], offset: ?>>
  // CHECK: tmm.reinterpret %{{.*}} : tensor<4x?xui8> to tensor<4x?xi8>
  // DROP: builtin.unrealized_conversion_cast %{{.*}} : tensor<4x?xui8> to tensor<4x?xi8>
  %1 = tmm.reinterpret %t : tensor<4x?xui8> to tensor<4x?xi8>
  return %0, %1 : memref<?x8xui8, strided<[?, 1], offset: ?>>, tensor<4x?xi8>
}
