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
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/IR/PipelineEnds.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/EquivalenceClasses.h"

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
  if (isa<ProducerAcquireOp, ProducerCommitOp, ProducerTailOp>(op))
    return EndKind::Producer;
  if (isa<ConsumerWaitOp, ConsumerReleaseOp>(op))
    return EndKind::Consumer;
  return EndKind::Any;
}

/// Whether `state` is the same number for whoever uses it.
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

private:
  void join(Value from, Value to);
  Claim &getClaim(Value state) {
    return claims[sets.getOrInsertLeaderValue(state.getAsOpaquePointer())];
  }

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

LogicalResult tc::tmm::verifyStates(gpu::GPUFuncOp kernel) {
  States states;
  WalkResult result =
      kernel.walk([&](Operation *op) { return WalkResult(states.follow(op)); });
  return failure(result.wasInterrupted() || failed(states.verify(kernel)));
}
