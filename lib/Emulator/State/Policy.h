//===- Policy.h - the choices of one schedule -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the ISA leaves a choice, an instruction or the scheduler asks the
// policy of its cluster. Every answer is legal; docs/Emulator.md names the rule
// after each.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_STATE_POLICY_H
#define TC_EMULATOR_STATE_POLICY_H

#include "State/Random.h"
#include "tc/Emulator/Emulator.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tc::emu {

class AsyncOp;
class Warp;

class Policy {
public:
  using Kind = Schedule::Kind;

  Policy(const Schedule &schedule, uint64_t cluster);
  /// Called once the cluster has its CTAs.
  void setShape(unsigned ctas, unsigned warpsPerCta);

  /// Columns of Tensor Memory are taken from the far end.
  bool takesLastColumns = false;
  const Kind kind;
  const uint64_t seed;
  Random random;

  //===--- what instructions ask ------------------------------------------===//
  /// The lane of `members` that elect.sync takes: always the same for the same
  /// members.
  unsigned electLane(uint32_t members) const;
  /// Whether a try_wait that would block returns false instead; `tries` times
  /// it already has.
  bool comesBackEarly(unsigned tries);
  /// Where the search for free columns of Tensor Memory starts.
  unsigned firstPlace(unsigned places);
  /// Puts the ways of a branch in the order in which they run.
  void orderSides(std::vector<std::pair<uint32_t, uint32_t>> &ways);
  /// Which of `count` destinations is served next.
  size_t chooseTarget(size_t count);

  //===--- what the scheduler asks ----------------------------------------===//
  /// The op goes on as soon as it is ready, even if warps can run.
  bool isPrompt(const AsyncOp &op) const;
  bool hasPrompt() const {
    return kind != Kind::Lazy && kind != Kind::Reverse && kind != Kind::Random;
  }
  /// The warp runs only when nothing else can go on.
  bool isHeldBack(const Warp &warp) const;
  bool holdsBackWarps() const {
    return kind == Kind::Starvation || kind == Kind::Skew;
  }
  /// Of the ops that are not prompt the youngest goes on first.
  bool takesYoungest() const { return kind == Kind::Reverse; }
  /// Such an op goes on to its end: reading its sources and completing are one.
  bool finishesAtOnce() const { return kind == Kind::LateReads; }
  /// What was held back has gone on: the next role's turn.
  void heldBackRan();

private:
  unsigned ctas = 1, warpsPerCta = 1;
  /// Starvation: warps of the cluster in order, then the engines.
  unsigned victim = 0;
  unsigned roles() const;
};

} // namespace tc::emu

#endif // TC_EMULATOR_STATE_POLICY_H
