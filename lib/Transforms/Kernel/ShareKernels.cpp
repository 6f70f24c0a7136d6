//===- ShareKernels.cpp - equal kernels are one -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels with equal bodies and attributes, locations and names apart, become
// the first of them. A hash of the operations finds the candidates, so that
// many different kernels are compared with few.
//
//===----------------------------------------------------------------------===//

#include "tc/Transforms/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/SymbolTable.h"

namespace tc {
#define GEN_PASS_DEF_SHAREKERNELSPASS
#include "tc/Transforms/Passes.h.inc"
} // namespace tc

using namespace mlir;

namespace {

struct ShareKernelsPass : tc::impl::ShareKernelsPassBase<ShareKernelsPass> {
  void runOnOperation() override;
};

} // namespace

/// The attributes of `kernel` without its name.
static DictionaryAttr getFacts(gpu::GPUFuncOp kernel) {
  NamedAttrList attributes(kernel->getAttrDictionary());
  attributes.erase(SymbolTable::getSymbolAttrName());
  return attributes.getDictionary(kernel.getContext());
}

static llvm::hash_code hashKernel(gpu::GPUFuncOp kernel) {
  llvm::hash_code hash = hash_value(getFacts(kernel));
  kernel.getBody().walk([&](Operation *op) {
    hash =
        llvm::hash_combine(hash, OperationEquivalence::computeHash(
                                     op, OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::IgnoreLocations));
  });
  return hash;
}

static bool areEqual(gpu::GPUFuncOp a, gpu::GPUFuncOp b) {
  return getFacts(a) == getFacts(b) &&
         OperationEquivalence::isRegionEquivalentTo(
             &a.getBody(), &b.getBody(), OperationEquivalence::IgnoreLocations);
}

void ShareKernelsPass::runOnOperation() {
  DenseMap<Attribute, SymbolRefAttr> shared;
  for (auto module : getOperation().getOps<gpu::GPUModuleOp>()) {
    DenseMap<size_t, SmallVector<gpu::GPUFuncOp, 1>> known;
    for (auto kernel :
         llvm::make_early_inc_range(module.getOps<gpu::GPUFuncOp>())) {
      if (!kernel.isKernel())
        continue;
      auto &candidates = known[size_t(hashKernel(kernel))];
      auto *first = llvm::find_if(
          candidates, [&](gpu::GPUFuncOp it) { return areEqual(it, kernel); });
      if (first == candidates.end()) {
        candidates.push_back(kernel);
        continue;
      }
      auto nameOf = [&](gpu::GPUFuncOp it) {
        return SymbolRefAttr::get(module.getNameAttr(),
                                  {FlatSymbolRefAttr::get(it.getNameAttr())});
      };
      shared[nameOf(kernel)] = nameOf(*first);
      kernel.erase();
      ++numShared;
    }
  }
  if (shared.empty())
    return;
  getOperation().walk([&](gpu::LaunchFuncOp launch) {
    if (SymbolRefAttr first = shared.lookup(launch.getKernel()))
      launch.setKernelAttr(first);
  });
}
