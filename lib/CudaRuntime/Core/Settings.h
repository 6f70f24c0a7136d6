//===- Settings.h - What a run is asked for ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs have command lines of their own, so settings travel in environment
// variables; tc-emulate makes them from its options. The table of names is
// settingNames().
//
//===----------------------------------------------------------------------===//

#ifndef TC_CUDARUNTIME_CORE_SETTINGS_H
#define TC_CUDARUNTIME_CORE_SETTINGS_H

#include "Core/Devices.h"
#include "tc/Emulator/Emulator.h"

#include <string>
#include <vector>

namespace tc::cuda {

struct Settings {
  /// The schedules of a selected kernel; other kernels run the first one,
  /// without races.
  std::vector<emu::Schedule> schedules;
  /// Substrings of kernel names; empty: every kernel.
  std::vector<std::string> selected;
  bool checkRaces = true;
  uint64_t raceClusters = 0; ///< 0: between all
  emu::AssumptionSet assumptions = emu::AssumptionSet::defaults();
  bool minimizeAssumptions = false;
  std::string racesName = "default"; ///< with what --assume changes
  const Device *device = &devices().front();
  unsigned multiprocessors = 0; ///< the device's, or what --sms says
  uint64_t maxInstructions = emu::RunOptions().maxInstructions;
  unsigned threads = 0;   ///< of the host, 0: one per core
  std::string logFile;    ///< gets a line of JSON for each run of a kernel
  std::string dumpFolder; ///< gets the PTX of each module
  std::string recordFolder;
  bool recordsFailuresOnly = false;
  bool coverage = false;
  std::string coverageFile; ///< JSON; empty: a table on stderr
  bool summary = true;      ///< the line at the end of a clean run

  /// "eager, lazy; races: default".
  std::string describe() const;

  /// Whether a kernel runs under every schedule, with races checked.
  bool isSelected(const std::string &kernel) const;

  /// Reads the environment; the message names the variable.
  static emu::Expected<Settings> fromEnvironment();
};

/// One setting: the option of tc-emulate and the variable that carries it.
struct SettingName {
  const char *option;   ///< without dashes
  const char *variable; ///< of the environment
  const char *value;    ///< what follows '=' in the help; null: nothing
  const char *help;
};
const std::vector<SettingName> &settingNames();

} // namespace tc::cuda

#endif // TC_CUDARUNTIME_CORE_SETTINGS_H
