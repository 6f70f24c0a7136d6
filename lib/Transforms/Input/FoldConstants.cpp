//===- FoldConstants.cpp - vectors of constants -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream folds what is computed from a splat. A bias has an element for each
// column, and its conversion would be a launch of every run. Matrices stay:
// they may be operands of products, which units convert as they load them.
//
//===----------------------------------------------------------------------===//

#include "tc/Support/PatternsAlone.h"
#include "tc/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tc {
#define GEN_PASS_DEF_FOLDCONSTANTSPASS
#include "tc/Transforms/Passes.h.inc"
} // namespace tc

using namespace mlir;
using namespace tc;

/// Elements above which a vector is computed in the run.
static constexpr int64_t kMostElements = 1 << 16;

namespace {

struct FoldConstantsPass : tc::impl::FoldConstantsPassBase<FoldConstantsPass> {
  void runOnOperation() override;
};

/// An input of an elementwise operation: what it is at each place of the
/// result.
struct Elements {
  DenseElementsAttr values;
  /// The dimension of the result that its elements are along; none of one
  /// element.
  std::optional<unsigned> along;

  Attribute at(int64_t index) const {
    return values.isSplat() || !along ? values.getValues<Attribute>()[0]
                                      : values.getValues<Attribute>()[index];
  }
};

/// Elementwise operations on constants whose result has one dimension at most
/// that is longer than 1.
struct FoldElementwise : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override;
};

/// Reshapes of constants.
template <typename Reshape>
struct FoldReshape : OpRewritePattern<Reshape> {
  using OpRewritePattern<Reshape>::OpRewritePattern;

  LogicalResult matchAndRewrite(Reshape op,
                                PatternRewriter &rewriter) const override {
    Attribute constant;
    RankedTensorType type = op.getResultType();
    if (!matchPattern(op.getSrc(), m_Constant(&constant)))
      return rewriter.notifyMatchFailure(op, "not of a constant");
    auto values = dyn_cast<DenseElementsAttr>(constant);
    if (!values || !type.hasStaticShape() ||
        values.getNumElements() > kMostElements)
      return rewriter.notifyMatchFailure(op, "not of a constant");
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, values.reshape(type));
    return success();
  }
};

} // namespace

/// `constant` as dense elements, a resource that is not large included; null
/// for others.
static DenseElementsAttr getDense(Attribute constant) {
  auto resource = dyn_cast<DenseResourceElementsAttr>(constant);
  if (!resource)
    return dyn_cast<DenseElementsAttr>(constant);
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  ShapedType type = resource.getType();
  // A bit of a resource has a byte, of dense elements it has none.
  if (!blob || type.getNumElements() > kMostElements ||
      type.getElementTypeBitWidth() % 8 != 0 ||
      blob->getData().size() !=
          size_t(type.getNumElements()) * type.getElementTypeBitWidth() / 8)
    return {};
  return DenseElementsAttr::getFromRawBuffer(type, blob->getData());
}

/// The elements of `input` of `op`, unless they are no constants or along more
/// than one dimension.
static std::optional<Elements> matchElements(linalg::LinalgOp op,
                                             OpOperand &input) {
  Attribute constant;
  Value value = input.get();
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    value = fill.getInputs().front();
  if (!matchPattern(value, m_Constant(&constant)))
    return std::nullopt;
  Elements elements;
  if (isa<FloatAttr, IntegerAttr>(constant)) {
    auto type = RankedTensorType::get({}, value.getType());
    elements.values = DenseElementsAttr::get(type, constant);
    return elements;
  }
  elements.values = getDense(constant);
  AffineMap map = op.getMatchingIndexingMap(&input);
  if (!elements.values || !map.isProjectedPermutation())
    return std::nullopt;
  for (auto [dim, size] : llvm::enumerate(elements.values.getType().getShape()))
    if (size != 1) {
      if (elements.along)
        return std::nullopt;
      elements.along = map.getDimPosition(dim);
    }
  return elements;
}

/// What the body of `op` yields where its inputs are `inputs`; null where an
/// operation has no constant result.
static Attribute evaluate(linalg::LinalgOp op, ArrayRef<Attribute> inputs) {
  Block &body = *op.getBlock();
  DenseMap<Value, Attribute> known;
  for (auto [argument, value] : llvm::zip(body.getArguments(), inputs))
    known[argument] = value;
  auto get = [&](Value value) -> Attribute {
    if (Attribute constant = known.lookup(value))
      return constant;
    Attribute constant;
    return matchPattern(value, m_Constant(&constant)) ? constant : Attribute();
  };
  for (Operation &inner : body.without_terminator()) {
    // Front ends check what they divide by.
    if (auto check = dyn_cast<cf::AssertOp>(inner)) {
      auto holds = dyn_cast_or_null<IntegerAttr>(get(check.getArg()));
      if (!holds || holds.getValue().isZero())
        return {};
      continue;
    }
    // Upstream leaves what is rounded.
    if (auto narrow = dyn_cast<arith::TruncFOp>(inner)) {
      auto wide = dyn_cast_or_null<FloatAttr>(get(narrow.getIn()));
      auto type = dyn_cast<FloatType>(narrow.getType());
      if (!wide || !type || narrow.getRoundingmode())
        return {};
      APFloat value = wide.getValue();
      bool lost = false;
      value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                    &lost);
      // What a kernel saturates to is not known here.
      if (!value.isFinite() && wide.getValue().isFinite())
        return {};
      known[narrow.getResult()] = FloatAttr::get(type, value);
      continue;
    }
    if (inner.getNumRegions() || inner.getNumResults() != 1)
      return {};
    SmallVector<Attribute> operands = llvm::map_to_vector(
        inner.getOperands(), [&](Value operand) { return get(operand); });
    SmallVector<OpFoldResult> results;
    if (llvm::is_contained(operands, Attribute()) ||
        failed(inner.fold(operands, results)) || results.size() != 1)
      return {};
    Attribute result = dyn_cast<Attribute>(results.front());
    // One of its operands.
    if (!result)
      result = get(cast<Value>(results.front()));
    if (!result)
      return {};
    known[inner.getResult(0)] = result;
  }
  return get(body.getTerminator()->getOperand(0));
}

LogicalResult
FoldElementwise::matchAndRewrite(linalg::LinalgOp op,
                                 PatternRewriter &rewriter) const {
  // What reads a fill sees its number; a constant would be memory.
  if (isa<linalg::FillOp>(op))
    return rewriter.notifyMatchFailure(op, "a fill is known as it is");
  if (!op.hasPureTensorSemantics() || op.getNumReductionLoops() != 0 ||
      op.getNumDpsInputs() == 0 || op.getNumDpsInits() != 1)
    return rewriter.notifyMatchFailure(op, "not elementwise");
  OpOperand *init = op.getDpsInitOperand(0);
  auto type = cast<RankedTensorType>(init->get().getType());
  if (op.payloadUsesValueFromOperand(init) || !type.hasStaticShape() ||
      !op.getMatchingIndexingMap(init).isIdentity() ||
      type.getNumElements() == 0 || type.getNumElements() > kMostElements ||
      llvm::count_if(type.getShape(), [](int64_t n) { return n != 1; }) > 1)
    return rewriter.notifyMatchFailure(op, "no vector of static size");
  SmallVector<Elements> inputs;
  for (OpOperand *input : op.getDpsInputOperands()) {
    std::optional<Elements> elements = matchElements(op, *input);
    if (!elements)
      return rewriter.notifyMatchFailure(op, "an input is no constant");
    inputs.push_back(*elements);
  }
  bool isSplat = llvm::all_of(inputs, [](const Elements &input) {
    return input.values.isSplat() || !input.along;
  });
  int64_t count = isSplat ? 1 : type.getNumElements();
  SmallVector<Attribute> values;
  for (int64_t index = 0; index < count; ++index) {
    Attribute value =
        evaluate(op, llvm::map_to_vector(inputs, [&](const Elements &input) {
                   return input.at(index);
                 }));
    if (!isa_and_nonnull<FloatAttr, IntegerAttr>(value))
      return rewriter.notifyMatchFailure(op, "what is computed does not fold");
    values.push_back(value);
  }
  rewriter.replaceOpWithNewOp<arith::ConstantOp>(
      op, DenseElementsAttr::get(type, values));
  return success();
}

void FoldConstantsPass::runOnOperation() {
  RewritePatternSet patterns(&getContext());
  patterns.add<FoldElementwise, FoldReshape<tensor::ExpandShapeOp>,
               FoldReshape<tensor::CollapseShapeOp>>(&getContext());
  if (failed(applyPatternsGreedily(getOperation(), std::move(patterns),
                                   getConfigOfPatternsAlone())))
    signalPassFailure();
}
