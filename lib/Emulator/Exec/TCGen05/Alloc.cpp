//===- Alloc.cpp - allocation of Tensor Memory ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tcgen05.alloc, .dealloc and .relinquish_alloc_permit (PTX ISA 9.0, "Tensor
// Memory Allocation and Management Instructions", 9.7.16.7). Random schedules
// place allocations at any legal column. With cta_group::2 the warps of both
// CTAs meet: the first one waits for the other.
//
//===----------------------------------------------------------------------===//

#include "Engines/TCGen05/Ops.h"
#include "Exec/TCGen05/TCGen05.h"
#include "State/Machine.h"

#include <algorithm>
#include <optional>

namespace tc::emu {

namespace {

struct Allocation : Payload {
  unsigned ctaGroup = 1;
  bool exclusive = false;
  MemRef result;
  Src address, columns;
};

constexpr const char *section = " (PTX ISA 9.0, \"Tensor Memory Allocation and "
                                "Management Instructions\", 9.7.16.7.1)";

} // namespace

bool uniformAddress(const Warp &warp, const MemRef &address, uint32_t active,
                    uint32_t &value) {
  bool first = true;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(active >> lane & 1))
      continue;
    auto own = static_cast<uint32_t>(warp.address(address, lane));
    if (!first && own != value)
      return false;
    value = own;
    first = false;
  }
  return true;
}

static bool uniformValue(const Warp &warp, const Src &src, uint32_t active,
                         uint32_t &value) {
  const uint32_t *lanes = warp.r32(src);
  bool first = true;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(active >> lane & 1))
      continue;
    if (!first && lanes[lane] != value)
      return false;
    value = lanes[lane];
    first = false;
  }
  return true;
}

bool checkCtaGroup(Warp &warp, const DecodedInst &inst, unsigned ctaGroup) {
  std::atomic<uint64_t> &first = warp.machine.ctaGroup;
  uint64_t seen = first.load(std::memory_order_relaxed);
  if (!seen && first.compare_exchange_strong(seen, uint64_t(ctaGroup) << 32 |
                                                       uint32_t(inst.line)))
    return true;
  if (seen >> 32 == ctaGroup)
    return true;
  warp.fail(ReportKind::Trap, inst,
            "expected .cta_group::" + std::to_string(seen >> 32) +
                ", as the tcgen05 instruction of line " +
                std::to_string(uint32_t(seen)) +
                ", got .cta_group::" + std::to_string(ctaGroup) +
                ": all tcgen05 instructions of a kernel have the same" +
                section);
  return false;
}

unsigned takeCtaGroup(DecodeContext &context) {
  std::string_view group = context.takeOneOf({"cta_group::1", "cta_group::2"});
  if (group.empty()) {
    context.fail("expected .cta_group::1 or .cta_group::2");
    return 0;
  }
  return static_cast<unsigned>(group.back() - '0');
}

/// Empty if `columns` may be allocated. ptxas 13.5 takes any multiple of 32
/// with .exclusive.
static std::string checkColumns(const ChipFacts &chip, uint32_t columns,
                                bool exclusive) {
  constexpr unsigned most = 512;
  if (exclusive) {
    if (columns >= 32 && columns <= chip.tmemColumns && columns % 32 == 0)
      return "";
    unsigned nearest =
        std::clamp((columns + 31) / 32 * 32, 32u, chip.tmemColumns);
    return "nCols: expected a multiple of 32 up to " +
           std::to_string(chip.tmemColumns) + " with .exclusive, got " +
           std::to_string(columns) + " (nearest: " + std::to_string(nearest) +
           ") (PTX ISA 9.4, \"Tensor Memory Allocation and Management "
           "Instructions\", 9.7.18.7)";
  }
  if (columns >= 32 && columns <= most && (columns & (columns - 1)) == 0)
    return "";
  unsigned nearest = 32;
  while (nearest < most && nearest < columns)
    nearest *= 2;
  return "nCols: expected a power of two from 32 to 512, got " +
         std::to_string(columns) + " (nearest: " + std::to_string(nearest) +
         ")" + section;
}

/// Where to look first.
static unsigned firstPlace(Cluster &cluster, unsigned places) {
  return cluster.machine.assumes(Assumption::AllocFromColumn0)
             ? 0
             : cluster.policy.firstPlace(places);
}

/// Places where an allocation of so many columns may start.
static unsigned countPlaces(const Cluster &cluster, unsigned columns) {
  return cluster.machine.chip.tmemColumns / columns;
}

/// A free place, searched for from where the policy says.
static std::optional<unsigned> place(Cluster &cluster, Tmem &tmem,
                                     unsigned columns, bool exclusive,
                                     int line) {
  unsigned places = countPlaces(cluster, columns),
           start = firstPlace(cluster, places);
  for (unsigned i = 0; i < places; ++i) {
    unsigned column = (start + i) % places * columns;
    if (tmem.allocateAt(column, columns, line, exclusive))
      return column;
  }
  return std::nullopt;
}

/// The same place in both CTAs of a pair.
static std::optional<unsigned> placePair(Cluster &cluster, Tmem &one,
                                         Tmem &other, unsigned columns,
                                         bool exclusive, int line) {
  unsigned places = countPlaces(cluster, columns),
           start = firstPlace(cluster, places);
  for (unsigned i = 0; i < places; ++i) {
    unsigned column = (start + i) % places * columns;
    if (!one.allocateAt(column, columns, line, exclusive))
      continue;
    if (other.allocateAt(column, columns, line, exclusive))
      return column;
    one.deallocate(column, columns);
  }
  return std::nullopt;
}

static Step storeAddress(Warp &warp, const DecodedInst &inst, uint32_t active,
                         unsigned column) {
  const Allocation &alloc = inst.as<Allocation>();
  unsigned lane = static_cast<unsigned>(__builtin_ctz(active));
  uint32_t shared;
  if (!warp.toShared(warp.address(alloc.result, lane), alloc.result.space,
                     shared) ||
      smemRank(shared) != warp.cta.rank)
    return warp.fail(
        ReportKind::Memory, inst,
        "expected an address in the CTA's shared memory for the result");
  SharedMemory &smem = warp.cta.smem;
  uint32_t offset = smemOffset(shared);
  if (offset % 4)
    return warp.fail(ReportKind::Memory, inst,
                     "result: expected a multiple of 4 bytes, got offset " +
                         std::to_string(offset));
  if (!smem.inBounds(offset, 4) || !smem.isWritable(offset, 4))
    return warp.fail(ReportKind::Memory, inst,
                     "result: " + smem.explain(offset, 4, true));
  uint32_t address = column; // lane 0
  memcpy(smem.data(offset), &address, 4);
  smem.mark(offset, 4, SharedMemory::Init);
  if (warp.cluster.events)
    warp.cluster.events->access(warp, lane, Space::SharedCluster, shared, 4,
                                Observer::Access::Write, inst);
  ++warp.cluster.effects;
  return Step::Next;
}

static Step execAlloc(Warp &warp, const DecodedInst &inst, uint32_t active) {
  const Allocation &alloc = inst.as<Allocation>();
  Cluster &cluster = warp.cluster;
  Tmem &tmem = warp.cta.tmem;
  uint32_t columns = 0;
  if (!checkCtaGroup(warp, inst, alloc.ctaGroup))
    return Step::Stop;
  if (!uniformValue(warp, alloc.columns, active, columns))
    return warp.fail(
        ReportKind::Sync, inst,
        "nCols: expected the same value in all threads of the warp");
  if (std::string why =
          checkColumns(warp.machine.chip, columns, alloc.exclusive);
      !why.empty())
    return warp.fail(ReportKind::Trap, inst, why);
  if (tmem.permitRelinquished)
    return warp.fail(ReportKind::Trap, inst,
                     std::string("the CTA gave up its permit to allocate with "
                                 "tcgen05.relinquish_alloc_permit") +
                         section);
  if (tmem.lastAllocation && columns > tmem.lastAllocation)
    return warp.fail(ReportKind::Trap, inst,
                     "nCols: expected at most " +
                         std::to_string(tmem.lastAllocation) +
                         ", the size of the CTA's previous allocation, got " +
                         std::to_string(columns) + section);

  if (cluster.events)
    cluster.events->sync({SyncEvent::TmemAlloc, &warp, active, nullptr, columns,
                          alloc.ctaGroup, MemoryOrder::AcqRel, Scope::Cta,
                          inst.line});
  if (cluster.failed)
    return Step::Stop;
  std::optional<unsigned> column;
  if (alloc.ctaGroup == 1) {
    column = place(cluster, tmem, columns, alloc.exclusive, inst.line);
    if (!column)
      return warp.block(WaitKind::TmemAlloc, &tmem, columns);
  } else {
    Cta *peer = cluster.cta(warp.cta.rank ^ 1);
    if (!peer)
      return warp.fail(ReportKind::Trap, inst,
                       "cta_group::2: expected a cluster with a CTA of rank " +
                           std::to_string(warp.cta.rank ^ 1));
    if (tmem.pair.granted) {
      column = tmem.pair.column;
      tmem.pair = {};
    } else {
      tmem.pair.columns = columns;
      tmem.pair.exclusive = alloc.exclusive;
      Tmem &other = peer->tmem;
      if (!other.pair.columns || other.pair.granted)
        return warp.block(WaitKind::PeerCta, &tmem, columns);
      if (other.pair.exclusive != alloc.exclusive)
        return warp.fail(ReportKind::Sync, inst,
                         std::string("expected ") +
                             (alloc.exclusive ? "no " : "") +
                             ".exclusive, as the peer's tcgen05.alloc has");
      if (other.pair.columns != columns)
        return warp.fail(ReportKind::Sync, inst,
                         "nCols: expected the peer's " +
                             std::to_string(other.pair.columns) + ", got " +
                             std::to_string(columns));
      column =
          placePair(cluster, tmem, other, columns, alloc.exclusive, inst.line);
      if (!column)
        return warp.block(WaitKind::TmemAlloc, &tmem, columns);
      tmem.pair = {};
      other.pair.granted = true;
      other.pair.column = *column;
      cluster.wake(&other);
    }
  }
  tmem.lastAllocation = columns;
  return storeAddress(warp, inst, active, *column);
}

static Step execDealloc(Warp &warp, const DecodedInst &inst, uint32_t active) {
  const Allocation &alloc = inst.as<Allocation>();
  Cluster &cluster = warp.cluster;
  uint32_t bits = 0, columns = 0;
  if (!checkCtaGroup(warp, inst, alloc.ctaGroup))
    return Step::Stop;
  if (!uniformValue(warp, alloc.columns, active, columns) ||
      !uniformValue(warp, alloc.address, active, bits))
    return warp.fail(
        ReportKind::Sync, inst,
        "operands: expected the same values in all threads of the warp");
  if (std::string why =
          checkColumns(warp.machine.chip, columns, alloc.exclusive);
      !why.empty())
    return warp.fail(ReportKind::Trap, inst, why);
  TmemAddress address = TmemAddress::decode(bits);
  if (warp.cta.tmem.allocationLine(address.column) &&
      warp.cta.tmem.isExclusive(address.column) != alloc.exclusive)
    return warp.fail(
        ReportKind::Trap, inst,
        std::string("expected ") + (alloc.exclusive ? "no " : "") +
            ".exclusive, as the tcgen05.alloc of line " +
            std::to_string(warp.cta.tmem.allocationLine(address.column)) +
            " has");
  TmemFootprint range;
  range.rank = warp.cta.rank;
  range.lanes.set();
  range.column = address.column;
  range.columns = columns;
  if (const AsyncOp *user = cluster.engine.findIf([&](const AsyncOp &other) {
        const auto *op = dynamic_cast<const TmemOp *>(&other);
        if (!op)
          return false;
        for (const auto *list : {&op->reads, &op->writes})
          for (const TmemFootprint &f : *list)
            if (f.overlaps(range))
              return true;
        return false;
      }))
    return warp.fail(ReportKind::Sync, inst,
                     "frees Tensor Memory that pending work still uses: " +
                         user->describe());
  if (address.lane != 0 || !warp.cta.tmem.deallocate(address.column, columns)) {
    int line = address.column < tmemColumns
                   ? warp.cta.tmem.allocationLine(address.column)
                   : 0;
    return warp.fail(ReportKind::Trap, inst,
                     "taddr: expected an address and size that tcgen05.alloc "
                     "returned, got lane " +
                         std::to_string(address.lane) + ", columns " +
                         std::to_string(address.column) + " to " +
                         std::to_string(address.column + columns - 1) +
                         (line > 0 ? ", part of the allocation of line " +
                                         std::to_string(line)
                                   : "") +
                         section);
  }
  if (cluster.events)
    cluster.events->sync(
        {SyncEvent::TmemFree, &warp, active, nullptr,
         uint64_t(warp.cta.rank) << 32 | address.column << 16 | columns,
         alloc.ctaGroup, MemoryOrder::AcqRel, Scope::Cta, inst.line});
  cluster.wake(&warp.cta.tmem);
  if (Cta *peer = cluster.cta(warp.cta.rank ^ 1); peer && alloc.ctaGroup == 2)
    cluster.wake(&peer->tmem);
  ++cluster.effects;
  return Step::Next;
}

static Step execRelinquish(Warp &warp, const DecodedInst &inst,
                           uint32_t active) {
  if (!checkCtaGroup(warp, inst, inst.as<Allocation>().ctaGroup))
    return Step::Stop;
  if (warp.cluster.events)
    warp.cluster.events->sync({SyncEvent::TmemRelinquish, &warp, active,
                               nullptr, 0, 0, MemoryOrder::AcqRel, Scope::Cta,
                               inst.line});
  warp.cta.tmem.permitRelinquished = true;
  ++warp.cluster.effects;
  return Step::Next;
}

static std::shared_ptr<Allocation> decodeCommon(DecodeContext &context) {
  auto alloc = std::make_shared<Allocation>();
  alloc->exclusive = context.take("exclusive");
  alloc->ctaGroup = takeCtaGroup(context);
  alloc->exclusive |= context.take("exclusive");
  context.take("sync");
  if (!context.take("aligned"))
    context.fail("expected .sync.aligned");
  // ptxas takes the modifier anywhere among the others.
  alloc->exclusive |= context.take("exclusive");
  context.inst.aligned = true;
  return alloc;
}

static void decodeAlloc(DecodeContext &context) {
  auto alloc = decodeCommon(context);
  Space space = context.takeSpace();
  if (space != Space::Generic && space != Space::SharedCta)
    return context.fail("expected .shared::cta or no state space");
  if (!context.take("b32"))
    return context.fail("expected .b32");
  if (!context.expectOperands(2, 2))
    return;
  alloc->result = context.memRef(0, space);
  alloc->columns = context.src(1, Type::B32);
  context.inst.payload = std::move(alloc);
  context.inst.choice = Choice::Columns;
  context.inst.fn = execAlloc;
}

static void decodeDealloc(DecodeContext &context) {
  auto alloc = decodeCommon(context);
  if (!context.take("b32"))
    return context.fail("expected .b32");
  if (!context.expectOperands(2, 2))
    return;
  alloc->address = context.src(0, Type::B32);
  alloc->columns = context.src(1, Type::B32);
  context.inst.payload = std::move(alloc);
  context.inst.fn = execDealloc;
}

static void decodeRelinquish(DecodeContext &context) {
  auto alloc = decodeCommon(context);
  if (alloc->exclusive)
    return context.fail(".exclusive: expected tcgen05.alloc or .dealloc");
  context.expectOperands(0, 0);
  context.inst.payload = std::move(alloc);
  context.inst.fn = execRelinquish;
}

void registerTcgen05Alloc(InstructionTable &table) {
  table.add("tcgen05.alloc", decodeAlloc);
  table.add("tcgen05.dealloc", decodeDealloc);
  table.add("tcgen05.relinquish_alloc_permit", decodeRelinquish);
}

void registerTcgen05Instructions(InstructionTable &table) {
  registerTcgen05Alloc(table);
  registerTcgen05LoadStore(table);
  registerTcgen05Mma(table);
  registerTcgen05Copy(table);
}

} // namespace tc::emu
