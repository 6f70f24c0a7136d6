//===- Dialects.cpp - dialects, types and attributes in C -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc-c/Dialects.h"
#include "Text.h"

#include "tc/Compiler/Pipelines.h"
#include "tc/Dialect/SM80/IR/SM80.h"
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
MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(SM80, sm80, sm80::SM80Dialect)

void tcRegisterPipelineDialects(MlirDialectRegistry registry) {
  if (registry.ptr)
    registerPipelineDialects(*unwrap(registry));
}
void tcRegisterAllDialects(MlirDialectRegistry registry) {
  if (registry.ptr)
    tc::registerAllDialects(*unwrap(registry));
}

//===----------------------------------------------------------------------===//
// Memory spaces of tiles
//===----------------------------------------------------------------------===//

bool tcAttributeIsASmem(MlirAttribute attribute) {
  return isa_and_nonnull<sm90::SmemAttr>(unwrap(attribute));
}
MlirAttribute tcSmemAttrGet(MlirContext context, MlirStringRef order,
                            MlirStringRef swizzle) {
  std::optional<sm90::Order> first = sm90::symbolizeOrder(fromC(order));
  std::optional<Swizzle> second = symbolizeSwizzle(fromC(swizzle));
  if (mlirContextIsNull(context) || !first || !second)
    return {nullptr};
  unwrap(context)->loadDialect<sm90::SM90Dialect>();
  return wrap(Attribute(sm90::SmemAttr::get(unwrap(context), *first, *second)));
}
MlirStringRef tcSmemAttrGetOrder(MlirAttribute attribute) {
  auto smem = dyn_cast_if_present<sm90::SmemAttr>(unwrap(attribute));
  return wrap(smem ? sm90::stringifyOrder(smem.getOrder()) : StringRef(""));
}
MlirStringRef tcSmemAttrGetSwizzle(MlirAttribute attribute) {
  auto smem = dyn_cast_if_present<sm90::SmemAttr>(unwrap(attribute));
  return wrap(smem ? stringifySwizzle(smem.getSwizzle()) : StringRef(""));
}

bool tcAttributeIsATmem(MlirAttribute attribute) {
  return isa_and_nonnull<tcgen05::TmemAttr>(unwrap(attribute));
}
MlirAttribute tcTmemAttrGet(MlirContext context, int64_t ctas) {
  if (mlirContextIsNull(context) || (ctas != 1 && ctas != 2))
    return {nullptr};
  unwrap(context)->loadDialect<tcgen05::TCGen05Dialect>();
  return wrap(Attribute(tcgen05::TmemAttr::get(unwrap(context), ctas)));
}
int64_t tcTmemAttrGetCtas(MlirAttribute attribute) {
  auto tmem = dyn_cast_if_present<tcgen05::TmemAttr>(unwrap(attribute));
  return tmem ? tmem.getCtas() : 0;
}

//===----------------------------------------------------------------------===//
// Tiles and pipelines
//===----------------------------------------------------------------------===//

/// Null where it is none.
static tmm::BufferType unwrapBuffer(MlirType type) {
  return dyn_cast_if_present<tmm::BufferType>(unwrap(type));
}
static tmm::PipelineType unwrapPipeline(MlirType type) {
  return dyn_cast_if_present<tmm::PipelineType>(unwrap(type));
}

bool tcTypeIsABuffer(MlirType type) { return bool(unwrapBuffer(type)); }
MlirType tcBufferTypeGetChecked(MlirLocation location, int64_t rows,
                                int64_t columns, MlirType elementType,
                                MlirAttribute space) {
  if (mlirLocationIsNull(location))
    return {nullptr};
  Location loc = unwrap(location);
  loc.getContext()->loadDialect<tmm::TMMDialect>();
  auto memory = dyn_cast_if_present<MemorySpaceAttrInterface>(unwrap(space));
  if (!memory) {
    emitError(loc, "expected a memory space of tiles, got ") << unwrap(space);
    return {nullptr};
  }
  if (mlirTypeIsNull(elementType)) {
    emitError(loc, "expected an element type, got none");
    return {nullptr};
  }
  return wrap(Type(tmm::BufferType::getChecked([&] { return emitError(loc); },
                                               ArrayRef<int64_t>{rows, columns},
                                               unwrap(elementType), memory)));
}
int64_t tcBufferTypeGetRows(MlirType type) {
  tmm::BufferType buffer = unwrapBuffer(type);
  return buffer ? buffer.getRows() : 0;
}
int64_t tcBufferTypeGetColumns(MlirType type) {
  tmm::BufferType buffer = unwrapBuffer(type);
  return buffer ? buffer.getColumns() : 0;
}
MlirType tcBufferTypeGetElementType(MlirType type) {
  tmm::BufferType buffer = unwrapBuffer(type);
  return wrap(buffer ? buffer.getElementType() : Type());
}
MlirAttribute tcBufferTypeGetSpace(MlirType type) {
  tmm::BufferType buffer = unwrapBuffer(type);
  return wrap(buffer ? Attribute(buffer.getSpace()) : Attribute());
}

bool tcTypeIsAPipeline(MlirType type) { return bool(unwrapPipeline(type)); }
MlirType tcPipelineTypeGetChecked(MlirLocation location, intptr_t numBuffers,
                                  const MlirType *buffers, int64_t depth) {
  if (mlirLocationIsNull(location))
    return {nullptr};
  Location loc = unwrap(location);
  if (numBuffers < 0 || (numBuffers && !buffers)) {
    emitError(loc, "expected an array of buffers, got none");
    return {nullptr};
  }
  SmallVector<tmm::BufferType> types;
  for (MlirType type : ArrayRef(buffers, numBuffers)) {
    tmm::BufferType buffer = unwrapBuffer(type);
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
  tmm::PipelineType pipeline = unwrapPipeline(type);
  return pipeline ? pipeline.getDepth() : 0;
}
intptr_t tcPipelineTypeGetNumBuffers(MlirType type) {
  tmm::PipelineType pipeline = unwrapPipeline(type);
  return pipeline ? intptr_t(pipeline.getBuffers().size()) : 0;
}
MlirType tcPipelineTypeGetBuffer(MlirType type, intptr_t index) {
  if (index < 0 || index >= tcPipelineTypeGetNumBuffers(type))
    return {nullptr};
  return wrap(Type(unwrapPipeline(type).getBuffers()[index]));
}
