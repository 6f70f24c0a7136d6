//===- TmaOps.cpp - TMA copies to NVVM --------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tma_load, tma_store with its groups, prefetch_tensor_map. No predicates: with
// LLVM 22 a predicate turns the operation into inline assembly that drops
// .cta_group::2. Single threads are chosen by branches.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "tc/Support/Conversion.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tc;
using namespace tc::sm90;

namespace {

struct TmaLoadLowering : ConvertOpToLLVMPattern<TmaLoadOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(TmaLoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MLIRContext *context = getContext();
    Value destination = getSmemAddress(
        rewriter, loc, op.getDestination().getType(), adaptor.getDestination());
    // PTX counts coordinates from the fastest dimension.
    SmallVector<Value> coordinates;
    for (Value coordinate : llvm::reverse(adaptor.getCoordinates()))
      coordinates.push_back(getAsI32(rewriter, loc, coordinate));
    SmallVector<Value> offsets;
    for (Value offset : llvm::reverse(adaptor.getOffsets()))
      offsets.push_back(LLVM::TruncOp::create(rewriter, loc,
                                              rewriter.getI16Type(),
                                              getAsI32(rewriter, loc, offset)));
    NVVM::TMALoadMode mode = op.getTensorMap().getType().isIm2col()
                                 ? NVVM::TMALoadMode::IM2COL
                                 : NVVM::TMALoadMode::TILE;
    // The form for this CTA alone has neither multicast nor groups.
    bool single = !adaptor.getMulticast() && op.getCtaGroup() == 1;
    NVVM::CTAGroupKindAttr group;
    if (op.getCtaGroup() == 2)
      group = NVVM::CTAGroupKindAttr::get(context, NVVM::CTAGroupKind::CTA_2);
    // The window of the cluster holds the CTA's shared memory at the same
    // addresses, so both change their pointer type only. (addrspacecast would
    // go through a generic address.) LLVM's intrinsic gives the barrier's
    // pointer the type of the CTA's window, PTX takes either.
    auto repoint = [&](Value pointer, Type type) -> Value {
      Value address = LLVM::PtrToIntOp::create(rewriter, loc,
                                               rewriter.getI64Type(), pointer);
      return LLVM::IntToPtrOp::create(rewriter, loc, type, address);
    };
    if (!single)
      destination = repoint(
          destination, LLVM::LLVMPointerType::get(
                           context, static_cast<unsigned>(
                                        NVVM::NVVMMemorySpace::SharedCluster)));
    Value barrier = adaptor.getMbarrier();
    if (isa<ClusterMBarrierType>(op.getMbarrier().getType()))
      barrier = repoint(barrier, getSmemPointer(context));
    NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
        rewriter, loc, destination, adaptor.getTensorMap(), coordinates,
        barrier, offsets, adaptor.getMulticast(), adaptor.getCachePolicy(),
        mode, /*isCTAOnly=*/single, group, /*predicate=*/Value());
    rewriter.eraseOp(op);
    return success();
  }
};

/// NVVM of LLVM 22 has no operation for createpolicy.
struct CachePolicyLowering : ConvertOpToLLVMPattern<CachePolicyOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(CachePolicyOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::string text =
        ("createpolicy.fractional.L2::" +
         stringifyEvictionPriority(op.getPriority()) + ".b64 $0, 1.0;")
            .str();
    rewriter.replaceOpWithNewOp<LLVM::InlineAsmOp>(
        op, rewriter.getI64Type(), /*operands=*/ValueRange{}, text,
        /*constraints=*/"=l", /*has_side_effects=*/false,
        /*is_align_stack=*/false, LLVM::TailCallKind::None,
        /*asm_dialect=*/LLVM::AsmDialectAttr(),
        /*operand_attrs=*/ArrayAttr());
    return success();
  }
};

struct TmaStoreLowering : ConvertOpToLLVMPattern<TmaStoreOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(TmaStoreOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value source = getSmemAddress(rewriter, loc, op.getSource().getType(),
                                  adaptor.getSource());
    SmallVector<Value> coordinates;
    for (Value coordinate : llvm::reverse(adaptor.getCoordinates()))
      coordinates.push_back(getAsI32(rewriter, loc, coordinate));
    NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
        rewriter, loc, adaptor.getTensorMap(), source, coordinates,
        adaptor.getCachePolicy(), NVVM::TMAStoreMode::TILE,
        /*predicate=*/Value());
    rewriter.eraseOp(op);
    return success();
  }
};

struct CommitGroupLowering : ConvertOpToLLVMPattern<BulkCommitGroupOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(BulkCommitGroupOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncBulkCommitGroupOp>(op);
    return success();
  }
};

struct WaitGroupLowering : ConvertOpToLLVMPattern<BulkWaitGroupOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(BulkWaitGroupOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncBulkWaitGroupOp>(
        op, op.getPendingAttr(), op.getReadAttr());
    return success();
  }
};

struct PrefetchLowering : ConvertOpToLLVMPattern<PrefetchTensorMapOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(PrefetchTensorMapOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    // For a kernel parameter the space is said: with the generic form LLVM 22
    // prints the instruction twice, once for each space.
    auto argument = dyn_cast<BlockArgument>(op.getTensorMap());
    bool isParam = argument && isa_and_nonnull<gpu::GPUFuncOp>(
                                   argument.getOwner()->getParentOp());
    rewriter.replaceOpWithNewOp<NVVM::PrefetchOp>(
        op, /*cacheLevel=*/NVVM::PrefetchCacheLevelAttr(),
        /*evictPriority=*/NVVM::CacheEvictionPriorityAttr(),
        adaptor.getTensorMap(), /*predicate=*/Value(),
        /*tensormap=*/rewriter.getUnitAttr(), /*uniform=*/UnitAttr(),
        /*in_param_space=*/isParam ? rewriter.getUnitAttr() : UnitAttr());
    return success();
  }
};

} // namespace

void tc::populateTmaPatterns(const LLVMTypeConverter &converter,
                             RewritePatternSet &patterns) {
  patterns.add<TmaLoadLowering, CachePolicyLowering, TmaStoreLowering,
               CommitGroupLowering, WaitGroupLowering, PrefetchLowering>(
      converter);
}
