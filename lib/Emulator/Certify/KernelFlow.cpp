//===- KernelFlow.cpp - operands and regions of a kernel ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Certify/KernelFlow.h"

#include "State/Machine.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace tc::emu {

/// Reads or writes the carry flag, a register that no operand names.
static bool usesCarry(const DecodedInst &inst) {
  for (std::string_view part : {".cc", "addc", "subc", "madc"})
    if (inst.text.find(part) != inst.text.npos)
      return true;
  return false;
}

KernelFlow::KernelFlow(const KernelCode &kernel) : kernel(kernel) {
  all.reserve(kernel.code.size());
  for (const DecodedInst &inst : kernel.code) {
    Operands operands;
    std::set<uint32_t> controls(inst.reads.begin(), inst.reads.end());
    std::set<uint32_t> values(inst.values.begin(), inst.values.end());
    for (uint32_t reg : values)
      if (!inst.mem || inst.mem.base.bank || inst.mem.base.reg != reg)
        controls.erase(reg);
    // Special registers, and what a decoder has made itself.
    for (const Src &source : inst.s)
      if (source.valid && !source.bank && !values.count(source.reg))
        controls.insert(source.reg);
    if (inst.mem && !inst.mem.base.bank)
      controls.insert(inst.mem.base.reg);
    std::set<uint32_t> writes(inst.writes.begin(), inst.writes.end());
    for (const Dst &result : inst.d)
      if (result.valid)
        writes.insert(result.reg);
    operands.isPure = inst.flow == Flow::Pure;
    if (operands.isPure && usesCarry(inst)) {
      controls.insert(kernel.numRegs);
      writes.insert(kernel.numRegs);
    }
    operands.controls.assign(controls.begin(), controls.end());
    operands.values.assign(values.begin(), values.end());
    operands.writes.assign(writes.begin(), writes.end());
    all.push_back(std::move(operands));
    elects |= inst.choice == Choice::ElectedLane;
    allocates |= inst.choice == Choice::Columns;
  }
}

const KernelFlow::Region &KernelFlow::region(uint32_t from,
                                             uint32_t end) const {
  std::lock_guard<std::mutex> guard(lock);
  std::unique_ptr<Region> &known = regions[uint64_t(from) << 32 | end];
  if (!known)
    known = std::make_unique<Region>(findRegion(from, end));
  return *known;
}

/// A walk in depth; a way back to an instruction that is on the present path is
/// a loop.
KernelFlow::Region KernelFlow::findRegion(uint32_t from, uint32_t end) const {
  Region found;
  std::set<uint32_t> writes, onPath, seen;
  struct Visit {
    uint32_t pc;
    bool leaves;
  };
  std::vector<Visit> stack{{from, false}};
  while (!stack.empty()) {
    const Visit visit = stack.back();
    stack.pop_back();
    if (visit.leaves) {
      onPath.erase(visit.pc);
      continue;
    }
    if (visit.pc == end || visit.pc >= all.size())
      continue;
    const DecodedInst &inst = kernel.code[visit.pc];
    if (onPath.count(visit.pc) && !found.loopLine)
      found.loopLine = inst.line;
    if (!seen.insert(visit.pc).second)
      continue;
    onPath.insert(visit.pc);
    stack.push_back({visit.pc, true});
    if (inst.flow == Flow::Effect && !found.effectLine)
      found.effectLine = inst.line;
    writes.insert(all[visit.pc].writes.begin(), all[visit.pc].writes.end());
    if (inst.flow == Flow::Effect)
      continue;
    if (inst.flow != Flow::Branch || inst.guarded)
      stack.push_back({visit.pc + 1, false});
    if (inst.flow == Flow::Branch)
      stack.push_back({inst.target, false});
  }
  found.writes.assign(writes.begin(), writes.end());
  return found;
}

uint32_t KernelFlow::wordsOf(const KernelCode &kernel, uint32_t reg) {
  const uint32_t end = reg + 1 < kernel.numRegs
                           ? kernel.registerOffsets[reg + 1]
                           : kernel.frameWords;
  return end - kernel.registerOffsets[reg];
}

bool KernelFlow::isUniform(const Warp &warp, uint32_t reg, uint32_t lanes) {
  const KernelCode &kernel = warp.machine.kernel;
  if (reg >= kernel.numRegs)
    return !(warp.carry & lanes) || (warp.carry & lanes) == lanes;
  const uint32_t *at = warp.data[0] + kernel.registerOffsets[reg];
  const uint32_t words = wordsOf(kernel, reg);
  if (words < 32) // a predicate
    return !(*at & lanes) || (*at & lanes) == lanes;
  const uint32_t perLane = words / 32;
  const auto first = unsigned(__builtin_ctz(lanes));
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    const auto lane = unsigned(__builtin_ctz(rest));
    if (memcmp(at + size_t(perLane) * lane, at + size_t(perLane) * first,
               size_t(perLane) * 4) != 0)
      return false;
  }
  return true;
}

std::string opcodeOf(const DecodedInst &inst) {
  std::string_view text = inst.text;
  if (!text.empty() && text[0] == '@') {
    const size_t space = text.find_first_of(" \t\n");
    text.remove_prefix(space == text.npos ? text.size() : space);
    const size_t begin = text.find_first_not_of(" \t\n");
    text.remove_prefix(begin == text.npos ? text.size() : begin);
  }
  return std::string(text.substr(0, text.find_first_of(" \t\n;[{(")));
}

} // namespace tc::emu
