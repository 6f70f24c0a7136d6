//===- TakeTurns.cpp - instances of a role ----------------------- -*- C++
//-*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body of the loop that instances take turns in becomes a branch: the
// instance whose turn it is executes the ops of its role, the others advance
// the states that these ops would have advanced. What every role does in each
// iteration stays outside of the branch.
//
//===----------------------------------------------------------------------===//

#include "TakeTurns.h"

#include "LoopCarry.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include <algorithm>

using namespace mlir;
using namespace tc::tmm;

/// The loop in `region` that `role` takes turns in.
static Operation *findLoop(Region &region, RoleOp role) {
  Operation *found = nullptr;
  region.walk([&](LoopOp op) {
    if (op.getName() == *role.getLoop())
      found = op->getParentOp();
  });
  return found;
}

static bool isOfRoleAlone(Operation *op) {
  if (auto engineOp = dyn_cast<EngineOpInterface>(op))
    return !engineOp.isOfEveryRole();
  if (auto wait = dyn_cast<ConsumerWaitOp>(op))
    return llvm::all_of(wait->getUsers(), isOfRoleAlone);
  if (auto release = dyn_cast<ConsumerReleaseOp>(op)) {
    // A release belongs to those who read the slots.
    for (Operation *user : release.getPipeline().getUsers())
      if (auto wait = dyn_cast<ConsumerWaitOp>(user);
          wait &&
          wait->getParentRegion()->isAncestor(release->getParentRegion()))
        return isOfRoleAlone(wait);
    return true;
  }
  return isa<ProducerAcquireOp, ProducerCommitOp>(op);
}

/// The ops of `body`, in order, that the instances take turns in: those with an
/// op of the role alone inside, and what lies between and uses their results.
static llvm::SetVector<Operation *> collectTurn(Block &body) {
  llvm::SetVector<Operation *> turn;
  for (Operation &op : body.without_terminator()) {
    bool inside = op.walk([](Operation *nested) {
                      return isOfRoleAlone(nested) ? WalkResult::interrupt()
                                                   : WalkResult::advance();
                    }).wasInterrupted();
    bool follows =
        isMemoryEffectFree(&op) && llvm::any_of(op.getOperands(), [&](Value v) {
          return v.getDefiningOp() && turn.contains(v.getDefiningOp());
        });
    if (inside || follows)
      turn.insert(&op);
  }
  return turn;
}

void tc::tmm::bypassUpdate(EngineOpInterface op) {
  if (op->getNumResults() != 1)
    return;
  for (Value operand : op->getOperands())
    if (operand.getType() == op->getResult(0).getType())
      op->getResult(0).replaceAllUsesWith(operand);
}

/// Leaves of the ops in `block` what advances states: those of pipelines in
/// `own` stay as they are. Emits an error where something else is needed later.
static LogicalResult leaveStates(Block &block, ArrayRef<Value> own) {
  SmallVector<Operation *> ops;
  block.walk([&](Operation *op) { ops.push_back(op); });
  auto skip = [&](auto op) {
    Value next = op.getState();
    if (!llvm::is_contained(own, op.getPipeline())) {
      OpBuilder b(op);
      next = SkipOp::create(b, op.getLoc(), op.getPipeline(), op.getState());
    }
    op.getNext().replaceAllUsesWith(next);
    op->erase();
  };
  // Users first: what an op on tiles yields is used by ops on tiles.
  for (Operation *op : llvm::reverse(ops)) {
    if (auto commit = dyn_cast<ProducerCommitOp>(op))
      skip(commit);
    else if (auto release = dyn_cast<ConsumerReleaseOp>(op))
      skip(release);
    else if (isa<EngineOpInterface, ProducerAcquireOp, ConsumerWaitOp>(op)) {
      if (auto engineOp = dyn_cast<EngineOpInterface>(op))
        bypassUpdate(engineOp);
      if (!op->use_empty())
        return op->emitOpError()
               << "expected its result to be used in the turn "
                  "of the instance alone, got another use";
      op->erase();
    } else if (isMemoryEffectFree(op) && op->use_empty() &&
               op->getNumRegions() == 0 &&
               !op->hasTrait<OpTrait::IsTerminator>())
      op->erase();
  }
  return success();
}

/// A slot is waited for by the parity of its phase, which is that of the phase
/// two before, too. So an instance has to see all phases of the slots that it
/// uses: a lap of the ring is a whole number of rounds. Emits an error where
/// `turn`, ops of `body` that the instances of `role` take turns in, has a
/// transaction of another ring; the slots of `own` belong to one instance.
static LogicalResult checkRounds(ArrayRef<Operation *> turn, RoleOp role,
                                 ArrayRef<Value> own) {
  llvm::MapVector<Value, int64_t> transactions;
  auto count = [&](Value pipeline) {
    if (!llvm::is_contained(own, pipeline))
      ++transactions[pipeline];
  };
  for (Operation *op : turn)
    if (auto acquire = dyn_cast<ProducerAcquireOp>(op))
      count(acquire.getPipeline());
    else if (auto wait = dyn_cast<ConsumerWaitOp>(op))
      count(wait.getPipeline());
  for (auto [pipeline, number] : transactions) {
    int64_t depth = cast<PipelineType>(pipeline.getType()).getDepth();
    int64_t round = number * int64_t(role.getTurns());
    if (depth % round == 0)
      continue;
    InFlightDiagnostic diag =
        role.emitOpError() << "expected a multiple of " << round
                           << " slots in each pipeline whose transactions its "
                           << role.getTurns() << " instances take in turn, got "
                           << depth << ", nearest "
                           << std::max<int64_t>((depth + round / 2) / round,
                                                1) *
                                  round;
    diag.attachNote(pipeline.getLoc()) << "pipeline here";
    return failure();
  }
  return success();
}

/// Gives the instance in `region` slots of its own in place of those of
/// `pipeline`.
static void makeOwn(Region &region, Value pipeline) {
  OpBuilder b(pipeline.getContext());
  b.setInsertionPointAfter(pipeline.getDefiningOp());
  Operation *copy = b.clone(*pipeline.getDefiningOp());
  pipeline.replaceUsesWithIf(copy->getResult(0), [&](OpOperand &use) {
    return region.isAncestor(use.getOwner()->getParentRegion());
  });
}

LogicalResult tc::tmm::takeTurns(Region &region, RoleOp role, int64_t turn,
                                 ArrayRef<Value> own) {
  Operation *loop = findLoop(region, role);
  if (!isa_and_nonnull<scf::ForOp, scf::WhileOp>(loop))
    return role.emitOpError()
           << "expected tmm.loop \"" << *role.getLoop()
           << "\" in the body of an scf.for or scf.while, got none";
  // Turns would start anew with each of its iterations, slots would not.
  if (auto outer = loop->getParentOfType<LoopLikeOpInterface>()) {
    InFlightDiagnostic diag =
        role.emitOpError()
        << "expected instances to take turns in an outermost "
           "loop, got \""
        << *role.getLoop() << "\" inside of another";
    diag.attachNote(outer.getLoc()) << "the other loop here";
    return diag;
  }
  OpBuilder b(loop);
  Location loc = role.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, loc, b.getI32Type(), value);
  };
  Value first = constant(0);
  SmallVector<Value> carried;
  loop = carryThroughLoop(loop, first, carried);
  Block *body = isa<scf::ForOp>(loop) ? cast<scf::ForOp>(loop).getBody()
                                      : cast<scf::WhileOp>(loop).getAfterBody();

  llvm::SetVector<Operation *> ops = collectTurn(*body);
  if (failed(checkRounds(ops.getArrayRef(), role, own)))
    return failure();
  if (!ops.empty()) {
    SmallVector<Value> results;
    for (Operation *op : ops)
      for (Value result : op->getResults())
        if (llvm::any_of(result.getUsers(), [&](Operation *user) {
              return !ops.contains(body->findAncestorOpInBlock(*user));
            }))
          results.push_back(result);
    b.setInsertionPointAfter(ops.back());
    Value mine = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                       carried[0], constant(turn));
    auto branch = scf::IfOp::create(b, loc, TypeRange(ValueRange(results)),
                                    mine, /*withElseRegion=*/true);
    IRMapping mapping;
    // Without results a branch is made with its terminators.
    for (Block *block : {branch.thenBlock(), branch.elseBlock()})
      if (!block->empty())
        block->back().erase();
    OpBuilder skipped = OpBuilder::atBlockEnd(branch.elseBlock());
    for (Operation *op : ops)
      skipped.clone(*op, mapping);
    SmallVector<Value> others;
    for (Value result : results)
      others.push_back(mapping.lookup(result));
    scf::YieldOp::create(skipped, loc, others);
    if (failed(leaveStates(*branch.elseBlock(), own)))
      return failure();
    for (auto [result, replacement] : llvm::zip(results, branch.getResults()))
      result.replaceUsesWithIf(replacement, [&](OpOperand &use) {
        return !ops.contains(body->findAncestorOpInBlock(*use.getOwner())) &&
               !branch->isAncestor(use.getOwner());
      });
    for (Operation *op : ops)
      op->moveBefore(branch.thenBlock(), branch.thenBlock()->end());
    OpBuilder taken = OpBuilder::atBlockEnd(branch.thenBlock());
    scf::YieldOp::create(taken, loc, results);
  }

  b.setInsertionPoint(body->getTerminator());
  Value next = arith::AddIOp::create(b, loc, carried[0], constant(1));
  Value wraps = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, next,
                                      constant(role.getTurns()));
  setCarried(loop, ValueRange{arith::SelectOp::create(b, loc, wraps,
                                                      constant(0), next)});
  // The first instance keeps those that are there.
  if (turn != 0)
    for (Value pipeline : own)
      makeOwn(region, pipeline);
  return success();
}
