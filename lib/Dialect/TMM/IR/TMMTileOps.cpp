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

#include "TileChecks.h"

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
  // tmm_alloc_c3
  if (getStages() > uint64_t(kMaxSlots))
    return emitOpError() << "expected at most " << kMaxSlots << " stages, got "
                         << getStages();
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

LogicalResult tc::tmm::checkMatrix(Operation *op, StringRef operand,
                                   MemRefType memref, Type elementType,
                                   ValueRange batch, bool isColumn) {
  int64_t rank = 2 + batch.size();
  if (memref.getRank() != rank)
    return op->emitOpError() << "expected operand " << operand << " of rank "
                             << rank << (batch.empty() ? "" : " with its batch")
                             << ", got rank " << memref.getRank();
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(memref.getStridesAndOffset(strides, offset)) ||
      (!isColumn && strides.back() != 1))
    return op->emitOpError() << "expected operand " << operand
                             << " with unit innermost stride, got " << memref;
  if (memref.getElementType() != elementType)
    return op->emitOpError()
           << "expected operand " << operand << " of element type "
           << elementType << ", got " << memref.getElementType();
  return success();
}

LogicalResult tc::tmm::checkTensor(Operation *op, StringRef operand,
                                   Type tensor, Type elementType,
                                   ValueRange batch) {
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

bool tc::tmm::isThreadPart(VectorType value, ArrayRef<int64_t> shape,
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
// UnloadOp
//===----------------------------------------------------------------------===//

LogicalResult UnloadOp::verify() {
  BufferType buffer = getBuffer().getType();
  return checkTensor(*this, "target", getTarget().getType(),
                     buffer.getElementType(), getBatch());
}

EngineAttrInterface UnloadOp::getEngine() { return getBy(); }

//===----------------------------------------------------------------------===//
// MmaOp
//===----------------------------------------------------------------------===//

namespace tc::tmm {

/// The type of an operand in memory, whose name may be left out, or in
/// registers.
ParseResult parseOperandType(OpAsmParser &parser, Type &type) {
  OptionalParseResult parsed = parser.parseOptionalType(type);
  if (parsed.has_value())
    return *parsed;
  BufferType buffer;
  if (parser.parseCustomTypeWithFallback(buffer))
    return failure();
  type = buffer;
  return success();
}

void printOperandType(OpAsmPrinter &printer, Operation *, Type type) {
  if (auto buffer = dyn_cast<BufferType>(type))
    printer.printStrippedAttrOrType(buffer);
  else
    printer << type;
}

} // namespace tc::tmm

BufferType MmaOp::getTileB() {
  BufferType b = getB().getType();
  if (!getTransposed())
    return b;
  return BufferType::get({b.getColumns(), b.getRows()}, b.getElementType(),
                         b.getSpace());
}

/// Checks an `op` whose A is in registers.
static LogicalResult verifyRegisterA(MmaOp op) {
  auto a = cast<VectorType>(op.getA().getType());
  BufferType b = op.getTileB();
  auto acc = dyn_cast<VectorType>(op.getAcc().getType());
  // tmm_mma_c7
  if (!acc || acc.getRank() != a.getRank() || op.getSpan())
    return op.emitOpError()
           << "expected an accumulator in registers as a is, in one CTA, got "
           << op.getAcc().getType();
  if (op.getScaleA() || op.getMetadata() || op.getExtent())
    return op.emitOpError()
           << "expected a in memory with factors, metadata or extent, got "
           << a;
  if (!op.getResult() || op.getResult().getType() != acc)
    return op.emitOpError() << "expected a result of the type of acc, got "
                            << (op.getResult() ? "another" : "none");
  if (a.getRank() == 1) {
    if (a.getNumElements() * b.getRows() !=
        acc.getNumElements() * b.getColumns())
      return op.emitOpError()
             << "expected parts of M x " << b.getColumns() << " and M x "
             << b.getRows() << " elements as a and acc, got " << a << " and "
             << acc;
    return success();
  }
  // tmm_mma_c1
  if (a.getDimSize(1) != b.getColumns())
    return op.emitOpError()
           << "expected a (M x K) and b (N x K) with the same K, got "
           << a.getDimSize(1) << " and " << b.getColumns();
  // tmm_mma_c2
  if (acc.getDimSize(0) != a.getDimSize(0) || acc.getDimSize(1) != b.getRows())
    return op.emitOpError() << "expected acc of shape " << a.getDimSize(0)
                            << "x" << b.getRows() << " (M of a, N of b), got "
                            << acc.getDimSize(0) << "x" << acc.getDimSize(1);
  return success();
}

LogicalResult MmaOp::verify() {
  // tmm_mma_c8
  if (getTransposed() && (getScaleA() || getMetadata() || getSpan()))
    return emitOpError()
           << "expected a transposed b in one CTA without factors and "
              "metadata, got "
           << (getScaleA()     ? "factors"
               : getMetadata() ? "metadata"
                               : "over");
  BufferType a = getBufferA(), b = getTileB();
  if (!a)
    return verifyRegisterA(*this);
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
  if (getBufferA())
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
