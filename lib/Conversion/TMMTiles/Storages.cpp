//===- Storages.cpp - lower slots to shared memory --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A storage in shared memory is an allocation of bytes, a slot a view of it.
// Storages that share memory are one allocation, whose slots are those of the
// first of them.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/TMMTiles/SmemTiles.h"
#include "tc/Conversion/TMMTiles/TileOps.h"
#include "tc/Dialect/SM90/IR/SM90.h"
#include "tc/Support/EmitArith.h"

using namespace mlir;
using namespace tc;

OpFoldResult tc::emitSlotPlace(OpBuilder &builder, tmm::TileSlotOp op,
                               Value index, int64_t distance) {
  if (op.getStorage().getType().getDepth() == 1)
    return builder.getIndexAttr(0);
  Location loc = op.getLoc();
  // A slot's place is within its storage.
  Value offset = arith::MulIOp::create(
      builder, loc, index, emitI32(builder, loc, distance), kNoWrap);
  return emitIndex(builder, loc, offset);
}

/// The bytes of all slots of a storage of such tiles.
static MemRefType getStorageBytes(tmm::StorageType type, MemRefType tile) {
  return MemRefType::get({getSlotStride(tile) * type.getDepth()},
                         IntegerType::get(type.getContext(), 8),
                         MemRefLayoutAttrInterface(), tile.getMemorySpace());
}

tmm::StorageOp tc::getFirstStorage(tmm::StorageOp op) {
  while (Value over = op.getOver())
    op = over.getDefiningOp<tmm::StorageOp>();
  return op;
}

/// Where the slots of `first`, and of the storages that are over it, start.
static int64_t getSharedAlignment(tmm::StorageOp first) {
  int64_t alignment = 1;
  for (tmm::StorageOp op = first; op;) {
    MemRefType tile = getSmemTileType(op.getStorage().getType().getBuffer());
    alignment = std::max(alignment, getSlotAlignment(tile));
    tmm::StorageOp next;
    for (Operation *user : op.getStorage().getUsers())
      if (auto storage = dyn_cast<tmm::StorageOp>(user))
        next = storage;
    op = next;
  }
  return alignment;
}

LogicalResult tc::verifySharedSlots(gpu::GPUFuncOp kernel) {
  WalkResult result = kernel.walk([](tmm::StorageOp op) {
    MemRefType tile = getSmemTileType(op.getStorage().getType().getBuffer());
    tmm::StorageOp first = getFirstStorage(op);
    MemRefType base = getSmemTileType(first.getStorage().getType().getBuffer());
    if (!tile || !base || op == first)
      return WalkResult::advance();
    int64_t bytes = getSlotStride(tile), available = getSlotStride(base);
    int64_t alignment = getSlotAlignment(tile);
    if (bytes <= available && available % alignment == 0)
      return WalkResult::advance();
    InFlightDiagnostic diag = op.emitOpError()
                              << "expected slots of " << bytes
                              << " bytes at multiples of " << alignment
                              << " to fit those that they share, got slots of "
                              << available << " bytes";
    diag.attachNote(first.getLoc()) << "shared storage here";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

namespace {

/// A storage in shared memory is an allocation of bytes, a slot a view of it.
struct StoragePattern : OpConversionPattern<tmm::StorageOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tmm::StorageOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    tmm::StorageType type = op.getStorage().getType();
    MemRefType tile = getSmemTileType(type.getBuffer());
    if (!tile)
      return rewriter.notifyMatchFailure(op, "not in shared memory");
    // Slots of the shared storage are viewed, not of this one.
    if (op.getOver()) {
      rewriter.replaceOpWithNewOp<sm90::SmemViewOp>(
          op, getStorageBytes(type, tile), adaptor.getOver(),
          rewriter.getIndexAttr(0));
      return success();
    }
    rewriter.replaceOpWithNewOp<sm90::SmemAllocOp>(
        op, getStorageBytes(type, tile), uint64_t(getSharedAlignment(op)));
    return success();
  }
};

struct SlotPattern : OpConversionPattern<tmm::TileSlotOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tmm::TileSlotOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    MemRefType tile = getSmemTileType(op.getBuffer().getType());
    if (!tile)
      return rewriter.notifyMatchFailure(op, "not in shared memory");
    // A block argument has no op that says with which it shares memory.
    Value storage = adaptor.getStorage();
    MemRefType base = tile;
    if (auto own = op.getStorage().getDefiningOp<tmm::StorageOp>()) {
      tmm::StorageOp first = getFirstStorage(own);
      storage = rewriter.getRemappedValue(first.getStorage());
      base = getSmemTileType(first.getStorage().getType().getBuffer());
    }
    OpFoldResult place =
        emitSlotPlace(rewriter, op, adaptor.getIndex(), getSlotStride(base));
    rewriter.replaceOpWithNewOp<sm90::SmemViewOp>(op, tile, storage, place);
    return success();
  }
};

} // namespace

void tc::populateSmemTileConversions(TypeConverter &converter) {
  converter.addConversion([](tmm::BufferType type) -> std::optional<Type> {
    if (MemRefType tile = getSmemTileType(type))
      return tile;
    return std::nullopt;
  });
  converter.addConversion([](tmm::StorageType type) -> std::optional<Type> {
    if (MemRefType tile = getSmemTileType(type.getBuffer()))
      return getStorageBytes(type, tile);
    return std::nullopt;
  });
}

void tc::populateSmemStoragePatterns(TypeConverter &converter,
                                     RewritePatternSet &patterns) {
  patterns.add<SlotPattern, StoragePattern>(converter, patterns.getContext());
}
