//===- Tiles.cpp - from tile programs to wgmma ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile multiplication is one wgmma.mma_async for each step along K and each
// 64 of the rows of A that a warpgroup of the role has, a group. Accumulators
// stay in the registers of the warpgroup: a fence before the first instruction
// of a group, a wait where the pipeline awaits them.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "tc/Conversion/TMMTiles/SmemTiles.h"
#include "tc/Conversion/TMMTiles/TileOps.h"
#include "tc/Dialect/SM90/IR/SM90.h"
#include "tc/Support/EmitArith.h"
#include "tc/Support/Target.h"
#include "tc/Support/WarpTiles.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tc;

namespace {

struct MmaPattern : OpConversionPattern<tmm::MmaOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tmm::MmaOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;
};

struct AwaitPattern : OpConversionPattern<tmm::AwaitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tmm::AwaitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa<sm90::WgmmaAttr>(op.getBy()))
      return rewriter.notifyMatchFailure(op, "not work of wgmma");
    rewriter.replaceOpWithNewOp<sm90::WgmmaWaitGroupOp>(
        op, uint32_t(op.getPending()), adaptor.getValues());
    return success();
  }
};

} // namespace

/// The number of the executing warpgroup in its role. All its threads have the
/// first lane's, so that what follows of it is known to be the same for a warp:
/// wgmma takes descriptors from uniform registers.
static Value emitWarpgroup(OpBuilder &b, Location loc) {
  auto role = tmm::WarpSpecializeOp::findRole(b.getInsertionBlock());
  int64_t first = role ? role->first.getFirstWarp(role->second) : 0;
  OpBuilder::InsertionGuard guard(b);
  auto kernel = b.getInsertionBlock()->getParentOp();
  if (!isa<gpu::GPUFuncOp>(kernel))
    kernel = kernel->getParentOfType<gpu::GPUFuncOp>();
  // Where threads meet, no code leaves a loop.
  b.setInsertionPointToStart(&kernel->getRegion(0).front());
  Value thread = gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x);
  thread = arith::IndexCastOp::create(b, loc, b.getI32Type(), thread);
  Value number = arith::DivUIOp::create(b, loc, thread,
                                        emitI32(b, loc, kWarpgroupThreads));
  number = gpu::ShuffleOp::create(b, loc, number, /*offset=*/0,
                                  /*width=*/kWarpThreads, gpu::ShuffleMode::IDX)
               .getShuffleResult();
  int64_t before = first * kWarpThreads / kWarpgroupThreads;
  if (before == 0)
    return number;
  return arith::SubIOp::create(b, loc, number, emitI32(b, loc, before));
}

/// The `rows` rows of the tile of A in `view` that the executing warpgroup of
/// the role multiplies.
static Value emitRowsOfWarpgroup(OpBuilder &b, Location loc,
                                 sm90::SmemViewOp view, int64_t rows) {
  auto tile = cast<MemRefType>(view.getType());
  if (tile.getDimSize(0) == rows)
    return view;
  auto layout = cast<SmemTileLayoutInterface>(tile.getLayout());
  auto part = MemRefType::get({rows, tile.getDimSize(1)}, tile.getElementType(),
                              tile.getLayout(), tile.getMemorySpace());
  Value bytes = arith::MulIOp::create(
      b, loc, emitWarpgroup(b, loc),
      emitI32(b, loc, layout.getLinearByteOffset(rows, /*k=*/0)));
  // Not known not to wrap, so that the descriptor is made from the sum: ptxas
  // 13.0 loses the upper half of one that is the array's plus the distance of
  // the warpgroup, in uniform registers.
  Value first = getValueOrCreateConstantIndexOp(b, loc, view.getOffset());
  Value offset = arith::AddIOp::create(b, loc, first, emitIndex(b, loc, bytes));
  return sm90::SmemViewOp::create(b, loc, part, view.getSource(),
                                  OpFoldResult(offset));
}

LogicalResult
MmaPattern::matchAndRewrite(tmm::MmaOp op, OpAdaptor adaptor,
                            ConversionPatternRewriter &rewriter) const {
  Type element = op.getElementTypeA();
  auto type = dyn_cast<VectorType>(op.getAcc().getType());
  auto layout = dyn_cast_if_present<sm90::WgmmaLayoutAttr>(op.getLayoutAttr());
  if (!isa<sm90::WgmmaAttr>(op.getBy()) || !type || type.getRank() != 1 ||
      !layout)
    return rewriter.notifyMatchFailure(op, "not a multiplication of wgmma");
  if (!isWarpMmaInput(element) || op.getScaleA() || op.getMetadata() ||
      op.getExtent())
    return rewriter.notifyMatchFailure(op, "no wgmma for the type");
  // Elements of 8 bits have another order in fragments of A.
  if (!op.getBufferA() && element.getIntOrFloatBitWidth() != 16)
    return rewriter.notifyMatchFailure(op, "not 16 bits in registers");
  auto view = adaptor.getA().getDefiningOp<sm90::SmemViewOp>();
  if (!view && op.getBufferA())
    return rewriter.notifyMatchFailure(op, "a is not a pipeline's slot");
  Location loc = op.getLoc();
  const int64_t rows = layout.getRows(), columns = op.getTileB().getColumns();
  Value b = emitTileB(rewriter, op, adaptor.getB());
  if (!b)
    return rewriter.notifyMatchFailure(op, "b is not a pipeline's slot");
  Value a = view ? emitRowsOfWarpgroup(rewriter, loc, view, rows) : Value();
  // The registers were read or written since the last group.
  SmallVector<Value> registers = {adaptor.getAcc()};
  if (!view)
    registers.push_back(adaptor.getA());
  auto ready = sm90::WgmmaFenceOp::create(rewriter, loc, registers);
  Value sum = ready.getResult(0);
  if (!view)
    a = ready.getResult(1);
  int64_t step = kWgmmaKBytes * 8 / element.getIntOrFloatBitWidth();
  for (int64_t k = 0; k < columns; k += step) {
    Value accumulate = adaptor.getAccumulate();
    if (k != 0)
      accumulate =
          arith::ConstantIntOp::create(rewriter, loc, rewriter.getI1Type(), 1);
    for (int64_t m = 0; m < rows; m += kWgmmaM) {
      Value part = a;
      if (!view) {
        // A fragment of A is `step` columns of the accumulator's layout.
        const int64_t held = kWgmmaM * step / kWarpgroupThreads;
        part = vector::ExtractStridedSliceOp::create(
            rewriter, loc, a,
            ArrayRef<int64_t>{m / kWgmmaM * (held * columns / step) +
                              k / step * held},
            ArrayRef<int64_t>{held}, ArrayRef<int64_t>{1});
      }
      sum = sm90::WgmmaMmaAsyncOp::create(
          rewriter, loc, sum, part, b, accumulate,
          /*a_m=*/uint64_t(view ? m : 0), /*a_k=*/uint64_t(view ? k : 0),
          /*b_n=*/uint64_t(0), /*b_k=*/uint64_t(k), /*negate_a=*/false,
          /*negate_b=*/false, /*d_m=*/uint64_t(m), /*d_rows=*/uint64_t(rows));
    }
  }
  sm90::WgmmaCommitGroupOp::create(rewriter, loc);
  rewriter.replaceOp(op, sum);
  return success();
}

void tc::populateWGMMAPatterns(TypeConverter &converter,
                               RewritePatternSet &patterns) {
  patterns.add<MmaPattern, AwaitPattern>(converter, patterns.getContext());
}
