//===- WarpFlow.cpp - what depends on choices in a warp -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Certify/WarpFlow.h"

#include "State/Machine.h"

#include <algorithm>

namespace tc::emu {

void WarpFlow::start(const KernelFlow &kernel) {
  lanes.resize(kernel.numRegs());
  origin.resize(kernel.numRegs());
}

void WarpFlow::set(uint32_t reg, uint32_t of, OriginNumber on,
                   Origins &origins) {
  const uint32_t others = lanes[reg] & ~of;
  if (!on) {
    lanes[reg] = others;
    return;
  }
  if (!lanes[reg] &&
      std::find(marked.begin(), marked.end(), reg) == marked.end())
    marked.push_back(reg);
  origin[reg] = others ? origins.join(origin[reg], on) : on;
  lanes[reg] = others | of;
}

void WarpFlow::add(uint32_t reg, uint32_t of, OriginNumber on,
                   Origins &origins) {
  set(reg, of | lanes[reg], origins.join(at(reg, ~0u), on), origins);
}

void WarpFlow::split(uint32_t mask, uint32_t live) {
  if (!(live & ~mask))
    return;
  std::vector<uint32_t> parts;
  bool changed = false;
  for (uint32_t alike : classes) {
    const uint32_t in = alike & mask, out = alike & ~mask;
    changed |= in && out;
    for (uint32_t part : {in, out})
      if (part)
        parts.push_back(part);
  }
  if (changed)
    classes = std::move(parts);
}

//===----------------------------------------------------------------------===//
// Failed waits
//===----------------------------------------------------------------------===//

namespace {
constexpr unsigned kLongestRetry = 256;

/// Runs instructions on the warp's registers and takes everything back.
class Attempt {
public:
  Attempt(Warp &warp, const KernelFlow &kernel)
      : warp(warp), kernel(kernel), carry(warp.carry) {
    if (!warp.partial.empty())
      partial = warp.partial;
  }
  ~Attempt() {
    for (const Saved &saved : registers) {
      std::copy(saved.words.begin(), saved.words.end(),
                warp.data[0] + kernel.kernel.registerOffsets[saved.reg]);
      warp.defined[0][saved.reg] = saved.defined;
    }
    warp.carry = carry;
    if (!partial.empty())
      warp.partial = std::move(partial);
  }
  Attempt(const Attempt &) = delete;
  Attempt &operator=(const Attempt &) = delete;

  void save(uint32_t reg) {
    if (reg >= kernel.kernel.numRegs)
      return;
    for (const Saved &saved : registers)
      if (saved.reg == reg)
        return;
    const uint32_t *at = warp.data[0] + kernel.kernel.registerOffsets[reg];
    registers.push_back({reg,
                         warp.defined[0][reg],
                         {at, at + KernelFlow::wordsOf(kernel.kernel, reg)}});
  }
  /// Registers that are not what they were.
  std::vector<uint32_t> changed() const {
    std::vector<uint32_t> list;
    for (const Saved &saved : registers)
      if (!std::equal(saved.words.begin(), saved.words.end(),
                      warp.data[0] +
                          kernel.kernel.registerOffsets[saved.reg]) ||
          saved.defined != warp.defined[0][saved.reg])
        list.push_back(saved.reg);
    if (warp.carry != carry)
      list.push_back(kernel.kernel.numRegs);
    return list;
  }

private:
  struct Saved {
    uint32_t reg, defined;
    std::vector<uint32_t> words;
  };
  Warp &warp;
  const KernelFlow &kernel;
  const uint32_t carry;
  std::vector<Saved> registers;
  std::unordered_map<uint32_t, PartialRegister> partial;
};
} // namespace

/// Executes pure instructions from after the wait; the pcs on the way back to
/// it, or none.
static std::vector<uint32_t> wayBack(Warp &warp, Attempt &attempt,
                                     const KernelFlow &kernel, uint32_t wait,
                                     uint32_t lanes) {
  const std::vector<DecodedInst> &code = kernel.kernel.code;
  const Split &split = warp.split();
  const uint32_t meet = split.region >= 0 ? warp.regions[split.region].pc : ~0u;
  std::vector<uint32_t> way{wait};
  for (uint32_t pc = wait + 1; pc != wait;) {
    // There other lanes may be waited for.
    if (way.size() > kLongestRetry || pc >= code.size() || pc == meet)
      return {};
    const DecodedInst &inst = code[pc];
    if (inst.flow == Flow::Effect || inst.choice != Choice::None)
      return {};
    uint32_t active = lanes;
    if (inst.guarded) {
      if (lanes & ~warp.defined[0][inst.guard.reg])
        return {};
      const uint32_t guard = warp.data[0][inst.guard.offset];
      active &= inst.guardNegated ? ~guard : guard;
    }
    way.push_back(pc);
    if (inst.flow == Flow::Branch) {
      if (active && active != lanes)
        return {};
      pc = active ? inst.target : pc + 1;
      continue;
    }
    if (active && inst.flow == Flow::Pure) {
      for (uint32_t reg : inst.reads)
        if (active & ~warp.defined[0][reg])
          return {};
      for (uint32_t reg : kernel[pc].writes) {
        if (reg < kernel.kernel.numRegs && warp.pendingOp(reg))
          return {};
        attempt.save(reg);
      }
      if (inst.run(warp, inst, active) != Step::Next)
        return {};
    }
    ++pc;
  }
  return way;
}

/// Whether going this way again and again never depends on the registers that
/// it changes. These and what is made of them are left in `changed`.
static bool goesTheSameWay(const KernelFlow &kernel,
                           const std::vector<uint32_t> &way,
                           std::vector<uint32_t> &changed) {
  std::vector<bool> differs(kernel.numRegs());
  std::vector<bool> ever(kernel.numRegs());
  for (uint32_t reg : changed)
    differs[reg] = ever[reg] = true;
  for (bool isNew = true; isNew;) {
    isNew = false;
    for (uint32_t pc : way) {
      const DecodedInst &inst = kernel.kernel.code[pc];
      bool reads = false;
      for (uint32_t reg : kernel[pc].controls)
        reads |= differs[reg];
      for (uint32_t reg : kernel[pc].values)
        reads |= differs[reg];
      const bool guard = inst.guarded && differs[inst.guard.reg];
      if (guard ||
          (reads && inst.flow != Flow::Pure && inst.flow != Flow::Pause))
        return false;
      for (uint32_t reg : kernel[pc].writes) {
        isNew |= reads && !ever[reg];
        if (reads)
          differs[reg] = ever[reg] = true;
        else if (!inst.guarded)
          differs[reg] = false;
      }
    }
  }
  for (uint32_t reg = 0; reg < kernel.numRegs(); ++reg)
    if (ever[reg] &&
        std::find(changed.begin(), changed.end(), reg) == changed.end())
      changed.push_back(reg);
  return true;
}

bool failureLeadsBack(Warp &warp, WarpFlow &flow, const KernelFlow &kernel,
                      uint32_t pc, uint32_t lanes, OriginNumber origin,
                      Origins &origins) {
  const DecodedInst &wait = kernel.kernel.code[pc];
  if (lanes != warp.split().mask)
    return false;
  std::vector<uint32_t> changed;
  {
    Attempt attempt(warp, kernel);
    attempt.save(wait.d[0].reg);
    warp.setPredicate(wait.d[0], lanes, 0);
    const std::vector<uint32_t> way = wayBack(warp, attempt, kernel, pc, lanes);
    if (way.empty())
      return false;
    changed = attempt.changed();
    if (!goesTheSameWay(kernel, way, changed))
      return false;
  }
  // The wait itself gives its predicate anew.
  for (uint32_t reg : changed)
    if (reg != wait.d[0].reg)
      flow.add(reg, lanes, origin, origins);
  return true;
}

} // namespace tc::emu
