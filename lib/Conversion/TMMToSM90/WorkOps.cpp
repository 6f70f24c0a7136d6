//===- WorkOps.cpp - requests for work ---------------------------*- C++
//-*-===//
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

#include "tc/Conversion/TMMToSM90/TileOps.h"

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

/// Requests that a counter in global memory answers:
///
///   old = atom_inc counter, count - 1
///   number of the first CTA = old * CTAs of a group + CTAs of the grid
///
/// or -1, where that is past the last group with work. Each CTA of the group
/// gets it.
struct CountWorkPattern : OpConversionPattern<tmm::RequestWorkOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tmm::RequestWorkOp op, OpAdaptor adaptor,
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

LogicalResult
CountWorkPattern::matchAndRewrite(tmm::RequestWorkOp op, OpAdaptor adaptor,
                                  ConversionPatternRewriter &rewriter) const {
  if (!isa<sm90::CounterAttr>(op.getBy()) || !op.getSignal() ||
      !op.getCounter() || !sm90::isSmemWord(adaptor.getBuffer().getType()))
    return rewriter.notifyMatchFailure(op, "not counted");
  AgentSetAttrInterface span = op.getSpan();
  SmallVector<int64_t> members =
      span ? span.getMembers(0) : SmallVector<int64_t>();
  if (span && int64_t(members.size()) != span.getClusterCtas())
    return rewriter.notifyMatchFailure(op, "not the CTAs of a cluster");
  Location loc = op.getLoc();
  emitIssue(rewriter, loc, span, [&](OpBuilder &b) {
    auto multiply = [&](Value groups) -> Value {
      if (!span)
        return groups;
      return arith::MulIOp::create(b, loc, groups,
                                   emitI32(b, loc, members.size()));
    };
    Value last =
        arith::SubIOp::create(b, loc, adaptor.getCount(), emitI32(b, loc, 1));
    Value old = sm90::AtomIncOp::create(b, loc, b.getI32Type(),
                                        adaptor.getCounter(), last);
    Value launched = gpu::GridDimOp::create(b, loc, gpu::Dimension::x);
    launched = arith::IndexCastOp::create(b, loc, b.getI32Type(), launched);
    // Without a sign both are below 2^32, as the CTAs of all work items are
    // below 2^31.
    Value number = arith::AddIOp::create(b, loc, multiply(old), launched);
    Value isWork = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                         number, multiply(adaptor.getCount()));
    Value answer =
        arith::SelectOp::create(b, loc, isWork, number, emitI32(b, loc, -1));
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
  patterns.add<CountWorkPattern, LaunchDependentsPattern, QueryWorkPattern,
               RequestWorkPattern, WaitPrerequisitesPattern>(
      converter, patterns.getContext());
}
