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
// nothing names says nothing, either. The encoding of a tensor may say where
// its elements are where a dialect defines it; one of no dialect is a note.
//
//===----------------------------------------------------------------------===//

#include "tc/Transforms/ForeignDialects.h"
#include "tc/Transforms/Passes.h"

#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

#include "llvm/ADT/StringSwitch.h"

namespace tc {
#define GEN_PASS_DEF_DROPFOREIGNPASS
#include "tc/Transforms/Passes.h.inc"
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
  /// Takes encodings off the tensors of the module, with one remark; failure
  /// with an error where a dialect defines one.
  LogicalResult dropEncodings();

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

/// The encodings of the tensors that `op` makes or takes as a function.
static SetVector<Attribute> findEncodings(Operation *op) {
  SetVector<Attribute> found;
  auto look = [&](TypeRange types) {
    for (Type type : types)
      type.walk([&](RankedTensorType tensor) {
        if (Attribute encoding = tensor.getEncoding())
          found.insert(encoding);
      });
  };
  look(op->getResultTypes());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      look(block.getArgumentTypes());
  if (auto function = dyn_cast<FunctionOpInterface>(op)) {
    look(function.getArgumentTypes());
    look(function.getResultTypes());
  }
  return found;
}

LogicalResult DropForeignPass::dropEncodings() {
  bool isRemarked = false, isRefused = false;
  getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Attribute encoding : findEncodings(op)) {
      if (isOpaque(encoding) || !isa<BuiltinDialect>(encoding.getDialect())) {
        op->emitOpError("has a tensor with the encoding ")
            << encoding
            << ", which may keep elements elsewhere: expected tensors without "
               "an encoding";
        isRefused = true;
        return WalkResult::interrupt();
      }
      if (!isRemarked)
        op->emitRemark("encoding ")
            << encoding
            << " is of no dialect, and dropped, as those of other tensors are";
      isRemarked = true;
    }
    return WalkResult::advance();
  });
  if (isRefused)
    return failure();
  if (!isRemarked)
    return success();
  AttrTypeReplacer plain;
  plain.addReplacement([](RankedTensorType type) -> std::optional<Type> {
    return RankedTensorType::get(type.getShape(), type.getElementType());
  });
  plain.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true,
                                     /*replaceLocs=*/false,
                                     /*replaceTypes=*/true);
  return success();
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

StringRef tc::getLoweringOf(StringRef dialect) {
  return llvm::StringSwitch<StringRef>(dialect)
      .Case("stablehlo", "stablehlo-opt --stablehlo-legalize-to-linalg")
      .Case("torch", "torch-mlir-opt "
                     "--torch-backend-to-linalg-on-tensors-backend-pipeline")
      .Case("tosa", "mlir-opt --tosa-to-linalg-pipeline")
      .Default("");
}

void DropForeignPass::runOnOperation() {
  remarked.clear();
  dropUnusedData(getOperation());
  bool isRefused = false;
  auto refuse = [&](Operation *op, const Twine &what) {
    InFlightDiagnostic diag = op->emitOpError(what);
    diag << " of a dialect that is not known here: expected those of func, "
            "linalg, tensor, memref, arith, math and scf";
    StringRef dialect = op->getName().getDialectNamespace();
    if (StringRef command = tc::getLoweringOf(dialect); !command.empty())
      diag << ", to which '" << command << "' lowers " << dialect;
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
  if (isRefused || failed(dropEncodings()))
    signalPassFailure();
}
