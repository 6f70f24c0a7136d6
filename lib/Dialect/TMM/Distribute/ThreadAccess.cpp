//===- ThreadAccess.cpp - a thread's part of a matrix -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread holds runs of elements, several of them in the same row of the tile:
// a line. Lines are accessed one after the other, each where its row is inside
// of the matrix. Where the whole line is inside and rows are aligned, accesses
// are as wide as runs and 16 bytes allow, else in the largest chunks that are
// known to be inside or outside as a whole.
//
//===----------------------------------------------------------------------===//

#include "ThreadAccess.h"

#include "GlobalMatrix.h"

#include "tc/Support/EmitArith.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

#include <numeric>

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

/// Bytes of the widest access of a thread.
static constexpr int64_t kAccessBytes = 16;
static constexpr int64_t kRegisterBytes = 4;
static constexpr int64_t kCacheLineBytes = 128;
/// The hint of memref.prefetch for what is used once, soon: the L2 cache.
static constexpr unsigned kLocalityL2 = 2;

static Value emitTrue(OpBuilder &b, Location loc) {
  return arith::ConstantIntOp::create(b, loc, b.getI1Type(), 1);
}

static Value emitZero(OpBuilder &b, Location loc, Type type) {
  return arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
}

namespace {

/// The runs of a thread in one row of a tile.
struct Line {
  /// The row, from the thread's own.
  int64_t row;
  SmallVector<RegisterRun> runs;

  int64_t size() const {
    int64_t count = 0;
    for (const RegisterRun &run : runs)
      count += run.length;
    return count;
  }
  /// Where its last run ends, from the thread's own column.
  int64_t end() const {
    int64_t last = 0;
    for (const RegisterRun &run : runs)
      last = std::max(last, run.column + run.length);
    return last;
  }
  /// Whether the other line has the same columns.
  bool hasColumnsOf(const Line &other) const {
    auto columns = [](const Line &line) {
      SmallVector<std::pair<int64_t, int64_t>> result;
      for (const RegisterRun &run : line.runs)
        result.push_back({run.column, run.length});
      return result;
    };
    return columns(*this) == columns(other);
  }
};

/// A part of a matrix or a vector as a thread sees it: its own row and column,
/// and lines around them.
class ThreadAccess {
public:
  ThreadAccess(OpBuilder &b, Location loc, GlobalMatrix matrix,
               ValueRange batch, Value row, Value col, ArrayRef<bool> inBounds,
               Type elementType, ArrayRef<int64_t> shape,
               RegisterLayoutAttrInterface layout);

  /// Moves what is accessed by rows and columns, maybe to before the first.
  void shift(ArrayRef<int64_t> by);
  /// `once`: no thread reads the elements again.
  Value fetch(bool once = false);
  /// Of each row the element at the place that the thread has for it.
  Value fetchPlaces(Value places);
  void store(Value value);
  /// Asks for every line of the L2 cache from the thread's first element of a
  /// row on, where rows are aligned.
  void prefetch();
  /// Each element of a vector in its row of the tile.
  Value fetchAlongRows();

private:
  Value emitRowInside(const Line &line);
  Value emitWideInside(const Line &line);
  /// Elements of the row after the thread's column; may be more than the tile
  /// has, or negative.
  Value emitRoom() { return arith::SubIOp::create(b, loc, matrix.cols, col); }
  Value emitChunkInside(Value room, int64_t offset) {
    if (isShifted)
      return emitBelow(
          arith::AddIOp::create(b, loc, col, emitI32(b, loc, offset)),
          matrix.cols);
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, room,
                                 emitI32(b, loc, offset));
  }
  SmallVector<Value> emitIndices(const Line &line, int64_t offset);
  Value emitLoad(const Line &line, int64_t offset, int64_t chunk);
  /// Bits of bytes, and bytes of bits; others are in memory as they are.
  Value fromMemory(Value stored) {
    Type type = stored.getType();
    if (getElementTypeOrSelf(type) == elementType)
      return stored;
    Type bits = isa<VectorType>(type)
                    ? cast<VectorType>(type).clone(elementType)
                    : elementType;
    return arith::TruncIOp::create(b, loc, bits, stored);
  }
  Value toMemory(Value part) {
    auto type = cast<VectorType>(part.getType());
    Type stored = cast<MemRefType>(matrix.memref.getType()).getElementType();
    if (stored == elementType)
      return part;
    return arith::ExtUIOp::create(b, loc, type.clone(stored), part);
  }
  Value fetchLine(const Line &line);
  /// Whether `at` is before the end, and not before the start.
  Value emitBelow(Value at, Value end) {
    auto below =
        isShifted ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
    return arith::CmpIOp::create(b, loc, below, at, end);
  }
  void storeLine(const Line &line, Value value);
  /// Calls `body` for each chunk of `chunk` elements: the first element's place
  /// in the line, its column, and its register.
  void forChunks(const Line &line, int64_t chunk,
                 function_ref<void(int64_t, int64_t, int64_t)> body) {
    int64_t place = 0;
    for (const RegisterRun &run : line.runs)
      for (int64_t at = 0; at < run.length; at += chunk, place += chunk)
        body(place, run.column + at, run.first + at);
  }
  /// Elements of a chunk of kAccessBytes, at most a run.
  int64_t getWideChunk() const {
    int64_t chunk = matrix.isAdjacent ? kAccessBytes / bytes : 1;
    chunk = std::gcd(chunk, shiftOfColumns);
    for (const Line &line : lines)
      for (const RegisterRun &run : line.runs)
        chunk = std::gcd(chunk, run.length);
    return chunk;
  }
  /// Elements of a chunk that is inside or outside as a whole.
  int64_t getKnownChunk() const {
    return std::gcd(getWideChunk(), matrix.divisor);
  }
  /// Elements of whole registers for `elements`: LLVM packs small ones, and
  /// what is behind the last one would be undefined.
  int64_t padRegisters(int64_t elements) const {
    return llvm::alignTo(elements,
                         std::max<int64_t>(1, kRegisterBytes / bytes));
  }
  VectorType getChunkType(int64_t elements) const {
    return VectorType::get({elements}, elementType);
  }
  llvm::MaybeAlign getAlignment(int64_t elements) const {
    return llvm::Align(elements * bytes);
  }
  /// The registers of the lines joined: `parts` are what the lines hold.
  Value join(ArrayRef<Value> parts);

  OpBuilder &b;
  Location loc;
  GlobalMatrix matrix;
  ValueRange batch;
  /// The first row of the tile, and the thread's own column in the matrix.
  Value row, col;
  /// The promise of the op for rows and columns.
  ArrayRef<bool> inBounds;
  Type elementType;
  int64_t bytes;
  SmallVector<Line> lines;
  /// The thread's own row in the tile; null for a vector.
  Value ownRow;
  /// Null: every thread holds a part.
  Value holds;
  /// Whether the thread stores its part; null: each does.
  Value stores;
  /// Whether it may start before the first row or column; moved columns.
  bool isShifted = false, isNontemporal = false;
  int64_t shiftOfColumns = 0;
};

} // namespace

ThreadAccess::ThreadAccess(OpBuilder &b, Location loc, GlobalMatrix matrix,
                           ValueRange batch, Value row, Value col,
                           ArrayRef<bool> inBounds, Type elementType,
                           ArrayRef<int64_t> shape,
                           RegisterLayoutAttrInterface layout)
    : b(b), loc(loc), matrix(matrix), batch(batch), row(row), col(col),
      inBounds(inBounds), elementType(elementType),
      bytes(llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8)) {
  for (const RegisterRun &run : layout.getRuns(shape)) {
    Line *line = llvm::find_if(
        lines, [&](const Line &known) { return known.row == run.row; });
    if (line == lines.end())
      line = &lines.emplace_back(Line{run.row, {}});
    line->runs.push_back(run);
  }
  Value thread = WarpSpecializeOp::emitThread(b, loc);
  ownRow = layout.emitRow(b, loc, thread, shape);
  holds = layout.emitHolds(b, loc, thread, shape);
  stores = layout.emitStores(b, loc, thread);
  if (Value column = layout.emitColumn(b, loc, thread, shape))
    this->col = arith::AddIOp::create(b, loc, col, column);
}

void ThreadAccess::shift(ArrayRef<int64_t> by) {
  isShifted = true;
  shiftOfColumns = by[1];
  row = arith::AddIOp::create(b, loc, row, emitI32(b, loc, by[0]));
  col = arith::AddIOp::create(b, loc, col, emitI32(b, loc, by[1]));
}

/// Whether the thread has a part and the row of `line` is inside the matrix. A
/// vector is one row for all threads.
Value ThreadAccess::emitRowInside(const Line &line) {
  if (!matrix.rows)
    return emitTrue(b, loc);
  if (inBounds[0])
    return holds ? holds : emitTrue(b, loc);
  Value at = arith::AddIOp::create(b, loc, row, ownRow);
  if (line.row != 0)
    at = arith::AddIOp::create(b, loc, at, emitI32(b, loc, line.row));
  Value inside = emitBelow(at, matrix.rows);
  return holds ? arith::AndIOp::create(b, loc, inside, holds) : inside;
}

/// Whether wide chunks can be used for the whole line.
Value ThreadAccess::emitWideInside(const Line &line) {
  int64_t chunk = getWideChunk();
  // Chunks of pieces are inside or outside as a whole, seldom whole lines.
  bool isPiece = isShifted && !inBounds[1] && getKnownChunk() == chunk;
  if (matrix.startDivisor % chunk != 0 || isPiece)
    return arith::ConstantIntOp::create(b, loc, b.getI1Type(), 0);
  Value inside = emitTrue(b, loc);
  if (!inBounds[1])
    inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                   emitRoom(), emitI32(b, loc, line.end()));
  if (!inBounds[1] && isShifted)
    inside = arith::AndIOp::create(b, loc, inside, emitBelow(col, matrix.cols));
  if (!matrix.starts || chunk == 1)
    return inside;
  Value rest =
      arith::RemUIOp::create(b, loc, matrix.starts, emitI32(b, loc, chunk));
  Value aligned = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rest,
                                        emitI32(b, loc, 0));
  return arith::AndIOp::create(b, loc, inside, aligned);
}

/// The indices of the element `offset` columns after the thread's own.
SmallVector<Value> ThreadAccess::emitIndices(const Line &line, int64_t offset) {
  Value first = emitIndex(b, loc, col);
  if (offset != 0)
    first = arith::AddIOp::create(
        b, loc, first, arith::ConstantIndexOp::create(b, loc, offset));
  SmallVector<Value> result;
  for (Value index : batch)
    result.push_back(emitIndex(b, loc, index));
  if (matrix.rows) {
    Value at = arith::AddIOp::create(b, loc, row, ownRow);
    at = emitIndex(b, loc, at);
    if (line.row != 0)
      at = arith::AddIOp::create(
          b, loc, at, arith::ConstantIndexOp::create(b, loc, line.row));
    result.push_back(at);
  }
  result.push_back(first);
  return result;
}

Value ThreadAccess::emitLoad(const Line &line, int64_t offset, int64_t chunk) {
  // A chunk of one element is a scalar: LLVM makes two of a vector of one bf16.
  if (chunk == 1)
    return fromMemory(memref::LoadOp::create(
        b, loc, matrix.memref, emitIndices(line, offset), isNontemporal));
  Type stored = cast<MemRefType>(matrix.memref.getType()).getElementType();
  return fromMemory(vector::LoadOp::create(
      b, loc, VectorType::get({chunk}, stored), matrix.memref,
      emitIndices(line, offset), isNontemporal, getAlignment(chunk)));
}

/// `into` with the elements of `part`, a scalar or a vector, from `place` on.
static Value emitInsert(OpBuilder &b, Location loc, Value part, Value into,
                        int64_t place) {
  auto type = dyn_cast<VectorType>(part.getType());
  if (!type)
    return vector::InsertOp::create(b, loc, part, into, place);
  for (int64_t i = 0; i < type.getDimSize(0); ++i) {
    Value element = vector::ExtractOp::create(b, loc, part, i);
    into = vector::InsertOp::create(b, loc, element, into, place + i);
  }
  return into;
}

Value ThreadAccess::fetchLine(const Line &line) {
  OpBuilder::InsertionGuard insertion(b);
  VectorType type = getChunkType(padRegisters(line.size()));
  Value zero = emitZero(b, loc, type);
  auto inside = scf::IfOp::create(b, loc, type, emitRowInside(line),
                                  /*withElseRegion=*/true);
  b.setInsertionPointToStart(inside.elseBlock());
  scf::YieldOp::create(b, loc, zero);

  b.setInsertionPointToStart(inside.thenBlock());
  auto wide = scf::IfOp::create(b, loc, type, emitWideInside(line),
                                /*withElseRegion=*/true);
  scf::YieldOp::create(b, loc, wide.getResults());

  b.setInsertionPointToStart(wide.thenBlock());
  Value all = zero;
  forChunks(line, getWideChunk(), [&](int64_t place, int64_t column, int64_t) {
    Value part = emitLoad(line, column, getWideChunk());
    all = emitInsert(b, loc, part, all, place);
  });
  scf::YieldOp::create(b, loc, all);

  b.setInsertionPointToStart(wide.elseBlock());
  all = zero;
  // Each branch yields its chunk only: yielding the line would keep it alive,
  // in registers, across all of them.
  int64_t chunk = getKnownChunk();
  Type partType = chunk == 1 ? elementType : Type(getChunkType(chunk));
  Value nothing = emitZero(b, loc, partType);
  Value room = emitRoom();
  forChunks(line, chunk, [&](int64_t place, int64_t column, int64_t) {
    auto guard =
        scf::IfOp::create(b, loc, partType, emitChunkInside(room, column),
                          /*withElseRegion=*/true);
    {
      OpBuilder::InsertionGuard nested(b);
      b.setInsertionPointToStart(guard.thenBlock());
      Value part = emitLoad(line, column, chunk);
      scf::YieldOp::create(b, loc, part);
      b.setInsertionPointToStart(guard.elseBlock());
      scf::YieldOp::create(b, loc, nothing);
    }
    all = emitInsert(b, loc, guard.getResult(0), all, place);
  });
  scf::YieldOp::create(b, loc, all);
  if (type.getDimSize(0) == line.size())
    return inside.getResult(0);
  b.setInsertionPointAfter(inside);
  SmallVector<int64_t> elements(line.size());
  std::iota(elements.begin(), elements.end(), 0);
  return vector::ShuffleOp::create(b, loc, inside.getResult(0),
                                   inside.getResult(0), elements);
}

Value ThreadAccess::join(ArrayRef<Value> parts) {
  if (lines.size() == 1)
    return parts.front();
  int64_t count = 0;
  for (const Line &line : lines)
    count += line.size();
  Value all = emitZero(b, loc, getChunkType(count));
  for (auto [line, part] : llvm::zip_equal(lines, parts)) {
    bool isScalar = !isa<VectorType>(part.getType());
    int64_t place = 0;
    for (const RegisterRun &run : line.runs)
      for (int64_t i = 0; i < run.length; ++i, ++place) {
        Value element = part;
        if (!isScalar)
          element = vector::ExtractOp::create(b, loc, part, place);
        all = vector::InsertOp::create(b, loc, element, all, run.first + i);
      }
  }
  return all;
}

Value ThreadAccess::fetch(bool once) {
  isNontemporal = once;
  SmallVector<Value> parts;
  for (auto [number, line] : llvm::enumerate(lines)) {
    // All rows of a vector along them are the same.
    bool again = number != 0 && !matrix.rows && line.hasColumnsOf(lines[0]);
    parts.push_back(again ? parts[0] : fetchLine(line));
  }
  return join(parts);
}

Value ThreadAccess::fetchAlongRows() {
  SmallVector<Value> parts;
  for (const Line &line : lines) {
    Value at = arith::AddIOp::create(b, loc, row, ownRow);
    if (line.row != 0)
      at = arith::AddIOp::create(b, loc, at, emitI32(b, loc, line.row));
    Value inside = emitBelow(at, matrix.cols);
    auto guard = scf::IfOp::create(b, loc, elementType, inside,
                                   /*withElseRegion=*/true);
    OpBuilder::InsertionGuard insertion(b);
    b.setInsertionPointToStart(guard.thenBlock());
    SmallVector<Value> indices;
    for (Value index : batch)
      indices.push_back(emitIndex(b, loc, index));
    indices.push_back(emitIndex(b, loc, at));
    Value element =
        fromMemory(memref::LoadOp::create(b, loc, matrix.memref, indices));
    scf::YieldOp::create(b, loc, element);
    b.setInsertionPointToStart(guard.elseBlock());
    scf::YieldOp::create(b, loc, emitZero(b, loc, elementType));
    parts.push_back(guard.getResult(0));
  }
  if (lines.size() == 1)
    return vector::BroadcastOp::create(b, loc, getChunkType(lines[0].size()),
                                       parts.front());
  return join(parts);
}

Value ThreadAccess::fetchPlaces(Value places) {
  isShifted = true;
  Value all = emitZero(b, loc, getChunkType(lines.size()));
  for (const Line &line : lines) {
    int64_t number = line.runs.front().first;
    col = vector::ExtractOp::create(b, loc, places, number);
    Value inside = arith::AndIOp::create(b, loc, emitBelow(col, matrix.cols),
                                         emitRowInside(line));
    auto guard = scf::IfOp::create(b, loc, elementType, inside,
                                   /*withElseRegion=*/true);
    OpBuilder::InsertionGuard insertion(b);
    b.setInsertionPointToStart(guard.thenBlock());
    scf::YieldOp::create(b, loc, emitLoad(line, /*offset=*/0, /*chunk=*/1));
    b.setInsertionPointToStart(guard.elseBlock());
    scf::YieldOp::create(b, loc, emitZero(b, loc, elementType));
    b.setInsertionPointAfter(guard);
    all = vector::InsertOp::create(b, loc, guard.getResult(0), all, number);
  }
  return all;
}

void ThreadAccess::storeLine(const Line &line, Value value) {
  auto emitStore = [&](int64_t column, int64_t first, int64_t chunk) {
    if (!matrix.isAdjacent) {
      Value part = vector::ExtractOp::create(b, loc, value, first);
      memref::StoreOp::create(b, loc, part, matrix.memref,
                              emitIndices(line, column));
      return;
    }
    SmallVector<int64_t> elements(chunk);
    std::iota(elements.begin(), elements.end(), first);
    Value part = vector::ShuffleOp::create(b, loc, value, value, elements);
    vector::StoreOp::create(b, loc, toMemory(part), matrix.memref,
                            emitIndices(line, column), /*nontemporal=*/false,
                            getAlignment(chunk));
  };
  OpBuilder::InsertionGuard insertion(b);
  auto inside = scf::IfOp::create(b, loc, emitRowInside(line));
  b.setInsertionPointToStart(inside.thenBlock());
  auto wide = scf::IfOp::create(b, loc, TypeRange(), emitWideInside(line),
                                /*withElseRegion=*/true);
  b.setInsertionPointToStart(wide.thenBlock());
  forChunks(line, getWideChunk(), [&](int64_t, int64_t column, int64_t first) {
    emitStore(column, first, getWideChunk());
  });
  b.setInsertionPointToStart(wide.elseBlock());
  int64_t chunk = getKnownChunk();
  Value room = emitRoom();
  forChunks(line, chunk, [&](int64_t, int64_t column, int64_t first) {
    auto guard = scf::IfOp::create(b, loc, emitChunkInside(room, column));
    OpBuilder::InsertionGuard nested(b);
    b.setInsertionPointToStart(guard.thenBlock());
    emitStore(column, first, chunk);
  });
}

void ThreadAccess::store(Value value) {
  OpBuilder::InsertionGuard insertion(b);
  // Branches below keep it in whole registers.
  auto type = cast<VectorType>(value.getType());
  int64_t size = type.getDimSize(0), padded = padRegisters(size);
  if (padded != size) {
    SmallVector<int64_t> elements(padded, size);
    std::iota(elements.begin(), elements.begin() + size, 0);
    value = vector::ShuffleOp::create(b, loc, value, emitZero(b, loc, type),
                                      elements);
  }
  if (stores)
    b.setInsertionPointToStart(scf::IfOp::create(b, loc, stores).thenBlock());
  for (const Line &line : lines)
    storeLine(line, value);
}

void ThreadAccess::prefetch() {
  // Other rows take addresses of their own for each access, and with them the
  // registers that are left.
  if (matrix.starts || matrix.startDivisor % getWideChunk() != 0 ||
      !matrix.isAdjacent)
    return;
  for (const Line &line : lines) {
    OpBuilder::InsertionGuard insertion(b);
    auto inside = scf::IfOp::create(b, loc, emitRowInside(line));
    b.setInsertionPointToStart(inside.thenBlock());
    std::optional<int64_t> last;
    forChunks(line, getWideChunk(), [&](int64_t, int64_t column, int64_t) {
      if (last && (column - *last) * bytes < kCacheLineBytes)
        return;
      last = column;
      OpBuilder::InsertionGuard nested(b);
      if (!inBounds[1]) {
        auto guard =
            scf::IfOp::create(b, loc, emitChunkInside(emitRoom(), column));
        b.setInsertionPointToStart(guard.thenBlock());
      }
      memref::PrefetchOp::create(b, loc, matrix.memref,
                                 emitIndices(line, column), /*isWrite=*/false,
                                 kLocalityL2, /*isDataCache=*/true);
    });
  }
}

Value tc::tmm::emitThreadFetch(OpBuilder &builder, FetchOp op, VectorType tile,
                               RegisterLayoutAttrInterface layout) {
  if (op.isNumber()) {
    Location loc = op.getLoc();
    SmallVector<Value> indices;
    for (Value index : op.getBatch())
      indices.push_back(emitIndex(builder, loc, index));
    Value number =
        memref::LoadOp::create(builder, loc, op.getSource(), indices);
    if (number.getType() != tile.getElementType())
      number =
          arith::TruncIOp::create(builder, loc, builder.getI1Type(), number);
    return vector::BroadcastOp::create(builder, loc,
                                       getThreadType(layout, tile), number);
  }
  GlobalMatrix matrix =
      getGlobalMatrix(builder, op.getSource(), bool(op.getAlong()));
  ThreadAccess access(builder, op.getLoc(), matrix, op.getBatch(), op.getRow(),
                      op.getCol(), op.getInBounds(), tile.getElementType(),
                      tile.getShape(), layout);
  if (op.getShift())
    access.shift(*op.getShift());
  return op.getAlong() == Along::m ? access.fetchAlongRows()
                                   : access.fetch(op.getNontemporal());
}

Value tc::tmm::emitThreadGather(OpBuilder &builder, GatherOp op,
                                VectorType tile,
                                RegisterLayoutAttrInterface layout) {
  Location loc = op.getLoc();
  static constexpr bool kInBounds[] = {false, false};
  GlobalMatrix matrix = getGlobalMatrix(builder, op.getSource(), op.isVector());
  ThreadAccess access(builder, loc, matrix, op.getBatch(), op.getRow(),
                      emitI32(builder, loc, 0), kInBounds,
                      tile.getElementType(), tile.getShape(), layout);
  return access.fetchPlaces(op.getPlaces());
}

void tc::tmm::emitThreadPrefetch(OpBuilder &builder, PrefetchOp op,
                                 RegisterLayoutAttrInterface layout) {
  auto tile = cast<VectorType>(op.getTile());
  GlobalMatrix matrix =
      getGlobalMatrix(builder, op.getSource(), /*isVector=*/false);
  ThreadAccess access(builder, op.getLoc(), matrix, op.getBatch(), op.getRow(),
                      op.getCol(), op.getInBounds(), tile.getElementType(),
                      tile.getShape(), layout);
  access.prefetch();
}

void tc::tmm::emitThreadStore(OpBuilder &builder, StoreOp op, Value value,
                              ArrayRef<int64_t> shape,
                              RegisterLayoutAttrInterface layout) {
  GlobalMatrix matrix =
      getGlobalMatrix(builder, op.getTarget(), /*isVector=*/false);
  if (op.getUntil())
    matrix.rows = op.getUntil();
  auto type = cast<VectorType>(value.getType());
  Value col = op.getCol();
  SmallVector<int64_t> extents(shape);
  if (type.getElementTypeBitWidth() == 4) {
    // Bytes of a matrix of bytes: a thread holds whole rows.
    Location loc = op.getLoc();
    type = VectorType::get(type.getDimSize(0) / 2, builder.getI8Type());
    value = vector::BitCastOp::create(builder, loc, type, value);
    col = arith::ShRUIOp::create(builder, loc, col, emitI32(builder, loc, 1));
    extents.back() /= 2;
  }
  ThreadAccess access(builder, op.getLoc(), matrix, op.getBatch(), op.getRow(),
                      col, op.getInBounds(), type.getElementType(), extents,
                      layout);
  access.store(value);
}
