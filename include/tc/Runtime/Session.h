//===- Session.h - One kernel description, ready to run ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A session binds a description to sizes, files and a device: constraints hold,
// buffers are filled and allocated, parameters packed. It can then run any
// number of times, each time from the same initial memory, and its results can
// be compared with each other and with float64.
//
//   auto description = Description::readFile("matmul.json");
//   auto device = createEmulatorDevice();
//   device->load(ptxText, "matmul.ptx");
//   auto session = Session::create(*description, *device, {{{"M", 200}}});
//   auto record = (*session)->run({emu::Schedule::Kind::Lazy});
//   auto results = (*session)->check(*record);
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_SESSION_H
#define TC_RUNTIME_SESSION_H

#include "tc/Runtime/Description.h"
#include "tc/Runtime/Device.h"
#include "tc/Runtime/Reference.h"

#include <set>

namespace tc::runtime {

struct SessionOptions {
  /// One value for each size of the description.
  Sizes sizes;
  /// One value for each scalar of the description.
  std::map<std::string, double> scalars;
  /// By buffer name; these override what the description says.
  std::map<std::string, std::string> inFiles, outFiles;
  /// First contents in memory, which override files, too.
  std::map<std::string, std::vector<uint8_t>> inBytes;
  std::map<std::string, InitSpec> inits;
  /// Buffers that are the caller's memory: `launch` gets their addresses, and
  /// nothing is allocated or filled for them.
  std::set<std::string> callersBuffers;
  /// OS threads of a run and of a check, 0: one per core.
  unsigned threads = 0;
  /// Most that all buffers together may take, 0: a third of the machine's
  /// memory.
  uint64_t maxBytes = 0;
  /// Unordered accesses are reported; a race fails the run.
  bool checkRaces = true;
  /// Between so many clusters of each grid alone, which are spread over it; 0:
  /// between all.
  uint64_t raceClusters = 0;
  /// RunOptions::keepRaces.
  unsigned keepRaces = 0;
  /// What the runs take for granted beyond the text of the ISA.
  emu::AssumptionSet assumptions = emu::AssumptionSet::defaults();
  /// Changes to it, after those of the description ("+NAME,-NAME").
  std::string assume;
  /// Results of `.approx` instructions on the emulator.
  emu::Approximation approx;
  /// Warp instructions after which a launch is stopped.
  uint64_t maxInstructions = emu::RunOptions().maxInstructions;
};

/// The observer of a run on the emulator; null: none.
struct Observers {
  emu::Trace *trace = nullptr;
  emu::Coverage *coverage = nullptr;
  emu::Debugger *debugger = nullptr;
  emu::Certificate *certificate = nullptr;
  emu::Progress *progress = nullptr;
};

/// What one run did. `buffers` holds the final bytes of every buffer, in the
/// order of the description; it is empty where the run did not end.
struct RunRecord {
  emu::Schedule schedule;
  bool ok = false;
  bool ended = false; ///< came to its end, though there may be races
  std::vector<emu::Report> reports;
  emu::Stats stats;
  std::string output;                   ///< what the kernels printed
  std::vector<emu::AssumptionUse> uses; ///< of all launches
  /// emu::RunResult::raceSample of the first launch that has one.
  std::string raceSample;
  std::vector<std::vector<uint8_t>> buffers;
  /// The same after each launch of the description, where there are several;
  /// buffers that no launch writes stay empty.
  std::vector<std::vector<std::vector<uint8_t>>> afterLaunch;
};

/// One problem of the description against float64.
struct ProblemResult {
  std::string formula;
  std::vector<int64_t> batch;
  int64_t m = 0, n = 0, k = 0;
  DType a = DType::F32, b = DType::F32, d = DType::F32;
  ErrorSummary summary;
  /// Of rows (Rows.h) instead of `m` and the like: sizes, and why they are not
  /// checked, if they are not.
  std::vector<int64_t> sizes;
  std::string obstacle;
};

/// A buffer against the file that its description expects.
struct ExpectResult {
  std::string buffer, file;
  uint64_t elements = 0;
  uint64_t finite = 0; ///< on both sides: of these the errors
  uint64_t wrong = 0;
  double maxError = 0, meanError = 0;
  /// One element: index and values, and the error that it may have.
  struct Element {
    std::vector<int64_t> index;
    double got = 0, expected = 0, allowed = 0;
  };
  Element worst; ///< the one with the largest error; no index: none is finite
  /// The wrong one that is farthest from its tolerance: infinities and NaN,
  /// where they are not expected, before all.
  Element mismatch;
};

/// What is wrong with a description of the kernels of `device` whatever the
/// sizes are: kernels that are not there, blocks that the PTX refuses, a wrong
/// number of parameters.
Status checkKernels(const Description &description, const Device &device);

class Session {
public:
  /// Prepares everything. `device` has its PTX loaded and outlives the session.
  static Expected<std::unique_ptr<Session>>
  create(Description description, Device &device, SessionOptions options);
  ~Session();

  const Description &description() const;
  const Sizes &sizes() const;
  const BufferLayout &layout(size_t buffer) const;
  /// The values a buffer starts with.
  const std::vector<uint8_t> &initial(size_t buffer) const;
  /// Where its first element is on the device.
  uint64_t address(size_t buffer) const;
  /// Launches that take place at these sizes.
  size_t launchCount() const;
  /// CTAs of these launches.
  uint64_t ctaCount() const;

  /// Runs all launches in order under one schedule.
  Expected<RunRecord> run(const emu::Schedule &schedule,
                          const Observers &observers = {});

  /// Runs all launches, again and again, until `certificate` has its verdict
  /// for all schedules; where that is incomplete, or rests on an assumption,
  /// other schedules are searched for a report. The record is that of the first
  /// run, or of the one that has made a report.
  Expected<RunRecord> certify(emu::Certificate &certificate,
                              Observers observers = {});

  /// Hands all launches to a stream of the device and returns at once.
  /// `addresses`: of the first element of each buffer of the description, 0 for
  /// those that are not the caller's. Temporaries that have first contents get
  /// them again. What the launches take is kept for the next call with these
  /// addresses.
  Status launch(const std::vector<uint64_t> &addresses, void *stream);

  /// Times all launches, on what the last run, or `launch`, left in the
  /// buffers.
  Expected<Timing> measure(const TimingOptions &options);
  /// Operations of all problems: 2 M N K for each matrix of a batch.
  Expected<double> operations() const;
  /// The operations on elements of 16 bits that take as long at the peak of a
  /// matrix unit: those on elements of 8 bits count half.
  Expected<double> operationsOf16Bits() const;

  /// What the next runs take for granted, and whether they look for races.
  emu::AssumptionSet assumptions() const;
  void setPolicy(emu::AssumptionSet assumptions, bool checkRaces);

  /// Compares the results of every problem, and then of all rows, with float64.
  Expected<std::vector<ProblemResult>> check(const RunRecord &record) const;

  /// Reads the files that buffers are expected to be like; missing and wrong
  /// ones are errors.
  Status readExpectations();
  /// Compares with them. NaN is like NaN, and an infinity like itself.
  std::vector<ExpectResult> compare(const RunRecord &record) const;

  /// One line per difference that no kernel may make: bytes between the
  /// elements of a buffer that changed; and, given a second record, the first
  /// element per buffer (temporaries aside) whose bits differ.
  std::vector<std::string> findStrayWrites(const RunRecord &record) const;
  std::vector<std::string> findDifferences(const RunRecord &first,
                                           const RunRecord &second) const;

  /// Writes the buffers that have an output file.
  Status writeOutputs(const RunRecord &record) const;

private:
  struct Impl;
  explicit Session(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace tc::runtime

#endif // TC_RUNTIME_SESSION_H
