//===- InlineCalls.cpp - callees are part of their callers ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's inliner, which deletes uncalled private functions: those
// are entries here, and become public first.
//
//===----------------------------------------------------------------------===//

#include "tc/Compiler/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace tc {
#define GEN_PASS_DEF_INLINECALLSPASS
#include "tc/Compiler/Passes.h.inc"
} // namespace tc

using namespace mlir;

namespace {

struct InlineCallsPass : tc::impl::InlineCallsPassBase<InlineCallsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
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
