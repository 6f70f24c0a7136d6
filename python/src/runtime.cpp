//===- runtime.cpp - tc._runtime: emulator and launches ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A session and its runs as plain data; tc/_kernel.py makes arrays and errors
// of them. Needs no LLVM.
//
//===----------------------------------------------------------------------===//

#include "bundle.h"

#include "tc-c/Emulator.h"

#include <memory>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace {

struct Options {
  Options() : ptr(tcOptionsCreate()) {}
  ~Options() { tcOptionsDestroy(ptr); }
  Options(const Options &) = delete;
  TcOptions *ptr;
};

struct Run {
  explicit Run(TcRun *ptr) : ptr(ptr) {}
  ~Run() { tcRunDestroy(ptr); }
  Run(const Run &) = delete;
  TcRun *ptr;
};

struct Progress {
  Progress() : ptr(tcProgressCreate()) {}
  ~Progress() { tcProgressDestroy(ptr); }
  Progress(const Progress &) = delete;
  TcProgress *ptr;
};

struct Session {
  explicit Session(TcSession *ptr) : ptr(ptr) {}
  ~Session() { tcSessionDestroy(ptr); }
  Session(const Session &) = delete;
  TcSession *ptr;
};

} // namespace

/// Raises what went wrong; `error` is destroyed.
[[noreturn]] static void raise(TcError *error) {
  std::string message = tcErrorMessage(error);
  tcErrorDestroy(error);
  throw nb::value_error(message.c_str());
}

static std::unique_ptr<Session>
createSession(const std::string &device, nb::bytes code,
              const std::string &codeName, const std::string &description,
              const std::string &descriptionName, const std::string &function,
              const std::map<std::string, int64_t> &sizes,
              const std::map<std::string, double> &scalars, nb::dict buffers,
              const std::string &races, const std::string &assume,
              unsigned threads, uint64_t maxInstructions,
              const std::vector<std::string> &callers, unsigned gpu) {
  Options options;
  tcOptionsSetGpu(options.ptr, gpu);
  for (const std::string &name : callers)
    tcOptionsSetCallersBuffer(options.ptr, name.c_str());
  for (const auto &[name, value] : sizes)
    tcOptionsSetSize(options.ptr, name.c_str(), value);
  for (const auto &[name, value] : scalars)
    tcOptionsSetScalar(options.ptr, name.c_str(), value);
  for (auto [name, value] : buffers) {
    nb::bytes bytes = nb::cast<nb::bytes>(value);
    tcOptionsSetBuffer(options.ptr, nb::cast<std::string>(name).c_str(),
                       bytes.data(), bytes.size());
  }
  TcError *error = nullptr;
  if (!tcOptionsSetRaces(options.ptr, races.c_str(), &error))
    raise(error);
  tcOptionsSetAssume(options.ptr, assume.c_str());
  tcOptionsSetThreads(options.ptr, threads);
  if (maxInstructions)
    tcOptionsSetMaxInstructions(options.ptr, maxInstructions);
  const char *data = static_cast<const char *>(code.data());
  const size_t length = code.size();
  TcSession *session;
  {
    nb::gil_scoped_release release;
    session = tcSessionCreate(
        device == "cuda" ? TcDeviceCuda : TcDeviceEmulator, data, length,
        codeName.c_str(), description.data(), description.size(),
        descriptionName.c_str(), function.empty() ? nullptr : function.c_str(),
        options.ptr, &error);
  }
  if (!session)
    raise(error);
  return std::make_unique<Session>(session);
}

/// Raises what is wrong with a description whatever the sizes are.
static void checkDescription(nb::bytes code, const std::string &description,
                             const std::string &descriptionName,
                             const std::string &function) {
  const char *data = static_cast<const char *>(code.data());
  const size_t length = code.size();
  TcError *error = nullptr;
  bool isFine;
  {
    nb::gil_scoped_release release;
    isFine = tcDescriptionCheck(data, length, description.data(),
                                description.size(), descriptionName.c_str(),
                                function.empty() ? nullptr : function.c_str(),
                                &error);
  }
  if (!isFine)
    raise(error);
}

/// For each buffer (name, type, role, shape, strides).
static nb::list buffersOf(const Session &session) {
  static const char *const roles[] = {"in", "inout", "out", "temporary"};
  nb::list list;
  for (size_t i = 0; i < tcSessionNumBuffers(session.ptr); ++i) {
    nb::list shape, strides;
    for (size_t d = 0; d < tcSessionBufferRank(session.ptr, i); ++d) {
      shape.append(tcSessionBufferSize(session.ptr, i, d));
      strides.append(tcSessionBufferStride(session.ptr, i, d));
    }
    list.append(nb::make_tuple(tcSessionBufferName(session.ptr, i),
                               tcSessionBufferType(session.ptr, i),
                               roles[tcSessionBufferRole(session.ptr, i)],
                               nb::tuple(shape), nb::tuple(strides)));
  }
  return list;
}

static std::unique_ptr<Run> runSession(Session &session,
                                       const std::string &schedule,
                                       bool timeline, Progress *progress) {
  TcError *error = nullptr;
  TcRun *run;
  {
    nb::gil_scoped_release release;
    run = tcSessionRun(session.ptr, schedule.c_str(), timeline,
                       progress ? progress->ptr : nullptr, &error);
  }
  if (!run)
    raise(error);
  return std::make_unique<Run>(run);
}

/// Hands the launches to a stream; addresses as tcSessionLaunch takes them.
static void launchSession(Session &session, nb::sequence addresses,
                          uint64_t stream) {
  std::vector<uint64_t> list;
  for (nb::handle address : addresses)
    list.push_back(nb::cast<uint64_t>(address));
  if (list.size() != tcSessionNumBuffers(session.ptr))
    throw nb::value_error("expected one address per buffer");
  TcError *error = nullptr;
  if (!tcSessionLaunch(session.ptr, list.data(),
                       reinterpret_cast<void *>(stream), &error))
    raise(error);
}

/// (address, shape, strides in elements, code and bits of the type, device type
/// and number) of what a DLPack capsule holds.
static nb::tuple readDLPack(nb::ndarray<> array) {
  nb::list shape, strides;
  for (size_t i = 0; i < array.ndim(); ++i) {
    shape.append(array.shape(i));
    strides.append(array.stride(i));
  }
  nb::dlpack::dtype type = array.dtype();
  return nb::make_tuple(reinterpret_cast<uint64_t>(array.data()),
                        nb::tuple(shape), nb::tuple(strides), int(type.code),
                        int(type.bits) * int(type.lanes), array.device_type(),
                        array.device_id());
}

/// For each report (kind, message, lines, history).
static nb::list reportsOf(const Run &run) {
  nb::list list;
  for (size_t i = 0; i < tcRunNumReports(run.ptr); ++i) {
    nb::list lines;
    for (size_t k = 0; k < tcRunReportNumLines(run.ptr, i); ++k)
      lines.append(tcRunReportLine(run.ptr, i, k));
    list.append(nb::make_tuple(tcRunReportKind(run.ptr, i),
                               tcRunReportMessage(run.ptr, i), nb::tuple(lines),
                               tcRunReportHistory(run.ptr, i)));
  }
  return list;
}

/// For each problem (formula, why it was not compared or "", elements,
/// mismatches, largest error, largest error / bound).
static nb::list check(const Session &session, const Run &run) {
  TcError *error = nullptr;
  TcCheck *check;
  {
    nb::gil_scoped_release release;
    check = tcSessionCheck(session.ptr, run.ptr, &error);
  }
  if (!check)
    raise(error);
  nb::list list;
  for (size_t i = 0; i < tcCheckNumProblems(check); ++i)
    list.append(nb::make_tuple(
        tcCheckFormula(check, i), tcCheckObstacle(check, i),
        tcCheckNumElements(check, i), tcCheckNumMismatches(check, i),
        tcCheckMaxError(check, i), tcCheckMaxRatio(check, i)));
  tcCheckDestroy(check);
  return list;
}

NB_MODULE(_runtime, module) {
  module.def("version", &tcEmulatorVersion);
  module.def("ptx_versions", &tcEmulatorPtxVersions);
  module.def("schedules", [] {
    nb::list list;
    for (size_t i = 0; i < tcNumSchedules(); ++i)
      list.append(tcSchedule(i));
    return list;
  });
  nb::class_<Progress>(module, "Progress")
      .def(nb::init<>())
      .def("ctas_done",
           [](const Progress &p) { return tcProgressCtasDone(p.ptr); })
      .def("instructions",
           [](const Progress &p) { return tcProgressInstructions(p.ptr); })
      .def("stop", [](Progress &p) { tcProgressStop(p.ptr); });
  nb::class_<Session>(module, "Session")
      .def("buffers", &buffersOf)
      .def("launches",
           [](const Session &s) { return tcSessionNumLaunches(s.ptr); })
      .def("ctas", [](const Session &s) { return tcSessionNumCtas(s.ptr); })
      .def("run", &runSession, nb::arg("schedule"), nb::arg("timeline"),
           nb::arg("progress").none())
      .def("launch", &launchSession)
      .def("check", &check)
      .def("differences", [](Session &s, const Run &first, const Run &second) {
        return tcSessionDifferences(s.ptr, first.ptr, second.ptr);
      });
  nb::class_<Run>(module, "Run")
      .def("ok", [](const Run &run) { return tcRunOk(run.ptr); })
      .def("reports", &reportsOf)
      .def("bytes",
           [](const Run &run, const Session &session, size_t buffer) {
             const void *data = tcRunBuffer(run.ptr, buffer);
             if (!data)
               throw nb::index_error("expected a buffer of a run that is ok");
             return nb::bytes(static_cast<const char *>(data),
                              tcSessionBufferBytes(session.ptr, buffer));
           })
      .def("instructions",
           [](const Run &run) { return tcRunWarpInstructions(run.ptr); })
      .def("seconds", [](const Run &run) { return tcRunSeconds(run.ptr); })
      .def("output", [](const Run &run) { return tcRunOutput(run.ptr); })
      .def("timeline", [](const Run &run) { return tcRunTimeline(run.ptr); });
  addBundle(module);
  module.def("session", &createSession);
  module.def("check_description", &checkDescription);
  module.def("read_dlpack", &readDLPack);
}
