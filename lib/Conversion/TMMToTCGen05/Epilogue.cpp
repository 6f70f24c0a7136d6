//===- Epilogue.cpp - lower register tiles ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A register tile of the CTA is dealt to the threads by rows: thread t holds
// row t, as the data path layouts D and A put it into lane t. With 64 rows,
// layout F, only the first 16 threads of each warp hold one. Elementwise ops on
// tiles become the same ops on the row.
//
// Rows in a store buffer are written in chunks of 16 bytes, whose swizzle puts
// eight neighbouring rows into different banks.
//
// Rows in global memory are accessed in chunks of 16 bytes where the whole
// width is inside the matrix and the row stride allows it, else in the largest
// chunks that are known to be inside or outside as a whole.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "tc/Conversion/TMMToSM90/GlobalMatrix.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <numeric>

using namespace mlir;
using namespace tc;

namespace {

/// Bytes of the widest access of a thread that every sm_100 can make.
constexpr int64_t kAccessBytes = 16;

struct ReadPattern : OpConversionPattern<tmm::ReadOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(tmm::ReadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;
};

struct FetchPattern : OpConversionPattern<tmm::FetchOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(tmm::FetchOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;
};

struct StorePattern : OpConversionPattern<tmm::StoreOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(tmm::StoreOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;
};

struct StagePattern : OpConversionPattern<tmm::StageOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(tmm::StageOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;
};

/// The row of a tile of `rows` rows that the thread holds.
Value emitThreadRow(OpBuilder &b, Location loc, int64_t rows) {
  if (rows == kTmemLanes)
    return emitThread(b, loc);
  // Layout F: row r is in lane 32 * (r / 16) + r mod 16, so that each warp
  // skips the rows that the warps before it do not have.
  int64_t skipped = kTmemWindowLanes - rows * kTmemWindowLanes / kTmemLanes;
  Value thread = emitThread(b, loc);
  Value warp =
      arith::DivUIOp::create(b, loc, thread, emitI32(b, loc, kTmemWindowLanes));
  Value before = arith::MulIOp::create(b, loc, warp, emitI32(b, loc, skipped));
  return arith::SubIOp::create(b, loc, thread, before);
}

/// Whether the thread holds a row of such a tile; null if all do.
Value emitHoldsRow(OpBuilder &b, Location loc, int64_t rows) {
  if (rows == kTmemLanes)
    return {};
  Value lane = arith::RemUIOp::create(b, loc, emitThread(b, loc),
                                      emitI32(b, loc, kTmemWindowLanes));
  return arith::CmpIOp::create(
      b, loc, arith::CmpIPredicate::ult, lane,
      emitI32(b, loc, rows * kTmemWindowLanes / kTmemLanes));
}

/// One row of a global matrix or a vector, from one column on, as a thread sees
/// it.
class RowAccess {
public:
  RowAccess(OpBuilder &b, Location loc, const GlobalMatrix &matrix,
            ValueRange batch, Value row, Value col, VectorType type,
            int64_t rows, ArrayRef<bool> inBounds)
      : b(b), loc(loc), matrix(matrix), batch(batch), type(type), col(col),
        inBounds(inBounds) {
    if (matrix.rows) {
      this->row =
          arith::AddIOp::create(b, loc, row, emitThreadRow(b, loc, rows));
      holdsRow = emitHoldsRow(b, loc, rows);
    }
    bytes = type.getElementTypeBitWidth() / 8;
  }

  /// Whether the thread has a row and it is inside the matrix. A vector is one
  /// row for everybody.
  Value rowInside() {
    if (!row)
      return arith::ConstantIntOp::create(b, loc, b.getI1Type(), 1);
    if (inBounds[0])
      return holdsRow ? holdsRow
                      : arith::ConstantIntOp::create(b, loc, b.getI1Type(), 1);
    Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, row,
                                         matrix.rows);
    return holdsRow ? arith::AndIOp::create(b, loc, inside, holdsRow) : inside;
  }
  /// Elements of the row from the column on; may be more than the width, or
  /// negative.
  Value room() { return arith::SubIOp::create(b, loc, matrix.cols, col); }
  /// Elements of a chunk of kAccessBytes, at most the width.
  int64_t wideChunk() const {
    return std::gcd(kAccessBytes / bytes, type.getDimSize(0));
  }
  /// Elements of a chunk that is inside or outside as a whole.
  int64_t knownChunk() const { return std::gcd(wideChunk(), matrix.divisor); }
  /// Whether wide chunks can be used for the whole width.
  Value wideInside(Value room) {
    Value width = emitI32(b, loc, type.getDimSize(0));
    Value inside =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, room, width);
    if (matrix.startDivisor % wideChunk() != 0)
      return arith::ConstantIntOp::create(b, loc, b.getI1Type(), 0);
    if (!matrix.starts)
      return inside;
    Value chunk = emitI32(b, loc, wideChunk());
    Value rest = arith::RemUIOp::create(b, loc, matrix.starts, chunk);
    Value aligned = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                          rest, emitI32(b, loc, 0));
    return arith::AndIOp::create(b, loc, inside, aligned);
  }
  /// The index of the element `offset` columns behind the first.
  SmallVector<Value> indices(int64_t offset) {
    Value first = emitIndex(b, loc, col);
    if (offset != 0)
      first = arith::AddIOp::create(
          b, loc, first, arith::ConstantIndexOp::create(b, loc, offset));
    SmallVector<Value> result;
    for (Value index : batch)
      result.push_back(emitIndex(b, loc, index));
    if (row)
      result.push_back(emitIndex(b, loc, row));
    result.push_back(first);
    return result;
  }
  VectorType chunkType(int64_t elements) const {
    return VectorType::get({elements}, type.getElementType());
  }
  llvm::MaybeAlign alignment(int64_t elements) const {
    return llvm::Align(elements * bytes);
  }
  /// Whether the chunk that starts at `offset` is inside, given room().
  Value chunkInside(Value room, int64_t offset) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, room,
                                 emitI32(b, loc, offset));
  }

  OpBuilder &b;
  Location loc;
  const GlobalMatrix &matrix;
  ValueRange batch;
  VectorType type;
  Value row, col;
  /// Null: every thread has a row.
  Value holdsRow;
  /// The op's promise for rows and columns.
  ArrayRef<bool> inBounds;
  int64_t bytes;
};

} // namespace

//===----------------------------------------------------------------------===//
// ReadOp
//===----------------------------------------------------------------------===//

LogicalResult
ReadPattern::matchAndRewrite(tmm::ReadOp op, OpAdaptor adaptor,
                             ConversionPatternRewriter &rewriter) const {
  auto region = cast<tcgen05::TmemType>(adaptor.getAcc().getType());
  auto type = dyn_cast_or_null<VectorType>(
      getTypeConverter()->convertType(op.getType()));
  bool byLanes = llvm::is_contained(
      {tcgen05::DataPath::A, tcgen05::DataPath::D, tcgen05::DataPath::F},
      region.getLayout());
  if (!type || !byLanes)
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
    Value columns = tcgen05::SliceOp::create(
        rewriter, loc, part, window,
        OpFoldResult(emitIndex(rewriter, loc, adaptor.getColumn())));
    Value row = tcgen05::LdOp::create(rewriter, loc, type, columns);
    auto wait =
        tcgen05::WaitOp::create(rewriter, loc, tcgen05::WaitKind::Ld, row);
    scf::YieldOp::create(rewriter, loc, wait.getResults());
    rewriter.setInsertionPointToStart(guard.elseBlock());
    Value zero =
        arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(type));
    scf::YieldOp::create(rewriter, loc, zero);
  }
  rewriter.replaceOp(op, guard.getResults());
  return success();
}

//===----------------------------------------------------------------------===//
// FetchOp
//===----------------------------------------------------------------------===//

/// The element of the vector `matrix` that belongs to the thread's row, from
/// `first` on; zero outside.
static Value loadRowElement(OpBuilder &b, Location loc,
                            const GlobalMatrix &matrix, ValueRange batch,
                            Value first, Type type, int64_t rows) {
  Value row = arith::AddIOp::create(b, loc, first, emitThreadRow(b, loc, rows));
  Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, row,
                                       matrix.cols);
  auto guard = scf::IfOp::create(b, loc, type, inside, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard insertion(b);
  b.setInsertionPointToStart(guard.thenBlock());
  SmallVector<Value> indices;
  for (Value index : batch)
    indices.push_back(emitIndex(b, loc, index));
  indices.push_back(emitIndex(b, loc, row));
  Value element = memref::LoadOp::create(b, loc, matrix.memref, indices);
  scf::YieldOp::create(b, loc, element);
  b.setInsertionPointToStart(guard.elseBlock());
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  scf::YieldOp::create(b, loc, zero);
  return guard.getResult(0);
}

LogicalResult
FetchPattern::matchAndRewrite(tmm::FetchOp op, OpAdaptor adaptor,
                              ConversionPatternRewriter &rewriter) const {
  auto type = dyn_cast_or_null<VectorType>(
      getTypeConverter()->convertType(op.getType()));
  if (!type)
    return rewriter.notifyMatchFailure(op, "no row type");
  Location loc = op.getLoc();
  OpBuilder::InsertionGuard insertion(rewriter);
  GlobalMatrix matrix =
      getGlobalMatrix(rewriter, op.getSource(), bool(op.getAlong()));
  int64_t rows = cast<VectorType>(op.getType()).getDimSize(0);
  if (op.getAlong() == tmm::Along::m) {
    Value element =
        loadRowElement(rewriter, loc, matrix, adaptor.getBatch(),
                       adaptor.getRow(), type.getElementType(), rows);
    rewriter.replaceOpWithNewOp<vector::BroadcastOp>(op, type, element);
    return success();
  }
  RowAccess access(rewriter, loc, matrix, adaptor.getBatch(), adaptor.getRow(),
                   adaptor.getCol(), type, rows, op.getInBounds());
  auto load = [&](int64_t offset, int64_t chunk) -> Value {
    if (chunk == 1)
      return memref::LoadOp::create(rewriter, loc, matrix.memref,
                                    access.indices(offset));
    return vector::LoadOp::create(
        rewriter, loc, access.chunkType(chunk), matrix.memref,
        access.indices(offset), /*nontemporal=*/false, access.alignment(chunk));
  };
  auto insert = [&](Value part, Value into, int64_t offset, int64_t chunk) {
    for (int64_t i = 0; i < chunk; ++i) {
      Value element = part;
      if (chunk != 1)
        element = vector::ExtractOp::create(rewriter, loc, part, i);
      into = vector::InsertOp::create(rewriter, loc, element, into, offset + i);
    }
    return into;
  };
  Value zero =
      arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(type));
  auto inside = scf::IfOp::create(rewriter, loc, type, access.rowInside(),
                                  /*withElseRegion=*/true);
  rewriter.setInsertionPointToStart(inside.elseBlock());
  scf::YieldOp::create(rewriter, loc, zero);

  rewriter.setInsertionPointToStart(inside.thenBlock());
  Value room = access.room();
  auto wide = scf::IfOp::create(rewriter, loc, type, access.wideInside(room),
                                /*withElseRegion=*/true);
  scf::YieldOp::create(rewriter, loc, wide.getResults());

  rewriter.setInsertionPointToStart(wide.thenBlock());
  Value row = zero;
  for (int64_t at = 0; at < type.getDimSize(0); at += access.wideChunk())
    row = insert(load(at, access.wideChunk()), row, at, access.wideChunk());
  scf::YieldOp::create(rewriter, loc, row);

  rewriter.setInsertionPointToStart(wide.elseBlock());
  row = zero;
  // Each branch yields its chunk only: yielding the row would keep it alive, in
  // registers, across all of them. A chunk of one element is a scalar: LLVM
  // makes two of a vector of one bf16.
  Type part = type.getElementType();
  if (access.knownChunk() != 1)
    part = access.chunkType(access.knownChunk());
  Value nothing =
      arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(part));
  for (int64_t at = 0; at < type.getDimSize(0); at += access.knownChunk()) {
    auto guard =
        scf::IfOp::create(rewriter, loc, part, access.chunkInside(room, at),
                          /*withElseRegion=*/true);
    {
      OpBuilder::InsertionGuard nested(rewriter);
      rewriter.setInsertionPointToStart(guard.thenBlock());
      scf::YieldOp::create(rewriter, loc, load(at, access.knownChunk()));
      rewriter.setInsertionPointToStart(guard.elseBlock());
      scf::YieldOp::create(rewriter, loc, nothing);
    }
    row = insert(guard.getResult(0), row, at, access.knownChunk());
  }
  scf::YieldOp::create(rewriter, loc, row);
  rewriter.replaceOp(op, inside.getResults());
  return success();
}

//===----------------------------------------------------------------------===//
// StoreOp
//===----------------------------------------------------------------------===//

LogicalResult
StorePattern::matchAndRewrite(tmm::StoreOp op, OpAdaptor adaptor,
                              ConversionPatternRewriter &rewriter) const {
  auto type = dyn_cast<VectorType>(adaptor.getValue().getType());
  if (!type || type.getRank() != 1)
    return rewriter.notifyMatchFailure(op, "value is not a row");
  Location loc = op.getLoc();
  OpBuilder::InsertionGuard insertion(rewriter);
  GlobalMatrix matrix =
      getGlobalMatrix(rewriter, op.getTarget(), /*isVector=*/false);
  int64_t rows = cast<VectorType>(op.getValue().getType()).getDimSize(0);
  RowAccess access(rewriter, loc, matrix, adaptor.getBatch(), adaptor.getRow(),
                   adaptor.getCol(), type, rows, op.getInBounds());
  auto store = [&](int64_t offset, int64_t chunk) {
    SmallVector<int64_t> elements(chunk);
    std::iota(elements.begin(), elements.end(), offset);
    Value part = vector::ShuffleOp::create(rewriter, loc, adaptor.getValue(),
                                           adaptor.getValue(), elements);
    vector::StoreOp::create(rewriter, loc, part, matrix.memref,
                            access.indices(offset), /*nontemporal=*/false,
                            access.alignment(chunk));
  };
  auto inside = scf::IfOp::create(rewriter, loc, access.rowInside());
  rewriter.setInsertionPointToStart(inside.thenBlock());
  Value room = access.room();
  auto wide =
      scf::IfOp::create(rewriter, loc, TypeRange(), access.wideInside(room),
                        /*withElseRegion=*/true);
  rewriter.setInsertionPointToStart(wide.thenBlock());
  for (int64_t at = 0; at < type.getDimSize(0); at += access.wideChunk())
    store(at, access.wideChunk());
  rewriter.setInsertionPointToStart(wide.elseBlock());
  for (int64_t at = 0; at < type.getDimSize(0); at += access.knownChunk()) {
    auto guard = scf::IfOp::create(rewriter, loc, access.chunkInside(room, at));
    OpBuilder::InsertionGuard nested(rewriter);
    rewriter.setInsertionPointToStart(guard.thenBlock());
    store(at, access.knownChunk());
  }
  rewriter.eraseOp(op);
  return success();
}

//===----------------------------------------------------------------------===//
// StageOp
//===----------------------------------------------------------------------===//

LogicalResult
StagePattern::matchAndRewrite(tmm::StageOp op, OpAdaptor adaptor,
                              ConversionPatternRewriter &rewriter) const {
  auto type = dyn_cast<VectorType>(adaptor.getValue().getType());
  if (!type || type.getRank() != 1)
    return rewriter.notifyMatchFailure(op, "value is not a row");
  int64_t chunk = kAccessBytes * 8 / type.getElementTypeBitWidth();
  if (type.getDimSize(0) % chunk != 0)
    return rewriter.notifyMatchFailure(op, "row is not made of whole chunks");
  Location loc = op.getLoc();
  OpBuilder::InsertionGuard insertion(rewriter);
  int64_t rows = cast<VectorType>(op.getValue().getType()).getDimSize(0);
  Value row = emitThreadRow(rewriter, loc, rows);
  if (Value holdsRow = emitHoldsRow(rewriter, loc, rows)) {
    auto guard = scf::IfOp::create(rewriter, loc, holdsRow);
    rewriter.setInsertionPointToStart(guard.thenBlock());
  }
  for (int64_t at = 0; at < type.getDimSize(0); at += chunk) {
    SmallVector<int64_t> elements(chunk);
    std::iota(elements.begin(), elements.end(), at);
    Value part = vector::ShuffleOp::create(rewriter, loc, adaptor.getValue(),
                                           adaptor.getValue(), elements);
    sm90::SmemStoreOp::create(rewriter, loc, part, adaptor.getBuffer(), row,
                              uint64_t(at));
  }
  rewriter.eraseOp(op);
  return success();
}

//===----------------------------------------------------------------------===//
// Elementwise ops
//===----------------------------------------------------------------------===//

namespace {

/// The same op on the row of each thread.
struct ElementwisePattern : ConversionPattern {
  ElementwisePattern(TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), /*benefit=*/1,
                          context) {}
  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!OpTrait::hasElementwiseMappableTraits(op))
      return rewriter.notifyMatchFailure(op, "not elementwise");
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertTypes(op->getResultTypes(), types)))
      return rewriter.notifyMatchFailure(op, "result is not a register tile");
    OperationState state(op->getLoc(), op->getName(), operands, types,
                         op->getAttrs());
    rewriter.replaceOp(op, rewriter.create(state)->getResults());
    return success();
  }
};

/// A scalar in every element of a tile.
struct BroadcastPattern : OpConversionPattern<vector::BroadcastOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(vector::BroadcastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = getTypeConverter()->convertType(op.getType());
    if (!type || isa<VectorType>(op.getSourceType()))
      return rewriter.notifyMatchFailure(op, "not a scalar to a register tile");
    rewriter.replaceOpWithNewOp<vector::BroadcastOp>(op, type,
                                                     adaptor.getSource());
    return success();
  }
};

struct ConstantPattern : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto splat = dyn_cast<SplatElementsAttr>(op.getValue());
    auto type = dyn_cast_or_null<VectorType>(
        getTypeConverter()->convertType(op.getType()));
    if (!splat || !type)
      return rewriter.notifyMatchFailure(op, "not a splat register tile");
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, DenseElementsAttr::get(type, splat.getSplatValue<Attribute>()));
    return success();
  }
};

} // namespace

void tc::populateEpiloguePatterns(TypeConverter &converter,
                                  RewritePatternSet &patterns) {
  patterns.add<ReadPattern, FetchPattern, StorePattern, StagePattern,
               ElementwisePattern, ConstantPattern, BroadcastPattern>(
      converter, patterns.getContext());
}
