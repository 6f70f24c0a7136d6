//===- WorkOps.cpp - requests for work --------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What CTAs compute next, where they ask for it: cluster launch control, or a
// counter in global memory. And the order of kernels that overlap.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/TMMTiles/TileOps.h"

#include "tc/Dialect/SM90/IR/SM90.h"
#include "tc/Support/EmitArith.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tc;

namespace {

struct WaitPrerequisitesPattern
    : OpConversionPattern<tmm::WaitPrerequisitesOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tmm::WaitPrerequisitesOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<sm90::GriddepcontrolOp>(
        op, sm90::GridDependency::Wait);
    return success();
  }
};

struct LaunchDependentsPattern : OpConversionPattern<tmm::LaunchDependentsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tmm::LaunchDependentsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    // One thread acts for its CTA.
    emitIssue(rewriter, op.getLoc(), {}, [&](OpBuilder &b) {
      sm90::GriddepcontrolOp::create(b, op.getLoc(),
                                     sm90::GridDependency::LaunchDependents);
    });
    rewriter.eraseOp(op);
    return success();
  }
};

/// Requests and answers of cluster launch control.
struct RequestWorkPattern : OpConversionPattern<tmm::RequestWorkOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tmm::RequestWorkOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa<sm90::ClcAttr>(op.getBy()) || !op.getSignal())
      return rewriter.notifyMatchFailure(op, "not cluster launch control");
    emitIssue(rewriter, op.getLoc(), op.getSpan(), [&](OpBuilder &b) {
      sm90::ClusterLaunchControlTryCancelOp::create(
          b, op.getLoc(), adaptor.getBuffer(), op.getSignal(),
          /*multicast=*/bool(op.getSpan()));
    });
    rewriter.eraseOp(op);
    return success();
  }
};

/// Requests that a counter in global memory counts, modulo their number.
struct CountRequestPattern : OpConversionPattern<tmm::CountRequestOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tmm::CountRequestOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa<sm90::CounterAttr>(op.getBy()))
      return rewriter.notifyMatchFailure(op, "not a counter");
    Location loc = op.getLoc();
    Value last = arith::SubIOp::create(rewriter, loc, adaptor.getCount(),
                                       emitI32(rewriter, loc, 1));
    Value old =
        emitIssueOf(rewriter, loc, op.getSpan(), last.getType(),
                    [&](OpBuilder &b) -> Value {
                      return sm90::AtomIncOp::create(
                          b, loc, last.getType(), adaptor.getCounter(), last);
                    });
    rewriter.replaceOp(op, old);
    return success();
  }
};

/// The answer to request r of a grid of G groups of CTAs: the number of the
/// first CTA of group G + r, or -1 where that is past the last one with work.
/// Each CTA of the group that asks gets it.
struct AnswerRequestPattern : OpConversionPattern<tmm::AnswerRequestOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tmm::AnswerRequestOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;
};

struct QueryWorkPattern : OpConversionPattern<tmm::QueryWorkOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tmm::QueryWorkOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    if (isa<sm90::CounterAttr>(op.getBy()) &&
        sm90::isSmemWord(adaptor.getBuffer().getType())) {
      Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
      rewriter.replaceOpWithNewOp<memref::LoadOp>(op, adaptor.getBuffer(),
                                                  zero);
      return success();
    }
    if (!isa<sm90::ClcAttr>(op.getBy()))
      return rewriter.notifyMatchFailure(op, "not cluster launch control");
    auto query = sm90::ClusterLaunchControlQueryOp::create(rewriter, loc,
                                                           adaptor.getBuffer());
    rewriter.replaceOpWithNewOp<arith::SelectOp>(
        op, query.getCanceled(), query.getX(), emitI32(rewriter, loc, -1));
    return success();
  }
};

} // namespace

LogicalResult AnswerRequestPattern::matchAndRewrite(
    tmm::AnswerRequestOp op, OpAdaptor adaptor,
    ConversionPatternRewriter &rewriter) const {
  if (!isa<sm90::CounterAttr>(op.getBy()) || !op.getSignal() ||
      !sm90::isSmemWord(adaptor.getBuffer().getType()))
    return rewriter.notifyMatchFailure(op, "not a number that is counted");
  AgentSetAttrInterface span = op.getSpan();
  SmallVector<int64_t> members =
      span ? span.getMembers(0) : SmallVector<int64_t>();
  if (span && int64_t(members.size()) != span.getNumCtas())
    return rewriter.notifyMatchFailure(op, "not the CTAs of a cluster");
  Location loc = op.getLoc();
  emitIssue(rewriter, loc, span, [&](OpBuilder &b) {
    Value groups = gpu::GridDimOp::create(b, loc, gpu::Dimension::x);
    groups = arith::IndexCastOp::create(b, loc, b.getI32Type(), groups);
    Value ctas = emitI32(b, loc, std::max<int64_t>(1, members.size()));
    groups = b.createOrFold<arith::DivUIOp>(loc, groups, ctas);
    // A number below 2^32, as both are below 2^31.
    Value number = arith::AddIOp::create(b, loc, adaptor.getRequest(), groups);
    Value isWork = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                         number, adaptor.getCount());
    Value first = b.createOrFold<arith::MulIOp>(loc, number, ctas);
    Value answer =
        arith::SelectOp::create(b, loc, isWork, first, emitI32(b, loc, -1));
    if (!span)
      sm90::StAsyncOp::create(b, loc, answer, adaptor.getBuffer(),
                              op.getSignal(), /*rank=*/Value());
    for (int64_t rank : members)
      sm90::StAsyncOp::create(b, loc, answer, adaptor.getBuffer(),
                              op.getSignal(), emitI32(b, loc, rank));
  });
  rewriter.eraseOp(op);
  return success();
}

void tc::populateWorkPatterns(TypeConverter &converter,
                              RewritePatternSet &patterns) {
  patterns
      .add<AnswerRequestPattern, CountRequestPattern, LaunchDependentsPattern,
           QueryWorkPattern, RequestWorkPattern, WaitPrerequisitesPattern>(
          converter, patterns.getContext());
}
