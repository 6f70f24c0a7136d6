//===- TMMProblemTiling.cpp - tiles of tmm.matmul ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TilingInterface of tmm.matmul: loops over the batch, M and N are parallel,
// the loop over K, the last one, is a reduction. A tile along K adds to D, so K
// can only be cut where the operation accumulates, and where D is f32: a
// narrower D would be rounded once per tile instead of once. The same holds for
// the scalar loops, which run a problem on the CPU.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"

using namespace mlir;
using namespace tc::tmm;

/// The size of dimension `dim` of `matrix`, a constant where it is static.
static OpFoldResult getSize(OpBuilder &builder, Location loc, Value matrix,
                            unsigned dim) {
  if (isa<RankedTensorType>(matrix.getType()))
    return tensor::getMixedSize(builder, loc, matrix, dim);
  return memref::getMixedSize(builder, loc, matrix, dim);
}

/// The part of `matrix` at `offsets` with `sizes`, as a tensor slice or as a
/// view of the memref.
static Operation *getTile(OpBuilder &builder, Location loc, Value matrix,
                          ArrayRef<OpFoldResult> offsets,
                          ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult, 2> strides(offsets.size(), builder.getIndexAttr(1));
  if (isa<RankedTensorType>(matrix.getType()))
    return tensor::ExtractSliceOp::create(builder, loc, matrix, offsets, sizes,
                                          strides);
  return memref::SubViewOp::create(builder, loc, matrix, offsets, sizes,
                                   strides);
}

/// Whether `size` is all of K: the same constant, or the size that
/// getIterationDomain gave out.
static bool isWholeK(MatmulOp op, OpFoldResult size) {
  int64_t k = op.getStaticK();
  if (ShapedType::isStatic(k))
    return getConstantIntValue(size) == k;
  auto value = dyn_cast<Value>(size);
  if (!value)
    return false;
  Value source;
  std::optional<int64_t> dim;
  if (auto dimOp = value.getDefiningOp<memref::DimOp>()) {
    source = dimOp.getSource();
    dim = dimOp.getConstantIndex();
  } else if (auto dimOp = value.getDefiningOp<tensor::DimOp>()) {
    source = dimOp.getSource();
    dim = dimOp.getConstantIndex();
  }
  return source == op.getA() && dim == op.getKDimOfA();
}

/// Checks that parts of the sum over K may be added to D one after the other.
static LogicalResult checkCutK(MatmulOp op) {
  if (op.hasEpilogue())
    return op.emitOpError() << "tiling K: expected no epilogue, which computes "
                               "on the whole sum; tile M and N only";
  if (!op.getAccumulate())
    return op.emitOpError()
           << "tiling K: expected `accumulate` (each tile adds to D); fill D "
              "with zero and set it, or tile M and N only";
  Type element = getElementTypeOrSelf(op.getD().getType());
  if (op.getF16Sum())
    return op.emitOpError() << "tiling K: expected no f16_sum, which each tile "
                               "would start anew; tile M and N only";
  if (element != op.getSumType())
    return op.emitOpError() << "tiling K: expected D of " << op.getSumType()
                            << ", got " << element
                            << ", which each tile would round; tile M and N "
                               "only";
  return success();
}

/// Checks that the operands can be cut. Blocks of scale factors cannot be cut
/// at any row, and a tile that starts within one would read those of its
/// neighbour.
static LogicalResult checkCutScales(MatmulOp op) {
  if (op.getRows())
    return op.emitOpError() << "tiling: expected no "
                            << op.getOperandName(op->getNumOperands() - 1)
                            << ", as only the device knows which rows a tile "
                               "has; compile the whole product";
  if (!op.getOtherOutputs().empty())
    return op.emitOpError() << "tiling: expected no output beside D, got "
                            << op.getOperandName(3)
                            << ", of which a tile has no part of its own; "
                               "compile the whole product";
  if (op.isSparse())
    return op.emitOpError() << "tiling: expected no metadata, whose blocks of "
                               "128 rows a tile would cut; compile the whole "
                               "product";
  if (isa_and_nonnull<WindowsOp>(WindowsOp::getOf(op.getA()).getOperation()))
    return op.emitOpError() << "tiling: expected no windows of images, which "
                               "have no parts; compile the whole product";
  if (!op.isScaled())
    return success();
  return op.emitOpError() << "tiling: expected no scale factors, whose blocks "
                             "of 128 rows a tile would cut; compile the whole "
                             "product";
}

SmallVector<utils::IteratorType> MatmulOp::getLoopIteratorTypes() {
  SmallVector<utils::IteratorType> types(getBatchRank() + 2,
                                         utils::IteratorType::parallel);
  types.push_back(utils::IteratorType::reduction);
  return types;
}

SmallVector<Range> MatmulOp::getIterationDomain(OpBuilder &builder) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(*this);
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  auto range = [&](int64_t size, Value matrix, unsigned dim) {
    OpFoldResult extent = ShapedType::isStatic(size)
                              ? OpFoldResult(builder.getIndexAttr(size))
                              : getSize(builder, getLoc(), matrix, dim);
    return Range{zero, extent, one};
  };
  SmallVector<Range> domain;
  for (unsigned dim = 0; dim < getBatchRank(); ++dim)
    domain.push_back(range(getStaticBatch(dim), getD(), dim));
  domain.push_back(range(getStaticM(), getD(), getMDimOfD()));
  domain.push_back(range(getStaticN(), getD(), getNDimOfD()));
  domain.push_back(range(getStaticK(), getA(), getKDimOfA()));
  return domain;
}

FailureOr<TilingResult>
MatmulOp::getTiledImplementation(OpBuilder &builder,
                                 ArrayRef<OpFoldResult> offsets,
                                 ArrayRef<OpFoldResult> sizes) {
  if (failed(checkCutScales(*this)) ||
      (!isWholeK(*this, sizes.back()) && failed(checkCutK(*this))))
    return failure();

  Location loc = getLoc();
  // Rows and columns of each operand in terms of M, N and K, which follow the
  // batch.
  unsigned m = getMDimOfD(), n = getNDimOfD(), k = n + 1;
  std::pair<unsigned, unsigned> dims[] = {{m, k}, {k, n}, {m, n}};
  if (getTransposeA())
    std::swap(dims[0].first, dims[0].second);
  if (getTransposeB())
    std::swap(dims[1].first, dims[1].second);
  SmallVector<Operation *> slices;
  SmallVector<Value, 3> tiles;
  auto addTile = [&](Value matrix, ArrayRef<unsigned> dims) {
    SmallVector<OpFoldResult, 2> tileOffsets, tileSizes;
    auto type = cast<ShapedType>(matrix.getType());
    unsigned ownBatch = type.getRank() - dims.size();
    for (unsigned dim = getBatchRank() - ownBatch; dim < getBatchRank();
         ++dim) {
      bool isShared = !getBatchDimOf(type, dims.size(), dim);
      tileOffsets.push_back(isShared ? builder.getIndexAttr(0) : offsets[dim]);
      tileSizes.push_back(isShared ? builder.getIndexAttr(1) : sizes[dim]);
    }
    for (unsigned dim : dims) {
      tileOffsets.push_back(offsets[dim]);
      tileSizes.push_back(sizes[dim]);
    }
    slices.push_back(getTile(builder, loc, matrix, tileOffsets, tileSizes));
    tiles.push_back(slices.back()->getResult(0));
  };
  for (auto [matrix, dim] : llvm::zip_equal(getOperands().take_front(3), dims))
    addTile(matrix, {dim.first, dim.second});
  for (auto [index, extra] : llvm::enumerate(getExtras())) {
    if (!isa<ShapedType>(extra.getType()))
      tiles.push_back(extra);
    else if (std::optional<Along> along = getAlongOf(index))
      addTile(extra, {*along == Along::m ? m : n});
    else
      addTile(extra, {m, n});
  }
  Region epilogue;
  IRMapping mapping;
  if (hasEpilogue())
    getEpilogue()->cloneInto(&epilogue, mapping);
  auto op = MatmulOp::create(builder, loc, tiles[0], tiles[1], tiles[2],
                             ArrayRef(tiles).drop_front(3), getAlongCodes(),
                             hasEpilogue() ? &epilogue : nullptr,
                             getAccumulate(), getTransposeA(), getTransposeB(),
                             getConfigAttr(), /*scales=*/{}, getAllowTf32(),
                             /*scaleBlocks=*/{}, getF16Sum());
  op->setDiscardableAttrs(getOperation()->getDiscardableAttrDictionary());
  return TilingResult{{op}, SmallVector<Value>(op->getResults()), slices};
}

LogicalResult MatmulOp::getResultTilePosition(
    OpBuilder &builder, unsigned resultNumber, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  resultOffsets.assign(offsets.drop_back().begin(), offsets.drop_back().end());
  resultSizes.assign(sizes.drop_back().begin(), sizes.drop_back().end());
  return success();
}

LogicalResult MatmulOp::getIterationDomainTileFromResultTile(
    OpBuilder &builder, unsigned resultNumber, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVectorImpl<OpFoldResult> &domainOffsets,
    SmallVectorImpl<OpFoldResult> &domainSizes) {
  Range k = getIterationDomain(builder).back();
  domainOffsets.assign(offsets.begin(), offsets.end());
  domainOffsets.push_back(k.offset);
  domainSizes.assign(sizes.begin(), sizes.end());
  domainSizes.push_back(k.size);
  return success();
}

FailureOr<TilingResult>
MatmulOp::generateResultTileValue(OpBuilder &builder, unsigned resultNumber,
                                  ArrayRef<OpFoldResult> offsets,
                                  ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult, 3> domainOffsets, domainSizes;
  if (failed(getIterationDomainTileFromResultTile(
          builder, resultNumber, offsets, sizes, domainOffsets, domainSizes)))
    return failure();
  return getTiledImplementation(builder, domainOffsets, domainSizes);
}

/// `matrix` with the integers that arith computes with: its operations say
/// themselves whether there is a sign.
static Value getSignless(OpBuilder &builder, Location loc, Value matrix) {
  auto type = cast<MemRefType>(matrix.getType());
  Type element = builder.getIntegerType(type.getElementTypeBitWidth());
  if (auto reinterpret = matrix.getDefiningOp<ReinterpretOp>())
    if (getElementTypeOrSelf(reinterpret.getSource()) == element)
      return reinterpret.getSource();
  return ReinterpretOp::create(builder, loc, type.clone(element), matrix);
}

LogicalResult MatmulOp::generateScalarImplementation(OpBuilder &builder,
                                                     Location loc,
                                                     ValueRange ivs) {
  // On tensors upstream's tiling would have to carry D through the loops; it
  // does not.
  if (getResult() || failed(checkCutScales(*this)) || failed(checkCutK(*this)))
    return failure();
  unsigned batchRank = getBatchRank();
  Value m = ivs[batchRank], n = ivs[batchRank + 1], k = ivs[batchRank + 2];
  auto indices = [&](Value matrix, Value row, Value column) {
    auto type = cast<ShapedType>(matrix.getType());
    SmallVector<Value> result;
    for (unsigned dim = batchRank + 2 - type.getRank(); dim < batchRank; ++dim)
      result.push_back(
          getBatchDimOf(type, 2, dim)
              ? ivs[dim]
              : Value(arith::ConstantIndexOp::create(builder, loc, 0)));
    result.append({row, column});
    return result;
  };
  auto load = [&](Value matrix, bool transpose, Value row,
                  Value column) -> Value {
    if (transpose)
      std::swap(row, column);
    bool isUnsigned = getElementTypeOrSelf(matrix).isUnsignedInteger();
    Value value = memref::LoadOp::create(
        builder, loc, isUnsigned ? getSignless(builder, loc, matrix) : matrix,
        indices(matrix, row, column));
    if (value.getType() == getSumType())
      return value;
    if (!value.getType().isInteger())
      return arith::ExtFOp::create(builder, loc, getSumType(), value);
    if (isUnsigned)
      return arith::ExtUIOp::create(builder, loc, getSumType(), value);
    return arith::ExtSIOp::create(builder, loc, getSumType(), value);
  };
  Value a = load(getA(), getTransposeA(), m, k);
  Value b = load(getB(), getTransposeB(), k, n);
  Value d = load(getD(), /*transpose=*/false, m, n);
  Value sum;
  if (getSumType().isInteger())
    sum = arith::AddIOp::create(builder, loc, d,
                                arith::MulIOp::create(builder, loc, a, b));
  else
    sum = arith::AddFOp::create(builder, loc, d,
                                arith::MulFOp::create(builder, loc, a, b));
  memref::StoreOp::create(builder, loc, sum, getD(), indices(getD(), m, n));
  return success();
}
