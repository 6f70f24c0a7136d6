//===- Descriptors.cpp - descriptors of tcgen05.mma -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "Descriptors.h"

using namespace mlir;
using namespace tc::tcgen05;

namespace tc {

//===----------------------------------------------------------------------===//
// Matrix descriptor
//===----------------------------------------------------------------------===//

static uint64_t getSwizzleCode(Swizzle swizzle) {
  switch (swizzle) {
  case Swizzle::None:
    return 0;
  case Swizzle::B128Atom32:
    return 1;
  case Swizzle::B128:
    return 2;
  case Swizzle::B64:
    return 4;
  case Swizzle::B32:
    return 6;
  case Swizzle::B128Atom32Flip8:
  case Swizzle::B128Atom64:
    break;
  }
  // The layout attribute's verifier refuses the other two.
  llvm_unreachable("swizzle without a matrix descriptor code");
}

uint64_t MatrixDescriptor::encode() const {
  auto field = [](int64_t bytes) -> uint64_t { return (bytes & 0x3FFFF) >> 4; };
  // Bits 46 to 48 are constant 0b001; base offset (49 to 51) and LBO mode (52)
  // stay 0: patterns start on their boundary and offsets are relative.
  return field(leadingOffset) << 16 | field(strideOffset) << 32 |
         uint64_t(1) << 46 | getSwizzleCode(swizzle) << 61;
}

MatrixDescriptor getMatrixDescriptor(SmemLayoutAttr layout) {
  Swizzle swizzle = layout.getSwizzle();
  int64_t span = getSwizzleFacts(swizzle).spanBytes;
  // Eight lines of the pattern are one core matrix; four with the wider atom.
  int64_t group = (swizzle == Swizzle::B128Atom32 ? 4 : 8) * span;
  int64_t slab = layout.getSlabBytes();
  if (layout.getMajor() == Major::K) {
    if (swizzle == Swizzle::None)
      return {slab, group, swizzle};
    constexpr int64_t kUnused = 16;
    return {kUnused, group, swizzle};
  }
  // Without swizzle the two offsets change places.
  if (swizzle == Swizzle::None)
    return {group, slab, swizzle};
  return {slab, group, swizzle};
}

int64_t getDescriptorStep(SmemLayoutAttr layout, int64_t k) {
  return layout.getLinearByteOffset(/*mn=*/0, k) >> 4;
}

//===----------------------------------------------------------------------===//
// Instruction descriptor
//===----------------------------------------------------------------------===//

uint32_t InstructionDescriptor::encode() const {
  return uint32_t(saturate) << 3 | dType << 4 | aType << 7 | bType << 10 |
         uint32_t(negateA) << 13 | uint32_t(negateB) << 14 |
         uint32_t(aMajorMN) << 15 | uint32_t(bMajorMN) << 16 |
         uint32_t(n >> 3) << 17 | uint32_t(m >> 4) << 24;
}

unsigned getInputCode(MmaKind kind, Type type) {
  switch (kind) {
  case MmaKind::F16:
    return type.isBF16() ? 1 : 0;
  case MmaKind::TF32:
    return 2;
  case MmaKind::F8F6F4:
    return isa<Float8E5M2Type>(type) ? 1 : 0;
  case MmaKind::I8:
    return type.isUnsignedInteger() ? 0 : 1;
  default:
    llvm_unreachable("the verifier refuses kinds with scale factors");
  }
}

unsigned getSumCode(Type type) {
  if (type.isF16())
    return 0;
  return type.isF32() ? 1 : 2;
}

InstructionDescriptor getInstructionDescriptor(MmaOp op) {
  auto a = cast<MemRefType>(op.getA().getType());
  auto b = cast<MemRefType>(op.getB().getType());
  InstructionDescriptor result;
  result.saturate = op.getSaturate();
  result.dType =
      getSumCode(cast<TmemType>(op.getD().getType()).getElementType());
  result.aType = getInputCode(op.getKind(), a.getElementType());
  result.bType = getInputCode(op.getKind(), b.getElementType());
  result.negateA = op.getNegateA();
  result.negateB = op.getNegateB();
  result.aMajorMN = cast<SmemLayoutAttr>(a.getLayout()).getMajor() == Major::MN;
  result.bMajorMN = cast<SmemLayoutAttr>(b.getLayout()).getMajor() == Major::MN;
  result.n = op.getN();
  result.m = op.getM();
  return result;
}

} // namespace tc
