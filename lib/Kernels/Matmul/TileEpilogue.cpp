//===- TileEpilogue.cpp - what becomes of the sums of a tile ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop over the columns of a tile: reads sums, and what the epilogue has
// beside, computes, converts and stores.
//
//===----------------------------------------------------------------------===//

#include "TileEpilogue.h"

#include "tc/Support/Units.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

Value TileEpilogue::constant(int64_t value) {
  return arith::ConstantIntOp::create(b, loc, b.getI32Type(), value);
}

/// Whether operand `index` is a matrix in global memory.
bool TileEpilogue::isMatrix(unsigned index) {
  Value extra = problem.op.getExtras()[index];
  return isa<ShapedType>(extra.getType()) && !problem.op.getAlongOf(index) &&
         !matchPattern(extra, m_Constant());
}

/// The type of a register tile of the columns that are computed at a time.
VectorType TileEpilogue::tileType(Type element) {
  return VectorType::get({problem.rows(), *problem.config.getEpilogueSubtile()},
                         element);
}

/// Whether no tile has rows, and columns, outside: a static size that tiles
/// divide has no tail.
SmallVector<bool> TileEpilogue::getInside() {
  auto whole = [](int64_t size, int64_t tile) {
    return !ShapedType::isDynamic(size) && size % tile == 0;
  };
  // Groups begin anywhere.
  return {!problem.op.isStacked() &&
              whole(problem.op.getStaticM(), problem.clusterRows()),
          whole(problem.op.getStaticN(), problem.clusterCols())};
}

/// The layout in which a tile of `element` is fetched: that of memory where the
/// tile is large enough for it, and elements have 16 bits, of which accesses in
/// the accumulator's have 4 bytes; those of 32 bits would gain little, and take
/// registers. A thread reads what others overwrite then, where the matrix is D:
/// they meet before TMA stores it, but not before stores of their own.
RegisterLayoutAttrInterface TileEpilogue::getFetchLayout(Type element) {
  RegisterLayoutAttrInterface own = problem.parts.registers;
  auto memory =
      dyn_cast_or_null<RegisterLayoutAttrInterface>(own.getMemoryLayout());
  bool fits = memory && element.getIntOrFloatBitWidth() == 16 &&
              problem.config.getEpilogue() == Epilogue::tma_store &&
              memory.fits(tileType(element).getShape());
  return fits ? memory : own;
}

/// The tile of a matrix of `rank` with a batch in the layout that memory likes;
/// emitFetched makes it one like the accumulator.
Value TileEpilogue::emitFetch(Value source, unsigned rank, Value row,
                              Value col) {
  Type element = getElementTypeOrSelf(source.getType());
  return FetchOp::create(b, loc, tileType(element), source, row, col,
                         getBatchIndices(source, rank), AlongAttr(),
                         b.getDenseBoolArrayAttr(getInside()),
                         getFetchLayout(element), /*role=*/StringAttr());
}

Value TileEpilogue::emitFetched(Value tile) {
  RegisterLayoutAttrInterface own = problem.parts.registers,
                              from = getFetchLayout(getElementTypeOrSelf(tile));
  if (from == own)
    return tile;
  return ConvertLayoutOp::create(b, loc, tile.getType(), tile, from, own);
}

/// The tiles of the matrices among the extra operands, and of D where the
/// product is added to it, last.
SmallVector<Value> TileEpilogue::emitFetches(Value row, Value col) {
  SmallVector<Value> tiles;
  for (auto [index, extra] : llvm::enumerate(problem.op.getExtras()))
    if (isMatrix(index))
      tiles.push_back(emitFetch(extra == problem.op.getD() ? d : extras[index],
                                problem.op.getMatrixRankOf(index), row, col));
  if (problem.op.getAccumulate())
    tiles.push_back(emitFetch(d, 2, row, col));
  return tiles;
}

/// Has `width` columns of the matrices from `col` on in the L2 cache.
void TileEpilogue::emitPrefetches(Value row, Value col, int64_t width) {
  auto emit = [&](Value source, unsigned rank) {
    auto type = VectorType::get({problem.rows(), width},
                                getElementTypeOrSelf(source.getType()));
    PrefetchOp::create(b, loc, source, row, col, getBatchIndices(source, rank),
                       b.getDenseBoolArrayAttr(getInside()), type,
                       getFetchLayout(type.getElementType()),
                       /*role=*/StringAttr());
  };
  for (auto [index, extra] : llvm::enumerate(problem.op.getExtras()))
    if (isMatrix(index))
      emit(extra == problem.op.getD() ? d : extras[index],
           problem.op.getMatrixRankOf(index));
  if (problem.op.getAccumulate())
    emit(d, 2);
}

/// The register tiles of the extra operands, in order; those of matrices are
/// `fetched`.
SmallVector<Value> TileEpilogue::emitExtras(Value row, Value col,
                                            ArrayRef<Value> fetched) {
  SmallVector<Value> tiles;
  for (auto [index, extra] : llvm::enumerate(problem.op.getExtras())) {
    auto type = tileType(getElementTypeOrSelf(extra.getType()));
    Value value = extra == problem.op.getD() ? d : extras[index];
    Attribute constant;
    if (matchPattern(extra, m_Constant(&constant))) {
      tiles.push_back(arith::ConstantOp::create(
          b, loc, DenseElementsAttr::get(type, constant)));
    } else if (!isa<ShapedType>(extra.getType())) {
      tiles.push_back(vector::BroadcastOp::create(b, loc, type, value));
    } else if (isMatrix(index)) {
      tiles.push_back(emitFetched(fetched.front()));
      fetched = fetched.drop_front();
    } else {
      tiles.push_back(FetchOp::create(
          b, loc, type, value, row, col,
          getBatchIndices(value, problem.op.getMatrixRankOf(index)),
          AlongAttr::get(b.getContext(), *problem.op.getAlongOf(index)),
          b.getDenseBoolArrayAttr(getInside()), problem.parts.registers,
          /*role=*/StringAttr()));
    }
  }
  return tiles;
}

/// The region of the matmul on register tiles instead of elements.
SmallVector<Value> TileEpilogue::emitRegion(Value sum,
                                            ArrayRef<Value> operands) {
  Block &block = problem.op.getEpilogue()->front();
  IRMapping mapping;
  mapping.map(block.getArgument(0), sum);
  mapping.map(block.getArguments().drop_front(), operands);
  for (Operation &op : block.without_terminator()) {
    Value old = op.getResult(0);
    VectorType type = tileType(old.getType());
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      mapping.map(
          old, arith::ConstantOp::create(
                   b, loc, DenseElementsAttr::get(type, constant.getValue())));
      continue;
    }
    Operation *tile = b.clone(op, mapping);
    tile->getResult(0).setType(type);
  }
  return llvm::map_to_vector(
      block.getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookup(value); });
}

/// `first`: what the first columns need of the matrices, if it has been loaded.
/// Where the columns after those that are computed are on their way, the loop
/// loads none after the last ones: it is unrolled.
void TileEpilogue::emit(Value acc, Value row, Value col, Value written,
                        ValueRange first) {
  int64_t width = *problem.config.getEpilogueSubtile();
  SmallVector<Value, 1> inits;
  if (amax)
    inits.push_back(arith::ConstantOp::create(
        b, loc, b.getZeroAttr(tileType(b.getF32Type()))));
  if (problem.fetchesAhead)
    llvm::append_range(inits, first.empty() ? emitFetches(row, col)
                                            : SmallVector<Value>(first));
  // Of the columns that are loaded when two before them were stored; the loads
  // of the others are on their way by now. No registers remain for
  // more, and with several matrices or checks none for these addresses.
  const int64_t ahead = 2 * width;
  if (first.size() == 1 &&
      llvm::all_of(getInside(), [](bool in) { return in; }) &&
      problem.tileN > ahead)
    emitPrefetches(row, arith::AddIOp::create(b, loc, col, constant(ahead)),
                   problem.tileN - ahead);
  auto loop = scf::ForOp::create(
      b, loc, constant(0), constant(problem.tileN), constant(width), inits,
      [&](OpBuilder &, Location, Value column, ValueRange carried) {
        Value target = arith::AddIOp::create(b, loc, col, column);
        SmallVector<Value> fetched(carried.drop_front(amax ? 1 : 0)), next;
        if (problem.fetchesAhead) {
          Value after = arith::AddIOp::create(b, loc, column, constant(width));
          after = arith::MinSIOp::create(b, loc, after,
                                         constant(problem.tileN - width));
          after = arith::AddIOp::create(b, loc, col, after);
          next = emitFetches(row, after);
        } else {
          fetched = emitFetches(row, target);
        }
        Value largest = emitColumns(acc, row, target, column, written,
                                    amax ? carried.front() : Value(), fetched);
        if (amax)
          next.insert(next.begin(), largest);
        scf::YieldOp::create(b, loc, next);
      });
  if (amax)
    AtomicMaxOp::create(b, loc, loop.getResult(0), amax,
                        problem.parts.registers,
                        /*role=*/StringAttr());
}

/// Each element of `largest` or the absolute value of `tile` there, whichever
/// is larger; NaN is larger than everything.
Value TileEpilogue::emitLargest(Value tile, Value row, Value col,
                                ArrayRef<bool> inside, Value largest) {
  Value absolute = math::AbsFOp::create(b, loc, tile);
  if (!inside[0] || !inside[1] || end)
    absolute = CropOp::create(b, loc, absolute.getType(), absolute, row, col,
                              end ? end : m, n, /*fill=*/TypedAttr());
  return arith::MaximumFOp::create(b, loc, largest, absolute);
}

/// The epilogue of the columns from `column` on, which are stored from `target`
/// on. Returns `largest` with the absolute values here, where amax is asked
/// for.
Value TileEpilogue::emitColumns(Value acc, Value row, Value target,
                                Value column, Value written, Value largest,
                                ArrayRef<Value> fetched) {
  Type outType = cast<ShapedType>(d.getType()).getElementType();
  Type element = problem.op.getSumType();
  VectorType sumType = tileType(element);
  SmallVector<bool> inside = getInside();
  // Before the accumulator is read: the loads are on their way while it comes.
  SmallVector<Value> operands = emitExtras(row, target, fetched);
  VectorType readType = tileType(problem.op.getAccumulatorType());
  Value sum;
  if (isa<BufferType>(acc.getType()))
    sum = ReadOp::create(b, loc, readType, acc, column, written,
                         problem.parts.registers, /*role=*/StringAttr());
  else
    sum = ExtractColumnsOp::create(b, loc, readType, acc, column);
  if (sum.getType() != sumType)
    sum = arith::ExtFOp::create(b, loc, sumType, sum);
  if (problem.op.getAccumulate()) {
    Value old = emitFetched(fetched.back());
    if (outType != element)
      old = arith::ExtFOp::create(b, loc, sumType, old);
    if (element.isInteger())
      sum = arith::AddIOp::create(b, loc, sum, old);
    else
      sum = arith::AddFOp::create(b, loc, sum, old);
  }
  SmallVector<Value> values = {sum, sum};
  if (problem.op.hasEpilogue())
    values = emitRegion(sum, operands);
  if (amax)
    largest = emitLargest(values[1], row, target, inside, largest);
  emitOutput(values[0], row, target, inside);
  return largest;
}

/// Converts what is computed for D to its type, and stores it.
void TileEpilogue::emitOutput(Value tile, Value row, Value col,
                              ArrayRef<bool> inside) {
  VectorType type = tileType(cast<ShapedType>(d.getType()).getElementType());
  if (!scaleD) {
    // The only rounding to the output type: the sum was f32 until here.
    if (tile.getType() != type)
      tile = arith::TruncFOp::create(b, loc, type, tile);
    emitStore(tile, row, col, inside);
    return;
  }
  int64_t block = problem.op.getScaleBlockOfD();
  auto factors =
      VectorType::get({type.getDimSize(0), type.getDimSize(1) / block},
                      cast<ShapedType>(scaleD.getType()).getElementType());
  auto quantize = QuantizeOp::create(b, loc, type, factors, tile);
  emitStore(quantize.getResult(), row, col, inside);
  Value column = arith::DivUIOp::create(b, loc, col, constant(block));
  StoreOp::create(b, loc, quantize.getScales(), scaleD, row, column,
                  getBatchIndices(scaleD, kScalesRank), /*blocked=*/true,
                  b.getDenseBoolArrayAttr(inside), problem.parts.registers,
                  /*role=*/StringAttr());
}

/// Threads store a register tile to D; with `until` rows before that one alone.
void TileEpilogue::emitThreadStore(Value tile, Value row, Value col,
                                   ArrayRef<bool> inside, Value until) {
  SmallVector<bool> promise(inside);
  promise[0] &= !until;
  StoreOp::create(b, loc, tile, d, row, col, getBatchIndices(d, 2), until,
                  /*blocked=*/false, b.getDenseBoolArrayAttr(promise),
                  problem.parts.registers,
                  /*role=*/StringAttr());
}

/// Stores a register tile to D, through a store buffer where TMA does it. TMA
/// knows where D ends, but not where the rows of a problem do: threads store a
/// tile that is not whole.
void TileEpilogue::emitStore(Value tile, Value row, Value col,
                             ArrayRef<bool> inside) {
  if (problem.config.getEpilogue() != Epilogue::tma_store)
    return emitThreadStore(tile, row, col, inside, end);
  Value isWhole;
  if (end) {
    Value last = arith::AddIOp::create(b, loc, row, constant(problem.rows()));
    isWhole =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, last, end);
    Value until = arith::SelectOp::create(b, loc, isWhole, row, end);
    emitThreadStore(tile, row, col, inside, until);
  }
  auto type = cast<VectorType>(tile.getType());
  Value buffer =
      AllocOp::create(b, loc,
                      BufferType::get(type.getShape(), type.getElementType(),
                                      problem.parts.staging),
                      uint64_t(problem.config.getStoreStages().value_or(1)));
  StageOp::create(b, loc, tile, buffer, problem.parts.registers,
                  /*role=*/StringAttr());
  UnloadOp::create(b, loc, buffer, d, row, col, getBatchIndices(d, 2), isWhole,
                   problem.parts.store, /*role=*/StringAttr());
}
