//===- CpAsyncOps.cpp - asynchronous copies to NVVM -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cp_async and cp_async_arrive.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "tc/Support/Conversion.h"

using namespace mlir;
using namespace tc;
using namespace tc::sm80;

namespace {

struct CpAsyncLowering : ConvertOpToLLVMPattern<CpAsyncOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(CpAsyncOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value source = getStridedElementPtr(
        rewriter, loc, cast<MemRefType>(op.getSource().getType()),
        adaptor.getSource(), adaptor.getIndices());
    Value target = emitRowAddress(
        rewriter, loc, cast<MemRefType>(op.getTile().getType()),
        adaptor.getTile(), adaptor.getRow(), adaptor.getOwn(), op.getColumn());
    auto bytes = static_cast<uint32_t>(op.getBytes());
    // Copies of 16 bytes alone may leave the L1 cache out: no other thread of
    // the multiprocessor reads them again.
    auto cache = bytes == 16 ? NVVM::LoadCacheModifierKind::CG
                             : NVVM::LoadCacheModifierKind::CA;
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncOp>(op, target, source, bytes,
                                                 cache, adaptor.getValid());
    return success();
  }
};

struct CpAsyncArriveLowering : ConvertOpToLLVMPattern<CpAsyncArriveOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(CpAsyncArriveOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    // The barrier counts these arrivals: they are not pending besides.
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncMBarrierArriveOp>(
        op, adaptor.getMbarrier(), /*noinc=*/true);
    return success();
  }
};

} // namespace

void tc::populateCpAsyncPatterns(const LLVMTypeConverter &converter,
                                 RewritePatternSet &patterns) {
  patterns.add<CpAsyncArriveLowering, CpAsyncLowering>(converter);
}
