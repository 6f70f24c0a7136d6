//===- Launcher.cpp - Kernels under every schedule --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launcher.h"
#include "Recorder.h"
#include "tc/Emulator/Names.h"

#include <algorithm>

using namespace tc;
using namespace tc::cuda;

std::string cuda::quoteJson(const std::string &text) {
  std::string result = "\"";
  for (char c : text)
    if (c == '"' || c == '\\')
      result += std::string("\\") + c;
    else if (c == '\n')
      result += "\\n";
    else if (static_cast<unsigned char>(c) >= 0x20)
      result += c;
  return result + "\"";
}

static std::string str(const std::array<unsigned, 3> &t) {
  return "(" + std::to_string(t[0]) + "," + std::to_string(t[1]) + "," +
         std::to_string(t[2]) + ")";
}

Launcher::Launcher(const Settings &settings, Memory &memory)
    : settings(settings), memory(memory) {
  if (!settings.logFile.empty())
    logFile = std::fopen(settings.logFile.c_str(), "a");
}

/// The full name of a kernel that has another one is printed with its first
/// report, a race under the first schedule that shows it.
void Launcher::printReport(const LaunchRequest &request,
                           const emu::Schedule &schedule,
                           const emu::Report &report) {
  if (report.kind == emu::ReportKind::Race) {
    std::vector<int> lines = report.lines;
    std::sort(lines.begin(), lines.end());
    if (!told.emplace(request.function, std::move(lines)).second)
      return;
  }
  ++totals.reports[emu::toString(report.kind)];
  const std::string &symbol = request.function->info->name;
  const std::string name = emu::shortName(symbol);
  if (name != symbol && named.insert(symbol).second)
    std::fprintf(stderr, "tc-emulate: kernel '%s' is '%s', entry %s\n",
                 name.c_str(), emu::fullName(symbol).c_str(), symbol.c_str());
  std::fprintf(stderr,
               "tc-emulate: kernel '%s', launch %llu, grid %s, block %s, "
               "%s: %s: %s\n%s",
               name.c_str(), static_cast<unsigned long long>(totals.launches),
               str(request.config.grid).c_str(),
               str(request.config.block).c_str(), schedule.str().c_str(),
               emu::toString(report.kind), report.message.c_str(),
               report.postMortem.c_str());
}

void Launcher::log(const LaunchRequest &request, const emu::Schedule &schedule,
                   bool isSelected, const emu::RunResult &result, bool isSame) {
  const std::string &name = request.function->info->name;
  std::string reports;
  for (const emu::Report &report : result.reports) {
    std::string line =
        std::string(emu::toString(report.kind)) + ": " + report.message;
    printReport(request, schedule, report);
    reports += (reports.empty() ? "" : ", ") + quoteJson(line);
  }
  ++totals.runs;
  totals.sampledRuns += !result.raceSample.empty();
  emu::mergeUses(totals.uses, result.uses);
  if (!logFile)
    return;
  std::string uses;
  for (const emu::AssumptionUse &use : result.uses)
    uses += (uses.empty() ? "" : ", ") +
            quoteJson(emu::infoOf(use.assumption).name);
  const emu::LaunchConfig &config = request.config;
  std::fprintf(
      logFile,
      "{\"kernel\": %s, \"grid\": [%u, %u, %u], \"block\": %u, \"cluster\": "
      "[%u, %u, %u], \"schedule\": \"%s\", \"races\": \"%s\", \"ok\": %s, "
      "\"same\": %s, \"seconds\": %.3f, \"instructions\": %llu, \"macs\": "
      "%llu, \"assumed\": [%s], \"reports\": [%s]}\n",
      quoteJson(name).c_str(), config.grid[0], config.grid[1], config.grid[2],
      config.block[0] * config.block[1] * config.block[2], config.cluster[0],
      config.cluster[1], config.cluster[2], schedule.str().c_str(),
      isSelected ? settings.racesName.c_str() : "off",
      result.ok ? "true" : "false", isSame ? "true" : "false",
      result.stats.seconds,
      static_cast<unsigned long long>(result.stats.warpInstructions),
      static_cast<unsigned long long>(result.stats.mmaMacs), uses.c_str(),
      reports.c_str());
  std::fflush(logFile);
}

emu::RunOptions Launcher::makeOptions(const emu::Schedule &schedule,
                                      bool isSelected) const {
  emu::RunOptions options;
  options.schedule = schedule;
  options.maxInstructions = settings.maxInstructions;
  options.threads = settings.threads;
  options.multiprocessors = settings.multiprocessors;
  options.checkRaces = isSelected && settings.checkRaces;
  options.raceClusters = settings.raceClusters;
  options.assumptions = settings.assumptions;
  options.keepRaces = 8;
  return options;
}

/// "3 of the 512 bytes allocated at 0x700000000, first at 0x700000010".
static std::string describeDifference(const Memory::Snapshot &expected,
                                      const Memory::Snapshot &got) {
  std::string text;
  for (const auto &[begin, bytes] : expected) {
    const auto found = got.find(begin);
    if (found == got.end() || found->second.size() != bytes.size())
      continue;
    size_t count = 0, first = 0;
    for (size_t at = bytes.size(); at-- > 0;)
      if (bytes[at] != found->second[at]) {
        ++count;
        first = at;
      }
    if (!count)
      continue;
    char part[128];
    std::snprintf(part, sizeof(part),
                  "%s%zu of the %zu bytes allocated at 0x%llx, first at 0x%llx",
                  text.empty() ? "" : "; ", count, bytes.size(),
                  static_cast<unsigned long long>(begin),
                  static_cast<unsigned long long>(begin + first));
    text += part;
  }
  return text;
}

Launcher::Outcome Launcher::runSchedules(
    const LaunchRequest &request, emu::LaunchSequence &sequence,
    const std::optional<Memory::Snapshot> &before, bool isSelected) {
  const size_t count = isSelected ? settings.schedules.size() : 1;
  const auto predecessor = sequence.last;
  Outcome outcome;
  for (size_t i = 0; i < count; ++i) {
    if (i)
      memory.restore(*before);
    sequence.last = predecessor;
    emu::RunOptions options = makeOptions(settings.schedules[i], isSelected);
    options.coverage = settings.coverage ? &coverage : nullptr;
    options.sequence = &sequence;
    emu::RunResult result = emu::launch(*request.function->module->program,
                                        request.config, memory.device, options);
    // Of several runs, the program sees the output of one.
    if (!result.output.empty() && !i) {
      std::fwrite(result.output.data(), 1, result.output.size(), stdout);
      std::fflush(stdout);
    }
    bool isSame = true;
    if (result.ended && count > 1) {
      Memory::Snapshot after = memory.snapshot();
      if (i)
        isSame = after == outcome.results;
      else
        outcome.results = std::move(after);
    }
    log(request, settings.schedules[i], isSelected, result, isSame);
    if (!result.ok && !outcome.failure)
      outcome.failure = result.reports[0].kind;
    for (const emu::Report &report : result.reports)
      outcome.raced |= report.kind == emu::ReportKind::Race;
    if (!result.ended) {
      outcome.shown = std::string(emu::toString(result.reports.back().kind)) +
                      " under " + settings.schedules[i].str();
      return outcome;
    }
    ++outcome.ended;
    if (!isSame) {
      std::fprintf(
          stderr,
          "tc-emulate: kernel '%s', launch %llu: the result under %s "
          "differs from that under %s: %s\n",
          emu::shortName(request.function->info->name).c_str(),
          static_cast<unsigned long long>(totals.launches),
          settings.schedules[i].str().c_str(),
          settings.schedules[0].str().c_str(),
          describeDifference(outcome.results, memory.snapshot()).c_str());
      ++totals.differing;
      if (!outcome.failure)
        outcome.failure = emu::ReportKind::Sync;
      outcome.shown = "a result that depends on the schedule";
      return outcome;
    }
  }
  return outcome;
}

/// After a race: whether the runs show more than that.
void Launcher::printVerdict(const Outcome &outcome, bool isSelected) const {
  if (!outcome.raced)
    return;
  const size_t count = isSelected ? settings.schedules.size() : 1;
  if (!outcome.shown.empty())
    std::fprintf(stderr, "tc-emulate: shown: %s\n", outcome.shown.c_str());
  else if (count == 1)
    std::fprintf(stderr,
                 "tc-emulate: not shown: one schedule has no other result to "
                 "compare with, --schedule=all runs %zu\n",
                 emu::allSchedules().size());
  else
    std::fprintf(stderr,
                 "tc-emulate: not shown: %zu of %zu schedules end with the "
                 "same results, only the text is broken\n",
                 outcome.ended, count);
}

/// Where the text is whose lines the report names: it is inside the program.
void Launcher::printPlace(const LaunchRequest &request,
                          const std::string &recorded) {
  if (!recorded.empty()) {
    std::fprintf(stderr,
                 "tc-emulate: recorded as %s, with the PTX beside it: %s\n",
                 recorded.c_str(),
                 (recorded.substr(0, recorded.rfind('.')) + ".ptx").c_str());
  } else if (settings.dumpFolder.empty() && !saidWhereLines) {
    saidWhereLines = true;
    std::fprintf(stderr,
                 "tc-emulate: lines are those of %s, which --dump-ptx=DIR "
                 "writes, and --record-failures=DIR with the launch\n",
                 request.function->module->name().c_str());
  }
}

/// The assumptions that change the run and without which this launch fails, or
/// gives other results, under one of the schedules. Memory is left as the
/// launch left it.
std::set<emu::Assumption> Launcher::minimize(const LaunchRequest &request,
                                             const Memory::Snapshot &before) {
  const Memory::Snapshot results = memory.snapshot();
  std::set<emu::Assumption> needed;
  for (emu::Assumption assumption : settings.assumptions.list()) {
    if (!emu::infoOf(assumption).changesRun)
      continue;
    for (const emu::Schedule &schedule : settings.schedules) {
      memory.restore(before);
      emu::RunOptions options = makeOptions(schedule, true);
      options.checkRaces = false;
      options.assumptions.remove(assumption);
      emu::RunResult result =
          emu::launch(*request.function->module->program, request.config,
                      memory.device, options);
      if (result.ok && memory.snapshot() == results)
        continue;
      needed.insert(assumption);
      break;
    }
  }
  memory.restore(results);
  return needed;
}

std::optional<emu::ReportKind> Launcher::run(const LaunchRequest &request,
                                             emu::LaunchSequence &sequence) {
  ++totals.launches;
  totals.isLaunching = true;
  const std::string &name = request.function->info->name;
  totals.kernels.insert(name);
  const bool isSelected = settings.isSelected(name);
  if (!isSelected)
    totals.unselected.insert(name);
  const bool isRecorded = !settings.recordFolder.empty() && isSelected;
  std::optional<Memory::Snapshot> before;
  const bool isMinimized = settings.minimizeAssumptions && isSelected;
  if (isRecorded || isMinimized ||
      (isSelected && settings.schedules.size() > 1))
    before = memory.snapshot();
  const Outcome outcome = runSchedules(request, sequence, before, isSelected);
  const std::optional<emu::ReportKind> failure = outcome.failure;
  printVerdict(outcome, isSelected);
  std::string recorded;
  totals.failedLaunches += failure.has_value();
  if (isMinimized && !failure)
    for (emu::Assumption assumption : minimize(request, *before))
      totals.needed.insert(assumption);
  if (isRecorded && (failure || !settings.recordsFailuresOnly)) {
    emu::Expected<std::string> file =
        record(settings.recordFolder, totals.launches, request, *before);
    if (!file)
      std::fprintf(stderr, "tc-emulate: %s\n", file.error().message.c_str());
    else
      recorded = *file;
  }
  if (failure)
    printPlace(request, recorded);
  totals.isLaunching = false;
  return failure;
}
