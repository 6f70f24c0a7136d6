//===- Storage.cpp - lower slots to memory ------------------------ -*- C++
//-*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A storage is an allocation of shared memory, or columns of Tensor Memory, for
// all of its slots; a slot is a view of one.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;
using namespace tc;

tcgen05::TmemType tc::getTmemRingType(tcgen05::TmemType slot, int64_t depth) {
  return tcgen05::TmemType::get(
      slot.getContext(), slot.getLanes(), slot.getColumns() * depth,
      slot.getElementType(), slot.getLayout(), slot.getPacked());
}

namespace {

struct StoragePattern : OpConversionPattern<tmm::StorageOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(tmm::StorageOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    tmm::StorageType type = op.getStorage().getType();
    if (auto region = getTmemTileType(type.getBuffer())) {
      auto ring = getTmemRingType(region, type.getDepth());
      rewriter.replaceOpWithNewOp<tcgen05::ReserveOp>(op, ring);
      return success();
    }
    MemRefType tile = getSmemTileType(type.getBuffer());
    if (!tile)
      return rewriter.notifyMatchFailure(op, "no memory of this chip");
    auto bytes = MemRefType::get(
        {getSlotStride(tile) * type.getDepth()}, rewriter.getI8Type(),
        MemRefLayoutAttrInterface(), tile.getMemorySpace());
    rewriter.replaceOpWithNewOp<sm90::SmemAllocOp>(
        op, bytes, ValueRange(), uint64_t(getSlotAlignment(tile)));
    return success();
  }
};

struct SlotPattern : OpConversionPattern<tmm::TileSlotOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(tmm::TileSlotOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    int64_t depth = op.getStorage().getType().getDepth();
    // What lies `distance` from one slot to the next.
    auto place = [&](int64_t distance) -> OpFoldResult {
      if (depth == 1)
        return rewriter.getIndexAttr(0);
      Value offset = arith::MulIOp::create(rewriter, loc, adaptor.getIndex(),
                                           emitI32(rewriter, loc, distance));
      return emitIndex(rewriter, loc, offset);
    };
    if (auto region = getTmemTileType(op.getBuffer().getType())) {
      rewriter.replaceOpWithNewOp<tcgen05::SliceOp>(
          op, region, adaptor.getStorage(), place(region.getCellColumns()));
      return success();
    }
    MemRefType tile = getSmemTileType(op.getBuffer().getType());
    if (!tile)
      return rewriter.notifyMatchFailure(op, "no memory of this chip");
    rewriter.replaceOpWithNewOp<sm90::SmemViewOp>(
        op, tile, adaptor.getStorage(), place(getSlotStride(tile)));
    return success();
  }
};

} // namespace

void tc::populateStoragePatterns(TypeConverter &converter,
                                 RewritePatternSet &patterns) {
  patterns.add<StoragePattern, SlotPattern>(converter, patterns.getContext());
}
