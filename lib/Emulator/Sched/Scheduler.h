//===- Scheduler.h - driving one cluster ------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Picks which warp runs and which asynchronous work advances, as the schedule
// says, and notices when nothing can go on.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_SCHED_SCHEDULER_H
#define TC_EMULATOR_SCHED_SCHEDULER_H

#include "Sched/Interpreter.h"
#include "Sched/Spin.h"
#include "State/Machine.h"

#include <memory>
#include <vector>

namespace tc::emu {

class ClusterScheduler {
public:
  ClusterScheduler(Machine &machine, uint64_t index);

  enum class Outcome : uint8_t {
    Done,
    Starved, ///< only spins: another cluster may have to write something
    Failed
  };
  Outcome run();
  /// Where it has only spun: whether that leads anywhere (Spin.h).
  bool goesOn();
  /// Lets lanes go on that wait for others of their warp to reconverge: those
  /// may wait for them. False if there are none.
  bool releaseLanes();

  Cluster &cluster() { return *impl; }
  /// What every warp waits for, one line each.
  std::string describeWaits() const;

private:
  Outcome runOrdered();
  Outcome runRandom();
  bool allDone() const;
  /// Advances one ready op; false if an error was reported.
  bool stepEngine(uint64_t id);
  /// Advances what the policy does not put off.
  bool stepPrompt();
  /// Advances the op that the policy puts off least.
  bool stepLate();
  /// Runs warps that the policy holds back.
  enum class HeldBack : uint8_t { Idle, Ran, Failed };
  HeldBack runHeldBack();
  SliceEnd runWarp(Warp &warp, uint64_t budget);
  /// Whether the warp, after a slice, does more than repeat itself; `effects`
  /// and `instructions` are those of the cluster before the slice.
  bool makesProgress(Warp &warp, SliceEnd end, uint64_t effects,
                     uint64_t instructions);
  /// Nothing can run: gives up waits that may be given up. False: deadlock,
  /// which has been reported.
  bool relax();
  bool timeOutWaiters();
  /// Runs the warps of which no instruction is being executed.
  void runOthers(const std::function<bool()> &waits);
  /// Whether other clusters, which may not have started, should be let in.
  bool pollsTooLong() const;
  void account();

  std::unique_ptr<Cluster> impl;
  Recurrence recurrence{*impl};
  bool cameBack = false; ///< in its last turn
  /// The last turn ended because it polled too long; this one began after such
  /// a turn.
  bool setAside = false, setAsideBefore = false;
  unsigned fruitlessTurns = 0; ///< in a row
  uint64_t turnEffects = 0, turnPolls = 0, turnInstructions = 0;
  std::vector<Warp *> warps;
  bool runsOthers = false;
  unsigned starvedRounds = 0;
  unsigned fruitlessTimeouts = 0;
  uint64_t effectsAtTimeout = ~0ull;
  uint64_t accounted = 0;
  unsigned engineBias = 8; ///< random: of 16 choices, how many go to engines
};

} // namespace tc::emu

#endif // TC_EMULATOR_SCHED_SCHEDULER_H
