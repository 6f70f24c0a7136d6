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

#include "Runtime/Session/SessionImpl.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace tc;
using namespace tc::runtime;

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

/// Whether a scalar of `type` can have `value`, an integer that a double holds.
static bool isInRange(DType type, double value) {
  const auto &info = getInfo(type);
  const int bits = info.bits;
  const double low = info.isSigned ? -std::ldexp(1.0, bits - 1) : 0;
  const double high = std::ldexp(1.0, info.isSigned ? bits - 1 : bits);
  return value == std::floor(value) && value >= low && value < high &&
         std::abs(value) <= std::ldexp(1.0, 53);
}

Status Session::Impl::checkScalars() {
  std::vector<std::string> names;
  for (const ScalarSpec &scalar : description.scalars)
    names.push_back(scalar.name);
  for (const std::string &name : names)
    if (!options.scalars.count(name))
      return makeError(
          "scalar '" + name +
          "' has no value, expected one for each of: " + list(names));
  for (const auto &[name, value] : options.scalars)
    if (std::find(names.begin(), names.end(), name) == names.end())
      return makeError("unknown scalar '" + name +
                       "', expected one of: " + list(names));
  for (const ScalarSpec &scalar : description.scalars) {
    if (getInfo(scalar.type).isFloat)
      continue;
    const double value = options.scalars.at(scalar.name);
    if (!isInRange(scalar.type, value))
      return makeError("scalar '" + scalar.name + "': expected an integer of " +
                       getInfo(scalar.type).name +
                       " that is at most 2^53, got " + std::to_string(value));
    // Expressions take it as they take sizes.
    options.sizes[scalar.name] = static_cast<int64_t>(value);
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
  for (const auto &entry : options.inBytes)
    names.push_back(entry.first);
  for (const auto &entry : options.outFiles)
    names.push_back(entry.first);
  for (const auto &entry : options.inits)
    names.push_back(entry.first);
  names.insert(names.end(), options.callersBuffers.begin(),
               options.callersBuffers.end());
  for (const BufferSpec &spec : description.buffers)
    known.push_back(spec.name);
  for (const std::string &name : names)
    if (!description.findBuffer(name))
      return makeError("unknown buffer '" + name +
                       "', expected one of: " + list(known));
  return {};
}

/// The description's come before those of the command line.
Status Session::Impl::applyAssumptions() {
  emu::AssumptionSet &set = options.assumptions;
  if (!description.assume.empty())
    if (Status status = set.apply(description.assume); !status)
      return makeError(description.file + ": assume", status.error().message);
  if (!options.assume.empty())
    if (Status status = set.apply(options.assume); !status)
      return makeError("--assume", status.error().message);
  return {};
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

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
    const bool isCallers = options.callersBuffers.count(spec.name) != 0;
    uint64_t bytes = 0;
    if (layout->bytes() &&
        __builtin_mul_overflow(layout->elements() / 8 + 1,
                               uint64_t(getInfo(spec.type).bits), &bytes))
      bytes = ~0ull;
    bytes = isCallers ? 0 : std::max(bytes, layout->bytes());
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
    Buffer &buffer = buffers.emplace_back();
    buffer.layout = std::move(*layout);
    buffer.isCallers = isCallers;
  }
  return {};
}

Status Session::Impl::fillBuffers() {
  for (size_t i = 0; i < buffers.size(); ++i) {
    const BufferSpec &spec = description.buffers[i];
    Buffer &buffer = buffers[i];
    if (buffer.isCallers)
      continue;
    if (auto given = options.inBytes.find(spec.name);
        given != options.inBytes.end()) {
      if (given->second.size() != buffer.layout.bytes())
        return makeError("buffer '" + spec.name + "'",
                         "expected " + std::to_string(buffer.layout.bytes()) +
                             " bytes, got " +
                             std::to_string(given->second.size()));
      buffer.initial = given->second;
      continue;
    }
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
    if (!spec.bytes.empty() && init == options.inits.end()) {
      const uint64_t bytes = buffer.layout.bytes(), got = spec.bytes.size();
      if (spec.repeatsBytes ? bytes % got != 0 : bytes != got)
        return makeError(
            spec.where,
            "expected " +
                std::string(spec.repeatsBytes ? "a divisor of " : "") +
                std::to_string(bytes) + " bytes, got " + std::to_string(got));
      buffer.initial.reserve(bytes);
      while (buffer.initial.size() < bytes)
        buffer.initial.insert(buffer.initial.end(), spec.bytes.begin(),
                              spec.bytes.end());
      continue;
    }
    buffer.initial.resize(buffer.layout.bytes());
    InitSpec how = init != options.inits.end() ? init->second : spec.init;
    Expected<int64_t> limit = evaluateInRange(
        spec.initLimit, sizes(), 0, std::numeric_limits<int32_t>::max(),
        spec.where, "init_limit");
    if (!limit)
      return limit.takeError();
    how.limit = *limit;
    fill(buffer.layout, how, buffer.initial.data());
  }
  return {};
}

Status Session::Impl::allocateBuffers() {
  for (size_t i = 0; i < buffers.size(); ++i) {
    const BufferSpec &spec = description.buffers[i];
    Buffer &buffer = buffers[i];
    if (buffer.isCallers)
      continue;
    // A pointer to an empty buffer still needs a valid address.
    Expected<uint64_t> address = device.allocate(
        std::max<uint64_t>(buffer.layout.bytes(), 1) + spec.leadBytes(),
        spec.address, spec.name);
    if (!address)
      return makeError(spec.where, address.error().message);
    buffer.address = *address + spec.leadBytes();
    if (spec.role == BufferRole::In)
      if (Status status = device.setReadOnly(*address); !status)
        return makeError(spec.where, status.error().message);
  }
  return {};
}

/// Writes the addresses of other buffers that buffers contain.
Status Session::Impl::fillContents() {
  for (size_t i = 0; i < buffers.size(); ++i) {
    const BufferSpec &spec = description.buffers[i];
    if (!spec.contains.empty() && !options.callersBuffers.empty())
      return makeError(spec.where, "a buffer that contains addresses cannot be "
                                   "launched with memory of the caller");
    if (Status status = packInto(buffers[i].initial, spec.contains, *this);
        !status)
      return status;
  }
  return {};
}

Status Session::Impl::overrideVariable(const VariableSpec &spec) {
  const std::vector<emu::VariableInfo> &infos = device.variables();
  std::vector<std::string> names;
  for (size_t i = 0; i < infos.size(); ++i) {
    names.push_back(infos[i].name);
    if (infos[i].name != spec.name)
      continue;
    std::vector<uint8_t> bytes = spec.bytes;
    if (!spec.inFile.empty()) {
      Expected<std::vector<uint8_t>> file =
          readFile(spec.inFile, infos[i].bytes);
      if (!file)
        return makeError(spec.where, file.error().message);
      bytes = std::move(*file);
    }
    if (bytes.size() > infos[i].bytes)
      return makeError(spec.where,
                       "expected at most " + std::to_string(infos[i].bytes) +
                           " bytes, got " + std::to_string(bytes.size()));
    std::copy(bytes.begin(), bytes.end(), variables[i].initial.begin());
    return {};
  }
  return makeError(spec.where, "unknown variable '" + spec.name +
                                   "', expected one of: " + list(names));
}

/// Variables start as the PTX says, or as the description does.
Status Session::Impl::readVariables() {
  for (const emu::VariableInfo &info : device.variables()) {
    Variable variable;
    variable.address = info.address;
    variable.initial.resize(info.bytes);
    if (Status status = device.read(info.address, variable.initial); !status)
      return status;
    variables.push_back(std::move(variable));
  }
  for (const VariableSpec &spec : description.variables)
    if (Status status = overrideVariable(spec); !status)
      return status;
  return {};
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

bool Session::Impl::somethingIsEmpty() const {
  for (const std::string &name : description.sizes)
    if (options.sizes.at(name) == 0)
      return true;
  for (const Buffer &buffer : buffers)
    if (buffer.layout.bytes() == 0)
      return true;
  return false;
}

static Expected<const emu::KernelInfo *> findKernel(const Device &device,
                                                    const KernelSpec &kernel) {
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

/// A block that is known without sizes and is not the one that the PTX asks
/// for.
static Status checkBlock(const KernelSpec &kernel,
                         const emu::KernelInfo &info) {
  auto str = [](int64_t x, int64_t y, int64_t z) {
    return std::to_string(x) + " x " + std::to_string(y) + " x " +
           std::to_string(z);
  };
  std::array<int64_t, 3> block{};
  for (size_t i = 0; i < 3; ++i) {
    Expected<int64_t> value = kernel.block[i].evaluate({});
    if (!value)
      return {};
    block[i] = *value;
  }
  const std::array<unsigned, 3> &wanted = info.reqntid;
  if (!wanted[0] ||
      (block[0] == wanted[0] && block[1] == wanted[1] && block[2] == wanted[2]))
    return {};
  return makeError(kernel.where, "kernel '" + info.name + "': expected block " +
                                     str(wanted[0], wanted[1], wanted[2]) +
                                     " (.reqntid), got " +
                                     str(block[0], block[1], block[2]));
}

Status runtime::checkKernels(const Description &description,
                             const Device &device) {
  for (const LaunchSpec &launch : description.launches) {
    const KernelSpec &kernel = description.kernels[launch.kernel];
    Expected<const emu::KernelInfo *> info = findKernel(device, kernel);
    if (!info)
      return info.takeError();
    if (Status status = checkBlock(kernel, **info); !status)
      return status;
    if (Status status = checkParamCount(launch.params, **info, launch.where);
        !status)
      return status;
  }
  return {};
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
  Expected<const emu::KernelInfo *> info = findKernel(device, kernel);
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
  if (status)
    status =
        evaluateTriple(kernel.preferredCluster, options.sizes, 0, kernel.where,
                       "preferred_cluster", config.preferredCluster);
  for (size_t i = 0; status && i < kernel.envregs.size(); ++i) {
    Expected<int64_t> value = evaluateInRange(
        kernel.envregs[i], options.sizes, 0,
        std::numeric_limits<uint32_t>::max(), kernel.where, "envregs");
    if (!value)
      return value.takeError();
    config.envregs[i] = static_cast<uint32_t>(*value);
  }
  if (!status)
    return status;
  config.coResident = kernel.coResident;
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
  launchNumbers.push_back(
      static_cast<size_t>(&launch - description.launches.data()));
  return {};
}

Expected<std::unique_ptr<Session>> Session::create(Description description,
                                                   Device &device,
                                                   SessionOptions options) {
  auto impl = std::make_unique<Impl>(std::move(description), device,
                                     std::move(options));
  using Step = Status (*)(Impl &);
  static constexpr Step steps[] = {
      [](Impl &impl) { return impl.applyAssumptions(); },
      [](Impl &impl) { return impl.checkSizes(); },
      [](Impl &impl) { return impl.checkScalars(); },
      [](Impl &impl) { return impl.checkNames(); },
      [](Impl &impl) { return impl.checkConstraints(); },
      [](Impl &impl) { return impl.layoutBuffers(); },
      [](Impl &impl) { return impl.fillBuffers(); },
      [](Impl &impl) { return impl.allocateBuffers(); },
      [](Impl &impl) { return impl.fillContents(); },
      [](Impl &impl) { return impl.readVariables(); }};
  for (Step step : steps)
    if (Status status = step(*impl); !status)
      return status.takeError();
  // The caller's addresses come with `launch`.
  if (!impl->options.callersBuffers.empty()) {
    if (Status status = impl->prepareRefills(); !status)
      return status.takeError();
    return std::unique_ptr<Session>(new Session(std::move(impl)));
  }
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
uint64_t Session::address(size_t buffer) const {
  return impl->buffers[buffer].address;
}
size_t Session::launchCount() const { return impl->launches.size(); }

uint64_t Session::ctaCount() const {
  uint64_t count = 0;
  for (const emu::LaunchConfig &launch : impl->launches)
    count += uint64_t(launch.grid[0]) * launch.grid[1] * launch.grid[2];
  return count;
}
