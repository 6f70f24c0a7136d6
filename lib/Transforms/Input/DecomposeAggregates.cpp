//===- DecomposeAggregates.cpp - one operation for several ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations on tensors that have no loops of their own, as the operations that
// they mean.
//
//===----------------------------------------------------------------------===//

#include "Sizes.h"

#include "tc/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace tc {
#define GEN_PASS_DEF_DECOMPOSEAGGREGATESPASS
#include "tc/Transforms/Passes.h.inc"
} // namespace tc

using namespace mlir;
using namespace tc;

namespace {

struct DecomposeAggregatesPass
    : tc::impl::DecomposeAggregatesPassBase<DecomposeAggregatesPass> {
  void runOnOperation() override;
};

/// Those with upstream's interface, on tensors.
struct DecomposeAggregate
    : OpInterfaceRewritePattern<linalg::AggregatedOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::AggregatedOpInterface op,
                                PatternRewriter &rewriter) const override {
    if (!llvm::all_of(op->getOperandTypes(), llvm::IsaPred<TensorType>))
      return rewriter.notifyMatchFailure(op, "not on tensors");
    FailureOr<SmallVector<Value>> results = op.decomposeOperation(rewriter);
    if (failed(results))
      return rewriter.notifyMatchFailure(op, "upstream cannot decompose it");
    rewriter.replaceOp(op, *results);
    return success();
  }
};

/// A pack is a pad, a reshape and a transposition; an unpack the way back.
template <typename Op, auto lower>
struct DecomposePacking : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics())
      return rewriter.notifyMatchFailure(op, "not on tensors");
    return success(succeeded(lower(rewriter, op, /*withSlices=*/false)));
  }
};

/// Groups of dimensions of two shapes that have the same elements.
struct ReshapeGroups {
  SmallVector<ReassociationIndices> from, to;
};

/// One shape to another: through a vector where both are known, else by the
/// dimensions that multiply to each other, where those that are not known are
/// one and one.
struct DecomposeReshape : OpRewritePattern<tensor::ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto from = dyn_cast<RankedTensorType>(op.getSource().getType());
    auto to = dyn_cast<RankedTensorType>(op.getType());
    if (from && to && !(from.hasStaticShape() && to.hasStaticShape()))
      return reshapeByGroups(op, from, to, rewriter);
    if (!from || !to || !from.hasStaticShape() || !to.hasStaticShape() ||
        from.getRank() == 0 || to.getRank() == 0)
      return rewriter.notifyMatchFailure(op, "not between known shapes");
    auto all = [](int64_t rank) {
      return SmallVector<ReassociationIndices>{
          llvm::to_vector<2>(llvm::seq<int64_t>(rank))};
    };
    Value elements = op.getSource();
    if (from.getRank() > 1)
      elements = tensor::CollapseShapeOp::create(rewriter, op.getLoc(),
                                                 elements, all(from.getRank()));
    if (to.getRank() > 1)
      elements = tensor::ExpandShapeOp::create(rewriter, op.getLoc(), to,
                                               elements, all(to.getRank()));
    rewriter.replaceOp(op, elements);
    return success();
  }

private:
  static LogicalResult reshapeByGroups(tensor::ReshapeOp op,
                                       RankedTensorType from,
                                       RankedTensorType to,
                                       PatternRewriter &rewriter);
};

/// Before:
///   %r = tensor.gather %t[%i] gather_dims([0])
///       : (tensor<100x64xf32>, tensor<32x1xi32>) -> tensor<32x64xf32>
/// After: for each element (b, c) of the result
///   %row = tensor.extract %i[b, 0]
///   %x = tensor.extract %t[%row, c]
struct DecomposeGather : OpRewritePattern<tensor::GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::GatherOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value source = op.getSource(), places = op.getIndices();
    RankedTensorType type = op.getResultType();
    int64_t rank = op.getSourceType().getRank();
    int64_t batchRank = op.getIndicesType().getRank() - 1;
    // Gathered dimensions are those of size 1 in the result, or left out.
    bool hasUnits = type.getRank() == batchRank + rank;
    ArrayRef<int64_t> gathered = op.getGatherDims();

    SmallVector<OpFoldResult> sizes;
    for (int64_t dim = 0; dim < batchRank; ++dim)
      sizes.push_back(tensor::getMixedSize(rewriter, loc, places, dim));
    for (int64_t dim = 0; dim < rank; ++dim) {
      if (!llvm::is_contained(gathered, dim))
        sizes.push_back(tensor::getMixedSize(rewriter, loc, source, dim));
      else if (hasUnits)
        sizes.push_back(rewriter.getIndexAttr(1));
    }
    Value empty =
        tensor::EmptyOp::create(rewriter, loc, sizes, type.getElementType());
    SmallVector<utils::IteratorType> loops(type.getRank(),
                                           utils::IteratorType::parallel);
    auto generic = linalg::GenericOp::create(
        rewriter, loc, empty.getType(), ValueRange(), empty,
        rewriter.getMultiDimIdentityMap(type.getRank()), loops,
        [&](OpBuilder &b, Location at, ValueRange) {
          SmallVector<Value> point;
          for (int64_t dim = 0; dim < type.getRank(); ++dim)
            point.push_back(linalg::IndexOp::create(b, at, dim));
          SmallVector<Value> element(rank);
          for (auto [number, dim] : llvm::enumerate(gathered)) {
            SmallVector<Value> place(ArrayRef(point).take_front(batchRank));
            place.push_back(arith::ConstantIndexOp::create(b, at, number));
            Value index = tensor::ExtractOp::create(b, at, places, place);
            if (!index.getType().isIndex())
              index =
                  arith::IndexCastOp::create(b, at, b.getIndexType(), index);
            element[dim] = index;
          }
          ArrayRef<Value> rest = ArrayRef(point).drop_front(batchRank);
          for (Value &index : element) {
            bool isGathered = bool(index);
            if (!isGathered)
              index = rest.front();
            if (!isGathered || hasUnits)
              rest = rest.drop_front();
          }
          Value value = tensor::ExtractOp::create(b, at, source, element);
          linalg::YieldOp::create(b, at, value);
        });
    Value result = generic.getResult(0);
    if (result.getType() != type)
      result = tensor::CastOp::create(rewriter, loc, type, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// A concatenation is parts that are inserted one after the other. All have the
/// sizes of the first along the other dimensions, as the operation requires:
/// the same values, so that nobody has to compare them.
struct DecomposeConcat : OpRewritePattern<tensor::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ConcatOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    unsigned along = op.getDim();
    RankedTensorType type = op.getResultType();
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(rewriter, loc, op.getInputs().front());
    for (Value input : op.getInputs())
      for (auto [dim, size] :
           llvm::enumerate(cast<RankedTensorType>(input.getType()).getShape()))
        if (dim != along && !ShapedType::isDynamic(size))
          sizes[dim] = rewriter.getIndexAttr(size);
    OpFoldResult zero = rewriter.getIndexAttr(0);
    SmallVector<OpFoldResult> places, extents;
    OpFoldResult whole = zero;
    AffineExpr a, b;
    bindSymbols(rewriter.getContext(), a, b);
    for (Value input : op.getInputs()) {
      places.push_back(whole);
      extents.push_back(tensor::getMixedSizes(rewriter, loc, input)[along]);
      whole = affine::makeComposedFoldedAffineApply(rewriter, loc, a + b,
                                                    {whole, extents.back()});
    }
    SmallVector<OpFoldResult> all = sizes,
                              steps(type.getRank(), rewriter.getIndexAttr(1));
    all[along] = whole;
    for (auto [dim, size] : llvm::enumerate(type.getShape()))
      if (!ShapedType::isDynamic(size))
        all[dim] = rewriter.getIndexAttr(size);
    Value result =
        tensor::EmptyOp::create(rewriter, loc, all, type.getElementType());
    for (auto [input, place, extent] :
         llvm::zip_equal(op.getInputs(), places, extents)) {
      SmallVector<OpFoldResult> offsets(type.getRank(), zero), own = all;
      offsets[along] = place;
      own[along] = extent;
      SmallVector<int64_t> shape;
      for (OpFoldResult size : own)
        shape.push_back(
            getConstantIntValue(size).value_or(ShapedType::kDynamic));
      auto given = cast<RankedTensorType>(input.getType());
      RankedTensorType wanted = given.clone(shape);
      Value part = given == wanted
                       ? input
                       : tensor::CastOp::create(rewriter, loc, wanted, input)
                             .getResult();
      result = tensor::InsertSliceOp::create(rewriter, loc, part, result,
                                             offsets, own, steps);
    }
    if (result.getType() != type)
      result = tensor::CastOp::create(rewriter, loc, type, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// A negative padding leaves out elements, of which the conversion to memrefs
/// knows nothing: they are cut off first.
/// Before: tensor.pad %t low[1] high[-2] : tensor<9xf32> to tensor<8xf32>
/// After:  tensor.pad of tensor.extract_slice %t[0] [7] [1] low[1] high[0]
struct CutNegativePadding : OpRewritePattern<tensor::PadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::PadOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<OpFoldResult> low = op.getMixedLowPad(),
                              high = op.getMixedHighPad();
    auto isNegative = [](OpFoldResult size) {
      return getConstantIntValue(size).value_or(0) < 0;
    };
    if (llvm::none_of(low, isNegative) && llvm::none_of(high, isNegative))
      return rewriter.notifyMatchFailure(op, "nothing is left out");
    Location loc = op.getLoc();
    Value source = op.getSource();
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(rewriter, loc, source);
    SmallVector<OpFoldResult> offsets(sizes.size(), rewriter.getIndexAttr(0));
    for (auto [dim, size] : llvm::enumerate(sizes)) {
      int64_t cut = 0;
      for (auto *pad : {&low[dim], &high[dim]}) {
        if (!isNegative(*pad))
          continue;
        int64_t length = -*getConstantIntValue(*pad);
        cut += length;
        if (pad == &low[dim])
          offsets[dim] = rewriter.getIndexAttr(length);
        *pad = rewriter.getIndexAttr(0);
      }
      if (cut == 0)
        continue;
      if (auto number = getConstantIntValue(size)) {
        if (*number < cut)
          return rewriter.notifyMatchFailure(op, "more than there is");
        size = rewriter.getIndexAttr(*number - cut);
      } else {
        Value length = arith::ConstantIndexOp::create(rewriter, loc, cut);
        size = arith::SubIOp::create(rewriter, loc, cast<Value>(size), length)
                   .getResult();
      }
    }
    SmallVector<OpFoldResult> strides(sizes.size(), rewriter.getIndexAttr(1));
    Value kept = tensor::ExtractSliceOp::create(rewriter, loc, source, offsets,
                                                sizes, strides);
    auto pad = tensor::PadOp::create(rewriter, loc, op.getType(), kept, low,
                                     high, op.getNofold());
    rewriter.inlineRegionBefore(op.getRegion(), pad.getRegion(),
                                pad.getRegion().begin());
    rewriter.replaceOp(op, pad);
    return success();
  }
};

} // namespace

/// An error where `op` leaves out more elements than there are.
static LogicalResult checkPadding(tensor::PadOp op) {
  for (auto [dim, size] : llvm::enumerate(op.getSourceType().getShape())) {
    int64_t cut = 0;
    for (OpFoldResult pad :
         {op.getMixedLowPad()[dim], op.getMixedHighPad()[dim]})
      cut -= std::min<int64_t>(getConstantIntValue(pad).value_or(0), 0);
    if (!ShapedType::isDynamic(size) && cut > size)
      return op.emitOpError("cannot be described: expected a padding that "
                            "leaves out at most the ")
             << size << " elements of dimension " << dim << ", got " << cut;
  }
  return success();
}

/// The groups of a reshape from `from` to `to`.
static std::optional<ReshapeGroups> matchGroups(ArrayRef<int64_t> from,
                                                ArrayRef<int64_t> to) {
  ReshapeGroups groups;
  size_t i = 0, j = 0;
  auto isKnown = [](ArrayRef<int64_t> shape, size_t dim) {
    return dim < shape.size() && !ShapedType::isDynamic(shape[dim]);
  };
  while (i < from.size() && j < to.size()) {
    ReassociationIndices &first = groups.from.emplace_back(),
                         &second = groups.to.emplace_back();
    first.push_back(i);
    second.push_back(j);
    if (!isKnown(from, i) && !isKnown(to, j)) {
      ++i, ++j;
      continue;
    }
    if (!isKnown(from, i) || !isKnown(to, j))
      return std::nullopt;
    int64_t a = from[i++], b = to[j++];
    while (a != b) {
      if (a < b) {
        if (!isKnown(from, i))
          return std::nullopt;
        first.push_back(i);
        a *= from[i++];
      } else {
        if (!isKnown(to, j))
          return std::nullopt;
        second.push_back(j);
        b *= to[j++];
      }
    }
  }
  // What is left is of one element.
  for (; i < from.size() && from[i] == 1 && !groups.from.empty(); ++i)
    groups.from.back().push_back(i);
  for (; j < to.size() && to[j] == 1 && !groups.to.empty(); ++j)
    groups.to.back().push_back(j);
  if (i != from.size() || j != to.size() || groups.from.empty())
    return std::nullopt;
  return groups;
}

LogicalResult DecomposeReshape::reshapeByGroups(tensor::ReshapeOp op,
                                                RankedTensorType from,
                                                RankedTensorType to,
                                                PatternRewriter &rewriter) {
  auto shape = op.getShape().getDefiningOp<tensor::FromElementsOp>();
  std::optional<ReshapeGroups> groups =
      matchGroups(from.getShape(), to.getShape());
  if (!shape || !groups)
    return rewriter.notifyMatchFailure(op, "not between groups of dimensions");
  Location loc = op.getLoc();
  // Those that are one and one have to stay as they are.
  auto indexOf = [&](unsigned dim) -> Value {
    Value number = shape.getElements()[dim];
    if (number.getType().isIndex())
      return number;
    return arith::IndexCastOp::create(rewriter, loc, rewriter.getIndexType(),
                                      number);
  };
  for (auto [before, after] : llvm::zip_equal(groups->from, groups->to)) {
    if (!from.isDynamicDim(before[0]))
      continue;
    OpFoldResult size = findSize(rewriter, loc, op.getSource(), before[0]);
    if (!size)
      return rewriter.notifyMatchFailure(op, "of a size that is not known");
    Value known = getValueOrCreateConstantIndexOp(rewriter, loc, size);
    Value holds = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                        indexOf(after[0]), known);
    cf::AssertOp::create(rewriter, loc, holds,
                         ("tensor.reshape: dimension " + Twine(after[0]) +
                          " of its result must be dimension " +
                          Twine(before[0]) + " of its operand")
                             .str());
  }
  Value elements = op.getSource();
  if (int64_t(groups->from.size()) != from.getRank())
    elements =
        tensor::CollapseShapeOp::create(rewriter, loc, elements, groups->from);
  if (int64_t(groups->to.size()) != to.getRank()) {
    SmallVector<OpFoldResult> sizes;
    for (auto [dim, size] : llvm::enumerate(to.getShape())) {
      if (!ShapedType::isDynamic(size)) {
        sizes.push_back(rewriter.getIndexAttr(size));
        continue;
      }
      sizes.push_back(indexOf(dim));
    }
    elements = tensor::ExpandShapeOp::create(rewriter, loc, to, elements,
                                             groups->to, sizes);
  }
  if (elements.getType() != to)
    return rewriter.notifyMatchFailure(op, "of other static sizes");
  rewriter.replaceOp(op, elements);
  return success();
}

void DecomposeAggregatesPass::runOnOperation() {
  WalkResult padding = getOperation()->walk(
      [](tensor::PadOp op) { return WalkResult(checkPadding(op)); });
  if (padding.wasInterrupted())
    return signalPassFailure();
  RewritePatternSet patterns(&getContext());
  patterns.add<DecomposeAggregate, DecomposeConcat, DecomposeGather,
               DecomposeReshape, CutNegativePadding,
               DecomposePacking<linalg::PackOp, linalg::lowerPack>,
               DecomposePacking<linalg::UnPackOp, linalg::lowerUnPack>>(
      &getContext());
  walkAndApplyPatterns(getOperation(), std::move(patterns));
  WalkResult scatter = getOperation()->walk([](tensor::ScatterOp op) {
    op.emitOpError("cannot be described: expected a result each of whose "
                   "elements is computed from what it reads, as by "
                   "linalg.generic with tensor.extract");
    return WalkResult::interrupt();
  });
  if (scatter.wasInterrupted())
    signalPassFailure();
}
