//===- SM80Attrs.cpp - attributes of the sm80 dialect -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the middle of the compiler asks the engines and the register tiles.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/SM80/IR/SM80.h"

#include "tc/Support/CoreMatrices.h"
#include "tc/Support/EmitArith.h"
#include "tc/Support/ISA.h"
#include "tc/Support/Target.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tc;
using namespace tc::sm80;

#define GET_ATTRDEF_CLASSES
#include "tc/Dialect/SM80/IR/SM80Attrs.cpp.inc"

void SM80Dialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tc/Dialect/SM80/IR/SM80Attrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Completions and engines
//===----------------------------------------------------------------------===//

Scope CopyArrivalsAttr::getReach() const { return Scope::Cta; }
bool CopyArrivalsAttr::isOfThreads() const { return false; }

void CopyArrivalsAttr::emitArrive(OpBuilder &builder, Location loc,
                                  const Arrival &arrival) const {
  assert(!arrival.mask && "arrives on barriers of its CTA alone");
  CpAsyncArriveOp::create(builder, loc,
                          arrival.emitSlot(builder, loc, arrival.own));
}

Proxy CpAsyncAttr::getProxy() const { return Proxy::Generic; }
Issue CpAsyncAttr::getIssue() const { return Issue::each(); }
CompletionAttrInterface CpAsyncAttr::getCompletion() const {
  return CopyArrivalsAttr::get(getContext());
}

Proxy MmaSyncAttr::getProxy() const { return Proxy::Generic; }
// An arrival of one thread would say nothing of what the others have read.
Issue MmaSyncAttr::getIssue() const { return Issue::each(); }
CompletionAttrInterface MmaSyncAttr::getCompletion() const {
  return ArrivalsAttr::get(getContext());
}

//===----------------------------------------------------------------------===//
// MmaLayoutAttr
//===----------------------------------------------------------------------===//

/// Checks the rows of a warp of mma_layout and row_layout.
static LogicalResult
verifyWarpRows(function_ref<InFlightDiagnostic()> emitError, int64_t rows) {
  if (rows == kMmaSyncM || rows == 2 * kMmaSyncM)
    return success();
  return emitError() << "expected " << kMmaSyncM << " or " << 2 * kMmaSyncM
                     << " rows for each warp, got " << rows << " "
                     << cite(ISASection::MmaSyncFragments);
}

LogicalResult
MmaLayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      int64_t rows) {
  // sm80_mma_layout_c1
  return verifyWarpRows(emitError, rows);
}

bool MmaLayoutAttr::fits(ArrayRef<int64_t> shape) const {
  return isMultipleOf(shape, getRows(), kCoreColumns);
}

LogicalResult
MmaLayoutAttr::verifyTile(function_ref<InFlightDiagnostic()> emitError,
                          ArrayRef<int64_t> shape) const {
  // sm80_mma_layout_c2
  return verifyMultipleOf(emitError, shape, getRows(), kCoreColumns,
                          ISASection::MmaSyncFragments);
}

int64_t MmaLayoutAttr::getThreads(ArrayRef<int64_t> shape) const {
  return shape[0] / getRows() * kWarpThreads;
}

int64_t MmaLayoutAttr::getRowThreads() const { return kCoreThreads; }

SmallVector<RegisterRun> MmaLayoutAttr::getRuns(ArrayRef<int64_t> shape) const {
  SmallVector<RegisterRun> runs;
  int64_t first = 0;
  for (int64_t column = 0; column < shape[1]; column += kCoreColumns)
    for (int64_t row = 0; row < getRows(); row += kCoreRows) {
      runs.push_back({first, kCoreRun, row, column});
      first += kCoreRun;
    }
  return runs;
}

bool MmaLayoutAttr::hasMatrices() const { return true; }

Attribute MmaLayoutAttr::getMemoryLayout() const {
  return RowLayoutAttr::get(getContext(), getRows());
}

Value MmaLayoutAttr::emitRow(OpBuilder &b, Location loc, Value thread,
                             ArrayRef<int64_t>) const {
  return emitCoreRow(b, loc, thread, getRows());
}

Value MmaLayoutAttr::emitColumn(OpBuilder &b, Location loc, Value thread,
                                ArrayRef<int64_t>) const {
  return emitCoreColumn(b, loc, thread);
}

//===----------------------------------------------------------------------===//
// RowLayoutAttr
//===----------------------------------------------------------------------===//

/// Neighbouring elements of a thread, and of the threads of a row.
static constexpr int64_t kRowChunk = kCoreColumns,
                         kRowColumns = kRowChunk * kCoreThreads;

LogicalResult
RowLayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      int64_t rows) {
  // sm80_row_layout_c1
  return verifyWarpRows(emitError, rows);
}

bool RowLayoutAttr::fits(ArrayRef<int64_t> shape) const {
  return isMultipleOf(shape, getRows(), kRowColumns);
}

LogicalResult
RowLayoutAttr::verifyTile(function_ref<InFlightDiagnostic()> emitError,
                          ArrayRef<int64_t> shape) const {
  // sm80_row_layout_c2
  return verifyMultipleOf(emitError, shape, getRows(), kRowColumns);
}

int64_t RowLayoutAttr::getThreads(ArrayRef<int64_t> shape) const {
  return shape[0] / getRows() * kWarpThreads;
}

int64_t RowLayoutAttr::getRowThreads() const { return kCoreThreads; }

SmallVector<RegisterRun> RowLayoutAttr::getRuns(ArrayRef<int64_t> shape) const {
  SmallVector<RegisterRun> runs;
  int64_t first = 0;
  for (int64_t column = 0; column < shape[1]; column += kRowColumns)
    for (int64_t row = 0; row < getRows(); row += kCoreRows) {
      runs.push_back({first, kRowChunk, row, column});
      first += kRowChunk;
    }
  return runs;
}

Value RowLayoutAttr::emitRow(OpBuilder &b, Location loc, Value thread,
                             ArrayRef<int64_t>) const {
  return emitCoreRow(b, loc, thread, getRows());
}

Value RowLayoutAttr::emitColumn(OpBuilder &b, Location loc, Value thread,
                                ArrayRef<int64_t>) const {
  Value inRow =
      arith::RemUIOp::create(b, loc, thread, emitI32(b, loc, kCoreThreads));
  return arith::MulIOp::create(b, loc, inRow, emitI32(b, loc, kRowChunk));
}
