//===- EarlyFetches.cpp - what a kernel of rows reads first -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An element that a row has at a place from memory waits twice, for the place
// and for itself: both are on their way with the row. A CTA that has its
// multiprocessor for itself asks for the row of the next one before it
// computes.
//
//===----------------------------------------------------------------------===//

#include "RowsEmitter.h"

#include "tc/Support/EmitArith.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <limits>

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

/// Threads of a CTA beside which a multiprocessor has registers for another
/// one, which loads while this one computes.
static constexpr int64_t kSharedThreads = 512;

/// Places of columns of i32, which are none where `index` is none.
Value RowsProgram::emitPlaces(Value index) {
  Value places = get(index, TileShape::Values);
  if (index.getType().isInteger(32))
    return places;
  auto constant = [&](Type type, int64_t value) {
    auto tile = getTileType(type, TileShape::Values);
    return arith::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(tile, Attribute(b.getIntegerAttr(type, value))));
  };
  Type wide = b.getI64Type(), narrow = b.getI32Type();
  if (index.getType().isIndex())
    places = arith::IndexCastOp::create(
        b, loc, getTileType(wide, TileShape::Values), places);
  Value isPlace = arith::CmpIOp::create(
      b, loc, arith::CmpIPredicate::ult, places,
      constant(wide, std::numeric_limits<int32_t>::max()));
  places = arith::TruncIOp::create(
      b, loc, getTileType(narrow, TileShape::Values), places);
  return arith::SelectOp::create(b, loc, isPlace, places, constant(narrow, -1));
}

/// The values of `value` at the columns of `op`.
Value RowsProgram::pick(RowPickOp op, Value value) {
  if (!isColumn(value))
    return get(value, TileShape::Values);
  if (Value known = picked.lookup({op, value}))
    return known;
  VectorType type = getTileType(value.getType(), TileShape::Values);
  Value result;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    const RowsOperand &operand = form.operands[argument.getArgNumber()];
    SmallVector<Value> indices;
    for (unsigned dim : operand.batch)
      indices.push_back(batch[dim]);
    Value places = emitPlaces(op.getIndex()), first = row;
    auto moved = [&](Value at, int64_t by) -> Value {
      Value offset = arith::ConstantOp::create(
          b, loc,
          isa<VectorType>(at.getType())
              ? TypedAttr(DenseElementsAttr::get(cast<VectorType>(at.getType()),
                                                 int32_t(by)))
              : TypedAttr(b.getI32IntegerAttr(by)));
      return by == 0 ? at
                     : arith::AddIOp::create(b, loc, at, offset).getResult();
    };
    result = GatherOp::create(
        b, loc, type, kernel.getArgument(argument.getArgNumber()),
        moved(first, operand.row.offset), moved(places, operand.column.offset),
        indices, getLayout(TileShape::Values), /*role=*/StringAttr());
  } else if (Operation *definition = value.getDefiningOp();
             isa<RowIndexOp>(definition)) {
    result =
        arith::IndexCastOp::create(b, loc, type, emitPlaces(op.getIndex()));
  } else {
    result = computeFrom(cast<OpResult>(value), TileShape::Values,
                         [&](Value operand) { return pick(op, operand); });
  }
  picked[{op, value}] = result;
  return result;
}

/// Adds to `arguments` the operands with columns and rows that `value` reads.
void RowsProgram::collectFetched(Value value,
                                 SmallVectorImpl<BlockArgument> &arguments) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    const RowsOperand &operand = form.operands[argument.getArgNumber()];
    if (operand.hasColumn && operand.hasRow && !operand.isTransposed &&
        !llvm::is_contained(arguments, argument))
      arguments.push_back(argument);
    return;
  }
  for (Value operand : value.getDefiningOp()->getOperands())
    collectFetched(operand, arguments);
}

/// Asks the L2 cache for what the CTA that comes after this one on the same
/// multiprocessor fetches.
void RowsProgram::prefetchNext(ArrayRef<BlockArgument> arguments) {
  Value next = arith::AddIOp::create(b, loc, number,
                                     emitI32(b, loc, form.multiprocessors));
  Place place = emitPlace(next);
  for (BlockArgument argument : arguments) {
    const RowsOperand &operand = form.operands[argument.getArgNumber()];
    if (argument.getType().isInteger(1) || operand.row.isPiece ||
        operand.column.isPiece)
      continue;
    auto inside = getInBounds(operand, /*hasColumns=*/true);
    PrefetchOp::create(b, loc, kernel.getArgument(argument.getArgNumber()),
                       place.row, place.col, ValueRange(),
                       b.getDenseBoolArrayAttr({false, inside.asArrayRef()[1]}),
                       getTileType(argument.getType(), TileShape::Columns),
                       shape.layout,
                       /*role=*/StringAttr());
  }
}

/// Fetches what the first reductions read before anything waits: the elements
/// of picks after their places, which may be on their way meanwhile.
void RowsProgram::fetchEarly() {
  if (isLooped() || form.countsColumns)
    return;
  SmallVector<RowPickOp> picks;
  SmallVector<BlockArgument> arguments;
  for (Operation &inner : op.getBody().front()) {
    if (auto reduction = dyn_cast<RowReduceOp>(inner);
        reduction && getLevel(reduction.getResult()) == 1)
      collectFetched(reduction.getValue(), arguments);
    if (auto pick = dyn_cast<RowPickOp>(inner);
        pick && getLevel(pick.getIndex()) == 0) {
      picks.push_back(pick);
      prepare(pick.getIndex());
    }
  }
  bool isAlone = shape.getThreads() > kSharedThreads && !shape.fetchesAgain;
  if (picks.empty() && !isAlone)
    return;
  for (BlockArgument argument : arguments)
    get(argument, TileShape::Columns);
  // Before them it would delay what this CTA waits for: on an H200 softmax of
  // rows of 32768 takes 85 us so, not 73.
  if (isAlone && form.multiprocessors != 0 && form.batch.empty())
    prefetchNext(arguments);
  for (RowPickOp one : picks) {
    SmallVector<BlockArgument> read;
    collectFetched(one.getValue(), read);
    for (BlockArgument argument : read)
      pick(one, argument);
  }
}
