//===- TMMRegisterOps.cpp - register tiles in the TMM dialect ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifiers and engines of the ops on register tiles.
//
//===----------------------------------------------------------------------===//

#include "TileChecks.h"

#include "tc/Dialect/TMM/IR/TMMOps.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

//===----------------------------------------------------------------------===//
// ReadOp
//===----------------------------------------------------------------------===//

LogicalResult ReadOp::verify() {
  BufferType acc = getAcc().getType();
  auto result = cast<VectorType>(getResult().getType());
  if (result.getElementType() != acc.getElementType())
    return emitOpError() << "expected a result of element type "
                         << acc.getElementType() << " like acc, got "
                         << result.getElementType();
  if (result.getRank() == 1) {
    if (getLayoutAttr())
      return success();
    return emitOpError() << "expected a layout with " << result
                         << ", the part of one thread, got none";
  }
  if (result.getDimSize(0) != acc.getShape()[0])
    return emitOpError() << "expected a result of " << acc.getShape()[0]
                         << " rows like acc, got " << result.getDimSize(0);
  if (acc.getShape()[1] % result.getDimSize(1) != 0)
    return emitOpError() << "expected a result width that divides the "
                         << acc.getShape()[1] << " columns of acc, got "
                         << result.getDimSize(1);
  return success();
}

EngineAttrInterface ReadOp::getEngine() {
  return ThreadsAttr::get(getContext());
}

EngineAttrInterface RescaleOp::getEngine() {
  return ThreadsAttr::get(getContext());
}

//===----------------------------------------------------------------------===//
// ExtractColumnsOp
//===----------------------------------------------------------------------===//

/// Checks that `part`, which diagnostics call `name`, can be columns of `tile`.
static LogicalResult checkColumns(Operation *op, StringRef name,
                                  VectorType part, VectorType tile) {
  if (part.getElementType() != tile.getElementType() ||
      part.getDimSize(0) != tile.getDimSize(0))
    return op->emitOpError()
           << "expected " << name << " of " << tile.getDimSize(0) << " rows of "
           << tile.getElementType() << " like tile, got " << part;
  if (tile.getDimSize(1) % part.getDimSize(1) != 0)
    return op->emitOpError() << "expected " << name
                             << " width that divides the " << tile.getDimSize(1)
                             << " columns of tile, got " << part.getDimSize(1);
  return success();
}

/// `column` as a constant, where `part` is inside of `tile` there: a column
/// outside may be in code that never runs.
static std::optional<int64_t> matchColumn(Value column, VectorType part,
                                          VectorType tile) {
  APInt constant;
  if (!matchPattern(column, m_ConstantInt(&constant)) ||
      constant.isNegative() ||
      constant.getSExtValue() > tile.getDimSize(1) - part.getDimSize(1))
    return std::nullopt;
  return constant.getSExtValue();
}

LogicalResult ExtractColumnsOp::verify() {
  return checkColumns(*this, "a result", cast<VectorType>(getType()),
                      cast<VectorType>(getTile().getType()));
}

LogicalResult ExtractColumnsOp::canonicalize(ExtractColumnsOp op,
                                             PatternRewriter &rewriter) {
  auto result = cast<VectorType>(op.getType());
  std::optional<int64_t> column = matchColumn(
      op.getColumn(), result, cast<VectorType>(op.getTile().getType()));
  if (!column)
    return failure();
  rewriter.replaceOpWithNewOp<vector::ExtractStridedSliceOp>(
      op, op.getTile(), ArrayRef<int64_t>{0, *column}, result.getShape(),
      ArrayRef<int64_t>{1, 1});
  return success();
}

//===----------------------------------------------------------------------===//
// InsertColumnsOp
//===----------------------------------------------------------------------===//

LogicalResult InsertColumnsOp::verify() {
  return checkColumns(*this, "a part", cast<VectorType>(getPart().getType()),
                      cast<VectorType>(getTile().getType()));
}

LogicalResult InsertColumnsOp::canonicalize(InsertColumnsOp op,
                                            PatternRewriter &rewriter) {
  std::optional<int64_t> column =
      matchColumn(op.getColumn(), cast<VectorType>(op.getPart().getType()),
                  cast<VectorType>(op.getTile().getType()));
  if (!column)
    return failure();
  rewriter.replaceOpWithNewOp<vector::InsertStridedSliceOp>(
      op, op.getPart(), op.getTile(), ArrayRef<int64_t>{0, *column},
      ArrayRef<int64_t>{1, 1});
  return success();
}

//===----------------------------------------------------------------------===//
// FetchOp
//===----------------------------------------------------------------------===//

/// What memory of elements of `memory` has for an element of `element`: a byte
/// for a bit.
static Type getStored(Type element, Type memory) {
  return element.isInteger(1) && memory.isInteger(8) ? memory : element;
}

LogicalResult FetchOp::verify() {
  if (getShift() && getShift()->size() != 2)
    return emitOpError() << "expected a shift of rows and of columns, got "
                         << getShift()->size() << " numbers";
  auto source = cast<MemRefType>(getSource().getType());
  Type element =
      getStored(cast<VectorType>(getResult().getType()).getElementType(),
                source.getElementType());
  if (getAlong()) {
    if (source.getRank() != 1 + int64_t(getBatch().size()) ||
        source.getElementType() != element)
      return emitOpError() << "expected operand source, along "
                           << stringifyAlong(*getAlong())
                           << ", to be a vector of element type " << element
                           << ", got " << source;
    return success();
  }
  if (isNumber()) {
    if (source.getElementType() != element)
      return emitOpError() << "expected operand source to be a number of type "
                           << element << ", got " << source;
    return success();
  }
  return checkMatrix(*this, "source", source, element, getBatch());
}

EngineAttrInterface FetchOp::getEngine() {
  return ThreadsAttr::get(getContext());
}

//===----------------------------------------------------------------------===//
// PrefetchOp
//===----------------------------------------------------------------------===//

LogicalResult PrefetchOp::verify() {
  return checkMatrix(*this, "source", cast<MemRefType>(getSource().getType()),
                     cast<VectorType>(getTile()).getElementType(), getBatch());
}

EngineAttrInterface PrefetchOp::getEngine() {
  return ThreadsAttr::get(getContext());
}

//===----------------------------------------------------------------------===//
// GatherOp
//===----------------------------------------------------------------------===//

LogicalResult GatherOp::verify() {
  auto source = cast<MemRefType>(getSource().getType());
  auto result = cast<VectorType>(getResult().getType());
  ArrayRef<int64_t> places = cast<VectorType>(getPlaces().getType()).getShape();
  if (result.getShape() != places || places[1] != 1)
    return emitOpError() << "expected operand places and the result to be of "
                            "one column and as many rows, got "
                         << getPlaces().getType() << " and " << result;
  int64_t rank = source.getRank() - int64_t(getBatch().size());
  Type element = getStored(result.getElementType(), source.getElementType());
  if ((rank != 1 && rank != 2) || source.getElementType() != element)
    return emitOpError() << "expected operand source to be a matrix or a "
                            "vector of element type "
                         << element << ", got " << source;
  return success();
}

EngineAttrInterface GatherOp::getEngine() {
  return ThreadsAttr::get(getContext());
}

//===----------------------------------------------------------------------===//
// ConvertLayoutOp
//===----------------------------------------------------------------------===//

/// Whether threads hold the values of the same rows in both layouts.
static bool holdSameRows(RowValuesAttr from, RowValuesAttr to,
                         ArrayRef<int64_t> shape) {
  // Nothing is known of tiles that they do not fit, which are refused later.
  return from.getLayout() == to.getLayout() &&
         (!from.fits(shape) || !to.fits(shape) ||
          from.getRuns(shape) == to.getRuns(shape));
}

LogicalResult ConvertLayoutOp::verify() {
  auto from = dyn_cast<RowValuesAttr>(getFrom()),
       to = dyn_cast<RowValuesAttr>(getTo());
  auto tile = cast<VectorType>(getTile().getType());
  if (from && to && tile.getRank() == 2 &&
      holdSameRows(from, to, tile.getShape()))
    return success();
  Attribute memory = getTo().getMemoryLayout();
  if (!memory)
    return emitOpError() << "expected to to be a layout with a memory layout, "
                            "from which it is made, got "
                         << getTo();
  if (getFrom() != memory)
    return emitOpError() << "expected from to be the memory layout of to, "
                         << memory << ", got " << getFrom();
  unsigned bits =
      cast<VectorType>(getTile().getType()).getElementTypeBitWidth();
  if (bits != 16 && bits != 32)
    return emitOpError() << "expected a tile of elements of 16 or 32 bits, got "
                         << bits;
  return success();
}

//===----------------------------------------------------------------------===//
// StoreOp
//===----------------------------------------------------------------------===//

LogicalResult StoreOp::verify() {
  auto target = cast<MemRefType>(getTarget().getType());
  Type element = cast<VectorType>(getValue().getType()).getElementType();
  // tmm_store_c2
  if (getUntil() && getBlocked())
    return emitOpError() << "expected no `until` with `blocked`, got both: "
                            "blocks are stored whole";
  if (getUntil() && getInBounds()[0])
    return emitOpError() << "expected in_bounds of false for rows with "
                            "`until`, got true";
  if (getBlocked()) {
    // tmm_store_c1
    int64_t rank = kScalesRank + getBatch().size();
    if (target.getRank() == rank && target.getElementType() == element)
      return success();
    return emitOpError() << "expected blocks of scale factors of type "
                         << element << " and rank " << rank << ", got "
                         << target;
  }
  // Of 4 bits, which have no addresses, two are stored as a byte.
  bool isPacked = element.getIntOrFloatBitWidth() == 4 &&
                  target.getElementType().isInteger(8);
  return checkMatrix(*this, "target", target,
                     isPacked ? target.getElementType()
                              : getStored(element, target.getElementType()),
                     getBatch(),
                     cast<VectorType>(getValue().getType()).getShape().back() ==
                         1);
}

EngineAttrInterface StoreOp::getEngine() {
  return ThreadsAttr::get(getContext());
}

//===----------------------------------------------------------------------===//
// QuantizeOp, AtomicMaxOp
//===----------------------------------------------------------------------===//

LogicalResult QuantizeOp::verify() {
  auto tile = cast<VectorType>(getTile().getType());
  auto result = cast<VectorType>(getResult().getType());
  auto scales = cast<VectorType>(getScales().getType());
  // tmm_quantize_c2
  if (!isQuantizedPair(result.getElementType(), scales.getElementType()))
    return emitOpError() << "expected f8E4M3FN or f8E5M2 with factors of "
                            "f8E8M0FNU, or f4E2M1FN with f8E8M0FNU or "
                            "f8E4M3FN, got "
                         << result.getElementType() << " with "
                         << scales.getElementType();
  // tmm_quantize_c1
  int64_t block = getQuantizedBlock(scales.getElementType());
  if (result.getShape() != tile.getShape() ||
      scales.getDimSize(0) != tile.getDimSize(0) ||
      scales.getDimSize(1) * block != tile.getDimSize(1))
    return emitOpError() << "expected a result of " << tile.getDimSize(0) << "x"
                         << tile.getDimSize(1) << " elements and a factor for "
                         << block << " of a row, got " << result << " and "
                         << scales;
  return success();
}

EngineAttrInterface AtomicMaxOp::getEngine() {
  return ThreadsAttr::get(getContext());
}

//===----------------------------------------------------------------------===//
// WriteOp
//===----------------------------------------------------------------------===//

/// The width of the register tile of `rows` rows that `value` is, or is a
/// thread's part of by `layout`; nothing where it is neither.
static std::optional<int64_t> getTileWidth(VectorType value, int64_t rows,
                                           RegisterLayoutAttrInterface layout) {
  if (value.getRank() == 2)
    return value.getDimSize(0) == rows ? std::optional(value.getDimSize(1))
                                       : std::nullopt;
  if (!layout)
    return std::nullopt;
  int64_t width = value.getDimSize(0) * layout.getThreads({rows, 1}) / rows;
  return isThreadPart(value, {rows, width}, layout) ? std::optional(width)
                                                    : std::nullopt;
}

LogicalResult WriteOp::verify() {
  // tmm_write_c1
  BufferType buffer = getBuffer().getType();
  auto value = cast<VectorType>(getValue().getType());
  std::optional<int64_t> width =
      getTileWidth(value, buffer.getRows(), getLayoutAttr());
  if (width && buffer.getColumns() % *width == 0 &&
      value.getElementType() == buffer.getElementType())
    return success();
  return emitOpError() << "expected a register tile of " << buffer.getRows()
                       << " rows and a divisor of " << buffer.getColumns()
                       << " columns of " << buffer.getElementType()
                       << ", as buffer has, got " << value;
}

EngineAttrInterface WriteOp::getEngine() {
  return ThreadsAttr::get(getContext());
}

//===----------------------------------------------------------------------===//
// StageOp
//===----------------------------------------------------------------------===//

LogicalResult StageOp::verify() {
  BufferType buffer = getBuffer().getType();
  VectorType value = cast<VectorType>(getValue().getType());
  // tmm_stage_c1
  bool hasShape = value.getRank() == 1
                      ? isThreadPart(value, buffer.getShape(), getLayoutAttr())
                      : value.getShape() == buffer.getShape();
  if (!hasShape || value.getElementType() != buffer.getElementType())
    return emitOpError()
           << "expected a buffer of the value's shape and element "
              "type, got "
           << value << " and " << buffer;
  return success();
}

EngineAttrInterface StageOp::getEngine() {
  return ThreadsAttr::get(getContext());
}

//===----------------------------------------------------------------------===//
// CropOp
//===----------------------------------------------------------------------===//

LogicalResult CropOp::verify() {
  // tmm_crop_c1
  Type element = cast<VectorType>(getType()).getElementType();
  if (getFillAttr() && getFillAttr().getType() != element)
    return emitOpError() << "expected a fill of " << element << ", got "
                         << getFillAttr().getType();
  return success();
}
