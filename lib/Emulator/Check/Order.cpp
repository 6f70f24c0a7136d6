//===- Order.cpp - which accesses are ordered -----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//
// Which order two accesses need depends on their proxies: generic after generic
// needs a synchronisation, async after generic a proxy fence on top, anything
// after asynchronous work the observation of its completion, tcgen05 work on
// Tensor Memory the tcgen05 fences.
//
//===----------------------------------------------------------------------===//

#include "Check/Order.h"

#include "Engines/TCGen05/Ops.h"
#include "State/Machine.h"

namespace tc::emu {

/// PTX ISA 9.0, "Morally Strong Operations", 8.7: both strong, in the same
/// proxy, each scope includes the other's thread, and the overlap is complete.
/// Elements are aligned to their size, so that two which share a byte are the
/// same location if they are of one size.
bool Order::morallyStrong(const Record &before, const Record &now) const {
  if (!holds(Rule::StrongAccesses))
    return before.isGeneric() && now.isGeneric();
  const Reach apart = before.cluster != cluster.index ? kGrid
                      : before.rank != now.rank       ? kCluster
                                                      : kCta;
  const bool reaches = !holds(Rule::Scopes) || (reachOf(now.scope) >= apart &&
                                                reachOf(before.scope) >= apart);
  return now.strong && before.strong && reaches &&
         before.isGeneric() == now.isGeneric() &&
         (now.element == before.element || !holds(Rule::CompleteOverlap));
}

/// Of a generic access by `thread`: what the text grants, then what assumptions
/// add.
bool Order::orderedGeneric(const Record &before, uint32_t thread,
                           const Actor &actor, bool global,
                           const Foreign *theirs, AssumptionMask &used) const {
  const Message &message = actor.group->message;
  const Clock &known = (theirs ? theirs->known : message.known).threads;
  const Clock &visible = (theirs   ? theirs->visible
                          : global ? message.visibleGlobal
                                   : message.visibleShared)
                             .threads;
  const uint32_t clock = before.clock;
  const bool needsProxyFence = actor.async && holds(Rule::ProxyFence);
  const bool own = !theirs && actor.isOwn(thread);
  if (needsProxyFence) {
    const OwnKnowledge &fenced = actor.warp->own;
    if ((own &&
         (global ? fenced.global : fenced.shared)[thread % 32] >= clock) ||
        visible.knows(thread, clock, used))
      return true;
    // Reads that their thread has released to the async proxy by itself.
    if (!before.write && !global && !theirs &&
        ((own && fenced.reads[thread % 32] >= clock) ||
         message.readsVisible.knows(thread, clock, used)))
      return true;
  } else if (own || !holds(Rule::GenericOrder) ||
             known.knows(thread, clock, used) ||
             (!theirs && !global &&
              message.knownShared.threads.knows(thread, clock, used))) {
    return true;
  }
  if (theirs)
    return false;
  // An arrival of .cta scope on a barrier of another CTA publishes nothing for
  // generic reads, but what its thread has read may be overwritten after it,
  // and the async proxy sees what a proxy fence has handed to it.
  auto assumed = [&](Assumption assumption) {
    if (!threads.assumes(assumption))
      return false;
    used |= maskOf(assumption);
    return true;
  };
  const Clock &told = actor.async ? message.fenced : message.reads;
  if ((actor.async || !before.write) && !global && told.get(thread) >= clock &&
      assumed(before.write ? Assumption::CtaArrivalHandsToAsync
                           : Assumption::CtaArrivalEndsReads))
    return true;
  if (before.allocates && message.allocations.get(thread) >= clock &&
      assumed(Assumption::AllocWordByClusterBarrier))
    return true;
  return needsProxyFence && before.readsAllocation &&
         threads.assumes(Assumption::AllocWordToAsync) &&
         known.knows(thread, clock, used) &&
         assumed(Assumption::AllocWordToAsync);
}

bool Order::ordered(const Record &before, unsigned lane, const Actor &actor,
                    bool global, AssumptionMask &used) const {
  const Message &message = actor.group->message;
  const Foreign *theirs = nullptr;
  if (before.cluster != cluster.index) {
    if (!holds(Rule::CrossCluster))
      return true;
    if (!message.foreign)
      return false;
    auto found = message.foreign->find(before.cluster);
    if (found == message.foreign->end())
      return false;
    theirs = &found->second;
  }
  const Knowledge &known = theirs ? theirs->known : message.known;
  auto isOver = [&](uint32_t component, uint32_t clock) {
    return known.async.knows(component, clock, used) ||
           (!theirs && !global &&
            message.knownShared.async.knows(component, clock, used));
  };
  switch (before.kind) {
  case Record::Generic:
    return orderedGeneric(before, before.component + lane, actor, global,
                          theirs, used);
  case Record::StoreAsync:
  case Record::CpAsync: {
    if (!holds(before.kind == Record::CpAsync ? Rule::CpAsyncWait
                                              : Rule::AsyncCompletion))
      return true;
    const Knowledge &visible = theirs   ? theirs->visible
                               : global ? message.visibleGlobal
                                        : message.visibleShared;
    bool needsProxyFence = actor.async && holds(Rule::ProxyFence);
    uint32_t component = before.component;
    bool isOwnOver = false; // as far as the lane alone knows
    if (before.kind == Record::CpAsync) {
      component += lane;
      const OwnKnowledge &own = actor.warp->own;
      const bool isOwn = !theirs && own.copyStream == before.component &&
                         actor.isOwn(own.base + lane);
      if (isOwn && (!needsProxyFence ? own.copies
                    : global         ? own.copiesGlobal
                                     : own.copiesShared)[lane] >= before.clock)
        return true;
      isOwnOver = isOwn && own.copies[lane] >= before.clock;
    }
    if (needsProxyFence ? visible.async.knows(component, before.clock, used)
                        : isOver(component, before.clock))
      return true;
    if (!needsProxyFence || before.kind != Record::CpAsync ||
        actor.record->kind != Record::Tensor ||
        !threads.assumes(Assumption::CpAsyncToTensorCore) ||
        (!isOwnOver && !isOver(component, before.clock)))
      return false;
    used |= maskOf(Assumption::CpAsyncToTensorCore);
    return true;
  }
  case Record::BulkLoad:
    // A read for several CTAs is over when all have their bytes.
    for (uint32_t next = before.also; next && holds(Rule::AsyncCompletion);) {
      const Record &other = shared.footprint->records[next];
      if (!isOver(other.component, other.clock))
        return false;
      next = other.also;
    }
    [[fallthrough]];
  default:
    if (!holds(Rule::AsyncCompletion) || isOver(before.component, before.clock))
      return true;
    // cp.async.bulk.wait_group.sync_restrict::proxy::async.
    return actor.async && !theirs &&
           (before.kind == Record::BulkRead ||
            before.kind == Record::BulkWrite) &&
           (global ? message.visibleGlobal : message.visibleShared)
               .async.knows(before.component, before.clock, used);
  }
}

/// What Assumption::PipeInOrder adds to the pairs of the ISA.
static bool isPipedInOrder(const Record &x, const Record &y) {
  using C = AsyncClass;
  const C first = x.piped.asyncClass, second = y.piped.asyncClass;
  if (x.piped.ctaGroup != y.piped.ctaGroup ||
      (second != C::Mma && second != C::TmemCopy))
    return false;
  return (first == C::Mma && !x.write) ||
         (first == C::TmemCopy && second == C::TmemCopy);
}

bool Order::orderedTmem(const Record &before, const Actor &actor,
                        const Group &group, AssumptionMask &used) const {
  if (!holds(Rule::TensorOrder))
    return true;
  const Record &now = *actor.record;
  const uint32_t component = before.component, clock = before.clock;
  const Message &message = group.message;
  // Two CTAs free the columns of a pair.
  if (before.kind == Record::Free)
    return now.kind == Record::Free || !holds(Rule::PairFree) ||
           message.known.threads.knows(component, clock, used);
  if ((before.kind == Record::TmemLoad && !holds(Rule::WaitLoads)) ||
      (before.kind == Record::TmemStore && !holds(Rule::WaitStores)))
    return true;
  // The text first: deallocation is ordered like any instruction.
  const bool frees = now.kind == Record::Free;
  const bool pipes = before.kind == Record::Tensor &&
                     now.kind == Record::Tensor && holds(Rule::PipelineOrder);
  const bool pipelined = pipes && (!holds(Rule::PipelinedPairs) ||
                                   isPipelined(before.piped, now.piped));
  if (group.effective.get(component) >= clock ||
      (frees && message.known.async.get(component) >= clock) ||
      (pipelined && group.effective.get(component + 1) >= clock))
    return true;
  // Then what takes an assumption.
  auto assumed = [&](Assumption assumption, bool holds) {
    if (holds)
      used |= maskOf(assumption);
    return holds;
  };
  if (group.effective.knows(component, clock, used) ||
      (pipelined && group.effective.knows(component + 1, clock, used)))
    return true;
  if (pipes && threads.assumes(Assumption::PipeInOrder) &&
      assumed(Assumption::PipeInOrder,
              isPipedInOrder(before, now) &&
                  group.effective.knows(component + 1, clock, used)))
    return true;
  auto movesData = [](const Record &record) {
    return record.kind == Record::TmemLoad || record.kind == Record::TmemStore;
  };
  if (movesData(before) && movesData(now) &&
      threads.assumes(Assumption::LoadStoreInOrder) &&
      assumed(Assumption::LoadStoreInOrder,
              (before.rank == now.rank && before.warp == now.warp) ||
                  group.effective.knows(component + kIssued, clock, used)))
    return true;
  if (!frees)
    return false;
  return message.known.async.knows(component, clock, used) ||
         (threads.assumes(Assumption::DeallocWithoutFence) &&
          assumed(Assumption::DeallocWithoutFence,
                  message.tensor.knows(component, clock, used)));
}

} // namespace tc::emu
