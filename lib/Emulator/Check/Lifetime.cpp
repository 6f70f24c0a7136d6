//===- Lifetime.cpp - phases, allocations and CTAs that come and go -------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What has to be known before something begins or ends: an arrival belongs to
// one phase of its barrier in every schedule, a CTA stays as long as others
// access its shared memory, a pair allocates when both CTAs run and frees when
// no access to the columns is pending, and a CTA that waits for another one
// leaves it room on the SM.
//
//===----------------------------------------------------------------------===//

#include "Check/ClusterChecker.h"
#include "Engines/TCGen05/Ops.h"
#include "State/Machine.h"

#include <algorithm>

namespace tc::emu {

/// PTX ISA 9.0, "mbarrier", 9.7.13.15: the phase before has to be known to be
/// complete, or the arrival may count in either of the two. A phase of threads'
/// arrivals is complete for a thread that has observed all of them.
bool ClusterChecker::checkPhase(const BarrierState &state, const Message &known,
                                uint32_t thread, int line) {
  if (stopped || !state.phases || !holds(Rule::PhaseObserved) ||
      known.phases.get(state.stream) >= state.base + state.phases)
    return !stopped;
  AssumptionMask used = 0;
  const auto &[by, mixed] = state.last;
  if (!mixed && std::all_of(by.begin(), by.end(), [&](const auto &arrival) {
        return arrival.first == thread ||
               known.known.threads.knows(arrival.first, arrival.second, used) ||
               known.knownShared.threads.knows(arrival.first, arrival.second,
                                               used);
      })) {
    note(used, state.initLine, line);
    return true;
  }
  stopped = true;
  cluster.fail(
      ReportKind::Race,
      opcode(line) + " counts on the mbarrier of line " +
          std::to_string(state.initLine) + " in phase " +
          std::to_string(state.phases) +
          ", but its thread has not observed that the previous phase is "
          "complete: it may count in that one, too (PTX ISA 9.0, "
          "\"mbarrier\", 9.7.13.15)",
      line);
  return false;
}

//===----------------------------------------------------------------------===//
// CTAs
//===----------------------------------------------------------------------===//

/// PTX ISA 9.0, "Cluster of Cooperative Thread Arrays", 2.2.2, and "mapa": the
/// CTAs of a cluster are scheduled together, but nothing says that another one
/// has started before a synchronisation with it does.
bool ClusterChecker::checkPresent(const Group &group, unsigned rank, int line) {
  if (!holds(Rule::PeerPresent) || group.message.present >> rank & 1)
    return true;
  stopped = true;
  cluster.fail(
      ReportKind::Race,
      opcode(line) + " accesses shared memory of " + cluster.cta(rank)->name() +
          ", but its thread has not observed that this CTA has started: "
          "no cluster barrier, or other synchronisation with it, "
          "before line " +
          std::to_string(line),
      line);
  return false;
}

void ClusterChecker::visit(unsigned rank, uint32_t thread, uint32_t clock,
                           const BarrierState *state, int line) {
  if (rank < visits.size())
    visits[rank][{thread, state ? state->stream : 0}] = {
        clock, state ? state->base + state->phases + 1 : 0, line};
}

/// Of a commit that arrives or a copy whose bytes count.
void ClusterChecker::visitByOp(const SyncEvent &event, const OpState &op,
                               const BarrierState &state) {
  unsigned rank = smemRank(uint32_t(event.object));
  if (rank == warps[op.thread / 32].rank)
    return;
  visit(rank, op.thread, 0, &state, event.op->line);
  if (op.commitStream && rank < visits.size()) {
    Visit &last = visits[rank][{op.thread, state.stream}];
    last.stream = op.commitStream;
    last.nth = op.nthCommit;
  }
}

/// PTX ISA 9.0, "Cluster of Cooperative Thread Arrays", 3.2.2: shared memory of
/// a CTA is there as long as the CTA. A thread that has seen the phase of an
/// arrival, in whatever order, has observed the arrival.
void ClusterChecker::exit(unsigned rank) {
  if (!holds(Rule::ExitAfterRemote))
    return;
  Clock known, phases, heard;
  for (const WarpState &warp : warps)
    if (warp.rank == rank)
      for (const auto &group : warp.groups) {
        known.join(group->message.known.threads);
        known.join(group->message.knownShared.threads);
        phases.join(group->message.phases);
        heard.join(group->message.heard);
      }
  for (const auto &[who, last] : visits[rank]) {
    const auto &[thread, stream] = who;
    if ((last.clock && known.get(thread) >= last.clock) ||
        (last.phase && phases.get(stream) >= last.phase))
      continue;
    AssumptionMask used = 0;
    if (last.stream && phases.get(last.stream) > last.nth)
      used = maskOf(Assumption::CommitsInOrder);
    else if (last.clock && heard.get(thread) >= last.clock)
      used = maskOf(Assumption::ExitByAnySign);
    if (used || (last.clock && known.knows(thread, last.clock, used))) {
      note(used, last.line, last.line);
      continue;
    }
    stopped = true;
    return cluster.fail(
        ReportKind::Race,
        cluster.cta(rank)->name() + " exits without having observed that the " +
            opcode(last.line) + " at line " + std::to_string(last.line) +
            " of CTA rank " + std::to_string(warps[thread / 32].rank) +
            " on its shared memory has happened: no wait for that phase of "
            "the mbarrier, and no cluster barrier after it",
        last.line);
  }
}

//===----------------------------------------------------------------------===//
// Tensor Memory
//===----------------------------------------------------------------------===//

/// PTX ISA 9.0, "tcgen05.alloc", 9.7.16.7.1: the issuing warp makes sure that
/// the peer CTA is launched.
void ClusterChecker::allocTmem(const SyncEvent &event) {
  WarpState &warp = stateOf(*event.warp);
  const Group &group = groupOf(warp, unsigned(__builtin_ctz(event.lanes)));
  // The peer's dealloc says nothing about the next allocation.
  if (tmem[warp.rank] && !cluster.cta(warp.rank)->tmem.allocatedColumns())
    tmem[warp.rank] = nullptr;
  // Nor does what it has freed, once the columns are allocated again.
  dropPeerFrees(warp.rank, 0, Tmem::kColumns);
  if (event.value != 2 || !holds(Rule::PairPresent) ||
      group.message.present >> (warp.rank ^ 1) & 1)
    return;
  if (assumes(Assumption::PairAllocStartsPeer))
    return note(maskOf(Assumption::PairAllocStartsPeer), event.line,
                event.line);
  stopped = true;
  cluster.fail(ReportKind::Race,
               "tcgen05.alloc.cta_group::2 by a warp that has not observed "
               "that the peer CTA runs: no cluster barrier, or other "
               "synchronisation with the peer, before line " +
                   std::to_string(event.line),
               event.line);
}

void ClusterChecker::dropPeerFrees(unsigned rank, unsigned begin,
                                   unsigned end) {
  peerFrees.erase(std::remove_if(peerFrees.begin(), peerFrees.end(),
                                 [&](const PeerFree &freed) {
                                   return freed.rank == rank &&
                                          freed.begin < end &&
                                          begin < freed.end;
                                 }),
                  peerFrees.end());
}

/// An access to columns that only the peer's tcgen05.dealloc has freed.
void ClusterChecker::notePeerFrees(const TmemFootprint &cells,
                                   const Actor &actor) {
  for (const PeerFree &freed : peerFrees) {
    AssumptionMask used = 0;
    if (freed.rank == cells.rank &&
        freed.begin < cells.column + cells.columns &&
        cells.column < freed.end &&
        !orderedTmem(freed.record, actor, *actor.group, used))
      note(maskOf(Assumption::PairDeallocWaits), freed.record.line,
           actor.record->line);
  }
}

void ClusterChecker::freeTmem(const SyncEvent &event) {
  WarpState &warp = stateOf(*event.warp);
  Actor actor = actorOf(warp, unsigned(__builtin_ctz(event.lanes)));
  Record record = makeRecord(warp, event.line);
  record.kind = Record::Free;
  record.write = true;
  record.lanes[0] = record.lanes[1] = ~0ull;
  record.component = actor.thread;
  uint32_t index = addRecord(record, false);
  actor.record = &records[index];
  actor.entry = makeEntry(index, kNoLane);
  unsigned own = unsigned(event.object >> 32);
  unsigned column = event.object >> 16 & 0xffff,
           columns = event.object & 0xffff;
  // Either CTA's warp frees the columns in both, as the ISA does not say that
  // it waits for the other.
  bool pair = event.value == 2 && holds(Rule::PairFree);
  bool waits = assumes(Assumption::PairDeallocWaits);
  for (unsigned rank : {own, own ^ 1}) {
    if ((rank != own && !pair) || rank >= tmem.size())
      continue;
    tolerated = rank != own && waits ? maskOf(Assumption::PairDeallocWaits) : 0;
    if (tolerated && cluster.cta(rank)->tmem.allocatedColumns())
      peerFrees.push_back({rank, column, column + columns, record});
    else if (rank == own)
      dropPeerFrees(rank, column, column + columns);
    // The peer may access them for the first time afterwards.
    if (!tmem[rank] && rank != own && !tolerated &&
        cluster.cta(rank)->tmem.allocatedColumns())
      tmem[rank] = newTmemShadow();
    if (!tmem[rank])
      continue;
    Shadow &shadow = *tmem[rank];
    for (unsigned part = 0; part < 8; ++part) {
      const unsigned base = part * Tmem::kColumns;
      const unsigned begin = base + column, end = begin + columns;
      const bool fine = shadow.visit(begin, end, [&](Cell &cell, uint64_t at) {
        // What is tolerated leaves the cell to the peer's own dealloc, with
        // the readers that its last writer is known through.
        const Cell before = cell;
        const Readers more =
            tolerated && cell.more ? shadow.readers(cell) : Readers();
        if (holds(Rule::FreeAfterUse) &&
            !checkTmemCell(shadow, cell, rank, part * 16, unsigned(at) - base,
                           actor, true))
          return false;
        if (rank == own) {
          shadow.setWriter(cell, 0);
        } else if (tolerated) {
          shadow.setWriter(cell, before.writer);
          cell.readers = before.readers;
          if (before.more)
            shadow.readers(cell) = more;
        }
        return true;
      });
      if (!fine)
        return;
      if (rank == own)
        shadow.unify(begin, end);
    }
  }
  tolerated = 0;
}

/// CTAs of one SM share its columns, and only one at a time may allocate (PTX
/// ISA 9.0, "tcgen05.alloc", 9.7.16.7.1: it blocks until there are columns). A
/// CTA that waits for another cluster must not hold what that one may need.
bool ClusterChecker::checkSharedSm(const WarpState &warp,
                                   const ForeignMap &flags, int line) {
  constexpr uint32_t smemOfSm = 228 * 1024, threadsOfSm = 2048;
  const Machine &machine = cluster.machine;
  const Tmem &tmem = cluster.cta(warp.rank)->tmem;
  bool waits = std::any_of(flags.begin(), flags.end(), [&](const auto &flag) {
    return flag.first != cluster.index;
  });
  if (!waits || !holds(Rule::SharedSm) || !tmem.lastAllocation ||
      2 * (machine.smemBytes + kSmemReserved) > smemOfSm ||
      2 * machine.threadsPerCta > threadsOfSm)
    return true;
  bool room = tmem.allocatedColumns() + tmem.lastAllocation <= Tmem::kColumns;
  if (room && tmem.permitRelinquished)
    return true;
  stopped = true;
  cluster.fail(
      ReportKind::Deadlock,
      cluster.cta(warp.rank)->name() +
          " waits for another cluster, two CTAs fit on an SM, and the other "
          "one cannot allocate Tensor Memory beside this one: " +
          (room ? "no tcgen05.relinquish_alloc_permit before the wait"
                : std::to_string(tmem.allocatedColumns()) + " + " +
                      std::to_string(tmem.lastAllocation) +
                      " columns, an SM has 512"),
      line);
  return false;
}

} // namespace tc::emu
