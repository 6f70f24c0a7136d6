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

#include "tc-c/Emulator.h"

#include "tc/Emulator/Trace.h"
#include "tc/Emulator/Version.h"
#include "tc/Runtime/Session.h"

using namespace tc;
using runtime::Expected;
using runtime::Status;

struct TcError {
  runtime::Error error;
};

struct TcOptions {
  runtime::SessionOptions session;
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

/// Hands `error` back, where it is asked for.
static std::nullptr_t fail(runtime::Error error, TcError **into) {
  if (into)
    *into = new TcError{std::move(error)};
  return nullptr;
}

/// A text that may be missing.
static std::string orEmpty(const char *text) { return text ? text : ""; }

//===----------------------------------------------------------------------===//
// Version, errors, schedules
//===----------------------------------------------------------------------===//

const char *tcEmulatorVersion(void) { return emu::kProjectVersion; }
const char *tcEmulatorPtxVersions(void) {
  static const std::string versions = emu::ptxVersions();
  return versions.c_str();
}

const char *tcErrorMessage(const TcError *error) {
  return error->error.message.c_str();
}
int tcErrorLine(const TcError *error) { return error->error.line; }
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
void tcOptionsSetSize(TcOptions *options, const char *name, int64_t value) {
  options->session.sizes[name] = value;
}
void tcOptionsSetScalar(TcOptions *options, const char *name, double value) {
  options->session.scalars[name] = value;
}
void tcOptionsSetBuffer(TcOptions *options, const char *name, const void *data,
                        size_t bytes) {
  const uint8_t *first = static_cast<const uint8_t *>(data);
  options->session.inBytes[name].assign(first, first + bytes);
}
bool tcOptionsSetRaces(TcOptions *options, const char *mode, TcError **error) {
  const std::string text = mode;
  if (text != "off" && text != "default" && text != "strict") {
    fail(runtime::makeError("races", "expected off, default or strict, got '" +
                                         text + "'"),
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
  options->session.callersBuffers.insert(name);
}
void tcOptionsSetThreads(TcOptions *options, unsigned threads) {
  options->session.threads = threads;
}
void tcOptionsSetMaxInstructions(TcOptions *options, uint64_t count) {
  options->session.maxInstructions = count;
}
void tcOptionsSetAssume(TcOptions *options, const char *changes) {
  options->session.assume = changes;
}

//===----------------------------------------------------------------------===//
// Sessions
//===----------------------------------------------------------------------===//

TcSession *tcSessionCreate(TcDevice kind, const char *code, size_t codeLength,
                           const char *codeName, const char *description,
                           size_t descriptionLength,
                           const char *descriptionName, const char *function,
                           const TcOptions *options, TcError **error) {
  Expected<runtime::Description> parsed =
      runtime::Description::parse({description, descriptionLength},
                                  orEmpty(descriptionName), orEmpty(function));
  if (!parsed)
    return fail(parsed.takeError(), error);
  Expected<std::unique_ptr<runtime::Device>> device =
      kind == TcDeviceCuda ? runtime::createCudaDevice()
                           : Expected<std::unique_ptr<runtime::Device>>(
                                 runtime::createEmulatorDevice());
  if (!device)
    return fail(device.takeError(), error);
  emu::VariablePlaces places;
  for (const runtime::VariableSpec &variable : parsed->variables)
    if (variable.address)
      places[variable.name] = variable.address;
  if (Status status =
          (*device)->loadAt({code, codeLength}, orEmpty(codeName), places);
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

static const runtime::BufferSpec &specOf(const TcSession *session, size_t i) {
  return session->session->description().buffers[i];
}
static const runtime::BufferLayout &layoutOf(const TcSession *session,
                                             size_t i) {
  return session->session->layout(i);
}

size_t tcSessionNumBuffers(const TcSession *session) {
  return session->session->description().buffers.size();
}
const char *tcSessionBufferName(const TcSession *session, size_t buffer) {
  return specOf(session, buffer).name.c_str();
}
const char *tcSessionBufferType(const TcSession *session, size_t buffer) {
  return runtime::getInfo(layoutOf(session, buffer).type).name;
}
TcBufferRole tcSessionBufferRole(const TcSession *session, size_t buffer) {
  switch (specOf(session, buffer).role) {
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
  return layoutOf(session, buffer).shape.size();
}
int64_t tcSessionBufferSize(const TcSession *session, size_t buffer,
                            size_t dimension) {
  return layoutOf(session, buffer).shape[dimension];
}
int64_t tcSessionBufferStride(const TcSession *session, size_t buffer,
                              size_t dimension) {
  return layoutOf(session, buffer).strides[dimension];
}
size_t tcSessionBufferBytes(const TcSession *session, size_t buffer) {
  return layoutOf(session, buffer).bytes();
}
size_t tcSessionNumLaunches(const TcSession *session) {
  return session->session->launchCount();
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

TcProgress *tcProgressCreate(void) { return new TcProgress; }
void tcProgressDestroy(TcProgress *progress) { delete progress; }
uint64_t tcProgressInstructions(const TcProgress *progress) {
  return progress->progress.instructions;
}
uint64_t tcProgressCtasDone(const TcProgress *progress) {
  return progress->progress.ctasDone;
}
void tcProgressStop(TcProgress *progress) { progress->progress.stop = true; }
uint64_t tcSessionNumCtas(const TcSession *session) {
  return session->session->ctaCount();
}

TcRun *tcSessionRun(TcSession *session, const char *schedule, bool timeline,
                    TcProgress *progress, TcError **error) {
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
  std::vector<uint64_t> list(addresses,
                             addresses + tcSessionNumBuffers(session));
  Status status = session->session->launch(list, stream);
  if (!status)
    fail(status.takeError(), error);
  return bool(status);
}

bool tcRunOk(const TcRun *run) { return run->record.ok; }
const void *tcRunBuffer(const TcRun *run, size_t buffer) {
  return run->record.ok ? run->record.buffers[buffer].data() : nullptr;
}
uint64_t tcRunWarpInstructions(const TcRun *run) {
  return run->record.stats.warpInstructions;
}
double tcRunSeconds(const TcRun *run) { return run->record.stats.seconds; }
const char *tcRunOutput(const TcRun *run) { return run->record.output.c_str(); }
const char *tcRunTimeline(const TcRun *run) {
  return run->timeline ? run->timeline->c_str() : nullptr;
}

size_t tcRunNumReports(const TcRun *run) { return run->record.reports.size(); }
const char *tcRunReportKind(const TcRun *run, size_t report) {
  return emu::toString(run->record.reports[report].kind);
}
const char *tcRunReportMessage(const TcRun *run, size_t report) {
  return run->record.reports[report].message.c_str();
}
const char *tcRunReportHistory(const TcRun *run, size_t report) {
  return run->record.reports[report].postMortem.c_str();
}
size_t tcRunReportNumLines(const TcRun *run, size_t report) {
  return run->record.reports[report].lines.size();
}
int tcRunReportLine(const TcRun *run, size_t report, size_t index) {
  return run->record.reports[report].lines[index];
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

TcCheck *tcSessionCheck(const TcSession *session, const TcRun *run,
                        TcError **error) {
  if (!run->record.ok)
    return fail(runtime::makeError("expected a run without reports"), error);
  Expected<std::vector<runtime::ProblemResult>> results =
      session->session->check(run->record);
  if (!results)
    return fail(results.takeError(), error);
  return new TcCheck{std::move(*results)};
}

void tcCheckDestroy(TcCheck *check) { delete check; }
size_t tcCheckNumProblems(const TcCheck *check) {
  return check->problems.size();
}
const char *tcCheckFormula(const TcCheck *check, size_t problem) {
  return check->problems[problem].formula.c_str();
}
uint64_t tcCheckNumElements(const TcCheck *check, size_t problem) {
  return check->problems[problem].summary.elements;
}
uint64_t tcCheckNumMismatches(const TcCheck *check, size_t problem) {
  return check->problems[problem].summary.mismatches;
}
double tcCheckMaxError(const TcCheck *check, size_t problem) {
  return check->problems[problem].summary.maxError;
}
double tcCheckMaxRatio(const TcCheck *check, size_t problem) {
  return check->problems[problem].summary.maxRatio;
}

const char *tcSessionDifferences(TcSession *session, const TcRun *first,
                                 const TcRun *second) {
  session->differences.clear();
  if (!first->record.ok || !second->record.ok)
    return session->differences.c_str();
  std::vector<std::string> lines =
      session->session->findStrayWrites(second->record);
  for (std::string &line :
       session->session->findDifferences(first->record, second->record))
    lines.push_back(std::move(line));
  for (const std::string &line : lines)
    session->differences += line + "\n";
  return session->differences.c_str();
}
