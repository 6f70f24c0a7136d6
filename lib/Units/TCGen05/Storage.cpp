//===- Storage.cpp - lower slots to Tensor Memory ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A storage in Tensor Memory is columns for all of its slots; a slot is a slice
// of them.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "tc/Conversion/TMMTiles/TileOps.h"

using namespace mlir;
using namespace tc;

tcgen05::TmemType tc::getTmemRingType(tcgen05::TmemType slot, int64_t depth) {
  return tcgen05::TmemType::get(slot.getContext(), slot.getLanes(),
                                slot.getColumns() * depth,
                                slot.getElementType(), slot.getLayout(),
                                slot.getPacked(), slot.getBytes());
}

namespace {

struct StoragePattern : OpConversionPattern<tmm::StorageOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(tmm::StorageOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    tmm::StorageType type = op.getStorage().getType();
    tcgen05::TmemType region = getTmemTileType(type.getBuffer());
    if (!region)
      return rewriter.notifyMatchFailure(op, "not in Tensor Memory");
    rewriter.replaceOpWithNewOp<tcgen05::ReserveOp>(
        op, getTmemRingType(region, type.getDepth()));
    return success();
  }
};

struct SlotPattern : OpConversionPattern<tmm::TileSlotOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(tmm::TileSlotOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto region = getTmemTileType(op.getBuffer().getType());
    if (!region)
      return rewriter.notifyMatchFailure(op, "not in Tensor Memory");
    OpFoldResult place = emitSlotPlace(rewriter, op, adaptor.getIndex(),
                                       region.getCellColumns());
    rewriter.replaceOpWithNewOp<tcgen05::SliceOp>(op, region,
                                                  adaptor.getStorage(), place);
    return success();
  }
};

} // namespace

void tc::populateStoragePatterns(TypeConverter &converter,
                                 RewritePatternSet &patterns) {
  converter.addConversion([](tmm::BufferType type) -> std::optional<Type> {
    if (auto region = getTmemTileType(type))
      return region;
    return std::nullopt;
  });
  converter.addConversion([](tmm::StorageType type) -> std::optional<Type> {
    if (auto region = getTmemTileType(type.getBuffer()))
      return getTmemRingType(region, type.getDepth());
    return std::nullopt;
  });
  patterns.add<StoragePattern, SlotPattern>(converter, patterns.getContext());
}
