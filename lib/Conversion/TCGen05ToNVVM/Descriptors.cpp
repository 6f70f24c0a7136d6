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

#include "llvm/Support/MathExtras.h"

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
  // Bit 53 is the half of a row of indices (PTX ISA 9.4, 9.7.18.4.1).
  return strides.encode() | uint64_t(1) << 46 | uint64_t(secondHalf) << 53 |
         getSwizzleCode(swizzle) << 61;
}

MatrixDescriptor getMatrixDescriptor(SmemTileLayoutInterface layout) {
  return {getMatrixStrides(layout), layout.getTileSwizzle()};
}

//===----------------------------------------------------------------------===//
// Instruction descriptor
//===----------------------------------------------------------------------===//

uint32_t InstructionDescriptor::encode() const {
  // 0, 8, 16 and 32 columns are 0 to 3.
  uint32_t shift = maxShift == 0 ? 0 : llvm::Log2_64(maxShift) - 2;
  return selector | uint32_t(sparse) << 2 | uint32_t(saturate) << 3 |
         dType << 4 | aType << 7 | bType << 10 | uint32_t(negateA) << 13 |
         uint32_t(negateB) << 14 | uint32_t(aMajorMN) << 15 |
         uint32_t(bMajorMN) << 16 | uint32_t(n >> 3) << 17 |
         uint32_t(m >> 4) << 24 | uint32_t(wide) << 29 | shift << 30;
}

uint32_t BlockScaleDescriptor::encode() const {
  // PTX ISA 9.4, 9.7.18.4.2: K of mxf8f6f4 is bit 31, of the kinds of 4 bits
  // bit 31 and above it bit 3: 0, 1 and 2 are 64, 96 and 128.
  const uint32_t k = uint32_t(wide) << (isFourBits ? 3 : 31);
  return k | uint32_t(sparse) << 2 | scaleB << 4 | aType << 7 | bType << 10 |
         uint32_t(negateA) << 13 | uint32_t(negateB) << 14 |
         uint32_t(aMajorMN) << 15 | uint32_t(bMajorMN) << 16 |
         uint32_t(n >> 3) << 17 | scaleType << 23 |
         uint32_t(hasLaneScales) << 26 | uint32_t(m >> 7) << 27 | scaleA << 29;
}

unsigned getSumCode(Type type) {
  if (type.isF16())
    return 0;
  return type.isF32() ? 1 : 2;
}

static bool isMNMajor(MemRefType type) {
  return type &&
         cast<SmemTileLayoutInterface>(type.getLayout()).getTileMajor() ==
             Major::MN;
}

/// The fields that the descriptors of all forms have.
template <typename Descriptor, typename Op>
static Descriptor getCommonFields(Op op) {
  auto b = cast<MemRefType>(op.getB().getType());
  MmaKindFacts kind = getFacts(op.getKind());
  Descriptor result;
  result.sparse = bool(op.getMetadata());
  result.aType = getMmaInputCode(kind, op.getElementTypeA());
  // Indices name numbers of f8E4M3FN.
  result.bType =
      getMmaInputCode(kind, isMmaIndex(b.getElementType())
                                ? Float8E4M3FNType::get(op.getContext())
                                : b.getElementType());
  result.negateA = op.getNegateA();
  result.negateB = op.getNegateB();
  // A in Tensor Memory is K-major.
  result.aMajorMN = isMNMajor(op.getSmemA());
  result.bMajorMN = isMNMajor(b);
  result.n = op.getN();
  result.m = op.getM();
  return result;
}

template <typename Op>
static InstructionDescriptor getUnscaled(Op op) {
  auto result = getCommonFields<InstructionDescriptor>(op);
  result.selector = op.getSelector();
  result.saturate = op.getSaturate();
  result.dType =
      getSumCode(cast<TmemType>(op.getD().getType()).getElementType());
  return result;
}

InstructionDescriptor getInstructionDescriptor(MmaOp op) {
  InstructionDescriptor result = getUnscaled(op);
  result.wide = op.getWideK();
  return result;
}

InstructionDescriptor getInstructionDescriptor(MmaWsOp op) {
  InstructionDescriptor result = getUnscaled(op);
  result.maxShift = op.getMaxShift();
  return result;
}

BlockScaleDescriptor getInstructionDescriptor(MmaBlockScaleOp op) {
  auto result = getCommonFields<BlockScaleDescriptor>(op);
  Type factor = cast<TmemType>(op.getScalesA().getType()).getElementType();
  result.scaleType =
      findMmaScales(getFacts(op.getKind()), factor, op.getScaleBlock())->code;
  result.wide = op.getWideK();
  result.isFourBits = op.getKind() != MmaKind::MXF8F6F4;
  result.hasLaneScales = op.hasLaneScales();
  result.scaleA = op.getABlock();
  result.scaleB = op.getBBlock();
  return result;
}

MatrixDescriptor getScaleTileDescriptor() {
  // Groups of 8 rows of 16 bytes follow each other; there is one column of 16
  // bytes, so that the other offset is not used (1 encoded).
  return {MatrixStrides{/*leading=*/16, /*stride=*/128}, Swizzle::None};
}

} // namespace tc
