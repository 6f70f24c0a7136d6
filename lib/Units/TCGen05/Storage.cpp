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
    tcgen05::TmemType ring = getTmemRingType(region, type.getDepth());
    // Slots of the shared storage are seen as others, not those of this one.
    if (op.getOver())
      rewriter.replaceOpWithNewOp<tcgen05::SliceOp>(op, ring, adaptor.getOver(),
                                                    rewriter.getIndexAttr(0));
    else
      rewriter.replaceOpWithNewOp<tcgen05::ReserveOp>(op, ring);
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
    // A block argument has no op that says with which it shares memory.
    Value storage = adaptor.getStorage();
    tcgen05::TmemType base = region;
    if (auto own = op.getStorage().getDefiningOp<tmm::StorageOp>()) {
      tmm::StorageOp first = getFirstStorage(own);
      storage = rewriter.getRemappedValue(first.getStorage());
      base = getTmemTileType(first.getStorage().getType().getBuffer());
    }
    OpFoldResult place =
        emitSlotPlace(rewriter, op, adaptor.getIndex(), base.getCellColumns());
    rewriter.replaceOpWithNewOp<tcgen05::SliceOp>(op, region, storage, place);
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
