//===- MergeTiles.cpp - tiles of one operation are one ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop whose iterations are tiles of operations on whole matrices would be a
// launch for each tile. Where the slices along a number of the loop follow each
// other, and each operation has one loop of its own along them, the operations
// on what the slices cover together are the same: iterations touch nothing in
// common but what they read.
//
//===----------------------------------------------------------------------===//

#include "tc/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace tc {
#define GEN_PASS_DEF_MERGETILESPASS
#include "tc/Transforms/Passes.h.inc"
} // namespace tc

using namespace mlir;

namespace {

struct MergeTilesPass : tc::impl::MergeTilesPassBase<MergeTilesPass> {
  void runOnOperation() override;
};

/// For each number of the loop the dimension of a tile along which its slices
/// follow each other.
using TileDims = SmallVector<std::optional<unsigned>, 2>;

/// A slice of what is outside of the loop.
struct Slice {
  Value source;
  SmallVector<OpFoldResult> offsets, sizes, strides;
  TileDims dims;

  bool operator==(const Slice &other) const {
    return source == other.source && offsets == other.offsets &&
           sizes == other.sizes && strides == other.strides;
  }
};

/// One loop, of tiles as long as nothing says otherwise.
class TileLoop {
public:
  explicit TileLoop(LoopLikeOpInterface loop) : loop(loop) {}

  /// Whether its iterations are tiles; changes nothing.
  bool match();
  /// Replaces it by what its tiles are together.
  void merge(RewriterBase &rewriter);

private:
  bool matchBounds();
  bool matchSlice(OffsetSizeAndStrideOpInterface op, Value source,
                  int64_t rank);
  bool matchWork(linalg::LinalgOp op);
  bool matchOutputs();
  /// The number of the loop of which `offset` is a multiple, and the factor.
  std::optional<std::pair<unsigned, int64_t>> matchOffset(OpFoldResult offset);
  bool isOutside(Value value) { return loop.isDefinedOutsideOfLoop(value); }
  /// The value outside of the loop that `value`, an output of the loop or a
  /// value from outside, is when it begins; null for others.
  Value getInit(Value value);
  const TileDims *getDims(Value value);
  /// What all tiles of the slice `op` are.
  Slice getWhole(Operation *op);

  LoopLikeOpInterface loop;
  SmallVector<int64_t> lower, upper, step;
  /// Slices that are read or written, and inserted, by operation.
  llvm::MapVector<Operation *, Slice> slices;
  /// Dimensions of the tiles that values of the body are.
  DenseMap<Value, TileDims> tiles;
  SmallVector<linalg::LinalgOp> work;
  /// Whether a number of the loop is along what is summed.
  bool isSum = false;
};

} // namespace

bool TileLoop::matchBounds() {
  auto lows = loop.getLoopLowerBounds(), highs = loop.getLoopUpperBounds(),
       steps = loop.getLoopSteps();
  if (!lows || !highs || !steps || !loop.getLoopInductionVars())
    return false;
  for (auto [low, high, by] : llvm::zip_equal(*lows, *highs, *steps)) {
    std::optional<int64_t> from = getConstantIntValue(low),
                           to = getConstantIntValue(high),
                           distance = getConstantIntValue(by);
    if (!from || !to || !distance || *distance < 1 || *to <= *from ||
        (*to - *from) % *distance != 0)
      return false;
    lower.push_back(*from);
    upper.push_back(*to);
    step.push_back(*distance);
  }
  return true;
}

std::optional<std::pair<unsigned, int64_t>>
TileLoop::matchOffset(OpFoldResult offset) {
  auto value = dyn_cast<Value>(offset);
  int64_t factor = 1;
  if (!value)
    return std::nullopt;
  if (auto apply = value.getDefiningOp<affine::AffineApplyOp>()) {
    AffineMap map = apply.getAffineMap();
    auto product = dyn_cast<AffineBinaryOpExpr>(map.getResult(0));
    if (map.getNumInputs() != 1 || !product ||
        product.getKind() != AffineExprKind::Mul)
      return std::nullopt;
    auto constant = dyn_cast<AffineConstantExpr>(product.getRHS());
    if (!constant || !isa<AffineDimExpr, AffineSymbolExpr>(product.getLHS()))
      return std::nullopt;
    factor = constant.getValue();
    value = apply.getOperand(0);
  } else if (auto product = value.getDefiningOp<arith::MulIOp>()) {
    std::optional<int64_t> constant = getConstantIntValue(product.getRhs());
    if (!constant)
      return std::nullopt;
    factor = *constant;
    value = product.getLhs();
  }
  SmallVector<Value> numbers = *loop.getLoopInductionVars();
  auto *number = llvm::find(numbers, value);
  if (number == numbers.end() || factor < 1)
    return std::nullopt;
  return std::pair(unsigned(number - numbers.begin()), factor);
}

Value TileLoop::getInit(Value value) {
  if (isOutside(value))
    return value;
  if (auto forall = dyn_cast<scf::ForallOp>(*loop)) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && llvm::is_contained(forall.getRegionOutArgs(), argument)
               ? forall.getTiedOpOperand(argument)->get()
               : Value();
  }
  if (auto one = dyn_cast<scf::ForOp>(*loop)) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && llvm::is_contained(one.getRegionIterArgs(), argument)
               ? one.getTiedLoopInit(argument)->get()
               : Value();
  }
  return {};
}

bool TileLoop::matchSlice(OffsetSizeAndStrideOpInterface op, Value source,
                          int64_t rank) {
  Slice slice{source, op.getMixedOffsets(), op.getMixedSizes(),
              op.getMixedStrides(), TileDims(lower.size())};
  // Slices that drop dimensions are left alone.
  if (!getInit(source) || int64_t(slice.offsets.size()) != rank)
    return false;
  auto isFixed = [&](OpFoldResult value) {
    return getConstantIntValue(value) || isOutside(cast<Value>(value));
  };
  if (!llvm::all_of(slice.sizes, isFixed) ||
      !llvm::all_of(slice.strides, isFixed))
    return false;
  for (auto [dim, offset] : llvm::enumerate(slice.offsets)) {
    auto along = matchOffset(offset);
    if (!along) {
      if (!isFixed(offset))
        return false;
      continue;
    }
    auto [number, factor] = *along;
    if (slice.dims[number] || !isConstantIntValue(slice.strides[dim], 1) ||
        getConstantIntValue(slice.sizes[dim]) != factor * step[number])
      return false;
    slice.dims[number] = dim;
  }
  slices.insert({op, slice});
  return true;
}

const TileDims *TileLoop::getDims(Value value) {
  auto known = tiles.find(value);
  return known == tiles.end() ? nullptr : &known->second;
}

static bool isConstant(Operation *op) {
  return op && op->hasTrait<OpTrait::ConstantLike>();
}

bool TileLoop::matchWork(linalg::LinalgOp op) {
  bool isTensor = op.hasPureTensorSemantics();
  if ((!isTensor && !op.hasPureBufferSemantics()) || op.hasIndexSemantics() ||
      op.getNumDpsInits() != 1)
    return false;
  // The loop of `op` along each number.
  SmallVector<std::optional<unsigned>> along(lower.size());
  for (OpOperand &operand : op->getOpOperands()) {
    const TileDims *dims = getDims(operand.get());
    Operation *definition = operand.get().getDefiningOp();
    if (!dims && !isOutside(operand.get()) && !isConstant(definition))
      return false;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [number, loopOf] : llvm::enumerate(along)) {
      std::optional<unsigned> dim =
          dims ? (*dims)[number] : std::optional<unsigned>();
      if (!dim)
        continue;
      auto index = dyn_cast<AffineDimExpr>(map.getResult(*dim));
      if (!index || (loopOf && *loopOf != index.getPosition()))
        return false;
      loopOf = index.getPosition();
    }
  }
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  for (auto [number, loopOf] : llvm::enumerate(along)) {
    // The same for all iterations.
    if (!loopOf)
      return false;
    if (iterators[*loopOf] == utils::IteratorType::reduction)
      isSum = true;
    for (auto other : ArrayRef(along).drop_front(number + 1))
      if (other == loopOf)
        return false;
    // What walks the loop is as long as the others.
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      const TileDims *dims = getDims(operand.get());
      for (auto [dim, index] : llvm::enumerate(map.getResults()))
        if (index.isFunctionOfDim(*loopOf) &&
            (!dims || (*dims)[number] != std::optional<unsigned>(dim)))
          return false;
    }
  }
  work.push_back(op);
  // What its body reads of the loop's would be of one iteration.
  WalkResult captures = op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (inner != op &&
          !op->isAncestor(operand.getParentBlock()->getParentOp()) &&
          !isOutside(operand) && !isConstant(operand.getDefiningOp()))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  if (captures.wasInterrupted())
    return false;
  if (isTensor) {
    const TileDims *dims = getDims(op.getDpsInits()[0]);
    tiles[op->getResult(0)] = dims ? *dims : TileDims(lower.size());
  }
  return true;
}

/// The memref of which `value` is a view.
static Value getBuffer(Value value) {
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
    value = view.getViewSource();
  return value;
}

/// The element type in which nothing is rounded between two parts of a sum.
static bool keepsSums(Type type) {
  return type.isF32() || type.isF64() || type.isInteger(32);
}

bool TileLoop::matchOutputs() {
  if (work.empty())
    return false;
  if (isSum) {
    // Along K alone, in order, and added where it was before.
    linalg::LinalgOp op = work.front();
    auto one = dyn_cast<scf::ForOp>(*loop);
    Value init = op.getDpsInits()[0];
    if (work.size() != 1 || !one ||
        !keepsSums(getElementTypeOrSelf(init.getType())))
      return false;
    if (op.hasPureTensorSemantics())
      return one.getNumResults() == 1 && init == one.getRegionIterArgs()[0] &&
             init.hasOneUse() && one.getYieldedValues()[0] == op->getResult(0);
    for (Value input : op.getDpsInputs()) {
      auto found = slices.find(input.getDefiningOp());
      if (getBuffer(found == slices.end() ? input : found->second.source) ==
          getBuffer(init))
        return false;
    }
    return one.getNumResults() == 0 && isOutside(init);
  }
  Block &body = loop.getLoopRegions().front()->front();
  // Where tiles are written they are the only access.
  for (linalg::LinalgOp op : work) {
    if (op.hasPureTensorSemantics())
      continue;
    Operation *written = op.getDpsInits()[0].getDefiningOp();
    auto found = slices.find(written);
    if (found == slices.end())
      return false;
    Value buffer = getBuffer(found->second.source);
    for (auto &[other, slice] : slices)
      if (getBuffer(slice.source) == buffer && !(slice == found->second))
        return false;
    for (linalg::LinalgOp other : work)
      for (Value operand : other->getOperands())
        if (isOutside(operand) && getBuffer(operand) == buffer)
          return false;
  }
  // Outputs are put together of their tiles.
  auto isOfTiles = [&](Value argument, Operation *insert) {
    auto found = slices.find(insert);
    if (found == slices.end() || found->second.source != argument)
      return false;
    return llvm::all_of(argument.getUsers(), [&](Operation *user) {
      auto other = slices.find(user);
      return other != slices.end() && other->second == found->second;
    });
  };
  if (auto forall = dyn_cast<scf::ForallOp>(*loop)) {
    auto inserts = forall.getTerminator().getYieldingOps();
    SmallVector<Operation *> all;
    for (Operation &insert : inserts)
      all.push_back(&insert);
    llvm::SmallPtrSet<Value, 4> outputs;
    for (Operation *insert : all)
      outputs.insert(cast<tensor::ParallelInsertSliceOp>(insert).getDest());
    if (all.size() != forall.getNumResults() || outputs.size() != all.size())
      return false;
    for (Operation *insert : all)
      if (!isOfTiles(cast<tensor::ParallelInsertSliceOp>(insert).getDest(),
                     insert))
        return false;
    return true;
  }
  if (auto one = dyn_cast<scf::ForOp>(*loop)) {
    for (auto [argument, yielded] :
         llvm::zip_equal(one.getRegionIterArgs(), one.getYieldedValues())) {
      Operation *insert = yielded.getDefiningOp();
      if (!insert || !yielded.hasOneUse() || !isOfTiles(argument, insert))
        return false;
    }
    return true;
  }
  return body.getTerminator()->getNumOperands() == 0;
}

bool TileLoop::match() {
  if (!isa<scf::ForOp, scf::ForallOp, scf::ParallelOp>(*loop) || !matchBounds())
    return false;
  Block &body = loop.getLoopRegions().front()->front();
  if (auto one = dyn_cast<scf::ForOp>(*loop))
    // Sums are kept in it as they are.
    for (Value argument : one.getRegionIterArgs())
      tiles[argument] = TileDims(1);
  auto matchInsert = [&](auto insert) {
    if (!matchSlice(insert, insert.getDest(), insert.getSourceType().getRank()))
      return false;
    const TileDims *dims = getDims(insert.getSource());
    return dims && *dims == slices[insert].dims;
  };
  for (Operation &op : body.without_terminator()) {
    bool isMatched = false;
    if (auto view = dyn_cast<memref::SubViewOp>(op)) {
      isMatched = matchSlice(view, view.getSource(), view.getType().getRank());
      tiles[view] = isMatched ? slices[&op].dims : TileDims();
    } else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
      isMatched =
          matchSlice(slice, slice.getSource(), slice.getType().getRank());
      tiles[slice] = isMatched ? slices[&op].dims : TileDims();
    } else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
      isMatched = matchInsert(insert);
    } else if (auto linalg = dyn_cast<linalg::LinalgOp>(op)) {
      isMatched = matchWork(linalg);
    } else {
      isMatched = isPure(&op) && op.getNumRegions() == 0 &&
                  llvm::none_of(op.getResultTypes(), llvm::IsaPred<ShapedType>);
    }
    if (!isMatched)
      return false;
  }
  if (auto forall = dyn_cast<scf::ForallOp>(*loop))
    for (Operation &op : forall.getTerminator().getYieldingOps()) {
      auto insert = dyn_cast<tensor::ParallelInsertSliceOp>(op);
      if (!insert || !matchInsert(insert))
        return false;
    }
  return matchOutputs();
}

Slice TileLoop::getWhole(Operation *op) {
  Slice slice = slices[op];
  Builder b(op->getContext());
  for (auto [number, dim] : llvm::enumerate(slice.dims)) {
    if (!dim)
      continue;
    int64_t factor = matchOffset(slice.offsets[*dim])->second;
    slice.offsets[*dim] = b.getIndexAttr(factor * lower[number]);
    slice.sizes[*dim] =
        b.getIndexAttr(factor * (upper[number] - lower[number]));
  }
  // Constants of the body are attributes outside of it.
  auto fold = [&](OpFoldResult &value) {
    if (std::optional<int64_t> known = getConstantIntValue(value))
      value = b.getIndexAttr(*known);
  };
  llvm::for_each(slice.offsets, fold);
  llvm::for_each(slice.sizes, fold);
  llvm::for_each(slice.strides, fold);
  return slice;
}

/// Whether `slice` is all of a value of `type`.
static bool isAll(const Slice &slice, ShapedType type) {
  return llvm::all_of(llvm::zip_equal(slice.offsets, slice.sizes, slice.strides,
                                      type.getShape()),
                      [](auto each) {
                        auto [offset, size, stride, extent] = each;
                        return isConstantIntValue(offset, 0) &&
                               isConstantIntValue(stride, 1) &&
                               getConstantIntValue(size) ==
                                   std::optional<int64_t>(extent);
                      });
}

void TileLoop::merge(RewriterBase &rewriter) {
  rewriter.setInsertionPoint(loop);
  Block &body = loop.getLoopRegions().front()->front();
  IRMapping mapping;
  auto outer = [&](Value value) {
    if (Value known = mapping.lookupOrNull(value))
      return known;
    Value init = getInit(value);
    return init ? init : value;
  };
  auto insert = [&](auto op) -> Value {
    Slice slice = getWhole(op);
    Value source = outer(op.getSource()), into = outer(op.getDest());
    if (isAll(slice, op.getDestType()))
      return source;
    return tensor::InsertSliceOp::create(rewriter, op.getLoc(), source, into,
                                         slice.offsets, slice.sizes,
                                         slice.strides)
        .getResult();
  };
  for (Operation &op : body.without_terminator()) {
    if (auto view = dyn_cast<memref::SubViewOp>(op)) {
      Slice slice = getWhole(view);
      Value source = view.getSource();
      if (!isAll(slice, view.getSourceType()))
        source = memref::SubViewOp::create(rewriter, view.getLoc(), source,
                                           slice.offsets, slice.sizes,
                                           slice.strides);
      mapping.map(view.getResult(), source);
    } else if (auto extract = dyn_cast<tensor::ExtractSliceOp>(op)) {
      Slice slice = getWhole(extract);
      Value source = outer(extract.getSource());
      if (!isAll(slice, extract.getSourceType()))
        source = tensor::ExtractSliceOp::create(rewriter, extract.getLoc(),
                                                source, slice.offsets,
                                                slice.sizes, slice.strides);
      mapping.map(extract.getResult(), source);
    } else if (auto into = dyn_cast<tensor::InsertSliceOp>(op)) {
      mapping.map(into.getResult(), insert(into));
    } else if (auto linalg = dyn_cast<linalg::LinalgOp>(op)) {
      SmallVector<Value> operands =
          llvm::map_to_vector(op.getOperands(), outer);
      SmallVector<Type> types;
      if (linalg.hasPureTensorSemantics())
        types.push_back(
            operands[linalg.getDpsInitsMutable()[0].getOperandNumber()]
                .getType());
      Operation *whole = clone(rewriter, &op, types, operands);
      whole->walk([&](Operation *inner) {
        for (OpOperand &operand : inner->getOpOperands())
          operand.set(mapping.lookupOrDefault(operand.get()));
      });
      mapping.map(op.getResults(), whole->getResults());
    } else if (op.hasTrait<OpTrait::ConstantLike>()) {
      rewriter.clone(op, mapping);
    }
  }
  SmallVector<Value> results(loop->getNumResults());
  if (auto forall = dyn_cast<scf::ForallOp>(*loop)) {
    for (Operation &op : forall.getTerminator().getYieldingOps()) {
      auto into = cast<tensor::ParallelInsertSliceOp>(op);
      auto argument = cast<BlockArgument>(into.getDest());
      results[argument.getArgNumber() - forall.getRank()] = insert(into);
    }
  } else if (auto one = dyn_cast<scf::ForOp>(*loop)) {
    for (auto [result, yielded] :
         llvm::zip_equal(results, one.getYieldedValues()))
      result = outer(yielded);
  }
  rewriter.replaceOp(loop, results);
}

void MergeTilesPass::runOnOperation() {
  SmallVector<LoopLikeOpInterface> loops;
  // Innermost first: what it becomes may be a tile of the outer one.
  getOperation()->walk([&](LoopLikeOpInterface loop) {
    if (!loop->getParentOfType<gpu::GPUModuleOp>())
      loops.push_back(loop);
  });
  IRRewriter rewriter(&getContext());
  for (LoopLikeOpInterface loop : loops) {
    TileLoop tiles(loop);
    if (!tiles.match())
      continue;
    tiles.merge(rewriter);
    ++numMerged;
  }
}
