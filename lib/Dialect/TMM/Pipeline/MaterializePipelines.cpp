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

#include "LoopCarry.h"

#include "tc/Dialect/TMM/IR/KernelForm.h"
#include "tc/Dialect/TMM/IR/PipelineEnds.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Dialect/TMM/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

namespace tc::tmm {
#define GEN_PASS_DEF_MATERIALIZEPIPELINESPASS
#include "tc/Dialect/TMM/Passes.h.inc"
} // namespace tc::tmm

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

namespace {

/// What acts at one end of a buffer.
struct EndOfBuffer {
  EngineAttrInterface engine;
  AgentSetAttrInterface span;
  StringAttr role;

  /// Whether one transaction can end with the work of both.
  bool joins(const EndOfBuffer &other) const {
    return span == other.span && role == other.role &&
           (engine == other.engine ||
            (engine.covers(other.engine) && other.engine.covers(engine)));
  }
};

/// How one buffer is used, seen from the block that holds it.
struct BufferUse {
  std::optional<EndOfBuffer> producer, consumer;
  SmallVector<OpOperand *> writes, reads;
};

/// The ops of a block around which protocol ops are placed.
struct Span {
  Operation *first = nullptr, *last = nullptr;

  void add(Operation *op) {
    if (!first || op->isBeforeInBlock(first))
      first = op;
    if (!last || last->isBeforeInBlock(op))
      last = op;
  }
  /// Adds the ops of `home` that hold `uses`.
  void add(Block *home, ArrayRef<OpOperand *> uses) {
    for (OpOperand *use : uses)
      add(home->findAncestorOpInBlock(*use->getOwner()));
  }
};

/// The buffers of one pipeline.
struct Group {
  SmallVector<AllocOp> allocs;
  SmallVector<BufferUse> uses;

  /// Whether `alloc` can be filled and emptied with them.
  bool takes(AllocOp alloc, const BufferUse &use) {
    if (allocs.front()->getBlock() != alloc->getBlock() ||
        allocs.front().getStages() != alloc.getStages() ||
        allocs.front().getLateRelease() != alloc.getLateRelease() ||
        !uses.front().producer->joins(*use.producer) ||
        !uses.front().consumer->joins(*use.consumer))
      return false;
    // What is emptied before the next is filled has slots of its own.
    Group both = *this;
    both.add(alloc, use);
    auto [writers, readers] = both.getSpans();
    return writers.last->isBeforeInBlock(readers.first);
  }
  void add(AllocOp alloc, const BufferUse &use) {
    allocs.push_back(alloc);
    uses.push_back(use);
  }
  /// The ops that fill the buffers and those that empty them.
  std::pair<Span, Span> getSpans() {
    std::pair<Span, Span> spans;
    for (auto [alloc, use] : llvm::zip(allocs, uses)) {
      spans.first.add(alloc->getBlock(), use.writes);
      spans.second.add(alloc->getBlock(), use.reads);
    }
    return spans;
  }
};

struct MaterializePipelinesPass
    : tc::tmm::impl::MaterializePipelinesPassBase<MaterializePipelinesPass> {
  void runOnOperation() override;
  LogicalResult runOnKernel(gpu::GPUFuncOp kernel);
};

} // namespace

/// Notes that `user` is at the end `slot` of `alloc`; a buffer has one engine
/// and one role on each end.
static LogicalResult mergeEnd(AllocOp alloc, EngineOpInterface user,
                              StringRef verb,
                              std::optional<EndOfBuffer> &slot) {
  EndOfBuffer end{user.getEngine(), user.getSpan(), user.getRoleName()};
  if (slot && !slot->joins(end)) {
    InFlightDiagnostic diag = alloc.emitOpError()
                              << "expected one engine, role and span to "
                              << verb << " the buffer, got ";
    if (slot->engine != end.engine)
      diag << slot->engine << " and " << end.engine;
    else
      diag << "two";
    diag.attachNote(user->getLoc()) << "second here";
    return diag;
  }
  slot = end;
  return success();
}

/// The writer and the readers of `alloc`. An op that does both (an accumulating
/// mma) is its producer.
static FailureOr<BufferUse> classify(AllocOp alloc) {
  BufferUse result;
  // In the order of the program: the last use comes first.
  SmallVector<OpOperand *> uses = llvm::map_to_vector(
      alloc.getBuffer().getUses(), [](OpOperand &use) { return &use; });
  std::reverse(uses.begin(), uses.end());
  for (OpOperand *use : uses) {
    Operation *user = use->getOwner();
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
    (writes ? result.writes : result.reads).push_back(use);
    if (failed(mergeEnd(alloc, engineOp, writes ? "write" : "read",
                        writes ? result.producer : result.consumer)))
      return failure();
  }
  if (!result.producer || !result.consumer)
    return alloc.emitOpError() << "expected a writer and a reader, got "
                               << (result.producer ? "no reader" : "no writer");
  if (result.producer->engine == result.consumer->engine)
    return alloc.emitOpError()
           << "expected different engines on both ends, got "
           << result.producer->engine << " twice";
  return result;
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
  auto [writers, readers] = group.getSpans();
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
  auto type = PipelineType::get(kernel.getContext(), buffers, /*depth=*/1);

  OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
  Location loc = front.getLoc();
  Value pipeline = PipelineOp::create(builder, loc, type, front.getStages(),
                                      front.getLateRelease());
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
                                           pipeline, states[0]);
  builder.setInsertionPointAfter(writers.last);
  Value produced = ProducerCommitOp::create(builder, writers.last->getLoc(),
                                            pipeline, states[0]);
  builder.setInsertionPoint(readers.first);
  auto wait = ConsumerWaitOp::create(builder, readers.first->getLoc(), pipeline,
                                     states[1]);
  builder.setInsertionPointAfter(readers.last);
  Value released = ConsumerReleaseOp::create(builder, readers.last->getLoc(),
                                             pipeline, states[1]);
  for (auto [index, use] : llvm::enumerate(group.uses)) {
    for (OpOperand *write : llvm::reverse(use.writes))
      write->set(acquire.getBuffers()[index]);
    for (OpOperand *read : llvm::reverse(use.reads))
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
  // The ends have the same requirements on the places of their ops in every
  // pass.
  auto op = pipeline.getDefiningOp<PipelineOp>();
  return failure(failed(deriveProducers(op)) || failed(deriveConsumers(op)));
}

LogicalResult MaterializePipelinesPass::runOnKernel(gpu::GPUFuncOp kernel) {
  SmallVector<Group, 4> groups;
  WalkResult result = kernel.walk([&](AllocOp alloc) {
    if (groups.empty() && failed(verifyStructured(kernel)))
      return WalkResult::interrupt();
    FailureOr<BufferUse> use = classify(alloc);
    if (failed(use))
      return WalkResult::interrupt();
    auto *group = llvm::find_if(
        groups, [&](Group &group) { return group.takes(alloc, *use); });
    if (group == groups.end())
      group = &groups.emplace_back();
    group->add(alloc, *use);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  for (Group &group : groups)
    if (failed(materialize(group, kernel)))
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
