//===- Verdict.h - What a report is worth -----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Further runs of the same session that say what the reports mean: whether a
// legal schedule shows a wrong result or a deadlock, and which assumptions a
// clean session needs.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TOOLS_TCRUN_VERDICT_H
#define TC_TOOLS_TCRUN_VERDICT_H

#include "Options.h"

namespace tc::run {

enum ExitStatus : int { Clean = 0, Wrong = 1, BadInput = 2, Undecided = 3 };

/// Runs the schedules without the race checker and prints what they show.
void printVerdict(runtime::Session &session, const Options &options);

/// Runs the schedules without one assumption after the other, leaves out those
/// that no run needs, and prints the rest. Returns the exit status.
int minimizeAssumptions(runtime::Session &session, const Options &options);

} // namespace tc::run

#endif // TC_TOOLS_TCRUN_VERDICT_H
