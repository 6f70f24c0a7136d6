//===- Machine.h - grid, clusters and CTAs ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Machine holds what one launch shares, Cluster what one OS thread drives: its
// CTAs, the engine with their asynchronous work, the random sequence and the
// first report. Instructions and asynchronous ops change barriers only through
// Cluster, so that waiters are woken and progress is seen.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_STATE_MACHINE_H
#define TC_EMULATOR_STATE_MACHINE_H

#include "State/Chip.h"
#include "State/DecodedInst.h"
#include "State/Engine.h"
#include "State/Events.h"
#include "State/Heap.h"
#include "State/Memory.h"
#include "State/Policy.h"
#include "State/RegisterPool.h"
#include "State/Tmem.h"
#include "State/Warp.h"
#include "tc/Emulator/Emulator.h"

#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace tc::emu {

class Cta;
class WorkStealing;

/// Source text on one line, for reports.
std::string cleanText(std::string_view text);
/// "CTA (1,0,0)".
std::string nameOfCta(const std::array<unsigned, 3> &ctaid);

/// What all clusters of a launch share.
struct Machine {
  Machine(const Program &program, const KernelCode &kernel,
          const LaunchConfig &config, DeviceMemory &memory,
          const RunOptions &options);
  ~Machine();

  const Program &program;
  const KernelCode &kernel;
  const ChipFacts &chip;
  LaunchConfig config; ///< with the cluster shape filled in
  DeviceMemory &memory;
  const RunOptions &options;
  Heap heap;
  uint32_t smemBytes = 0; ///< static and dynamic, per CTA
  unsigned threadsPerCta = 0, warpsPerCta = 0, ctasPerCluster = 0;
  unsigned registersPerThread = 0; ///< at the start; 0: the PTX does not say
  bool explicitCluster = false;    ///< named by the launch or by the kernel
  const uint32_t *constants = nullptr; ///< bank 1 of every warp
  std::vector<uint32_t> constantsDefined;
  std::vector<uint8_t> params;     ///< the parameter block
  std::vector<uint8_t> moduleData; ///< module-scope .global variables
  /// Module-scope .const variables: of the program, or in device memory.
  struct {
    const uint8_t *bytes;
    uint64_t count;
    const uint8_t *data() const { return bytes; }
    uint64_t size() const { return count; }
  } constData{};
  /// Who watches the launch; they outlive it.
  std::vector<LaunchObserver *> observers;

  /// Set if the kernel cancels clusters.
  std::shared_ptr<WorkStealing> stealing;

  std::atomic<uint64_t> warpInstructions{0};
  std::atomic<uint64_t> mmaMacs{0};
  std::atomic<uint64_t> asyncOps{0};
  std::atomic<bool> stop{false};
  /// griddepcontrol.launch_dependents has been executed.
  std::atomic<bool> launchedDependents{false};
  std::mutex reportMutex;
  /// Held while atomic operations on global memory are announced and done, so
  /// that observers see them in the order of their results.
  std::mutex atomicsMutex;
  std::vector<Report> reports;
  std::set<std::pair<int, int>> races; ///< lines, with keepRaces
  std::string output;
  /// Pairs of lines by assumption, under reportMutex.
  std::map<Assumption, std::set<std::pair<int, int>>> places;

  /// Where in the grid the CTA of a rank of a cluster is.
  std::array<unsigned, 3> ctaid(uint64_t cluster, unsigned rank) const;

  bool assumes(Assumption assumption) const {
    return options.assumptions.has(assumption);
  }
  /// The assumptions of `mask` held back a report about these two lines.
  void noteUse(AssumptionMask mask, int before, int after);
  void noteUse(Assumption assumption, int before, int after) {
    noteUse(maskOf(assumption), before, after);
  }
  std::vector<AssumptionUse> uses() const;

  /// The first .cta_group that a tcgen05 instruction of the launch has, and
  /// its line: group << 32 | line.
  std::atomic<uint64_t> ctaGroup{0};

  /// `ends`: the run stops here.
  void report(Report report, bool ends = true);
  /// Whether a race of these lines is to be reported: the first of each pair,
  /// up to the limit of the run.
  bool isNewRace(int before, int after);
  void print(std::string_view text);

  /// Host pointers for generic or global addresses outside of the shared and
  /// local windows (device memory, module variables, constants, parameters);
  /// null if the range is not legal. Writable excludes constants and
  /// parameters.
  const uint8_t *readable(uint64_t address, uint64_t bytes) const;
  uint8_t *writable(uint64_t address, uint64_t bytes);
  std::string explain(uint64_t address, uint64_t bytes, bool write) const;
};

/// One named barrier (bar.sync).
struct NamedBarrier {
  uint32_t expected = 0; ///< threads; 0: none has arrived yet
  uint32_t arrived = 0;  ///< threads
  bool wholeCta = false; ///< no thread count was given
  bool isReduction = false;
  uint32_t reduceCount = 0; ///< threads with a true predicate
  uint32_t resultCount = 0; ///< of the last completed reduction
  uint32_t resultThreads = 0;
};

class Cta {
public:
  Cta(Cluster &cluster, unsigned rank, std::array<unsigned, 3> ctaid);

  Cluster &cluster;
  Machine &machine;
  const unsigned rank;                 ///< %cluster_ctarank
  const std::array<unsigned, 3> ctaid; ///< in the grid
  SharedMemory smem;
  Tmem tmem;
  std::array<NamedBarrier, 16> barriers;
  std::vector<std::unique_ptr<Warp>> warps;
  unsigned liveThreads = 0;
  bool exited = false;
  RegisterPool registers;

  /// Lanes have exited; checks barriers, and work in flight when the last one
  /// has gone.
  void threadsExited(unsigned count);
  std::string name() const; ///< "CTA (1,0,0)"
};

class Cluster {
public:
  Cluster(Machine &machine, uint64_t index);
  ~Cluster();

  Machine &machine;
  const uint64_t index;
  std::array<unsigned, 3> clusterid;
  Engine engine;
  Policy policy;
  UndefinedOrigins undefined;
  /// Set by what drives the cluster: while a report is written, lets the other
  /// warps go on for a while as long as `waits()` says so.
  std::function<void(const std::function<bool()> &waits)> runOthers;
  /// Is told of accesses and synchronisation, or null.
  Observer *events = nullptr;
  /// Makes the choices of waits, or null: they are the schedule's.
  WaitOracle *oracle = nullptr;
  std::vector<Observer *> sliceObservers, instructionObservers;
  /// Instructions that a warp has come to, whatever their guards; empty unless
  /// an observer asks.
  std::vector<bool> reached;
  std::vector<std::unique_ptr<Cta>> ctas;
  /// All observers of this cluster. They go before the CTAs, which they read.
  std::vector<std::unique_ptr<Observer>> observers;
  bool failed = false;
  /// Counts everything that may let other warps go on; a spin that leaves it
  /// unchanged is no progress.
  uint64_t effects = 0;
  /// How many of them have changed no memory and no mbarrier: bar, and, while
  /// stores are watched, stores of what was there.
  uint64_t harmless = 0;
  bool watchesStores = false;
  /// Strong reads of global memory, which may wait for another cluster.
  uint64_t polls = 0;
  uint64_t instructions = 0;
  uint64_t engineSteps = 0;
  /// The clock of a timeline: instructions of all warps and steps of engines.
  uint64_t now() const { return instructions + engineSteps; }

  Cta *cta(unsigned rank) {
    return rank < ctas.size() ? ctas[rank].get() : nullptr;
  }

  /// "shared offset 1032 (bar+8) of CTA (1,0,0)", of a plain shared address of
  /// the cluster.
  std::string nameShared(uint32_t address) const;

  /// Splits blocked on `key` become runnable.
  void wake(const void *key);

  //===--- mbarriers, by plain shared address (rank << 24 | offset) ------===//
  /// The live barrier, or null with `why` set (no such CTA, not initialised,
  /// the CTA has exited).
  Mbarrier *mbarrier(uint32_t address, std::string &why);
  /// `by` is kept for reports.
  Status mbarrierArrive(uint32_t address, uint32_t count,
                        const Mbarrier::Arrival &by);
  Status mbarrierExpectTx(uint32_t address, uint32_t bytes,
                          const Mbarrier::Arrival &by);
  Status mbarrierCompleteTx(uint32_t address, uint32_t bytes,
                            const Mbarrier::Arrival &by);
  Status mbarrierArriveDrop(uint32_t address, uint32_t count,
                            const Mbarrier::Arrival &by);

  //===--- shared memory of the cluster, for asynchronous ops -------------===//
  /// Host pointer for a read or a write of a plain shared address, with bounds
  /// checked; byte states are left to the caller (SharedMemory::mark).
  Expected<uint8_t *> shared(uint32_t address, uint32_t bytes);

  /// barrier.cluster state: one phase at a time.
  struct {
    uint64_t phase = 0;
    uint32_t arrived = 0;
  } barrier;
  unsigned liveThreads = 0;
  /// The barrier's phase completes if all live threads have arrived.
  void checkClusterBarrier();
  /// Lanes of a warp that are about to exit: those that have arrived in this
  /// phase are counted no more, as the barrier waits for "all non-exited
  /// threads" (PTX ISA 9.0, "barrier.cluster", 9.7.13.3).
  void leaveClusterBarrier(Warp &warp, uint32_t lanes);
  /// A named barrier of `cta` completes if its count is reached.
  void checkNamedBarrier(Cta &cta, unsigned id);

  /// What made an undefined byte or cell so: `op`, which reads it, if nothing
  /// did before.
  OriginId sharedOrigin(const AsyncOp &op, uint32_t address);
  /// Of each byte of a readable range, 0: it has a value; empty if all have.
  std::vector<OriginId> sharedOrigins(const AsyncOp &op, uint32_t address,
                                      uint32_t bytes);
  /// Why bytes of shared memory may not be stored to global memory.
  std::string explainStore(const AsyncOp &op, uint32_t address, uint32_t bytes);
  OriginId cellOrigin(const AsyncOp &op, unsigned rank, unsigned lane,
                      unsigned column,
                      UndefinedOrigin::Place place = UndefinedOrigin::Cell);

  /// ": <op>" for the asynchronous work that still writes these bytes of shared
  /// memory, or nothing.
  std::string culprit(unsigned rank, uint32_t offset, uint32_t bytes);

  /// Numbers the events that a post-mortem tells of.
  uint64_t nextMoment() { return ++moments; }
  uint64_t moments = 0;
  /// What the report to come is about.
  Involved involved;
  uint32_t lastBarrier = 0; ///< the mbarrier that was looked up last

  /// Stops the run with a report.
  void fail(ReportKind kind, std::string message, int line);
  void fail(Report report);
  /// Reports, and the run goes on.
  void warn(Report report);
  Report makeReport(ReportKind kind, std::string message, int line) const;

private:
  void add(std::unique_ptr<Observer> observer);
};

} // namespace tc::emu

#endif // TC_EMULATOR_STATE_MACHINE_H
