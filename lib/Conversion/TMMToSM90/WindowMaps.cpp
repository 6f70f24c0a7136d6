//===- WindowMaps.cpp - windows of images become tensor maps ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The windows of images are loaded by an im2col tensor map of the images: its
// pixels are the rows of a slab of the tile, its channels the columns.
//
//===----------------------------------------------------------------------===//

#include "KernelInterface.h"
#include "TmaChecks.h"

#include "tc/Conversion/TMMTiles/SmemTiles.h"
#include "tc/Conversion/TMMToSM90/TMMToSM90.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tc;

/// The map of the tile of `copy` in images of `rank` dimensions.
static sm90::TensorMapType getPixelMapType(const TileCopy &copy, int64_t rank,
                                           Type element) {
  MemRefType tile = getSmemTileType(copy.buffer);
  auto layout =
      tile ? dyn_cast<sm90::SmemLayoutAttr>(tile.getLayout()) : nullptr;
  auto refuse = [&] { return copy.op->emitOpError("tensor map: "); };
  if (!layout || layout.getMajor() != Major::K) {
    refuse() << "expected windows of images in slabs of shared memory along K "
                "(#sm90.smem<k_major>), got "
             << copy.buffer;
    return {};
  }
  SmallVector<int64_t> box = layout.getSlabBox(tile.getShape());
  box[0] /= copy.parts;
  return sm90::TensorMapType::getChecked(
      refuse, copy.op->getContext(), ArrayRef<int64_t>(box), element,
      layout.getTileSwizzle(), /*unpacked=*/false, rank);
}

LogicalResult
KernelInterfaceRewriter::checkImages(Value images,
                                     ArrayRef<OpFoldResult> steps) {
  auto type = cast<MemRefType>(images.getType());
  TmaUnit unit{type.getElementTypeBitWidth()};
  for (auto [dim, step] : llvm::enumerate(steps.drop_back()))
    if (failed(checkStride(host, launch, "A", dim, step,
                           "; pad the dimensions after it", unit)))
      return failure();
  return checkOffset(host, launch, "A", getOffset(images), unit);
}

LogicalResult
KernelInterfaceRewriter::addPixelMap(unsigned number,
                                     MutableArrayRef<TileCopy> copies) {
  Value matrix = launch.getKernelOperand(number);
  tmm::WindowsOp op = tmm::WindowsOp::getOf(matrix);
  if (!op)
    return launch.emitOpError()
           << "expected operand " << nameOf(number)
           << " to be the result of a tmm.windows, got another "
           << matrix.getType();
  tmm::WindowsAttr windows = op.getWindows();
  Value images = op.getImages();
  auto type = cast<MemRefType>(images.getType());
  Type element = cast<MemRefType>(matrix.getType()).getElementType();
  SmallVector<OpFoldResult> steps = getStrides(images);
  if (failed(checkImages(images, steps)))
    return failure();

  int64_t rank = type.getRank();
  SmallVector<OpFoldResult> dims, pitches;
  SmallVector<int64_t> lower, upper, strides(rank, 1);
  for (int64_t dim = 0; dim < rank; ++dim) {
    dims.push_back(
        emitMapSize(host, loc, memref::getMixedSize(host, loc, images, dim)));
    if (dim + 1 < rank)
      pitches.push_back(
          emitBytes(host, loc, steps[dim], type.getElementTypeBitWidth()));
  }
  for (int64_t dim = 0; dim < windows.getRank(); ++dim) {
    lower.push_back(-windows.getPadding()[dim]);
    upper.push_back(windows.getUpperCorner(dim, type.getDimSize(dim + 1)));
    strides[dim + 1] = windows.getStrides()[dim];
  }
  // Signs are the matrix's: an integer without one is the images' own.
  if (element != type.getElementType())
    images = tmm::ReinterpretOp::create(host, loc, type.clone(element), images);
  OpFoldResult start = host.getIndexAttr(0);
  DenseMap<Type, Value> maps;
  for (TileCopy &copy : copies) {
    auto mapType = getPixelMapType(copy, rank, element);
    if (!mapType)
      return failure();
    Value &map = maps[mapType];
    if (!map) {
      auto encode = sm90::TensorMapEncodeOp::create(
          host, loc, mapType, images, start, dims, pitches,
          getPromotion(copy, type.getShape().back()),
          host.getDenseI64ArrayAttr(strides), host.getDenseI64ArrayAttr(lower),
          host.getDenseI64ArrayAttr(upper));
      map = addParameter(encode, kernel.getArgument(number).getLoc());
    }
    auto load = cast<tmm::LoadOp>(copy.op);
    load.setWindowsAttr(windows);
    copy.matrix->set(map);
  }
  return success();
}
