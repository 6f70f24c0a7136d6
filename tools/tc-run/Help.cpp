//===- Help.cpp - What tc-run --help prints ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include <algorithm>

using namespace tc;
using namespace tc::run;

/// A name, and from `column` on what it means, wrapped at 78 columns.
static void appendWrapped(std::string &text, std::string line,
                          const char *meaning, size_t column) {
  line.resize(std::max(line.size(), column), ' ');
  std::string word;
  for (const char *c = meaning;; ++c) {
    if (*c && *c != ' ') {
      word += *c;
      continue;
    }
    if (line.size() + 1 + word.size() > 78) {
      text += line + "\n";
      line = std::string(column, ' ');
    }
    line += " " + word;
    word.clear();
    if (!*c)
      break;
  }
  text += line + "\n";
}

/// What --help says of the schedules.
static std::string describePolicies() {
  std::string text;
  for (const emu::SchedulePolicy &policy : emu::schedulePolicies())
    appendWrapped(text,
                  std::string("    ") + policy.name +
                      (policy.seeded ? "[:SEED]" : ""),
                  policy.summary, 22);
  return text;
}

static const char *const helpStart =
    R"(usage: tc-run X.ptx [options]
       tc-run --tune FOLDER [options]

Runs the kernels of a PTX file as its kernel description (X.json beside it) or
a launch file says. Without a GPU: on the CPU emulator, under several legal
timings.

  --launch FILE        launch file or kernel description, default X.json
  --function NAME      which function of a description of several
  --kernel NAME        which kernel of a bundle (X.tcb, tc-compile --bundle) in
                       place of a PTX file; its sizes are those of --size that
                       are not given
  --chip NAME          which chip of the kernel, where it has several; default
                       with --device=cuda: that of the GPU
  --size NAME=N,...    values of the description's sizes
  --scalar NAME=X,...  values of its scalars (alpha, beta)
  --check              compare with float64 as the description's problems say,
                       and buffers with the files that they expect
  --device NAME        emulator (default), or cuda: the first GPU, once, as it
                       schedules by itself
  --cubin FILE         with --device=cuda, load this instead of the PTX
  --bench[=MODE]       with --device=cuda, time the launches after the run:
                       burst (default: the median of 9, each after 22 ms
                       without work and with a cold L2) or sustained (one
                       second without a pause)
  --samples N          how many samples of --bench or --tune (default 9)
  --tune FOLDER        measure the candidates that tc-tune left there, on the
                       first GPU; with --device=emulator only run and compare
                       them
  --json FILE          with --tune, write all measurements
  --table FILE         with --tune, the table that gets the fastest (default
                       FOLDER/tuned.txt)
  --schedule LIST      when asynchronous work completes and which warp runs:
                       names of the list below, separated by commas, or all
                       (default eager; with --check eager,lazy,random:1)
  --seeds N            random:1 to random:N besides; results have to agree bit
                       for bit under all schedules
  --races MODE         looks for races: default (with the assumptions that the
                       list below marks), strict (without any), or off
  --race-clusters N    looks for them between N clusters of each grid alone,
                       which are spread over it: a grid that is large takes
                       less time
  --assume LIST        +NAME,-NAME,...: assumptions added and removed, after
                       those of the launch file
  --minimize-assumptions
                       repeats the runs without each assumption and prints
                       those that are needed
  --certify[=FILE]     in place of schedules: whether what the launches do
                       without a report holds under all of them, as text, and
                       as JSON in FILE: certified, refuted (with the report),
                       or incomplete (with the choice of a schedule that
                       decides something)
  --approx MODE        results of .approx and .full instructions: rounded
                       (default), random[:SEED] (any within the bound of the
                       ISA), or a file of recorded ones (opcode, operands,
                       result in hexadecimal, one per line)
  --buffer NAME=FILE   raw input of a buffer
  --init NAME=KIND     initial values: zeros, ones, normal, uniform, integers,
                       pattern, sequence, poison, two_of_four or one_of_two
                       (metadata), ends or counts (of rows of groups), with
                       a seed as KIND:SEED
  --out NAME=FILE      raw output of a buffer, written only if all went well
  --trace FILE         timeline of the first schedule, for Perfetto or Chrome:
                       a track per warp and engine, in steps of the emulator;
                       at most 64 MiB
  --coverage[=FILE]    executions per opcode over all schedules and what never
                       ran, as a table, or as JSON in FILE
  --stop-at LINE[:N]   stop when a warp is about to execute the instruction of
                       this line of the PTX, having been executed N - 1 times;
                       under one schedule
  --stop-in PLACE      only X[,Y[,Z]] of the CTA, /WARP, or X,Y,Z/WARP count
  --print LIST         what to show then, default REGS: REGS[:NAME[/TYPE]], the
                       registers of the warp; SMEM[:OFFSET+BYTES], the shared
                       memory of its CTA; TMEM[:COLUMN+COLUMNS], its Tensor
                       Memory; separated by commas
  --max-instructions N stop a launch after N warp instructions (default
                       20000000000)
  --threads N          threads of the emulator and the check, default all cores
  --time               print where the time went
  --help, --version    print this, or the version

Schedules:
)";

static const char *const helpAssumptions = R"(
Assumptions, * by default (docs/Emulator.md has their reasons):
)";

static const char *const helpEnd = R"(
Exit status: 0 all clean, or stopped where --stop-at says; 1 a trap, a deadlock, a race, misused memory or
barriers, or a wrong result; 2 bad input; 3 --certify is incomplete.
)";

static std::string describeAssumptions() {
  std::string text;
  for (const emu::AssumptionInfo &info : emu::assumptions())
    appendWrapped(
        text, std::string("  ") + (info.byDefault ? "* " : "  ") + info.name,
        info.meaning, 34);
  return text;
}

std::string run::helpText() {
  return helpStart + describePolicies() + helpAssumptions +
         describeAssumptions() + helpEnd;
}
