//===- TMMRegisterLayouts.cpp - rows of threads alone -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TMMRegisterLayouts.td, and the ops on rows of register tiles.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/IR/TMMAttrs.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Support/EmitArith.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

//===----------------------------------------------------------------------===//
// ThreadRowsAttr
//===----------------------------------------------------------------------===//

LogicalResult
ThreadRowsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                       int64_t threads, int64_t chunk, int64_t rows) {
  // tmm_thread_rows_c1
  auto isPower = [](int64_t value, int64_t most) {
    return value >= 1 && value <= most && llvm::isPowerOf2_64(value);
  };
  if (!isPower(threads, 1024))
    return emitError() << "expected threads of a row to be a power of two up "
                          "to 1024, got "
                       << threads;
  if (!isPower(chunk, 16))
    return emitError() << "expected a chunk to be a power of two up to 16, got "
                       << chunk;
  if (rows < 1)
    return emitError() << "expected at least 1 row of a thread, got " << rows;
  return success();
}

bool ThreadRowsAttr::fits(ArrayRef<int64_t> shape) const {
  return shape.size() == 2 && shape[0] % getRows() == 0 &&
         shape[1] % (getThreads() * getChunk()) == 0;
}

LogicalResult
ThreadRowsAttr::verifyTile(function_ref<InFlightDiagnostic()> emitError,
                           ArrayRef<int64_t> shape) const {
  // tmm_thread_rows_c2
  if (fits(shape))
    return success();
  return emitError() << "expected a register tile whose rows are a multiple of "
                     << getRows() << " and whose columns of "
                     << getThreads() * getChunk() << ", got " << shape;
}

int64_t ThreadRowsAttr::getThreads(ArrayRef<int64_t> shape) const {
  return shape[0] / getRows() * getThreads();
}

int64_t ThreadRowsAttr::getRowThreads() const { return getThreads(); }

SmallVector<RegisterRun>
ThreadRowsAttr::getRuns(ArrayRef<int64_t> shape) const {
  SmallVector<RegisterRun> runs;
  int64_t first = 0;
  for (int64_t row = 0; row < shape[0]; row += shape[0] / getRows())
    for (int64_t column = 0; column < shape[1];
         column += getThreads() * getChunk(), first += getChunk())
      runs.push_back({first, getChunk(), row, column});
  return runs;
}

Value ThreadRowsAttr::emitRow(OpBuilder &b, Location loc, Value thread,
                              ArrayRef<int64_t> shape) const {
  if (shape[0] == getRows())
    return emitI32(b, loc, 0);
  return arith::DivUIOp::create(b, loc, thread, emitI32(b, loc, getThreads()));
}

Value ThreadRowsAttr::emitColumn(OpBuilder &b, Location loc, Value thread,
                                 ArrayRef<int64_t>) const {
  Value inRow =
      arith::RemUIOp::create(b, loc, thread, emitI32(b, loc, getThreads()));
  return arith::MulIOp::create(b, loc, inRow, emitI32(b, loc, getChunk()));
}

//===----------------------------------------------------------------------===//
// RowValuesAttr
//===----------------------------------------------------------------------===//

/// The tile of which a tile of `shape` has the values.
static SmallVector<int64_t> getTileShape(RowValuesAttr values,
                                         ArrayRef<int64_t> shape) {
  return {shape[0], values.getColumns()};
}

bool RowValuesAttr::fits(ArrayRef<int64_t> shape) const {
  return shape.size() == 2 && shape[1] == 1 &&
         getLayout().fits(getTileShape(*this, shape));
}

LogicalResult
RowValuesAttr::verifyTile(function_ref<InFlightDiagnostic()> emitError,
                          ArrayRef<int64_t> shape) const {
  // tmm_row_values_c1
  if (shape.size() != 2 || shape[1] != 1)
    return emitError() << "expected a register tile of one column, got "
                       << shape;
  return getLayout().verifyTile(emitError, getTileShape(*this, shape));
}

int64_t RowValuesAttr::getThreads(ArrayRef<int64_t> shape) const {
  return getLayout().getThreads(getTileShape(*this, shape));
}

int64_t RowValuesAttr::getRowThreads() const {
  return getLayout().getRowThreads();
}

SmallVector<RegisterRun> RowValuesAttr::getRuns(ArrayRef<int64_t> shape) const {
  SmallVector<RegisterRun> runs;
  for (const RegisterRun &run :
       getLayout().getRuns(getTileShape(*this, shape))) {
    auto isOfRow = [&](const RegisterRun &own) { return own.row == run.row; };
    if (llvm::none_of(runs, isOfRow))
      runs.push_back({int64_t(runs.size()), 1, run.row, 0});
  }
  return runs;
}

Value RowValuesAttr::emitRow(OpBuilder &b, Location loc, Value thread,
                             ArrayRef<int64_t> shape) const {
  return getLayout().emitRow(b, loc, thread, getTileShape(*this, shape));
}

Value RowValuesAttr::emitHolds(OpBuilder &b, Location loc, Value thread,
                               ArrayRef<int64_t> shape) const {
  return getLayout().emitHolds(b, loc, thread, getTileShape(*this, shape));
}

Value RowValuesAttr::emitStores(OpBuilder &b, Location loc,
                                Value thread) const {
  if (getRowThreads() == 1)
    return {};
  Value inRow =
      arith::RemUIOp::create(b, loc, thread, emitI32(b, loc, getRowThreads()));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, inRow,
                               emitI32(b, loc, 0));
}

//===----------------------------------------------------------------------===//
// ReduceOp, BroadcastOp, TransposeOp
//===----------------------------------------------------------------------===//

/// Checks that `values` has a value for each row of `tile`.
static LogicalResult verifyRowValues(Operation *op, Type values, Type tile,
                                     StringRef name) {
  auto from = cast<VectorType>(tile), type = cast<VectorType>(values);
  if (type.getElementType() == from.getElementType() &&
      type.getDimSize(0) == from.getDimSize(0) && type.getDimSize(1) == 1)
    return success();
  return op->emitOpError() << "expected " << name << " of "
                           << VectorType::get({from.getDimSize(0), 1},
                                              from.getElementType())
                           << ", got " << type;
}

LogicalResult ReduceOp::verify() {
  // tmm_reduce_c1
  if (failed(
          verifyRowValues(*this, getType(), getTile().getType(), "a result")))
    return failure();
  // tmm_reduce_c2
  Type type = cast<VectorType>(getType()).getElementType();
  if (!detail::hasKind(getKind(), type))
    return emitOpError() << "expected a kind for " << type << ", got "
                         << vector::stringifyCombiningKind(getKind());
  if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32 &&
      (getKind() == vector::CombiningKind::ADD ||
       getKind() == vector::CombiningKind::MUL))
    return emitOpError() << "expected a minimum or maximum of " << type
                         << ", or a tile of f32, got "
                         << vector::stringifyCombiningKind(getKind());
  return success();
}

LogicalResult BroadcastOp::verify() {
  // tmm_broadcast_c1
  return verifyRowValues(*this, getValues().getType(), getType(), "values");
}

LogicalResult RescaleOp::verify() {
  // tmm_rescale_c1
  auto factors = cast<VectorType>(getFactors().getType());
  BufferType acc = getAcc().getType();
  if (!isa<FloatType>(acc.getElementType()))
    return emitOpError() << "expected acc of floats, got "
                         << acc.getElementType();
  if (factors.getRank() == 1 &&
      factors.getElementType() == acc.getElementType())
    return success();
  return verifyRowValues(*this, factors,
                         VectorType::get(acc.getShape(), acc.getElementType()),
                         "factors");
}

LogicalResult TransposeOp::verify() {
  // tmm_transpose_c1
  auto from = cast<VectorType>(getTile().getType()),
       type = cast<VectorType>(getType());
  if (from.getRank() == 2 && type.getRank() == 2 &&
      from.getElementType() == type.getElementType() &&
      from.getDimSize(0) == type.getDimSize(1) &&
      from.getDimSize(1) == type.getDimSize(0))
    return success();
  return emitOpError() << "expected a result of the rows and columns of "
                       << from << " exchanged, got " << type;
}
