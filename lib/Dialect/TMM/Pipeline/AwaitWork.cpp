//===- AwaitWork.cpp - work that is pending at return -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Awaits the work of an engine whose ops return before it is done: before its
// own slot is released, or with late_release before the next one's.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/IR/KernelForm.h"
#include "tc/Dialect/TMM/IR/PipelineEnds.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Dialect/TMM/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace tc::tmm {
#define GEN_PASS_DEF_AWAITWORKPASS
#include "tc/Dialect/TMM/Passes.h.inc"
} // namespace tc::tmm

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

namespace {
struct AwaitWorkPass : tc::tmm::impl::AwaitWorkPassBase<AwaitWorkPass> {
  void runOnOperation() override;

private:
  LogicalResult rewrite(gpu::GPUFuncOp kernel);
  void awaitWork(const PipelineEnd &end, bool isLate);
};
} // namespace

/// The first release, in the block of `access`, of a slot that it reads; null
/// where one of them is released elsewhere, but after the op around it.
static ConsumerReleaseOp findRelease(Operation *access) {
  ConsumerReleaseOp first;
  for (Value operand : access->getOperands()) {
    auto wait = operand.getDefiningOp<ConsumerWaitOp>();
    if (!wait)
      continue;
    ConsumerReleaseOp release;
    for (Operation *user : wait.getState().getUsers())
      if (auto other = dyn_cast<ConsumerReleaseOp>(user);
          other && other.getPipeline() == wait.getPipeline())
        release = other;
    if (!release)
      return nullptr;
    if (release->getBlock() != access->getBlock()) {
      Operation *holder = release->getBlock()->findAncestorOpInBlock(*access);
      if (!holder || !holder->isBeforeInBlock(release))
        return nullptr;
      continue;
    }
    if (!first || release->isBeforeInBlock(first))
      first = release;
  }
  return first;
}

/// Whether `op`, or an op in it, gives `engine` work.
static bool gives(Operation *op, EngineAttrInterface engine) {
  auto isOfEngine = [&](EngineOpInterface other) {
    return other.getEngine() == engine ? WalkResult::interrupt()
                                       : WalkResult::advance();
  };
  return op->walk(isOfEngine).wasInterrupted();
}

/// Whether `state` is `start`, or what loops carry from it on.
static bool isFrom(Value state, Value start) {
  while (state != start) {
    auto argument = dyn_cast<BlockArgument>(state);
    auto loop = argument
                    ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                    : scf::ForOp();
    if (!loop)
      return false;
    state = loop.getTiedLoopInit(argument)->get();
  }
  return true;
}

/// The releases, in the block of `access` and after it, of slots that it reads:
/// each by itself, or alone in a branch. None where one is elsewhere before the
/// op around `access` ends, or something else is in the branch.
static SmallVector<Operation *> findHolders(Operation *access) {
  llvm::SetVector<Operation *> holders;
  for (Value operand : access->getOperands()) {
    auto wait = operand.getDefiningOp<ConsumerWaitOp>();
    if (!wait)
      continue;
    for (Operation *user : wait.getPipeline().getUsers()) {
      auto release = dyn_cast<ConsumerReleaseOp>(user);
      if (!release || !isFrom(release.getState(), wait.getState()))
        continue;
      Operation *holder = access->getBlock()->findAncestorOpInBlock(*release);
      Operation *around = release->getBlock()->findAncestorOpInBlock(*access);
      if (!holder && around && around->isBeforeInBlock(release))
        continue;
      bool isAlone =
          holder && !holder
                         ->walk([&](Operation *inner) {
                           return isa<ConsumerReleaseOp, scf::YieldOp>(inner) ||
                                          inner == holder
                                      ? WalkResult::advance()
                                      : WalkResult::interrupt();
                         })
                         .wasInterrupted();
      if (!isAlone || !isa<ConsumerReleaseOp, scf::IfOp>(holder) ||
          !access->isBeforeInBlock(holder))
        return {};
      holders.insert(holder);
    }
  }
  return holders.takeVector();
}

/// Where the work of `access` has to be done: before an op of its block, and
/// how much work the engine may have been given after it by then.
struct AwaitPlace {
  Operation *before;
  int64_t pending;
};

/// Before the first use of what `access` computes, or the end of its block.
/// `holders` may be there, too, or come later.
static AwaitPlace findPlace(Operation *access, ArrayRef<Operation *> holders,
                            EngineAttrInterface engine) {
  auto isUsed = [&](Operation *op) {
    bool uses = false;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        Operation *by = operand.getDefiningOp();
        uses |= by && (by == access || llvm::is_contained(holders, by));
      }
    });
    return uses;
  };
  AwaitPlace place{access->getNextNode(), 0};
  for (; place.before != access->getBlock()->getTerminator();
       place.before = place.before->getNextNode()) {
    if (llvm::is_contained(holders, place.before))
      continue;
    if (isUsed(place.before))
      break;
    bool isWork = gives(place.before, engine);
    // Branches and loops give it work more or less often than once.
    if (isWork && (place.before->getNumRegions() != 0 ||
                   place.pending == engine.getMaxLag()))
      break;
    place.pending += isWork;
  }
  return place;
}

/// Whether all slots that `access` reads are of one pipeline.
static bool readsOnePipeline(Operation *access) {
  Value pipeline;
  for (Value operand : access->getOperands())
    if (auto wait = operand.getDefiningOp<ConsumerWaitOp>()) {
      if (pipeline && pipeline != wait.getPipeline())
        return false;
      pipeline = wait.getPipeline();
    }
  return true;
}

/// The number of `value` among the results of the terminator of the body of
/// `loop` that alone uses it, if what it is in the next iteration is used by
/// `user` alone.
static std::optional<unsigned> findCarried(scf::ForOp loop, Value value,
                                           Operation *user) {
  if (!value.hasOneUse() ||
      *value.getUsers().begin() != loop.getBody()->getTerminator())
    return std::nullopt;
  unsigned number = value.getUses().begin()->getOperandNumber();
  for (Operation *other : loop.getRegionIterArgs()[number].getUsers())
    if (other != user)
      return std::nullopt;
  return number;
}

/// The loop around `access` whose iterations are the transactions that
/// `release` ends; null where it is another one.
static scf::ForOp findLoop(Operation *access, ConsumerReleaseOp release) {
  auto loop = dyn_cast<scf::ForOp>(access->getParentOp());
  auto state = dyn_cast<BlockArgument>(release.getState());
  if (!loop || loop.getUnsignedCmp() || !state ||
      release->getBlock() != loop.getBody() ||
      state.getOwner() != loop.getBody() ||
      loop.getTiedLoopYieldedValue(state)->get() != release.getNext() ||
      !release.getNext().hasOneUse())
    return nullptr;
  return loop;
}

/// The op after which what follows `op` waits for work in flight: what passes a
/// turn on lets others issue theirs before.
static Operation *skipPassing(Operation *op) {
  auto isOfTurns = [](Operation *other) {
    return isa<PassTurnOp>(other) ||
           (isa<ProducerAcquireOp, ProducerCommitOp>(other) &&
            isa<TurnAttr>(cast<PipelineType>(other->getOperand(0).getType())
                              .getBuffers()
                              .front()
                              .getSpace()));
  };
  for (Operation *next = op->getNextNode(); next && isOfTurns(next);
       next = next->getNextNode())
    op = next;
  return op;
}

/// Holds the slot of `release` until `access`, the work of the next iteration
/// of `loop`, is issued; that of the last one until after the loop. Work that
/// is `pending` by then, of the engine of `end`, is awaited first.
static void holdOver(const PipelineEnd &end, Operation *access,
                     ConsumerReleaseOp release, scf::ForOp loop,
                     bool isPending) {
  IRRewriter rewriter(access->getContext());
  Location loc = release.getLoc();
  Value pipeline = release.getPipeline(), state = release.getState();
  SmallVector<unsigned> numbers;
  if (isPending)
    for (Value result : access->getResults())
      numbers.push_back(*findCarried(loop, result, access));
  auto emitAwait = [&](OpBuilder &b, ValueRange values, int64_t pending) {
    auto await = AwaitOp::create(b, loc, values, end.getEngine(), pending);
    for (auto [index, value] : llvm::enumerate(values))
      Value(value).replaceAllUsesExcept(await.getResult(index), await);
  };
  auto emitRelease = [&](OpBuilder &b, arith::CmpIPredicate predicate,
                         Value left, Value right, Value held) {
    Value is = arith::CmpIOp::create(b, loc, predicate, left, right);
    auto branch = scf::IfOp::create(b, loc, is);
    OpBuilder in = branch.getThenBodyBuilder();
    ReleaseHeldOp::create(in, loc, pipeline, held);
  };
  auto yieldHeld = [&](OpBuilder &, Location, ArrayRef<BlockArgument> held) {
    // Without work to wait for, right behind what is issued: what a release
    // takes is hidden by that.
    OpBuilder b(release);
    if (isPending)
      emitAwait(b, SmallVector<Value>(access->getResults()), /*pending=*/1);
    else
      b.setInsertionPointAfter(access);
    emitRelease(b, arith::CmpIPredicate::ne, loop.getInductionVar(),
                loop.getLowerBound(), held.front());
    b.setInsertionPoint(release);
    Value now = HoldOp::create(b, loc, pipeline, state);
    release.getNext().replaceAllUsesWith(
        SkipOp::create(b, loc, pipeline, state));
    rewriter.eraseOp(release);
    return SmallVector<Value>{now};
  };
  rewriter.setInsertionPoint(loop);
  // The first iteration releases nothing.
  Value start =
      HoldOp::create(rewriter, loc, pipeline,
                     loop.getTiedLoopInit(cast<BlockArgument>(state))->get());
  auto late = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, start, /*replaceInitOperandUsesInLoop=*/false, yieldHeld));
  OpBuilder b(late->getContext());
  b.setInsertionPointAfter(skipPassing(late));
  SmallVector<Value> results;
  for (unsigned number : numbers)
    results.push_back(late.getResult(number));
  if (isPending)
    emitAwait(b, results, /*pending=*/0);
  emitRelease(b, arith::CmpIPredicate::slt, late.getLowerBound(),
              late.getUpperBound(), late.getResults().back());
}

/// Whether `access` alone gives `engine` work in `loop`.
static bool isOnlyWork(Operation *access, scf::ForOp loop,
                       EngineAttrInterface engine) {
  return llvm::none_of(*loop.getBody(), [&](Operation &op) {
    return &op != access && gives(&op, engine);
  });
}

/// Whether only the same op of the next iteration takes what `access` computes.
static bool isCarriedOn(Operation *access) {
  auto loop = dyn_cast<scf::ForOp>(access->getParentOp());
  return loop && llvm::all_of(access->getResults(), [&](Value result) {
           return findCarried(loop, result, access).has_value();
         });
}

/// Whether the slots that `holders` give back may be held for longer: other
/// roles fill them, and a pipeline of them says so. Nothing that the role waits
/// for in the iteration comes after what fills such a slot the next time.
static bool mayHold(ArrayRef<Operation *> holders) {
  bool isLate = false, isFilled = false;
  for (Operation *holder : holders)
    holder->walk([&](ConsumerReleaseOp release) {
      auto pipeline = release.getPipeline().getDefiningOp<PipelineOp>();
      isFilled |= !pipeline || pipeline.getNextOfSlots() != pipeline;
      if (isFilled)
        return;
      isLate |= pipeline.getLateRelease();
      for (Operation *user : pipeline->getUsers())
        isFilled |= isa<ProducerAcquireOp>(user) &&
                    WarpSpecializeOp::findRole(user->getBlock()) ==
                        WarpSpecializeOp::findRole(release->getBlock());
    });
  return isLate && !isFilled;
}

/// Waits for the work in flight of `end` before its slots are released and
/// before what it computes is used; with `isLate`, where it can be, when the
/// work of the next transaction is issued.
void AwaitWorkPass::awaitWork(const PipelineEnd &end, bool isLate) {
  // An op that reads several buffers of a slot is an access of each.
  llvm::SmallSetVector<Operation *, 2> ops;
  for (EngineOpInterface access : end.accesses)
    ops.insert(access);
  auto emitAwait = [&](OpBuilder b, Location loc, ValueRange values,
                       int64_t pending = 0) {
    auto await = AwaitOp::create(b, loc, values, end.getEngine(), pending);
    for (auto [index, value] : llvm::enumerate(values))
      value.replaceAllUsesExcept(await.getResult(index), await);
  };
  llvm::MapVector<Operation *, SmallVector<Value>> releases;
  for (Operation *access : ops) {
    // Another pipeline that it reads has been here, or another run.
    if (llvm::any_of(access->getUsers(), llvm::IsaPred<AwaitOp>))
      continue;
    ConsumerReleaseOp release = findRelease(access);
    SmallVector<Operation *> holders = findHolders(access);
    if (!isCarriedOn(access) && mayHold(holders)) {
      AwaitPlace place = findPlace(access, holders, end.getEngine());
      OpBuilder b(place.before);
      emitAwait(b, access->getLoc(), SmallVector<Value>(access->getResults()),
                place.pending);
      llvm::sort(holders, [](Operation *a, Operation *b) {
        return a->isBeforeInBlock(b);
      });
      for (Operation *holder : holders)
        if (holder->isBeforeInBlock(place.before))
          holder->moveBefore(place.before);
      ++numLate;
      auto alone = holders.size() == 1
                       ? dyn_cast<ConsumerReleaseOp>(holders.front())
                       : ConsumerReleaseOp();
      if (alone && alone->isBeforeInBlock(place.before) && ops.size() == 1 &&
          place.pending == 0)
        // With one slot the next work would wait for itself.
        if (scf::ForOp loop = findLoop(access, alone);
            loop && isOnlyWork(access, loop, end.getEngine()) &&
            alone.getPipeline().getType().getDepth() > 1)
          holdOver(end, access, alone, loop, /*isPending=*/false);
      continue;
    }
    if (isLate && release && ops.size() == 1 && readsOnePipeline(access) &&
        end.getEngine().getMaxLag() > 0 && isCarriedOn(access))
      if (scf::ForOp loop = findLoop(access, release)) {
        holdOver(end, access, release, loop, /*isPending=*/true);
        ++numLate;
        continue;
      }
    auto isBefore = [&](Operation *user) {
      Operation *ancestor = release->getBlock()->findAncestorOpInBlock(*user);
      return ancestor && ancestor->isBeforeInBlock(release);
    };
    if (release && llvm::none_of(access->getUsers(), isBefore)) {
      llvm::append_range(releases[release], access->getResults());
      continue;
    }
    OpBuilder b(access->getContext());
    b.setInsertionPointAfter(access);
    emitAwait(b, access->getLoc(), SmallVector<Value>(access->getResults()));
  }
  for (auto &[release, values] : releases)
    emitAwait(OpBuilder(release), release->getLoc(), values);
}

/// Whether an op that reads slots of `pipeline` returns before its work is
/// done.
static bool hasPendingWork(PipelineOp pipeline) {
  for (Operation *user : pipeline->getUsers())
    if (auto wait = dyn_cast<ConsumerWaitOp>(user))
      for (Operation *reader : wait->getUsers())
        if (auto access = dyn_cast<EngineOpInterface>(reader))
          if (access.getEngine().isPendingAtReturn())
            return true;
  return false;
}

LogicalResult AwaitWorkPass::rewrite(gpu::GPUFuncOp kernel) {
  SmallVector<PipelineOp> pipelines;
  kernel.walk([&](PipelineOp op) {
    if (hasPendingWork(op))
      pipelines.push_back(op);
  });
  if (!pipelines.empty() &&
      (failed(verifyStructured(kernel)) || failed(verifyCut(kernel)) ||
       failed(verifyStates(kernel))))
    return failure();
  for (PipelineOp op : pipelines) {
    FailureOr<PipelineEnds> producers = deriveProducers(op);
    FailureOr<PipelineEnds> consumers = deriveConsumers(op);
    if (failed(producers) || failed(consumers))
      return failure();
    // The next pipeline fills a slot of several in the same iteration.
    bool isLate = op.getLateRelease() &&
                  op.getPipeline().getType().getDepth() > 1 &&
                  op.getNextOfSlots() == op;
    // A role that fills the ring itself, ahead by up to all slots, would wait
    // for the one that it has not released yet.
    auto fills = [&](const PipelineEnd &end) {
      return llvm::any_of(*producers, [&](const PipelineEnd &producer) {
        return producer.region == end.region;
      });
    };
    for (const PipelineEnd &end : *consumers)
      if (end.getEngine().isPendingAtReturn())
        awaitWork(end, isLate && !fills(end));
  }
  return success();
}

void AwaitWorkPass::runOnOperation() {
  SmallVector<gpu::GPUFuncOp> kernels;
  getOperation()->walk([&](gpu::GPUFuncOp op) { kernels.push_back(op); });
  for (gpu::GPUFuncOp kernel : kernels)
    if (failed(rewrite(kernel)))
      return signalPassFailure();
}
