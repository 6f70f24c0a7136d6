//===- DropForeign.cpp - attributes of unknown dialects ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An attribute that may be discarded says nothing that has to be known; an
// operation or a type of an unknown dialect does. Data of the module that
// nothing names says nothing, either.
//
//===----------------------------------------------------------------------===//

#include "tc/Compiler/Passes.h"

#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringSet.h"

namespace tc {
#define GEN_PASS_DEF_DROPFOREIGNPASS
#include "tc/Compiler/Passes.h.inc"
} // namespace tc

using namespace mlir;

namespace {

struct DropForeignPass : tc::impl::DropForeignPassBase<DropForeignPass> {
  void runOnOperation() override;

private:
  bool isForeign(NamedAttribute attribute);
  /// `attributes` without those of unknown dialects, which are remarked at
  /// `op`.
  DictionaryAttr drop(Operation *op, DictionaryAttr attributes);

  llvm::StringSet<> remarked;
};

} // namespace

/// Whether `attribute` has a part that no dialect here can read.
static bool isOpaque(Attribute attribute) {
  return attribute
      .walk([](Attribute part) {
        return isa<OpaqueAttr>(part) ? WalkResult::interrupt()
                                     : WalkResult::advance();
      })
      .wasInterrupted();
}

bool DropForeignPass::isForeign(NamedAttribute attribute) {
  auto [dialect, name] = attribute.getName().strref().split('.');
  MLIRContext *context = &getContext();
  bool isOfOther =
      !name.empty() && !context->getLoadedDialect(dialect) &&
      !llvm::is_contained(context->getAvailableDialects(), dialect);
  return isOfOther || isOpaque(attribute.getValue());
}

DictionaryAttr DropForeignPass::drop(Operation *op, DictionaryAttr attributes) {
  SmallVector<NamedAttribute> kept;
  for (NamedAttribute attribute : attributes) {
    if (!isForeign(attribute)) {
      kept.push_back(attribute);
      continue;
    }
    StringRef name = attribute.getName();
    if (remarked.insert(name).second)
      op->emitRemark("attribute '")
          << name << "' is of a dialect that is not known here, and dropped";
  }
  return DictionaryAttr::get(&getContext(), kept);
}

/// Erases what the symbol table `table` keeps for itself and nothing names, but
/// functions.
static void dropUnusedData(Operation *table) {
  if (!table->hasTrait<OpTrait::SymbolTable>())
    return;
  for (Operation &op :
       llvm::make_early_inc_range(table->getRegion(0).getOps())) {
    auto symbol = dyn_cast<SymbolOpInterface>(&op);
    if (symbol && symbol.isPrivate() && !isa<FunctionOpInterface>(&op) &&
        SymbolTable::symbolKnownUseEmpty(&op, table))
      op.erase();
  }
}

void DropForeignPass::runOnOperation() {
  remarked.clear();
  dropUnusedData(getOperation());
  bool isRefused = false;
  auto refuse = [&](Operation *op, const Twine &what) {
    op->emitOpError(what) << " of a dialect that is not known here: expected "
                             "those of func, linalg, tensor, memref, arith, "
                             "math and scf";
    isRefused = true;
  };
  getOperation()->walk([&](Operation *op) {
    // State between runs has no place in a list of launches.
    if (!op->isRegistered() ||
        isa_and_nonnull<ml_program::MLProgramDialect>(op->getDialect()))
      return refuse(op, "is");
    op->setDiscardableAttrs(drop(op, op->getDiscardableAttrDictionary()));
    auto function = dyn_cast<FunctionOpInterface>(op);
    if (!function)
      return;
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (DictionaryAttr attributes = function.getArgAttrDict(i))
        function.setArgAttrs(i, drop(op, attributes));
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      if (DictionaryAttr attributes = function.getResultAttrDict(i))
        function.setResultAttrs(i, drop(op, attributes));
    for (auto [number, type] : llvm::enumerate(function.getArgumentTypes()))
      if (isa<OpaqueType>(type))
        refuse(op, "argument " + Twine(number) + " is");
  });
  if (isRefused)
    signalPassFailure();
}
