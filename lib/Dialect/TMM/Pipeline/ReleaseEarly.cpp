//===- ReleaseEarly.cpp - release slots in the last iteration ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moves a release from after the loop that reads the slot to the last
// iteration of the loop, after its last reader. Threads have what they read in
// registers then: a tile can be multiplied into an accumulator while the last
// columns of the one before are still on their way to memory.
//
// The protocol stays one wait and one release for each transaction: the release
// is in a branch that is taken once. Until then the loop passes on the state
// before it, so that nothing is left of the branch in a role that does not
// hold this end of the pipeline.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/IR/KernelForm.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Dialect/TMM/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace tc::tmm {
#define GEN_PASS_DEF_RELEASEEARLYPASS
#include "tc/Dialect/TMM/Passes.h.inc"
} // namespace tc::tmm

using namespace mlir;
using namespace tc::tmm;

namespace {
struct ReleaseEarlyPass
    : tc::tmm::impl::ReleaseEarlyPassBase<ReleaseEarlyPass> {
  void runOnOperation() override;
};
} // namespace

/// The wait of the transaction that `release` ends, if it is in the same block.
static ConsumerWaitOp findWait(ConsumerReleaseOp release) {
  for (Operation *user : release.getState().getUsers())
    if (auto wait = dyn_cast<ConsumerWaitOp>(user))
      if (wait.getPipeline() == release.getPipeline() &&
          wait->getBlock() == release->getBlock())
        return wait;
  return nullptr;
}

/// The last op that reads the slot of `wait`, if all that do arrive for
/// themselves and are in the body of one loop in the block of `wait`.
static Operation *findLastReader(ConsumerWaitOp wait) {
  Operation *last = nullptr;
  for (Operation *reader : wait->getUsers()) {
    auto engineOp = dyn_cast<EngineOpInterface>(reader);
    if (!engineOp || !engineOp.getEngine().getCompletion().isOfThreads())
      return nullptr;
    if (last && last->getBlock() != reader->getBlock())
      return nullptr;
    if (!last || last->isBeforeInBlock(reader))
      last = reader;
  }
  if (!last || !isa<scf::ForOp>(last->getParentOp()) ||
      last->getParentOp()->getBlock() != wait->getBlock())
    return nullptr;
  return last;
}

/// Moves `release` into the loop before it; false where it has to stay.
static bool releaseEarly(ConsumerReleaseOp release) {
  ConsumerWaitOp wait = findWait(release);
  Operation *reader = wait ? findLastReader(wait) : nullptr;
  if (!reader)
    return false;
  auto loop = cast<scf::ForOp>(reader->getParentOp());
  std::optional<int64_t> lastIteration = getLastIteration(loop);
  if (!lastIteration || !loop->isBeforeInBlock(release))
    return false;

  IRRewriter rewriter(release.getContext());
  rewriter.setInsertionPoint(loop);
  Location loc = release.getLoc();
  Value state = release.getState();
  auto yieldState = [&](OpBuilder &b, Location,
                        ArrayRef<BlockArgument> carried) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfter(reader);
    Value variable = carried.front().getOwner()->getArgument(0);
    Value last = arith::ConstantOp::create(
        b, loc, b.getIntegerAttr(variable.getType(), *lastIteration));
    Value isLast =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, variable, last);
    auto branch = scf::IfOp::create(
        b, loc, isLast,
        [&](OpBuilder &inner, Location) {
          Value next = ConsumerReleaseOp::create(
              inner, loc, release.getPipeline(), carried.front());
          scf::YieldOp::create(inner, loc, next);
        },
        [&](OpBuilder &inner, Location) {
          scf::YieldOp::create(inner, loc, carried.front());
        });
    return SmallVector<Value>{branch.getResult(0)};
  };
  FailureOr<LoopLikeOpInterface> replacement = loop.replaceWithAdditionalYields(
      rewriter, state, /*replaceInitOperandUsesInLoop=*/false, yieldState);
  if (failed(replacement))
    return false;
  release.getNext().replaceAllUsesWith((*replacement)->getResults().back());
  release.erase();
  return true;
}

void ReleaseEarlyPass::runOnOperation() {
  SmallVector<ConsumerReleaseOp> releases;
  getOperation()->walk(
      [&](ConsumerReleaseOp release) { releases.push_back(release); });
  for (ConsumerReleaseOp release : releases)
    if (releaseEarly(release))
      ++numReleased;
}
