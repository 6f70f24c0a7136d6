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

#include <cstring>

namespace tc::emu {

/// The record of lanes that have read one place, or, with a `spread`, of lanes
/// that follow each other from `base` on, over again after each `period`.
uint32_t WarpAccesses::recordTogether(uint32_t lanes, unsigned spread,
                                      unsigned period, uint64_t base) {
  auto &recent = warp->lastTogether[global];
  for (WarpState::Last &last : recent)
    if (last.record && last.inst == inst && last.clock == warp->clock &&
        last.write == write && last.lanes == lanes && last.base == base &&
        last.period == period)
      return last.record;
  Record record = accesses.makeRecord(*warp, inst->line);
  record.inst = inst;
  record.write = write;
  record.lanes[0] = lanes;
  record.spread = uint8_t(spread);
  record.period = uint8_t(period);
  record.base = base;
  WarpState::Last &last = recent[number % recent.size()];
  last = {accesses.addRecord(record, global),
          warp->clock,
          inst->line,
          write,
          inst,
          lanes,
          base,
          period};
  return last.record;
}

/// The record of lanes that are no run, or of runs of global memory.
uint32_t WarpAccesses::recordAlone() {
  if (!single)
    single = accesses.genericRecord(*warp, *inst, lanes, bytes, write, global);
  return single;
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
  auto &known = warp->before[global];
  WarpState::Before &found = known[index % known.size()];
  const uint64_t group = actor.group->serial.value,
                 drops = global ? 0 : accesses.drops;
  const Record &before = record(entry), &now = *actor.record;
  const auto lanes = uint32_t(before.lanes[0]);
  if (found.record == index && found.group == group && found.drops == drops &&
      found.lanes == lanes)
    return true;
  const Verdict verdict = judge(before);
  if (verdict == Verdict::Before)
    found = {group, drops, index, lanes};
  if (verdict != Verdict::Own)
    return verdict == Verdict::Before;
  if (whoOf(entry) != whoOf(actor.entry))
    return false;
  return whoOf(entry) == kTogether
             ? now.spread && before.spread == now.spread &&
                   before.base == now.base && !before.period && !now.period
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
  if (end - begin == Shadow::kGranule && shadow.isWhole(granule)) {
    Cell &cell = shadow.whole(granule);
    if (const Cell *after = alike.find(cell, shadow.ageOfLists())) {
      shadow.assign(cell, *after);
      return true;
    }
    const Cell found = cell;
    if (!passCell(shadow, cell))
      return false;
    shadow.remember(alike, found, cell);
    return true;
  }
  if (end - begin == Shadow::kWord && begin % Shadow::kWord == 0)
    if (Cell *cell = shadow.word(begin)) {
      if (!passCell(shadow, *cell))
        return false;
      // A neighbour that is not alike is enough not to look at all. First what
      // has been written now: a whole cell cannot be read yet without a wait.
      const Cell &next = *shadow.word(begin ^ Shadow::kWord);
      if ((write ? cell->writer == next.writer
                 : cell->readers[0] == next.readers[0]) &&
          *cell == next)
        shadow.unifyAlike(granule);
      return true;
    }
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
    own.entry = accesses.entryOf(recordAlone(), lane, addresses[lane], global);
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

/// Lanes that are `bytes` after the lane before.
static uint32_t lanesAfter(const uint64_t *addresses, uint32_t bytes) {
  uint8_t is[32] = {};
  for (unsigned l = 1; l < 32; ++l)
    is[l] = addresses[l] == addresses[l - 1] + bytes;
  uint32_t lanes = 0;
  for (unsigned byte = 0; byte < 4; ++byte) {
    uint64_t eight;
    std::memcpy(&eight, is + 8 * byte, 8);
    // Gathers the lowest bits of the bytes in the uppermost byte.
    lanes |= uint32_t(eight * 0x0102040810204080ull >> 56) << (8 * byte);
  }
  return lanes;
}

static uint32_t lanesFrom(unsigned lane) { return lane < 32 ? ~0u << lane : 0; }

/// The lane behind `first` and those of `following` that follow it.
static unsigned endOfRun(uint32_t following, unsigned first) {
  const uint32_t others = ~following & lanesFrom(first + 1);
  return others ? unsigned(__builtin_ctz(others)) : 32;
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
  this->lanes = lanes;
  single = 0;
  actor.group = &group;
  actor.warp = &warp;
  actor.thread = warp.base + unsigned(__builtin_ctz(lanes));
  actor.together = true;
  // Lanes whose address is next to that of the lane before, or the same.
  const uint32_t next = lanesAfter(addresses, bytes);
  uint32_t same = 0;
  bool isAscending = false, isCompared = write;
  for (uint32_t rest = lanes; rest;) {
    const auto first = unsigned(__builtin_ctz(rest));
    uint32_t run;
    unsigned end = endOfRun(rest & next, first);
    run = lanesFrom(first) & ~lanesFrom(end);
    bool isOnePlace = false;
    unsigned period = 0;
    if (end == first + 1 && !isCompared) {
      isCompared = isAscending = true;
      same = lanesAfter(addresses, 0);
      for (unsigned l = 1; l < 32; ++l)
        isAscending &= addresses[l] > addresses[l - 1];
    }
    if (end == first + 1 && !write) {
      run = lanesFrom(first) & ~lanesFrom(endOfRun(rest & same, first));
      // Others than neighbours, too.
      if (run == 1u << first && !isAscending)
        for (unsigned lane = end; lane < 32; ++lane)
          run |= uint32_t(addresses[lane] == addresses[first]) << lane;
      run &= rest;
      isOnePlace = run != 1u << first;
    } else if (!write && end < 32) {
      for (unsigned lane = end, n = end - first;
           lane < 32 && rest >> lane & 1 &&
           addresses[lane] == addresses[lane - n];
           ++lane) {
        run |= 1u << lane;
        period = n;
      }
    }
    rest &= ~run;
    const uint64_t begin = addresses[first];
    const uint64_t stop = begin + (isOnePlace ? 1 : end - first) * bytes;
    // A record for all of the run, or an entry for each granule.
    const bool hasRecord = isOnePlace || period || (!global && end - first > 1);
    if (isOnePlace)
      actor.entry = makeTogether(recordTogether(run, 0, 0, 0));
    else if (hasRecord)
      actor.entry = makeTogether(
          recordTogether(run, logBytes + 1, period, begin - first * bytes));
    alike.clear();
    GlobalPage *page = nullptr; // of global memory, held
    std::unique_lock<std::mutex> held;
    for (uint64_t at = begin, to; at < stop; at = to) {
      to = std::min(stop, (at / Shadow::kGranule + 1) * Shadow::kGranule);
      if (!hasRecord) {
        const Entry entry = accesses.entryOf(
            recordAlone(), first + unsigned((at - begin) >> logBytes), at,
            global);
        if (entry != actor.entry)
          alike.clear();
        actor.entry = entry;
      }
      actor.record = &record(actor.entry);
      if (global && (!page || at % GlobalPage::kBytes == 0)) {
        if (page)
          held.unlock();
        page = &accesses.page(at);
        held = page->hold();
        // What others have done meanwhile is not known.
        alike.clear();
      }
      Shadow &shadow = global ? page->shadow : *accesses.smem[warp.rank];
      const uint64_t offset =
          global ? at % GlobalPage::kBytes : smemOffset(uint32_t(at));
      if (passGranule(shadow, offset, offset + (to - at)))
        continue;
      if (page)
        held.unlock();
      page = nullptr;
      if (!accessEach(at, to, first, run))
        return;
    }
  }
}

} // namespace tc::emu
