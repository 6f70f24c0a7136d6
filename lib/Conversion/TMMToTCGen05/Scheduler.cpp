//===- Scheduler.cpp - lower the tile scheduler -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A static scheduler becomes four numbers (tiles along M, tiles of one problem,
// tiles of all, K-blocks) and a work item the number of its tile. Tiles are
// dealt round robin, in bands, one problem of a batch after the other.
// The CTAs of a pair have consecutive numbers and the same work.
// All numbers are below 2^31, so that 32-bit arithmetic holds.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;
using namespace tc;

namespace {

struct SchedulerPattern : OpConversionPattern<tmm::SchedulerOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(tmm::SchedulerOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto count = [&](Value size, int64_t tile) -> Value {
      return rewriter.createOrFold<arith::CeilDivUIOp>(
          loc, size, emitI32(rewriter, loc, tile));
    };
    Value tilesM = count(adaptor.getM(), op.getTile()[0]);
    Value tilesN = count(adaptor.getN(), op.getTile()[1]);
    Value tiles = rewriter.createOrFold<arith::MulIOp>(loc, tilesM, tilesN);
    Value all = tiles;
    if (Value batch = adaptor.getBatch())
      all = rewriter.createOrFold<arith::MulIOp>(loc, tiles, batch);
    Value blocks = count(adaptor.getK(), op.getTile()[2]);
    SmallVector<Value> values = {tilesM, tiles, all, blocks};
    rewriter.replaceOpWithMultiple(op, {ValueRange(values)});
    return success();
  }
};

/// `CtaOp` (the number of this CTA, or of all) counted in groups of CTAs that
/// compute a tile together.
template <typename CtaOp>
FailureOr<Value> emitGroups(OpBuilder &b, Location loc, Value scheduler) {
  auto op = scheduler.getDefiningOp<tmm::SchedulerOp>();
  if (!op)
    return failure();
  Value ctas = CtaOp::create(b, loc, gpu::Dimension::x);
  ctas = arith::IndexCastOp::create(b, loc, b.getI32Type(), ctas);
  if (op.getCtas() == 1)
    return ctas;
  Value size = emitI32(b, loc, op.getCtas());
  return Value(arith::DivUIOp::create(b, loc, ctas, size));
}

struct FirstWorkPattern : OpConversionPattern<tmm::FirstWorkOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(tmm::FirstWorkOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    FailureOr<Value> group =
        emitGroups<gpu::BlockIdOp>(rewriter, loc, op.getScheduler());
    if (failed(group))
      return rewriter.notifyMatchFailure(op, "scheduler is not local");
    rewriter.replaceOp(op, *group);
    return success();
  }
};

struct NextWorkPattern : OpConversionPattern<tmm::NextWorkOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(tmm::NextWorkOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    FailureOr<Value> groups =
        emitGroups<gpu::GridDimOp>(rewriter, loc, op.getScheduler());
    if (failed(groups))
      return rewriter.notifyMatchFailure(op, "scheduler is not local");
    rewriter.replaceOpWithNewOp<arith::AddIOp>(op, adaptor.getWork()[0],
                                               *groups);
    return success();
  }
};

struct WorkValidPattern : OpConversionPattern<tmm::WorkValidOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(tmm::WorkValidOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value all = adaptor.getScheduler()[2];
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, arith::CmpIPredicate::ult,
                                               adaptor.getWork()[0], all);
    return success();
  }
};

struct WorkBatchPattern : OpConversionPattern<tmm::WorkBatchOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(tmm::WorkBatchOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto scheduler = op.getScheduler().getDefiningOp<tmm::SchedulerOp>();
    if (!scheduler)
      return rewriter.notifyMatchFailure(op, "scheduler is not local");
    if (!scheduler.getBatch())
      rewriter.replaceOp(op, emitI32(rewriter, op.getLoc(), 0));
    else
      rewriter.replaceOp(op, rewriter.createOrFold<arith::DivUIOp>(
                                 op.getLoc(), adaptor.getWork()[0],
                                 adaptor.getScheduler()[1]));
    return success();
  }
};

struct WorkTilePattern : OpConversionPattern<tmm::WorkTileOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(tmm::WorkTileOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto scheduler = op.getScheduler().getDefiningOp<tmm::SchedulerOp>();
    if (!scheduler)
      return rewriter.notifyMatchFailure(op, "scheduler is not local");
    Location loc = op.getLoc();
    Value work = adaptor.getWork()[0], tilesM = adaptor.getScheduler()[0];
    auto scale = [&](Value index, int64_t tile) -> Value {
      return arith::MulIOp::create(rewriter, loc, index,
                                   emitI32(rewriter, loc, tile));
    };
    auto divide = [&](Value a, Value b) -> Value {
      return rewriter.createOrFold<arith::DivUIOp>(loc, a, b);
    };
    auto rest = [&](Value a, Value b) -> Value {
      return rewriter.createOrFold<arith::RemUIOp>(loc, a, b);
    };
    if (scheduler.getBatch())
      work = rest(work, adaptor.getScheduler()[1]);
    Value m, n;
    if (scheduler.getRaster() == 0) {
      m = rest(work, tilesM);
      n = divide(work, tilesM);
    } else {
      Value raster = emitI32(rewriter, loc, scheduler.getRaster());
      Value tilesN = divide(adaptor.getScheduler()[1], tilesM);
      Value perBand = rewriter.createOrFold<arith::MulIOp>(loc, raster, tilesN);
      Value first = rewriter.createOrFold<arith::MulIOp>(
          loc, divide(work, perBand), raster);
      Value left = rewriter.createOrFold<arith::SubIOp>(loc, tilesM, first);
      Value height = rewriter.createOrFold<arith::MinUIOp>(loc, left, raster);
      Value inBand = rest(work, perBand);
      m = rewriter.createOrFold<arith::AddIOp>(loc, first,
                                               rest(inBand, height));
      n = divide(inBand, height);
    }
    rewriter.replaceOp(
        op, {scale(m, scheduler.getTile()[0]), scale(n, scheduler.getTile()[1]),
             emitI32(rewriter, loc, 0), adaptor.getScheduler()[3]});
    return success();
  }
};

} // namespace

void tc::populateSchedulerPatterns(TypeConverter &converter,
                                   RewritePatternSet &patterns) {
  patterns.add<SchedulerPattern, FirstWorkPattern, NextWorkPattern,
               WorkValidPattern, WorkBatchPattern, WorkTilePattern>(
      converter, patterns.getContext());
}
