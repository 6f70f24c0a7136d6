//===- SkewPipelines.cpp - loads ahead in one thread ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that makes and consumes one transaction of a pipeline with D slots in
// each iteration becomes one that consumes transaction i and makes transaction
// i + D - 1; the first D - 1 are made before it. The consumer's part comes
// first: the slot that is acquired next is the one of the iteration before, and
// while the thread waits for it the multiplication of this one runs.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Dialect/TMM/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

namespace tc::tmm {
#define GEN_PASS_DEF_SKEWPIPELINESPASS
#include "tc/Dialect/TMM/Passes.h.inc"
} // namespace tc::tmm

using namespace mlir;
using namespace tc::tmm;

namespace {

/// The producer's end of one pipeline in the body of one loop.
struct Producer {
  scf::ForOp loop;
  ProducerAcquireOp acquire;
  ProducerCommitOp commit;
  /// The iteration argument that carries the state.
  BlockArgument state;
  /// What makes a transaction, in order: acquire, accesses, commit, and the
  /// pure ops of the body that they use.
  SmallVector<Operation *> ops;

  int64_t depth() { return acquire.getPipeline().getType().getDepth(); }
  /// Emits one transaction for iteration `index`; returns the state after it.
  Value emit(OpBuilder &b, Value index, Value from);
};

struct SkewPipelinesPass
    : tc::tmm::impl::SkewPipelinesPassBase<SkewPipelinesPass> {
  void runOnOperation() override;
};

} // namespace

Value Producer::emit(OpBuilder &b, Value index, Value from) {
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), index);
  mapping.map(state, from);
  for (Operation *op : ops)
    b.clone(*op, mapping);
  return mapping.lookup(commit.getNext());
}

/// The one `Op` that uses `pipeline`; null where there are none or several.
template <typename Op>
static Op findOne(PipelineOp pipeline) {
  Op found;
  for (Operation *user : pipeline.getPipeline().getUsers())
    if (auto op = dyn_cast<Op>(user)) {
      if (found)
        return nullptr;
      found = op;
    }
  return found;
}

/// The iteration argument by which `loop` counts transactions that `begin` and
/// `end`, both in its body, make once in each iteration; null where it counts
/// others.
template <typename Begin, typename End>
static BlockArgument findCount(scf::ForOp loop, Begin begin, End end) {
  Block *body = loop.getBody();
  if (begin->getBlock() != body || end->getBlock() != body ||
      begin.getState() != end.getState() || !begin->isBeforeInBlock(end))
    return nullptr;
  auto state = dyn_cast<BlockArgument>(begin.getState());
  if (!state || state.getOwner() != body)
    return nullptr;
  OpOperand *yielded = loop.getTiedLoopYieldedValue(state);
  return yielded && yielded->get() == end.getNext() ? state : nullptr;
}

/// The producer's end of `pipeline`, if its transactions are made, consumed and
/// released once in each iteration of one loop that counts up by one: the slot
/// that is filled ahead is one that the same iteration has released.
static std::optional<Producer> matchProducer(PipelineOp pipeline) {
  Producer result;
  result.acquire = findOne<ProducerAcquireOp>(pipeline);
  result.commit = findOne<ProducerCommitOp>(pipeline);
  auto wait = findOne<ConsumerWaitOp>(pipeline);
  auto release = findOne<ConsumerReleaseOp>(pipeline);
  if (!result.acquire || !result.commit || !wait || !release)
    return std::nullopt;
  Block *body = result.acquire->getBlock();
  result.loop = dyn_cast<scf::ForOp>(body->getParentOp());
  if (!result.loop || result.loop.getUnsignedCmp() ||
      !matchPattern(result.loop.getStep(), m_One()))
    return std::nullopt;
  result.state = findCount(result.loop, result.acquire, result.commit);
  if (!result.state || !findCount(result.loop, wait, release))
    return std::nullopt;

  SetVector<Operation *> roots;
  roots.insert(result.acquire);
  for (Value buffer : result.acquire.getBuffers())
    for (Operation *access : buffer.getUsers())
      if (access->getBlock() == body)
        roots.insert(access);
      else
        return std::nullopt;
  roots.insert(result.commit);
  BackwardSliceOptions options;
  options.inclusive = true;
  options.filter = [&](Operation *op) {
    return op->getBlock() == body && (roots.contains(op) || isPure(op));
  };
  SetVector<Operation *> slice;
  for (Operation *root : roots)
    if (failed(getBackwardSlice(root, &slice, options)))
      return std::nullopt;
  // What an iteration computes with effects, as the rows that fill a store
  // buffer, does not exist before it.
  auto isAvailable = [&](Value value) {
    if (result.loop.isDefinedOutsideOfLoop(value) || value == result.state ||
        value == result.loop.getInductionVar())
      return true;
    return value.getDefiningOp() && slice.contains(value.getDefiningOp());
  };
  for (Operation *op : slice)
    if (!llvm::all_of(op->getOperands(), isAvailable))
      return std::nullopt;
  for (Operation &op : *body)
    if (slice.contains(&op))
      result.ops.push_back(&op);
  return result;
}

/// Makes the transactions of `producer` depth - 1 iterations ahead.
static void skew(Producer &producer) {
  scf::ForOp loop = producer.loop;
  Location loc = loop.getLoc();
  OpBuilder b(loop);
  Type indexType = loop.getInductionVar().getType();
  auto constant = [&](OpBuilder &b, int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc,
                                     b.getIntegerAttr(indexType, value));
  };
  unsigned number = producer.state.getArgNumber() - 1;

  // Before the loop: what it is ahead, or all there is.
  Value ahead = constant(b, producer.depth() - 1);
  Value end = arith::MinSIOp::create(
      b, loc, arith::AddIOp::create(b, loc, loop.getLowerBound(), ahead),
      loop.getUpperBound());
  auto prologue = scf::ForOp::create(
      b, loc, loop.getLowerBound(), end, loop.getStep(),
      loop.getInitArgs()[number],
      [&](OpBuilder &b, Location, Value index, ValueRange state) {
        scf::YieldOp::create(b, loc, producer.emit(b, index, state[0]));
      });
  loop.getInitArgsMutable()[number].assign(prologue.getResult(0));

  // At the end of the body: the transaction that many iterations ahead.
  b.setInsertionPoint(loop.getBody()->getTerminator());
  Value next = arith::AddIOp::create(b, loc, loop.getInductionVar(), ahead);
  Value exists = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, next,
                                       loop.getUpperBound());
  auto more = scf::IfOp::create(
      b, loc, exists,
      [&](OpBuilder &b, Location) {
        scf::YieldOp::create(b, loc, producer.emit(b, next, producer.state));
      },
      [&](OpBuilder &b, Location) {
        scf::YieldOp::create(b, loc, producer.state);
      });
  producer.commit.getNext().replaceAllUsesWith(more.getResult(0));
  for (Operation *op : llvm::reverse(producer.ops))
    if (op->use_empty() && !isa<ProducerAcquireOp>(op))
      op->erase();
  producer.acquire->erase();
}

void SkewPipelinesPass::runOnOperation() {
  getOperation()->walk([&](gpu::GPUFuncOp kernel) {
    // Roles that run side by side load ahead by themselves.
    auto isRole = [](WarpSpecializeOp) { return WalkResult::interrupt(); };
    if (kernel.walk(isRole).wasInterrupted())
      return;
    SmallVector<Producer> producers;
    kernel.walk([&](PipelineOp op) {
      if (op.getPipeline().getType().getDepth() == 1)
        return;
      if (std::optional<Producer> producer = matchProducer(op))
        producers.push_back(std::move(*producer));
    });
    for (Producer &producer : producers) {
      skew(producer);
      ++numSkewed;
    }
  });
}
