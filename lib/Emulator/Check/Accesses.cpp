//===- Accesses.cpp - accesses made so far --------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//
// Two accesses to a byte of which one is a write need an order (Order.cpp), or
// are strong. Here are the cells that hold the accesses made so far.
// Asynchronous work counts from its issue on.
//
//===----------------------------------------------------------------------===//

#include "Check/Accesses.h"

#include "Check/Order.h"
#include "Check/Readers.h"
#include "Check/Reports.h"
#include "Engines/TCGen05/Ops.h"
#include "State/Machine.h"
#include "tc/Emulator/Certificate.h"

#include <cstring>

namespace tc::emu {

Accesses::Accesses(Threads &threads, const Order &order, const Reports &reports)
    : threads(threads), order(order), reports(reports), shared(threads.shared),
      cluster(threads.cluster), log(shared.footprint->reads.take()) {
  const uint32_t bytes = kSmemReserved + cluster.machine.smemBytes;
  for (unsigned rank = 0; rank < cluster.machine.ctasPerCluster; ++rank) {
    smem.push_back(std::make_unique<Shadow>(bytes / Shadow::kGranule + 1));
    tmem.push_back(nullptr);
  }
  mostRecords = std::clamp<size_t>(smem.size() * bytes / Shadow::kGranule,
                                   1 << 11, 1 << 14);
  {
    std::lock_guard<std::mutex> guard(shared.lock);
    if (!shared.storage.empty()) {
      records = std::move(shared.storage.back());
      shared.storage.pop_back();
    }
  }
  records.reserve(mostRecords + 64);
  records.emplace_back();
}

Accesses::~Accesses() {
  shared.footprint->reads.give(log);
  std::lock_guard<std::mutex> guard(shared.lock);
  if (room.next != room.end)
    shared.footprint->records.give(room);
  records.clear();
  shared.storage.push_back(std::move(records));
}

Record Accesses::makeRecord(const WarpState &warp, int line) const {
  Record record;
  record.component = warp.base;
  record.clock = warp.clock;
  record.line = line;
  record.cluster = cluster.index;
  record.rank = warp.rank;
  record.warp = warp.index;
  return record;
}

uint32_t Accesses::addRecord(const Record &record, bool global) {
  if (!global) {
    records.push_back(record);
    return uint32_t(records.size() - 1);
  }
  if (room.next == room.end) {
    std::lock_guard<std::mutex> guard(shared.lock);
    room = shared.footprint->records.take();
  }
  if (room.next == room.end) {
    fullOfRecords(record);
    return 0;
  }
  shared.footprint->records[room.next] = record;
  return room.next++;
}

/// No access is checked after that.
void Accesses::fullOfRecords(const Record &record) {
  if (threads.stopped)
    return;
  threads.stopped = true;
  cluster.fail(ReportKind::Limit,
               "expected at most 2^26 different accesses to global memory in a "
               "launch with race checking, got more: --race-clusters=N checks "
               "some clusters, --races=off none",
               record.line);
}

void Accesses::dropUnused(PendingOps &ops) {
  auto forEachIndex = [&](auto visit) {
    auto visitEntry = [&](Entry &entry) {
      uint32_t index = recordOf(entry);
      if (index) {
        visit(index);
        entry = index << 6 | whoOf(entry);
      }
    };
    for (const auto *shadows : {&smem, &tmem})
      for (const std::unique_ptr<Shadow> &shadow : *shadows)
        if (shadow)
          shadow->forEachEntry(visitEntry);
    for (WarpState &warp : threads.warps) {
      for (WarpState::Last &last : warp.last[0])
        visit(last.record);
      for (WarpState::LastTogether &last : warp.lastTogether[0])
        visit(last.record);
      visit(warp.lastCopy[0].record);
    }
    for (auto &op : ops)
      for (OpState::Target &target : op.second.targets) {
        visit(target.write);
        visit(target.read);
      }
  };
  std::vector<uint32_t> kept(records.size());
  forEachIndex([&](uint32_t &index) { kept[index] = 1; });
  kept[0] = 1;
  uint32_t count = 0;
  for (size_t i = 0; i < kept.size(); ++i)
    if (kept[i]) {
      records[count] = records[i];
      kept[i] = count++;
    }
  records.resize(count);
  ++drops;
  forEachIndex([&](uint32_t &index) { index = kept[index]; });
  mostRecords = std::max<size_t>(mostRecords, 2 * count);
}

/// Of accesses by lanes of a warp, each of which has its own place. `bytes` 0:
/// not of one size, or not aligned to it.
uint32_t Accesses::genericRecord(WarpState &warp, const DecodedInst &inst,
                                 uint32_t lanes, uint32_t bytes, bool write,
                                 bool global) {
  // Without Rule::ExactBytes a lane's access covers its neighbours' bytes.
  const bool isOfSize = bytes && bytes <= Shadow::kGranule &&
                        !(bytes & (bytes - 1)) && holds(Rule::ExactBytes);
  const auto perLane = uint8_t(isOfSize ? __builtin_ctz(bytes) : kAnySize);
  auto &recent = warp.last[global];
  // Instructions that follow each other lie near each other.
  WarpState::Last &last =
      recent[reinterpret_cast<uintptr_t>(&inst) / sizeof(inst) % recent.size()];
  if (last.record && last.inst == &inst && last.clock == warp.clock &&
      last.write == write && last.perLane == perLane) {
    Changing<uint64_t> &all = recordAt(last.record, global).lanes[0];
    if (lanes & ~all)
      all |= lanes;
    return last.record;
  }
  Record record = makeRecord(warp, inst.line);
  record.inst = &inst;
  record.write = write;
  record.strong = inst.order != MemoryOrder::Weak;
  record.scope = inst.scope;
  record.element = inst.element;
  record.perLane = perLane;
  record.lanes[0] = lanes;
  record.allocates = write && inst.text.find("tcgen05.alloc") != inst.text.npos;
  last = {addRecord(record, global), warp.clock, &inst, write, perLane};
  return last.record;
}

Actor Accesses::actorOf(WarpState &warp, unsigned lane) {
  Actor actor;
  actor.group = &threads.groupOf(warp, lane);
  actor.warp = &warp;
  actor.thread = warp.base + lane;
  return actor;
}

void Accesses::addReader(Shadow &shadow, Cell &cell, const Actor &actor,
                         bool global) {
  auto isOver = [&](const Record &then, const Record &) {
    AssumptionMask used = 0;
    return order.ordered(then, kNoLane, actor, global, used);
  };
  if (global)
    emu::addReader(shadow, cell, actor.entry, shared.footprint->records,
                   isOver);
  else
    emu::addReader(shadow, cell, actor.entry, records, isOver);
}

/// Whether the stores in doubt have changed anything; they are over when the
/// next event comes.
void Accesses::settleDoubts() {
  if (doubts.empty())
    return;
  for (Doubt &doubt : doubts)
    if (!threads.stopped && memcmp(doubt.old, doubt.at, doubt.bytes) != 0) {
      if (threads.isTold(doubt.before, doubt.after))
        continue;
      cluster.involved = std::move(doubt.involved);
      threads.race(std::move(doubt.report));
    } else if (!threads.stopped) {
      threads.note(maskOf(Assumption::SameValueStores), doubt.before,
                   doubt.after);
    }
  doubts.clear();
}

/// Whether a strong read of the cell, which `actor` comes after, has seen the
/// writer: what is ordered after the read is ordered after that write, too (PTX
/// ISA 9.0, "Causality Order", 8.9.5, and "Observation Order", 8.9.2).
bool Accesses::isWriterSeen(Shadow &shadow, Cell &cell, const Actor &actor,
                            uint64_t at, bool global) const {
  auto sees = [&](Entry entry) {
    if (!entry || entry == actor.entry || !record(entry, global).strong)
      return false;
    const Record &before = record(entry, global);
    return forLanes(entry, before, at, 1, [&](unsigned by, uint64_t) {
      AssumptionMask used = 0;
      return order.ordered(before, by, actor, global, used);
    });
  };
  if (std::any_of(cell.readers.begin(), cell.readers.end(), sees))
    return true;
  if (!cell.more)
    return false;
  const Readers &more = shadow.readers(cell);
  return std::any_of(more.begin() + more.kept, more.end(), sees);
}

/// Whether a store may be of the value that an earlier one of the same
/// instruction left, as far as races with it go.
bool Accesses::mayStoreSame(const Record &before, bool wrote,
                            const Actor &actor, bool write) const {
  const Record &now = *actor.record;
  return threads.assumes(Assumption::SameValueStores) && write && wrote &&
         now.kind == Record::Generic && before.kind == Record::Generic &&
         now.line == before.line && now.inst == before.inst &&
         before.cluster == cluster.index;
}

/// Notes what is at `at`, to see whether the store of `actor` changes it.
void Accesses::doubt(const Record &before, uint64_t at, const Actor &actor,
                     bool global, Report report) {
  Doubt doubt;
  doubt.bytes = unsigned(
      std::min<uint64_t>(actor.end, (at | (Shadow::kGranule - 1)) + 1) - at);
  doubt.at = global ? cluster.machine.memory.readable(at, doubt.bytes)
                    : cluster.cta(smemRank(uint32_t(at)))
                          ->smem.data(smemOffset(uint32_t(at)));
  memcpy(doubt.old, doubt.at, doubt.bytes);
  doubt.before = before.line;
  doubt.after = actor.record->line;
  doubt.report = std::move(report);
  doubt.involved = reports.involve(before, *actor.record);
  if (!global)
    doubt.involved.shared = {true, uint32_t(at), doubt.bytes};
  doubts.push_back(std::move(doubt));
}

/// Reports an access that nothing orders after that of the lane of `before`;
/// true where the run goes on, or where it may turn out not to be one.
bool Accesses::raceWith(const Record &before, unsigned by, bool wrote,
                        uint64_t at, const Actor &actor, bool write,
                        bool global) {
  const bool maySame = mayStoreSame(before, wrote, actor, write);
  if (!maySame && threads.isTold(before.line, actor.record->line))
    return true;
  std::string where;
  if (global) {
    char text[32];
    snprintf(text, sizeof(text), "0x%llx", (unsigned long long)at);
    where = std::string("global address ") + text;
  } else {
    where = cluster.nameShared(uint32_t(at));
  }
  Record copy = before;
  copy.write = wrote;
  Report report = reports.describe(copy, by, actor, write, global, where);
  if (maySame) {
    doubt(before, at, actor, global, std::move(report));
    return true;
  }
  cluster.involved = reports.involve(before, *actor.record);
  if (!global)
    cluster.involved.shared = {true, uint32_t(at), 1};
  return threads.race(std::move(report));
}

/// Whether what all lanes of the record did is before, by the text alone.
bool Accesses::isBeforeForAll(const Record &before, const Actor &actor,
                              bool global) const {
  if (before.kind == Record::Generic && before.cluster == cluster.index &&
      !anyRuleDropped) {
    const Message &message = actor.group->message;
    const Knowledge &known = !actor.async ? message.known
                             : global     ? message.visibleGlobal
                                          : message.visibleShared;
    if (known.threads.hasAll(before.component, uint32_t(before.lanes[0]),
                             before.clock))
      return true;
  }
  AssumptionMask used = 0;
  for (uint64_t rest = before.lanes[0]; rest; rest &= rest - 1)
    if (!order.ordered(before, unsigned(__builtin_ctzll(rest)), actor, global,
                       used) ||
        used)
      return false;
  return true;
}

/// An order that a strong access of this run has found.
void Accesses::dependsOnChoice(const Record &before, const Record &now) {
  Certificate *certificate = threads.certificate();
  if (!certificate)
    return;
  certificate->unordered(before.line, now.line);
  certificate->undecided({{Choice::StrongAccess, before.line}},
                         "is before the access only if it has been read before",
                         now.line);
}

Visited Accesses::checkCell(Shadow &shadow, Cell &cell, uint64_t at,
                            uint32_t bytes, const Actor &actor, bool write,
                            bool global) {
  const Record &now = *actor.record;
  enum Relation { Fine, Unordered, Clash };
  const uint32_t old = cell.more ? shadow.readers(cell).kept : 0;
  Visited visited = Visited::Alike;
  auto relate = [&](Entry entry, bool wrote) {
    if (!entry || entry == actor.entry)
      return Fine;
    const Record &before = record(entry, global);
    if (before.perLane != kAnySize) {
      // The same entry elsewhere is of other lanes. Strong accesses come alone.
      if (!now.strong && isBeforeForAll(before, actor, global))
        return Fine;
      visited = Visited::Once;
    }
    const bool strong = order.morallyStrong(before, now);
    // Nothing is kept of a write that this one has read.
    if (strong && actor.reads && entry == cell.writer && !threads.certificate())
      return Fine;
    Relation relation = Fine;
    forLanes(entry, before, at, bytes, [&](unsigned by, uint64_t there) {
      AssumptionMask used = 0;
      if (order.ordered(before, by, actor, global, used)) {
        if (!strong)
          threads.note(used, before.line, now.line);
        return true;
      }
      if (strong) {
        relation = Unordered;
        if (Certificate *certificate = threads.certificate())
          certificate->unordered(before.line, now.line);
      } else if (entry == cell.writer && before.strong &&
                 isWriterSeen(shadow, cell, actor, there, global)) {
        dependsOnChoice(before, now);
      } else if (!raceWith(before, by, wrote, there, actor, write, global)) {
        relation = Clash;
      }
      return relation == Fine;
    });
    return relation;
  };
  if (!write) {
    if (relate(cell.writer, true) == Clash)
      return Visited::Stop;
    // Writes that are in no order with that one.
    for (uint32_t i = 0; i < old; ++i)
      if (Entry entry = shadow.readers(cell).list[i];
          record(entry, global).write && relate(entry, true) == Clash)
        return Visited::Stop;
    if (!global && cell.writer && records[recordOf(cell.writer)].allocates)
      records[recordOf(actor.entry)].readsAllocation = true;
    addReader(shadow, cell, actor, global);
    return visited;
  }
  // What is in no order with this write outlives it, but for a write that it
  // has read.
  std::array<Entry, kLoose> kept;
  unsigned count = 0;
  auto keep = [&](Entry entry, bool wrote) {
    const Relation relation = relate(entry, wrote);
    if (relation == Unordered && !(entry == cell.writer && actor.reads))
      kept[count++ % kLoose] = entry;
    return relation != Clash;
  };
  bool read = false;
  if (holds(Rule::WriteAfterRead)) {
    for (Entry reader : cell.readers) {
      if (!keep(reader, false))
        return Visited::Stop;
      read |= reader && reader != actor.entry;
    }
    if (cell.more) {
      const Readers &more = shadow.readers(cell);
      for (size_t i = 0; i < more.list.size(); ++i) {
        if (!keep(more.list[i], record(more.list[i], global).write))
          return Visited::Stop;
        read |= i >= old && more.list[i] != actor.entry;
      }
    }
  }
  // Readers came after the writer, so that what is after them is after it.
  if ((!read || count) && !keep(cell.writer, true))
    return Visited::Stop;
  shadow.setWriter(cell, actor.entry);
  if (count) {
    Readers &more = shadow.ownReaders(cell);
    more.kept = std::min(count, kLoose);
    more.list.assign(kept.begin(), kept.begin() + more.kept);
  }
  return visited;
}

/// PTX ISA 9.0, "Parallel Synchronization and Communication Instructions:
/// griddepcontrol": what a prerequisite grid that launches its dependents does
/// to memory is performed after griddepcontrol.wait only.
bool Accesses::checkPrerequisite(uint64_t begin, uint64_t end,
                                 const Actor &actor, bool write) {
  if (!holds(Rule::GridDependency) ||
      actor.group->message.known.async.get(threads.gridStream))
    return true;
  GlobalFootprint &before = *shared.prerequisite;
  if (write)
    before.moveReads(begin, end);
  constexpr uint64_t size = GlobalPage::kBytes;
  for (uint64_t base = begin & ~(size - 1); base < end; base += size) {
    GlobalPage *page = before.findPage(base);
    if (!page)
      continue;
    Shadow &shadow = page->shadow;
    const HeldPage held(*page);
    bool fine = shadow.visit(
        std::max(begin, base) - base, std::min(end, base + size) - base,
        [&](Cell &cell, uint64_t at, uint32_t) {
          Entry entry = cell.writer;
          bool wrote = entry;
          if (!entry && write)
            entry = cell.readers[0];
          if (!entry)
            return true;
          const Record &then = before.records[recordOf(entry)];
          return threads.isTold(then.line, actor.record->line) ||
                 threads.race(reports.describePrerequisite(then, wrote, actor,
                                                           write, base + at));
        });
    if (!fine)
      return false;
  }
  return true;
}

bool Accesses::sharedWord(unsigned rank, uint32_t offset, const Actor &actor,
                          bool write) {
  Shadow &shadow = *smem[rank];
  Cell *const words = shadow.words(offset / Shadow::kGranule);
  if (!words) {
    Alike alike;
    return sharedRange(rank, offset, offset + Shadow::kWord, actor, write,
                       alike);
  }
  return checkCell(shadow, words[offset % Shadow::kGranule / Shadow::kWord],
                   smemAddress(rank, offset), Shadow::kWord, actor, write,
                   false) != Visited::Stop;
}

bool Accesses::globalRange(uint64_t begin, uint64_t end, const Actor &actor,
                           bool write) {
  constexpr uint64_t size = GlobalPage::kBytes;
  if (shared.prerequisite && !checkPrerequisite(begin, end, actor, write))
    return false;
  if (write || actor.record->strong) {
    needCells(begin, end);
  } else if (const ReadRegion *region = holdLog(begin, end)) {
    logRead(*region, actor.entry, begin, uint32_t(end - begin));
    releaseLog();
    return true;
  }
  while (begin < end) {
    uint64_t base = begin & ~(size - 1), stop = std::min(end, base + size);
    GlobalPage &page = this->page(begin);
    Shadow &shadow = page.shadow;
    const HeldPage held(page);
    Alike alike;
    if (!shadow.visitAlike(begin - base, stop - base, alike, write,
                           [&](Cell &cell, uint64_t at, uint32_t bytes) {
                             return checkCell(shadow, cell, base + at, bytes,
                                              actor, write, true);
                           }))
      return false;
    begin = stop;
  }
  return true;
}

} // namespace tc::emu
