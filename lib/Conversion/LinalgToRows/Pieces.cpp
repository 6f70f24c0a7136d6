//===- Pieces.cpp - tensors that are put together of parts ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A concatenation, a pad or a rotation is in no memory where a kernel of rows
// reads it: an element is that of the part at its place, chosen by the place.
// Parts are operands at places that are moved, and zero outside; what is
// computed of parts alone is computed there.
//
//===----------------------------------------------------------------------===//

#include "RowGroup.h"
#include "SizeOrigin.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tc;

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

TypedAttr tc::getSplat(Value value) {
  Attribute attr;
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    value = fill.getInputs().front();
  if (!matchPattern(value, m_Constant(&attr)))
    return {};
  if (auto splat = dyn_cast<SplatElementsAttr>(attr))
    attr = splat.getSplatValue<Attribute>();
  return isa<FloatAttr, IntegerAttr>(attr) ? cast<TypedAttr>(attr)
                                           : TypedAttr();
}

/// Numbers that are added to places: less than dimensions may have elements.
static bool isOffset(int64_t offset) {
  return offset > -tmm::kMostRowElements && offset < tmm::kMostRowElements;
}

/// Whether offsets, strides and the sizes of parts are known, but those of
/// whole dimensions.
static bool isStaticPart(tensor::InsertSliceOp insert) {
  auto isOne = [](int64_t stride) { return stride == 1; };
  if (!llvm::all_of(insert.getStaticOffsets(), isOffset) ||
      !llvm::all_of(insert.getStaticStrides(), isOne))
    return false;
  llvm::SmallBitVector dropped = insert.getDroppedDims();
  unsigned at = 0;
  for (auto [dim, offset] : llvm::enumerate(insert.getStaticOffsets()))
    if (!dropped[dim] && insert.getSourceType().isDynamicDim(at++) &&
        (offset != 0 || SizeOrigin::of(insert.getMixedSizes()[dim]) !=
                            SizeOrigin::of(insert.getDest(), dim)))
      return false;
  return true;
}

static bool isStaticPart(tensor::PadOp pad) {
  if (!pad.getConstantPaddingValue() ||
      !getSplat(pad.getConstantPaddingValue()))
    return false;
  for (auto [dim, low, high] :
       llvm::enumerate(pad.getStaticLow(), pad.getStaticHigh()))
    if ((low != 0 || high != 0) &&
        (low < 0 || high < 0 || pad.getSourceType().isDynamicDim(dim) ||
         pad.getResultType().isDynamicDim(dim)))
      return false;
  return true;
}

/// What `value` is a view of that adds or drops dimensions of one element.
static Value skipUnits(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? traceUnits(value, TensorDims(type.getRank())).first : value;
}

bool tc::isOfPieces(Value value) {
  value = skipUnits(value);
  if (auto pad = value.getDefiningOp<tensor::PadOp>())
    return isStaticPart(pad);
  auto insert = value.getDefiningOp<tensor::InsertSliceOp>();
  bool isFound = bool(insert);
  for (; insert; insert = value.getDefiningOp<tensor::InsertSliceOp>()) {
    if (!isStaticPart(insert))
      return false;
    value = insert.getDest();
  }
  // What a part is written into elsewhere may be memory that others see.
  return isFound && (value.getDefiningOp<tensor::EmptyOp>() || getSplat(value));
}

/// Whether an element of `op` can be computed where it is read, at any place.
static bool canCompute(linalg::GenericOp op) {
  if (op.getNumReductionLoops() != 0 || op->getNumResults() != 1 ||
      !op->hasOneUse() || !op.hasPureTensorSemantics() || !hasPlainMaps(op) ||
      !canBeRows(op) || op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)))
    return false;
  // What is outside of a part is computed, too, of zeros.
  WalkResult fits = op.getBody()->walk([](Operation *inner) {
    return WalkResult(
        success(inner->hasTrait<OpTrait::IsTerminator>() ||
                (isSpeculatable(inner) && !isa<tensor::ExtractOp>(inner))));
  });
  if (fits.wasInterrupted())
    return false;
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (auto [loop, size] : llvm::enumerate(op.getStaticLoopRanges()))
    if (size != 1 && !map.isFunctionOfDim(loop))
      return false;
  return true;
}

/// Whether `user` reads parts, maybe from a copy of what they are put together
/// to.
static bool isReaderOfPieces(Operation *user) {
  auto generic = dyn_cast<linalg::GenericOp>(user);
  return generic && (readsPieces(generic) ||
                     llvm::any_of(generic.getDpsInputs(), [](Value in) {
                       auto copy = in.getDefiningOp<linalg::GenericOp>();
                       return copy && readsPieces(copy);
                     }));
}

/// Whether `op` only shows rows in another order to who reads parts of it, so
/// that nobody needs it in memory.
static bool isMovedAlone(linalg::GenericOp op) {
  if (op.getNumReductionLoops() != 0 || op->getNumResults() != 1 ||
      op.getNumDpsInputs() != 1 || !op.hasPureTensorSemantics() ||
      !hasPlainMaps(op) ||
      op.getBody()->getTerminator()->getOperand(0) !=
          op.getRegionInputArgs().front())
    return false;
  AffineMap from = op.getMatchingIndexingMap(op.getDpsInputOperand(0)),
            to = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  // The column stays last in memory.
  return from.isPermutation() && to.isPermutation() &&
         from.getNumResults() != 0 &&
         from.getResults().back() == to.getResults().back() &&
         llvm::all_of(op->getUsers(), [](Operation *user) {
           return isa<tensor::ExtractSliceOp>(user) || isReaderOfPieces(user);
         });
}

/// Whether `slice` is of what is moved alone, at places that are known.
static bool isOfMoved(tensor::ExtractSliceOp slice) {
  auto generic = slice.getSource().getDefiningOp<linalg::GenericOp>();
  auto isOne = [](int64_t stride) { return stride == 1; };
  if (!generic || slice.getDroppedDims().any() ||
      !llvm::all_of(slice.getStaticOffsets(), isOffset) ||
      !llvm::all_of(slice.getStaticStrides(), isOne) || !isMovedAlone(generic))
    return false;
  for (int64_t dim = 0; dim < slice.getType().getRank(); ++dim) {
    auto size = SizeOrigin::of(slice.getMixedSizes()[dim]),
         whole = SizeOrigin::of(slice.getSource(), dim);
    // No place is kept along one element; what is dynamic is whole.
    bool isPart = size != whole || slice.getStaticOffsets()[dim] != 0;
    if (isPart && (slice.getType().getDimSize(dim) == 1 ||
                   slice.getType().isDynamicDim(dim) ||
                   slice.getSourceType().isDynamicDim(dim)))
      return false;
  }
  return true;
}

/// The loop that `index` counts, and what is added to it; nothing for others.
static std::optional<std::pair<unsigned, int64_t>> matchLoop(Value index) {
  int64_t offset = 0;
  while (Operation *definition = index.getDefiningOp()) {
    if (auto loop = dyn_cast<linalg::IndexOp>(definition))
      return std::pair(unsigned(loop.getDim()), offset);
    if (!isa<arith::AddIOp, arith::SubIOp>(definition))
      break;
    std::optional<int64_t> by = getConstantIntValue(definition->getOperand(1));
    if (!by)
      break;
    offset += isa<arith::AddIOp>(definition) ? *by : -*by;
    index = definition->getOperand(0);
  }
  return std::nullopt;
}

/// Whether loop `loop` of `op` counts what `value` has along `dim`.
static bool isRange(linalg::GenericOp op, unsigned loop, Value value,
                    int64_t dim) {
  SizeOrigin size = SizeOrigin::of(value, dim);
  for (OpOperand &operand : op->getOpOperands())
    for (auto [at, expr] :
         llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (auto place = dyn_cast<AffineDimExpr>(expr);
          place && place.getPosition() == loop &&
          SizeOrigin::of(operand.get(), at) == size)
        return true;
  return false;
}

std::optional<SmallVector<ExtractPlace>>
tc::matchExtract(tensor::ExtractOp extract, linalg::GenericOp op) {
  SmallVector<ExtractPlace> places;
  bool isPick = false;
  auto type = extract.getTensor().getType();
  if (type.getRank() == 0 || !tmm::isRowElement(type.getElementType()) ||
      extract.getTensor().getParentBlock() == op.getBody())
    return std::nullopt;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  llvm::SmallDenseSet<unsigned> once;
  for (auto [dim, index] : llvm::enumerate(extract.getIndices())) {
    if (auto loop = matchLoop(index)) {
      int64_t size = type.getDimSize(dim), range = ranges[loop->first];
      bool isWhole = loop->second == 0 && size == range &&
                     (!ShapedType::isDynamic(size) ||
                      isRange(op, loop->first, extract.getTensor(), dim));
      // A loop of one element has no place that could be moved.
      if (!once.insert(loop->first).second || !isOffset(loop->second) ||
          (!isWhole && (ShapedType::isDynamic(size) || range == 1)))
        return std::nullopt;
      places.push_back({loop->first, loop->second, !isWhole, false});
    } else if (getConstantIntValue(index) == 0 && type.getDimSize(dim) == 1) {
      places.push_back({});
    } else if (!std::exchange(isPick, true)) {
      places.push_back({std::nullopt, 0, false, true});
    } else {
      return std::nullopt;
    }
  }
  // Parts are chosen by the place in them, not by what others hold.
  auto isMoved = [](const ExtractPlace &place) { return place.isMoved; };
  if (isPick && llvm::any_of(places, isMoved))
    return std::nullopt;
  return places;
}

bool tc::readsPieces(linalg::GenericOp op) {
  bool isMoved = false;
  op.getBody()->walk([&](tensor::ExtractOp extract) {
    auto places = matchExtract(extract, op);
    isMoved |= places && llvm::any_of(*places, [](const ExtractPlace &place) {
                 return place.isMoved;
               });
  });
  return isMoved || llvm::any_of(op.getDpsInputs(),
                                 [](Value in) { return isOfPieces(in); });
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Whether `part` would be copied: what an operation computes it may write to
/// its place.
static bool isCopied(Value part) {
  part = skipUnits(part);
  Operation *definition = part.getDefiningOp();
  if (!definition || getSplat(part) || isOfPieces(part) ||
      isa<tensor::ExtractSliceOp>(definition))
    return true;
  auto generic = dyn_cast<linalg::GenericOp>(definition);
  return generic && canCompute(generic);
}

/// The sizes of `value`, which is put together of parts, without it.
static SmallVector<OpFoldResult> getSizes(OpBuilder &b, Value value) {
  while (auto insert = value.getDefiningOp<tensor::InsertSliceOp>())
    value = insert.getDest();
  auto pad = value.getDefiningOp<tensor::PadOp>();
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, value.getLoc(), pad ? pad.getSource() : value);
  // Of a dimension that is padded the size is known.
  for (auto [size, whole] : llvm::zip_equal(
           sizes, cast<RankedTensorType>(value.getType()).getShape()))
    if (!ShapedType::isDynamic(whole))
      size = b.getIndexAttr(whole);
  return sizes;
}

SmallVector<linalg::GenericOp> tc::copyPieces(RewriterBase &rewriter,
                                              Operation *root) {
  SmallVector<Value> whole;
  root->walk([&](Operation *op) {
    if (!isa<tensor::PadOp, tensor::InsertSliceOp>(op) ||
        !isOfPieces(op->getResult(0)))
      return;
    // Where it is a part itself the whole is copied.
    bool isPart = llvm::all_of(op->getUsers(), [](Operation *user) {
      return isa<tensor::InsertSliceOp>(user) && isOfPieces(user->getResult(0));
    });
    if (isPart)
      return;
    bool areCopied = true;
    if (auto pad = dyn_cast<tensor::PadOp>(op))
      areCopied = isCopied(pad.getSource());
    for (Value value = op->getResult(0);
         auto insert = value.getDefiningOp<tensor::InsertSliceOp>();
         value = insert.getDest())
      areCopied &= isCopied(insert.getSource());
    if (areCopied)
      whole.push_back(op->getResult(0));
  });
  SmallVector<linalg::GenericOp> copies;
  for (Value value : whole) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getRank() == 0 || !tmm::isRowElement(type.getElementType()))
      continue;
    Location loc = value.getLoc();
    rewriter.setInsertionPointAfterValue(value);
    Value into = tensor::EmptyOp::create(
        rewriter, loc, getSizes(rewriter, value), type.getElementType());
    AffineMap map = rewriter.getMultiDimIdentityMap(type.getRank());
    SmallVector<utils::IteratorType> loops(type.getRank(),
                                           utils::IteratorType::parallel);
    auto copy = linalg::GenericOp::create(
        rewriter, loc, into.getType(), value, into, {map, map}, loops,
        [](OpBuilder &b, Location at, ValueRange elements) {
          linalg::YieldOp::create(b, at, elements.front());
        });
    rewriter.replaceUsesWithIf(value, copy.getResult(0), [&](OpOperand &use) {
      auto insert = dyn_cast<tensor::InsertSliceOp>(use.getOwner());
      return use.getOwner() != copy && !isa<tensor::DimOp>(use.getOwner()) &&
             !(insert && isOfPieces(insert.getResult()));
    });
    copies.push_back(copy);
  }
  return copies;
}

//===----------------------------------------------------------------------===//
// The elements
//===----------------------------------------------------------------------===//

std::optional<unsigned> RowsBody::move(std::optional<unsigned> number,
                                       int64_t by) {
  assert(number && "a dimension of one element has no other places");
  auto [dim, offset] = getPlaceOf(*number);
  std::pair<unsigned, int64_t> place(dim, offset + by);
  auto *known = llvm::find(moved, place);
  if (known == moved.end()) {
    moved.push_back(place);
    known = std::prev(moved.end());
  }
  return sizes.size() + (known - moved.begin());
}

/// Whether the place along dimension `number` is one of `size` from `first` on;
/// null: it always is.
Value RowsBody::emitInside(Location loc, std::optional<unsigned> number,
                           int64_t first, int64_t size) {
  auto [dim, offset] = getPlaceOf(*number);
  int64_t low = first - offset, high = low + size;
  if (high <= 0)
    return arith::ConstantIntOp::create(rewriter, loc, rewriter.getI1Type(), 0);
  bool hasStart = low > 0,
       hasEnd = ShapedType::isDynamic(sizes[dim]) || high < sizes[dim];
  if (!hasStart && !hasEnd)
    return {};
  Value place = tmm::RowIndexOp::create(rewriter, loc, rewriter.getIndexType(),
                                        uint64_t(dim));
  Type type = rewriter.getI32Type();
  place = arith::IndexCastOp::create(rewriter, loc, type, place);
  auto is = [&](arith::CmpIPredicate predicate, int64_t other) -> Value {
    return arith::CmpIOp::create(
        rewriter, loc, predicate, place,
        arith::ConstantIntOp::create(rewriter, loc, type, other));
  };
  Value start, end;
  if (hasStart)
    start = is(arith::CmpIPredicate::uge, low);
  if (hasEnd)
    end = is(arith::CmpIPredicate::ult, high);
  if (!start || !end)
    return start ? start : end;
  return arith::AndIOp::create(rewriter, loc, start, end);
}

/// `inside` and that the place along dimension `number` is so, where it is not
/// always.
void RowsBody::requireInside(Location loc, Value &inside,
                             std::optional<unsigned> number, int64_t first,
                             int64_t size) {
  Value other = emitInside(loc, number, first, size);
  if (inside && other)
    inside = arith::AndIOp::create(rewriter, loc, inside, other);
  else if (other)
    inside = other;
}

Value RowsBody::getInserted(tensor::InsertSliceOp op, const TensorDims &dims) {
  TensorDims own;
  Value inside;
  llvm::SmallBitVector dropped = op.getDroppedDims();
  // What nobody wrote may be anything.
  bool isLast = bool(op.getDest().getDefiningOp<tensor::EmptyOp>());
  unsigned at = 0;
  for (auto [dim, offset] : llvm::enumerate(op.getStaticOffsets())) {
    bool isDropped = dropped[dim];
    int64_t size = isDropped ? 1 : op.getSourceType().getDimSize(at++);
    bool isWhole = offset == 0 && (ShapedType::isDynamic(size) ||
                                   size == op.getDestType().getDimSize(dim));
    if (size == 0)
      return get(op.getDest(), dims);
    if (!isWhole && !isLast)
      requireInside(op.getLoc(), inside, dims[dim], offset, size);
    if (!isDropped)
      own.push_back(isWhole ? dims[dim] : move(dims[dim], -offset));
  }
  Value part = get(op.getSource(), own);
  if (!inside)
    return part;
  Value rest = get(op.getDest(), dims);
  return arith::SelectOp::create(rewriter, op.getLoc(), inside, part, rest);
}

Value RowsBody::getPadded(tensor::PadOp op, const TensorDims &dims) {
  TensorDims own;
  Value inside;
  Location loc = op.getLoc();
  Value number = arith::ConstantOp::create(
      rewriter, loc, getSplat(op.getConstantPaddingValue()));
  for (auto [dim, low, high] :
       llvm::enumerate(op.getStaticLow(), op.getStaticHigh())) {
    bool isWhole = low == 0 && high == 0;
    int64_t size = op.getSourceType().getDimSize(dim);
    if (size == 0)
      return number;
    if (!isWhole)
      requireInside(loc, inside, dims[dim], low, size);
    own.push_back(isWhole ? dims[dim] : move(dims[dim], -low));
  }
  Value part = get(op.getSource(), own);
  return inside ? arith::SelectOp::create(rewriter, loc, inside, part, number)
                      .getResult()
                : part;
}

/// The element of the result of `op` where its dimensions are `dims`.
Value RowsBody::getComputed(linalg::GenericOp op, const TensorDims &dims) {
  TensorDims loops(op.getNumLoops());
  for (auto [expr, dim] : llvm::zip_equal(
           op.getMatchingIndexingMap(op.getDpsInitOperand(0)).getResults(),
           dims))
    if (auto loop = dyn_cast<AffineDimExpr>(expr))
      loops[loop.getPosition()] = dim;
  IRMapping mapping;
  for (OpOperand *input : op.getDpsInputOperands()) {
    TensorDims own;
    for (AffineExpr expr : op.getMatchingIndexingMap(input).getResults()) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      own.push_back(loop ? loops[loop.getPosition()] : std::nullopt);
    }
    BlockArgument argument = op.getMatchingBlockArgument(input);
    if (!argument.use_empty())
      mapping.map(argument, get(input->get(), own));
  }
  emitBody(*op.getBody(), loops, mapping, {});
  Value yielded = op.getBody()->getTerminator()->getOperand(0);
  own(yielded, mapping);
  return mapping.lookupOrDefault(yielded);
}

Value RowsBody::getPiece(Value value, const TensorDims &dims) {
  auto isMoved = [&](std::optional<unsigned> dim) {
    return dim && *dim >= sizes.size();
  };
  Location loc = value.getLoc();
  if (TypedAttr number = getSplat(value))
    return arith::ConstantOp::create(rewriter, loc, number);
  if (!usesPieces)
    return {};
  for (auto &[known, at, element] : parts)
    if (known == value && at == dims)
      return element;
  Value element;
  auto generic = value.getDefiningOp<linalg::GenericOp>();
  auto slice = value.getDefiningOp<tensor::ExtractSliceOp>();
  if (isOfPieces(value)) {
    if (auto insert = value.getDefiningOp<tensor::InsertSliceOp>())
      element = getInserted(insert, dims);
    else
      element = getPadded(value.getDefiningOp<tensor::PadOp>(), dims);
  } else if (value.getDefiningOp<tensor::EmptyOp>()) {
    element = arith::ConstantOp::create(
        rewriter, loc, rewriter.getZeroAttr(getElementTypeOrSelf(value)));
  } else if (generic && ((llvm::any_of(dims, isMoved) && canCompute(generic)) ||
                         isMovedAlone(generic))) {
    element = getComputed(generic, dims);
  } else if (slice && llvm::any_of(dims, isMoved) && isOfMoved(slice)) {
    TensorDims own;
    for (auto [dim, offset, size, whole] : llvm::zip_equal(
             dims, slice.getStaticOffsets(), slice.getType().getShape(),
             slice.getSourceType().getShape())) {
      bool isWhole = !dim || (offset == 0 && size == whole);
      own.push_back(isWhole ? dim : move(dim, offset));
    }
    element = get(slice.getSource(), own);
  }
  if (element)
    parts.push_back({value, dims, element});
  return element;
}

Value RowsBody::emitExtract(tensor::ExtractOp extract, const TensorDims &loops,
                            IRMapping &mapping) {
  auto op = extract->getParentOfType<linalg::GenericOp>();
  auto places = matchExtract(extract, op);
  assert(places && "canBeRows asks for it");
  TensorDims dims;
  Value index;
  for (auto [place, at] : llvm::zip_equal(*places, extract.getIndices())) {
    if (place.isPick) {
      index = mapping.lookupOrDefault(at);
      dims.push_back(sizes.size() - 1);
    } else if (!place.loop) {
      dims.push_back(std::nullopt);
    } else {
      std::optional<unsigned> loop = loops[*place.loop];
      dims.push_back(place.isMoved ? move(loop, place.offset) : loop);
    }
  }
  Value element = get(extract.getTensor(), dims);
  return index ? tmm::RowPickOp::create(rewriter, extract.getLoc(), element,
                                        index)
                     .getResult()
               : element;
}

void RowsBody::own(Value value, IRMapping &mapping) {
  Operation *definition = value.getDefiningOp();
  if (definition && !mapping.contains(value) &&
      definition->hasTrait<OpTrait::ConstantLike>())
    mapping.map(value, rewriter.clone(*definition)->getResult(0));
}

void RowsBody::emitBody(Block &block, const TensorDims &loops,
                        IRMapping &mapping, ArrayRef<Operation *> skipped) {
  for (Operation &inner : block.without_terminator()) {
    if (llvm::is_contained(skipped, &inner))
      continue;
    if (auto branch = dyn_cast<scf::IfOp>(inner)) {
      own(branch.getCondition(), mapping);
      Block *sides[] = {branch.thenBlock(), branch.elseBlock()};
      for (Block *side : sides) {
        emitBody(*side, loops, mapping, {});
        for (Value yielded : side->getTerminator()->getOperands())
          own(yielded, mapping);
      }
      for (auto [result, yes, no] : llvm::zip_equal(
               branch.getResults(), branch.thenYield().getOperands(),
               branch.elseYield().getOperands()))
        mapping.map(result, arith::SelectOp::create(
                                rewriter, branch.getLoc(),
                                mapping.lookupOrDefault(branch.getCondition()),
                                mapping.lookupOrDefault(yes),
                                mapping.lookupOrDefault(no))
                                .getResult());
      continue;
    }
    for (Value operand : inner.getOperands())
      own(operand, mapping);
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      mapping.map(index.getResult(),
                  getIndex(index.getLoc(), loops[index.getDim()]));
    else if (auto extract = dyn_cast<tensor::ExtractOp>(inner))
      mapping.map(extract.getResult(), emitExtract(extract, loops, mapping));
    else
      rewriter.clone(inner, mapping);
  }
}
