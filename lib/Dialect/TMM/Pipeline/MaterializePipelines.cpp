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
// last writer and reader in the block that holds the buffer, or in that of a
// loop or branch which is alone in using it; both states are threaded through
// every loop and branch around that block, and the producer's tail goes to the
// end of the kernel.
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
  explicit EndOfBuffer(EngineOpInterface op)
      : engine(op.getEngine()), span(op.getSpan()), role(op.getRoleName()) {}

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

/// How one buffer is used, seen from the block whose executions are its
/// transactions.
struct BufferUse {
  std::optional<EndOfBuffer> producer, consumer;
  SmallVector<OpOperand *> writes, reads;
  /// By which the producer looks at what the consumer left when all is done.
  SmallVector<OpOperand *> inspections;
  Block *home = nullptr;
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

/// Whether `alloc` shares its memory with another buffer.
static bool isShared(AllocOp alloc) {
  return alloc.getOver() ||
         llvm::any_of(alloc->getUsers(), llvm::IsaPred<AllocOp>);
}

/// The buffers of one pipeline.
struct Group {
  SmallVector<AllocOp> allocs;
  SmallVector<BufferUse, 1> uses;
  /// Where it has taken the place of the buffers.
  PipelineOp pipeline;

  /// Whether `alloc` can be filled and emptied with them.
  bool takes(AllocOp alloc, const BufferUse &use) {
    // What shares its memory has slots of its own.
    // So has what the producer inspects, each after its own loop.
    if (isShared(alloc) || isShared(allocs.front()) ||
        !use.inspections.empty() || !uses.front().inspections.empty() ||
        uses.front().home != use.home ||
        allocs.front().getStages() != alloc.getStages() ||
        allocs.front().getLateRelease() != alloc.getLateRelease() ||
        allocs.front().getReleaseOnRead() != alloc.getReleaseOnRead() ||
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
    for (const BufferUse &use : uses) {
      spans.first.add(use.home, use.writes);
      spans.second.add(use.home, use.reads);
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
  EndOfBuffer end(user);
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

/// The block whose executions are the transactions of `alloc`: its own, or,
/// where it is read in a loop or branch that also writes it, so that it keeps
/// its contents from one to the next, the block of that.
static Block *findHome(AllocOp alloc, const BufferUse &use) {
  Block *home = alloc->getBlock();
  while (true) {
    Span span;
    span.add(home, use.writes);
    span.add(home, use.reads);
    Operation *holder = span.first;
    if (span.first != span.last || use.writes.front()->getOwner() == holder)
      return home;
    Block *inner = nullptr;
    for (Region &region : holder->getRegions())
      for (Block &block : region)
        if (block.findAncestorOpInBlock(*use.writes.front()->getOwner()))
          inner = &block;
    for (ArrayRef<OpOperand *> uses :
         {ArrayRef(use.writes), ArrayRef(use.reads)})
      for (OpOperand *other : uses)
        if (!inner->findAncestorOpInBlock(*other->getOwner()))
          return home;
    home = inner;
  }
}

/// Checks that the producer looks at what consumers left after the loop in
/// which it and they take turns.
static LogicalResult verifyInspections(AllocOp alloc, const BufferUse &use) {
  Block *block = alloc->getBlock();
  for (OpOperand *inspection : use.inspections) {
    Operation *op = inspection->getOwner();
    bool isAfter = use.home != block &&
                   block->findAncestorOpInBlock(*use.home->getParentOp())
                       ->isBeforeInBlock(block->findAncestorOpInBlock(*op));
    if (isAfter)
      continue;
    InFlightDiagnostic diag =
        alloc.emitOpError()
        << "expected what writes the buffer to read it after the loop in which "
           "another engine modifies it, got another place";
    diag.attachNote(op->getLoc()) << "read here";
    return diag;
  }
  return success();
}

/// The writer and the readers of `alloc`. An op that does both is its producer
/// (an accumulating mma), unless another one is: then it modifies the buffer
/// and hands it back.
static FailureOr<BufferUse> classify(AllocOp alloc) {
  BufferUse result;
  // In the order of the program, which that of a list of uses need not be.
  SmallVector<OpOperand *> uses;
  alloc->getBlock()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<AllocOp>(op))
      return;
    for (OpOperand &operand : op->getOpOperands())
      if (operand.get() == alloc.getBuffer())
        uses.push_back(&operand);
  });
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
    Value buffer = alloc.getBuffer();
    bool writes =
        effectOp.getEffectOnValue<MemoryEffects::Write>(buffer).has_value();
    bool reads =
        effectOp.getEffectOnValue<MemoryEffects::Read>(buffer).has_value();
    EndOfBuffer end(engineOp);
    if (writes && reads && result.producer && !result.producer->joins(end))
      writes = false;
    if (!writes && result.consumer && !result.consumer->joins(end) &&
        result.producer && result.producer->joins(end)) {
      result.inspections.push_back(use);
      continue;
    }
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
  result.home = findHome(alloc, result);
  if (failed(verifyInspections(alloc, result)))
    return failure();
  if (result.home != alloc->getBlock() && alloc.getStages() != 1) {
    InFlightDiagnostic diag =
        alloc.emitOpError()
        << "expected one stage of a buffer that keeps its contents from one "
           "transaction to the next, got "
        << alloc.getStages();
    diag.attachNote(result.home->getParentOp()->getLoc()) << "made here";
    return diag;
  }
  return result;
}

/// The loops and branches around `home`, innermost first, up to the kernel.
static FailureOr<SmallVector<Operation *>>
enclosingLoops(AllocOp alloc, Block *home, Operation *kernel) {
  SmallVector<Operation *> loops;
  for (Operation *op = home->getParentOp(); op != kernel;
       op = op->getParentOp()) {
    bool inAfter = true;
    if (auto whileOp = dyn_cast<scf::WhileOp>(op))
      inAfter = whileOp.getAfter().isAncestor(home->getParent());
    if (!isa<scf::ForOp, scf::WhileOp, scf::IfOp>(op) || !inAfter) {
      InFlightDiagnostic diag =
          alloc.emitOpError()
          << "expected only scf.for, scf.if and the body of scf.while around a "
             "buffer that carries data between engines, got "
          << op->getName();
      diag.attachNote(op->getLoc()) << "enclosing op here";
      return failure();
    }
    loops.push_back(op);
  }
  return loops;
}

/// Has the producer look at the slots of `group` where it does so after `loop`,
/// of which `state` is its state.
static void inspect(Group &group, Operation *loop, Value state) {
  Span span;
  for (auto [use, alloc] : llvm::zip_equal(group.uses, group.allocs))
    if (alloc->getBlock() == loop->getBlock())
      span.add(loop->getBlock(), use.inspections);
  if (!span.first)
    return;
  OpBuilder builder(span.first);
  auto op = ProducerInspectOp::create(builder, span.first->getLoc(),
                                      group.pipeline.getPipeline(), state);
  for (auto [index, use] : llvm::enumerate(group.uses))
    for (OpOperand *inspection : use.inspections)
      inspection->set(op.getBuffers()[index]);
}

/// Replaces the buffers of `group`, which shares the slots of `over` if it is
/// not null, by one pipeline.
static LogicalResult materialize(Group &group, Group *over,
                                 gpu::GPUFuncOp kernel) {
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
  FailureOr<SmallVector<Operation *>> loops =
      enclosingLoops(front, group.uses.front().home, kernel);
  if (failed(loops))
    return failure();

  SmallVector<BufferType> buffers;
  for (AllocOp alloc : group.allocs)
    buffers.push_back(alloc.getBuffer().getType());
  auto type = PipelineType::get(kernel.getContext(), buffers, /*depth=*/1);

  OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
  if (over)
    builder.setInsertionPointAfter(over->pipeline);
  Location loc = front.getLoc();
  group.pipeline = PipelineOp::create(
      builder, loc, type, over ? over->pipeline.getPipeline() : Value(),
      front.getStages(), front.getLateRelease(), front.getReleaseOnRead());
  Value pipeline = group.pipeline.getPipeline();
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

  SmallVector<Value> next = {produced, released};
  for (Operation *loop : llvm::reverse(rebuilt)) {
    setCarried(loop, next);
    next.assign({loop->getResult(loop->getNumResults() - 2),
                 loop->getResult(loop->getNumResults() - 1)});
    inspect(group, loop, next[0]);
  }
  for (AllocOp alloc : group.allocs)
    alloc.erase();
  builder.setInsertionPoint(kernel.getBody().front().getTerminator());
  ProducerTailOp::create(builder, loc, pipeline, next[0]);
  // The ends have the same requirements on the places of their ops in every
  // pass.
  return failure(failed(deriveProducers(group.pipeline)) ||
                 failed(deriveConsumers(group.pipeline)));
}

/// Checks that `over` is filled when the buffer whose memory it shares has been
/// read. With the pipelines of both that orders all of their accesses.
static LogicalResult verifyOrder(Group &shared, Group &over) {
  AllocOp alloc = over.allocs.front();
  if (shared.uses.front().home != over.uses.front().home) {
    // Transactions of different loops do not alternate.
    InFlightDiagnostic diag =
        alloc.emitOpError() << "expected transactions in the block of those of "
                               "the buffer whose memory it shares, got "
                               "another block";
    diag.attachNote(shared.uses.front().home->getParentOp()->getLoc())
        << "those of the other buffer here";
    return diag;
  }
  Span readers = shared.getSpans().second, writers = over.getSpans().first;
  if (readers.last->isBeforeInBlock(writers.first))
    return success();
  InFlightDiagnostic diag = alloc.emitOpError()
                            << "expected the buffer whose memory it shares to "
                               "be read before it is written";
  diag.attachNote(readers.last->getLoc()) << "last reader here";
  diag.attachNote(writers.first->getLoc()) << "first writer here";
  return diag;
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
  // The groups whose memory others share.
  SmallVector<Group *> overs;
  for (Group &group : groups) {
    AllocOp alloc = group.allocs.front();
    Value over = alloc.getOver();
    overs.push_back(
        over ? llvm::find_if(groups,
                             [&](Group &other) {
                               return other.allocs.front().getBuffer() == over;
                             })
             : nullptr);
    if (over && failed(verifyOrder(*overs.back(), group)))
      return failure();
  }
  for (Group &group : groups)
    group.allocs.front().getOverMutable().clear();
  for (auto [group, over] : llvm::zip(groups, overs))
    if (failed(materialize(group, over, kernel)))
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
