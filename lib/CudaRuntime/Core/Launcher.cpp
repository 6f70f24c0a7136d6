//===- Launcher.cpp - Kernels under every schedule --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launcher.h"
#include "Recorder.h"

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

void Launcher::log(const LaunchRequest &request, const emu::Schedule &schedule,
                   bool isSelected, const emu::RunResult &result, bool isSame) {
  const std::string &name = request.function->info->name;
  std::string reports;
  for (const emu::Report &report : result.reports) {
    std::string line =
        std::string(emu::toString(report.kind)) + ": " + report.message;
    std::fprintf(stderr,
                 "tc-emulate: kernel '%s', launch %llu, grid %s, block %s, "
                 "%s: %s\n%s",
                 name.c_str(), static_cast<unsigned long long>(totals.launches),
                 str(request.config.grid).c_str(),
                 str(request.config.block).c_str(), schedule.str().c_str(),
                 line.c_str(), report.postMortem.c_str());
    reports += (reports.empty() ? "" : ", ") + quoteJson(line);
    ++totals.reports[emu::toString(report.kind)];
  }
  ++totals.runs;
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
  options.assumptions = settings.assumptions;
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
    if (result.ok && count > 1) {
      Memory::Snapshot after = memory.snapshot();
      if (i)
        isSame = after == outcome.results;
      else
        outcome.results = std::move(after);
    }
    log(request, settings.schedules[i], isSelected, result, isSame);
    if (!result.ok) {
      outcome.failure = result.reports[0].kind;
      return outcome;
    }
    if (!isSame) {
      std::fprintf(
          stderr,
          "tc-emulate: kernel '%s', launch %llu: the result under %s "
          "differs from that under %s: %s\n",
          request.function->info->name.c_str(),
          static_cast<unsigned long long>(totals.launches),
          settings.schedules[i].str().c_str(),
          settings.schedules[0].str().c_str(),
          describeDifference(outcome.results, memory.snapshot()).c_str());
      ++totals.differing;
      outcome.failure = emu::ReportKind::Sync;
      return outcome;
    }
  }
  return outcome;
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
  const bool isRecorded = !settings.recordFolder.empty() && isSelected;
  std::optional<Memory::Snapshot> before;
  const bool isMinimized = settings.minimizeAssumptions && isSelected;
  if (isRecorded || isMinimized ||
      (isSelected && settings.schedules.size() > 1))
    before = memory.snapshot();
  const std::optional<emu::ReportKind> failure =
      runSchedules(request, sequence, before, isSelected).failure;
  totals.failedLaunches += failure.has_value();
  if (isMinimized && !failure)
    for (emu::Assumption assumption : minimize(request, *before))
      totals.needed.insert(assumption);
  if (isRecorded && (failure || !settings.recordsFailuresOnly)) {
    emu::Expected<std::string> file =
        record(settings.recordFolder, totals.launches, request, *before);
    if (!file)
      std::fprintf(stderr, "tc-emulate: %s\n", file.error().message.c_str());
    else if (failure)
      std::fprintf(stderr, "tc-emulate: recorded as %s\n", file->c_str());
  }
  totals.isLaunching = false;
  return failure;
}
