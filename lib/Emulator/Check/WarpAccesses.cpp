//===- WarpAccesses.cpp - accesses of several lanes at once ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//
// Lanes that follow each other in memory are a run, and so are those that read
// the same place. What each lane of a run has for itself is told by one record
// for the whole instruction, whose entries name lanes by their distance from
// the elements, so that all cells of a run are alike. Lanes that share places
// have a record that says which they are.
//
//===----------------------------------------------------------------------===//

#include "Check/WarpAccesses.h"

#include "Check/Order.h"
#include "State/Machine.h"

#include <array>

namespace tc::emu {

/// The record of lanes that have read one place, or that follow each other over
/// again after each period.
uint32_t WarpAccesses::recordTogether(const Run &run) {
  auto &recent = warp->lastTogether[global];
  // Halves of a warp often read one place each.
  WarpState::LastTogether &last =
      recent[(reinterpret_cast<uintptr_t>(inst) / sizeof(*inst) * 2 +
              (run.lanes & 1)) %
             recent.size()];
  if (last.record && last.inst == inst && last.clock == warp->clock &&
      last.lanes == run.lanes && last.period == run.period)
    return last.record;
  Record record = accesses.makeRecord(*warp, inst->line);
  record.inst = inst;
  record.lanes[0] = run.lanes;
  record.period = uint8_t(run.period);
  if (run.period)
    record.perLane = uint8_t(__builtin_ctz(bytes));
  last = {accesses.addRecord(record, global), warp->clock, inst, run.lanes,
          run.period};
  return last.record;
}

/// The record of lanes each of which has its own place.
uint32_t WarpAccesses::recordAlone() {
  if (!single) {
    single = accesses.genericRecord(*warp, *inst, lanes, bytes, write, global);
    perLane = record(makeTogether(single)).perLane;
  }
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

/// Whether a lane that accesses bytes of the entry has done so itself, where
/// the record is of this warp.
bool WarpAccesses::isOfSameLanes(Entry entry, const Record &before) const {
  if (whoOf(entry) != whoOf(actor.entry))
    return false;
  const Record &now = *actor.record;
  return whoOf(entry) != kTogether && before.perLane == now.perLane &&
         !before.period && !now.period;
}

/// Whether what the entry did is before the same bytes' access now.
bool WarpAccesses::isFine(Entry entry) {
  const uint32_t index = recordOf(entry);
  if (entry == actor.entry || index == lastBefore)
    return true;
  auto &known = warp->before[global];
  WarpState::Before &found = known[index % known.size()];
  const uint64_t group = actor.group->serial.value,
                 drops = global ? 0 : accesses.drops;
  const Record &before = record(entry);
  const auto lanes = uint32_t(before.lanes[0]);
  const bool isKnown = found.record == index && found.group == group &&
                       found.drops == drops && found.lanes == lanes;
  if (isKnown && found.isOwn && isOfSameLanes(entry, before))
    return true;
  if (!isKnown || found.isOwn) {
    const Verdict verdict = judge(before);
    if (verdict == Verdict::Ask)
      return false;
    found = {group, drops, index, lanes, verdict == Verdict::Own};
    if (found.isOwn)
      return isOfSameLanes(entry, before);
  }
  // Lanes of another cluster may join theirs at any time.
  if (before.cluster == threads.cluster.index || lanes == ~0u)
    lastBefore = index;
  return true;
}

/// As Accesses::addReader, where there is room or the entry is there.
inline bool WarpAccesses::passReader(Shadow &shadow, Cell &cell) {
  for (Entry &reader : cell.readers)
    if (!reader || reader == actor.entry) {
      reader = actor.entry;
      return true;
    }
  accesses.addReader(shadow, cell, actor, global);
  return true;
}

/// As Accesses::checkCell, for what is simple; false: nothing was done.
inline bool WarpAccesses::passCell(Shadow &shadow, Cell &cell) {
  const Readers *more = cell.more ? &shadow.readers(cell) : nullptr;
  if (more && more->kept)
    return false;
  if (!write) {
    if (cell.writer && !isFine(cell.writer))
      return false;
    return passReader(shadow, cell);
  }
  bool read = false;
  for (Entry reader : cell.readers) {
    if (!reader)
      continue;
    if (!isFine(reader))
      return false;
    read |= reader != actor.entry;
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
    if (Cell *words = shadow.words(granule)) {
      const uint64_t word = begin % Shadow::kGranule / Shadow::kWord;
      Cell &cell = words[word];
      if (!passCell(shadow, cell))
        return false;
      // A neighbour that is not alike is enough not to look at all. First what
      // has been written now: a whole cell cannot be read yet without a wait.
      const Cell &next = words[word ^ 1];
      if ((write ? cell.writer == next.writer
                 : cell.readers[0] == next.readers[0]) &&
          cell == next)
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

/// The run's bytes within [begin, end), each lane on its own.
bool WarpAccesses::accessEach(uint64_t begin, uint64_t end, const Run &run) {
  for (uint32_t rest = run.lanes; rest; rest &= rest - 1) {
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

/// Gives back the page or the log that is held.
void WarpAccesses::release() {
  if (page)
    page->release();
  page = nullptr;
  if (logged)
    accesses.releaseLog();
  logged = nullptr;
}

/// Of that address, held until others are asked for.
Shadow &WarpAccesses::shadowOf(uint64_t address) {
  if (!global)
    return *accesses.smem[warp->rank];
  const uint64_t number = address >> GlobalPage::kShift;
  if (page && number == pageNumber)
    return page->shadow;
  release();
  // What others have done meanwhile is not known.
  alike.clear();
  GlobalPage &found = accesses.page(address);
  found.hold();
  page = &found;
  pageNumber = number;
  return found.shadow;
}

/// Reads of memory that nothing has written.
void WarpAccesses::logRun(const Run &run) {
  const auto first = unsigned(__builtin_ctz(run.lanes));
  const auto size = uint32_t(run.end - run.begin);
  if (run.isOnePlace)
    return accesses.logRead(*logged, makeTogether(recordTogether(run)),
                            run.begin, size);
  if (run.period)
    return accesses.logRead(*logged,
                            makeEntry(recordTogether(run), first,
                                      run.begin >> __builtin_ctz(bytes)),
                            run.begin, size);
  const uint32_t index = recordAlone();
  if (perLane != kAnySize)
    return accesses.logRead(*logged,
                            makeEntry(index, first, run.begin >> perLane),
                            run.begin, size);
  // An entry is the lane's alone.
  for (uint64_t at = run.begin; at < run.end; at += bytes)
    accesses.logRead(
        *logged, makeEntry(index, first + unsigned((at - run.begin) / bytes)),
        at, bytes);
}

/// False: no more is to be checked.
bool WarpAccesses::passRun(const Run &run) {
  if (logged) {
    logRun(run);
    return true;
  }
  const auto first = unsigned(__builtin_ctz(run.lanes));
  Entry entry;
  if (run.isOnePlace) {
    entry = makeTogether(recordTogether(run));
  } else if (run.period) {
    entry = makeEntry(recordTogether(run), first,
                      run.begin >> __builtin_ctz(bytes));
  } else {
    const uint32_t index = recordAlone();
    entry = makeEntry(index, first, run.begin >> perLane);
  }
  if (entry != actor.entry) {
    alike.clear();
    actor.entry = entry;
    actor.record = &record(entry);
  }
  // Where a lane has several granules, or its size is not known, an entry is
  // the lane's alone.
  const bool isOfLane = perLane == kAnySize && !run.isOnePlace && !run.period;
  for (uint64_t at = run.begin, to; at < run.end; at = to) {
    Shadow &shadow = shadowOf(at);
    const uint64_t offset =
        global ? at % GlobalPage::kBytes : smemOffset(uint32_t(at));
    uint64_t room = run.end - at;
    if (global)
      room = std::min(room, GlobalPage::kBytes - offset);
    if (offset % Shadow::kGranule == 0 && room > Shadow::kGranule &&
        !isOfLane) {
      // Whole granules that are like one before.
      const uint64_t passed = shadow.passAlike(offset, offset + room, alike);
      to = at + (passed - offset);
      if (to != at)
        continue;
    }
    if (!write && offset % Shadow::kGranule == 0 && !isOfLane)
      if (const size_t count = shadow.visitSharers(
              offset / Shadow::kGranule, (offset + room) / Shadow::kGranule,
              [&](Cell &cell) { return passCell(shadow, cell); })) {
        to = at + count * Shadow::kGranule;
        continue;
      }
    to = at +
         std::min<uint64_t>(room, Shadow::kGranule - offset % Shadow::kGranule);
    if (isOfLane) {
      const unsigned lane = first + unsigned((at - run.begin) / bytes);
      actor.entry = makeEntry(single, lane);
      alike.clear();
    }
    if (passGranule(shadow, offset, offset + (to - at)))
      continue;
    release();
    if (!accessEach(at, to, run))
      return false;
  }
  return true;
}

/// A bit for each lane.
static constexpr std::array<uint32_t, 32> laneBits = [] {
  std::array<uint32_t, 32> bits{};
  for (unsigned l = 0; l < 32; ++l)
    bits[l] = 1u << l;
  return bits;
}();

/// Lanes that are `bytes` after the lane before.
static uint32_t lanesAfter(const uint64_t *addresses, uint32_t bytes) {
  // Vectors of 32 bits, which every machine compares.
  uint32_t low[33], lanes = 0;
  uint64_t high = 0;
  low[0] = uint32_t(addresses[0]) - bytes - 1;
  for (unsigned l = 0; l < 32; ++l) {
    low[l + 1] = uint32_t(addresses[l]);
    high |= addresses[l] ^ addresses[0];
  }
  for (unsigned l = 0; l < 32; ++l)
    lanes |= low[l + 1] - low[l] == bytes ? laneBits[l] : 0;
  if (high >> 32)
    for (unsigned l = 1; l < 32; ++l)
      if (addresses[l] - addresses[l - 1] != bytes)
        lanes &= ~(1u << l);
  return lanes;
}

static bool isAscending(const uint64_t *addresses) {
  bool ascending = true;
  for (unsigned l = 1; l < 32; ++l)
    ascending &= addresses[l] > addresses[l - 1];
  return ascending;
}

static uint32_t lanesFrom(unsigned lane) { return lane < 32 ? ~0u << lane : 0; }

/// The lane behind `first` and those of `following` that follow it.
static unsigned endOfRun(uint32_t following, unsigned first) {
  const uint32_t others = ~following & lanesFrom(first + 1);
  return others ? unsigned(__builtin_ctz(others)) : 32;
}

/// Whether each lane is `bytes` after the one before.
static bool isRow(const uint64_t *addresses, uint32_t bytes) {
  uint64_t differences = 0;
  for (unsigned l = 1; l < 32; ++l)
    differences |= addresses[l] ^ (addresses[l - 1] + bytes);
  return !differences;
}

/// How the lanes' places compare, for reads.
void WarpAccesses::findPlaces() {
  if (places != Places::Unknown)
    return;
  same = lanesAfter(addresses, 0);
  places =
      !same && isAscending(addresses) ? Places::Ascending : Places::Several;
}

/// That of the first of the lanes.
WarpAccesses::Run WarpAccesses::nextRun(uint32_t rest) {
  const auto first = unsigned(__builtin_ctz(rest));
  Run run;
  const unsigned end = endOfRun(rest & next, first), count = end - first;
  run.begin = addresses[first];
  run.end = run.begin + uint64_t(count) * bytes;
  run.lanes = lanesFrom(first) & ~lanesFrom(end);
  if (write)
    return run;
  if (count == 1) {
    findPlaces();
    if (places == Places::Ascending)
      return run;
    run.lanes = lanesFrom(first) & ~lanesFrom(endOfRun(rest & same, first));
    // Others than neighbours, too.
    if (run.lanes == 1u << first)
      for (unsigned lane = 0; lane < 32; ++lane)
        run.lanes |= addresses[lane] == addresses[first] ? laneBits[lane] : 0;
    run.lanes &= rest;
    run.isOnePlace = run.lanes != 1u << first;
    return run;
  }
  // Numbers of lanes and of elements are equal modulo such periods alone.
  const bool canRepeat = bytes <= Shadow::kGranule && !(count & (count - 1));
  for (unsigned lane = end; canRepeat && lane < 32 && rest >> lane & 1 &&
                            addresses[lane] == addresses[lane - count];
       ++lane) {
    run.lanes |= 1u << lane;
    run.period = count;
  }
  return run;
}

/// Whether lanes read the same place, as far as it is seen easily.
bool WarpAccesses::arePlacesShared(uint32_t rest) {
  findPlaces();
  if (places == Places::Ascending)
    return false;
  if (same & rest)
    return true;
  uint8_t latest[256] = {};
  bool shared = false;
  for (; rest; rest &= rest - 1) {
    const auto lane = unsigned(__builtin_ctz(rest));
    uint8_t &other =
        latest[(addresses[lane] >> 2 ^ addresses[lane] >> 12) % 256];
    shared |= other && addresses[other - 1] == addresses[lane];
    other = uint8_t(lane + 1);
  }
  return shared;
}

/// Of scattered lanes, so that their cells are not waited for one by one.
void WarpAccesses::prefetch(uint32_t lanes) {
  const auto first = unsigned(__builtin_ctz(lanes)),
             last = 31 - unsigned(__builtin_clz(lanes));
  if (!global || (addresses[first] ^ addresses[last]) < GlobalPage::kBytes)
    return;
  for (; lanes; lanes &= lanes - 1) {
    const uint64_t address = addresses[__builtin_ctz(lanes)];
    accesses.page(address).shadow.prefetch(address % GlobalPage::kBytes);
  }
}

/// Lanes each of which has a word or two of one granule for itself; returns
/// those of them that are left.
template <bool Write>
uint32_t WarpAccesses::passWords(uint32_t lanes) {
  const uint32_t index = recordAlone();
  for (; !Write && logged && lanes; lanes &= lanes - 1) {
    const auto lane = unsigned(__builtin_ctz(lanes));
    accesses.logRead(*logged,
                     makeEntry(index, lane, addresses[lane] >> perLane),
                     addresses[lane], bytes);
  }
  actor.record = &record(makeTogether(index));
  for (; lanes; lanes &= lanes - 1) {
    const auto lane = unsigned(__builtin_ctz(lanes));
    const uint64_t address = addresses[lane];
    Shadow &shadow = shadowOf(address);
    const uint64_t offset =
        global ? address % GlobalPage::kBytes : smemOffset(uint32_t(address));
    Cell *const words = shadow.words(offset / Shadow::kGranule);
    if (!words)
      break;
    const Entry entry = makeEntry(index, lane, address >> perLane);
    actor.entry = entry;
    Cell *const cell = words + offset % Shadow::kGranule / Shadow::kWord;
    auto pass = [&](Cell &cell) {
      if (cell.more ||
          (cell.writer && !(Write && cell.readers[0]) && !isFine(cell.writer)))
        return passCell(shadow, cell);
      if (!Write)
        return passReader(shadow, cell);
      for (Entry reader : cell.readers)
        if (reader && !isFine(reader))
          return false;
      if (cell.readers[0] == entry && cell.writer)
        return passCell(shadow, cell);
      cell = {entry, {}, 0};
      return true;
    };
    if (!pass(cell[0]) || (bytes > Shadow::kWord && !pass(cell[1])))
      break;
    const Cell &next = words[offset / Shadow::kWord % 4 ^ 1];
    if (cell->writer == next.writer && cell->readers == next.readers)
      shadow.unifyAlike(offset / Shadow::kGranule);
  }
  return lanes;
}

/// Lanes whose neighbours are elsewhere; returns those that are left.
uint32_t WarpAccesses::passScattered(uint32_t rest) {
  const uint32_t after = next & rest & rest << 1,
                 alone = rest & ~after & ~(after >> 1);
  if ((bytes != Shadow::kWord && bytes != 2 * Shadow::kWord) ||
      !(alone & (alone - 1)) || (!write && arePlacesShared(rest)))
    return rest;
  if (!logged)
    prefetch(alone);
  return (rest & ~alone) |
         (write ? passWords<true>(alone) : passWords<false>(alone));
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
  this->lanes = lanes;
  ++number;
  single = 0;
  perLane = 0;
  lastBefore = 0;
  alike.clear();
  actor.group = &group;
  actor.warp = &warp;
  actor.thread = warp.base + unsigned(__builtin_ctz(lanes));
  actor.together = true;
  actor.entry = 0;
  if (global) {
    // All of them are in one allocation.
    const uint64_t first = addresses[__builtin_ctz(lanes)];
    if (write)
      accesses.needCells(first, first + bytes);
    else
      logged = accesses.holdLog(first, first + bytes);
  }
  if (lanes == ~0u && isRow(addresses, bytes)) {
    passRun({lanes, addresses[0], addresses[31] + bytes});
    return release();
  }
  next = lanesAfter(addresses, bytes);
  places = Places::Unknown;
  for (uint32_t rest = passScattered(lanes); rest;) {
    const Run run = nextRun(rest);
    rest &= ~run.lanes;
    if (!passRun(run))
      break;
  }
  release();
}

} // namespace tc::emu
