//===- TCGen05Dialect.cpp - the tcgen05 dialect -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registration of operations, types and attributes, and the short names of
// types in printed IR.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TCGen05/IR/TCGen05.h"

#include "tc/Support/BytecodeVersion.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace tc::tcgen05;

#include "tc/Dialect/TCGen05/IR/TCGen05Dialect.cpp.inc"
#include "tc/Dialect/TCGen05/IR/TCGen05Enums.cpp.inc"

namespace {

/// The names that printed IR gives to regions of Tensor Memory: the element
/// type, lanes and columns, and the data path layout (`!f32_128x256_tmem_D`).
struct Aliases : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Type type, raw_ostream &os) const override {
    auto region = dyn_cast<TmemType>(type);
    if (!region)
      return AliasResult::NoAlias;
    os << region.getElementType() << "_" << region.getLanes() << "x"
       << region.getColumns() << "_tmem_"
       << stringifyDataPath(region.getLayout());
    return AliasResult::FinalAlias;
  }
};

} // namespace

LogicalResult tc::tcgen05::detail::verifyKnownModifiers(Operation *op) {
  for (NamedAttribute attribute : op->getDiscardableAttrs()) {
    StringRef name = attribute.getName();
    if (name.contains('.'))
      continue;
    // The sizes of operand groups are no modifier.
    SmallVector<StringRef> known;
    for (StringAttr of : op->getName().getAttributeNames())
      if (of.getValue() != "operandSegmentSizes")
        known.push_back(of);
    InFlightDiagnostic diag = op->emitOpError() << "expected ";
    if (known.empty())
      diag << "no modifiers";
    else
      llvm::interleaveComma(known, diag << "modifiers among ");
    return diag << ", got '" << name << "'";
  }
  return success();
}

void TCGen05Dialect::initialize() {
  registerTypes();
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "tc/Dialect/TCGen05/IR/TCGen05Ops.cpp.inc"
      >();
  addInterfaces<Aliases, VersionedBytecode>();
}
