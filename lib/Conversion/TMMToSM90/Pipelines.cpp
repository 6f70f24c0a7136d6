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
//   at commit or release                 the other end waits for
//   what the completion of the engine    the signal of the slot
//     emits; where threads arrive, the
//     fences of the memory before it
//   the same, in one role of threads     its threads, which synchronise
//   the end of the issuer's transaction  the issuer, and its role's threads
//
// How an engine completes, and on what, its attributes say; mbarriers are what
// completions that name nothing else signal on.
//
// Fences belong to memory spaces: what a thread does before it passes a tile
// over and after it got one.
//
// Work that is pending at return is awaited already (tmm-await-work).
//
// A state is the pair (slot, lap mod 2). The consumer waits for the parity of
// its lap, the producer for the other one, which a fresh barrier passes: it is
// one lap ahead. A producer over the slots of another pipeline is not: it waits
// for the consumers of that to release the transaction of the same number, and
// the producers of the first pipeline wait for the consumers of the last.
//
// Arrivals on a barrier of another CTA are relaxed where fences or the counting
// of bytes order the accesses: a release at the scope of the cluster would wait
// for all stores of the thread.
//
//===----------------------------------------------------------------------===//

#include "PipelineChecks.h"
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

  /// The number of the slot, static where there is one.
  OpFoldResult emitIndex(OpBuilder &b, Location loc) const {
    if (depth == 1)
      return b.getIndexAttr(0);
    return b.createOrFold<arith::IndexCastOp>(loc, b.getIndexType(), slot);
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

  /// The ends that it waits for, and those that wait for it.
  const PipelineEnds &waitsFor() const {
    return isProducer ? layout.previous->plan.consumers : layout.plan.producers;
  }
  const PipelineEnds &completesFor() const {
    return isProducer ? layout.plan.consumers : layout.plan.successors;
  }
  /// The direction in which the end completes, and that in which it waits.
  const Direction &completes() const {
    return isProducer ? layout.plan.full : layout.plan.empty;
  }
  const Direction &waits() const {
    return isProducer ? layout.previous->plan.empty : layout.plan.full;
  }
  const DirectionValues &completeValues() const {
    return isProducer ? layout.full : layout.empty;
  }
  const DirectionValues &waitValues() const {
    return isProducer ? layout.previous->empty : layout.full;
  }
  /// Whether it waits for the transaction a lap before.
  bool isAhead() const { return isProducer && !layout.isOver; }
  EngineAttrInterface engine() const { return end.getEngine(); }
  /// The proxy through which `others` access the slots.
  static Proxy getProxy(const PipelineEnds &others) {
    for (const PipelineEnd &other : others)
      if (other.getEngine().getProxy() == Proxy::Async)
        return Proxy::Async;
    return Proxy::Generic;
  }
  /// Whether the threads of the ends that it waits for execute fences before
  /// they arrive; where an engine arrives by itself, none has.
  bool isFencedByOthers() const {
    return llvm::all_of(waitsFor(), [](const PipelineEnd &other) {
      return other.getEngine().getCompletion().isOfThreads();
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

/// Emits `body` for the threads that issue the ops of `end`: where that is one
/// thread, it alone, of the CTA that acts.
static void emitIssue(OpBuilder &b, Location loc, const PipelineEnd &end,
                      function_ref<void(OpBuilder &)> body) {
  if (!end.getEngine().getIssue().isOneThread())
    return body(b);
  if (end.region) {
    auto roles = cast<WarpSpecializeOp>(end.region->getParentOp());
    unsigned role = end.region->getRegionNumber();
    if (roles.isElected(role) && roles.getSpan(role) == end.span)
      return body(b);
  }
  auto issue = IssueOp::create(b, loc, end.span);
  OpBuilder in = OpBuilder::atBlockBegin(&issue.getBody().emplaceBlock());
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

/// Has the ends of `direction` that only issuers can wait for wait until at
/// most `pending` of their transactions have not read their sources, or with
/// `written`, and where they modify slots, not made their writes visible.
static void emitIssuerWaits(OpBuilder &b, Location loc,
                            const Direction &direction, int64_t pending,
                            bool written) {
  for (const PipelineEnd *issuer : direction.issuers)
    emitIssue(b, loc, *issuer, [&](OpBuilder &in) {
      issuer->getEngine().getCompletion().emitIssuerWait(
          in, loc, pending, written || issuer->modifies);
    });
}

/// Waits until the other ends have completed the transaction of `state`.
static void emitWait(OpBuilder &b, Location loc, const Side &side,
                     const State &state) {
  const Direction &direction = side.waits();
  // The transactions of an issuer are a queue, one for each slot.
  emitIssuerWaits(b, loc, direction, side.isAhead() ? state.depth - 1 : 0,
                  /*written=*/false);
  bool goOn =
      !direction.issuers.empty() && !side.engine().getIssue().isOneThread();
  if (direction.synchronises || goOn)
    emitNamedBarrier(b, loc, side);
  if (direction.signal)
    emitIssue(b, loc, side.end, [&](OpBuilder &in) {
      Value parity = state.phase;
      if (side.isAhead())
        parity = arith::XOrIOp::create(in, loc, parity, emitI32(in, loc, 1));
      // Threads of other CTAs arrive here for themselves.
      bool crosses = direction.crosses && direction.isOfThreads;
      bool relaxed = crosses && side.isOrderedByFences();
      Value signal = direction.signal.emitSlot(
          in, loc, side.waitValues().signals, state.emitIndex(in, loc));
      direction.signal.emitWait(
          in, loc, {signal, direction.arrivals, relaxed, crosses}, parity);
      if (relaxed)
        for (MemorySpaceAttrInterface space : side.spaces())
          space.emitAcquire(in, loc);
    });
  if (!direction.signal && !direction.synchronises)
    return;
  emitIssue(b, loc, side.end, [&](OpBuilder &in) {
    for (MemorySpaceAttrInterface space : side.spaces())
      space.emitFenceAfter(in, loc, Side::getProxy(side.waitsFor()),
                           side.engine().getProxy(), direction.crosses,
                           side.isFencedByOthers());
  });
}

/// The bytes of a slot that `end` fills.
static int64_t getBytes(const PipelineLayout &layout, const PipelineEnd &end) {
  int64_t bytes = 0;
  for (unsigned buffer : end.buffers)
    bytes += layout.plan.type.getBuffers()[buffer].getBytes();
  return bytes;
}

/// Lets the other ends know that the transaction of `state` is complete, when
/// it is.
static void emitComplete(OpBuilder &b, Location loc, const Side &side,
                         const State &state) {
  const Direction &direction = side.completes();
  if (direction.isOrdered())
    return;
  EngineAttrInterface engine = side.engine();
  CompletionAttrInterface completion = engine.getCompletion();
  emitIssue(b, loc, side.end, [&](OpBuilder &in) {
    bool isOfThreads = completion.isOfThreads();
    if (isOfThreads)
      for (MemorySpaceAttrInterface space : side.spaces())
        space.emitFenceBefore(in, loc, engine.getProxy(),
                              Side::getProxy(side.completesFor()));
    Arrival arrival;
    arrival.signal = direction.signal;
    arrival.arrivals = direction.arrivals;
    arrival.ctas = side.end.span ? side.end.span.getMembers(0).size() : 1;
    arrival.bytes = getBytes(side.layout, side.end);
    arrival.onRead = direction.onRead;
    arrival.crosses = direction.crosses;
    arrival.relaxed = direction.crosses && side.isOrderedByFences();
    // An end that only waits for itself ends its transaction without a signal.
    if (!direction.signal || completion.isOfIssuer()) {
      if (completion.isOfIssuer())
        completion.emitArrive(in, loc, arrival);
      return;
    }
    const ArrivalValues &values = side.completeValues().arrivals[side.number];
    arrival.own = side.completeValues().signals;
    arrival.targets = values.storages;
    arrival.mask = values.mask;
    auto emitArrive = [&](OpBuilder &in) {
      if (isOfThreads && arrival.relaxed)
        for (MemorySpaceAttrInterface space : side.spaces())
          space.emitRelease(in, loc);
      arrival.slot = state.emitIndex(in, loc);
      completion.emitArrive(in, loc, arrival);
    };
    if (isOfThreads)
      engine.getIssue().emitArriving(in, loc, emitArrive);
    else
      emitArrive(in);
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
    return *layouts.find(op.getPipeline())->second;
  }
  Side getSide(Op op, bool isProducer) const {
    const PipelineLayout &layout = lookup(op);
    const PipelineEnds &ends =
        isProducer ? layout.plan.producers : layout.plan.consumers;
    const PipelineEnd *end = findEnd(ends, op);
    return {layout, *end, unsigned(end - ends.begin()), isProducer, facts};
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
    if (isProducer && side.engine().getCompletion().countsBytes())
      emitSignals(op, side, state, rewriter);
    rewriter.replaceOp(op, tiles);
    return success();
  }

  /// Tells the copies into the slot where their bytes are counted.
  void emitSignals(Op op, const Side &side, const State &state,
                   ConversionPatternRewriter &rewriter) const {
    // An op over several CTAs counts at its place in each of them.
    const DirectionValues &values = side.completeValues();
    Value storage = side.end.span
                        ? values.signals
                        : values.arrivals[side.number].storages.front();
    Value signal = side.completes().signal.emitSlot(
        rewriter, op.getLoc(), storage, state.emitIndex(rewriter, op.getLoc()));
    for (EngineOpInterface access : side.end.accesses)
      if (llvm::is_contained(op->getUsers(), access.getOperation()))
        rewriter.modifyOpInPlace(access, [&] { access.setSignal(signal); });
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

struct HoldPattern : PipelinePattern<HoldOp> {
  using PipelinePattern::PipelinePattern;
  LogicalResult
  matchAndRewrite(HoldOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getState().front());
    return success();
  }
};

struct ReleaseHeldPattern : PipelinePattern<ReleaseHeldOp> {
  using PipelinePattern::PipelinePattern;
  LogicalResult
  matchAndRewrite(ReleaseHeldOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Side side = getSide(op, /*isProducer=*/false);
    // A release signals its slot, whatever the lap is.
    Value slot = adaptor.getHeld().front();
    emitComplete(rewriter, op.getLoc(), side,
                 State({slot, slot}, side.layout.plan.type.getDepth()));
    rewriter.eraseOp(op);
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
    emitIssuerWaits(rewriter, loc, side.waits(), /*pending=*/0,
                    /*written=*/true);
    // The last transaction over slots of another pipeline waited for all of its
    // releases, and those of this one end in the tail of the first.
    if (side.waits().signal && side.isAhead()) {
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

/// Erases pipelines that nothing goes through: their loops ran zero times and
/// are folded, and what is left waits for slots that were never taken.
static void eraseUnused(gpu::GPUFuncOp kernel) {
  SmallVector<PipelineOp> ops;
  kernel.walk([&](PipelineOp op) { ops.push_back(op); });
  for (PipelineOp op : llvm::reverse(ops)) {
    SmallVector<Operation *> users(op->getUsers());
    bool isUsed = llvm::any_of(users, [](Operation *user) {
      if (isa<PipelineStartOp>(user))
        return !llvm::all_of(user->getUsers(), llvm::IsaPred<ProducerTailOp>);
      return !isa<ProducerTailOp>(user);
    });
    if (isUsed)
      continue;
    for (Operation *user : users)
      if (isa<ProducerTailOp>(user))
        user->erase();
    for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
      user->erase();
    op->erase();
  }
}

static LogicalResult lowerKernel(gpu::GPUFuncOp kernel) {
  PipelineLayouts layouts;
  if (failed(verifyStructured(kernel)) || failed(verifyCut(kernel)) ||
      failed(verifyStates(kernel)))
    return failure();
  eraseUnused(kernel);
  if (failed(layOutPipelines(kernel, layouts)))
    return failure();
  for (auto &[pipeline, layout] : layouts) {
    if (failed(verifyUses(pipeline.getDefiningOp<PipelineOp>(), layout->plan)))
      return failure();
  }
  SmallVector<Transaction> transactions;
  if (failed(verifyTransactions(kernel, transactions)) ||
      failed(verifySharedSlots(kernel, transactions)) ||
      failed(verifyInFlight(kernel, transactions)))
    return failure();
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
  converter.addConversion([](HeldSlotType type) -> Type {
    return IntegerType::get(type.getContext(), 32);
  });
  RewritePatternSet patterns(context);
  patterns.add<StartPattern, TakePattern<ProducerAcquireOp, true>,
               TakePattern<ProducerInspectOp, true>,
               TakePattern<ConsumerWaitOp, false>,
               GivePattern<ProducerCommitOp, true>,
               GivePattern<ConsumerReleaseOp, false>, SkipPattern, HoldPattern,
               ReleaseHeldPattern, TailPattern>(converter, context, layouts,
                                                facts);
  ConversionTarget target(*context);
  target.addIllegalOp<PipelineStartOp, ProducerAcquireOp, ProducerCommitOp,
                      ProducerInspectOp, ConsumerWaitOp, ConsumerReleaseOp,
                      SkipOp, HoldOp, ReleaseHeldOp, ProducerTailOp>();
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
  // Those over others first.
  for (PipelineOp op : llvm::reverse(ops))
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
