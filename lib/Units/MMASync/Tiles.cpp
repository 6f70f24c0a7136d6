//===- Tiles.cpp - from tile programs to mma.sync ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile multiplication is one sm80.mma_sync for each step along K, by each
// warp of the role for its rows of A. Accumulators stay in the registers of the
// warp.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "tc/Conversion/TMMTiles/SmemTiles.h"
#include "tc/Conversion/TMMTiles/TileOps.h"
#include "tc/Dialect/SM80/IR/SM80.h"
#include "tc/Dialect/SM90/IR/SM90.h"
#include "tc/Support/EmitArith.h"
#include "tc/Support/Target.h"
#include "tc/Support/WarpTiles.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tc;

namespace {

struct MmaPattern : OpConversionPattern<tmm::MmaOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tmm::MmaOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;
};

} // namespace

LogicalResult
MmaPattern::matchAndRewrite(tmm::MmaOp op, OpAdaptor adaptor,
                            ConversionPatternRewriter &rewriter) const {
  Type element = op.getElementTypeA();
  auto type = dyn_cast<VectorType>(op.getAcc().getType());
  auto layout = dyn_cast_if_present<sm80::MmaLayoutAttr>(op.getLayoutAttr());
  if (!isa<sm80::MmaSyncAttr>(op.getBy()) || !type || type.getRank() != 1 ||
      !layout)
    return rewriter.notifyMatchFailure(op, "not a multiplication of mma.sync");
  bool isScaled = bool(op.getScaleA());
  if ((!isScaled && !isWarpMmaInput(element)) || op.getMetadata() ||
      !op.getBufferA())
    return rewriter.notifyMatchFailure(op, "no mma.sync for the type");
  if (!isa<MemRefType>(adaptor.getA().getType()) ||
      !isa<MemRefType>(adaptor.getB().getType()) ||
      (isScaled && (!isa<MemRefType>(adaptor.getScaleA().getType()) ||
                    !isa<MemRefType>(adaptor.getScaleB().getType()))))
    return rewriter.notifyMatchFailure(op, "not tiles in shared memory");
  Location loc = op.getLoc();
  Value tile = emitTileB(rewriter, op, adaptor.getB());
  if (!tile)
    return rewriter.notifyMatchFailure(op, "b is not a pipeline's slot");
  Value thread = tmm::WarpSpecializeOp::emitThread(rewriter, loc);
  Value warp = arith::DivUIOp::create(rewriter, loc, thread,
                                      emitI32(rewriter, loc, kWarpThreads));
  Value row = arith::MulIOp::create(rewriter, loc, warp,
                                    emitI32(rewriter, loc, layout.getRows()));
  // The instruction always adds.
  Value sum = adaptor.getAcc();
  if (!matchPattern(adaptor.getAccumulate(), m_One())) {
    Value zeros = arith::ConstantOp::create(
        rewriter, loc, rewriter.getZeroAttr(sum.getType()));
    sum = arith::SelectOp::create(rewriter, loc, adaptor.getAccumulate(), sum,
                                  zeros);
  }
  int64_t step = kMmaSyncKBytes * 8 / element.getIntOrFloatBitWidth();
  auto emit = [&](OpBuilder &b, Value to, int64_t k) -> Value {
    return sm80::MmaSyncOp::create(b, loc, to, adaptor.getA(), tile, row,
                                   adaptor.getScaleA(), adaptor.getScaleB(),
                                   uint64_t(k), uint64_t(k));
  };
  for (int64_t k = 0; k < op.getTileB().getColumns(); k += step) {
    if (k == 0 || !op.getExtent()) {
      sum = emit(rewriter, sum, k);
      continue;
    }
    Value inside =
        arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::sgt,
                              adaptor.getExtent(), emitI32(rewriter, loc, k));
    auto guard = scf::IfOp::create(
        rewriter, loc, inside,
        [&](OpBuilder &b, Location) {
          scf::YieldOp::create(b, loc, emit(b, sum, k));
        },
        [&](OpBuilder &b, Location) { scf::YieldOp::create(b, loc, sum); });
    sum = guard.getResult(0);
  }
  rewriter.replaceOp(op, sum);
  return success();
}

void tc::populateMMASyncPatterns(TypeConverter &converter,
                                 RewritePatternSet &patterns) {
  patterns.add<MmaPattern>(converter, patterns.getContext());
}
