//===- PipelineTurns.cpp - roles that take turns ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slot is waited for by the parity of its phase, which is that of the phase
// two before, too: a waiter must have seen the phase before. An instance that
// makes the same number of transactions in each turn sees all phases of the
// slots that it uses where a lap of the ring is a whole number of rounds. Where
// an inner loop or a branch makes them the number is not known: there the
// instances go one after the other, from tmm.take_turn to tmm.pass_turn.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/IR/PipelineEnds.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include <algorithm>

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

namespace {

/// One end of a pipeline in a kernel that is cut.
struct TurnsOfEnd {
  PipelineOp pipeline;
  const PipelineEnd &end;
  bool isProducer;
  WarpSpecializeOp roles;
  unsigned role;

  int64_t turns() { return roles.getTurns()[role]; }
  StringRef name() { return roles.getRoleName(role); }
  bool isInside(Operation *op) {
    return end.region->isAncestor(op->getParentRegion());
  }
  /// Whether `op` begins a transaction of the end.
  bool begins(Operation *op) {
    return isInside(op) &&
           (isProducer ? isa<ProducerAcquireOp>(op) : isa<ConsumerWaitOp>(op));
  }
  /// Whether no other role and no other instance uses the pipeline.
  bool isPrivate() {
    return llvm::all_of(pipeline.getPipeline().getUsers(), [&](Operation *op) {
      return isa<PipelineStartOp>(op) || isInside(op);
    });
  }
  SkipOp findSkip();
  LogicalResult checkRounds();
  LogicalResult verify(const PipelineEnds &ends);
};

} // namespace

/// Whether `op` comes between what takes and what passes a turn.
static bool isOrdered(Operation *op, Region *role) {
  for (Operation *at = op; at->getParentRegion() != role->getParentRegion();
       at = at->getParentOp()) {
    bool taken = false, passed = false;
    for (Operation &other : *at->getBlock()) {
      taken |= isa<TakeTurnOp>(other) && other.isBeforeInBlock(at);
      passed |= isa<PassTurnOp>(other) && at->isBeforeInBlock(&other);
    }
    if (taken && passed)
      return true;
  }
  return false;
}

/// A transaction that is left to another instance, if there is one.
SkipOp TurnsOfEnd::findSkip() {
  for (Operation *user : pipeline.getPipeline().getUsers())
    if (auto skip = dyn_cast<SkipOp>(user);
        skip && isInside(skip) && !isHeld(skip))
      return skip;
  return nullptr;
}

/// Checks that the instance sees all phases of the slots that it uses.
LogicalResult TurnsOfEnd::checkRounds() {
  int64_t number = 0;
  for (Operation *user : pipeline.getPipeline().getUsers()) {
    if (!begins(user) || isOrdered(user, end.region))
      continue;
    // The turn is a branch in the body of a loop.
    int64_t loops = 0, branches = 0;
    for (Operation *at = user->getParentOp(); at != roles;
         at = at->getParentOp())
      ++(isa<LoopLikeOpInterface>(at) ? loops : branches);
    // What is before the loop is not made in turns.
    if (loops == 0)
      continue;
    if (loops > 1 || branches > 1) {
      InFlightDiagnostic diag =
          user->emitOpError()
          << "expected tmm.take_turn before and tmm.pass_turn after what "
             "makes transactions of a turn in an inner loop or branch, got no "
             "order of the "
          << turns() << " instances of role " << name();
      diag.attachNote(roles.getRoleLoc(role)) << "role here";
      return diag;
    }
    ++number;
  }
  int64_t depth = pipeline.getPipeline().getType().getDepth();
  int64_t round = number * turns();
  if (number == 0 || depth % round == 0)
    return success();
  InFlightDiagnostic diag =
      roles.emitRoleError(role)
      << "expected a multiple of " << round
      << " slots in each pipeline whose transactions the " << turns()
      << " instances of role " << name() << " take in turn, got " << depth
      << ", nearest "
      << std::max<int64_t>((depth + round / 2) / round, 1) * round;
  diag.attachNote(pipeline.getLoc()) << "pipeline here";
  return diag;
}

LogicalResult TurnsOfEnd::verify(const PipelineEnds &ends) {
  SkipOp skip = findSkip();
  if (turns() == 1 || isPrivate()) {
    if (!skip)
      return success();
    InFlightDiagnostic diag =
        skip.emitOpError() << "expected role " << name()
                           << " to make all transactions of slots that no "
                              "other instance of it uses, or to hold the slot "
                              "(tmm.hold of the same state in this block, with "
                              "a tmm.release_held), got one that is left to "
                              "another";
    diag.attachNote(roles.getRoleLoc(role)) << "role here";
    diag.attachNote(pipeline.getLoc()) << "pipeline here";
    return diag;
  }
  auto isInstance = [&](const PipelineEnd &other) {
    return other.region && other.region->getParentOp() == roles &&
           roles.getRoleName(other.region->getRegionNumber()) == name();
  };
  int64_t instances = llvm::count_if(ends, isInstance);
  if (instances != turns() || !skip) {
    InFlightDiagnostic diag = roles.emitRoleError(role);
    if (instances != turns())
      diag << "expected all " << turns() << " instances of role " << name()
           << " to " << (isProducer ? "fill" : "read") << " the slots, got "
           << instances;
    else
      diag << "expected the instance of role " << name()
           << " to count what the others do with the slots (tmm.skip), got "
              "none that it leaves to them";
    diag.attachNote(pipeline.getLoc()) << "pipeline here";
    return diag;
  }
  return checkRounds();
}

bool PipelineEnd::isOfEveryRole() const {
  return llvm::all_of(accesses, [](EngineOpInterface access) {
    return access.isOfEveryRole();
  });
}

LogicalResult tc::tmm::verifyTurns(PipelineOp op, const PipelineEnds &ends,
                                   bool isProducer) {
  for (const PipelineEnd &end : ends) {
    if (!end.region || end.isOfEveryRole())
      continue;
    TurnsOfEnd turns{op, end, isProducer,
                     cast<WarpSpecializeOp>(end.region->getParentOp()),
                     end.region->getRegionNumber()};
    if (failed(turns.verify(ends)))
      return failure();
  }
  return success();
}
