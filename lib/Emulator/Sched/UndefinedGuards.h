//===- UndefinedGuards.h - guards without a value ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A guard decides nothing where it chooses between computations alone: what
// they write has no value then.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_SCHED_UNDEFINEDGUARDS_H
#define TC_EMULATOR_SCHED_UNDEFINEDGUARDS_H

#include "State/Warp.h"

namespace tc::emu {

/// A guard has no value in the lanes `undefined`: the results of what only
/// computes have none there, whether or not it is executed. False if it decides
/// about more than that.
bool passesGuardOn(Warp &warp, const DecodedInst &inst, uint32_t undefined);

/// The same of a branch forwards, both ways of which do nothing but compute
/// until they meet: the lanes go on there. True if the warp's splits have
/// changed.
bool skipsUndefined(Warp &warp, const DecodedInst &inst, uint32_t undefined);

} // namespace tc::emu

#endif // TC_EMULATOR_SCHED_UNDEFINEDGUARDS_H
