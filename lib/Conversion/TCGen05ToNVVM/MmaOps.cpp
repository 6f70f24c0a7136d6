//===- MmaOps.cpp - matrix multiplication to NVVM ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mma, mma_ws and commit.
//
//===----------------------------------------------------------------------===//

#include "MmaOperands.h"
#include "Patterns.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tc;
using namespace tc::tcgen05;

/// The kind in NVVM of LLVM 22, if it has it.
static std::optional<NVVM::Tcgen05MMAKind> getKind(MmaKind kind) {
  switch (kind) {
  case MmaKind::F16:
    return NVVM::Tcgen05MMAKind::F16;
  case MmaKind::TF32:
    return NVVM::Tcgen05MMAKind::TF32;
  case MmaKind::F8F6F4:
    return NVVM::Tcgen05MMAKind::F8F6F4;
  case MmaKind::I8:
    return NVVM::Tcgen05MMAKind::I8;
  case MmaKind::TI16:
    return std::nullopt;
  default:
    llvm_unreachable("the verifier refuses kinds with scale factors");
  }
}

/// ".sp", the group and the kind, as all forms have them.
template <typename Op>
static std::string getFormText(Op op) {
  return std::string(op.getMetadata() ? ".sp" : "") +
         ".cta_group::" + std::to_string(op.getCtaGroup()) +
         ".kind::" + stringifyMmaKind(op.getKind()).str();
}

/// The instruction with the collector buffer of B or a table of B, or of a kind
/// that NVVM has no operation for.
static void emitInline(OpBuilder &builder, MmaOp op, MmaOp::Adaptor adaptor,
                       const MmaOperands &operands) {
  Location loc = op.getLoc();
  std::string text = "tcgen05.mma" + getFormText(op);
  if (op.getAshift())
    text += ".ashift";
  if (op.getLookup())
    text += kLookupText;
  InlinePTX ptx(builder, loc,
                text +
                    getCollectorText(op.getCollectorA(), op.getCollectorB()));
  addMatrices(ptx, op, adaptor.getD(), adaptor.getMetadata(),
              adaptor.getLookup(), operands);
  if (Value mask = adaptor.getDisable()) {
    SmallVector<Value> words;
    for (int64_t i = 0, e = 4 * op.getCtaGroup(); i < e; ++i)
      words.push_back(LLVM::ExtractElementOp::create(
          builder, loc, mask,
          LLVM::ConstantOp::create(builder, loc,
                                   builder.getI32IntegerAttr(i))));
    ptx.addVector(words);
  }
  ptx.addRegister(adaptor.getAccumulate());
  if (std::optional<int32_t> scale = op.getScaleD())
    ptx.addImmediate(*scale);
  ptx.emit();
}

/// The weight-stationary instruction of a kind that NVVM has no operation for.
static void emitInline(OpBuilder &builder, MmaWsOp op, MmaWsOp::Adaptor adaptor,
                       const MmaOperands &operands) {
  InlinePTX ptx(builder, op.getLoc(),
                "tcgen05.mma.ws" + getFormText(op) + ".collector::b" +
                    std::to_string(op.getBuffer()) +
                    "::" + stringifyCollector(op.getCollectorB()).str());
  addMatrices(ptx, op, adaptor.getD(), adaptor.getMetadata(),
              /*lookup=*/Value(), operands);
  ptx.addRegister(adaptor.getAccumulate());
  if (Value mask = adaptor.getMask())
    ptx.addRegister(mask);
  ptx.emit();
}

namespace {

struct MmaLowering : ConvertOpToLLVMPattern<MmaOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(MmaOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MmaOperands operands = getMmaOperands(rewriter, op, adaptor);
    if (op.getCollectorB() != Collector::Discard || op.getLookup() ||
        !getKind(op.getKind())) {
      emitInline(rewriter, op, adaptor, operands);
      rewriter.eraseOp(op);
      return success();
    }
    Value scale;
    if (std::optional<int32_t> value = op.getScaleD())
      scale = LLVM::ConstantOp::create(rewriter, loc,
                                       rewriter.getI64IntegerAttr(*value));
    if (op.getMetadata())
      rewriter.replaceOpWithNewOp<NVVM::Tcgen05MMASparseOp>(
          op, *getKind(op.getKind()), getGroup(op.getCtaGroup()),
          getCollector(op.getCollectorA()), op.getAshift(), adaptor.getD(),
          operands.a, operands.b, operands.descriptor, adaptor.getAccumulate(),
          adaptor.getMetadata(), scale, adaptor.getDisable());
    else
      rewriter.replaceOpWithNewOp<NVVM::Tcgen05MMAOp>(
          op, *getKind(op.getKind()), getGroup(op.getCtaGroup()),
          getCollector(op.getCollectorA()), op.getAshift(), adaptor.getD(),
          operands.a, operands.b, operands.descriptor, adaptor.getAccumulate(),
          scale, adaptor.getDisable());
    return success();
  }
};

struct MmaWsLowering : ConvertOpToLLVMPattern<MmaWsOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(MmaWsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    MmaOperands operands = getMmaOperands(rewriter, op, adaptor);
    if (!getKind(op.getKind())) {
      emitInline(rewriter, op, adaptor, operands);
      rewriter.eraseOp(op);
      return success();
    }
    auto buffer = static_cast<NVVM::Tcgen05MMACollectorBBuffer>(op.getBuffer());
    if (op.getMetadata())
      rewriter.replaceOpWithNewOp<NVVM::Tcgen05MMAWsSparseOp>(
          op, *getKind(op.getKind()), buffer, getCollector(op.getCollectorB()),
          adaptor.getD(), operands.a, operands.b, operands.descriptor,
          adaptor.getAccumulate(), adaptor.getMetadata(), adaptor.getMask());
    else
      rewriter.replaceOpWithNewOp<NVVM::Tcgen05MMAWsOp>(
          op, *getKind(op.getKind()), buffer, getCollector(op.getCollectorB()),
          adaptor.getD(), operands.a, operands.b, operands.descriptor,
          adaptor.getAccumulate(), adaptor.getMask());
    return success();
  }
};

struct ColumnMaskLowering : ConvertOpToLLVMPattern<ColumnMaskOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(ColumnMaskOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::ConstantOp>(
        op, rewriter.getI64IntegerAttr(static_cast<int64_t>(op.encode())));
    return success();
  }
};

struct CommitLowering : ConvertOpToLLVMPattern<CommitOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(CommitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getReadsOfA() || op.getMulticast32()) {
      // NVVM of LLVM 22 has no such modifiers.
      InlinePTX ptx(
          rewriter, op.getLoc(),
          "tcgen05.commit.cta_group::" + std::to_string(op.getCtaGroup()) +
              (op.getReadsOfA() ? ".sync_restrict::shared::read::mma::a" : "") +
              ".mbarrier::arrive::one.shared::cluster" +
              (op.getMulticast()     ? ".multicast::cluster"
               : op.getMulticast32() ? ".multicast::cluster::32b"
                                     : "") +
              ".b64");
      ptx.addAddress(adaptor.getMbarrier());
      for (Value mask : {adaptor.getMulticast(), adaptor.getMulticast32()})
        if (mask)
          ptx.addRegister(mask);
      ptx.emit();
      rewriter.eraseOp(op);
      return success();
    }
    rewriter.replaceOpWithNewOp<NVVM::Tcgen05CommitOp>(
        op, adaptor.getMbarrier(), adaptor.getMulticast(),
        getGroup(op.getCtaGroup()));
    return success();
  }
};

} // namespace

void tc::populateMmaPatterns(const LLVMTypeConverter &converter,
                             RewritePatternSet &patterns) {
  patterns.add<MmaLowering, MmaWsLowering, ColumnMaskLowering, CommitLowering>(
      converter);
}
