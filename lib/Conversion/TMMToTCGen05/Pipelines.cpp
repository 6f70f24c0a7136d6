//===- Pipelines.cpp - lower pipelines to mbarriers -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place where pipelines become barriers. Each slot has two mbarriers,
// "full" and "empty"; who arrives on them, how often and how many bytes they
// expect follows from the engines of the ops that fill and read the slot:
//
//   end       engine       arrives by                     count
//   producer  tma          arrive.expect_tx + the copies  1
//             tensor_core  tcgen05.commit                 1
//   consumer  tensor_core  tcgen05.commit                 1
//             threads      fence::before, arrive          threads of the CTA
//
// The ring from which TMA stores has no mbarriers. Both of its ends are in the
// hands of the same threads, one of which issues the copies and alone can wait
// for them; the others learn of it at a named barrier:
//
//   end       engine     hands over by      the other end waits by
//   producer  threads    fence.proxy.async  named barrier
//   consumer  tma_store  commit_group       wait_group.read of the issuer,
//                                           named barrier
//
// The groups of the issuer are a queue, so that the depth of the ring says how
// many may be pending: acquire needs no state. Its tail waits for all groups to
// have been written, not only read.
//
// In a pair of CTAs both make every transaction, each on its own buffers, and
// one thread of the leader, the even CTA, drives the tensor core:
//
//   end       engine       arrives by                  barrier of  count
//   producer  tma          arrive.expect_tx + copies   leader      2
//             tensor_core  multicast commit of leader  both        1
//   consumer  tensor_core  multicast commit of leader  both        1
//             threads      fence::before, arrive       leader      all threads
//
// So whoever waits, waits on a barrier of its own CTA. Tails need nothing more:
// what a CTA still gets from its peer is commits, which its own ends wait for,
// and the leader waits for the threads of both.
//
// Arrivals on a barrier of another CTA are relaxed: bytes of copies are ordered
// by the barrier, accesses to Tensor Memory by tcgen05.fence on both sides (PTX
// ISA, "Non-pipelined instructions, different thread"). A release at the scope
// of the cluster would wait for all stores of the thread.
//
// A state is the pair (slot, lap mod 2). The consumer waits for the parity of
// its lap, the producer for the other one, which a fresh barrier passes: it is
// one lap ahead.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "tc/Support/ISA.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tc;

//===----------------------------------------------------------------------===//
// Layout and initialisation
//===----------------------------------------------------------------------===//

/// Arrivals that complete a phase of the barrier that `engine` arrives on.
static int64_t arrivals(tmm::Engine engine, tmm::PipelineType type,
                        KernelLowering &kernel) {
  switch (engine) {
  case tmm::Engine::tma:
    return type.getCtas();
  case tmm::Engine::tensor_core:
    return 1;
  case tmm::Engine::threads:
    return kernel.threads * type.getCtas();
  case tmm::Engine::tma_store:
    return 0;
  }
  llvm_unreachable("all engines are listed");
}

/// The CTAs that a matrix instruction of `kernel` spans, as its pipelines say.
static FailureOr<int64_t> deriveCtas(gpu::GPUFuncOp kernel,
                                     ArrayRef<tmm::PipelineOp> pipelines) {
  int64_t ctas = 1;
  for (tmm::PipelineOp op : pipelines)
    ctas = std::max(ctas, op.getPipeline().getType().getCtas());
  // The leader is CTA 0 of the cluster below.
  std::optional<ArrayRef<int32_t>> cluster = kernel.getKnownClusterSize();
  int32_t size[] = {1, 1, 1};
  if (cluster)
    llvm::copy(*cluster, size);
  if (size[0] != ctas || size[1] != 1 || size[2] != 1)
    return kernel.emitOpError() << "expected known_cluster_size [" << ctas
                                << ", 1, 1], that of its pipelines, got ["
                                << ArrayRef<int32_t>(size) << "]";
  return ctas;
}

/// Notes in `pipeline` which engines are at the ends of `op`.
static LogicalResult deriveEnds(tmm::PipelineOp op, LoweredPipeline &pipeline) {
  pipeline.type = op.getPipeline().getType();
  FailureOr<tmm::Engine> producer = op.deriveProducerEngine();
  FailureOr<tmm::Engine> consumer = op.deriveConsumerEngine();
  if (failed(producer) || failed(consumer))
    return failure();
  pipeline.producer = *producer;
  pipeline.consumer = *consumer;
  if (pipeline.isStoreRing() != (pipeline.producer == tmm::Engine::threads))
    return op.emitOpError()
           << "expected threads to fill exactly those slots that tma_store "
              "reads, got "
           << stringifyEngine(pipeline.producer) << " and "
           << stringifyEngine(pipeline.consumer);
  return success();
}

LogicalResult tc::layOutPipelines(gpu::GPUFuncOp kernel,
                                  gpu::LaunchFuncOp launch,
                                  KernelLowering &lowering) {
  Location loc = kernel.getLoc();
  SmallVector<tmm::PipelineOp> pipelines;
  kernel.walk([&](tmm::PipelineOp op) { pipelines.push_back(op); });
  FailureOr<int64_t> ctas = deriveCtas(kernel, pipelines);
  if (failed(ctas))
    return failure();
  lowering.ctas = *ctas;

  for (tmm::PipelineOp op : pipelines)
    if (failed(deriveEnds(op, lowering.pipelines[op.getPipeline()])))
      return failure();
  // Store rings last: the addresses of operands, which the inner loops compute,
  // start at the base.
  auto isStoreRing = [&](tmm::PipelineOp op) {
    return lowering.pipelines[op.getPipeline()].isStoreRing();
  };
  SmallVector<tmm::PipelineOp> storeRings;
  llvm::copy_if(pipelines, std::back_inserter(storeRings), isStoreRing);
  llvm::erase_if(pipelines, isStoreRing);
  llvm::append_range(pipelines, storeRings);

  // Tiles first, each slot on a multiple of the largest swizzle pattern, then
  // the barriers.
  int64_t bytes = 0, alignment = kDynamicSmemAlignment;
  OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
  for (tmm::PipelineOp op : pipelines) {
    LoweredPipeline &pipeline = lowering.pipelines[op.getPipeline()];
    int64_t depth = pipeline.type.getDepth();
    for (tmm::BufferType buffer : pipeline.type.getBuffers()) {
      if (buffer.getSpace() == tmm::MemorySpace::tmem) {
        auto region = getAccumulatorType(buffer, *ctas);
        if (!region)
          return op.emitOpError()
                 << "expected an accumulator that a tcgen05.mma of "
                 << (*ctas == 1 ? "one CTA" : "two CTAs")
                 << " can write (64 or 128 rows, 8 to 256 columns), got "
                 << buffer << "; " << cite(ISASection::MmaShape);
        if (region.getColumns() * depth > kTmemColumns)
          return op.emitOpError()
                 << "expected at most " << kTmemColumns
                 << " columns of Tensor Memory, got " << depth << " slots of "
                 << region.getColumns() << " columns; "
                 << cite(ISASection::TmemAddressing);
        auto ring = tcgen05::TmemType::get(
            region.getLanes(), region.getColumns() * depth,
            region.getElementType(), region.getLayout());
        pipeline.regions.push_back(tcgen05::ReserveOp::create(b, loc, ring));
        continue;
      }
      MemRefType tile = getSmemTileType(buffer);
      auto layout = cast<tcgen05::SmemLayoutAttr>(tile.getLayout());
      int64_t slot = llvm::alignTo(layout.getFootprintBytes(tile.getShape()),
                                   layout.getAlignmentBytes());
      alignment = std::max(alignment, layout.getAlignmentBytes());
      bytes = llvm::alignTo(bytes, layout.getAlignmentBytes());
      pipeline.offsets.push_back(bytes);
      pipeline.strides.push_back(slot);
      bytes += slot * depth;
    }
  }
  int64_t barriers = llvm::alignTo(bytes, kMBarrierBytes);
  bytes = barriers;
  for (tmm::PipelineOp op : pipelines)
    if (!lowering.pipelines[op.getPipeline()].isStoreRing())
      bytes += 2 * kMBarrierBytes * op.getPipeline().getType().getDepth();

  const TargetFacts *target = nullptr;
  auto module = kernel->getParentOfType<gpu::GPUModuleOp>();
  if (ArrayAttr targets = module.getTargetsAttr())
    for (auto attr : targets.getAsRange<NVVM::NVVMTargetAttr>())
      target = getTarget(attr.getChip());
  if (!target || !target->hasTcgen05)
    return module.emitOpError()
           << "expected a target with tcgen05 (#nvvm.target<chip = "
              "\"sm_100a\">), got "
           << (module.getTargetsAttr() ? "another" : "none");
  int64_t needed = getDynamicSmemBytes(bytes, alignment);
  // Static and dynamic shared memory have one limit.
  if (needed + kTmemSlotBytes > target->maxDynamicSmem) {
    InFlightDiagnostic diag = launch.emitOpError()
                              << "expected at most " << target->maxDynamicSmem
                              << " bytes of shared memory, got "
                              << needed + kTmemSlotBytes
                              << ": choose a smaller tile or fewer stages";
    for (tmm::PipelineOp op : pipelines)
      diag.attachNote(op.getLoc())
          << op.getPipeline().getType().getDepth() << " slots of "
          << op.getPipeline().getType().getSlotBytes() << " bytes here";
    return diag;
  }

  auto smemType = MemRefType::get(
      {bytes}, b.getI8Type(), MemRefLayoutAttrInterface(),
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup));
  lowering.smem =
      sm90::DynamicSmemOp::create(b, loc, smemType, uint64_t(alignment));
  Value thread = gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x);
  lowering.thread = arith::IndexCastOp::create(b, loc, b.getI32Type(), thread);

  // One thread of warp 0 issues everything asynchronous. It is elected once,
  // where the warp is converged.
  Value warpSize = emitI32(b, loc, kTmemWindowLanes);
  Value inWarp0 = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                        lowering.thread, warpSize);
  Value elected = sm90::ElectOp::create(b, loc, b.getI1Type());
  lowering.leader = arith::AndIOp::create(b, loc, inWarp0, elected);
  Value leaderRank = emitI32(b, loc, 0);
  if (*ctas > 1) {
    Value rank = gpu::ClusterBlockIdOp::create(b, loc, gpu::Dimension::x);
    rank = arith::IndexCastOp::create(b, loc, b.getI32Type(), rank);
    lowering.inLeaderCta = arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::eq, rank, leaderRank);
    lowering.pairLeader =
        arith::AndIOp::create(b, loc, lowering.leader, lowering.inLeaderCta);
  }

  int64_t offset = barriers;
  for (tmm::PipelineOp op : pipelines) {
    LoweredPipeline &pipeline = lowering.pipelines[op.getPipeline()];
    if (pipeline.isStoreRing())
      continue;
    int64_t depth = pipeline.type.getDepth();
    auto type = sm90::MBarrierArrayType::get(b.getContext(), depth);
    for (Value *array : {&pipeline.full, &pipeline.empty}) {
      *array = sm90::MBarrierViewOp::create(b, loc, type, lowering.smem,
                                            uint64_t(offset));
      offset += depth * kMBarrierBytes;
    }
    if (pipeline.type.getCtas() == 1)
      continue;
    pipeline.leaderFull =
        sm90::MBarrierMapOp::create(b, loc, pipeline.full, leaderRank);
    pipeline.leaderEmpty =
        sm90::MBarrierMapOp::create(b, loc, pipeline.empty, leaderRank);
  }
  emitLeader(b, loc, lowering, tmm::Engine::tma, [&](OpBuilder &b) {
    for (BlockArgument argument : kernel.getBody().front().getArguments())
      if (isa<sm90::TensorMapType>(argument.getType()))
        sm90::PrefetchTensorMapOp::create(b, loc, argument);
    for (tmm::PipelineOp op : pipelines) {
      LoweredPipeline &pipeline = lowering.pipelines[op.getPipeline()];
      if (pipeline.isStoreRing())
        continue;
      auto init = [&](Value array, int64_t count) {
        for (int64_t slot = 0; slot < pipeline.type.getDepth(); ++slot) {
          Value barrier =
              sm90::MBarrierGetOp::create(b, loc, array, b.getIndexAttr(slot));
          sm90::MBarrierInitOp::create(b, loc, barrier, uint32_t(count));
        }
      };
      init(pipeline.full, arrivals(pipeline.producer, pipeline.type, lowering));
      init(pipeline.empty,
           arrivals(pipeline.consumer, pipeline.type, lowering));
    }
    sm90::FenceMBarrierInitOp::create(b, loc);
  });
  // Nobody arrives on a peer's barrier before the peer has initialised it.
  if (*ctas > 1) {
    sm90::ClusterArriveOp::create(b, loc);
    sm90::ClusterWaitOp::create(b, loc);
  } else {
    gpu::BarrierOp::create(b, loc);
  }

  OpBuilder host(launch);
  launch.getDynamicSharedMemorySizeMutable().assign(
      emitI32(host, launch.getLoc(), needed));
  return success();
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {

/// One end's position: the slot, and the lap mod 2.
struct State {
  Value slot, phase;
  int64_t depth;

  State(ValueRange values, int64_t depth)
      : slot(values[0]), phase(values[1]), depth(depth) {}

  /// The slot as an index, static where there is only one.
  OpFoldResult index(OpBuilder &b, Location loc) const {
    if (depth == 1)
      return b.getIndexAttr(0);
    return emitIndex(b, loc, slot);
  }
  Value barrier(OpBuilder &b, Location loc, Value array) const {
    return sm90::MBarrierGetOp::create(b, loc, array, index(b, loc));
  }
  /// The state after this transaction.
  SmallVector<Value> advance(OpBuilder &b, Location loc) const {
    Value one = emitI32(b, loc, 1);
    if (depth == 1)
      return {slot, arith::XOrIOp::create(b, loc, phase, one)};
    Value next = arith::AddIOp::create(b, loc, slot, one);
    Value wraps = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, next,
                                        emitI32(b, loc, depth));
    Value nextSlot =
        arith::SelectOp::create(b, loc, wraps, emitI32(b, loc, 0), next);
    Value flip = arith::ExtUIOp::create(b, loc, b.getI32Type(), wraps);
    return {nextSlot, arith::XOrIOp::create(b, loc, phase, flip)};
  }
};

/// Base of the patterns: finds the pipeline.
template <typename Op>
struct PipelinePattern : OpConversionPattern<Op> {
  PipelinePattern(TypeConverter &converter, MLIRContext *context,
                  KernelLowering &kernel)
      : OpConversionPattern<Op>(converter, context), kernel(kernel) {}

  LoweredPipeline &lookup(Op op) const {
    return kernel.pipelines.find(op.getPipeline())->second;
  }

  KernelLowering &kernel;
};

struct StartPattern : PipelinePattern<tmm::PipelineStartOp> {
  using PipelinePattern::PipelinePattern;
  LogicalResult
  matchAndRewrite(tmm::PipelineStartOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value zero = emitI32(rewriter, op.getLoc(), 0);
    SmallVector<Value> state = {zero, zero};
    rewriter.replaceOpWithMultiple(op, {ValueRange(state)});
    return success();
  }
};

} // namespace

/// The buffers of the slot that `state` names.
static SmallVector<Value> emitSlot(OpBuilder &b, Location loc,
                                   KernelLowering &kernel,
                                   LoweredPipeline &pipeline,
                                   const State &state) {
  SmallVector<Value> buffers;
  unsigned tile = 0, region = 0;
  for (tmm::BufferType buffer : pipeline.type.getBuffers()) {
    if (buffer.getSpace() == tmm::MemorySpace::tmem) {
      tcgen05::TmemType type = getAccumulatorType(buffer, kernel.ctas);
      OpFoldResult column = b.getIndexAttr(0);
      if (state.depth > 1)
        column = emitIndex(
            b, loc,
            arith::MulIOp::create(b, loc, state.slot,
                                  emitI32(b, loc, type.getCellColumns())));
      buffers.push_back(tcgen05::SliceOp::create(
          b, loc, type, pipeline.regions[region++], column));
      continue;
    }
    OpFoldResult offset = b.getIndexAttr(pipeline.offsets[tile]);
    if (state.depth > 1) {
      Value bytes = arith::MulIOp::create(
          b, loc, state.slot, emitI32(b, loc, pipeline.strides[tile]));
      offset = emitIndex(
          b, loc,
          arith::AddIOp::create(b, loc, bytes,
                                emitI32(b, loc, pipeline.offsets[tile])));
    }
    buffers.push_back(sm90::SmemViewOp::create(b, loc, getSmemTileType(buffer),
                                               kernel.smem, offset));
    ++tile;
  }
  return buffers;
}

/// Waits until the slot of `state` is free.
static void emitAcquire(OpBuilder &b, Location loc, LoweredPipeline &pipeline,
                        const State &state) {
  Value parity = arith::XOrIOp::create(b, loc, state.phase, emitI32(b, loc, 1));
  // Threads of both CTAs of a pair arrive here.
  bool ofBoth =
      pipeline.type.getCtas() > 1 && pipeline.consumer == tmm::Engine::threads;
  sm90::MBarrierWaitParityOp::create(
      b, loc, state.barrier(b, loc, pipeline.empty), parity,
      /*relaxed=*/ofBoth, /*cluster=*/ofBoth);
}

/// The threads that share a store ring meet.
static void emitMeeting(OpBuilder &b, Location loc, KernelLowering &kernel) {
  // All store rings are used by the same threads in the same order.
  constexpr uint32_t kStoreRingBarrier = 1;
  sm90::NamedBarrierOp::create(b, loc, kStoreRingBarrier,
                               uint32_t(kernel.threads));
}

/// Waits until at most `pending` stores of a ring read their slots; the issuer
/// does, and tells the others.
static void emitStoreAcquire(OpBuilder &b, Location loc, KernelLowering &kernel,
                             int64_t pending) {
  emitLeader(b, loc, kernel, tmm::Engine::tma_store, [&](OpBuilder &b) {
    sm90::BulkWaitGroupOp::create(b, loc, uint32_t(pending), /*read=*/true);
  });
  emitMeeting(b, loc, kernel);
}

/// Arrives on the barrier of `state` in `array`, in each CTA of the pipeline,
/// when the tensor core has done what was issued so far.
static void emitCommit(OpBuilder &b, Location loc, LoweredPipeline &pipeline,
                       const State &state, Value array) {
  int64_t ctas = pipeline.type.getCtas();
  Value mask;
  if (ctas > 1)
    mask = arith::ConstantIntOp::create(b, loc, b.getI16Type(),
                                        (int64_t(1) << ctas) - 1);
  tcgen05::CommitOp::create(b, loc, state.barrier(b, loc, array), mask,
                            uint32_t(ctas));
}

namespace {

struct AcquirePattern : PipelinePattern<tmm::ProducerAcquireOp> {
  using PipelinePattern::PipelinePattern;
  LogicalResult
  matchAndRewrite(tmm::ProducerAcquireOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LoweredPipeline &pipeline = lookup(op);
    Location loc = op.getLoc();
    State state(adaptor.getState(), pipeline.type.getDepth());
    if (pipeline.isStoreRing()) {
      emitStoreAcquire(rewriter, loc, kernel, state.depth - 1);
      rewriter.replaceOp(op, emitSlot(rewriter, loc, kernel, pipeline, state));
      return success();
    }
    emitLeader(rewriter, loc, kernel, pipeline.producer, [&](OpBuilder &b) {
      emitAcquire(b, loc, pipeline, state);
      // The threads that read the accumulator handed it over with an arrive;
      // what this thread issues next must not pass the wait.
      if (pipeline.producer == tmm::Engine::tensor_core)
        tcgen05::FenceOp::create(b, loc, tcgen05::FenceKind::After);
    });
    rewriter.replaceOp(op, emitSlot(rewriter, loc, kernel, pipeline, state));
    return success();
  }
};

struct CommitPattern : PipelinePattern<tmm::ProducerCommitOp> {
  using PipelinePattern::PipelinePattern;
  LogicalResult
  matchAndRewrite(tmm::ProducerCommitOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LoweredPipeline &pipeline = lookup(op);
    Location loc = op.getLoc();
    State state(adaptor.getState(), pipeline.type.getDepth());
    if (pipeline.isStoreRing())
      // TMA reads through the async proxy what these threads wrote through the
      // generic one.
      sm90::FenceProxyAsyncOp::create(rewriter, loc,
                                      sm90::FenceSpace::SharedCTA);
    else
      emitLeader(rewriter, loc, kernel, pipeline.producer, [&](OpBuilder &b) {
        if (pipeline.producer != tmm::Engine::tma)
          return emitCommit(b, loc, pipeline, state, pipeline.full);
        sm90::MBarrierArriveExpectTxOp::create(
            b, loc, state.barrier(b, loc, pipeline.countedFull()),
            uint32_t(pipeline.type.getSlotBytes()),
            /*relaxed=*/pipeline.type.getCtas() > 1);
      });
    SmallVector<Value> next = state.advance(rewriter, loc);
    rewriter.replaceOpWithMultiple(op, {ValueRange(next)});
    return success();
  }
};

struct WaitPattern : PipelinePattern<tmm::ConsumerWaitOp> {
  using PipelinePattern::PipelinePattern;
  LogicalResult
  matchAndRewrite(tmm::ConsumerWaitOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LoweredPipeline &pipeline = lookup(op);
    Location loc = op.getLoc();
    State state(adaptor.getState(), pipeline.type.getDepth());
    auto wait = [&](OpBuilder &b) {
      sm90::MBarrierWaitParityOp::create(
          b, loc, state.barrier(b, loc, pipeline.full), state.phase);
    };
    if (pipeline.isStoreRing()) {
      emitMeeting(rewriter, loc, kernel);
    } else if (pipeline.consumer == tmm::Engine::threads) {
      wait(rewriter);
      // Tensor Memory written by the tensor core: the loads that follow must
      // not pass the wait.
      tcgen05::FenceOp::create(rewriter, loc, tcgen05::FenceKind::After);
    } else {
      // Bytes that TMA wrote are visible to the tensor core once their barrier
      // has completed: both use the async proxy.
      emitLeader(rewriter, loc, kernel, pipeline.consumer, wait);
    }
    rewriter.replaceOp(op, emitSlot(rewriter, loc, kernel, pipeline, state));
    return success();
  }
};

struct ReleasePattern : PipelinePattern<tmm::ConsumerReleaseOp> {
  using PipelinePattern::PipelinePattern;
  LogicalResult
  matchAndRewrite(tmm::ConsumerReleaseOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LoweredPipeline &pipeline = lookup(op);
    Location loc = op.getLoc();
    State state(adaptor.getState(), pipeline.type.getDepth());
    if (pipeline.isStoreRing()) {
      emitLeader(rewriter, loc, kernel, pipeline.consumer, [&](OpBuilder &b) {
        sm90::BulkCommitGroupOp::create(b, loc);
      });
    } else if (pipeline.consumer == tmm::Engine::threads) {
      // Every tmm.read has waited for its loads; the fence keeps them before
      // the arrive.
      tcgen05::FenceOp::create(rewriter, loc, tcgen05::FenceKind::Before);
      sm90::MBarrierArriveOp::create(
          rewriter, loc, state.barrier(rewriter, loc, pipeline.countedEmpty()),
          /*count=*/1, /*relaxed=*/pipeline.type.getCtas() > 1);
    } else {
      emitLeader(rewriter, loc, kernel, pipeline.consumer, [&](OpBuilder &b) {
        emitCommit(b, loc, pipeline, state, pipeline.empty);
      });
    }
    SmallVector<Value> next = state.advance(rewriter, loc);
    rewriter.replaceOpWithMultiple(op, {ValueRange(next)});
    return success();
  }
};

struct TailPattern : PipelinePattern<tmm::ProducerTailOp> {
  using PipelinePattern::PipelinePattern;
  LogicalResult
  matchAndRewrite(tmm::ProducerTailOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LoweredPipeline &pipeline = lookup(op);
    Location loc = op.getLoc();
    int64_t depth = pipeline.type.getDepth();
    emitLeader(rewriter, loc, kernel, pipeline.producer, [&](OpBuilder &b) {
      if (pipeline.isStoreRing()) {
        sm90::BulkWaitGroupOp::create(b, loc, /*pending=*/0u, /*read=*/false);
        return;
      }
      State state(adaptor.getState(), depth);
      for (int64_t slot = 0; slot < depth; ++slot) {
        emitAcquire(b, loc, pipeline, state);
        state = State(state.advance(b, loc), depth);
      }
    });
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tc::populatePipelinePatterns(TypeConverter &converter,
                                  RewritePatternSet &patterns,
                                  KernelLowering &kernel) {
  patterns.add<StartPattern, AcquirePattern, CommitPattern, WaitPattern,
               ReleasePattern, TailPattern>(converter, patterns.getContext(),
                                            kernel);
}
