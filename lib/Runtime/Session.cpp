//===- Session.cpp - One kernel description, ready to run -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Preparation goes in the order of a host program: sizes, its checks, buffers,
// then the launches with their parameters. Everything that can be refused is
// refused before the first launch, and before memory is taken for it.
//
//===----------------------------------------------------------------------===//

#include "tc/Runtime/Session.h"
#include "tc/Runtime/Params.h"

#include <algorithm>
#include <limits>

using namespace tc;
using namespace tc::runtime;

namespace {

struct Buffer {
  BufferLayout layout;
  std::vector<uint8_t> initial;
  uint64_t address = 0;
};

} // namespace

struct Session::Impl final : ParamResolver {
  Impl(Description description, Device &device, SessionOptions options)
      : description(std::move(description)), device(device),
        options(std::move(options)) {}

  const Sizes &sizes() const override { return options.sizes; }
  std::pair<uint64_t, uint64_t> locate(const std::string &name) const override {
    const Buffer &buffer = buffers[indexOf(name)];
    return {buffer.address, buffer.layout.bytes()};
  }
  Expected<std::array<uint8_t, 128>>
  encodeTensorMap(const TensorMapArguments &map) const override {
    return device.encodeTensorMap(map);
  }

  size_t indexOf(const std::string &name) const {
    return static_cast<size_t>(description.findBuffer(name) -
                               description.buffers.data());
  }
  MatrixView view(const OperandSpec &operand,
                  const std::vector<std::vector<uint8_t>> *bytes) const;

  Status checkSizes() const;
  Status checkConstraints() const;
  std::string describeMultiple(const ConstraintSpec &constraint) const;
  Status checkNames() const;
  Status layoutBuffers();
  Status fillBuffers();
  Status allocateBuffers();
  bool somethingIsEmpty() const;
  Expected<const emu::KernelInfo *> findKernel(const KernelSpec &kernel) const;
  Status prepareLaunch(const LaunchSpec &launch);

  Description description;
  Device &device;
  SessionOptions options;
  std::vector<Buffer> buffers;
  std::vector<emu::LaunchConfig> launches;
};

//===----------------------------------------------------------------------===//
// Sizes and constraints
//===----------------------------------------------------------------------===//

static std::string list(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

Status Session::Impl::checkSizes() const {
  const std::vector<std::string> &names = description.sizes;
  for (const std::string &name : names)
    if (!options.sizes.count(name))
      return makeError(
          "size '" + name +
          "' has no value, expected one for each of: " + list(names));
  for (const auto &[name, value] : options.sizes) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      return makeError("unknown size '" + name +
                       "', expected one of: " + list(names));
    if (value < 0)
      return makeError("size '" + name + "': expected a value >= 0, got " +
                       std::to_string(value));
  }
  return {};
}

/// What the constraint got and what would be legal, where it is a multiple.
std::string
Session::Impl::describeMultiple(const ConstraintSpec &constraint) const {
  if (!constraint.value || constraint.multipleOf <= 0)
    return "";
  Expected<int64_t> got = constraint.value->evaluate(options.sizes);
  if (!got || *got < 0)
    return "";
  int64_t nearest = 0;
  if (__builtin_mul_overflow(*got / constraint.multipleOf + 1,
                             constraint.multipleOf, &nearest))
    return ": got " + std::to_string(*got);
  return ": got " + std::to_string(*got) + ", nearest legal " +
         std::to_string(nearest);
}

Status Session::Impl::checkConstraints() const {
  for (const ConstraintSpec &constraint : description.constraints) {
    Expected<int64_t> value = constraint.check.evaluate(options.sizes);
    if (!value)
      return makeError(constraint.where, value.error().message);
    if (*value == 0)
      return makeError(constraint.where, (constraint.message.empty()
                                              ? "the constraint does not hold"
                                              : constraint.message) +
                                             describeMultiple(constraint));
  }
  return {};
}

/// Overrides name buffers that exist.
Status Session::Impl::checkNames() const {
  std::vector<std::string> names, known;
  for (const auto &entry : options.inFiles)
    names.push_back(entry.first);
  for (const auto &entry : options.outFiles)
    names.push_back(entry.first);
  for (const auto &entry : options.inits)
    names.push_back(entry.first);
  for (const BufferSpec &spec : description.buffers)
    known.push_back(spec.name);
  for (const std::string &name : names)
    if (!description.findBuffer(name))
      return makeError("unknown buffer '" + name +
                       "', expected one of: " + list(known));
  return {};
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

static Expected<std::vector<int64_t>>
evaluateShape(const std::vector<Expression> &expressions, const Sizes &sizes,
              const std::string &where, const char *what) {
  std::vector<int64_t> values;
  for (size_t i = 0; i < expressions.size(); ++i) {
    Expected<int64_t> value = evaluateInRange(
        expressions[i], sizes, 0, std::numeric_limits<int64_t>::max(), where,
        std::string(what) + "[" + std::to_string(i) + "]");
    if (!value)
      return value.takeError();
    values.push_back(*value);
  }
  return values;
}

Status Session::Impl::layoutBuffers() {
  const uint64_t limit = options.maxBytes ? options.maxBytes : memoryLimit();
  uint64_t total = 0;
  for (const BufferSpec &spec : description.buffers) {
    Expected<std::vector<int64_t>> shape =
        evaluateShape(spec.shape, options.sizes, spec.where, "shape");
    if (!shape)
      return shape.takeError();
    Expected<std::vector<int64_t>> strides =
        evaluateShape(spec.strides, options.sizes, spec.where, "strides");
    if (!strides)
      return strides.takeError();
    Expected<BufferLayout> layout =
        BufferLayout::create(spec.type, std::move(*shape), std::move(*strides));
    if (!layout)
      return makeError(spec.where, layout.error().message);
    // Strides of 0 make few bytes out of many elements: both are limited.
    uint64_t bytes = 0;
    if (layout->bytes() &&
        __builtin_mul_overflow(layout->elements() / 8 + 1,
                               uint64_t(getInfo(spec.type).bits), &bytes))
      bytes = ~0ull;
    bytes = std::max(bytes, layout->bytes());
    if (bytes > limit || total + bytes > limit)
      return makeError(
          spec.where,
          "expected all buffers together to take at most " +
              std::to_string(limit) +
              (options.maxBytes ? " bytes, got "
                                : " bytes (a third of this machine's memory), "
                                  "got ") +
              std::to_string(total) + " + " + std::to_string(bytes));
    total += bytes;
    buffers.push_back({std::move(*layout), {}, 0});
  }
  return {};
}

Status Session::Impl::fillBuffers() {
  for (size_t i = 0; i < buffers.size(); ++i) {
    const BufferSpec &spec = description.buffers[i];
    Buffer &buffer = buffers[i];
    auto init = options.inits.find(spec.name);
    auto file = options.inFiles.find(spec.name);
    std::string path = file != options.inFiles.end() ? file->second
                       : init == options.inits.end() ? spec.inFile
                                                     : "";
    if (!path.empty()) {
      Expected<std::vector<uint8_t>> bytes =
          readFile(path, buffer.layout.bytes());
      if (!bytes)
        return makeError("buffer '" + spec.name + "'", bytes.error().message);
      buffer.initial = std::move(*bytes);
      continue;
    }
    buffer.initial.resize(buffer.layout.bytes());
    fill(buffer.layout, init != options.inits.end() ? init->second : spec.init,
         buffer.initial.data());
  }
  return {};
}

Status Session::Impl::allocateBuffers() {
  for (size_t i = 0; i < buffers.size(); ++i) {
    const BufferSpec &spec = description.buffers[i];
    Buffer &buffer = buffers[i];
    // A pointer to an empty buffer still needs a valid address.
    Expected<uint64_t> address = device.allocate(
        std::max<uint64_t>(buffer.layout.bytes(), 1), spec.address, spec.name);
    if (!address)
      return makeError(spec.where, address.error().message);
    buffer.address = *address;
    if (spec.role == BufferRole::In)
      if (Status status = device.setReadOnly(*address); !status)
        return makeError(spec.where, status.error().message);
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

bool Session::Impl::somethingIsEmpty() const {
  for (const auto &size : options.sizes)
    if (size.second == 0)
      return true;
  for (const Buffer &buffer : buffers)
    if (buffer.layout.bytes() == 0)
      return true;
  return false;
}

Expected<const emu::KernelInfo *>
Session::Impl::findKernel(const KernelSpec &kernel) const {
  const std::vector<emu::KernelInfo> &infos = device.kernels();
  std::vector<std::string> names;
  for (const emu::KernelInfo &info : infos) {
    if (info.name == kernel.entry)
      return &info;
    names.push_back(info.name);
  }
  if (kernel.entry.empty() && infos.size() == 1)
    return &infos.front();
  return makeError(
      kernel.where,
      (kernel.entry.empty()
           ? "expected \"entry\" where the PTX holds not one kernel"
           : "unknown kernel '" + kernel.entry + "'") +
          ", expected one of: " + list(names));
}

static Status evaluateTriple(const std::array<Expression, 3> &expressions,
                             const Sizes &sizes, int64_t low,
                             const std::string &where, const char *what,
                             std::array<unsigned, 3> &into) {
  for (size_t i = 0; i < 3; ++i) {
    Expected<int64_t> value = evaluateInRange(
        expressions[i], sizes, low, std::numeric_limits<int32_t>::max(), where,
        std::string(what) + "[" + std::to_string(i) + "]");
    if (!value)
      return value.takeError();
    into[i] = static_cast<unsigned>(*value);
  }
  return {};
}

Status Session::Impl::prepareLaunch(const LaunchSpec &launch) {
  if (launch.when) {
    Expected<int64_t> condition = launch.when->evaluate(options.sizes);
    if (!condition)
      return makeError(launch.where + ".when", condition.error().message);
    if (*condition == 0)
      return {};
  }
  const KernelSpec &kernel = description.kernels[launch.kernel];
  Expected<const emu::KernelInfo *> info = findKernel(kernel);
  if (!info)
    return info.takeError();
  emu::LaunchConfig config;
  config.entry = (*info)->name;
  config.programmaticLaunch = kernel.programmaticLaunch;
  // Nothing to compute, nothing to launch; a grid of 0 is else an error.
  const int64_t least = somethingIsEmpty() ? 0 : 1;
  Status status = evaluateTriple(launch.grid, options.sizes, least,
                                 launch.where, "grid", config.grid);
  if (status)
    status = evaluateTriple(kernel.block, options.sizes, 1, kernel.where,
                            "block", config.block);
  if (status)
    status = evaluateTriple(kernel.cluster, options.sizes, 0, kernel.where,
                            "cluster", config.cluster);
  if (!status)
    return status;
  if (config.grid[0] == 0 || config.grid[1] == 0 || config.grid[2] == 0)
    return {};
  Expected<int64_t> dynamicSmem = evaluateInRange(
      kernel.dynamicSmem, options.sizes, 0, std::numeric_limits<int32_t>::max(),
      kernel.where, "dynamic_smem");
  if (!dynamicSmem)
    return dynamicSmem.takeError();
  config.dynamicSmem = static_cast<unsigned>(*dynamicSmem);
  Expected<std::vector<uint8_t>> params =
      packParams(launch.params, *this, *info, launch.where);
  if (!params)
    return params.takeError();
  config.params = std::move(*params);
  launches.push_back(std::move(config));
  return {};
}

Expected<std::unique_ptr<Session>> Session::create(Description description,
                                                   Device &device,
                                                   SessionOptions options) {
  auto impl = std::make_unique<Impl>(std::move(description), device,
                                     std::move(options));
  using Step = Status (*)(Impl &);
  static constexpr Step steps[] = {
      [](Impl &impl) { return impl.checkSizes(); },
      [](Impl &impl) { return impl.checkNames(); },
      [](Impl &impl) { return impl.checkConstraints(); },
      [](Impl &impl) { return impl.layoutBuffers(); },
      [](Impl &impl) { return impl.fillBuffers(); },
      [](Impl &impl) { return impl.allocateBuffers(); }};
  for (Step step : steps)
    if (Status status = step(*impl); !status)
      return status.takeError();
  for (const LaunchSpec &launch : impl->description.launches)
    if (Status status = impl->prepareLaunch(launch); !status)
      return status.takeError();
  return std::unique_ptr<Session>(new Session(std::move(impl)));
}

Session::Session(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Session::~Session() = default;

const Description &Session::description() const { return impl->description; }
const Sizes &Session::sizes() const { return impl->options.sizes; }
const BufferLayout &Session::layout(size_t buffer) const {
  return impl->buffers[buffer].layout;
}
const std::vector<uint8_t> &Session::initial(size_t buffer) const {
  return impl->buffers[buffer].initial;
}
size_t Session::launchCount() const { return impl->launches.size(); }

//===----------------------------------------------------------------------===//
// Running and comparing
//===----------------------------------------------------------------------===//

Expected<RunRecord> Session::run(const emu::Schedule &schedule,
                                 const Observers &observers) {
  RunRecord record;
  record.schedule = schedule;
  for (const Buffer &buffer : impl->buffers)
    if (!buffer.initial.empty())
      if (Status status = impl->device.write(buffer.address, buffer.initial);
          !status)
        return status.takeError();
  emu::RunOptions options;
  options.schedule = schedule;
  options.threads = impl->options.threads;
  options.races = impl->options.races;
  options.maxInstructions = impl->options.maxInstructions;
  options.trace = observers.trace;
  options.coverage = observers.coverage;
  record.ok = true;
  for (const emu::LaunchConfig &config : impl->launches) {
    emu::RunResult result = impl->device.launch(config, options);
    record.stats.warpInstructions += result.stats.warpInstructions;
    record.stats.mmaMacs += result.stats.mmaMacs;
    record.stats.asyncOps += result.stats.asyncOps;
    record.stats.seconds += result.stats.seconds;
    record.output += result.output;
    for (emu::Report &report : result.reports)
      record.reports.push_back(std::move(report));
    record.ok = result.ok;
    if (!record.ok)
      return record;
  }
  for (const Buffer &buffer : impl->buffers) {
    record.buffers.emplace_back(buffer.initial.size());
    if (buffer.initial.empty())
      continue;
    if (Status status =
            impl->device.read(buffer.address, record.buffers.back());
        !status)
      return status.takeError();
  }
  return record;
}

/// The matrix of an operand in `bytes`, or in the initial values if null.
MatrixView
Session::Impl::view(const OperandSpec &operand,
                    const std::vector<std::vector<uint8_t>> *bytes) const {
  size_t index = indexOf(operand.buffer);
  const Buffer &buffer = buffers[index];
  return {&buffer.layout,
          bytes ? (*bytes)[index].data() : buffer.initial.data(),
          operand.transposed};
}

Expected<std::vector<ProblemResult>>
Session::check(const RunRecord &record) const {
  std::vector<ProblemResult> results;
  for (const ProblemSpec &spec : impl->description.problems) {
    MatmulProblem problem;
    struct {
      const Expression &from;
      int64_t &into;
      const char *what;
    } const extents[] = {{spec.m, problem.m, "m"},
                         {spec.n, problem.n, "n"},
                         {spec.k, problem.k, "k"}};
    for (const auto &extent : extents) {
      Expected<int64_t> value = evaluateInRange(
          extent.from, sizes(), 0, std::numeric_limits<int64_t>::max(),
          spec.where, extent.what);
      if (!value)
        return value.takeError();
      extent.into = *value;
    }
    // What the launches themselves compute, for a later one to read, has no
    // values before the run.
    auto input = [&](const OperandSpec &operand) {
      BufferRole role = impl->description.findBuffer(operand.buffer)->role;
      bool isComputed =
          role == BufferRole::Temporary || role == BufferRole::Out;
      return impl->view(operand, isComputed ? &record.buffers : nullptr);
    };
    problem.a = input(spec.a);
    problem.b = input(spec.b);
    if (spec.c)
      problem.c = impl->view(*spec.c, nullptr);
    problem.d = impl->view(spec.d, &record.buffers);
    problem.accumulator = spec.accumulator;
    Expected<ErrorSummary> summary =
        checkMatmul(problem, impl->options.threads);
    if (!summary)
      return makeError(spec.where, summary.error().message);
    ProblemResult result;
    result.formula = spec.formula;
    result.m = problem.m;
    result.n = problem.n;
    result.k = problem.k;
    result.a = problem.a.layout->type;
    result.b = problem.b.layout->type;
    result.d = problem.d.layout->type;
    result.summary = *summary;
    results.push_back(std::move(result));
  }
  return results;
}

std::vector<std::string>
Session::findStrayWrites(const RunRecord &record) const {
  std::vector<std::string> lines;
  for (size_t i = 0; i < impl->buffers.size(); ++i)
    if (std::optional<uint64_t> element =
            findChangedGap(impl->buffers[i].layout, impl->buffers[i].initial,
                           record.buffers[i]))
      lines.push_back("buffer '" + impl->description.buffers[i].name +
                      "': element " + std::to_string(*element) +
                      " lies between the rows of the shape and was written");
  return lines;
}

std::vector<std::string>
Session::findDifferences(const RunRecord &first,
                         const RunRecord &second) const {
  std::vector<std::string> lines;
  for (size_t i = 0; i < impl->buffers.size(); ++i) {
    const BufferSpec &spec = impl->description.buffers[i];
    if (spec.role == BufferRole::Temporary ||
        first.buffers[i] == second.buffers[i])
      continue;
    const std::vector<uint8_t> &before = first.buffers[i];
    const std::vector<uint8_t> &after = second.buffers[i];
    size_t byte = static_cast<size_t>(
        std::mismatch(before.begin(), before.end(), after.begin()).first -
        before.begin());
    const unsigned bits = getInfo(spec.type).bits;
    const size_t element = byte * 8 / bits;
    auto valueOf = [&](const std::vector<uint8_t> &bytes) {
      return std::to_string(
          decode(spec.type, readElement(bytes.data(), element, bits)));
    };
    lines.push_back("buffer '" + spec.name + "': element " +
                    std::to_string(element) + " is " + valueOf(before) +
                    " under " + first.schedule.str() + " and " +
                    valueOf(after) + " under " + second.schedule.str());
  }
  return lines;
}

Status Session::writeOutputs(const RunRecord &record) const {
  for (size_t i = 0; i < impl->buffers.size(); ++i) {
    const BufferSpec &spec = impl->description.buffers[i];
    auto given = impl->options.outFiles.find(spec.name);
    const std::string &path =
        given != impl->options.outFiles.end() ? given->second : spec.outFile;
    if (path.empty())
      continue;
    if (Status status = writeFile(path, record.buffers[i]); !status)
      return status;
  }
  return {};
}
