//===- DescribeWaits.cpp - what every warp waits for ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body of a deadlock report: one line per waiting split with its
// instruction, and for barriers their phase, counts and outstanding bytes, who
// has arrived and who may still; then a circle of warps that wait for each
// other, if the barriers' history shows one, and the asynchronous work that is
// stuck.
//
//===----------------------------------------------------------------------===//

#include "Sched/Scheduler.h"

#include <algorithm>
#include <cstdio>

namespace tc::emu {

static std::string hex(uint64_t value) {
  char text[32];
  snprintf(text, sizeof(text), "0x%llx", (unsigned long long)value);
  return text;
}

/// The barrier that a split waits for, or null.
static const Mbarrier *awaited(Cluster &cluster, const Split &split) {
  std::string why;
  return split.state == Split::State::Blocked &&
                 split.wait == WaitKind::Mbarrier
             ? cluster.mbarrier(uint32_t(split.a), why)
             : nullptr;
}

static std::string warpName(Cluster &cluster, unsigned rank, unsigned warp) {
  return "warp " + std::to_string(warp) + " of " + cluster.cta(rank)->name();
}

/// Where the warp that may still arrive is now.
static std::string whereabouts(Cluster &cluster, unsigned rank,
                               unsigned index) {
  const Warp &warp = *cluster.cta(rank)->warps[index];
  if (warp.done())
    return "which has exited";
  const Split *at = nullptr;
  for (const Split &split : warp.splits)
    if (!at || split.state == Split::State::Runnable)
      at = &split;
  int line = cluster.machine.kernel.code[at->pc].line;
  return (at->state == Split::State::Runnable ? "which runs on line "
                                              : "which waits on line ") +
         std::to_string(line);
}

/// Lines of the kernel that change an mbarrier.
static std::string arrivalLines(const KernelCode &kernel) {
  std::string list;
  int last = 0;
  for (const DecodedInst &inst : kernel.code) {
    bool arrives = false;
    for (const char *part : {"mbarrier.arrive", "tcgen05.commit",
                             "mbarrier.complete_tx", "mbarrier::complete_tx"})
      arrives |= inst.text.find(part) != inst.text.npos;
    if (!arrives || inst.line == last)
      continue;
    last = inst.line;
    list += (list.empty() ? "" : ", ") + std::to_string(inst.line);
  }
  return list;
}

static std::string plural(uint64_t count, const char *noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

/// Which warps arrived in this phase, and which did in earlier ones and may
/// again.
static std::string describeArrivals(Cluster &cluster, const Mbarrier &b) {
  using Arrival = Mbarrier::Arrival;
  std::string now, before;
  for (const Arrival &by : b.arrivals) {
    bool current = by.phase == b.phase;
    std::string &list = current ? now : before;
    list += "\n      ";
    switch (by.kind) {
    case Arrival::Arrives:
      list += plural(by.amount, "arrival");
      break;
    case Arrival::ExpectsBytes:
      list += plural(by.amount, "byte") + " expected";
      break;
    case Arrival::BringsBytes:
      list += plural(by.amount, "byte") + " brought";
      break;
    }
    list += " by line " + std::to_string(by.line) +
            (by.async ? ", issued by " : " of ") +
            warpName(cluster, by.rank, by.warp);
    if (!current)
      list += " in phase " + std::to_string(by.phase) + ", " +
              whereabouts(cluster, by.rank, by.warp);
  }
  std::string text;
  if (!now.empty())
    text += "\n    in this phase:" + now;
  if (!before.empty())
    text += "\n    may still come, as before:" + before;
  if (b.arrivals.empty()) {
    std::string lines = arrivalLines(cluster.machine.kernel);
    text += "\n    nothing has arrived on it so far; " +
            (lines.empty() ? "no instruction of the kernel arrives on one"
                           : "instructions that arrive on one: lines " + lines);
  }
  return text;
}

static std::string describeMbarrier(Cluster &cluster, const Split &split) {
  std::string why;
  uint32_t address = uint32_t(split.a);
  Mbarrier *b = cluster.mbarrier(address, why);
  if (!b)
    return "an mbarrier: " + why;
  std::string text = "mbarrier at " + cluster.nameShared(address) +
                     " (initialised on line " + std::to_string(b->initLine) +
                     "), ";
  text += split.b < 2 ? "parity " + std::to_string(split.b)
                      : "the phase of a state";
  text += ": phase " + std::to_string(b->phase) + " has " +
          std::to_string(b->pending) + " of " + std::to_string(b->expected) +
          " arrivals pending and " + std::to_string(b->tx) +
          " bytes outstanding";
  if (!b->pending && b->tx > 0)
    text += "; more bytes are expected than copies bring";
  else if (b->tx < 0)
    text += "; copies have brought more bytes than are expected";
  if (split.b == 0 && b->phase == 0 && b->arrivals.empty())
    text += "; no phase has completed: a first wait that must not block, a "
            "producer's, takes parity 1";
  return text;
}

static std::string describeWait(Warp &w, const Split &split) {
  switch (split.wait) {
  case WaitKind::None:
    return "nothing";
  case WaitKind::Mbarrier:
    return describeMbarrier(w.cluster, split);
  case WaitKind::NamedBarrier: {
    const NamedBarrier &b = w.cta.barriers[split.a & 15];
    uint32_t expected = b.wholeCta ? w.cta.liveThreads : b.expected;
    return "barrier " + std::to_string(split.a) + ": " +
           std::to_string(b.arrived) + " of " + std::to_string(expected) +
           " threads have arrived";
  }
  case WaitKind::ClusterBarrier: {
    std::string missing;
    for (auto &cta : w.cluster.ctas)
      for (auto &warp : cta->warps)
        if (warp->liveMask() & ~warp->clusterArrived)
          missing += (missing.empty() ? "" : ", ") + warp->name();
    return "the cluster's barrier: " +
           std::to_string(w.cluster.barrier.arrived) + " of " +
           std::to_string(w.cluster.liveThreads) +
           " threads have arrived, missing: " + missing;
  }
  case WaitKind::Register:
    return "a register that a tcgen05.ld will write";
  case WaitKind::BulkGroup:
    return "bulk async-groups until at most " + std::to_string(split.a) +
           " are pending";
  case WaitKind::CpAsyncGroup:
    return "cp.async groups until at most " + std::to_string(split.a) +
           " are pending";
  case WaitKind::WgmmaGroup:
    return "wgmma groups until at most " + std::to_string(split.a) +
           " are pending";
  case WaitKind::TmemLoads:
    return "its tcgen05.ld to complete";
  case WaitKind::TmemStores:
    return "its tcgen05.st to complete";
  case WaitKind::TmemAlloc:
    return std::to_string(split.a) + " columns of Tensor Memory (" +
           std::to_string(w.machine.chip.tmemColumns -
                          w.cta.tmem.allocatedColumns()) +
           " of " + std::to_string(w.machine.chip.tmemColumns) + " are free)";
  case WaitKind::PeerCta:
    return "the peer CTA of its pair";
  case WaitKind::Registers:
    return std::to_string(split.a) + " registers per thread (it owns " +
           std::to_string(w.registers ? w.registers
                                      : w.cta.registers.perThread) +
           ", " + std::to_string(w.cta.registers.free) +
           " registers of the CTA are free)";
  case WaitKind::Collective: {
    uint32_t missing = uint32_t(split.a) & w.liveMask() & ~split.mask;
    const bool isAligned = w.machine.kernel.code[split.pc].aligned;
    return "lanes " + hex(missing) +
           (isAligned ? " to execute the same instruction"
                      : " to execute one with the same qualifiers and member "
                        "mask (PTX ISA 9.0, \"shfl.sync\", 9.7.9.6)");
  }
  case WaitKind::Reconvergence:
    return "other lanes of the warp";
  case WaitKind::Other:
    return "an event";
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Who waits for whom
//===----------------------------------------------------------------------===//

/// Warps that the wait of `warp` depends on, as far as earlier phases tell.
static std::vector<const Warp *> awaitedWarps(Cluster &cluster,
                                              const Warp &warp) {
  std::vector<const Warp *> list;
  for (const Split &split : warp.splits)
    if (const Mbarrier *b = awaited(cluster, split))
      for (const Mbarrier::Arrival &by : b->arrivals)
        if (by.phase != b->phase)
          list.push_back(cluster.cta(by.rank)->warps[by.warp].get());
  return list;
}

/// Warps that wait for each other in a circle; empty if none is known.
static std::vector<const Warp *> findCircle(Cluster &cluster,
                                            const std::vector<Warp *> &warps) {
  for (const Warp *start : warps) {
    // Breadth first: the shortest way back to the start.
    std::vector<std::pair<const Warp *, int>> queue{{start, -1}};
    for (size_t i = 0; i < queue.size(); ++i)
      for (const Warp *next : awaitedWarps(cluster, *queue[i].first)) {
        if (next == start) {
          std::vector<const Warp *> circle;
          for (int at = int(i); at >= 0; at = queue[size_t(at)].second)
            circle.insert(circle.begin(), queue[size_t(at)].first);
          return circle;
        }
        bool known = false;
        for (const auto &entry : queue)
          known |= entry.first == next;
        if (!known)
          queue.push_back({next, int(i)});
      }
  }
  return {};
}

/// Warps of one CTA that wait for the same thing on the same line.
struct Waiters {
  const Cta *cta;
  std::vector<unsigned> warps;
  std::string what;
};

static std::string nameOf(const Waiters &waiters) {
  std::string text = waiters.warps.size() == 1 ? "warp " : "warps ";
  for (size_t i = 0; i < waiters.warps.size(); ++i)
    text += (i ? ", " : "") + std::to_string(waiters.warps[i]);
  return text + " of " + waiters.cta->name();
}

std::string ClusterScheduler::describeWaits() const {
  std::vector<Waiters> list;
  std::vector<const Mbarrier *> told;
  for (auto &cta : impl->ctas)
    for (auto &warp : cta->warps)
      for (const Split &split : warp->splits) {
        const DecodedInst &inst = impl->machine.kernel.code[split.pc];
        std::string what = ", lanes " + hex(split.mask) + ", line " +
                           std::to_string(inst.line) + " '" +
                           cleanText(inst.text) + "'";
        if (split.state == Split::State::Runnable)
          what += warp->spins ? " repeats itself" : " runs";
        else
          what += " waits for " + describeWait(*warp, split);
        auto same =
            std::find_if(list.begin(), list.end(), [&](const Waiters &other) {
              return other.cta == cta.get() &&
                     other.what.compare(0, what.size(), what) == 0;
            });
        if (same != list.end()) {
          same->warps.push_back(warp->index);
          continue;
        }
        const Mbarrier *b = awaited(*impl, split);
        if (b && std::find(told.begin(), told.end(), b) == told.end()) {
          told.push_back(b);
          what += describeArrivals(*impl, *b);
        }
        list.push_back({cta.get(), {warp->index}, std::move(what)});
      }
  std::string text;
  for (size_t i = 0; i < list.size() && i < 64; ++i)
    text += "\n  " + nameOf(list[i]) + list[i].what;
  if (list.size() > 64)
    text += "\n  and " + std::to_string(list.size() - 64) + " more";
  std::vector<const Warp *> circle = findCircle(*impl, warps);
  for (size_t i = 0; i < circle.size(); ++i)
    text += (i ? " waits for " : "\n  circle: ") + circle[i]->name();
  if (!circle.empty())
    text += circle.size() == 1 ? " waits for itself" : " waits for the first";
  if (const AsyncOp *op =
          impl->engine.findIf([](const AsyncOp &) { return true; }))
    text += "\n  oldest pending asynchronous work: " + op->describe();
  return text;
}

} // namespace tc::emu
