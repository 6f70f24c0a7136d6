//===- FollowMemory.cpp - choices in memory -------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What depends on choices goes through memory with what accesses it, and with
// asynchronous work.
//
//===----------------------------------------------------------------------===//

#include "Certify/Follower.h"
#include "Engines/TCGen05/Ops.h"

#include <algorithm>

namespace tc::emu {

OriginNumber Follower::globalAt(uint64_t address, uint64_t bytes) {
  std::set<Certificate::Source> sources;
  launch.global.find(address, bytes, sources);
  return origins.opaque(sources);
}

void Follower::access(const Warp &warp, unsigned lane, Space space,
                      uint64_t address, uint32_t bytes, Access access,
                      const DecodedInst &inst) {
  WarpFlow &flow = flowOf(warp);
  PresentInst &now = flow.now;
  now.sawAccess = true;
  const bool global = space == Space::Global;
  const auto plain = uint32_t(address);
  MarkedWords *words = global ? nullptr : &shared[smemRank(plain)];
  if (access != Access::Write && access != Access::Reduction)
    now.loaded = origins.join(
        now.loaded, global ? globalAt(address, bytes)
                           : words->find(smemOffset(plain), bytes, origins));
  if (access == Access::Read)
    return;
  OriginNumber stored = now.stored;
  if (access != Access::Write || inst.choice == Choice::StrongAccess)
    stored = origins.join(
        origins.opaque(stored),
        base(inst.choice == Choice::None ? Choice::AtomicResult : inst.choice,
             inst.line));
  if (inst.choice == Choice::Columns && !global) {
    now.allocationWords.push_back(smemOffset(plain)); // marked once it is done
    return;
  }
  if (global && stored)
    launch.global.mark(address, bytes, origins.sources(stored));
  else if (!global && stored)
    words->mark(smemOffset(plain), bytes, stored, origins);
  else if (!global && access == Access::Write && !words->empty())
    words->clear(smemOffset(plain), bytes);
}

void Follower::sync(const SyncEvent &event) {
  if (!event.warp)
    return;
  WarpFlow &flow = flowOf(*event.warp);
  std::vector<OwnedRegisters> &owned = flow.owned;
  auto drop = [&](auto isOver) {
    owned.erase(std::remove_if(owned.begin(), owned.end(), isOver),
                owned.end());
  };
  switch (event.kind) {
  case SyncEvent::WaitLoads:
    if (event.value) // told by this
      return;
    return drop([](const OwnedRegisters &each) { return !each.number; });
  case SyncEvent::WgmmaWait:
    return drop([&](const OwnedRegisters &each) {
      return each.number && each.number <= event.object;
    });
  case SyncEvent::TmemFree:
    flow.now.usedColumns = true;
    return;
  default:
    return;
  }
}

void Follower::tensorMap(const Warp &warp, unsigned lane, uint64_t address,
                         const DecodedInst &inst) {
  constexpr uint64_t kMapBytes = 128;
  if (const OriginNumber origin = globalAt(address, kMapBytes))
    decides(origin, "decides the tensor map of " + opcodeOf(inst), inst.line);
}

namespace {
/// What an operation reads and writes.
struct Footprint final : Observer {
  struct Range {
    bool global;
    uint64_t address, bytes;
  };
  std::vector<Range> reads, writes;
  std::vector<TmemFootprint> readCells, writtenCells;

  unsigned subjects() const override { return 0; }
  void asyncShared(uint32_t address, uint32_t bytes, bool write) override {
    (write ? writes : reads).push_back({false, address, bytes});
  }
  void asyncGlobal(uint64_t address, uint64_t bytes, bool write) override {
    (write ? writes : reads).push_back({true, address, bytes});
  }
  void asyncTmem(const TmemFootprint &cells, bool write) override {
    (write ? writtenCells : readCells).push_back(cells);
  }
};
} // namespace

/// Columns are used through addresses of the allocation that has them.
void Follower::checkColumns(WarpFlow &flow, const AsyncOp &op,
                            const std::vector<const TmemFootprint *> &cells) {
  flow.now.usedColumns = true;
  for (const TmemFootprint *each : cells)
    if (std::none_of(flow.now.columns.begin(), flow.now.columns.end(),
                     [&](OriginNumber number) {
                       const ChoiceOrigin &origin = origins[number];
                       return each->column >= origin.column &&
                              each->column + each->columns <=
                                  origin.column + origin.columns;
                     }))
      launch.certificate.undecided(
          {{Choice::Columns, op.line}},
          "decides what is at an address that is not of its allocation",
          op.line);
}

void Follower::issued(const AsyncOp &op) {
  const Warp &warp = *cluster.ctas[op.issuerRank]->warps[op.issuerWarp];
  WarpFlow &flow = flowOf(warp);
  PresentInst &now = flow.now;
  const bool isTmem = dynamic_cast<const TmemOp *>(&op);
  const bool isLoad = op.asyncClass == AsyncClass::TmemLoad;
  if (isLoad || op.asyncClass == AsyncClass::Wgmma) {
    const KernelFlow::Operands &operands = launch.kernel[now.pc];
    flow.owned.push_back({operands.writes,
                          isLoad ? std::vector<uint32_t>() : operands.values,
                          &inst(now.pc), isLoad ? 0 : ++flow.wgmmas});
  }
  const bool isChoice = answersAreChosen && now.pc != ~0u &&
                        inst(now.pc).choice == Choice::CancelAnswer;
  const bool anyMarks =
      std::any_of(shared.begin(), shared.end(),
                  [](const MarkedWords &words) { return !words.empty(); }) ||
      std::any_of(tmem.begin(), tmem.end(), [](auto o) { return o != 0; }) ||
      !launch.global.empty();
  if (!isChoice && !anyMarks && !now.stored && !op.strongElement &&
      !(isTmem && columnsAreChosen))
    return;
  Footprint print;
  op.announce(cluster, print);
  OriginNumber all = origins.opaque(now.stored);
  if (isChoice)
    all = base(Choice::CancelAnswer, op.line);
  if (op.strongElement)
    all = origins.join(all, base(Choice::AtomicResult, op.line));
  for (const Footprint::Range &range : print.reads)
    all = origins.join(
        all, range.global ? globalAt(range.address, range.bytes)
                          : shared[smemRank(uint32_t(range.address))].find(
                                smemOffset(uint32_t(range.address)),
                                range.bytes, origins));
  std::vector<const TmemFootprint *> cells;
  for (const TmemFootprint &each : print.readCells) {
    all = origins.join(all, tmem[each.rank]);
    cells.push_back(&each);
  }
  all = all ? origins.opaque(all) : 0;
  for (const TmemFootprint &each : print.writtenCells) {
    tmem[each.rank] = origins.join(tmem[each.rank], all);
    cells.push_back(&each);
  }
  for (const Footprint::Range &range : print.writes)
    if (range.global && all)
      launch.global.mark(range.address, range.bytes, origins.sources(all));
    else if (all)
      shared[smemRank(uint32_t(range.address))].mark(
          smemOffset(uint32_t(range.address)), range.bytes, all, origins);
    else if (!range.global)
      shared[smemRank(uint32_t(range.address))].clear(
          smemOffset(uint32_t(range.address)), range.bytes);
  if (isLoad)
    now.loaded = origins.join(now.loaded, all);
  if (isTmem && columnsAreChosen)
    checkColumns(flow, op, cells);
}

} // namespace tc::emu
