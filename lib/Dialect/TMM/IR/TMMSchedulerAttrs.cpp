//===- TMMSchedulerAttrs.cpp - rules of dealing tiles -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arithmetic of the schedulers that need no more than the numbers of the
// grid. All numbers are below 2^31, so that 32-bit arithmetic holds.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/IR/TMMAttrs.h"
#include "tc/Support/EmitArith.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

#include "tc/Dialect/TMM/IR/TMMAttrInterfaces.cpp.inc"

LogicalResult
StaticSchedulerAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                            int64_t raster) {
  if (raster < 0)
    return emitError() << "expected raster of at least 0, got " << raster;
  if (raster > std::numeric_limits<int32_t>::max())
    return emitError() << "expected raster of at most "
                       << std::numeric_limits<int32_t>::max() << ", got "
                       << raster;
  return success();
}

/// What StaticSchedulerAttr::emitState computes, in its order.
namespace {
enum State : unsigned { TilesM, TilesOfProblem, TilesOfAll, KBlocks };
} // namespace

SmallVector<Type> StaticSchedulerAttr::getWorkTypes() const {
  return {IntegerType::get(getContext(), 32)};
}

SmallVector<Value>
StaticSchedulerAttr::emitState(OpBuilder &b, Location loc,
                               const TileSpace &space) const {
  auto count = [&](Value size, int64_t tile) -> Value {
    return b.createOrFold<arith::CeilDivUIOp>(loc, size, emitI32(b, loc, tile));
  };
  Value tilesM = count(space.m, space.tile[0]);
  Value tilesN = count(space.n, space.tile[1]);
  Value tiles = b.createOrFold<arith::MulIOp>(loc, tilesM, tilesN);
  Value all = tiles;
  if (space.batch)
    all = b.createOrFold<arith::MulIOp>(loc, tiles, space.batch);
  return {tilesM, tiles, all, count(space.k, space.tile[2])};
}

/// `CtaOp` (the number of this CTA, or of all) counted in groups of CTAs that
/// share their work.
template <typename CtaOp>
static Value emitGroups(OpBuilder &b, Location loc, const TileSpace &space) {
  Value ctas = CtaOp::create(b, loc, gpu::Dimension::x);
  ctas = arith::IndexCastOp::create(b, loc, b.getI32Type(), ctas);
  if (space.ctas == 1)
    return ctas;
  return arith::DivUIOp::create(b, loc, ctas, emitI32(b, loc, space.ctas));
}

SmallVector<Value> StaticSchedulerAttr::emitFirst(OpBuilder &b, Location loc,
                                                  const TileSpace &space,
                                                  ValueRange state) const {
  return {emitGroups<gpu::BlockIdOp>(b, loc, space)};
}

SmallVector<Value> StaticSchedulerAttr::emitNext(OpBuilder &b, Location loc,
                                                 const TileSpace &space,
                                                 ValueRange state,
                                                 ValueRange work) const {
  Value groups = emitGroups<gpu::GridDimOp>(b, loc, space);
  return {arith::AddIOp::create(b, loc, work[0], groups)};
}

// A negative number is not below that of the tiles.
SmallVector<Value> StaticSchedulerAttr::emitAt(OpBuilder &, Location,
                                               const TileSpace &, ValueRange,
                                               Value number) const {
  return {number};
}

Value StaticSchedulerAttr::emitCount(OpBuilder &, Location, const TileSpace &,
                                     ValueRange state) const {
  return state[TilesOfAll];
}

Value StaticSchedulerAttr::emitValid(OpBuilder &b, Location loc,
                                     const TileSpace &space, ValueRange state,
                                     ValueRange work) const {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, work[0],
                               state[TilesOfAll]);
}

WorkItem StaticSchedulerAttr::emitItem(OpBuilder &b, Location loc,
                                       const TileSpace &space, ValueRange state,
                                       ValueRange work) const {
  auto divide = [&](Value a, Value by) -> Value {
    return b.createOrFold<arith::DivUIOp>(loc, a, by);
  };
  auto rest = [&](Value a, Value by) -> Value {
    return b.createOrFold<arith::RemUIOp>(loc, a, by);
  };
  auto scale = [&](Value index, int64_t tile) -> Value {
    return arith::MulIOp::create(b, loc, index, emitI32(b, loc, tile));
  };
  Value tile = work[0], tilesM = state[TilesM];
  Value problem = emitI32(b, loc, 0);
  if (space.batch) {
    problem = divide(tile, state[TilesOfProblem]);
    tile = rest(tile, state[TilesOfProblem]);
  }
  Value m, n;
  if (getRaster() == 0) {
    m = rest(tile, tilesM);
    n = divide(tile, tilesM);
  } else {
    Value raster = emitI32(b, loc, getRaster());
    // The tiles of a band have a number of 32 bits: a band that may have more
    // is one of rows that there are, whose tiles the host has counted.
    int64_t maxTilesN =
        llvm::divideCeil(int64_t(1) << 31, uint64_t(space.tile[1]));
    if (getRaster() > std::numeric_limits<uint32_t>::max() / maxTilesN)
      raster = b.createOrFold<arith::MinUIOp>(loc, raster, tilesM);
    Value tilesN = divide(state[TilesOfProblem], tilesM);
    Value perBand = b.createOrFold<arith::MulIOp>(loc, raster, tilesN);
    Value first =
        b.createOrFold<arith::MulIOp>(loc, divide(tile, perBand), raster);
    Value left = b.createOrFold<arith::SubIOp>(loc, tilesM, first);
    Value height = b.createOrFold<arith::MinUIOp>(loc, left, raster);
    Value inBand = rest(tile, perBand);
    m = b.createOrFold<arith::AddIOp>(loc, first, rest(inBand, height));
    n = divide(inBand, height);
  }
  WorkItem item;
  item.row = scale(m, space.tile[0]);
  item.col = scale(n, space.tile[1]);
  item.problem = problem;
  item.firstBlock = emitI32(b, loc, 0);
  item.blockCount = state[KBlocks];
  return item;
}
