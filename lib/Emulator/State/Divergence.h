//===- Divergence.h - splits that part and meet -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Independent thread scheduling: how a warp's splits part at branches, meet at
// post-dominators and collectives, and lose lanes that exit.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_STATE_DIVERGENCE_H
#define TC_EMULATOR_STATE_DIVERGENCE_H

#include "State/Warp.h"

namespace tc::emu {

/// The running split branches: `taken` lanes go to `target`, the others after
/// the branch. Both sides are expected at inst.reconverge.
void diverge(Warp &warp, const DecodedInst &inst, uint32_t taken,
             uint32_t target);

/// Same for several targets; `lanes[i]` go to `targets[i]`.
void divergeMany(Warp &warp, const DecodedInst &inst,
                 const std::vector<std::pair<uint32_t, uint32_t>> &ways);

/// The running split has reached its region's pc. It waits there, or goes on
/// with the lanes that did.
void arriveAtRegion(Warp &warp);

/// Lanes of the running split exit.
void exitLanes(Warp &warp, uint32_t lanes);

/// Whether the running split holds all live lanes of `members`. If other splits
/// wait at the same instruction they are merged into it, and Resplit is to be
/// returned; if some are still elsewhere the split waits for them.
enum class Gathered { Complete, Merged, Waiting };
Gathered gather(Warp &warp, uint32_t members);

/// Some lanes of the running split wait at its instruction for `awaited` ones,
/// the others go on.
void setAside(Warp &warp, uint32_t lanes, uint32_t awaited);

/// Gives up one region whose lanes wait for others: they go on alone. False if
/// the warp has none.
bool releaseRegion(Warp &warp);

} // namespace tc::emu

#endif // TC_EMULATOR_STATE_DIVERGENCE_H
