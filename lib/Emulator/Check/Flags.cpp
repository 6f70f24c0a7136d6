//===- Flags.cpp - synchronisation through memory -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//
// What strong writes publish to their readers (PTX ISA 9.0, "Release and
// Acquire Patterns", 8.8, and "Observation Order", 8.9.2). Within a cluster,
// which runs in one thread, it is known which write a read has seen. Other
// clusters run at the same time: a write publishes before it happens, and a
// read takes what has been published after it has happened, by all writes.
//
//===----------------------------------------------------------------------===//

#include "Check/Flags.h"

#include "State/Machine.h"
#include "tc/Emulator/Certificate.h"

#include <algorithm>

namespace tc::emu {

/// Makes `to` tell what `more` tells besides; null tells nothing.
static void addTo(std::shared_ptr<const Message> &to,
                  const std::shared_ptr<const Message> &more) {
  if (!to) {
    to = more;
    return;
  }
  if (to == more || to->covers(*more))
    return;
  auto all = std::make_shared<Message>(*to);
  all->join(*more);
  to = std::move(all);
}

static void joinMap(ForeignMap &to, const ForeignMap &from) {
  for (const auto &[index, theirs] : from)
    to[index].join(theirs);
}

/// What proxy fences have made ready in other clusters needs no order of
/// generic accesses besides.
static void joinMaps(Message &message, const ForeignMap &flags) {
  auto maps = std::make_shared<ForeignMap>();
  for (const auto &[index, theirs] : flags)
    if (!theirs.maps.empty())
      (*maps)[index].maps = theirs.maps;
  if (!maps->empty())
    Message::joinForeign(message.foreign, std::move(maps));
}

/// Which write a strong read has read is a choice of the schedule, and so is
/// what it learns from it, unless it knows all of that.
void Flags::learns(const Group &group, const Message &told, Choice choice,
                   int line) {
  if (Certificate *certificate = threads.certificate();
      certificate && !group.message.covers(told)) {
    certificate->unordered(line, line);
    certificate->undecided({{choice, line}}, "decides what comes before what",
                           line);
  }
}

/// What lanes of one group have read at `flag`.
void Flags::takeRead(const StrongRead &read, const Flag &flag, Group &group) {
  auto near = flag.near.find(cluster.index);
  if (near != flag.near.end()) {
    const Flag::Told *last = nullptr;
    for (const Flag::Told &told : near->second) {
      const Reach needed = told.rank != read.warp->rank ? kCluster : kCta;
      if (needed > read.reach || needed > told.reach)
        continue;
      if (!told.message) {
        group.waitLine = read.line;
        continue;
      }
      // Lanes of a warp tell the same.
      if (last && last->message == told.message && last->rank == told.rank)
        continue;
      last = &told;
      learns(group, *told.message, read.inst->choice, read.line);
      threads.acquire(group, *read.warp, *told.message, read.acquires,
                      read.line);
      if (!read.acquires)
        addTo(group.toJoin[needed], told.message);
    }
  }
  const bool ownOnly = near != flag.near.end() && flag.near.size() == 1 &&
                       holds(Rule::LastWrite);
  if (read.reach < kGrid || flag.grid.empty() || ownOnly)
    return;
  if (threads.certificate()) {
    Message told;
    told.foreign = std::make_shared<const ForeignMap>(flag.grid);
    learns(group, told, read.inst->choice, read.line);
  }
  if (read.waits && !checkSharedSm(*read.warp, flag.grid, read.line))
    return;
  if (read.acquires) {
    threads.joinFlags(group, flag.grid);
    group.waitLine = read.line;
    return;
  }
  joinMaps(group.message, flag.grid);
  Message::joinForeign(group.toAcquire,
                       std::make_shared<const ForeignMap>(flag.grid));
}

/// Whether a read of the flag may learn something.
bool Flags::mayTell(const Flag &flag, Reach reach) const {
  if (reach == kGrid && !flag.grid.empty())
    return true;
  const auto near = flag.near.find(cluster.index);
  return near != flag.near.end() &&
         std::any_of(
             near->second.begin(), near->second.end(),
             [](const Flag::Told &told) { return told.message != nullptr; });
}

/// The lanes know as much as before, so that they stay with those of their
/// groups that have read other locations.
void Flags::takeNothing(const StrongRead &read) {
  uint32_t lanes = 0;
  for (const StrongRead &other : strongReads)
    if (other.warp == read.warp)
      lanes |= other.lanes;
  for (const auto &group : read.warp->groups)
    if (group->lanes & read.lanes && !(group->lanes & ~lanes))
      group->waitLine = read.line;
}

void Flags::takeReads() {
  std::unique_lock<std::mutex> guard(shared.lock, std::defer_lock);
  for (const StrongRead &read : strongReads) {
    const bool global = !(read.key & kShared);
    if (global && !guard.owns_lock())
      guard.lock();
    const Flag *flag = read.flag;
    if (!flag) {
      const auto &flags = global ? shared.flags : ofShared;
      const auto found = flags.find(read.key & ~kShared);
      flag = found == flags.end() ? nullptr : &found->second;
    }
    if (flag && mayTell(*flag, read.reach))
      threads.forGroups(*read.warp, read.lanes,
                        [&](Group &group) { takeRead(read, *flag, group); });
    else if (flag && flag->near.count(cluster.index))
      takeNothing(read);
  }
  strongReads.clear();
  seen.reset();
}

/// What a strong write publishes without releasing anything: tcgen05 work after
/// a tcgen05.fence::before_thread_sync, as morally strong accesses are
/// execution ordering instructions (PTX ISA 9.0, "Specialized Inter-thread
/// Synchronization for tcgen05 instructions", 9.7.16.6.3), and what causality
/// is enough for.
static std::shared_ptr<const Message>
hintOf(Group &group, const OwnKnowledge &own, unsigned lane) {
  const Message &message = group.message;
  if (own.news >> lane & 1 &&
      own.inits[lane] > message.inits.get(own.base + lane)) {
    auto hint = std::make_shared<Message>();
    own.tellInits(1u << lane, *hint);
    hint->join(*hintOf(group, OwnKnowledge(), lane));
    return hint;
  }
  if (group.hint)
    return group.hint;
  auto hint = std::make_shared<Message>();
  hint->tensor = message.tensor;
  hint->inits = message.inits;
  hint->phases = message.phases;
  hint->present = message.present;
  hint->maps = message.maps;
  return group.hint = std::move(hint);
}

/// Adds `read`; returns its number. A loop that polls reads the same again and
/// again.
size_t Flags::addRead(const StrongRead &read) {
  const size_t hash =
      (read.key ^ uint64_t(read.warp->base) << 40) * 0x9e3779b97f4a7c15ull >>
      54;
  if (!strongReads.empty() && strongReads.back().key == read.key &&
      strongReads.back().warp == read.warp) {
    strongReads.back().lanes |= read.lanes;
    return strongReads.size() - 1;
  }
  // Most of it is new.
  auto found = strongReads.end();
  if (seen[hash])
    found = std::find_if(
        strongReads.begin(), strongReads.end(), [&](const StrongRead &other) {
          return other.warp == read.warp && other.key == read.key;
        });
  seen[hash] = true;
  const auto number = size_t(found - strongReads.begin());
  if (found == strongReads.end())
    strongReads.push_back(read);
  else
    found->lanes |= read.lanes;
  return number;
}

/// Leaves `out` for the cluster of `thread`, a thread of `warp`. Null tells
/// nothing; that something has been told counts.
static void tellNear(std::vector<Flag::Told> &near, const WarpState &warp,
                     uint32_t thread, std::shared_ptr<const Message> out,
                     Reach far) {
  for (const Flag::Told &told : near)
    if (told.message == out && told.reach == far &&
        (told.thread == thread ||
         (told.thread == Flag::kSeveral && told.rank == warp.rank)))
      return;
  if (near.size() < Flag::kTold) {
    near.push_back({thread, warp.rank, far, std::move(out)});
    return;
  }
  if (!out)
    return;
  // The latest of many join one that outlives them.
  for (Flag::Told &told : near)
    if (told.rank == warp.rank && told.reach == far &&
        (told.thread == thread || told.thread == Flag::kSeveral)) {
      addTo(told.message, out);
      return;
    }
  near.push_back({Flag::kSeveral, warp.rank, far, std::move(out)});
}

/// Leaves `out` for all that a release by `thread` reaches.
void Flags::publish(Flag &flag, const WarpState &warp, uint32_t thread,
                    std::shared_ptr<const Message> out, Reach far) {
  tellNear(flag.near[cluster.index], warp, thread, out, far);
  if (far != kGrid)
    return;
  ForeignMap all;
  Foreign &own = all[cluster.index];
  own.known = out->known;
  own.visible = out->visibleGlobal;
  if (out->maps)
    own.maps = out->maps->releasedToGrid;
  if (out->foreign)
    for (const auto &[index, theirs] : *out->foreign)
      if (index != cluster.index)
        all[index] = theirs;
  joinMap(flag.grid, all);
}

/// Whether a relaxed write publishes nothing that threads of its CTA, which is
/// all of its cluster, do not know.
bool Flags::tellsNothing(const Group &group, const OwnKnowledge &own,
                         unsigned lane) const {
  const Message &message = group.message;
  return cluster.machine.ctasPerCluster == 1 && message.tensor.empty() &&
         message.inits.empty() && message.phases.empty() && !message.maps &&
         !(own.news >> lane & 1 && own.inits[lane]);
}

/// Release and acquire patterns: what a strong write publishes is for threads
/// that read the location with acquire, or with a fence after it, as far as the
/// scopes of both reach.
void Flags::strongAccess(WarpState &warp, uint32_t lanes, Space space,
                         const uint64_t *addresses, Observer::Access access,
                         const DecodedInst &inst) {
  if (!holds(Rule::FlagOrder))
    return;
  using Access = Observer::Access;
  const bool releases = inst.order == MemoryOrder::Release ||
                        inst.order == MemoryOrder::AcqRel,
             acquires = inst.order == MemoryOrder::Acquire ||
                        inst.order == MemoryOrder::AcqRel;
  const Reach reach = holds(Rule::Scopes) ? reachOf(inst.scope) : kGrid;
  const bool global = space == Space::Global;
  // What a reduction reads forms no acquire pattern (PTX ISA 9.4, "Reductions
  // do not form Acquire Patterns", 8.11.1).
  const bool reads =
      access == Access::Read || access == Access::Atomic ||
      (access == Access::Reduction && !holds(Rule::ReductionsRead));
  std::unique_lock<std::mutex> guard(shared.lock, std::defer_lock);
  if (global)
    guard.lock();
  auto &flags = global ? shared.flags : ofShared;
  // Lanes of one group that tell nothing do the same as one of them.
  struct Done {
    uint64_t address = 0;
    const Group *group = nullptr;
    size_t read = 0; // its number in strongReads
  };
  std::array<Done, 32> done;
  const bool canRepeat =
      !releases && !warp.fences && !warp.own.news &&
      (access == Access::Atomic || access == Access::Reduction);
  Flag *flag = nullptr;
  uint64_t latest = 0; // the address of the flag
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    const auto lane = unsigned(__builtin_ctz(rest));
    Group &group = threads.groupOf(warp, lane);
    const uint64_t address = addresses[lane];
    Done &same = done[address / sizeof(uint32_t) % done.size()];
    if (same.group == &group && same.address == address) {
      if (reads)
        strongReads[same.read].lanes |= 1u << lane;
      continue;
    }
    if (!flag || address != latest) {
      const bool isMade = access != Access::Read ||
                          (warp.fences && warp.fences->sc[kCta][lane]);
      const auto found =
          isMade ? flags.try_emplace(address).first : flags.find(address);
      flag = found == flags.end() ? nullptr : &found->second;
      latest = address;
    }
    size_t read = 0;
    if (reads)
      read = addRead({&warp, 1u << lane, global ? address : kShared | address,
                      flag, acquires, access == Access::Read, &inst, reach,
                      inst.line});
    if (canRepeat && tellsNothing(group, warp.own, lane))
      same = {address, &group, read};
    if (access != Access::Read)
      strongWrite(warp, group, lane, *flag, access == Access::Write, releases,
                  reach);
    else if (flag)
      meetFences(group, warp, lane, *flag, false, reach);
  }
}

/// `ends`: it is a write, which ends what other threads published; an atomic
/// operation keeps it. The lock of the flag is held.
void Flags::strongWrite(WarpState &warp, Group &group, unsigned lane,
                        Flag &flag, bool ends, bool releases, Reach reach) {
  const uint32_t thread = warp.base + lane;
  meetFences(group, warp, lane, flag, true, reach);
  std::vector<Flag::Told> &near = flag.near[cluster.index];
  if (ends && flag.near.size() == 1 && holds(Rule::LastWrite))
    near.erase(std::remove_if(near.begin(), near.end(),
                              [&](const Flag::Told &told) {
                                return told.thread != thread &&
                                       told.thread != Flag::kSeveral;
                              }),
               near.end());
  if (releases) {
    auto out = std::make_shared<Message>();
    threads.publish(warp, 1u << lane, *out, true);
    return publish(flag, warp, thread, std::move(out), reach);
  }
  if (tellsNothing(group, warp.own, lane))
    tellNear(near, warp, Flag::kSeveral, nullptr, reach);
  else
    tellNear(near, warp, thread, hintOf(group, warp.own, lane), reach);
  if (reach == kGrid && group.message.maps)
    flag.grid[cluster.index].maps.join(group.message.maps->releasedToGrid);
  if (!warp.fences)
    return;
  // A fence before it, as far as that one reaches.
  for (unsigned r = 0; r <= reach; ++r)
    if (warp.fences->released[r][lane])
      publish(flag, warp, thread, warp.fences->released[r][lane]->of(lane),
              Reach(r));
  if (warp.fences->releasedShared[lane])
    publish(flag, warp, thread, warp.fences->releasedShared[lane]->of(lane),
            std::min(reach, kCluster));
}

/// CTAs of one SM share its columns, and only one at a time may allocate (PTX
/// ISA 9.0, "tcgen05.alloc", 9.7.16.7.1: it blocks until there are columns). A
/// CTA that waits for another cluster must not hold what that one may need.
bool Flags::checkSharedSm(const WarpState &warp, const ForeignMap &flags,
                          int line) {
  constexpr uint32_t threadsOfSm = 2048;
  const Machine &machine = cluster.machine;
  const Tmem &tmem = cluster.cta(warp.rank)->tmem;
  bool waits = std::any_of(flags.begin(), flags.end(), [&](const auto &flag) {
    return flag.first != cluster.index;
  });
  if (!waits || !holds(Rule::SharedSm) || !tmem.lastAllocation ||
      2 * (machine.smemBytes + kSmemReserved) > machine.chip.smemOfSm ||
      2 * machine.threadsPerCta > threadsOfSm)
    return true;
  bool room =
      tmem.allocatedColumns() + tmem.lastAllocation <= machine.chip.tmemColumns;
  if (room && tmem.permitRelinquished)
    return true;
  threads.stopped = true;
  cluster.fail(
      ReportKind::Deadlock,
      cluster.cta(warp.rank)->name() +
          " waits for another cluster, two CTAs fit on an SM, and the other "
          "one cannot allocate Tensor Memory beside this one: " +
          (room ? "no tcgen05.relinquish_alloc_permit before the wait"
                : std::to_string(tmem.allocatedColumns()) + " + " +
                      std::to_string(tmem.lastAllocation) +
                      " columns, an SM has " +
                      std::to_string(machine.chip.tmemColumns)),
      line);
  return false;
}

} // namespace tc::emu
