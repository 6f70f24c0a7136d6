//===- Mma.cpp - lower multiplications --------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile multiplication is one tcgen05.mma for each step along K and each
// accumulator, issued by the leader alone.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "tc/Conversion/TMMTiles/SmemTiles.h"
#include "tc/Conversion/TMMTiles/TileOps.h"
#include "tc/Support/MmaShapes.h"

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

/// The instruction that multiplies elements from `k` on of B by those of a
/// sparse A that its metadata names.
static void emitSparse(OpBuilder &b, Location loc, tcgen05::MmaKind kind,
                       tmm::MmaOp::Adaptor adaptor, Value accumulate, int64_t k,
                       int64_t ctas) {
  auto all = cast<tcgen05::TmemType>(adaptor.getMetadata().getType());
  MmaKindFacts facts = tcgen05::getFacts(kind);
  // Where an instruction reads one column it selects it from two.
  constexpr int64_t columns = 2;
  int64_t width = getMetadataWidth(facts);
  int64_t column = k / getMmaSparseK(facts) * width;
  auto type = tcgen05::TmemType::get(all.getLanes(), columns,
                                     all.getElementType(), all.getLayout());
  Value metadata =
      tcgen05::SliceOp::create(b, loc, type, adaptor.getMetadata(),
                               b.getIndexAttr(column / columns * columns));
  tcgen05::MmaOp::create(
      b, loc, kind, adaptor.getAcc(), adaptor.getA(), adaptor.getB(), metadata,
      /*lookup=*/Value(), accumulate, /*disable=*/Value(), uint64_t(k / 2),
      uint64_t(k), uint32_t(ctas), tcgen05::Collector::Discard,
      /*scaleD=*/IntegerAttr(), /*negate_a=*/false,
      /*negate_b=*/false, /*saturate=*/false,
      /*ashift=*/false, uint32_t(column % columns));
}

namespace {

/// The instructions of one multiplication of tiles.
struct MmaSteps {
  /// The instructions from column `k` on, of 64 bytes of a row if `wide`: one
  /// for each accumulator.
  void emit(OpBuilder &b, int64_t k, bool wide);
  /// That of the accumulator with number `tile`.
  void emitOne(OpBuilder &b, int64_t tile, int64_t k, bool wide,
               Value accumulate);
  /// What it does with the collector buffer of B: instructions of one column,
  /// which follow each other, read the same B.
  tcgen05::Collector getCollectorB(int64_t tile) const;
  /// The rows of A, and of its factors, that it multiplies.
  Value emitRowsOfA(OpBuilder &b, int64_t tile);
  /// The factors that it reads of `all`, which are in `buffer`.
  Value emitFactors(OpBuilder &b, Value all, tmm::BufferType buffer,
                    int64_t tile, int64_t k, bool wide);
  /// The one or two that stand for a step of K.
  void emitStep(OpBuilder &b, int64_t k);
  /// All of them.
  void emitAll(OpBuilder &b);

  /// Whether K goes on after column `k`.
  Value isInside(OpBuilder &b, int64_t k) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt,
                                 adaptor.getExtent(), emitI32(b, loc, k));
  }
  bool isScaled() { return bool(op.getScaleA()); }
  /// Elements of K of a dense instruction that is not wide.
  int64_t getNarrowK() const { return getMmaK(tcgen05::getFacts(kind)); }

  tmm::MmaOp op;
  tmm::MmaOp::Adaptor adaptor;
  /// B as the instructions read it.
  Value b;
  /// A in shared memory, where it has rows for several accumulators.
  sm90::SmemViewOp viewA;
  Location loc;
  tcgen05::MmaKind kind;
  /// K of the tile, elements that share a scale factor, and K of a step.
  int64_t extent, vector, step;
  bool isWide;
  int64_t ctas;
  /// Accumulators, and whether B is kept from one to the next.
  int64_t tiles;
  bool keepsB;
};

} // namespace

tcgen05::Collector MmaSteps::getCollectorB(int64_t tile) const {
  if (!keepsB)
    return tcgen05::Collector::Discard;
  if (tile == 0)
    return tcgen05::Collector::Fill;
  return tile + 1 == tiles ? tcgen05::Collector::LastUse
                           : tcgen05::Collector::Use;
}

Value MmaSteps::emitRowsOfA(OpBuilder &b, int64_t tile) {
  if (tiles == 1)
    return adaptor.getA();
  // Slabs of [k / span][m][k mod span], or of [m / span][k][m mod span], keep
  // their size: the rows are a part of each, or slabs of their own.
  auto all = cast<MemRefType>(viewA.getType());
  auto layout = cast<sm90::SmemLayoutAttr>(all.getLayout());
  int64_t bytes = layout.getSlabBytes() / tiles;
  if (layout.getTileMajor() == Major::MN)
    bytes = kTmemLanes / layout.getSpanElements() * layout.getSlabBytes();
  auto rows =
      MemRefType::get({kTmemLanes, all.getDimSize(1)}, all.getElementType(),
                      layout, all.getMemorySpace());
  return emitPart(b, loc, viewA, rows, tile * bytes);
}

Value MmaSteps::emitFactors(OpBuilder &b, Value all, tmm::BufferType buffer,
                            int64_t tile, int64_t k, bool wide) {
  // The group of 4 blocks. An instruction reads one, or several.
  int64_t group = k / vector / kScaleBlocks;
  int64_t groups =
      llvm::divideCeil((wide ? step : getNarrowK()) / vector, kScaleBlocks);
  int64_t rows = buffer.getRows();
  if (int64_t own = cast<tcgen05::ScalesAttr>(buffer.getSpace()).getRows())
    rows = own;
  auto type =
      tcgen05::TmemType::getScales(groups * rows, buffer.getElementType());
  if (type == all.getType())
    return all;
  int64_t ofTile = buffer.getColumns() / kScaleBlocks / groups;
  int64_t place = tile * ofTile + group / groups;
  return tcgen05::SliceOp::create(
      b, loc, type, all, b.getIndexAttr(place * type.getCellColumns()));
}

void MmaSteps::emit(OpBuilder &b, int64_t k, bool wide) {
  Value accumulate = adaptor.getAccumulate();
  if (k != 0)
    accumulate = arith::ConstantIntOp::create(b, loc, b.getI1Type(), 1);
  if (op.getMetadata()) {
    emitSparse(b, loc, kind, adaptor, accumulate, k, ctas);
    return;
  }
  for (int64_t tile = 0; tile < tiles; ++tile)
    emitOne(b, tile, k, wide, accumulate);
}

void MmaSteps::emitOne(OpBuilder &builder, int64_t tile, int64_t k, bool wide,
                       Value accumulate) {
  Value acc = adaptor.getAcc(), a = emitRowsOfA(builder, tile);
  if (tiles > 1) {
    auto all = cast<tcgen05::TmemType>(acc.getType());
    int64_t columns = all.getColumns() / tiles;
    auto one = tcgen05::TmemType::get(all.getLanes(), columns,
                                      all.getElementType(), all.getLayout());
    acc = tcgen05::SliceOp::create(builder, loc, one, acc,
                                   builder.getIndexAttr(tile * columns));
  }
  if (!isScaled()) {
    tcgen05::MmaOp::create(builder, loc, kind, acc, a, b, accumulate,
                           uint64_t(k), uint64_t(k), ctas, wide,
                           getCollectorB(tile));
    return;
  }
  int64_t block = k / vector % kScaleBlocks;
  tcgen05::MmaBlockScaleOp::create(
      builder, loc, kind, acc, a, adaptor.getB(),
      emitFactors(builder, adaptor.getScaleA(), op.getScaleA().getType(), tile,
                  k, wide),
      emitFactors(builder, adaptor.getScaleB(), op.getScaleB().getType(),
                  /*tile=*/0, k, wide),
      accumulate, uint64_t(k), uint64_t(k), uint64_t(block), uint64_t(block),
      uint64_t(vector), ctas, wide, getCollectorB(tile));
}

// After the end of K elements are zeros, but factors may be NaN: K ends with an
// instruction that reads no further.
void MmaSteps::emitStep(OpBuilder &b, int64_t k) {
  if (!isWide || !isScaled() || !op.getExtent()) {
    emit(b, k, isWide);
    return;
  }
  auto whole = scf::IfOp::create(b, loc, isInside(b, k + step - getNarrowK()),
                                 /*withElseRegion=*/true);
  OpBuilder in = whole.getThenBodyBuilder(), out = whole.getElseBodyBuilder();
  emit(in, k, /*wide=*/true);
  emit(out, k, /*wide=*/false);
}

void MmaSteps::emitAll(OpBuilder &b) {
  for (int64_t k = 0; k < extent; k += step) {
    if (k == 0 || !op.getExtent()) {
      emitStep(b, k);
      continue;
    }
    auto guard = scf::IfOp::create(b, loc, isInside(b, k));
    OpBuilder in = guard.getThenBodyBuilder();
    emitStep(in, k);
  }
}

LogicalResult
MmaPattern::matchAndRewrite(tmm::MmaOp op, OpAdaptor adaptor,
                            ConversionPatternRewriter &rewriter) const {
  tmm::BufferType a = op.getBufferA();
  auto engine = dyn_cast<tcgen05::MmaAttr>(op.getBy());
  if (!engine || op.getResult() || !a)
    return rewriter.notifyMatchFailure(op, "not a multiplication of tcgen05");
  Type factor;
  // Of a sparse A there are fewer.
  int64_t extent = op.getTileB().getColumns(), vector = 0;
  if (op.getScaleA()) {
    factor = op.getScaleA().getType().getElementType();
    vector = extent / op.getScaleA().getType().getColumns();
  }
  std::optional<MmaKindFacts> facts = findMmaKind(
      a.getElementType(), op.getB().getType().getElementType(), factor, vector);
  std::optional<tcgen05::MmaKind> kind;
  if (facts)
    kind = tcgen05::getKind(*facts);
  if (!kind)
    return rewriter.notifyMatchFailure(op,
                                       "no kind of tcgen05.mma for the types");
  int64_t step = op.getMetadata() ? getMmaSparseK(*facts) : getMmaK(*facts);
  const int64_t wideK = getWideMmaK(*facts);
  const bool isWide = wideK && engine.getK() == wideK && !op.getMetadata();
  if (isWide)
    step = wideK;
  AgentSetAttrInterface span = op.getSpan();
  int64_t ctas = span ? span.getMembers(0).size() : 1;
  Value tile = emitTileB(rewriter, op, adaptor.getB());
  if (!tile)
    return rewriter.notifyMatchFailure(op, "b is not a pipeline's slot");
  int64_t tiles = getAccumulators(cast<tmm::BufferType>(op.getAcc().getType()));
  auto viewA = adaptor.getA().getDefiningOp<sm90::SmemViewOp>();
  if (tiles > 1 && (!viewA || op.getMetadata()))
    return rewriter.notifyMatchFailure(op, "a is not a pipeline's slot");
  MmaSteps steps{
      op,   adaptor, tile, viewA, op.getLoc(),      *kind, extent, vector,
      step, isWide,  ctas, tiles, engine.getKeepB()};
  emitIssue(rewriter, op.getLoc(), span,
            [&](OpBuilder &b) { steps.emitAll(b); });
  rewriter.eraseOp(op);
  return success();
}

void tc::populateMmaPatterns(TypeConverter &converter,
                             RewritePatternSet &patterns) {
  patterns.add<MmaPattern>(converter, patterns.getContext());
}
