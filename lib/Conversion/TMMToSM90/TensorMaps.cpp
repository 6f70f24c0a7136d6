//===- TensorMaps.cpp - matrices become tensor maps -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A matrix that TMA reads or writes becomes a tensor map, encoded on the host
// with the box of one slab of the tile.
//
//===----------------------------------------------------------------------===//

#include "KernelInterface.h"
#include "TmaChecks.h"

#include "tc/Conversion/TMMTiles/SmemTiles.h"
#include "tc/Conversion/TMMToSM90/TMMToSM90.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tc;

/// Whether dimension `dim` of a batch of matrices of rank `rank` is one of its
/// tensor map. A batch dimension of size 1 is not: it has one index, and a
/// stride that need not suit TMA.
static bool isMapDimension(MemRefType type, unsigned rank, unsigned dim) {
  return dim + rank >= type.getRank() || type.getDimSize(dim) != 1;
}

/// Removes the batch indices of `copy` that its tensor map does not have.
static void dropUnitBatch(TileCopy &copy, MemRefType type, unsigned rank) {
  for (int64_t dim = type.getRank() - rank - 1; dim >= 0; --dim)
    if (!isMapDimension(type, rank, dim))
      copy.batch.erase(dim);
}

/// `value` times `factor`, on the host.
static OpFoldResult emitProduct(OpBuilder &host, Location loc,
                                OpFoldResult value, int64_t factor) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return host.getIndexAttr(*constant * factor);
  if (factor == 1)
    return value;
  return arith::MulIOp::create(
             host, loc, cast<Value>(value),
             arith::ConstantIndexOp::create(host, loc, factor))
      .getResult();
}

OpFoldResult tc::emitBytes(OpBuilder &host, Location loc, OpFoldResult elements,
                           int64_t bits) {
  if (bits % 8 == 0)
    return emitProduct(host, loc, elements, bits / 8);
  if (std::optional<int64_t> constant = getConstantIntValue(elements))
    return host.getIndexAttr(*constant * bits / 8);
  OpFoldResult all = emitProduct(host, loc, elements, bits);
  return arith::DivUIOp::create(host, loc, cast<Value>(all),
                                arith::ConstantIndexOp::create(host, loc, 8))
      .getResult();
}

OpFoldResult tc::emitMapSize(OpBuilder &host, Location loc, OpFoldResult size,
                             int64_t least) {
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return host.getIndexAttr(std::max<int64_t>(*constant, least));
  return arith::MaxUIOp::create(
             host, loc, cast<Value>(size),
             arith::ConstantIndexOp::create(host, loc, least))
      .getResult();
}

/// Whether `copy` unpacks elements of 4 or 6 bits.
static bool isUnpacked(const TileCopy &copy) {
  auto space = dyn_cast<sm90::SmemAttr>(copy.buffer.getSpace());
  return space && space.getOrder() == sm90::Order::KUnpacked;
}

/// The map of the tile of `copy` in a tensor of `rank` dimensions: its box is
/// one slab, of which each CTA loads its part.
static sm90::TensorMapType getTileMapType(const TileCopy &copy, size_t rank,
                                          Type element) {
  MemRefType tile = getSmemTileType(copy.buffer);
  auto layout =
      tile ? dyn_cast<sm90::SmemLayoutAttr>(tile.getLayout()) : nullptr;
  if (!layout) {
    copy.op->emitOpError() << "expected a tile in slabs of shared memory "
                              "(#sm90.smem) for TMA, got "
                           << copy.buffer;
    return {};
  }
  SmallVector<int64_t> box(rank - 2, 1);
  llvm::append_range(box, layout.getSlabBox(tile.getShape()));
  box[box.size() - 2] /= copy.parts;
  return sm90::TensorMapType::getChecked(
      [&] { return copy.op->emitOpError("tensor map: "); },
      copy.op->getContext(), ArrayRef<int64_t>(box), element,
      layout.getTileSwizzle(), isUnpacked(copy), /*im2col=*/int64_t(0));
}

sm90::L2Promotion tc::getPromotion(const TileCopy &copy, int64_t columns) {
  if (!isa<tmm::LoadOp>(copy.op))
    return sm90::L2Promotion::None;
  MemRefType tile = getSmemTileType(copy.buffer);
  auto layout = cast<sm90::SmemLayoutAttr>(tile.getLayout());
  int64_t row = tile.getDimSize(layout.getMajor() == Major::K);
  constexpr int64_t kPromoted = 256;
  bool hasLine = row * tile.getElementTypeBitWidth() / 8 >= kPromoted;
  return hasLine || row == columns ? sm90::L2Promotion::L128B
                                   : sm90::L2Promotion::L256B;
}

OpFoldResult KernelInterfaceRewriter::getOffset(Value matrix) {
  auto [strides, offset] =
      cast<MemRefType>(matrix.getType()).getStridesAndOffset();
  if (ShapedType::isDynamic(offset))
    return OpFoldResult(metadata(matrix).getOffset());
  return host.getIndexAttr(offset);
}

LogicalResult
KernelInterfaceRewriter::checkTileMap(unsigned number,
                                      ArrayRef<OpFoldResult> steps,
                                      bool isStored, bool isUnpacked) {
  Value matrix = launch.getKernelOperand(number);
  auto type = cast<MemRefType>(matrix.getType());
  TmaUnit unit{type.getElementTypeBitWidth(),
               isUnpacked ? kTmaUnpackedGranularity : kTmaGranularity};
  unsigned rowDim = type.getRank() - 2;
  // Elements that share bytes have no addresses for threads, and what threads
  // load they do not store.
  bool hasOthers = !isStored && !isUnpacked && unit.bits % 8 == 0;
  StringRef advice = hasOthers ? adviseThreads(number) : "; pad rows";
  for (unsigned index = 0; index <= rowDim; ++index) {
    // Matrices without gaps start at multiples of the row stride.
    bool follows = index != rowDim && type.getLayout().isIdentity();
    if (!follows && isMapDimension(type, /*rank=*/2, index) &&
        failed(checkStride(host, launch, nameOf(number), index, steps[index],
                           advice, unit)))
      return failure();
  }
  if (failed(
          checkOffset(host, launch, nameOf(number), getOffset(matrix), unit)))
    return failure();
  if (isUnpacked &&
      failed(checkUnpackedRow(
          host, launch, nameOf(number),
          memref::getMixedSize(host, loc, matrix, rowDim + 1), unit)))
    return failure();
  // Rows without gaps are as long as their stride.
  if (!isStored || type.getLayout().isIdentity())
    return success();
  return checkRowEnd(host, launch, nameOf(number),
                     memref::getMixedSize(host, loc, matrix, rowDim + 1), unit);
}

LogicalResult
KernelInterfaceRewriter::addTensorMap(unsigned number,
                                      MutableArrayRef<TileCopy> copies) {
  Value matrix = launch.getKernelOperand(number);
  auto type = cast<MemRefType>(matrix.getType());
  SmallVector<OpFoldResult> steps = getStrides(matrix);
  bool isStored = llvm::any_of(
      copies, [](const TileCopy &copy) { return isa<tmm::UnloadOp>(copy.op); });
  bool unpacks = llvm::any_of(copies, isUnpacked);
  if (failed(checkTileMap(number, steps, isStored, unpacks)))
    return failure();

  SmallVector<OpFoldResult> dims, pitches;
  for (unsigned index = 0; index < type.getRank(); ++index) {
    if (!isMapDimension(type, /*rank=*/2, index))
      continue;
    // Where nothing is loaded, too, rows are what the driver takes.
    int64_t least = std::max<int64_t>(8 / type.getElementTypeBitWidth(), 1);
    if (unpacks)
      least = kTmaUnpackedBox;
    bool isRow = index + 1 == type.getRank();
    dims.push_back(emitMapSize(host, loc,
                               memref::getMixedSize(host, loc, matrix, index),
                               isRow ? least : 1));
    if (index + 1 < type.getRank())
      pitches.push_back(
          emitBytes(host, loc, steps[index], type.getElementTypeBitWidth()));
  }

  // One map for each box: copies of the same tile shape share it. A view starts
  // inside of its buffer; the tensor starts where the view does.
  DenseMap<Type, Value> maps;
  OpFoldResult start = host.getIndexAttr(0);
  for (TileCopy &copy : copies) {
    auto mapType = getTileMapType(copy, dims.size(), type.getElementType());
    if (!mapType)
      return failure();
    Value &map = maps[mapType];
    if (!map)
      map = addParameter(sm90::TensorMapEncodeOp::create(
                             host, loc, mapType, matrix, start, dims, pitches,
                             getPromotion(copy, type.getShape().back())),
                         kernel.getArgument(number).getLoc());
    copy.matrix->set(map);
    dropUnitBatch(copy, type, /*rank=*/2);
  }
  return success();
}

LogicalResult KernelInterfaceRewriter::addBlockedMap(unsigned number,
                                                     TileCopy &copy) {
  Value matrix = launch.getKernelOperand(number);
  auto type = cast<MemRefType>(matrix.getType());
  auto space = dyn_cast<sm90::SmemAttr>(copy.buffer.getSpace());
  if (!space || space.getOrder() != sm90::Order::Blocked)
    return copy.op->emitOpError()
           << "expected a tile in blocks of shared memory "
              "(#sm90.smem<blocked, none>) for TMA, got "
           << copy.buffer;
  if (copy.parts != 1)
    return copy.op->emitOpError()
           << "expected a tile in blocks to be loaded by each CTA for "
              "itself, got one that "
           << copy.parts << " CTAs share";
  SmallVector<OpFoldResult> steps = getStrides(matrix), dims, pitches;
  auto size = [&](unsigned index, int64_t factor) {
    OpFoldResult blocks = memref::getMixedSize(host, loc, matrix, index);
    return emitMapSize(host, loc, emitProduct(host, loc, blocks, factor));
  };
  unsigned rank = tmm::getBlockedRank(type.getElementType());
  unsigned rowDim = type.getRank() - rank;
  int64_t bits = type.getElementTypeBitWidth();
  for (unsigned index = 0; index <= rowDim; ++index) {
    if (!isMapDimension(type, rank, index))
      continue;
    if (!type.getLayout().isIdentity() &&
        failed(checkStride(host, launch, nameOf(number), index, steps[index],
                           /*advice=*/"; pad rows", TmaUnit{bits})))
      return failure();
    dims.push_back(size(index, /*factor=*/1));
    pitches.push_back(emitBytes(host, loc, steps[index], bits));
  }
  dims.push_back(size(rowDim + 1, kScaleTileBytes / kTmaMaxBox));
  pitches.push_back(host.getIndexAttr(kTmaMaxBox * bits / 8));
  dims.push_back(host.getIndexAttr(kTmaMaxBox));
  if (failed(checkOffset(host, launch, nameOf(number), getOffset(matrix),
                         TmaUnit{bits})))
    return failure();
  SmallVector<int64_t> box(dims.size() - 3, 1);
  llvm::append_range(box, getBlockedBox(copy.buffer));
  auto mapType = sm90::TensorMapType::get(kernel.getContext(), box,
                                          type.getElementType(), Swizzle::None);
  Value map = sm90::TensorMapEncodeOp::create(
      host, loc, mapType, matrix, host.getIndexAttr(0), dims, pitches,
      sm90::L2Promotion::L256B);
  copy.matrix->set(addParameter(map, kernel.getArgument(number).getLoc()));
  dropUnitBatch(copy, type, rank);
  return success();
}
