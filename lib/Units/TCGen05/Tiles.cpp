//===- Tiles.cpp - lower copies and reads -----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy of scale factors is one tcgen05.cp for each block, issued by the
// leader alone. Columns of an accumulator are read by tcgen05.ld, each thread
// its row.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "tc/Conversion/TMMTiles/SmemTiles.h"
#include "tc/Conversion/TMMTiles/TileOps.h"
#include "tc/Support/MmaShapes.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tc;

tcgen05::TmemType tc::getTmemTileType(tmm::BufferType buffer) {
  // Groups of 4 blocks of K follow each other, each with all rows.
  if (isa<tcgen05::ScalesAttr>(buffer.getSpace()))
    return tcgen05::TmemType::getScales(buffer.getRows() * buffer.getColumns() /
                                            kScaleBlocks,
                                        buffer.getElementType());
  if (auto operand = dyn_cast<tcgen05::OperandAttr>(buffer.getSpace()))
    return tcgen05::TmemType::getMatrixA(
        buffer.getColumns(), buffer.getElementType(),
        buffer.getElementType().getIntOrFloatBitWidth(),
        operand.getCtas() == 2 ? tcgen05::DataPath::A : tcgen05::DataPath::D);
  if (auto metadata = dyn_cast<tcgen05::MetadataAttr>(buffer.getSpace()))
    return tcgen05::TmemType::getMetadata(
        buffer.getContext(), metadata.getBits(), buffer.getColumns());
  auto space = dyn_cast<tcgen05::TmemAttr>(buffer.getSpace());
  if (!space)
    return {};
  int64_t tiles = getAccumulators(buffer);
  return tcgen05::TmemType::getAccumulator(
      buffer.getRows() / tiles * space.getCtas(), buffer.getColumns() * tiles,
      space.getCtas(), buffer.getElementType());
}

int64_t tc::getAccumulators(tmm::BufferType tile) {
  return std::max<int64_t>(tile.getRows() / kTmemLanes, 1);
}

namespace {

struct CopyMetadataPattern : OpConversionPattern<tmm::CopyOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tmm::CopyOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;
};

struct ReadPattern : OpConversionPattern<tmm::ReadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tmm::ReadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;
};

struct RescalePattern : OpConversionPattern<tmm::RescaleOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tmm::RescaleOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;
};

struct WritePattern : OpConversionPattern<tmm::WriteOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tmm::WriteOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;
};

struct CopyPattern : OpConversionPattern<tmm::CopyOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tmm::CopyOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;
};

} // namespace

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
  // Those of rows that instructions multiply apart are apart.
  bool isTall = cast<tcgen05::ScalesAttr>(op.getTarget().getType().getSpace())
                    .getRows() != 0;
  emitIssue(rewriter, loc, span, [&](OpBuilder &b) {
    for (int64_t group = 0; group < groups; ++group)
      for (int64_t row = 0; row < rows; ++row) {
        int64_t from = row * groups + group;
        Value block = emitPart(b, loc, view, source, from * kScaleTileBytes);
        Value columns = adaptor.getTarget();
        if (columns.getType() != target)
          columns = tcgen05::SliceOp::create(
              b, loc, target, columns,
              b.getIndexAttr((isTall ? from : group * rows + row) *
                             target.getCellColumns()));
        tcgen05::CpOp::create(b, loc, block, columns, ctas);
      }
  });
  rewriter.eraseOp(op);
  return success();
}

/// A block of metadata is in shared memory as in Tensor Memory: 16 bytes for
/// each lane.
LogicalResult CopyMetadataPattern::matchAndRewrite(
    tmm::CopyOp op, OpAdaptor adaptor,
    ConversionPatternRewriter &rewriter) const {
  auto view = adaptor.getSource().getDefiningOp<sm90::SmemViewOp>();
  auto from = dyn_cast<sm90::SmemAttr>(op.getSource().getType().getSpace());
  auto region = dyn_cast<tcgen05::TmemType>(adaptor.getTarget().getType());
  if (!isa<tcgen05::CpAttr>(op.getBy()) || !view || !from ||
      from.getOrder() != sm90::Order::Blocked || !region ||
      !region.isMetadata())
    return rewriter.notifyMatchFailure(op, "not a copy of metadata");
  Location loc = op.getLoc();
  AgentSetAttrInterface span = op.getSpan();
  int64_t ctas = span ? span.getMembers(0).size() : 1;
  auto source = MemRefType::get(kMetadataTileShape, region.getElementType(),
                                MemRefLayoutAttrInterface(),
                                view.getType().getMemorySpace());
  auto target =
      tcgen05::TmemType::get(region.getLanes(), kMetadataColumns,
                             region.getElementType(), region.getLayout());
  emitIssue(rewriter, loc, span, [&](OpBuilder &b) {
    for (int64_t column = 0; column < region.getColumns();
         column += kMetadataColumns) {
      Value block = emitPart(b, loc, view, source,
                             column / kMetadataColumns * kMetadataTileBytes);
      Value columns = adaptor.getTarget();
      if (columns.getType() != target)
        columns = tcgen05::SliceOp::create(b, loc, target, columns,
                                           b.getIndexAttr(column));
      tcgen05::CpOp::create(b, loc, block, columns, uint32_t(ctas),
                            tcgen05::CopyShape::R128x128b,
                            /*format=*/tcgen05::CopyFormatAttr(), /*k=*/0,
                            /*lane=*/0);
    }
  });
  rewriter.eraseOp(op);
  return success();
}

/// Calls `emit` with the columns and the number of those that one access of a
/// row of `columns` of them has, which is a power of two.
static void forEachAccess(int64_t columns, int64_t most,
                          function_ref<void(int64_t, int64_t)> emit) {
  for (int64_t column = 0; column < columns;) {
    int64_t width =
        int64_t(llvm::bit_floor(uint64_t(std::min(most, columns - column))));
    emit(column, width);
    column += width;
  }
}

/// Columns that one tcgen05.ld or st of shape 32x32b reaches.
static constexpr int64_t kMostColumns = 128;

/// Reads the columns of `row`, a warp's window, as `cells`.
static Value emitRow(OpBuilder &b, Location loc, Value row, VectorType cells) {
  auto region = cast<tcgen05::TmemType>(row.getType());
  SmallVector<Value> parts;
  forEachAccess(
      cells.getDimSize(0), kMostColumns, [&](int64_t column, int64_t width) {
        auto part =
            tcgen05::TmemType::get(region.getLanes(), width,
                                   region.getElementType(), region.getLayout());
        Value columns =
            tcgen05::SliceOp::create(b, loc, part, row, b.getIndexAttr(column));
        parts.push_back(tcgen05::LdOp::create(
            b, loc, VectorType::get({width}, cells.getElementType()), columns));
      });
  auto wait = tcgen05::WaitOp::create(b, loc, tcgen05::WaitKind::Ld, parts);
  if (parts.size() == 1)
    return wait.getResult(0);
  Value all = ub::PoisonOp::create(b, loc, cells);
  int64_t column = 0;
  for (Value part : wait.getResults()) {
    all = vector::InsertStridedSliceOp::create(
        b, loc, part, all, ArrayRef<int64_t>{column}, ArrayRef<int64_t>{1});
    column += cast<VectorType>(part.getType()).getDimSize(0);
  }
  return all;
}

LogicalResult
ReadPattern::matchAndRewrite(tmm::ReadOp op, OpAdaptor adaptor,
                             ConversionPatternRewriter &rewriter) const {
  auto region = cast<tcgen05::TmemType>(adaptor.getAcc().getType());
  auto type = cast<VectorType>(op.getType());
  bool byLanes = llvm::is_contained(
      {tcgen05::DataPath::A, tcgen05::DataPath::D, tcgen05::DataPath::F},
      region.getLayout());
  if (!isa_and_present<tcgen05::RowsAttr>(op.getLayoutAttr()) || !byLanes)
    return rewriter.notifyMatchFailure(op, "rows are not dealt to threads");
  Location loc = op.getLoc();
  auto guard = scf::IfOp::create(rewriter, loc, type, adaptor.getWritten(),
                                 /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard insertion(rewriter);
    rewriter.setInsertionPointToStart(guard.thenBlock());
    Value window = tcgen05::WarpWindowOp::create(
        rewriter, loc, region.getWindow(), adaptor.getAcc());
    auto part = tcgen05::TmemType::get(
        region.getWindow().getLanes(), type.getDimSize(0),
        region.getElementType(), region.getLayout());
    Value column = adaptor.getColumn();
    if (getAccumulators(op.getAcc().getType()) > 1) {
      // Each four warps have the rows of one.
      Value thread = tmm::WarpSpecializeOp::emitThread(rewriter, loc);
      Value tile = arith::DivUIOp::create(rewriter, loc, thread,
                                          emitI32(rewriter, loc, kTmemLanes));
      Value first = arith::MulIOp::create(
          rewriter, loc, tile,
          emitI32(rewriter, loc, op.getAcc().getType().getColumns()));
      column = arith::AddIOp::create(rewriter, loc, column, first);
    }
    Value columns = tcgen05::SliceOp::create(
        rewriter, loc, part, window,
        OpFoldResult(emitIndex(rewriter, loc, column)));
    // A sum in f16 is the low half of a cell.
    bool isHalf = type.getElementType().isF16();
    VectorType cells = isHalf ? type.clone(Type(rewriter.getI32Type())) : type;
    Value sum = emitRow(rewriter, loc, columns, cells);
    if (isHalf) {
      sum = arith::TruncIOp::create(
          rewriter, loc, type.clone(Type(rewriter.getI16Type())), sum);
      sum = arith::BitcastOp::create(rewriter, loc, type, sum);
    }
    scf::YieldOp::create(rewriter, loc, sum);
    rewriter.setInsertionPointToStart(guard.elseBlock());
    Value zero =
        arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(type));
    scf::YieldOp::create(rewriter, loc, zero);
  }
  rewriter.replaceOp(op, guard.getResults());
  return success();
}

/// Columns that a thread reads, multiplies and writes at a time.
static constexpr int64_t kRescaledColumns = 32;

LogicalResult
RescalePattern::matchAndRewrite(tmm::RescaleOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const {
  auto region = dyn_cast<tcgen05::TmemType>(adaptor.getAcc().getType());
  auto type = cast<VectorType>(op.getFactors().getType());
  if (!isa<tcgen05::RowsAttr>(op.getLayout()) || !region ||
      region.getLayout() != tcgen05::DataPath::D || type.getRank() != 1 ||
      getAccumulators(cast<tmm::BufferType>(op.getAcc().getType())) > 1)
    return rewriter.notifyMatchFailure(op, "rows are not dealt to threads");
  Location loc = op.getLoc();
  Value factor =
      vector::ExtractOp::create(rewriter, loc, adaptor.getFactors(), 0);
  Value one = arith::ConstantOp::create(rewriter, loc,
                                        rewriter.getOneAttr(factor.getType()));
  Value changes = arith::CmpFOp::create(rewriter, loc,
                                        arith::CmpFPredicate::UNE, factor, one);
  Value all = emitI32(rewriter, loc, -1);
  Value any = NVVM::VoteSyncOp::create(rewriter, loc, rewriter.getI1Type(), all,
                                       changes, NVVM::VoteSyncKind::any);
  auto guard = scf::IfOp::create(rewriter, loc, any);
  OpBuilder b = guard.getThenBodyBuilder();
  Value window = tcgen05::WarpWindowOp::create(b, loc, region.getWindow(),
                                               adaptor.getAcc());
  forEachAccess(
      region.getColumns(), kRescaledColumns,
      [&](int64_t column, int64_t width) {
        auto part =
            tcgen05::TmemType::get(region.getWindow().getLanes(), width,
                                   region.getElementType(), region.getLayout());
        auto cells = VectorType::get({width}, region.getElementType());
        Value columns = tcgen05::SliceOp::create(b, loc, part, window,
                                                 b.getIndexAttr(column));
        Value factors = vector::BroadcastOp::create(b, loc, cells, factor);
        Value scaled = arith::MulFOp::create(
            b, loc, emitRow(b, loc, columns, cells), factors);
        tcgen05::StOp::create(b, loc, scaled, columns,
                              tcgen05::AccessShape::L32x32b,
                              /*offset=*/IntegerAttr(), /*unpack=*/false,
                              /*lane=*/0);
      });
  // What is passed on is written: the arrival after it covers waited stores.
  tcgen05::WaitOp::create(b, loc, tcgen05::WaitKind::St, ValueRange());
  rewriter.eraseOp(op);
  return success();
}

LogicalResult
WritePattern::matchAndRewrite(tmm::WriteOp op, OpAdaptor adaptor,
                              ConversionPatternRewriter &rewriter) const {
  auto region = dyn_cast<tcgen05::TmemType>(adaptor.getBuffer().getType());
  auto type = cast<VectorType>(op.getValue().getType());
  if (!isa_and_present<tcgen05::RowsAttr>(op.getLayoutAttr()) || !region ||
      type.getRank() != 1)
    return rewriter.notifyMatchFailure(op, "rows are not dealt to threads");
  Location loc = op.getLoc();
  tcgen05::TmemType whole = region.getWindow();
  auto part = tcgen05::TmemType::get(
      op.getContext(), whole.getLanes(), type.getDimSize(0),
      region.getElementType(), region.getLayout(), region.getPacked(),
      region.getBytes());
  Value window =
      tcgen05::WarpWindowOp::create(rewriter, loc, whole, adaptor.getBuffer());
  // A slice begins at a cell.
  Value cell = adaptor.getColumn();
  int64_t elements = 32 / region.getStorageBits();
  if (elements != 1)
    cell = arith::DivUIOp::create(rewriter, loc, cell,
                                  emitI32(rewriter, loc, elements));
  Value columns =
      tcgen05::SliceOp::create(rewriter, loc, part, window,
                               OpFoldResult(emitIndex(rewriter, loc, cell)));
  forEachAccess(
      part.getCellColumns(), kMostColumns, [&](int64_t first, int64_t width) {
        auto type = tcgen05::TmemType::get(
            op.getContext(), whole.getLanes(), width * elements,
            region.getElementType(), region.getLayout(), region.getPacked(),
            region.getBytes());
        Value target = tcgen05::SliceOp::create(rewriter, loc, type, columns,
                                                rewriter.getIndexAttr(first));
        Value values = adaptor.getValue();
        if (type != part)
          values = vector::ExtractStridedSliceOp::create(
              rewriter, loc, values, ArrayRef<int64_t>{first * elements},
              ArrayRef<int64_t>{width * elements}, ArrayRef<int64_t>{1});
        tcgen05::StOp::create(rewriter, loc, values, target,
                              tcgen05::AccessShape::L32x32b,
                              /*offset=*/IntegerAttr(), /*unpack=*/false,
                              /*lane=*/0);
      });
  // What is passed on is written: the arrival after it covers waited stores.
  tcgen05::WaitOp::create(rewriter, loc, tcgen05::WaitKind::St, ValueRange());
  rewriter.eraseOp(op);
  return success();
}

void tc::populateTilePatterns(TypeConverter &converter,
                              RewritePatternSet &patterns) {
  patterns.add<CopyMetadataPattern, CopyPattern, ReadPattern, RescalePattern,
               WritePattern>(converter, patterns.getContext());
}
