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

#include "tc/Support/MmaTypes.h"

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
  // Bits 46 to 48 are constant 0b001; base offset (49 to 51) and LBO mode (52)
  // stay 0: patterns start on their boundary and offsets are relative.
  return strides.encode() | uint64_t(1) << 46 | getSwizzleCode(swizzle) << 61;
}

MatrixDescriptor getMatrixDescriptor(SmemTileLayoutInterface layout) {
  return {getMatrixStrides(layout), layout.getTileSwizzle()};
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

uint32_t BlockScaleDescriptor::encode() const {
  return scaleB << 4 | aType << 7 | bType << 10 | uint32_t(negateA) << 13 |
         uint32_t(negateB) << 14 | uint32_t(aMajorMN) << 15 |
         uint32_t(bMajorMN) << 16 | uint32_t(n >> 3) << 17 | scaleType << 23 |
         uint32_t(m >> 7) << 27 | scaleA << 29;
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
  MmaKindFacts kind = getFacts(op.getKind());
  result.aType = getMmaInputCode(kind, a.getElementType());
  result.bType = getMmaInputCode(kind, b.getElementType());
  result.negateA = op.getNegateA();
  result.negateB = op.getNegateB();
  result.aMajorMN =
      cast<SmemTileLayoutInterface>(a.getLayout()).getTileMajor() == Major::MN;
  result.bMajorMN =
      cast<SmemTileLayoutInterface>(b.getLayout()).getTileMajor() == Major::MN;
  result.n = op.getN();
  result.m = op.getM();
  return result;
}

BlockScaleDescriptor getInstructionDescriptor(MmaBlockScaleOp op) {
  auto a = cast<MemRefType>(op.getA().getType());
  auto b = cast<MemRefType>(op.getB().getType());
  auto d = cast<TmemType>(op.getD().getType());
  auto isMNMajor = [](MemRefType type) {
    return cast<SmemTileLayoutInterface>(type.getLayout()).getTileMajor() ==
           Major::MN;
  };
  BlockScaleDescriptor result;
  MmaKindFacts kind = getFacts(op.getKind());
  result.aType = getMmaInputCode(kind, a.getElementType());
  result.bType = getMmaInputCode(kind, b.getElementType());
  result.negateA = op.getNegateA();
  result.negateB = op.getNegateB();
  result.aMajorMN = isMNMajor(a);
  result.bMajorMN = isMNMajor(b);
  Type factor = cast<TmemType>(op.getScalesA().getType()).getElementType();
  result.scaleType = findMmaScales(kind, factor, op.getScaleBlock())->code;
  result.scaleA = op.getABlock();
  result.scaleB = op.getBBlock();
  result.n = d.getMatrixColumns();
  result.m = d.getInstructionM();
  return result;
}

MatrixDescriptor getScaleTileDescriptor() {
  // Groups of 8 rows of 16 bytes follow each other; there is one column of 16
  // bytes, so that the other offset is not used (1 encoded).
  return {MatrixStrides{/*leading=*/16, /*stride=*/128}, Swizzle::None};
}

} // namespace tc
