//===- UnrollColumns.cpp - loops over columns of registers ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers have no addresses: a loop that counts the columns of a register
// tile is unrolled.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Dialect/TMM/Transforms/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SetVector.h"

namespace tc::tmm {
#define GEN_PASS_DEF_UNROLLCOLUMNSPASS
#include "tc/Dialect/TMM/Transforms/Passes.h.inc"
} // namespace tc::tmm

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

namespace {

struct UnrollColumnsPass
    : tc::tmm::impl::UnrollColumnsPassBase<UnrollColumnsPass> {
  void runOnOperation() override;
};

} // namespace

/// Whether `value` is computed from the induction variable of `loop`.
static bool dependsOn(Value value, scf::ForOp loop) {
  if (value == loop.getInductionVar())
    return true;
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.omitBlockArguments = true;
  options.inclusive = true;
  options.filter = [&](Operation *op) { return loop->isProperAncestor(op); };
  if (failed(getBackwardSlice(value, &slice, options)))
    return false;
  return llvm::any_of(slice, [&](Operation *op) {
    return llvm::is_contained(op->getOperands(), loop.getInductionVar());
  });
}

/// The innermost loop that counts the column of `op` and has constant bounds;
/// null where there is none.
static scf::ForOp findLoop(ExtractColumnsOp op) {
  for (auto loop = op->getParentOfType<scf::ForOp>(); loop;
       loop = loop->getParentOfType<scf::ForOp>())
    if (loop.getStaticTripCount() && dependsOn(op.getColumn(), loop))
      return loop;
  return {};
}

void UnrollColumnsPass::runOnOperation() {
  // One at a time: unrolling copies the ops and the loops inside.
  while (true) {
    scf::ForOp next;
    getOperation()->walk([&](ExtractColumnsOp op) {
      next = findLoop(op);
      return next ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (!next)
      break;
    if (failed(loopUnrollFull(next))) {
      next.emitOpError("expected a loop over the columns of a register tile "
                       "that can be unrolled");
      return signalPassFailure();
    }
  }
  bool found = false;
  getOperation()->walk([&](ExtractColumnsOp) {
    found = true;
    return WalkResult::interrupt();
  });
  if (!found)
    return;
  RewritePatternSet patterns(&getContext());
  ExtractColumnsOp::getCanonicalizationPatterns(patterns, &getContext());
  // Folds the columns that are constants now on its way.
  if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
    signalPassFailure();
}
