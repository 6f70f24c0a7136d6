//===- State.cpp - The device behind libcuda --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The end of the process: what failed makes the exit status non-zero, whatever
// the program made of the errors that it was given.
//
//===----------------------------------------------------------------------===//

#include "State.h"

#include "tc/Runtime/Buffer.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <unistd.h>

using namespace tc;
using namespace tc::cuda;

static std::atomic<State *> instance{nullptr};

void cuda::complain(const std::string &message) {
  std::fprintf(stderr, "tc-emulate: %s\n", message.c_str());
}

State::State(Settings settings)
    : settings(std::move(settings)), launcher(this->settings, memory),
      runsOf(this->settings.describe()) {
  memory.limitTo(uint64_t(this->settings.device->memoryMiB) << 20);
  for (const emu::AssumptionInfo &info : emu::assumptions())
    assumptionNames.push_back(info.name);
}

State &State::get() {
  // Never destroyed: programs free memory after main.
  static State *state = [] {
    emu::Expected<Settings> settings = Settings::fromEnvironment();
    if (!settings) {
      complain(settings.error().message);
      std::_Exit(2);
    }
    return new State(std::move(*settings));
  }();
  instance = state;
  return *state;
}

State *State::find() { return instance; }

emu::Expected<Module *> State::loadModule(const void *image) {
  emu::Expected<std::unique_ptr<Module>> module = Module::load(
      image, *settings.device, memory, ++moduleCount, settings.dumpFolder);
  if (!module)
    return module.takeError();
  if (!settings.dumpFolder.empty()) {
    const std::string &ptx = (*module)->ptx();
    if (emu::Status status =
            runtime::writeFile((*module)->name(), {ptx.begin(), ptx.end()});
        !status)
      complain("--dump-ptx: " + status.error().message);
  }
  modules.push_back(std::move(*module));
  return modules.back().get();
}

void State::unload(Module *module) {
  modules.erase(std::remove_if(modules.begin(), modules.end(),
                               [&](const std::unique_ptr<Module> &other) {
                                 return other.get() == module;
                               }),
                modules.end());
}

bool State::isLoaded(const Module *module) const {
  for (const std::unique_ptr<Module> &loaded : modules)
    if (loaded.get() == module)
      return true;
  return false;
}

static std::string count(uint64_t number, const char *what,
                         const char *plural = "s") {
  return std::to_string(number) + " " + what + (number == 1 ? "" : plural);
}

/// Whether the runs show that nothing races, under their schedules.
static std::string describeRaces(const Settings &settings,
                                 const Totals &totals) {
  const char *shown = "; freedom from races: ";
  if (!settings.checkRaces)
    return std::string(shown) + "not shown, --races=off";
  if (totals.failedLaunches)
    return std::string(shown) + "not shown";
  if (!totals.unselected.empty())
    return std::string(shown) + "not shown for " +
           count(totals.unselected.size(), "kernel") +
           " that --select leaves out";
  if (totals.sampledRuns)
    return std::string(shown) + "not shown, " +
           count(totals.sampledRuns, "run") + " between " +
           std::to_string(settings.raceClusters) + " clusters alone";
  return std::string(shown) + "shown under " +
         (settings.schedules.size() == 1 ? "this schedule" : "these schedules");
}

bool State::finish() {
  const Totals &totals = launcher.totals;
  if (settings.coverage && totals.launches) {
    std::string json = launcher.coverage.json();
    if (settings.coverageFile.empty())
      std::fputs(launcher.coverage.table().c_str(), stderr);
    else if (emu::Status status = runtime::writeFile(
                 settings.coverageFile, {json.begin(), json.end()});
             !status)
      complain("--coverage: " + status.error().message);
  }
  const bool failed = totals.failedLaunches || refusals;
  if (!failed && (!settings.summary || !totals.launches))
    return false;
  std::string line = count(totals.kernels.size(), "kernel") + ", " +
                     count(totals.launches, "launch", "es") + ", " +
                     count(totals.runs, "run") + " (" + runsOf + "): ";
  if (!failed)
    line += "no reports";
  for (const auto &[kind, number] : totals.reports)
    line += count(number, kind.c_str(), kind.back() == 'h' ? "es" : "s") + ", ";
  if (totals.differing)
    line += count(totals.differing, "launch", "es") +
            " with results that depend on the schedule, ";
  if (refusals)
    line += count(refusals, "refused call") + ", ";
  if (failed)
    line.resize(line.size() - 2);
  if (totals.isLaunching)
    line += ", the last launch is not finished";
  if (!totals.uses.empty()) {
    line += "; assumed";
    for (const emu::AssumptionUse &use : totals.uses)
      line += (&use == &totals.uses.front() ? " " : ", ") +
              std::string(assumptionNames[size_t(use.assumption)]);
  }
  if (settings.minimizeAssumptions) {
    line += totals.needed.empty() ? "; needed no choice" : "; needed";
    for (emu::Assumption assumption : totals.needed)
      line += std::string(assumption == *totals.needed.begin() ? " " : ", ") +
              assumptionNames[size_t(assumption)];
  }
  if (totals.launches && !totals.isLaunching)
    line += describeRaces(settings, totals);
  complain(line);
  return failed;
}

/// The exit status. `flush`: what the program has written comes first, as in
/// exit; _exit loses it.
static int atExit(int status, bool flush) {
  State *state = State::find();
  if (!state)
    return status;
  if (flush)
    std::fflush(stdout);
  return state->finish() && status == 0 ? 1 : status;
}

/// Registered when the library is loaded, so it comes after what the program
/// registers itself. libcudart.so.13, which loads this one with the first call,
/// has been there from the start.
__attribute__((constructor)) static void watchExit() {
  using Watch = void (*)(int (*)(int, bool));
  if (auto watch =
          reinterpret_cast<Watch>(dlsym(RTLD_DEFAULT, "__cudaTcWatchExit")))
    return watch(atExit);
  on_exit(
      [](int status, void *) {
        const int real = atExit(status, /*flush=*/true);
        if (real == status)
          return;
        std::fflush(nullptr);
        _exit(real);
      },
      nullptr);
}
