//===- ConvolutionForms.cpp - convolutions as they are printed --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What front ends write differently around the same convolution.
//
//===----------------------------------------------------------------------===//

#include "ConvolutionForms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tc;

namespace {

/// Upstream folds it; nothing else is folded here.
struct CollapseOfExpand : OpRewritePattern<tensor::CollapseShapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::CollapseShapeOp op,
                                PatternRewriter &rewriter) const override;
};

/// Upstream's convolutions have the images first; the product of two factors
/// has no order.
struct PutImagesFirst : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override;
};

/// What is elementwise after a convolution reads what is broadcast to its
/// images, along dimensions of one element or by an operation, as it is before:
/// reshaping would keep it from being fused.
struct ReadThroughBroadcast : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override;
};

} // namespace

/// `value` before it was converted.
static Value stripCasts(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp,
             arith::TruncIOp, arith::SIToFPOp, arith::UIToFPOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// The input of `op`, of its first two, that `value` of its body is, converted
/// or not; with `orLess`, less a number, its zero point.
static std::optional<unsigned> findFactor(linalg::LinalgOp op, Value value,
                                          bool orLess) {
  Block *body = op.getBlock();
  if (auto difference = value.getDefiningOp<arith::SubIOp>();
      difference && orLess) {
    auto point = dyn_cast<BlockArgument>(difference.getRhs());
    bool isInput = point && point.getOwner() == body;
    if (isInput ? point.getArgNumber() < 2 ||
                      point.getArgNumber() >= op.getNumDpsInputs()
                : difference.getRhs().getParentBlock() == body)
      return std::nullopt;
    value = difference.getLhs();
  }
  auto argument = dyn_cast<BlockArgument>(stripCasts(value));
  if (!argument || argument.getOwner() != body || argument.getArgNumber() > 1)
    return std::nullopt;
  return argument.getArgNumber();
}

bool tc::isMultiplyAdd(linalg::LinalgOp op) {
  unsigned inputs = op.getNumDpsInputs();
  if (inputs < 2 || op.getNumDpsInits() != 1 ||
      llvm::any_of(
          llvm::seq(2u, inputs),
          [&](unsigned input) {
            return !op.isScalar(op.getDpsInputOperand(input));
          }))
    return false;
  Block *body = op.getBlock();
  Operation *sum =
      stripCasts(body->getTerminator()->getOperand(0)).getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp>(sum))
    return false;
  // The output and a product, in any order.
  for (unsigned side : {0, 1}) {
    Operation *product = stripCasts(sum->getOperand(1 - side)).getDefiningOp();
    if (stripCasts(sum->getOperand(side)) != body->getArgument(inputs) ||
        !isa_and_nonnull<arith::MulFOp, arith::MulIOp>(product))
      continue;
    std::optional<unsigned> a =
        findFactor(op, product->getOperand(0), /*orLess=*/inputs > 2);
    std::optional<unsigned> b =
        findFactor(op, product->getOperand(1), /*orLess=*/inputs > 2);
    return a && b && *a != *b;
  }
  return false;
}

LogicalResult
CollapseOfExpand::matchAndRewrite(tensor::CollapseShapeOp op,
                                  PatternRewriter &rewriter) const {
  auto expand = op.getSrc().getDefiningOp<tensor::ExpandShapeOp>();
  if (!expand || expand.getSrcType() != op.getResultType() ||
      expand.getReassociationIndices() != op.getReassociationIndices())
    return rewriter.notifyMatchFailure(op, "not of what is collapsed");
  rewriter.replaceOp(op, expand.getSrc());
  return success();
}

LogicalResult PutImagesFirst::matchAndRewrite(linalg::GenericOp op,
                                              PatternRewriter &rewriter) const {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (op.getNumDpsInputs() < 2 || op.getNumDpsInits() != 1 ||
      !maps[0].isProjectedPermutation() || maps[1].isProjectedPermutation() ||
      !isMultiplyAdd(op))
    return rewriter.notifyMatchFailure(op, "no filter before its images");
  SmallVector<Value> inputs = op.getInputs();
  std::swap(maps[0], maps[1]);
  std::swap(inputs[0], inputs[1]);
  Block *body = op.getBody();
  rewriter.replaceOpWithNewOp<linalg::GenericOp>(
      op, op.getResultTypes(), inputs, op.getOutputs(), maps,
      op.getIteratorTypesArray(),
      [&](OpBuilder &b, Location, ValueRange arguments) {
        IRMapping mapping;
        mapping.map(body->getArguments(), arguments);
        mapping.map(body->getArgument(0), arguments[1]);
        mapping.map(body->getArgument(1), arguments[0]);
        for (Operation &inner : *body)
          b.clone(inner, mapping);
      });
  return success();
}

/// Whether `value` is the result of a product that has been reshaped; of a
/// convolution also what is elementwise after that.
static bool isReshapedProduct(Value value) {
  auto expand = value.getDefiningOp<tensor::ExpandShapeOp>();
  auto op = expand ? expand.getSrc().getDefiningOp<linalg::LinalgOp>()
                   : linalg::LinalgOp();
  if (op && op.getNumReductionLoops() != 0)
    return true;
  for (unsigned steps = 0; op && op.getNumReductionLoops() == 0; ++steps) {
    if (steps == 16 || op.getNumDpsInputs() == 0)
      return false;
    op = op.getDpsInputs()[0].getDefiningOp<linalg::LinalgOp>();
  }
  return op && op->hasAttr(kOfConvolution);
}

std::optional<std::pair<Value, AffineMap>> tc::matchBroadcast(Value value) {
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  if (!op || op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() != 0 || !op.hasPureTensorSemantics())
    return std::nullopt;
  OpOperand *input = op.getDpsInputOperand(0);
  AffineMap map = op.getMatchingIndexingMap(input);
  auto yielded =
      dyn_cast<BlockArgument>(op.getBlock()->getTerminator()->getOperand(0));
  if (!isa<RankedTensorType>(input->get().getType()) || !yielded ||
      yielded.getArgNumber() != 0 || !map.isProjectedPermutation() ||
      map.getNumResults() == map.getNumDims() ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return std::nullopt;
  return std::pair(input->get(), map);
}

/// Whether `map` has dimensions of one element at place 0.
static bool hasUnits(AffineMap map) {
  return llvm::any_of(map.getResults(), [](AffineExpr index) {
    auto place = dyn_cast<AffineConstantExpr>(index);
    return place && place.getValue() == 0;
  });
}

/// `value` without the dimensions that `map` has at place 0.
static Value dropUnits(OpBuilder &b, Location loc, Value value,
                       AffineMap &map) {
  SmallVector<AffineExpr> kept;
  SmallVector<ReassociationIndices> groups;
  for (auto [dim, index] : llvm::enumerate(map.getResults())) {
    if (!isa<AffineConstantExpr>(index)) {
      kept.push_back(index);
      groups.emplace_back();
    }
    // Those before the first that is kept belong to it.
    if (groups.empty())
      continue;
    groups.back().push_back(dim);
  }
  map = AffineMap::get(map.getNumDims(), 0, kept, b.getContext());
  if (groups.empty()) {
    groups.clear();
  } else {
    ReassociationIndices &first = groups.front();
    first = llvm::to_vector<2>(llvm::seq<int64_t>(first.back() + 1));
  }
  if (auto expand = value.getDefiningOp<tensor::ExpandShapeOp>();
      expand && expand.getReassociationIndices() == groups)
    return expand.getSrc();
  DenseElementsAttr constant;
  auto type = cast<RankedTensorType>(value.getType());
  if (matchPattern(value, m_Constant(&constant))) {
    SmallVector<int64_t> shape;
    for (const ReassociationIndices &group : groups) {
      shape.push_back(1);
      for (int64_t dim : group)
        shape.back() *= type.getDimSize(dim);
    }
    return arith::ConstantOp::create(
        b, loc,
        constant.reshape(RankedTensorType::get(shape, type.getElementType())));
  }
  return tensor::CollapseShapeOp::create(b, loc, value, groups);
}

LogicalResult
ReadThroughBroadcast::matchAndRewrite(linalg::LinalgOp op,
                                      PatternRewriter &rewriter) const {
  if (!op.hasPureTensorSemantics() || op.getNumReductionLoops() != 0)
    return rewriter.notifyMatchFailure(op, "not elementwise on tensors");
  SmallVector<OpOperand *> inputs = op.getDpsInputOperands();
  auto isBroadcast = [&](OpOperand *input) {
    return matchBroadcast(input->get()) ||
           (isa<RankedTensorType>(input->get().getType()) &&
            hasUnits(op.getMatchingIndexingMap(input)));
  };
  if (llvm::none_of(inputs, isBroadcast) ||
      llvm::none_of(inputs, [](OpOperand *input) {
        return isReshapedProduct(input->get());
      }))
    return rewriter.notifyMatchFailure(op, "no product and a broadcast");
  auto generic = dyn_cast<linalg::GenericOp>(*op);
  if (!generic) {
    FailureOr<linalg::GenericOp> named =
        linalg::generalizeNamedOp(rewriter, op);
    if (failed(named))
      return failure();
    generic = *named;
  }
  rewriter.modifyOpInPlace(generic, [&] {
    SmallVector<AffineMap> maps = generic.getIndexingMapsArray();
    for (auto [index, input] : llvm::enumerate(generic.getDpsInputOperands())) {
      if (auto broadcast = matchBroadcast(input->get())) {
        input->set(broadcast->first);
        maps[index] = broadcast->second.compose(maps[index]);
      } else if (hasUnits(maps[index])) {
        input->set(
            dropUnits(rewriter, generic.getLoc(), input->get(), maps[index]));
      }
    }
    generic.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
  });
  return success();
}

void tc::populateConvolutionFormPatterns(RewritePatternSet &patterns) {
  patterns.add<CollapseOfExpand, PutImagesFirst, ReadThroughBroadcast>(
      patterns.getContext());
  // What follows elementwise sees the product as it is.
  linalg::populateFoldReshapeOpsByCollapsingPatterns(
      patterns,
      [](OpOperand *operand) { return isReshapedProduct(operand->get()); });
}
