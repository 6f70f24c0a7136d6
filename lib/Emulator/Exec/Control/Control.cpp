//===- Control.cpp - branches, exit, trap ---------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, "Control Flow Instructions" and the miscellaneous instructions
// that end or delay a thread.
//
//===----------------------------------------------------------------------===//

#include "Exec/Decode/FunctionDecoder.h"
#include "State/Divergence.h"
#include "State/Machine.h"

namespace tc::emu {

Step execBranch(Warp &w, const DecodedInst &i, uint32_t active) {
  Split &split = w.split();
  if (active == split.mask) {
    split.pc = i.target;
    return Step::Jump;
  }
  diverge(w, i, active, i.target);
  return Step::Resplit;
}

Step execIndirectBranch(Warp &w, const DecodedInst &i, uint32_t active) {
  const BranchTable &table = i.as<BranchTable>();
  const uint32_t *index = w.r32(i.s[0]);
  std::vector<std::pair<uint32_t, uint32_t>> ways;
  if (uint32_t others = w.split().mask & ~active)
    ways.push_back({w.split().pc + 1, others});
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    if (index[l] >= table.targets.size())
      return w.fail(ReportKind::Trap, i,
                    "expected an index below " +
                        std::to_string(table.targets.size()) + ", got " +
                        std::to_string(index[l]));
    uint32_t target = table.targets[index[l]];
    bool known = false;
    for (auto &[pc, mask] : ways)
      if (pc == target) {
        mask |= 1u << l;
        known = true;
      }
    if (!known)
      ways.push_back({target, 1u << l});
  }
  if (ways.size() == 1) {
    w.split().pc = ways[0].first;
    return Step::Jump;
  }
  divergeMany(w, i, ways);
  return Step::Resplit;
}

Step execExit(Warp &w, const DecodedInst &i, uint32_t active) {
  // The rest of the split, if any, goes on after the instruction.
  w.split().pc += 1;
  bool gone = active == w.split().mask;
  unsigned index = w.current;
  exitLanes(w, active);
  if (!gone && index < w.splits.size()) {
    Split &split = w.splits[index];
    if (split.region >= 0 && w.regions[split.region].pc == split.pc) {
      w.current = index;
      arriveAtRegion(w);
    }
  }
  return Step::Resplit;
}

Step execTrap(Warp &w, const DecodedInst &i, uint32_t active) {
  return w.fail(ReportKind::Trap, i, "trap");
}

/// Suspends execution (PTX ISA 9.0, 9.7.19.1), and no debugger is there to
/// resume it. Unlike a trap it does not end its path.
static Step execBreakpoint(Warp &w, const DecodedInst &i, uint32_t active) {
  return w.fail(ReportKind::Trap, i, "brkpt");
}

static Step execYield(Warp &w, const DecodedInst &i, uint32_t active) {
  return Step::Yield;
}

static void decodeBra(DecodeContext &c) {
  c.take("uni");
  if (!c.expectOperands(1, 1))
    return;
  uint32_t label =
      c.operand(0).isName() ? c.decoder.findLabel(c.operand(0).name) : ~0u;
  if (label == ~0u)
    return c.fail("expected a label");
  c.decoder.addBranch(c.decoder.here(), label);
  c.inst.fn = execBranch;
}

static void decodeBrx(DecodeContext &c) {
  c.take("uni");
  if (!c.expectOperands(2, 2))
    return;
  const std::vector<std::string_view> *table =
      c.operand(1).isName() ? c.decoder.findTable(c.operand(1).name) : nullptr;
  if (!table)
    return c.fail("expected the name of a .branchtargets list");
  std::vector<uint32_t> labels;
  for (std::string_view name : *table) {
    labels.push_back(c.decoder.findLabel(name));
    if (labels.back() == ~0u)
      return c.fail("unknown label '" + std::string(name) + "'");
  }
  c.inst.s[0] = c.src(0, Type::B32);
  c.inst.fn = execIndirectBranch;
  c.decoder.addIndirect(c.decoder.here(), std::move(labels));
}

static void decodeRet(DecodeContext &c) {
  c.take("uni");
  if (!c.expectOperands(0, 0))
    return;
  if (!c.decoder.inlined()) {
    c.inst.fn = execExit;
    return;
  }
  c.decoder.addBranch(c.decoder.here(), c.decoder.returnLabel());
  c.inst.fn = execBranch;
}

static void decodeExit(DecodeContext &c) {
  if (c.expectOperands(0, 0))
    c.inst.fn = execExit;
}

static void decodeTrap(DecodeContext &c) {
  if (c.expectOperands(0, 0))
    c.inst.fn = execTrap;
}

static void decodeBreakpoint(DecodeContext &c) {
  if (c.expectOperands(0, 0))
    c.inst.fn = execBreakpoint;
}

static void decodeNanosleep(DecodeContext &c) {
  c.takeType();
  if (!c.expectOperands(1, 1))
    return;
  c.inst.s[0] = c.src(0, Type::U32);
  c.inst.flow = Flow::Pause;
  c.inst.fn = execYield;
}

void registerControlInstructions(InstructionTable &table) {
  table.add("bra", decodeBra);
  table.add("brx.idx", decodeBrx);
  table.add("ret", decodeRet);
  table.add("exit", decodeExit);
  table.add("trap", decodeTrap);
  table.add("brkpt", decodeBreakpoint);
  table.add("nanosleep", decodeNanosleep);
}

} // namespace tc::emu
