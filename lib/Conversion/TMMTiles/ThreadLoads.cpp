//===- ThreadLoads.cpp - tiles that threads load ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The threads of a role fill a slot of shared memory, slab by slab:
// neighbouring threads copy neighbouring chunks of a row of the slab, as many
// rows at a time as there are threads for. A chunk is what cp.async copies at
// once, or one element, which goes through a register. Where the rows of the
// slab are the columns of the matrix, a chunk is one element, too: the tile is
// transposed on the way. What is outside of the matrix becomes zero, and no
// address outside of it is formed.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/TMMTiles/TileOps.h"
#include "tc/Dialect/SM80/IR/SM80.h"

#include "tc/Support/EmitArith.h"
#include "tc/Support/RowDistances.h"
#include "tc/Support/Target.h"
#include "tc/Support/Units.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tc;

/// Copies that one iteration of a loop issues: enough to hide the latency of
/// their addresses.
static constexpr int64_t kCopiesAtOnce = 4;

namespace {

/// The chunks of one slab, and who copies them.
class SlabLoad {
public:
  SlabLoad(OpBuilder &b, tmm::LoadOp op, tmm::LoadOp::Adaptor adaptor,
           int64_t slab, int64_t threads, Value thread);

  void emit();

private:
  /// A chunk of a thread: where it is in the slab and in the matrix.
  struct Chunk {
    /// Whether the slab has it; null: it has.
    Value exists;
    Value line, column;
    SmallVector<Value> indices;
    /// Whether its first element is in the matrix, and, of a copy, the bytes
    /// that are.
    Value inside, valid;
  };

  Value constant(int64_t value) { return emitI32(b, loc, value); }
  Value add(Value a, Value c) { return arith::AddIOp::create(b, loc, a, c); }
  Value isLess(Value a, Value c) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, a, c);
  }
  Chunk emitChunk(Value number);
  void emitCopies(ArrayRef<Chunk> chunks);
  Value emitZero();
  void emitElements(ArrayRef<Chunk> chunks);
  /// Emits `body` where the slab has `chunk`.
  void where(const Chunk &chunk, function_ref<void()> body) {
    OpBuilder::InsertionGuard guard(b);
    if (chunk.exists) {
      auto branch = scf::IfOp::create(b, loc, chunk.exists);
      b.setInsertionPointToStart(branch.thenBlock());
    }
    body();
  }

  OpBuilder &b;
  Location loc;
  Value source, tile, row, kcol;
  ValueRange batch;
  /// Whether a row of the slab runs along K, and whether one of the matrix
  /// does.
  bool kMajor, alongK;
  bool isCopy;
  Type element;
  int64_t elementBytes;
  /// Elements of a chunk, chunks of a row of the slab, its rows, and where its
  /// first element is in a row of the tile.
  int64_t chunk, perLine, lines, first;
  int64_t threads;
  Value thread;
  /// Rows and columns of the matrix.
  Value rows, columns;
};

struct ThreadLoadPattern : OpConversionPattern<tmm::LoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tmm::LoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;
};

} // namespace

SlabLoad::SlabLoad(OpBuilder &b, tmm::LoadOp op, tmm::LoadOp::Adaptor adaptor,
                   int64_t slab, int64_t threads, Value thread)
    : b(b), loc(op.getLoc()), source(adaptor.getSource()),
      tile(adaptor.getBuffer()), row(adaptor.getRow()), kcol(adaptor.getKcol()),
      batch(adaptor.getBatch()), alongK(!op.getTransposed()),
      isCopy(isa<sm80::CpAsyncAttr>(op.getBy())), threads(threads),
      thread(thread) {
  auto type = cast<MemRefType>(tile.getType());
  auto layout = cast<sm90::SmemLayoutAttr>(type.getLayout());
  auto matrix = cast<MemRefType>(source.getType());
  unsigned contiguous = layout.getContiguousDim();
  kMajor = contiguous == 1;
  element = type.getElementType();
  elementBytes = type.getElementTypeBitWidth() / 8;
  chunk = 1;
  if (isCopy && kMajor == alongK) {
    RowAlignment alignment = getRowAlignment(matrix);
    // The host has checked what is not known here.
    int64_t bytes = alignment.isKnown
                        ? alignment.bytes
                        : std::min(alignment.bytes, kMinCopyBytes);
    chunk = bytes / elementBytes;
  }
  first = slab * layout.getSpanElements();
  int64_t width =
      std::min(layout.getSpanElements(), type.getDimSize(contiguous) - first);
  perLine = width / chunk;
  lines = type.getDimSize(1 - contiguous);
  auto size = [&](int64_t dim) -> Value {
    Value extent = b.createOrFold<memref::DimOp>(loc, source, dim);
    return b.createOrFold<arith::IndexCastOp>(loc, b.getI32Type(), extent);
  };
  rows = size(matrix.getRank() - 2);
  columns = size(matrix.getRank() - 1);
}

/// The chunk of this thread in turn `number`.
SlabLoad::Chunk SlabLoad::emitChunk(Value number) {
  Chunk result;
  Value index =
      add(thread, arith::MulIOp::create(b, loc, number, constant(threads)));
  if (lines * perLine % threads != 0)
    result.exists = isLess(index, constant(lines * perLine));
  if (threads % perLine == 0) {
    // Every turn has the same columns.
    Value step = constant(threads / perLine);
    result.line = add(arith::DivUIOp::create(b, loc, thread, constant(perLine)),
                      arith::MulIOp::create(b, loc, number, step));
    index = thread;
  } else {
    result.line = arith::DivUIOp::create(b, loc, index, constant(perLine));
  }
  result.column = arith::MulIOp::create(
      b, loc, arith::RemUIOp::create(b, loc, index, constant(perLine)),
      constant(chunk));
  Value fast = add(result.column, constant(first));
  Value k = add(kcol, kMajor ? fast : result.line);
  Value mn = add(row, kMajor ? result.line : fast);
  Value outer = alongK ? mn : k, inner = alongK ? k : mn;

  Value inRows = isLess(outer, rows), inColumns = isLess(inner, columns);
  result.inside = arith::AndIOp::create(b, loc, inRows, inColumns);
  if (isCopy) {
    Value all = constant(chunk * elementBytes);
    if (chunk > 1) {
      Value room = arith::SubIOp::create(b, loc, columns, inner);
      room = arith::MinSIOp::create(b, loc, room, constant(chunk));
      all = arith::MulIOp::create(b, loc, room, constant(elementBytes));
    }
    result.valid =
        arith::SelectOp::create(b, loc, result.inside, all, constant(0));
  }
  auto clamped = [&](Value at) {
    return emitIndex(
        b, loc,
        arith::SelectOp::create(b, loc, result.inside, at, constant(0)));
  };
  for (Value position : batch)
    result.indices.push_back(emitIndex(b, loc, position));
  result.indices.push_back(clamped(outer));
  result.indices.push_back(clamped(inner));
  return result;
}

void SlabLoad::emitCopies(ArrayRef<Chunk> chunks) {
  for (const Chunk &it : chunks)
    where(it, [&] {
      sm80::CpAsyncOp::create(b, loc, source, it.indices, tile, it.line,
                              it.column, uint64_t(first),
                              uint64_t(chunk * elementBytes), it.valid);
    });
}

/// Zero of an element: constants of integers have no sign.
Value SlabLoad::emitZero() {
  if (!element.isInteger())
    return arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
  Type bits = b.getIntegerType(element.getIntOrFloatBitWidth());
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(bits));
  if (bits == element)
    return zero;
  return UnrealizedConversionCastOp::create(b, loc, element, zero).getResult(0);
}

/// All elements are on their way before the first is stored.
void SlabLoad::emitElements(ArrayRef<Chunk> chunks) {
  Value zero = emitZero();
  SmallVector<Value> loaded;
  for (const Chunk &it : chunks)
    loaded.push_back(memref::LoadOp::create(b, loc, source, it.indices));
  for (auto [chunk, value] : llvm::zip_equal(chunks, loaded)) {
    // Lambdas of C++17 do not capture structured bindings.
    const Chunk &it = chunk;
    Value inside = arith::SelectOp::create(b, loc, it.inside, value, zero);
    where(it, [&, inside] {
      Value part = vector::BroadcastOp::create(
          b, loc, VectorType::get({1}, element), inside);
      sm90::SmemStoreOp::create(b, loc, part, tile, it.line, it.column,
                                uint64_t(first));
    });
  }
}

void SlabLoad::emit() {
  int64_t turns = llvm::divideCeil(lines * perLine, threads);
  int64_t atOnce = isCopy ? kCopiesAtOnce : kElementsInFlight;
  while (turns % atOnce != 0)
    --atOnce;
  auto body = [&](Value start) {
    SmallVector<Chunk> chunks;
    for (int64_t i = 0; i < atOnce; ++i)
      chunks.push_back(emitChunk(add(start, constant(i))));
    if (isCopy)
      emitCopies(chunks);
    else
      emitElements(chunks);
  };
  auto loop = scf::ForOp::create(b, loc, constant(0), constant(turns),
                                 constant(atOnce));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

/// The threads that execute `op` together.
static int64_t getThreads(tmm::LoadOp op) {
  if (auto role = tmm::WarpSpecializeOp::findRole(op->getBlock()))
    return role->first.getWarps()[role->second] * kWarpThreads;
  auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
  ArrayRef<int32_t> sizes = *kernel.getKnownBlockSize();
  int64_t threads = 1;
  for (int32_t size : sizes)
    threads *= size;
  return threads;
}

LogicalResult
ThreadLoadPattern::matchAndRewrite(tmm::LoadOp op, OpAdaptor adaptor,
                                   ConversionPatternRewriter &rewriter) const {
  auto view = adaptor.getBuffer().getDefiningOp<sm90::SmemViewOp>();
  if (!view || !isa<sm80::CpAsyncAttr, sm90::ThreadLoadAttr>(op.getBy()))
    return rewriter.notifyMatchFailure(op, "not a load of threads to a slot");
  if (!isa<MemRefType>(adaptor.getSource().getType()))
    return rewriter.notifyMatchFailure(op, "source is no memref");
  auto tile = cast<MemRefType>(view.getType());
  auto layout = dyn_cast<sm90::SmemLayoutAttr>(tile.getLayout());
  if (!layout || op.getBlocked())
    return rewriter.notifyMatchFailure(op, "not a tile in slabs");
  int64_t threads = getThreads(op);
  Value thread = tmm::WarpSpecializeOp::emitThread(rewriter, op.getLoc());
  for (int64_t slab = 0; slab < layout.getNumSlabs(tile.getShape()); ++slab)
    SlabLoad(rewriter, op, adaptor, slab, threads, thread).emit();
  rewriter.eraseOp(op);
  return success();
}

void tc::populateThreadLoadPatterns(TypeConverter &converter,
                                    RewritePatternSet &patterns) {
  patterns.add<ThreadLoadPattern>(converter, patterns.getContext());
}
