//===- TCGen05Engines.cpp - tcgen05 as the middle sees it -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the middle of the compiler asks Tensor Memory, the matrix unit, its
// copies and the registers that tcgen05.ld reads it into.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TCGen05/IR/TCGen05.h"
#include "tc/Support/ISA.h"
#include "tc/Support/MmaShapes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tc;
using namespace tc::tcgen05;

//===----------------------------------------------------------------------===//
// TmemAttr
//===----------------------------------------------------------------------===//

LogicalResult TmemAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t ctas) {
  if (ctas != 1 && ctas != 2)
    return emitError() << "expected ctas = 1 or 2, got " << ctas;
  return success();
}

LogicalResult TmemAttr::verifyTile(function_ref<InFlightDiagnostic()> emitError,
                                   ArrayRef<int64_t> shape,
                                   Type elementType) const {
  // The rows decide the layout, and no layout the element types.
  if (shape.size() == 2 && shape[1] <= kTmemMostColumns &&
      failed(TmemType::verify(emitError, kTmemLanes, shape[1], elementType,
                              DataPath::D, /*packed=*/false, /*bytes=*/false)))
    return failure();
  // tcgen05_tmem_c1
  if (shape.size() != 2 || shape[1] < 8 || shape[1] > 256 ||
      shape[1] % 8 != 0 ||
      !TmemType::getAccumulator(std::min(shape[0], kTmemLanes) * getCtas(),
                                shape[1], getCtas(), elementType) ||
      (shape[0] > kTmemLanes && shape[0] != kTallRows))
    return emitError() << "expected an accumulator that a tcgen05.mma of "
                       << (getCtas() == 1 ? "one CTA" : "two CTAs")
                       << " can write, or two (64, 128 or 256 rows, 8 to 256 "
                          "columns, a multiple of 8), got "
                       << shape << " of " << elementType << " "
                       << cite(ISASection::MmaShape);
  return success();
}

/// Whether an instruction of `ctas` CTAs reads or writes tiles of `space`, each
/// row along a lane.
static bool hasRowsOf(MemorySpaceAttrInterface space, int64_t ctas) {
  if (auto operand = dyn_cast<OperandAttr>(space))
    return operand.getCtas() == ctas;
  auto accumulator = dyn_cast<TmemAttr>(space);
  return accumulator && accumulator.getCtas() == ctas;
}

bool TmemAttr::sharesWith(MemorySpaceAttrInterface other) const {
  return hasRowsOf(other, getCtas());
}

// tcgen05.ld and tcgen05.st of a role reach the lanes of its warps alone.
bool TmemAttr::isPrivateToThreads() const { return true; }

StringRef TmemAttr::getRingName() const { return "accumulators"; }

void TmemAttr::emitFenceBefore(OpBuilder &builder, Location loc, Proxy,
                               Proxy) const {
  FenceOp::create(builder, loc, FenceKind::Before);
}

void TmemAttr::emitFenceAfter(OpBuilder &builder, Location loc, Proxy, Proxy,
                              bool, bool) const {
  FenceOp::create(builder, loc, FenceKind::After);
}

bool TmemAttr::isOrderedByFences() const { return true; }

//===----------------------------------------------------------------------===//
// OperandAttr
//===----------------------------------------------------------------------===//

LogicalResult OperandAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  int64_t ctas) {
  // tcgen05_operand_c1
  if (ctas != 1 && ctas != 2)
    return emitError() << "expected ctas = 1 or 2, got " << ctas;
  return success();
}

LogicalResult
OperandAttr::verifyTile(function_ref<InFlightDiagnostic()> emitError,
                        ArrayRef<int64_t> shape, Type elementType) const {
  // tcgen05_operand_c2
  unsigned bits = elementType.getIntOrFloatBitWidth();
  int64_t cells = shape.size() == 2 ? shape[1] * bits / 32 : 0;
  if (shape.size() != 2 || shape[0] != kTmemLanes ||
      (bits != 8 && bits != 16 && bits != 32) || shape[1] * bits % 256 != 0 ||
      cells < 8 || cells > 256)
    return emitError() << "expected A of " << kTmemLanes
                       << " rows of 8 to 256 cells of 32 bits, a multiple of "
                          "8, of elements of 8, 16 or 32 bits, got "
                       << shape << " of " << elementType << " "
                       << cite(ISASection::MmaShape);
  return success();
}

bool OperandAttr::sharesWith(MemorySpaceAttrInterface other) const {
  return hasRowsOf(other, getCtas());
}

bool OperandAttr::isPrivateToThreads() const { return true; }

StringRef OperandAttr::getRingName() const { return "operand"; }

void OperandAttr::emitFenceBefore(OpBuilder &builder, Location loc, Proxy,
                                  Proxy) const {
  FenceOp::create(builder, loc, FenceKind::Before);
}

void OperandAttr::emitFenceAfter(OpBuilder &builder, Location loc, Proxy, Proxy,
                                 bool, bool) const {
  FenceOp::create(builder, loc, FenceKind::After);
}

bool OperandAttr::isOrderedByFences() const { return true; }

//===----------------------------------------------------------------------===//
// ScalesAttr
//===----------------------------------------------------------------------===//

LogicalResult ScalesAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t rows) {
  // tcgen05_scales_c2
  if (rows != 0 && rows != kTmemLanes)
    return emitError() << "expected rows = " << kTmemLanes << " or none, got "
                       << rows << " " << cite(ISASection::ScaleFactorA);
  return success();
}

LogicalResult
ScalesAttr::verifyTile(function_ref<InFlightDiagnostic()> emitError,
                       ArrayRef<int64_t> shape, Type elementType) const {
  // tcgen05_scales_c1
  if (shape.size() != 2 || shape[0] % kScaleRows != 0 ||
      shape[1] % kScaleBlocks != 0 || elementType.getIntOrFloatBitWidth() != 8)
    return emitError() << "expected scale factors of a multiple of "
                       << kScaleRows << " rows and " << kScaleBlocks
                       << " columns, of 8 bits, got " << shape << " of "
                       << elementType << " " << cite(ISASection::ScaleFactorA);
  return success();
}

StringRef ScalesAttr::getRingName() const { return "scales"; }

void ScalesAttr::emitFenceAfter(OpBuilder &builder, Location loc, Proxy, Proxy,
                                bool, bool) const {
  FenceOp::create(builder, loc, FenceKind::After);
}

bool ScalesAttr::isOrderedByFences() const { return true; }

//===----------------------------------------------------------------------===//
// MetadataAttr
//===----------------------------------------------------------------------===//

LogicalResult MetadataAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   unsigned bits) {
  // tcgen05_metadata_c1
  if (bits != 8 && bits != 16 && bits != 32)
    return emitError() << "expected metadata of elements of 8, 16 or 32 bits, "
                          "got "
                       << bits << " " << cite(ISASection::SparseMatrices);
  return success();
}

LogicalResult
MetadataAttr::verifyTile(function_ref<InFlightDiagnostic()> emitError,
                         ArrayRef<int64_t> shape, Type elementType) const {
  // tcgen05_metadata_c2
  if (shape.size() != 2 || shape[0] != kTmemLanes ||
      shape[1] % kMetadataColumns != 0 || !elementType.isSignlessInteger(32))
    return emitError() << "expected metadata of " << kTmemLanes
                       << " lanes and a multiple of " << kMetadataColumns
                       << " columns, of i32, got " << shape << " of "
                       << elementType << " "
                       << cite(ISASection::SparseMatrices);
  return success();
}

StringRef MetadataAttr::getRingName() const { return "metadata"; }

void MetadataAttr::emitFenceAfter(OpBuilder &builder, Location loc, Proxy,
                                  Proxy, bool, bool) const {
  FenceOp::create(builder, loc, FenceKind::After);
}

bool MetadataAttr::isOrderedByFences() const { return true; }

//===----------------------------------------------------------------------===//
// MmaAttr and CpAttr
//===----------------------------------------------------------------------===//

bool CommitsAttr::isOfThreads() const { return false; }

void CommitsAttr::emitArrive(OpBuilder &builder, Location loc,
                             const Arrival &arrival) const {
  // The mask names the CTAs; the barrier is at its place in each.
  CommitOp::create(builder, loc, arrival.emitSlot(builder, loc, arrival.own),
                   arrival.mask, /*multicast32=*/Value(),
                   uint32_t(arrival.ctas), /*reads_of_a=*/arrival.onRead);
}

LogicalResult MmaAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                              int64_t k, bool) {
  if (k < 0)
    return emitError() << "expected k from 0, got " << k;
  return success();
}

Proxy MmaAttr::getProxy() const { return Proxy::Async; }
Issue MmaAttr::getIssue() const { return Issue::oneThread(); }
CompletionAttrInterface MmaAttr::getCompletion() const {
  return CommitsAttr::get(getContext());
}

bool MmaAttr::covers(EngineAttrInterface other) const {
  return isa<MmaAttr, CpAttr>(other);
}

bool MmaAttr::isOrderedAfter(EngineAttrInterface earlier,
                             bool overwrites) const {
  return isa<CpAttr>(earlier) && !overwrites;
}

bool MmaAttr::isQueue() const { return true; }

// A of tmm.mma, in shared memory (PTX ISA 9.4, "tcgen05.commit").
bool MmaAttr::completesRead(unsigned operand, Attribute space) const {
  return operand == 0 && !isa<OperandAttr>(space);
}

Proxy CpAttr::getProxy() const { return Proxy::Async; }
Issue CpAttr::getIssue() const { return Issue::oneThread(); }
CompletionAttrInterface CpAttr::getCompletion() const {
  return CommitsAttr::get(getContext());
}

bool CpAttr::covers(EngineAttrInterface other) const {
  return isa<MmaAttr, CpAttr>(other);
}

//===----------------------------------------------------------------------===//
// RowsAttr
//===----------------------------------------------------------------------===//

/// Rows of a tile of `rows` rows that one warp holds.
static int64_t getRowsOfWarp(int64_t rows) {
  return rows * kTmemWindowLanes / kTmemLanes;
}

bool RowsAttr::fits(ArrayRef<int64_t> shape) const {
  return shape.size() == 2 &&
         (shape[0] == kTallRows || shape[0] == kTmemLanes ||
          shape[0] == kTmemLanes / 2);
}

LogicalResult RowsAttr::verifyTile(function_ref<InFlightDiagnostic()> emitError,
                                   ArrayRef<int64_t> shape) const {
  // tcgen05_rows_c1
  if (fits(shape))
    return success();
  return emitError() << "expected a register tile of 64, 128 or 256 rows, got "
                     << shape << " " << cite(ISASection::DataPath);
}

int64_t RowsAttr::getThreads(ArrayRef<int64_t> shape) const {
  return std::max(shape[0], kTmemLanes);
}

int64_t RowsAttr::getRowThreads() const { return 1; }

SmallVector<RegisterRun> RowsAttr::getRuns(ArrayRef<int64_t> shape) const {
  return {{/*first=*/0, shape[1], /*row=*/0, /*column=*/0}};
}

Value RowsAttr::emitRow(OpBuilder &b, Location loc, Value thread,
                        ArrayRef<int64_t> shape) const {
  if (shape[0] >= kTmemLanes)
    return thread;
  // Each warp skips the rows that the warps before it do not have.
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, loc, b.getI32Type(), value);
  };
  Value warp =
      arith::DivUIOp::create(b, loc, thread, constant(kTmemWindowLanes));
  Value before = arith::MulIOp::create(
      b, loc, warp, constant(kTmemWindowLanes - getRowsOfWarp(shape[0])));
  return arith::SubIOp::create(b, loc, thread, before);
}

Value RowsAttr::emitHolds(OpBuilder &b, Location loc, Value thread,
                          ArrayRef<int64_t> shape) const {
  if (shape[0] >= kTmemLanes)
    return {};
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, loc, b.getI32Type(), value);
  };
  Value lane =
      arith::RemUIOp::create(b, loc, thread, constant(kTmemWindowLanes));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, lane,
                               constant(getRowsOfWarp(shape[0])));
}
