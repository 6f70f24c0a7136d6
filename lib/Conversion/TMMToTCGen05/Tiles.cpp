//===- Tiles.cpp - lower loads and multiplications of tiles -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile in shared memory is a sequence of slabs, each as wide as the swizzle:
// one TMA copy fills one slab, or stores it. A tile multiplication is one
// tcgen05.mma for each step along K. All are issued by the leader alone.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;
using namespace tc;

/// The swizzle mode of `bytes` bytes (a verified tmm layout).
static Swizzle getSwizzle(int64_t bytes) {
  switch (bytes) {
  case 32:
    return Swizzle::B32;
  case 64:
    return Swizzle::B64;
  case 128:
    return Swizzle::B128;
  default:
    return Swizzle::None;
  }
}

MemRefType tc::getSmemTileType(tmm::BufferType buffer) {
  MLIRContext *context = buffer.getContext();
  tmm::LayoutAttr order = buffer.getLayout();
  bool mnMajor = order && order.getOrder() == tmm::Order::mn_major;
  auto layout = tcgen05::SmemLayoutAttr::getDense(
      context, mnMajor ? tcgen05::Major::MN : tcgen05::Major::K,
      getSwizzle(order ? order.getSwizzle() : 0), buffer.getShape(),
      buffer.getElementType().getIntOrFloatBitWidth());
  return MemRefType::get(
      buffer.getShape(), buffer.getElementType(), layout,
      gpu::AddressSpaceAttr::get(context, gpu::AddressSpace::Workgroup));
}

tcgen05::TmemType tc::getAccumulatorType(tmm::BufferType buffer, int64_t ctas) {
  return tcgen05::TmemType::getAccumulator(buffer.getRows() * ctas,
                                           buffer.getColumns(), ctas,
                                           buffer.getElementType());
}

void tc::emitLeader(OpBuilder &builder, Location loc, KernelLowering &kernel,
                    tmm::Engine engine, function_ref<void(OpBuilder &)> body) {
  // A role of an asynchronous engine is one thread already.
  std::optional<tmm::Engine> role =
      tmm::WarpSpecializeOp::getRoleOf(builder.getInsertionBlock());
  if (role && *role != tmm::Engine::threads)
    return body(builder);
  bool ofPair = kernel.ctas > 1 && engine == tmm::Engine::tensor_core;
  auto guard = scf::IfOp::create(builder, loc,
                                 ofPair ? kernel.pairLeader : kernel.leader);
  OpBuilder::InsertionGuard insertion(builder);
  builder.setInsertionPointToStart(guard.thenBlock());
  body(builder);
}

Value tc::emitI32(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, builder.getI32Type(),
                                      value);
}

Value tc::emitIndex(OpBuilder &builder, Location loc, Value value) {
  return builder.createOrFold<arith::IndexCastOp>(loc, builder.getIndexType(),
                                                  value);
}

namespace {

struct LoadPattern : OpConversionPattern<tmm::LoadOp> {
  LoadPattern(TypeConverter &converter, MLIRContext *context,
              KernelLowering &kernel)
      : OpConversionPattern(converter, context), kernel(kernel) {}

  LogicalResult
  matchAndRewrite(tmm::LoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;

  KernelLowering &kernel;
};

struct WaitPrerequisitesPattern
    : OpConversionPattern<tmm::WaitPrerequisitesOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tmm::WaitPrerequisitesOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<sm90::GriddepcontrolOp>(
        op, sm90::GridDependency::Wait);
    return success();
  }
};

struct LaunchDependentsPattern : OpConversionPattern<tmm::LaunchDependentsOp> {
  LaunchDependentsPattern(TypeConverter &converter, MLIRContext *context,
                          KernelLowering &kernel)
      : OpConversionPattern(converter, context), kernel(kernel) {}

  LogicalResult
  matchAndRewrite(tmm::LaunchDependentsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    // One thread speaks for its CTA.
    emitLeader(rewriter, op.getLoc(), kernel, op.getEngine(),
               [&](OpBuilder &b) {
                 sm90::GriddepcontrolOp::create(
                     b, op.getLoc(), sm90::GridDependency::LaunchDependents);
               });
    rewriter.eraseOp(op);
    return success();
  }

  KernelLowering &kernel;
};

struct UnloadPattern : OpConversionPattern<tmm::UnloadOp> {
  UnloadPattern(TypeConverter &converter, MLIRContext *context,
                KernelLowering &kernel)
      : OpConversionPattern(converter, context), kernel(kernel) {}

  LogicalResult
  matchAndRewrite(tmm::UnloadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;

  KernelLowering &kernel;
};

struct MmaPattern : OpConversionPattern<tmm::MmaOp> {
  MmaPattern(TypeConverter &converter, MLIRContext *context,
             KernelLowering &kernel)
      : OpConversionPattern(converter, context), kernel(kernel) {}

  LogicalResult
  matchAndRewrite(tmm::MmaOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;

  KernelLowering &kernel;
};

} // namespace

/// Slab number `slab` of the tile `view`.
static Value emitSlab(OpBuilder &b, Location loc, sm90::SmemViewOp view,
                      int64_t slab) {
  auto tile = cast<MemRefType>(view.getType());
  auto layout = cast<tcgen05::SmemLayoutAttr>(tile.getLayout());
  SmallVector<int64_t> shape(tile.getShape());
  shape[layout.getContiguousDim()] = layout.getSpanElements();
  auto type = MemRefType::get(shape, tile.getElementType(), layout,
                              tile.getMemorySpace());
  int64_t bytes = slab * layout.getSlabBytes();
  OpFoldResult offset = view.getOffset();
  if (std::optional<int64_t> constant = getConstantIntValue(offset))
    offset = b.getIndexAttr(*constant + bytes);
  else if (bytes != 0)
    offset =
        arith::AddIOp::create(b, loc, cast<Value>(offset),
                              arith::ConstantIndexOp::create(b, loc, bytes))
            .getResult();
  return sm90::SmemViewOp::create(b, loc, type, view.getSource(), offset);
}

/// The barrier that counts the bytes of the copies into `op`'s buffer: "full"
/// of the slot that the enclosing transaction acquired.
static tmm::ProducerAcquireOp getTransaction(tmm::LoadOp op) {
  return op.getBuffer().getDefiningOp<tmm::ProducerAcquireOp>();
}

/// The policy of a copy with `hint`, at the start of the role of `op`, where it
/// is made once; null where the hint is none.
static Value emitCachePolicy(ConversionPatternRewriter &rewriter, Operation *op,
                             tmm::CacheHint hint) {
  sm90::EvictionPriority priority;
  switch (hint) {
  case tmm::CacheHint::none:
    return Value();
  case tmm::CacheHint::evict_normal:
    priority = sm90::EvictionPriority::Normal;
    break;
  case tmm::CacheHint::evict_first:
    priority = sm90::EvictionPriority::First;
    break;
  case tmm::CacheHint::evict_last:
    priority = sm90::EvictionPriority::Last;
    break;
  }
  Operation *scope = op->getParentOfType<gpu::GPUFuncOp>();
  Operation *below = op;
  while (below->getParentOp() != scope &&
         !isa<tmm::WarpSpecializeOp>(below->getParentOp()))
    below = below->getParentOp();
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(below->getBlock());
  return sm90::CachePolicyOp::create(rewriter, op->getLoc(),
                                     rewriter.getI64Type(), priority);
}

LogicalResult
LoadPattern::matchAndRewrite(tmm::LoadOp op, OpAdaptor adaptor,
                             ConversionPatternRewriter &rewriter) const {
  auto acquire = getTransaction(op);
  if (!acquire)
    return rewriter.notifyMatchFailure(op, "buffer is not a pipeline's slot");
  auto view = adaptor.getBuffer().getDefiningOp<sm90::SmemViewOp>();
  if (!view)
    return rewriter.notifyMatchFailure(op, "slot is not lowered");
  Location loc = op.getLoc();
  LoweredPipeline &pipeline =
      kernel.pipelines.find(acquire.getPipeline())->second;
  SmallVector<Value> state;
  if (failed(rewriter.getRemappedValues(acquire.getState(), state)))
    return rewriter.notifyMatchFailure(op, "state is not lowered");
  Value tensorMap = kernel.tensorMaps.find(op)->second;

  auto tile = cast<MemRefType>(view.getType());
  auto layout = cast<tcgen05::SmemLayoutAttr>(tile.getLayout());
  bool mnMajor = layout.getMajor() == tcgen05::Major::MN;
  int64_t slabs = layout.getNumSlabs(tile.getShape());
  int64_t span = layout.getSpanElements();

  Value policy = emitCachePolicy(rewriter, op, op.getCacheHint());
  emitLeader(rewriter, loc, kernel, tmm::Engine::tma, [&](OpBuilder &b) {
    OpFoldResult slot = b.getIndexAttr(0);
    if (pipeline.type.getDepth() > 1)
      slot = emitIndex(b, loc, state[0]);
    // Both CTAs of a pair count their bytes on the leader's barrier.
    Value barrier =
        sm90::MBarrierGetOp::create(b, loc, pipeline.countedFull(), slot);
    for (int64_t slab = 0; slab < slabs; ++slab) {
      Value target = emitSlab(b, loc, view, slab);
      Value row = adaptor.getRow(), k = adaptor.getKcol();
      Value &along = mnMajor ? row : k;
      if (slab != 0)
        along =
            arith::AddIOp::create(b, loc, along, emitI32(b, loc, slab * span));
      // Slowest dimension first, as the matrix lies in memory.
      SmallVector<Value> coordinates;
      for (auto [dim, index] : llvm::enumerate(adaptor.getBatch()))
        if (isMapDimension(op.getSource().getType(), dim))
          coordinates.push_back(emitIndex(b, loc, index));
      coordinates.push_back(emitIndex(b, loc, mnMajor ? k : row));
      coordinates.push_back(emitIndex(b, loc, mnMajor ? row : k));
      sm90::TmaLoadOp::create(b, loc, tensorMap, coordinates, target, barrier,
                              /*multicast=*/Value(), policy,
                              pipeline.type.getCtas());
    }
  });
  rewriter.eraseOp(op);
  return success();
}

LogicalResult
UnloadPattern::matchAndRewrite(tmm::UnloadOp op, OpAdaptor adaptor,
                               ConversionPatternRewriter &rewriter) const {
  auto view = adaptor.getBuffer().getDefiningOp<sm90::SmemViewOp>();
  if (!view)
    return rewriter.notifyMatchFailure(op, "buffer is not a pipeline's slot");
  Location loc = op.getLoc();
  auto tile = cast<MemRefType>(view.getType());
  auto layout = cast<tcgen05::SmemLayoutAttr>(tile.getLayout());
  Value tensorMap = kernel.tensorMaps.find(op)->second;
  // This kernel does not read D again: A and B are what should stay.
  Value policy = emitCachePolicy(rewriter, op, tmm::CacheHint::evict_first);
  emitLeader(rewriter, loc, kernel, tmm::Engine::tma_store, [&](OpBuilder &b) {
    for (int64_t slab = 0; slab < layout.getNumSlabs(tile.getShape()); ++slab) {
      Value col = adaptor.getCol();
      if (slab != 0)
        col = arith::AddIOp::create(
            b, loc, col, emitI32(b, loc, slab * layout.getSpanElements()));
      SmallVector<Value> coordinates;
      for (auto [dim, index] : llvm::enumerate(adaptor.getBatch()))
        if (isMapDimension(op.getTarget().getType(), dim))
          coordinates.push_back(emitIndex(b, loc, index));
      coordinates.push_back(emitIndex(b, loc, adaptor.getRow()));
      coordinates.push_back(emitIndex(b, loc, col));
      sm90::TmaStoreOp::create(b, loc, tensorMap, coordinates,
                               emitSlab(b, loc, view, slab), policy);
    }
  });
  rewriter.eraseOp(op);
  return success();
}

LogicalResult
MmaPattern::matchAndRewrite(tmm::MmaOp op, OpAdaptor adaptor,
                            ConversionPatternRewriter &rewriter) const {
  Type element = op.getA().getType().getElementType();
  if (!element.isBF16() && !element.isF16())
    return rewriter.notifyMatchFailure(op,
                                       "no kind of tcgen05.mma for the type");
  Location loc = op.getLoc();
  int64_t step = getMmaK(MmaKindFacts::F16);
  int64_t extent = op.getA().getType().getColumns();
  emitLeader(
      rewriter, loc, kernel, tmm::Engine::tensor_core, [&](OpBuilder &b) {
        for (int64_t k = 0; k < extent; k += step) {
          Value accumulate = adaptor.getAccumulate();
          if (k != 0)
            accumulate = arith::ConstantIntOp::create(b, loc, b.getI1Type(), 1);
          tcgen05::MmaOp::create(
              b, loc, tcgen05::MmaKind::F16, adaptor.getAcc(), adaptor.getA(),
              adaptor.getB(), accumulate, uint64_t(k), uint64_t(k), kernel.ctas,
              tcgen05::Collector::Discard, IntegerAttr());
        }
      });
  rewriter.eraseOp(op);
  return success();
}

void tc::populateTilePatterns(TypeConverter &converter,
                              RewritePatternSet &patterns,
                              KernelLowering &kernel) {
  patterns.add<LoadPattern, UnloadPattern, LaunchDependentsPattern, MmaPattern>(
      converter, patterns.getContext(), kernel);
  patterns.add<WaitPrerequisitesPattern>(converter, patterns.getContext());
}
