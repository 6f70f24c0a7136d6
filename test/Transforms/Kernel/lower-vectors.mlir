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

// 7 bytes leave one of a register, which nobody has written: each is computed for itself.
// CHECK-LABEL: func.func @small_integers
// CHECK-SAME: (%[[V:.*]]: vector<7xi8>)
func.func @small_integers(%v: vector<7xi8>) -> vector<7xi8> {
  // CHECK: %[[FIRST:.*]] = vector.extract %[[V]][0] : i8 from vector<7xi8>
  // CHECK: %[[SUM:.*]] = arith.addi %[[FIRST]], %{{.*}} : i8
  // CHECK: vector.extract %[[V]][6]
  // CHECK: vector.from_elements %[[SUM]], {{.*}} : vector<7xi8>
  // CHECK-NOT: arith.addi {{.*}} : vector
  %s = arith.addi %v, %v : vector<7xi8>
  return %s : vector<7xi8>
}

// Attributes stay. A result that does not fill registers is enough.
// CHECK-LABEL: func.func @to_small_integers
func.func @to_small_integers(%v: vector<3xi32>) -> vector<3xi16> {
  // CHECK-COUNT-3: arith.trunci %{{.*}} overflow<nsw> : i32 to i16
  // CHECK: vector.from_elements {{.*}} : vector<3xi16>
  %s = arith.trunci %v overflow<nsw> : vector<3xi32> to vector<3xi16>
  return %s : vector<3xi16>
}

// Whole registers, bits, floats and integers of 32 bits stay vectors.
// CHECK-LABEL: func.func @whole_registers
func.func @whole_registers(%a: vector<8xi8>, %b: vector<3xi1>, %e: vector<3xi1>, %c: vector<3xbf16>, %d: vector<3xi32>) -> (vector<8xi8>, vector<3xi1>, vector<3xbf16>, vector<3xi32>) {
  // CHECK-NEXT: arith.addi {{.*}} : vector<8xi8>
  // CHECK-NEXT: arith.andi {{.*}} : vector<3xi1>
  // CHECK-NEXT: arith.addf {{.*}} : vector<3xbf16>
  // CHECK-NEXT: arith.addi {{.*}} : vector<3xi32>
  %p = arith.addi %a, %a : vector<8xi8>
  %q = arith.andi %b, %e : vector<3xi1>
  %r = arith.addf %c, %c : vector<3xbf16>
  %s = arith.addi %d, %d : vector<3xi32>
  return %p, %q, %r, %s : vector<8xi8>, vector<3xi1>, vector<3xbf16>, vector<3xi32>
}

// Slices of 80 rounded elements are rounded by themselves, those of 64 are slices of the rounded ones.
// CHECK-LABEL: func.func @rounded_slices
// CHECK: %[[A:.*]] = vector.shuffle %arg0, %arg0 [0, 1, {{.*}}63] : vector<80xf32>, vector<80xf32>
// CHECK: arith.truncf %[[A]] toward_zero : vector<64xf32> to vector<64xbf16>
// CHECK: %[[B:.*]] = vector.shuffle %arg0, %arg0 [64, {{.*}}79] : vector<80xf32>, vector<80xf32>
// CHECK: arith.truncf %[[B]] toward_zero : vector<16xf32> to vector<16xbf16>
// CHECK: %[[ALL:.*]] = arith.truncf %arg1 : vector<64xf32> to vector<64xbf16>
// CHECK: vector.shuffle %[[ALL]]
func.func @rounded_slices(%x: vector<80xf32>, %y: vector<64xf32>) -> (vector<64xbf16>, vector<16xbf16>, vector<16xbf16>) {
  %r = arith.truncf %x toward_zero : vector<80xf32> to vector<80xbf16>
  %a = vector.extract_strided_slice %r {offsets = [0], sizes = [64], strides = [1]} : vector<80xbf16> to vector<64xbf16>
  %b = vector.extract_strided_slice %r {offsets = [64], sizes = [16], strides = [1]} : vector<80xbf16> to vector<16xbf16>
  %s = arith.truncf %y : vector<64xf32> to vector<64xbf16>
  %c = vector.extract_strided_slice %s {offsets = [0], sizes = [16], strides = [1]} : vector<64xbf16> to vector<16xbf16>
  return %a, %b, %c : vector<64xbf16>, vector<16xbf16>, vector<16xbf16>
}
