//===- Sync.cpp - order by synchronisation --------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Barriers, fences and waits. A release publishes what its lanes know and what
// they did before it, then their clock ticks. What arrives on a barrier is
// collected per phase and published when the phase is complete, so that early
// arrivals for the next one order nothing (PTX ISA 9.0, "Memory Consistency
// Model", 8, and "Memory Consistency Model for 5th generation of TensorCore
// operations", 9.7.16.6).
//
//===----------------------------------------------------------------------===//

#include "Check/ClusterChecker.h"
#include "State/Machine.h"

namespace tc::emu {

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

WarpState &ClusterChecker::stateOf(const Warp &warp) {
  return warps[warp.cta.rank * cluster.machine.warpsPerCta + warp.index];
}

Group &ClusterChecker::groupOf(WarpState &warp, unsigned lane) {
  for (auto &group : warp.groups)
    if (group->lanes >> lane & 1)
      return *group;
  return *warp.groups[0];
}

bool Group::hasReadAs(const Group &other) const {
  return toAcquire == other.toAcquire && toMaps == other.toMaps &&
         std::equal(std::begin(toJoin), std::end(toJoin),
                    std::begin(other.toJoin)) &&
         std::equal(std::begin(toFence), std::end(toFence),
                    std::begin(other.toFence));
}

/// All lanes know what each of them knew.
void ClusterChecker::mergeGroups(WarpState &warp, uint32_t lanes) {
  std::vector<Group *> groups;
  forGroups(warp, lanes, [&](Group &group) { groups.push_back(&group); });
  if (groups.empty())
    return;
  Group &first = *groups[0];
  for (Group *group : groups) {
    if (group == &first)
      continue;
    first.message.join(group->message);
    first.effective.join(group->effective);
    first.waitLine = std::max(first.waitLine, group->waitLine);
  }
  warp.own.tell(lanes, first.message);
  warp.own.news &= ~lanes;
  first.hint.reset();
  for (size_t i = 1; i < groups.size(); ++i) {
    Group &group = *groups[i];
    const auto end = groups.begin() + ptrdiff_t(i);
    auto same = std::find_if(groups.begin(), end, [&](const Group *other) {
      return other->lanes && other->hasReadAs(group);
    });
    if (same != end) {
      (*same)->lanes |= group.lanes;
      group.lanes = 0;
      continue;
    }
    group.message = first.message;
    group.effective = first.effective;
    group.waitLine = first.waitLine;
    group.hint.reset();
  }
  auto empty = [](const std::unique_ptr<Group> &g) { return !g->lanes; };
  warp.groups.erase(
      std::remove_if(warp.groups.begin(), warp.groups.end(), empty),
      warp.groups.end());
}

//===----------------------------------------------------------------------===//
// Publishing and acquiring
//===----------------------------------------------------------------------===//

bool ClusterChecker::assumes(Assumption assumption) const {
  return cluster.machine.assumes(assumption);
}

void ClusterChecker::note(AssumptionMask used, int before, int after) {
  if (used && noted.emplace(used, before, after).second)
    cluster.machine.noteUse(used, before, after);
}

/// WaitLoads and WaitStores: the warp's loads or stores are complete.
void ClusterChecker::waited(WarpState &warp, uint32_t lanes, bool loads) {
  uint32_t count = loads ? warp.loads : warp.stores;
  (loads ? warp.loadsWaited : warp.storesWaited) = count;
  if (loads)
    warp.loadsFinished = count;
  forGroups(warp, lanes, [&](Group &group) {
    uint32_t stream = loads ? warp.loadStream : warp.storeStream;
    group.effective.raise(stream, count);
    group.message.known.async.raise(stream, count);
  });
}

/// Registers that have been used have been loaded.
void ClusterChecker::finishUsedLoads(WarpState &warp) {
  if (warp.loads == warp.loadsFinished ||
      !assumes(Assumption::UsedLoadComplete) ||
      cluster.engine.anyPending(*cluster.cta(warp.rank)->warps[warp.index],
                                AsyncClass::TmemLoad))
    return;
  warp.loadsFinished = warp.loads;
  const AssumptionMask mask = maskOf(Assumption::UsedLoadComplete);
  for (auto &group : warp.groups) {
    group->effective.assume(warp.loadStream, warp.loads, mask);
    group->message.known.async.assume(warp.loadStream, warp.loads, mask);
  }
}

/// `threads`: generic accesses too; without, no more than that reads are over.
/// `own`: what each lane did and knows of itself.
void ClusterChecker::publish(WarpState &warp, uint32_t lanes, Message &to,
                             bool release, bool threads, bool own) {
  finishUsedLoads(warp);
  if (assumes(Assumption::LoadStoreInOrder)) {
    const AssumptionMask mask = maskOf(Assumption::LoadStoreInOrder);
    to.tensor.assume(warp.loadStream + kIssued, warp.loads, mask);
    to.tensor.assume(warp.storeStream + kIssued, warp.stores, mask);
  }
  for (auto &entry : warp.groups) {
    Group &group = *entry;
    uint32_t both = group.lanes & lanes;
    if (!both)
      continue;
    to.present |= group.message.present;
    to.phases.join(group.message.phases);
    MapKnowledge::join(to.maps, group.message.maps);
    if (assumes(Assumption::ExitByAnySign) &&
        warps.size() * 32 > threadsPerCta) {
      to.heard.join(group.message.heard);
      for (uint32_t rest = own ? both : 0; rest; rest &= rest - 1)
        to.heard.raise(warp.base + unsigned(__builtin_ctz(rest)), warp.clock);
    }
    if (!release) {
      to.tensor.join(group.message.tensor);
      to.inits.join(group.message.inits);
      warp.own.tellInits(both, to);
      continue;
    }
    AssumptionMask fences = assumes(Assumption::AcquireOrdersTcgen05)
                                ? maskOf(Assumption::AcquireOrdersTcgen05)
                                : 0;
    if (!threads) {
      const AssumptionMask mask = maskOf(Assumption::CtaArrivalEndsReads);
      to.known.async.joinAssuming(group.message.known.async, mask);
      to.tensor.joinAssuming(group.message.tensor, mask);
      to.inits.joinAssuming(group.message.inits, mask);
      if (fences)
        to.tensor.joinAssuming(group.effective, mask | fences);
      to.reads.join(group.message.reads);
      to.reads.join(group.message.known.threads);
      to.reads.join(group.message.knownShared.threads);
      to.fenced.join(group.message.fenced);
      to.fenced.join(group.message.visibleShared.threads);
      warp.own.tellNarrowly(both, to, mask);
      for (uint32_t rest = both; rest; rest &= rest - 1)
        to.reads.raise(warp.base + unsigned(__builtin_ctz(rest)), warp.clock);
      continue;
    }
    to.join(group.message);
    if (own)
      warp.own.tell(both, to);
    for (uint32_t rest = own ? both : 0; rest; rest &= rest - 1)
      to.known.threads.raise(warp.base + unsigned(__builtin_ctz(rest)),
                             warp.clock);
    if (!holds(Rule::SameWarpLanes))
      for (unsigned lane = 0; lane < 32; ++lane)
        to.known.threads.raise(warp.base + lane, warp.clock);
    if (!holds(Rule::FenceBefore))
      to.tensor.join(group.effective);
    else if (fences)
      to.tensor.joinAssuming(group.effective, fences);
  }
  ++warp.clock;
}

/// Those of `releases` that belong to `lanes` tell `to`.
static void tellReleases(const WarpState::Releases &releases, uint32_t lanes,
                         Message &to) {
  while (lanes) {
    const auto &release = releases[unsigned(__builtin_ctz(lanes))];
    uint32_t together = 0;
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
      if (releases[unsigned(__builtin_ctz(rest))] == release)
        together |= rest & -rest;
    if (release)
      release->tell(together, to);
    lanes &= ~together;
  }
}

/// A relaxed arrival after a memory fence is a release pattern (PTX ISA 9.0,
/// "Release and Acquire Patterns", 8.8), as far as the fence reaches.
void ClusterChecker::joinReleased(WarpState &warp, uint32_t lanes, Message &to,
                                  Reach reach) {
  tellReleases(warp.released[reach], lanes, to);
  if (reach <= kCluster)
    tellReleases(warp.releasedShared, lanes, to);
}

void ClusterChecker::acquire(Group &group, const WarpState &warp,
                             const Message &from, bool acquires, int line) {
  Message &to = group.message;
  group.hint.reset();
  to.present |= from.present;
  to.phases.join(from.phases);
  to.heard.join(from.heard);
  MapKnowledge::join(acquires ? to.maps : group.toMaps, from.maps);
  if (!acquires) {
    to.tensor.join(from.tensor);
    to.inits.join(from.inits);
  } else {
    // Proxy fences of other CTAs do not count.
    to.known.join(from.known);
    to.knownShared.join(from.knownShared);
    uint32_t begin = warp.rank * threadsPerCta, end = begin + threadsPerCta;
    if (warps.size() * 32 > threadsPerCta &&
        assumes(Assumption::ProxyFenceInAnyCta))
      to.visibleShared.threads.joinAssuming(
          from.visibleShared.threads, maskOf(Assumption::ProxyFenceInAnyCta));
    to.visibleShared.threads.joinRange(from.visibleShared.threads, begin, end);
    to.visibleShared.async.join(from.visibleShared.async);
    to.visibleGlobal.join(from.visibleGlobal);
    to.tensor.join(from.tensor);
    to.inits.join(from.inits);
    to.reads.join(from.reads);
    to.fenced.join(from.fenced);
    to.allocations.join(from.allocations);
    Message::joinForeign(to.foreign, from.foreign);
  }
  if (!holds(Rule::FenceAfter))
    group.effective.join(to.tensor);
  else if (acquires && assumes(Assumption::AcquireOrdersTcgen05))
    group.effective.joinAssuming(to.tensor,
                                 maskOf(Assumption::AcquireOrdersTcgen05));
  group.waitLine = line;
}

/// What relaxed operations have read becomes known with a fence that reaches
/// as far as to the writers; what is not about shared memory waits for another
/// one if the fence is restricted to that.
void ClusterChecker::acquireAfterFence(Group &group, const WarpState &warp,
                                       Reach reach, bool isOfShared, int line) {
  if (isOfShared) {
    for (unsigned r = 0; r <= reach; ++r)
      if (group.toJoin[r])
        acquire(group, warp, group.toJoin[r]->ofShared(), true, line);
    return;
  }
  if (reach == kGrid && group.toAcquire) {
    joinFlags(group, *group.toAcquire);
    group.toAcquire.reset();
  }
  for (unsigned r = 0; r <= reach; ++r)
    if (std::shared_ptr<const Message> told = std::move(group.toJoin[r]))
      acquire(group, warp, *told, true, line);
}

void ClusterChecker::fence(WarpState &warp, const SyncEvent &event) {
  auto kind = FenceKind(event.value);
  if (kind == FenceKind::TensorMapRelease && !event.object) {
    // Of each lane for itself.
    for (uint32_t rest = event.lanes; rest; rest &= rest - 1)
      forGroups(warp, rest & -rest, [&](Group &group) {
        group.hint.reset();
        releaseMaps(group, warp, event);
      });
    ++warp.clock;
    return;
  }
  forGroups(warp, event.lanes, [&](Group &group) {
    group.hint.reset();
    switch (kind) {
    case FenceKind::Memory:
    case FenceKind::MemoryOfShared:
    case FenceKind::MemorySc: {
      const Reach reach =
          holds(Rule::Scopes) ? reachOf(event.scope) : Reach::kGrid;
      const bool isOfShared =
          kind == FenceKind::MemoryOfShared && holds(Rule::SyncRestrict);
      const bool oneWay = holds(Rule::FenceSides);
      if (event.order != MemoryOrder::Release || !oneWay)
        acquireAfterFence(group, warp, reach, isOfShared, event.line);
      if (event.order == MemoryOrder::Acquire && oneWay)
        break;
      if (kind == FenceKind::MemorySc)
        fenceSc(group, warp, reach, event.line);
      const uint32_t clock = warp.clock;
      Message known;
      publish(warp, group.lanes, known, true, true, false);
      const auto snapshot =
          std::make_shared<Release>(std::move(known), warp.own, clock,
                                    assumes(Assumption::ExitByAnySign) &&
                                        warps.size() * 32 > threadsPerCta,
                                    isOfShared);
      for (uint32_t rest = group.lanes; rest; rest &= rest - 1) {
        const auto lane = unsigned(__builtin_ctz(rest));
        if (isOfShared) {
          warp.releasedShared[lane] = snapshot;
          continue;
        }
        if (reach >= kCluster)
          warp.releasedShared[lane].reset();
        for (unsigned r = 0; r <= reach; ++r) {
          warp.released[r][lane] = snapshot;
          if (kind == FenceKind::MemorySc)
            warp.fencedSc[r][lane] = snapshot;
        }
      }
      break;
    }
    case FenceKind::MbarrierInit:
      fencesInits |= 1u << warp.rank;
      warp.own.fenceInits(group.lanes, warp.clock);
      break;
    case FenceKind::ProxyAsync:
    case FenceKind::ProxyAsyncShared:
    case FenceKind::ProxyAsyncGlobal: {
      const bool ofShared = kind != FenceKind::ProxyAsyncGlobal ||
                            !holds(Rule::ProxyFenceSpace),
                 ofGlobal = kind != FenceKind::ProxyAsyncShared ||
                            !holds(Rule::ProxyFenceSpace);
      warp.own.fence(group.lanes, warp.clock, ofShared, ofGlobal);
      if (ofShared) {
        group.message.visibleShared.join(group.message.known);
        group.message.visibleShared.join(group.message.knownShared);
      }
      if (kind != FenceKind::ProxyAsyncGlobal)
        group.message.fenced.join(group.message.reads);
      if (ofGlobal) {
        group.message.visibleGlobal.join(group.message.known);
        if (group.message.foreign) {
          auto all = std::make_shared<ForeignMap>(*group.message.foreign);
          for (auto &theirs : *all)
            theirs.second.visible.join(theirs.second.known);
          group.message.foreign = std::move(all);
        }
      }
      break;
    }
    case FenceKind::TensorMapRelease:
      releaseMaps(group, warp, event);
      break;
    case FenceKind::TensorMapAcquire:
      acquireMaps(group, warp, event);
      break;
    case FenceKind::ProxyOther:
      break;
    case FenceKind::TensorBefore:
      group.message.tensor.join(group.effective);
      break;
    case FenceKind::TensorAfter:
      group.effective.join(group.message.tensor);
      break;
    }
  });
  ++warp.clock;
}

//===----------------------------------------------------------------------===//
// Barriers of CTA, cluster and warp
//===----------------------------------------------------------------------===//

void ClusterChecker::leaveBarrier(const SyncEvent &event) {
  WarpState &warp = stateOf(*event.warp);
  const Message &completed = named[event.object].completed;
  forGroups(warp, event.lanes, [&](Group &group) {
    acquire(group, warp, completed, true, event.line);
  });
  if (holds(Rule::BarrierOrder))
    mergeGroups(warp, event.lanes);
}

void ClusterChecker::arriveOnCluster(const SyncEvent &event) {
  if (!holds(Rule::ClusterBarrierOrder))
    return;
  WarpState &warp = stateOf(*event.warp);
  Message &to = clusterBarrier.arriving;
  if (assumes(Assumption::LateMbarrierInit) && fencesInits >> warp.rank & 1)
    for (uint32_t rest = event.lanes; rest; rest &= rest - 1)
      to.inits.assume(warp.base + unsigned(__builtin_ctz(rest)), warp.clock,
                      maskOf(Assumption::LateMbarrierInit));
  if (assumes(Assumption::AllocWordByClusterBarrier))
    for (uint32_t rest = event.lanes; rest; rest &= rest - 1)
      to.allocations.raise(warp.base + unsigned(__builtin_ctz(rest)),
                           warp.clock);
  bool carries = event.order != MemoryOrder::Relaxed || !holds(Rule::Relaxed);
  if (!carries)
    joinReleased(warp, event.lanes, to, kCluster);
  publish(warp, event.lanes, to, carries);
}

void ClusterChecker::leaveCluster(const SyncEvent &event) {
  WarpState &warp = stateOf(*event.warp);
  forGroups(warp, event.lanes, [&](Group &group) {
    acquire(group, warp, clusterBarrier.completed, true, event.line);
  });
}

void ClusterChecker::syncWarp(const SyncEvent &event) {
  if (!holds(Rule::WarpSyncOrder))
    return;
  WarpState &warp = stateOf(*event.warp);
  uint32_t clock = warp.clock;
  mergeGroups(warp, event.lanes);
  forGroups(warp, event.lanes, [&](Group &group) {
    for (uint32_t rest = event.lanes; rest; rest &= rest - 1)
      group.message.known.threads.raise(
          warp.base + unsigned(__builtin_ctz(rest)), clock);
  });
  ++warp.clock;
}

//===----------------------------------------------------------------------===//
// Waits for asynchronous work and grids
//===----------------------------------------------------------------------===//

void ClusterChecker::waitBulk(const SyncEvent &event) {
  if (!holds(Rule::BulkWaitOrder))
    return;
  const WarpState &warp = stateOf(*event.warp);
  BulkIssuer &issuer = bulk[warp.base + unsigned(__builtin_ctz(event.lanes))];
  const auto clock = uint32_t(event.object);
  bool readsOnly = event.value && holds(Rule::BulkWaitRead);
  issuer.readsWaited = std::max(issuer.readsWaited, clock);
  if (!readsOnly)
    issuer.writesWaited = std::max(issuer.writesWaited, clock);
  forGroups(stateOf(*event.warp), event.lanes, [&](Group &group) {
    group.message.known.async.raise(issuer.reads, clock);
    if (!readsOnly)
      group.message.known.async.raise(issuer.writes, clock);
  });
}

void ClusterChecker::waitWgmma(const SyncEvent &event) {
  if (!holds(Rule::WgmmaOrder))
    return;
  WarpState &leader = leaderOf(stateOf(*event.warp));
  const auto clock = uint32_t(event.object);
  leader.wgmmasWaited = std::max(leader.wgmmasWaited, clock);
  waitStream(event, leader.wgmmaStream, clock);
}

/// All work of `stream` up to `clock` is complete for the lanes.
void ClusterChecker::waitStream(const SyncEvent &event, uint32_t stream,
                                uint32_t clock) {
  forGroups(stateOf(*event.warp), event.lanes, [&](Group &group) {
    group.message.known.async.raise(stream, clock);
  });
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

void ClusterChecker::sync(const SyncEvent &event) {
  settleDoubts();
  settleReads(nullptr);
  if (stopped)
    return;
  switch (event.kind) {
  case SyncEvent::MbarrierInit:
    return init(event);
  case SyncEvent::MbarrierInval:
    return invalidate(event);
  case SyncEvent::MbarrierTx:
    return count(event);
  case SyncEvent::Arrive:
    return event.op ? arriveByOp(event) : arrive(event);
  case SyncEvent::Wait:
    return wait(event);
  case SyncEvent::CompleteTx:
    return completeTx(event);
  case SyncEvent::PhaseDone:
    return completePhase(event);
  case SyncEvent::BarrierArrive:
    if (holds(Rule::BarrierOrder))
      publish(stateOf(*event.warp), event.lanes, named[event.object].arriving,
              true);
    return;
  case SyncEvent::BarrierDone:
    return named[event.object].complete();
  case SyncEvent::BarrierLeave:
    return leaveBarrier(event);
  case SyncEvent::ClusterArrive:
    return arriveOnCluster(event);
  case SyncEvent::ClusterDone:
    return clusterBarrier.complete();
  case SyncEvent::ClusterLeave:
    return leaveCluster(event);
  case SyncEvent::GridWait:
    return waitStream(event, gridStream, 1);
  case SyncEvent::WarpSync:
    return syncWarp(event);
  case SyncEvent::Fence:
    return fence(stateOf(*event.warp), event);
  case SyncEvent::WaitLoads:
  case SyncEvent::WaitStores:
    return waited(stateOf(*event.warp), event.lanes,
                  event.kind == SyncEvent::WaitLoads);
  case SyncEvent::BulkWait:
    return waitBulk(event);
  case SyncEvent::CpAsyncWait:
    return stateOf(*event.warp)
        .own.waitForCopies(event.lanes, uint32_t(event.object));
  case SyncEvent::WgmmaWait:
    return waitWgmma(event);
  case SyncEvent::TmemAlloc:
    return allocTmem(event);
  case SyncEvent::TmemFree:
    return freeTmem(event);
  case SyncEvent::CtaExit:
    return exit(unsigned(event.object));
  }
}

} // namespace tc::emu
