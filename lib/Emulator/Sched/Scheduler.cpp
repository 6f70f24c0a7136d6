//===- Scheduler.cpp - driving one cluster --------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Eager and lazy run the warps in turn; they differ in when engines advance.
// Random draws every choice. Waits that the ISA lets expire (try_wait) or that
// are this emulator's own idea (reconvergence) end only when nothing else can
// go on; if even that changes nothing, it is a deadlock.
//
//===----------------------------------------------------------------------===//

#include "Sched/Scheduler.h"

#include "Sched/Divergence.h"
#include "Sched/Interpreter.h"

namespace tc::emu {

/// Instructions that a warp runs before the next one gets its turn.
static constexpr uint64_t kSlice = 4096;
/// Rounds of spinning without effect after which other clusters are let in.
static constexpr unsigned kStarvedRounds = 64;
/// Times that all expired waits may lead back to the same state.
static constexpr unsigned kFruitlessTimeouts = 64;

ClusterScheduler::ClusterScheduler(Machine &machine, uint64_t index)
    : impl(std::make_unique<Cluster>(machine, index)) {
  for (auto &cta : impl->ctas)
    for (auto &warp : cta->warps)
      warps.push_back(warp.get());
  if (machine.options.schedule.kind == Schedule::Kind::Random)
    engineBias = 1 + impl->random.below(15);
}

ClusterScheduler::Outcome ClusterScheduler::run() {
  Outcome outcome =
      impl->machine.options.schedule.kind == Schedule::Kind::Random
          ? runRandom()
          : runOrdered();
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
  if (total > machine.options.maxInstructions && !impl->failed) {
    int line = 0;
    for (const Warp *warp : warps)
      if (!warp->done() && !warp->splits.empty())
        line = machine.kernel.code[warp->splits[0].pc].line;
    impl->fail(ReportKind::Limit,
               "the launch has executed more than " +
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

bool ClusterScheduler::drainEngine() {
  while (!impl->engine.ready().empty())
    if (!stepEngine(impl->engine.ready().front()))
      return false;
  return true;
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

bool ClusterScheduler::relax() {
  for (Warp *warp : warps)
    if (releaseRegion(*warp))
      return true;
  if (timeOutWaiters())
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

ClusterScheduler::Outcome ClusterScheduler::runOrdered() {
  Cluster &cluster = *impl;
  const bool eager =
      cluster.machine.options.schedule.kind == Schedule::Kind::Eager;
  while (true) {
    if (cluster.machine.stop.load(std::memory_order_relaxed))
      return Outcome::Failed;
    bool ran = false, computes = false;
    uint64_t effects = cluster.effects;
    for (Warp *warp : warps) {
      if (warp->done() || !isRunnable(*warp))
        continue;
      ran = true;
      SliceEnd end = runSlice(*warp, kSlice);
      if (end == SliceEnd::Failed || (eager && !drainEngine()))
        return Outcome::Failed;
      computes |= end == SliceEnd::Budget;
    }
    account();
    if (cluster.failed)
      return Outcome::Failed;
    if (!ran) {
      if (!cluster.engine.ready().empty()) {
        if (!stepEngine(cluster.engine.ready().front()))
          return Outcome::Failed;
        continue;
      }
      if (allDone())
        return Outcome::Done;
      if (!relax())
        return Outcome::Failed;
      continue;
    }
    if (effects != cluster.effects || computes) {
      starvedRounds = 0;
      continue;
    }
    // Warps spin: engines are what they may be waiting for.
    if (!cluster.engine.ready().empty()) {
      if (!stepEngine(cluster.engine.ready().front()))
        return Outcome::Failed;
    } else if (++starvedRounds > kStarvedRounds) {
      starvedRounds = 0;
      timeOutWaiters();
      return Outcome::Starved;
    }
  }
}

ClusterScheduler::Outcome ClusterScheduler::runRandom() {
  Cluster &cluster = *impl;
  Random &random = cluster.random;
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
    SliceEnd end = runSlice(*warp, budget);
    if (end == SliceEnd::Failed)
      return Outcome::Failed;
    if (cluster.instructions - accounted > 100'000) {
      account();
      if (cluster.failed)
        return Outcome::Failed;
    }
    if (effects != cluster.effects || end == SliceEnd::Budget) {
      effects = cluster.effects;
      idle = 0;
    } else if (++idle > kStarvedRounds * warps.size() && ready.empty()) {
      timeOutWaiters();
      return Outcome::Starved;
    }
  }
}

} // namespace tc::emu
