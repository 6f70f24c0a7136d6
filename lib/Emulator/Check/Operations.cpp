//===- Operations.cpp - what asynchronous work accesses -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//
// An operation announces all its accesses when it is issued; from then on they
// count, whenever it does them.
//
//===----------------------------------------------------------------------===//

#include "Check/Operations.h"

#include "Check/CtaLives.h"
#include "Check/MBarriers.h"
#include "Check/TensorMemory.h"
#include "Engines/TCGen05/Ops.h"
#include "State/Machine.h"

namespace tc::emu {

/// What an operation that signals a barrier knows: what its thread had observed
/// of phases when it was issued.
static OpState::Told &tell(OpState &state, const Threads &threads,
                           const Group &group) {
  state.signals = true;
  state.told = std::make_unique<OpState::Told>();
  state.told->known.phases = group.message.phases;
  state.told->known.heard = group.message.heard;
  if (threads.tracksSigns())
    state.told->known.heard.raise(state.thread,
                                  threads.warps[state.thread / 32].clock);
  return *state.told;
}

void Operations::startBulkStore(OpState &state) {
  BulkIssuer &issuer = threads.bulk[state.thread];
  if (!issuer.reads) {
    issuer.reads = threads.newStream();
    issuer.writes = threads.newStream();
  }
  state.kind = Record::BulkRead;
  state.clock = ++issuer.issued;
}

void Operations::startCopy(OpState &state, const AsyncOp &op, WarpState &warp,
                           const Group &group) {
  if (!warp.own.copyStream) {
    warp.own.copyStream = threads.newStream();
    threads.streams += 31; // one for each lane
  }
  state.kind = Record::CpAsync;
  state.stream = warp.own.copyStream + op.issuerLane;
  uint32_t &count = warp.copies[op.issuerLane];
  if (op.what == "cp.async") {
    state.clock = ++count;
    return;
  }
  // cp.async.mbarrier.arrive comes after all copies so far, and after what its
  // thread had observed.
  state.clock = count;
  tell(state, threads, group);
}

TensorIssuer &Operations::issuerOf(uint32_t thread, unsigned ctaGroup) {
  TensorIssuer &issuer = threads.issuers[uint64_t(thread) << 2 | ctaGroup];
  if (!issuer.stream) {
    issuer.stream = threads.newStream();
    threads.newStream();
    threads.newStream(); // kFirstReads
  }
  return issuer;
}

void Operations::startTensor(OpState &state, const TmemOp &op,
                             const WarpState &warp, const Group &group) {
  TensorIssuer &issuer = issuerOf(state.thread, op.ctaGroup);
  state.kind = Record::Tensor;
  state.stream = issuer.stream;
  state.clock = ++issuer.issued;
  issuer.causes = group.message.known;
  if (const uint32_t waited = warp.own.copies[op.issuerLane])
    issuer.causes.async.raise(warp.own.copyStream + op.issuerLane, waited);
  issuer.causesReads = group.message.reads;
  issuer.tensorCauses = group.effective;
}

void Operations::startCommit(OpState &state, const AsyncOp &op,
                             const Group &group) {
  OpState::Told &told = tell(state, threads, group);
  for (unsigned ctaGroup : {1u, 2u}) {
    if (op.what.find("cta_group::" + std::to_string(ctaGroup)) ==
        std::string::npos)
      continue;
    // It may be the first that the thread issues.
    TensorIssuer &issuer = issuerOf(state.thread, ctaGroup);
    state.stream = issuer.stream;
    const bool firstReads =
        op.what.find(".sync_restrict::") != std::string::npos;
    state.firstReads = firstReads;
    state.clock = issuer.issued;
    (firstReads ? issuer.committedReads : issuer.committed) = issuer.issued;
    told.causes = issuer.causes;
    told.causesReads = issuer.causesReads;
    told.tensorCauses = issuer.tensorCauses;
    // Those of reads are in order among themselves.
    TensorIssuer::Commits &commits = issuer.commits[firstReads];
    if (!commits.stream)
      commits.stream = threads.newStream();
    state.commitStream = commits.stream;
    state.nthCommit = ++commits.count;
  }
  told.known.known.threads = group.message.known.threads;
}

/// Gives `state` its place among the work of its kind that its thread, warp or
/// warpgroup has issued; false for work that accesses nothing.
bool Operations::start(OpState &state, const AsyncOp &op, WarpState &warp,
                       const Group &group) {
  switch (op.asyncClass) {
  case AsyncClass::BulkLoad:
  case AsyncClass::StoreAsync:
    state.kind = op.asyncClass == AsyncClass::BulkLoad ? Record::BulkLoad
                                                       : Record::StoreAsync;
    state.clock = ~0u;
    tell(state, threads, group);
    return true;
  case AsyncClass::BulkStore:
    startBulkStore(state);
    return true;
  case AsyncClass::CpAsync:
    startCopy(state, op, warp, group);
    return true;
  case AsyncClass::Mma:
  case AsyncClass::TmemCopy:
  case AsyncClass::TmemShift:
    startTensor(state, static_cast<const TmemOp &>(op), warp, group);
    return true;
  case AsyncClass::Wgmma: {
    WarpState &leader = threads.leaderOf(warp);
    if (!leader.wgmmaStream)
      leader.wgmmaStream = threads.newStream();
    state.kind = Record::Wgmma;
    state.stream = leader.wgmmaStream;
    state.clock = ++warp.wgmmas;
    return true;
  }
  case AsyncClass::TmemLoad:
    state.kind = Record::TmemLoad;
    state.stream = warp.loadStream;
    state.clock = ++warp.loads;
    return true;
  case AsyncClass::TmemStore:
    state.kind = Record::TmemStore;
    state.stream = warp.storeStream;
    state.clock = ++warp.stores;
    return true;
  case AsyncClass::Commit:
    startCommit(state, op, group);
    return true;
  default:
    return false;
  }
}

void Operations::issued(const AsyncOp &op, Observer &observer) {
  WarpState &warp =
      threads
          .warps[op.issuerRank * cluster.machine.warpsPerCta + op.issuerWarp];
  Group &group = threads.groupOf(warp, op.issuerLane);
  OpState state;
  state.thread = warp.base + op.issuerLane;
  if (!start(state, op, warp, group))
    return;
  if (state.kind == Record::BulkRead)
    lives.work(op, state.thread, threads.bulk[state.thread].reads, state.clock);
  else if (state.stream && !state.signals && state.kind != Record::TmemLoad &&
           state.kind != Record::TmemStore)
    // Of those tcgen05.dealloc has to be after.
    lives.work(op, state.thread, state.stream, state.clock);
  OpState &kept = state.signals ? ops[op.id] = std::move(state) : state;
  announcing = &op;
  opState = &kept;
  forgetActors(false);
  forgetActors(true);
  opBarrier = 0;
  if (kept.kind == Record::Wgmma) {
    // The lanes of the warp issue it together; each has to know.
    for (const auto &each : warp.groups) {
      kept.thread = warp.base + unsigned(__builtin_ctz(each->lanes));
      for (ManyAlike &each : alikes)
        each.clear();
      op.announce(cluster, observer);
    }
  } else {
    op.announce(cluster, observer);
  }
  announcing = nullptr;
  opState = nullptr;
  // The next tcgen05 work of the thread comes after this one in the pipe.
  if (kept.kind == Record::Tensor)
    group.effective.raise(kept.stream + 1, kept.clock);
}

/// The thread that issues what signals a barrier has observed its
/// mbarrier.init.
void Operations::arrivesOn(uint32_t barrierAddress) {
  BarrierState *state = mbarriers.barrier(barrierAddress);
  if (!state || threads.stopped)
    return;
  const WarpState &warp = threads.warps[opState->thread / 32];
  const unsigned lane = opState->thread % 32;
  for (const auto &group : warp.groups)
    if (group->lanes >> lane & 1 &&
        mbarriers.checkInit(*state, *group, warp, 1u << lane, announcing->line))
      state->expected[announcing->id] = announcing->line;
}

void Operations::completesOn(uint32_t barrierAddress) {
  opBarrier = barrierAddress;
  forgetActors(false);
  BarrierState *state = mbarriers.barrier(barrierAddress);
  opState->targets.emplace_back();
  if (!state || threads.stopped)
    return;
  if (const uint32_t read = recordOf(asyncActors[true][false].entry)) {
    Record other = accesses.recordAt(read, true);
    other.component = state->stream;
    const uint32_t added = accesses.addRecord(other, true);
    accesses.recordAt(read, true).also = added;
    opState->targets.back().global = added;
  }
  arrivesOn(barrierAddress);
  WarpState &warp = threads.warps[opState->thread / 32];
  const Group &group = threads.groupOf(warp, opState->thread % 32);
  if (!threads.stopped)
    mbarriers.checkPhase(*state, group.message, opState->thread,
                         announcing->line);
}

void Operations::forgetActors(bool global) {
  asyncActors[global][0].entry = asyncActors[global][1].entry = 0;
  if (!global)
    for (ManyAlike &each : alikes)
      each.clear();
}

/// Of cp.async: one for all lanes of an instruction.
uint32_t Operations::copyRecord(WarpState &warp, bool global, bool write) {
  WarpState::LastCopy &last = warp.lastCopy[global];
  if (last.record && last.line == announcing->line &&
      last.clock == opState->clock && last.write == write)
    return last.record;
  Record record = accesses.makeRecord(warp, announcing->line);
  record.kind = Record::CpAsync;
  record.write = write;
  record.component = warp.own.copyStream;
  record.clock = opState->clock;
  last = {accesses.addRecord(record, global), record.clock, record.line, write};
  return last.record;
}

/// The actor for the announcing op, with a record of its own per direction,
/// space and target.
const Actor &Operations::asyncActor(bool global, bool write) {
  Actor &actor = asyncActors[global][write];
  // Lanes that issue an op together are actors one after the other.
  if (actor.entry && actor.thread == opState->thread)
    return actor;
  WarpState &warp = threads.warps[opState->thread / 32];
  Entry entry = actor.entry;
  if (!entry && opState->kind == Record::CpAsync) {
    const unsigned lane = opState->thread % 32;
    const uint32_t index = copyRecord(warp, global, write);
    accesses.recordAt(index, global).lanes[0] |= 1u << lane;
    entry = makeEntry(index, lane);
  } else if (!entry) {
    Record record = accesses.makeRecord(warp, announcing->line);
    record.kind = opState->kind;
    record.write = write;
    record.component =
        opState->stream + (opState->firstReads ? kFirstReads : 0);
    record.clock = opState->clock;
    if (record.kind == Record::BulkRead) {
      const BulkIssuer &issuer = threads.bulk[opState->thread];
      record.kind = write ? Record::BulkWrite : Record::BulkRead;
      record.component = write ? issuer.writes : issuer.reads;
    } else if (record.kind == Record::BulkLoad ||
               record.kind == Record::StoreAsync) {
      record.barrier = opBarrier;
      BarrierState *state = mbarriers.barrier(opBarrier);
      record.component = state ? state->stream : 0;
    }
    if ((write || announcing->strongReads) && announcing->strongElement) {
      record.strong = true;
      record.element = announcing->strongElement;
      record.scope = announcing->strongScope;
    }
    if (const auto *op = dynamic_cast<const TmemOp *>(announcing))
      record.piped = op->piped();
    const uint32_t index = accesses.addRecord(record, global);
    if (!opState->targets.empty()) {
      OpState::Target &target = opState->targets.back();
      (write ? target.write : global ? target.global : target.read) = index;
    }
    entry = makeEntry(index, kNoLane);
  }
  actor = accesses.actorOf(warp, opState->thread % 32);
  // cp.async, st.async and red.async work in the generic proxy.
  actor.async =
      opState->kind != Record::CpAsync && opState->kind != Record::StoreAsync;
  actor.together = opState->kind == Record::Wgmma;
  actor.entry = entry;
  return actor;
}

void Operations::asyncPieces(unsigned rank, uint32_t base,
                             const SmemPiece *pieces, size_t count,
                             bool write) {
  if (threads.stopped || !opState || !count)
    return;
  Actor actor = asyncActor(false, write);
  actor.record = &accesses.records[recordOf(actor.entry)];
  if (rank != actor.warp->rank &&
      !lives.checkPresent(*actor.group, rank, announcing->line))
    return;
  if (rank >= accesses.smem.size())
    return;
  // What is outside is reported by the op itself.
  const SharedMemory &memory = cluster.cta(rank)->smem;
  Shadow &shadow = *accesses.smem[rank];
  ManyAlike &alike = alikes[write];
  for (size_t i = 0; i < count; ++i) {
    uint32_t begin = base + pieces[i].offset;
    const uint32_t end = begin + pieces[i].bytes;
    if (!memory.inBounds(begin, pieces[i].bytes))
      continue;
    if (begin % Shadow::kGranule == 0)
      begin = uint32_t(shadow.passAlike(begin, end, alike));
    if (begin != end &&
        !accesses.sharedRange(rank, begin, end, actor, write, alike))
      return;
  }
}

void Operations::asyncShared(uint32_t address, uint32_t bytes, bool write) {
  const SmemPiece piece = {smemOffset(address), bytes};
  asyncPieces(smemRank(address), 0, &piece, 1, write);
}

void Operations::asyncOperand(unsigned rank, uint32_t base,
                              const std::vector<SmemPiece> &pieces) {
  asyncPieces(rank, base, pieces.data(), pieces.size(), false);
}

void Operations::asyncFirstReads(bool on) {
  if (threads.stopped || !opState)
    return;
  opState->firstReads = on;
  forgetActors(false);
}

void Operations::asyncGlobal(uint64_t address, uint64_t bytes, bool write) {
  if (threads.stopped || !opState || !isDeviceAddress(address))
    return;
  if (!write && !cluster.machine.memory.range(address).writable)
    return;
  if (write && announcing->repeats &&
      threads.assumes(Assumption::SameValueStores))
    return threads.note(maskOf(Assumption::SameValueStores), announcing->line,
                        announcing->line);
  Actor actor = asyncActor(true, write);
  actor.record = &accesses.record(actor.entry, true);
  accesses.globalRange(address, address + bytes, actor, write);
}

void Operations::asyncTmem(const TmemFootprint &cells, bool write) {
  if (threads.stopped || !opState || !tensorMemory.has(cells.rank))
    return;
  tensorMemory.accessCells(cells, asyncActor(false, write), write);
}

} // namespace tc::emu
