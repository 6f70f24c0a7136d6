//===- ClusterChecker.cpp - happens-before within a cluster ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
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

/// A fence of memory: takes what the lanes have observed, and keeps what their
/// next strong writes publish.
void ClusterChecker::fenceMemory(Group &group, WarpState &warp,
                                 const SyncEvent &event) {
  const auto kind = FenceKind(event.value);
  const Reach reach = holds(Rule::Scopes) ? reachOf(event.scope) : Reach::kGrid;
  const bool isOfShared =
      kind == FenceKind::MemoryOfShared && holds(Rule::SyncRestrict);
  const bool oneWay = holds(Rule::FenceSides);
  if (event.order != MemoryOrder::Release || !oneWay)
    threads.acquireAfterFence(group, warp, reach, isOfShared, event.line);
  if (event.order == MemoryOrder::Acquire && oneWay)
    return;
  if (kind == FenceKind::MemorySc)
    flags.fenceSc(group, warp, reach, event.line);
  const uint32_t clock = warp.clock;
  Message known;
  threads.publish(warp, group.lanes, known, true, true, false);
  const auto snapshot = std::make_shared<Release>(
      std::move(known), warp.own, clock, threads.tracksSigns(), isOfShared);
  if (!warp.fences)
    warp.fences = std::make_unique<WarpState::Fences>();
  WarpState::Fences &fences = *warp.fences;
  for (uint32_t rest = group.lanes; rest; rest &= rest - 1) {
    const auto lane = unsigned(__builtin_ctz(rest));
    if (isOfShared) {
      fences.releasedShared[lane] = snapshot;
      continue;
    }
    if (reach >= kCluster)
      fences.releasedShared[lane].reset();
    for (unsigned r = 0; r <= reach; ++r) {
      fences.released[r][lane] = snapshot;
      if (kind == FenceKind::MemorySc)
        fences.sc[r][lane] = snapshot;
    }
  }
}

/// A fence between the generic proxy and the asynchronous one.
void ClusterChecker::fenceProxy(Group &group, WarpState &warp, FenceKind kind) {
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
}

void ClusterChecker::fence(WarpState &warp, const SyncEvent &event) {
  auto kind = FenceKind(event.value);
  if (kind == FenceKind::TensorMapRelease && !event.object) {
    // Of each lane for itself.
    for (uint32_t rest = event.lanes; rest; rest &= rest - 1)
      threads.forGroups(warp, rest & -rest, [&](Group &group) {
        group.hint.reset();
        maps.releaseMaps(group, warp, event);
      });
    ++warp.clock;
    return;
  }
  threads.forGroups(warp, event.lanes, [&](Group &group) {
    group.hint.reset();
    switch (kind) {
    case FenceKind::Memory:
    case FenceKind::MemoryOfShared:
    case FenceKind::MemorySc:
      fenceMemory(group, warp, event);
      break;
    case FenceKind::MbarrierInit:
      fencesInits |= 1u << warp.rank;
      warp.own.fenceInits(group.lanes, warp.clock);
      break;
    case FenceKind::ProxyAsync:
    case FenceKind::ProxyAsyncShared:
    case FenceKind::ProxyAsyncGlobal:
      fenceProxy(group, warp, kind);
      break;
    case FenceKind::TensorMapRelease:
      maps.releaseMaps(group, warp, event);
      break;
    case FenceKind::TensorMapAcquire:
      maps.acquireMaps(group, warp, event);
      break;
    case FenceKind::ProxyAsyncReads:
      // Not cumulative: of what the lanes have read themselves.
      warp.own.fenceReads(group.lanes, warp.clock);
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

void ClusterChecker::leaveBarrier(const SyncEvent &event) {
  WarpState &warp = threads.stateOf(*event.warp);
  const Message &completed = named[event.object].completed;
  threads.forGroups(warp, event.lanes, [&](Group &group) {
    threads.acquire(group, warp, completed, true, event.line);
  });
  pins.leave(event.object, warp, event.lanes);
  if (holds(Rule::BarrierOrder))
    threads.mergeGroups(warp, event.lanes);
}

void ClusterChecker::arriveOnCluster(const SyncEvent &event) {
  if (!holds(Rule::ClusterBarrierOrder))
    return;
  WarpState &warp = threads.stateOf(*event.warp);
  Message &to = clusterBarrier.arriving;
  if (threads.assumes(Assumption::LateMbarrierInit) &&
      fencesInits >> warp.rank & 1)
    for (uint32_t rest = event.lanes; rest; rest &= rest - 1)
      to.inits.assume(warp.base + unsigned(__builtin_ctz(rest)), warp.clock,
                      maskOf(Assumption::LateMbarrierInit));
  if (threads.assumes(Assumption::AllocWordByClusterBarrier))
    for (uint32_t rest = event.lanes; rest; rest &= rest - 1)
      to.allocations.raise(warp.base + unsigned(__builtin_ctz(rest)),
                           warp.clock);
  bool carries = event.order != MemoryOrder::Relaxed || !holds(Rule::Relaxed);
  if (!carries) {
    threads.joinReleased(warp, event.lanes, to, kCluster);
    clusterBarrier.relaxedArriving = event.line;
  }
  threads.publish(warp, event.lanes, to, carries);
}

void ClusterChecker::leaveCluster(const SyncEvent &event) {
  WarpState &warp = threads.stateOf(*event.warp);
  threads.forGroups(warp, event.lanes, [&](Group &group) {
    threads.acquire(group, warp, clusterBarrier.completed, true, event.line);
    group.relaxedLine = clusterBarrier.relaxedCompleted;
  });
}

void ClusterChecker::syncWarp(const SyncEvent &event) {
  if (!holds(Rule::WarpSyncOrder))
    return;
  WarpState &warp = threads.stateOf(*event.warp);
  uint32_t clock = warp.clock;
  if (threads.certificate())
    threads.converge(warp, event.lanes);
  threads.mergeGroups(warp, event.lanes);
  threads.forGroups(warp, event.lanes, [&](Group &group) {
    for (uint32_t rest = event.lanes; rest; rest &= rest - 1)
      group.message.known.threads.raise(
          warp.base + unsigned(__builtin_ctz(rest)), clock);
  });
  ++warp.clock;
}

void ClusterChecker::waitBulk(const SyncEvent &event) {
  if (!holds(Rule::BulkWaitOrder))
    return;
  WarpState &warp = threads.stateOf(*event.warp);
  BulkIssuer &issuer =
      threads.bulk[warp.base + unsigned(__builtin_ctz(event.lanes))];
  const auto clock = uint32_t(event.object);
  bool readsOnly = event.value && holds(Rule::BulkWaitRead);
  if (event.value == 2) {
    // .sync_restrict::proxy::async: later work of that proxy alone knows.
    issuer.proxyWaited = std::max(issuer.proxyWaited, clock);
    threads.forGroups(warp, event.lanes, [&](Group &group) {
      group.message.visibleShared.async.raise(issuer.reads, clock);
      group.message.visibleGlobal.async.raise(issuer.writes, clock);
    });
    return;
  }
  issuer.readsWaited = std::max(issuer.readsWaited, clock);
  if (!readsOnly)
    issuer.writesWaited = std::max(issuer.writesWaited, clock);
  threads.forGroups(warp, event.lanes, [&](Group &group) {
    group.message.known.async.raise(issuer.reads, clock);
    if (!readsOnly)
      group.message.known.async.raise(issuer.writes, clock);
  });
}

void ClusterChecker::waitWgmma(const SyncEvent &event) {
  if (!holds(Rule::WgmmaOrder))
    return;
  WarpState &leader = threads.leaderOf(threads.stateOf(*event.warp));
  const auto clock = uint32_t(event.object);
  leader.wgmmasWaited = std::max(leader.wgmmasWaited, clock);
  threads.waitStream(event, leader.wgmmaStream, clock);
}

void ClusterChecker::sync(const SyncEvent &event) {
  if (!begin(nullptr))
    return;
  switch (event.kind) {
  case SyncEvent::MbarrierInit:
    return mbarriers.init(event);
  case SyncEvent::MbarrierInval:
    return mbarriers.invalidate(event);
  case SyncEvent::MbarrierTx:
    return mbarriers.count(event);
  case SyncEvent::Arrive:
    return event.op ? mbarriers.arriveByOp(event) : mbarriers.arrive(event);
  case SyncEvent::Wait:
    return mbarriers.wait(event);
  case SyncEvent::Poll:
    return mbarriers.poll(event);
  case SyncEvent::CompleteTx:
    return mbarriers.completeTx(event);
  case SyncEvent::PhaseDone:
    return mbarriers.completePhase(event);
  case SyncEvent::BarrierArrive:
    pins.arrive(event.object, threads.stateOf(*event.warp), event.lanes,
                event.line);
    if (holds(Rule::BarrierOrder))
      threads.publish(threads.stateOf(*event.warp), event.lanes,
                      named[event.object].arriving, true);
    return;
  case SyncEvent::BarrierDone:
    pins.done(event.object);
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
    return threads.waitStream(event, threads.gridStream, 1);
  case SyncEvent::WarpSync:
    return syncWarp(event);
  case SyncEvent::Fence:
    return fence(threads.stateOf(*event.warp), event);
  case SyncEvent::WaitLoads:
    // By value: their registers have been read, which Certify tells.
    if (event.value) {
      WarpState &warp = threads.stateOf(*event.warp);
      warp.loadsUsed = warp.loads;
      return;
    }
    [[fallthrough]];
  case SyncEvent::WaitStores:
    return threads.waited(threads.stateOf(*event.warp), event.lanes,
                          event.kind == SyncEvent::WaitLoads);
  case SyncEvent::BulkWait:
    return waitBulk(event);
  case SyncEvent::CpAsyncWait:
    return threads.stateOf(*event.warp)
        .own.waitForCopies(event.lanes, uint32_t(event.object));
  case SyncEvent::WgmmaWait:
    return waitWgmma(event);
  case SyncEvent::Converge:
    return threads.converge(threads.stateOf(*event.warp), event.lanes);
  case SyncEvent::Registers:
    return pins.changeRegisters(threads.stateOf(*event.warp), event);
  case SyncEvent::TmemAlloc:
    pins.allocate(threads.stateOf(*event.warp), event);
    return tensorMemory.allocTmem(event);
  case SyncEvent::TmemRelinquish:
    return pins.allocate(threads.stateOf(*event.warp), event);
  case SyncEvent::TmemFree:
    pins.allocate(threads.stateOf(*event.warp), event);
    return tensorMemory.freeTmem(event);
  case SyncEvent::CtaExit:
    pins.exit(unsigned(event.object));
    return lives.exit(unsigned(event.object));
  }
}

void ClusterChecker::accessEach(const Warp &issuer, uint32_t lanes, Space space,
                                const uint64_t *addresses, uint32_t bytes,
                                Access access, const DecodedInst &inst) {
  if (!begin(&inst))
    return;
  WarpState &warp = threads.stateOf(issuer);
  if (isChecked)
    check(warp, lanes, space, addresses, bytes, access, inst);
  if (inst.order != MemoryOrder::Weak && !threads.stopped)
    flags.strongAccess(warp, lanes, space, addresses, access, inst);
}

/// Of each of the lanes on its own.
void ClusterChecker::check(WarpState &warp, uint32_t lanes, Space space,
                           const uint64_t *addresses, uint32_t bytes,
                           Access access, const DecodedInst &inst) {
  accesses.dropRecords(ops);
  const bool global = space == Space::Global, write = access != Access::Read;
  // One piece of several that an instruction writes need not be aligned.
  const uint32_t aligned = addresses[__builtin_ctz(lanes)] % bytes ? 0 : bytes;
  const uint32_t record =
      accesses.genericRecord(warp, inst, lanes, aligned, write, global);
  Actor actor;
  for (uint32_t rest = lanes; rest && !threads.stopped; rest &= rest - 1) {
    const auto lane = unsigned(__builtin_ctz(rest));
    const uint64_t address = addresses[lane];
    if (!actor.group || !(actor.group->lanes >> lane & 1))
      actor = accesses.actorOf(warp, lane);
    actor.thread = warp.base + lane;
    actor.reads = access == Access::Atomic || access == Access::Reduction;
    actor.end = address + bytes;
    actor.entry = accesses.entryOf(record, lane, address, global);
    actor.record = &accesses.record(actor.entry, global);
    if (global) {
      accesses.globalRange(address, address + bytes, actor, write);
      continue;
    }
    const uint32_t offset = smemOffset(uint32_t(address));
    const unsigned rank = smemRank(uint32_t(address));
    if (rank != warp.rank) {
      if (!lives.checkPresent(*actor.group, rank, inst.line))
        return;
      lives.visit(rank, actor.thread, warp.clock, nullptr, inst.line);
    }
    if (bytes == Shadow::kWord && aligned && !anyRuleDropped) {
      accesses.sharedWord(rank, offset, actor, write);
      continue;
    }
    Alike alike;
    accesses.sharedRange(rank, offset, offset + bytes, actor, write, alike);
  }
}

void ClusterChecker::accessAll(const Warp &issuer, uint32_t lanes, Space space,
                               const uint64_t *addresses, uint32_t bytes,
                               Access access, const DecodedInst &inst) {
  const bool global = space == Space::Global;
  if (inst.order != MemoryOrder::Weak)
    return accessEach(issuer, lanes, space, addresses, bytes, access, inst);
  if (!isChecked) {
    begin(&inst);
    return;
  }
  if (anyRuleDropped || (global && shared.prerequisite))
    return Observer::accessAll(issuer, lanes, space, addresses, bytes, access,
                               inst);
  if (!begin(&inst))
    return;
  accesses.dropRecords(ops);
  WarpState &warp = threads.stateOf(issuer);
  for (const auto &group : warp.groups)
    if (const uint32_t own = group->lanes & lanes; own && !threads.stopped)
      warpAccesses.access(warp, *group, own, global, addresses, bytes,
                          access == Access::Write, inst);
}

void ClusterChecker::tensorMap(const Warp &issuer, unsigned lane,
                               uint64_t address, const DecodedInst &inst) {
  if (begin(&inst))
    maps.useMap(threads.stateOf(issuer), lane, address, inst);
}

void ClusterChecker::issued(const AsyncOp &op) {
  if (!begin(nullptr))
    return;
  accesses.dropRecords(ops);
  operations.issued(op, *this);
}

bool ClusterChecker::begin(const DecodedInst *inst) {
  accesses.settleDoubts();
  flags.settleReads(inst);
  return !threads.stopped;
}

} // namespace tc::emu
