//===- PassReplay.cpp - runs in child processes -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PassReplay.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace tc::fuzz;

/// Seconds that a pass may take; the slowest take one under the sanitizers.
static constexpr unsigned timeLimit = 60;
/// Attempts to leave an op out of an input.
static constexpr unsigned maxReplays = 400;
/// Exit statuses of a worker with a finding: this and the Outcome.
static constexpr int findingStatus = 40;

void tc::fuzz::armTimeLimit() { alarm(timeLimit); }

void tc::fuzz::endWithFinding(Outcome outcome, StringRef message) {
  llvm::errs() << "message: " << message << "\n";
  llvm::errs().flush();
  _exit(findingStatus + int(outcome));
}

//===----------------------------------------------------------------------===//
// Worker
//===----------------------------------------------------------------------===//

static std::vector<Worker *> &getRunning() {
  static std::vector<Worker *> running;
  return running;
}

Worker::Worker() {
  memory = static_cast<Shared *>(mmap(nullptr, sizeof(Shared),
                                      PROT_READ | PROT_WRITE,
                                      MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  SmallString<128> path;
  if (memory == MAP_FAILED ||
      llvm::sys::fs::createTemporaryFile("tc-fuzz-passes", "log", path))
    llvm::report_fatal_error("no memory or no temporary file for a worker");
  log = path.str();
}

Worker::~Worker() {
  munmap(memory, sizeof(Shared));
  llvm::sys::fs::remove(log);
}

void Worker::start(llvm::function_ref<void(Shared &)> body) {
  llvm::outs().flush();
  child = fork();
  if (child < 0)
    llvm::report_fatal_error("cannot fork");
  if (child > 0) {
    getRunning().push_back(this);
    return;
  }
  int file = open(log.c_str(), O_WRONLY | O_TRUNC);
  dup2(file, STDOUT_FILENO);
  dup2(file, STDERR_FILENO);
  body(*memory);
  // Without destructors: what the parent shares with the child is the parent's.
  llvm::outs().flush();
  _exit(0);
}

/// What identifies the place of a crash: the first line of an assertion or of
/// a report, and the first function of the project on the stack.
static std::string findPlace(StringRef log) {
  static const llvm::Regex frame(
      "^ *#[0-9]+ .* in (.*) [^ ]*/(lib|include/tc|test/lib)/([^ ]*):[0-9]+$"),
      reason("Assertion .* failed|LLVM ERROR: [^:]*|runtime error: .*|"
             "AddressSanitizer: [A-Za-z-]+");
  std::string place;
  SmallVector<StringRef> lines, matches;
  log.split(lines, '\n');
  for (StringRef line : lines)
    if (place.empty() && reason.match(line, &matches))
      place = matches[0].str();
  for (StringRef line : lines)
    if (line.contains("/lib/") && !line.contains("/usr/") &&
        frame.match(line.take_until([](char c) { return c == '\r'; }),
                    &matches))
      return place + " in " + matches[1].str() + " of " + matches[3].str();
  return place;
}

void Worker::setEnding(int status) {
  llvm::erase(getRunning(), this);
  child = 0;
  last = {};
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return;
  if (auto buffer = llvm::MemoryBuffer::getFile(log))
    last.log = (*buffer)->getBuffer().str();
  StringRef message = last.log;
  int outcome = WIFEXITED(status) ? WEXITSTATUS(status) - findingStatus : -1;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    last.kind = "no end";
  else if (outcome == int(Outcome::Silent))
    last.kind = "failure without an error";
  else if (outcome == int(Outcome::Invalid) ||
           outcome == int(Outcome::Spurious)) {
    last.kind = outcome == int(Outcome::Invalid) ? "result does not verify"
                                                 : "success with an error";
    // Without what differs from input to input.
    last.where =
        llvm::Regex("[0-9]+|'[^']*'").sub("", message.split('\n').first);
  } else {
    last.kind = WIFSIGNALED(status)
                    ? "crash, signal " + std::to_string(WTERMSIG(status))
                    : "exit status " + std::to_string(WEXITSTATUS(status));
    last.where = findPlace(message);
  }
}

Ending Worker::wait() {
  int status = 0;
  waitpid(child, &status, 0);
  setEnding(status);
  return last;
}

Worker *Worker::waitForAny() {
  int status = 0;
  if (getRunning().empty())
    return nullptr;
  pid_t ended = waitpid(-1, &status, 0);
  for (Worker *worker : getRunning())
    if (worker->child == ended) {
      worker->setEnding(status);
      return worker;
    }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Findings
//===----------------------------------------------------------------------===//

/// Erases the `index`-th op, from the end, that nothing uses. False where there
/// are not that many.
static bool eraseOp(ModuleOp module, size_t index) {
  SmallVector<Operation *> unused;
  module->walk([&](Operation *op) {
    if (op != module && op->use_empty() &&
        !op->hasTrait<OpTrait::IsTerminator>())
      unused.push_back(op);
  });
  if (index >= unused.size())
    return false;
  unused[unused.size() - 1 - index]->erase();
  return true;
}

static void print(ModuleOp module, StringRef path) {
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  module.print(os);
}

/// Runs the passes of a case, in a process of its own. `before`: where the
/// module goes as it is before the last of them. `erased`: an op to leave out
/// of the input; where there is no such op, the input of the worker's memory
/// is 0 afterwards.
static Ending replay(Worker &worker, const Case &found, StringRef before = "",
                     std::optional<size_t> erased = std::nullopt) {
  worker.start([&](Shared &shared) {
    Session session;
    armTimeLimit();
    OwningOpRef<ModuleOp> module = session.parse(found.input);
    shared.input = module && (!erased || eraseOp(*module, *erased));
    if (!shared.input || (erased && failed(verify(*module))))
      return;
    for (size_t i = 0; i < found.steps.size(); ++i) {
      if (i + 1 == found.steps.size() && !before.empty())
        print(*module, before);
      std::string message;
      armTimeLimit();
      Outcome outcome = session.run(*module, found.steps[i], message);
      if (outcome == Outcome::Refused)
        return;
      if (outcome != Outcome::Success)
        endWithFinding(outcome, message);
    }
  });
  return worker.wait();
}

static std::string sortOf(const Case &found, const Ending &ending) {
  std::string pass = found.steps.empty() ? "parser" : found.steps.back().pass;
  return pass + ": " + ending.kind +
         (ending.where.empty() ? "" : ": " + ending.where);
}

/// Leaves out passes as long as the finding stays, the last one excepted.
static void dropPasses(Worker &worker, Case &found, StringRef sort) {
  for (size_t size = found.steps.size() / 2; size > 0; size /= 2)
    for (size_t at = 0; at + 1 < found.steps.size();) {
      Case smaller = found;
      size_t end = std::min(at + size, smaller.steps.size() - 1);
      smaller.steps.erase(smaller.steps.begin() + at,
                          smaller.steps.begin() + end);
      Ending ending = replay(worker, smaller);
      if (ending.isFinding() && sortOf(smaller, ending) == sort)
        found = std::move(smaller);
      else
        at = end;
    }
}

/// Replaces the input by the module before the last pass, where that is enough.
static void dropToLastPass(Worker &worker, Case &found, StringRef sort) {
  SmallString<128> path;
  if (found.steps.size() < 2 ||
      llvm::sys::fs::createTemporaryFile("tc-fuzz-passes", "mlir", path))
    return;
  replay(worker, found, path);
  if (auto buffer = llvm::MemoryBuffer::getFile(path)) {
    Case last{(*buffer)->getBuffer().str(), {found.steps.back()}};
    Ending ending = replay(worker, last);
    if (ending.isFinding() && sortOf(last, ending) == sort)
      found = std::move(last);
  }
  llvm::sys::fs::remove(path);
}

/// Leaves out ops of the input of a case with one pass.
static void dropOps(Worker &worker, Case &found, StringRef sort) {
  SmallString<128> path;
  if (found.steps.size() != 1 ||
      llvm::sys::fs::createTemporaryFile("tc-fuzz-passes", "mlir", path))
    return;
  size_t index = 0;
  for (unsigned replays = 0; replays < maxReplays; ++replays) {
    Ending ending = replay(worker, found, path, index);
    if (ending.isFinding() && sortOf(found, ending) == sort) {
      found.input = (*llvm::MemoryBuffer::getFile(path))->getBuffer().str();
      continue;
    }
    if (!worker.shared().input)
      break;
    ++index;
  }
  llvm::sys::fs::remove(path);
}

void Findings::add(Case found, const Ending &ending) {
  ++count;
  std::string sort = sortOf(found, ending);
  if (sorts[sort]++)
    return;
  llvm::outs() << "finding " << sorts.size() << ": " << sort << "\n";
  Worker worker;
  Ending again = replay(worker, found);
  bool isStable = again.isFinding() && sortOf(found, again) == sort;
  if (isStable) {
    dropPasses(worker, found, sort);
    dropToLastPass(worker, found, sort);
    dropOps(worker, found, sort);
  }
  std::string path = folder + "/" + std::to_string(sorts.size()) + ".mlir";
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  auto text =
      llvm::map_range(found.steps, [](const Step &step) { return step.text; });
  os << "// " << sort << (isStable ? "" : " (not reproduced)") << "\n// tc-opt "
     << path << " --pass-pipeline='builtin.module(" << llvm::join(text, ",")
     << ")'\n";
  SmallVector<StringRef> lines;
  StringRef(ending.log).take_front(4096).split(lines, '\n');
  for (StringRef line : lines)
    os << "// | " << line << "\n";
  os << found.input;
}
