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

static NVVM::Tcgen05MMAKind getKind(MmaKind kind) {
  switch (kind) {
  case MmaKind::F16:
    return NVVM::Tcgen05MMAKind::F16;
  case MmaKind::TF32:
    return NVVM::Tcgen05MMAKind::TF32;
  case MmaKind::F8F6F4:
    return NVVM::Tcgen05MMAKind::F8F6F4;
  case MmaKind::I8:
    return NVVM::Tcgen05MMAKind::I8;
  default:
    llvm_unreachable("the verifier refuses kinds with scale factors");
  }
}

namespace {

struct MmaLowering : ConvertOpToLLVMPattern<MmaOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(MmaOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MmaOperands operands = getMmaOperands(rewriter, op, adaptor);
    Value scale;
    if (std::optional<int32_t> value = op.getScaleD())
      scale = LLVM::ConstantOp::create(rewriter, loc,
                                       rewriter.getI64IntegerAttr(*value));
    if (op.getMetadata())
      rewriter.replaceOpWithNewOp<NVVM::Tcgen05MMASparseOp>(
          op, getKind(op.getKind()), getGroup(op.getCtaGroup()),
          getCollector(op.getCollectorA()), op.getAshift(), adaptor.getD(),
          operands.a, operands.b, operands.descriptor, adaptor.getAccumulate(),
          adaptor.getMetadata(), scale, adaptor.getDisable());
    else
      rewriter.replaceOpWithNewOp<NVVM::Tcgen05MMAOp>(
          op, getKind(op.getKind()), getGroup(op.getCtaGroup()),
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
    auto buffer = static_cast<NVVM::Tcgen05MMACollectorBBuffer>(op.getBuffer());
    if (op.getMetadata())
      rewriter.replaceOpWithNewOp<NVVM::Tcgen05MMAWsSparseOp>(
          op, getKind(op.getKind()), buffer, getCollector(op.getCollectorB()),
          adaptor.getD(), operands.a, operands.b, operands.descriptor,
          adaptor.getAccumulate(), adaptor.getMetadata(), adaptor.getMask());
    else
      rewriter.replaceOpWithNewOp<NVVM::Tcgen05MMAWsOp>(
          op, getKind(op.getKind()), buffer, getCollector(op.getCollectorB()),
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
