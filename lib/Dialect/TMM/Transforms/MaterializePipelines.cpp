//===- MaterializePipelines.cpp - buffers become pipelines ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replaces every buffer that one engine writes and another reads by a slot of a
// pipeline of depth 1. Buffers of one block with the same two engines form one
// pipeline, whose slot is their tuple. The protocol ops go around the first and
// last writer and reader in the block that holds the buffer; both states are
// threaded through every loop around that block, and the producer's tail goes
// to the end of the kernel.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Dialect/TMM/Transforms/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"

namespace tc::tmm {
#define GEN_PASS_DEF_MATERIALIZEPIPELINESPASS
#include "tc/Dialect/TMM/Transforms/Passes.h.inc"
} // namespace tc::tmm

using namespace mlir;
using namespace tc::tmm;

namespace {

/// How one buffer is used, seen from the block that holds it.
struct BufferUse {
  std::optional<Engine> producer, consumer;
  /// That of the user with the most CTAs.
  Scope scope = Scope::cta;
  SmallVector<OpOperand *> writes, reads;
};

/// The buffers of one pipeline.
struct Group {
  SmallVector<AllocOp> allocs;
  SmallVector<BufferUse> uses;
};

using GroupKey = std::tuple<Block *, unsigned, unsigned, unsigned>;

/// One op of the home block around which protocol ops are placed.
struct Span {
  Operation *first = nullptr, *last = nullptr;

  void add(Operation *op) {
    if (!first || op->isBeforeInBlock(first))
      first = op;
    if (!last || last->isBeforeInBlock(op))
      last = op;
  }
};

struct MaterializePipelinesPass
    : tc::tmm::impl::MaterializePipelinesPassBase<MaterializePipelinesPass> {
  void runOnOperation() override;
  LogicalResult runOnKernel(gpu::GPUFuncOp kernel);
};

} // namespace

/// Merges `engine` into `slot`; a buffer has one engine on each end.
static LogicalResult mergeEngine(AllocOp alloc, Operation *user, Engine engine,
                                 StringRef verb, std::optional<Engine> &slot) {
  if (slot && *slot != engine) {
    InFlightDiagnostic diag = alloc.emitOpError()
                              << "expected one engine to " << verb
                              << " the buffer, got " << stringifyEngine(*slot)
                              << " and " << stringifyEngine(engine);
    diag.attachNote(user->getLoc()) << "second engine here";
    return diag;
  }
  slot = engine;
  return success();
}

/// Who writes and who reads `alloc`. An op that does both (an accumulating
/// mma) is its producer.
static FailureOr<BufferUse> classify(AllocOp alloc) {
  BufferUse result;
  for (OpOperand &use : alloc.getBuffer().getUses()) {
    Operation *user = use.getOwner();
    auto engineOp = dyn_cast<EngineOpInterface>(user);
    auto effectOp = dyn_cast<MemoryEffectOpInterface>(user);
    if (!engineOp || !effectOp) {
      InFlightDiagnostic diag =
          alloc.emitOpError()
          << "expected users with an engine and memory effects, got "
          << user->getName();
      diag.attachNote(user->getLoc()) << "user here";
      return failure();
    }
    bool writes =
        effectOp.getEffectOnValue<MemoryEffects::Write>(alloc.getBuffer())
            .has_value();
    (writes ? result.writes : result.reads).push_back(&use);
    result.scope = std::max(result.scope, engineOp.getScope());
    if (failed(mergeEngine(alloc, user, engineOp.getEngine(),
                           writes ? "write" : "read",
                           writes ? result.producer : result.consumer)))
      return failure();
  }
  if (!result.producer || !result.consumer)
    return alloc.emitOpError() << "expected a writer and a reader, got "
                               << (result.producer ? "no reader" : "no writer");
  if (*result.producer == *result.consumer)
    return alloc.emitOpError()
           << "expected different engines on both ends, got "
           << stringifyEngine(*result.producer) << " twice";
  return result;
}

/// Rebuilds `loop` with two more loop-carried values that start as `inits` and
/// are yielded unchanged; returns the new loop and, in `carried`, the values
/// inside its body.
static Operation *carryThroughLoop(Operation *loop, ValueRange inits,
                                   SmallVectorImpl<Value> &carried) {
  OpBuilder builder(loop);
  Location loc = loop->getLoc();
  auto append = [&](Block &block, SmallVectorImpl<Value> *out) {
    for (Value init : inits) {
      Value arg = block.addArgument(init.getType(), loc);
      if (out)
        out->push_back(arg);
    }
  };
  Operation *newLoop;
  if (auto forOp = dyn_cast<scf::ForOp>(loop)) {
    SmallVector<Value> all(forOp.getInitArgs());
    llvm::append_range(all, inits);
    auto result =
        scf::ForOp::create(builder, loc, forOp.getLowerBound(),
                           forOp.getUpperBound(), forOp.getStep(), all);
    result.getRegion().takeBody(forOp.getRegion());
    append(*result.getBody(), &carried);
    Operation *yield = result.getBody()->getTerminator();
    yield->insertOperands(yield->getNumOperands(), carried);
    newLoop = result;
  } else {
    auto whileOp = cast<scf::WhileOp>(loop);
    SmallVector<Value> all(whileOp.getInits());
    llvm::append_range(all, inits);
    SmallVector<Type> types(whileOp.getResultTypes());
    llvm::append_range(types, TypeRange(inits));
    auto result = scf::WhileOp::create(builder, loc, types, all);
    result.getBefore().takeBody(whileOp.getBefore());
    result.getAfter().takeBody(whileOp.getAfter());
    SmallVector<Value> before;
    append(result.getBefore().front(), &before);
    append(result.getAfter().front(), &carried);
    Operation *condition = result.getBeforeBody()->getTerminator();
    condition->insertOperands(condition->getNumOperands(), before);
    Operation *yield = result.getAfterBody()->getTerminator();
    yield->insertOperands(yield->getNumOperands(), carried);
    newLoop = result;
  }
  newLoop->setAttrs(loop->getAttrDictionary());
  loop->replaceAllUsesWith(
      newLoop->getResults().take_front(loop->getNumResults()));
  loop->erase();
  return newLoop;
}

/// Makes the body of `loop` yield `values` as its last loop-carried values.
static void setCarried(Operation *loop, ValueRange values) {
  Block *body = isa<scf::ForOp>(loop) ? cast<scf::ForOp>(loop).getBody()
                                      : cast<scf::WhileOp>(loop).getAfterBody();
  Operation *yield = body->getTerminator();
  yield->setOperands(yield->getNumOperands() - values.size(), values.size(),
                     values);
}

/// The loops around `block`, innermost first, up to the kernel.
static FailureOr<SmallVector<Operation *>> enclosingLoops(AllocOp alloc,
                                                          Operation *kernel) {
  SmallVector<Operation *> loops;
  for (Operation *op = alloc->getParentOp(); op != kernel;
       op = op->getParentOp()) {
    bool inAfter = true;
    if (auto whileOp = dyn_cast<scf::WhileOp>(op))
      inAfter = whileOp.getAfter().isAncestor(alloc->getParentRegion());
    if (!isa<scf::ForOp, scf::WhileOp>(op) || !inAfter) {
      InFlightDiagnostic diag =
          alloc.emitOpError()
          << "expected only scf.for and the body of scf.while around a buffer "
             "that carries data between engines, got "
          << op->getName();
      diag.attachNote(op->getLoc()) << "enclosing op here";
      return failure();
    }
    loops.push_back(op);
  }
  return loops;
}

/// Replaces the buffers of `group` by one pipeline.
static LogicalResult materialize(Group &group, gpu::GPUFuncOp kernel) {
  AllocOp front = group.allocs.front();
  Block *home = front->getBlock();
  Span writers, readers;
  for (BufferUse &use : group.uses) {
    for (OpOperand *write : use.writes)
      writers.add(home->findAncestorOpInBlock(*write->getOwner()));
    for (OpOperand *read : use.reads)
      readers.add(home->findAncestorOpInBlock(*read->getOwner()));
  }
  if (!writers.last->isBeforeInBlock(readers.first)) {
    InFlightDiagnostic diag =
        front.emitOpError()
        << "expected every writer before every reader in the buffer's block";
    diag.attachNote(writers.last->getLoc()) << "last writer here";
    diag.attachNote(readers.first->getLoc()) << "first reader here";
    return diag;
  }
  FailureOr<SmallVector<Operation *>> loops = enclosingLoops(front, kernel);
  if (failed(loops))
    return failure();

  SmallVector<BufferType> buffers;
  for (AllocOp alloc : group.allocs)
    buffers.push_back(alloc.getBuffer().getType());
  SmallVector<Type> types(buffers.begin(), buffers.end());
  auto type = PipelineType::get(kernel.getContext(), buffers, /*depth=*/1,
                                group.uses.front().scope);

  OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
  Location loc = front.getLoc();
  Value pipeline = PipelineOp::create(builder, loc, type);
  SmallVector<Value> states = {PipelineStartOp::create(builder, loc, pipeline),
                               PipelineStartOp::create(builder, loc, pipeline)};

  // Outermost first: each loop hands its carried values to the next.
  SmallVector<Operation *> rebuilt;
  for (Operation *loop : llvm::reverse(*loops)) {
    SmallVector<Value> carried;
    rebuilt.push_back(carryThroughLoop(loop, states, carried));
    states = carried;
  }

  // Taking the bodies over keeps blocks alive, but a loop of this block that
  // was a writer or a reader stays what it was: only enclosing loops changed.
  builder.setInsertionPoint(writers.first);
  auto acquire = ProducerAcquireOp::create(builder, writers.first->getLoc(),
                                           types, pipeline, states[0]);
  builder.setInsertionPointAfter(writers.last);
  Value produced = ProducerCommitOp::create(builder, writers.last->getLoc(),
                                            pipeline, states[0]);
  builder.setInsertionPoint(readers.first);
  auto wait = ConsumerWaitOp::create(builder, readers.first->getLoc(), types,
                                     pipeline, states[1]);
  builder.setInsertionPointAfter(readers.last);
  Value released = ConsumerReleaseOp::create(builder, readers.last->getLoc(),
                                             pipeline, states[1]);
  for (auto [index, use] : llvm::enumerate(group.uses)) {
    for (OpOperand *write : use.writes)
      write->set(acquire.getBuffers()[index]);
    for (OpOperand *read : use.reads)
      read->set(wait.getBuffers()[index]);
  }
  for (AllocOp alloc : group.allocs)
    alloc.erase();

  SmallVector<Value> next = {produced, released};
  for (Operation *loop : llvm::reverse(rebuilt)) {
    setCarried(loop, next);
    next.assign({loop->getResult(loop->getNumResults() - 2),
                 loop->getResult(loop->getNumResults() - 1)});
  }
  builder.setInsertionPoint(kernel.getBody().front().getTerminator());
  ProducerTailOp::create(builder, loc, pipeline, next[0]);
  return success();
}

LogicalResult MaterializePipelinesPass::runOnKernel(gpu::GPUFuncOp kernel) {
  llvm::MapVector<GroupKey, Group> groups;
  WalkResult result = kernel.walk([&](AllocOp alloc) {
    FailureOr<BufferUse> use = classify(alloc);
    if (failed(use))
      return WalkResult::interrupt();
    Group &group = groups[{alloc->getBlock(), unsigned(*use->producer),
                           unsigned(*use->consumer), unsigned(use->scope)}];
    group.allocs.push_back(alloc);
    group.uses.push_back(std::move(*use));
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  for (auto &entry : groups)
    if (failed(materialize(entry.second, kernel)))
      return failure();
  return success();
}

void MaterializePipelinesPass::runOnOperation() {
  WalkResult result = getOperation()->walk([&](gpu::GPUFuncOp kernel) {
    if (!kernel.isKernel())
      return WalkResult::advance();
    return failed(runOnKernel(kernel)) ? WalkResult::interrupt()
                                       : WalkResult::advance();
  });
  if (result.wasInterrupted())
    signalPassFailure();
}
