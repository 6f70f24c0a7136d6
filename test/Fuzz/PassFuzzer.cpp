//===- PassFuzzer.cpp - random passes on IR of any level --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   tc-fuzz-passes [options] FILE...
//
// A run takes a module of one of the files, as it is or after the first k
// passes of one of the --pipeline, and runs up to --max-passes random passes on
// it. It may end with success or with an error that has a message. Everything
// else is a finding: a crash, an assertion, a sanitizer's report, a pass that
// fails without an error, that succeeds with one, that leaves IR which does not
// verify, or that does not end.
//
// Runs are executed by forked workers, a batch of runs on one input each. What
// a worker does is in memory that it shares with this process, so a crash is
// attributed to its run; the pass list is then made smaller, by replaying it in
// further forks, and written to --findings together with its input.
//
//===----------------------------------------------------------------------===//

#include "PassReplay.h"

#include "tc/InitAll.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <random>
#include <set>
#include <unistd.h>

using namespace mlir;
using namespace tc::fuzz;
namespace cl = llvm::cl;

static cl::list<std::string> files(cl::Positional, cl::OneOrMore,
                                   cl::desc("<input .mlir>..."));
static cl::list<std::string>
    passNames("pass",
              cl::desc("A pass of the project to draw: name or name{options}"));
static cl::list<std::string>
    pipelineNames("pipeline",
                  cl::desc("A registered pipeline whose first passes prepare "
                           "an input: name or name{options}"));
static cl::opt<unsigned> runCount("runs", cl::init(1000),
                                  cl::desc("Pass lists to run"));
static cl::opt<unsigned> batchSize("batch", cl::init(25),
                                   cl::desc("Runs on one input"));
static cl::opt<unsigned> maxPasses("max-passes", cl::init(8),
                                   cl::desc("Random passes in a run"));
static cl::opt<unsigned> maxSeconds("max-seconds", cl::init(0),
                                    cl::desc("Start no batch later, 0: none"));
static cl::opt<unsigned> jobCount("jobs", cl::init(1), cl::desc("Workers"));
static cl::opt<uint64_t> seedOption("seed", cl::init(1), cl::desc("Seed"));
static cl::opt<std::string> findingsPath("findings", cl::Required,
                                         cl::desc("Folder for findings"));

namespace {

/// What every worker inherits.
struct Plan {
  std::vector<std::string> inputs;
  /// Indices of inputs with a whole problem, which most pipelines get through.
  std::vector<uint32_t> problems;
  std::vector<Step> steps;
  /// Steps to draw, by pass: those of --pass and of the pipelines.
  std::vector<std::vector<uint16_t>> drawn;
  /// Steps of each --pipeline.
  std::vector<std::vector<uint16_t>> pipelines;
};

using Random = std::mt19937_64;

/// A generator of its own for each batch and run, so that a batch can go on
/// after a run that ended its worker.
Random randomOf(uint64_t batch, uint64_t run) {
  std::seed_seq seed{uint64_t(seedOption), batch, run};
  return Random(seed);
}

size_t draw(Random &random, size_t count) { return random() % count; }

/// One child process and the batch it works on.
struct Slot {
  Worker worker;
  uint64_t batch = 0;
  uint32_t firstRun = 1;
  /// Passes of the pipeline that prepare the input: fewer than it has, where
  /// one of them is a finding.
  uint32_t prepared = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// In a worker
//===----------------------------------------------------------------------===//

/// Applies `step` and counts it; ends the process where that is a finding.
/// False where the pass refused the module.
static bool apply(Session &session, ModuleOp module, const Plan &plan,
                  uint16_t step, Shared &shared) {
  shared.steps[shared.count++] = step;
  std::string message;
  armTimeLimit();
  Outcome outcome = session.run(module, plan.steps[step], message);
  ++shared.outcomes[step][size_t(outcome)];
  if (outcome != Outcome::Success && outcome != Outcome::Refused)
    endWithFinding(outcome, message);
  return outcome == Outcome::Success;
}

/// The input of a batch after 0, 1, ... passes of its pipeline.
static std::vector<OwningOpRef<ModuleOp>>
makeSnapshots(Session &session, const Plan &plan, ArrayRef<uint16_t> pipeline,
              Shared &shared) {
  std::vector<OwningOpRef<ModuleOp>> snapshots;
  shared.count = 0;
  snapshots.push_back(session.parse(plan.inputs[shared.input]));
  for (uint16_t step : pipeline) {
    OwningOpRef<ModuleOp> next(snapshots.back()->clone());
    if (!apply(session, *next, plan, step, shared))
      break;
    snapshots.push_back(std::move(next));
  }
  return snapshots;
}

static void runBatch(const Plan &plan, const Slot &slot, Shared &shared) {
  Random random = randomOf(slot.batch, 0);
  // Half of the batches start from whole problems, half from anything.
  bool isProblem = !plan.problems.empty() && draw(random, 2);
  shared.input = isProblem ? plan.problems[draw(random, plan.problems.size())]
                           : draw(random, plan.inputs.size());
  ArrayRef<uint16_t> pipeline =
      plan.pipelines[draw(random, plan.pipelines.size())];
  // A dialect that a pass forgot to declare is only missed in a context in
  // which no other pass has loaded it.
  bool isCold = draw(random, 8) == 0;
  size_t prepared =
      isCold ? 0 : std::min<size_t>(slot.prepared, pipeline.size());
  pipeline = pipeline.take_front(prepared);

  shared.run = 0;
  auto session = std::make_unique<Session>();
  std::vector<OwningOpRef<ModuleOp>> snapshots =
      makeSnapshots(*session, plan, pipeline, shared);
  for (uint32_t run = slot.firstRun; run <= batchSize; ++run) {
    shared.run = run;
    Random random = randomOf(slot.batch, run);
    size_t taken = draw(random, snapshots.size());
    llvm::copy(pipeline.take_front(taken), shared.steps);
    shared.count = taken;
    if (isCold) {
      snapshots.clear();
      session = std::make_unique<Session>();
      snapshots.push_back(session->parse(plan.inputs[shared.input]));
    }
    OwningOpRef<ModuleOp> module(snapshots[taken]->clone());
    size_t passes = 1 + draw(random, maxPasses);
    ++shared.runs;
    for (size_t i = 0; i < passes; ++i) {
      const std::vector<uint16_t> &places =
          plan.drawn[draw(random, plan.drawn.size())];
      if (!apply(*session, *module, plan, places[draw(random, places.size())],
                 shared))
        break;
    }
  }
}

//===----------------------------------------------------------------------===//
// In the parent
//===----------------------------------------------------------------------===//

static bool addInputs(Plan &plan) {
  for (const std::string &path : files) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer) {
      llvm::errs() << "error: cannot read '" << path << "'\n";
      return false;
    }
    SmallVector<StringRef> parts;
    (*buffer)->getBuffer().split(parts, "// -----");
    for (StringRef part : parts)
      plan.inputs.push_back(part.str());
  }
  return true;
}

static uint16_t indexOf(Plan &plan, const Step &step) {
  for (size_t i = 0; i < plan.steps.size(); ++i)
    if (plan.steps[i].text == step.text)
      return i;
  plan.steps.push_back(step);
  return plan.steps.size() - 1;
}

static bool addSteps(Plan &plan) {
  auto refuse = [](StringRef what, StringRef name) {
    llvm::errs() << "error: " << what << ": cannot parse '" << name << "'\n";
    return false;
  };
  for (const std::string &name : pipelineNames) {
    std::vector<Step> steps = stepsOfPipeline(name);
    if (steps.empty() || steps.size() + maxPasses > Shared::maxSteps)
      return refuse("--pipeline", name);
    plan.pipelines.emplace_back();
    for (const Step &step : steps)
      plan.pipelines.back().push_back(indexOf(plan, step));
  }
  std::set<std::string> ours;
  for (const std::string &name : passNames) {
    std::vector<Step> steps = stepsOfPass(name);
    if (steps.empty())
      return refuse("--pass", name);
    ours.insert(steps.front().pass);
    for (const Step &step : steps)
      indexOf(plan, step);
  }
  if (plan.pipelines.empty() || passNames.empty())
    return refuse("--pass and --pipeline", "none");
  std::map<std::string, std::vector<uint16_t>> passes;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    plan.steps[i].isUpstream = !ours.count(plan.steps[i].pass);
    passes[plan.steps[i].pass].push_back(i);
  }
  for (auto &[pass, places] : passes)
    plan.drawn.push_back(places);
  return plan.steps.size() <= Shared::maxPasses || refuse("passes", "too many");
}

/// Keeps the inputs that are modules. A crash of the parser is a finding.
static void dropUnparsable(Plan &plan, Findings &findings) {
  std::vector<std::string> kept;
  Worker worker;
  for (size_t next = 0; next < plan.inputs.size();) {
    worker.start([&](Shared &shared) {
      for (shared.input = next; shared.input < plan.inputs.size();
           ++shared.input) {
        armTimeLimit();
        shared.parses[shared.input] =
            bool(Session().parse(plan.inputs[shared.input]));
      }
    });
    Ending ending = worker.wait();
    for (; next < worker.shared().input; ++next)
      if (worker.shared().parses[next])
        kept.push_back(plan.inputs[next]);
    if (!ending.isFinding())
      break;
    findings.add({plan.inputs[next++], {}}, ending);
  }
  plan.inputs = std::move(kept);
  for (size_t i = 0; i < plan.inputs.size(); ++i)
    if (StringRef text = plan.inputs[i];
        text.contains("linalg.") || text.contains("tmm.matmul"))
      plan.problems.push_back(i);
}

static Case caseOf(const Plan &plan, const Shared &shared) {
  Case found{plan.inputs[shared.input], {}};
  for (uint32_t i = 0; i < shared.count; ++i)
    found.steps.push_back(plan.steps[shared.steps[i]]);
  return found;
}

static void runBatches(const Plan &plan, Findings &findings,
                       std::vector<Slot> &slots) {
  uint64_t next = 0, count = (runCount + batchSize - 1) / batchSize;
  time_t start = time(nullptr);
  auto begin = [&](Slot &slot) {
    slot.worker.start([&](Shared &shared) { runBatch(plan, slot, shared); });
  };
  auto beginNext = [&](Slot &slot) {
    if (next == count ||
        (maxSeconds && time(nullptr) - start >= time_t(maxSeconds)))
      return;
    slot.batch = next++;
    slot.firstRun = 1;
    slot.prepared = Shared::maxSteps;
    begin(slot);
  };
  for (Slot &slot : slots)
    beginNext(slot);
  while (Worker *ended = Worker::waitForAny()) {
    Slot &slot = *llvm::find_if(
        slots, [&](Slot &slot) { return &slot.worker == ended; });
    Ending ending = ended->ending();
    if (!ending.isFinding()) {
      beginNext(slot);
      continue;
    }
    findings.add(caseOf(plan, ended->shared()), ending);
    // The batch goes on after the run, or, where the finding is in the pipeline
    // that prepares the input, with the passes before it.
    slot.firstRun = ended->shared().run + 1;
    if (ended->shared().run == 0)
      slot.prepared = ended->shared().count - 1;
    if (slot.firstRun > batchSize)
      beginNext(slot);
    else
      begin(slot);
  }
}

/// How often each pass ended in which way, and what was found.
static void printSummary(const Plan &plan, std::vector<Slot> &slots,
                         const Findings &findings) {
  std::map<std::string, std::array<uint64_t, 2>> passes;
  uint64_t runs = 0, executed = 0;
  for (Slot &slot : slots) {
    const Shared &shared = slot.worker.shared();
    runs += shared.runs;
    for (size_t i = 0; i < plan.steps.size(); ++i)
      for (size_t outcome = 0; outcome < 2; ++outcome) {
        passes[plan.steps[i].pass][outcome] += shared.outcomes[i][outcome];
        executed += shared.outcomes[i][outcome];
      }
  }
  for (auto &[pass, outcomes] : passes)
    llvm::outs() << "  " << pass << ": " << outcomes[0] << " succeeded, "
                 << outcomes[1] << " refused\n";
  llvm::outs() << runs << " runs of " << executed << " passes on "
               << plan.inputs.size() << " inputs, " << plan.problems.size()
               << " of them whole problems, seed " << seedOption << "; "
               << findings.total() << " findings, " << findings.different()
               << " different\n";
}

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv, "random passes on IR of any level\n");
  tc::registerAllPasses();
  if (std::error_code error = llvm::sys::fs::create_directories(findingsPath)) {
    llvm::errs() << "error: cannot make '" << findingsPath
                 << "': " << error.message() << "\n";
    return 2;
  }
  Plan plan;
  if (batchSize == 0 || jobCount == 0 || maxPasses == 0 || !addInputs(plan) ||
      !addSteps(plan))
    return 2;
  Findings findings(findingsPath);
  dropUnparsable(plan, findings);
  if (plan.inputs.empty()) {
    llvm::errs() << "error: no input is a module\n";
    return 2;
  }
  std::vector<Slot> slots(jobCount);
  runBatches(plan, findings, slots);
  printSummary(plan, slots, findings);
  return findings.total() ? 1 : 0;
}
