//===- PipelineStates.cpp - what states of pipelines count ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A state is followed through the ops on its pipeline, loops and branches: all
// that one becomes counts the transactions of one end. Where no transaction was
// made yet the number is a constant, which both ends may share.
//
// Then they are followed in the order of the ops: each transaction goes on from
// the one before, in the next iteration of a loop, too. A count that started
// anew would wait for phases that are over.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/IR/PipelineEnds.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tc::tmm;

namespace {

/// Which end of a pipeline an op belongs to.
enum class EndKind { Any, Producer, Consumer };

/// What is known of a set of states.
struct Claim {
  EndKind kind = EndKind::Any;
  Value pipeline;
  /// The ops that say so.
  Operation *ofKind = nullptr, *ofPipeline = nullptr;
};

} // namespace

static EndKind getKind(Operation *op) {
  if (isa<ProducerAcquireOp, ProducerCommitOp, ProducerInspectOp,
          ProducerTailOp>(op))
    return EndKind::Producer;
  if (isa<ConsumerWaitOp, ConsumerReleaseOp, HoldOp>(op))
    return EndKind::Consumer;
  return EndKind::Any;
}

/// Whether `state` is the same number for all its users.
static bool isConstant(Value state) {
  while (auto skip = state.getDefiningOp<SkipOp>())
    state = skip.getState();
  return state.getDefiningOp<PipelineStartOp>();
}

static bool isState(Value value) {
  return isa<PipelineStateType>(value.getType());
}

namespace {

/// The states of a kernel, those that count for one end in one set.
class States {
public:
  /// Joins those in operands of `op` with what they become. Emits an error
  /// where states do not go through such ops.
  LogicalResult follow(Operation *op);
  /// Emits an error where two ops use a set for two ends or pipelines.
  LogicalResult verify(gpu::GPUFuncOp kernel);

  /// What names the set of `state`.
  void *getSet(Value state) {
    return sets.getOrInsertLeaderValue(state.getAsOpaquePointer());
  }
  Claim &getClaim(Value state) { return claims[getSet(state)]; }

private:
  void join(Value from, Value to);

  llvm::EquivalenceClasses<void *> sets;
  DenseMap<void *, Claim> claims;
  /// Ops that make constants, and the states that start with these.
  DenseMap<Operation *, SmallVector<Value>> starts;
};

} // namespace

void States::join(Value from, Value to) {
  if (!isState(from))
    return;
  if (isConstant(from))
    starts[from.getDefiningOp()].push_back(to);
  else
    sets.unionSets(from.getAsOpaquePointer(), to.getAsOpaquePointer());
}

LogicalResult States::follow(Operation *op) {
  if (op->hasTrait<UsesPipeline>()) {
    for (Value result : op->getResults())
      if (isState(result) && !isConstant(result))
        join(op->getOperand(1), result);
    return success();
  }
  if (auto branch = dyn_cast<RegionBranchOpInterface>(op)) {
    RegionBranchSuccessorMapping mapping;
    branch.getSuccessorOperandInputMapping(mapping);
    for (auto &[operand, inputs] : mapping)
      for (Value input : inputs)
        join(operand->get(), input);
    return success();
  }
  if (llvm::none_of(op->getOperands(), isState) ||
      (op->hasTrait<OpTrait::IsTerminator>() &&
       isa<RegionBranchOpInterface>(op->getParentOp())))
    return success();
  return op->emitOpError()
         << "expected states in ops on pipelines, loops and branches alone, "
            "got one in another op";
}

/// Notes what `op` says of its state in `claims`. Emits an error where another
/// op says otherwise.
static LogicalResult addClaim(Operation *op, Claim &claim) {
  Value pipeline = op->getOperand(0);
  EndKind kind = getKind(op);
  auto refuse = [&](StringRef what, Operation *other) {
    InFlightDiagnostic diag =
        op->emitOpError() << "expected a state of its own for each end of each "
                             "pipeline, got one for two "
                          << what;
    diag.attachNote(other->getLoc()) << "the other one here";
    return diag;
  };
  if (claim.pipeline && claim.pipeline != pipeline)
    return refuse("pipelines", claim.ofPipeline);
  if (kind != EndKind::Any && claim.kind != EndKind::Any && claim.kind != kind)
    return refuse("ends", claim.ofKind);
  if (!claim.pipeline) {
    claim.pipeline = pipeline;
    claim.ofPipeline = op;
  }
  if (claim.kind == EndKind::Any) {
    claim.kind = kind;
    claim.ofKind = op;
  }
  return success();
}

LogicalResult States::verify(gpu::GPUFuncOp kernel) {
  WalkResult result = kernel.walk([&](Operation *op) {
    if (!op->hasTrait<UsesPipeline>() || isa<PipelineStartOp>(op))
      return WalkResult::advance();
    Value state = op->getOperand(1);
    if (!isConstant(state))
      return WalkResult(addClaim(op, getClaim(state)));
    Claim shared;
    return WalkResult(
        success(succeeded(addClaim(state.getDefiningOp(), shared)) &&
                succeeded(addClaim(op, shared))));
  });
  // Last: an op that uses a state says more than what it starts with.
  auto start = [&](Operation *op) {
    for (Value state : starts.lookup(op))
      if (failed(addClaim(op, getClaim(state))))
        return WalkResult::interrupt();
    return WalkResult::advance();
  };
  return failure(result.wasInterrupted() ||
                 kernel.walk(start).wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

namespace {

/// The state of an end after its last transaction.
struct Last {
  /// Null after a branch that does not pass it on.
  Value state;
  /// What made it.
  Operation *by = nullptr;
};

/// What is known before an op.
struct Flow {
  /// By set.
  llvm::MapVector<void *, Last> last;
  /// The last transaction of an end of a pipeline.
  DenseMap<std::pair<Value, int>, Operation *> made;
};

/// Follows the counts of a kernel in the order of its ops.
class Order {
public:
  explicit Order(States &states) : states(states) {}

  /// Emits an error where an op of `block` uses another state than the last.
  LogicalResult follow(Block &block, Flow &flow);

private:
  LogicalResult follow(RegionBranchOpInterface branch, Flow &flow);
  LogicalResult followRegion(RegionBranchOpInterface branch, Region &region,
                             RegionBranchSuccessorMapping &successors,
                             Flow &flow);
  /// Checks that `state`, which `op` uses or passes on to what counts for
  /// `claim`, is the last one.
  LogicalResult use(Operation *op, Value state, const Claim &claim,
                    const Flow &flow);

  States &states;
};

} // namespace

static LogicalResult refuseAnew(Operation *op) {
  InFlightDiagnostic diag =
      op->emitOpError() << "expected a state that the loop around it carries, "
                           "got one that starts anew in each iteration";
  diag.attachNote(op->getParentOfType<LoopLikeOpInterface>().getLoc())
      << "loop here";
  return diag;
}

static LogicalResult refuseOld(Operation *op, Operation *last) {
  InFlightDiagnostic diag =
      op->emitOpError() << "expected the state after the last transaction of "
                           "the end, got an earlier one";
  diag.attachNote(last->getLoc()) << "last transaction here";
  return diag;
}

LogicalResult Order::use(Operation *op, Value state, const Claim &claim,
                         const Flow &flow) {
  if (claim.kind == EndKind::Any)
    return success();
  if (isConstant(state)) {
    if (op->getParentOfType<LoopLikeOpInterface>())
      return refuseAnew(op);
    Operation *made = flow.made.lookup({claim.pipeline, int(claim.kind)});
    return made ? refuseOld(op, made) : success();
  }
  auto known = flow.last.find(states.getSet(state));
  if (known == flow.last.end() || known->second.state == state)
    return success();
  return refuseOld(op, known->second.by);
}

LogicalResult Order::followRegion(RegionBranchOpInterface branch,
                                  Region &region,
                                  RegionBranchSuccessorMapping &successors,
                                  Flow &flow) {
  for (BlockArgument argument : region.getArguments())
    if (isState(argument))
      flow.last[states.getSet(argument)] = {argument, branch};
  Flow start = flow;
  if (failed(follow(region.front(), flow)))
    return failure();
  llvm::SmallDenseSet<void *> passed;
  if (!region.front().mightHaveTerminator())
    return success();
  Operation *terminator = region.front().getTerminator();
  for (OpOperand &operand : terminator->getOpOperands()) {
    if (!isState(operand.get()))
      continue;
    for (Value input : successors.lookup(&operand)) {
      if (failed(use(terminator, operand.get(), states.getClaim(input), flow)))
        return failure();
      passed.insert(states.getSet(input));
    }
  }
  for (auto &[set, last] : flow.last) {
    auto before = start.last.find(set);
    if (passed.contains(set) || before == start.last.end() ||
        before->second.state == last.state)
      continue;
    if (isa<LoopLikeOpInterface>(branch.getOperation()))
      return refuseAnew(last.by);
    last.state = nullptr;
  }
  return success();
}

LogicalResult Order::follow(RegionBranchOpInterface branch, Flow &flow) {
  RegionBranchSuccessorMapping successors;
  branch.getSuccessorOperandInputMapping(successors);
  for (OpOperand &operand : branch->getOpOperands())
    if (isState(operand.get()))
      for (Value input : successors.lookup(&operand))
        if (failed(use(branch, operand.get(), states.getClaim(input), flow)))
          return failure();
  Flow before = flow;
  for (Region &region : branch->getRegions()) {
    if (region.empty())
      continue;
    Flow inside = before;
    if (failed(followRegion(branch, region, successors, inside)))
      return failure();
    for (auto &[set, last] : inside.last)
      if (!last.state)
        flow.last[set] = last;
    for (auto &[end, made] : inside.made)
      flow.made[end] = made;
  }
  for (Value result : branch->getResults())
    if (isState(result))
      flow.last[states.getSet(result)] = {result, branch};
  return success();
}

LogicalResult Order::follow(Block &block, Flow &flow) {
  for (Operation &op : block) {
    if (auto branch = dyn_cast<RegionBranchOpInterface>(op)) {
      if (failed(follow(branch, flow)))
        return failure();
      continue;
    }
    // Each role makes transactions of its own.
    for (Region &region : op.getRegions())
      for (Block &inside : region) {
        Flow copy = flow;
        if (failed(follow(inside, copy)))
          return failure();
      }
    if (!op.hasTrait<UsesPipeline>() || isa<PipelineStartOp>(op))
      continue;
    Value state = op.getOperand(1);
    Value next = op.getNumResults() == 1 && isState(op.getResult(0))
                     ? op.getResult(0)
                     : Value();
    // A constant that no transaction follows yet.
    if (isConstant(state) && next && isConstant(next))
      continue;
    Claim claim = isConstant(state)
                      ? Claim{getKind(&op), op.getOperand(0), nullptr, nullptr}
                      : states.getClaim(state);
    if (failed(use(&op, state, claim, flow)))
      return failure();
    if (!next)
      continue;
    flow.last[states.getSet(next)] = {next, &op};
    flow.made[{op.getOperand(0), int(claim.kind)}] = &op;
  }
  return success();
}

LogicalResult tc::tmm::verifyStates(gpu::GPUFuncOp kernel) {
  States states;
  WalkResult result =
      kernel.walk([&](Operation *op) { return WalkResult(states.follow(op)); });
  if (result.wasInterrupted() || failed(states.verify(kernel)))
    return failure();
  Flow flow;
  for (Block &block : kernel.getBody())
    if (failed(Order(states).follow(block, flow)))
      return failure();
  return success();
}
