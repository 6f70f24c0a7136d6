//===- PassReplay.h - runs in child processes -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The processes of the pass fuzzer: a worker that may crash, what it leaves
// behind, and the findings made of that.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_FUZZ_PASSREPLAY_H
#define TC_TEST_FUZZ_PASSREPLAY_H

#include "PassRunner.h"

#include "llvm/ADT/FunctionExtras.h"

#include <cstdint>
#include <map>
#include <string>
#include <sys/types.h>

namespace tc::fuzz {

/// Memory of a worker that its parent reads after the worker's end.
struct Shared {
  static constexpr size_t maxSteps = 256, maxPasses = 4096, maxInputs = 65536;
  /// The input of this batch.
  uint32_t input;
  /// The run of this batch, from 1; 0 while its input is prepared.
  uint32_t run;
  /// The passes of this run up to the one that is running.
  uint32_t count;
  uint16_t steps[maxSteps];
  /// Runs that were begun, over all batches of the slot.
  uint64_t runs;
  /// How often each step ended with each Outcome.
  uint64_t outcomes[maxPasses][5];
  /// Which inputs are modules.
  bool parses[maxInputs];
};

/// How a worker ended.
struct Ending {
  /// "" where nothing was found, else "crash", "no message", ...
  std::string kind;
  /// What tells one finding from another, besides the kind and the pass.
  std::string where;
  /// What the process wrote to stdout and stderr.
  std::string log;

  bool isFinding() const { return !kind.empty(); }
};

/// A slot for one child process at a time.
class Worker {
public:
  Worker();
  ~Worker();
  Worker(const Worker &) = delete;

  /// Runs `body` in a child process, whose output goes to a file.
  void start(llvm::function_ref<void(Shared &)> body);
  /// Waits for the child.
  Ending wait();
  /// Waits for one of all workers; null where none is running.
  static Worker *waitForAny();
  /// How the last child ended.
  const Ending &ending() const { return last; }

  const Shared &shared() const { return *memory; }

private:
  void setEnding(int status);

  Shared *memory;
  std::string log;
  pid_t child = 0;
  Ending last;
};

/// In a worker: a pass that runs longer than a limit ends it, as "no end".
void armTimeLimit();

/// In a worker: ends it with an outcome that is a finding.
[[noreturn]] void endWithFinding(Outcome outcome, llvm::StringRef message);

/// An input and the passes that run on it, the last of which is the finding.
struct Case {
  std::string input;
  std::vector<Step> steps;
};

/// Findings in a folder, one of each kind, pass and place.
class Findings {
public:
  explicit Findings(llvm::StringRef folder) : folder(folder) {}

  /// Counts a finding; the first of its sort is made smaller and written.
  void add(Case found, const Ending &ending);

  uint64_t total() const { return count; }
  uint64_t different() const { return sorts.size(); }

private:
  std::string folder;
  uint64_t count = 0;
  std::map<std::string, uint64_t> sorts;
};

} // namespace tc::fuzz

#endif // TC_TEST_FUZZ_PASSREPLAY_H
