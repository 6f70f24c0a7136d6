//===- Divergence.cpp - splits that part and meet -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A region is created where a split diverges and names the lanes expected at
// its pc. Waiting there is a hint that keeps warps whole: PTX promises
// convergence only at collectives, so releaseRegion may undo it.
//
//===----------------------------------------------------------------------===//

#include "State/Divergence.h"

#include "State/Machine.h"

namespace tc::emu {

static int newRegion(Warp &w, uint32_t pc, uint32_t expected, int parent) {
  Region region;
  region.pc = pc;
  region.expected = expected;
  region.parent = parent;
  region.live = true;
  for (size_t i = 0; i < w.regions.size(); ++i)
    if (!w.regions[i].live) {
      w.regions[i] = region;
      return int(i);
    }
  w.regions.push_back(region);
  return int(w.regions.size() - 1);
}

static void removeSplit(Warp &w, unsigned index) {
  w.splits.erase(w.splits.begin() + index);
  if (w.current > index || w.current >= w.splits.size())
    w.current = w.current ? w.current - 1 : 0;
}

/// Adds `mask` to a region's arrivals; when all have come, the lanes go on as
/// one split, at the enclosing region if that has the same pc.
static void arriveLanes(Warp &w, int index, uint32_t mask) {
  while (true) {
    Region &region = w.regions[index];
    region.arrived |= mask;
    if (region.arrived != region.expected)
      return;
    region.live = false;
    uint32_t pc = region.pc;
    mask = region.arrived;
    int parent = region.parent;
    if (!mask)
      return;
    if (parent >= 0 && w.regions[parent].pc == pc) {
      index = parent;
      continue;
    }
    Split split;
    split.pc = pc;
    split.mask = mask;
    split.region = parent;
    w.splits.push_back(split);
    w.current = unsigned(w.splits.size() - 1);
    return;
  }
}

void arriveAtRegion(Warp &w) {
  Split split = w.split();
  removeSplit(w, w.current);
  arriveLanes(w, split.region, split.mask);
}

void divergeMany(Warp &w, const DecodedInst &inst,
                 const std::vector<std::pair<uint32_t, uint32_t>> &ways) {
  Split base = w.split();
  int region = base.region;
  if (inst.reconverge != ~0u &&
      !(region >= 0 && w.regions[region].pc == inst.reconverge))
    region = newRegion(w, inst.reconverge, base.mask, base.region);
  removeSplit(w, w.current);
  std::vector<std::pair<uint32_t, uint32_t>> order = ways;
  // Which side runs first is not specified.
  w.cluster.policy.orderSides(order);
  uint32_t arriving = 0;
  bool first = true;
  for (const auto &[pc, mask] : order) {
    if (!mask)
      continue;
    if (region >= 0 && w.regions[region].pc == pc) {
      arriving |= mask;
      continue;
    }
    Split split;
    split.pc = pc;
    split.mask = mask;
    split.region = region;
    w.splits.push_back(split);
    if (first)
      w.current = unsigned(w.splits.size() - 1);
    first = false;
  }
  if (arriving)
    arriveLanes(w, region, arriving);
}

void diverge(Warp &w, const DecodedInst &inst, uint32_t taken,
             uint32_t target) {
  uint32_t mask = w.split().mask;
  divergeMany(w, inst, {{w.split().pc + 1, mask & ~taken}, {target, taken}});
}

/// Lanes leave a region and all around it.
static void leaveRegions(Warp &w, int index, int until, uint32_t lanes) {
  while (index >= 0 && index != until) {
    Region &region = w.regions[index];
    int parent = region.parent;
    if (!region.live)
      return;
    region.expected &= ~lanes;
    region.arrived &= ~lanes;
    if (region.expected == region.arrived) {
      uint32_t mask = region.arrived;
      if (mask)
        arriveLanes(w, index, mask);
      else
        region.live = false;
    }
    index = parent;
  }
}

void exitLanes(Warp &w, uint32_t lanes) {
  Split &split = w.split();
  int region = split.region;
  split.mask &= ~lanes;
  w.exited |= lanes;
  if (!split.mask)
    removeSplit(w, w.current);
  leaveRegions(w, region, -1, lanes);
  // Collectives wait for live lanes only.
  for (Split &other : w.splits)
    if (other.state == Split::State::Collective)
      other.state = Split::State::Runnable;
  w.cluster.leaveClusterBarrier(w, lanes);
  w.cta.threadsExited(unsigned(__builtin_popcount(lanes)));
}

/// The innermost region around both.
static int commonRegion(const Warp &w, int a, int b) {
  for (int i = a; i >= 0; i = w.regions[i].parent)
    for (int j = b; j >= 0; j = w.regions[j].parent)
      if (i == j)
        return i;
  return -1;
}

Gathered gather(Warp &w, uint32_t members) {
  members &= w.liveMask();
  if (!(members & ~w.split().mask))
    return Gathered::Complete;
  bool merged = false;
  for (unsigned i = 0; i < w.splits.size();) {
    Split &self = w.split();
    Split &other = w.splits[i];
    if (i == w.current || other.state != Split::State::Collective ||
        other.pc != self.pc) {
      ++i;
      continue;
    }
    int region = commonRegion(w, self.region, other.region);
    uint32_t selfMask = self.mask, otherMask = other.mask;
    int selfRegion = self.region, otherRegion = other.region;
    self.mask |= otherMask;
    self.region = region;
    removeSplit(w, i);
    unsigned keep = w.current;
    leaveRegions(w, selfRegion, region, selfMask);
    leaveRegions(w, otherRegion, region, otherMask);
    w.current = keep;
    merged = true;
    i = 0;
  }
  if (!(members & ~w.split().mask))
    return merged ? Gathered::Merged : Gathered::Complete;
  Split &self = w.split();
  self.state = Split::State::Collective;
  self.wait = WaitKind::Collective;
  self.a = members;
  return Gathered::Waiting;
}

void setAside(Warp &w, uint32_t lanes, uint32_t awaited) {
  Split waiting = w.split();
  waiting.mask = lanes;
  waiting.state = Split::State::Collective;
  waiting.wait = WaitKind::Collective;
  waiting.a = awaited;
  w.split().mask &= ~lanes;
  w.splits.push_back(waiting);
}

bool releaseRegion(Warp &w) {
  for (size_t i = 0; i < w.regions.size(); ++i) {
    Region &region = w.regions[i];
    if (!region.live || !region.arrived)
      continue;
    Split split;
    split.pc = region.pc;
    split.mask = region.arrived;
    split.region = region.parent;
    region.expected &= ~region.arrived;
    region.arrived = 0;
    // At the same pc as the enclosing region it waits there next.
    if (split.region >= 0 && w.regions[split.region].pc == split.pc)
      arriveLanes(w, split.region, split.mask);
    else
      w.splits.push_back(split);
    return true;
  }
  return false;
}

} // namespace tc::emu
