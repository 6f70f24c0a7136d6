//===- CpAsync.cpp - cp.async and its groups ------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0: cp.async, cp.async.commit_group, wait_group, wait_all and
// cp.async.mbarrier.arrive. Each lane's copy is an asynchronous op of its own.
//
//===----------------------------------------------------------------------===//

#include "Exec/AsyncCopy/BulkOps.h"
#include "Exec/Decode/Modifiers.h"
#include "State/Machine.h"

#include <algorithm>
#include <cstring>

namespace tc::emu {

namespace {
struct CpAsyncInfo : Payload {
  MemRef to, from;
  Src sourceSize, ignore;
  uint32_t size = 16;
};

class CpAsync : public AsyncOp {
public:
  CpAsync(const Warp &w, unsigned lane, int line)
      : AsyncOp(AsyncClass::CpAsync, w, lane, line) {
    what = "cp.async";
  }
  uint32_t to = 0, size = 0, valid = 0;
  uint64_t from = 0;

  void onIssue(Cluster &cluster) override {
    if (cluster.engine.poisons())
      cluster.cta(issuerRank)
          ->smem.mark(smemOffset(to), size, SharedMemory::Limbo);
  }
  Expected<bool> step(Cluster &cluster) override {
    uint8_t data[16] = {};
    if (valid) {
      const uint8_t *source = cluster.machine.readable(from, valid);
      if (!source)
        return Error{"cp.async: " +
                     cluster.machine.explain(from, valid, false)};
      memcpy(data, source, valid);
    }
    Expected<uint8_t *> target = cluster.shared(to, size);
    if (!target)
      return target.takeError();
    memcpy(*target, data, size);
    cluster.cta(issuerRank)
        ->smem.mark(smemOffset(to), size, SharedMemory::Init);
    sourcesRead = true;
    return true;
  }
  void announce(Cluster &, Observer &events) const override {
    if (valid)
      events.asyncGlobal(from, valid, false);
    events.asyncShared(to, size, true);
  }
  bool touchesCta(unsigned rank) const override { return rank == issuerRank; }
  bool writesShared(unsigned rank, uint32_t offset,
                    uint32_t bytes) const override {
    return rank == issuerRank && smemOffset(to) < offset + bytes &&
           offset < smemOffset(to) + size;
  }
};

/// Arrives on an mbarrier when the lane's earlier copies are done.
class CpAsyncArrive : public AsyncOp {
public:
  CpAsyncArrive(const Warp &w, unsigned lane, int line, uint32_t barrier)
      : AsyncOp(AsyncClass::CpAsync, w, lane, line), barrier(barrier) {
    what = "cp.async.mbarrier.arrive";
  }
  Expected<bool> step(Cluster &cluster) override {
    if (cluster.events)
      cluster.events->sync({SyncEvent::Arrive, nullptr, 0, this, barrier, 0,
                            MemoryOrder::AcqRel, Scope::Cta, line});
    if (Status status = cluster.mbarrierArrive(barrier, 1, asArrival());
        !status)
      return status.takeError();
    return true;
  }
  void announce(Cluster &, Observer &events) const override {
    events.arrivesOn(barrier);
  }
  bool touchesCta(unsigned rank) const override {
    return rank == smemRank(barrier);
  }

private:
  uint32_t barrier;
};

Step execCpAsync(Warp &w, const DecodedInst &i, uint32_t active) {
  const CpAsyncInfo &info = i.as<CpAsyncInfo>();
  uint32_t ignored = info.ignore.valid ? w.predicate(info.ignore) : 0;
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    auto op = std::make_unique<CpAsync>(w, l, i.line);
    op->size = info.size;
    op->valid = ignored >> l & 1        ? 0
                : info.sourceSize.valid ? w.r32(info.sourceSize)[l]
                                        : info.size;
    op->from = w.address(info.from, l);
    if (!w.toShared(w.address(info.to, l), info.to.space, op->to) ||
        smemRank(op->to) != w.cta.rank)
      return w.fail(ReportKind::Memory, i,
                    "expected an address in the CTA's shared memory, lane " +
                        std::to_string(l));
    if (op->valid > op->size)
      return w.fail(ReportKind::Memory, i,
                    "expected a source size of at most " +
                        std::to_string(op->size) + ", got " +
                        std::to_string(op->valid));
    if (op->to % op->size || op->from % op->size)
      return w.fail(ReportKind::Memory, i,
                    "misaligned address: expected a multiple of " +
                        std::to_string(op->size) + ", lane " +
                        std::to_string(l));
    SharedMemory &smem = w.cta.smem;
    uint32_t offset = smemOffset(op->to);
    if (!smem.inBounds(offset, op->size) || !smem.isWritable(offset, op->size))
      return w.fail(ReportKind::Memory, i,
                    "write to shared memory: " +
                        smem.explain(offset, op->size, true));
    AsyncOp &issued = w.cluster.engine.issue(w.cluster, std::move(op));
    w.cpAsyncGroup(l).add(issued.id);
  }
  return Step::Yield;
}

Step execCpAsyncCommit(Warp &w, const DecodedInst &i, uint32_t active) {
  for (uint32_t rest = active; rest; rest &= rest - 1)
    w.cpAsyncGroup(unsigned(__builtin_ctz(rest))).commit();
  return Step::Next;
}

/// imm: groups that may stay pending; aux: open ones count too (wait_all).
Step execWait(Warp &w, const DecodedInst &i, uint32_t active) {
  const Engine &engine = w.cluster.engine;
  auto pending = [&](const AsyncGroups::Group &group) {
    for (uint64_t id : group.ids)
      if (engine.isPending(id))
        return true;
    return false;
  };
  // Lanes that have waited for as many copies.
  uint32_t lanes = 0;
  uint64_t copies = 0;
  auto tell = [&] {
    if (lanes && w.cluster.events)
      w.cluster.events->sync({SyncEvent::CpAsyncWait, &w, lanes, nullptr,
                              copies, 0, i.order, i.scope, i.line});
  };
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    AsyncGroups &groups = w.cpAsyncGroup(unsigned(__builtin_ctz(rest)));
    size_t n = groups.committed.size();
    bool waits = i.aux && pending(groups.open);
    for (size_t g = 0; g + i.imm < n; ++g)
      waits |= pending(groups.committed[g]);
    if (waits) {
      tell(); // of the lanes before, which have nothing left to wait for
      return w.block(WaitKind::CpAsyncGroup, &w, i.aux ? 0 : i.imm);
    }
    // The youngest copy of those that are waited for says it all. What no wait
    // covered has to stay for a listener.
    size_t covered = n > i.imm ? n - i.imm : 0;
    if (w.cluster.events) {
      uint64_t youngest = i.aux ? groups.open.last : 0;
      for (size_t g = covered; !youngest && g-- > 0;)
        youngest = groups.committed[g].last;
      if (youngest && youngest != copies) {
        tell();
        lanes = 0;
        copies = youngest;
      }
      if (youngest)
        lanes |= rest & -rest;
    }
    size_t keep = w.cluster.events ? n - covered : 0;
    while (groups.committed.size() > keep && !pending(groups.committed.front()))
      groups.committed.pop_front();
  }
  tell();
  return Step::Next;
}

Step execArrive(Warp &w, const DecodedInst &i, uint32_t active) {
  Cluster &cluster = w.cluster;
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    uint32_t address;
    std::string why = "expected an address in shared memory";
    Mbarrier *barrier = nullptr;
    if (w.toShared(w.address(i.mem, l), i.mem.space, address))
      barrier = cluster.mbarrier(address, why);
    if (!barrier)
      return w.fail(ReportKind::Sync, i, why);
    if (!i.aux) // without .noinc the arrival is one more than expected
      if (const char *error = barrier->incrementPending(1))
        return w.fail(ReportKind::Sync, i, error);
    AsyncGroups &groups = w.cpAsyncGroup(l);
    // Those that have finished are not waited for again.
    std::vector<uint64_t> after;
    auto take = [&](AsyncGroups::Group &group) {
      auto isDone = [&](uint64_t id) { return !cluster.engine.isPending(id); };
      group.ids.erase(
          std::remove_if(group.ids.begin(), group.ids.end(), isDone),
          group.ids.end());
      after.insert(after.end(), group.ids.begin(), group.ids.end());
    };
    take(groups.open);
    for (AsyncGroups::Group &group : groups.committed)
      take(group);
    cluster.engine.issue(
        cluster, std::make_unique<CpAsyncArrive>(w, l, i.line, address), after);
  }
  return Step::Yield;
}
} // namespace

static void decodeCpAsync(DecodeContext &c) {
  std::string_view cache = c.takeOneOf({"ca", "cg"});
  bool shared = c.take("shared") || c.take("shared::cta");
  bool global = c.take("global");
  takeCacheModifiers(c);
  if (cache.empty() || !shared || !global)
    return c.fail("expected .ca or .cg, .shared.global");
  if (!c.expectOperands(3, 5))
    return;
  auto info = std::make_shared<CpAsyncInfo>();
  info->to = c.memRef(0, Space::SharedCta);
  info->from = c.memRef(1, Space::Global);
  info->size = uint32_t(c.immediate(c.operand(2)));
  bool legal = info->size == 16 ||
               (cache == "ca" && (info->size == 4 || info->size == 8));
  if (!legal)
    return c.fail("expected a size of 16, or 4 or 8 with .ca");
  if (c.numOperands() >= 4) {
    const ast::Operand &extra = c.operand(3);
    if (c.registerBits(extra) == 1)
      info->ignore = c.predicate(extra);
    else if (c.registerBits(extra) == 64)
      c.src(extra, Type::B64); // cache policy
    else
      info->sourceSize = c.src(extra, Type::U32);
  }
  if (c.numOperands() == 5)
    c.src(4, Type::B64);
  c.inst.fn = execCpAsync;
  c.inst.payload = std::move(info);
}

static void decodeCpAsyncCommit(DecodeContext &c) {
  if (c.expectOperands(0, 0))
    c.inst.fn = execCpAsyncCommit;
}

static void decodeWait(DecodeContext &c) {
  bool all = c.base == "cp.async.wait_all";
  if (!c.expectOperands(all ? 0 : 1, all ? 0 : 1))
    return;
  c.inst.imm = all ? 0 : uint64_t(c.immediate(c.operand(0)));
  c.inst.aux = all;
  c.inst.fn = execWait;
}

static void decodeArrive(DecodeContext &c) {
  c.inst.aux = c.take("noinc");
  Space space = c.takeSpace();
  if (c.takeType() != Type::B64)
    return c.fail("expected .b64");
  if (!c.expectOperands(1, 1))
    return;
  c.inst.mem = c.memRef(0, space);
  c.inst.fn = execArrive;
}

void registerCpAsyncInstructions(InstructionTable &table) {
  table.add("cp.async", decodeCpAsync);
  table.add("cp.async.commit_group", decodeCpAsyncCommit);
  table.add("cp.async.wait_group", decodeWait);
  table.add("cp.async.wait_all", decodeWait);
  table.add("cp.async.mbarrier.arrive", decodeArrive);
}

} // namespace tc::emu
