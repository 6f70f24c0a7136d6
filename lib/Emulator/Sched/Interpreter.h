//===- Interpreter.h - running one warp -------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The main loop. It ends when its budget is used up, when the warp cannot go
// on, or when an instruction asks to let others run.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_SCHED_INTERPRETER_H
#define TC_EMULATOR_SCHED_INTERPRETER_H

#include "State/Warp.h"

namespace tc::emu {

/// Runs up to `budget` instructions of the warp and adds their number to the
/// cluster's count.
SliceEnd runSlice(Warp &warp, uint64_t budget);

/// Whether a split of the warp can run.
bool isRunnable(const Warp &warp);

} // namespace tc::emu

#endif // TC_EMULATOR_SCHED_INTERPRETER_H
