//===- Observers.h - who watches a launch -----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_DEBUG_OBSERVERS_H
#define TC_EMULATOR_DEBUG_OBSERVERS_H

#include "State/Events.h"

#include <memory>

namespace tc::emu {

class Coverage;
class Debugger;
class Trace;

/// Fills a timeline.
std::unique_ptr<LaunchObserver> observeTimeline(Trace &trace);
/// Counts executions.
std::unique_ptr<LaunchObserver> observeCoverage(Coverage &coverage);
/// Stops where the debugger, which has been attached to the launch, waits.
std::unique_ptr<LaunchObserver> observeForDebugger(Debugger &debugger);
/// Adds to a report what led there (Debug/PostMortem.h).
std::unique_ptr<LaunchObserver> observePostMortem();

} // namespace tc::emu

#endif // TC_EMULATOR_DEBUG_OBSERVERS_H
