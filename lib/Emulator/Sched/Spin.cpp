//===- Spin.cpp - warps that repeat themselves ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares the state of the warp, instruction by instruction, with that at the
// start: all of it but the registers that decide nothing. A loop that polls may
// count its rounds; the counter feeds only itself, and comes back or not
// without changing where the loop goes and what it touches.
//
//===----------------------------------------------------------------------===//

#include "Sched/Spin.h"

#include "Sched/Interpreter.h"
#include "State/Machine.h"

#include <algorithm>
#include <map>
#include <set>

namespace tc::emu {

/// Longest loop that is recognised, in instructions.
static constexpr unsigned kLongestLoop = 4096;

bool usesCarry(const DecodedInst &inst) {
  for (std::string_view part : {".cc", "addc", "subc", "madc"})
    if (inst.text.find(part) != inst.text.npos)
      return true;
  return false;
}

/// Reads a special register that changes by itself.
static bool readsClock(const DecodedInst &inst) {
  return inst.text.find("%clock") != inst.text.npos ||
         inst.text.find("%globaltimer") != inst.text.npos;
}

/// Whether the time decides how the instructions at `pcs` go on.
static bool waitsForTime(const KernelCode &kernel,
                         const std::set<uint32_t> &pcs,
                         const std::vector<bool> &idle) {
  return std::any_of(pcs.begin(), pcs.end(), [&](uint32_t pc) {
    const DecodedInst &inst = kernel.code[pc];
    return readsClock(inst) && (!inst.d[0].valid || !idle[inst.d[0].reg]);
  });
}

/// By register: whether the instructions at `pcs`, run again and again, go the
/// same way and touch the same memory whatever it holds. Such a register is
/// read only by computations whose results are such registers.
static std::vector<bool> idleRegisters(const KernelCode &kernel,
                                       const std::set<uint32_t> &pcs) {
  std::vector<bool> idle(kernel.numRegs, true);
  for (bool changed = true; changed;) {
    changed = false;
    auto decides = [&](uint32_t reg) {
      changed |= idle[reg];
      idle[reg] = false;
    };
    for (uint32_t pc : pcs) {
      const DecodedInst &inst = kernel.code[pc];
      bool needed = !inst.computes || usesCarry(inst) || !inst.d[0].valid;
      for (const Dst &result : inst.d)
        needed |= result.valid && !idle[result.reg];
      if (!needed)
        continue;
      for (uint32_t reg : inst.reads)
        decides(reg);
      if (inst.guarded)
        decides(inst.guard.reg);
    }
  }
  return idle;
}

namespace {
/// What decides how a warp goes on, other than memory that others write.
class LoopOfWarp {
public:
  explicit LoopOfWarp(const Warp &w)
      : splits(w.splits), current(w.current), carry(w.carry),
        frame(w.data[0], w.data[0] + w.machine.kernel.frameWords),
        defined(w.defined[0], w.defined[0] + w.machine.kernel.numRegs),
        local(w.local) {}

  bool sameControl(const Warp &w) const {
    if (splits.size() != w.splits.size() || current != w.current ||
        carry != w.carry)
      return false;
    for (size_t i = 0; i < splits.size(); ++i)
      if (splits[i].pc != w.splits[i].pc ||
          splits[i].mask != w.splits[i].mask ||
          splits[i].state != w.splits[i].state ||
          splits[i].released != w.splits[i].released ||
          splits[i].scratch != w.splits[i].scratch ||
          splits[i].region != w.splits[i].region)
        return false;
    return true;
  }

  bool sameRegisters(const Warp &w, const std::vector<bool> &idle) const {
    const KernelCode &kernel = w.machine.kernel;
    for (uint32_t reg = 0; reg < kernel.numRegs; ++reg) {
      if (idle[reg])
        continue;
      if (defined[reg] != w.defined[0][reg] || !sameRegister(w, reg))
        return false;
    }
    return local == w.local;
  }

  bool sameRegister(const Warp &w, uint32_t reg) const {
    const KernelCode &kernel = w.machine.kernel;
    const uint32_t begin = kernel.registerOffsets[reg],
                   end = reg + 1 < kernel.numRegs
                             ? kernel.registerOffsets[reg + 1]
                             : kernel.frameWords;
    return memcmp(&frame[begin], w.data[0] + begin, (end - begin) * 4) == 0;
  }

private:
  std::vector<Split> splits;
  unsigned current;
  uint32_t carry;
  std::vector<uint32_t> frame, defined;
  std::vector<uint8_t> local;
};
} // namespace

/// Instructions of a cluster before it is watched, then those without a change
/// after which it may be repeating itself, and the first guess at how long that
/// takes.
static constexpr uint64_t kWatchFrom = 1 << 20, kUnchanged = 1 << 18,
                          kFirstGuess = 1 << 18;

struct Recurrence::Snapshot {
  std::vector<LoopOfWarp> warps;
  std::vector<std::array<NamedBarrier, 16>> barriers; ///< by rank
  std::vector<std::array<uint32_t, 2>> met; ///< by warp: barrier.cluster
  uint32_t arrived = 0, parity = 0;         ///< the same, of the cluster
};

static bool same(const NamedBarrier &x, const NamedBarrier &y) {
  return x.expected == y.expected && x.arrived == y.arrived &&
         x.wholeCta == y.wholeCta && x.isReduction == y.isReduction &&
         x.reduceCount == y.reduceCount && x.resultCount == y.resultCount &&
         x.resultThreads == y.resultThreads;
}

Recurrence::Recurrence(Cluster &cluster)
    : cluster(cluster), watchFrom(kWatchFrom), patience(kUnchanged),
      longest(kFirstGuess) {}
Recurrence::~Recurrence() = default;

void Recurrence::drop() {
  snapshot = nullptr;
  cluster.reached.clear();
}

void Recurrence::take() {
  cluster.reached.assign(cluster.machine.kernel.code.size(), false);
  snapshot = std::make_unique<Snapshot>();
  for (const auto &cta : cluster.ctas) {
    snapshot->barriers.push_back(cta->barriers);
    for (const auto &warp : cta->warps) {
      snapshot->warps.emplace_back(*warp);
      snapshot->met.push_back({warp->clusterArrived, warp->clusterParity});
    }
  }
  snapshot->arrived = cluster.barrier.arrived;
  snapshot->parity = cluster.barrier.phase & 1;
  taken = cluster.instructions;
}

bool Recurrence::comesBack() {
  const uint64_t now = cluster.instructions;
  if (!cluster.watchesStores) {
    if (now < watchFrom)
      return false;
    cluster.watchesStores = true;
    changes = cluster.effects - cluster.harmless;
    since = now;
    return false;
  }
  // Who changes something is left alone for as long as it has run.
  if (cluster.effects - cluster.harmless != changes) {
    cluster.watchesStores = false;
    watchFrom = 2 * now;
    patience = kUnchanged;
    drop();
    return false;
  }
  if (!snapshot) {
    if (now - since >= patience)
      take();
    return false;
  }
  bool isSame = snapshot->arrived == cluster.barrier.arrived &&
                snapshot->parity == (cluster.barrier.phase & 1);
  size_t index = 0;
  for (size_t rank = 0; isSame && rank < cluster.ctas.size(); ++rank) {
    const Cta &cta = *cluster.ctas[rank];
    isSame = std::equal(cta.barriers.begin(), cta.barriers.end(),
                        snapshot->barriers[rank].begin(), same);
    for (size_t i = 0; isSame && i < cta.warps.size(); ++i, ++index) {
      const Warp &warp = *cta.warps[i];
      isSame =
          snapshot->warps[index].sameControl(warp) &&
          snapshot->met[index] ==
              std::array<uint32_t, 2>{warp.clusterArrived, warp.clusterParity};
    }
  }
  if (isSame) {
    std::set<uint32_t> pcs;
    for (uint32_t pc = 0; pc < cluster.reached.size(); ++pc)
      if (cluster.reached[pc])
        pcs.insert(pc);
    const std::vector<bool> idle = idleRegisters(cluster.machine.kernel, pcs);
    isSame = !waitsForTime(cluster.machine.kernel, pcs, idle);
    index = 0;
    for (const auto &cta : cluster.ctas)
      for (const auto &warp : cta->warps)
        isSame = isSame && snapshot->warps[index++].sameRegisters(*warp, idle);
  }
  if (isSame) {
    patience = 0;
    return true;
  }
  if (now - taken > longest) {
    longest *= 2;
    take();
  }
  return false;
}

namespace {
enum class Course { Repeats, Waits, Acts, Polls, GoesOn };
}

/// Strong accesses of a loop: where the address of each is kept, the first
/// time, and how often it was there, or never again.
class Polled {
public:
  void see(const Warp &w) {
    if (w.current >= w.splits.size())
      return;
    const uint32_t pc = w.splits[w.current].pc;
    const DecodedInst &inst = w.machine.kernel.code[pc];
    if (inst.order == MemoryOrder::Weak || !inst.mem)
      return;
    const uint32_t *base = w.r32(inst.mem.base);
    const std::vector<uint32_t> now(base, base + (inst.mem.base64 ? 64 : 32));
    auto [place, isNew] = places.try_emplace(pc, Place{now, 0});
    if (place->second.base != now)
      place->second.base.clear(); // equals none from now on
    else if (!isNew)
      ++place->second.times;
  }
  /// One place again and again.
  bool any() const {
    return std::any_of(places.begin(), places.end(), [](const auto &place) {
      return place.second.times && !place.second.base.empty();
    });
  }

private:
  struct Place {
    std::vector<uint32_t> base;
    unsigned times;
  };
  std::map<uint32_t, Place> places;
};

static Course courseOf(Warp &warp) {
  Cluster &cluster = warp.cluster;
  const KernelCode &kernel = warp.machine.kernel;
  const LoopOfWarp start(warp);
  const uint64_t effects = cluster.effects;
  std::set<uint32_t> pcs;
  std::vector<bool> idle;
  size_t known = 0; // instructions that `idle` was computed from
  Polled polled;
  for (unsigned i = 0; i < kLongestLoop; ++i) {
    for (const Split &split : warp.splits)
      pcs.insert(split.pc);
    polled.see(warp);
    SliceEnd end = runSlice(warp, 1);
    if (end == SliceEnd::Blocked)
      return Course::Waits;
    if (cluster.effects != effects ||
        (end != SliceEnd::Budget && end != SliceEnd::Yielded))
      return Course::Acts;
    if (!start.sameControl(warp))
      continue;
    if (known != pcs.size()) {
      idle = idleRegisters(kernel, pcs);
      known = pcs.size();
    }
    if (start.sameRegisters(warp, idle))
      return waitsForTime(kernel, pcs, idle) ? Course::GoesOn : Course::Repeats;
  }
  return polled.any() ? Course::Polls : Course::GoesOn;
}

bool repeatsItself(Warp &warp) { return courseOf(warp) == Course::Repeats; }

bool goesOn(Warp &warp) {
  const Course course = courseOf(warp);
  return course == Course::Acts || course == Course::GoesOn;
}

} // namespace tc::emu
