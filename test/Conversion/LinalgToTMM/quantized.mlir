// RUN: tc-opt %s -convert-linalg-to-tmm -split-input-file | FileCheck %s

// CHECK-LABEL: func @zero_points
// CHECK: tmm.matmul accumulate {{.*}}ins(%{{.*}} : tensor<8x32xi8>, tensor<{{.*}}xi8>) outs(%{{.*}} : tensor<8x24xi32>)
func.func @zero_points(%a: tensor<8x32xi8>, %b: tensor<24x32xi8>, %d: tensor<8x24xi32>) -> tensor<8x24xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<32x24xi8>
  %t = linalg.transpose ins(%b : tensor<24x32xi8>) outs(%e : tensor<32x24xi8>) permutation = [1, 0]
  %0 = linalg.quantized_matmul ins(%a, %t, %zero, %zero : tensor<8x32xi8>, tensor<32x24xi8>, i32, i32)
    outs(%d : tensor<8x24xi32>) -> tensor<8x24xi32>
  return %0 : tensor<8x24xi32>
}
