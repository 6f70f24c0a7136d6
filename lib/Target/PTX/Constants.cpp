//===- Constants.cpp - contents of the module's buffers ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Weights and variables that are part of the module, as bytes in memory.
//
//===----------------------------------------------------------------------===//

#include "Describer.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tc;

static memref::GlobalOp findGlobal(memref::GetGlobalOp get) {
  return SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
      get, get.getNameAttr());
}

bool tc::isVariable(memref::GetGlobalOp get) {
  memref::GlobalOp global = findGlobal(get);
  return global && !global.getConstant();
}

FailureOr<ElementsAttr> tc::findContents(memref::GetGlobalOp get) {
  memref::GlobalOp global = findGlobal(get);
  auto value =
      global ? dyn_cast_or_null<ElementsAttr>(global.getInitialValueAttr())
             : ElementsAttr();
  auto isShared = [&] {
    std::optional<SymbolTable::UseRange> uses =
        SymbolTable::getSymbolUses(global, global->getParentOp());
    return !global.isPrivate() || !uses || !llvm::hasSingleElement(*uses);
  };
  if (!value || (!global.getConstant() && isShared()))
    return get.emitOpError(
               "cannot be described: expected a constant with its value, or a "
               "private variable with one that is named once, got '")
           << get.getName() << "'";
  if (isa<DenseElementsAttr>(value))
    return value;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value))
    if (resource.getRawHandle().getBlob())
      return value;
  return get.emitOpError("cannot be described: expected dense contents of '")
         << get.getName() << "', got " << value;
}

/// The bits of the elements one after the other, the first one lowest, each as
/// `width` bits.
static std::string packBits(DenseElementsAttr value, unsigned width) {
  std::string bytes((value.getNumElements() * width + 7) / 8, 0);
  size_t at = 0;
  auto append = [&](const APInt &element) {
    for (unsigned bit = 0; bit < width; ++bit, ++at)
      bytes[at / 8] |= char(element[bit] << at % 8);
  };
  if (isa<FloatType>(value.getElementType()))
    for (const APFloat &element : value.getValues<APFloat>())
      append(element.bitcastToAPInt());
  else
    for (const APInt &element : value.getValues<APInt>())
      append(element.zext(width));
  return bytes;
}

void tc::writeConstant(llvm::json::OStream &json, ElementsAttr value) {
  auto write = [&](StringRef key, StringRef bytes) {
    json.attribute(key, llvm::toHex(bytes, /*LowerCase=*/true));
  };
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    ArrayRef<char> data = resource.getRawHandle().getBlob()->getData();
    write("bytes", StringRef(data.data(), data.size()));
    return;
  }
  auto dense = cast<DenseElementsAttr>(value);
  // A truth value has a byte of its own.
  Type element = dense.getElementType();
  unsigned width = element.isInteger(1) ? 8 : element.getIntOrFloatBitWidth();
  if (dense.isSplat() && width % 8 == 0)
    write("fill", packBits(dense.resizeSplat(RankedTensorType::get(
                               {1}, dense.getElementType())),
                           width));
  else
    write("bytes", packBits(dense, width));
}
