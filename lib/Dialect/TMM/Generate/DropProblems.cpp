//===- DropProblems.cpp - remove the statements of problems -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Host code leaves for upstream's lowerings, which know nothing of tmm.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Dialect/TMM/Passes.h"

namespace tc::tmm {
#define GEN_PASS_DEF_DROPPROBLEMSPASS
#include "tc/Dialect/TMM/Passes.h.inc"
} // namespace tc::tmm

using namespace mlir;
using namespace tc::tmm;

namespace {

struct DropProblemsPass
    : tc::tmm::impl::DropProblemsPassBase<DropProblemsPass> {
  using DropProblemsPassBase::DropProblemsPassBase;

  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (isa<ProblemOp, RowProblemOp>(op))
        op->erase();
    });
    SmallVector<Operation *> views;
    getOperation()->walk([&](Operation *op) {
      if (isa<ReinterpretOp, WindowsOp>(op))
        views.push_back(op);
    });
    for (Operation *op : llvm::reverse(views)) {
      // What problems alone said of images and integers.
      if (op->use_empty()) {
        op->erase();
        continue;
      }
      // As LLVM sees them, integers have no sign.
      auto reinterpret = dyn_cast<ReinterpretOp>(op);
      if (!reinterpret)
        continue;
      OpBuilder builder(op);
      auto cast = UnrealizedConversionCastOp::create(
          builder, op->getLoc(), op->getResultTypes(), reinterpret.getSource());
      op->replaceAllUsesWith(cast);
      op->erase();
    }
  }
};

} // namespace
