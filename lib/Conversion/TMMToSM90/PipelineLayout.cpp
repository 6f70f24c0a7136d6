//===- PipelineLayout.cpp - a pipeline's memory and barriers ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The prologue of a kernel: a storage for each buffer of a slot, two rows of
// signals for each pipeline that needs them, their initialisation by one
// thread, and a barrier of the CTA or cluster. What depends on the rank of a
// CTA in its cluster or grid (the CTAs it signals) is computed here once.
//
//===----------------------------------------------------------------------===//

#include "PipelineLayout.h"

#include "tc/Conversion/TMMTiles/ClusterTables.h"

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

namespace {

/// Emits the prologue of one kernel.
class Prologue {
public:
  Prologue(gpu::GPUFuncOp kernel, const KernelFacts &facts)
      : kernel(kernel), facts(facts), loc(kernel.getLoc()),
        b(OpBuilder::atBlockBegin(&kernel.getBody().front())) {}

  void emit(ArrayRef<PipelineOp> ops, PipelineLayouts &layouts);

private:
  Value emitSmem(Location at, int64_t bytes, int64_t alignment);
  void emitSignals(PipelineOp op, PipelineLayout &layout);
  void emitDirection(const PipelinePlan &plan, const Direction &direction,
                     DirectionValues &values);
  void emitArrival(const PipelinePlan &plan, const Direction &direction,
                   const Targets &targets, Value signals,
                   ArrivalValues &values);

  gpu::GPUFuncOp kernel;
  const KernelFacts &facts;
  Location loc;
  OpBuilder b;
};

} // namespace

Value Prologue::emitSmem(Location at, int64_t bytes, int64_t alignment) {
  auto type = MemRefType::get(
      {bytes}, b.getI8Type(), MemRefLayoutAttrInterface(),
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup));
  return sm90::SmemAllocOp::create(b, at, type, uint64_t(alignment));
}

void Prologue::emitArrival(const PipelinePlan &plan, const Direction &direction,
                           const Targets &targets, Value signals,
                           ArrivalValues &values) {
  size_t count = 0;
  bool own = true;
  for (auto [cta, to] : llvm::enumerate(targets)) {
    count = std::max(count, to.size());
    own &= to.empty() || (to.size() == 1 && to[0] == int64_t(cta));
  }
  if (own) {
    values.storages.push_back(signals);
    return;
  }
  if (plan.scope == Scope::Cluster) {
    SmallVector<int64_t> masks;
    for (ArrayRef<int64_t> to : targets) {
      int64_t mask = 0;
      for (int64_t cta : to)
        mask |= int64_t(1) << cta;
      masks.push_back(to.empty() ? -1 : mask);
    }
    values.mask = emitRankTable(b, loc, masks, b.getI16Type(), plan.scope);
  }
  for (size_t number = 0; number < count; ++number) {
    SmallVector<int64_t> ranks;
    for (ArrayRef<int64_t> to : targets)
      ranks.push_back(number < to.size() ? to[number] : -1);
    Value other = emitRankTable(b, loc, ranks, b.getI32Type(), plan.scope);
    values.storages.push_back(direction.signal.emitRemote(
        b, signals.getLoc(), signals, other, plan.type.getDepth()));
  }
}

void Prologue::emitDirection(const PipelinePlan &plan,
                             const Direction &direction,
                             DirectionValues &values) {
  for (const Targets &targets : direction.targets)
    emitArrival(plan, direction, targets, values.signals,
                values.arrivals.emplace_back());
}

/// Emits the signals of `op`, those of both directions next to each other.
void Prologue::emitSignals(PipelineOp op, PipelineLayout &layout) {
  const PipelinePlan &plan = layout.plan;
  int64_t depth = plan.type.getDepth(), bytes = 0, alignment = 1;
  SmallVector<int64_t, 2> offsets;
  for (const Direction *direction : {&plan.full, &plan.empty}) {
    SignalAttrInterface signal = direction->signal;
    if (signal) {
      bytes = llvm::alignTo(bytes, signal.getSmemAlignment());
      alignment = std::max(alignment, signal.getSmemAlignment());
    }
    offsets.push_back(bytes);
    bytes += signal ? signal.getSmemBytes(depth) : 0;
  }
  Value memory = bytes ? emitSmem(op.getLoc(), bytes, alignment) : Value();
  auto emit = [&](const Direction &direction, DirectionValues &values,
                  int64_t offset, StringRef name) {
    if (!direction.signal)
      return;
    // What printed IR calls them.
    Location at = NameLoc::get(b.getStringAttr(name), op.getLoc());
    bool inMemory = direction.signal.getSmemBytes(depth) != 0;
    values.signals = direction.signal.emitStorage(
        b, at, {kernel, inMemory ? memory : Value(), offset, depth});
    emitDirection(plan, direction, values);
  };
  emit(plan.full, layout.full, offsets[0], "full");
  emit(plan.empty, layout.empty, offsets[1], "empty");
}

void Prologue::emit(ArrayRef<PipelineOp> ops, PipelineLayouts &layouts) {
  llvm::SmallSetVector<SignalAttrInterface, 1> kinds;
  for (PipelineOp op : ops) {
    PipelineLayout &layout = *layouts[op.getPipeline()];
    int64_t depth = layout.plan.type.getDepth();
    Value over;
    if (op.getOver())
      over = layouts[op.getOver()]->storages.front();
    for (BufferType buffer : layout.plan.type.getBuffers())
      layout.storages.push_back(StorageOp::create(
          b, op.getLoc(), StorageType::get(b.getContext(), buffer, depth),
          over));
    emitSignals(op, layout);
    for (const Direction *direction : {&layout.plan.full, &layout.plan.empty})
      if (direction->signal && direction->signal.getSmemBytes(depth) != 0)
        kinds.insert(direction->signal);
  }
  if (kinds.empty())
    return;
  auto issue = IssueOp::create(b, loc, AgentSetAttrInterface());
  OpBuilder in = OpBuilder::atBlockBegin(&issue.getBody().emplaceBlock());
  auto emitInit = [&](const Direction &direction, Value signals) {
    if (signals)
      direction.signal.emitInit(in, loc, signals, direction.arrivals);
  };
  for (PipelineOp op : ops) {
    PipelineLayout &layout = *layouts[op.getPipeline()];
    emitInit(layout.plan.full, layout.full.signals);
    emitInit(layout.plan.empty, layout.empty.signals);
  }
  for (SignalAttrInterface signal : kinds)
    signal.emitInitFence(in, loc);
  // No thread arrives at a peer before the peer has initialised its signals.
  if (facts.ctas > 1) {
    sm90::ClusterArriveOp::create(b, loc);
    sm90::ClusterWaitOp::create(b, loc);
  } else {
    gpu::BarrierOp::create(b, loc);
  }
}

LogicalResult tc::layOutPipelines(gpu::GPUFuncOp kernel,
                                  PipelineLayouts &layouts) {
  FailureOr<KernelFacts> facts = getKernelFacts(kernel);
  if (failed(facts))
    return failure();
  SmallVector<PipelineOp> ops;
  kernel.walk([&](PipelineOp op) { ops.push_back(op); });
  auto signal = sm90::MBarrierSignalAttr::get(kernel.getContext());
  for (PipelineOp op : ops) {
    auto &layout = layouts[op.getPipeline()];
    layout = std::make_unique<PipelineLayout>();
    layout->isOver = bool(op.getOver());
    if (failed(makePlan(op, *facts, signal, layout->plan)))
      return failure();
  }
  for (PipelineOp op : ops)
    layouts[op.getNextOfSlots().getPipeline()]->previous =
        layouts[op.getPipeline()].get();
  Prologue(kernel, *facts).emit(ops, layouts);
  return success();
}
