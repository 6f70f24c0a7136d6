//===- TensorMemory.cpp - accesses to Tensor Memory -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//
// A pair allocates when both CTAs run and frees when no access to the columns
// is pending.
//
//===----------------------------------------------------------------------===//

#include "Check/TensorMemory.h"

#include "Check/Reports.h"
#include "Engines/TCGen05/Ops.h"
#include "State/Machine.h"

#include <algorithm>

namespace tc::emu {

bool TensorMemory::checkTmemCell(Shadow &shadow, Cell &cell, unsigned rank,
                                 unsigned lane, unsigned column,
                                 const Actor &actor, bool write) {
  const Record &now = *actor.record;
  auto clashes = [&](Entry entry, bool wrote) {
    if (!entry || entry == actor.entry)
      return false;
    const Record &before = accesses.records[recordOf(entry)];
    // Lanes of this part of 16.
    uint64_t part = 0xffffull << (lane % 64);
    if (!(before.lanes[lane / 64] & now.lanes[lane / 64] & part))
      return false;
    // All lanes of a warp access together; each needs the order.
    bool fine = true;
    AssumptionMask used = 0;
    if (now.kind == Record::TmemLoad || now.kind == Record::TmemStore)
      for (const auto &group : actor.warp->groups)
        fine &= order.orderedTmem(before, actor, *group, used);
    else
      fine = order.orderedTmem(before, actor, *actor.group, used);
    if (fine || tolerated) {
      threads.note(fine ? used : tolerated, before.line, now.line);
      return false;
    }
    if (threads.isTold(before.line, now.line))
      return false;
    Record copy = before;
    copy.write = wrote;
    cluster.involved = reports.involve(before, now);
    cluster.involved.tensor = {true, rank, lane, column};
    return !threads.race(reports.describe(
        copy, kNoLane, actor, write, false,
        "Tensor Memory lane " + std::to_string(lane) + ", column " +
            std::to_string(column) + " of " + cluster.cta(rank)->name()));
  };
  if (!write) {
    if (clashes(cell.writer, true))
      return false;
    accesses.addReader(shadow, cell, actor, false);
    return true;
  }
  bool read = false;
  if (holds(Rule::WriteAfterRead)) {
    for (Entry reader : cell.readers) {
      if (clashes(reader, false))
        return false;
      read |= reader && reader != actor.entry;
    }
    if (cell.more)
      for (Entry reader : shadow.readers(cell)) {
        if (clashes(reader, false))
          return false;
        read |= reader != actor.entry;
      }
  }
  if (!read && clashes(cell.writer, true))
    return false;
  shadow.setWriter(cell, actor.entry);
  return true;
}

std::unique_ptr<Shadow> TensorMemory::newTmemShadow() {
  return std::make_unique<Shadow>(8 * tmemColumns / Shadow::kGranule);
}

/// Cells that an operation has announced.
void TensorMemory::accessCells(const TmemFootprint &cells, Actor actor,
                               bool write) {
  if (!accesses.tmem[cells.rank])
    accesses.tmem[cells.rank] = newTmemShadow();
  Record &now = accesses.records[recordOf(actor.entry)];
  uint64_t halves[2];
  for (unsigned half = 0; half < 2; ++half) {
    halves[half] = (cells.lanes >> (64 * half) & std::bitset<tmemLanes>(~0ull))
                       .to_ullong();
    now.lanes[half] |= halves[half];
  }
  actor.record = &now;
  notePeerFrees(cells, actor);
  Shadow &shadow = *accesses.tmem[cells.rank];
  for (unsigned part = 0; part < 8; ++part) {
    if (!(halves[part / 4] & 0xffffull << (part % 4 * 16)))
      continue;
    // The columns of each part are a range of their own.
    const unsigned base = part * tmemColumns, begin = base + cells.column,
                   end = std::min(begin + cells.columns, base + tmemColumns);
    ManyAlike alike;
    if (!shadow.visitAlike(
            begin, end, alike, write, [&](Cell &cell, uint64_t at, uint32_t) {
              return checkTmemCell(shadow, cell, cells.rank, part * 16,
                                   unsigned(at) - base, actor, write)
                         ? Visited::Alike
                         : Visited::Stop;
            }))
      return;
  }
}

/// PTX ISA 9.0, "tcgen05.alloc", 9.7.16.7.1: the issuing warp makes sure that
/// the peer CTA is launched.
void TensorMemory::allocTmem(const SyncEvent &event) {
  WarpState &warp = threads.stateOf(*event.warp);
  const Group &group =
      threads.groupOf(warp, unsigned(__builtin_ctz(event.lanes)));
  // The peer's dealloc says nothing about the next allocation.
  if (accesses.tmem[warp.rank] &&
      !cluster.cta(warp.rank)->tmem.allocatedColumns())
    accesses.tmem[warp.rank] = nullptr;
  // Nor does what it has freed, once the columns are allocated again.
  dropPeerFrees(warp.rank, 0, Tmem::kColumns);
  if (event.value != 2 || !holds(Rule::PairPresent) ||
      group.message.present >> (warp.rank ^ 1) & 1)
    return;
  if (threads.assumes(Assumption::PairAllocStartsPeer))
    return threads.note(maskOf(Assumption::PairAllocStartsPeer), event.line,
                        event.line);
  if (!threads.isTold(0, event.line))
    threads.race("tcgen05.alloc.cta_group::2 by a warp that has not observed "
                 "that the peer CTA runs: no cluster barrier, or other "
                 "synchronisation with the peer, before line " +
                     std::to_string(event.line),
                 event.line);
}

void TensorMemory::dropPeerFrees(unsigned rank, unsigned begin, unsigned end) {
  peerFrees.erase(std::remove_if(peerFrees.begin(), peerFrees.end(),
                                 [&](const PeerFree &freed) {
                                   return freed.rank == rank &&
                                          freed.begin < end &&
                                          begin < freed.end;
                                 }),
                  peerFrees.end());
}

/// An access to columns that only the peer's tcgen05.dealloc has freed.
void TensorMemory::notePeerFrees(const TmemFootprint &cells,
                                 const Actor &actor) {
  for (const PeerFree &freed : peerFrees) {
    AssumptionMask used = 0;
    if (freed.rank == cells.rank &&
        freed.begin < cells.column + cells.columns &&
        cells.column < freed.end &&
        !order.orderedTmem(freed.record, actor, *actor.group, used))
      threads.note(maskOf(Assumption::PairDeallocWaits), freed.record.line,
                   actor.record->line);
  }
}

void TensorMemory::freeTmem(const SyncEvent &event) {
  WarpState &warp = threads.stateOf(*event.warp);
  Actor actor = accesses.actorOf(warp, unsigned(__builtin_ctz(event.lanes)));
  Record record = accesses.makeRecord(warp, event.line);
  record.kind = Record::Free;
  record.write = true;
  record.lanes[0] = record.lanes[1] = ~0ull;
  record.component = actor.thread;
  uint32_t index = accesses.addRecord(record, false);
  actor.record = &accesses.records[index];
  actor.entry = makeEntry(index, kNoLane);
  unsigned own = unsigned(event.object >> 32);
  unsigned column = event.object >> 16 & 0xffff,
           columns = event.object & 0xffff;
  // Either CTA's warp frees the columns in both, as the ISA does not say that
  // it waits for the other.
  bool pair = event.value == 2 && holds(Rule::PairFree);
  bool waits = threads.assumes(Assumption::PairDeallocWaits);
  // Whichever of the two comes first: the second one finds what was there.
  const bool keeps = pair && !waits && threads.certificate() &&
                     (own ^ 1) < accesses.tmem.size();
  const bool isFirst = keeps && cluster.cta(own ^ 1)->tmem.isAllocated(column);
  for (unsigned rank : {own, own ^ 1}) {
    if ((rank != own && !pair) || rank >= accesses.tmem.size())
      continue;
    tolerated = rank != own && waits ? maskOf(Assumption::PairDeallocWaits) : 0;
    if (tolerated && cluster.cta(rank)->tmem.allocatedColumns())
      peerFrees.push_back({rank, column, column + columns, record});
    else if (rank == own)
      dropPeerFrees(rank, column, column + columns);
    // The peer may access them for the first time afterwards.
    if (!accesses.tmem[rank] && rank != own && !tolerated &&
        cluster.cta(rank)->tmem.allocatedColumns())
      accesses.tmem[rank] = newTmemShadow();
    if (!accesses.tmem[rank])
      continue;
    Shadow &shadow = *accesses.tmem[rank];
    for (unsigned part = 0; part < 8; ++part) {
      const unsigned base = part * Tmem::kColumns;
      const unsigned begin = base + column, end = begin + columns;
      const bool fine =
          shadow.visit(begin, end, [&](Cell &cell, uint64_t at, uint32_t) {
            // What is tolerated leaves the cell to the peer's own dealloc, with
            // the readers that its last writer is known through.
            const Cell before = cell;
            const bool restores = tolerated || (isFirst && rank == own);
            const Readers more =
                restores && cell.more ? shadow.readers(cell) : Readers();
            if (holds(Rule::FreeAfterUse) &&
                !checkTmemCell(shadow, cell, rank, part * 16,
                               unsigned(at) - base, actor, true))
              return false;
            if (rank == own && !isFirst) {
              shadow.setWriter(cell, 0);
            } else if (restores) {
              shadow.setWriter(cell, before.writer);
              cell.readers = before.readers;
              if (before.more)
                shadow.setReaders(cell, more);
            } else if (keeps && !isFirst) {
              shadow.setWriter(cell, 0); // both have freed it
            }
            return true;
          });
      if (!fine)
        return;
      if (rank == own && !isFirst)
        shadow.unify(begin, end);
    }
  }
  tolerated = 0;
}

} // namespace tc::emu
