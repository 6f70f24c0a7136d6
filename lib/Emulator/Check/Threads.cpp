//===- Threads.cpp - what the threads of a cluster know -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//
// A release publishes what its lanes know and what they did before it, then
// their clock ticks.
//
//===----------------------------------------------------------------------===//

#include "Check/Threads.h"

#include "Check/RaceChecker.h"
#include "State/Machine.h"

#include <algorithm>
#include <atomic>

namespace tc::emu {

Threads::Threads(RaceChecker &shared, Cluster &cluster)
    : shared(shared), cluster(cluster),
      threadsPerCta(cluster.machine.warpsPerCta * 32) {
  gridStream = newStream();
  const Machine &machine = cluster.machine;
  warps.reserve(size_t(machine.ctasPerCluster) * machine.warpsPerCta);
  for (unsigned rank = 0; rank < machine.ctasPerCluster; ++rank)
    for (unsigned index = 0; index < machine.warpsPerCta; ++index) {
      WarpState warp;
      warp.rank = rank;
      warp.index = index;
      warp.base = warp.own.base = uint32_t(warps.size()) * 32;
      warp.loadStream = newStream();
      warp.storeStream = newStream();
      streams += kIssued;
      warp.groups.push_back(std::make_unique<Group>());
      warp.groups[0]->lanes = ~0u;
      warp.groups[0]->message.present = 1u << rank;
      warps.push_back(std::move(warp));
    }
}

uint64_t Serial::next() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

Group &Threads::groupOf(WarpState &warp, unsigned lane) {
  for (auto &group : warp.groups)
    if (group->lanes >> lane & 1)
      return *group;
  return *warp.groups[0];
}

bool Threads::isTold(int before, int now) {
  // Where either comes first it is the same mistake.
  const auto [one, other] = std::minmax(before, now);
  return cluster.machine.options.keepRaces &&
         (!told.emplace(one, other).second ||
          !cluster.machine.isNewRace(one, other));
}

bool Threads::race(Report report) {
  stopped = !cluster.machine.options.keepRaces;
  if (stopped)
    cluster.fail(std::move(report));
  else
    cluster.warn(std::move(report));
  return !stopped;
}

bool Threads::race(std::string message, int line) {
  return race(cluster.makeReport(ReportKind::Race, std::move(message), line));
}

bool Group::hasReadAs(const Group &other) const {
  return toAcquire == other.toAcquire && toMaps == other.toMaps &&
         std::equal(std::begin(toJoin), std::end(toJoin),
                    std::begin(other.toJoin)) &&
         std::equal(std::begin(toFence), std::end(toFence),
                    std::begin(other.toFence));
}

/// All lanes know what each of them knew.
void Threads::mergeGroups(WarpState &warp, uint32_t lanes) {
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

bool Threads::assumes(Assumption assumption) const {
  return cluster.machine.assumes(assumption);
}

void Threads::note(AssumptionMask used, int before, int after) {
  if (used && noted.emplace(used, before, after).second)
    cluster.machine.noteUse(used, before, after);
}

/// WaitLoads and WaitStores: the warp's loads or stores are complete.
void Threads::waited(WarpState &warp, uint32_t lanes, bool loads) {
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
void Threads::finishUsedLoads(WarpState &warp) {
  if (warp.loads == warp.loadsFinished ||
      !assumes(Assumption::UsedLoadComplete))
    return;
  // That a load happens to be over is this schedule's.
  if (certificate() ? warp.loadsUsed != warp.loads
                    : cluster.engine.anyPending(
                          *cluster.cta(warp.rank)->warps[warp.index],
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
void Threads::publish(WarpState &warp, uint32_t lanes, Message &to,
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
    if (tracksSigns()) {
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
      to.readsVisible.joinAssuming(group.message.readsVisible, mask);
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
void Threads::joinReleased(WarpState &warp, uint32_t lanes, Message &to,
                           Reach reach) {
  if (!warp.fences)
    return;
  tellReleases(warp.fences->released[reach], lanes, to);
  if (reach <= kCluster)
    tellReleases(warp.fences->releasedShared, lanes, to);
}

void Threads::acquire(Group &group, const WarpState &warp, const Message &from,
                      bool acquires, int line) {
  Message &to = group.message;
  // Atomic operations read what relaxed ones tell again and again.
  const bool isNew = acquires || from.present & ~to.present ||
                     !to.phases.covers(from.phases) ||
                     !to.tensor.covers(from.tensor) ||
                     !to.inits.covers(from.inits);
  group.waitLine = line;
  to.heard.join(from.heard);
  MapKnowledge::join(acquires ? to.maps : group.toMaps, from.maps);
  if (!isNew && holds(Rule::FenceAfter))
    return;
  group.hint.reset();
  to.present |= from.present;
  to.phases.join(from.phases);
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
    to.readsVisible.join(from.readsVisible);
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
}

/// What relaxed operations have read becomes known with a fence that reaches
/// as far as to the writers; what is not about shared memory waits for another
/// one if the fence is restricted to that.
void Threads::acquireAfterFence(Group &group, const WarpState &warp,
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

void Threads::converge(WarpState &warp, uint32_t lanes) {
  Clock all;
  for (const auto &group : warp.groups)
    if (group->lanes & lanes)
      all.join(group->message.heard);
  for (uint32_t rest = lanes; rest; rest &= rest - 1)
    all.raise(warp.base + unsigned(__builtin_ctz(rest)), warp.clock);
  forGroups(warp, lanes, [&](Group &group) { group.message.heard.join(all); });
}

/// All work of `stream` up to `clock` is complete for the lanes.
void Threads::waitStream(const SyncEvent &event, uint32_t stream,
                         uint32_t clock) {
  forGroups(stateOf(*event.warp), event.lanes, [&](Group &group) {
    group.message.known.async.raise(stream, clock);
  });
}

void Threads::joinFlags(Group &group, const ForeignMap &flags) {
  if (auto own = flags.find(cluster.index); own != flags.end()) {
    group.message.known.join(own->second.known);
    group.message.visibleGlobal.join(own->second.visible);
    auto maps = std::make_shared<MapKnowledge>();
    maps->releasedToCluster.own = maps->releasedToGrid = own->second.maps;
    MapKnowledge::join(group.message.maps, std::move(maps));
  }
  Message::joinForeign(group.message.foreign,
                       std::make_shared<const ForeignMap>(flags));
}

} // namespace tc::emu
