//===- TMMSchedulerAttrs.cpp - rules of dealing tiles -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arithmetic of the schedulers that need no more than the numbers of the
// grid, or memory with the rows of problems. All numbers are below 2^31, so
// that 32-bit arithmetic holds.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/IR/TMMAttrs.h"
#include "tc/Support/EmitArith.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

#include "tc/Dialect/TMM/IR/TMMAttrInterfaces.cpp.inc"

static LogicalResult verifyRaster(function_ref<InFlightDiagnostic()> emitError,
                                  int64_t raster) {
  if (raster < 0)
    return emitError() << "expected raster of at least 0, got " << raster;
  if (raster > std::numeric_limits<int32_t>::max())
    return emitError() << "expected raster of at most "
                       << std::numeric_limits<int32_t>::max() << ", got "
                       << raster;
  return success();
}

//===----------------------------------------------------------------------===//
// StaticSchedulerAttr
//===----------------------------------------------------------------------===//

LogicalResult
StaticSchedulerAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                            int64_t raster) {
  return verifyRaster(emitError, raster);
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

static Value emitQuotient(OpBuilder &b, Location loc, Value a, Value by) {
  return b.createOrFold<arith::DivUIOp>(loc, a, by);
}

static Value emitRest(OpBuilder &b, Location loc, Value a, Value by) {
  return b.createOrFold<arith::RemUIOp>(loc, a, by);
}

static Value emitScaled(OpBuilder &b, Location loc, Value index, int64_t tile) {
  return arith::MulIOp::create(b, loc, index, emitI32(b, loc, tile));
}

/// Row and column, in tiles, of number `tile` of a problem of `tilesM` rows of
/// tiles and as many columns as `emitTilesN` gives, in bands of `bandRows`.
static std::pair<Value, Value>
emitPlace(OpBuilder &b, Location loc, const TileSpace &space, int64_t bandRows,
          Value tile, Value tilesM, function_ref<Value()> emitTilesN) {
  if (bandRows == 0) {
    Value m = emitRest(b, loc, tile, tilesM);
    return {m, emitQuotient(b, loc, tile, tilesM)};
  }
  Value raster = emitI32(b, loc, bandRows);
  // The tiles of a band have a number of 32 bits: a band that may have more
  // is one of rows that there are, whose tiles the host has counted.
  int64_t maxTilesN =
      llvm::divideCeil(int64_t(1) << 31, uint64_t(space.tile[1]));
  if (bandRows > std::numeric_limits<uint32_t>::max() / maxTilesN)
    raster = b.createOrFold<arith::MinUIOp>(loc, raster, tilesM);
  Value tilesN = emitTilesN();
  Value perBand = b.createOrFold<arith::MulIOp>(loc, raster, tilesN);
  Value first = b.createOrFold<arith::MulIOp>(
      loc, emitQuotient(b, loc, tile, perBand), raster);
  Value left = b.createOrFold<arith::SubIOp>(loc, tilesM, first);
  Value height = b.createOrFold<arith::MinUIOp>(loc, left, raster);
  Value inBand = emitRest(b, loc, tile, perBand);
  Value m = b.createOrFold<arith::AddIOp>(loc, first,
                                          emitRest(b, loc, inBand, height));
  return {m, emitQuotient(b, loc, inBand, height)};
}

WorkItem StaticSchedulerAttr::emitItem(OpBuilder &b, Location loc,
                                       const TileSpace &space, ValueRange state,
                                       ValueRange work) const {
  Value tile = work[0], tilesM = state[TilesM];
  Value problem = emitI32(b, loc, 0);
  if (space.batch) {
    problem = emitQuotient(b, loc, tile, state[TilesOfProblem]);
    tile = emitRest(b, loc, tile, state[TilesOfProblem]);
  }
  auto [m, n] = emitPlace(b, loc, space, getRaster(), tile, tilesM, [&] {
    return emitQuotient(b, loc, state[TilesOfProblem], tilesM);
  });
  WorkItem item;
  item.row = emitScaled(b, loc, m, space.tile[0]);
  item.col = emitScaled(b, loc, n, space.tile[1]);
  item.end = space.m;
  item.problem = problem;
  item.firstBlock = emitI32(b, loc, 0);
  item.blockCount = state[KBlocks];
  return item;
}

//===----------------------------------------------------------------------===//
// GroupedSchedulerAttr
//===----------------------------------------------------------------------===//

LogicalResult
GroupedSchedulerAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                             int64_t raster) {
  return verifyRaster(emitError, raster);
}

bool GroupedSchedulerAttr::readsRows() const { return true; }

namespace {
/// What GroupedSchedulerAttr::emitState computes, in its order.
enum GroupedState : unsigned { TilesN, BlocksOfK };
/// The numbers of its work items: the tile among those of its problem, the
/// problem, and where the rows of that begin and end.
enum GroupedWork : unsigned { Tile, Problem, Begin, End };
} // namespace

SmallVector<Type> GroupedSchedulerAttr::getWorkTypes() const {
  return SmallVector<Type>(4, IntegerType::get(getContext(), 32));
}

SmallVector<Value>
GroupedSchedulerAttr::emitState(OpBuilder &b, Location loc,
                                const TileSpace &space) const {
  auto count = [&](Value size, int64_t tile) -> Value {
    return b.createOrFold<arith::CeilDivUIOp>(loc, size, emitI32(b, loc, tile));
  };
  return {count(space.n, space.tile[1]), count(space.k, space.tile[2])};
}

/// The rows of tiles of a problem with rows from `begin` to `end`.
static Value emitTilesOfRows(OpBuilder &b, Location loc, const TileSpace &space,
                             Value begin, Value end) {
  Value rows = b.createOrFold<arith::SubIOp>(loc, end, begin);
  return b.createOrFold<arith::CeilDivUIOp>(loc, rows,
                                            emitI32(b, loc, space.tile[0]));
}

/// Where the rows of problem `number` end, which begin at `begin`: there is
/// such a problem, or what this yields is not used.
static Value emitEnd(OpBuilder &b, Location loc, const TileSpace &space,
                     Value number, Value begin) {
  Value last =
      b.createOrFold<arith::SubIOp>(loc, space.batch, emitI32(b, loc, 1));
  number = b.createOrFold<arith::MinUIOp>(loc, number, last);
  Value told =
      memref::LoadOp::create(b, loc, space.rows, emitIndex(b, loc, number));
  told = b.createOrFold<arith::MaxSIOp>(loc, told, begin);
  return b.createOrFold<arith::MinSIOp>(loc, told, space.m);
}

/// `work` with the problem that its tile is of, where it counts from the first
/// tile of the problem that it names: tiles of later ones are past the end of
/// that. The number of problems where there are fewer tiles.
static SmallVector<Value> emitSearch(OpBuilder &b, Location loc,
                                     const TileSpace &space, ValueRange state,
                                     ValueRange work) {
  SmallVector<Type> results(5, b.getI32Type());
  auto loop = scf::WhileOp::create(
      b, loc, results, work,
      [&](OpBuilder &b, Location loc, ValueRange at) {
        Value tiles = b.createOrFold<arith::MulIOp>(
            loc, emitTilesOfRows(b, loc, space, at[Begin], at[End]),
            state[TilesN]);
        Value some = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                           at[Problem], space.batch);
        Value after = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge,
                                            at[Tile], tiles);
        SmallVector<Value> passed(at);
        passed.push_back(tiles);
        scf::ConditionOp::create(
            b, loc, arith::AndIOp::create(b, loc, some, after), passed);
      },
      [&](OpBuilder &b, Location loc, ValueRange at) {
        Value tile = arith::SubIOp::create(b, loc, at[Tile], at[End + 1]);
        Value problem =
            arith::AddIOp::create(b, loc, at[Problem], emitI32(b, loc, 1));
        Value begin = space.stacked ? at[End] : emitI32(b, loc, 0);
        Value end = emitEnd(b, loc, space, problem, begin);
        scf::YieldOp::create(b, loc, ValueRange{tile, problem, begin, end});
      });
  return loop.getResults().drop_back();
}

SmallVector<Value> GroupedSchedulerAttr::emitFirst(OpBuilder &b, Location loc,
                                                   const TileSpace &space,
                                                   ValueRange state) const {
  return emitAt(b, loc, space, state,
                emitGroups<gpu::BlockIdOp>(b, loc, space));
}

SmallVector<Value> GroupedSchedulerAttr::emitNext(OpBuilder &b, Location loc,
                                                  const TileSpace &space,
                                                  ValueRange state,
                                                  ValueRange work) const {
  SmallVector<Value> next(work);
  next[Tile] = arith::AddIOp::create(b, loc, work[Tile],
                                     emitGroups<gpu::GridDimOp>(b, loc, space));
  return emitSearch(b, loc, space, state, next);
}

// A negative number is past all tiles, as one without a sign.
SmallVector<Value> GroupedSchedulerAttr::emitAt(OpBuilder &b, Location loc,
                                                const TileSpace &space,
                                                ValueRange state,
                                                Value number) const {
  Value zero = emitI32(b, loc, 0);
  Value end = emitEnd(b, loc, space, zero, zero);
  return emitSearch(b, loc, space, state, {number, zero, zero, end});
}

Value GroupedSchedulerAttr::emitCount(OpBuilder &b, Location loc,
                                      const TileSpace &space,
                                      ValueRange state) const {
  // What is left of the largest number when all tiles were taken from it.
  Value most = emitI32(b, loc, -1);
  return arith::SubIOp::create(b, loc, most,
                               emitAt(b, loc, space, state, most)[Tile]);
}

Value GroupedSchedulerAttr::emitValid(OpBuilder &b, Location loc,
                                      const TileSpace &space, ValueRange state,
                                      ValueRange work) const {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, work[Problem],
                               space.batch);
}

WorkItem GroupedSchedulerAttr::emitItem(OpBuilder &b, Location loc,
                                        const TileSpace &space,
                                        ValueRange state,
                                        ValueRange work) const {
  Value tilesM = emitTilesOfRows(b, loc, space, work[Begin], work[End]);
  auto [m, n] = emitPlace(b, loc, space, getRaster(), work[Tile], tilesM,
                          [&] { return state[TilesN]; });
  WorkItem item;
  item.row = b.createOrFold<arith::AddIOp>(
      loc, work[Begin], emitScaled(b, loc, m, space.tile[0]));
  item.col = emitScaled(b, loc, n, space.tile[1]);
  item.end = work[End];
  item.problem = work[Problem];
  item.firstBlock = emitI32(b, loc, 0);
  item.blockCount = state[BlocksOfK];
  return item;
}
