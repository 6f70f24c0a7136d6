//===- Dialects.cpp - dialects, types and attributes in C -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc-c/Dialects.h"

#include "tc/Compiler/Pipelines.h"
#include "tc/Dialect/SM90/IR/SM90.h"
#include "tc/Dialect/TCGen05/IR/TCGen05.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/InitAll.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/CAPI/Support.h"

using namespace mlir;
using namespace tc;

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(TMM, tmm, tmm::TMMDialect)
MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(TCGen05, tcgen05, tcgen05::TCGen05Dialect)
MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(SM90, sm90, sm90::SM90Dialect)

void tcRegisterPipelineDialects(MlirDialectRegistry registry) {
  registerPipelineDialects(*unwrap(registry));
}
void tcRegisterAllDialects(MlirDialectRegistry registry) {
  tc::registerAllDialects(*unwrap(registry));
}

//===----------------------------------------------------------------------===//
// Memory spaces of tiles
//===----------------------------------------------------------------------===//

bool tcAttributeIsASmem(MlirAttribute attribute) {
  return isa<sm90::SmemAttr>(unwrap(attribute));
}
MlirAttribute tcSmemAttrGet(MlirContext context, MlirStringRef order,
                            MlirStringRef swizzle) {
  std::optional<sm90::Order> first = sm90::symbolizeOrder(unwrap(order));
  std::optional<Swizzle> second = symbolizeSwizzle(unwrap(swizzle));
  if (!first || !second)
    return {nullptr};
  unwrap(context)->loadDialect<sm90::SM90Dialect>();
  return wrap(Attribute(sm90::SmemAttr::get(unwrap(context), *first, *second)));
}
MlirStringRef tcSmemAttrGetOrder(MlirAttribute attribute) {
  auto smem = cast<sm90::SmemAttr>(unwrap(attribute));
  return wrap(sm90::stringifyOrder(smem.getOrder()));
}
MlirStringRef tcSmemAttrGetSwizzle(MlirAttribute attribute) {
  auto smem = cast<sm90::SmemAttr>(unwrap(attribute));
  return wrap(stringifySwizzle(smem.getSwizzle()));
}

bool tcAttributeIsATmem(MlirAttribute attribute) {
  return isa<tcgen05::TmemAttr>(unwrap(attribute));
}
MlirAttribute tcTmemAttrGet(MlirContext context, int64_t ctas) {
  unwrap(context)->loadDialect<tcgen05::TCGen05Dialect>();
  return wrap(Attribute(tcgen05::TmemAttr::get(unwrap(context), ctas)));
}
int64_t tcTmemAttrGetCtas(MlirAttribute attribute) {
  return cast<tcgen05::TmemAttr>(unwrap(attribute)).getCtas();
}

//===----------------------------------------------------------------------===//
// Tiles and pipelines
//===----------------------------------------------------------------------===//

static tmm::BufferType unwrapBuffer(MlirType type) {
  return cast<tmm::BufferType>(unwrap(type));
}
static tmm::PipelineType unwrapPipeline(MlirType type) {
  return cast<tmm::PipelineType>(unwrap(type));
}

bool tcTypeIsABuffer(MlirType type) {
  return isa<tmm::BufferType>(unwrap(type));
}
MlirType tcBufferTypeGetChecked(MlirLocation location, int64_t rows,
                                int64_t columns, MlirType elementType,
                                MlirAttribute space) {
  Location loc = unwrap(location);
  loc.getContext()->loadDialect<tmm::TMMDialect>();
  auto memory = dyn_cast<MemorySpaceAttrInterface>(unwrap(space));
  if (!memory) {
    emitError(loc, "expected a memory space of tiles, got ") << unwrap(space);
    return {nullptr};
  }
  return wrap(Type(tmm::BufferType::getChecked([&] { return emitError(loc); },
                                               ArrayRef<int64_t>{rows, columns},
                                               unwrap(elementType), memory)));
}
int64_t tcBufferTypeGetRows(MlirType type) {
  return unwrapBuffer(type).getRows();
}
int64_t tcBufferTypeGetColumns(MlirType type) {
  return unwrapBuffer(type).getColumns();
}
MlirType tcBufferTypeGetElementType(MlirType type) {
  return wrap(unwrapBuffer(type).getElementType());
}
MlirAttribute tcBufferTypeGetSpace(MlirType type) {
  return wrap(Attribute(unwrapBuffer(type).getSpace()));
}

bool tcTypeIsAPipeline(MlirType type) {
  return isa<tmm::PipelineType>(unwrap(type));
}
MlirType tcPipelineTypeGetChecked(MlirLocation location, intptr_t numBuffers,
                                  const MlirType *buffers, int64_t depth) {
  Location loc = unwrap(location);
  SmallVector<tmm::BufferType> types;
  for (MlirType type : ArrayRef(buffers, numBuffers)) {
    auto buffer = dyn_cast<tmm::BufferType>(unwrap(type));
    if (!buffer) {
      emitError(loc, "expected !tmm.buffer, got ") << unwrap(type);
      return {nullptr};
    }
    types.push_back(buffer);
  }
  loc.getContext()->loadDialect<tmm::TMMDialect>();
  return wrap(Type(tmm::PipelineType::getChecked(
      [&] { return emitError(loc); }, loc.getContext(),
      ArrayRef<tmm::BufferType>(types), depth)));
}
int64_t tcPipelineTypeGetDepth(MlirType type) {
  return unwrapPipeline(type).getDepth();
}
intptr_t tcPipelineTypeGetNumBuffers(MlirType type) {
  return static_cast<intptr_t>(unwrapPipeline(type).getBuffers().size());
}
MlirType tcPipelineTypeGetBuffer(MlirType type, intptr_t index) {
  return wrap(Type(unwrapPipeline(type).getBuffers()[index]));
}
