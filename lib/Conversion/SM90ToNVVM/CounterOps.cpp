//===- CounterOps.cpp - work by a counter to NVVM ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// atom.inc and st.async.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "tc/Support/Conversion.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tc;
using namespace tc::sm90;

namespace {

struct AtomIncLowering : ConvertOpToLLVMPattern<AtomIncOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(AtomIncOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value address = MemRefDescriptor(adaptor.getCounter())
                        .bufferPtr(rewriter, loc, *getTypeConverter(),
                                   op.getCounter().getType());
    rewriter.replaceOpWithNewOp<LLVM::AtomicRMWOp>(
        op, LLVM::AtomicBinOp::uinc_wrap, address, adaptor.getLast(),
        LLVM::AtomicOrdering::monotonic, /*syncscope=*/"device");
    return success();
  }
};

/// In the executing CTA: a store, and its bytes counted as complete. st.async
/// has addresses of a cluster, for which compute-sanitizer wants two CTAs.
struct LocalStAsyncLowering : ConvertOpToLLVMPattern<StAsyncOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(StAsyncOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getRank())
      return rewriter.notifyMatchFailure(op, "in another CTA");
    Location loc = op.getLoc();
    Value target = getSmemAddress(rewriter, loc, op.getTarget().getType(),
                                  adaptor.getTarget());
    LLVM::StoreOp::create(rewriter, loc, adaptor.getValue(), target);
    Value bytes =
        LLVM::ConstantOp::create(rewriter, loc, rewriter.getI32IntegerAttr(4));
    rewriter.replaceOpWithNewOp<NVVM::MBarrierCompleteTxOp>(
        op, adaptor.getMbarrier(), bytes, NVVM::MemScopeKind::CTA);
    return success();
  }
};

/// NVVM of LLVM 22 has no operation for st.async.
struct StAsyncLowering : ConvertOpToLLVMPattern<StAsyncOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(StAsyncOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value rank = adaptor.getRank();
    if (!rank)
      return rewriter.notifyMatchFailure(op, "in the executing CTA");
    Location loc = op.getLoc();
    Value target = getSmemAddress(rewriter, loc, op.getTarget().getType(),
                                  adaptor.getTarget());
    auto ofCluster = LLVM::LLVMPointerType::get(
        getContext(), unsigned(NVVM::NVVMMemorySpace::SharedCluster));
    target = NVVM::MapaOp::create(rewriter, loc, ofCluster, target, rank);
    Value barrier = NVVM::MapaOp::create(rewriter, loc, ofCluster,
                                         adaptor.getMbarrier(), rank);
    rewriter.replaceOpWithNewOp<LLVM::InlineAsmOp>(
        op, TypeRange(), ValueRange{target, adaptor.getValue(), barrier},
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 "
        "[$0], $1, [$2];",
        "l,r,l,~{memory}", /*has_side_effects=*/true,
        /*is_align_stack=*/false, LLVM::TailCallKind::None,
        LLVM::AsmDialectAttr(), ArrayAttr());
    return success();
  }
};

} // namespace

void tc::populateCounterPatterns(const LLVMTypeConverter &converter,
                                 RewritePatternSet &patterns) {
  patterns.add<AtomIncLowering, LocalStAsyncLowering, StAsyncLowering>(
      converter);
}
