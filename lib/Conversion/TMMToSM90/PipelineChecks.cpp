//===- PipelineChecks.cpp - what lowering relies on -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PipelineChecks.h"

#include "tc/Dialect/TMM/IR/KernelForm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/MapVector.h"

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
    bool isProducer = isa<ProducerAcquireOp, ProducerCommitOp,
                          ProducerInspectOp, ProducerTailOp>(user);
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
    bool isReleased = false;
    forEachUse(hold.getHeld(), [&](Operation *use) {
      auto release = dyn_cast<ReleaseHeldOp>(use);
      isReleased |= bool(release);
      if (!release || release.getPipeline() != op.getPipeline())
        wrong = use;
    });
    if (!wrong && !isReleased)
      return hold.emitOpError()
             << "expected a tmm.release_held of the held slot, got none";
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

/// Checks that the producers of `op` write the buffers that they use: what only
/// reads one before it is filled reads what is left of another transaction.
static LogicalResult verifyWritten(PipelineOp op) {
  for (Operation *user : op->getUsers()) {
    auto acquire = dyn_cast<ProducerAcquireOp>(user);
    if (!acquire)
      continue;
    for (Value buffer : acquire.getBuffers()) {
      // What has no effects of its own may do anything.
      auto writes = [&](Operation *access) {
        auto effectOp = dyn_cast<MemoryEffectOpInterface>(access);
        if (!effectOp)
          return true;
        SmallVector<MemoryEffects::EffectInstance> effects;
        effectOp.getEffects(effects);
        return llvm::any_of(effects, [&](MemoryEffects::EffectInstance &each) {
          bool isOfIt = !each.getValue() || each.getValue() == buffer;
          return isOfIt && isa<MemoryEffects::Write>(each.getEffect());
        });
      };
      if (buffer.use_empty() || llvm::any_of(buffer.getUsers(), writes))
        continue;
      InFlightDiagnostic diag = (*buffer.user_begin())->emitOpError()
                                << "expected a buffer that a producer takes to "
                                   "be written, got an op that only reads it";
      diag.attachNote(acquire.getLoc()) << "taken here";
      return diag;
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Transactions
//===----------------------------------------------------------------------===//

namespace {

/// An op that begins or ends a transaction.
struct Step {
  Operation *op;
  /// The op in the block of the transaction that holds it: itself, or the loop
  /// whose last iteration it is in.
  Operation *at;
  Value state;
  bool begins;
};

/// The steps of one end in one block.
using Transactions =
    llvm::MapVector<std::tuple<Value, int, Block *>, SmallVector<Step>>;

} // namespace

/// The loop whose last iteration alone takes the branch that is the parent of
/// `op`, as tmm-release-early makes it; null where there is none.
static scf::ForOp findLoopOfLast(Operation *op) {
  auto branch = dyn_cast<scf::IfOp>(op->getParentOp());
  auto loop = branch ? dyn_cast<scf::ForOp>(branch->getParentOp()) : nullptr;
  if (!loop || op->getBlock() != branch.thenBlock())
    return nullptr;
  auto is = branch.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!is || is.getPredicate() != arith::CmpIPredicate::eq ||
      is.getLhs() != loop.getInductionVar())
    return nullptr;
  std::optional<int64_t> last = getLastIteration(loop);
  return last && getConstantIntValue(is.getRhs()) == last ? loop : nullptr;
}

/// How `op`, which ends a transaction of `state`, does so.
static Step makeEnd(Operation *op, Value state) {
  scf::ForOp loop = findLoopOfLast(op);
  auto carried = dyn_cast<BlockArgument>(state);
  if (!loop || !carried || carried.getOwner() != loop.getBody())
    return {op, op, state, /*begins=*/false};
  return {op, loop, loop.getTiedLoopInit(carried)->get(), /*begins=*/false};
}

/// The steps in `kernel`, by end and block, in the order of the ops.
static Transactions collectTransactions(gpu::GPUFuncOp kernel) {
  Transactions result;
  auto add = [&](Value pipeline, bool isProducer, const Step &step) {
    result[{pipeline, isProducer, step.at->getBlock()}].push_back(step);
  };
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto acquire = dyn_cast<ProducerAcquireOp>(op))
      add(acquire.getPipeline(), true, {op, op, acquire.getState(), true});
    else if (auto commit = dyn_cast<ProducerCommitOp>(op))
      add(commit.getPipeline(), true, makeEnd(op, commit.getState()));
    else if (auto wait = dyn_cast<ConsumerWaitOp>(op))
      add(wait.getPipeline(), false, {op, op, wait.getState(), true});
    else if (auto release = dyn_cast<ConsumerReleaseOp>(op))
      add(release.getPipeline(), false, makeEnd(op, release.getState()));
    // Counted here, released later.
    else if (auto skip = dyn_cast<SkipOp>(op); skip && isHeld(skip))
      add(skip.getPipeline(), false, {op, op, skip.getState(), false});
  });
  for (auto &[end, steps] : result)
    llvm::stable_sort(steps, [](const Step &a, const Step &b) {
      return a.at != b.at && a.at->isBeforeInBlock(b.at);
    });
  return result;
}

/// Checks that no op uses the slot that `begin` takes when `end` has given it
/// away.
static LogicalResult verifyBefore(const Step &begin, const Step &end) {
  auto isBefore = [](Operation *user, Operation *other) {
    Operation *at = other->getBlock()->findAncestorOpInBlock(*user);
    return at && at->isBeforeInBlock(other);
  };
  for (Operation *user : begin.op->getUsers()) {
    if (isBefore(user, end.at) ||
        (end.at != end.op && isBefore(user, end.op->getParentOp())))
      continue;
    InFlightDiagnostic diag =
        user->emitOpError() << "expected uses of a slot before the end of its "
                               "transaction, got one after it";
    diag.attachNote(end.op->getLoc()) << "end here";
    return diag;
  }
  return success();
}

LogicalResult
tc::verifyTransactions(gpu::GPUFuncOp kernel,
                       SmallVectorImpl<Transaction> &transactions) {
  for (auto &[key, steps] : collectTransactions(kernel)) {
    bool isProducer = std::get<1>(key);
    StringRef beginName = isProducer ? ProducerAcquireOp::getOperationName()
                                     : ConsumerWaitOp::getOperationName();
    StringRef endName = isProducer ? ProducerCommitOp::getOperationName()
                                   : ConsumerReleaseOp::getOperationName();
    const Step *open = nullptr;
    auto refuseOpen = [&] {
      return open->op->emitOpError()
             << "expected a " << endName
             << " of its state after it in its block, or in a branch for the "
                "last iteration of a loop there, got none";
    };
    for (const Step &step : steps) {
      if (step.begins) {
        if (open)
          return refuseOpen();
        open = &step;
        continue;
      }
      if (!open || open->state != step.state)
        return step.op->emitOpError()
               << "expected a " << beginName
               << " of its state before it in its block, got none";
      if (failed(verifyBefore(*open, step)))
        return failure();
      transactions.push_back({open->op, step.op});
      open = nullptr;
    }
    if (open)
      return refuseOpen();
  }
  return success();
}

LogicalResult tc::verifyUses(PipelineOp op, const PipelinePlan &plan) {
  return success(succeeded(verifyUsed(op, plan)) &&
                 succeeded(verifyAwaited(plan)) && succeeded(verifyHeld(op)) &&
                 succeeded(verifyWritten(op)));
}
