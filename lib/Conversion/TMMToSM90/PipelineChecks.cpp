//===- PipelineChecks.cpp - what lowering relies on -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PipelineChecks.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

const PipelineEnd *tc::findEnd(const PipelineEnds &ends, Operation *op) {
  Region *region = nullptr;
  if (auto role = WarpSpecializeOp::findRole(op->getBlock()))
    region = &role->first.getRoles()[role->second];
  const auto *end = llvm::find_if(
      ends, [&](const PipelineEnd &end) { return end.region == region; });
  return end == ends.end() ? nullptr : end;
}

/// Checks that whoever makes transactions of `op` uses its slots: how they
/// complete follows from that.
static LogicalResult verifyUsed(PipelineOp op, const PipelinePlan &plan) {
  for (Operation *user : op.getPipeline().getUsers()) {
    bool isProducer =
        isa<ProducerAcquireOp, ProducerCommitOp, ProducerTailOp>(user);
    if (!isProducer &&
        !isa<ConsumerWaitOp, ConsumerReleaseOp, HoldOp, ReleaseHeldOp>(user))
      continue;
    if (findEnd(isProducer ? plan.producers : plan.consumers, user))
      continue;
    InFlightDiagnostic diag = user->emitOpError()
                              << "expected an op on tiles of the same role to "
                              << (isProducer ? "fill" : "read")
                              << " the slots, from which it follows how that "
                                 "completes, got none";
    diag.attachNote(op.getLoc()) << "pipeline here";
    return diag;
  }
  return success();
}

/// Calls `visit` for each use of `value`, and of what loops make of it, but
/// those by which loops carry it.
static void forEachUse(Value value, function_ref<void(Operation *)> visit) {
  SmallVector<Value> work = {value};
  llvm::SmallDenseSet<Value> seen;
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    for (OpOperand &use : next.getUses()) {
      Operation *user = use.getOwner();
      if (auto loop = dyn_cast<scf::ForOp>(user);
          loop && use.getOperandNumber() >= loop.getNumControlOperands()) {
        work.push_back(loop.getTiedLoopRegionIterArg(&use));
        work.push_back(loop.getTiedLoopResult(&use));
        continue;
      }
      auto loop = dyn_cast<scf::ForOp>(user->getParentOp());
      if (isa<scf::YieldOp>(user) && loop) {
        work.push_back(loop.getRegionIterArg(use.getOperandNumber()));
        work.push_back(loop.getResult(use.getOperandNumber()));
        continue;
      }
      visit(user);
    }
  }
}

/// Whether something waits for the work of `access`: for what it returns, else
/// for its engine.
static bool isAwaited(EngineOpInterface access, EngineAttrInterface engine) {
  bool found = false;
  for (Value result : access->getResults())
    forEachUse(result, [&](Operation *user) { found |= isa<AwaitOp>(user); });
  if (access->getNumResults() == 0)
    access->getParentOfType<gpu::GPUFuncOp>().walk(
        [&](AwaitOp op) { found |= op.getBy() == engine; });
  return found;
}

/// Checks that somebody waits for work that is pending at return.
static LogicalResult verifyAwaited(const PipelinePlan &plan) {
  for (const PipelineEnd &end : plan.consumers)
    for (EngineOpInterface access : end.accesses)
      if (end.getEngine().isPendingAtReturn() &&
          !isAwaited(access, end.getEngine()))
        return access->emitOpError()
               << "expected work of " << end.getEngine()
               << " to be awaited (tmm-await-work), got no tmm.await";
  return success();
}

/// Checks that slots of `op` that are held are released of `op`.
static LogicalResult verifyHeld(PipelineOp op) {
  for (Operation *user : op->getUsers()) {
    auto hold = dyn_cast<HoldOp>(user);
    if (!hold)
      continue;
    Operation *wrong = nullptr;
    forEachUse(hold.getHeld(), [&](Operation *use) {
      auto release = dyn_cast<ReleaseHeldOp>(use);
      if (!release || release.getPipeline() != op.getPipeline())
        wrong = use;
    });
    if (!wrong)
      continue;
    InFlightDiagnostic diag =
        wrong->emitOpError()
        << "expected a held slot in loops and in tmm.release_held of its own "
           "pipeline, got one of another use";
    diag.attachNote(hold.getLoc()) << "held here";
    return diag;
  }
  return success();
}

LogicalResult tc::verifyUses(PipelineOp op, const PipelinePlan &plan) {
  return success(succeeded(verifyUsed(op, plan)) &&
                 succeeded(verifyAwaited(plan)) && succeeded(verifyHeld(op)));
}
