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

#include "tc/Conversion/TMMToSM90/ClusterTables.h"

using namespace mlir;
using namespace tc;

tcgen05::TmemType tc::getTmemTileType(tmm::BufferType buffer) {
  // Groups of 4 blocks of K follow each other, each with all rows.
  if (isa<tcgen05::ScalesAttr>(buffer.getSpace()))
    return tcgen05::TmemType::getScales(buffer.getRows() * buffer.getColumns() /
                                            kScaleBlocks,
                                        buffer.getElementType());
  auto space = dyn_cast<tcgen05::TmemAttr>(buffer.getSpace());
  if (!space)
    return {};
  return tcgen05::TmemType::getAccumulator(buffer.getRows() * space.getCtas(),
                                           buffer.getColumns(), space.getCtas(),
                                           buffer.getElementType());
}

void tc::emitIssue(OpBuilder &builder, Location loc, AgentSetAttrInterface span,
                   function_ref<void(OpBuilder &)> body) {
  if (auto role =
          tmm::WarpSpecializeOp::findRole(builder.getInsertionBlock())) {
    auto [roles, number] = *role;
    if (roles.isElected(number) && roles.getSpan(number) == span)
      return body(builder);
  }
  auto issue = tmm::IssueOp::create(builder, loc, span);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&issue.getBody().emplaceBlock());
  body(builder);
}

Value tc::emitThread(OpBuilder &builder, Location loc) {
  Value thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  thread =
      arith::IndexCastOp::create(builder, loc, builder.getI32Type(), thread);
  int64_t first = 0;
  if (auto role = tmm::WarpSpecializeOp::findRole(builder.getInsertionBlock()))
    first = role->first.getFirstWarp(role->second) * kTmemWindowLanes;
  if (first == 0)
    return thread;
  return arith::SubIOp::create(builder, loc, thread,
                               emitI32(builder, loc, first));
}

namespace {

struct LoadPattern : OpConversionPattern<tmm::LoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tmm::LoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;
  LogicalResult loadBlocks(tmm::LoadOp op, OpAdaptor adaptor,
                           ConversionPatternRewriter &rewriter) const;
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
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tmm::LaunchDependentsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    // One thread speaks for its CTA.
    emitIssue(rewriter, op.getLoc(), {}, [&](OpBuilder &b) {
      sm90::GriddepcontrolOp::create(b, op.getLoc(),
                                     sm90::GridDependency::LaunchDependents);
    });
    rewriter.eraseOp(op);
    return success();
  }
};

/// Requests and answers of cluster launch control.
struct RequestWorkPattern : OpConversionPattern<tmm::RequestWorkOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tmm::RequestWorkOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa<sm90::ClcAttr>(op.getBy()) || !op.getSignal())
      return rewriter.notifyMatchFailure(op, "not cluster launch control");
    emitIssue(rewriter, op.getLoc(), op.getSpan(), [&](OpBuilder &b) {
      sm90::ClusterLaunchControlTryCancelOp::create(
          b, op.getLoc(), adaptor.getBuffer(), op.getSignal(),
          /*multicast=*/bool(op.getSpan()));
    });
    rewriter.eraseOp(op);
    return success();
  }
};

struct QueryWorkPattern : OpConversionPattern<tmm::QueryWorkOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tmm::QueryWorkOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa<sm90::ClcAttr>(op.getBy()))
      return rewriter.notifyMatchFailure(op, "not cluster launch control");
    Location loc = op.getLoc();
    auto query = sm90::ClusterLaunchControlQueryOp::create(rewriter, loc,
                                                           adaptor.getBuffer());
    rewriter.replaceOpWithNewOp<arith::SelectOp>(
        op, query.getCanceled(), query.getX(), emitI32(rewriter, loc, -1));
    return success();
  }
};

struct UnloadPattern : OpConversionPattern<tmm::UnloadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tmm::UnloadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;
};

struct MmaPattern : OpConversionPattern<tmm::MmaOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tmm::MmaOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;
};

struct CopyPattern : OpConversionPattern<tmm::CopyOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tmm::CopyOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;
};

} // namespace

/// The memory from `bytes` bytes, and `more` (index) if it is given, behind the
/// start of `view` on, as `type`.
static Value emitPart(OpBuilder &b, Location loc, sm90::SmemViewOp view,
                      MemRefType type, int64_t bytes, Value more = Value()) {
  OpFoldResult offset = view.getOffset();
  auto add = [&](Value distance) {
    Value old = getValueOrCreateConstantIndexOp(b, loc, offset);
    offset = arith::AddIOp::create(b, loc, old, distance).getResult();
  };
  if (std::optional<int64_t> constant = getConstantIntValue(offset))
    offset = b.getIndexAttr(*constant + bytes);
  else if (bytes != 0)
    add(arith::ConstantIndexOp::create(b, loc, bytes));
  if (more)
    add(more);
  return sm90::SmemViewOp::create(b, loc, type, view.getSource(), offset);
}

/// Slab number `slab` of the tile `view`, or of its `parts` parts along the
/// rows of the slab the one with number `part` (i32).
static Value emitSlab(OpBuilder &b, Location loc, sm90::SmemViewOp view,
                      int64_t slab, int64_t parts = 1, Value part = Value()) {
  auto tile = cast<MemRefType>(view.getType());
  auto layout = cast<sm90::SmemLayoutAttr>(tile.getLayout());
  SmallVector<int64_t> shape(tile.getShape());
  unsigned contiguous = layout.getContiguousDim();
  shape[contiguous] = layout.getSpanElements();
  shape[1 - contiguous] /= parts;
  auto type = MemRefType::get(shape, tile.getElementType(), layout,
                              tile.getMemorySpace());
  Value distance;
  if (parts > 1) {
    int64_t partBytes = layout.getSlabBytes() / parts;
    distance = arith::MulIOp::create(b, loc, part, emitI32(b, loc, partBytes));
    distance = emitIndex(b, loc, distance);
  }
  return emitPart(b, loc, view, type, slab * layout.getSlabBytes(), distance);
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
  auto view = adaptor.getBuffer().getDefiningOp<sm90::SmemViewOp>();
  if (!view || !isa<sm90::TmaAttr>(op.getBy()))
    return rewriter.notifyMatchFailure(op, "not a copy of TMA into a slot");
  if (!op.getSignal())
    return rewriter.notifyMatchFailure(op, "no barrier counts its bytes");
  Value tensorMap = op.getSource();
  if (!isa<sm90::TensorMapType>(tensorMap.getType()))
    return rewriter.notifyMatchFailure(op, "source is not a tensor map");
  Location loc = op.getLoc();

  auto tile = cast<MemRefType>(view.getType());
  if (op.getBlocked())
    return loadBlocks(op, adaptor, rewriter);
  auto layout = cast<sm90::SmemLayoutAttr>(tile.getLayout());
  bool mnMajor = layout.getMajor() == Major::MN;
  int64_t slabs = layout.getNumSlabs(tile.getShape());
  int64_t span = layout.getSpanElements();

  // Of a tile that several CTAs receive each loads a part, for all of them.
  AgentSetAttrInterface to = op.getTargets();
  int64_t parts = getCopyParts(op);
  Value part, mask;
  if (to) {
    OpBuilder top = OpBuilder::atBlockBegin(
        &op->getParentOfType<gpu::GPUFuncOp>().getBody().front());
    part = emitPosition(top, loc, to);
    mask = emitMembersMask(top, loc, to);
  }
  Value policy = emitCachePolicy(rewriter, op, op.getCacheHint());
  // Bytes may be counted in the first CTA of those that multiply as one.
  bool ofPair = isa<sm90::ClusterMBarrierType>(op.getSignal().getType());
  emitIssue(rewriter, loc, {}, [&](OpBuilder &b) {
    for (int64_t slab = 0; slab < slabs; ++slab) {
      Value target = emitSlab(b, loc, view, slab, parts, part);
      Value row = adaptor.getRow(), k = adaptor.getKcol();
      Value &along = mnMajor ? row : k;
      if (slab != 0)
        along =
            arith::AddIOp::create(b, loc, along, emitI32(b, loc, slab * span));
      if (parts > 1) {
        int64_t extent = tile.getDimSize(1 - layout.getContiguousDim()) / parts;
        Value &across = mnMajor ? k : row;
        Value first =
            arith::MulIOp::create(b, loc, part, emitI32(b, loc, extent));
        across = arith::AddIOp::create(b, loc, across, first);
      }
      // Slowest dimension first, as the matrix lies in memory.
      SmallVector<Value> coordinates;
      for (Value index : adaptor.getBatch())
        coordinates.push_back(emitIndex(b, loc, index));
      coordinates.push_back(emitIndex(b, loc, mnMajor ? k : row));
      coordinates.push_back(emitIndex(b, loc, mnMajor ? row : k));
      sm90::TmaLoadOp::create(b, loc, tensorMap, coordinates, target,
                              op.getSignal(), mask, policy, ofPair ? 2 : 1);
    }
  });
  rewriter.eraseOp(op);
  return success();
}

/// One copy: in memory a block is two rows of the widest box.
LogicalResult
LoadPattern::loadBlocks(tmm::LoadOp op, OpAdaptor adaptor,
                        ConversionPatternRewriter &rewriter) const {
  Location loc = op.getLoc();
  Value policy = emitCachePolicy(rewriter, op, op.getCacheHint());
  bool ofPair = isa<sm90::ClusterMBarrierType>(op.getSignal().getType());
  emitIssue(rewriter, loc, {}, [&](OpBuilder &b) {
    SmallVector<Value> coordinates;
    for (Value index : adaptor.getBatch())
      coordinates.push_back(emitIndex(b, loc, index));
    Value row = arith::DivUIOp::create(b, loc, adaptor.getRow(),
                                       emitI32(b, loc, kScaleRows));
    // Of 4 columns, 2 rows of the box each.
    constexpr int64_t columns = kScaleBlocks * kTmaMaxBox / kScaleTileBytes;
    Value column = arith::DivUIOp::create(b, loc, adaptor.getKcol(),
                                          emitI32(b, loc, columns));
    coordinates.push_back(emitIndex(b, loc, row));
    coordinates.push_back(emitIndex(b, loc, column));
    coordinates.push_back(arith::ConstantIndexOp::create(b, loc, 0));
    sm90::TmaLoadOp::create(b, loc, op.getSource(), coordinates,
                            adaptor.getBuffer(), op.getSignal(),
                            /*multicast=*/Value(), policy, ofPair ? 2 : 1);
  });
  rewriter.eraseOp(op);
  return success();
}

LogicalResult
UnloadPattern::matchAndRewrite(tmm::UnloadOp op, OpAdaptor adaptor,
                               ConversionPatternRewriter &rewriter) const {
  auto view = adaptor.getBuffer().getDefiningOp<sm90::SmemViewOp>();
  if (!view || !isa<sm90::TmaStoreAttr>(op.getBy()))
    return rewriter.notifyMatchFailure(op, "not a copy of TMA out of a slot");
  Value tensorMap = op.getTarget();
  if (!isa<sm90::TensorMapType>(tensorMap.getType()))
    return rewriter.notifyMatchFailure(op, "target is not a tensor map");
  Location loc = op.getLoc();
  auto tile = cast<MemRefType>(view.getType());
  auto layout = cast<sm90::SmemLayoutAttr>(tile.getLayout());
  // This kernel does not read D again: A and B are what should stay.
  Value policy = emitCachePolicy(rewriter, op, tmm::CacheHint::evict_first);
  emitIssue(rewriter, loc, {}, [&](OpBuilder &b) {
    for (int64_t slab = 0; slab < layout.getNumSlabs(tile.getShape()); ++slab) {
      Value col = adaptor.getCol();
      if (slab != 0)
        col = arith::AddIOp::create(
            b, loc, col, emitI32(b, loc, slab * layout.getSpanElements()));
      SmallVector<Value> coordinates;
      for (Value index : adaptor.getBatch())
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

/// The kind of tcgen05.mma for the elements of A and of their factors, null
/// without; none where there is no such kind.
static std::optional<tcgen05::MmaKind> getKind(Type element, Type factor) {
  if (!factor && (element.isBF16() || element.isF16()))
    return tcgen05::MmaKind::F16;
  if (isa_and_nonnull<Float8E8M0FNUType>(factor) &&
      isa<Float8E4M3FNType, Float8E5M2Type>(element))
    return tcgen05::MmaKind::MXF8F6F4;
  return std::nullopt;
}

LogicalResult
MmaPattern::matchAndRewrite(tmm::MmaOp op, OpAdaptor adaptor,
                            ConversionPatternRewriter &rewriter) const {
  if (!isa<tcgen05::MmaAttr>(op.getBy()) || op.getResult())
    return rewriter.notifyMatchFailure(op, "not a multiplication of tcgen05");
  bool isScaled = bool(op.getScaleA());
  Type factor = isScaled ? op.getScaleA().getType().getElementType() : Type();
  tmm::BufferType a = op.getA().getType();
  std::optional<tcgen05::MmaKind> kind = getKind(a.getElementType(), factor);
  if (!kind || kind != getKind(op.getB().getType().getElementType(), factor))
    return rewriter.notifyMatchFailure(op,
                                       "no kind of tcgen05.mma for the types");
  Location loc = op.getLoc();
  int64_t step = getMmaK(tcgen05::getFacts(*kind)), extent = a.getColumns();
  if (isScaled && op.getScaleA().getType().getColumns() * step != extent)
    return rewriter.notifyMatchFailure(
        op, "the K of an instruction is not that of a factor");
  AgentSetAttrInterface span = op.getSpan();
  int64_t ctas = span ? span.getMembers(0).size() : 1;
  auto emit = [&](OpBuilder &b, int64_t k) {
    Value accumulate = adaptor.getAccumulate();
    if (k != 0)
      accumulate = arith::ConstantIntOp::create(b, loc, b.getI1Type(), 1);
    if (!isScaled) {
      tcgen05::MmaOp::create(b, loc, *kind, adaptor.getAcc(), adaptor.getA(),
                             adaptor.getB(), accumulate, uint64_t(k),
                             uint64_t(k), ctas, tcgen05::Collector::Discard,
                             IntegerAttr());
      return;
    }
    // The group of 4 blocks, and the block in it.
    int64_t group = k / step / kScaleBlocks, block = k / step % kScaleBlocks;
    auto factors = [&](Value all, tmm::BufferType tile) -> Value {
      auto type = tcgen05::TmemType::getScales(tile.getRows(), factor);
      if (type == all.getType())
        return all;
      return tcgen05::SliceOp::create(
          b, loc, type, all, b.getIndexAttr(group * type.getCellColumns()));
    };
    tcgen05::MmaBlockScaleOp::create(
        b, loc, *kind, adaptor.getAcc(), adaptor.getA(), adaptor.getB(),
        factors(adaptor.getScaleA(), op.getScaleA().getType()),
        factors(adaptor.getScaleB(), op.getScaleB().getType()), accumulate,
        uint64_t(k), uint64_t(k), uint64_t(block), uint64_t(block), ctas,
        tcgen05::Collector::Discard);
  };
  emitIssue(rewriter, loc, span, [&](OpBuilder &b) {
    for (int64_t k = 0; k < extent; k += step) {
      if (k == 0 || !op.getExtent()) {
        emit(b, k);
        continue;
      }
      Value inside =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt,
                                adaptor.getExtent(), emitI32(b, loc, k));
      auto guard = scf::IfOp::create(b, loc, inside);
      OpBuilder in = guard.getThenBodyBuilder();
      emit(in, k);
    }
  });
  rewriter.eraseOp(op);
  return success();
}

LogicalResult
CopyPattern::matchAndRewrite(tmm::CopyOp op, OpAdaptor adaptor,
                             ConversionPatternRewriter &rewriter) const {
  auto view = adaptor.getSource().getDefiningOp<sm90::SmemViewOp>();
  auto from = dyn_cast<sm90::SmemAttr>(op.getSource().getType().getSpace());
  if (!isa<tcgen05::CpAttr>(op.getBy()) || !view || !from ||
      from.getOrder() != sm90::Order::Blocked ||
      !isa<tcgen05::ScalesAttr>(op.getTarget().getType().getSpace()))
    return rewriter.notifyMatchFailure(op, "not a copy of scale factors");
  Location loc = op.getLoc();
  tmm::BufferType tile = op.getSource().getType();
  int64_t rows = tile.getRows() / kScaleRows;
  int64_t groups = tile.getColumns() / kScaleBlocks;
  AgentSetAttrInterface span = op.getSpan();
  int64_t ctas = span ? span.getMembers(0).size() : 1;
  auto source = MemRefType::get(
      {kScaleTileShape[0], kScaleTileShape[1] * kScaleTileShape[2]},
      tile.getElementType(), MemRefLayoutAttrInterface(),
      view.getType().getMemorySpace());
  auto target = tcgen05::TmemType::getScales(kScaleRows, tile.getElementType());
  emitIssue(rewriter, loc, span, [&](OpBuilder &b) {
    for (int64_t group = 0; group < groups; ++group)
      for (int64_t row = 0; row < rows; ++row) {
        Value block = emitPart(b, loc, view, source,
                               (row * groups + group) * kScaleTileBytes);
        Value columns = adaptor.getTarget();
        if (columns.getType() != target)
          columns = tcgen05::SliceOp::create(
              b, loc, target, columns,
              b.getIndexAttr((group * rows + row) * target.getCellColumns()));
        tcgen05::CpOp::create(b, loc, block, columns, ctas);
      }
  });
  rewriter.eraseOp(op);
  return success();
}

void tc::populateTilePatterns(TypeConverter &converter,
                              RewritePatternSet &patterns) {
  patterns.add<CopyPattern, LaunchDependentsPattern, LoadPattern, MmaPattern,
               QueryWorkPattern, RequestWorkPattern, UnloadPattern,
               WaitPrerequisitesPattern>(converter, patterns.getContext());
}
