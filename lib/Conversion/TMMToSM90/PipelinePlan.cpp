//===- PipelinePlan.cpp - how pipelines are signalled -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rule, for the direction from end X to end Y:
//
//   X and Y are one role, and Y's engine is ordered after X's      None
//   X completes in groups                                          Group
//   X and Y are one role, and X arrives when its ops return        NamedBarrier
//   else                                                           Barrier
//
// An mbarrier lives in the CTAs where the end that waits acts. An end acts in
// each CTA, or, where several execute its ops as one, in the first of these.
// What accesses a slot of a CTA signals, or is signalled by, all that access
// it:
//
//   full    a producer that counts bytes arrives for its own slots, at each
//           consumer that reads them: the bytes that others send there are
//           expected there. Any other producer arrives for all slots that it
//           fills.
//   empty   a consumer arrives for all slots that it reads, at each producer
//           that fills one of them.
//
// So a slot whose parts come from r CTAs of a row and c of a column is released
// r + c - 1 times: each agent of the union arrives once. Instances of a role
// that take turns are one agent.
//
//===----------------------------------------------------------------------===//

#include "PipelinePlan.h"

#include "tc/Support/Target.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

FailureOr<KernelFacts> tc::getKernelFacts(gpu::GPUFuncOp kernel) {
  KernelFacts facts;
  std::optional<ArrayRef<int32_t>> block = kernel.getKnownBlockSize();
  if (!block)
    return kernel.emitOpError() << "expected known_block_size, got none";
  facts.threads = 1;
  for (int32_t size : *block)
    facts.threads *= size;
  if (std::optional<ArrayRef<int32_t>> cluster = kernel.getKnownClusterSize())
    for (int32_t size : *cluster)
      facts.ctas *= size;
  return facts;
}

int64_t tc::getRoleThreads(const PipelineEnd &end, const KernelFacts &facts) {
  if (!end.region)
    return facts.threads;
  auto op = cast<WarpSpecializeOp>(end.region->getParentOp());
  return op.getWarps()[end.region->getRegionNumber()] * kWarpThreads;
}

/// Arrivals of `end` in one CTA for one transaction.
static int64_t getAgents(const PipelineEnd &end, const KernelFacts &facts) {
  EngineAttrInterface engine = end.getEngine();
  // Bytes are expected by one, and one closes a group.
  if (engine.getCompletion() == Completion::Bytes ||
      engine.getCompletion() == Completion::Group)
    return 1;
  if (end.region) {
    auto roles = cast<WarpSpecializeOp>(end.region->getParentOp());
    if (roles.isElected(end.region->getRegionNumber()))
      return 1;
  }
  switch (engine.getIssue()) {
  case Issue::Thread:
    return 1;
  case Issue::Threads:
    return getRoleThreads(end, facts);
  case Issue::Warp:
    return getRoleThreads(end, facts) / kWarpThreads;
  case Issue::Warpgroup:
    return getRoleThreads(end, facts) / kWarpgroupThreads;
  }
  llvm_unreachable("all ways to issue are listed");
}

namespace {

/// What `end` touches in a cluster.
class Reach {
public:
  Reach(const PipelineEnd &end) : end(end) {}

  bool actsIn(int64_t cta) const {
    auto isFirst = [=](AgentSetAttrInterface set) {
      return !set || set.getMembers(cta).front() == cta;
    };
    if (!end.region)
      return isFirst(end.span);
    // A role may run in the first of its CTAs only.
    auto roles = cast<WarpSpecializeOp>(end.region->getParentOp());
    return isFirst(end.span) &&
           isFirst(roles.getSpan(end.region->getRegionNumber()));
  }
  /// The CTAs whose slots it uses when it acts in `cta`.
  SmallVector<int64_t> getSlots(int64_t cta) const {
    if (!end.span)
      return {cta};
    return end.span.getMembers(cta);
  }
  /// The same with those that it sends copies to.
  SmallVector<int64_t> getFilled(int64_t cta) const {
    llvm::SmallSetVector<int64_t, 8> filled;
    for (int64_t slot : getSlots(cta)) {
      filled.insert(slot);
      for (AgentSetAttrInterface set : end.targets)
        for (int64_t member : set.getMembers(slot))
          filled.insert(member);
    }
    return filled.takeVector();
  }

private:
  const PipelineEnd &end;
};

} // namespace

static bool intersect(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  return llvm::any_of(a, [&](int64_t x) { return llvm::is_contained(b, x); });
}

/// Checks that the agent sets of `ends` are about clusters of `ctas` CTAs.
static LogicalResult checkSets(PipelineOp op, const PipelineEnds &ends,
                               int64_t ctas) {
  for (const PipelineEnd &end : ends) {
    SmallVector<AgentSetAttrInterface> sets(end.targets.begin(),
                                            end.targets.end());
    if (end.span)
      sets.push_back(end.span);
    for (AgentSetAttrInterface set : sets)
      if (set.getClusterCtas() != ctas) {
        InFlightDiagnostic diag =
            op.emitOpError() << "expected agent sets of a cluster of " << ctas
                             << " CTAs, that of the kernel, got " << set;
        diag.attachNote(end.accesses.front()->getLoc()) << "used here";
        return diag;
      }
  }
  return success();
}

/// Whether the ends are one role, each alone on its side, on slots of the CTA
/// alone.
static bool areOneRole(const PipelineEnds &from, const PipelineEnds &to) {
  return from.size() == 1 && to.size() == 1 && from[0].region == to[0].region &&
         from[0].span == to[0].span && from[0].targets.empty() &&
         to[0].targets.empty();
}

/// The signal from `from` to `to`, which overwrite what the former read if
/// `overwrites`.
static FailureOr<Signal> deriveSignal(PipelineOp op, const PipelineEnds &from,
                                      const PipelineEnds &to, bool overwrites) {
  bool oneRole = areOneRole(from, to);
  if (oneRole &&
      to[0].getEngine().isOrderedAfter(from[0].getEngine(), overwrites))
    return Signal::None;
  for (const PipelineEnd &end : from) {
    if (end.getEngine().getCompletion() != Completion::Group)
      continue;
    if (oneRole)
      return Signal::Group;
    InFlightDiagnostic diag = op.emitOpError()
                              << "expected one role at both ends, because only "
                                 "the thread that issues "
                                 "to "
                              << end.getEngine() << " can wait for it, got two";
    diag.attachNote(end.accesses.front()->getLoc()) << "issued here";
    diag.attachNote(to[0].accesses.front()->getLoc()) << "other end here";
    return failure();
  }
  if (oneRole && !from[0].span &&
      from[0].getEngine().getCompletion() == Completion::Arrive &&
      from[0].getEngine().getIssue() == Issue::Threads)
    return Signal::NamedBarrier;
  return Signal::Barrier;
}

/// Fills in who of `from` arrives at whom of `to`, and how often. `isFull`: the
/// direction from producers to consumers.
static LogicalResult deriveArrivals(PipelineOp op, const PipelineEnds &from,
                                    const PipelineEnds &to, bool isFull,
                                    const KernelFacts &facts,
                                    Direction &direction) {
  SmallVector<int64_t> arrivals(facts.ctas, 0);
  llvm::SmallDenseSet<StringRef> counted;
  for (const PipelineEnd &end : from) {
    Reach reach(end);
    bool ownSlots =
        isFull && end.getEngine().getCompletion() == Completion::Bytes;
    Targets targets(facts.ctas);
    // Instances of one role have its name and take turns, but for what is part
    // of every role: that each of them does.
    bool isNew = true;
    if (end.region && !end.isOfEveryRole()) {
      auto roles = cast<WarpSpecializeOp>(end.region->getParentOp());
      isNew = counted.insert(roles.getRoleName(end.region->getRegionNumber()))
                  .second;
    }
    for (int64_t cta = 0; cta < facts.ctas; ++cta) {
      if (!reach.actsIn(cta))
        continue;
      SmallVector<int64_t> touched =
          isFull && !ownSlots ? reach.getFilled(cta) : reach.getSlots(cta);
      for (int64_t other = 0; other < facts.ctas; ++other)
        if (llvm::any_of(to, [&](const PipelineEnd &waiting) {
              Reach there(waiting);
              return there.actsIn(other) &&
                     intersect(touched, isFull ? there.getSlots(other)
                                               : there.getFilled(other));
            })) {
          targets[cta].push_back(other);
          direction.crosses |= other != cta;
          if (other != cta &&
              end.getEngine().getCompletion() == Completion::Commit &&
              !end.getEngine().commitsAcross()) {
            InFlightDiagnostic diag = op.emitOpError()
                                      << "expected " << end.getEngine()
                                      << " to arrive on barriers of its own "
                                         "CTA alone, got CTA "
                                      << other << " that waits for CTA " << cta;
            diag.attachNote(end.accesses.front()->getLoc()) << "issued here";
            return diag;
          }
          if (isNew)
            arrivals[other] += getAgents(end, facts);
        }
    }
    direction.targets.push_back(std::move(targets));
  }
  for (int64_t count : arrivals) {
    if (count == 0)
      continue;
    if (direction.arrivals != 0 && count != direction.arrivals)
      return op.emitOpError()
             << "expected as many arrivals in each CTA that waits, got "
             << direction.arrivals << " and " << count;
    direction.arrivals = count;
  }
  assert(direction.arrivals != 0 && "the first CTA is the first of its sets");
  return success();
}

FailureOr<PipelinePlan> tc::makePlan(PipelineOp op, const KernelFacts &facts) {
  PipelinePlan plan;
  plan.type = op.getPipeline().getType();
  plan.lateRelease = op.getLateRelease() && plan.type.getDepth() > 1;
  FailureOr<PipelineEnds> producers = deriveProducers(op);
  FailureOr<PipelineEnds> consumers = deriveConsumers(op);
  if (failed(producers) || failed(consumers) ||
      failed(verifyTurns(op, *producers, /*isProducer=*/true)) ||
      failed(verifyTurns(op, *consumers, /*isProducer=*/false)) ||
      failed(checkSets(op, *producers, facts.ctas)) ||
      failed(checkSets(op, *consumers, facts.ctas)))
    return failure();
  plan.producers = std::move(*producers);
  plan.consumers = std::move(*consumers);
  auto full = deriveSignal(op, plan.producers, plan.consumers,
                           /*overwrites=*/false);
  auto empty = deriveSignal(op, plan.consumers, plan.producers,
                            /*overwrites=*/true);
  if (failed(full) || failed(empty))
    return failure();
  plan.full.signal = *full;
  plan.empty.signal = *empty;
  if (*full == Signal::Barrier &&
      failed(deriveArrivals(op, plan.producers, plan.consumers,
                            /*isFull=*/true, facts, plan.full)))
    return failure();
  if (*empty == Signal::Barrier &&
      failed(deriveArrivals(op, plan.consumers, plan.producers,
                            /*isFull=*/false, facts, plan.empty)))
    return failure();
  return plan;
}
