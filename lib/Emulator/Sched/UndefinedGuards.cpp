//===- UndefinedGuards.cpp - guards without a value -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Libraries branch on values that nothing wrote and use no result of it, such
// as CUB's scans by key, whose first tiles have no predecessor.
//
//===----------------------------------------------------------------------===//

#include "Sched/UndefinedGuards.h"

#include "Sched/Spin.h"
#include "State/Divergence.h"
#include "State/Machine.h"

#include <set>

namespace tc::emu {

/// Instructions between a branch and where its ways meet, at most.
static constexpr size_t kLargestRegion = 512;

/// Whether the instruction only writes registers that nothing is loaded to.
static bool onlyComputes(const Warp &w, const DecodedInst &inst) {
  if ((!inst.computes && !inst.propagatesUndefined) || usesCarry(inst) ||
      !inst.d[0].valid)
    return false;
  for (const Dst &result : inst.d)
    if (result.valid && w.pendingOp(result.reg))
      return false;
  return true;
}

static void undefineResults(Warp &w, const DecodedInst &inst, const Src &guard,
                            uint32_t undefined) {
  for (const Dst &result : inst.d)
    if (result.valid) {
      w.copyOrigins(result, guard, undefined);
      w.undefine(result, undefined);
    }
}

bool passesGuardOn(Warp &w, const DecodedInst &inst, uint32_t undefined) {
  if (!onlyComputes(w, inst))
    return false;
  undefineResults(w, inst, inst.guard, undefined);
  return true;
}

/// A branch to a label, which has no operands.
static bool isBranch(const DecodedInst &inst, const DecodedInst &like) {
  return inst.fn == like.fn && !inst.payload;
}

bool skipsUndefined(Warp &w, const DecodedInst &branch, uint32_t undefined) {
  const std::vector<DecodedInst> &code = w.machine.kernel.code;
  const auto pc = uint32_t(&branch - code.data());
  const uint32_t end = branch.reconverge;
  if (end == ~0u || end <= pc || branch.payload || branch.target <= pc)
    return false;
  std::set<uint32_t> region, open = {pc + 1, branch.target};
  while (!open.empty()) {
    const uint32_t at = *open.begin();
    open.erase(open.begin());
    if (at == end || !region.insert(at).second)
      continue;
    const DecodedInst &inst = code[at];
    const bool jumps = isBranch(inst, branch);
    if (at > end || region.size() > kLargestRegion ||
        (jumps ? inst.target <= at : !onlyComputes(w, inst)))
      return false;
    if (jumps)
      open.insert(inst.target);
    if (!jumps || inst.guarded)
      open.insert(at + 1);
  }
  // The guard may be written there itself.
  const Src guard = branch.guard;
  const uint32_t taken =
      w.data[0][guard.offset] ^ (branch.guardNegated ? ~0u : 0u);
  for (uint32_t at : region)
    if (!isBranch(code[at], branch))
      undefineResults(w, code[at], guard, undefined);
  const uint32_t known = w.split().mask & ~undefined;
  divergeMany(w, branch,
              {{end, undefined},
               {branch.target, known & taken},
               {pc + 1, known & ~taken}});
  return true;
}

} // namespace tc::emu
