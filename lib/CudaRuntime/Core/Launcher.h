//===- Launcher.h - Kernels under every schedule ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A selected kernel runs once per schedule, always from the same memory; the
// results have to agree bit for bit, and if they do not, those that differ stay
// in memory, so that the program's own check sees them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CUDARUNTIME_CORE_LAUNCHER_H
#define TC_CUDARUNTIME_CORE_LAUNCHER_H

#include "Module.h"
#include "Settings.h"
#include "tc/Emulator/Coverage.h"

#include <atomic>
#include <cstdio>
#include <optional>
#include <set>

namespace tc::cuda {

struct LaunchRequest {
  Function *function = nullptr;
  emu::LaunchConfig config;
};

/// What the line at the end of a run says.
struct Totals {
  std::set<std::string> kernels;
  std::set<std::string> unselected; ///< of them: no search for races
  uint64_t launches = 0, runs = 0, failedLaunches = 0, differing = 0;
  uint64_t sampledRuns = 0; ///< races between some clusters alone
  /// A signal handler or another thread may end the program meanwhile.
  std::atomic<bool> isLaunching = false;
  std::map<std::string, uint64_t> reports; ///< by kind
  std::vector<emu::AssumptionUse> uses;
  /// Assumptions that change the run and without which a run failed.
  std::set<emu::Assumption> needed;
};

class Launcher {
public:
  Launcher(const Settings &settings, Memory &memory);

  /// Runs the kernel. The kind of the first report where there is one, which
  /// has been printed; Sync where results differ between schedules.
  std::optional<emu::ReportKind> run(const LaunchRequest &request,
                                     emu::LaunchSequence &sequence);

  Totals totals;
  emu::Coverage coverage;

private:
  struct Outcome {
    std::optional<emu::ReportKind> failure;
    Memory::Snapshot results; ///< after several runs
    bool raced = false;
    size_t ended = 0;  ///< runs, with or without races
    std::string shown; ///< what went wrong besides races; empty: nothing
  };
  void printReport(const LaunchRequest &request, const emu::Schedule &schedule,
                   const emu::Report &report);
  void printVerdict(const Outcome &outcome, bool isSelected) const;
  void printPlace(const LaunchRequest &request, const std::string &recorded);
  Outcome runSchedules(const LaunchRequest &request,
                       emu::LaunchSequence &sequence,
                       const std::optional<Memory::Snapshot> &before,
                       bool isSelected);
  std::set<emu::Assumption> minimize(const LaunchRequest &request,
                                     const Memory::Snapshot &before);
  emu::RunOptions makeOptions(const emu::Schedule &schedule,
                              bool isSelected) const;
  void log(const LaunchRequest &request, const emu::Schedule &schedule,
           bool isSelected, const emu::RunResult &result, bool isSame);

  const Settings &settings;
  Memory &memory;
  FILE *logFile = nullptr;
  /// Kernels whose full names have been printed, and races, by their lines.
  std::set<std::string> named;
  std::set<std::pair<const Function *, std::vector<int>>> told;
  bool saidWhereLines = false;
};

/// Text as a JSON string.
std::string quoteJson(const std::string &text);

} // namespace tc::cuda

#endif // TC_CUDARUNTIME_CORE_LAUNCHER_H
