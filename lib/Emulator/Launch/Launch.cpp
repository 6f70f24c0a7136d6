//===- Launch.cpp - checking and running a grid ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Validates a launch against the kernel's directives and the limits of sm_100,
// then spreads the clusters over a pool of threads. A cluster that only spins
// is set aside for others, which may be what it waits for.
//
//===----------------------------------------------------------------------===//

#include "Certify/Observers.h"
#include "Check/RaceChecker.h"
#include "Debug/Observers.h"
#include "Exec/Decode/DeviceCalls.h"
#include "Exec/Sync/LaunchControl.h"
#include "Sched/Scheduler.h"
#include "State/Module.h"
#include "State/WorkStealing.h"
#include "tc/Emulator/Certificate.h"
#include "tc/Emulator/Debugger.h"
#include "tc/Emulator/Trace.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <numeric>
#include <optional>
#include <thread>

namespace tc::emu {

namespace {
using Triple = std::array<unsigned, 3>;

std::string str(const Triple &t) {
  return "(" + std::to_string(t[0]) + "," + std::to_string(t[1]) + "," +
         std::to_string(t[2]) + ")";
}
/// ~0 if it does not fit.
uint64_t product(const Triple &t) {
  uint64_t result = uint64_t(t[0]) * t[1];
  return __builtin_mul_overflow(result, uint64_t(t[2]), &result) ? ~0ull
                                                                 : result;
}

/// Days of work, and what the list of clusters to cancel may hold.
constexpr uint64_t maxCtas = 1ull << 26;

/// Hands clusters to threads.
class Pool {
public:
  Pool(Machine &machine, uint64_t clusters)
      : machine(machine),
        clusters(machine.stealing ? machine.stealing->launched().size()
                                  : clusters) {
    const Schedule &schedule = machine.options.schedule;
    if (schedule.kind == Schedule::Kind::Reverse) {
      stride = this->clusters - 1; // n - 1, n - 2, ...
      offset = this->clusters - 1;
    } else if (schedule.kind == Schedule::Kind::Skew ||
               schedule.kind == Schedule::Kind::Random) {
      Random draw(schedule.seed + 0x5be3);
      offset = draw.next() % this->clusters;
      stride = 1 + draw.next() % this->clusters;
      while (std::gcd(stride, this->clusters) != 1)
        stride = stride % this->clusters + 1;
    }
  }

  void work() {
    std::unique_lock<std::mutex> lock(mutex);
    while (true) {
      std::unique_ptr<ClusterScheduler> job;
      uint64_t turns = 0; // without effect, in a row
      const uint64_t before = lastEffect;
      if (machine.stop)
        return;
      if (nextCluster < clusters) {
        uint64_t index = order(nextCluster++);
        if (machine.stealing)
          index = machine.stealing->launched()[index];
        ++running;
        lock.unlock();
        job = std::make_unique<ClusterScheduler>(machine, index);
      } else if (std::optional<uint64_t> index = leftOver()) {
        ++running;
        lock.unlock();
        job = std::make_unique<ClusterScheduler>(machine, *index);
      } else if (!starved.empty() && !(running && seemsStuck())) {
        if (starved.front().since == lastEffect)
          turns = starved.front().turns;
        job = std::move(starved.front().job);
        starved.pop_front();
        ++running;
        lock.unlock();
      } else if (running) {
        changed.wait(lock);
        continue;
      } else {
        return;
      }
      uint64_t effects = job->cluster().effects;
      ClusterScheduler::Outcome outcome = job->run();
      lock.lock();
      --running;
      const bool starves = outcome == ClusterScheduler::Outcome::Starved;
      if (starves && effects == job->cluster().effects) {
        ++fruitless;
        // A turn that began before another cluster's effect may have missed it.
        turns = before == lastEffect ? turns + 1 : 0;
      } else {
        fruitless = turns = 0;
        ++lastEffect;
      }
      if (!starves && machine.options.progress)
        machine.options.progress->ctasDone += machine.ctasPerCluster;
      if (starves) {
        starved.push_back({std::move(job), turns, lastEffect});
        if (!running && nextCluster == clusters && isStuck())
          settleSpin();
      }
      changed.notify_all();
    }
  }

private:
  /// Each of the clusters that are left has had its turns, without effect.
  bool isStuck() const {
    return std::all_of(starved.begin(), starved.end(), [&](const Turns &of) {
      return of.since == lastEffect && of.turns > kFruitlessTurns;
    });
  }
  /// Nothing but a cluster that another one can cancel may help, or nothing at
  /// all does. Both are found out with no cluster running, and threads that
  /// keep each other busy would never see that.
  bool seemsStuck() const {
    return isStuck() || (machine.stealing && !machine.stealing->empty() &&
                         fruitless >= starved.size() + running);
  }

  /// A cluster that was set aside and that cannot be cancelled any more, or
  /// whose absence keeps all others from going on.
  std::optional<uint64_t> leftOver() {
    if (!machine.stealing || running || fruitless < starved.size())
      return {};
    return machine.stealing->leftOver();
  }

  /// Clusters start in any order: the n-th one of this schedule.
  uint64_t order(uint64_t n) const {
    return uint64_t((static_cast<unsigned __int128>(n) * stride + offset) %
                    clusters);
  }

  /// No cluster runs. One that goes on has as many turns again. A lane that has
  /// what all wait for, a lock, may itself wait for lanes that spin.
  void settleSpin() {
    bool any = false;
    for (Turns &of : starved)
      any |= of.job->releaseLanes();
    for (Turns &of : starved)
      any |= !any && of.job->goesOn();
    if (!any)
      return reportSpin();
    fruitless = 0;
    ++lastEffect;
  }

  void reportSpin() {
    std::string text = "all clusters spin without effect";
    for (size_t i = 0; i < starved.size() && i < 4; ++i)
      text += starved[i].job->describeWaits();
    Cluster &first = starved[0].job->cluster();
    int line = 0;
    for (auto &cta : first.ctas)
      for (auto &warp : cta->warps)
        if (!line && !warp->splits.empty())
          line = machine.kernel.code[warp->splits[0].pc].line;
    first.fail(ReportKind::Deadlock, text, line);
  }

  /// A cluster that waits for others, and how many turns in a row it has had
  /// without effect since the last effect of any.
  struct Turns {
    std::unique_ptr<ClusterScheduler> job;
    uint64_t turns, since;
  };

  static constexpr uint64_t kFruitlessTurns = 64;
  Machine &machine;
  const uint64_t clusters;
  std::mutex mutex;
  std::condition_variable changed;
  uint64_t nextCluster = 0;
  uint64_t stride = 1, offset = 0;
  unsigned running = 0;
  uint64_t fruitless = 0;  ///< turns in a row, of all clusters
  uint64_t lastEffect = 0; ///< counts effects, a turn of a cluster as one
  std::deque<Turns> starved;
};

/// Fills in and checks the configuration; the text of a BadLaunch or Resource
/// report, or nothing.
std::string checkLaunch(const KernelInfo &info, LaunchConfig &config,
                        ReportKind &kind) {
  kind = ReportKind::BadLaunch;
  bool given = product(config.cluster) != 0;
  bool required = info.reqnctapercluster[0] != 0;
  if (!given)
    config.cluster = required ? info.reqnctapercluster : Triple{1, 1, 1};
  else if (required && config.cluster != info.reqnctapercluster)
    return "expected cluster " + str(info.reqnctapercluster) +
           " (.reqnctapercluster), got " + str(config.cluster);
  if (product(config.cluster) > 16)
    return "expected a cluster of at most 16 CTAs, got " + str(config.cluster);
  if (info.maxclusterrank && product(config.cluster) > info.maxclusterrank)
    return "expected a cluster of at most " +
           std::to_string(info.maxclusterrank) +
           " CTAs (.maxclusterrank), got " + str(config.cluster);
  for (unsigned i = 0; i < 3; ++i) {
    if (!config.grid[i] || !config.block[i])
      return "expected positive grid and block dimensions, got grid " +
             str(config.grid) + " and block " + str(config.block);
    if (config.grid[i] % config.cluster[i])
      return "expected a grid that is a multiple of cluster " +
             str(config.cluster) + ", got " + str(config.grid);
  }
  if (config.grid[0] > 0x7fffffffu || config.grid[1] > 65535 ||
      config.grid[2] > 65535)
    return "expected a grid of at most (2147483647,65535,65535), got " +
           str(config.grid);
  uint64_t planes = uint64_t(config.grid[0]) * config.grid[1];
  if (planes > maxCtas || planes * config.grid[2] > maxCtas) {
    kind = ReportKind::Unsupported;
    return "expected a grid of at most " + std::to_string(maxCtas) +
           " CTAs in the emulator, got " + str(config.grid);
  }
  if (product(config.block) > 1024 || config.block[2] > 64)
    return "expected a block of at most 1024 threads and 64 in z, got " +
           str(config.block);
  if (info.reqntid[0] && config.block != info.reqntid)
    return "expected block " + str(info.reqntid) + " (.reqntid), got " +
           str(config.block);
  if (info.maxntid[0] && product(config.block) > product(info.maxntid))
    return "expected a block of at most " +
           std::to_string(product(info.maxntid)) + " threads (.maxntid), got " +
           str(config.block);
  if (config.params.size() != info.paramBytes)
    return "expected " + std::to_string(info.paramBytes) +
           " bytes of parameters, got " + std::to_string(config.params.size());
  return {};
}

/// Puts the larger of two cluster sizes in place where the schedule wants it;
/// the text of a BadLaunch report if it does not fit.
std::string choosePreferredCluster(const KernelInfo &info,
                                   const RunOptions &options,
                                   LaunchConfig &config) {
  const Schedule &schedule = options.schedule;
  const Triple &preferred = config.preferredCluster;
  if (!product(preferred))
    return {};
  for (unsigned i = 0; i < 3; ++i)
    if (preferred[i] % config.cluster[i] || config.grid[i] % preferred[i])
      return "expected a preferred cluster that is a multiple of cluster " +
             str(config.cluster) + " and divides grid " + str(config.grid) +
             ", got " + str(preferred);
  if (info.maxclusterrank && product(preferred) > info.maxclusterrank)
    return "expected a preferred cluster of at most " +
           std::to_string(info.maxclusterrank) +
           " CTAs (.maxclusterrank), got " + str(preferred);
  // A preferred cluster that fits on no device is legal, and never taken.
  if (product(preferred) > 16)
    return {};
  if (Certificate *certificate = options.certificate) {
    certificate->hasPreferredCluster();
    if (certificate->takesPreferred())
      config.cluster = preferred;
    return {};
  }
  if (schedule.kind == Schedule::Kind::Eager)
    return {};
  if (schedule.kind == Schedule::Kind::Lazy ||
      schedule.kind == Schedule::Kind::Reverse || schedule.seed % 2)
    config.cluster = preferred;
  return {};
}

/// The kernel that `config` names, or the only one.
const KernelCode *findKernel(const Module &module, const LaunchConfig &config) {
  const KernelCode *kernel = nullptr;
  for (const KernelCode &candidate : module.kernels)
    if (candidate.info.name == config.entry ||
        (config.entry.empty() && module.kernels.size() == 1))
      kernel = &candidate;
  return kernel;
}

/// Why a launch is refused.
struct Refusal {
  ReportKind kind;
  std::string message;
  int line;
};

/// What can be said before there is a machine.
std::optional<Refusal> findModuleError(const Module &module,
                                       const KernelCode *kernel,
                                       const LaunchConfig &config,
                                       DeviceMemory &memory) {
  if (!kernel)
    return Refusal{ReportKind::BadLaunch,
                   config.entry.empty()
                       ? "expected the name of an entry: the program has " +
                             std::to_string(module.kernels.size())
                       : "no entry is named '" + config.entry + "'",
                   0};
  if (!kernel->unsupported.empty())
    return Refusal{ReportKind::Unsupported, kernel->unsupported,
                   kernel->unsupportedLine};
  for (const VariableInfo &variable : module.placed)
    if (!memory.readable(variable.address, variable.bytes))
      return Refusal{
          ReportKind::BadLaunch,
          "expected the memory that holds variable '" + variable.name + "'", 0};
  return {};
}

/// Completes the configuration of `machine` and what follows from it.
std::optional<Refusal> prepare(Machine &machine, const Program &program,
                               const KernelCode &kernel,
                               const LaunchConfig &config,
                               const RunOptions &options) {
  const KernelInfo &info = kernel.info;
  ReportKind kind;
  std::string problem = checkLaunch(info, machine.config, kind);
  if (problem.empty())
    problem = choosePreferredCluster(info, options, machine.config);
  if (!problem.empty())
    return Refusal{kind, problem, info.line};
  uint64_t smem = uint64_t(info.staticSmem);
  if (config.dynamicSmem)
    smem = uint64_t(kernel.dynamicSmemOffset) + config.dynamicSmem;
  if (smem > machine.chip.smemMax)
    return Refusal{ReportKind::Resource,
                   "expected at most " + std::to_string(machine.chip.smemMax) +
                       " bytes of shared memory, got " + std::to_string(smem) +
                       " (" + std::to_string(info.staticSmem) + " static)",
                   info.line};
  if (info.staticSmem > machine.chip.staticSmemMax)
    return Refusal{ReportKind::Resource,
                   "expected at most " +
                       std::to_string(machine.chip.staticSmemMax) +
                       " bytes of static shared memory, got " +
                       std::to_string(info.staticSmem),
                   info.line};
  if (options.debugger)
    if (problem = options.debugger->attach(program, kernel, machine.config);
        !problem.empty())
      return Refusal{ReportKind::BadLaunch, problem, 0};
  machine.smemBytes = uint32_t(smem);
  machine.threadsPerCta = unsigned(product(machine.config.block));
  machine.warpsPerCta = (machine.threadsPerCta + 31) / 32;
  machine.ctasPerCluster = unsigned(product(machine.config.cluster));
  machine.registersPerThread = registersAtStart(info);
  machine.explicitCluster =
      product(config.cluster) != 0 || info.reqnctapercluster[0] != 0;
  return {};
}

/// The observers of a launch.
struct Observers {
  std::vector<std::unique_ptr<LaunchObserver>> all;
  RaceChecker *races = nullptr; ///< one of them, or null

  Observers(Machine &machine, const LaunchConfig &config,
            const RunOptions &options) {
    if (options.trace)
      all.push_back(observeTimeline(*options.trace));
    if (options.coverage)
      all.push_back(observeCoverage(*options.coverage));
    if (options.debugger)
      all.push_back(observeForDebugger(*options.debugger));
    all.push_back(observePostMortem());
    if (options.checkRaces) {
      auto checker = std::make_unique<RaceChecker>(
          machine, product(machine.config.grid) / machine.ctasPerCluster);
      if (options.sequence && config.programmaticLaunch)
        checker->prerequisite = options.sequence->last;
      races = checker.get();
      all.push_back(std::move(checker));
    }
    if (options.certificate)
      all.push_back(observeChoices(*options.certificate, machine));
    for (auto &observer : all)
      machine.observers.push_back(observer.get());
  }
};

/// Runs all clusters on the threads that the options ask for.
void runClusters(Machine &machine, const KernelCode &kernel,
                 const LaunchConfig &config, const RunOptions &options) {
  uint64_t clusters = product(machine.config.grid) / machine.ctasPerCluster;
  unsigned threads =
      options.threads ? options.threads : std::thread::hardware_concurrency();
  if (options.debugger || usesHeap(kernel))
    threads = 1;
  threads = unsigned(std::min<uint64_t>(std::max(threads, 1u), clusters));
  if (cancelsClusters(kernel) && !config.coResident &&
      !machine.assumes(Assumption::CoResidentGrid)) {
    Certificate::Assignment given;
    if (options.certificate)
      given = options.certificate->assignment(clusters);
    machine.stealing =
        given.empty()
            ? std::make_shared<WorkStealing>(options.schedule, clusters)
            : std::make_shared<WorkStealing>(given);
  }
  Pool pool(machine, clusters);
  std::vector<std::thread> workers;
  for (unsigned i = 1; i < threads; ++i)
    workers.emplace_back([&] { pool.work(); });
  pool.work();
  for (std::thread &worker : workers)
    worker.join();
}

} // namespace

RunResult launch(const Program &program, const LaunchConfig &config,
                 DeviceMemory &memory, const RunOptions &options) {
  auto start = std::chrono::steady_clock::now();
  RunResult result;
  auto reject = [&](const Refusal &refusal) {
    Report report;
    report.kind = refusal.kind;
    report.message =
        (refusal.line
             ? program.at(refusal.line)
             : program.fileName() + (program.fileName().empty() ? "" : ": ")) +
        refusal.message;
    report.lines.push_back(refusal.line);
    result.reports.push_back(std::move(report));
    return result;
  };

  const Module &module = program.module();
  const KernelCode *kernel = findKernel(module, config);
  if (auto refusal = findModuleError(module, kernel, config, memory))
    return reject(*refusal);
  Machine machine(program, *kernel, config, memory, options);
  if (auto refusal = prepare(machine, program, *kernel, config, options))
    return reject(*refusal);
  if (options.trace)
    options.trace->beginLaunch(product(machine.config.grid));
  Observers observers(machine, config, options);
  runClusters(machine, *kernel, config, options);

  if (options.sequence) {
    options.sequence->last = nullptr;
    if (observers.races && machine.launchedDependents)
      options.sequence->last = observers.races->footprint;
  }
  result.reports = std::move(machine.reports);
  result.ended =
      !machine.stop && !(options.debugger && options.debugger->stopped());
  result.ok = result.reports.empty() && result.ended;
  result.output = std::move(machine.output);
  result.uses = machine.uses();
  if (observers.races)
    result.raceSample = observers.races->sample.describe();
  result.stats.warpInstructions = machine.warpInstructions;
  result.stats.mmaMacs = machine.mmaMacs;
  result.stats.asyncOps = machine.asyncOps;
  result.stats.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return result;
}

} // namespace tc::emu
