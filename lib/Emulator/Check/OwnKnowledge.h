//===- OwnKnowledge.h - what each lane knows of itself ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes that execute a fence, or a wait for copies, together learn different
// things: each has ordered its own accesses, and nothing of the others'. Kept
// by lane, so that such lanes stay in one Group; what a lane tells others, and
// what lanes know after they have met, takes it in.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_CHECK_OWNKNOWLEDGE_H
#define TC_EMULATOR_CHECK_OWNKNOWLEDGE_H

#include "Check/Clock.h"

#include <array>

namespace tc::emu {

struct OwnKnowledge {
  using Lanes = std::array<uint32_t, 32>;

  uint32_t base = 0;       ///< component of lane 0
  uint32_t copyStream = 0; ///< of lane 0's cp.async; 0: no lane has any
  /// Their clocks at their last proxy fences, by space.
  Lanes shared{}, global{};
  /// Those at their last release of reads to the async proxy.
  Lanes reads{};
  /// Those at their last fence.mbarrier_init.
  Lanes inits{};
  /// cp.async that they have waited for; then those of them before a fence.
  Lanes copies{}, copiesShared{}, copiesGlobal{};
  /// Lanes that know more than their group does.
  uint32_t news = 0;

  void fence(uint32_t lanes, uint32_t clock, bool ofShared, bool ofGlobal);
  void fenceReads(uint32_t lanes, uint32_t clock);
  void fenceInits(uint32_t lanes, uint32_t clock);
  void waitForCopies(uint32_t lanes, uint32_t count);
  /// `lanes` tell all of it.
  void tell(uint32_t lanes, Message &to) const;
  /// What causality is enough for.
  void tellInits(uint32_t lanes, Message &to) const;
  /// As an arrival of .cta scope on another CTA's mbarrier does.
  void tellNarrowly(uint32_t lanes, Message &to, AssumptionMask mask) const;
};

/// What a memory fence that lanes execute together makes ready: what they all
/// know, and each of them what it knows of itself; of shared memory alone if
/// the fence is restricted to that.
class Release {
public:
  Release(Message known, const OwnKnowledge &own, uint32_t clock, bool isHeard,
          bool isOfShared)
      : known(isOfShared ? known.ofShared() : std::move(known)), own(own),
        clock(clock), isHeard(isHeard), isOfShared(isOfShared) {}

  /// For a write of that lane; the same message every time.
  const std::shared_ptr<const Message> &of(unsigned lane);
  void tell(uint32_t lanes, Message &to) const;

private:
  void tellOwn(uint32_t lanes, Message &to) const;

  Message known;
  OwnKnowledge own;
  uint32_t clock;
  bool isHeard; ///< tells of the lanes in Message::heard
  bool isOfShared;
  std::array<std::shared_ptr<const Message>, 32> told;
};

} // namespace tc::emu

#endif // TC_EMULATOR_CHECK_OWNKNOWLEDGE_H
