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
          bool(getMetadata()), /*weightStationary=*/false,
          getWideK(),          bool(getLookup())};
}

// tcgen05_mma_block_scale_c13
static LogicalResult verifyWideScales(MmaBlockScaleOp op, int64_t n) {
  if (!op.getWideK())
    return success();
  if (op.getScaleVec())
    return op.emitOpError()
           << "expected no scale_vec with wide_k: of .scale_vec at this K "
              "sources disagree, the size of a block says the same "
           << cite(ISASection::WideMma);
  // The factors of B for fewer columns are packed in an order that the ISA
  // does not state.
  if (op.getScaleBlock() != 16 || n % kScaleRows == 0)
    return success();
  return op.emitOpError() << "expected N to be " << kScaleRows << " or "
                          << 2 * kScaleRows
                          << " with wide_k and scale_block 16: of other N "
                             "sources disagree on the factors of b, got "
                          << n << " " << cite(ISASection::WideMma);
}

bool MmaBlockScaleOp::hasLaneScales() {
  DataPath layout = cast<TmemType>(getScalesA().getType()).getLayout();
  return layout == DataPath::A || layout == DataPath::D;
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
  if (scalesA.getLayout() == DataPath::Scales || hasLaneScales())
    factor = scalesA.getElementType();
  int64_t vector = getScaleBlock();
  if (failed(verifyWideScales(*this, n)))
    return failure();
  if (!findMmaScales(kind, factor, vector))
    return emitOpError() << "expected scale factors of "
                         << getMmaScaleNames(kind) << " for kind " << kindName
                         << ", got " << factor << " for " << vector << " "
                         << cite(ISASection::BlockScaling);
  // The factors of an instruction are in as many cells of a lane.
  int64_t blocks = multiplication.form.getK() / vector;
  if (multiplication.form.sparse)
    blocks /= 2;
  int64_t words = llvm::divideCeil(blocks, kScaleBlocks);
  // tcgen05_mma_block_scale_c9
  for (auto [name, value, rows, section] :
       {std::tuple<StringRef, Value, int64_t, ISASection>(
            "scales_a", getScalesA(), m / multiplication.form.ctaGroup,
            ISASection::ScaleFactorA),
        {"scales_b", getScalesB(), n, ISASection::ScaleFactorB}}) {
    TmemType expected =
        TmemType::getScales(words * llvm::alignTo(rows, kScaleRows), factor);
    if (value == getScalesB() && multiplication.d.getLayout() == DataPath::B)
      expected = TmemType::getSplitScales(factor);
    // A lane for each row of A, a cell for four factors.
    if (value == getScalesA() && hasLaneScales() && rows == kTmemLanes)
      expected = TmemType::getMatrixA(words * kScaleBlocks, factor, 8,
                                      multiplication.d.getLayout());
    if (value.getType() != expected)
      return emitOpError() << "expected " << name << " of " << expected
                           << " for " << rows << " rows, got "
                           << value.getType() << " " << cite(section);
  }
  // tcgen05_mma_block_scale_c10. An instruction reads the factors of its K, at
  // a multiple of as many bytes of a cell.
  blocks = std::min(blocks, kScaleBlocks);
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
