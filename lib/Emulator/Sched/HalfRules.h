//===- HalfRules.h - halves of results that are defined ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an instruction makes of a register of which one half was never written.
// Asked only where a source has a lane that is not defined as a whole.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_SCHED_HALFRULES_H
#define TC_EMULATOR_SCHED_HALFRULES_H

#include "State/Warp.h"

namespace tc::emu {

/// Lanes in which the halves of the result are defined.
struct DefinedHalves {
  uint32_t low, high;
};

DefinedHalves definedHalves(const Warp &w, const DecodedInst &inst,
                            uint32_t active);

} // namespace tc::emu

#endif // TC_EMULATOR_SCHED_HALFRULES_H
