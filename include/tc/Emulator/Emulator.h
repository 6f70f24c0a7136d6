//===- Emulator.h - PTX text in, memory out ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The public interface of the emulator: parse PTX, describe its kernels, own
// device memory, launch a grid under a schedule and report what went wrong.
// Nothing here knows of the compiler; the rules come from the PTX ISA.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_EMULATOR_H
#define TC_EMULATOR_EMULATOR_H

#include "tc/Emulator/Approximation.h"
#include "tc/Emulator/Assumptions.h"
#include "tc/Emulator/Error.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tc::emu {

/// One kernel parameter: its place in the parameter block, in bytes.
struct ParamInfo {
  std::string name;
  unsigned offset = 0;
  unsigned size = 0;
  unsigned align = 0;
};

/// What the PTX text says about a kernel. A dimension triple of zeros means
/// that the directive is absent.
struct KernelInfo {
  std::string name;
  std::vector<ParamInfo> params;
  unsigned paramBytes = 0; ///< size of the whole parameter block
  std::array<unsigned, 3> reqntid{};
  std::array<unsigned, 3> maxntid{};
  std::array<unsigned, 3> reqnctapercluster{};
  unsigned maxclusterrank = 0;
  bool explicitcluster = false;
  unsigned minnctapersm = 0;
  unsigned maxnreg = 0;
  unsigned staticSmem = 0; ///< bytes of .shared variables the kernel uses
  int line = 0;            ///< line of its .entry
};

/// A module-scope .global or .const variable in device memory.
struct VariableInfo {
  std::string name;
  uint64_t address = 0; ///< in device memory
  uint64_t bytes = 0;
  bool isConst = false;
  /// The allocation that holds it: its own, or that of all constants.
  uint64_t allocation = 0;
};

struct Module; // parsed and decoded; private to lib/Emulator

/// PTX that was parsed and decoded. Immutable; may be launched by several
/// threads at once.
class Program {
public:
  Program(std::unique_ptr<const Module> module, std::string fileName);
  ~Program();

  const std::vector<KernelInfo> &kernels() const { return infos; }
  /// The kernel of that name, or null.
  const KernelInfo *findKernel(std::string_view name) const;
  /// Variables in device memory; none if parsePTX was given none.
  const std::vector<VariableInfo> &variables() const;
  const VariableInfo *findVariable(std::string_view name) const;
  const std::string &fileName() const { return file; }
  /// "FILE:LINE: ", the start of every report; "line LINE: " without a name.
  /// Where .loc says more, with "SOURCE:LINE: " after it.
  std::string at(int line) const;
  const Module &module() const { return *impl; }

private:
  friend struct ProgramBuilder;
  std::unique_ptr<const Module> impl;
  std::string file;
  std::vector<KernelInfo> infos;
};

class DeviceMemory;

/// Parses PTX ISA 8.6 to 9.0. Syntax errors fail here, with their line. An
/// instruction that the emulator does not know makes the kernel that holds it
/// unlaunchable: launch() then answers with an Unsupported report.
///
/// Module-scope variables are placed in `variables`, where they keep their
/// values from launch to launch; launches have to use that memory, and its
/// owner may free Program::variables() with the program. Without it every
/// launch starts from their initial values.
Expected<std::shared_ptr<const Program>>
parsePTX(std::string_view text, std::string_view fileName,
         DeviceMemory *variables = nullptr);

/// Global memory. Addresses are those that the kernel sees. Every access is
/// checked against the allocation it falls into.
class DeviceMemory {
public:
  DeviceMemory();
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;

  /// Allocates `bytes` bytes, zero-filled, aligned to `alignment` (a power of
  /// two), at `address` if that is not 0. Fails when the address is taken,
  /// misaligned, below 2^12 or in the windows of the other state spaces
  /// ([0x710000000000, 0x760000000000)).
  Expected<uint64_t> allocate(uint64_t bytes, uint64_t alignment = 256,
                              uint64_t address = 0, std::string_view name = "");
  /// Makes `bytes` bytes at `data`, which the caller owns, device memory at
  /// `address`.
  Status adopt(uint64_t address, uint64_t bytes, uint8_t *data,
               std::string_view name = "");
  Status free(uint64_t address);

  /// Kernels may not write to the allocation that starts at `address`.
  Status setReadOnly(uint64_t address, bool readOnly = true);

  Status read(uint64_t address, void *data, uint64_t bytes) const;
  Status write(uint64_t address, const void *data, uint64_t bytes);

  /// Host pointer to [address, address + bytes), or null if the range is not
  /// inside one allocation (or is read-only, for the second).
  const uint8_t *readable(uint64_t address, uint64_t bytes) const;
  uint8_t *writable(uint64_t address, uint64_t bytes);

  /// The allocation around an address; begin == end if there is none.
  struct Range {
    uint64_t begin = 0, end = 0;
    uint8_t *data = nullptr; ///< host pointer of `begin`
    bool writable = false;
  };
  Range range(uint64_t address) const;
  /// All allocations, by address.
  std::vector<Range> ranges() const;

  /// Why readable or writable gave null, with the nearest allocation named.
  std::string explain(uint64_t address, uint64_t bytes, bool write) const;

private:
  struct Allocation {
    uint64_t address;
    uint64_t bytes;
    uint8_t *data;
    std::unique_ptr<uint8_t[]> owned; ///< null: somebody else's
    bool readOnly;
    std::string name;
  };
  const Allocation *find(uint64_t address) const;
  Status checkFree(uint64_t address, uint64_t size) const;
  void insert(Allocation allocation);
  std::vector<Allocation> allocations; ///< sorted by address
};

/// What malloc of device code gives is device memory of these addresses.
constexpr uint64_t kHeapBegin = 1ull << 43, kHeapEnd = 1ull << 44;
constexpr bool isHeapAddress(uint64_t address) {
  return address - kHeapBegin < kHeapEnd - kHeapBegin;
}

/// When engines progress and which warp runs. Whatever a schedule does is
/// legal: a correct kernel gives the same bits under all of them.
struct Schedule {
  enum class Kind : uint8_t {
    Eager,      ///< asynchronous work completes as soon as it may
    Lazy,       ///< asynchronous work completes only when no warp can go on
    Reverse,    ///< as Lazy, the youngest work first; choices from the far end
    Starvation, ///< one role runs only when nothing else can
    Skew,       ///< one CTA runs only when no other can; permuted grid
    LateReads,  ///< sources are read when nothing else can go on
    Random      ///< everything is drawn from the seed
  };
  Kind kind = Kind::Eager;
  /// Starvation: 0, each role in turn; N, the N-th role always. Skew: the CTA
  /// of the cluster that is late, and the order of the clusters.
  uint64_t seed = 0;

  /// Reads NAME or NAME:SEED; the names are those of schedulePolicies().
  static Expected<Schedule> parse(std::string_view text);
  std::string str() const;
};

/// What there is to know of a kind of schedule.
struct SchedulePolicy {
  Schedule::Kind kind;
  const char *name;
  bool seeded;
  const char *summary; ///< one line of help
};
const std::vector<SchedulePolicy> &schedulePolicies();

/// What "all" means: every policy, the seeded ones with the seeds that
/// docs/Emulator.md gives.
std::vector<Schedule> allSchedules();

class Certificate; // tc/Emulator/Certificate.h
class Coverage;    // tc/Emulator/Coverage.h
class Debugger;    // tc/Emulator/Debugger.h
class Trace;       // tc/Emulator/Trace.h

struct LaunchConfig {
  std::string entry; ///< may be empty if the program has one kernel
  std::array<unsigned, 3> grid{1, 1, 1};
  std::array<unsigned, 3> block{1, 1, 1};
  /// Zeros: what the kernel requires, else clusters of one.
  std::array<unsigned, 3> cluster{0, 0, 0};
  /// A larger size that the device may use instead, multiples of `cluster`
  /// (CUDA, cudaLaunchAttributePreferredClusterDimension); zeros: none. The
  /// schedule chooses one of the two for the whole grid.
  std::array<unsigned, 3> preferredCluster{0, 0, 0};
  unsigned dynamicSmem = 0; ///< bytes
  /// On a GPU the grid may start before the ones before it have ended
  /// (programmatic stream serialization). The emulator runs one after another;
  /// see LaunchSequence.
  bool programmaticLaunch = false;
  std::array<uint32_t, 32> envregs{}; ///< %envreg0 to %envreg31
  /// All clusters run at once, as in a cooperative launch: the same as
  /// Assumption::CoResidentGrid for this launch.
  bool coResident = false;
  uint64_t heapBytes = 8 << 20; ///< that malloc of device code has
  std::vector<uint8_t> params;
};

struct GlobalFootprint; // private to lib/Emulator

/// Launches that follow each other in a stream. A programmatic launch whose
/// predecessor executed griddepcontrol.launch_dependents may run beside it:
/// with race checking on, what it touches of the predecessor's global memory
/// without griddepcontrol.wait is a race.
class LaunchSequence {
public:
  LaunchSequence();
  ~LaunchSequence();

  /// For the emulator: what the last launch has accessed; null if the next one
  /// cannot overlap it.
  std::shared_ptr<GlobalFootprint> last;
};

/// How far launches are; other threads read it, and may end them, while they
/// run.
struct Progress {
  std::atomic<uint64_t> instructions{0}; ///< of warps
  std::atomic<uint64_t> ctasDone{0};
  /// The running launch ends with a Limit report.
  std::atomic<bool> stop{false};
};

struct RunOptions {
  Schedule schedule;
  bool checkRaces = false; ///< unordered accesses are looked for
  /// Between so many clusters of the grid alone, which are spread over it; 0:
  /// between all.
  uint64_t raceClusters = 0;
  /// What is taken for granted beyond the text of the ISA.
  AssumptionSet assumptions = AssumptionSet::defaults();
  unsigned threads = 0; ///< OS threads, 0: as many as there are cores
  /// Warp instructions of the whole launch after which it is stopped.
  uint64_t maxInstructions = 20'000'000'000ull;
  unsigned multiprocessors = 148; ///< %nsmid
  unsigned maxReports = 20;       ///< reports kept; the first one stops the run
  /// The run goes on after races, and so many are reported, of different pairs
  /// of instructions; 0: the first one stops it, too.
  unsigned keepRaces = 0;
  Trace *trace = nullptr;       ///< receives a timeline
  Coverage *coverage = nullptr; ///< receives counts of executions
  /// Receives whether the run stands for all schedules; the schedule has to be
  /// eager, races have to be looked for between all clusters.
  Certificate *certificate = nullptr;
  Debugger *debugger = nullptr; ///< where to stop and what to show; one thread
  LaunchSequence *sequence = nullptr; ///< what was launched before
  Progress *progress = nullptr;       ///< receives how far the launch is
  Approximation approx;               ///< results of `.approx` instructions
};

enum class ReportKind {
  BadLaunch,   ///< configuration or parameters do not fit the kernel
  Unsupported, ///< an instruction or modifier that the emulator does not know
  Resource,    ///< shared memory, TMEM or thread limits exceeded
  Memory,      ///< out of bounds, misaligned, uninitialised, read-only
  Undefined,   ///< a register was read before it was written
  Sync,        ///< misuse of a barrier, fence, collective or pending work
  Race,        ///< two accesses that nothing orders
  Deadlock,    ///< no warp and no engine can go on
  Trap,        ///< trap, brkpt, illegal operand value
  Assertion,   ///< a failed assertion of the kernel
  Limit        ///< maxInstructions reached, or stopped by the caller
};
const char *toString(ReportKind kind);

struct Report {
  ReportKind kind = ReportKind::Trap;
  std::string message;    ///< one or several lines of text
  std::vector<int> lines; ///< PTX lines, the first is the main one
  /// What led there, several indented lines: the history of the shared memory,
  /// barriers and warps involved, and Tensor Memory. Empty for reports about a
  /// launch as a whole.
  std::string postMortem;
};

struct Stats {
  uint64_t warpInstructions = 0;
  uint64_t mmaMacs = 0;
  uint64_t asyncOps = 0;
  double seconds = 0;
};

struct RunResult {
  bool ok = false;
  bool ended = false; ///< came to its end, though there may be races
  std::vector<Report> reports;
  Stats stats;
  std::string output; ///< what the kernel printed
  /// Where assumptions held back reports, in their order.
  std::vector<AssumptionUse> uses;
  /// Between which clusters races were looked for, "8 of 4096 clusters (0 to 3,
  /// 4092 to 4095)"; empty: between all, or none.
  std::string raceSample;
};

/// Runs one grid to its end or to a report that stops it. Thread-safe as long
/// as the launches do not share a DeviceMemory.
RunResult launch(const Program &program, const LaunchConfig &config,
                 DeviceMemory &memory, const RunOptions &options = {});

} // namespace tc::emu

#endif // TC_EMULATOR_EMULATOR_H
