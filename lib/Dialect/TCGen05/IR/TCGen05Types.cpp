//===- TCGen05Types.cpp - types of the tcgen05 dialect ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The region of Tensor Memory: syntax, verification, and the geometry of the
// data path layouts (PTX ISA, "Data Path Layout Organization").
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TCGen05/IR/TCGen05.h"
#include "tc/Support/ISA.h"
#include "tc/Support/TmemLayouts.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tc;
using namespace tc::tcgen05;

#define GET_TYPEDEF_CLASSES
#include "tc/Dialect/TCGen05/IR/TCGen05Types.cpp.inc"

void TCGen05Dialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "tc/Dialect/TCGen05/IR/TCGen05Types.cpp.inc"
      >();
}

namespace {
/// What the ISA says of one data path layout.
struct LayoutFacts {
  /// M of the instruction that writes it.
  int64_t m;
  int ctaGroup;
  /// Rows of the matrix in one CTA.
  int64_t rows;
  /// Lanes with elements.
  int64_t lanes;
  /// Column groups of the matrix stored one below the other.
  int64_t folds;
  /// Whether dense, sparse and weight-stationary instructions write it.
  bool dense, sparse, weightStationary;
};
} // namespace

static LayoutFacts getLayoutFacts(DataPath layout) {
  switch (layout) {
  case DataPath::A:
  case DataPath::B:
  case DataPath::C:
  case DataPath::D:
  case DataPath::E:
  case DataPath::F:
  case DataPath::G: {
    const DataPathFacts &facts =
        *findDataPath(stringifyDataPath(layout).front());
    int64_t rows = facts.getRows();
    // Rows that are not folded have lanes of their own.
    return {facts.m,      facts.ctaGroup,
            rows,         facts.folds == 1 ? rows : kTmemLanes,
            facts.folds,  facts.dense,
            facts.sparse, facts.weightStationary};
  }
  case DataPath::Raw:
    return {0, 1, 0, kTmemLanes, 1, false, false, false};
  case DataPath::Scales:
    return {0, 0, kScaleRows, kTmemLanes, 1, false, false, false};
  case DataPath::ScalesSplit:
    return {0, 0, 2 * kScaleRows, kTmemLanes, 1, false, false, false};
  case DataPath::Metadata32:
  case DataPath::Metadata16:
  case DataPath::Metadata8:
  case DataPath::Metadata4:
    return {0, 0, kTmemLanes, kTmemLanes, 1, false, false, false};
  }
  llvm_unreachable("unknown layout");
}

//===----------------------------------------------------------------------===//
// TmemType
//===----------------------------------------------------------------------===//

Type TmemType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  StringRef keyword;
  bool packed = false, bytes = false;
  if (parser.parseLess())
    return {};
  SMLoc shapeLoc = parser.getCurrentLocation();
  if (parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(elementType) || parser.parseComma())
    return {};
  SMLoc layoutLoc = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    bytes = succeeded(parser.parseOptionalKeyword("bytes"));
    if (!bytes && parser.parseKeyword("packed"))
      return {};
    packed = !bytes;
  }
  if (parser.parseGreater())
    return {};
  if (shape.size() != 2) {
    parser.emitError(shapeLoc, "expected lanes x columns, got ")
        << shape.size() << " dimensions";
    return {};
  }
  std::optional<DataPath> layout = symbolizeDataPath(keyword);
  if (!layout) {
    parser.emitError(layoutLoc,
                     "expected a data path layout A, B, C, D, E, F, G, scales, "
                     "scales_split, metadata32, metadata16, metadata8, "
                     "metadata4 or raw, got '")
        << keyword << "' " << cite(ISASection::DataPath);
    return {};
  }
  return getChecked([&] { return parser.emitError(shapeLoc); },
                    parser.getContext(), shape[0], shape[1], elementType,
                    *layout, packed, bytes);
}

void TmemType::print(AsmPrinter &printer) const {
  printer << "<" << getLanes() << "x" << getColumns() << "x" << getElementType()
          << ", " << stringifyDataPath(getLayout());
  if (getPacked())
    printer << ", packed";
  if (getBytes())
    printer << ", bytes";
  printer << ">";
}

LogicalResult TmemType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t lanes, int64_t columns, Type elementType,
                               DataPath layout, bool packed, bool bytes) {
  if (!elementType.isIntOrFloat() || elementType.getIntOrFloatBitWidth() > 32 ||
      elementType.getIntOrFloatBitWidth() == 0)
    return emitError()
           << "expected an integer or float element type of 1 to 32 bits, got "
           << elementType << " " << cite(ISASection::TmemAddressing);
  int64_t bits = elementType.getIntOrFloatBitWidth();
  // More than any elements fill: what follows multiplies the number.
  if (columns > kTmemMostColumns * 32)
    return emitError() << "expected 1 to " << kTmemMostColumns
                       << " columns of 32-bit cells, got " << columns
                       << " elements " << cite(ISASection::TmemAddressing);
  int64_t full = getLayoutFacts(layout).lanes;
  bool raw = layout == DataPath::Raw;
  bool scales = layout == DataPath::Scales || layout == DataPath::ScalesSplit;
  bool metadata = layout >= DataPath::Metadata32;
  bool windows = !raw && !scales;
  if (lanes != full && (!windows || lanes != full / 4)) {
    InFlightDiagnostic diagnostic = emitError()
                                    << "expected " << full << " lanes";
    if (windows)
      diagnostic << ", or " << full / 4 << " in the window of a warp,";
    return diagnostic << " for layout " << stringifyDataPath(layout) << ", got "
                      << lanes << " " << cite(ISASection::DataPath);
  }
  if ((raw || metadata) && !elementType.isSignlessInteger(32))
    return emitError() << "expected element type i32 for layout "
                       << stringifyDataPath(layout) << ", got " << elementType
                       << " " << cite(ISASection::TmemAddressing);
  if (bytes && (bits >= 8 || scales))
    return emitError() << "expected elements of fewer than 8 bits where they "
                          "take a byte each, got "
                       << elementType << " "
                       << cite(ISASection::TmemAddressing);
  if (bytes && columns % 4 != 0)
    return emitError() << "expected elements of a byte to fill 32-bit cells, "
                          "got "
                       << columns << " columns "
                       << cite(ISASection::TmemAddressing);
  if (packed && (bits == 32 || raw))
    return emitError() << "expected elements of fewer than 32 bits where they "
                          "are packed, got "
                       << elementType << " "
                       << cite(ISASection::TmemAddressing);
  if (packed && columns * bits % 32 != 0)
    return emitError() << "expected packed columns to fill 32-bit cells, got "
                       << columns << " elements of " << bits << " bits "
                       << cite(ISASection::TmemAddressing);
  if (scales && (!packed || bits != 8 || lanes != full ||
                 columns % kScaleTileColumns != 0))
    return emitError() << "expected " << full << " lanes, a multiple of "
                       << kScaleTileColumns
                       << " columns and packed elements of 8 bits for layout "
                       << stringifyDataPath(layout) << ", got " << lanes << "x"
                       << columns << " elements of " << bits << " bits"
                       << (packed ? "" : ", not packed") << " "
                       << cite(ISASection::ScaleFactorA);
  int64_t cells = packed ? columns * bits / 32 : bytes ? columns / 4 : columns;
  if (cells < 1 || cells > kTmemMostColumns)
    return emitError() << "expected 1 to " << kTmemMostColumns
                       << " columns of 32-bit cells, got " << cells << " "
                       << cite(ISASection::TmemAddressing);
  return success();
}

TmemType TmemType::getRaw(MLIRContext *context, int64_t columns) {
  return get(kTmemLanes, columns, IntegerType::get(context, 32), DataPath::Raw);
}

TmemType TmemType::getAccumulator(int64_t m, int64_t n, int ctaGroup,
                                  Type elementType, bool sparse,
                                  bool weightStationary) {
  for (DataPath layout : {DataPath::A, DataPath::B, DataPath::C, DataPath::D,
                          DataPath::E, DataPath::F, DataPath::G}) {
    LayoutFacts facts = getLayoutFacts(layout);
    bool written = weightStationary ? facts.weightStationary
                   : sparse         ? facts.sparse
                                    : facts.dense;
    if (written && facts.m == m && facts.ctaGroup == ctaGroup)
      return get(facts.lanes, n / facts.folds, elementType, layout);
  }
  return {};
}

TmemType TmemType::getMatrixA(int64_t columns, Type elementType, unsigned bits,
                              DataPath layout) {
  unsigned width = elementType.getIntOrFloatBitWidth();
  return get(elementType.getContext(), getLayoutFacts(layout).lanes, columns,
             elementType, layout, /*packed=*/bits < 32 && bits == width,
             /*bytes=*/bits != width);
}

TmemType TmemType::getMetadata(MLIRContext *context, unsigned bits,
                               int64_t columns) {
  DataPath layout = bits == 32   ? DataPath::Metadata32
                    : bits == 16 ? DataPath::Metadata16
                    : bits == 8  ? DataPath::Metadata8
                                 : DataPath::Metadata4;
  return get(kTmemLanes, columns, IntegerType::get(context, 32), layout);
}

TmemType TmemType::getScales(int64_t rows, Type elementType) {
  int64_t tiles = llvm::divideCeil(rows, kScaleRows);
  return get(elementType.getContext(), kTmemLanes, tiles * kScaleTileColumns,
             elementType, DataPath::Scales, /*packed=*/true, /*bytes=*/false);
}

TmemType TmemType::getSplitScales(Type elementType) {
  return get(elementType.getContext(), kTmemLanes, kScaleTileColumns,
             elementType, DataPath::ScalesSplit, /*packed=*/true,
             /*bytes=*/false);
}

int64_t TmemType::getStorageBits() const {
  if (getPacked())
    return getElementType().getIntOrFloatBitWidth();
  return getBytes() ? 8 : 32;
}

int64_t TmemType::getCellColumns() const {
  return getColumns() * getStorageBits() / 32;
}

int64_t TmemType::getFullLanes() const {
  return getLayoutFacts(getLayout()).lanes;
}

TmemType TmemType::getWindow() const {
  return get(getContext(), getFullLanes() / 4, getColumns(), getElementType(),
             getLayout(), getPacked(), getBytes());
}

int64_t TmemType::getMatrixRows() const {
  return getLayoutFacts(getLayout()).rows;
}

int64_t TmemType::getMatrixColumns() const {
  return getColumns() * getLayoutFacts(getLayout()).folds;
}

int64_t TmemType::getInstructionM() const {
  return getLayoutFacts(getLayout()).m;
}

int TmemType::getCtaGroup() const {
  return getLayoutFacts(getLayout()).ctaGroup;
}
