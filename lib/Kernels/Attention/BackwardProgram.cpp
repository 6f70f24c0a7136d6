//===- BackwardProgram.cpp - the kernels of the gradients -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile has rows of Q and its gradient, or of K and V, and goes through blocks
// of the others. A block is two products that give S and dP, or their
// transposes, and one or two whose A these are, from registers, and whose B is
// the block that is there, read along its other dimension.
//
//===----------------------------------------------------------------------===//

#include "BackwardProgram.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

static constexpr double kBitsOfE = 1.4426950408889634;

namespace {

/// What both kernels have in common. Tiles of rows are X, of blocks Y.
class BackwardProgram : public AttentionGrid {
public:
  BackwardProgram(OpBuilder &b, AttentionBackwardOp op,
                  const BackwardForm &form, gpu::GPUFuncOp kernel,
                  ArrayRef<StringRef> names);

protected:
  /// Two tiles of the same rows, of Q and its gradient or of K and V.
  struct Pair {
    Value scores, products;
  };
  /// The logarithms of sums, in units of log2, and delta, both negative, of
  /// each row of Q: tiles of scores.
  struct RowFacts {
    Value lse, delta;
  };

  std::pair<int64_t, int64_t> getExtents() const override {
    return {shape.columns, shape.block};
  }
  VectorType tileType(int64_t columns, Type type) {
    return VectorType::get({shape.rows, columns}, type);
  }
  RegisterLayoutAttrInterface getLayout() { return shape.scores.registers; }

  Pair emitPair(Value scores, Value products, Value at, ArrayRef<Value> places,
                bool isBlock);
  Value emitMma(Value a, Value tile, Value acc, const TileParts &parts,
                Value accumulate, bool transposed);
  std::pair<Value, Value> emitScores(const Pair &rows, const Pair &block,
                                     Value delta);
  Value emitRead(Value scores);
  Value emitDifference(Value weights, Value products, Value delta);
  Value emitSums(int64_t columns, const TileParts &parts);
  SmallVector<Value>
  emitLoop(Value steps, ArrayRef<Value> sums,
           function_ref<SmallVector<Value>(Value, Value, ValueRange)> body);
  Value emitWeights(Value scores, Value lse);
  Value emitOperand(Value tile);
  Value emitFact(Value source, Value row, Value col, ArrayRef<Value> places,
                 bool isAlongRows);
  RowFacts emitFacts(Value row, Value col, ArrayRef<Value> places,
                     bool isAlongRows);
  Value emitMask(Value weights, Value query, Value key, bool isOfKeys);
  Value emitMasked(Value weights, Value query, Value key, bool isOfKeys);
  void emitGradient(Value sums, Value steps, double scale, Value target,
                    Value row, int64_t columns, const TileParts &parts);

  AttentionBackwardOp op;
  const BackwardShape &shape;
  Value q, k, v, grad, lse, delta;
  Type element;
  /// A tile of scores.
  VectorType scoresType;
};

/// Tiles of queries, blocks of keys.
class QueryGradient : public BackwardProgram {
public:
  QueryGradient(OpBuilder &b, AttentionBackwardOp op, const BackwardForm &form,
                gpu::GPUFuncOp kernel)
      : BackwardProgram(b, op, form, kernel,
                        {"q", "k", "v", "grad", "lse", "delta", "dq"}) {}

protected:
  void emitBatch() override { emitSharedIndices(); }
  void emitTile(Value row) override;
};

/// Tiles of keys, blocks of queries.
class KeyGradients : public BackwardProgram {
public:
  KeyGradients(OpBuilder &b, AttentionBackwardOp op, const BackwardForm &form,
               gpu::GPUFuncOp kernel)
      : BackwardProgram(b, op, form, kernel,
                        {"q", "k", "v", "grad", "lse", "delta", "dk", "dv"}) {}

protected:
  Value getRows() override { return keys; }
  // The last keys are those that the fewest queries see.
  bool hasMostLast() const override { return false; }
  void emitTile(Value row) override;

private:
  std::pair<Value, Value> emitQueryBlocks(Value row);
  SmallVector<Value> emitHead(Value number);
};

} // namespace

BackwardProgram::BackwardProgram(OpBuilder &b, AttentionBackwardOp op,
                                 const BackwardForm &form,
                                 gpu::GPUFuncOp kernel,
                                 ArrayRef<StringRef> names)
    : AttentionGrid(b, op.getLoc(), form.shape, form, kernel, names), op(op),
      shape(form.shape), q(matrices[0]), k(matrices[1]), v(matrices[2]),
      grad(matrices[3]), lse(matrices[4]), delta(matrices[5]),
      element(AttentionBackwardOp::getTypeOf(op.getQ()).getElementType()) {
  scoresType = tileType(shape.block, f32);
}

/// Loads the rows from `at` on, or the block, of two matrices in the batch
/// `places`.
BackwardProgram::Pair BackwardProgram::emitPair(Value scores, Value products,
                                                Value at,
                                                ArrayRef<Value> places,
                                                bool isBlock) {
  int64_t rows = isBlock ? shape.block : shape.rows;
  auto load = [&](Value source, int64_t columns, const TileParts &parts) {
    auto type =
        BufferType::get({rows, columns}, element, isBlock ? parts.b : parts.a);
    return emitLoad(source, at, places, type,
                    isBlock ? uint64_t(shape.stages) : uint64_t(1), parts,
                    /*transposed=*/false);
  };
  return {load(scores, shape.columns, shape.scores),
          load(products, shape.outColumns, shape.products)};
}

/// `acc` with a product added, to zeros where `accumulate` is not set: a
/// buffer, or what the role that multiplies has in registers.
Value BackwardProgram::emitMma(Value a, Value tile, Value acc,
                               const TileParts &parts, Value accumulate,
                               bool transposed) {
  TypeRange types;
  Type type = acc.getType();
  if (!isInMemory())
    types = TypeRange(type);
  auto mma = MmaOp::create(
      b, loc, types, a, tile, acc, /*scale_a=*/Value(), /*scale_b=*/Value(),
      /*metadata=*/Value(), /*extent=*/Value(), accumulate,
      /*over=*/AgentSetAttrInterface(), parts.multiply,
      isInMemory() ? RegisterLayoutAttrInterface() : parts.registers,
      /*role=*/StringAttr(), transposed ? b.getUnitAttr() : UnitAttr());
  return isInMemory() ? acc : mma.getResult();
}

/// S and dP, or their transposes. In registers the second product starts from
/// `delta`, which is negative: it has no registers of its own meanwhile.
std::pair<Value, Value>
BackwardProgram::emitScores(const Pair &rows, const Pair &block, Value delta) {
  auto emitStart = [&](Value inRegisters) -> Value {
    if (!isInMemory())
      return inRegisters;
    return AllocOp::create(
        b, loc,
        BufferType::get(scoresType.getShape(), f32, shape.scores.accumulator));
  };
  Value scores =
      emitMma(rows.scores, block.scores, emitStart(splat(scoresType, 0)),
              shape.scores, flag(false), /*transposed=*/false);
  Value products =
      emitMma(rows.products, block.products, emitStart(delta), shape.products,
              flag(!isInMemory()), /*transposed=*/false);
  return {scores, products};
}

/// What a product gave, in registers.
Value BackwardProgram::emitRead(Value scores) {
  if (!isInMemory())
    return scores;
  return ReadOp::create(b, loc, scoresType, scores, constant(0), flag(true),
                        getLayout(), /*role=*/StringAttr());
}

/// dS; `delta` is negative, and in products that are in registers.
Value BackwardProgram::emitDifference(Value weights, Value products,
                                      Value delta) {
  products = emitRead(products);
  if (isInMemory())
    products = arith::AddFOp::create(b, loc, products, delta);
  return arith::MulFOp::create(b, loc, weights, products);
}

/// Sums of a tile with `columns`: zeros, or a buffer.
Value BackwardProgram::emitSums(int64_t columns, const TileParts &parts) {
  if (!isInMemory())
    return splat(tileType(columns, f32), 0);
  return AllocOp::create(
      b, loc, BufferType::get({shape.rows, columns}, f32, parts.accumulator));
}

/// A loop of `steps` over blocks: `body` adds to sums, which the loop carries
/// where they are in registers, whether there are others before, and returns
/// them.
SmallVector<Value> BackwardProgram::emitLoop(
    Value steps, ArrayRef<Value> sums,
    function_ref<SmallVector<Value>(Value, Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(
      b, loc, constant(0), steps, constant(1),
      isInMemory() ? ValueRange() : ValueRange(sums),
      [&](OpBuilder &, Location, Value number, ValueRange carried) {
        Value more = flag(true);
        if (isInMemory())
          more = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, number,
                                       constant(0));
        SmallVector<Value> next =
            body(number, more, isInMemory() ? ValueRange(sums) : carried);
        scf::YieldOp::create(b, loc,
                             isInMemory() ? ValueRange() : ValueRange(next));
      });
  if (isInMemory())
    return SmallVector<Value>(sums);
  return SmallVector<Value>(loop.getResults());
}

/// P: the logarithm of the sum is subtracted instead of dividing by the sum.
Value BackwardProgram::emitWeights(Value scores, Value lse) {
  // In units of log2: one instruction is the exponential then.
  double scale = op.getScale().convertToFloat() * kBitsOfE;
  Value power =
      math::FmaOp::create(b, loc, scores, splat(scoresType, scale), lse);
  return math::Exp2Op::create(b, loc, power, arith::FastMathFlags::afn);
}

/// `tile`, rounded, as an operand of a product.
Value BackwardProgram::emitOperand(Value tile) {
  VectorType type = tileType(shape.block, element);
  Value operand = arith::TruncFOp::create(b, loc, type, tile);
  if (!isInMemory())
    return operand;
  Value buffer = AllocOp::create(
      b, loc, BufferType::get(type.getShape(), element, shape.scores.operand));
  WriteOp::create(b, loc, operand, buffer, constant(0), getLayout(),
                  /*role=*/StringAttr());
  return buffer;
}

/// Numbers of `source`, one for each row of Q, as a tile of scores: those of
/// rows of the tile from `row` on, or of its columns from `col` on.
Value BackwardProgram::emitFact(Value source, Value row, Value col,
                                ArrayRef<Value> places, bool isAlongRows) {
  int64_t size = isAlongRows ? shape.rows : shape.block;
  bool isInside =
      !ShapedType::isDynamic(form.queries) && form.queries % size == 0;
  auto along =
      AlongAttr::get(b.getContext(), isAlongRows ? Along::m : Along::n);
  return FetchOp::create(b, loc, scoresType, source, row, col, places, along,
                         b.getDenseBoolArrayAttr({isInside, isInside}),
                         getLayout(), /*role=*/StringAttr());
}

BackwardProgram::RowFacts BackwardProgram::emitFacts(Value row, Value col,
                                                     ArrayRef<Value> places,
                                                     bool isAlongRows) {
  Value sums = emitFact(lse, row, col, places, isAlongRows);
  sums = arith::MulFOp::create(b, loc, sums, splat(scoresType, -kBitsOfE));
  Value negative = emitFact(delta, row, col, places, isAlongRows);
  return {sums, arith::NegFOp::create(b, loc, negative)};
}

/// `weights` of the queries from `query` on and the keys from `key` on, 0 where
/// a query does not see a key.
Value BackwardProgram::emitMasked(Value weights, Value query, Value key,
                                  bool isOfKeys) {
  Value zeros = splat(scoresType, 0);
  auto places = VectorType::get(scoresType.getShape(), b.getIndexType());
  auto numbers = VectorType::get(scoresType.getShape(), b.getI32Type());
  auto emitPlaces = [&](Value start, bool isKey) -> Value {
    auto along =
        AlongAttr::get(b.getContext(), isKey == isOfKeys ? Along::m : Along::n);
    Value at = PositionsOp::create(b, loc, places, start, along, getLayout());
    return arith::IndexCastOp::create(b, loc, numbers, at);
  };
  auto require = [&](arith::CmpIPredicate predicate, Value left, Value right) {
    Value sees = arith::CmpIOp::create(b, loc, predicate, left, right);
    weights = arith::SelectOp::create(b, loc, sees, weights, zeros);
  };
  Value places0 = emitPlaces(key, /*isKey=*/true);
  if (!isOfKeys &&
      (form.keys % shape.block != 0 || ShapedType::isDynamic(form.keys)))
    require(arith::CmpIPredicate::slt, places0,
            vector::BroadcastOp::create(b, loc, numbers, keys));
  if (std::optional<int64_t> diagonal = form.diagonal) {
    Value last = arith::AddIOp::create(b, loc, query, constant(*diagonal));
    require(arith::CmpIPredicate::sle, places0,
            emitPlaces(last, /*isKey=*/false));
  }
  if (std::optional<int64_t> after = form.after) {
    Value before = arith::AddIOp::create(b, loc, query, constant(*after));
    require(arith::CmpIPredicate::sgt, places0,
            emitPlaces(before, /*isKey=*/false));
  }
  return weights;
}

/// The same, without work where all queries of the block see all its keys.
/// Queries that do not exist have a gradient of zeros.
Value BackwardProgram::emitMask(Value weights, Value query, Value key,
                                bool isOfKeys) {
  int64_t queriesOfBlock = isOfKeys ? shape.block : shape.rows,
          keysOfBlock = isOfKeys ? shape.rows : shape.block;
  Value end = arith::AddIOp::create(b, loc, key, constant(keysOfBlock));
  Value hides;
  auto add = [&](arith::CmpIPredicate predicate, Value left, Value right) {
    Value other = arith::CmpIOp::create(b, loc, predicate, left, right);
    hides = hides ? arith::OrIOp::create(b, loc, hides, other) : other;
  };
  if (!isOfKeys &&
      (form.keys % shape.block != 0 || ShapedType::isDynamic(form.keys)))
    add(arith::CmpIPredicate::sgt, end, keys);
  if (std::optional<int64_t> diagonal = form.diagonal) {
    // The first query sees the fewest keys.
    Value seen = arith::AddIOp::create(b, loc, query, constant(*diagonal + 1));
    add(arith::CmpIPredicate::sgt, end, seen);
  }
  if (std::optional<int64_t> after = form.after) {
    Value before = arith::AddIOp::create(b, loc, query,
                                         constant(*after + queriesOfBlock - 1));
    add(arith::CmpIPredicate::sle, key, before);
  }
  if (!hides)
    return weights;
  auto branch = scf::IfOp::create(
      b, loc, hides,
      [&](OpBuilder &, Location) {
        scf::YieldOp::create(b, loc, emitMasked(weights, query, key, isOfKeys));
      },
      [&](OpBuilder &, Location) { scf::YieldOp::create(b, loc, weights); });
  return branch.getResult(0);
}

/// Stores `scale` times `sums` of as many blocks as `steps` to the rows of
/// `target` from `row` on.
void BackwardProgram::emitGradient(Value sums, Value steps, double scale,
                                   Value target, Value row, int64_t columns,
                                   const TileParts &parts) {
  int64_t stored = getStoredColumns(columns);
  VectorType type = tileType(stored, f32), whole = tileType(columns, f32);
  Value written;
  if (isInMemory())
    written = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, steps,
                                    constant(0));
  else if (scale != 1)
    sums = arith::MulFOp::create(b, loc, sums, splat(whole, scale));
  scf::ForOp::create(
      b, loc, constant(0), constant(columns), constant(stored), ValueRange(),
      [&](OpBuilder &, Location, Value column, ValueRange) {
        Value tile;
        if (isInMemory()) {
          tile = ReadOp::create(b, loc, type, sums, column, written,
                                getLayout(), /*role=*/StringAttr());
          if (scale != 1)
            tile = arith::MulFOp::create(b, loc, tile, splat(type, scale));
        } else {
          tile = ExtractColumnsOp::create(b, loc, type, sums, column);
        }
        VectorType out = tileType(stored, op.getOutType());
        if (tile.getType() != out)
          tile = arith::TruncFOp::create(b, loc, out, tile);
        Value buffer = AllocOp::create(b, loc,
                                       BufferType::get(out.getShape(),
                                                       out.getElementType(),
                                                       parts.staging));
        StageOp::create(b, loc, tile, buffer, getLayout(),
                        /*role=*/StringAttr());
        UnloadOp::create(b, loc, buffer, target, row, column, indices,
                         parts.store, /*role=*/StringAttr());
        scf::YieldOp::create(b, loc);
      });
}

void QueryGradient::emitTile(Value row) {
  Value first, blocks;
  std::tie(first, blocks) = emitKeyBlocks(row, shape.block);
  Pair own = emitPair(q, grad, row, indices, /*isBlock=*/false);
  RowFacts facts = emitFacts(row, constant(0), indices, /*isAlongRows=*/true);
  auto emitBlock = [&](Value number, Value more,
                       ValueRange sums) -> SmallVector<Value> {
    Value block = arith::AddIOp::create(b, loc, first, number);
    Value key = arith::MulIOp::create(b, loc, block, constant(shape.block));
    Pair read = emitPair(k, v, key, sharedIndices, /*isBlock=*/true);
    auto [scores, products] = emitScores(own, read, facts.delta);
    Value weights = emitWeights(emitRead(scores), facts.lse);
    weights = emitMask(weights, row, key, /*isOfKeys=*/false);
    Value operand = emitOperand(emitDifference(weights, products, facts.delta));
    return {emitMma(operand, read.scores, sums[0], shape.byQ, more,
                    /*transposed=*/true)};
  };
  Value sums = emitSums(shape.columns, shape.byQ);
  sums = emitLoop(blocks, sums, emitBlock).front();
  emitAnswer();
  emitGradient(sums, blocks, op.getScale().convertToFloat(), matrices[6], row,
               shape.columns, shape.byQ);
}

/// The first block of queries that see keys of the tile from `row` on, and how
/// many.
std::pair<Value, Value> KeyGradients::emitQueryBlocks(Value row) {
  Value zero = constant(0), block = constant(shape.block);
  Value first = zero, end = queries;
  Value least = b.createOrFold<arith::MinUIOp>(loc, queries, constant(1));
  if (std::optional<int64_t> diagonal = form.diagonal) {
    // The first key is seen by the most queries, the last one by those after
    // others.
    first = arith::SubIOp::create(b, loc, row, constant(*diagonal));
    first = arith::MaxSIOp::create(b, loc, first, zero);
    first = arith::DivUIOp::create(b, loc, first, block);
    // A tile that no query sees reads a block that is there.
    Value last = b.createOrFold<arith::SubIOp>(loc, queries, least);
    last = b.createOrFold<arith::DivUIOp>(loc, last, block);
    first = arith::MinSIOp::create(b, loc, first, last);
  }
  if (std::optional<int64_t> after = form.after) {
    Value last = arith::AddIOp::create(b, loc, row,
                                       constant(shape.getRows() - 1 - *after));
    end = arith::MaxSIOp::create(
        b, loc, arith::MinSIOp::create(b, loc, queries, last), zero);
  }
  Value count = b.createOrFold<arith::CeilDivUIOp>(loc, end, block);
  count = arith::SubIOp::create(b, loc, count, first);
  // It hides all of that block: there are rows to write.
  return {first, b.createOrFold<arith::MaxSIOp>(loc, count, least)};
}

/// The indices of the batch of Q of head `number` of those that share the tile.
SmallVector<Value> KeyGradients::emitHead(Value number) {
  SmallVector<Value> places(indices);
  for (unsigned dim = places.size(); dim-- > 0;) {
    Value first = b.createOrFold<arith::MulIOp>(loc, indices[dim], shares[dim]);
    Value at = number;
    if (dim != 0) {
      at = b.createOrFold<arith::RemUIOp>(loc, number, shares[dim]);
      number = b.createOrFold<arith::DivUIOp>(loc, number, shares[dim]);
    }
    places[dim] = b.createOrFold<arith::AddIOp>(loc, first, at);
  }
  return places;
}

void KeyGradients::emitTile(Value row) {
  Value first, blocks;
  std::tie(first, blocks) = emitQueryBlocks(row);
  Pair own = emitPair(k, v, row, indices, /*isBlock=*/false);
  Value heads = constant(1);
  for (Value share : shares)
    heads = b.createOrFold<arith::MulIOp>(loc, heads, share);
  // The blocks of all heads, one after the other.
  Value steps = b.createOrFold<arith::MulIOp>(loc, heads, blocks);
  bool isShared = getConstantIntValue(heads) != 1;
  auto emitBlock = [&](Value number, Value more,
                       ValueRange sums) -> SmallVector<Value> {
    SmallVector<Value> places(indices);
    if (isShared) {
      places = emitHead(arith::DivUIOp::create(b, loc, number, blocks));
      number = arith::RemUIOp::create(b, loc, number, blocks);
    }
    Value block = arith::AddIOp::create(b, loc, first, number);
    Value query = arith::MulIOp::create(b, loc, block, constant(shape.block));
    Pair read = emitPair(q, grad, query, places, /*isBlock=*/true);
    // They are on their way while the block is waited for.
    RowFacts facts =
        emitFacts(constant(0), query, places, /*isAlongRows=*/false);
    auto [scores, products] = emitScores(own, read, facts.delta);
    Value weights = emitWeights(emitRead(scores), facts.lse);
    weights = emitMask(weights, query, row, /*isOfKeys=*/true);
    Value dv = emitMma(emitOperand(weights), read.products, sums[1], shape.byV,
                       more, /*transposed=*/true);
    Value operand = emitOperand(emitDifference(weights, products, facts.delta));
    Value dk = emitMma(operand, read.scores, sums[0], shape.byQ, more,
                       /*transposed=*/true);
    return {dk, dv};
  };
  SmallVector<Value> sums = {emitSums(shape.columns, shape.byQ),
                             emitSums(shape.outColumns, shape.byV)};
  sums = emitLoop(steps, sums, emitBlock);
  emitAnswer();
  emitGradient(sums[0], steps, op.getScale().convertToFloat(), matrices[6], row,
               shape.columns, shape.byQ);
  emitGradient(sums[1], steps, /*scale=*/1, matrices[7], row, shape.outColumns,
               shape.byV);
}

void tc::tmm::emitBackwardProgram(OpBuilder &builder, AttentionBackwardOp op,
                                  const BackwardForm &form,
                                  gpu::GPUFuncOp kernel) {
  if (op.getDk())
    KeyGradients(builder, op, form, kernel).emit();
  else
    QueryGradient(builder, op, form, kernel).emit();
}
