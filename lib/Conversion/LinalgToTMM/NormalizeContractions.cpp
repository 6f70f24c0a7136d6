//===- NormalizeContractions.cpp - any order of dimensions ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each loop of a contraction is along a batch, M, N or K, by the operands that
// it walks. Operands are brought into the order batch, M, K (or K, M), then
// adjacent dimensions of one kind become one, and a missing M or N becomes one
// of size 1. Tensors are transposed by linalg.transpose; memrefs are seen
// through a view where their elements stay where they are, and copied where
// not.
//
//===----------------------------------------------------------------------===//

#include "NormalizeContractions.h"

#include "ContractionMatch.h"
#include "OperandRewrites.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tc;

/// The dimensions of a batch that tmm.matmul takes.
static constexpr size_t kMaxBatchRank = 3;

namespace {

/// Loops of one kind.
using Group = SmallVector<unsigned, 2>;

/// The loops of a contraction by kind, each in the order in which the operands
/// will have them.
struct Kinds {
  Group batch, m, n, k;
};

/// What becomes of an operand: its dimensions in the order `permutation`, then
/// grouped.
struct Layout {
  SmallVector<int64_t> permutation;
  /// Groups of permuted dimensions, each of which becomes one dimension.
  SmallVector<ReassociationIndices> groups;
  /// How many dimensions of size 1 are added before the grouped dimension
  /// `unitDim`, or at the end.
  unsigned units = 0, unitDim = 0;

  bool isIdentity() const {
    return isIdentityPermutation(permutation) && units == 0 &&
           llvm::all_of(groups, [](auto &group) { return group.size() == 1; });
  }
};

/// Rewrites one contraction.
class Normalizer {
public:
  Normalizer(PatternRewriter &rewriter, linalg::LinalgOp op)
      : rewriter(rewriter), op(op), loc(op.getLoc()) {}

  /// Chooses the layouts; failure where the loops are no contraction, or
  /// nothing would change.
  LogicalResult plan();
  void rewrite();

private:
  AffineMap mapOf(unsigned operand) {
    return op.getIndexingMapsArray()[operand];
  }
  /// The loop along which the elements of `operand` are adjacent, as views need
  /// it to stay; the last one where there is none.
  unsigned getInnermost(unsigned operand);
  /// The loops of `operand` in the order of its dimensions that are in `loops`.
  Group inOrderOf(unsigned operand, const Group &loops);
  Layout layOut(unsigned operand, ArrayRef<Group> order, unsigned units);
  Value transpose(Value value, ArrayRef<int64_t> permutation);
  Value copy(Value value);
  Value regroup(Value value, const Layout &layout);
  Value see(Value value, const Layout &layout);
  Value makeInit(Value init, const Layout &layout);
  Value restore(Value result, Value like, const Layout &layout);
  SmallVector<OpFoldResult> sizesOf(Value value);
  Value makeEmpty(ArrayRef<OpFoldResult> sizes, Type element, bool isTensor);

  PatternRewriter &rewriter;
  linalg::LinalgOp op;
  Location loc;
  Kinds kinds;
  /// The operand that has M.
  unsigned ofA = 0;
  bool isTransposedA = false, isTransposedB = false;
  Layout a, b, d;
};

} // namespace

/// Whether the memref `value` can be grouped as `layout` says, with its
/// innermost elements adjacent.
static bool isRegroupable(Value value, const Layout &layout) {
  auto type = cast<MemRefType>(value.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) ||
      (!strides.empty() && strides.back() != 1))
    return false;
  bool isGrouped =
      llvm::any_of(layout.groups, [](auto &group) { return group.size() > 1; });
  return !isGrouped ||
         memref::CollapseShapeOp::isGuaranteedCollapsible(type, layout.groups);
}

unsigned Normalizer::getInnermost(unsigned operand) {
  AffineMap map = mapOf(operand);
  unsigned dim = map.getNumResults() - 1;
  if (auto type = dyn_cast<MemRefType>(op->getOperand(operand).getType())) {
    SmallVector<int64_t> strides;
    int64_t offset;
    if (failed(type.getStridesAndOffset(strides, offset)))
      return map.getDimPosition(dim);
    for (unsigned other = 0; strides[dim] != 1 && other < strides.size();
         ++other)
      if (strides[other] == 1)
        dim = other;
  }
  return map.getDimPosition(dim);
}

Group Normalizer::inOrderOf(unsigned operand, const Group &loops) {
  Group result;
  for (AffineExpr expr : mapOf(operand).getResults()) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    if (llvm::is_contained(loops, loop))
      result.push_back(loop);
  }
  return result;
}

Layout Normalizer::layOut(unsigned operand, ArrayRef<Group> order,
                          unsigned units) {
  Layout layout;
  layout.units = units;
  // After the batch.
  layout.unitDim = order.size() - 2;
  AffineMap map = mapOf(operand);
  for (const Group &group : order) {
    ReassociationIndices dims;
    for (unsigned loop : group) {
      dims.push_back(layout.permutation.size());
      layout.permutation.push_back(
          *map.getResultPosition(getAffineDimExpr(loop, map.getContext())));
    }
    if (!dims.empty())
      layout.groups.push_back(dims);
  }
  return layout;
}

LogicalResult Normalizer::plan() {
  for (AffineMap map : op.getIndexingMapsArray())
    if (!map.isProjectedPermutation())
      return failure();
  Kinds found;
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    bool inA = mapOf(0).isFunctionOfDim(loop),
         inB = mapOf(1).isFunctionOfDim(loop),
         inD = mapOf(2).isFunctionOfDim(loop);
    bool isReduction = iterator == utils::IteratorType::reduction;
    if (isReduction ? !inA || !inB || inD : !inD || (!inA && !inB))
      return failure();
    Group &group = isReduction  ? found.k
                   : inA && inB ? found.batch
                   : inA        ? found.m
                                : found.n;
    group.push_back(loop);
  }
  if (found.k.empty())
    return failure();
  // D's rows are M, those of the input whose dimension comes first in D; where
  // there is only one of the two D is a row, not a column.
  Group outer = found.m;
  llvm::append_range(outer, found.n);
  if (!found.m.empty() &&
      (found.n.empty() ||
       llvm::is_contained(found.n, inOrderOf(2, outer).front())))
    ofA = 1;
  if (ofA == 1)
    std::swap(found.m, found.n);
  kinds.batch = inOrderOf(2, found.batch);
  kinds.m = inOrderOf(2, found.m);
  kinds.n = inOrderOf(2, found.n);
  kinds.k = inOrderOf(ofA, found.k);

  auto endsWithK = [&](unsigned operand) {
    return llvm::is_contained(kinds.k, getInnermost(operand));
  };
  isTransposedA = !endsWithK(ofA) && !kinds.m.empty();
  isTransposedB = endsWithK(1 - ofA) || kinds.n.empty();
  SmallVector<Group> batch;
  if (kinds.batch.size() > kMaxBatchRank)
    batch.push_back(kinds.batch);
  else
    for (unsigned loop : kinds.batch)
      batch.push_back({loop});
  auto with = [&](const Group &first, const Group &second) {
    SmallVector<Group> order = batch;
    order.push_back(first);
    order.push_back(second);
    return order;
  };
  a = layOut(ofA,
             isTransposedA ? with(kinds.k, kinds.m) : with(kinds.m, kinds.k),
             kinds.m.empty());
  b = layOut(1 - ofA,
             isTransposedB ? with(kinds.n, kinds.k) : with(kinds.k, kinds.n),
             kinds.n.empty());
  d = layOut(2, with(kinds.m, kinds.n), kinds.m.empty() + kinds.n.empty());
  auto isTaken = [](Value value, const Layout &layout) {
    return layout.isIdentity() &&
           (isa<TensorType>(value.getType()) || isRegroupable(value, layout));
  };
  return success(!isTaken(op->getOperand(ofA), a) ||
                 !isTaken(op->getOperand(1 - ofA), b) ||
                 !isTaken(op->getOperand(2), d));
}

SmallVector<OpFoldResult> Normalizer::sizesOf(Value value) {
  return isa<TensorType>(value.getType())
             ? tensor::getMixedSizes(rewriter, loc, value)
             : memref::getMixedSizes(rewriter, loc, value);
}

Value Normalizer::makeEmpty(ArrayRef<OpFoldResult> sizes, Type element,
                            bool isTensor) {
  if (isTensor)
    return tensor::EmptyOp::create(rewriter, loc, sizes, element);
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamic;
  dispatchIndexOpFoldResults(sizes, dynamic, shape);
  return memref::AllocOp::create(rewriter, loc, MemRefType::get(shape, element),
                                 dynamic);
}

/// `value` with its dimensions in the order `permutation`: of memrefs a view.
Value Normalizer::transpose(Value value, ArrayRef<int64_t> permutation) {
  if (isIdentityPermutation(permutation))
    return value;
  if (isa<MemRefType>(value.getType()))
    return memref::TransposeOp::create(
        rewriter, loc, value,
        AffineMapAttr::get(
            AffineMap::getPermutationMap(permutation, rewriter.getContext())));
  SmallVector<OpFoldResult> sizes =
      applyPermutation(sizesOf(value), permutation);
  Value empty =
      makeEmpty(sizes, getElementTypeOrSelf(value), /*isTensor=*/true);
  return linalg::TransposeOp::create(rewriter, loc, value, empty, permutation)
      .getResult()[0];
}

/// A memref with the elements of the memref `value` one after the other.
Value Normalizer::copy(Value value) {
  Value result = makeEmpty(sizesOf(value), getElementTypeOrSelf(value),
                           /*isTensor=*/false);
  memref::CopyOp::create(rewriter, loc, value, result);
  return result;
}

/// The groups of dimensions that each grouped dimension becomes with those of
/// size 1; `one` is called where one is added, `other` for each of the others.
static SmallVector<ReassociationIndices>
addUnits(const Layout &layout, function_ref<void()> one,
         function_ref<void(unsigned)> other) {
  unsigned rank = layout.groups.size();
  SmallVector<ReassociationIndices> groups(rank);
  int64_t next = 0;
  auto addOnes = [&](unsigned dim) {
    for (unsigned i = 0; i < layout.units; ++i, ++next) {
      one();
      if (dim < rank)
        groups[dim].push_back(next);
    }
  };
  for (unsigned dim = 0; dim < rank; ++dim) {
    if (dim == layout.unitDim)
      addOnes(dim);
    groups[dim].push_back(next++);
    other(dim);
  }
  if (layout.unitDim >= rank)
    addOnes(rank == 0 ? 0 : rank - 1);
  return groups;
}

/// `value`, permuted, grouped and with dimensions of size 1.
Value Normalizer::regroup(Value value, const Layout &layout) {
  bool isTensor = isa<TensorType>(value.getType());
  if (llvm::any_of(layout.groups,
                   [](auto &group) { return group.size() > 1; })) {
    if (isTensor)
      value =
          tensor::CollapseShapeOp::create(rewriter, loc, value, layout.groups);
    else
      value =
          memref::CollapseShapeOp::create(rewriter, loc, value, layout.groups);
  }
  if (layout.units == 0)
    return value;
  SmallVector<OpFoldResult> old = sizesOf(value), sizes;
  SmallVector<ReassociationIndices> groups = addUnits(
      layout, [&] { sizes.push_back(rewriter.getIndexAttr(1)); },
      [&](unsigned dim) { sizes.push_back(old[dim]); });
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamic;
  dispatchIndexOpFoldResults(sizes, dynamic, shape);
  if (isTensor)
    return tensor::ExpandShapeOp::create(
        rewriter, loc,
        RankedTensorType::get(shape, getElementTypeOrSelf(value)), value,
        groups, sizes);
  return memref::ExpandShapeOp::create(rewriter, loc, shape, value, groups,
                                       sizes);
}

/// `value` as `layout` has it.
Value Normalizer::see(Value value, const Layout &layout) {
  value = transpose(value, layout.permutation);
  if (isa<MemRefType>(value.getType()) && !isRegroupable(value, layout))
    value = copy(value);
  return regroup(value, layout);
}

/// The initial value `init`, a tensor, as `layout` has it: where it is filled
/// with one value so is the other.
Value Normalizer::makeInit(Value init, const Layout &layout) {
  auto fill = init.getDefiningOp<linalg::FillOp>();
  if (!fill)
    return see(init, layout);
  Value empty = makeEmpty(applyPermutation(sizesOf(init), layout.permutation),
                          getElementTypeOrSelf(init), /*isTensor=*/true);
  Value grouped = regroup(empty, layout);
  return linalg::FillOp::create(rewriter, loc, fill.getInputs(), grouped)
      .getResult(0);
}

/// The tensor `result`, which is laid out as `layout` says, as `like`.
Value Normalizer::restore(Value result, Value like, const Layout &layout) {
  auto type = cast<RankedTensorType>(like.getType());
  SmallVector<OpFoldResult> sizes =
      applyPermutation(sizesOf(like), layout.permutation);
  if (layout.units != 0)
    result = tensor::CollapseShapeOp::create(
        rewriter, loc, result, addUnits(layout, [] {}, [](unsigned) {}));
  if (llvm::any_of(layout.groups,
                   [](auto &group) { return group.size() > 1; })) {
    SmallVector<int64_t> shape;
    SmallVector<Value> dynamic;
    dispatchIndexOpFoldResults(sizes, dynamic, shape);
    result = tensor::ExpandShapeOp::create(
        rewriter, loc, RankedTensorType::get(shape, type.getElementType()),
        result, layout.groups, sizes);
  }
  result = transpose(result, invertPermutationVector(layout.permutation));
  if (result.getType() != type)
    result = tensor::CastOp::create(rewriter, loc, type, result);
  return result;
}

void Normalizer::rewrite() {
  Value init = op.getDpsInitOperand(0)->get();
  bool isTensor = isa<TensorType>(init.getType());
  Value matrixA = see(op.getDpsInputOperand(ofA)->get(), a);
  Value matrixB = see(op.getDpsInputOperand(1 - ofA)->get(), b);
  Value matrixD;
  if (isTensor) {
    matrixD = makeInit(init, d);
  } else {
    Value target = transpose(init, d.permutation);
    // Written elsewhere first, where D cannot be seen as matrices.
    Value written = isRegroupable(target, d) ? target : copy(target);
    matrixD = regroup(written, d);
    if (written != target) {
      rewriter.setInsertionPointAfter(op);
      memref::CopyOp::create(rewriter, loc, written, target);
      rewriter.setInsertionPoint(op);
    }
  }

  MLIRContext *context = rewriter.getContext();
  unsigned batchRank = cast<ShapedType>(matrixD.getType()).getRank() - 2;
  auto makeMap = [&](ArrayRef<unsigned> matrix) {
    SmallVector<unsigned> dims = llvm::to_vector(llvm::seq(0u, batchRank));
    for (unsigned dim : matrix)
      dims.push_back(batchRank + dim);
    return AffineMap::getMultiDimMapWithTargets(batchRank + 3, dims, context);
  };
  AffineMap maps[] = {isTransposedA ? makeMap({2, 0}) : makeMap({0, 2}),
                      isTransposedB ? makeMap({1, 2}) : makeMap({2, 1}),
                      makeMap({0, 1})};
  SmallVector<utils::IteratorType> iterators(batchRank + 2,
                                             utils::IteratorType::parallel);
  iterators.push_back(utils::IteratorType::reduction);
  Block *body = op.getBlock();
  auto generic = linalg::GenericOp::create(
      rewriter, loc, isTensor ? TypeRange(matrixD.getType()) : TypeRange(),
      ValueRange{matrixA, matrixB}, ValueRange{matrixD}, maps, iterators,
      [&](OpBuilder &builder, Location, ValueRange arguments) {
        IRMapping mapping;
        mapping.map(body->getArgument(0), arguments[ofA]);
        mapping.map(body->getArgument(1), arguments[1 - ofA]);
        mapping.map(body->getArgument(2), arguments[2]);
        for (Operation &inner : *body)
          builder.clone(inner, mapping);
      });
  if (isTensor)
    rewriter.replaceOp(op, restore(generic.getResult(0), init, d));
  else
    rewriter.eraseOp(op);
}

namespace {

/// Before:
///   linalg.batch_reduce_matmul ins(%a, %b : tensor<4x64x32xbf16>,
///       tensor<4x32x48xbf16>) outs(%d : tensor<64x48xf32>)
/// After: A transposed to 64x4x32 and collapsed to 64x128, B to 128x48, and
///   linalg.generic of (m, k) and (k, n).
struct NormalizeContraction : OpInterfaceRewritePattern<linalg::LinalgOp> {
  NormalizeContraction(MLIRContext *context, bool allowTf32)
      : OpInterfaceRewritePattern(context), allowTf32(allowTf32) {}

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    std::string reason;
    if (!isAnyContraction(op) || failed(matchArithmetic(op, reason)))
      return rewriter.notifyMatchFailure(op, "no contraction of two inputs");
    if (succeeded(matchContraction(op, allowTf32, reason)))
      return rewriter.notifyMatchFailure(op, "of matrices already");
    if (!op.hasPureTensorSemantics() && !op.hasPureBufferSemantics())
      return rewriter.notifyMatchFailure(op, "of tensors and memrefs");
    Normalizer normalizer(rewriter, op);
    if (failed(normalizer.plan()))
      return rewriter.notifyMatchFailure(op, "nothing to change");
    normalizer.rewrite();
    return success();
  }

  bool allowTf32;
};

/// A sum over a dimension of one input alone becomes one of both: the other
/// input is repeated along it, because the sum of that dimension would need
/// more bits than elements have.
/// Before: sum over j, k of a[i, j, k] * b[k, l]
/// After:  sum over j, k of a[i, j, k] * c[j, k, l] with c[j, k, l] = b[k, l]
struct RepeatAlongLoneSums : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override;
};

} // namespace

LogicalResult
RepeatAlongLoneSums::matchAndRewrite(linalg::LinalgOp op,
                                     PatternRewriter &rewriter) const {
  // Whatever the body is: zero points are taken out of it afterwards.
  if (!isAnyContraction(op) || op.getNumDpsInputs() != 2 ||
      op.getNumDpsInits() != 1)
    return rewriter.notifyMatchFailure(op, "no contraction of two inputs");
  bool isTensor = op.hasPureTensorSemantics();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if ((!isTensor && !op.hasPureBufferSemantics()) ||
      !llvm::all_of(maps,
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return rewriter.notifyMatchFailure(op, "not of whole tensors or memrefs");
  // Of each input the loops that it lacks.
  SmallVector<unsigned> reductions, lacking[2];
  op.getReductionDims(reductions);
  for (unsigned loop : reductions)
    for (unsigned number : {0, 1})
      if (!maps[number].isFunctionOfDim(loop) &&
          maps[1 - number].isFunctionOfDim(loop))
        lacking[number].push_back(loop);
  if (lacking[0].empty() && lacking[1].empty())
    return rewriter.notifyMatchFailure(op, "sums are along both inputs");

  Location loc = op.getLoc();
  Value values[2] = {op.getDpsInputOperand(0)->get(),
                     op.getDpsInputOperand(1)->get()};
  SmallVector<OpFoldResult> sizes[2] = {getSizes(rewriter, loc, values[0]),
                                        getSizes(rewriter, loc, values[1])};
  SmallVector<AffineMap> newMaps = maps;
  SmallVector<Value> inputs(values, values + 2);
  for (unsigned number : {0, 1}) {
    if (lacking[number].empty())
      continue;
    SmallVector<OpFoldResult> all;
    SmallVector<AffineExpr> results;
    for (unsigned loop : lacking[number]) {
      AffineExpr expr = rewriter.getAffineDimExpr(loop);
      all.push_back(
          sizes[1 - number][*maps[1 - number].getResultPosition(expr)]);
      results.push_back(expr);
    }
    llvm::append_range(all, sizes[number]);
    llvm::append_range(results, maps[number].getResults());
    newMaps[number] =
        AffineMap::get(op.getNumLoops(), 0, results, op.getContext());
    Value output = makeOutput(rewriter, loc, all,
                              getElementTypeOrSelf(values[number]), isTensor);
    auto repeated = linalg::BroadcastOp::create(
        rewriter, loc, values[number], output,
        llvm::to_vector(llvm::seq<int64_t>(0, lacking[number].size())));
    inputs[number] = isTensor ? repeated->getResult(0) : output;
  }
  auto generic = linalg::GenericOp::create(
      rewriter, loc, op->getResultTypes(), inputs, op.getDpsInits(), newMaps,
      op.getIteratorTypesArray(),
      [&](OpBuilder &builder, Location, ValueRange arguments) {
        IRMapping mapping;
        mapping.map(op.getBlock()->getArguments(), arguments);
        for (Operation &inner : *op.getBlock())
          builder.clone(inner, mapping);
      });
  rewriter.replaceOp(op, generic);
  return success();
}

void tc::populateNormalizeContractionPatterns(RewritePatternSet &patterns,
                                              bool allowTf32) {
  MLIRContext *context = patterns.getContext();
  patterns.add<NormalizeContraction>(context, allowTf32);
  patterns.add<RepeatAlongLoneSums>(context);
  // A transposition and its inverse cancel.
  linalg::TransposeOp::getCanonicalizationPatterns(patterns, context);
  tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
  tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
}
