//===- Emulator.cpp - C interface of emulator and runtime -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Wraps sessions: nothing is decided here.
//
//===----------------------------------------------------------------------===//

#include "Error.h"

#include "tc/Emulator/Trace.h"
#include "tc/Emulator/Version.h"
#include "tc/Runtime/Session.h"

#include <cstring>

using namespace tc;
using runtime::Expected;
using runtime::Status;

struct TcOptions {
  runtime::SessionOptions session;
  unsigned gpu = 0;
  /// The first setter that was called wrongly, and why; empty: none.
  std::string misuse;
};

struct TcSession {
  std::unique_ptr<runtime::Device> device;
  std::unique_ptr<runtime::Session> session;
  std::string differences;
};

struct TcRun {
  runtime::RunRecord record;
  std::optional<std::string> timeline;
};

struct TcProgress {
  emu::Progress progress;
};

struct TcCheck {
  std::vector<runtime::ProblemResult> problems;
};

static const char *orEmptyView(const char *text) { return text ? text : ""; }

//===----------------------------------------------------------------------===//
// Version, errors, schedules
//===----------------------------------------------------------------------===//

const char *tcEmulatorVersion(void) { return emu::kProjectVersion; }
const char *tcEmulatorPtxVersions(void) {
  static const std::string versions = emu::ptxVersions();
  return versions.c_str();
}

const char *tcErrorMessage(const TcError *error) {
  return error ? error->error.message.c_str() : "";
}
int tcErrorLine(const TcError *error) { return error ? error->error.line : 0; }
void tcErrorDestroy(TcError *error) { delete error; }

/// All schedules, as tcSessionRun takes them.
static const std::vector<std::string> &scheduleNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> names;
    for (const emu::Schedule &schedule : emu::allSchedules())
      names.push_back(schedule.str());
    return names;
  }();
  return names;
}
size_t tcNumSchedules(void) { return scheduleNames().size(); }
const char *tcSchedule(size_t index) {
  return index < tcNumSchedules() ? scheduleNames()[index].c_str() : nullptr;
}

//===----------------------------------------------------------------------===//
// Options of a session
//===----------------------------------------------------------------------===//

TcOptions *tcOptionsCreate(void) { return new TcOptions; }
void tcOptionsDestroy(TcOptions *options) { delete options; }
/// Whether a setter may continue; otherwise the options keep the error.
static bool canSet(TcOptions *options, const char *setter, const char *what,
                   bool isThere) {
  if (options && !isThere && options->misuse.empty())
    options->misuse = std::string(setter) + ": expected " + what + ", got NULL";
  return options && isThere;
}
void tcOptionsSetSize(TcOptions *options, const char *name, int64_t value) {
  if (canSet(options, "tcOptionsSetSize", "a name", name))
    options->session.sizes[name] = value;
}
void tcOptionsSetScalar(TcOptions *options, const char *name, double value) {
  if (canSet(options, "tcOptionsSetScalar", "a name", name))
    options->session.scalars[name] = value;
}
void tcOptionsSetBuffer(TcOptions *options, const char *name, const void *data,
                        size_t bytes) {
  if (!canSet(options, "tcOptionsSetBuffer", "a name", name) ||
      !canSet(options, "tcOptionsSetBuffer", "contents", data || !bytes))
    return;
  const uint8_t *first = static_cast<const uint8_t *>(data);
  options->session.inBytes[name].assign(first, first + bytes);
}
bool tcOptionsSetRaces(TcOptions *options, const char *mode, TcError **error) {
  if (!options)
    return bool(failNull("options", error));
  const std::string text = orEmpty(mode);
  if (text != "off" && text != "default" && text != "strict") {
    fail(runtime::makeError("races", "expected off, default or strict, got " +
                                         (mode ? "'" + text + "'" : "NULL")),
         error);
    return false;
  }
  options->session.checkRaces = text != "off";
  options->session.assumptions = text == "strict"
                                     ? emu::AssumptionSet::none()
                                     : emu::AssumptionSet::defaults();
  return true;
}
void tcOptionsSetCallersBuffer(TcOptions *options, const char *name) {
  if (canSet(options, "tcOptionsSetCallersBuffer", "a name", name))
    options->session.callersBuffers.insert(name);
}
void tcOptionsSetThreads(TcOptions *options, unsigned threads) {
  if (options)
    options->session.threads = threads;
}
void tcOptionsSetGpu(TcOptions *options, unsigned number) {
  if (options)
    options->gpu = number;
}
void tcOptionsSetMaxInstructions(TcOptions *options, uint64_t count) {
  if (options)
    options->session.maxInstructions = count;
}
void tcOptionsSetAssume(TcOptions *options, const char *changes) {
  if (canSet(options, "tcOptionsSetAssume", "changes", changes))
    options->session.assume = changes;
}

//===----------------------------------------------------------------------===//
// Sessions
//===----------------------------------------------------------------------===//

bool tcDescriptionCheck(const char *code, size_t codeLength,
                        const char *description, size_t descriptionLength,
                        const char *descriptionName, const char *function,
                        TcError **error) {
  if (!code && codeLength)
    return bool(failNull("code", error));
  if (!description && descriptionLength)
    return bool(failNull("description", error));
  Expected<runtime::Description> parsed =
      runtime::Description::parse({orEmptyView(description), descriptionLength},
                                  orEmpty(descriptionName), orEmpty(function));
  if (!parsed)
    return bool(fail(parsed.takeError(), error));
  std::unique_ptr<runtime::Device> device = runtime::createEmulatorDevice();
  if (!device->load({orEmptyView(code), codeLength}, ""))
    return true;
  Status status = runtime::checkKernels(*parsed, *device);
  if (!status)
    fail(status.takeError(), error);
  return bool(status);
}

TcSession *tcSessionCreate(TcDevice kind, const char *code, size_t codeLength,
                           const char *codeName, const char *description,
                           size_t descriptionLength,
                           const char *descriptionName, const char *function,
                           const TcOptions *options, TcError **error) {
  // C may pass any number, which is no value of the enumeration in C++.
  int number;
  static_assert(sizeof(kind) == sizeof(number));
  std::memcpy(&number, &kind, sizeof(number));
  if (number != TcDeviceEmulator && number != TcDeviceCuda)
    return fail(runtime::makeError("device", "expected TcDeviceEmulator or "
                                             "TcDeviceCuda, got " +
                                                 std::to_string(number)),
                error);
  if (!code && codeLength)
    return failNull("code", error);
  if (!description && descriptionLength)
    return failNull("description", error);
  if (options && !options->misuse.empty())
    return fail(runtime::makeError(options->misuse), error);
  Expected<runtime::Description> parsed =
      runtime::Description::parse({orEmptyView(description), descriptionLength},
                                  orEmpty(descriptionName), orEmpty(function));
  if (!parsed)
    return fail(parsed.takeError(), error);
  Expected<std::unique_ptr<runtime::Device>> device =
      kind == TcDeviceCuda
          ? runtime::createCudaDevice(options ? options->gpu : 0)
          : Expected<std::unique_ptr<runtime::Device>>(
                runtime::createEmulatorDevice());
  if (!device)
    return fail(device.takeError(), error);
  emu::VariablePlaces places;
  for (const runtime::VariableSpec &variable : parsed->variables)
    if (variable.address)
      places[variable.name] = variable.address;
  if (Status status = (*device)->loadAt({orEmptyView(code), codeLength},
                                        orEmpty(codeName), places);
      !status)
    return fail(status.takeError(), error);
  Expected<std::unique_ptr<runtime::Session>> session =
      runtime::Session::create(std::move(*parsed), **device,
                               options ? options->session
                                       : runtime::SessionOptions());
  if (!session)
    return fail(session.takeError(), error);
  return new TcSession{std::move(*device), std::move(*session), ""};
}

void tcSessionDestroy(TcSession *session) { delete session; }

/// What the description says of a buffer; null where there is none.
static const runtime::BufferSpec *specOf(const TcSession *session, size_t i) {
  return i < tcSessionNumBuffers(session)
             ? &session->session->description().buffers[i]
             : nullptr;
}
static const runtime::BufferLayout *layoutOf(const TcSession *session,
                                             size_t i) {
  return i < tcSessionNumBuffers(session) ? &session->session->layout(i)
                                          : nullptr;
}

size_t tcSessionNumBuffers(const TcSession *session) {
  return session ? session->session->description().buffers.size() : 0;
}
const char *tcSessionBufferName(const TcSession *session, size_t buffer) {
  const runtime::BufferSpec *spec = specOf(session, buffer);
  return spec ? spec->name.c_str() : nullptr;
}
const char *tcSessionBufferType(const TcSession *session, size_t buffer) {
  const runtime::BufferLayout *layout = layoutOf(session, buffer);
  return layout ? runtime::getInfo(layout->type).name : nullptr;
}
TcBufferRole tcSessionBufferRole(const TcSession *session, size_t buffer) {
  const runtime::BufferSpec *spec = specOf(session, buffer);
  if (!spec)
    return TcBufferIn;
  switch (spec->role) {
  case runtime::BufferRole::In:
    return TcBufferIn;
  case runtime::BufferRole::InOut:
    return TcBufferInOut;
  case runtime::BufferRole::Out:
    return TcBufferOut;
  case runtime::BufferRole::Temporary:
    return TcBufferTemporary;
  }
  return TcBufferInOut;
}
size_t tcSessionBufferRank(const TcSession *session, size_t buffer) {
  const runtime::BufferLayout *layout = layoutOf(session, buffer);
  return layout ? layout->shape.size() : 0;
}
int64_t tcSessionBufferSize(const TcSession *session, size_t buffer,
                            size_t dimension) {
  return dimension < tcSessionBufferRank(session, buffer)
             ? layoutOf(session, buffer)->shape[dimension]
             : 0;
}
int64_t tcSessionBufferStride(const TcSession *session, size_t buffer,
                              size_t dimension) {
  return dimension < tcSessionBufferRank(session, buffer)
             ? layoutOf(session, buffer)->strides[dimension]
             : 0;
}
size_t tcSessionBufferBytes(const TcSession *session, size_t buffer) {
  const runtime::BufferLayout *layout = layoutOf(session, buffer);
  return layout ? layout->bytes() : 0;
}
size_t tcSessionNumLaunches(const TcSession *session) {
  return session ? session->session->launchCount() : 0;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

TcProgress *tcProgressCreate(void) { return new TcProgress; }
void tcProgressDestroy(TcProgress *progress) { delete progress; }
uint64_t tcProgressInstructions(const TcProgress *progress) {
  return progress ? progress->progress.instructions.load() : 0;
}
uint64_t tcProgressCtasDone(const TcProgress *progress) {
  return progress ? progress->progress.ctasDone.load() : 0;
}
void tcProgressStop(TcProgress *progress) {
  if (progress)
    progress->progress.stop = true;
}
uint64_t tcSessionNumCtas(const TcSession *session) {
  return session ? session->session->ctaCount() : 0;
}

TcRun *tcSessionRun(TcSession *session, const char *schedule, bool timeline,
                    TcProgress *progress, TcError **error) {
  if (!session)
    return failNull("session", error);
  if (!schedule)
    return failNull("schedule", error);
  Expected<emu::Schedule> order = emu::Schedule::parse(schedule);
  if (!order)
    return fail(order.takeError(), error);
  emu::Trace trace;
  runtime::Observers observers;
  if (timeline)
    observers.trace = &trace;
  if (progress)
    observers.progress = &progress->progress;
  Expected<runtime::RunRecord> record =
      session->session->run(*order, observers);
  if (!record)
    return fail(record.takeError(), error);
  auto *run = new TcRun{std::move(*record), std::nullopt};
  if (timeline)
    run->timeline = trace.json();
  return run;
}

void tcRunDestroy(TcRun *run) { delete run; }

bool tcSessionLaunch(TcSession *session, const uint64_t *addresses,
                     void *stream, TcError **error) {
  if (!session)
    return bool(failNull("session", error));
  if (!addresses && tcSessionNumBuffers(session))
    return bool(failNull("addresses", error));
  std::vector<uint64_t> list(addresses,
                             addresses + tcSessionNumBuffers(session));
  Status status = session->session->launch(list, stream);
  if (!status)
    fail(status.takeError(), error);
  return bool(status);
}

bool tcRunOk(const TcRun *run) { return run && run->record.ok; }
const void *tcRunBuffer(const TcRun *run, size_t buffer) {
  if (!tcRunOk(run) || buffer >= run->record.buffers.size())
    return nullptr;
  // Not null where there are no bytes.
  static const uint8_t nothing = 0;
  const std::vector<uint8_t> &bytes = run->record.buffers[buffer];
  return bytes.empty() ? &nothing : bytes.data();
}
uint64_t tcRunWarpInstructions(const TcRun *run) {
  return run ? run->record.stats.warpInstructions : 0;
}
double tcRunSeconds(const TcRun *run) {
  return run ? run->record.stats.seconds : 0;
}
const char *tcRunOutput(const TcRun *run) {
  return run ? run->record.output.c_str() : nullptr;
}
const char *tcRunTimeline(const TcRun *run) {
  return run && run->timeline ? run->timeline->c_str() : nullptr;
}

static const emu::Report *reportOf(const TcRun *run, size_t report) {
  return report < tcRunNumReports(run) ? &run->record.reports[report] : nullptr;
}
size_t tcRunNumReports(const TcRun *run) {
  return run ? run->record.reports.size() : 0;
}
const char *tcRunReportKind(const TcRun *run, size_t report) {
  const emu::Report *found = reportOf(run, report);
  return found ? emu::toString(found->kind) : nullptr;
}
const char *tcRunReportMessage(const TcRun *run, size_t report) {
  const emu::Report *found = reportOf(run, report);
  return found ? found->message.c_str() : nullptr;
}
const char *tcRunReportHistory(const TcRun *run, size_t report) {
  const emu::Report *found = reportOf(run, report);
  return found ? found->postMortem.c_str() : nullptr;
}
size_t tcRunReportNumLines(const TcRun *run, size_t report) {
  const emu::Report *found = reportOf(run, report);
  return found ? found->lines.size() : 0;
}
int tcRunReportLine(const TcRun *run, size_t report, size_t index) {
  return index < tcRunReportNumLines(run, report)
             ? reportOf(run, report)->lines[index]
             : 0;
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

/// Whether a run that is ok has the buffers of this session.
static bool isRunOf(const TcSession *session, const TcRun *run) {
  if (run->record.buffers.size() != tcSessionNumBuffers(session))
    return false;
  for (size_t i = 0; i < run->record.buffers.size(); ++i)
    if (run->record.buffers[i].size() != tcSessionBufferBytes(session, i))
      return false;
  return true;
}

TcCheck *tcSessionCheck(const TcSession *session, const TcRun *run,
                        TcError **error) {
  if (!session)
    return failNull("session", error);
  if (!run)
    return failNull("run", error);
  if (!run->record.ok)
    return fail(runtime::makeError("expected a run without reports"), error);
  if (!isRunOf(session, run))
    return fail(runtime::makeError("expected a run of this session"), error);
  Expected<std::vector<runtime::ProblemResult>> results =
      session->session->check(run->record);
  if (!results)
    return fail(results.takeError(), error);
  return new TcCheck{std::move(*results)};
}

void tcCheckDestroy(TcCheck *check) { delete check; }
size_t tcCheckNumProblems(const TcCheck *check) {
  return check ? check->problems.size() : 0;
}
static const runtime::ProblemResult *problemOf(const TcCheck *check,
                                               size_t problem) {
  return problem < tcCheckNumProblems(check) ? &check->problems[problem]
                                             : nullptr;
}
const char *tcCheckFormula(const TcCheck *check, size_t problem) {
  const runtime::ProblemResult *result = problemOf(check, problem);
  return result ? result->formula.c_str() : nullptr;
}
const char *tcCheckObstacle(const TcCheck *check, size_t problem) {
  const runtime::ProblemResult *result = problemOf(check, problem);
  return result ? result->obstacle.c_str() : nullptr;
}
uint64_t tcCheckNumElements(const TcCheck *check, size_t problem) {
  const runtime::ProblemResult *result = problemOf(check, problem);
  return result ? result->summary.elements : 0;
}
uint64_t tcCheckNumMismatches(const TcCheck *check, size_t problem) {
  const runtime::ProblemResult *result = problemOf(check, problem);
  return result ? result->summary.mismatches : 0;
}
double tcCheckMaxError(const TcCheck *check, size_t problem) {
  const runtime::ProblemResult *result = problemOf(check, problem);
  return result ? result->summary.maxError : 0;
}
double tcCheckMaxRatio(const TcCheck *check, size_t problem) {
  const runtime::ProblemResult *result = problemOf(check, problem);
  return result ? result->summary.maxRatio : 0;
}

const char *tcSessionDifferences(TcSession *session, const TcRun *first,
                                 const TcRun *second) {
  if (!session)
    return nullptr;
  session->differences.clear();
  if (!tcRunOk(first) || !tcRunOk(second))
    return session->differences.c_str();
  if (!isRunOf(session, first) || !isRunOf(session, second)) {
    session->differences = "expected runs of this session\n";
    return session->differences.c_str();
  }
  std::vector<std::string> lines =
      session->session->findStrayWrites(second->record);
  for (std::string &line :
       session->session->findDifferences(first->record, second->record))
    lines.push_back(std::move(line));
  for (const std::string &line : lines)
    session->differences += line + "\n";
  return session->differences.c_str();
}
