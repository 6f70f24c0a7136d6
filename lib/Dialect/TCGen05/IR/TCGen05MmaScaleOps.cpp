//===- TCGen05MmaScaleOps.cpp - block-scaled mma ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The verifier of tcgen05.mma_block_scale.
//
//===----------------------------------------------------------------------===//

#include "Multiplication.h"

using namespace mlir;
using namespace tc;
using namespace tc::tcgen05;

MmaForm MmaBlockScaleOp::getForm() {
  return {getFacts(getKind()), static_cast<int>(getCtaGroup()),
          bool(getMetadata())};
}

int64_t MmaBlockScaleOp::getM() { return Multiplication(*this).getM(); }

int64_t MmaBlockScaleOp::getN() { return Multiplication(*this).getN(); }

int64_t MmaBlockScaleOp::getK() { return Multiplication(*this).getK(); }

LogicalResult MmaBlockScaleOp::verify() {
  // tcgen05_mma_block_scale_c1
  if (!isBlockScaled(getFacts(getKind())))
    return emitOpError() << "expected a kind with scale factors (mxf8f6f4, "
                            "mxf4, mxf4nvf4), got "
                         << stringifyMmaKind(getKind()) << " "
                         << cite(ISASection::BlockScaling);
  Multiplication multiplication(*this);
  if (failed(multiplication.verify()) ||
      failed(multiplication.verifyMetadata(/*selector=*/0)))
    return failure();
  int64_t m = multiplication.getM(), n = multiplication.getN();
  MmaKindFacts kind = multiplication.form.kind;
  StringRef kindName = stringifyMmaKind(getKind());
  // tcgen05_mma_block_scale_c11
  auto scalesA = cast<TmemType>(getScalesA().getType());
  Type factor = Float8E8M0FNUType::get(getContext());
  if (scalesA.getLayout() == DataPath::Scales)
    factor = scalesA.getElementType();
  int64_t vector = getScaleBlock();
  if (!findMmaScales(kind, factor, vector))
    return emitOpError() << "expected scale factors of "
                         << getMmaScaleNames(kind) << " for kind " << kindName
                         << ", got " << factor << " for " << vector << " "
                         << cite(ISASection::BlockScaling);
  // tcgen05_mma_block_scale_c9
  for (auto [name, value, rows, section] :
       {std::tuple<StringRef, Value, int64_t, ISASection>(
            "scales_a", getScalesA(), m / multiplication.form.ctaGroup,
            ISASection::ScaleFactorA),
        {"scales_b", getScalesB(), n, ISASection::ScaleFactorB}}) {
    TmemType expected = TmemType::getScales(rows, factor);
    if (value == getScalesB() && multiplication.d.getLayout() == DataPath::B)
      expected = TmemType::getSplitScales(factor);
    if (value.getType() != expected)
      return emitOpError() << "expected " << name << " of " << expected
                           << " for " << rows << " rows, got "
                           << value.getType() << " " << cite(section);
  }
  // tcgen05_mma_block_scale_c10. An instruction reads the factors of its K, at
  // a multiple of as many bytes of a cell.
  int64_t blocks = getMmaK(kind) / vector;
  for (auto [name, block] :
       {std::pair<StringRef, int64_t>("a_block", getABlock()),
        {"b_block", getBBlock()}}) {
    if (block < kScaleBlocks && block % blocks == 0)
      continue;
    InFlightDiagnostic diagnostic = emitOpError() << "expected " << name << " ";
    if (blocks == 1)
      diagnostic << "from 0 to " << kScaleBlocks - 1;
    else
      diagnostic << "to be a multiple of the " << blocks
                 << " factors of an instruction, up to "
                 << kScaleBlocks - blocks;
    return diagnostic << ", got " << block << " "
                      << cite(ISASection::ScaleFactorA);
  }
  return success();
}
