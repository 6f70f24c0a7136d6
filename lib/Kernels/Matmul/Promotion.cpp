//===- Promotion.cpp - sums of K-blocks in registers ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Factors that no matrix unit knows: the unit multiplies one K-block into an
// accumulator that starts from zero, threads read it, multiply it by the
// factors of the block and add it to sums that they hold.
//
//===----------------------------------------------------------------------===//

#include "TileProgram.h"

#include "tc/Schedule/MatmulConfig.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tc::tmm;

namespace {

/// Emits the promotion of one K-block.
class PromotionEmitter {
public:
  PromotionEmitter(OpBuilder &b, const TileProblem &problem,
                   const Promotion &block)
      : b(b), op(problem.op), loc(op.getLoc()), problem(problem), block(block),
        width(tc::schedule::getPromotedColumns(problem.config.getValues())),
        type(VectorType::get({problem.rows(), width}, b.getF32Type())) {}

  /// The factors of the rows.
  Value emitFactorsOfA() {
    return emitFetch(0, block.col, block.block, Along::m);
  }
  /// The factors of all columns: one, or where the tile may go on with those of
  /// the next columns of B, these too. None where each column has its own.
  SmallVector<Value> emitFactorsOfB() {
    SmallVector<Value> factors;
    if (isOneFactor() || areTwoFactors())
      factors.push_back(emitFactorsOfB(block.col));
    if (areTwoFactors())
      factors.push_back(emitFactorsOfB(arith::AddIOp::create(
          b, loc, block.col, constant(problem.tileN - 1))));
    return factors;
  }
  Value emit(Value product, Value sums);

private:
  Value constant(int64_t value) {
    return arith::ConstantIntOp::create(b, loc, b.getI32Type(), value);
  }
  Value emitFetch(unsigned number, Value col, ArrayRef<Value> last,
                  std::optional<Along> along);
  Value emitFactorsOfB(Value col);
  Value emitBlockOf(Value col);
  Value emitHere(Value column);
  /// Whether all columns of a tile have one factor of B, or two at most.
  bool isOneFactor() { return op.getColumnsOfScales() % problem.tileN == 0; }
  bool areTwoFactors() {
    int64_t columns = op.getColumnsOfScales();
    return !isOneFactor() && problem.tileN <= columns && columns % width == 0 &&
           problem.tileN % width == 0;
  }
  Value emitPart(Value product, Value column);

  OpBuilder &b;
  MatmulOp op;
  Location loc;
  const TileProblem &problem;
  const Promotion &block;
  /// Columns that are read at a time, and the tile that they are.
  int64_t width;
  VectorType type;
};

} // namespace

/// The factors of A (0) or B (1) whose indices end with `last`.
Value PromotionEmitter::emitFetch(unsigned number, Value col,
                                  ArrayRef<Value> last,
                                  std::optional<Along> along) {
  SmallVector<Value> indices = block.batch[number];
  llvm::append_range(indices, last);
  return FetchOp::create(
      b, loc, type, block.scales[number], block.row, col, indices,
      along ? AlongAttr::get(b.getContext(), *along) : AlongAttr(),
      b.getDenseBoolArrayAttr({false, false}), problem.parts.registers,
      /*role=*/StringAttr());
}

/// The factors of the columns of B from `col` on: one for all of them, or one
/// for each.
Value PromotionEmitter::emitFactorsOfB(Value col) {
  int64_t columns = op.getColumnsOfScales();
  if (columns == 1)
    return emitFetch(1, col, block.block, Along::n);
  return emitFetch(1, col, {block.block, emitBlockOf(col)}, std::nullopt);
}

/// The number of the factor of column `col`.
Value PromotionEmitter::emitBlockOf(Value col) {
  // A tile may go on after the last factor.
  Value last = arith::SubIOp::create(b, loc, block.n, constant(1));
  Value at = arith::MinUIOp::create(b, loc, col, last);
  return arith::DivUIOp::create(b, loc, at, constant(op.getColumnsOfScales()));
}

/// The factors of the columns of the tile from `column` on.
Value PromotionEmitter::emitHere(Value column) {
  if (block.ofB.size() == 1)
    return block.ofB.front();
  Value col = arith::AddIOp::create(b, loc, block.col, column);
  if (block.ofB.empty())
    return emitFactorsOfB(col);
  Value isFirst =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, emitBlockOf(col),
                            emitBlockOf(block.col));
  return arith::SelectOp::create(b, loc, isFirst, block.ofB[0], block.ofB[1]);
}

/// The columns of `product` from `column` on.
Value PromotionEmitter::emitPart(Value product, Value column) {
  if (!isa<BufferType>(product.getType()))
    return ExtractColumnsOp::create(b, loc, type, product, column);
  Value written = arith::ConstantIntOp::create(b, loc, b.getI1Type(), 1);
  return ReadOp::create(b, loc, type, product, column, written,
                        problem.parts.registers, /*role=*/StringAttr());
}

Value PromotionEmitter::emit(Value product, Value sums) {
  auto loop = scf::ForOp::create(
      b, loc, constant(0), constant(problem.tileN), constant(width), sums,
      [&](OpBuilder &, Location, Value column, ValueRange carried) {
        Value here = emitHere(column);
        Value part = emitPart(product, column);
        Value scale = arith::MulFOp::create(b, loc, block.ofA, here);
        Value old = ExtractColumnsOp::create(b, loc, type, carried[0], column);
        Value sum = math::FmaOp::create(b, loc, part, scale, old);
        Value next = InsertColumnsOp::create(b, loc, sum, carried[0], column);
        scf::YieldOp::create(b, loc, next);
      });
  return loop.getResult(0);
}

void tc::tmm::emitFactors(OpBuilder &builder, const TileProblem &problem,
                          Promotion &promotion) {
  PromotionEmitter emitter(builder, problem, promotion);
  promotion.ofA = emitter.emitFactorsOfA();
  promotion.ofB = emitter.emitFactorsOfB();
}

Value tc::tmm::emitPromotion(OpBuilder &builder, const TileProblem &problem,
                             const Promotion &promotion, Value product,
                             Value sums) {
  return PromotionEmitter(builder, problem, promotion).emit(product, sums);
}
