//===- MBarriers.cpp - order by mbarriers ---------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//
// Initialisation, arrivals of threads and of operations, and waits.
//
//===----------------------------------------------------------------------===//

#include "Check/MBarriers.h"

#include "Check/CtaLives.h"
#include "Check/RaceChecker.h"
#include "Check/Reports.h"
#include "Engines/TCGen05/Ops.h"
#include "State/Machine.h"

#include <algorithm>

namespace tc::emu {

BarrierState *MBarriers::barrier(uint64_t address) {
  auto it = barriers.find(address);
  return it == barriers.end() ? nullptr : it->second.get();
}

/// mbarrier.init and mbarrier.inval are weak writes of the generic proxy.
Actor MBarriers::lifeActor(const SyncEvent &event) {
  WarpState &warp = threads.stateOf(*event.warp);
  const unsigned lane = unsigned(__builtin_ctz(event.lanes));
  Record record = accesses.makeRecord(warp, event.line);
  record.write = true;
  const uint32_t index = accesses.addRecord(record, false);
  Actor actor = accesses.actorOf(warp, lane);
  actor.entry = makeEntry(index, lane);
  actor.end = event.object + 8;
  actor.record = &accesses.records[index];
  return actor;
}

/// PTX ISA 9.0, "mbarrier.inval", 9.7.13.15.10: it comes before the memory is
/// used for anything else, and no mbarrier operation comes after it.
void MBarriers::invalidate(const SyncEvent &event) {
  BarrierState *state = barrier(event.object);
  if (!state)
    return;
  WarpState &warp = threads.stateOf(*event.warp);
  Actor actor = lifeActor(event);
  const Group &group = *actor.group;
  if (!checkInit(*state, group, warp, event.lanes, event.line,
                 "mbarrier.inval"))
    return;
  // Whether the run goes on.
  auto fail = [&](const std::string &what, int line) {
    if (threads.isTold(line, event.line))
      return true;
    involve(*state, warp);
    return threads.race(
        "mbarrier.inval of the mbarrier of line " + nameOf(*state) +
            " by a thread that has not observed that the " +
            reports.opcode(line) + " at line " + std::to_string(line) +
            " on it has happened: " + what,
        event.line);
  };
  for (const auto &[thread, use] : state->uses) {
    AssumptionMask used = 0;
    if (!holds(Rule::InvalAfterUse) || thread == actor.thread)
      continue;
    if (!group.message.known.threads.knows(thread, use.clock, used) &&
        !group.message.knownShared.threads.knows(thread, use.clock, used))
      if (!fail("no barrier, or release and acquire, between the two",
                use.line))
        return;
    threads.note(used, use.line, event.line);
  }
  const bool dropsCommits = threads.assumes(Assumption::InvalDropsCommits);
  for (const auto &[id, line] : state->expected) {
    auto op = ops.find(id);
    if (!holds(Rule::InvalAfterUse))
      break;
    if (dropsCommits && op != ops.end() && op->second.commitStream)
      threads.note(maskOf(Assumption::InvalDropsCommits), line, event.line);
    else if (!fail("it may still be in flight", line))
      return;
  }
  const BarrierState::Signal &last = state->signal;
  const Clock &phases = group.message.phases;
  if (holds(Rule::InvalAfterUse) && phases.get(state->stream) < last.phase) {
    const bool isOrdered = last.stream && phases.get(last.stream) > last.nth;
    if (isOrdered || (last.stream && dropsCommits))
      threads.note(maskOf(isOrdered ? Assumption::CommitsInOrder
                                    : Assumption::InvalDropsCommits),
                   last.line, event.line);
    else if (!fail("no wait for the phase that it counts in", last.line))
      return;
  }
  lives.forget(smemRank(uint32_t(event.object)), *state);
  // From here on the bytes are like any that have been written.
  Shadow &shadow = *accesses.smem[warp.rank];
  const uint32_t offset = smemOffset(uint32_t(event.object));
  if (holds(Rule::InvalAfterUse))
    shadow.visit(offset, offset + 8, [&](Cell &cell, uint64_t, uint32_t) {
      shadow.setWriter(cell, actor.entry);
      return true;
    });
  state->uses.clear();
}

/// mbarrier.expect_tx and mbarrier.complete_tx count in the phase that is
/// current when they happen, like arrivals.
void MBarriers::count(const SyncEvent &event) {
  BarrierState *state = barrier(event.object);
  if (!state)
    return;
  WarpState &warp = threads.stateOf(*event.warp);
  const unsigned lane = unsigned(__builtin_ctz(event.lanes));
  Group &group = threads.groupOf(warp, lane);
  const uint32_t thread = warp.base + lane;
  if (!checkInit(*state, group, warp, event.lanes, event.line) ||
      !checkPhase(*state, group.message, thread, event.line))
    return;
  state->uses[thread] = {warp.clock, event.line};
  const unsigned rank = smemRank(uint32_t(event.object));
  if (rank != warp.rank)
    lives.visit(rank, thread, warp.clock, state, event.line);
  pins.begin(warp);
  pins.expect(state->pins, warp, event.lanes, state->phases, event.line);
}

void MBarriers::init(const SyncEvent &event) {
  auto &slot = barriers[event.object];
  if (!slot) {
    slot = std::make_unique<BarrierState>();
    slot->address = uint32_t(event.object);
    slot->stream = threads.newStream();
  }
  // A barrier that is initialised again goes on counting.
  slot->base += slot->phases + 1;
  slot->phases = 0;
  slot->arriving.clear();
  slot->completed.clear();
  slot->current = slot->last = {};
  slot->uses.clear();
  slot->expected.clear();
  slot->signal = {};
  slot->pins.clear();
  const Actor actor = lifeActor(event);
  const uint32_t offset = smemOffset(uint32_t(event.object));
  Alike alike;
  if (holds(Rule::InvalAfterUse) &&
      !accesses.sharedRange(smemRank(uint32_t(event.object)), offset,
                            offset + 8, actor, true, alike))
    return;
  WarpState &warp = threads.stateOf(*event.warp);
  slot->initThread = warp.base + unsigned(__builtin_ctz(event.lanes));
  slot->initClock = warp.clock;
  slot->initLine = event.line;
}

/// "14 (bar+8)".
std::string MBarriers::nameOf(const BarrierState &state) const {
  return std::to_string(state.initLine) +
         cluster.machine.kernel.nameShared(smemOffset(state.address));
}

/// A report is about the barrier, and what the warp does with it.
void MBarriers::involve(const BarrierState &state, const WarpState &warp) {
  cluster.involved.addBarrier(state.address);
  cluster.involved.addWarp(warp.rank, warp.index);
}

/// The generic proxy accesses the barrier, so that an ordinary order, or
/// fence.mbarrier_init and any, is enough.
bool MBarriers::checkInit(const BarrierState &state, const Group &group,
                          const WarpState &warp, uint32_t lanes, int line,
                          const char *what) {
  if (!holds(Rule::InitVisible))
    return true;
  uint32_t own = state.initThread - warp.base;
  if ((own < 32 && !(lanes & group.lanes & ~(1u << own))) ||
      group.message.known.threads.get(state.initThread) >= state.initClock ||
      group.message.knownShared.threads.get(state.initThread) >=
          state.initClock)
    return true;
  AssumptionMask used = 0;
  if (group.message.inits.knows(state.initThread, state.initClock, used) ||
      group.message.known.threads.knows(state.initThread, state.initClock,
                                        used)) {
    threads.note(used, state.initLine, line);
    return true;
  }
  if (threads.isTold(state.initLine, line))
    return true;
  involve(state, warp);
  return threads.race(
      (what ? std::string(what) : reports.opcode(line)) +
          " on an mbarrier whose mbarrier.init at "
          "line " +
          std::to_string(state.initLine) +
          " is not ordered before it: no barrier, and no "
          "fence.mbarrier_init with a synchronisation, between the "
          "mbarrier.init at line " +
          std::to_string(state.initLine) + " and line " + std::to_string(line),
      line);
}

void MBarriers::arrive(const SyncEvent &event) {
  BarrierState *state = barrier(event.object);
  if (!state)
    return;
  WarpState &warp = threads.stateOf(*event.warp);
  Group &group = threads.groupOf(warp, unsigned(__builtin_ctz(event.lanes)));
  uint32_t thread = warp.base + unsigned(__builtin_ctz(event.lanes));
  if (!checkInit(*state, group, warp, event.lanes, event.line,
                 "mbarrier.arrive") ||
      !checkPhase(*state, group.message, thread, event.line))
    return;
  state->current.by.emplace_back(thread, warp.clock);
  state->uses[thread] = {warp.clock, event.line};
  unsigned rank = smemRank(uint32_t(event.object));
  bool remote = rank != warp.rank;
  if (remote)
    lives.visit(rank, thread, warp.clock, state, event.line);
  bool carries = event.order != MemoryOrder::Relaxed || !holds(Rule::Relaxed);
  bool ordersAccesses = true;
  if (remote && event.scope == Scope::Cta && holds(Rule::RemoteScope)) {
    if (carries) {
      ordersAccesses = false;
      state->remoteCtaLine = event.line;
    }
    if (!threads.assumes(Assumption::CtaArrivalEndsReads)) {
      if (!threads.isTold(0, event.line) &&
          !threads.race(
              "mbarrier.arrive on a barrier of another CTA: expected .cluster "
              "scope, got .cta, which orders nothing for that CTA's threads",
              event.line))
        return;
    } else {
      threads.note(maskOf(Assumption::CtaArrivalEndsReads), event.line,
                   event.line);
    }
  }
  if (!holds(Rule::MbarrierOrder))
    return;
  Message &to = remote ? state->arriving.others : state->arriving.own;
  if (!carries && ordersAccesses)
    threads.joinReleased(warp, event.lanes, to, remote ? kCluster : kCta);
  if (remote && carries && threads.assumes(Assumption::CtaArrivalEndsReads)) {
    threads.publish(warp, event.lanes, state->arriving.narrow, true, false);
    --warp.clock; // One arrival.
  }
  threads.publish(warp, event.lanes, to, carries, ordersAccesses);
}

void MBarriers::arriveByOp(const SyncEvent &event) {
  BarrierState *state = barrier(event.object);
  auto it = ops.find(event.op->id);
  if (!state || it == ops.end())
    return;
  const OpState &op = it->second;
  state->expected.erase(event.op->id);
  state->signal = {state->base + state->phases + 1, event.op->line,
                   op.commitStream, op.nthCommit};
  Message &to = state->arriving.own;
  state->current.mixed = true;
  static const OpState::Told nothing;
  const OpState::Told &told = op.told ? *op.told : nothing;
  if (!checkPhase(*state, told.known, op.thread, event.op->line))
    return;
  if (op.kind == Record::CpAsync) {
    to.known.async.raise(op.stream, op.clock);
    to.tellSigns(told.known);
    return;
  }
  lives.visitByOp(event, op, *state);
  to.tellSigns(told.known);
  if (threads.tracksSigns() && !op.firstReads)
    to.heard.raise(threads.signOf(op.stream), op.clock);
  if (op.commitStream && threads.assumes(Assumption::CommitsInOrder))
    to.phases.raise(op.commitStream, op.nthCommit);
  if (!holds(Rule::CommitOrder))
    return;
  uint32_t clock = holds(Rule::CommitPrefix) ? op.clock : ~0u - 1;
  to.known.async.raise(op.stream + kFirstReads, clock);
  if (!op.firstReads) {
    to.known.async.raise(op.stream, clock);
    to.tensor.raise(op.stream, clock);
    to.tensor.raise(op.stream + 1, clock);
    to.tensor.join(told.tensorCauses);
  }
  if (!holds(Rule::CommitOwnThread))
    for (const auto &[key, issuer] : threads.issuers) {
      to.known.async.raise(issuer.stream, issuer.issued);
      to.known.async.raise(issuer.stream + kFirstReads, issuer.issued);
      to.tensor.raise(issuer.stream, issuer.issued);
    }
  // What made the work possible happened before it.
  to.known.async.join(told.causes.async);
  if (threads.assumes(Assumption::CommitCarriesCauses)) {
    to.known.threads.joinAssuming(told.causes.threads,
                                  maskOf(Assumption::CommitCarriesCauses));
    to.reads.join(told.causesReads);
  }
}

void MBarriers::wait(const SyncEvent &event) {
  BarrierState *state = barrier(event.object);
  if (!state)
    return;
  WarpState &warp = threads.stateOf(*event.warp);
  bool acquires = event.order != MemoryOrder::Relaxed || !holds(Rule::Relaxed);
  pins.begin(warp);
  threads.forGroups(warp, event.lanes, [&](Group &group) {
    pins.wait(state->pins, group, warp, event.lanes, state->stream, state->base,
              state->phases, event.value, event.line);
    if (threads.stopped ||
        !checkInit(*state, group, warp, event.lanes, event.line, "a wait"))
      return;
    const uint32_t phase =
        holds(Rule::PhaseAware) ? state->base + state->phases : ~0u - 1;
    // The bytes of a phase are there for a thread that has acquired its end.
    auto bytes = [&](Message &message) {
      if (holds(Rule::TransactionOrder))
        message.known.async.raise(state->stream, phase);
    };
    const BarrierState::Told &told = state->completed;
    const bool wide = event.scope != Scope::Cta || !holds(Rule::Scopes);
    threads.acquire(group, warp, told.own, acquires, event.line);
    threads.acquire(group, warp, told.others, acquires && wide, event.line);
    if (acquires) {
      if (!wide)
        threads.acquire(group, warp, told.narrow, true, event.line);
      bytes(group.message);
    } else {
      auto own = std::make_shared<Message>(told.own);
      bytes(*own);
      if (group.toJoin[kCta])
        own->join(*group.toJoin[kCta]);
      group.toJoin[kCta] = std::move(own);
      auto others = std::make_shared<Message>(told.others);
      if (group.toJoin[kCluster])
        others->join(*group.toJoin[kCluster]);
      if (wide)
        group.toJoin[kCluster] = std::move(others);
    }
    group.message.phases.raise(state->stream, state->base + state->phases);
    group.hint.reset();
    for (uint32_t rest = group.lanes; rest; rest &= rest - 1)
      state->uses[warp.base + unsigned(__builtin_ctz(rest))] = {warp.clock,
                                                                event.line};
    group.remoteCtaLine = state->remoteCtaLine;
  });
}

/// A wait that fails uses the barrier, too.
void MBarriers::poll(const SyncEvent &event) {
  BarrierState *state = barrier(event.object);
  if (!state)
    return;
  WarpState &warp = threads.stateOf(*event.warp);
  const auto lane = unsigned(__builtin_ctz(event.lanes));
  if (checkInit(*state, threads.groupOf(warp, lane), warp, event.lanes,
                event.line, "a wait"))
    state->uses[warp.base + lane] = {warp.clock, event.line};
}

/// Bytes of a copy have arrived.
void MBarriers::completeTx(const SyncEvent &event) {
  BarrierState *state = barrier(event.object);
  auto it = event.op ? ops.find(event.op->id) : ops.end();
  if (!state || it == ops.end() || event.value >= it->second.targets.size())
    return;
  const OpState &op = it->second;
  lives.visitByOp(event, op, *state);
  state->expected.erase(event.op->id);
  const uint32_t phase = state->base + state->phases + 1;
  state->signal = {phase, event.op->line};
  if (op.told)
    state->arriving.own.tellSigns(op.told->known);
  state->current.mixed = true;
  const OpState::Target &target = op.targets[event.value];
  for (uint32_t index : {target.write, target.read})
    if (index)
      accesses.records[index].clock = phase;
  if (target.global)
    accesses.recordAt(target.global, true).clock = phase;
}

void MBarriers::completePhase(const SyncEvent &event) {
  BarrierState *state = barrier(event.object);
  if (!state)
    return;
  if (!state->pins.empty())
    pins.complete(state->pins, state->arriving.own.heard,
                  state->arriving.others.heard, state->phases);
  state->phases = uint32_t(event.value);
  state->last = std::move(state->current);
  state->current = {};
  state->completed.join(state->arriving);
  state->arriving.clear();
}

/// PTX ISA 9.0, "mbarrier", 9.7.13.15: the phase before has to be known to be
/// complete, or the arrival may count in either of the two. A phase of threads'
/// arrivals is complete for a thread that has observed all of them.
bool MBarriers::checkPhase(const BarrierState &state, const Message &known,
                           uint32_t thread, int line) {
  if (threads.stopped || !state.phases || !holds(Rule::PhaseObserved) ||
      known.phases.get(state.stream) >= state.base + state.phases)
    return !threads.stopped;
  AssumptionMask used = 0;
  const auto &[by, mixed] = state.last;
  if (!mixed && std::all_of(by.begin(), by.end(), [&](const auto &arrival) {
        return arrival.first == thread ||
               known.known.threads.knows(arrival.first, arrival.second, used) ||
               known.knownShared.threads.knows(arrival.first, arrival.second,
                                               used);
      })) {
    threads.note(used, state.initLine, line);
    return true;
  }
  constexpr int phase = -2; // no line of the text
  if (threads.isTold(phase, line))
    return true;
  involve(state, threads.warps[thread / 32]);
  return threads.race(
      reports.opcode(line) + " counts on the mbarrier of line " +
          nameOf(state) + " in phase " + std::to_string(state.phases) +
          ", but its thread has not observed that the previous phase is "
          "complete, by a wait with parity " +
          std::to_string((state.phases - 1) % 2) +
          ": it may count in that one, too (PTX ISA 9.0, "
          "\"mbarrier\", 9.7.13.15)",
      line);
}

} // namespace tc::emu
