//===- WarpAccesses.cpp - accesses of several lanes at once ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//
// Lanes that follow each other in memory are a run, and so are those that read
// the same place. In shared memory a run of several has a record of its own,
// which says where it begins, so that all its cells are alike. Records of
// global memory are kept for the whole launch: there an entry names the lanes
// by their place in the granule, and a record serves all runs of an
// instruction.
//
//===----------------------------------------------------------------------===//

#include "Check/WarpAccesses.h"

#include "Check/Order.h"
#include "State/Machine.h"

namespace tc::emu {

/// The record of lanes that have read one place, or, with a `spread`, of lanes
/// that follow each other from `base` on.
uint32_t WarpAccesses::recordTogether(uint32_t lanes, unsigned spread,
                                      uint64_t base) {
  auto &recent = warp->lastTogether[global];
  for (WarpState::Last &last : recent)
    if (last.record && last.inst == inst && last.clock == warp->clock &&
        last.write == write && last.lanes == lanes && last.base == base)
      return last.record;
  Record record = accesses.makeRecord(*warp, inst->line);
  record.inst = inst;
  record.write = write;
  record.lanes[0] = lanes;
  record.spread = uint8_t(spread);
  record.base = base;
  WarpState::Last &last = recent[number % recent.size()];
  last = {accesses.addRecord(record, global),
          warp->clock,
          inst->line,
          write,
          inst,
          lanes,
          base};
  return last.record;
}

WarpAccesses::Verdict WarpAccesses::judge(const Record &before) {
  if (before.allocates)
    return Verdict::Ask;
  const Message &message = actor.group->message;
  const bool isOfCluster = before.cluster == threads.cluster.index;
  if (before.kind == Record::Generic && isOfCluster) {
    if (message.known.threads.hasAll(before.component,
                                     uint32_t(before.lanes[0]), before.clock))
      return Verdict::Before;
    return before.component == warp->base ? Verdict::Own : Verdict::Ask;
  }
  AssumptionMask used = 0;
  bool isBefore = true;
  if (before.kind == Record::Generic || before.kind == Record::CpAsync)
    for (uint64_t rest = before.lanes[0]; rest && isBefore; rest &= rest - 1)
      isBefore = order.ordered(before, unsigned(__builtin_ctzll(rest)), actor,
                               global, used);
  else
    isBefore = order.ordered(before, kNoLane, actor, global, used);
  // What takes an assumption is noted for the lanes that it is about.
  return isBefore && !used ? Verdict::Before : Verdict::Ask;
}

/// Whether what the entry did is before the same bytes' access now.
bool WarpAccesses::isFine(Entry entry) {
  if (entry == actor.entry)
    return true;
  const uint32_t index = recordOf(entry);
  Known &found = known[index % known.size()];
  if (found.record != index || found.access != number)
    found = {number, index, judge(record(entry))};
  if (found.verdict != Verdict::Own)
    return found.verdict == Verdict::Before;
  const Record &before = record(entry), &now = *actor.record;
  if (whoOf(entry) != whoOf(actor.entry))
    return false;
  return whoOf(entry) == kTogether
             ? now.spread && before.spread == now.spread &&
                   before.base == now.base
             : before.perLane == now.perLane;
}

/// As Accesses::checkCell, for what is simple; false: nothing was done.
bool WarpAccesses::passCell(Shadow &shadow, Cell &cell) {
  const Readers *more = cell.more ? &shadow.readers(cell) : nullptr;
  if (more && more->kept)
    return false;
  if (!write) {
    if (cell.writer && !isFine(cell.writer))
      return false;
    accesses.addReader(shadow, cell, actor, global);
    return true;
  }
  bool read = false;
  for (Entry reader : cell.readers) {
    if (reader && !isFine(reader))
      return false;
    read |= reader && reader != actor.entry;
  }
  if (more)
    for (Entry reader : *more) {
      if (!isFine(reader))
        return false;
      read |= reader != actor.entry;
    }
  if (!read && cell.writer && !isFine(cell.writer))
    return false;
  shadow.setWriter(cell, actor.entry);
  return true;
}

/// Bytes of one granule; false: Accesses has to be asked.
bool WarpAccesses::passGranule(Shadow &shadow, uint64_t begin, uint64_t end) {
  const uint64_t granule = begin / Shadow::kGranule;
  const bool fine = shadow.visitAlike(
      begin, end, alike, false, [&](Cell &cell, uint64_t, uint32_t) {
        // By records, so that it is the same for all their lanes.
        return passCell(shadow, cell) ? Visited::Alike : Visited::Stop;
      });
  if (fine && !shadow.isWhole(granule))
    shadow.unifyAlike(granule);
  return fine;
}

/// The lanes' bytes within [begin, end), each lane on its own.
bool WarpAccesses::accessEach(uint64_t begin, uint64_t end, unsigned first,
                              uint32_t lanes) {
  for (uint32_t rest = lanes & (~0u << first); rest; rest &= rest - 1) {
    const auto lane = unsigned(__builtin_ctz(rest));
    const uint64_t from = std::max(begin, addresses[lane]),
                   to = std::min(end, addresses[lane] + bytes);
    if (from >= to)
      continue;
    Actor own = accesses.actorOf(*warp, lane);
    own.end = addresses[lane] + bytes;
    own.entry = accesses.entryOf(single, lane, addresses[lane], global);
    own.record = &record(own.entry);
    Alike none;
    if (global ? !accesses.globalRange(from, to, own, write)
               : !accesses.sharedRange(warp->rank, smemOffset(uint32_t(from)),
                                       smemOffset(uint32_t(from)) +
                                           uint32_t(to - from),
                                       own, write, none))
      return false;
  }
  return true;
}

void WarpAccesses::access(WarpState &warp, Group &group, uint32_t lanes,
                          bool global, const uint64_t *addresses,
                          uint32_t bytes, bool write, const DecodedInst &inst) {
  this->warp = &warp;
  this->inst = &inst;
  this->global = global;
  this->write = write;
  this->bytes = bytes;
  this->addresses = addresses;
  ++number;
  logBytes = unsigned(__builtin_ctz(bytes));
  single = accesses.genericRecord(warp, inst, lanes, bytes, write, global);
  actor = accesses.actorOf(warp, unsigned(__builtin_ctz(lanes)));
  actor.group = &group;
  actor.together = true;
  for (uint32_t rest = lanes; rest;) {
    const auto first = unsigned(__builtin_ctz(rest));
    uint32_t run = 1u << first;
    unsigned end = first + 1;
    while (end < 32 && rest >> end & 1 &&
           addresses[end] == addresses[first] + (end - first) * bytes)
      run |= 1u << end++;
    bool isOnePlace = false;
    if (end == first + 1 && !write) {
      for (unsigned lane = end; lane < 32; ++lane)
        run |= uint32_t(addresses[lane] == addresses[first]) << lane;
      run &= rest;
      isOnePlace = run != 1u << first;
    }
    rest &= ~run;
    const uint64_t begin = addresses[first];
    const uint64_t stop = begin + (isOnePlace ? 1 : end - first) * bytes;
    // A record for all of the run, or an entry for each granule.
    const bool hasRecord = isOnePlace || (!global && end - first > 1);
    if (isOnePlace)
      actor.entry = makeTogether(recordTogether(run, 0, 0));
    else if (hasRecord)
      actor.entry = makeTogether(
          recordTogether(run, logBytes + 1, begin - first * bytes));
    alike.clear();
    for (uint64_t at = begin, next; at < stop; at = next) {
      next = std::min(stop, (at / Shadow::kGranule + 1) * Shadow::kGranule);
      if (!hasRecord) {
        const Entry entry = accesses.entryOf(
            single, first + unsigned((at - begin) >> logBytes), at, global);
        if (entry != actor.entry)
          alike.clear();
        actor.entry = entry;
      }
      actor.record = &record(actor.entry);
      Shadow &shadow = global ? accesses.page(at) : *accesses.smem[warp.rank];
      const uint64_t offset = global ? at % (1ull << RaceChecker::kPageShift)
                                     : smemOffset(uint32_t(at));
      if (!passGranule(shadow, offset, offset + (next - at)) &&
          !accessEach(at, next, first, run))
        return;
    }
  }
}

} // namespace tc::emu
