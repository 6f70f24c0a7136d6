//===- TMMTypes.cpp - types of the tmm dialect ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Syntax and verification of tiles and pipelines.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/IR/TMMTypes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "tc/Dialect/TMM/IR/TMMDialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tc::tmm;

#include "tc/Dialect/TMM/IR/TMMEnums.cpp.inc"

/// Parses `128x64xbf16`.
static ParseResult parseTile(AsmParser &parser, SmallVector<int64_t> &shape,
                             Type &elementType) {
  return failure(parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
                 parser.parseType(elementType));
}

static void printTile(AsmPrinter &printer, ArrayRef<int64_t> shape,
                      Type elementType) {
  printer.printDimensionList(shape);
  printer << 'x' << elementType;
}

/// Parses the buffers of a slot; each may leave out its `!tmm.buffer`.
static ParseResult parseSlot(AsmParser &parser,
                             SmallVector<BufferType> &buffers) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] {
    return parser.parseCustomTypeWithFallback(buffers.emplace_back());
  });
}

static void printSlot(AsmPrinter &printer, ArrayRef<BufferType> buffers) {
  printer << '(';
  llvm::interleaveComma(buffers, printer, [&](BufferType buffer) {
    printer.printStrippedAttrOrType(buffer);
  });
  printer << ')';
}

#define GET_TYPEDEF_CLASSES
#include "tc/Dialect/TMM/IR/TMMTypes.cpp.inc"

void TMMDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "tc/Dialect/TMM/IR/TMMTypes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// BufferType
//===----------------------------------------------------------------------===//

LogicalResult BufferType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> shape, Type elementType,
                                 tc::MemorySpaceAttrInterface space) {
  if (shape.size() != 2)
    return emitError() << "expected rows x columns, got " << shape.size()
                       << " dimensions";
  for (int64_t size : shape)
    if (size <= 0)
      return emitError() << "expected positive rows and columns, got "
                         << shape[0] << "x" << shape[1];
  if (!elementType.isIntOrFloat())
    return emitError() << "expected an integer or float element type, got "
                       << elementType;
  return space.verifyTile(emitError, shape, elementType);
}

int64_t BufferType::getBytes() const {
  return getRows() * getColumns() * getElementType().getIntOrFloatBitWidth() /
         8;
}

//===----------------------------------------------------------------------===//
// PipelineType
//===----------------------------------------------------------------------===//

LogicalResult PipelineType::verify(function_ref<InFlightDiagnostic()> emitError,
                                   ArrayRef<BufferType> buffers,
                                   int64_t depth) {
  if (buffers.empty())
    return emitError() << "expected at least one buffer in a slot, got none";
  if (depth < 1)
    return emitError() << "expected a depth of at least 1, got " << depth;
  if (depth > kMaxSlots)
    return emitError() << "expected a depth of at most " << kMaxSlots
                       << ", got " << depth;
  return success();
}
