//===- TileOps.cpp - ops on tiles that units share --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile in shared memory is a sequence of slabs, each as wide as the swizzle:
// one TMA copy fills one slab, or stores it. Storages and slots are allocations
// and views of shared memory.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/TMMTiles/TileOps.h"

#include "tc/Conversion/TMMTiles/ClusterTables.h"
#include "tc/Conversion/TMMTiles/SmemTiles.h"
#include "tc/Dialect/SM90/IR/SM90.h"
#include "tc/Support/EmitArith.h"
#include "tc/Support/RegisterLayout.h"
#include "tc/Support/Target.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace tc;

/// Whether the code that `builder` emits runs in that thread alone.
static bool isIssuing(OpBuilder &builder, AgentSetAttrInterface span) {
  auto role = tmm::WarpSpecializeOp::findRole(builder.getInsertionBlock());
  return role && role->first.isElected(role->second) &&
         role->first.getSpan(role->second) == span;
}

void tc::emitIssue(OpBuilder &builder, Location loc, AgentSetAttrInterface span,
                   function_ref<void(OpBuilder &)> body) {
  if (isIssuing(builder, span))
    return body(builder);
  auto issue = tmm::IssueOp::create(builder, loc, span);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&issue.getBody().emplaceBlock());
  body(builder);
}

Value tc::emitIssueOf(OpBuilder &builder, Location loc,
                      AgentSetAttrInterface span, Type type,
                      function_ref<Value(OpBuilder &)> body) {
  if (isIssuing(builder, span))
    return body(builder);
  auto issue = tmm::IssueOp::create(builder, loc, TypeRange(type), span);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&issue.getBody().emplaceBlock());
  Value value = body(builder);
  tmm::YieldOp::create(builder, loc, value);
  return issue.getResult(0);
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

/// What a thread holds of a row goes to shared memory up to 16 bytes at a time,
/// or as rows of matrices, those of a warp together: the swizzle puts those of
/// eight neighbouring rows into different banks.
struct StagePattern : OpConversionPattern<tmm::StageOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tmm::StageOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;
};

struct UnloadPattern : OpConversionPattern<tmm::UnloadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tmm::UnloadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;
};

} // namespace

Value tc::emitPart(OpBuilder &b, Location loc, sm90::SmemViewOp view,
                   MemRefType type, int64_t bytes, Value more) {
  OpFoldResult offset = view.getOffset();
  auto add = [&](Value distance) {
    Value old = getValueOrCreateConstantIndexOp(b, loc, offset);
    offset = arith::AddIOp::create(b, loc, old, distance, kNoWrap).getResult();
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

namespace {

/// Where in the images the pixels of a tile of windows are.
struct PixelPlace {
  /// As TMA counts them, images first and channels last, and the place in the
  /// window.
  SmallVector<Value> coordinates, offsets;
};

} // namespace

/// The place of the tile of the matrix of `windows` that starts at `row` and
/// `k`, and ends within one element of the window. What is beyond the columns
/// of the matrix reads channels that no image has: zeros, as for other
/// matrices.
static PixelPlace emitPixels(OpBuilder &b, Location loc,
                             tmm::WindowsAttr windows, Value row, Value k,
                             bool hasTail) {
  auto constant = [&](int64_t value) { return emitI32(b, loc, value); };
  Value columns = constant(windows.getColumns()), isInside;
  Value channels = constant(windows.getChannels());
  Value place = b.createOrFold<arith::DivUIOp>(loc, k, channels);
  Value channel = b.createOrFold<arith::RemUIOp>(loc, k, channels);
  if (hasTail) {
    isInside = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, k,
                                             columns);
    place = b.createOrFold<arith::SelectOp>(loc, isInside, place, constant(0));
    channel = b.createOrFold<arith::SelectOp>(loc, isInside, channel, channels);
  }
  int64_t rank = windows.getRank();
  PixelPlace result;
  result.coordinates.resize(rank + 2);
  result.offsets.resize(rank);
  result.coordinates.back() = emitIndex(b, loc, channel);
  for (int64_t dim = rank - 1; dim >= 0; --dim) {
    // The last quotient is below the size of its dimension: it is the rest.
    Value output = constant(windows.getOutput()[dim]);
    Value pixel = b.createOrFold<arith::RemUIOp>(loc, row, output);
    row = b.createOrFold<arith::DivUIOp>(loc, row, output);
    pixel = b.createOrFold<arith::MulIOp>(loc, pixel,
                                          constant(windows.getStrides()[dim]));
    pixel = b.createOrFold<arith::SubIOp>(loc, pixel,
                                          constant(windows.getPadding()[dim]));
    result.coordinates[dim + 1] = emitIndex(b, loc, pixel);
    Value offset = place;
    if (dim != 0) {
      Value window = constant(windows.getWindow()[dim]);
      offset = b.createOrFold<arith::RemUIOp>(loc, place, window);
      place = b.createOrFold<arith::DivUIOp>(loc, place, window);
    }
    offset = b.createOrFold<arith::MulIOp>(
        loc, offset, constant(windows.getDilations()[dim]));
    result.offsets[dim] = emitIndex(b, loc, offset);
  }
  result.coordinates.front() = emitIndex(b, loc, row);
  return result;
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
      // Slowest dimension first, as the matrix is stored.
      PixelPlace place;
      if (tmm::WindowsAttr windows = op.getWindowsAttr()) {
        place = emitPixels(b, loc, windows, row, k,
                           windows.getColumns() % tile.getDimSize(1) != 0);
      } else {
        for (Value index : adaptor.getBatch())
          place.coordinates.push_back(emitIndex(b, loc, index));
        place.coordinates.push_back(emitIndex(b, loc, mnMajor ? k : row));
        place.coordinates.push_back(emitIndex(b, loc, mnMajor ? row : k));
      }
      sm90::TmaLoadOp::create(b, loc, tensorMap, place.coordinates,
                              place.offsets, target, op.getSignal(), mask,
                              policy, /*multicast32=*/Value(),
                              /*address=*/Value(), /*extents=*/ValueRange(),
                              /*pitches=*/ValueRange(), ofPair ? 2 : 1,
                              /*report=*/sm90::ReportAttr());
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
                            /*offsets=*/ValueRange(), adaptor.getBuffer(),
                            op.getSignal(),
                            /*multicast=*/Value(), policy,
                            /*multicast32=*/Value(), /*address=*/Value(),
                            /*extents=*/ValueRange(),
                            /*pitches=*/ValueRange(), ofPair ? 2 : 1,
                            /*report=*/sm90::ReportAttr());
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
    OpBuilder::InsertionGuard insertion(b);
    if (Value when = adaptor.getWhen())
      b.setInsertionPointToStart(scf::IfOp::create(b, loc, when).thenBlock());
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
                               emitSlab(b, loc, view, slab), policy,
                               /*address=*/Value(), /*extents=*/ValueRange(),
                               /*pitches=*/ValueRange());
    }
  });
  rewriter.eraseOp(op);
  return success();
}

/// Elements of `value` from `first` on.
static Value emitElements(OpBuilder &b, Location loc, Value value,
                          int64_t first, int64_t count) {
  SmallVector<int64_t> elements(count);
  std::iota(elements.begin(), elements.end(), first);
  return vector::ShuffleOp::create(b, loc, value, value, elements);
}

/// How many of `runs`, rows of matrices, one instruction stores: all groups of
/// that many look alike, from rows of its own on, each in one slab of `span`
/// columns. 0 where a run is no row of a matrix.
static int64_t getMatricesAtOnce(ArrayRef<RegisterRun> runs, int64_t span) {
  for (int64_t count = kMatrixCount; count >= 1; count /= 2) {
    if (runs.size() % count != 0)
      continue;
    auto isLike = [&](int64_t at) {
      for (int64_t i = 0; i < count; ++i) {
        const RegisterRun &run = runs[at + i];
        if (run.length != 2 || run.first != runs[at].first + 2 * i ||
            run.row - runs[at].row != runs[i].row - runs[0].row ||
            run.column - runs[at].column != runs[i].column - runs[0].column ||
            run.column / span != runs[at].column / span)
          return false;
      }
      return true;
    };
    auto starts = llvm::seq<int64_t>(0, runs.size() / count);
    if (!llvm::all_of(starts, [&](int64_t i) { return isLike(i * count); }))
      continue;
    // Matrices 1 and 2 are the corners of the fourth.
    if (count < 4 ||
        (runs[3].row - runs[2].row == runs[1].row - runs[0].row &&
         runs[3].column - runs[2].column == runs[1].column - runs[0].column))
      return count;
  }
  return 0;
}

/// Stores rows of matrices, those of all lanes of a warp together.
static void emitMatrices(OpBuilder &b, Location loc, Value value, Value buffer,
                         ArrayRef<RegisterRun> runs, int64_t count,
                         RegisterLayoutAttrInterface layout,
                         ArrayRef<int64_t> shape) {
  // Of the matrix that its lane names a thread has row lane mod 8.
  Value thread = tmm::WarpSpecializeOp::emitThread(b, loc);
  Value lane =
      arith::RemUIOp::create(b, loc, thread, emitI32(b, loc, kWarpThreads));
  Value first = arith::SubIOp::create(b, loc, thread, lane);
  Value row = layout.emitRow(b, loc, first, shape);
  Value inMatrix =
      arith::RemUIOp::create(b, loc, lane, emitI32(b, loc, kMatrixRows));
  row = arith::AddIOp::create(b, loc, row, inMatrix);
  Value own;
  Value rest =
      arith::DivUIOp::create(b, loc, lane, emitI32(b, loc, kMatrixRows));
  for (int64_t bit = 1; bit < count; bit *= 2) {
    Value is = arith::RemUIOp::create(b, loc, rest, emitI32(b, loc, 2));
    rest = arith::DivUIOp::create(b, loc, rest, emitI32(b, loc, 2));
    auto add = [&](Value to, int64_t distance) -> Value {
      if (distance == 0)
        return to;
      Value more = arith::MulIOp::create(b, loc, is, emitI32(b, loc, distance));
      return to ? arith::AddIOp::create(b, loc, to, more) : more;
    };
    row = add(row, runs[bit].row - runs[0].row);
    own = add(own, runs[bit].column - runs[0].column);
  }
  Value below = row;
  for (size_t at = 0; at < runs.size(); at += count) {
    if (at != 0 && runs[at].row != runs[at - count].row)
      below = arith::AddIOp::create(
          b, loc, row, emitI32(b, loc, runs[at].row - runs[0].row));
    sm90::StMatrixOp::create(
        b, loc, emitElements(b, loc, value, runs[at].first, 2 * count), buffer,
        below, own, uint64_t(runs[at].column));
  }
}

LogicalResult
StagePattern::matchAndRewrite(tmm::StageOp op, OpAdaptor adaptor,
                              ConversionPatternRewriter &rewriter) const {
  auto type = cast<VectorType>(adaptor.getValue().getType());
  RegisterLayoutAttrInterface layout = op.getLayoutAttr();
  if (type.getRank() != 1 || !layout)
    return rewriter.notifyMatchFailure(op, "value is no part of a thread");
  ArrayRef<int64_t> shape = op.getBuffer().getType().getShape();
  int64_t bits = type.getElementTypeBitWidth();
  SmallVector<RegisterRun> runs = layout.getRuns(shape);
  Location loc = op.getLoc();
  OpBuilder::InsertionGuard insertion(rewriter);
  auto slabs = cast<sm90::SmemLayoutAttr>(
      cast<MemRefType>(adaptor.getBuffer().getType()).getLayout());
  int64_t count = 0;
  if (layout.hasMatrices() && bits == kMatrixBits)
    count = getMatricesAtOnce(runs, slabs.getSpanElements());
  if (count != 0) {
    emitMatrices(rewriter, loc, adaptor.getValue(), adaptor.getBuffer(), runs,
                 count, layout, shape);
    rewriter.eraseOp(op);
    return success();
  }
  int64_t chunk = kTmaGranularity * 8 / bits;
  for (const RegisterRun &run : runs)
    chunk = std::gcd(std::gcd(chunk, run.length), run.column);
  if (chunk * bits < 16)
    return rewriter.notifyMatchFailure(op,
                                       "threads do not hold 2 bytes of a row");
  Value thread = tmm::WarpSpecializeOp::emitThread(rewriter, loc);
  Value first = layout.emitRow(rewriter, loc, thread, shape);
  Value own = layout.emitColumn(rewriter, loc, thread, shape);
  if (Value holds = layout.emitHolds(rewriter, loc, thread, shape)) {
    auto guard = scf::IfOp::create(rewriter, loc, holds);
    rewriter.setInsertionPointToStart(guard.thenBlock());
  }
  for (const RegisterRun &run : runs) {
    Value row = first;
    if (run.row != 0)
      row = arith::AddIOp::create(rewriter, loc, first,
                                  emitI32(rewriter, loc, run.row));
    for (int64_t at = 0; at < run.length; at += chunk)
      sm90::SmemStoreOp::create(rewriter, loc,
                                emitElements(rewriter, loc, adaptor.getValue(),
                                             run.first + at, chunk),
                                adaptor.getBuffer(), row, own,
                                uint64_t(run.column + at));
  }
  rewriter.eraseOp(op);
  return success();
}

void tc::populateSmemTilePatterns(TypeConverter &converter,
                                  RewritePatternSet &patterns) {
  populateThreadLoadPatterns(converter, patterns);
  populateWorkPatterns(converter, patterns);
  populateSmemStoragePatterns(converter, patterns);
  patterns.add<LoadPattern, StagePattern, UnloadPattern>(converter,
                                                         patterns.getContext());
}

/// Turns have no payload: their signals are all there is.
static void eraseTurns(gpu::GPUFuncOp kernel) {
  SmallVector<Operation *> dead;
  kernel.walk([&](Operation *op) {
    if (isa<tmm::TakeTurnOp, tmm::PassTurnOp>(op))
      dead.push_back(op);
    else if (auto slot = dyn_cast<tmm::TileSlotOp>(op);
             slot && isa<tmm::TurnAttr>(slot.getBuffer().getType().getSpace()))
      dead.push_back(op);
    else if (auto storage = dyn_cast<tmm::StorageOp>(op);
             storage &&
             isa<tmm::TurnAttr>(
                 storage.getStorage().getType().getBuffer().getSpace()))
      dead.push_back(op);
  });
  for (Operation *op : llvm::reverse(dead))
    op->erase();
}

LogicalResult tc::convertTileOps(gpu::GPUFuncOp kernel,
                                 RewritePatternSet patterns) {
  if (failed(verifySharedSlots(kernel)))
    return failure();
  eraseTurns(kernel);
  ConversionTarget target(*kernel.getContext());
  target.addIllegalDialect<tmm::TMMDialect>();
  // Roles and the issuing thread are lowered next.
  target.addLegalOp<tmm::WarpSpecializeOp, tmm::IssueOp, tmm::YieldOp>();
  // Third-party ops on tiles have to be lowered, too.
  target.markUnknownOpDynamicallyLegal([](Operation *op) {
    return llvm::none_of(op->getOperandTypes(), llvm::IsaPred<tmm::BufferType>);
  });
  SmallVector<Operation *> body;
  for (Operation &op : kernel.getBody().front())
    body.push_back(&op);
  return applyPartialConversion(body, target, std::move(patterns));
}
