//===- MmaScaleOps.cpp - block-scaled mma to NVVM ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mma_block_scale, and what all forms of mma share.
//
//===----------------------------------------------------------------------===//

#include "MmaOperands.h"
#include "Patterns.h"

#include "tc/Support/MmaTypes.h"

using namespace mlir;
using namespace tc;
using namespace tc::tcgen05;

Value tc::getSmemOperand(OpBuilder &builder, Location loc, Value operand,
                         Value address, int64_t k) {
  auto layout = cast<SmemTileLayoutInterface>(
      cast<MemRefType>(operand.getType()).getLayout());
  MatrixDescriptor descriptor = getMatrixDescriptor(layout);
  if (isMmaIndex(cast<MemRefType>(operand.getType()).getElementType())) {
    descriptor.secondHalf = k % kLookupRow != 0;
    k -= k % kLookupRow;
  }
  return emitMatrixDescriptor(builder, loc, address, descriptor.encode(),
                              getDescriptorStep(layout, /*mn=*/0, k),
                              getSmemAddressBits(builder));
}

NVVM::Tcgen05MMACollectorOp tc::getCollector(Collector collector) {
  switch (collector) {
  case Collector::Discard:
    return NVVM::Tcgen05MMACollectorOp::DISCARD;
  case Collector::LastUse:
    return NVVM::Tcgen05MMACollectorOp::LASTUSE;
  case Collector::Fill:
    return NVVM::Tcgen05MMACollectorOp::FILL;
  case Collector::Use:
    return NVVM::Tcgen05MMACollectorOp::USE;
  }
  llvm_unreachable("unknown collector use");
}

// In the order of the grammar, which has that of A before that of B (PTX ISA
// 9.4, "tcgen05.mma").
std::string tc::getCollectorText(Collector a, Collector b) {
  std::string text = ".collector::a::" + stringifyCollector(a).str();
  if (b != Collector::Discard)
    text += ".collector::b::" + stringifyCollector(b).str();
  return text;
}

static NVVM::MMABlockScaleKind getBlockScaleKind(MmaKind kind) {
  switch (kind) {
  case MmaKind::MXF8F6F4:
    return NVVM::MMABlockScaleKind::MXF8F6F4;
  case MmaKind::MXF4:
    return NVVM::MMABlockScaleKind::MXF4;
  case MmaKind::MXF4NVF4:
    return NVVM::MMABlockScaleKind::MXF4NVF4;
  default:
    llvm_unreachable("the verifier refuses kinds without scale factors");
  }
}

/// The modifier for the elements that share a factor: where a kind has only one
/// number of them, it is left out.
static NVVM::Tcgen05MMABlockScale getBlockScale(MmaKind kind, int64_t block) {
  if (kind != MmaKind::MXF4NVF4)
    return NVVM::Tcgen05MMABlockScale::DEFAULT;
  return block == 16 ? NVVM::Tcgen05MMABlockScale::BLOCK16
                     : NVVM::Tcgen05MMABlockScale::BLOCK32;
}

/// The instruction with what NVVM has no operation for: the modifier as PTX
/// before 8.8 has it, a table of B, and the collector buffer of B.
static void emitInline(OpBuilder &builder, MmaBlockScaleOp op,
                       MmaBlockScaleOp::Adaptor adaptor,
                       const MmaOperands &operands) {
  int64_t factors = getMmaK(getFacts(op.getKind())) / op.getScaleBlock();
  std::string text = "tcgen05.mma";
  if (op.getMetadata())
    text += ".sp";
  text += ".cta_group::" + std::to_string(op.getCtaGroup()) +
          ".kind::" + stringifyMmaKind(op.getKind()).str() + ".block_scale";
  if (op.getScaleVec())
    text += ".scale_vec::" + std::to_string(factors) + "X";
  else if (op.getKind() == MmaKind::MXF4NVF4)
    text += ".block" + std::to_string(op.getScaleBlock());
  if (op.getLookup())
    text += kLookupText;
  InlinePTX ptx(builder, op.getLoc(),
                text +
                    getCollectorText(op.getCollectorA(), op.getCollectorB()));
  addMatrices(ptx, op, adaptor.getD(), adaptor.getMetadata(),
              adaptor.getLookup(), operands);
  ptx.addAddress(adaptor.getScalesA());
  ptx.addAddress(adaptor.getScalesB());
  ptx.addRegister(adaptor.getAccumulate());
  ptx.emit();
}

namespace {

struct MmaBlockScaleLowering : ConvertOpToLLVMPattern<MmaBlockScaleOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(MmaBlockScaleOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    MmaOperands operands = getMmaOperands(rewriter, op, adaptor);
    if (op.getScaleVec() || op.getLookup() ||
        op.getCollectorB() != Collector::Discard) {
      emitInline(rewriter, op, adaptor, operands);
      rewriter.eraseOp(op);
      return success();
    }
    auto kind = getBlockScaleKind(op.getKind());
    auto block = getBlockScale(op.getKind(), op.getScaleBlock());
    auto collector = getCollector(op.getCollectorA());
    if (op.getMetadata())
      rewriter.replaceOpWithNewOp<NVVM::Tcgen05MMASparseBlockScaleOp>(
          op, kind, getGroup(op.getCtaGroup()), block, collector,
          adaptor.getD(), operands.a, operands.b, operands.descriptor,
          adaptor.getAccumulate(), adaptor.getMetadata(), adaptor.getScalesA(),
          adaptor.getScalesB());
    else
      rewriter.replaceOpWithNewOp<NVVM::Tcgen05MMABlockScaleOp>(
          op, kind, getGroup(op.getCtaGroup()), block, collector,
          adaptor.getD(), operands.a, operands.b, operands.descriptor,
          adaptor.getAccumulate(), adaptor.getScalesA(), adaptor.getScalesB());
    return success();
  }
};

} // namespace

void tc::populateMmaScalePatterns(const LLVMTypeConverter &converter,
                                  RewritePatternSet &patterns) {
  patterns.add<MmaBlockScaleLowering>(converter);
}
