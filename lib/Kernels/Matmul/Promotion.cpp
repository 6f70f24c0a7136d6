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

  Value emit(Value product, Value sums);

private:
  Value constant(int64_t value) {
    return arith::ConstantIntOp::create(b, loc, b.getI32Type(), value);
  }
  Value emitFetch(unsigned number, Value col, ArrayRef<Value> last,
                  std::optional<Along> along);
  Value emitFactorsOfB(Value col);
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
  // A tile may go on after the last factor.
  Value last = arith::SubIOp::create(b, loc, block.n, constant(1));
  Value at = arith::MinUIOp::create(b, loc, col, last);
  at = arith::DivUIOp::create(b, loc, at, constant(columns));
  return emitFetch(1, col, {block.block, at}, std::nullopt);
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
  // Before the product is read: the loads are on their way while it comes.
  Value ofA = emitFetch(0, block.col, block.block, Along::m), ofB;
  if (op.getColumnsOfScales() % problem.tileN == 0)
    ofB = emitFactorsOfB(block.col);
  auto loop = scf::ForOp::create(
      b, loc, constant(0), constant(problem.tileN), constant(width), sums,
      [&](OpBuilder &, Location, Value column, ValueRange carried) {
        Value here = ofB;
        if (!here)
          here =
              emitFactorsOfB(arith::AddIOp::create(b, loc, block.col, column));
        Value part = emitPart(product, column);
        Value scale = arith::MulFOp::create(b, loc, ofA, here);
        Value old = ExtractColumnsOp::create(b, loc, type, carried[0], column);
        Value sum = math::FmaOp::create(b, loc, part, scale, old);
        Value next = InsertColumnsOp::create(b, loc, sum, carried[0], column);
        scf::YieldOp::create(b, loc, next);
      });
  return loop.getResult(0);
}

Value tc::tmm::emitPromotion(OpBuilder &builder, const TileProblem &problem,
                             const Promotion &promotion, Value product,
                             Value sums) {
  return PromotionEmitter(builder, problem, promotion).emit(product, sums);
}
