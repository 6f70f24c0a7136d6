//===- Members.cpp - lanes of a warp that act together --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Groups of lanes, whose members may come to different instructions, and
// bar.warp.sync (PTX ISA 9.0, "bar.warp.sync", 9.7.13.2).
//
//===----------------------------------------------------------------------===//

#include "Exec/Sync/Members.h"

#include "Exec/Decode/Lanes.h"
#include "State/Divergence.h"
#include "State/Machine.h"

namespace tc::emu {

static uint32_t lanesWith(const uint32_t *masks, uint32_t lanes,
                          uint32_t members) {
  uint32_t found = 0;
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    auto lane = unsigned(__builtin_ctz(rest));
    found |= uint32_t(masks[lane] == members) << lane;
  }
  return found;
}

Step groupMembers(Warp &w, const DecodedInst &i, const Src &mask,
                  uint32_t active, MemberGroups &groups) {
  const uint32_t *masks = w.r32(mask);
  for (uint32_t rest = active; rest;) {
    MemberGroup group;
    group.members = masks[__builtin_ctz(rest)];
    group.lanes = lanesWith(masks, rest, group.members);
    if (uint32_t outside = group.lanes & ~group.members)
      return w.fail(ReportKind::Sync, i,
                    "lane " + std::to_string(__builtin_ctz(outside)) +
                        " executes the instruction and is not in the member "
                        "mask");
    rest &= ~group.lanes;
    groups.add(group);
  }
  return Step::Next;
}

/// The lane's guard is false, but another one waits for it.
static Step failGuard(Warp &w, const DecodedInst &i, uint32_t lanes) {
  return w.fail(ReportKind::Sync, i,
                "lane " + std::to_string(__builtin_ctz(lanes)) +
                    " is in the member mask and its guard is false");
}

Step waitForMembers(Warp &w, const DecodedInst &i, uint32_t active,
                    uint32_t complete, uint32_t awaited) {
  if (complete == active)
    return Step::Next;
  if (complete) {
    setAside(w, active & ~complete, awaited);
    return Step::Resplit;
  }
  // Everyone is here, with another mask.
  if (!(awaited & ~active)) {
    auto lane = unsigned(__builtin_ctz(awaited));
    return w.fail(ReportKind::Sync, i,
                  "expected the same member mask in all lanes of it, lane " +
                      std::to_string(lane) +
                      " has another one than a lane that waits for it (PTX ISA "
                      "9.0, \"shfl.sync\", 9.7.9.6)");
  }
  const uint32_t before = w.split().mask;
  // Whoever has come may complete the group of others.
  if (gather(w, awaited) == Gathered::Waiting && w.split().mask != before)
    w.split().state = Split::State::Runnable;
  return Step::Resplit;
}

//===----------------------------------------------------------------------===//
// Members at other instructions
//===----------------------------------------------------------------------===//

/// Lanes of a split whose guard holds.
static uint32_t executingLanes(const Warp &w, const Split &split) {
  const DecodedInst &inst = w.machine.kernel.code[split.pc];
  const uint32_t guard = inst.guarded ? w.data[0][inst.guard.offset] : ~0u;
  return split.mask & (inst.guardNegated ? ~guard : guard);
}

/// Lanes of `other` that wait with the mask at another instruction with the
/// same qualifiers. Those at the same one join the split instead (gather).
static uint32_t lanesWaiting(const Warp &w, const DecodedInst &i,
                             const Split &other, uint32_t members) {
  const DecodedInst &inst = w.machine.kernel.code[other.pc];
  if (other.state != Split::State::Collective ||
      other.pc == w.splits[w.current].pc || inst.fn != i.fn ||
      inst.as<Collective>().opcode != i.as<Collective>().opcode)
    return 0;
  return lanesWith(w.r32(inst.s[inst.as<Collective>().mask]),
                   executingLanes(w, other) & members, members);
}

static uint32_t membersElsewhere(const Warp &w, const DecodedInst &i,
                                 uint32_t members) {
  uint32_t lanes = 0;
  for (const Split &other : w.splits)
    lanes |= lanesWaiting(w, i, other, members);
  return lanes;
}

/// Lets lanes go that wait elsewhere; others of their split, which wait with
/// another mask, stay.
static void releaseElsewhere(Warp &w, uint32_t lanes) {
  for (unsigned index = 0; index < w.splits.size(); ++index) {
    if (w.splits[index].state != Split::State::Collective ||
        !(w.splits[index].mask & lanes))
      continue;
    if (uint32_t others = executingLanes(w, w.splits[index]) & ~lanes) {
      Split rest = w.splits[index];
      rest.mask = others;
      w.splits.push_back(rest);
      w.splits[index].mask &= ~others;
    }
    w.splits[index].state = Split::State::Runnable;
    w.splits[index].released = true;
  }
}

static void copyOperand(Warp &w, const Dst &to, const Src &from, uint32_t lanes,
                        unsigned bits) {
  if (bits == 1)
    w.setPredicate(to, lanes, w.predicate(from));
  else if (bits == 64)
    forLanes(lanes, [&](unsigned l) { w.w64(to)[l] = w.r64(from)[l]; });
  else
    forLanes(lanes, [&](unsigned l) { w.w32(to)[l] = w.r32(from)[l]; });
  const uint32_t undefined = lanes & ~w.definedMask(from);
  w.copyUndefined(to, from, lanes);
  w.copyOrigins(to, from, undefined);
}

/// The group is complete with lanes at other instructions: all of them act as
/// if they were at one, whose operands are the kernel's slots for that.
static Step actTogether(Warp &w, const DecodedInst &i,
                        const MemberGroup &group) {
  const Collective &info = i.as<Collective>();
  const KernelCode::Meeting &slots = w.machine.kernel.meeting;
  std::vector<std::pair<const DecodedInst *, uint32_t>> parties = {
      {&i, group.lanes}};
  uint32_t all = group.lanes;
  for (const Split &other : w.splits)
    if (uint32_t lanes = lanesWaiting(w, i, other, group.members)) {
      parties.push_back({&w.machine.kernel.code[other.pc], lanes});
      all |= lanes;
    }
  DecodedInst joint = i;
  for (unsigned k = 0; k < 4; ++k)
    if (i.s[k].valid)
      joint.s[k] = valueOf(slots.sources[k]);
  for (unsigned k = 0; k < 2; ++k)
    joint.d[k] = info.resultBits[k] ? slots.results[k] : Dst();
  for (const auto &[inst, lanes] : parties)
    for (unsigned k = 0; k < 4; ++k)
      if (inst->s[k].valid)
        copyOperand(w, slots.sources[k], inst->s[k], lanes,
                    k ? 32 : info.valueBits);
  if (Step step = joint.fn(w, joint, all); step != Step::Next)
    return step;
  for (const auto &[inst, lanes] : parties)
    for (unsigned k = 0; k < 2; ++k)
      if (inst->d[k].valid)
        copyOperand(w, inst->d[k], valueOf(slots.results[k]), lanes,
                    info.resultBits[k]);
  releaseElsewhere(w, all & ~group.lanes);
  return Step::Next;
}

/// The same for each group. The lanes of others come again.
static Step meet(Warp &w, const DecodedInst &i, uint32_t active,
                 const MemberGroups &groups) {
  uint32_t done = 0;
  for (const MemberGroup &group : groups) {
    if (Step step = actTogether(w, i, group); step != Step::Next)
      return step;
    done |= group.lanes;
  }
  w.split().released = true;
  if (const uint32_t others = active & ~done) {
    Split rest = w.split();
    rest.mask = others;
    rest.released = false;
    w.split().mask &= ~others;
    w.splits.push_back(rest);
  }
  return Step::Resplit;
}

Step gatherMembers(Warp &w, const DecodedInst &i, const Src &mask,
                   uint32_t active, MemberGroups &groups) {
  if (w.split().released) { // it has acted with others
    w.split().released = false;
    ++w.split().pc;
    return Step::Jump;
  }
  if (Step step = groupMembers(w, i, mask, active, groups); step != Step::Next)
    return step;
  uint32_t complete = 0, awaited = 0;
  MemberGroups together;
  for (const MemberGroup &group : groups) {
    const uint32_t missing = group.members & w.liveMask() & ~group.lanes;
    if (!missing)
      complete |= group.lanes;
    else if (uint32_t here = missing & w.split().mask & ~active)
      return failGuard(w, i, here);
    else if (!(missing & ~membersElsewhere(w, i, group.members)))
      together.add(group);
    awaited |= missing;
  }
  if (together.begin() != together.end())
    return meet(w, i, active, together);
  const Step step = waitForMembers(w, i, active, complete, awaited);
  if (step == Step::Next && w.machine.options.certificate && w.cluster.events)
    for (const MemberGroup &group : groups)
      w.cluster.events->sync({SyncEvent::Converge, &w, group.lanes, nullptr, 0,
                              0, MemoryOrder::Relaxed, Scope::Cta, i.line});
  return step;
}

//===----------------------------------------------------------------------===//
// bar.warp.sync
//===----------------------------------------------------------------------===//

static Step execBarWarpSync(Warp &w, const DecodedInst &i, uint32_t active) {
  if (w.split().released) {
    w.split().released = false;
    return Step::Next;
  }
  MemberGroups groups;
  if (Step step = groupMembers(w, i, i.s[0], active, groups);
      step != Step::Next)
    return step;
  uint32_t complete = 0, awaited = 0, elsewhere = 0;
  for (const MemberGroup &group : groups) {
    const uint32_t missing = group.members & w.liveMask() & ~group.lanes;
    if (uint32_t here = missing & w.split().mask & ~active)
      return failGuard(w, i, here);
    const uint32_t waiting =
        missing ? membersElsewhere(w, i, group.members) & missing : 0;
    if (missing != waiting) {
      awaited |= missing;
      continue;
    }
    complete |= group.lanes;
    elsewhere |= waiting;
  }
  if (Step step = waitForMembers(w, i, active, complete, awaited);
      step != Step::Next)
    return step;
  if (w.cluster.events)
    for (const MemberGroup &group : groups)
      w.cluster.events->sync({SyncEvent::WarpSync, &w,
                              group.members & w.liveMask(), nullptr, 0, 0,
                              MemoryOrder::AcqRel, Scope::Cta, i.line});
  if (elsewhere)
    releaseElsewhere(w, elsewhere);
  return Step::Next;
}

void decodeBarWarpSync(DecodeContext &c) {
  if (!c.expectOperands(1, 1))
    return;
  c.inst.s[0] = c.src(0, Type::B32);
  auto info = std::make_shared<Collective>();
  info->mask = 0;
  c.inst.payload = std::move(info);
  c.inst.fn = execBarWarpSync;
}

} // namespace tc::emu
