//===- Tune.cpp - Measures candidates of products ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On a GPU, a process of its own measures the candidates of a product: one that
// traps or hangs takes no more than that process with it.
//
//===----------------------------------------------------------------------===//

#include "Tune.h"

#include "CandidateRunner.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <poll.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace tc;
using namespace tc::run;
using runtime::Error;
using runtime::Expected;
using runtime::makeError;
using runtime::Status;
using runtime::TuneCandidate;
using runtime::TuneProblem;

/// Seconds after which a candidate that has begun counts as hanging.
static constexpr double kLimit = 60;

namespace {

class Tuner {
public:
  explicit Tuner(const Options &options) : options(options) {}
  Expected<bool> run();

private:
  void measureAll(TuneProblem &problem, size_t from, std::FILE *to);
  std::pair<size_t, bool> take(const std::string &line, TuneProblem &problem);
  Expected<size_t> measureFrom(TuneProblem &problem, size_t from);
  Expected<bool> tune(TuneProblem &problem);
  Status write() const;

  const Options &options;
  runtime::TuneFolder folder;
  runtime::TuneRun record;
  CandidateRunner runner{options, folder};
};

} // namespace

/// The measured candidates, the fastest first, and what is wrong with others.
static void print(const TuneProblem &problem) {
  const runtime::TuneVerdict verdict = runtime::judge(problem);
  std::vector<const TuneCandidate *> order;
  for (const TuneCandidate &candidate : problem.candidates)
    if (candidate.isMeasured())
      order.push_back(&candidate);
  std::sort(order.begin(), order.end(), [](auto *a, auto *b) {
    return std::pair(a->median(), a->number) <
           std::pair(b->median(), b->number);
  });
  if (!order.empty())
    std::printf("  candidate  predicted cycles  measured us  of fastest  "
                "configuration\n");
  for (const TuneCandidate *candidate : order)
    std::printf("  %9u  %16.0f  %11.2f  %10.3f  %s\n", candidate->number,
                candidate->cycles, candidate->median() * 1e6,
                candidate->median() / order.front()->median(),
                candidate->config.c_str());
  for (const TuneCandidate &candidate : problem.candidates)
    if (!candidate.error.empty())
      std::printf("  %9u  %s: %s\n", candidate.number,
                  candidate.file.empty() ? "not compiled" : "failed",
                  candidate.error.c_str());
  if (order.empty())
    return;
  std::printf("  %zu measured, rank correlation %.3f", verdict.measured,
              verdict.correlation);
  if (verdict.regret >= 0)
    std::printf(", the model's choice takes %.1f %% more than the fastest",
                verdict.regret * 100);
  std::printf("\n");
}

/// The product of `problem` on the buffers of its first candidate, from
/// candidate `from` on: a line for what begins, and one for what came out of
/// it, goes to `to`. Ends early where the GPU no longer works for this process.
void Tuner::measureAll(TuneProblem &problem, size_t from, std::FILE *to) {
  // Keeps the context of the GPU from candidate to candidate.
  Expected<std::unique_ptr<runtime::Device>> device = runner.createDevice();
  if (!device)
    return;
  for (size_t i = 0; i < problem.candidates.size(); ++i) {
    TuneCandidate &candidate = problem.candidates[i];
    // Of those that another process has measured, one runs again to give the
    // expected result.
    if (candidate.file.empty() || !candidate.error.empty() ||
        (i < from && runner.hasResult()))
      continue;
    Status status;
    if (!runner.hasBuffers()) {
      status = runner.prepare(candidate);
      if (!status)
        runner.clearBuffers();
    }
    std::fprintf(to, "begin %zu\n", i);
    std::fflush(to);
    if (status)
      status = runner.measure(candidate, /*isTimed=*/i >= from);
    if (!status) {
      std::string message = status.error().message;
      std::replace(message.begin(), message.end(), '\n', ' ');
      if (i >= from)
        std::fprintf(to, "failed %zu %s\n", i, message.c_str());
      if (!runner.canRead())
        return;
      continue;
    }
    if (i < from)
      continue;
    std::fprintf(to, "took %zu %u %.3f", i, candidate.clockMHz,
                 candidate.watts);
    for (double seconds : candidate.seconds)
      std::fprintf(to, " %.9g", seconds);
    std::fprintf(to, " | %s\n", runner.getDeviceName().c_str());
    std::fflush(to);
  }
}

/// Reads what measureAll has written, `line`, into `problem`. Returns the
/// candidate that it is about, and whether it is done with it.
std::pair<size_t, bool> Tuner::take(const std::string &line,
                                    TuneProblem &problem) {
  std::istringstream words(line);
  std::string word;
  size_t index = 0;
  words >> word >> index;
  TuneCandidate &candidate = problem.candidates[index];
  if (word == "begin")
    return {index, false};
  if (word == "failed") {
    std::getline(words >> std::ws, candidate.error);
    return {index, true};
  }
  words >> candidate.clockMHz >> candidate.watts;
  while (words >> word && word != "|")
    candidate.seconds.push_back(std::strtod(word.c_str(), nullptr));
  std::getline(words >> std::ws, record.device);
  return {index, true};
}

/// Measures candidates of `problem` from `from` on in a process of their own: a
/// kernel that traps makes its process useless, one that hangs never ends.
/// Returns where to go on.
Expected<size_t> Tuner::measureFrom(TuneProblem &problem, size_t from) {
  int ends[2];
  if (pipe(ends) != 0)
    return makeError("--tune", "cannot make a pipe");
  std::fflush(stdout);
  const pid_t child = fork();
  if (child < 0)
    return makeError("--tune", "cannot start a process");
  if (child == 0) {
    close(ends[0]);
    std::FILE *to = fdopen(ends[1], "w");
    measureAll(problem, from, to);
    runner.clearBuffers();
    std::fclose(to);
    std::exit(0);
  }
  close(ends[1]);
  size_t at = from;
  bool isRunning = false, isLate = false;
  std::string text;
  for (;;) {
    pollfd wait = {ends[0], POLLIN, 0};
    // Before a candidate begins, buffers are made, however long that takes.
    if (poll(&wait, 1, isRunning ? int(kLimit * 1000) : -1) == 0) {
      isLate = true;
      kill(child, SIGKILL);
      break;
    }
    char bytes[4096];
    const ssize_t count = ::read(ends[0], bytes, sizeof(bytes));
    if (count <= 0)
      break;
    text.append(bytes, size_t(count));
    for (size_t end; (end = text.find('\n')) != std::string::npos;) {
      auto [index, isDone] = take(text.substr(0, end), problem);
      text.erase(0, end + 1);
      isRunning = !isDone;
      at = std::max(at, isDone ? index + 1 : index);
    }
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  const bool isLost = isLate || !WIFEXITED(status) || isRunning;
  if (!isLost)
    return at > from ? at : problem.candidates.size();
  problem.candidates[at].error =
      isLate ? "it did not end within " + std::to_string(int(kLimit)) + " s"
             : "the process that measured it ended";
  return at + 1;
}

/// Measures all candidates of `problem`; whether all of them ran and agreed.
Expected<bool> Tuner::tune(TuneProblem &problem) {
  std::printf("%s\n", problem.key.c_str());
  std::fflush(stdout);
  runner.clearResult();
  const size_t count = problem.candidates.size();
  size_t ran = 0;
  for (size_t i = 0; i < count;) {
    if (options.onCuda) {
      Expected<size_t> next = measureFrom(problem, i);
      if (!next)
        return next.takeError();
      i = *next;
      continue;
    }
    TuneCandidate &candidate = problem.candidates[i++];
    if (candidate.file.empty())
      continue;
    Status status = runner.runEmulated(candidate);
    ran += bool(status);
    if (!status)
      candidate.error = status.error().message;
  }
  runner.clearBuffers();
  bool isClean = true;
  for (const TuneCandidate &candidate : problem.candidates) {
    if (candidate.file.empty() || candidate.error.empty())
      continue;
    isClean = false;
    std::fprintf(stderr, "tc-run: candidate %u of %s: %s\n", candidate.number,
                 problem.key.c_str(), candidate.error.c_str());
  }
  print(problem);
  if (!options.onCuda)
    std::printf("  %zu of %zu candidates ran and agree%s\n", ran, count,
                options.check ? ", and are right" : "");
  std::fflush(stdout);
  return isClean;
}

static std::vector<uint8_t> toBytes(const std::string &text) {
  return std::vector<uint8_t>(text.begin(), text.end());
}

Status Tuner::write() const {
  if (!options.jsonFile.empty())
    if (Status status = runtime::writeFile(
            options.jsonFile, toBytes(describeTuning(folder, record)));
        !status)
      return status;
  if (!options.onCuda)
    return {};
  std::string table;
  if (access(options.tableFile.c_str(), F_OK) == 0) {
    Expected<std::vector<uint8_t>> bytes = runtime::readFile(options.tableFile);
    if (!bytes)
      return bytes.takeError();
    table.assign(bytes->begin(), bytes->end());
  }
  Expected<std::string> updated =
      runtime::updateTable(table, options.tableFile, folder, record);
  if (!updated)
    return updated.takeError();
  return runtime::writeFile(options.tableFile, toBytes(*updated));
}

/// Whether there is a GPU: asked by a process of its own, as one that has used
/// the driver must not fork.
static Status findGPU() {
  int ends[2];
  if (pipe(ends) != 0)
    return makeError("--tune", "cannot make a pipe");
  const pid_t child = fork();
  if (child < 0)
    return makeError("--tune", "cannot start a process");
  if (child == 0) {
    Expected<std::unique_ptr<runtime::Device>> device =
        runtime::createCudaDevice();
    if (!device) {
      const std::string &message = device.error().message;
      (void)!::write(ends[1], message.data(), message.size());
    }
    _exit(0);
  }
  close(ends[1]);
  std::string message;
  char bytes[4096];
  for (ssize_t count; (count = ::read(ends[0], bytes, sizeof(bytes))) > 0;)
    message.append(bytes, size_t(count));
  close(ends[0]);
  waitpid(child, nullptr, 0);
  if (message.empty())
    return {};
  return makeError("--tune", "expected a GPU to measure on: " + message);
}

Expected<bool> Tuner::run() {
  Expected<runtime::TuneFolder> found =
      runtime::TuneFolder::read(options.tuneFolder);
  if (!found)
    return found.takeError();
  folder = std::move(*found);
  if (options.onCuda)
    if (Status status = findGPU(); !status)
      return status.takeError();
  record.samples = options.samples;
  const std::time_t now = std::time(nullptr);
  char date[16];
  std::strftime(date, sizeof(date), "%Y-%m-%d", std::gmtime(&now));
  record.date = date;
  bool isClean = true;
  for (TuneProblem &problem : folder.problems) {
    Expected<bool> tuned = tune(problem);
    if (!tuned)
      return tuned.takeError();
    isClean &= *tuned;
    // After each problem, so that a run that ends early keeps what it measured.
    if (Status status = write(); !status)
      return status.takeError();
  }
  return isClean;
}

Expected<bool> run::tuneAll(const Options &options) {
  return Tuner(options).run();
}
