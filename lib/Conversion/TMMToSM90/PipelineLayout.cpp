//===- PipelineLayout.cpp - a pipeline's memory and barriers ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The prologue of a kernel: a storage for each buffer of a slot, two rows of
// mbarriers for each pipeline that needs them, their initialisation by one
// thread, and a barrier of the CTA or cluster. What depends on the rank of a
// CTA in its cluster (whom it signals) is computed here once.
//
//===----------------------------------------------------------------------===//

#include "PipelineLayout.h"

#include "tc/Conversion/TMMToSM90/ClusterTables.h"
#include "tc/Support/Target.h"

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
  void emitDirection(const Direction &direction, Value barriers,
                     DirectionValues &values);
  void emitArrival(const Targets &targets, Value barriers,
                   ArrivalValues &values);

  gpu::GPUFuncOp kernel;
  const KernelFacts &facts;
  Location loc;
  OpBuilder b;
  Value rank;
  /// The mbarriers of other CTAs: of the array, in the CTA that the table
  /// names.
  DenseMap<std::pair<Value, Value>, Value> mapped;
};

} // namespace

Value Prologue::emitSmem(Location at, int64_t bytes, int64_t alignment) {
  auto type = MemRefType::get(
      {bytes}, b.getI8Type(), MemRefLayoutAttrInterface(),
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup));
  return sm90::SmemAllocOp::create(b, at, type, ValueRange(),
                                   uint64_t(alignment));
}

void Prologue::emitArrival(const Targets &targets, Value barriers,
                           ArrivalValues &values) {
  size_t count = 0;
  bool own = true;
  for (auto [cta, to] : llvm::enumerate(targets)) {
    count = std::max(count, to.size());
    own &= to.empty() || (to.size() == 1 && to[0] == int64_t(cta));
  }
  if (own) {
    values.arrays.push_back(barriers);
    return;
  }
  SmallVector<int64_t> masks;
  for (ArrayRef<int64_t> to : targets) {
    int64_t mask = 0;
    for (int64_t cta : to)
      mask |= int64_t(1) << cta;
    masks.push_back(to.empty() ? -1 : mask);
  }
  values.mask = emitClusterTable(b, loc, masks, b.getI16Type());
  for (size_t number = 0; number < count; ++number) {
    SmallVector<int64_t> ranks;
    for (ArrayRef<int64_t> to : targets)
      ranks.push_back(number < to.size() ? to[number] : -1);
    Value other = emitClusterTable(b, loc, ranks, b.getI32Type());
    values.arrays.push_back(
        sm90::MBarrierMapOp::create(b, barriers.getLoc(), barriers, other));
  }
}

void Prologue::emitDirection(const Direction &direction, Value barriers,
                             DirectionValues &values) {
  values.barriers = barriers;
  for (const Targets &targets : direction.targets)
    emitArrival(targets, barriers, values.arrivals.emplace_back());
}

void Prologue::emit(ArrayRef<PipelineOp> ops, PipelineLayouts &layouts) {
  bool hasBarriers = false;
  for (PipelineOp op : ops) {
    PipelineLayout &layout = layouts[op.getPipeline()];
    int64_t depth = layout.plan.type.getDepth();
    for (BufferType buffer : layout.plan.type.getBuffers())
      layout.storages.push_back(StorageOp::create(
          b, op.getLoc(), StorageType::get(b.getContext(), buffer, depth)));
    bool full = layout.plan.full.signal == Signal::Barrier;
    bool empty = layout.plan.empty.signal == Signal::Barrier;
    if (!full && !empty)
      continue;
    hasBarriers = true;
    Value memory = emitSmem(
        op.getLoc(), (full + empty) * depth * kMBarrierBytes, kMBarrierBytes);
    auto type = sm90::MBarrierArrayType::get(b.getContext(), depth);
    int64_t offset = 0;
    auto makeBarriers = [&](const Direction &direction, DirectionValues &values,
                            StringRef name) {
      // What printed IR calls them.
      Location at = NameLoc::get(b.getStringAttr(name), op.getLoc());
      Value barriers =
          sm90::MBarrierViewOp::create(b, at, type, memory, uint64_t(offset));
      offset += depth * kMBarrierBytes;
      emitDirection(direction, barriers, values);
    };
    if (full)
      makeBarriers(layout.plan.full, layout.full, "full");
    if (empty)
      makeBarriers(layout.plan.empty, layout.empty, "empty");
  }
  if (!hasBarriers)
    return;
  auto issue = IssueOp::create(b, loc, AgentSetAttrInterface());
  OpBuilder in = OpBuilder::atBlockBegin(&issue.getBody().emplaceBlock());
  auto emitInit = [&](const Direction &direction, Value barriers) {
    if (barriers)
      sm90::MBarrierInitOp::create(in, loc, barriers,
                                   uint32_t(direction.arrivals));
  };
  for (PipelineOp op : ops) {
    PipelineLayout &layout = layouts[op.getPipeline()];
    emitInit(layout.plan.full, layout.full.barriers);
    emitInit(layout.plan.empty, layout.empty.barriers);
  }
  sm90::FenceMBarrierInitOp::create(in, loc);
  // No thread arrives on a peer's barrier before the peer has initialised it.
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
  for (PipelineOp op : ops) {
    FailureOr<PipelinePlan> plan = makePlan(op, *facts);
    if (failed(plan))
      return failure();
    layouts[op.getPipeline()].plan = std::move(*plan);
  }
  Prologue(kernel, *facts).emit(ops, layouts);
  return success();
}
