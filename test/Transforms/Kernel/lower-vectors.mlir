// RUN: tc-opt %s --tc-lower-vectors | FileCheck %s

// CHECK-LABEL: func.func @slice
// CHECK-SAME: (%[[V:.*]]: vector<32xf32>)
func.func @slice(%v: vector<32xf32>) -> vector<4xf32> {
  // CHECK: vector.shuffle %[[V]], %[[V]] [4, 5, 6, 7] : vector<32xf32>, vector<32xf32>
  // CHECK-NOT: vector.extract_strided_slice
  %s = vector.extract_strided_slice %v {offsets = [4], sizes = [4], strides = [1]} : vector<32xf32> to vector<4xf32>
  return %s : vector<4xf32>
}

// CHECK-LABEL: func.func @reshape
func.func @reshape(%v: vector<1x4xf32>) -> vector<4xf32> {
  // CHECK-NOT: vector.shape_cast
  // CHECK: vector.extract
  %s = vector.shape_cast %v : vector<1x4xf32> to vector<4xf32>
  return %s : vector<4xf32>
}
