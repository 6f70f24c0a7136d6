//===- SyncOps.cpp - barriers, fences, elections to NVVM --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each is one instruction, or what chips before sm_90 have for it.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tc;
using namespace tc::sm90;

namespace {

struct GriddepcontrolLowering : ConvertOpToLLVMPattern<GriddepcontrolOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(GriddepcontrolOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    bool waits = op.getAction() == GridDependency::Wait;
    rewriter.replaceOpWithNewOp<NVVM::GriddepcontrolOp>(
        op, waits ? NVVM::GridDepActionKind::wait
                  : NVVM::GridDepActionKind::launch_dependents);
    return success();
  }
};

struct SetMaxRegistersLowering : ConvertOpToLLVMPattern<SetMaxRegistersOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(SetMaxRegistersOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    bool more = op.getAction() == RegisterAction::Increase;
    rewriter.replaceOpWithNewOp<NVVM::SetMaxRegisterOp>(
        op, op.getCount(),
        more ? NVVM::SetMaxRegisterAction::increase
             : NVVM::SetMaxRegisterAction::decrease);
    return success();
  }
};

struct ClusterArriveLowering : ConvertOpToLLVMPattern<ClusterArriveOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(ClusterArriveOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::ClusterArriveOp>(op,
                                                       rewriter.getUnitAttr());
    return success();
  }
};

struct ClusterWaitLowering : ConvertOpToLLVMPattern<ClusterWaitOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(ClusterWaitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::ClusterWaitOp>(op,
                                                     rewriter.getUnitAttr());
    return success();
  }
};

struct FenceMBarrierInitLowering : ConvertOpToLLVMPattern<FenceMBarrierInitOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(FenceMBarrierInitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    // It is for other CTAs of a cluster, which sm_80 does not have.
    if (hasSM90Instructions(op))
      NVVM::FenceMbarrierInitOp::create(rewriter, op.getLoc());
    rewriter.eraseOp(op);
    return success();
  }
};

struct FenceProxyAsyncLowering : ConvertOpToLLVMPattern<FenceProxyAsyncOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(FenceProxyAsyncOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NVVM::ProxyKind kind = NVVM::ProxyKind::async;
    NVVM::SharedSpaceAttr space;
    MLIRContext *context = getContext();
    switch (op.getSpace()) {
    case FenceSpace::All:
      break;
    case FenceSpace::Global:
      kind = NVVM::ProxyKind::async_global;
      break;
    case FenceSpace::SharedCTA:
      kind = NVVM::ProxyKind::async_shared;
      space =
          NVVM::SharedSpaceAttr::get(context, NVVM::SharedSpace::shared_cta);
      break;
    case FenceSpace::SharedCluster:
      kind = NVVM::ProxyKind::async_shared;
      space = NVVM::SharedSpaceAttr::get(context,
                                         NVVM::SharedSpace::shared_cluster);
      break;
    }
    rewriter.replaceOpWithNewOp<NVVM::FenceProxyOp>(
        op, NVVM::ProxyKindAttr::get(context, kind), space);
    return success();
  }
};

struct FenceSyncRestrictLowering : ConvertOpToLLVMPattern<FenceSyncRestrictOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(FenceSyncRestrictOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    bool acquires = op.getOrder() == FenceOrder::Acquire;
    rewriter.replaceOpWithNewOp<NVVM::FenceSyncRestrictOp>(
        op,
        acquires ? NVVM::MemOrderKind::ACQUIRE : NVVM::MemOrderKind::RELEASE);
    return success();
  }
};

struct NamedBarrierLowering : ConvertOpToLLVMPattern<NamedBarrierOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(NamedBarrierOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto constant = [&](IntegerAttr value) -> Value {
      return LLVM::ConstantOp::create(rewriter, op.getLoc(), value);
    };
    rewriter.replaceOpWithNewOp<NVVM::BarrierOp>(
        op, /*resultTypes=*/TypeRange(), constant(op.getIdAttr()),
        constant(op.getThreadsAttr()), NVVM::BarrierReductionAttr(), Value());
    return success();
  }
};

struct ElectLowering : ConvertOpToLLVMPattern<ElectOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(ElectOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (hasSM90Instructions(op)) {
      rewriter.replaceOpWithNewOp<NVVM::ElectSyncOp>(op, rewriter.getI1Type(),
                                                     /*membermask=*/Value());
      return success();
    }
    // One lane of all, the first.
    Location loc = op.getLoc();
    Value lane = NVVM::LaneIdOp::create(rewriter, loc, rewriter.getI32Type());
    rewriter.replaceOpWithNewOp<LLVM::ICmpOp>(op, LLVM::ICmpPredicate::eq, lane,
                                              getI32(rewriter, loc, 0));
    return success();
  }
};

} // namespace

void tc::populateSyncPatterns(const LLVMTypeConverter &converter,
                              RewritePatternSet &patterns) {
  patterns.add<GriddepcontrolLowering, SetMaxRegistersLowering,
               ClusterArriveLowering, ClusterWaitLowering,
               FenceMBarrierInitLowering, FenceProxyAsyncLowering,
               FenceSyncRestrictLowering, NamedBarrierLowering, ElectLowering>(
      converter);
}
