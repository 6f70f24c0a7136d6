//===- Accesses.cpp - is this access ordered behind those before it? ------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two accesses to a byte of which one is a write need an order, and which one
// depends on who made them: generic after generic needs a synchronisation,
// async after generic a proxy fence on top, anything after asynchronous work
// the observation of its completion, tcgen05 work on Tensor Memory the tcgen05
// fences. Asynchronous work counts from its issue on.
//
//===----------------------------------------------------------------------===//

#include "Check/ClusterChecker.h"
#include "Exec/Tcgen05Ops.h"
#include "State/Machine.h"

#include <cstring>

namespace tc::emu {

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

uint32_t ClusterChecker::addRecord(const Record &record, bool global) {
  if (!global) {
    records.push_back(record);
    return uint32_t(records.size() - 1);
  }
  std::lock_guard<std::mutex> guard(shared.lock);
  shared.footprint->records.push_back(record);
  return uint32_t(shared.footprint->records.size() - 1);
}

/// Global ones under the lock.
const Record &ClusterChecker::record(Entry entry, bool global) const {
  return global ? shared.footprint->records[recordOf(entry)]
                : records[recordOf(entry)];
}

/// Of a generic access by `thread`: what the text grants, then what assumptions
/// add.
bool ClusterChecker::orderedGeneric(const Record &before, uint32_t thread,
                                    const Actor &actor, bool global,
                                    const Foreign *theirs,
                                    AssumptionMask &used) const {
  const Message &message = actor.group->message;
  const Clock &known = (theirs ? theirs->known : message.known).threads;
  const Clock &visible = (theirs   ? theirs->visible
                          : global ? message.visibleGlobal
                                   : message.visibleShared)
                             .threads;
  const uint32_t clock = before.clock;
  const bool needsProxyFence = actor.async && holds(Rule::ProxyFence);
  if (needsProxyFence) {
    if (visible.knows(thread, clock, used))
      return true;
  } else {
    bool own = !theirs && thread == actor.thread;
    if (!holds(Rule::SameWarpLanes) && !theirs &&
        actor.thread / 32 == thread / 32)
      own = true;
    if (own || !holds(Rule::GenericOrder) || known.knows(thread, clock, used))
      return true;
  }
  if (theirs)
    return false;
  // An arrival of .cta scope on a barrier of another CTA publishes nothing for
  // generic reads, but what its thread has read may be overwritten after it,
  // and the async proxy sees what a proxy fence has handed to it.
  auto assumed = [&](Assumption assumption) {
    if (!assumes(assumption))
      return false;
    used |= maskOf(assumption);
    return true;
  };
  const Clock &told = actor.async ? message.fenced : message.reads;
  if ((actor.async || !before.write) && !global && told.get(thread) >= clock &&
      assumed(before.write ? Assumption::CtaArrivalHandsToAsync
                           : Assumption::CtaArrivalEndsReads))
    return true;
  if (before.allocates && message.allocations.get(thread) >= clock &&
      assumed(Assumption::AllocWordByClusterBarrier))
    return true;
  return needsProxyFence && before.readsAllocation &&
         assumes(Assumption::AllocWordToAsync) &&
         known.knows(thread, clock, used) &&
         assumed(Assumption::AllocWordToAsync);
}

bool ClusterChecker::ordered(const Record &before, unsigned lane,
                             const Actor &actor, bool global,
                             AssumptionMask &used) const {
  const Message &message = actor.group->message;
  const Foreign *theirs = nullptr;
  if (before.cluster != cluster.index) {
    if (!holds(Rule::CrossCluster))
      return true;
    if (!message.foreign)
      return false;
    auto found = message.foreign->find(before.cluster);
    if (found == message.foreign->end())
      return false;
    theirs = &found->second;
  }
  const Knowledge &known = theirs ? theirs->known : message.known;
  switch (before.kind) {
  case Record::Generic:
    return orderedGeneric(before, before.component + lane, actor, global,
                          theirs, used);
  case Record::CpAsync: {
    if (!holds(Rule::CpAsyncWait))
      return true;
    const Knowledge &visible = theirs   ? theirs->visible
                               : global ? message.visibleGlobal
                                        : message.visibleShared;
    bool needsProxyFence = actor.async && holds(Rule::ProxyFence);
    if ((needsProxyFence ? visible : known)
            .async.knows(before.component, before.clock, used))
      return true;
    if (!needsProxyFence || actor.record->kind != Record::Tensor ||
        !assumes(Assumption::CpAsyncToTensorCore) ||
        !known.async.knows(before.component, before.clock, used))
      return false;
    used |= maskOf(Assumption::CpAsyncToTensorCore);
    return true;
  }
  case Record::Other:
    return true;
  default:
    return !holds(Rule::AsyncCompletion) ||
           known.async.knows(before.component, before.clock, used);
  }
}

/// PTX ISA 9.0, "Pipelined tcgen05 Instructions", 9.7.16.6.2.
static bool isPipelined(const Record &x, const Record &y) {
  if (!holds(Rule::PipelinedPairs))
    return true;
  if (x.ctaGroup != y.ctaGroup)
    return false;
  using C = AsyncClass;
  C first = C(x.operation), second = C(y.operation);
  if (first == C::Mma && second == C::Mma)
    return x.accumulator == y.accumulator && x.shape == y.shape;
  if (first == C::TmemCopy && second == C::Mma)
    return true;
  if (first == C::TmemShift)
    return second == C::Mma || (second == C::TmemCopy && y.fourRows);
  return first == C::Mma && second == C::TmemShift;
}

/// What Assumption::PipeInOrder adds.
static bool isPipedInOrder(const Record &x, const Record &y) {
  using C = AsyncClass;
  C first = C(x.operation), second = C(y.operation);
  if (x.ctaGroup != y.ctaGroup || (second != C::Mma && second != C::TmemCopy))
    return false;
  return (first == C::Mma && !x.write) ||
         (first == C::TmemCopy && second == C::TmemCopy);
}

bool ClusterChecker::orderedTmem(const Record &before, const Actor &actor,
                                 const Group &group,
                                 AssumptionMask &used) const {
  if (!holds(Rule::TensorOrder))
    return true;
  const Record &now = *actor.record;
  const uint32_t component = before.component, clock = before.clock;
  const Message &message = group.message;
  // Two CTAs free the columns of a pair.
  if (before.kind == Record::Free)
    return now.kind == Record::Free || !holds(Rule::PairFree) ||
           message.known.threads.knows(component, clock, used);
  if ((before.kind == Record::TmemLoad && !holds(Rule::WaitLoads)) ||
      (before.kind == Record::TmemStore && !holds(Rule::WaitStores)))
    return true;
  // The text first: deallocation is ordered like any instruction.
  const bool frees = now.kind == Record::Free;
  const bool pipes = before.kind == Record::Tensor &&
                     now.kind == Record::Tensor && holds(Rule::PipelineOrder);
  if (group.effective.get(component) >= clock ||
      (frees && message.known.async.get(component) >= clock) ||
      (pipes && isPipelined(before, now) &&
       group.effective.get(component + 1) >= clock))
    return true;
  // Then what takes an assumption.
  auto assumed = [&](Assumption assumption, bool holds) {
    if (holds)
      used |= maskOf(assumption);
    return holds;
  };
  if (group.effective.knows(component, clock, used) ||
      (pipes && isPipelined(before, now) &&
       group.effective.knows(component + 1, clock, used)))
    return true;
  if (pipes && assumes(Assumption::PipeInOrder) &&
      assumed(Assumption::PipeInOrder,
              isPipedInOrder(before, now) &&
                  group.effective.knows(component + 1, clock, used)))
    return true;
  auto movesData = [](const Record &record) {
    return record.kind == Record::TmemLoad || record.kind == Record::TmemStore;
  };
  if (movesData(before) && movesData(now) &&
      assumes(Assumption::LoadStoreInOrder) &&
      assumed(Assumption::LoadStoreInOrder,
              (before.rank == now.rank && before.warp == now.warp) ||
                  group.effective.knows(component + kIssued, clock, used)))
    return true;
  if (!frees)
    return false;
  return message.known.async.knows(component, clock, used) ||
         (assumes(Assumption::DeallocWithoutFence) &&
          assumed(Assumption::DeallocWithoutFence,
                  message.tensor.knows(component, clock, used)));
}

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

/// A later access of the same thread or stream says all that an earlier one
/// said.
void ClusterChecker::addReader(Shadow &shadow, Cell &cell, Entry entry,
                               bool global) {
  const Record &now = record(entry, global);
  auto replaces = [&](Entry old) {
    if (!old || old == entry)
      return true;
    const Record &then = record(old, global);
    return then.kind == now.kind && then.component == now.component &&
           laneOf(old) == laneOf(entry) && then.cluster == now.cluster &&
           then.strong == now.strong && then.scope == now.scope &&
           then.clock <= now.clock;
  };
  for (Entry &reader : cell.readers)
    if (replaces(reader)) {
      reader = entry;
      return;
    }
  Readers &more = shadow.readers(cell);
  if (more.list.size() < Readers::kFew) {
    for (Entry &reader : more.list)
      if (replaces(reader)) {
        reader = entry;
        return;
      }
    more.list.push_back(entry);
    return;
  }
  uint64_t key = now.cluster << 38 ^ uint64_t(now.component) << 6 ^
                 laneOf(entry) ^ uint64_t(now.kind) << 58 ^
                 uint64_t(now.strong) << 63;
  auto [place, isNew] = more.places.try_emplace(key, more.list.size());
  if (!isNew && replaces(more.list[place->second])) {
    more.list[place->second] = entry;
    return;
  }
  place->second = uint32_t(more.list.size());
  more.list.push_back(entry);
}

/// Whether the stores in doubt have changed anything; they are over when the
/// next event comes.
void ClusterChecker::settleDoubts() {
  if (doubts.empty())
    return;
  for (Doubt &doubt : doubts)
    if (!stopped && memcmp(doubt.old, doubt.at, doubt.bytes) != 0) {
      stopped = true;
      cluster.fail(std::move(doubt.report));
    } else if (!stopped) {
      note(maskOf(Assumption::SameValueStores), doubt.before, doubt.after);
    }
  doubts.clear();
}

bool ClusterChecker::checkCell(Shadow &shadow, Cell &cell, uint64_t at,
                               const Actor &actor, bool write, bool global) {
  const Record &now = *actor.record;
  auto clashes = [&](Entry entry, bool wrote) {
    if (!entry || entry == actor.entry)
      return false;
    const Record &before = record(entry, global);
    // Morally strong: each scope includes the other's thread.
    const Reach apart = before.cluster != cluster.index ? kGrid
                        : before.rank != now.rank       ? kCluster
                                                        : kCta;
    const bool reaches =
        !holds(Rule::Scopes) ||
        (reachOf(now.scope) >= apart && reachOf(before.scope) >= apart);
    if (((now.strong && before.strong && reaches) ||
         !holds(Rule::StrongAccesses)) &&
        now.kind == Record::Generic && before.kind == Record::Generic)
      return false;
    AssumptionMask used = 0;
    if (ordered(before, laneOf(entry), actor, global, used)) {
      note(used, before.line, now.line);
      return false;
    }
    std::string where;
    if (global) {
      char text[32];
      snprintf(text, sizeof(text), "0x%llx", (unsigned long long)at);
      where = std::string("global address ") + text;
    } else {
      where = "shared offset " + std::to_string(smemOffset(uint32_t(at))) +
              " of " + cluster.cta(smemRank(uint32_t(at)))->name();
    }
    Record copy = before;
    copy.write = wrote;
    // See whether the bytes change.
    if (assumes(Assumption::SameValueStores) && write && wrote &&
        now.kind == Record::Generic && before.kind == Record::Generic &&
        now.line == before.line && before.cluster == cluster.index) {
      Doubt doubt;
      doubt.bytes = unsigned(
          std::min<uint64_t>(actor.end, (at | (Shadow::kGranule - 1)) + 1) -
          at);
      doubt.at = global ? cluster.machine.memory.readable(at, doubt.bytes)
                        : cluster.cta(smemRank(uint32_t(at)))
                              ->smem.data(smemOffset(uint32_t(at)));
      memcpy(doubt.old, doubt.at, doubt.bytes);
      doubt.before = before.line;
      doubt.after = now.line;
      doubt.report = describe(copy, laneOf(entry), actor, write, global, where);
      doubts.push_back(std::move(doubt));
      return false;
    }
    stopped = true;
    cluster.fail(describe(copy, laneOf(entry), actor, write, global, where));
    return true;
  };
  if (!write) {
    if (clashes(cell.writer, true))
      return false;
    if (!global && cell.writer && records[recordOf(cell.writer)].allocates)
      records[recordOf(actor.entry)].readsAllocation = true;
    addReader(shadow, cell, actor.entry, global);
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
  // Readers came after the writer, so that who is behind them is behind it.
  if (!read && clashes(cell.writer, true))
    return false;
  shadow.setWriter(cell, actor.entry);
  return true;
}

bool ClusterChecker::checkTmemCell(Shadow &shadow, Cell &cell, unsigned rank,
                                   unsigned lane, unsigned column,
                                   const Actor &actor, bool write) {
  const Record &now = *actor.record;
  auto clashes = [&](Entry entry, bool wrote) {
    if (!entry || entry == actor.entry)
      return false;
    const Record &before = records[recordOf(entry)];
    // Lanes of this part of 16.
    uint64_t part = 0xffffull << (lane % 64);
    if (!(before.lanes[lane / 64] & now.lanes[lane / 64] & part))
      return false;
    // All lanes of a warp move together; each has to know.
    bool fine = true;
    AssumptionMask used = 0;
    if (now.kind == Record::TmemLoad || now.kind == Record::TmemStore)
      for (const auto &group : actor.warp->groups)
        fine &= orderedTmem(before, actor, *group, used);
    else
      fine = orderedTmem(before, actor, *actor.group, used);
    if (fine || tolerated) {
      note(fine ? used : tolerated, before.line, now.line);
      return false;
    }
    Record copy = before;
    copy.write = wrote;
    stopped = true;
    cluster.fail(describe(copy, kNoLane, actor, write, false,
                          "Tensor Memory lane " + std::to_string(lane) +
                              ", column " + std::to_string(column) + " of " +
                              cluster.cta(rank)->name()));
    return true;
  };
  if (!write) {
    if (clashes(cell.writer, true))
      return false;
    addReader(shadow, cell, actor.entry, false);
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

bool ClusterChecker::sharedRange(unsigned rank, uint32_t begin, uint32_t end,
                                 const Actor &actor, bool write) {
  Shadow &shadow = *smem[rank];
  if (!holds(Rule::ExactBytes)) {
    begin = begin / Shadow::kGranule * Shadow::kGranule;
    end = (end + Shadow::kGranule - 1) / Shadow::kGranule * Shadow::kGranule;
  }
  // Neighbours usually look alike: a cell like the last good one is good.
  Cell last{~0u, {}, 0};
  bool fine = shadow.visit(begin, end, [&](Cell &cell, uint64_t at) {
    if (!cell.more && cell.writer == last.writer &&
        cell.readers == last.readers) {
      if (write)
        cell = {actor.entry, {}, 0};
      else
        addReader(shadow, cell, actor.entry, false);
      return true;
    }
    if (!cell.more)
      last = cell;
    return checkCell(shadow, cell, smemAddress(rank, uint32_t(at)), actor,
                     write, false);
  });
  if (fine && write)
    shadow.unify(begin, end);
  return fine;
}

/// PTX ISA 9.0, "Parallel Synchronization and Communication Instructions:
/// griddepcontrol": what a prerequisite grid that launches its dependents does
/// to memory is performed behind griddepcontrol.wait only.
bool ClusterChecker::checkPrerequisite(uint64_t begin, uint64_t end,
                                       const Actor &actor, bool write) {
  if (!holds(Rule::GridDependency) ||
      actor.group->message.known.async.get(gridStream))
    return true;
  GlobalFootprint &before = *shared.prerequisite;
  constexpr uint64_t size = 1ull << RaceChecker::kPageShift;
  for (uint64_t base = begin & ~(size - 1); base < end; base += size) {
    auto page = before.pages.find(base >> RaceChecker::kPageShift);
    if (page == before.pages.end())
      continue;
    Shadow &shadow = *page->second;
    bool fine = shadow.visit(
        std::max(begin, base) - base, std::min(end, base + size) - base,
        [&](Cell &cell, uint64_t at) {
          Entry entry = cell.writer;
          bool wrote = entry;
          if (!entry && write)
            entry = cell.readers[0];
          if (!entry)
            return true;
          stopped = true;
          cluster.fail(describePrerequisite(before.records[recordOf(entry)],
                                            wrote, actor, write, base + at));
          return false;
        });
    if (!fine)
      return false;
  }
  return true;
}

bool ClusterChecker::globalRange(uint64_t begin, uint64_t end,
                                 const Actor &actor, bool write) {
  constexpr uint64_t page = 1ull << RaceChecker::kPageShift;
  if (shared.prerequisite && !checkPrerequisite(begin, end, actor, write))
    return false;
  while (begin < end) {
    uint64_t base = begin & ~(page - 1), stop = std::min(end, base + page);
    Shadow &shadow = shared.page(begin);
    bool fine =
        shadow.visit(begin - base, stop - base, [&](Cell &cell, uint64_t at) {
          return checkCell(shadow, cell, base + at, actor, write, true);
        });
    if (!fine)
      return false;
    if (write)
      shadow.unify(begin - base, stop - base);
    begin = stop;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Generic accesses
//===----------------------------------------------------------------------===//

void ClusterChecker::access(const Warp &issuer, unsigned lane, Space space,
                            uint64_t address, uint32_t bytes, Access access,
                            const DecodedInst &inst) {
  settleDoubts();
  settleReads(inst.line);
  if (stopped)
    return;
  bool global = space == Space::Global, write = access != Access::Read;
  bool strong = inst.order != MemoryOrder::Weak;
  WarpState &warp = stateOf(issuer);
  Actor actor;
  actor.group = &groupOf(warp, lane);
  actor.warp = &warp;
  actor.thread = warp.base + lane;
  auto &last = warp.last[global];
  if (last.record == 0 || last.line != inst.line || last.clock != warp.clock ||
      last.write != write) {
    Record record;
    record.write = write;
    record.strong = strong;
    record.scope = inst.scope;
    record.allocates =
        write && inst.text.find("tcgen05.alloc") != inst.text.npos;
    record.component = warp.base;
    record.clock = warp.clock;
    record.line = inst.line;
    record.cluster = cluster.index;
    record.rank = warp.rank;
    record.warp = warp.index;
    last.record = addRecord(record, global);
    last.line = inst.line;
    last.clock = warp.clock;
    last.write = write;
  }
  actor.entry = makeEntry(last.record, lane);
  actor.end = address + bytes;
  if (global) {
    std::lock_guard<std::mutex> guard(shared.lock);
    actor.record = &shared.footprint->records[last.record];
    globalRange(address, address + bytes, actor, write);
  } else {
    actor.record = &records[last.record];
    uint32_t offset = smemOffset(uint32_t(address));
    unsigned rank = smemRank(uint32_t(address));
    if (rank != warp.rank) {
      if (!checkPresent(*actor.group, rank, inst.line))
        return;
      visit(rank, actor.thread, warp.clock, nullptr, inst.line);
    }
    sharedRange(rank, offset, offset + bytes, actor, write);
  }
  if (strong && !stopped)
    strongAccess(warp, *actor.group, lane, space, address, access, inst);
}

} // namespace tc::emu
