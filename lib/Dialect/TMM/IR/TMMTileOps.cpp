//===- TMMTileOps.cpp - tile program ops of the TMM dialect -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifiers, effects and engines of the ops on tiles. The rules are those that
// hold for every matrix unit; what a particular unit can do is checked where
// the program is lowered to it.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Support/MmaShapes.h"
#include "tc/Support/Target.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

#include "tc/Dialect/TMM/IR/TMMInterfaces.cpp.inc"

//===----------------------------------------------------------------------===//
// AllocOp
//===----------------------------------------------------------------------===//

LogicalResult AllocOp::verify() {
  Value over = getOver();
  if (!over)
    return success();
  // tmm_alloc_c1
  auto other = over.getDefiningOp<AllocOp>();
  if (!other || other == *this || other->getBlock() != (*this)->getBlock() ||
      other.getStages() != getStages()) {
    InFlightDiagnostic diag =
        emitOpError() << "expected operand over to be a tmm.alloc of the same "
                         "block with "
                      << getStages() << " stages, got another";
    diag.attachNote(over.getLoc()) << "defined here";
    return diag;
  }
  // tmm_alloc_c2
  MemorySpaceAttrInterface space = getBuffer().getType().getSpace();
  MemorySpaceAttrInterface base = other.getBuffer().getType().getSpace();
  if (base.sharesWith(space))
    return success();
  return emitOpError() << "expected buffers in one memory, got " << space
                       << " over " << base;
}

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

/// Checks that `memref` is a matrix whose innermost dimension is contiguous,
/// with an index in `batch` for each leading dimension.
static LogicalResult checkMatrix(Operation *op, StringRef operand,
                                 MemRefType memref, Type elementType,
                                 ValueRange batch) {
  int64_t rank = 2 + batch.size();
  if (memref.getRank() != rank)
    return op->emitOpError() << "expected operand " << operand << " of rank "
                             << rank << (batch.empty() ? "" : " with its batch")
                             << ", got rank " << memref.getRank();
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(memref.getStridesAndOffset(strides, offset)) ||
      strides.back() != 1)
    return op->emitOpError() << "expected operand " << operand
                             << " with unit innermost stride, got " << memref;
  if (memref.getElementType() != elementType)
    return op->emitOpError()
           << "expected operand " << operand << " of element type "
           << elementType << ", got " << memref.getElementType();
  return success();
}

/// The same of `tensor`, a memref or the handle of a tensor.
static LogicalResult checkTensor(Operation *op, StringRef operand, Type tensor,
                                 Type elementType, ValueRange batch) {
  if (auto memref = dyn_cast<MemRefType>(tensor))
    return checkMatrix(op, operand, memref, elementType, batch);
  auto handle = cast<TensorHandleTypeInterface>(tensor);
  if (handle.getRank() != 2 + batch.size())
    return op->emitOpError()
           << "expected operand " << operand << " of rank " << 2 + batch.size()
           << (batch.empty() ? "" : " with its batch") << ", got rank "
           << handle.getRank();
  if (handle.getElementType() != elementType)
    return op->emitOpError()
           << "expected operand " << operand << " of element type "
           << elementType << ", got " << handle.getElementType();
  return success();
}

template <typename Effect>
static void
addEffect(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
              &effects,
          OpOperand &operand) {
  effects.emplace_back(Effect::get(), &operand);
}

/// Whether `value` is what a thread holds of a tile of `shape` by `layout`.
static bool isThreadPart(VectorType value, ArrayRef<int64_t> shape,
                         RegisterLayoutAttrInterface layout) {
  if (value.getRank() != 1 || !layout || !layout.fits(shape))
    return false;
  return getThreadType(layout,
                       VectorType::get(shape, value.getElementType())) == value;
}

//===----------------------------------------------------------------------===//
// LoadOp
//===----------------------------------------------------------------------===//

/// Checks that `source` is a matrix in blocks, or the handle of one, which has
/// a row of blocks in rows.
static LogicalResult checkBlocks(LoadOp op) {
  constexpr unsigned kHandleRank = 3;
  unsigned batch = op.getBatch().size();
  BufferType buffer = op.getBuffer().getType();
  Type source = op.getSource().getType(), element;
  bool isBlocked;
  if (auto memref = dyn_cast<MemRefType>(source)) {
    element = memref.getElementType();
    ArrayRef<int64_t> block = getBlockShape(element);
    isBlocked = memref.getRank() == getBlockedRank(element) + batch &&
                memref.getShape().take_back(block.size()) == block;
  } else {
    auto handle = cast<TensorHandleTypeInterface>(source);
    element = handle.getElementType();
    isBlocked = handle.getRank() == kHandleRank + batch;
  }
  if (!isBlocked) {
    auto number = [](int64_t extent) { return std::to_string(extent); };
    return op.emitOpError()
           << "expected operand source in blocks of "
           << llvm::join(llvm::map_range(getBlockShape(element), number), "x")
           << ", got " << source;
  }
  if (element != buffer.getElementType())
    return op.emitOpError() << "expected operand source of element type "
                            << buffer.getElementType() << ", got " << element;
  if (op.getTransposed() || buffer.getRows() % kScaleRows != 0 ||
      buffer.getColumns() % kScaleBlocks != 0)
    return op.emitOpError() << "expected a source in blocks to be loaded in "
                               "tiles of a multiple of "
                            << kScaleRows << "x" << kScaleBlocks
                            << ", not transposed, got " << buffer;
  return success();
}

/// Checks that `source` has the elements of the windows of images: it is their
/// matrix, or a handle of the images.
static LogicalResult checkWindows(LoadOp op) {
  // tmm_load_c2
  if (op.getBlocked() || op.getTransposed() || !op.getBatch().empty())
    return op.emitOpError() << "expected windows of images that are neither "
                               "transposed nor blocked nor a batch, got "
                            << op.getSource().getType();
  Type element = getElementTypeOrSelf(op.getSource().getType());
  if (WindowsAttr windows = op.getWindowsAttr()) {
    auto handle = dyn_cast<TensorHandleTypeInterface>(op.getSource().getType());
    if (!handle || handle.getRank() != windows.getRank() + 2)
      return op.emitOpError() << "expected windows with a handle of images of "
                              << windows.getRank() + 2 << " dimensions, got "
                              << op.getSource().getType();
    element = handle.getElementType();
  }
  if (element != op.getBuffer().getType().getElementType())
    return op.emitOpError()
           << "expected operand source of element type "
           << op.getBuffer().getType().getElementType() << ", got " << element;
  return success();
}

LogicalResult LoadOp::verify() {
  BufferType buffer = getBuffer().getType();
  bool isOfWindows =
      getWindowsAttr() || getWindowsLayout(getSource().getType());
  if (isOfWindows && failed(checkWindows(*this)))
    return failure();
  if (getBlocked())
    return checkBlocks(*this);
  if (!isOfWindows && failed(checkTensor(*this, "source", getSource().getType(),
                                         buffer.getElementType(), getBatch())))
    return failure();
  AgentSetAttrInterface targets = getTargets();
  if (!targets)
    return success();
  // tmm_load_c1
  return buffer.getSpace().verifyParts(
      [&] { return emitOpError() << "operand buffer: "; }, buffer.getShape(),
      buffer.getElementType(), targets.getMembers(0).size());
}

EngineAttrInterface LoadOp::getEngine() { return getBy(); }

void LoadOp::setSignal(Value barrier) { getSignalMutable().assign(barrier); }

AgentSetAttrInterface LoadOp::getTargets() {
  return getTo().value_or(AgentSetAttrInterface());
}

//===----------------------------------------------------------------------===//
// MmaOp
//===----------------------------------------------------------------------===//

LogicalResult MmaOp::verify() {
  BufferType a = getA().getType(), b = getB().getType();
  // tmm_mma_c1
  if (getMetadata() && 2 * a.getColumns() != b.getColumns())
    return emitOpError()
           << "expected a (M x K/2) with metadata and b (N x K), got "
           << a.getColumns() << " and " << b.getColumns();
  if (!getMetadata() && a.getColumns() != b.getColumns())
    return emitOpError()
           << "expected a (M x K) and b (N x K) with the same K, got "
           << a.getColumns() << " and " << b.getColumns();
  // tmm_mma_c3
  Type acc = getAcc().getType();
  bool isValue = isa<VectorType>(acc);
  if (isValue != bool(getResult()) || (isValue && getResult().getType() != acc))
    return emitOpError() << "expected "
                         << (isValue ? "a result of the type of acc, "
                                     : "no result with acc in memory, ")
                         << "got " << (getResult() ? "another" : "none");
  // tmm_mma_c2
  int64_t n = b.getRows();
  if (AgentSetAttrInterface span = getSpan())
    n *= span.getMembers(0).size();
  auto value = dyn_cast<VectorType>(acc);
  bool isPart = value && value.getRank() == 1;
  // tmm_mma_c5
  if (isPart && !isThreadPart(value, {a.getRows(), n}, getLayoutAttr()))
    return emitOpError() << "expected acc to be what a thread holds of "
                         << a.getRows() << "x" << n
                         << " elements by a layout, got " << value;
  ArrayRef<int64_t> shape =
      value ? value.getShape() : cast<BufferType>(acc).getShape();
  if (!isPart && (shape[0] != a.getRows() || shape[1] != n))
    return emitOpError() << "expected acc of shape " << a.getRows() << "x" << n
                         << " (M of a, N of b"
                         << (getSpan() ? " in all CTAs" : "") << "), got "
                         << shape[0] << "x" << shape[1];
  // tmm_mma_c6
  if (getMetadata()) {
    BufferType metadata = getMetadata().getType();
    if (metadata.getRows() != kMetadataTileShape[0] ||
        metadata.getColumns() % kMetadataTileShape[1] != 0)
      return emitOpError() << "expected metadata of " << kMetadataTileShape[0]
                           << " lanes and a multiple of "
                           << kMetadataTileShape[1] << " cells, got "
                           << metadata.getRows() << "x"
                           << metadata.getColumns();
  }
  // tmm_mma_c4
  if (bool(getScaleA()) != bool(getScaleB()))
    return emitOpError() << "expected scale factors of a and of b, or none, "
                            "got those of "
                         << (getScaleA() ? "a" : "b");
  if (!getScaleA())
    return success();
  BufferType scaleA = getScaleA().getType(), scaleB = getScaleB().getType();
  if (scaleA.getRows() != a.getRows() || scaleB.getRows() != n ||
      scaleA.getColumns() != scaleB.getColumns() ||
      a.getColumns() % scaleA.getColumns() != 0)
    return emitOpError() << "expected factors for " << a.getRows()
                         << " rows of a and " << n
                         << " of b, in as many columns, a divisor of K = "
                         << a.getColumns() << ", got " << scaleA.getRows()
                         << "x" << scaleA.getColumns() << " and "
                         << scaleB.getRows() << "x" << scaleB.getColumns();
  return success();
}

EngineAttrInterface MmaOp::getEngine() { return getBy(); }

AgentSetAttrInterface MmaOp::getSpan() {
  return getOver().value_or(AgentSetAttrInterface());
}

void MmaOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addEffect<MemoryEffects::Read>(effects, getAMutable());
  addEffect<MemoryEffects::Read>(effects, getBMutable());
  for (MutableOperandRange blocked :
       {getScaleAMutable(), getScaleBMutable(), getMetadataMutable()})
    for (OpOperand &operand : blocked)
      addEffect<MemoryEffects::Read>(effects, operand);
  if (!isa<BufferType>(getAcc().getType()))
    return;
  addEffect<MemoryEffects::Read>(effects, getAccMutable());
  addEffect<MemoryEffects::Write>(effects, getAccMutable());
}

//===----------------------------------------------------------------------===//
// CopyOp
//===----------------------------------------------------------------------===//

LogicalResult CopyOp::verify() {
  BufferType source = getSource().getType(), target = getTarget().getType();
  if (source.getShape() != target.getShape() ||
      source.getElementType() != target.getElementType())
    return emitOpError() << "expected a target of the shape and element type "
                            "of source, got "
                         << source << " and " << target;
  if (source.getSpace() == target.getSpace())
    return emitOpError() << "expected source and target in different memory "
                            "spaces, got "
                         << source.getSpace() << " twice";
  return success();
}

EngineAttrInterface CopyOp::getEngine() { return getBy(); }

AgentSetAttrInterface CopyOp::getSpan() {
  return getOver().value_or(AgentSetAttrInterface());
}

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
                         << ", what a thread holds, got none";
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

LogicalResult FetchOp::verify() {
  auto source = cast<MemRefType>(getSource().getType());
  Type element = cast<VectorType>(getResult().getType()).getElementType();
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
  return checkMatrix(*this, "source", cast<MemRefType>(getSource().getType()),
                     cast<VectorType>(getResult().getType()).getElementType(),
                     getBatch());
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
// ConvertLayoutOp
//===----------------------------------------------------------------------===//

LogicalResult ConvertLayoutOp::verify() {
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
                     isPacked ? target.getElementType() : element, getBatch());
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
// UnloadOp
//===----------------------------------------------------------------------===//

LogicalResult UnloadOp::verify() {
  BufferType buffer = getBuffer().getType();
  return checkTensor(*this, "target", getTarget().getType(),
                     buffer.getElementType(), getBatch());
}

EngineAttrInterface UnloadOp::getEngine() { return getBy(); }
