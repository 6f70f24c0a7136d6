//===- KernelParts.cpp - a gpu.module in parts ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part has a few kernels, because what a run of the back end sets up is the
// price of some of them. What two parts would both define is a reason not to
// cut: two texts in one file must not define one name.
//
//===----------------------------------------------------------------------===//

#include "KernelParts.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tc;

/// Kernels of a part.
static constexpr size_t kKernelsOfPart = 8;

/// The last line of what every text begins with.
static constexpr llvm::StringLiteral kLastOfTarget = ".address_size 64\n";

/// Whether PTX has `symbol` as a declaration, which may be there twice.
static bool isDeclaration(Operation *symbol) {
  if (auto function = dyn_cast<LLVM::LLVMFuncOp>(symbol))
    return function.isExternal();
  auto global = dyn_cast<LLVM::GlobalOp>(symbol);
  return global && global.getLinkage() == LLVM::Linkage::External &&
         !global.getValueOrNull() && global.getInitializerRegion().empty();
}

/// What `kernel` refers to in `module`, in the order of its uses; nothing if a
/// name is none of `table`, or is defined and not for `kernel` alone: `users`
/// has the first kernel of every definition.
static FailureOr<llvm::SetVector<Operation *>>
findReferences(LLVM::LLVMFuncOp kernel, SymbolTable &table,
               DenseMap<Operation *, Operation *> &users) {
  llvm::SetVector<Operation *> found;
  found.insert(kernel);
  for (size_t i = 0; i < found.size(); ++i) {
    std::optional<SymbolTable::UseRange> uses =
        SymbolTable::getSymbolUses(found[i]);
    if (!uses)
      return failure();
    for (SymbolTable::SymbolUse use : *uses) {
      Operation *symbol = table.lookup(use.getSymbolRef().getRootReference());
      if (!symbol)
        return failure();
      if (!isDeclaration(symbol) &&
          users.try_emplace(symbol, kernel).first->second != kernel)
        return failure();
      found.insert(symbol);
    }
  }
  return found;
}

/// Whether LLVM prints more for `kernel` than its code: files and sections.
static bool hasDebugInfo(LLVM::LLVMFuncOp kernel) {
  return isa_and_nonnull<FusedLocWith<LLVM::DISubprogramAttr>>(
      static_cast<LocationAttr>(kernel.getLoc()));
}

SmallVector<OwningOpRef<gpu::GPUModuleOp>>
tc::splitKernels(gpu::GPUModuleOp module) {
  SmallVector<LLVM::LLVMFuncOp> kernels;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (function->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()))
      kernels.push_back(function);
  if (kernels.size() <= kKernelsOfPart)
    return {};

  SymbolTable table(module);
  DenseMap<Operation *, Operation *> users;
  SmallVector<llvm::SetVector<Operation *>> references;
  llvm::SmallPtrSet<Operation *, 16> all;
  for (LLVM::LLVMFuncOp kernel : kernels) {
    auto found = findReferences(kernel, table, users);
    if (failed(found) || hasDebugInfo(kernel))
      return {};
    all.insert_range(*found);
    references.push_back(std::move(*found));
  }
  // What no kernel refers to is in no part.
  for (Operation &op : *module.getBody())
    if (!all.contains(&op))
      return {};

  SmallVector<OwningOpRef<gpu::GPUModuleOp>> parts;
  for (size_t first = 0; first < kernels.size(); first += kKernelsOfPart) {
    llvm::SmallPtrSet<Operation *, 16> wanted;
    for (auto &found :
         ArrayRef(references)
             .slice(first, std::min(kKernelsOfPart, kernels.size() - first)))
      wanted.insert_range(found);
    auto part = cast<gpu::GPUModuleOp>(module->cloneWithoutRegions());
    OpBuilder b = OpBuilder::atBlockBegin(&part.getRegion().emplaceBlock());
    for (Operation &op : *module.getBody())
      if (wanted.contains(&op))
        b.clone(op);
    parts.push_back(part);
  }
  return parts;
}

std::string tc::joinPTX(ArrayRef<std::string> parts) {
  std::string joined;
  llvm::StringSet<> declared;
  for (StringRef rest : parts) {
    size_t target = rest.find(kLastOfTarget);
    assert(target != StringRef::npos && "expected the PTX of a module");
    if (!joined.empty())
      rest = rest.drop_front(target + kLastOfTarget.size());
    while (!rest.empty()) {
      auto [line, after] = rest.split('\n');
      rest = after;
      // Dynamic shared memory, which all kernels of a file share.
      if (line.starts_with(".extern ") && line.ends_with(";") &&
          !declared.insert(line).second)
        continue;
      joined += line;
      joined += '\n';
    }
  }
  return joined;
}
