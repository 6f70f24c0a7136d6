//===- AttentionBlock.cpp - a block of keys ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The softmax of a block of keys, given that of the blocks before, between the
// two products. The second product of a block is deferred where it is work of
// the threads that do this: it is computed beside the softmax of the next one.
//
//===----------------------------------------------------------------------===//

#include "AttentionEmitter.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>
#include <numeric>

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

static constexpr double kLog2E = 1.4426950408889634;

/// The values of rows of scores as those of rows of `columns` columns.
Value AttentionProgram::emitValues(Value values, int64_t columns) {
  if (columns == shape.keys)
    return values;
  return ConvertLayoutOp::create(b, loc, values.getType(), values,
                                 getValuesLayout(shape.keys),
                                 getValuesLayout(columns));
}

/// The value of each row in all of `columns` columns.
Value AttentionProgram::emitBroadcast(Value values, int64_t columns) {
  return BroadcastOp::create(b, loc, tileType(columns, f32),
                             emitValues(values, columns), getLayout());
}

/// `scores` of the keys from `first` on, -infinity where a row does not see
/// the key.
Value AttentionProgram::emitMasked(Value scores, Value row, Value first) {
  Value minus = splat(scoresType, -std::numeric_limits<double>::infinity());
  auto places = VectorType::get(scoresType.getShape(), b.getIndexType());
  auto numbers = VectorType::get(scoresType.getShape(), b.getI32Type());
  auto emitPlaces = [&](Value start, Along along) -> Value {
    Value at =
        PositionsOp::create(b, loc, places, start,
                            AlongAttr::get(b.getContext(), along), getLayout());
    return arith::IndexCastOp::create(b, loc, numbers, at);
  };
  auto require = [&](arith::CmpIPredicate predicate, Value left, Value right) {
    Value sees = arith::CmpIOp::create(b, loc, predicate, left, right);
    scores = arith::SelectOp::create(b, loc, sees, scores, minus);
  };
  Value key = emitPlaces(first, Along::n);
  if (form.keys % shape.keys != 0 || ShapedType::isDynamic(form.keys))
    require(arith::CmpIPredicate::slt, key,
            vector::BroadcastOp::create(b, loc, numbers, keys));
  std::optional<int64_t> diagonal = form.diagonal;
  if (!diagonal)
    return scores;
  Value start = arith::AddIOp::create(b, loc, row, constant(*diagonal));
  Value last = emitPlaces(start, Along::m);
  require(arith::CmpIPredicate::sle, key, last);
  if (std::optional<int64_t> after = form.after) {
    start = arith::AddIOp::create(b, loc, row, constant(*after));
    require(arith::CmpIPredicate::sgt, key, emitPlaces(start, Along::m));
  }
  return scores;
}

/// The same, without work where all rows of the tile see all keys of the block.
Value AttentionProgram::emitMask(Value scores, Value row, Value first) {
  Value end = arith::AddIOp::create(b, loc, first, constant(shape.keys));
  Value hides;
  auto add = [&](arith::CmpIPredicate predicate, Value left, Value right) {
    Value other = arith::CmpIOp::create(b, loc, predicate, left, right);
    hides = hides ? arith::OrIOp::create(b, loc, hides, other) : other;
  };
  if (form.keys % shape.keys != 0 || ShapedType::isDynamic(form.keys))
    add(arith::CmpIPredicate::sgt, end, keys);
  if (std::optional<int64_t> diagonal = form.diagonal) {
    // The first row sees the fewest keys.
    Value seen = arith::AddIOp::create(b, loc, row, constant(*diagonal + 1));
    add(arith::CmpIPredicate::sgt, end, seen);
    if (std::optional<int64_t> after = form.after) {
      Value before =
          arith::AddIOp::create(b, loc, row, constant(*after + shape.rows - 1));
      add(arith::CmpIPredicate::sle, first, before);
    }
  }
  if (!hides)
    return scores;
  auto branch = scf::IfOp::create(
      b, loc, hides,
      [&](OpBuilder &, Location) {
        scf::YieldOp::create(b, loc, emitMasked(scores, row, first));
      },
      [&](OpBuilder &, Location) { scf::YieldOp::create(b, loc, scores); });
  return branch.getResult(0);
}

/// `acc` with the product of a block added where `accumulate` is set: a buffer,
/// or what a role has in registers.
Value AttentionProgram::emitMma(Value a, Value buffer, Value acc,
                                Value accumulate, const TileParts &parts) {
  TypeRange types;
  Type type = acc.getType();
  if (isa<VectorType>(type))
    types = TypeRange(type);
  auto mma = MmaOp::create(b, loc, types, a, buffer, acc, /*scale_a=*/Value(),
                           /*scale_b=*/Value(), /*metadata=*/Value(),
                           /*extent=*/Value(), accumulate,
                           /*over=*/AgentSetAttrInterface(), parts.multiply,
                           isInMemory() ? RegisterLayoutAttrInterface()
                                        : parts.registers,
                           /*role=*/StringAttr());
  return isInMemory() ? acc : mma.getResult();
}

double AttentionProgram::getUnit() const { return bias ? 1 : kLog2E; }

/// The largest score so far, of which `before` is that of the blocks before. It
/// may be smaller by what keeps weights finite: sums are rescaled less often.
Value AttentionProgram::emitLargest(Value before, Value block) {
  if (shape.slack == 0)
    return arith::MaxNumFOp::create(b, loc, before, block);
  Value most = arith::AddFOp::create(
      b, loc, before, splat(valuesType, shape.slack / kLog2E * getUnit()));
  Value grows =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, block, most);
  return arith::SelectOp::create(b, loc, grows, block, before);
}

/// `scores` of the keys from `first` on, scaled, with the bias. A few columns
/// at a time: registers have no room for another tile.
Value AttentionProgram::emitBias(const Part &part, Value scores, Value first) {
  constexpr int64_t kColumns = 32;
  const int64_t width = std::gcd(kColumns, shape.keys);
  const unsigned number = op.getNumberOfBias(), rank = op.getBatchRank();
  // Dimensions of one element are the same for all.
  auto isShared = [&](unsigned dim) { return op.getSizeOf(number, dim) == 1; };
  SmallVector<Value> places;
  for (auto [dim, index] : llvm::enumerate(indices))
    places.push_back(isShared(dim) ? constant(0) : index);
  AlongAttr along;
  if (isShared(rank)) {
    along = AlongAttr::get(b.getContext(), Along::n);
    places.push_back(constant(0));
  }
  auto isWhole = [](int64_t size, int64_t step) {
    return !ShapedType::isDynamic(size) && size % step == 0;
  };
  auto inside = b.getDenseBoolArrayAttr(
      {isWhole(form.queries, shape.rows), isWhole(form.keys, shape.keys)});
  Type element = op.getTypeOf(number).getElementType();
  VectorType type = tileType(width, f32);
  Value scale = splat(type, op.getScale().convertToFloat());
  for (int64_t column = 0; column < shape.keys; column += width) {
    Value at = arith::AddIOp::create(b, loc, first, constant(column));
    Value added =
        FetchOp::create(b, loc, tileType(width, element), bias, part.row, at,
                        places, along, inside, getLayout(), part.role);
    if (!element.isF32())
      added = arith::ExtFOp::create(b, loc, type, added);
    Value columns =
        ExtractColumnsOp::create(b, loc, type, scores, constant(column));
    columns = math::FmaOp::create(b, loc, columns, scale, added);
    scores = InsertColumnsOp::create(b, loc, columns, scores, constant(column));
  }
  return scores;
}

/// The softmax of the `scores` of the keys from `first` on.
AttentionProgram::Weights AttentionProgram::emitSoftmax(const Part &part,
                                                        const State &state,
                                                        Value scores,
                                                        Value first) {
  if (bias)
    scores = emitBias(part, scores, first);
  scores = emitMask(scores, part.row, first);
  // In units of log2: one instruction is the exponential then.
  double scale = op.getScale().convertToFloat() * kLog2E;
  Value block = ReduceOp::create(
      b, loc, valuesType, vector::CombiningKind::MAXNUMF, scores, getLayout());
  // Of scores times the scale, which is above 0.
  if (!bias)
    block = arith::MulFOp::create(b, loc, block, splat(valuesType, scale));
  Value largest = emitLargest(state.largest, block);
  // Rows that have seen no key yet subtract nothing.
  Value lowest = splat(valuesType, -std::numeric_limits<double>::infinity());
  Value none =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, largest, lowest);
  Value base =
      arith::SelectOp::create(b, loc, none, splat(valuesType, 0), largest);
  auto emitExp = [&](Value x) -> Value {
    if (bias)
      x = arith::MulFOp::create(b, loc, x,
                                splat(cast<VectorType>(x.getType()), kLog2E));
    return math::Exp2Op::create(b, loc, x, arith::FastMathFlags::afn);
  };
  Value minus = emitBroadcast(arith::NegFOp::create(b, loc, base), shape.keys);
  Value weights =
      bias
          ? arith::AddFOp::create(b, loc, scores, minus).getResult()
          : math::FmaOp::create(b, loc, scores, splat(scoresType, scale), minus)
                .getResult();
  weights = emitExp(weights);
  // By what was subtracted: weights of all blocks have the same factor.
  Value rescale = emitExp(arith::SubFOp::create(b, loc, state.largest, base));
  Value sum = ReduceOp::create(b, loc, valuesType, vector::CombiningKind::ADD,
                               weights, getLayout());
  Value total = math::FmaOp::create(b, loc, state.total, rescale, sum);
  Type element = op.getTypeOf(0).getElementType();
  weights =
      arith::TruncFOp::create(b, loc, tileType(shape.keys, element), weights);
  return {{largest, total, Value()}, rescale, weights};
}

/// Adds the product of `weights` and `values` to the sums in memory, if there
/// are `more` than those of this block.
void AttentionProgram::emitSums(const Part &part, const Weights &weights,
                                Value values, Value more) {
  auto type = cast<VectorType>(weights.weights.getType());
  Value operand =
      AllocOp::create(b, loc,
                      BufferType::get(type.getShape(), type.getElementType(),
                                      shape.scores.operand));
  WriteOp::create(b, loc, weights.weights, operand, constant(0), getLayout(),
                  part.role);
  scf::IfOp::create(b, loc, more, [&](OpBuilder &, Location) {
    Value factors = emitValues(weights.rescale, shape.outColumns);
    RescaleOp::create(b, loc, part.sums, factors, getLayout(), part.role);
    scf::YieldOp::create(b, loc);
  });
  emitMma(operand, values, part.sums, more, shape.sums);
}

/// One block of keys; `more` where there were others before.
SmallVector<AttentionProgram::State>
AttentionProgram::emitBlock(ArrayRef<Part> parts, Value block, Value more,
                            ArrayRef<State> states) {
  Type element = op.getTypeOf(0).getElementType();
  Value first = arith::MulIOp::create(b, loc, block, constant(shape.keys));
  Value keysTile = emitLoad(
      k, first, sharedIndices,
      BufferType::get({shape.keys, shape.columns}, element, shape.scores.b),
      uint64_t(shape.stages), shape.scores, /*transposed=*/false);
  SmallVector<Value> scores;
  for (const Part &part : parts) {
    Value acc = splat(scoresType, 0);
    if (isInMemory())
      acc = AllocOp::create(b, loc,
                            BufferType::get(scoresType.getShape(), f32,
                                            shape.scores.accumulator));
    scores.push_back(
        emitMma(part.tile, keysTile, acc, flag(false), shape.scores));
  }
  ResumeOp::create(b, loc);
  SmallVector<Weights> weights;
  for (auto [part, state, acc] : llvm::zip_equal(parts, states, scores)) {
    Value tile = acc;
    if (isInMemory())
      tile = ReadOp::create(b, loc, scoresType, acc, constant(0), flag(true),
                            getLayout(), part.role);
    weights.push_back(emitSoftmax(part, state, tile, first));
  }
  DeferOp::create(b, loc);

  Value valuesTile = emitLoad(
      v, first, sharedIndices,
      BufferType::get({shape.outColumns, shape.keys}, element, shape.sums.b),
      uint64_t(shape.stages), shape.sums, /*transposed=*/true);
  SmallVector<State> next;
  for (auto [part, state, each] : llvm::zip_equal(parts, states, weights)) {
    next.push_back(each.next);
    if (isInMemory()) {
      emitSums(part, each, valuesTile, more);
      continue;
    }
    Value sums = arith::MulFOp::create(
        b, loc, state.sums, emitBroadcast(each.rescale, shape.outColumns));
    next.back().sums =
        emitMma(each.weights, valuesTile, sums, flag(true), shape.sums);
  }
  return next;
}
