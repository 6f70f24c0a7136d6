//===- FenceSc.cpp - the order of fence.sc --------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//
// Morally strong fence.sc are in one order (PTX ISA 9.0, "Fence-SC Order",
// 8.9.3), and an earlier one synchronises with a later one ("Memory
// synchronization", 8.9.4). The order in which a run happens to execute two of
// them says nothing of other runs. It is certain where an access after the one
// precedes an access before the other in communication order ("Communication
// Order", 8.9.7): a read, say, and the write that overwrites what it has read.
// Nothing else is taken for an order.
//
//===----------------------------------------------------------------------===//

#include "Check/Flags.h"

#include "State/Machine.h"

namespace tc::emu {

/// A strong access of a lane of `group`: what the fences of earlier accesses
/// knew comes before its next fence, and its own last fence before those of
/// later accesses.
void Flags::meetFences(Group &group, const WarpState &warp, unsigned lane,
                       Flag &flag, bool write, Reach reach) {
  if (!holds(Rule::FenceScOrder) ||
      (!warp.fences && flag.upToTheWrite.empty() && flag.readsSince.empty()))
    return;
  auto take = [&](const std::vector<Flag::Fenced> &all) {
    for (const Flag::Fenced &fenced : all) {
      const Reach needed = fenced.cluster != cluster.index ? kGrid
                           : fenced.told.rank != warp.rank ? kCluster
                                                           : kCta;
      if (needed > reach || needed > fenced.told.reach)
        continue;
      auto &pending = group.toFence[needed];
      auto same = [&](const auto &entry) {
        return entry.second == fenced.told.message;
      };
      if (std::none_of(pending.begin(), pending.end(), same)) {
        if (pending.size() == Flag::kTold)
          pending.erase(pending.begin());
        pending.emplace_back(fenced.cluster, fenced.told.message);
      }
    }
  };
  take(flag.upToTheWrite);
  if (write) {
    take(flag.readsSince);
    for (Flag::Fenced &fenced : flag.readsSince)
      flag.upToTheWrite.push_back(std::move(fenced));
    flag.readsSince.clear();
  }
  auto &own = write ? flag.upToTheWrite : flag.readsSince;
  // The widest fence that the access reaches as far as.
  for (int far = reach; far >= 0; --far) {
    if (!warp.fences || !warp.fences->sc[far][lane])
      continue;
    const std::shared_ptr<const Message> &knew =
        warp.fences->sc[far][lane]->of(lane);
    auto same = [&](const Flag::Fenced &fenced) {
      return fenced.told.message == knew;
    };
    if (std::none_of(own.begin(), own.end(), same))
      own.push_back({cluster.index, {warp.base, warp.rank, Reach(far), knew}});
  }
  for (auto *all : {&flag.upToTheWrite, &flag.readsSince})
    if (all->size() > Flag::kTold)
      all->erase(all->begin(), all->end() - Flag::kTold);
}

/// A fence.sc comes after those that its thread's accesses have met.
void Flags::fenceSc(Group &group, const WarpState &warp, Reach reach,
                    int line) {
  for (unsigned r = 0; r <= reach; ++r) {
    auto pending = std::move(group.toFence[r]);
    group.toFence[r].clear();
    for (const auto &[index, told] : pending) {
      learns(group, *told, Choice::StrongAccess, line);
      if (index == cluster.index) {
        threads.acquire(group, warp, *told, true, line);
        continue;
      }
      ForeignMap all;
      if (told->foreign)
        all = *told->foreign;
      Foreign &theirs = all[index];
      theirs.known.join(told->known);
      theirs.visible.join(told->visibleGlobal);
      if (told->maps)
        theirs.maps.join(told->maps->releasedToGrid);
      threads.joinFlags(group, all);
    }
  }
}

} // namespace tc::emu
