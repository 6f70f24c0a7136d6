//===- PrepareProducts.cpp - products as units multiply them ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Front ends widen operands before a product whose sums are wide, scale them
// there, and begin sums with a bias. Units multiply narrow numbers with wide
// sums: a product of f32 would be many of theirs.
//
//===----------------------------------------------------------------------===//

#include "ConvolutionForms.h"

#include "tc/Support/PatternsAlone.h"
#include "tc/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <array>
#include <cmath>

namespace tc {
#define GEN_PASS_DEF_PREPAREPRODUCTSPASS
#include "tc/Transforms/Passes.h.inc"
} // namespace tc

using namespace mlir;
using namespace tc;

namespace {

struct PrepareProductsPass
    : tc::impl::PrepareProductsPassBase<PrepareProductsPass> {
  using PrepareProductsPassBase::PrepareProductsPassBase;
  void runOnOperation() override;
};

/// An operand as it is before it is widened: `value`, times `factor`.
struct Narrow {
  Value value;
  double factor = 1;
};

/// Products of f32 whose operands are widened.
struct NarrowOperands : OpInterfaceRewritePattern<linalg::LinalgOp> {
  NarrowOperands(MLIRContext *context, bool rounds)
      : OpInterfaceRewritePattern(context), rounds(rounds) {}

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override;

  /// Whether an operand that is not widened is rounded to what the other one
  /// was.
  bool rounds;
};

/// What is transposed and then collapsed is collapsed first where the same
/// dimensions are next to each other then: products take a transposition.
struct CollapseBeforeTranspose : OpRewritePattern<tensor::CollapseShapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::CollapseShapeOp op,
                                PatternRewriter &rewriter) const override;
};

/// Products that are added to what is broadcast.
struct AddBiasAfter : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override;
};

} // namespace

/// Whether `op` sums products of two tensors and is no elementwise operation.
static bool isProduct(linalg::LinalgOp op) {
  return op.hasPureTensorSemantics() && op.getNumDpsInputs() == 2 &&
         op.getNumDpsInits() == 1 && op.getNumReductionLoops() != 0 &&
         isMultiplyAdd(op);
}

/// The number that `value` is, converted or not.
static std::optional<double> matchNumber(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<arith::TruncFOp, arith::ExtFOp>(op))
      break;
    value = op->getOperand(0);
  }
  APFloat number(0.0);
  if (!matchPattern(value, m_ConstantFloat(&number)))
    return std::nullopt;
  bool lost = false;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
  return number.convertToDouble();
}

/// What `op` does to each element of its only input where that is to widen it
/// or to multiply it by a number, which is then the factor; nothing where it is
/// another operation.
static std::optional<Narrow> matchElementwise(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() != 0 ||
      !llvm::all_of(op.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isIdentity(); }))
    return std::nullopt;
  Block &body = *op.getBlock();
  Operation *last = body.getTerminator()->getOperand(0).getDefiningOp();
  if (!last || last->getBlock() != &body)
    return std::nullopt;
  Narrow result{op.getDpsInputs()[0]};
  if (auto product = dyn_cast<arith::MulFOp>(last)) {
    bool isFirst = product.getLhs() == body.getArgument(0);
    if (!isFirst && product.getRhs() != body.getArgument(0))
      return std::nullopt;
    std::optional<double> factor =
        matchNumber(isFirst ? product.getRhs() : product.getLhs());
    if (!factor)
      return std::nullopt;
    result.factor = *factor;
    return result;
  }
  if (auto wide = dyn_cast<arith::ExtFOp>(last);
      wide && wide.getIn() == body.getArgument(0))
    return result;
  return std::nullopt;
}

/// `value`, of f32, before it was widened; null where it was not. Without
/// `make`, nothing is created, and the result is the source of reshapes.
static Narrow findNarrow(OpBuilder &b, Value value, bool make,
                         unsigned depth = 0) {
  Operation *op = value.getDefiningOp();
  Type element = getElementTypeOrSelf(value.getType());
  if (!op || depth == 16)
    return {};
  if (!element.isF32())
    return element.isF16() || element.isBF16() ||
                   (isa<FloatType>(element) &&
                    element.getIntOrFloatBitWidth() == 8)
               ? Narrow{value}
               : Narrow{};
  Location loc = op->getLoc();
  auto of = [&](Value source) {
    return findNarrow(b, source, make, depth + 1);
  };
  if (auto wide = dyn_cast<arith::ExtFOp>(op))
    return getElementTypeOrSelf(wide.getIn().getType()).isF32()
               ? Narrow{}
               : Narrow{wide.getIn()};
  if (auto transpose = dyn_cast<linalg::TransposeOp>(op)) {
    Narrow source = of(transpose.getInput());
    if (!source.value || !make)
      return source;
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(b, loc, transpose.getInit());
    Value empty = tensor::EmptyOp::create(
        b, loc, sizes, getElementTypeOrSelf(source.value.getType()));
    auto narrow = linalg::TransposeOp::create(b, loc, source.value, empty,
                                              transpose.getPermutation());
    return {narrow->getResult(0), source.factor};
  }
  if (auto linalg = dyn_cast<linalg::LinalgOp>(op)) {
    if (!linalg.hasPureTensorSemantics())
      return {};
    std::optional<Narrow> input = matchElementwise(linalg);
    if (!input)
      return {};
    if (!getElementTypeOrSelf(input->value.getType()).isF32())
      return *input;
    Narrow source = of(input->value);
    return {source.value, source.factor * input->factor};
  }
  // The same of what is narrow; their other operands are sizes.
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
          tensor::ExtractSliceOp, tensor::CastOp>(op)) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || !isa<RankedTensorType>(op->getOperand(0).getType()))
      return {};
    Narrow source = of(op->getOperand(0));
    if (!source.value || !make)
      return source;
    SmallVector<Value> operands(op->getOperands());
    operands[0] = source.value;
    Type narrow = type.clone(getElementTypeOrSelf(source.value.getType()));
    return {clone(b, op, narrow, operands)->getResult(0), source.factor};
  }
  return {};
}

/// Whether what is summed before it is scaled by `factor` is in the range of
/// f32 where it was after it.
static bool isModerate(double factor) {
  return std::abs(std::log2(std::abs(factor))) <= 32;
}

/// Whether one unit multiplies elements of both types.
static bool areMultiplied(Type a, Type b) {
  return a == b ||
         (a.getIntOrFloatBitWidth() == 8 && b.getIntOrFloatBitWidth() == 8);
}

/// A tensor of zeros like `like`.
static Value makeZeros(OpBuilder &b, Location loc, Value like) {
  Type element = getElementTypeOrSelf(like.getType());
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
  Value empty = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, like), element);
  return linalg::FillOp::create(b, loc, zero, empty).getResult(0);
}

/// `value`, of f32, rounded to `element`.
static Value makeRounded(OpBuilder &b, Location loc, Value value,
                         Type element) {
  auto type = cast<RankedTensorType>(value.getType()).clone(element);
  Value empty = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, value), element);
  unsigned rank = type.getRank();
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> parallel(rank,
                                            utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, type, value, empty, maps, parallel,
             [&](OpBuilder &body, Location at, ValueRange args) {
               Value rounded =
                   arith::TruncFOp::create(body, at, element, args[0]);
               linalg::YieldOp::create(body, at, rounded);
             })
      .getResult(0);
}

/// Whether `value` is filled with zeros.
static bool isZeros(Value value) {
  auto fill = value.getDefiningOp<linalg::FillOp>();
  Value number = fill ? fill.getInputs()[0] : value;
  return matchPattern(number, m_AnyZeroFloat());
}

LogicalResult NarrowOperands::matchAndRewrite(linalg::LinalgOp op,
                                              PatternRewriter &rewriter) const {
  if (!isProduct(op) || !llvm::all_of(op->getOperandTypes(), [](Type type) {
        return getElementTypeOrSelf(type).isF32();
      }))
    return rewriter.notifyMatchFailure(op, "no product of f32");
  Location loc = op.getLoc();
  auto find = [&](unsigned input, bool make) {
    return findNarrow(rewriter, op.getDpsInputs()[input], make);
  };
  Narrow a = find(0, /*make=*/false), b = find(1, /*make=*/false);
  if (rounds && bool(a.value) != bool(b.value)) {
    unsigned wide = a.value ? 1 : 0;
    Type element = getElementTypeOrSelf((wide ? a : b).value.getType());
    Value operand = op.getDpsInputs()[wide];
    if (element.getIntOrFloatBitWidth() != 16 ||
        !isa<RankedTensorType>(operand.getType()))
      return rewriter.notifyMatchFailure(op, "not beside 16 bits");
    Value rounded = makeRounded(rewriter, loc, operand, element);
    Value widened =
        arith::ExtFOp::create(rewriter, loc, operand.getType(), rounded);
    rewriter.modifyOpInPlace(op, [&] { op->setOperand(wide, widened); });
    return success();
  }
  if (!a.value || !b.value || !isModerate(a.factor) || !isModerate(b.factor) ||
      !areMultiplied(getElementTypeOrSelf(a.value.getType()),
                     getElementTypeOrSelf(b.value.getType())))
    return rewriter.notifyMatchFailure(op, "not of widened operands");
  double factor = a.factor * b.factor;
  Value init = op.getDpsInits()[0];
  if (factor != 1 && !isZeros(init))
    return rewriter.notifyMatchFailure(op, "scaled and added to something");

  a = find(0, /*make=*/true);
  b = find(1, /*make=*/true);
  auto generic = dyn_cast<linalg::GenericOp>(*op);
  if (!generic)
    generic = *linalg::generalizeNamedOp(rewriter, op);
  rewriter.modifyOpInPlace(generic, [&] {
    Block *body = generic.getBody();
    OpBuilder inside = OpBuilder::atBlockBegin(body);
    const std::array<Narrow, 2> operands = {a, b};
    for (auto [number, narrow] : llvm::enumerate(operands)) {
      generic->setOperand(number, narrow.value);
      BlockArgument argument = body->getArgument(number);
      Type wide = argument.getType();
      argument.setType(getElementTypeOrSelf(narrow.value.getType()));
      auto widened = arith::ExtFOp::create(inside, loc, wide, argument);
      argument.replaceAllUsesExcept(widened, widened);
    }
  });
  if (factor == 1)
    return success();
  rewriter.setInsertionPointAfter(generic);
  Value product = generic.getResult(0);
  unsigned rank = cast<RankedTensorType>(product.getType()).getRank();
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, init),
      rewriter.getF32Type());
  SmallVector<AffineMap> maps(2, rewriter.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> parallel(rank,
                                            utils::IteratorType::parallel);
  auto scaled = linalg::GenericOp::create(
      rewriter, loc, product.getType(), product, empty, maps, parallel,
      [&](OpBuilder &body, Location at, ValueRange args) {
        Value number = arith::ConstantOp::create(
            body, at, body.getF32FloatAttr(float(factor)));
        Value value = arith::MulFOp::create(body, at, args[0], number);
        linalg::YieldOp::create(body, at, value);
      });
  rewriter.replaceAllUsesExcept(product, scaled.getResult(0), scaled);
  return success();
}

LogicalResult
CollapseBeforeTranspose::matchAndRewrite(tensor::CollapseShapeOp op,
                                         PatternRewriter &rewriter) const {
  auto transpose = op.getSrc().getDefiningOp<linalg::TransposeOp>();
  if (!transpose || !transpose.hasPureTensorSemantics())
    return rewriter.notifyMatchFailure(op, "not of what is transposed");
  // The groups of the result, by where they are before.
  SmallVector<ReassociationIndices> groups;
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    ReassociationIndices &before = groups.emplace_back();
    for (int64_t dim : group) {
      int64_t source = transpose.getPermutation()[dim];
      if (!before.empty() && source != before.back() + 1)
        return rewriter.notifyMatchFailure(op, "dimensions are apart");
      before.push_back(source);
    }
  }
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::seq<int64_t>(groups.size()));
  llvm::sort(order, [&](int64_t a, int64_t b) {
    return groups[a].front() < groups[b].front();
  });
  SmallVector<ReassociationIndices> sorted;
  for (int64_t group : order)
    sorted.push_back(groups[group]);
  Location loc = op.getLoc();
  Value collapsed = tensor::CollapseShapeOp::create(
      rewriter, loc, transpose.getInput(), sorted);
  SmallVector<int64_t> permutation = invertPermutationVector(order);
  SmallVector<OpFoldResult> sizes = applyPermutation(
      tensor::getMixedSizes(rewriter, loc, collapsed), permutation);
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, sizes, getElementTypeOrSelf(collapsed.getType()));
  Value result =
      linalg::TransposeOp::create(rewriter, loc, collapsed, empty, permutation)
          ->getResult(0);
  if (result.getType() != op.getType())
    result = tensor::CastOp::create(rewriter, loc, op.getType(), result);
  rewriter.replaceOp(op, result);
  return success();
}

LogicalResult AddBiasAfter::matchAndRewrite(linalg::LinalgOp op,
                                            PatternRewriter &rewriter) const {
  if (!isProduct(op))
    return rewriter.notifyMatchFailure(op, "no product");
  OpOperand *init = op.getDpsInitOperand(0);
  std::optional<std::pair<Value, AffineMap>> bias = matchBroadcast(init->get());
  if (!bias)
    return rewriter.notifyMatchFailure(op, "not added to a broadcast");
  Location loc = op.getLoc();
  Value like = init->get();
  rewriter.setInsertionPoint(op);
  Value zeros = makeZeros(rewriter, loc, like);
  rewriter.modifyOpInPlace(op, [&] { init->set(zeros); });
  rewriter.setInsertionPointAfter(op);
  Value product = op->getResult(0);
  auto type = cast<RankedTensorType>(product.getType());
  SmallVector<AffineMap> maps(3,
                              rewriter.getMultiDimIdentityMap(type.getRank()));
  maps[1] = bias->second;
  SmallVector<utils::IteratorType> parallel(type.getRank(),
                                            utils::IteratorType::parallel);
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, like),
      type.getElementType());
  auto sum = linalg::GenericOp::create(
      rewriter, loc, type, ValueRange{product, bias->first}, empty, maps,
      parallel, [&](OpBuilder &body, Location at, ValueRange args) {
        Value value;
        if (isa<FloatType>(type.getElementType()))
          value = arith::AddFOp::create(body, at, args[0], args[1]);
        else
          value = arith::AddIOp::create(body, at, args[0], args[1]);
        linalg::YieldOp::create(body, at, value);
      });
  rewriter.replaceAllUsesExcept(product, sum.getResult(0), sum);
  return success();
}

void PrepareProductsPass::runOnOperation() {
  RewritePatternSet patterns(&getContext());
  patterns.add<NarrowOperands>(&getContext(), roundMixed);
  patterns.add<AddBiasAfter, CollapseBeforeTranspose>(&getContext());
  if (failed(applyPatternsGreedily(getOperation(), std::move(patterns),
                                   getConfigOfPatternsAlone())))
    signalPassFailure();
}
