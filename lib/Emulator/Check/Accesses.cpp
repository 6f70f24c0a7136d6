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
// The checker of a launch
//===----------------------------------------------------------------------===//

bool droppedRules[unsigned(Rule::Count)] = {};
void dropRule(Rule rule) { droppedRules[unsigned(rule)] = true; }
void restoreRules() {
  for (bool &dropped : droppedRules)
    dropped = false;
}

RaceChecker::RaceChecker(Machine &machine, RaceMode mode)
    : machine(machine), mode(mode),
      needsTensorFences(machine.needsTensorFences()),
      footprint(std::make_shared<GlobalFootprint>()) {
  footprint->kernel = &machine.kernel;
}

LaunchSequence::LaunchSequence() = default;
LaunchSequence::~LaunchSequence() = default;

std::unique_ptr<EventSink> RaceChecker::attach(Cluster &cluster) {
  return std::make_unique<ClusterChecker>(*this, cluster);
}

Shadow &RaceChecker::page(uint64_t address) {
  auto &page = footprint->pages[address >> kPageShift];
  if (!page)
    page = std::make_unique<Shadow>((1u << kPageShift) / Shadow::kGranule);
  return *page;
}

ClusterChecker::ClusterChecker(RaceChecker &shared, Cluster &cluster)
    : shared(shared), cluster(cluster), strict(shared.mode == RaceMode::Strict),
      threadsPerCta(cluster.machine.warpsPerCta * 32) {
  const Machine &machine = cluster.machine;
  gridStream = newStream();
  uint32_t bytes = kSmemReserved + machine.smemBytes;
  for (unsigned rank = 0; rank < machine.ctasPerCluster; ++rank) {
    smem.push_back(std::make_unique<Shadow>(bytes / Shadow::kGranule + 1));
    tmem.push_back(nullptr);
    for (unsigned index = 0; index < machine.warpsPerCta; ++index) {
      WarpState warp;
      warp.rank = rank;
      warp.index = index;
      warp.base = uint32_t(warps.size()) * 32;
      warp.loadStream = newStream();
      warp.storeStream = newStream();
      streams += kIssued;
      warp.groups.push_back(std::make_unique<Group>());
      warp.groups[0]->lanes = ~0u;
      warps.push_back(std::move(warp));
    }
  }
}

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

bool ClusterChecker::ordered(const Record &before, unsigned lane,
                             const Actor &actor, bool global) const {
  const Message &message = actor.group->message;
  const Knowledge *known = &message.known;
  const Knowledge *visible =
      global ? &message.visibleGlobal : &message.visibleShared;
  if (before.cluster != cluster.index) {
    if (!holds(Rule::CrossCluster))
      return true;
    if (!message.foreign)
      return false;
    auto theirs = message.foreign->find(before.cluster);
    if (theirs == message.foreign->end())
      return false;
    known = &theirs->second.known;
    visible = &theirs->second.visible;
  }
  switch (before.kind) {
  case Record::Generic: {
    uint32_t thread = before.component + lane;
    bool own = before.cluster == cluster.index && thread == actor.thread;
    if (!holds(Rule::SameWarpLanes) && before.cluster == cluster.index &&
        actor.thread / 32 == thread / 32)
      own = true;
    // 5.6: an arrival of .cta scope on a barrier of another CTA publishes
    // nothing for generic reads, but what its thread has read may be
    // overwritten behind it, and the async proxy sees what a proxy fence has
    // handed to it.
    const Clock &told = actor.async ? message.fenced : message.reads;
    if ((actor.async || !before.write) && !global &&
        before.cluster == cluster.index && told.get(thread) >= before.clock)
      return true;
    // 5.6: kernels read the word of tcgen05.alloc behind a relaxed cluster
    // barrier.
    if (before.allocates && before.cluster == cluster.index &&
        message.allocations.get(thread) >= before.clock)
      return true;
    if (!actor.async || !holds(Rule::ProxyFence))
      return own || !holds(Rule::GenericOrder) ||
             known->threads.get(thread) >= before.clock ||
             (actor.async && thread == actor.thread);
    // 5.6: kernels hand the word that tcgen05.alloc wrote to the next copy.
    if (before.readsAllocation && !strict &&
        known->threads.get(thread) >= before.clock)
      return true;
    return visible->threads.get(thread) >= before.clock;
  }
  case Record::CpAsync:
    if (!holds(Rule::CpAsyncWait))
      return true;
    // 5.6: kernels without tcgen05 fences let tensor cores read what cp.async
    // has copied.
    if (actor.async && holds(Rule::ProxyFence) &&
        (shared.needsTensorFences || actor.record->kind != Record::Tensor))
      known = visible;
    return known->async.get(before.component) >= before.clock;
  case Record::Other:
    return true;
  default:
    return !holds(Rule::AsyncCompletion) ||
           known->async.get(before.component) >= before.clock;
  }
}

/// PTX ISA 9.0, "Pipelined tcgen05 Instructions", 9.7.16.6.2. A cp over scales
/// and an mma over A that an earlier mma reads follow it through the pipe in
/// shipping kernels, and so does a cp over what a cp has written; only the
/// strict policy objects.
static bool isPipelined(const Record &x, const Record &y, bool strict) {
  if (!holds(Rule::PipelinedPairs))
    return true;
  if (x.ctaGroup != y.ctaGroup)
    return false;
  using C = AsyncClass;
  C first = C(x.operation), second = C(y.operation);
  if (first == C::Mma && second == C::Mma)
    return (x.accumulator == y.accumulator && x.shape == y.shape) ||
           (!strict && !x.write);
  if (first == C::TmemCopy && second == C::Mma)
    return true;
  if (first == C::TmemCopy && second == C::TmemCopy)
    return !strict;
  if (first == C::TmemShift)
    return second == C::Mma || (second == C::TmemCopy && y.fourRows);
  if (first == C::Mma && second == C::TmemCopy)
    return !strict && !x.write;
  return first == C::Mma && second == C::TmemShift;
}

bool ClusterChecker::orderedTmem(const Record &before, const Actor &actor,
                                 const Group &group) const {
  if (!holds(Rule::TensorOrder))
    return true;
  const Record &now = *actor.record;
  if (group.effective.get(before.component) >= before.clock)
    return true;
  if ((before.kind == Record::TmemLoad && !holds(Rule::WaitLoads)) ||
      (before.kind == Record::TmemStore && !holds(Rule::WaitStores)))
    return true;
  // 5.6: kernels without tcgen05 fences take loads and stores as done in the
  // order in which warps issue them, without waits.
  auto movesData = [](const Record &record) {
    return record.kind == Record::TmemLoad || record.kind == Record::TmemStore;
  };
  if (!shared.needsTensorFences && movesData(before) && movesData(now) &&
      ((before.rank == now.rank && before.warp == now.warp) ||
       group.effective.get(before.component + kIssued) >= before.clock))
    return true;
  // Deallocation is ordered like any instruction.
  if (now.kind == Record::Free)
    return group.message.known.async.get(before.component) >= before.clock ||
           (!strict &&
            group.message.tensor.get(before.component) >= before.clock);
  return before.kind == Record::Tensor && now.kind == Record::Tensor &&
         holds(Rule::PipelineOrder) && isPipelined(before, now, strict) &&
         group.effective.get(before.component + 1) >= before.clock;
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
           then.strong == now.strong && then.clock <= now.clock;
  };
  for (Entry &reader : cell.readers)
    if (replaces(reader)) {
      reader = entry;
      return;
    }
  Readers &more = shadow.readers(cell);
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
    if ((now.strong || !holds(Rule::StrongAccesses)) &&
        (before.strong || !holds(Rule::StrongAccesses)) &&
        now.kind == Record::Generic && before.kind == Record::Generic)
      return false;
    if (ordered(before, laneOf(entry), actor, global))
      return false;
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
    // Threads that store the same value by one instruction do no harm: see
    // whether the bytes change.
    if (!strict && write && wrote && now.kind == Record::Generic &&
        before.kind == Record::Generic && now.line == before.line &&
        before.cluster == cluster.index) {
      Doubt doubt;
      doubt.bytes = unsigned(
          std::min<uint64_t>(actor.end, (at | (Shadow::kGranule - 1)) + 1) -
          at);
      doubt.at = global ? cluster.machine.memory.readable(at, doubt.bytes)
                        : cluster.cta(smemRank(uint32_t(at)))
                              ->smem.data(smemOffset(uint32_t(at)));
      memcpy(doubt.old, doubt.at, doubt.bytes);
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
    if (now.kind == Record::TmemLoad || now.kind == Record::TmemStore)
      for (const auto &group : actor.warp->groups)
        fine &= orderedTmem(before, actor, *group);
    else
      fine = orderedTmem(before, actor, *actor.group);
    if (fine)
      return false;
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
    sharedRange(smemRank(uint32_t(address)), offset, offset + bytes, actor,
                write);
  }
  if (strong && !stopped)
    strongAccess(warp, *actor.group, lane, space, address, access, inst);
}

//===----------------------------------------------------------------------===//
// Asynchronous accesses
//===----------------------------------------------------------------------===//

void ClusterChecker::issued(const AsyncOp &op) {
  settleDoubts();
  settleReads(0);
  if (stopped)
    return;
  WarpState &warp =
      warps[op.issuerRank * cluster.machine.warpsPerCta + op.issuerWarp];
  uint32_t thread = warp.base + op.issuerLane;
  Group &group = groupOf(warp, op.issuerLane);
  OpState state;
  state.thread = thread;
  switch (op.asyncClass) {
  case AsyncClass::BulkLoad:
    state.kind = Record::BulkLoad;
    state.clock = ~0u;
    break;
  case AsyncClass::BulkStore: {
    BulkIssuer &issuer = bulk[thread];
    if (!issuer.reads) {
      issuer.reads = newStream();
      issuer.writes = newStream();
    }
    state.kind = Record::BulkRead;
    state.clock = ++issuer.issued;
    break;
  }
  case AsyncClass::CpAsync: {
    auto &[stream, count] = copies[thread];
    if (!stream)
      stream = newStream();
    state.kind = Record::CpAsync;
    state.stream = stream;
    // cp.async.mbarrier.arrive stands behind all copies so far.
    state.clock = op.what == "cp.async" ? ++count : count;
    break;
  }
  case AsyncClass::Mma:
  case AsyncClass::TmemCopy:
  case AsyncClass::TmemShift: {
    const auto &tensorOp = static_cast<const TmemOp &>(op);
    TensorIssuer &issuer = issuers[uint64_t(thread) << 2 | tensorOp.ctaGroup];
    if (!issuer.stream) {
      issuer.stream = newStream();
      newStream();
    }
    state.kind = Record::Tensor;
    state.stream = issuer.stream;
    state.clock = ++issuer.issued;
    issuer.causes = group.message.known;
    issuer.causesReads = group.message.reads;
    issuer.tensorCauses = group.effective;
    break;
  }
  case AsyncClass::TmemLoad:
    state.kind = Record::TmemLoad;
    state.stream = warp.loadStream;
    state.clock = ++warp.loads;
    break;
  case AsyncClass::TmemStore:
    state.kind = Record::TmemStore;
    state.stream = warp.storeStream;
    state.clock = ++warp.stores;
    break;
  case AsyncClass::Commit: {
    for (unsigned ctaGroup : {1u, 2u}) {
      auto it = issuers.find(uint64_t(thread) << 2 | ctaGroup);
      if (it == issuers.end() ||
          op.what.find("cta_group::" + std::to_string(ctaGroup)) ==
              std::string::npos)
        continue;
      TensorIssuer &issuer = it->second;
      state.stream = issuer.stream;
      state.clock = issuer.committed = issuer.issued;
      state.causes = issuer.causes;
      state.causesReads = issuer.causesReads;
      state.tensorCauses = issuer.tensorCauses;
    }
    ops[op.id] = std::move(state);
    return;
  }
  default:
    return;
  }
  OpState &kept = ops[op.id] = std::move(state);
  announcing = &op;
  opState = &kept;
  readRecord[0] = readRecord[1] = writeRecord[0] = writeRecord[1] = 0;
  opBarrier = 0;
  op.announce(cluster, *this);
  announcing = nullptr;
  opState = nullptr;
  // The next tcgen05 work of the thread stands behind this one in the pipe.
  if (kept.kind == Record::Tensor)
    group.effective.raise(kept.stream + 1, kept.clock);
}

void ClusterChecker::completesOn(uint32_t barrierAddress) {
  opBarrier = barrierAddress;
  writeRecord[0] = readRecord[0] = 0;
  if (opState)
    opState->targets.push_back(0);
  BarrierState *state = barrier(barrierAddress);
  if (!state || stopped)
    return;
  WarpState &warp = warps[opState->thread / 32];
  unsigned lane = opState->thread % 32;
  checkInit(*state, groupOf(warp, lane), warp, 1u << lane, announcing->line,
            "an asynchronous copy completes");
}

/// The actor for the announcing op, with a record of its own per direction,
/// space and target.
ClusterChecker::Actor ClusterChecker::asyncActor(bool global, bool write) {
  uint32_t &index = (write ? writeRecord : readRecord)[global];
  WarpState &warp = warps[opState->thread / 32];
  if (!index) {
    Record record;
    record.kind = opState->kind;
    record.write = write;
    record.line = announcing->line;
    record.cluster = cluster.index;
    record.rank = warp.rank;
    record.warp = warp.index;
    record.component = opState->stream;
    record.clock = opState->clock;
    record.operation = uint8_t(announcing->asyncClass);
    if (record.kind == Record::BulkRead) {
      const BulkIssuer &issuer = bulk[opState->thread];
      record.kind = write ? Record::BulkWrite : Record::BulkRead;
      record.component = write ? issuer.writes : issuer.reads;
    } else if (record.kind == Record::BulkLoad) {
      record.barrier = opBarrier;
      BarrierState *state = barrier(opBarrier);
      record.component = state ? state->stream : 0;
      if (global)
        record.kind = Record::Other;
    }
    if (const auto *op = dynamic_cast<const TmemOp *>(announcing)) {
      record.ctaGroup = uint8_t(op->ctaGroup);
      record.fourRows = op->fourRows;
      record.accumulator = op->accumulator;
      record.shape = op->shape;
    }
    index = addRecord(record, global);
    if (record.kind == Record::BulkLoad && write && !opState->targets.empty())
      opState->targets.back() = index;
  }
  Actor actor;
  actor.group = &groupOf(warp, opState->thread % 32);
  actor.warp = &warp;
  actor.thread = opState->thread;
  // cp.async works in the generic proxy.
  actor.async = opState->kind != Record::CpAsync;
  actor.entry = makeEntry(index, kNoLane);
  return actor;
}

void ClusterChecker::asyncShared(uint32_t address, uint32_t bytes, bool write) {
  if (stopped || !opState)
    return;
  Actor actor = asyncActor(false, write);
  actor.record = &records[recordOf(actor.entry)];
  uint32_t offset = smemOffset(address);
  // What lies outside is reported by the op itself.
  if (smemRank(address) < smem.size() &&
      cluster.cta(smemRank(address))->smem.inBounds(offset, bytes))
    sharedRange(smemRank(address), offset, offset + bytes, actor, write);
}

void ClusterChecker::asyncGlobal(uint64_t address, uint64_t bytes, bool write) {
  if (stopped || !opState || address >= kGlobalEnd)
    return;
  if (!write && !cluster.machine.memory.range(address).writable)
    return;
  // 5.6: kernels let all lanes of a warp issue one and the same store.
  if (write && announcing->repeats && !strict)
    return;
  Actor actor = asyncActor(true, write);
  std::lock_guard<std::mutex> guard(shared.lock);
  actor.record = &shared.footprint->records[recordOf(actor.entry)];
  globalRange(address, address + bytes, actor, write);
}

void ClusterChecker::asyncTmem(const TmemFootprint &cells, bool write) {
  if (stopped || !opState || cells.rank >= tmem.size())
    return;
  if (!tmem[cells.rank])
    tmem[cells.rank] = std::make_unique<Shadow>(8 * tmemColumns);
  Actor actor = asyncActor(false, write);
  Record &now = records[recordOf(actor.entry)];
  uint64_t halves[2];
  for (unsigned half = 0; half < 2; ++half) {
    halves[half] = (cells.lanes >> (64 * half) & std::bitset<tmemLanes>(~0ull))
                       .to_ullong();
    now.lanes[half] |= halves[half];
  }
  actor.record = &now;
  Shadow &shadow = *tmem[cells.rank];
  for (unsigned part = 0; part < 8; ++part) {
    if (!(halves[part / 4] & 0xffffull << (part % 4 * 16)))
      continue;
    Cell last{~0u, {}, 0};
    for (unsigned c = cells.column;
         c < cells.column + cells.columns && c < tmemColumns; ++c) {
      Cell &cell = shadow.at(part * tmemColumns + c);
      if (!cell.more && cell.writer == last.writer &&
          cell.readers == last.readers) {
        if (write)
          cell = {actor.entry, {}, 0};
        else
          addReader(shadow, cell, actor.entry, false);
        continue;
      }
      if (!cell.more)
        last = cell;
      if (!checkTmemCell(shadow, cell, cells.rank, part * 16, c, actor, write))
        return;
    }
  }
}

} // namespace tc::emu
