//===- tc-run.cpp - Runs a kernel description -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads PTX and description, runs them under every schedule that was asked for,
// compares the results with each other and with float64, and prints what came
// out. Results go to stdout, everything that is wrong to stderr.
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "Options.h"
#include "Tune.h"
#include "Verdict.h"

#include "Common/MemoryLimit.h"
#include "Common/ProgressLine.h"
#include "Common/StandardOutput.h"

#include "tc/Emulator/Certificate.h"
#include "tc/Emulator/Coverage.h"
#include "tc/Emulator/Trace.h"
#include "tc/Emulator/Version.h"
#include "tc/Runtime/Bundle.h"

#include <chrono>
#include <cstdio>
#include <set>

using namespace tc;
using namespace tc::run;
using runtime::Expected;
using runtime::Status;

namespace {

using RaceLines = std::set<std::vector<int>>;

class Clock {
public:
  /// Seconds since the last call.
  double lap() {
    auto now = std::chrono::steady_clock::now();
    double seconds = std::chrono::duration<double>(now - last).count();
    last = now;
    return seconds;
  }

private:
  std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();
};

} // namespace

static int refuse(const runtime::Error &error) {
  std::fprintf(stderr, "tc-run: error: %s\n", error.message.c_str());
  return BadInput;
}

/// Where the launch file wants module variables to be.
static emu::VariablePlaces placesOf(const runtime::Description &description) {
  emu::VariablePlaces places;
  for (const runtime::VariableSpec &variable : description.variables)
    if (variable.address)
      places[variable.name] = variable.address;
  return places;
}

/// What a run takes from files.
struct Input {
  std::vector<uint8_t> code;
  std::string path; ///< of the code
  Expected<runtime::Description> description;
};

/// A kernel of a bundle. Sizes that it was configured for are those that no
/// option gives.
static Expected<Input> readBundle(Options &options) {
  Expected<std::unique_ptr<runtime::Bundle>> bundle =
      runtime::Bundle::open(options.ptx);
  if (!bundle)
    return bundle.takeError();
  const bool isNative = options.onCuda && options.chip.empty();
  Expected<size_t> number =
      (*bundle)->find(options.kernel, isNative ? "native" : options.chip);
  if (!number)
    return number.takeError();
  const runtime::Bundle::Kernel kernel = (**bundle)[*number];
  runtime::forEachSize(kernel.sizes, [&](std::string name, int64_t value) {
    options.session.sizes.emplace(std::move(name), value);
  });
  std::vector<uint8_t> code(kernel.code.begin(), kernel.code.end());
  return Input{std::move(code), options.ptx,
               runtime::Description::parse(kernel.description, options.ptx,
                                           std::string(kernel.function))};
}

static Expected<Input> readInput(Options &options) {
  if (!options.kernel.empty() || !options.chip.empty() ||
      runtime::Bundle::isBundle(options.ptx))
    return readBundle(options);
  const std::string &path = options.cubin.empty() ? options.ptx : options.cubin;
  Expected<std::vector<uint8_t>> code = runtime::readFile(path);
  if (!code)
    return code.takeError();
  return Input{
      std::move(*code), path,
      runtime::Description::readFile(options.launchFile, options.function)};
}

static Status loadCode(runtime::Device &device, const Options &options,
                       const Input &input) {
  const std::string &path = input.path;
  std::string_view text(reinterpret_cast<const char *>(input.code.data()),
                        input.code.size());
  if (!options.onCuda && text.substr(0, 4) == "\x7f"
                                              "ELF")
    return runtime::makeError(path, "expected PTX text, got an ELF file; the "
                                    "emulator does not run cubins");
  Status status = device.loadAt(text, path,
                                input.description ? placesOf(*input.description)
                                                  : emu::VariablePlaces());
  if (status)
    return status;
  const emu::Error &error = status.error();
  // The parser may already have prepended file and line.
  if (error.message.compare(0, path.size(), path) == 0)
    return error;
  return runtime::makeError(error.line ? path + ":" + std::to_string(error.line)
                                       : path,
                            error.message);
}

/// The exit status of a failed run: a launch that the emulator cannot carry out
/// says nothing about the kernel.
static int statusOf(const runtime::RunRecord &record) {
  for (const emu::Report &report : record.reports)
    if (report.kind == emu::ReportKind::BadLaunch ||
        report.kind == emu::ReportKind::Unsupported)
      return BadInput;
  return Wrong;
}

/// What ran the kernel: a schedule of the emulator or the GPU.
static std::string nameOf(const emu::Schedule &schedule,
                          const Options &options) {
  return options.onCuda ? "cuda" : schedule.str();
}

/// The history of a race only where no schedule before has told it.
static void printReports(const runtime::RunRecord &record,
                         const std::string &name, RaceLines &told) {
  for (const emu::Report &report : record.reports) {
    const bool isKnown = report.kind == emu::ReportKind::Race &&
                         !told.insert(report.lines).second;
    std::fprintf(stderr, "tc-run: %s under %s: %s\n%s",
                 emu::toString(report.kind), name.c_str(),
                 report.message.c_str(),
                 isKnown ? "" : report.postMortem.c_str());
  }
  if (record.reports.empty())
    std::fprintf(stderr, "tc-run: failed under %s\n", name.c_str());
}

static void printRun(const runtime::RunRecord &record, const std::string &name,
                     double seconds, bool time) {
  std::printf("  %-12s %8.3f s  %llu warp instructions", name.c_str(), seconds,
              static_cast<unsigned long long>(record.stats.warpInstructions));
  if (time && record.stats.seconds > 0)
    std::printf("  %.2f M/s, %.3f GMAC/s",
                static_cast<double>(record.stats.warpInstructions) /
                    record.stats.seconds * 1e-6,
                static_cast<double>(record.stats.mmaMacs) /
                    record.stats.seconds * 1e-9);
  std::printf("  %s\n", record.ok ? "ok" : "FAILED");
  if (!record.output.empty())
    std::printf("%s", record.output.c_str());
}

static void printHeader(const runtime::Session &session,
                        const std::string &ptx) {
  const runtime::Description &description = session.description();
  std::printf("%s:", ptx.c_str());
  for (const auto &[name, value] : session.sizes())
    std::printf(" %s=%lld", name.c_str(), static_cast<long long>(value));
  std::printf(" %zu of %zu launches\n", session.launchCount(),
              description.launches.size());
  for (size_t i = 0; i < description.buffers.size(); ++i) {
    const runtime::BufferLayout &layout = session.layout(i);
    std::string shape;
    for (int64_t size : layout.shape)
      shape += std::to_string(size) + "x";
    std::printf("  %s: %s%s\n", description.buffers[i].name.c_str(),
                shape.c_str(), runtime::getInfo(layout.type).name);
  }
}

/// Runs until the line that --stop-at names.
static int runToLine(runtime::Session &session, const Options &options) {
  emu::Debugger debugger(*options.stop, options.views);
  runtime::Observers observers;
  observers.debugger = &debugger;
  Expected<runtime::RunRecord> record =
      session.run(options.schedules.front(), observers);
  if (!record)
    return refuse(record.error());
  const std::string name = options.schedules.front().str();
  if (debugger.stopped()) {
    std::printf("%s", debugger.shown().c_str());
    return Clean;
  }
  RaceLines told;
  if (!record->ok)
    printReports(*record, name, told);
  if (!record->ok && statusOf(*record) == BadInput)
    return BadInput;
  std::fprintf(stderr,
               "tc-run: line %d was executed %llu times under %s, expected at "
               "least %llu\n",
               debugger.where().line,
               static_cast<unsigned long long>(debugger.executions()),
               name.c_str(),
               static_cast<unsigned long long>(debugger.where().count));
  return Wrong;
}

/// Runs every schedule; leaves the first record that has results in `first` and
/// says whether races were reported.
static int runSchedules(runtime::Session &session, const Options &options,
                        std::optional<runtime::RunRecord> &first,
                        emu::Trace &trace, emu::Coverage &coverage,
                        bool &races) {
  std::vector<emu::AssumptionUse> uses;
  std::string sample;
  RaceLines told;
  int status = Clean;
  Clock clock;
  for (const emu::Schedule &schedule : options.schedules) {
    clock.lap();
    runtime::Observers observers;
    if (!options.traceFile.empty() && &schedule == &options.schedules.front())
      observers.trace = &trace;
    if (options.coverage)
      observers.coverage = &coverage;
    Expected<runtime::RunRecord> record = [&] {
      tools::ProgressLine line(schedule.str(), session.ctaCount());
      observers.progress = &line.progress;
      return session.run(schedule, observers);
    }();
    if (!record)
      return refuse(record.error());
    const std::string name = nameOf(schedule, options);
    printRun(*record, name, clock.lap(), options.time);
    std::fflush(stdout);
    emu::mergeUses(uses, record->uses);
    sample = record->raceSample;
    if (!record->ok) {
      printReports(*record, name, told);
      for (const emu::Report &report : record->reports)
        races |= report.kind == emu::ReportKind::Race;
      if (statusOf(*record) == BadInput)
        return BadInput; // It fails under every schedule.
      status = Wrong;
      if (!record->ended)
        continue;
    }
    for (const std::string &line : session.findStrayWrites(*record)) {
      std::fprintf(stderr, "tc-run: stray write under %s: %s\n", name.c_str(),
                   line.c_str());
      status = Wrong;
    }
    if (!first) {
      first = std::move(*record);
      continue;
    }
    for (const std::string &line : session.findDifferences(*first, *record)) {
      std::fprintf(stderr, "tc-run: results differ: %s\n", line.c_str());
      status = Wrong;
    }
  }
  for (const emu::AssumptionUse &use : uses)
    std::printf("  assumed %s\n", use.str().c_str());
  if (!sample.empty())
    std::printf("  races: looked for between %s alone\n", sample.c_str());
  return status;
}

/// Runs the launches as often as a verdict for all schedules needs; leaves the
/// record of the first run in `first`.
static int certify(runtime::Session &session, const Options &options,
                   std::optional<runtime::RunRecord> &first) {
  emu::Certificate certificate;
  Clock clock;
  Expected<runtime::RunRecord> record = session.certify(certificate);
  if (!record)
    return refuse(record.error());
  printRun(*record, "all", clock.lap(), options.time);
  for (const emu::AssumptionUse &use : record->uses)
    std::printf("  assumed %s\n", use.str().c_str());
  RaceLines told;
  if (!record->ok)
    printReports(*record, record->schedule.str(), told);
  if (!record->ok && statusOf(*record) == BadInput)
    return BadInput;
  std::printf("verdict: %s", certificate.text(options.ptx).c_str());
  if (!options.certificateFile.empty()) {
    const std::string json = certificate.json();
    if (Status written =
            runtime::writeFile(options.certificateFile,
                               std::vector<uint8_t>(json.begin(), json.end()));
        !written)
      return refuse(written.error());
  }
  if (record->ended)
    first = std::move(*record);
  switch (certificate.verdict()) {
  case emu::Verdict::Certified:
    return Clean;
  case emu::Verdict::Refuted:
    return Wrong;
  case emu::Verdict::Incomplete:
    break;
  }
  return Undecided;
}

/// The timeline and the coverage that were asked for.
static Status writeObservations(const Options &options, const emu::Trace &trace,
                                const emu::Coverage &coverage) {
  auto write = [](const std::string &path, const std::string &text) {
    return runtime::writeFile(path,
                              std::vector<uint8_t>(text.begin(), text.end()));
  };
  if (!options.traceFile.empty()) {
    if (Status status = write(options.traceFile, trace.json()); !status)
      return status;
    if (trace.dropped())
      std::fprintf(stderr,
                   "tc-run: note: the timeline is cut at %zu MiB, %llu events "
                   "were left out\n",
                   emu::Trace::kDefaultLimit >> 20,
                   static_cast<unsigned long long>(trace.dropped()));
  }
  if (!options.coverage)
    return {};
  if (!options.coverageFile.empty())
    return write(options.coverageFile, coverage.json());
  std::printf("%s", coverage.table().c_str());
  return {};
}

/// Whether there is something to compare with. Without a launch there is no
/// result to check.
static Status findNothingToCheck(const Options &options,
                                 const runtime::Description &description) {
  if (!options.check || description.launches.empty() ||
      !description.problems.empty() || description.hasExpectations())
    return {};
  for (const runtime::RowsSpec &rows : description.rows)
    if (rows.obstacle.empty())
      return {};
  if (!description.rows.empty())
    return runtime::makeError(
        description.rows[0].where,
        "--check: expected operations with a reference, got " +
            description.rows[0].obstacle);
  return runtime::makeError(options.launchFile,
                            "--check: expected \"problems\", \"rows\", or "
                            "\"expect\" of a buffer, got none");
}

static int checkResults(const runtime::Session &session,
                        const runtime::RunRecord &record,
                        const Options &options) {
  Clock clock;
  Expected<std::vector<runtime::ProblemResult>> results = session.check(record);
  if (!results)
    return refuse(results.error());
  const std::vector<runtime::ExpectResult> files = session.compare(record);
  if (results->empty() && files.empty())
    std::printf("check: no launch, nothing to compute\n");
  int status = Clean;
  for (const runtime::ProblemResult &result : *results)
    if (!printProblem(result))
      status = Wrong;
  for (const runtime::ExpectResult &result : files)
    if (!printExpectation(result))
      status = Wrong;
  if (options.time)
    std::printf("  check took %.3f s\n", clock.lap());
  return status;
}

/// What --bench asks for.
static int measure(runtime::Session &session,
                   const runtime::TimingOptions &options) {
  Expected<runtime::Timing> timing = session.measure(options);
  if (!timing)
    return refuse(timing.error());
  Expected<double> operations = session.operations();
  if (!operations)
    return refuse(operations.error());
  const double median = timing->median();
  std::printf("bench %s: %.2f us",
              options.mode == runtime::TimingOptions::Burst ? "burst"
                                                            : "sustained",
              median * 1e6);
  if (timing->samples.size() > 1)
    std::printf(" (median of %zu, %.2f to %.2f)", timing->samples.size(),
                timing->samples.front() * 1e6, timing->samples.back() * 1e6);
  if (*operations > 0)
    std::printf(", %.1f TFLOP/s", *operations / median / 1e12);
  Expected<double> equal = session.operationsOf16Bits();
  if (!equal)
    return refuse(equal.error());
  if (*equal > 0 && timing->peak > 0)
    std::printf(", %.1f %% of peak", 100 * *equal / median / timing->peak);
  std::printf(", %s", timing->device.c_str());
  if (timing->clockMHz)
    std::printf(", %u MHz", timing->clockMHz);
  if (timing->watts > 0)
    std::printf(", %.0f W", timing->watts);
  std::printf("\n");
  return Clean;
}

static int runAll(Options &options) {
  Clock clock;
  Expected<std::unique_ptr<runtime::Device>> created =
      options.onCuda ? runtime::createCudaDevice()
                     : Expected<std::unique_ptr<runtime::Device>>(
                           runtime::createEmulatorDevice());
  if (!created)
    return refuse(created.error());
  std::unique_ptr<runtime::Device> device = std::move(*created);
  Expected<Input> input = readInput(options);
  if (!input)
    return refuse(input.error());
  if (Status status = loadCode(*device, options, *input); !status)
    return refuse(status.error());
  Expected<runtime::Description> &description = input->description;
  double loadSeconds = clock.lap();
  if (!description)
    return refuse(description.error());
  if (Status status = findNothingToCheck(options, *description); !status)
    return refuse(status.error());
  auto session = runtime::Session::create(std::move(*description), *device,
                                          options.session);
  if (!session)
    return refuse(session.error());
  if (options.check)
    if (Status status = (*session)->readExpectations(); !status)
      return refuse(status.error());
  printHeader(**session, options.ptx);
  if (options.time)
    std::printf("  reading PTX took %.3f s, making buffers %.3f s\n",
                loadSeconds, clock.lap());

  if (options.stop)
    return runToLine(**session, options);
  std::optional<runtime::RunRecord> first;
  emu::Trace trace;
  emu::Coverage coverage;
  bool races = false;
  int status = options.certify ? certify(**session, options, first)
                               : runSchedules(**session, options, first, trace,
                                              coverage, races);
  // They say most where a run has failed.
  if (Status written = writeObservations(options, trace, coverage); !written)
    return refuse(written.error());
  if (status == BadInput)
    return status;
  if (options.check && first)
    if (int checked = checkResults(**session, *first, options);
        checked != Clean)
      status = checked;
  if (options.bench && status == Clean)
    status = measure(**session, *options.bench);
  if (options.minimizeAssumptions && status == Clean)
    status = minimizeAssumptions(**session, options);
  if (races)
    printVerdict(**session, options);
  if ((status != Clean && status != Undecided) || !first)
    return status;
  if (Status written = (*session)->writeOutputs(*first); !written)
    return refuse(written.error());
  return status;
}

int main(int argc, char **argv) {
  tools::watchStandardOutput("tc-run");
  Expected<Options> options = parseOptions(argc, argv);
  if (!options)
    return refuse(options.error());
  if (options->help) {
    std::printf("%s", helpText().c_str());
    return Clean;
  }
  if (options->version) {
    std::printf("%s", emu::describeVersion("tc-run").c_str());
    return Clean;
  }
  // A driver maps all memory of its GPU.
  if (!options->onCuda)
    tools::limitMemory("tc-run", "smaller sizes take less, and --races=off");
  if (!options->tuneFolder.empty()) {
    Expected<bool> isClean = tuneAll(*options);
    return !isClean ? refuse(isClean.error()) : *isClean ? Clean : Wrong;
  }
  return runAll(*options);
}
