//===- Scheduler.cpp - driving one cluster --------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random draws every choice; the other policies run the warps in turn and
// differ in which asynchronous work and which warps they put off until nothing
// else can go on. Waits that the ISA lets expire (try_wait) or that are this
// emulator's own idea (reconvergence) end only when nothing else can go on; if
// even that changes nothing, it is a deadlock.
//
//===----------------------------------------------------------------------===//

#include "Sched/Scheduler.h"

#include "Sched/Spin.h"
#include "State/Divergence.h"

#include <algorithm>

namespace tc::emu {

/// Instructions that a warp runs before the next one gets its turn.
static constexpr uint64_t kSlice = 4096;
/// The most for a warp that the policy holds back.
static constexpr uint64_t kHeldBackSlice = 32;
/// The same for one that repeats itself.
static constexpr uint64_t kSpinSlice = 64;
/// Instructions without effect after which a warp may be repeating itself.
static constexpr uint64_t kQuiet = 65536;
/// Rounds of spinning without effect after which other clusters are let in.
static constexpr unsigned kStarvedRounds = 64;
/// A cluster that reads global memory strongly may wait for one that has not
/// started, whatever it does from read to read. Product of the reads and the
/// instructions of a turn after which others are let in: with effects of its
/// own, without any, and in a turn after such a one.
static constexpr uint64_t kPollsWithEffects = 1 << 24, kPolls = 1 << 20,
                          kPollsAgain = 1 << 14;
/// Instructions of a turn of one that may be coming back to where it was.
static constexpr uint64_t kPollsWatched = 1 << 20;
/// Turns without effect in which the lanes of its warps wait to reconverge.
static constexpr unsigned kTurnsTogether = 2;
/// Slices of each warp in which the write that a report misses is waited for.
static constexpr unsigned kRoundsOfOthers = 4;
/// Times that all expired waits may lead back to the same state.
static constexpr unsigned kFruitlessTimeouts = 64;

ClusterScheduler::ClusterScheduler(Machine &machine, uint64_t index)
    : impl(std::make_unique<Cluster>(machine, index)) {
  for (auto &cta : impl->ctas)
    for (auto &warp : cta->warps)
      warps.push_back(warp.get());
  if (machine.options.schedule.kind == Schedule::Kind::Reverse)
    std::reverse(warps.begin(), warps.end());
  if (machine.options.schedule.kind == Schedule::Kind::Random)
    engineBias = 1 + impl->policy.random.below(15);
  impl->runOthers = [this](const std::function<bool()> &waits) {
    runOthers(waits);
  };
}

ClusterScheduler::Outcome ClusterScheduler::run() {
  const uint64_t effects = impl->effects, harmless = impl->harmless;
  // A lane that has a lock may wait for lanes of its warp that want it.
  if (fruitlessTurns > kTurnsTogether && releaseLanes())
    fruitlessTurns = 0;
  cameBack = false;
  setAsideBefore = setAside;
  setAside = false;
  turnEffects = effects;
  turnPolls = impl->polls;
  turnInstructions = impl->instructions;
  Outcome outcome =
      impl->machine.options.schedule.kind == Schedule::Kind::Random
          ? runRandom()
          : runOrdered();
  if (!setAside)
    recurrence.drop();
  // What changes nothing is no effect for other clusters.
  if (outcome == Outcome::Starved &&
      impl->effects - effects == impl->harmless - harmless) {
    impl->effects = effects;
    impl->harmless = harmless;
  }
  if (outcome == Outcome::Starved && impl->effects == effects)
    ++fruitlessTurns;
  else
    fruitlessTurns = 0;
  account();
  return outcome;
}

bool ClusterScheduler::allDone() const {
  for (const Warp *warp : warps)
    if (!warp->done())
      return false;
  return true;
}

void ClusterScheduler::account() {
  uint64_t news = impl->instructions - accounted;
  accounted = impl->instructions;
  Machine &machine = impl->machine;
  uint64_t total =
      machine.warpInstructions.fetch_add(news, std::memory_order_relaxed) +
      news;
  Progress *progress = machine.options.progress;
  if (progress)
    progress->instructions.fetch_add(news, std::memory_order_relaxed);
  const bool isStopped =
      progress && progress->stop.load(std::memory_order_relaxed);
  if ((isStopped || total > machine.options.maxInstructions) && !impl->failed) {
    int line = 0;
    for (const Warp *warp : warps)
      if (!warp->done() && !warp->splits.empty())
        line = machine.kernel.code[warp->splits[0].pc].line;
    impl->fail(ReportKind::Limit,
               isStopped ? "the launch was stopped by its caller"
                         : "the launch has executed more than " +
                               std::to_string(machine.options.maxInstructions) +
                               " warp instructions" + describeWaits(),
               line);
  }
}

bool ClusterScheduler::stepEngine(uint64_t id) {
  Status status = impl->engine.step(*impl, id);
  if (status)
    return !impl->failed;
  impl->fail(ReportKind::Memory, status.error().message, status.error().line);
  return false;
}

bool ClusterScheduler::stepPrompt() {
  const Policy &policy = impl->policy;
  if (!policy.hasPrompt())
    return true;
  const std::vector<uint64_t> &ready = impl->engine.ready();
  for (size_t i = 0; i < ready.size();) {
    if (!policy.isPrompt(*impl->engine.find(ready[i]))) {
      ++i;
      continue;
    }
    if (!stepEngine(ready[i]))
      return false;
    i = 0; // Others may have become ready.
  }
  return true;
}

bool ClusterScheduler::stepLate() {
  const Policy &policy = impl->policy;
  const std::vector<uint64_t> &ready = impl->engine.ready();
  uint64_t id = policy.takesYoungest() ? ready.back() : ready.front();
  do {
    if (!stepEngine(id))
      return false;
  } while (policy.finishesAtOnce() && impl->engine.isPending(id));
  return stepPrompt();
}

SliceEnd ClusterScheduler::runWarp(Warp &warp, uint64_t budget) {
  for (Observer *observer : impl->sliceObservers)
    observer->beginSlice(warp);
  SliceEnd end = runSlice(warp, budget);
  for (Observer *observer : impl->sliceObservers)
    observer->endSlice(warp, end);
  return end;
}

bool ClusterScheduler::makesProgress(Warp &warp, SliceEnd end, uint64_t effects,
                                     uint64_t instructions) {
  if (effects != impl->effects) {
    warp.quietInstructions = 0;
    warp.spins = false;
    return true;
  }
  if (end != SliceEnd::Budget)
    return false;
  warp.quietInstructions += impl->instructions - instructions;
  if (warp.quietInstructions > kQuiet) {
    warp.quietInstructions = 0;
    warp.spins = repeatsItself(warp);
  }
  return !warp.spins;
}

void ClusterScheduler::runOthers(const std::function<bool()> &waits) {
  if (runsOthers)
    return;
  runsOthers = true;
  bool any = true;
  for (unsigned round = 0; any && round < kRoundsOfOthers; ++round) {
    any = false;
    for (Warp *warp : warps) {
      if (impl->failed || !waits())
        break;
      if (warp->isRunning || warp->done() || !isRunnable(*warp))
        continue;
      const uint64_t before = impl->instructions;
      (void)runSlice(*warp, kSlice);
      any |= impl->instructions != before;
    }
    any &= !impl->failed && waits();
  }
  runsOthers = false;
}

ClusterScheduler::HeldBack ClusterScheduler::runHeldBack() {
  Cluster &cluster = *impl;
  if (!cluster.policy.holdsBackWarps())
    return HeldBack::Idle;
  bool any = false;
  for (Warp *warp : warps) {
    if (!cluster.policy.isHeldBack(*warp) || warp->done() || !isRunnable(*warp))
      continue;
    // Its first effect may let others go on.
    uint64_t effects = cluster.effects, instructions = cluster.instructions;
    SliceEnd end;
    uint64_t ran = 0;
    do
      end = runWarp(*warp, 1);
    while (end == SliceEnd::Budget && effects == cluster.effects &&
           ++ran < kHeldBackSlice);
    if (end == SliceEnd::Failed)
      return HeldBack::Failed;
    any |= makesProgress(*warp, end, effects, instructions) ||
           end == SliceEnd::Done || end == SliceEnd::Blocked;
    if (!stepPrompt())
      return HeldBack::Failed;
  }
  if (any)
    cluster.policy.heldBackRan();
  return any ? HeldBack::Ran : HeldBack::Idle;
}

bool ClusterScheduler::timeOutWaiters() {
  if (impl->effects == effectsAtTimeout) {
    if (++fruitlessTimeouts > kFruitlessTimeouts)
      return false;
  } else {
    fruitlessTimeouts = 0;
    effectsAtTimeout = impl->effects;
  }
  bool any = false;
  for (Warp *warp : warps)
    for (Split &split : warp->splits)
      if (split.state == Split::State::Blocked &&
          split.wait == WaitKind::Mbarrier) {
        split.timedOut = true;
        split.state = Split::State::Runnable;
        any = true;
      }
  return any;
}

bool ClusterScheduler::releaseLanes() {
  return std::any_of(warps.begin(), warps.end(),
                     [](Warp *warp) { return releaseRegion(*warp); });
}

bool ClusterScheduler::relax() {
  if (releaseLanes() || timeOutWaiters())
    return true;
  int line = 0;
  for (const Warp *warp : warps)
    for (const Split &split : warp->splits)
      if (!line)
        line = impl->machine.kernel.code[split.pc].line;
  impl->fail(ReportKind::Deadlock,
             "no warp can go on and no asynchronous work is ready" +
                 describeWaits(),
             line);
  return false;
}

bool ClusterScheduler::pollsTooLong() const {
  const uint64_t polls = impl->polls - turnPolls,
                 ran = impl->instructions - turnInstructions;
  if (impl->effects == turnEffects)
    return polls * ran > (setAsideBefore ? kPollsAgain : kPolls);
  return impl->watchesStores ? polls && ran > kPollsWatched
                             : polls * ran > kPollsWithEffects;
}

ClusterScheduler::Outcome ClusterScheduler::runOrdered() {
  Cluster &cluster = *impl;
  const Policy &policy = cluster.policy;
  while (true) {
    if (cluster.machine.stop.load(std::memory_order_relaxed))
      return Outcome::Failed;
    bool ran = false, computes = false;
    uint64_t effects = cluster.effects;
    for (Warp *warp : warps) {
      bool isHeldBack = policy.isHeldBack(*warp);
      if (isHeldBack && warp->done())
        cluster.policy.heldBackRan();
      if (warp->done() || isHeldBack || !isRunnable(*warp))
        continue;
      ran = true;
      uint64_t before = cluster.effects, instructions = cluster.instructions;
      SliceEnd end = runWarp(*warp, warp->spins ? kSpinSlice : kSlice);
      if (end == SliceEnd::Failed)
        return Outcome::Failed;
      computes |= makesProgress(*warp, end, before, instructions) &&
                  end == SliceEnd::Budget;
      if (!stepPrompt())
        return Outcome::Failed;
    }
    account();
    if (cluster.failed)
      return Outcome::Failed;
    const bool comesBack = recurrence.comesBack();
    const bool polls = !comesBack && pollsTooLong();
    if (ran && !comesBack && !polls &&
        (effects != cluster.effects || computes)) {
      starvedRounds = 0;
      continue;
    }
    // Nothing can go on, or what can only spins: what was put off is what it
    // may be waiting for.
    HeldBack heldBack = runHeldBack();
    if (heldBack == HeldBack::Failed)
      return Outcome::Failed;
    if (heldBack == HeldBack::Ran)
      continue;
    if (!cluster.engine.ready().empty()) {
      cluster.policy.heldBackRan();
      if (!stepLate())
        return Outcome::Failed;
      continue;
    }
    if (comesBack) {
      cameBack = true;
      if (releaseLanes())
        continue;
      timeOutWaiters();
      return Outcome::Starved;
    }
    if (polls) {
      setAside = true;
      return Outcome::Starved;
    }
    if (std::any_of(warps.begin(), warps.end(), [](Warp *warp) {
          return !warp->done() && isRunnable(*warp);
        })) {
      if (++starvedRounds > kStarvedRounds) {
        starvedRounds = 0;
        timeOutWaiters();
        return Outcome::Starved;
      }
    } else if (allDone()) {
      return Outcome::Done;
    } else if (!relax()) {
      return Outcome::Failed;
    }
  }
}

bool ClusterScheduler::goesOn() {
  bool any = false;
  if (cameBack)
    return false;
  // A poll with pauses may be bounded: it goes on unless it repeats itself.
  for (Warp *warp : warps)
    any |= !warp->done() && isRunnable(*warp) &&
           (setAside ? !repeatsItself(*warp) : emu::goesOn(*warp));
  return any;
}

ClusterScheduler::Outcome ClusterScheduler::runRandom() {
  Cluster &cluster = *impl;
  Random &random = cluster.policy.random;
  std::vector<Warp *> runnable;
  uint64_t effects = cluster.effects;
  unsigned idle = 0;
  while (true) {
    if (cluster.machine.stop.load(std::memory_order_relaxed))
      return Outcome::Failed;
    runnable.clear();
    for (Warp *warp : warps)
      if (!warp->done() && isRunnable(*warp))
        runnable.push_back(warp);
    const std::vector<uint64_t> &ready = cluster.engine.ready();
    bool engine =
        !ready.empty() && (runnable.empty() || random.below(16) < engineBias);
    if (engine) {
      if (!stepEngine(ready[random.below(uint32_t(ready.size()))]))
        return Outcome::Failed;
      continue;
    }
    if (runnable.empty()) {
      if (allDone())
        return Outcome::Done;
      if (!relax())
        return Outcome::Failed;
      continue;
    }
    Warp *warp = runnable[random.below(uint32_t(runnable.size()))];
    if (warp->splits.size() > 1)
      warp->current = random.below(uint32_t(warp->splits.size()));
    uint64_t budget = 1 + random.below(1u << random.below(10));
    uint64_t before = cluster.effects, instructions = cluster.instructions;
    SliceEnd end = runWarp(*warp, budget);
    if (end == SliceEnd::Failed)
      return Outcome::Failed;
    bool progress = makesProgress(*warp, end, before, instructions);
    if (cluster.instructions - accounted > 100'000) {
      account();
      if (cluster.failed)
        return Outcome::Failed;
    }
    if (effects != cluster.effects || (progress && end == SliceEnd::Budget)) {
      effects = cluster.effects;
      idle = 0;
    } else if (++idle > kStarvedRounds * warps.size() && ready.empty()) {
      timeOutWaiters();
      return Outcome::Starved;
    }
    if (pollsTooLong() && ready.empty()) {
      setAside = true;
      return Outcome::Starved;
    }
  }
}

} // namespace tc::emu
