//===- Spin.h - warps that repeat themselves --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp that reaches the same registers at the same place without having done
// anything that others can see will do so for ever, unless somebody else
// changes what it reads. Loops that poll memory by hand are found that way;
// waits that block need none of this.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_SCHED_SPIN_H
#define TC_EMULATOR_SCHED_SPIN_H

#include "State/Warp.h"

namespace tc::emu {

/// Runs the warp for at most a few thousand instructions and says whether it
/// came back to where it started, counters of rounds aside. False, too, if it
/// did something or stopped.
bool repeatsItself(Warp &warp);

} // namespace tc::emu

#endif // TC_EMULATOR_SCHED_SPIN_H
