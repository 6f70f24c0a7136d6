//===- Tiles.cpp - tile engine X to existing ops ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile multiplication is one sm80.mma_sync for each step along K, the last
// step first.
//
//===----------------------------------------------------------------------===//

#include "TileX.h"

#include "tc/Dialect/SM80/IR/SM80.h"
#include "tc/Dialect/SM90/IR/SM90.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Support/EmitArith.h"
#include "tc/Support/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace tc;

namespace {

struct MmaPattern : OpConversionPattern<tmm::MmaOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tmm::MmaOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getAcc().getType());
    if (!isa<tile_x::EngineAttr>(op.getBy()) || !type || type.getRank() != 1)
      return rewriter.notifyMatchFailure(op, "not work of tile engine X");
    Location loc = op.getLoc();
    Value thread = tmm::WarpSpecializeOp::emitThread(rewriter, loc);
    Value warp = arith::DivUIOp::create(rewriter, loc, thread,
                                        emitI32(rewriter, loc, kWarpThreads));
    Value row = arith::MulIOp::create(
        rewriter, loc, warp, emitI32(rewriter, loc, tile_x::kWarpRows));
    // Its instructions always add.
    Value zeros =
        arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(type));
    Value sum = arith::SelectOp::create(rewriter, loc, adaptor.getAccumulate(),
                                        adaptor.getAcc(), zeros);
    tmm::BufferType tile = op.getBufferA();
    if (!tile)
      return rewriter.notifyMatchFailure(op, "a is in registers");
    const int64_t step =
        kMmaSyncKBytes * 8 / tile.getElementType().getIntOrFloatBitWidth();
    for (int64_t k = tile.getColumns() - step; k >= 0; k -= step)
      sum = sm80::MmaSyncOp::create(rewriter, loc, sum, adaptor.getA(),
                                    adaptor.getB(), row, /*scale_a=*/Value(),
                                    /*scale_b=*/Value(), uint64_t(k),
                                    uint64_t(k));
    rewriter.replaceOp(op, sum);
    return success();
  }
};

} // namespace

void tile_x::populatePatterns(TypeConverter &converter,
                              RewritePatternSet &patterns) {
  patterns.add<MmaPattern>(converter, patterns.getContext());
}
