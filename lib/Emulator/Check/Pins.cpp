//===- Pins.cpp - what every schedule does alike --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, "mbarrier", "bar", "tcgen05.alloc", "setmaxnreg": what each of
// them does depends on the state that it meets. What is not pinned is no error:
// another schedule may do something else, and the run does not show what.
//
//===----------------------------------------------------------------------===//

#include "Check/Pins.h"

#include "State/Machine.h"
#include "tc/Emulator/Certificate.h"

#include <algorithm>

namespace tc::emu {

void Pins::undecided(Choice choice, const std::string &what, int line, int at) {
  threads.certificate()->undecided({{choice, line}}, what, at);
}

/// A wait with a parity would have ended two phases ago, too, unless its thread
/// knows that the phase between the two is over.
void Pins::wait(std::vector<Pin> &pins, Group &group, const WarpState &warp,
                uint32_t lanes, uint32_t stream, uint32_t base, uint32_t phases,
                bool byState, int line) {
  if (!threads.certificate())
    return;
  const uint32_t sign = threads.signOf(stream);
  if (!byState) {
    if (phases >= 2 && group.message.heard.get(sign) < base + phases - 1)
      undecided(Choice::Phase,
                "may end with the phase before the last: its thread has not "
                "observed the one between, of the same barrier",
                line, line);
    pins.push_back({warp.base, group.lanes & lanes, warp.clock, line, phases});
  }
  group.message.heard.raise(sign, base + phases);
}

void Pins::expect(std::vector<Pin> &pins, const WarpState &warp, uint32_t lanes,
                  uint32_t phases, int line) {
  if (threads.certificate())
    pins.push_back({warp.base, lanes, warp.clock, line, phases});
}

/// What has met the state before can meet it no more.
void Pins::complete(std::vector<Pin> &pins, const Clock &own,
                    const Clock &others, uint32_t phases) {
  for (const Pin &pin : pins) {
    if (pin.phases != phases)
      continue;
    for (uint32_t rest = pin.lanes; rest; rest &= rest - 1) {
      const uint32_t thread = pin.base + unsigned(__builtin_ctz(rest));
      if (own.get(thread) >= pin.clock || others.get(thread) >= pin.clock)
        continue;
      undecided(Choice::Phase,
                "may come late: nothing lets the next phase of the barrier end "
                "after it (thread " +
                    std::to_string(thread % 32) + " of its warp)",
                pin.line, pin.line);
      break;
    }
  }
  pins.erase(
      std::remove_if(pins.begin(), pins.end(),
                     [&](const Pin &pin) { return pin.phases <= phases; }),
      pins.end());
}

Pins::Named &Pins::namedOf(uint64_t barrier) {
  Named &state = named[barrier];
  if (!state.stream)
    state.stream = threads.newStream();
  return state;
}

/// An arrival counts in the phase that goes on; the one before has to be over
/// for the thread, or it could have counted there.
void Pins::arrive(uint64_t barrier, WarpState &warp, uint32_t lanes, int line) {
  if (!threads.certificate())
    return;
  const Named &state = namedOf(barrier);
  threads.forGroups(warp, lanes, [&](Group &group) {
    if (group.message.heard.get(threads.signOf(state.stream)) < state.phases)
      undecided(Choice::Phase,
                "may count in the phase before: its thread has not observed "
                "that it is over",
                line, line);
  });
}

void Pins::leave(uint64_t barrier, WarpState &warp, uint32_t lanes) {
  if (!threads.certificate())
    return;
  const Named &state = namedOf(barrier);
  threads.forGroups(warp, lanes, [&](Group &group) {
    group.message.heard.raise(threads.signOf(state.stream), state.phases);
  });
}

/// tcgen05.alloc, dealloc and relinquish_alloc_permit of a CTA come in an order
/// of their own, but for allocations that fit beside each other.
void Pins::allocate(WarpState &warp, const SyncEvent &event) {
  if (!threads.certificate())
    return;
  Resources &of = resources[warp.rank];
  const auto lane = unsigned(__builtin_ctz(event.lanes));
  const Group &group = threads.groupOf(warp, lane);
  const bool allocates = event.kind == SyncEvent::TmemAlloc;
  if (allocates)
    of.allocated += event.object;
  const bool mayCrowd =
      of.allocated > Tmem::kColumns || event.kind == SyncEvent::TmemRelinquish;
  for (const Use &use : of.columns)
    if (mayCrowd && use.thread / 32 != warp.base / 32 &&
        group.message.heard.get(use.thread) < use.clock)
      undecided(Choice::Columns,
                "may come before or after the use of columns at line " +
                    std::to_string(use.line) + " of another warp",
                event.line, use.line);
  // A warp that waits for columns comes here again.
  ++warp.clock;
  of.columns.push_back({warp.base + lane, warp.clock, event.line});
}

void Pins::changeRegisters(WarpState &warp, const SyncEvent &event) {
  if (!threads.certificate())
    return;
  std::vector<Change> &all = resources[warp.rank].registers;
  const auto lane = unsigned(__builtin_ctz(event.lanes));
  const Clock &heard = threads.groupOf(warp, lane).message.heard;
  Change change{warp.index, unsigned(event.object), event.value != 0,
                event.line, warp.base + lane,       ++warp.clock,
                {}};
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i].warp == warp.index || heard.get(all[i].thread) >= all[i].clock)
      change.after.push_back(i);
  all.push_back(std::move(change));
}

/// Looks for a set of setmaxnreg.inc that wait for ever: everything that comes
/// after none of them has happened, and none of them fits.
class Pins::Grants {
public:
  Grants(const std::vector<Change> &changes, const Cta &cta)
      : changes(changes), cta(cta), waits(cta.warps.size(), kNone),
        places(cta.warps.size()), likeBefore(cta.warps.size()) {
    for (size_t i = 0; i < changes.size(); ++i)
      places[changes[i].warp].push_back(i);
    for (unsigned warp = 1; warp < places.size(); ++warp)
      likeBefore[warp] = areAlike(warp - 1, warp);
  }

  /// One of such a set, or null. `tooMany`: there are too many sets.
  const Change *find(bool &tooMany) {
    tooMany = false;
    left = kMostSets;
    const Change *stuck = choose(0);
    tooMany = !stuck && !left;
    return stuck;
  }

private:
  static constexpr size_t kNone = ~size_t(0);
  static constexpr unsigned kMostSets = 1 << 16;

  bool isAfter(size_t change, size_t other) const {
    const std::vector<size_t> &after = changes[change].after;
    return std::binary_search(after.begin(), after.end(), other);
  }

  /// Whether nothing changes if two warps change places.
  bool areAlike(unsigned a, unsigned b) const {
    if (places[a].size() != places[b].size())
      return false;
    std::vector<size_t> swapped(changes.size());
    for (size_t i = 0; i < swapped.size(); ++i)
      swapped[i] = i;
    for (size_t n = 0; n < places[a].size(); ++n) {
      const Change &one = changes[places[a][n]], &other = changes[places[b][n]];
      if (one.takes != other.takes || one.registers != other.registers)
        return false;
      std::swap(swapped[places[a][n]], swapped[places[b][n]]);
    }
    for (size_t i = 0; i < swapped.size(); ++i)
      for (size_t j = 0; j < swapped.size(); ++j)
        if (isAfter(i, j) != isAfter(swapped[i], swapped[j]))
          return false;
    return true;
  }

  /// For this warp and those after it. Of warps that are alike, a later one
  /// waits no earlier.
  const Change *choose(unsigned warp, size_t from = 0) {
    if (!left)
      return nullptr;
    if (warp == waits.size())
      return isStuck();
    const std::vector<size_t> &own = places[warp];
    for (size_t n = likeBefore[warp] ? from : 0; n <= own.size(); ++n) {
      const bool none = n == own.size();
      if (!none && !changes[own[n]].takes)
        continue;
      waits[warp] = none ? kNone : own[n];
      if (const Change *stuck = choose(warp + 1, n))
        return stuck;
    }
    waits[warp] = kNone;
    return nullptr;
  }

  /// Whether the change comes after one that waits, or is one.
  bool isHeld(size_t change) const {
    return std::any_of(waits.begin(), waits.end(), [&](size_t wait) {
      return wait != kNone && (wait == change || isAfter(change, wait));
    });
  }

  const Change *isStuck() {
    --left;
    const RegisterPool &pool = cta.registers;
    const size_t warps = cta.warps.size();
    std::vector<unsigned> owned(warps, pool.perThread),
        taken(warps, pool.perThread);
    for (size_t i = 0; i < changes.size(); ++i) {
      if (isHeld(i))
        continue;
      const unsigned warp = changes[i].warp;
      const bool isWhole =
          warp / RegisterPool::kWarpsPerGroup * RegisterPool::kWarpsPerGroup +
              RegisterPool::kWarpsPerGroup <=
          warps;
      owned[warp] = changes[i].registers;
      // What a part of a warpgroup gives back is lost.
      taken[warp] = isWhole ? owned[warp] : std::max(taken[warp], owned[warp]);
    }
    unsigned used = 0;
    for (unsigned count : taken)
      used += count;
    const unsigned total = unsigned(warps) * pool.perThread;
    const Change *stuck = nullptr;
    for (size_t wait : waits) {
      if (wait == kNone)
        continue;
      const Change &change = changes[wait];
      const bool isReached =
          std::none_of(change.after.begin(), change.after.end(),
                       [&](size_t before) { return isHeld(before); });
      if (!isReached || used + change.registers - owned[change.warp] <= total)
        return nullptr;
      stuck = &change;
    }
    return stuck;
  }

  const std::vector<Change> &changes;
  const Cta &cta;
  std::vector<size_t> waits;               ///< by warp, of its changes
  std::vector<std::vector<size_t>> places; ///< by warp, its changes in order
  std::vector<bool> likeBefore; ///< by warp, whether the one before is alike
  unsigned left = 0;
};

void Pins::exit(unsigned rank) {
  auto found = resources.find(rank);
  if (!threads.certificate() || found == resources.end())
    return;
  const std::vector<Change> &changes = found->second.registers;
  if (changes.empty())
    return;
  bool tooMany = false;
  Grants grants(changes, *threads.cluster.cta(rank));
  const Change *stuck = grants.find(tooMany);
  if (tooMany)
    undecided(Choice::Registers, "has more orders than are searched",
              changes.front().line, changes.front().line);
  else if (stuck)
    undecided(Choice::Registers, "may wait for ever, after others", stuck->line,
              stuck->line);
}

} // namespace tc::emu
