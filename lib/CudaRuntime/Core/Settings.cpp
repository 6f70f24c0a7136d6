//===- Settings.cpp - What a run is asked for -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Settings.h"

#include "tc/Emulator/Names.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

using namespace tc;
using namespace tc::cuda;

const std::vector<SettingName> &cuda::settingNames() {
  static const std::string deviceHelp =
      "what programs see and whose PTX is taken: " + deviceNames() +
      ", or its target (default " + devices().front().name + ")";
  static const std::vector<SettingName> names = {
      {"schedule", "TC_EMULATE_SCHEDULE", "LIST",
       "schedules that each selected kernel runs under, from the same memory "
       "(default eager; all: every kind)"},
      {"select", "TC_EMULATE_SELECT", "NAME,...",
       "select kernels by parts of their names, as C++ or mangled; others run "
       "once, without a "
       "search for races (default: every kernel)"},
      {"races", "TC_EMULATE_RACES", "MODE",
       "off, default or strict (docs/Emulator.md)"},
      {"race-clusters", "TC_EMULATE_RACE_CLUSTERS", "N",
       "look for races between N clusters of each grid alone, which are spread "
       "over it (default: between all)"},
      {"assume", "TC_EMULATE_ASSUME", "LIST",
       "assumptions to add and remove: +NAME,-NAME (docs/Emulator.md)"},
      {"minimize-assumptions", "TC_EMULATE_MINIMIZE_ASSUMPTIONS", nullptr,
       "also run without each assumption that changes the run, and say which "
       "ones were needed"},
      {"device", "TC_EMULATE_DEVICE", "NAME", deviceHelp.c_str()},
      {"sms", "TC_EMULATE_SMS", "N",
       "multiprocessors of the device (default: as many as it has)"},
      {"threads", "TC_EMULATE_THREADS", "N",
       "threads of this machine that run a kernel (default: one per core)"},
      {"max-instructions", "TC_EMULATE_MAX_INSTRUCTIONS", "N",
       "warp instructions after which a launch is stopped (default 2e10)"},
      {"record", "TC_EMULATE_RECORD", "DIR",
       "write each launch as a launch file for tc-run"},
      {"record-failures", "TC_EMULATE_RECORD_FAILURES", "DIR",
       "write each launch that was reported as a launch file for tc-run"},
      {"coverage", "TC_EMULATE_COVERAGE", "FILE",
       "executions by opcode and PTX lines that never ran, as JSON; '-': a "
       "table at the end"},
      {"log", "TC_EMULATE_LOG", "FILE",
       "append a line of JSON for each run of a kernel"},
      {"dump-ptx", "TC_EMULATE_DUMP_PTX", "DIR",
       "write the PTX of each module that is loaded"},
      {"quiet", "TC_EMULATE_QUIET", nullptr,
       "no line at the end of a clean run"},
  };
  return names;
}

static std::string get(const char *option) {
  for (const SettingName &name : settingNames())
    if (std::string(name.option) == option) {
      const char *value = std::getenv(name.variable);
      return value ? value : "";
    }
  return "";
}

static std::vector<std::string> split(const std::string &text) {
  std::vector<std::string> parts;
  for (size_t at = 0; at < text.size();) {
    size_t comma = std::min(text.find(',', at), text.size());
    if (comma > at)
      parts.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return parts;
}

/// Reads a number of at least `least`; leaves `into` alone if there is none.
template <class T>
static emu::Status readNumber(const char *option, uint64_t least, uint64_t most,
                              T &into) {
  std::string text = get(option);
  if (text.empty())
    return {};
  char *end = nullptr;
  errno = 0;
  unsigned long long value = std::strtoull(text.c_str(), &end, 10);
  if (errno || *end || text[0] < '0' || text[0] > '9' || value < least ||
      value > most)
    return emu::Error{"--" + std::string(option) + ": expected a number in [" +
                      std::to_string(least) + ", " + std::to_string(most) +
                      "], got '" + text + "'"};
  into = T(value);
  return {};
}

static emu::Status readSchedules(Settings &settings) {
  std::string text = get("schedule");
  for (const std::string &name : split(text.empty() ? "eager" : text)) {
    if (name == "all") {
      for (const emu::Schedule &schedule : emu::allSchedules())
        settings.schedules.push_back(schedule);
      continue;
    }
    emu::Expected<emu::Schedule> schedule = emu::Schedule::parse(name);
    if (!schedule)
      return emu::Error{"--schedule: " + schedule.error().message};
    settings.schedules.push_back(*schedule);
  }
  if (settings.schedules.empty())
    return emu::Error{"--schedule: expected at least one, got '" + text + "'"};
  return {};
}

emu::Expected<Settings> Settings::fromEnvironment() {
  Settings settings;
  if (emu::Status status = readSchedules(settings); !status)
    return status.takeError();
  settings.selected = split(get("select"));
  if (std::string mode = get("races"); !mode.empty()) {
    if (mode != "off" && mode != "default" && mode != "strict")
      return emu::Error{"--races: expected off, default or strict, got '" +
                        mode + "'"};
    settings.racesName = mode;
    settings.checkRaces = mode != "off";
    if (mode == "strict")
      settings.assumptions = emu::AssumptionSet::none();
  }
  if (std::string changes = get("assume"); !changes.empty()) {
    if (emu::Status status = settings.assumptions.apply(changes); !status)
      return emu::Error{"--assume: " + status.error().message};
    settings.racesName += " " + changes;
  }
  if (std::string name = get("device"); !name.empty()) {
    emu::Expected<const Device *> device = findDevice(name);
    if (!device)
      return emu::Error{"--device: " + device.error().message};
    settings.device = *device;
  }
  settings.multiprocessors = settings.device->multiprocessors;
  settings.minimizeAssumptions = !get("minimize-assumptions").empty();
  for (emu::Status status :
       {readNumber("sms", 1, 1024, settings.multiprocessors),
        readNumber("threads", 1, 4096, settings.threads),
        readNumber("race-clusters", 1, ~0ull >> 1, settings.raceClusters),
        readNumber("max-instructions", 1, ~0ull >> 1,
                   settings.maxInstructions)})
    if (!status)
      return status.takeError();
  settings.recordFolder = get("record");
  if (settings.recordFolder.empty()) {
    settings.recordFolder = get("record-failures");
    settings.recordsFailuresOnly = true;
  }
  settings.coverageFile = get("coverage");
  settings.coverage = !settings.coverageFile.empty();
  if (settings.coverageFile == "-")
    settings.coverageFile.clear();
  settings.logFile = get("log");
  settings.dumpFolder = get("dump-ptx");
  std::error_code error;
  if (!settings.dumpFolder.empty() &&
      !std::filesystem::is_directory(settings.dumpFolder, error))
    return emu::Error{"--dump-ptx: expected a folder, got '" +
                      settings.dumpFolder + "'" +
                      (error ? ": " + error.message() : "")};
  settings.summary = get("quiet").empty();
  return settings;
}

std::string Settings::describe() const {
  std::string names;
  for (const emu::Schedule &schedule : schedules)
    names += (names.empty() ? "" : ", ") + schedule.str();
  return names + "; races: " + racesName;
}

bool Settings::isSelected(const std::string &kernel) const {
  const std::string full = emu::fullName(kernel);
  for (const std::string &part : selected)
    if (kernel.find(part) != kernel.npos || full.find(part) != full.npos)
      return true;
  return selected.empty();
}
