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
//   one role, and Y's engine is ordered after X's      no signal
//   only the thread that issued for X can wait for it  that thread waits
//   one role, whose threads arrive by themselves       they synchronise
//   else                                               a signal
//
// Y are the producers of the pipeline that has the slots next, where several
// share them. An end that modifies the slots is both a writer and a reader.
//
// Signals are in the CTAs where the end that waits acts. An end acts in each
// CTA, or, where several execute its ops as one, in the first of these.
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

#include <map>

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

/// The product of `sizes`, which `kernel` says are its `name`; nothing where
/// one is none.
static FailureOr<int64_t> getExtent(gpu::GPUFuncOp kernel, StringRef name,
                                    ArrayRef<int32_t> sizes) {
  int64_t extent = 1;
  for (int32_t size : sizes) {
    if (size < 1)
      return kernel.emitOpError()
             << "expected known_" << name
             << "_size with sizes of at least 1, got " << size;
    extent *= size;
  }
  return extent;
}

FailureOr<KernelFacts> tc::getKernelFacts(gpu::GPUFuncOp kernel) {
  std::optional<ArrayRef<int32_t>> block = kernel.getKnownBlockSize();
  if (!block)
    return kernel.emitOpError() << "expected known_block_size, got none";
  ArrayRef<int32_t> none;
  FailureOr<int64_t> threads = getExtent(kernel, "block", *block);
  FailureOr<int64_t> ctas =
      getExtent(kernel, "cluster", kernel.getKnownClusterSize().value_or(none));
  std::optional<ArrayRef<int32_t>> grid = kernel.getKnownGridSize();
  FailureOr<int64_t> gridCtas = getExtent(kernel, "grid", grid.value_or(none));
  if (failed(threads) || failed(ctas) || failed(gridCtas))
    return failure();
  KernelFacts facts;
  facts.threads = *threads;
  facts.ctas = *ctas;
  if (grid)
    facts.gridCtas = *gridCtas;
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
  Issue issue = engine.getIssue();
  if (end.region) {
    auto roles = cast<WarpSpecializeOp>(end.region->getParentOp());
    if (roles.isElected(end.region->getRegionNumber()))
      issue = Issue::oneThread();
  }
  return engine.getCompletion().getArrivals(issue, getRoleThreads(end, facts));
}

namespace {

/// What `end` touches in a cluster or grid.
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

/// Checks that the agent sets of `ends` are about the CTAs of `scope` that the
/// kernel has.
static LogicalResult checkSets(PipelineOp op, const PipelineEnds &ends,
                               Scope scope, const KernelFacts &facts) {
  for (const PipelineEnd &end : ends) {
    auto refuse = [&](AgentSetAttrInterface set, const Twine &expected) {
      InFlightDiagnostic diag = op.emitOpError() << expected << ", got " << set;
      diag.attachNote(end.accesses.front()->getLoc()) << "used here";
      return diag;
    };
    if (end.span && end.span.getScope() != Scope::Cluster)
      return refuse(end.span, "expected CTAs of a cluster to execute an op as "
                              "one");
    SmallVector<AgentSetAttrInterface> sets(end.targets.begin(),
                                            end.targets.end());
    if (end.span)
      sets.push_back(end.span);
    for (AgentSetAttrInterface set : sets) {
      if (set.getScope() != scope)
        return refuse(set, "expected all agent sets of a pipeline to be of a "
                           "cluster, or all of the grid");
      if (scope == Scope::Grid && !facts.gridCtas)
        return refuse(set, "expected known_grid_size of a kernel whose CTAs "
                           "signal each other");
      if (set.getNumCtas() != facts.getCtas(scope))
        return refuse(
            set, "expected agent sets of a " +
                     Twine(scope == Scope::Grid ? "grid" : "cluster") + " of " +
                     Twine(facts.getCtas(scope)) + " CTAs, that of the kernel");
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

/// Whether `after` needs no signal after `before` of the same thread, whose
/// reads it overwrites if `overwrites`; whose writes it reads or overwrites
/// else. With a slot that a consumer modifies it is both.
static bool isOrdered(const PipelineEnd &before, const PipelineEnd &after,
                      bool overwrites) {
  EngineAttrInterface earlier = before.getEngine(), later = after.getEngine();
  bool both = before.modifies || after.modifies;
  return later.isOrderedAfter(earlier, overwrites) &&
         (!both || later.isOrderedAfter(earlier, !overwrites));
}

/// Whether the threads of `before`, a role of threads, and of `after`, the same
/// one, have their own elements of the slots.
static bool havePrivateElements(PipelineType type, const PipelineEnd &before,
                                const PipelineEnd &after) {
  auto isPrivate = [&](unsigned buffer) {
    return type.getBuffers()[buffer].getSpace().isPrivateToThreads();
  };
  return before.getEngine() == after.getEngine() &&
         llvm::all_of(before.buffers, isPrivate) &&
         llvm::all_of(after.buffers, isPrivate);
}

/// Notes in `direction` how `to`, which overwrite what `from` read if
/// `overwrites`, learn of their completion; `known` is the signal of
/// completions that name none.
static LogicalResult deriveSignal(PipelineOp op, const PipelineEnds &from,
                                  const PipelineEnds &to, bool overwrites,
                                  SignalAttrInterface known,
                                  Direction &direction) {
  bool oneRole = areOneRole(from, to);
  if (oneRole && isOrdered(from[0], to[0], overwrites))
    return success();
  for (const PipelineEnd &end : from) {
    EngineAttrInterface engine = end.getEngine();
    CompletionAttrInterface completion = engine.getCompletion();
    if (completion.isOfIssuer()) {
      if (!areOneRole(PipelineEnds({end}), to)) {
        InFlightDiagnostic diag =
            op.emitOpError()
            << "expected one role at both ends, because only the thread that "
               "issues to "
            << engine << " can wait for it, got two";
        diag.attachNote(end.accesses.front()->getLoc()) << "issued here";
        diag.attachNote(to[0].accesses.front()->getLoc()) << "other end here";
        return failure();
      }
      direction.issuers.push_back(&end);
      continue;
    }
    if (oneRole && !end.span && completion.isOfThreads() &&
        engine.getIssue().isEachThread()) {
      direction.synchronises |=
          !havePrivateElements(op.getPipeline().getType(), end, to[0]);
      continue;
    }
    SignalAttrInterface signal = completion.getSignal();
    if (!signal)
      signal = known;
    if (direction.signal && direction.signal != signal) {
      InFlightDiagnostic diag =
          op.emitOpError() << "expected the ends that complete to signal on "
                              "one kind of memory, got "
                           << direction.signal << " and " << signal;
      diag.attachNote(end.accesses.front()->getLoc()) << "issued here";
      return diag;
    }
    direction.signal = signal;
    direction.isOfThreads |= completion.isOfThreads();
  }
  return success();
}

/// Checks that what `end` completes is known in the CTAs of `needed`.
static LogicalResult checkReach(PipelineOp op, const PipelineEnd &end,
                                SignalAttrInterface signal, Scope needed,
                                int64_t cta, int64_t other) {
  EngineAttrInterface engine = end.getEngine();
  Scope reach = std::min(engine.getCompletion().getReach(), signal.getReach());
  if (reach >= needed)
    return success();
  InFlightDiagnostic diag = op.emitOpError() << "expected " << engine;
  if (reach == Scope::Cta)
    diag << " to arrive on barriers of its own CTA alone";
  else
    diag << " to arrive in its own cluster alone, as " << signal << " can";
  diag << ", got CTA " << other << " that waits for CTA " << cta;
  diag.attachNote(end.accesses.front()->getLoc()) << "issued here";
  return diag;
}

namespace {

/// Which CTAs wait for an access to a slot. A grid has many CTAs and few sets
/// of slots: the answer for a set is computed once.
class Waiting {
public:
  Waiting(const PipelineEnds &to, bool isFull, int64_t ctas);

  /// The CTAs, in ascending order, that wait for accesses to `slots`.
  ArrayRef<int64_t> getCtas(ArrayRef<int64_t> slots);

private:
  /// Sets of CTAs, and their numbers.
  SmallVector<SmallVector<int64_t>> sets;
  std::map<SmallVector<int64_t>, unsigned> numbers;
  /// For each slot the number of the set that waits for it.
  SmallVector<unsigned> bySlot;
  std::map<SmallVector<int64_t>, SmallVector<int64_t>> known;
};

} // namespace

Waiting::Waiting(const PipelineEnds &to, bool isFull, int64_t ctas) {
  SmallVector<SmallVector<int64_t>> waiting(ctas);
  for (int64_t cta = 0; cta < ctas; ++cta)
    for (const PipelineEnd &end : to) {
      Reach reach(end);
      if (!reach.actsIn(cta))
        continue;
      for (int64_t slot : isFull ? reach.getSlots(cta) : reach.getFilled(cta))
        if (waiting[slot].empty() || waiting[slot].back() != cta)
          waiting[slot].push_back(cta);
    }
  for (SmallVector<int64_t> &set : waiting) {
    auto [it, isNew] = numbers.try_emplace(set, sets.size());
    if (isNew)
      sets.push_back(std::move(set));
    bySlot.push_back(it->second);
  }
}

ArrayRef<int64_t> Waiting::getCtas(ArrayRef<int64_t> slots) {
  auto [it, isNew] = known.try_emplace(SmallVector<int64_t>(slots));
  if (!isNew)
    return it->second;
  llvm::SmallSetVector<unsigned, 4> used;
  for (int64_t slot : slots)
    used.insert(bySlot[slot]);
  SmallVector<int64_t> &ctas = it->second;
  for (unsigned number : used)
    llvm::append_range(ctas, sets[number]);
  llvm::sort(ctas);
  ctas.erase(llvm::unique(ctas), ctas.end());
  return ctas;
}

/// Fills in which ends of `from` arrive at which of `to`, and how often.
/// `isFull`: the direction from producers to consumers.
static LogicalResult deriveArrivals(PipelineOp op, const PipelineEnds &from,
                                    const PipelineEnds &to, bool isFull,
                                    Scope scope, const KernelFacts &facts,
                                    Direction &direction) {
  int64_t ctas = facts.getCtas(scope);
  Waiting waiting(to, isFull, ctas);
  SmallVector<int64_t> arrivals(ctas, 0);
  llvm::SmallDenseSet<StringRef> counted;
  for (const PipelineEnd &end : from) {
    Targets &targets = direction.targets.emplace_back(ctas);
    if (end.getEngine().getCompletion().isOfIssuer())
      continue;
    Reach reach(end);
    bool ownSlots = isFull && end.getEngine().getCompletion().countsBytes();
    // Instances of one role have its name and take turns, but for what is part
    // of every role: that each of them does.
    bool isNew = true;
    if (end.region && !end.isOfEveryRole()) {
      auto roles = cast<WarpSpecializeOp>(end.region->getParentOp());
      isNew = counted.insert(roles.getRoleName(end.region->getRegionNumber()))
                  .second;
    }
    int64_t agents = isNew ? getAgents(end, facts) : 0;
    bool crosses = false;
    for (int64_t cta = 0; cta < ctas; ++cta) {
      if (!reach.actsIn(cta))
        continue;
      targets[cta].assign(waiting.getCtas(
          isFull && !ownSlots ? reach.getFilled(cta) : reach.getSlots(cta)));
      for (int64_t other : targets[cta]) {
        arrivals[other] += agents;
        if (other == cta || crosses)
          continue;
        crosses = true;
        if (failed(checkReach(op, end, direction.signal, scope, cta, other)))
          return failure();
      }
    }
    direction.crosses |= crosses;
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

/// Whose CTAs the agent sets of `ends` are about.
static Scope getScope(const PipelineEnds &ends) {
  for (const PipelineEnd &end : ends)
    for (AgentSetAttrInterface set : end.targets)
      if (set.getScope() == Scope::Grid)
        return Scope::Grid;
  return Scope::Cluster;
}

/// Checks that the engines of `consumers` can say when they have read slots of
/// `op`.
static LogicalResult checkReads(PipelineOp op, const PipelineEnds &consumers) {
  for (const PipelineEnd &end : consumers)
    for (EngineOpInterface access : end.accesses)
      for (OpOperand &operand : access->getOpOperands()) {
        auto wait = operand.get().getDefiningOp<ConsumerWaitOp>();
        if (!wait || wait.getPipeline() != op.getPipeline() ||
            access.getEngine().completesRead(
                operand.getOperandNumber(),
                cast<BufferType>(operand.get().getType()).getSpace()))
          continue;
        InFlightDiagnostic diag =
            op.emitOpError()
            << "release_on_read: expected engines that say when they have read "
               "the slot, got "
            << access.getEngine() << " and operand #"
            << operand.getOperandNumber() << " of " << access->getName();
        diag.attachNote(access->getLoc()) << "read here";
        return diag;
      }
  return success();
}

LogicalResult tc::makePlan(PipelineOp op, const KernelFacts &facts,
                           SignalAttrInterface signal, PipelinePlan &plan) {
  plan.type = op.getPipeline().getType();
  FailureOr<PipelineEnds> producers = deriveProducers(op);
  FailureOr<PipelineEnds> consumers = deriveConsumers(op);
  if (failed(producers) || failed(consumers) ||
      failed(verifyTurns(op, *producers, /*isProducer=*/true)) ||
      failed(verifyTurns(op, *consumers, /*isProducer=*/false)))
    return failure();
  plan.producers = std::move(*producers);
  plan.consumers = std::move(*consumers);
  if (op.getReleaseOnRead() && failed(checkReads(op, plan.consumers)))
    return failure();
  plan.empty.onRead = op.getReleaseOnRead();
  FailureOr<PipelineEnds> successors = deriveProducers(op.getNextOfSlots());
  if (failed(successors))
    return failure();
  plan.successors = std::move(*successors);
  plan.scope = getScope(plan.producers);
  if (failed(checkSets(op, plan.producers, plan.scope, facts)) ||
      failed(checkSets(op, plan.consumers, plan.scope, facts)) ||
      failed(deriveSignal(op, plan.producers, plan.consumers,
                          /*overwrites=*/false, signal, plan.full)) ||
      failed(deriveSignal(op, plan.consumers, plan.successors,
                          /*overwrites=*/true, signal, plan.empty)))
    return failure();
  if (plan.full.signal &&
      failed(deriveArrivals(op, plan.producers, plan.consumers,
                            /*isFull=*/true, plan.scope, facts, plan.full)))
    return failure();
  if (plan.empty.signal &&
      failed(deriveArrivals(op, plan.consumers, plan.successors,
                            /*isFull=*/false, plan.scope, facts, plan.empty)))
    return failure();
  return success();
}
