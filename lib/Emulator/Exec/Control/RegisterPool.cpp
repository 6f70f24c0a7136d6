//===- RegisterPool.cpp - setmaxnreg --------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, "Miscellaneous Instructions: setmaxnreg": warps give registers
// to a pool of their CTA and take them from there; taking blocks until there
// are enough. The CTA starts with what .maxnreg, or its number of threads and
// the register file, allow per thread; without either nothing is counted.
//
//===----------------------------------------------------------------------===//

#include "Exec/Decode/InstructionTable.h"
#include "State/Machine.h"

#include <algorithm>

namespace tc::emu {

static constexpr unsigned kMost = RegisterPool::kMost;
static constexpr unsigned kStep = RegisterPool::kStep;
static constexpr unsigned kWarpsPerGroup = RegisterPool::kWarpsPerGroup;
static constexpr unsigned kLeast = 24;
static constexpr const char *kSection = RegisterPool::kSection;

/// aux: 1 for .inc. imm: registers per thread.
static Step execSetmaxnreg(Warp &w, const DecodedInst &i, uint32_t active) {
  Cta &cta = w.cta;
  RegisterPool &pool = cta.registers;
  if (!pool.perThread)
    return Step::Next;
  const unsigned wanted = unsigned(i.imm);
  unsigned owned = w.registers ? w.registers : pool.perThread;
  const bool takes = i.aux;
  // A thread has 255 registers at most, between two steps: a kernel that the
  // PTX leaves as many as there are starts with either, and keeps them.
  if (takes && !w.registers && owned == RegisterPool::kMost &&
      wanted == owned - RegisterPool::kStep)
    owned = wanted;
  if (takes ? wanted < owned : wanted > owned)
    return w.fail(ReportKind::Sync, i,
                  std::string("expected at ") + (takes ? "least" : "most") +
                      " the " + std::to_string(owned) +
                      " registers per thread that the warp owns, got " +
                      std::to_string(wanted) + kSection);
  // Every warp of the warpgroup executes the same setmaxnreg.
  unsigned first = w.index / kWarpsPerGroup * kWarpsPerGroup;
  for (unsigned k = first;
       k < std::min<size_t>(first + kWarpsPerGroup, cta.warps.size()); ++k) {
    const Warp &other = *cta.warps[k];
    if (other.registerChanges == w.registerChanges + 1 &&
        other.registers != wanted) {
      if (!takes && w.machine.assumes(Assumption::UnevenSetmaxnreg)) {
        w.machine.noteUse(Assumption::UnevenSetmaxnreg, i.line, i.line);
        continue;
      }
      return w.fail(ReportKind::Sync, i,
                    "expected the same number of registers in all warps of the "
                    "warpgroup, " +
                        other.name() + " has set " +
                        std::to_string(other.registers) + ", got " +
                        std::to_string(wanted) + kSection);
    }
  }
  if (takes) {
    unsigned missing = (wanted - owned) * 32;
    unsigned numWarps = unsigned(cta.warps.size());
    unsigned reach =
        numWarps * pool.perThread * 32 - (numWarps - 1) * kLeast * 32;
    if (wanted * 32 > reach)
      return w.fail(
          ReportKind::Resource, i,
          "can never be satisfied: the CTA's " + std::to_string(numWarps) +
              " warps share " + std::to_string(numWarps * pool.perThread * 32) +
              " registers (" + std::to_string(pool.perThread) +
              " per thread at the start); with " + std::to_string(kLeast) +
              " in all other warps, expected at most " +
              std::to_string(std::min(kMost, reach / 32 / kStep * kStep)) +
              ", got " + std::to_string(wanted) + kSection);
    if (pool.free < missing)
      return w.block(WaitKind::Registers, &pool, wanted);
    pool.free -= missing;
  } else {
    // Registers that fewer than four warps give up are not available to others:
    // an H200 waits for ever in the setmaxnreg.inc that needs it
    // (docs/Device.md).
    if (first + kWarpsPerGroup <= cta.warps.size()) {
      pool.free += (owned - wanted) * 32;
      w.cluster.wake(&pool);
    }
  }
  if (w.cluster.events)
    w.cluster.events->sync({SyncEvent::Registers, &w, active, nullptr, wanted,
                            takes, MemoryOrder::AcqRel, Scope::Cta, i.line});
  w.registers = wanted;
  ++w.registerChanges;
  w.registerLine = i.line;
  ++w.cluster.effects;
  return Step::Next;
}

static void decodeSetmaxnreg(DecodeContext &c) {
  std::string_view direction = c.takeOneOf({"inc", "dec"});
  bool good = c.take("sync");
  c.inst.aligned = c.take("aligned");
  if (direction.empty() || !good || !c.inst.aligned ||
      c.takeType() != Type::U32)
    return c.fail("expected .inc or .dec, .sync.aligned.u32");
  if (!c.expectOperands(1, 1))
    return;
  int64_t count = c.immediate(c.operand(0));
  if (count < kLeast || count > kMost || count % kStep)
    return c.fail("expected a multiple of 8 from 24 to 256");
  c.inst.imm = uint64_t(count);
  c.inst.aux = direction == "inc";
  c.inst.fn = execSetmaxnreg;
}

void registerRegisterPool(InstructionTable &table) {
  table.add("setmaxnreg", decodeSetmaxnreg);
}

} // namespace tc::emu
