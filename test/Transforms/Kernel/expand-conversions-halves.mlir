// RUN: tc-opt %s -pass-pipeline='builtin.module(gpu.module(func.func(tc-expand-conversions)))' | FileCheck %s

// Where cvt takes pairs of f16 and bf16, none becomes f32 on its way.
// CHECK-NOT: arith.extf
gpu.module @rubin [#nvvm.target<chip = "sm_107f">] {
  // CHECK-LABEL: func @bf16_to_e4m3
  // CHECK: %[[PAIR:.*]] = vector.from_elements %{{.*}}, %{{.*}} : vector<2xbf16>
  // CHECK: %[[WORDS:.*]] = vector.bitcast %[[PAIR]] : vector<2xbf16> to vector<1xi32>
  // CHECK: %[[WORD:.*]] = vector.extract %[[WORDS]][0]
  // CHECK: llvm.inline_asm "cvt.rn.satfinite.e4m3x2.bf16x2 $0, $1;", "=h,r" %[[WORD]] : (i32) -> i16
  func.func @bf16_to_e4m3(%x: vector<2xbf16>) -> vector<2xf8E4M3FN> {
    %0 = arith.truncf %x : vector<2xbf16> to vector<2xf8E4M3FN>
    return %0 : vector<2xf8E4M3FN>
  }

  // CHECK-LABEL: func @f16_to_e5m2
  // CHECK: llvm.inline_asm "cvt.rn.satfinite.e5m2x2.f16x2 $0, $1;", "=h,r"
  func.func @f16_to_e5m2(%x: vector<1xf16>) -> vector<1xf8E5M2> {
    %0 = arith.truncf %x : vector<1xf16> to vector<1xf8E5M2>
    return %0 : vector<1xf8E5M2>
  }

  // A byte is in a register of 16 bits.
  // CHECK-LABEL: func @bf16_to_e2m1
  // CHECK: llvm.inline_asm "{ .reg .b8 %byte; cvt.rn.satfinite.e2m1x2.bf16x2 %byte, $1; cvt.u16.u8 $0, %byte; }", "=h,r"
  func.func @bf16_to_e2m1(%x: vector<2xbf16>) -> vector<1xi8> {
    %0 = arith.truncf %x : vector<2xbf16> to vector<2xf4E2M1FN>
    %1 = vector.bitcast %0 : vector<2xf4E2M1FN> to vector<1xi8>
    return %1 : vector<1xi8>
  }

  // CHECK-LABEL: func @e4m3_to_bf16
  // CHECK: llvm.inline_asm "cvt.rn.bf16x2.e4m3x2 $0, $1;", "=r,h"
  // CHECK: vector.extract_strided_slice %{{.*}} {offsets = [0], sizes = [3], strides = [1]} : vector<4xbf16> to vector<3xbf16>
  func.func @e4m3_to_bf16(%x: vector<3xf8E4M3FN>) -> vector<3xbf16> {
    %0 = arith.extf %x : vector<3xf8E4M3FN> to vector<3xbf16>
    return %0 : vector<3xbf16>
  }
}

// CHECK: gpu.module @both
// CHECK: arith.extf
// CHECK: nvvm.convert.f32x2.to.f8x2
gpu.module @both [#nvvm.target<chip = "sm_107f">, #nvvm.target<chip = "sm_100a">] {
  func.func @bf16_to_e4m3(%x: vector<2xbf16>) -> vector<2xf8E4M3FN> {
    %0 = arith.truncf %x : vector<2xbf16> to vector<2xf8E4M3FN>
    return %0 : vector<2xf8E4M3FN>
  }
}
