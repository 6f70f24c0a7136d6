//===- QuantizedMatmul.cpp - zero points ------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The matrix unit multiplies elements as they are. With zero points a and b,
//
//   sum (A - a) (B - b) = sum A B - a * sum B - b * sum A + K a b,
//
// where sum B is a number for each column and sum A one for each row, which
// plain kernels add up. Integers of 32 bits wrap around, so the order of the
// sums does not matter.
//
//===----------------------------------------------------------------------===//

#include "QuantizedMatmul.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tc;

namespace {

/// The parts that zero points add to a product.
class Corrections {
public:
  Corrections(PatternRewriter &rewriter, linalg::LinalgOp op)
      : b(rewriter), loc(op.getLoc()), op(op), maps(op.getIndexingMapsArray()) {
  }

  /// Sums of input `number` along K, of which `point` times as many are
  /// subtracted: nothing where the point is 0. The elements of an unsigned
  /// input are extended by zeros.
  void subtractSums(unsigned number, Value point, bool isUnsigned = false);
  /// K times both points.
  void addConstant(Value first, Value second);
  /// Applies them to `product`, the result, or null where it is in the output.
  Value apply(Value product);

private:
  bool isTensor() { return op.hasPureTensorSemantics(); }
  /// A tensor or a memref of i32 with the extents `sizes`.
  Value emitEmpty(ArrayRef<OpFoldResult> sizes);

  PatternRewriter &b;
  Location loc;
  linalg::LinalgOp op;
  SmallVector<AffineMap> maps;
  /// Sums, their indices in those of the result, and their factors.
  SmallVector<Value> sums, points;
  SmallVector<AffineMap> places;
  /// What multiplies to the constant.
  SmallVector<Value> factors;
};

/// Before:
///   linalg.quantized_matmul ins(%a, %b, %x, %y : ..., i32, i32) outs(%d)
/// After:
///   %rows = linalg.generic ins(%a) {sum along k}
///   %columns = linalg.generic ins(%b) {sum along k}
///   %p = linalg.matmul ins(%a, %b) outs(%d)
///   linalg.generic ins(%p, %columns, %rows) {p - x * column - y * row + K x y}
template <typename Quantized, typename Plain>
struct SplitZeroPoints : OpRewritePattern<Quantized> {
  using OpRewritePattern<Quantized>::OpRewritePattern;

  LogicalResult matchAndRewrite(Quantized op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() && !op.hasPureBufferSemantics())
      return rewriter.notifyMatchFailure(op, "tensors and memrefs are mixed");
    auto inputs = op.getInputs();
    Corrections corrections(rewriter, op);
    corrections.subtractSums(1, inputs[2]);
    corrections.subtractSums(0, inputs[3]);
    corrections.addConstant(inputs[2], inputs[3]);
    auto plain = Plain::create(rewriter, op.getLoc(), op->getResultTypes(),
                               inputs.take_front(2), op.getOutputs());
    Value result = corrections.apply(
        plain->getNumResults() ? plain->getResult(0) : Value());
    if (op->getNumResults())
      rewriter.replaceOp(op, result);
    else
      rewriter.eraseOp(op);
    return success();
  }
};

/// An input of a product in the body of an operation, extended to i32 and less
/// its zero point.
struct Factor {
  unsigned number;
  bool isUnsigned;
  /// Null where nothing is subtracted.
  Value point;
};

/// Before:
///   linalg.generic { %x = arith.extui %a, %y = arith.subi %x, %zero,
///       %z = arith.extsi %b, arith.muli %y, %z, arith.addi }
/// After:
///   linalg.generic { arith.extui %a, arith.extsi %b, arith.muli, arith.addi }
/// and the corrections of SplitZeroPoints.
struct SplitZeroPointsOfBody : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override;
};

} // namespace

/// What `value` of the body of `op` is outside of it: itself where it is a
/// constant, null where it is no scalar.
static Value findScalar(linalg::GenericOp op, Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && argument.getOwner() == op.getBody()) {
    OpOperand *operand = op.getMatchingOpOperand(argument);
    return op.isScalar(operand) ? operand->get() : Value();
  }
  Operation *definition = value.getDefiningOp();
  if (!definition || definition->getBlock() != op.getBody())
    return value;
  return definition->hasTrait<OpTrait::ConstantLike>() ? value : Value();
}

/// `value` as a factor of the body of `op`.
static std::optional<Factor> matchFactor(linalg::GenericOp op, Value value) {
  Factor factor = {0, false, Value()};
  if (auto difference = value.getDefiningOp<arith::SubIOp>()) {
    factor.point = findScalar(op, difference.getRhs());
    if (!factor.point)
      return std::nullopt;
    value = difference.getLhs();
  }
  Operation *extension = value.getDefiningOp();
  if (!isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(extension))
    return std::nullopt;
  factor.isUnsigned = isa<arith::ExtUIOp>(extension);
  auto argument = dyn_cast<BlockArgument>(extension->getOperand(0));
  if (!argument || argument.getOwner() != op.getBody() ||
      argument.getArgNumber() > 1)
    return std::nullopt;
  factor.number = argument.getArgNumber();
  return factor;
}

LogicalResult
SplitZeroPointsOfBody::matchAndRewrite(linalg::GenericOp op,
                                       PatternRewriter &rewriter) const {
  if (!op.hasPureTensorSemantics() && !op.hasPureBufferSemantics())
    return rewriter.notifyMatchFailure(op, "tensors and memrefs are mixed");
  unsigned inputs = op.getNumDpsInputs();
  Block *body = op.getBody();
  if (inputs < 2 || op.getNumDpsInits() != 1 ||
      llvm::any_of(
          op.getInputs().drop_front(2),
          [](Value v) { return isa<ShapedType>(v.getType()); }))
    return rewriter.notifyMatchFailure(op, "not of two matrices");
  auto sum =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::AddIOp>();
  if (!sum || !sum.getType().isInteger(32))
    return rewriter.notifyMatchFailure(op, "no sum in i32");
  Value output = body->getArgument(inputs);
  Value other = sum.getLhs() == output ? sum.getRhs() : sum.getLhs();
  auto product = other.getDefiningOp<arith::MulIOp>();
  if (!product || (sum.getLhs() != output && sum.getRhs() != output))
    return rewriter.notifyMatchFailure(op, "no product added to the output");
  std::optional<Factor> first = matchFactor(op, product.getLhs()),
                        second = matchFactor(op, product.getRhs());
  if (!first || !second || first->number == second->number ||
      (!first->point && !second->point))
    return rewriter.notifyMatchFailure(op, "no zero points");
  if (first->number == 1)
    std::swap(first, second);

  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps.erase(maps.begin() + 2, maps.begin() + inputs);
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(maps);
  if (failed(dims) || dims->k.empty() || (dims->m.empty() && dims->n.empty()) ||
      !llvm::all_of(maps,
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return rewriter.notifyMatchFailure(op, "not of matrices");
  // Sums over the inputs are along the loops that both have.
  if (dims->k.size() != op.getNumReductionLoops())
    return rewriter.notifyMatchFailure(op, "a sum over one input alone");
  rewriter.setInsertionPoint(op);
  auto plain = linalg::GenericOp::create(
      rewriter, op.getLoc(), op.getResultTypes(), op.getInputs().take_front(2),
      op.getOutputs(), maps, op.getIteratorTypesArray(),
      [&](OpBuilder &b, Location at, ValueRange args) {
        auto extend = [&](const Factor &factor) -> Value {
          Type i32 = b.getI32Type();
          if (factor.isUnsigned)
            return arith::ExtUIOp::create(b, at, i32, args[factor.number]);
          return arith::ExtSIOp::create(b, at, i32, args[factor.number]);
        };
        Value a = extend(*first), c = extend(*second);
        Value both = arith::MulIOp::create(b, at, a, c);
        Value next = arith::AddIOp::create(b, at, args[2], both);
        linalg::YieldOp::create(b, at, next);
      });
  Corrections corrections(rewriter, plain);
  auto pointOf = [&](const Factor &factor) -> Value {
    if (!factor.point)
      return arith::ConstantIntOp::create(rewriter, op.getLoc(), 0, 32);
    Operation *inside = factor.point.getDefiningOp();
    return inside && inside->getBlock() == body
               ? rewriter.clone(*inside)->getResult(0)
               : factor.point;
  };
  Value pointA = pointOf(*first), pointB = pointOf(*second);
  corrections.subtractSums(1, pointA, second->isUnsigned);
  corrections.subtractSums(0, pointB, first->isUnsigned);
  corrections.addConstant(pointA, pointB);
  Value result =
      corrections.apply(plain->getNumResults() ? plain->getResult(0) : Value());
  if (op->getNumResults())
    rewriter.replaceOp(op, result);
  else
    rewriter.eraseOp(op);
  return success();
}

Value Corrections::emitEmpty(ArrayRef<OpFoldResult> sizes) {
  if (isTensor())
    return tensor::EmptyOp::create(b, loc, sizes, b.getI32Type());
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamic;
  dispatchIndexOpFoldResults(sizes, dynamic, shape);
  return memref::AllocOp::create(b, loc, MemRefType::get(shape, b.getI32Type()),
                                 dynamic);
}

void Corrections::subtractSums(unsigned number, Value point, bool isUnsigned) {
  if (matchPattern(point, m_Zero()))
    return;
  Value input = op.getDpsInputs()[number];
  AffineMap map = maps[number];
  AffineMap result = maps.back();
  unsigned rank = map.getNumResults();
  // Of the input's own dimensions, those that the result has, too.
  SmallVector<utils::IteratorType> iterators;
  SmallVector<AffineExpr> kept, place;
  SmallVector<OpFoldResult> sizes;
  for (unsigned dim = 0; dim < rank; ++dim) {
    std::optional<unsigned> position =
        result.getResultPosition(map.getResult(dim));
    iterators.push_back(position ? utils::IteratorType::parallel
                                 : utils::IteratorType::reduction);
    if (!position)
      continue;
    kept.push_back(b.getAffineDimExpr(dim));
    place.push_back(b.getAffineDimExpr(*position));
    sizes.push_back(linalg::createFoldedDimOp(b, loc, input, dim));
  }
  Value zero = arith::ConstantIntOp::create(b, loc, 0, 32);
  Value empty = emitEmpty(sizes);
  auto fill = linalg::FillOp::create(b, loc, zero, empty);
  Value init = isTensor() ? fill.getResult(0) : empty;
  auto sum = linalg::GenericOp::create(
      b, loc, isTensor() ? TypeRange(init.getType()) : TypeRange(), input, init,
      ArrayRef{b.getMultiDimIdentityMap(rank),
               AffineMap::get(rank, 0, kept, b.getContext())},
      iterators, [&](OpBuilder &body, Location at, ValueRange args) {
        Type i32 = body.getI32Type();
        Value wide;
        if (isUnsigned)
          wide = arith::ExtUIOp::create(body, at, i32, args[0]);
        else
          wide = arith::ExtSIOp::create(body, at, i32, args[0]);
        Value next = arith::AddIOp::create(body, at, args[1], wide);
        linalg::YieldOp::create(body, at, next);
      });
  sums.push_back(isTensor() ? sum.getResult(0) : init);
  points.push_back(point);
  places.push_back(
      AffineMap::get(result.getNumResults(), 0, place, b.getContext()));
}

void Corrections::addConstant(Value first, Value second) {
  if (matchPattern(first, m_Zero()) || matchPattern(second, m_Zero()))
    return;
  // Along K are the dimensions of A that the result does not have.
  Value size;
  for (auto [dim, result] : llvm::enumerate(maps[0].getResults())) {
    if (maps.back().getResultPosition(result))
      continue;
    Value one = getValueOrCreateConstantIndexOp(
        b, loc, linalg::createFoldedDimOp(b, loc, op.getDpsInputs()[0], dim));
    size = size ? arith::MulIOp::create(b, loc, size, one).getResult() : one;
  }
  Value count = arith::IndexCastOp::create(b, loc, b.getI32Type(), size);
  factors = {count, first, second};
}

Value Corrections::apply(Value product) {
  if (sums.empty())
    return product;
  Value output = product ? product : op.getDpsInits()[0];
  unsigned rank = maps.back().getNumResults();
  SmallVector<AffineMap> indexing = places;
  indexing.push_back(b.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  auto corrected = linalg::GenericOp::create(
      b, loc, isTensor() ? TypeRange(output.getType()) : TypeRange(), sums,
      output, indexing, iterators,
      [&](OpBuilder &body, Location at, ValueRange args) {
        Value value = args.back();
        for (auto [sum, point] : llvm::zip_equal(args.drop_back(), points)) {
          Value part = arith::MulIOp::create(body, at, sum, point);
          value = arith::SubIOp::create(body, at, value, part);
        }
        // Here, as a description has no arithmetic on arguments.
        if (!factors.empty()) {
          Value constant = factors.front();
          for (Value factor : ArrayRef(factors).drop_front())
            constant = body.createOrFold<arith::MulIOp>(at, constant, factor);
          value = arith::AddIOp::create(body, at, value, constant);
        }
        linalg::YieldOp::create(body, at, value);
      });
  return isTensor() ? corrected.getResult(0) : Value();
}

void tc::populateQuantizedMatmulPatterns(RewritePatternSet &patterns) {
  patterns.add<
      SplitZeroPointsOfBody,
      SplitZeroPoints<linalg::QuantizedMatmulOp, linalg::MatmulOp>,
      SplitZeroPoints<linalg::QuantizedBatchMatmulOp, linalg::BatchMatmulOp>>(
      patterns.getContext());
}
