//===- TCGen05MmaWsOps.cpp - weight-stationary mma --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The verifiers of tcgen05.mma_ws and tcgen05.column_mask.
//
//===----------------------------------------------------------------------===//

#include "Multiplication.h"

using namespace mlir;
using namespace tc;
using namespace tc::tcgen05;

//===----------------------------------------------------------------------===//
// MmaWsOp
//===----------------------------------------------------------------------===//

MmaForm MmaWsOp::getForm() {
  return {getFacts(getKind()), static_cast<int>(getCtaGroup()),
          bool(getMetadata()), /*weightStationary=*/true};
}

int64_t MmaWsOp::getM() { return Multiplication(*this).getM(); }

int64_t MmaWsOp::getN() { return Multiplication(*this).getN(); }

int64_t MmaWsOp::getK() { return Multiplication(*this).getK(); }

// tcgen05_mma_ws_c12
static LogicalResult verifyMaxShift(MmaWsOp op) {
  // The largest shift of a mask for 32 rows, and for more.
  int64_t last = op.getM() == 32 ? 16 : 32, maximum = op.getMaxShift();
  if (!llvm::is_contained<int64_t>({0, 8, 16, 32}, maximum) || maximum > last)
    return op.emitOpError() << "expected max_shift of 0, 8"
                            << (last == 32 ? ", 16 or 32" : " or 16")
                            << " with M = " << op.getM() << ", got " << maximum
                            << " " << cite(ISASection::ZeroColumnMask);
  auto mask = op.getMask() ? op.getMask().getDefiningOp<ColumnMaskOp>()
                           : ColumnMaskOp();
  if (!mask || int64_t(mask.getShift()) <= maximum)
    return success();
  InFlightDiagnostic diagnostic =
      op.emitOpError() << "expected a mask that shifts by at most max_shift = "
                       << maximum << ", got " << mask.getShift() << " "
                       << cite(ISASection::ZeroColumnMask);
  diagnostic.attachNote(mask.getLoc()) << "the mask is made here";
  return diagnostic;
}

LogicalResult MmaWsOp::verify() {
  // tcgen05_mma_ws_c1
  if (isBlockScaled(getFacts(getKind())))
    return emitOpError() << "expected a kind without scale factors (f16, tf32, "
                            "f8f6f4, i8, ti16), got "
                         << stringifyMmaKind(getKind()) << " "
                         << cite(ISASection::MmaWs);
  Multiplication multiplication(*this);
  if (failed(multiplication.verify(getMaxShift())) ||
      failed(multiplication.verifyNegate(getSaturate())) ||
      failed(multiplication.verifyMetadata(getSelector())))
    return failure();
  // tcgen05_mma_ws_c11
  if (getBuffer() < 0 || getBuffer() > 3)
    return emitOpError() << "expected buffer from 0 to 3, got " << getBuffer()
                         << " " << cite(ISASection::MmaWs);
  return verifyMaxShift(*this);
}

//===----------------------------------------------------------------------===//
// ColumnMaskOp
//===----------------------------------------------------------------------===//

LogicalResult ColumnMaskOp::verify() {
  // tcgen05_column_mask_c1
  for (auto [name, value] :
       {std::pair<StringRef, int64_t>("use", getUse()), {"skip", getSkip()}})
    if (value < 1 || value > 256)
      return emitOpError() << "expected " << name << " from 1 to 256, got "
                           << value << " " << cite(ISASection::ZeroColumnMask);
  // tcgen05_column_mask_c2
  if (getDrop().size() > 4 || getSkipFirst().size() > 4)
    return emitOpError() << "expected drop and skip_first for at most 4 parts, "
                            "got "
                         << std::max(getDrop().size(), getSkipFirst().size())
                         << " " << cite(ISASection::ZeroColumnMask);
  for (int64_t drop : getDrop())
    if (drop < 0 || drop > 255)
      return emitOpError() << "expected drop from 0 to 255, got " << drop << " "
                           << cite(ISASection::ZeroColumnMask);
  // tcgen05_column_mask_c3
  if (getShift() < 0 || getShift() > 32)
    return emitOpError() << "expected shift from 0 to 32, got " << getShift()
                         << " " << cite(ISASection::ZeroColumnMask);
  return success();
}

uint64_t ColumnMaskOp::encode() {
  uint64_t word = uint64_t(1) << 39 | uint64_t(getSkip() - 1) << 40 |
                  uint64_t(getUse() - 1) << 48 | uint64_t(getShift()) << 56;
  for (auto [index, drop] : llvm::enumerate(getDrop()))
    word |= uint64_t(drop) << (8 * index);
  for (auto [index, first] : llvm::enumerate(getSkipFirst()))
    word |= uint64_t(first) << (32 + index);
  return word;
}
