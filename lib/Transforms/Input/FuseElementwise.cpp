//===- FuseElementwise.cpp - as few plain kernels as can be -----*- C++ -*-===//
//-*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The patterns of upstream's pass of the same purpose, with a condition of our
// own.
//
//===----------------------------------------------------------------------===//

#include "tc/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tc {
#define GEN_PASS_DEF_FUSEELEMENTWISEPASS
#include "tc/Transforms/Passes.h.inc"
} // namespace tc

using namespace mlir;

namespace {

struct FuseElementwisePass
    : tc::impl::FuseElementwisePassBase<FuseElementwisePass> {
  void runOnOperation() override;
};

/// Integers that are computed of positions alone are computed where they are
/// read, by any number of operations, after new dimensions of 1, too. Floats
/// (tables of cosines) are not: they are read more often than they are made.
struct PositionsInPlace : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override;
};

/// That all elements of a row are -infinity is that its largest is, where that
/// is computed, too: torch makes rows without keys 0 so.
struct EmptyRows : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override;
};

} // namespace

/// The operation that `value` is of, if it reads no tensor; `positions` are the
/// numbers of the dimensions of `value` that are its loops, -1 for one of 1.
static linalg::GenericOp findPositions(Value value,
                                       SmallVectorImpl<int64_t> &positions) {
  auto expand = value.getDefiningOp<tensor::ExpandShapeOp>();
  auto op =
      (expand ? expand.getSrc() : value).getDefiningOp<linalg::GenericOp>();
  if (!op || op.getNumDpsInputs() != 0 || op->getNumResults() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops() ||
      !op.getIndexingMapsArray()[0].isIdentity() ||
      !op.getBody()->getArgument(0).use_empty() ||
      !llvm::all_of(op.getBody()->without_terminator(), [](Operation &inner) {
        return llvm::all_of(inner.getResultTypes(),
                            [](Type type) { return type.isIntOrIndex(); });
      }))
    return nullptr;
  if (!expand) {
    llvm::append_range(positions, llvm::seq<int64_t>(op.getNumLoops()));
    return op;
  }
  ArrayRef<int64_t> shape = expand.getResultType().getShape();
  for (const ReassociationIndices &group : expand.getReassociationIndices()) {
    int64_t &position = positions.emplace_back(-1);
    for (int64_t dim : group) {
      if (shape[dim] == 1)
        continue;
      if (position != -1)
        return nullptr;
      position = dim;
    }
  }
  return op;
}

LogicalResult
PositionsInPlace::matchAndRewrite(linalg::GenericOp op,
                                  PatternRewriter &rewriter) const {
  if (!op.hasPureTensorSemantics())
    return rewriter.notifyMatchFailure(op, "not on tensors");
  for (OpOperand *input : op.getDpsInputOperands()) {
    SmallVector<int64_t> positions;
    linalg::GenericOp source = findPositions(input->get(), positions);
    BlockArgument argument = op.getMatchingBlockArgument(input);
    if (!source || argument.use_empty())
      continue;
    AffineMap map = op.getMatchingIndexingMap(input);
    SmallVector<AffineExpr> places;
    for (int64_t position : positions)
      places.push_back(position == -1 ? rewriter.getAffineConstantExpr(0)
                                      : map.getResult(position));
    if (!llvm::all_of(places, [](AffineExpr place) {
          return isa<AffineDimExpr>(place) ||
                 place == getAffineConstantExpr(0, place.getContext());
        }))
      continue;
    rewriter.setInsertionPointToStart(op.getBody());
    IRMapping mapping;
    for (Operation &inner : source.getBody()->without_terminator()) {
      auto index = dyn_cast<linalg::IndexOp>(inner);
      if (!index) {
        rewriter.clone(inner, mapping);
        continue;
      }
      auto dim = dyn_cast<AffineDimExpr>(places[index.getDim()]);
      Value place =
          dim ? Value(linalg::IndexOp::create(rewriter, inner.getLoc(),
                                              dim.getPosition()))
              : arith::ConstantIndexOp::create(rewriter, inner.getLoc(), 0);
      mapping.map(index.getResult(), place);
    }
    Value yielded = source.getBody()->getTerminator()->getOperand(0);
    rewriter.replaceAllUsesWith(argument, mapping.lookupOrDefault(yielded));
    return success();
  }
  return rewriter.notifyMatchFailure(op, "reads no positions");
}

static bool isNumber(Value value, bool (*holds)(const APFloat &)) {
  FloatAttr attr;
  return matchPattern(value, m_Constant(&attr)) && holds(attr.getValue());
}

static bool isLowest(const APFloat &number) {
  return number.isInfinity() && number.isNegative();
}

/// What combines the elements of a row of the only input of `op`, if it is a
/// reduction along one dimension.
static Operation *matchRowReduction(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInputs() != 1 ||
      op->getNumResults() != 1 || op.getNumReductionLoops() != 1 ||
      !op.getIndexingMapsArray()[0].isIdentity())
    return nullptr;
  return op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
}

LogicalResult EmptyRows::matchAndRewrite(linalg::GenericOp op,
                                         PatternRewriter &rewriter) const {
  auto all = dyn_cast_or_null<arith::AndIOp>(matchRowReduction(op));
  if (!all)
    return rewriter.notifyMatchFailure(op, "not of all elements");
  auto init = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  Block *body = op.getBody();
  if (!init || !matchPattern(init.getInputs()[0], m_One()) ||
      !llvm::is_contained(all->getOperands(), body->getArgument(1)))
    return rewriter.notifyMatchFailure(op, "not of all elements");
  Value each =
      all.getLhs() == body->getArgument(1) ? all.getRhs() : all.getLhs();
  auto compare = each.getDefiningOp<arith::CmpFOp>();
  if (!compare || compare.getPredicate() != arith::CmpFPredicate::OEQ ||
      !isNumber(compare.getRhs(), isLowest))
    return rewriter.notifyMatchFailure(op, "not that they are -infinity");
  Value compared = compare.getLhs();
  while (auto wide = compared.getDefiningOp<arith::ExtFOp>())
    compared = wide.getIn();
  if (compared != body->getArgument(0))
    return rewriter.notifyMatchFailure(op, "not of the elements themselves");

  Value source = op.getDpsInputs()[0];
  linalg::GenericOp largest;
  for (Operation *user : source.getUsers()) {
    auto other = dyn_cast<linalg::GenericOp>(user);
    auto fill = other && other->getNumResults() == 1
                    ? other.getDpsInits()[0].getDefiningOp<linalg::FillOp>()
                    : nullptr;
    if (!fill || other->getBlock() != op->getBlock() ||
        !other->isBeforeInBlock(op) ||
        !isa_and_nonnull<arith::MaximumFOp>(matchRowReduction(other)) ||
        other.getIteratorTypesArray() != op.getIteratorTypesArray() ||
        !isNumber(fill.getInputs()[0], isLowest))
      continue;
    Operation *maximum = matchRowReduction(other);
    if (llvm::all_of(other.getBody()->getArguments(), [&](Value argument) {
          return llvm::is_contained(maximum->getOperands(), argument);
        }))
      largest = other;
  }
  if (!largest)
    return rewriter.notifyMatchFailure(op, "the largest is not computed");
  // Its dimensions are those of the result but for some of 1.
  AffineMap ofLargest = largest.getIndexingMapsArray()[1],
            ofResult = op.getIndexingMapsArray()[1];
  for (AffineExpr place : ofLargest.getResults())
    if (!llvm::is_contained(ofResult.getResults(), place))
      return rewriter.notifyMatchFailure(op, "of other rows");
  rewriter.setInsertionPointAfter(op);
  unsigned rank = ofResult.getNumResults();
  SmallVector<AffineExpr> places;
  for (AffineExpr place : ofLargest.getResults())
    places.push_back(
        rewriter.getAffineDimExpr(llvm::find(ofResult.getResults(), place) -
                                  ofResult.getResults().begin()));
  SmallVector<AffineMap> maps = {
      AffineMap::get(rank, 0, places, op.getContext()),
      rewriter.getMultiDimIdentityMap(rank)};
  SmallVector<utils::IteratorType> parallel(rank,
                                            utils::IteratorType::parallel);
  FloatAttr lowest;
  matchPattern(compare.getRhs(), m_Constant(&lowest));
  Value output = init.getOutputs()[0];
  auto result = linalg::GenericOp::create(
      rewriter, op.getLoc(), op->getResult(0).getType(), largest->getResult(0),
      output, maps, parallel, [&](OpBuilder &b, Location loc, ValueRange args) {
        auto type = cast<FloatType>(args[0].getType());
        Value number = arith::ConstantOp::create(
            b, loc,
            b.getFloatAttr(type, APFloat::getInf(type.getFloatSemantics(),
                                                 /*Negative=*/true)));
        Value isEmpty = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ,
                                              args[0], number);
        linalg::YieldOp::create(b, loc, isEmpty);
      });
  rewriter.replaceOp(op, result.getResults());
  return success();
}

/// Whether what computes `operand` is computed where it is used.
static bool isFused(OpOperand *operand) {
  Operation *producer = operand->get().getDefiningOp();
  return producer && producer->hasOneUse();
}

/// The same for reshapes. Upstream expands what is padded before it is, at the
/// place of its source, where sizes of the result may not be computed yet.
static bool isReshapeFused(OpOperand *operand) {
  return isFused(operand) && !operand->get().getDefiningOp<tensor::PadOp>();
}

void FuseElementwisePass::runOnOperation() {
  MLIRContext *context = &getContext();
  RewritePatternSet patterns(context);
  linalg::populateElementwiseOpsFusionPatterns(patterns, isFused);
  linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, isReshapeFused);
  tensor::populateBubbleUpExpandShapePatterns(patterns);
  affine::AffineApplyOp::getCanonicalizationPatterns(patterns, context);
  linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
  tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
  tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
  context->getLoadedDialect<linalg::LinalgDialect>()
      ->getCanonicalizationPatterns(patterns);
  linalg::populateConstantFoldLinalgOperations(patterns, isFused);
  // torch finds the place of a maximum with it.
  linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
  patterns.add<PositionsInPlace, EmptyRows>(context);
  GreedyRewriteConfig config;
  config.setUseTopDownTraversal();
  if (failed(
          applyPatternsGreedily(getOperation(), std::move(patterns), config)))
    signalPassFailure();
}
