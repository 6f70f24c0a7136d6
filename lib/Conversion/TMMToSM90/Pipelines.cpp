//===- Pipelines.cpp - lower pipelines to mbarriers -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place where the protocol of pipelines becomes barriers, phases,
// expected bytes, arrivals and fences, by the plan of each (PipelinePlan.cpp):
//
//   completion  at commit or release                the other end waits for
//   bytes       arrive.expect_tx, bytes of copies   the mbarrier
//   commit      the engine's commit                 the mbarrier
//   arrive      fences of the memory, arrive        the mbarrier, or a named
//   barrier group       the engine's group                  the group, then a
//   named barrier
//
// Fences belong to memory spaces: what a thread does before it passes a tile
// over and after it got one.
//
// Work that is pending at return is awaited before a slot is released: before
// its own release, or with late_release before the next one's.
//
// A state is the pair (slot, lap mod 2). The consumer waits for the parity of
// its lap, the producer for the other one, which a fresh barrier passes: it is
// one lap ahead.
//
// Arrivals on a barrier of another CTA are relaxed where fences or the counting
// of bytes order the accesses: a release at the scope of the cluster would wait
// for all stores of the thread.
//
//===----------------------------------------------------------------------===//

#include "PipelineLayout.h"

#include "tc/Conversion/TMMToSM90/TMMToSM90.h"
#include "tc/Dialect/TMM/IR/KernelForm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tc {
#define GEN_PASS_DEF_CONVERTTMMPIPELINESTOSM90PASS
#include "tc/Conversion/Passes.h.inc"
} // namespace tc

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

//===----------------------------------------------------------------------===//
// Ends
//===----------------------------------------------------------------------===//

namespace {

/// One end's position: the slot, and the lap mod 2.
struct State {
  Value slot, phase;
  int64_t depth;

  State(ValueRange values, int64_t depth)
      : slot(values[0]), phase(values[1]), depth(depth) {}

  /// The slot's barrier in `array`, static where there is one slot.
  Value barrier(OpBuilder &b, Location loc, Value array) const {
    OpFoldResult index = b.getIndexAttr(0);
    if (depth > 1)
      index = b.createOrFold<arith::IndexCastOp>(loc, b.getIndexType(), slot);
    return sm90::MBarrierGetOp::create(b, loc, array, index);
  }
  /// The state after this transaction.
  SmallVector<Value> advance(OpBuilder &b, Location loc) const {
    Value one = emitI32(b, loc, 1);
    if (depth == 1)
      return {slot, arith::XOrIOp::create(b, loc, phase, one)};
    // Of two slots the number of one is a bit, and the lap ends after slot 1.
    if (depth == 2) {
      Value nextPhase = arith::XOrIOp::create(b, loc, phase, slot);
      return {arith::XOrIOp::create(b, loc, slot, one), nextPhase};
    }
    Value next = arith::AddIOp::create(b, loc, slot, one);
    Value wraps = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, next,
                                        emitI32(b, loc, depth));
    Value nextSlot =
        arith::SelectOp::create(b, loc, wraps, emitI32(b, loc, 0), next);
    // A producer waits with the other parity, so it has it already.
    Value flipped = arith::XOrIOp::create(b, loc, phase, one);
    return {nextSlot, arith::SelectOp::create(b, loc, wraps, flipped, phase)};
  }
  /// The state after `count` (i32) transactions, none if it is negative.
  SmallVector<Value> advanceBy(OpBuilder &b, Location loc, Value count) const {
    count = arith::MaxSIOp::create(b, loc, count, emitI32(b, loc, 0));
    Value size = emitI32(b, loc, depth);
    Value last = arith::AddIOp::create(b, loc, slot, count);
    Value laps = arith::DivUIOp::create(b, loc, last, size);
    Value odd = arith::AndIOp::create(b, loc, laps, emitI32(b, loc, 1));
    return {arith::RemUIOp::create(b, loc, last, size),
            arith::XOrIOp::create(b, loc, phase, odd)};
  }
};

/// One side of a pipeline, as the code of one of its ends sees it.
struct Side {
  const PipelineLayout &layout;
  const PipelineEnd &end;
  unsigned number;
  bool isProducer;
  KernelFacts facts;

  const PipelineEnds &others() const {
    return isProducer ? layout.plan.consumers : layout.plan.producers;
  }
  /// The direction in which the end completes, and that in which it waits.
  const Direction &completes() const {
    return isProducer ? layout.plan.full : layout.plan.empty;
  }
  const Direction &waits() const {
    return isProducer ? layout.plan.empty : layout.plan.full;
  }
  const DirectionValues &completeValues() const {
    return isProducer ? layout.full : layout.empty;
  }
  const DirectionValues &waitValues() const {
    return isProducer ? layout.empty : layout.full;
  }
  const ArrivalValues &arrival() const {
    return completeValues().arrivals[number];
  }
  EngineAttrInterface engine() const { return end.getEngine(); }
  Proxy otherProxy() const {
    for (const PipelineEnd &other : others())
      if (other.getEngine().getProxy() == Proxy::Async)
        return Proxy::Async;
    return Proxy::Generic;
  }
  /// Whether the threads of the other ends execute fences before they arrive;
  /// where an engine arrives by itself, none has.
  bool isFencedByOthers() const {
    return llvm::all_of(others(), [](const PipelineEnd &other) {
      return other.getEngine().getCompletion() == Completion::Arrive;
    });
  }
  /// The memory spaces of the tiles that it uses.
  SmallVector<MemorySpaceAttrInterface> spaces() const {
    llvm::SmallSetVector<MemorySpaceAttrInterface, 2> result;
    for (unsigned buffer : end.buffers)
      result.insert(layout.plan.type.getBuffers()[buffer].getSpace());
    return result.takeVector();
  }
  /// Whether fences of its memory order accesses, so that arrivals need not.
  bool isOrderedByFences() const {
    return llvm::all_of(spaces(), [](MemorySpaceAttrInterface space) {
      return space.isOrderedByFences();
    });
  }
};

} // namespace

/// Emits `body` for the threads that issue the ops of `side`: where that is one
/// thread, it alone, of the CTA that acts.
static void emitIssue(OpBuilder &b, Location loc, const Side &side,
                      function_ref<void(OpBuilder &)> body) {
  if (side.engine().getIssue() != Issue::Thread)
    return body(b);
  if (side.end.region) {
    auto roles = cast<WarpSpecializeOp>(side.end.region->getParentOp());
    unsigned role = side.end.region->getRegionNumber();
    if (roles.isElected(role) && roles.getSpan(role) == side.end.span)
      return body(b);
  }
  auto issue = IssueOp::create(b, loc, side.end.span);
  OpBuilder in = OpBuilder::atBlockBegin(&issue.getBody().emplaceBlock());
  body(in);
}

/// Emits `body` for the threads that arrive for `side`.
static void emitArriving(OpBuilder &b, Location loc, const Side &side,
                         function_ref<void(OpBuilder &)> body) {
  Issue issue = side.engine().getIssue();
  if (issue != Issue::Warp && issue != Issue::Warpgroup)
    return body(b);
  int64_t group = issue == Issue::Warp ? kWarpThreads : kWarpgroupThreads;
  Value thread = gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x);
  thread = arith::IndexCastOp::create(b, loc, b.getI32Type(), thread);
  Value inGroup =
      arith::RemUIOp::create(b, loc, thread, emitI32(b, loc, group));
  Value first = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, inGroup,
                                      emitI32(b, loc, 0));
  auto guard = scf::IfOp::create(b, loc, first);
  OpBuilder in = guard.getThenBodyBuilder();
  body(in);
}

/// Synchronises the threads of the role of `side`.
static void emitNamedBarrier(OpBuilder &b, Location loc, const Side &side) {
  // A role's threads synchronise in one order, so that one barrier serves
  // all of them; barrier 0 is the CTA's.
  uint32_t id = 1;
  if (side.end.region)
    id += side.end.region->getRegionNumber();
  sm90::NamedBarrierOp::create(b, loc, id,
                               uint32_t(getRoleThreads(side.end, side.facts)));
}

/// Waits until the other end has completed the transaction of `state`.
static void emitWait(OpBuilder &b, Location loc, const Side &side,
                     const State &state) {
  const Direction &direction = side.waits();
  switch (direction.signal) {
  case Signal::None:
    return;
  case Signal::NamedBarrier:
    emitNamedBarrier(b, loc, side);
    break;
  case Signal::Group: {
    // The issuer's groups are a queue, one for each transaction.
    const PipelineEnd &issuer = side.others().front();
    Side issuing{side.layout, issuer, 0, !side.isProducer, side.facts};
    emitIssue(b, loc, issuing, [&](OpBuilder &in) {
      issuer.getEngine().emitGroupWait(in, loc, state.depth - 1,
                                       /*written=*/false);
    });
    if (side.engine().getIssue() != Issue::Thread)
      emitNamedBarrier(b, loc, side);
    return;
  }
  case Signal::Barrier:
    emitIssue(b, loc, side, [&](OpBuilder &in) {
      Value parity = state.phase;
      if (side.isProducer)
        parity = arith::XOrIOp::create(in, loc, parity, emitI32(in, loc, 1));
      // Threads of other CTAs arrive here for themselves.
      bool arrive = side.others().front().getEngine().getCompletion() ==
                    Completion::Arrive;
      bool cluster = direction.crosses && arrive;
      bool relaxed = cluster && side.isOrderedByFences();
      sm90::MBarrierWaitParityOp::create(
          in, loc, state.barrier(in, loc, side.waitValues().barriers), parity,
          relaxed, cluster);
      if (relaxed)
        for (MemorySpaceAttrInterface space : side.spaces())
          space.emitAcquire(in, loc);
    });
    break;
  }
  emitIssue(b, loc, side, [&](OpBuilder &in) {
    for (MemorySpaceAttrInterface space : side.spaces())
      space.emitFenceAfter(in, loc, side.otherProxy(), side.engine().getProxy(),
                           direction.crosses, side.isFencedByOthers());
  });
}

/// The bytes of a slot that `end` fills.
static int64_t getBytes(const PipelineLayout &layout, const PipelineEnd &end) {
  int64_t bytes = 0;
  for (unsigned buffer : end.buffers)
    bytes += layout.plan.type.getBuffers()[buffer].getBytes();
  return bytes;
}

/// Lets the other end know that the transaction of `state` is complete, when it
/// is.
static void emitComplete(OpBuilder &b, Location loc, const Side &side,
                         const State &state) {
  EngineAttrInterface engine = side.engine();
  Signal signal = side.completes().signal;
  if (signal == Signal::None)
    return;
  switch (engine.getCompletion()) {
  case Completion::Bytes:
    return emitIssue(b, loc, side, [&](OpBuilder &in) {
      for (Value array : side.arrival().arrays)
        sm90::MBarrierArriveExpectTxOp::create(
            in, loc, state.barrier(in, loc, array),
            uint32_t(getBytes(side.layout, side.end)),
            /*relaxed=*/side.completes().crosses);
    });
  case Completion::Commit:
    return emitIssue(b, loc, side, [&](OpBuilder &in) {
      int64_t ctas = side.end.span ? side.end.span.getMembers(0).size() : 1;
      // The mask names the CTAs; the barrier is at its place in each.
      engine.emitCommit(in, loc,
                        state.barrier(in, loc, side.completeValues().barriers),
                        side.arrival().mask, ctas);
    });
  case Completion::Group:
    return emitIssue(b, loc, side,
                     [&](OpBuilder &in) { engine.emitGroupCommit(in, loc); });
  case Completion::Arrive:
    break;
  }
  for (MemorySpaceAttrInterface space : side.spaces())
    space.emitFenceBefore(b, loc, engine.getProxy(), side.otherProxy());
  if (signal != Signal::Barrier)
    return;
  emitArriving(b, loc, side, [&](OpBuilder &in) {
    bool relaxed = side.completes().crosses && side.isOrderedByFences();
    if (relaxed)
      for (MemorySpaceAttrInterface space : side.spaces())
        space.emitRelease(in, loc);
    for (Value array : side.arrival().arrays)
      sm90::MBarrierArriveOp::create(in, loc, state.barrier(in, loc, array),
                                     /*count=*/1, relaxed);
  });
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {

/// Base of the patterns: finds the pipeline and the end that an op belongs to.
template <typename Op>
struct PipelinePattern : OpConversionPattern<Op> {
  PipelinePattern(TypeConverter &converter, MLIRContext *context,
                  const PipelineLayouts &layouts, KernelFacts facts)
      : OpConversionPattern<Op>(converter, context), layouts(layouts),
        facts(facts) {}

  const PipelineLayout &lookup(Op op) const {
    return layouts.find(op.getPipeline())->second;
  }
  Side getSide(Op op, bool isProducer) const {
    const PipelineLayout &layout = lookup(op);
    const PipelineEnds &ends =
        isProducer ? layout.plan.producers : layout.plan.consumers;
    Region *region = nullptr;
    if (auto role = WarpSpecializeOp::findRole(op->getBlock()))
      region = &role->first.getRoles()[role->second];
    unsigned number = 0;
    for (auto [index, end] : llvm::enumerate(ends))
      if (end.region == region)
        number = index;
    return {layout, ends[number], number, isProducer, facts};
  }

  const PipelineLayouts &layouts;
  KernelFacts facts;
};

struct StartPattern : PipelinePattern<PipelineStartOp> {
  using PipelinePattern::PipelinePattern;
  LogicalResult
  matchAndRewrite(PipelineStartOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value zero = emitI32(rewriter, op.getLoc(), 0);
    SmallVector<Value> state = {zero, zero};
    rewriter.replaceOpWithMultiple(op, {ValueRange(state)});
    return success();
  }
};

/// Acquire and wait: the slot of the state, once the other end is done with it.
template <typename Op, bool isProducer>
struct TakePattern : PipelinePattern<Op> {
  using PipelinePattern<Op>::PipelinePattern;
  LogicalResult
  matchAndRewrite(Op op,
                  typename OpConversionPattern<Op>::OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Side side = this->getSide(op, isProducer);
    Location loc = op.getLoc();
    State state(adaptor.getState(), side.layout.plan.type.getDepth());
    emitWait(rewriter, loc, side, state);
    SmallVector<Value> tiles;
    for (Value storage : side.layout.storages)
      tiles.push_back(TileSlotOp::create(rewriter, loc, storage, state.slot));
    // Copies count their bytes at the consumer of this CTA's slot.
    if (isProducer && side.engine().getCompletion() == Completion::Bytes)
      emitSignals(op, side, state, rewriter);
    rewriter.replaceOp(op, tiles);
    return success();
  }

  /// Tells the copies into the slot which barrier counts their bytes.
  void emitSignals(Op op, const Side &side, const State &state,
                   ConversionPatternRewriter &rewriter) const {
    // An op over several CTAs counts at its place in each of them.
    Value array = side.end.span ? side.completeValues().barriers
                                : side.arrival().arrays.front();
    Value barrier = state.barrier(rewriter, op.getLoc(), array);
    for (EngineOpInterface access : side.end.accesses)
      if (llvm::is_contained(op->getUsers(), access.getOperation()))
        rewriter.modifyOpInPlace(access, [&] { access.setSignal(barrier); });
  }
};

/// Commit and release.
template <typename Op, bool isProducer>
struct GivePattern : PipelinePattern<Op> {
  using PipelinePattern<Op>::PipelinePattern;
  LogicalResult
  matchAndRewrite(Op op,
                  typename OpConversionPattern<Op>::OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Side side = this->getSide(op, isProducer);
    Location loc = op.getLoc();
    State state(adaptor.getState(), side.layout.plan.type.getDepth());
    emitComplete(rewriter, loc, side, state);
    SmallVector<Value> next = state.advance(rewriter, loc);
    rewriter.replaceOpWithMultiple(op, {ValueRange(next)});
    return success();
  }
};

struct SkipPattern : PipelinePattern<SkipOp> {
  using PipelinePattern::PipelinePattern;
  LogicalResult
  matchAndRewrite(SkipOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    State state(adaptor.getState(), lookup(op).plan.type.getDepth());
    SmallVector<Value> next =
        op.getCount() ? state.advanceBy(rewriter, op.getLoc(), op.getCount())
                      : state.advance(rewriter, op.getLoc());
    rewriter.replaceOpWithMultiple(op, {ValueRange(next)});
    return success();
  }
};

struct TailPattern : PipelinePattern<ProducerTailOp> {
  using PipelinePattern::PipelinePattern;
  LogicalResult
  matchAndRewrite(ProducerTailOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Side side = getSide(op, /*isProducer=*/true);
    Location loc = op.getLoc();
    int64_t depth = side.layout.plan.type.getDepth();
    if (side.waits().signal == Signal::Group) {
      const PipelineEnd &issuer = side.others().front();
      Side issuing{side.layout, issuer, 0, /*isProducer=*/false, facts};
      emitIssue(rewriter, loc, issuing, [&](OpBuilder &in) {
        issuer.getEngine().emitGroupWait(in, loc, /*pending=*/0,
                                         /*written=*/true);
      });
    } else if (side.waits().signal == Signal::Barrier) {
      // One wait for each slot.
      scf::ForOp::create(
          rewriter, loc, emitI32(rewriter, loc, 0),
          emitI32(rewriter, loc, depth), emitI32(rewriter, loc, 1),
          adaptor.getState(),
          [&](OpBuilder &b, Location loc, Value, ValueRange values) {
            State state(values, depth);
            emitWait(b, loc, side, state);
            scf::YieldOp::create(b, loc, state.advance(b, loc));
          });
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct ConvertTMMPipelinesToSM90Pass
    : tc::impl::ConvertTMMPipelinesToSM90PassBase<
          ConvertTMMPipelinesToSM90Pass> {
  void runOnOperation() override;
};

} // namespace

/// The release, in the block of `access`, of the slot that it reads; null where
/// that is in another block.
static ConsumerReleaseOp findRelease(Operation *access) {
  for (Value operand : access->getOperands())
    if (auto wait = operand.getDefiningOp<ConsumerWaitOp>())
      for (Operation *user : wait.getState().getUsers())
        if (auto release = dyn_cast<ConsumerReleaseOp>(user))
          if (release.getPipeline() == wait.getPipeline() &&
              release->getBlock() == access->getBlock())
            return release;
  return nullptr;
}

/// The number of `value` among the results of the terminator of the body of
/// `loop` that alone uses it, if what it is in the next iteration is used by
/// `user` alone.
static std::optional<unsigned> findCarried(scf::ForOp loop, Value value,
                                           Operation *user) {
  if (!value.hasOneUse() ||
      *value.getUsers().begin() != loop.getBody()->getTerminator())
    return std::nullopt;
  unsigned number = value.getUses().begin()->getOperandNumber();
  for (Operation *other : loop.getRegionIterArgs()[number].getUsers())
    if (other != user)
      return std::nullopt;
  return number;
}

/// The loop whose iterations are the transactions that `release` ends, with the
/// work of `access` alone, whose results only the next of them takes; null
/// where it is another one.
static scf::ForOp findLoop(Operation *access, ConsumerReleaseOp release) {
  auto loop = dyn_cast<scf::ForOp>(access->getParentOp());
  if (!loop || loop.getUnsignedCmp())
    return nullptr;
  auto state = dyn_cast<BlockArgument>(release.getState());
  if (!state || state.getOwner() != loop.getBody() ||
      loop.getTiedLoopYieldedValue(state)->get() != release.getNext() ||
      !release.getNext().hasOneUse())
    return nullptr;
  bool isCarried = llvm::all_of(access->getResults(), [&](Value result) {
    return findCarried(loop, result, access).has_value();
  });
  return isCarried ? loop : nullptr;
}

/// The op after which what follows `op` waits for work in flight: what passes a
/// turn on lets others issue theirs before.
static Operation *skipPassing(Operation *op) {
  auto isOfTurns = [](Operation *other) {
    return isa<PassTurnOp>(other) ||
           (isa<ProducerAcquireOp, ProducerCommitOp>(other) &&
            isa<TurnAttr>(cast<PipelineType>(other->getOperand(0).getType())
                              .getBuffers()
                              .front()
                              .getSpace()));
  };
  while (isOfTurns(op->getNextNode()))
    op = op->getNextNode();
  return op;
}

/// Waits for the work of `access`, and ends the transaction of `release`, when
/// the work of the next iteration of `loop` is issued; that of the last one
/// after the loop.
static void releaseLate(const PipelineEnd &end, Operation *access,
                        ConsumerReleaseOp release, scf::ForOp loop) {
  IRRewriter rewriter(access->getContext());
  Location loc = release.getLoc();
  Value pipeline = release.getPipeline(), state = release.getState();
  SmallVector<unsigned> numbers;
  for (Value result : access->getResults())
    numbers.push_back(*findCarried(loop, result, access));
  auto emitAwait = [&](OpBuilder &b, ValueRange values, int64_t pending) {
    auto await = AwaitOp::create(b, loc, values, end.getEngine(), pending);
    for (auto [index, value] : llvm::enumerate(values))
      Value(value).replaceAllUsesExcept(await.getResult(index), await);
  };
  auto emitRelease = [&](OpBuilder &b, arith::CmpIPredicate predicate,
                         Value left, Value right, Value held) {
    Value is = arith::CmpIOp::create(b, loc, predicate, left, right);
    auto branch = scf::IfOp::create(b, loc, is);
    OpBuilder in = branch.getThenBodyBuilder();
    ConsumerReleaseOp::create(in, loc, held.getType(), pipeline, held);
  };
  auto yieldHeld = [&](OpBuilder &, Location, ArrayRef<BlockArgument> held) {
    OpBuilder b(release);
    emitAwait(b, SmallVector<Value>(access->getResults()), /*pending=*/1);
    emitRelease(b, arith::CmpIPredicate::ne, loop.getInductionVar(),
                loop.getLowerBound(), held.front());
    release.getNext().replaceAllUsesWith(
        SkipOp::create(b, loc, pipeline, state));
    rewriter.eraseOp(release);
    return SmallVector<Value>{state};
  };
  Value start = loop.getTiedLoopInit(cast<BlockArgument>(state))->get();
  rewriter.setInsertionPoint(loop);
  auto late = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, start, /*replaceInitOperandUsesInLoop=*/false, yieldHeld));
  OpBuilder b(late->getContext());
  b.setInsertionPointAfter(skipPassing(late));
  SmallVector<Value> results;
  for (unsigned number : numbers)
    results.push_back(late.getResult(number));
  emitAwait(b, results, /*pending=*/0);
  emitRelease(b, arith::CmpIPredicate::slt, late.getLowerBound(),
              late.getUpperBound(), late.getResults().back());
}

/// Waits for the work in flight of `end` before its slots are released and
/// before what it computes is used; with `isLate`, where it can be, when the
/// work of the next transaction is issued.
static void awaitWork(const PipelineEnd &end, bool isLate) {
  // An op that reads several buffers of a slot is an access of each.
  llvm::SmallSetVector<Operation *, 2> ops;
  for (EngineOpInterface access : end.accesses)
    ops.insert(access);
  auto emitAwait = [&](OpBuilder b, Location loc, ValueRange values) {
    auto await =
        AwaitOp::create(b, loc, values, end.getEngine(), /*pending=*/0);
    for (auto [index, value] : llvm::enumerate(values))
      value.replaceAllUsesExcept(await.getResult(index), await);
  };
  llvm::MapVector<Operation *, SmallVector<Value>> releases;
  for (Operation *access : ops) {
    ConsumerReleaseOp release = findRelease(access);
    if (isLate && release && ops.size() == 1 && end.getEngine().getMaxLag() > 0)
      if (scf::ForOp loop = findLoop(access, release)) {
        releaseLate(end, access, release, loop);
        continue;
      }
    auto isBefore = [&](Operation *user) {
      Operation *ancestor = release->getBlock()->findAncestorOpInBlock(*user);
      return ancestor && ancestor->isBeforeInBlock(release);
    };
    if (release && llvm::none_of(access->getUsers(), isBefore)) {
      llvm::append_range(releases[release], access->getResults());
      continue;
    }
    OpBuilder b(access->getContext());
    b.setInsertionPointAfter(access);
    emitAwait(b, access->getLoc(), SmallVector<Value>(access->getResults()));
  }
  for (auto &[release, values] : releases)
    emitAwait(OpBuilder(release), release->getLoc(), values);
}

static LogicalResult lowerKernel(gpu::GPUFuncOp kernel) {
  PipelineLayouts layouts;
  if (failed(verifyStructured(kernel)) || failed(verifyCut(kernel)) ||
      failed(verifyStates(kernel)) || failed(layOutPipelines(kernel, layouts)))
    return failure();
  for (auto &entry : layouts)
    for (const PipelineEnd &end : entry.second.plan.consumers)
      if (end.getEngine().isPendingAtReturn())
        awaitWork(end, entry.second.plan.lateRelease);
  KernelFacts facts = *getKernelFacts(kernel);

  MLIRContext *context = kernel.getContext();
  TypeConverter converter;
  converter.addConversion([](Type type) { return type; });
  converter.addConversion(
      [](PipelineStateType type,
         SmallVectorImpl<Type> &out) -> std::optional<LogicalResult> {
        out.append(2, IntegerType::get(type.getContext(), 32));
        return success();
      });
  RewritePatternSet patterns(context);
  patterns.add<StartPattern, TakePattern<ProducerAcquireOp, true>,
               TakePattern<ConsumerWaitOp, false>,
               GivePattern<ProducerCommitOp, true>,
               GivePattern<ConsumerReleaseOp, false>, SkipPattern, TailPattern>(
      converter, context, layouts, facts);
  ConversionTarget target(*context);
  target.addIllegalOp<PipelineStartOp, ProducerAcquireOp, ProducerCommitOp,
                      ConsumerWaitOp, ConsumerReleaseOp, SkipOp,
                      ProducerTailOp>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                       target);
  SmallVector<Operation *> body;
  for (Operation &op : kernel.getBody().front())
    body.push_back(&op);
  if (failed(applyPartialConversion(body, target, std::move(patterns))))
    return failure();
  SmallVector<PipelineOp> ops;
  kernel.walk([&](PipelineOp op) { ops.push_back(op); });
  for (PipelineOp op : ops)
    op.erase();
  return success();
}

void ConvertTMMPipelinesToSM90Pass::runOnOperation() {
  WalkResult result = getOperation()->walk([&](gpu::GPUFuncOp kernel) {
    auto isPipeline = [](PipelineOp) { return WalkResult::interrupt(); };
    if (!kernel.walk(isPipeline).wasInterrupted())
      return WalkResult::skip();
    return failed(lowerKernel(kernel)) ? WalkResult::interrupt()
                                       : WalkResult::skip();
  });
  if (result.wasInterrupted())
    signalPassFailure();
}
