//===- VerifyLowered.cpp - check that a level is closed ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks operations with the types and attributes nested in them.
//
//===----------------------------------------------------------------------===//

#include "tc/Support/VerifyLowered.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Dialect.h"

using namespace mlir;

LogicalResult tc::verifyLowered(Operation *root, StringRef dialect,
                                StringRef pass) {
  std::string found;
  AttrTypeWalker walker;
  walker.addWalk([&](Type type) {
    if (type.getDialect().getNamespace() != dialect)
      return;
    llvm::raw_string_ostream(found) << "type " << type;
  });
  walker.addWalk([&](Attribute attribute) {
    if (attribute.getDialect().getNamespace() != dialect)
      return;
    llvm::raw_string_ostream(found) << "attribute " << attribute;
  });

  bool failed = false;
  auto report = [&](Operation *op, const Twine &what) {
    op->emitError() << "expected nothing of dialect " << dialect << " after "
                    << pass << ", got " << what.str();
    failed = true;
  };
  root->walk([&](Operation *op) {
    if (op->getName().getDialectNamespace() == dialect)
      return report(op, "operation " + op->getName().getStringRef());
    for (NamedAttribute attribute : op->getDiscardableAttrs())
      if (attribute.getName().strref().starts_with((dialect + ".").str()))
        return report(op, "attribute " + attribute.getName().strref());
    // The walker visits each type and attribute once for all: what is found is
    // reported at its first user.
    found.clear();
    walker.walk(op->getAttrDictionary());
    for (Type type : op->getResultTypes())
      walker.walk(type);
    for (Type type : op->getOperandTypes())
      walker.walk(type);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Type type : block.getArgumentTypes())
          walker.walk(type);
    if (!found.empty())
      report(op, found);
  });
  return failure(failed);
}
