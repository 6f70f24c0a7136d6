// RUN: tc-opt %s -tc-expand-conversions | FileCheck %s

// The first of a pair is in the low half.
// CHECK-LABEL: func @to_e4m3
// CHECK: %[[LOW:.*]] = vector.extract %arg0[0]
// CHECK: %[[HIGH:.*]] = vector.extract %arg0[1]
// CHECK: %[[PAIR:.*]] = nvvm.convert.f32x2.to.f8x2 %[[HIGH]], %[[LOW]] {rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>} : i16(f8E4M3FN)
// CHECK: %[[ALL:.*]] = vector.from_elements %[[PAIR]] : vector<1xi16>
// CHECK: %[[BYTES:.*]] = vector.bitcast %[[ALL]] : vector<1xi16> to vector<2xi8>
// CHECK: arith.bitcast %[[BYTES]] : vector<2xi8> to vector<2xf8E4M3FN>
func.func @to_e4m3(%x: vector<2xf32>) -> vector<2xf8E4M3FN> {
  %0 = arith.truncf %x : vector<2xf32> to vector<2xf8E4M3FN>
  return %0 : vector<2xf8E4M3FN>
}

// The last one of an odd number has zero beside it.
// CHECK-LABEL: func @to_e5m2
// CHECK: nvvm.convert.f32x2.to.f8x2
// CHECK: %[[LAST:.*]] = vector.extract %arg0[2]
// CHECK: nvvm.convert.f32x2.to.f8x2 %{{.*}}, %[[LAST]] {{.*}} : i16(f8E5M2)
// CHECK: vector.extract_strided_slice %{{.*}} {offsets = [0], sizes = [3], strides = [1]} : vector<4xi8> to vector<3xi8>
func.func @to_e5m2(%x: vector<3xf32>) -> vector<3xf8E5M2> {
  %0 = arith.truncf %x : vector<3xf32> to vector<3xf8E5M2>
  return %0 : vector<3xf8E5M2>
}

// CHECK-LABEL: func @to_e2m1
// CHECK-NOT: arith.truncf
// CHECK-COUNT-2: nvvm.convert.f32x2.to.f4x2 %{{.*}}, %{{.*}} : i8(f4E2M1FN)
// CHECK: %[[WORD:.*]] = arith.ori
// CHECK: %[[WORDS:.*]] = vector.from_elements %[[WORD]] : vector<1xi32>
// CHECK: %[[BYTES:.*]] = vector.bitcast %[[WORDS]] : vector<1xi32> to vector<4xi8>
// CHECK: vector.extract_strided_slice %[[BYTES]] {offsets = [0], sizes = [2], strides = [1]} : vector<4xi8> to vector<2xi8>
func.func @to_e2m1(%x: vector<4xf32>) -> vector<2xi8> {
  %0 = arith.truncf %x : vector<4xf32> to vector<4xf4E2M1FN>
  %1 = vector.bitcast %0 : vector<4xf4E2M1FN> to vector<2xi8>
  return %1 : vector<2xi8>
}

// CHECK-LABEL: func @from_e4m3
// CHECK: nvvm.convert.f8x2.to.f16x2 %{{.*}} : vector<2xi8>(f8E4M3FN) -> vector<2xf16>
// CHECK: arith.extf %{{.*}} : vector<1xf16> to vector<1xf32>
func.func @from_e4m3(%x: vector<1xf8E4M3FN>) -> vector<1xf32> {
  %0 = arith.extf %x : vector<1xf8E4M3FN> to vector<1xf32>
  return %0 : vector<1xf32>
}

// CHECK-LABEL: func @half_to_e5m2
// CHECK: %[[WIDE:.*]] = arith.extf %arg0 : vector<2xf16> to vector<2xf32>
// CHECK: %[[LOW:.*]] = vector.extract %[[WIDE]][0]
// CHECK: nvvm.convert.f32x2.to.f8x2 %{{.*}}, %[[LOW]]{{.*}}(f8E5M2)
func.func @half_to_e5m2(%x: vector<2xf16>) -> vector<2xf8E5M2> {
  %0 = arith.truncf %x : vector<2xf16> to vector<2xf8E5M2>
  return %0 : vector<2xf8E5M2>
}

// CHECK-LABEL: func @from_e5m2_to_bf16
// CHECK: nvvm.convert.f8x2.to.f16x2
// CHECK: %[[WIDE:.*]] = arith.extf %{{.*}} : vector<2xf16> to vector<2xf32>
// CHECK: arith.truncf %[[WIDE]] : vector<2xf32> to vector<2xbf16>
func.func @from_e5m2_to_bf16(%x: vector<2xf8E5M2>) -> vector<2xbf16> {
  %0 = arith.extf %x : vector<2xf8E5M2> to vector<2xbf16>
  return %0 : vector<2xbf16>
}

// One element is one of a pair.
// CHECK-LABEL: func @scalars
// CHECK: nvvm.convert.f32x2.to.f8x2
// CHECK: nvvm.convert.f8x2.to.f16x2
// CHECK: arith.truncf %{{.*}} : vector<1xf32> to vector<1xbf16>
func.func @scalars(%x: f32, %y: f8E5M2) -> (f8E4M3FN, bf16) {
  %0 = arith.truncf %x : f32 to f8E4M3FN
  %1 = arith.extf %y : f8E5M2 to bf16
  return %0, %1 : f8E4M3FN, bf16
}

// CHECK-LABEL: func @others
// CHECK: arith.truncf %{{.*}} : vector<2x2xf32> to vector<2x2xf8E4M3FN>
// CHECK: arith.truncf %{{.*}} : vector<2xf32> to vector<2xbf16>
// CHECK: vector.bitcast %{{.*}} : vector<4xi8> to vector<1xi32>
func.func @others(%y: vector<2x2xf32>, %z: vector<2xf32>, %w: vector<4xi8>)
    -> (vector<2x2xf8E4M3FN>, vector<2xbf16>, vector<1xi32>) {
  %1 = arith.truncf %y : vector<2x2xf32> to vector<2x2xf8E4M3FN>
  %2 = arith.truncf %z : vector<2xf32> to vector<2xbf16>
  %3 = vector.bitcast %w : vector<4xi8> to vector<1xi32>
  return %1, %2, %3 : vector<2x2xf8E4M3FN>, vector<2xbf16>, vector<1xi32>
}

// The body of a product is not code of a kernel.
// CHECK-LABEL: func @product
// CHECK: linalg.matmul
// CHECK-NOT: nvvm
func.func @product(%a: memref<?x?xf8E4M3FN>, %b: memref<?x?xf8E5M2>, %d: memref<?x?xbf16>) {
  linalg.matmul ins(%a, %b : memref<?x?xf8E4M3FN>, memref<?x?xf8E5M2>) outs(%d : memref<?x?xbf16>)
  return
}

// Elements times a scale factor, as upstream expands them.
// CHECK-LABEL: func.func @scaled(
// CHECK-NOT:     arith.scaling_extf
// CHECK-NOT:     f8E8M0FNU to f32
// CHECK:         arith.bitcast %{{.*}} : f8E8M0FNU to i8
// CHECK:         nvvm.convert.f8x2.to.f16x2
// CHECK:         arith.mulf
func.func @scaled(%x: f8E4M3FN, %s: f8E8M0FNU) -> f32 {
  %0 = arith.scaling_extf %x, %s : f8E4M3FN, f8E8M0FNU to f32
  return %0 : f32
}

// What an operation computes on elements of its operands stays as it is.
// CHECK-LABEL: func @body
// CHECK: arith.truncf %{{.*}} : f32 to f8E4M3FN
func.func @body(%x: tensor<8x16xf32>, %o: tensor<8x16xf8E4M3FN>) -> tensor<8x16xf8E4M3FN> {
  %r = tmm.rows ins(%x : tensor<8x16xf32>) outs(%o : tensor<8x16xf8E4M3FN>)
      maps [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r, c)>] {
  ^bb0(%e: f32):
    %n = arith.truncf %e : f32 to f8E4M3FN
    tmm.yield %n : f8E4M3FN
  } -> tensor<8x16xf8E4M3FN>
  return %r : tensor<8x16xf8E4M3FN>
}

// So does what is said of a launch.
// CHECK-LABEL: func @said
// CHECK: arith.truncf %{{.*}} : f32 to f8E4M3FN
// CHECK: arith.extf %{{.*}} : f8E4M3FN to f32
func.func @said(%x: memref<8x16xf32>, %o: memref<8x16xf32>) {
  tmm.row_problem ins(%x : memref<8x16xf32>) outs(%o : memref<8x16xf32>)
      maps [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r, c)>] {
  ^bb0(%e: f32):
    %n = arith.truncf %e : f32 to f8E4M3FN
    %w = arith.extf %n : f8E4M3FN to f32
    tmm.yield %w : f32
  }
  return
}
