//===- TCGen05MemOps.cpp - Tensor Memory allocation and regions -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifiers and folds of the operations of TCGen05MemOps.td.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TCGen05/IR/TCGen05.h"
#include "tc/Support/ISA.h"
#include "tc/Support/StaticIndex.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tc;
using namespace tc::tcgen05;

//===----------------------------------------------------------------------===//
// Shapes in the assembly format
//===----------------------------------------------------------------------===//

// They start with a digit, so they are strings: `shape "16x64b"`. The default
// is not printed.

template <typename ShapeAttr>
static ParseResult parseShape(OpAsmParser &parser, ShapeAttr &shape,
                              decltype(ShapeAttr().getValue()) fallback,
                              decltype(fallback) last) {
  shape = ShapeAttr::get(parser.getContext(), fallback);
  if (failed(parser.parseOptionalKeyword("shape")))
    return success();
  std::string text;
  SMLoc at = parser.getCurrentLocation();
  if (parser.parseString(&text))
    return failure();
  SmallVector<StringRef> names;
  for (unsigned i = 0; i <= static_cast<unsigned>(last); ++i) {
    auto value = static_cast<decltype(fallback)>(i);
    names.push_back(getFacts(value).name);
    if (names.back() == text) {
      shape = ShapeAttr::get(parser.getContext(), value);
      return success();
    }
  }
  return parser.emitError(at)
         << "expected shape " << llvm::join(names, ", ") << ", got '" << text
         << "' " << cite(ISASection::TmemShapes);
}

static ParseResult parseShape(OpAsmParser &parser, AccessShapeAttr &shape) {
  return parseShape(parser, shape, AccessShape::L32x32b,
                    AccessShape::L16x32bx2);
}

static ParseResult parseShape(OpAsmParser &parser, CopyShapeAttr &shape) {
  return parseShape(parser, shape, CopyShape::R32x128bWarpx4,
                    CopyShape::R32x128bWarpx4);
}

static void printShape(OpAsmPrinter &printer, Operation *,
                       AccessShapeAttr shape) {
  if (shape.getValue() != AccessShape::L32x32b)
    printer << " shape \"" << getFacts(shape.getValue()).name << "\"";
}

static void printShape(OpAsmPrinter &printer, Operation *,
                       CopyShapeAttr shape) {
  if (shape.getValue() != CopyShape::R32x128bWarpx4)
    printer << " shape \"" << getFacts(shape.getValue()).name << "\"";
}

#define GET_OP_CLASSES
#include "tc/Dialect/TCGen05/IR/TCGen05Ops.cpp.inc"

bool tc::tcgen05::isAddressSlot(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && memref.getLayout().isIdentity() &&
         memref.getShape() == ArrayRef<int64_t>{1} &&
         memref.getElementType().isSignlessInteger(32) &&
         gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(memref);
}

/// Checks that tcgen05.alloc can give `columns`.
static LogicalResult verifyAllocation(Operation *op, int64_t columns,
                                      bool exclusive) {
  if (exclusive) {
    int64_t nearest =
        std::clamp<int64_t>(int64_t(llvm::alignTo(std::max<int64_t>(columns, 0),
                                                  kTmemMinAllocation)),
                            kTmemMinAllocation, kTmemMostColumns);
    if (columns == nearest)
      return success();
    return op->emitOpError()
           << "expected columns of an exclusive allocation to be a multiple of "
           << kTmemMinAllocation << " up to " << kTmemMostColumns << ", got "
           << columns << ", the nearest is " << nearest << " "
           << cite(ISASection::TmemExclusive);
  }
  if (columns >= kTmemMinAllocation && columns <= kTmemColumns &&
      llvm::isPowerOf2_64(columns))
    return success();
  return op->emitOpError() << "expected columns to be a power of two from "
                           << kTmemMinAllocation << " to " << kTmemColumns
                           << ", got " << columns << ", the nearest is "
                           << getTmemAllocation(columns).value_or(kTmemColumns)
                           << " " << cite(ISASection::TmemAllocInstructions);
}

//===----------------------------------------------------------------------===//
// ReserveOp
//===----------------------------------------------------------------------===//

LogicalResult ReserveOp::verify() {
  TmemType type = getRegion().getType();
  // tcgen05_reserve_c1
  if (type.getLayout() == DataPath::Raw || !type.isWhole())
    return emitOpError() << "expected a whole region with a data path layout, "
                            "got "
                         << type << " " << cite(ISASection::DataPath);
  // tcgen05_reserve_c2
  Operation *parent = (*this)->getParentOp();
  if (!isa<FunctionOpInterface>(parent) || !(*this)->getBlock()->isEntryBlock())
    return emitOpError() << "expected to be in the entry block of a "
                            "function, got a region of '"
                         << parent->getName() << "'";
  return success();
}

//===----------------------------------------------------------------------===//
// AllocOp, DeallocOp
//===----------------------------------------------------------------------===//

LogicalResult AllocOp::verify() {
  // tcgen05_alloc_c1
  return verifyAllocation(*this, getColumns(), getExclusive());
}

LogicalResult DeallocOp::verify() {
  // tcgen05_dealloc_c1
  return verifyAllocation(
      *this, cast<TmemType>(getAllocation().getType()).getColumns(),
      getExclusive());
}

//===----------------------------------------------------------------------===//
// SliceOp
//===----------------------------------------------------------------------===//

void SliceOp::build(OpBuilder &builder, OperationState &state, TmemType result,
                    Value source, OpFoldResult column, int64_t lane) {
  SmallVector<Value> dynamic;
  SmallVector<int64_t> fixed;
  dispatchIndexOpFoldResults({column}, dynamic, fixed);
  build(builder, state, result, source, dynamic,
        builder.getDenseI64ArrayAttr(fixed), builder.getI64IntegerAttr(lane));
}

OpFoldResult SliceOp::getColumn() {
  return getStaticOrDynamic(getStaticColumn(), getDynamicColumn(),
                            getContext());
}

/// Whether cells of `source` can be seen as those of `result`, of other
/// elements: both are whole, with a row along each lane.
static bool sharesRows(TmemType source, TmemType result) {
  return source.isWhole() && result.isWhole() &&
         source.getLayout() == result.getLayout() &&
         (source.getLayout() == DataPath::A ||
          source.getLayout() == DataPath::D);
}

LogicalResult SliceOp::verify() {
  TmemType source = getSource().getType();
  TmemType result = getResult().getType();
  if (failed(verifyOneIndex(*this, "column", getStaticColumn(),
                            getDynamicColumn())))
    return failure();
  if (source.getLayout() == DataPath::Raw) {
    // tcgen05_slice_c1
    if (!result.isWhole())
      return emitOpError() << "expected the result to have all "
                           << result.getFullLanes()
                           << " lanes of its layout, got " << result << " "
                           << cite(ISASection::DataPath);
  } else if (!sharesRows(source, result) &&
             (result.getLanes() != source.getLanes() ||
              result.getElementType() != source.getElementType() ||
              result.getLayout() != source.getLayout() ||
              result.getPacked() != source.getPacked() ||
              result.getBytes() != source.getBytes())) {
    // tcgen05_slice_c2
    return emitOpError() << "expected the result to have the lanes, element "
                            "type and layout of the source "
                         << source << ", got " << result << " "
                         << cite(ISASection::DataPath);
  }
  // tcgen05_slice_c4
  bool halves =
      source.getLayout() == DataPath::Raw &&
      (result.getLayout() == DataPath::C || result.getLayout() == DataPath::F);
  int64_t upper = kTmemWindowLanes / 2;
  if (getLane() != 0 && !(halves && getLane() == uint64_t(upper)))
    return emitOpError() << "expected lane 0"
                         << (halves ? " or " + std::to_string(upper) : "")
                         << " for a slice of " << source << " to " << result
                         << ", got " << static_cast<int64_t>(getLane()) << " "
                         << cite(ISASection::DataPath);
  return verifyColumn(getDynamicColumn().empty() ? getStaticColumn().front()
                                                 : 0);
}

/// Whether the source has the columns of the result from `column` on.
static bool hasColumnsFrom(SliceOp op, int64_t column) {
  return column >= 0 && column <= op.getSource().getType().getCellColumns() -
                                      op.getResult().getType().getCellColumns();
}

// tcgen05_slice_c3, tcgen05_kernel_c15
LogicalResult SliceOp::verifyColumn(int64_t column) {
  int64_t columns = getResult().getType().getCellColumns();
  int64_t available = getSource().getType().getCellColumns();
  if (hasColumnsFrom(*this, column))
    return success();
  return emitOpError() << "expected the result to lie within the " << available
                       << " columns of the source, got " << columns << " from "
                       << column << " on " << cite(ISASection::TmemAddressing);
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  if (foldIndexOperand(
          *this, adaptor.getDynamicColumn(), getDynamicColumnMutable(),
          [&](int64_t value) { return hasColumnsFrom(*this, value); },
          [&](int64_t value) { setStaticColumn(ArrayRef<int64_t>{value}); }))
    return getResult();
  if (getResult().getType() == getSource().getType() &&
      getDynamicColumn().empty() && getStaticColumn().front() == 0)
    return getSource();
  return {};
}

//===----------------------------------------------------------------------===//
// WarpWindowOp
//===----------------------------------------------------------------------===//

LogicalResult WarpWindowOp::inferReturnTypes(MLIRContext *context,
                                             std::optional<Location> location,
                                             WarpWindowOp::Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  // A region without windows keeps its type; the verifier refuses it.
  auto source = cast<TmemType>(adaptor.getSource().getType());
  bool hasWindows = !source.isScales() && source.getLayout() != DataPath::Raw;
  types.push_back(hasWindows ? source.getWindow() : source);
  return success();
}

LogicalResult WarpWindowOp::verify() {
  TmemType source = getSource().getType();
  // tcgen05_warp_window_c1
  if (source.getLayout() == DataPath::Raw || source.isScales() ||
      !source.isWhole())
    return emitOpError() << "expected a whole region with a data path layout, "
                            "got "
                         << source << " " << cite(ISASection::TmemLoadAccess);
  return success();
}
