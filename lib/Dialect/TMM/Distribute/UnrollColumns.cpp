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
#include "tc/Dialect/TMM/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallString.h"

namespace tc::tmm {
#define GEN_PASS_DEF_UNROLLCOLUMNSPASS
#include "tc/Dialect/TMM/Passes.h.inc"
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

static bool isOnColumns(Operation *op) {
  return isa<ExtractColumnsOp, InsertColumnsOp>(op);
}

/// The innermost loop that counts the column of `op`, its last operand, has
/// constant bounds and runs; null where there is none.
static scf::ForOp findLoop(Operation *op) {
  for (auto loop = op->getParentOfType<scf::ForOp>(); loop;
       loop = loop->getParentOfType<scf::ForOp>()) {
    std::optional<APInt> trips = loop.getStaticTripCount();
    if (trips && !trips->isZero() && dependsOn(op->getOperands().back(), loop))
      return loop;
  }
  return {};
}

/// Unrolls `loop`, which counts the column of `op`: each iteration has columns
/// of its own, so there are no more iterations than columns.
static LogicalResult unroll(scf::ForOp loop, Operation *op) {
  Value tile = isa<ExtractColumnsOp>(op) ? cast<ExtractColumnsOp>(op).getTile()
                                         : cast<InsertColumnsOp>(op).getTile();
  int64_t columns = cast<VectorType>(tile.getType()).getDimSize(1);
  APInt trips = *loop.getStaticTripCount();
  if (trips.ugt(columns)) {
    InFlightDiagnostic diag =
        op->emitOpError() << "expected a loop of at most " << columns
                          << " iterations, the columns of tile, to count its "
                             "column, got ";
    SmallString<20> text;
    trips.toStringUnsigned(text);
    diag << text;
    diag.attachNote(loop.getLoc()) << "loop here";
    return diag;
  }
  LogicalResult unrolled = loopUnrollFull(loop);
  assert(succeeded(unrolled) && "the bounds are constants");
  return unrolled;
}

void UnrollColumnsPass::runOnOperation() {
  // One at a time: unrolling copies the ops and the loops inside.
  while (true) {
    scf::ForOp loop;
    Operation *part = nullptr;
    getOperation()->walk([&](Operation *op) {
      if (!isOnColumns(op))
        return WalkResult::advance();
      part = op;
      loop = findLoop(op);
      return loop ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (!loop)
      break;
    if (failed(unroll(loop, part)))
      return signalPassFailure();
  }
  bool found = false;
  getOperation()->walk([&](Operation *op) {
    found = isOnColumns(op);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!found)
    return;
  RewritePatternSet patterns(&getContext());
  ExtractColumnsOp::getCanonicalizationPatterns(patterns, &getContext());
  InsertColumnsOp::getCanonicalizationPatterns(patterns, &getContext());
  // Folds the columns that are constants now on its way.
  if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
    signalPassFailure();
}
