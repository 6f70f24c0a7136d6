//===- Verdict.cpp - What a report is worth ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A race says that the text orders two accesses in no way. Whether the run can
// go wrong is another question, which the same schedules answer when they go on
// to their end.
//
//===----------------------------------------------------------------------===//

#include "Verdict.h"

#include <cstdio>

using namespace tc;
using namespace tc::run;
using runtime::Expected;

namespace {

/// What the given schedules show together.
struct Outcome {
  bool ran = true;       ///< no bad input
  std::string deadlock;  ///< the first schedule that ends in one
  std::string failure;   ///< schedule and kind of the first other report
  std::string different; ///< the first difference from the first clean run
  std::string wrong;     ///< an element that is not what it should be
  size_t clean = 0;      ///< runs that came to their end
};

} // namespace

/// The first element out of its bound, or "".
static std::string findWrong(const runtime::Session &session,
                             const runtime::RunRecord &record) {
  Expected<std::vector<runtime::ProblemResult>> results = session.check(record);
  if (!results)
    return "";
  for (const runtime::ProblemResult &result : *results)
    if (result.summary.mismatches)
      return std::to_string(result.summary.mismatches) + " of " +
             std::to_string(result.summary.elements) +
             " elements are not what float64 says";
  for (const runtime::ExpectResult &result : session.compare(record))
    if (result.wrong)
      return std::to_string(result.wrong) + " of " +
             std::to_string(result.elements) + " elements of '" +
             result.buffer + "' are not what is expected";
  return "";
}

/// Runs every schedule; with `stop` only up to the first thing that is wrong.
static Outcome runAll(runtime::Session &session, const Options &options,
                      bool stop) {
  Outcome outcome;
  std::optional<runtime::RunRecord> first;
  for (const emu::Schedule &schedule : options.schedules) {
    Expected<runtime::RunRecord> record = session.run(schedule);
    if (!record) {
      outcome.ran = false;
      return outcome;
    }
    const std::string name = schedule.str();
    if (!record->ok) {
      bool deadlock = false;
      for (const emu::Report &report : record->reports)
        deadlock |= report.kind == emu::ReportKind::Deadlock ||
                    report.kind == emu::ReportKind::Limit;
      if (deadlock && outcome.deadlock.empty())
        outcome.deadlock = name;
      if (!deadlock && outcome.failure.empty() && !record->reports.empty())
        outcome.failure = std::string(emu::toString(record->reports[0].kind)) +
                          " under " + name + ": " + record->reports[0].message;
      if (stop)
        return outcome;
      continue;
    }
    ++outcome.clean;
    if (options.check && outcome.wrong.empty())
      if (std::string wrong = findWrong(session, *record); !wrong.empty())
        outcome.wrong = name + ": " + wrong;
    if (!first) {
      first = std::move(*record);
      continue;
    }
    std::vector<std::string> lines = session.findDifferences(*first, *record);
    if (!lines.empty() && outcome.different.empty())
      outcome.different = lines.front();
    if (stop && !(outcome.different.empty() && outcome.wrong.empty()))
      return outcome;
  }
  return outcome;
}

static bool isClean(const Outcome &outcome) {
  return outcome.ran && outcome.deadlock.empty() && outcome.failure.empty() &&
         outcome.different.empty() && outcome.wrong.empty();
}

void run::printVerdict(runtime::Session &session, const Options &options) {
  session.setPolicy(session.assumptions(), /*checkRaces=*/false);
  Outcome outcome = runAll(session, options, /*stop=*/false);
  if (!outcome.ran)
    return;
  const char *shown = nullptr;
  std::string what;
  if (!outcome.wrong.empty() || !outcome.different.empty()) {
    shown = "a wrong result";
    what = outcome.wrong.empty() ? outcome.different : outcome.wrong;
  } else if (!outcome.deadlock.empty()) {
    shown = "a deadlock";
    what = "under " + outcome.deadlock;
  } else if (!outcome.failure.empty()) {
    shown = "an error";
    what = outcome.failure.substr(0, outcome.failure.find('\n'));
  }
  if (shown)
    std::fprintf(stderr, "tc-run: shown: %s, %s\n", shown, what.c_str());
  else
    std::fprintf(stderr,
                 "tc-run: not shown: %zu of %zu schedules end with the same "
                 "results, only the text is broken\n",
                 outcome.clean, options.schedules.size());
}

int run::minimizeAssumptions(runtime::Session &session,
                             const Options &options) {
  emu::AssumptionSet kept = session.assumptions();
  std::string needed, why;
  for (emu::Assumption assumption : kept.list()) {
    emu::AssumptionSet without = kept;
    without.remove(assumption);
    session.setPolicy(without, options.session.checkRaces);
    Outcome outcome = runAll(session, options, /*stop=*/true);
    if (!outcome.ran)
      return BadInput;
    if (isClean(outcome)) {
      kept = without;
      continue;
    }
    const std::string &reason = !outcome.failure.empty()     ? outcome.failure
                                : !outcome.different.empty() ? outcome.different
                                                             : outcome.wrong;
    why += "  without " + std::string(emu::infoOf(assumption).name) + ": " +
           (outcome.deadlock.empty() ? reason.substr(0, reason.find('\n'))
                                     : "deadlock under " + outcome.deadlock) +
           "\n";
  }
  session.setPolicy(kept, options.session.checkRaces);
  std::printf("needed assumptions: %s\n%s", kept.str().c_str(), why.c_str());
  return Clean;
}
