//===- Follower.cpp - what choices decide in a cluster --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The argument that a run stands for all schedules is in Certify/README.md; the
// rules here are those it needs. What is not known to be harmless is told.
//
//===----------------------------------------------------------------------===//

#include "Certify/Follower.h"

#include "Certify/Observers.h"
#include "Engines/TCGen05/Ops.h"
#include "State/WorkStealing.h"

#include <algorithm>

namespace tc::emu {

Follower::Follower(LaunchFlow &launch, Cluster &cluster)
    : launch(launch), cluster(cluster),
      lanesAreChosen(launch.kernel.elects &&
                     !cluster.machine.assumes(Assumption::FirstLaneElect)),
      columnsAreChosen(launch.kernel.allocates &&
                       !cluster.machine.assumes(Assumption::AllocFromColumn0)),
      answersAreChosen(cluster.machine.stealing &&
                       !cluster.machine.stealing->isGiven),
      flows(cluster.ctas.size() * cluster.machine.warpsPerCta),
      shared(cluster.ctas.size()), tmem(cluster.ctas.size()) {
  cluster.oracle = this;
}

Follower::~Follower() {
  for (const WarpFlow &flow : flows)
    if (flow.electing)
      launch.certificate.elected(flow.electing, flow.electedLane, flow.classes);
}

WarpFlow &Follower::flowOf(const Warp &warp) {
  WarpFlow &flow =
      flows[warp.cta.rank * cluster.machine.warpsPerCta + warp.index];
  if (flow.isStarted())
    return flow;
  flow.start(launch.kernel);
  for (const KernelCode::Special &special : launch.kernel.kernel.specials)
    if (special.which == SpecialReg::SmId)
      flow.set(special.dst.reg, ~0u, base(Choice::Placement, 0), origins);
  return flow;
}

void Follower::decides(OriginNumber origin, const std::string &what, int line) {
  if (told.insert({origin, {line, what}}).second)
    launch.certificate.undecided(origins.sources(origin), what, line);
}

//===----------------------------------------------------------------------===//
// Before an instruction
//===----------------------------------------------------------------------===//

/// Where the ways meet, registers of those not taken depend on the choice.
void Follower::leaveDetours(WarpFlow &flow, const Warp &warp, uint32_t pc,
                            uint32_t lanes) {
  for (size_t i = flow.detours.size(); i-- > 0;) {
    Detour &detour = flow.detours[i];
    if (detour.end == pc && detour.lanes & lanes) {
      for (uint32_t reg : detour.writes)
        flow.add(reg, detour.allLanes, detour.origin, origins);
      detour.lanes &= ~lanes;
    }
    detour.lanes &= ~warp.exited;
    if (!detour.lanes)
      flow.detours.erase(flow.detours.begin() + ptrdiff_t(i));
  }
}

void Follower::takeBranch(WarpFlow &flow, const Warp &warp,
                          OriginNumber guard) {
  PresentInst &now = flow.now;
  const DecodedInst &branch = inst(now.pc);
  Detour detour{branch.reconverge, now.mask, now.mask, guard, {}};
  // Both ways of an election are taken by some lane.
  if (!origins.isElectedBy(guard, warp)) {
    auto leaveOut = [&](uint32_t from) {
      const KernelFlow::Region &region =
          launch.kernel.region(from, branch.reconverge);
      if (region.effectLine)
        decides(guard, "decides a branch to an instruction with effects",
                region.effectLine);
      else if (region.loopLine)
        decides(guard, "decides a branch to a loop", region.loopLine);
      detour.writes.insert(detour.writes.end(), region.writes.begin(),
                           region.writes.end());
    };
    if (now.active == now.mask)
      leaveOut(now.pc + 1);
    else if (!now.active)
      leaveOut(branch.target);
  }
  for (Detour &other : flow.detours)
    if (other.end == detour.end && other.origin == guard &&
        other.lanes == detour.lanes) {
      other.writes.insert(other.writes.end(), detour.writes.begin(),
                          detour.writes.end());
      std::sort(other.writes.begin(), other.writes.end());
      other.writes.erase(std::unique(other.writes.begin(), other.writes.end()),
                         other.writes.end());
      return;
    }
  flow.detours.push_back(std::move(detour));
}

/// Of `lanes`, the instruction is executed because of `origin`.
void Follower::takeControl(WarpFlow &flow, const Warp &warp,
                           OriginNumber origin, uint32_t lanes) {
  PresentInst &now = flow.now;
  const bool byElected =
      origins.isElectedBy(origin, warp) && lanes == 1u << origins[origin].lane;
  if (byElected &&
      (!now.elected || origins[now.elected].members == origins[origin].members))
    now.elected = origins.join(now.elected, origin);
  else
    now.control = origins.join(now.control, origin);
}

/// The origin of what the instruction reads in a register. In the elected
/// lane's work, what all members have alike, or that lane alone, has none.
OriginNumber Follower::sourceOf(WarpFlow &flow, const Warp &warp, uint32_t reg,
                                uint32_t lanes) {
  const PresentInst &now = flow.now;
  const OriginNumber origin = flow.at(reg, lanes);
  if (const OriginNumber plain = origins[origin].plain)
    return now.elected && origins[origin].warp == &warp
               ? plain
               : origins.opaque(origin);
  if (!now.elected)
    return origins[origin].ragged ? origins.opaque(origin) : origin;
  if (origin && origins.isElectedBy(origin, warp))
    return 0;
  const uint32_t members = origins[now.elected].members & warp.liveMask();
  return KernelFlow::isUniform(warp, reg, members)
             ? origin
             : origins.join(origins.opaque(origin),
                            origins.opaque(now.elected));
}

void Follower::readOperands(WarpFlow &flow, const Warp &warp) {
  PresentInst &now = flow.now;
  const DecodedInst &present = inst(now.pc);
  const KernelFlow::Operands &operands = launch.kernel[now.pc];
  // Others' registers, too, in what a warp does together.
  const bool together = present.flow == Flow::Effect && !now.elected;
  const uint32_t lanes = together ? ~0u : now.active;
  for (uint32_t reg : operands.controls) {
    const OriginNumber origin = sourceOf(flow, warp, reg, now.active);
    if (!origin)
      continue;
    if (operands.isPure)
      now.data = origins.join(now.data, origin);
    else if (origins[origin].kind == ChoiceOrigin::Columns)
      now.columns.push_back(origin);
    else if (present.flow != Flow::Pause)
      decides(origin, "decides an operand of " + opcodeOf(present),
              present.line);
  }
  for (uint32_t reg : operands.values)
    now.data = origins.join(now.data, sourceOf(flow, warp, reg, lanes));
}

/// The base of an allocation and what does not depend on it.
OriginNumber Follower::sumOf(const WarpFlow &flow, const Warp &warp,
                             OriginNumber columns) const {
  const PresentInst &now = flow.now;
  const DecodedInst &present = inst(now.pc);
  const OriginNumber none = 0;
  unsigned from = 0;
  const Src *other = nullptr;
  for (const Src &source : present.s) {
    const bool isColumns =
        source.valid && !source.bank &&
        origins[flow.at(source.reg, now.active)].kind == ChoiceOrigin::Columns;
    from += isColumns;
    if (source.valid && !isColumns)
      other = &source;
  }
  switch (present.sum) {
  case Sum::Move:
    return columns;
  case Sum::Add:
    // Of three sources the first two are a product.
    return from == 1 && (!present.s[2].valid || other != &present.s[2])
               ? columns
               : none;
  case Sum::Disjoint:
    // Columns are below 2^16, and there are 512 of them.
    if (from != 1 || !other || present.d[0].reg >= launch.kernel.kernel.numRegs)
      return none;
    for (uint32_t rest = now.active; rest; rest &= rest - 1) {
      const auto lane = unsigned(__builtin_ctz(rest));
      const Src &address = other == &present.s[0] ? present.s[1] : present.s[0];
      const uint32_t add = warp.r32(*other)[lane];
      if (add & 0xffff || add & warp.r32(address)[lane])
        return none;
    }
    return columns;
  case Sum::None:
    break;
  }
  return none;
}

void Follower::makeResult(WarpFlow &flow, const Warp &warp) {
  PresentInst &now = flow.now;
  const DecodedInst &present = inst(now.pc);
  const bool isPure = launch.kernel[now.pc].isPure;
  now.resultLanes = now.active;
  OriginNumber data = now.data;
  const ChoiceOrigin::Kind kind = origins[data].kind;
  if (data && kind == ChoiceOrigin::Columns) {
    if (isPure || present.sum != Sum::None) {
      const OriginNumber sum = sumOf(flow, warp, data);
      data = sum ? sum : origins.opaque(data);
    }
  } else if (data && kind == ChoiceOrigin::Elected) {
    // A function of each lane alone, of what is the lane's or alike in all.
    const uint32_t members = origins[data].members & warp.liveMask();
    bool keeps =
        isPure && origins.isElectedBy(data, warp) && !(members & ~now.active);
    for (uint32_t reg : launch.kernel[now.pc].controls)
      keeps &=
          flow.at(reg, now.active) || KernelFlow::isUniform(warp, reg, members);
    if (!keeps)
      data = origins.opaque(data);
  }
  now.stored = data;
  now.result = data;
  auto wasUniform = [&](uint32_t members) {
    const std::vector<uint32_t> &writes = launch.kernel[now.pc].writes;
    return std::all_of(writes.begin(), writes.end(), [&](uint32_t reg) {
      const OriginNumber before = flow.at(reg, ~0u);
      return before
                 ? origins.isElectedBy(before, warp) && !origins[before].ragged
                 : KernelFlow::isUniform(warp, reg, members);
    });
  };
  if (now.elected) {
    now.isRegionWrite = true;
    now.resultLanes = origins[now.elected].members;
    now.wasUniform = wasUniform(now.resultLanes & warp.liveMask());
  } else if (origins.isElectedBy(now.control, warp) &&
             (!data || data == now.control)) {
    // Lanes that are not elected.
    now.isRegionWrite = true;
    now.wasUniform = wasUniform(origins[now.control].members & warp.liveMask());
    now.resultLanes = origins[now.control].members;
    now.result = now.control;
  } else if (now.control) {
    now.resultLanes = now.guard ? now.mask : now.active;
    now.result = now.guard ? origins.join(origins.opaque(data),
                                          origins.opaque(now.guard))
                           : data;
  }
  for (Detour &detour : flow.detours)
    if (detour.lanes & now.active && !origins.isElectedBy(detour.origin, warp))
      for (uint32_t reg : launch.kernel[now.pc].writes)
        if (std::find(detour.writes.begin(), detour.writes.end(), reg) ==
            detour.writes.end())
          detour.writes.push_back(reg);
}

/// A guard keeps all lanes from an instruction.
void Follower::skipped(WarpFlow &flow, OriginNumber guard) {
  const PresentInst &now = flow.now;
  const DecodedInst &present = inst(now.pc);
  if (present.flow == Flow::Effect)
    decides(guard, "decides whether it is executed: " + opcodeOf(present),
            present.line);
  for (uint32_t reg : launch.kernel[now.pc].writes)
    flow.add(reg, now.mask, guard, origins);
}

/// Registers of asynchronous work in flight: a tcgen05.ld is over for those who
/// read what it loads, wgmma.mma_async for those who wait for it.
void Follower::checkOwned(WarpFlow &flow, Warp &warp) {
  const PresentInst &now = flow.now;
  const KernelFlow::Operands &operands = launch.kernel[now.pc];
  auto has = [](const std::vector<uint32_t> &list, uint32_t reg) {
    return std::find(list.begin(), list.end(), reg) != list.end();
  };
  auto touches = [&](const std::vector<uint32_t> &list,
                     const std::vector<uint32_t> &owned) {
    return std::any_of(list.begin(), list.end(),
                       [&](uint32_t reg) { return has(owned, reg); });
  };
  const DecodedInst &present = inst(now.pc);
  auto loads = [&] {
    return std::any_of(flow.owned.begin(), flow.owned.end(),
                       [](const OwnedRegisters &each) { return !each.number; });
  };
  const bool hadLoads = loads();
  for (size_t i = 0; i < flow.owned.size();) {
    const OwnedRegisters &owned = flow.owned[i];
    const bool reads =
        touches(operands.controls, owned.writes) ||
        touches(operands.values, owned.writes) ||
        (present.guarded && has(owned.writes, present.guard.reg));
    const bool writes = touches(operands.writes, owned.writes) ||
                        touches(operands.writes, owned.reads);
    const bool isLoad = !owned.number;
    if (isLoad && reads) {
      flow.owned.erase(flow.owned.begin() + ptrdiff_t(i));
      continue;
    }
    if (isLoad ? writes : (reads || writes) && owned.inst->fn != present.fn) {
      warp.fail(ReportKind::Sync, present,
                std::string(writes ? "write to" : "read of") +
                    " a register of the " + opcodeOf(*owned.inst) +
                    " of line " + std::to_string(owned.inst->line) +
                    ", which may still be in flight");
      return;
    }
    ++i;
  }
  // The checker of races has to know it of all of them.
  if (hadLoads && !loads())
    cluster.events->sync({SyncEvent::WaitLoads, &warp, now.active, nullptr, 0,
                          1, MemoryOrder::Relaxed, Scope::Cta, present.line});
}

void Follower::comesTo(Warp &warp, uint32_t pc, uint32_t lanes) {
  WarpFlow &flow = flowOf(warp);
  if (!flow.detours.empty())
    leaveDetours(flow, warp, pc, lanes);
  const DecodedInst &present = inst(pc);
  uint32_t active = lanes;
  if (present.guarded) {
    const uint32_t guard = warp.data[0][present.guard.offset];
    active &= present.guardNegated ? ~guard : guard;
  }
  PresentInst &now = flow.now;
  const bool isSimple = flow.isClean() && flow.owned.empty();
  if (isSimple && present.choice == Choice::None) {
    now.pc = ~0u;
    if (lanesAreChosen && active && present.flow == Flow::Effect)
      flow.split(active, warp.liveMask());
    // What comes from memory may bring something in.
    if (present.flow != Flow::Effect)
      return;
  }
  now = PresentInst();
  now.pc = pc;
  now.mask = lanes;
  now.active = active;
  if (isSimple && present.choice == Choice::None) {
    now.resultLanes = active;
    return;
  }
  if (!flow.owned.empty() && active)
    checkOwned(flow, warp);
  for (const Detour &detour : flow.detours)
    if (detour.lanes & lanes)
      takeControl(flow, warp, detour.origin, lanes);
  const OriginNumber guard =
      present.guarded ? sourceOf(flow, warp, present.guard.reg, lanes) : 0;
  if (present.flow == Flow::Branch) {
    if (guard)
      takeBranch(flow, warp, guard);
    return;
  }
  if (!active) {
    if (guard)
      skipped(flow, guard);
    return;
  }
  if (guard) {
    takeControl(flow, warp, guard, active);
    if (!now.elected)
      now.guard = guard;
  }
  const bool isEffect = present.flow == Flow::Effect;
  if (isEffect && now.control && present.choice != Choice::WaitOutcome)
    decides(now.control, "decides whether it is executed: " + opcodeOf(present),
            present.line);
  if (isEffect && lanesAreChosen && !now.elected && !now.control)
    flow.split(active, warp.liveMask());
  readOperands(flow, warp);
  makeResult(flow, warp);
}

//===----------------------------------------------------------------------===//
// After an instruction
//===----------------------------------------------------------------------===//

/// The lane of one set of members; others of the warp would have to be
/// combined with it.
void Follower::elect(WarpFlow &flow, const Warp &warp) {
  const PresentInst &now = flow.now;
  const DecodedInst &present = inst(now.pc);
  const uint32_t members = now.active;
  if (!lanesAreChosen || !(members & (members - 1)))
    return;
  const uint32_t chosen = warp.data[0][present.d[1].offset] & members;
  const auto lane = unsigned(__builtin_ctz(chosen ? chosen : members));
  const OriginNumber origin =
      origins.elected(warp, members, lane, present.line);
  if (flow.electing && flow.electing != members)
    decides(origin, "elects from other lanes than before", present.line);
  flow.electing = members;
  flow.electedLane = lane;
  if (present.d[0].valid)
    flow.set(present.d[0].reg, now.active, origins.opaque(origin), origins);
  flow.set(present.d[1].reg, now.active, origin, origins);
}

/// What the instruction itself leaves to the schedule.
void Follower::makeChoice(WarpFlow &flow, const Warp &warp) {
  PresentInst &now = flow.now;
  const DecodedInst &present = inst(now.pc);
  switch (present.choice) {
  case Choice::AtomicResult:
  case Choice::StrongAccess:
  case Choice::Clock:
  case Choice::ActiveLanes:
  case Choice::Phase:
    now.result = origins.join(origins.opaque(now.result),
                              base(present.choice, present.line));
    return;
  case Choice::Heap:
    return decides(base(Choice::Heap, present.line), "decides addresses",
                   present.line);
  case Choice::Columns: {
    if (!columnsAreChosen)
      return;
    const Tmem &memory = warp.cta.tmem;
    unsigned column = 0;
    while (column < Tmem::kColumns &&
           memory.allocationLine(column) != present.line)
      ++column;
    // The word that holds the base.
    const OriginNumber origin =
        origins.columns(present.line, column, memory.lastAllocation);
    for (uint32_t word : now.allocationWords)
      shared[warp.cta.rank].mark(word, 4, origin, origins);
    return;
  }
  default:
    return;
  }
}

void Follower::setResults(WarpFlow &flow, const Warp &warp) {
  PresentInst &now = flow.now;
  const DecodedInst &present = inst(now.pc);
  const KernelFlow::Operands &operands = launch.kernel[now.pc];
  OriginNumber loaded = now.loaded;
  if (!operands.isPure && !now.sawAccess && present.mem &&
      present.mem.space != Space::Param && present.mem.space != Space::Const) {
    // Local memory, of which nobody is told, and which each lane has alone.
    const OriginNumber lane = now.elected ? origins.opaque(now.elected) : 0;
    if (operands.writes.empty() && !operands.values.empty())
      flow.local = origins.join(flow.local,
                                origins.join(origins.opaque(now.stored), lane));
    else if (present.mem.space == Space::Local ||
             present.mem.space == Space::Generic)
      loaded = origins.join(loaded, origins.join(flow.local, lane));
    else
      loaded = origins.join(loaded, flow.local);
  }
  if (loaded && present.element < 4 &&
      origins[loaded].kind == ChoiceOrigin::Columns)
    loaded = origins.opaque(loaded);
  OriginNumber result = now.result;
  if (loaded)
    result = !result
                 ? loaded
                 : origins.join(origins.opaque(result), origins.opaque(loaded));
  if (now.elected)
    result = result ? origins.ofElected(result, now.elected) : now.elected;
  const bool isElection = origins[result].kind == ChoiceOrigin::Elected;
  for (uint32_t reg : operands.writes) {
    OriginNumber on = result;
    if (isElection) {
      const uint32_t members = origins[on].members & warp.liveMask();
      if (now.isRegionWrite && !now.wasUniform)
        on = origins.ragged(on);
      // The same in all lanes, whoever is elected.
      if (!now.isRegionWrite && !origins[on].ragged &&
          KernelFlow::isUniform(warp, reg, members))
        on = 0;
    }
    // Other lanes keep what they had.
    const OriginNumber others =
        on ? flow.at(reg, now.resultLanes & ~now.active) : 0;
    if (now.elected && others && !origins.isElectedBy(others, warp))
      on = isElection || origins[on].plain ? on : origins.join(on, others);
    else if (others && !now.elected)
      on = origins.join(on, others);
    if (now.elected && isElection && others &&
        (!origins.isElectedBy(others, warp) || origins[others].ragged))
      on = origins.ragged(on);
    flow.set(reg, on ? now.resultLanes : now.active, on, origins);
  }
}

void Follower::executed(const Warp &warp, uint32_t pc) {
  WarpFlow &flow = flowOf(warp);
  PresentInst &now = flow.now;
  if (now.pc != pc || !now.active || inst(pc).flow == Flow::Branch)
    return;
  makeChoice(flow, warp);
  if (!now.columns.empty() && !now.usedColumns)
    for (OriginNumber origin : now.columns)
      decides(origin, "decides an operand of " + opcodeOf(inst(pc)),
              inst(pc).line);
  if (inst(pc).choice == Choice::ElectedLane)
    elect(flow, warp);
  else
    setResults(flow, warp);
  now.pc = ~0u;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

namespace {
class ChoiceObserver final : public LaunchObserver {
public:
  ChoiceObserver(Certificate &certificate, Machine &machine)
      : flow(certificate, machine) {}
  std::unique_ptr<Observer> observe(Cluster &cluster) override {
    return std::make_unique<Follower>(flow, cluster);
  }

private:
  LaunchFlow flow;
};
} // namespace

std::unique_ptr<LaunchObserver> observeChoices(Certificate &certificate,
                                               Machine &machine) {
  return std::make_unique<ChoiceObserver>(certificate, machine);
}

} // namespace tc::emu
