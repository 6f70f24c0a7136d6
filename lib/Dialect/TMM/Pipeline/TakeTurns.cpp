//===- TakeTurns.cpp - instances of a role ----------------------*- C++ -*-===//
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
// Where an inner loop or a branch makes transactions, the instances go one
// after the other (PipelineTurns.cpp says why), by a pipeline whose payload is
// the turn alone. Transaction n lets iteration n go on; the instance of
// iteration n - 1 commits it, and transaction 0 the last instance before the
// loop.
//
//===----------------------------------------------------------------------===//

#include "TakeTurns.h"

#include "ForgottenValues.h"
#include "LoopCarry.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tc::tmm;

static bool isOfRoleAlone(Operation *op) {
  if (auto engineOp = dyn_cast<EngineOpInterface>(op))
    return !engineOp.isOfEveryRole();
  if (auto wait = dyn_cast<ConsumerWaitOp>(op))
    return llvm::all_of(wait->getUsers(), isOfRoleAlone);
  if (auto release = dyn_cast<ConsumerReleaseOp>(op)) {
    // A release belongs to the readers of the slots.
    for (Operation *user : release.getPipeline().getUsers())
      if (auto wait = dyn_cast<ConsumerWaitOp>(user);
          wait &&
          wait->getParentRegion()->isAncestor(release->getParentRegion()))
        return isOfRoleAlone(wait);
    return true;
  }
  return isa<ProducerAcquireOp, ProducerCommitOp>(op);
}

/// Whether `op`, or an op inside of it, uses a result of an op of `others`.
static bool usesResults(Operation *op,
                        const llvm::SetVector<Operation *> &others) {
  auto isResult = [&](Value operand) {
    return others.contains(operand.getDefiningOp());
  };
  auto usesOne = [&](Operation *nested) {
    return llvm::any_of(nested->getOperands(), isResult)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  };
  return op->walk(usesOne).wasInterrupted();
}

/// The ops of `body`, in order, that the instances take turns in: those with an
/// op of the role alone inside, and pure ops that use their results.
static llvm::SetVector<Operation *> collectTurn(Block &body) {
  llvm::SetVector<Operation *> turn;
  for (Operation &op : body.without_terminator()) {
    bool inside = op.walk([](Operation *nested) {
                      return isOfRoleAlone(nested) ? WalkResult::interrupt()
                                                   : WalkResult::advance();
                    }).wasInterrupted();
    bool follows = isMemoryEffectFree(&op) && usesResults(&op, turn);
    if (inside || follows)
      turn.insert(&op);
  }
  return turn;
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
  // Users first.
  ForgottenValues forgotten;
  for (Operation *op : llvm::reverse(ops)) {
    if (auto commit = dyn_cast<ProducerCommitOp>(op))
      skip(commit);
    else if (auto release = dyn_cast<ConsumerReleaseOp>(op))
      skip(release);
    else if (isa<EngineOpInterface, ProducerAcquireOp, ConsumerWaitOp>(op))
      forgotten.erase(op);
  }
  Location origin = UnknownLoc::get(block.getParentOp()->getContext());
  OpOperand *use = forgotten.findReader(&block, origin);
  if (!use) {
    forgotten.drop(*block.getParent());
    return success();
  }
  Operation *user = use->getOwner();
  InFlightDiagnostic diag =
      emitError(origin) << "expected a result to be used in the turn of the "
                           "instance alone, got a use in '"
                        << user->getName() << "'";
  diag.attachNote(user == block.getTerminator() ? block.getParentOp()->getLoc()
                                                : user->getLoc())
      << "it leaves the turn here";
  return failure();
}

/// How often each iteration of `loop` skips a transaction of the end whose
/// state it carries in `carried`, none where it does not change it; nothing
/// where it does otherwise.
static std::optional<int64_t> countSkips(scf::ForOp loop,
                                         BlockArgument carried) {
  int64_t skips = 0;
  Value value = loop.getTiedLoopYieldedValue(carried)->get();
  for (; value != carried; ++skips) {
    auto skip = value.getDefiningOp<SkipOp>();
    if (!skip || skip.getCount() || skip->getBlock() != loop.getBody())
      return std::nullopt;
    value = skip.getState();
  }
  return skips;
}

/// Emits the number of iterations of `loop`, an i32.
static Value emitTripCount(OpBuilder &b, scf::ForOp loop) {
  Location loc = loop.getLoc();
  Value count =
      arith::SubIOp::create(b, loc, loop.getUpperBound(), loop.getLowerBound());
  if (!matchPattern(loop.getStep(), m_One()))
    count = arith::CeilDivSIOp::create(b, loc, count, loop.getStep());
  if (count.getType().isIndex())
    count = arith::IndexCastOp::create(b, loc, b.getI32Type(), count);
  // Bounds in the wrong order make no iteration.
  return arith::MaxSIOp::create(
      b, loc, count, arith::ConstantIntOp::create(b, loc, b.getI32Type(), 0));
}

/// Counts the transactions of loops in `block` that only skip them without the
/// loop.
static void foldSkips(Block &block) {
  SmallVector<scf::ForOp> loops;
  block.walk([&](scf::ForOp loop) {
    Type type = loop.getInductionVar().getType();
    if ((type.isIndex() || type.isInteger(32)) && !loop.getUnsignedCmp() &&
        llvm::all_of(
            loop.getBody()->without_terminator(),
            [](Operation &op) { return isa<SkipOp, ub::PoisonOp>(op); }) &&
        llvm::all_of(loop.getRegionIterArgs(), [=](BlockArgument carried) {
          return countSkips(loop, carried).has_value();
        }))
      loops.push_back(loop);
  });
  for (scf::ForOp loop : loops) {
    Location loc = loop.getLoc();
    OpBuilder b(loop);
    Value count;
    for (auto [carried, init, result] : llvm::zip(
             loop.getRegionIterArgs(), loop.getInitArgs(), loop.getResults())) {
      int64_t skips = *countSkips(loop, carried);
      if (skips == 0) {
        result.replaceAllUsesWith(init);
        continue;
      }
      count = count ? count : emitTripCount(b, loop);
      Value all = count;
      if (skips > 1)
        all = arith::MulIOp::create(
            b, loc, all,
            arith::ConstantIntOp::create(b, loc, b.getI32Type(), skips));
      auto last = cast<SkipOp>(
          loop.getTiedLoopYieldedValue(carried)->get().getDefiningOp());
      result.replaceAllUsesWith(SkipOp::create(b, loc, init.getType(),
                                               last.getPipeline(), init, all));
    }
    loop.erase();
  }
}

/// The pipeline in which `op` begins a transaction, or null.
static Value getBegun(Operation *op) {
  if (isa<ProducerAcquireOp, ConsumerWaitOp>(op))
    return op->getOperand(0);
  return nullptr;
}

/// The pipelines, but those of `own`, in which ops of `turn` begin transactions
/// in regions inside of them.
static llvm::SmallSetVector<Value, 2> collectInner(ArrayRef<Operation *> turn,
                                                   ArrayRef<Value> own) {
  llvm::SmallSetVector<Value, 2> inner;
  for (Operation *op : turn)
    op->walk([&](Operation *nested) {
      if (Value pipeline = getBegun(nested);
          nested != op && pipeline && !llvm::is_contained(own, pipeline))
        inner.insert(pipeline);
    });
  return inner;
}

//===----------------------------------------------------------------------===//
// Order of turns
//===----------------------------------------------------------------------===//

/// The pipeline of the turns of `role`, made at `b`: a slot for each instance.
static Value makeOrder(OpBuilder &b, RoleOp role) {
  MLIRContext *context = b.getContext();
  auto turn = BufferType::get({1, 1}, b.getI1Type(), TurnAttr::get(context));
  int64_t instances = role.getTurns();
  return PipelineOp::create(b, role.getLoc(),
                            PipelineType::get(context, turn, instances),
                            uint64_t(instances));
}

/// Emits the wait for the turn of transaction `state`; returns the next state.
static Value emitTake(OpBuilder &b, Location loc, Value order, Value state) {
  auto wait = ConsumerWaitOp::create(b, loc, order, state);
  TakeTurnOp::create(b, loc, wait.getBuffers().front(), /*role=*/StringAttr());
  return ConsumerReleaseOp::create(b, loc, state.getType(), order, state);
}

/// Emits what lets the instance of transaction `state` go on; returns the next
/// state.
static Value emitPass(OpBuilder &b, Location loc, Value order, Value state) {
  auto acquire = ProducerAcquireOp::create(b, loc, order, state);
  PassTurnOp::create(b, loc, acquire.getBuffers().front(),
                     /*role=*/StringAttr());
  return ProducerCommitOp::create(b, loc, state.getType(), order, state);
}

/// Puts the ops of `turn`, from the first to the last that takes part in a
/// pipeline of `ordered`, between a wait for the turn and what passes it on;
/// `states` are those of both ends and are advanced.
static void orderTurn(ArrayRef<Operation *> turn,
                      const llvm::SmallSetVector<Value, 2> &ordered,
                      Value order, MutableArrayRef<Value> states) {
  Operation *first = nullptr, *last = nullptr;
  for (Operation *op : turn) {
    bool takesPart = op->walk([&](Operation *nested) {
                         return nested->hasTrait<tc::tmm::UsesPipeline>() &&
                                        ordered.contains(nested->getOperand(0))
                                    ? WalkResult::interrupt()
                                    : WalkResult::advance();
                       }).wasInterrupted();
    if (!takesPart)
      continue;
    first = first ? first : op;
    last = op;
  }
  OpBuilder b(first);
  states[0] = emitTake(b, order.getLoc(), order, states[0]);
  b.setInsertionPointAfter(last);
  states[1] = emitPass(b, order.getLoc(), order, states[1]);
}

//===----------------------------------------------------------------------===//
// Instances
//===----------------------------------------------------------------------===//

/// Gives the instance in `region` slots of its own in place of those of
/// `pipeline`, and states that count for these.
static void makeOwn(Region &region, Value pipeline) {
  auto isInside = [&](OpOperand &use) {
    return region.isAncestor(use.getOwner()->getParentRegion());
  };
  OpBuilder b(pipeline.getContext());
  b.setInsertionPointAfter(pipeline.getDefiningOp());
  Value copy = b.clone(*pipeline.getDefiningOp())->getResult(0);
  // What roles share is before them.
  for (Operation *user : llvm::to_vector(pipeline.getUsers())) {
    auto start = dyn_cast<PipelineStartOp>(user);
    if (start && !region.isAncestor(start->getParentRegion()))
      start.getState().replaceUsesWithIf(
          PipelineStartOp::create(b, start.getLoc(), copy), isInside);
  }
  pipeline.replaceUsesWithIf(copy, isInside);
}

/// The tmm.loop in `region` that `role` names. Emits an error where there is
/// none, or more than one.
static FailureOr<LoopOp> findLoopName(Region &region, RoleOp role) {
  SmallVector<LoopOp> found;
  region.walk([&](LoopOp op) {
    if (op.getName() == *role.getLoop())
      found.push_back(op);
  });
  if (found.empty() ||
      !isa<scf::ForOp, scf::WhileOp>(found.front()->getParentOp()))
    return role.emitOpError()
           << "expected tmm.loop \"" << *role.getLoop()
           << "\" in the body of an scf.for or scf.while, got none";
  if (found.size() == 1)
    return found.front();
  InFlightDiagnostic diag = role.emitOpError()
                            << "expected one loop \"" << *role.getLoop()
                            << "\" to take turns in, got " << found.size();
  for (LoopOp op : found)
    diag.attachNote(op.getLoc()) << "named here";
  return failure();
}

/// Whether an instance may execute `op` besides the others: it begins no
/// transaction and writes nothing that they do.
static bool mayRepeat(Operation *op) {
  if (isa<ProducerAcquireOp, ConsumerWaitOp>(op))
    return !isOfRoleAlone(op);
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!isa<EngineOpInterface>(op) || !isOfRoleAlone(op) || !effects)
    return true;
  SmallVector<MemoryEffects::EffectInstance> all;
  effects.getEffects(all);
  return llvm::none_of(all, [](const MemoryEffects::EffectInstance &effect) {
    return effect.getValue() && isa<MemoryEffects::Write>(effect.getEffect());
  });
}

/// The block of `loop` whose iterations are turns.
static Block *getBody(Operation *loop) {
  return isa<scf::ForOp>(loop) ? cast<scf::ForOp>(loop).getBody()
                               : cast<scf::WhileOp>(loop).getAfterBody();
}

/// The loop in `region` that the instances of `role` take turns in. Emits an
/// error where there is none, where it is inside of another, or where the role
/// does something outside of its body that each instance would do.
static FailureOr<Operation *> findOutermostLoop(Region &region, RoleOp role) {
  FailureOr<LoopOp> name = findLoopName(region, role);
  if (failed(name))
    return failure();
  Operation *loop = (*name)->getParentOp();
  // Turns would start anew with each of its iterations, slots would not.
  if (auto outer = loop->getParentOfType<LoopLikeOpInterface>()) {
    InFlightDiagnostic diag =
        role.emitOpError()
        << "expected instances to take turns in an outermost "
           "loop, got \""
        << *role.getLoop() << "\" inside of another";
    diag.attachNote(outer.getLoc()) << "the other loop here";
    return failure();
  }
  Block *body = getBody(loop);
  WalkResult result = region.walk([&](Operation *op) {
    if (body->findAncestorOpInBlock(*op) || mayRepeat(op))
      return WalkResult::advance();
    InFlightDiagnostic diag =
        op->emitOpError() << "expected to be in the body of the loop \""
                          << *role.getLoop() << "\", in which the "
                          << role.getTurns() << " instances of role "
                          << role.getName()
                          << " take turns, got outside of it, where each of "
                             "them would execute it";
    diag.attachNote(role.getLoc()) << "role here";
    diag.attachNote(loop->getLoc()) << "loop here";
    return WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    return failure();
  return loop;
}

/// Moves `ops` of `body` to a branch that is taken if `mine`, with the ends of
/// `order` around those that use `ordered`, whose states `states` are advanced.
/// Elsewhere states advance without the ops.
static LogicalResult branch(Block &body, ArrayRef<Operation *> ops, Value mine,
                            Turns &turns,
                            const llvm::SmallSetVector<Value, 2> &ordered,
                            SmallVectorImpl<Value> &states) {
  auto isTurn = [&](Operation *op) {
    return llvm::is_contained(ops, body.findAncestorOpInBlock(*op));
  };
  SmallVector<Value> results;
  for (Operation *op : ops)
    for (Value result : op->getResults())
      if (!llvm::all_of(result.getUsers(), isTurn))
        results.push_back(result);
  Location loc = turns.role.getLoc();
  SmallVector<Type> types(TypeRange{ValueRange(results)});
  llvm::append_range(types, TypeRange{ValueRange(states)});
  OpBuilder b(mine.getContext());
  b.setInsertionPointAfter(mine.getDefiningOp());
  auto branch = scf::IfOp::create(b, loc, types, mine, /*withElseRegion=*/true);
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
  for (Value state : states)
    others.push_back(SkipOp::create(skipped, loc, turns.order, state));
  scf::YieldOp::create(skipped, loc, others);
  if (failed(leaveStates(*branch.elseBlock(), turns.own)))
    return failure();
  foldSkips(*branch.elseBlock());
  for (auto [result, replacement] : llvm::zip(results, branch.getResults()))
    result.replaceUsesWithIf(replacement, [&](OpOperand &use) {
      return !isTurn(use.getOwner()) && !branch->isAncestor(use.getOwner());
    });
  for (Operation *op : ops)
    op->moveBefore(branch.thenBlock(), branch.thenBlock()->end());
  if (!states.empty())
    orderTurn(ops, ordered, turns.order, states);
  llvm::append_range(results, states);
  OpBuilder taken = OpBuilder::atBlockEnd(branch.thenBlock());
  scf::YieldOp::create(taken, loc, results);
  llvm::copy(branch.getResults().take_back(states.size()), states.begin());
  return success();
}

LogicalResult tc::tmm::takeTurns(Region &region, Turns &turns, int64_t number) {
  RoleOp role = turns.role;
  FailureOr<Operation *> found = findOutermostLoop(region, role);
  if (failed(found))
    return failure();
  Operation *loop = *found;
  llvm::SetVector<Operation *> ops = collectTurn(*getBody(loop));
  llvm::SmallSetVector<Value, 2> ordered =
      collectInner(ops.getArrayRef(), turns.own);

  OpBuilder b(loop);
  Location loc = role.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, loc, b.getI32Type(), value);
  };
  // The number of the next turn's instance, and the states of the order.
  SmallVector<Value> inits = {constant(0)}, carried;
  if (!ordered.empty()) {
    if (!turns.order) {
      OpBuilder before(region.getParentOp());
      turns.order = makeOrder(before, role);
    }
    Value taken = PipelineStartOp::create(b, loc, turns.order);
    Value passed = PipelineStartOp::create(b, loc, turns.order);
    if (number == int64_t(role.getTurns()) - 1)
      passed = emitPass(b, loc, turns.order, passed);
    else
      passed = SkipOp::create(b, loc, turns.order, passed);
    llvm::append_range(inits, ArrayRef<Value>({taken, passed}));
  }
  loop = carryThroughLoop(loop, inits, carried);
  Block *body = getBody(loop);
  SmallVector<Value> states(llvm::drop_begin(carried));
  if (!ops.empty()) {
    b.setInsertionPointAfter(ops.back());
    Value mine = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                       carried[0], constant(number));
    if (failed(branch(*body, ops.getArrayRef(), mine, turns, ordered, states)))
      return failure();
  }

  b.setInsertionPoint(body->getTerminator());
  Value next = arith::AddIOp::create(b, loc, carried[0], constant(1));
  Value wraps = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, next,
                                      constant(role.getTurns()));
  SmallVector<Value> yielded = {
      arith::SelectOp::create(b, loc, wraps, constant(0), next)};
  llvm::append_range(yielded, states);
  setCarried(loop, yielded);
  // The first instance keeps those that are there.
  if (number != 0)
    for (Value pipeline : turns.own)
      makeOwn(region, pipeline);
  return success();
}
