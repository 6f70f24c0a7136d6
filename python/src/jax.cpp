//===- jax.cpp - tc._jax: XLA's typed FFI -----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The FFI target "tc_call" for two platforms: on the host it runs the emulator
// on copies of the buffers, on CUDA it hands launches to XLA's stream. The
// attribute `kernel` names an entry of a table that tc/jax/_call.py fills while
// it traces. Needs no LLVM, and of XLA its headers alone.
//
//===----------------------------------------------------------------------===//

#include "tc-c/Emulator.h"
#include "xla/ffi/api/ffi.h"

#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace ffi = xla::ffi;
namespace nb = nanobind;

namespace {

/// A buffer of the kernel description at the sizes of an entry.
struct BufferSpec {
  std::string name;
  size_t index; ///< among the buffers of the description
  std::string type;
  std::vector<int64_t> shape;
  size_t bytes;
};

struct SessionDeleter {
  void operator()(TcSession *session) const { tcSessionDestroy(session); }
};
using SessionPtr = std::unique_ptr<TcSession, SessionDeleter>;

/// A kernel for one class of shapes, with the options of its runs.
struct Kernel {
  std::string code, name, description, descriptionName;
  std::map<std::string, int64_t> sizes;
  std::map<std::string, double> scalars;
  /// In the order of the call's operands and results. A buffer may be in both:
  /// then XLA has made one buffer of them.
  std::vector<BufferSpec> operands, results;
  /// Temporaries without first contents: scratch memory of XLA.
  std::vector<BufferSpec> workspaces;
  std::vector<std::string> schedules;
  std::string races;
  unsigned threads;
  uint64_t maxInstructions;
  bool isChecked;
  /// By GPU and stream, as temporaries with first contents belong to a session.
  std::map<std::pair<int32_t, void *>, SessionPtr> sessions;
  std::mutex mutex;
};

} // namespace

/// Entries live as long as the process: a module that was lowered may name its
/// own at any time. The key is a hash of the contents, so equal ones are one.
/// Never destroyed: the driver may be gone when static objects are.
static std::mutex tableMutex;
using Table = std::map<std::string, std::shared_ptr<Kernel>, std::less<>>;
static Table &table = *new Table;

static std::shared_ptr<Kernel> findKernel(std::string_view key) {
  std::lock_guard<std::mutex> lock(tableMutex);
  auto found = table.find(key);
  return found == table.end() ? nullptr : found->second;
}

static ffi::Error noKernel(std::string_view key) {
  return ffi::Error::InvalidArgument(
      "tc: expected a kernel that this process has traced, got '" +
      std::string(key) + "': trace the function here");
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// The name of a type in kernel descriptions; empty: kernels have none.
static const char *nameOf(ffi::DataType type) {
  switch (type) {
  case ffi::DataType::F64:
    return "f64";
  case ffi::DataType::F32:
    return "f32";
  case ffi::DataType::F16:
    return "f16";
  case ffi::DataType::BF16:
    return "bf16";
  case ffi::DataType::F8E4M3FN:
    return "e4m3";
  case ffi::DataType::F8E5M2:
    return "e5m2";
  case ffi::DataType::F8E8M0FNU:
    return "ue8m0";
  case ffi::DataType::S8:
    return "i8";
  case ffi::DataType::U8:
    return "u8";
  case ffi::DataType::S16:
    return "i16";
  case ffi::DataType::U16:
    return "u16";
  case ffi::DataType::S32:
    return "i32";
  case ffi::DataType::U32:
    return "u32";
  case ffi::DataType::S64:
    return "i64";
  case ffi::DataType::U64:
    return "u64";
  default:
    return "";
  }
}

/// Whether XLA's type holds elements of a type of kernel descriptions.
static bool holds(ffi::DataType type, const std::string &element) {
  const std::string name = nameOf(type);
  if (name == element)
    return true;
  return (element == "tf32" && name == "f32") ||
         (element == "ue4m3" && name == "e4m3");
}

static std::string str(const std::string &type,
                       const std::vector<int64_t> &shape) {
  std::string text = type + "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? "," : "") + std::to_string(shape[i]);
  return text + "]";
}

/// What is wrong with `got` as `spec`; empty: nothing.
static std::string check(const BufferSpec &spec, const ffi::AnyBuffer &got) {
  const std::vector<int64_t> shape(got.dimensions().begin(),
                                   got.dimensions().end());
  if (holds(got.element_type(), spec.type) && shape == spec.shape &&
      got.size_bytes() == spec.bytes)
    return "";
  return "tc: " + spec.name + ": expected " + str(spec.type, spec.shape) +
         ", got " + str(nameOf(got.element_type()), shape);
}

/// The buffers of a call in the order of the kernel's operands and results.
static ffi::Error collect(const Kernel &kernel, ffi::RemainingArgs args,
                          ffi::RemainingRets rets,
                          std::vector<ffi::AnyBuffer> &operands,
                          std::vector<ffi::AnyBuffer> &results) {
  if (args.size() != kernel.operands.size() ||
      rets.size() != kernel.results.size())
    return ffi::Error::InvalidArgument(
        "tc: expected " + std::to_string(kernel.operands.size()) +
        " operands and " + std::to_string(kernel.results.size()) +
        " results, got " + std::to_string(args.size()) + " and " +
        std::to_string(rets.size()));
  for (size_t i = 0; i < args.size(); ++i) {
    ffi::ErrorOr<ffi::AnyBuffer> buffer = args.get<ffi::AnyBuffer>(i);
    if (!buffer)
      return buffer.error();
    if (std::string wrong = check(kernel.operands[i], *buffer); !wrong.empty())
      return ffi::Error::InvalidArgument(wrong);
    operands.push_back(*buffer);
  }
  for (size_t i = 0; i < rets.size(); ++i) {
    ffi::ErrorOr<ffi::Result<ffi::AnyBuffer>> buffer =
        rets.get<ffi::AnyBuffer>(i);
    if (!buffer)
      return buffer.error();
    if (std::string wrong = check(kernel.results[i], **buffer); !wrong.empty())
      return ffi::Error::InvalidArgument(wrong);
    results.push_back(**buffer);
  }
  return ffi::Error::Success();
}

static ffi::Error failWith(TcError *error) {
  std::string message = std::string("tc: ") + tcErrorMessage(error);
  tcErrorDestroy(error);
  return ffi::Error::InvalidArgument(message);
}

//===----------------------------------------------------------------------===//
// The host: the emulator
//===----------------------------------------------------------------------===//

namespace {

struct RunDeleter {
  void operator()(TcRun *run) const { tcRunDestroy(run); }
};
using RunPtr = std::unique_ptr<TcRun, RunDeleter>;

struct OptionsDeleter {
  void operator()(TcOptions *options) const { tcOptionsDestroy(options); }
};
using OptionsPtr = std::unique_ptr<TcOptions, OptionsDeleter>;

} // namespace

static SessionPtr createSession(const Kernel &kernel, TcDevice device,
                                TcOptions *options, TcError **error) {
  for (const auto &[name, value] : kernel.sizes)
    tcOptionsSetSize(options, name.c_str(), value);
  for (const auto &[name, value] : kernel.scalars)
    tcOptionsSetScalar(options, name.c_str(), value);
  return SessionPtr(tcSessionCreate(
      device, kernel.code.data(), kernel.code.size(), kernel.name.c_str(),
      kernel.description.data(), kernel.description.size(),
      kernel.descriptionName.c_str(), nullptr, options, error));
}

/// The report of a run that was stopped.
static std::string reportOf(const TcRun *run, const std::string &schedule) {
  std::string text = std::string("tc: ") + tcRunReportKind(run, 0) + " under " +
                     schedule + ": " + tcRunReportMessage(run, 0);
  const std::string history = tcRunReportHistory(run, 0);
  return history.empty() ? text : text + "\n" + history;
}

/// Compares what a run computed with float64; empty: it is right.
static std::string checkRun(const TcSession *session, const TcRun *run) {
  TcError *error = nullptr;
  TcCheck *check = tcSessionCheck(session, run, &error);
  if (!check) {
    std::string message = tcErrorMessage(error);
    tcErrorDestroy(error);
    return message;
  }
  std::string wrong;
  for (size_t i = 0; i < tcCheckNumProblems(check) && wrong.empty(); ++i)
    if (*tcCheckObstacle(check, i))
      wrong = std::string("check: ") + tcCheckFormula(check, i) +
              " cannot be compared: " + tcCheckObstacle(check, i) +
              " has no reference";
    else if (uint64_t mismatches = tcCheckNumMismatches(check, i))
      wrong = std::string(tcCheckFormula(check, i)) + ": " +
              std::to_string(mismatches) + " of " +
              std::to_string(tcCheckNumElements(check, i)) +
              " elements are wrong";
  tcCheckDestroy(check);
  return wrong;
}

/// A session of this call alone: contents are given when it is made.
static SessionPtr createHostSession(const Kernel &kernel,
                                    const std::vector<ffi::AnyBuffer> &operands,
                                    TcError **error) {
  OptionsPtr options(tcOptionsCreate());
  for (size_t i = 0; i < operands.size(); ++i)
    tcOptionsSetBuffer(options.get(), kernel.operands[i].name.c_str(),
                       operands[i].untyped_data(), operands[i].size_bytes());
  if (!tcOptionsSetRaces(options.get(), kernel.races.c_str(), error))
    return nullptr;
  tcOptionsSetThreads(options.get(), kernel.threads);
  if (kernel.maxInstructions)
    tcOptionsSetMaxInstructions(options.get(), kernel.maxInstructions);
  return createSession(kernel, TcDeviceEmulator, options.get(), error);
}

static ffi::Error callHost(std::string_view key, ffi::RemainingArgs args,
                           ffi::RemainingRets rets) {
  std::shared_ptr<Kernel> kernel = findKernel(key);
  if (!kernel)
    return noKernel(key);
  std::vector<ffi::AnyBuffer> operands, results;
  if (ffi::Error wrong = collect(*kernel, args, rets, operands, results);
      wrong.failure())
    return wrong;
  TcError *error = nullptr;
  SessionPtr session = createHostSession(*kernel, operands, &error);
  if (!session)
    return failWith(error);
  RunPtr first;
  for (const std::string &schedule : kernel->schedules) {
    RunPtr run(
        tcSessionRun(session.get(), schedule.c_str(), false, nullptr, &error));
    if (!run)
      return failWith(error);
    if (!tcRunOk(run.get()))
      return ffi::Error(ffi::ErrorCode::kAborted,
                        reportOf(run.get(), schedule));
    if (!first) {
      first = std::move(run);
      continue;
    }
    const std::string differences =
        tcSessionDifferences(session.get(), first.get(), run.get());
    if (!differences.empty())
      return ffi::Error(ffi::ErrorCode::kAborted,
                        "tc: mismatch under " + schedule + ": " + differences);
  }
  if (kernel->isChecked)
    if (std::string wrong = checkRun(session.get(), first.get());
        !wrong.empty())
      return ffi::Error(ffi::ErrorCode::kAborted, "tc: mismatch: " + wrong);
  for (size_t i = 0; i < results.size(); ++i)
    std::memcpy(results[i].untyped_data(),
                tcRunBuffer(first.get(), kernel->results[i].index),
                results[i].size_bytes());
  return ffi::Error::Success();
}

XLA_FFI_DEFINE_HANDLER(tcCallHost, callHost,
                       ffi::Ffi::Bind()
                           .Attr<std::string_view>("kernel")
                           .RemainingArgs()
                           .RemainingRets());

//===----------------------------------------------------------------------===//
// CUDA
//===----------------------------------------------------------------------===//

/// A session whose buffers are XLA's, all but temporaries with first contents.
static SessionPtr createCudaSession(const Kernel &kernel, int32_t gpu,
                                    TcError **error) {
  OptionsPtr options(tcOptionsCreate());
  for (const auto *list :
       {&kernel.operands, &kernel.results, &kernel.workspaces})
    for (const BufferSpec &spec : *list)
      tcOptionsSetCallersBuffer(options.get(), spec.name.c_str());
  tcOptionsSetGpu(options.get(), unsigned(gpu));
  if (!tcOptionsSetRaces(options.get(), "off", error))
    return nullptr;
  return createSession(kernel, TcDeviceCuda, options.get(), error);
}

/// The addresses of a call by the numbers of the description's buffers.
static ffi::Error addressesOf(const Kernel &kernel, size_t count,
                              const std::vector<ffi::AnyBuffer> &operands,
                              const std::vector<ffi::AnyBuffer> &results,
                              ffi::ScratchAllocator &scratch,
                              std::vector<uint64_t> &addresses) {
  addresses.assign(count, 0);
  for (size_t i = 0; i < operands.size(); ++i)
    addresses[kernel.operands[i].index] =
        reinterpret_cast<uint64_t>(operands[i].untyped_data());
  for (size_t i = 0; i < results.size(); ++i) {
    const BufferSpec &spec = kernel.results[i];
    const auto address = reinterpret_cast<uint64_t>(results[i].untyped_data());
    if (addresses[spec.index] && addresses[spec.index] != address)
      return ffi::Error::Internal("tc: " + spec.name +
                                  ": expected an operand and a result in one "
                                  "buffer, got two addresses");
    addresses[spec.index] = address;
  }
  for (const BufferSpec &spec : kernel.workspaces) {
    if (!spec.bytes)
      continue;
    // Tensor maps want multiples of 128, cuMemAlloc gives those of 256; XLA
    // refuses to promise more than 16, so the address is rounded up here.
    constexpr uint64_t kAlignment = 256, kPromised = 16;
    std::optional<void *> memory =
        scratch.Allocate(spec.bytes + kAlignment - kPromised, kPromised);
    if (!memory)
      return ffi::Error(ffi::ErrorCode::kResourceExhausted,
                        "tc: " + spec.name + ": expected " +
                            std::to_string(spec.bytes) +
                            " bytes of scratch memory, got none");
    addresses[spec.index] =
        (reinterpret_cast<uint64_t>(*memory) + kAlignment - 1) / kAlignment *
        kAlignment;
  }
  return ffi::Error::Success();
}

static ffi::Error callCuda(void *stream, int32_t gpu,
                           ffi::ScratchAllocator scratch, std::string_view key,
                           ffi::RemainingArgs args, ffi::RemainingRets rets) {
  std::shared_ptr<Kernel> kernel = findKernel(key);
  if (!kernel)
    return noKernel(key);
  std::vector<ffi::AnyBuffer> operands, results;
  if (ffi::Error wrong = collect(*kernel, args, rets, operands, results);
      wrong.failure())
    return wrong;
  // A session is used by one thread at a time.
  std::lock_guard<std::mutex> lock(kernel->mutex);
  TcError *error = nullptr;
  SessionPtr &session = kernel->sessions[{gpu, stream}];
  if (!session)
    session = createCudaSession(*kernel, gpu, &error);
  if (!session)
    return failWith(error);
  std::vector<uint64_t> addresses;
  if (ffi::Error wrong =
          addressesOf(*kernel, tcSessionNumBuffers(session.get()), operands,
                      results, scratch, addresses);
      wrong.failure())
    return wrong;
  if (!tcSessionLaunch(session.get(), addresses.data(), stream, &error))
    return failWith(error);
  return ffi::Error::Success();
}

XLA_FFI_DEFINE_HANDLER(tcCallCuda, callCuda,
                       ffi::Ffi::Bind()
                           .Ctx<ffi::PlatformStream<void *>>()
                           .Ctx<ffi::DeviceOrdinal>()
                           .Ctx<ffi::ScratchAllocator>()
                           .Attr<std::string_view>("kernel")
                           .RemainingArgs()
                           .RemainingRets());

//===----------------------------------------------------------------------===//
// Python
//===----------------------------------------------------------------------===//

using PySpec =
    std::tuple<std::string, size_t, std::string, std::vector<int64_t>, size_t>;

static std::vector<BufferSpec> specsOf(const std::vector<PySpec> &list) {
  std::vector<BufferSpec> specs;
  for (const auto &[name, index, type, shape, bytes] : list)
    specs.push_back({name, index, type, shape, bytes});
  return specs;
}

template <typename T>
static T fieldOf(const nb::dict &fields, const char *name) {
  return nb::cast<T>(fields[name]);
}

/// Adds an entry; `fields` are those of Kernel. Equal keys are equal entries.
static void add(const std::string &key, nb::bytes code, nb::dict fields) {
  using Specs = std::vector<PySpec>;
  auto kernel = std::make_shared<Kernel>();
  kernel->code.assign(static_cast<const char *>(code.data()), code.size());
  kernel->name = fieldOf<std::string>(fields, "name");
  kernel->description = fieldOf<std::string>(fields, "description");
  kernel->descriptionName = fieldOf<std::string>(fields, "description_name");
  kernel->sizes = fieldOf<std::map<std::string, int64_t>>(fields, "sizes");
  kernel->scalars = fieldOf<std::map<std::string, double>>(fields, "scalars");
  kernel->operands = specsOf(fieldOf<Specs>(fields, "operands"));
  kernel->results = specsOf(fieldOf<Specs>(fields, "results"));
  kernel->workspaces = specsOf(fieldOf<Specs>(fields, "workspaces"));
  kernel->schedules = fieldOf<std::vector<std::string>>(fields, "schedules");
  kernel->races = fieldOf<std::string>(fields, "races");
  kernel->threads = fieldOf<unsigned>(fields, "threads");
  kernel->maxInstructions = fieldOf<uint64_t>(fields, "max_instructions");
  kernel->isChecked = fieldOf<bool>(fields, "check");
  std::lock_guard<std::mutex> lock(tableMutex);
  table.emplace(key, std::move(kernel));
}

NB_MODULE(_jax, module) {
  module.def("add", &add);
  module.def("count", [] {
    std::lock_guard<std::mutex> lock(tableMutex);
    return table.size();
  });
  module.def("host_handler",
             [] { return nb::capsule(reinterpret_cast<void *>(tcCallHost)); });
  module.def("cuda_handler",
             [] { return nb::capsule(reinterpret_cast<void *>(tcCallCuda)); });
}
