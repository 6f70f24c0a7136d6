//===- Members.cpp - lanes of a warp that act together --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Groups of lanes, and bar.warp.sync, whose members may come to different
// instructions (PTX ISA 9.0, "bar.warp.sync", 9.7.13.2).
//
//===----------------------------------------------------------------------===//

#include "Exec/Sync/Members.h"

#include "Exec/Decode/InstructionTable.h"
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

Step gatherMembers(Warp &w, const DecodedInst &i, const Src &mask,
                   uint32_t active, MemberGroups &groups) {
  if (Step step = groupMembers(w, i, mask, active, groups); step != Step::Next)
    return step;
  uint32_t complete = 0, awaited = 0;
  for (const MemberGroup &group : groups) {
    const uint32_t missing = group.members & w.liveMask() & ~group.lanes;
    if (!missing)
      complete |= group.lanes;
    else if (uint32_t here = missing & w.split().mask & ~active)
      return failGuard(w, i, here);
    awaited |= missing;
  }
  return waitForMembers(w, i, active, complete, awaited);
}

//===----------------------------------------------------------------------===//
// bar.warp.sync
//===----------------------------------------------------------------------===//

static Step execBarWarpSync(Warp &w, const DecodedInst &i, uint32_t active);

static bool waitsAtBarrier(const Warp &w, const Split &split) {
  return split.state == Split::State::Collective &&
         w.machine.kernel.code[split.pc].fn == execBarWarpSync;
}

/// Lanes that wait at other bar.warp.sync instructions with that mask. Those at
/// the same one join the split instead (gather).
static uint32_t membersElsewhere(Warp &w, uint32_t members) {
  uint32_t lanes = 0;
  for (const Split &other : w.splits)
    if (waitsAtBarrier(w, other) && other.pc != w.split().pc)
      lanes |= lanesWith(w.r32(w.machine.kernel.code[other.pc].s[0]),
                         other.mask & members, members);
  return lanes;
}

/// The barrier lets lanes go that wait elsewhere; others of their split, with
/// another mask, stay.
static void releaseElsewhere(Warp &w, uint32_t lanes) {
  for (unsigned index = 0; index < w.splits.size(); ++index) {
    if (!waitsAtBarrier(w, w.splits[index]) || !(w.splits[index].mask & lanes))
      continue;
    if (uint32_t others = w.splits[index].mask & ~lanes) {
      Split rest = w.splits[index];
      rest.mask = others;
      w.splits.push_back(rest);
      w.splits[index].mask &= lanes;
    }
    w.splits[index].state = Split::State::Runnable;
    w.splits[index].released = true;
  }
}

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
        missing ? membersElsewhere(w, group.members) & missing : 0;
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
  c.inst.fn = execBarWarpSync;
}

} // namespace tc::emu
