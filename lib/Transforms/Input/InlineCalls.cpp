//===- InlineCalls.cpp - callees are part of their callers ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's inliner, which deletes uncalled private functions. They are left
// out here as well, with a remark, as long as there is a public function: where
// there is none they are the entries, and become public first.
//
//===----------------------------------------------------------------------===//

#include "tc/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace tc {
#define GEN_PASS_DEF_INLINECALLSPASS
#include "tc/Transforms/Passes.h.inc"
} // namespace tc

using namespace mlir;

/// Erases private functions that nothing in `module` names, where others are
/// public.
static void dropUncalled(ModuleOp module) {
  auto functions = llvm::to_vector(
      llvm::make_filter_range(module.getOps<func::FuncOp>(),
                              [](auto f) { return !f.isDeclaration(); }));
  if (llvm::none_of(functions, [](auto f) { return f.isPublic(); }))
    return;
  // Each may have been the only caller of others.
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    SymbolTableCollection tables;
    SymbolUserMap users(tables, module);
    llvm::erase_if(functions, [&](func::FuncOp function) {
      if (!function.isPrivate() || !users.useEmpty(function))
        return false;
      function.emitRemark("'")
          << function.getName()
          << "' is private and not called, so nothing computes it";
      function.erase();
      return isChanged = true;
    });
  }
}

namespace {

struct InlineCallsPass : tc::impl::InlineCallsPassBase<InlineCallsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    dropUncalled(module);
    auto calls =
        module.walk([](func::CallOp) { return WalkResult::interrupt(); });
    if (!calls.wasInterrupted())
      return;
    for (auto function : module.getOps<func::FuncOp>())
      if (function.isPrivate() && !function.isDeclaration() &&
          SymbolTable::symbolKnownUseEmpty(function, module))
        function.setPublic();
    // Nothing is simplified on the way: it would part fills from matmuls.
    OpPassManager inliner(ModuleOp::getOperationName());
    inliner.addPass(createInlinerPass({}, [](OpPassManager &) {}));
    if (failed(runPipeline(inliner, module)))
      signalPassFailure();
  }
};

} // namespace
