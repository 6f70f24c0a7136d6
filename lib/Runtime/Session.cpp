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

class ProblemViews;

} // namespace

struct Session::Impl final : ParamResolver {
  Impl(Description description, Device &device, SessionOptions options)
      : description(std::move(description)), device(device),
        options(std::move(options)) {}

  const Sizes &sizes() const override { return options.sizes; }
  double scalar(const std::string &name) const override {
    return options.scalars.at(name);
  }
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
  /// The contents of a buffer before launch `launch`, or behind the last one.
  const std::vector<uint8_t> &contents(const RunRecord &record, size_t buffer,
                                       size_t launch) const;

  Status keepContents(size_t number, RunRecord &record) const;
  Expected<MatmulProblem> resolveProblem(const ProblemSpec &spec,
                                         const RunRecord &record,
                                         ProblemViews &views) const;

  Status checkSizes() const;
  Status checkScalars() const;
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
  /// For each of them its number in the description.
  std::vector<size_t> launchNumbers;
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

Status Session::Impl::checkScalars() const {
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
      [](Impl &impl) { return impl.checkSizes(); },
      [](Impl &impl) { return impl.checkScalars(); },
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
  emu::LaunchSequence sequence;
  options.sequence = &sequence;
  record.ok = true;
  for (size_t i = 0; i < impl->launches.size(); ++i) {
    emu::RunResult result = impl->device.launch(impl->launches[i], options);
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
    if (impl->description.launches.size() > 1)
      if (Status status = impl->keepContents(impl->launchNumbers[i], record);
          !status)
        return status.takeError();
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

/// Notes what launch `number` left in the buffers that launches write.
Status Session::Impl::keepContents(size_t number, RunRecord &record) const {
  record.afterLaunch.resize(description.launches.size());
  std::vector<std::vector<uint8_t>> &kept = record.afterLaunch[number];
  kept.resize(buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (description.buffers[i].role == BufferRole::In ||
        buffers[i].initial.empty())
      continue;
    kept[i].resize(buffers[i].initial.size());
    if (Status status = device.read(buffers[i].address, kept[i]); !status)
      return status;
  }
  return {};
}

const std::vector<uint8_t> &Session::Impl::contents(const RunRecord &record,
                                                    size_t buffer,
                                                    size_t launch) const {
  if (launch == description.launches.size())
    return record.buffers[buffer];
  // The last launch before it that took place.
  for (size_t i = std::min(launch, record.afterLaunch.size()); i-- > 0;)
    if (buffer < record.afterLaunch[i].size() &&
        !record.afterLaunch[i][buffer].empty())
      return record.afterLaunch[i][buffer];
  return buffers[buffer].initial;
}

namespace {

/// Resolves the operands of one problem; views of them live as long as it.
class ProblemViews {
public:
  explicit ProblemViews(const Sizes &sizes) : sizes(sizes) {}

  /// The matrix of `operand` in `bytes` with the layout `whole`.
  Expected<MatrixView> get(const OperandSpec &operand,
                           const BufferLayout &whole,
                           const std::vector<uint8_t> &bytes) {
    if (!operand.isView)
      return MatrixView{&whole, bytes.data(), operand.transposed};
    Expected<std::vector<int64_t>> shape =
        evaluateShape(operand.shape, sizes, operand.where, "shape");
    if (!shape)
      return shape.takeError();
    Expected<std::vector<int64_t>> strides =
        evaluateShape(operand.strides, sizes, operand.where, "strides");
    if (!strides)
      return strides.takeError();
    Expected<int64_t> offset = evaluateInRange(
        operand.offset, sizes, 0, std::numeric_limits<int64_t>::max() / 64,
        operand.where, "offset");
    if (!offset)
      return offset.takeError();
    Expected<BufferLayout> layout = BufferLayout::create(
        whole.type, std::move(*shape), std::move(*strides));
    if (!layout)
      return makeError(operand.where, layout.error().message);
    const unsigned bits = getInfo(whole.type).bits;
    const uint64_t start = static_cast<uint64_t>(*offset) * bits / 8;
    if (bits % 8 != 0 ||
        (layout->bytes() != 0 && start + layout->bytes() > bytes.size()))
      return makeError(operand.where,
                       "expected a part of buffer '" + operand.buffer +
                           "', which has " + std::to_string(bytes.size()) +
                           " bytes, got " + std::to_string(layout->bytes()) +
                           " behind " + std::to_string(start));
    layouts.push_back(std::make_unique<BufferLayout>(std::move(*layout)));
    return MatrixView{layouts.back().get(), bytes.data() + start,
                      operand.transposed};
  }

private:
  const Sizes &sizes;
  std::vector<std::unique_ptr<BufferLayout>> layouts;
};

} // namespace

/// The problem of `spec` on what the run read and wrote.
Expected<MatmulProblem>
Session::Impl::resolveProblem(const ProblemSpec &spec, const RunRecord &record,
                              ProblemViews &views) const {
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
  Expected<std::vector<int64_t>> batch =
      evaluateShape(spec.batch, sizes(), spec.where, "batch");
  if (!batch)
    return batch.takeError();
  problem.batch = std::move(*batch);

  const size_t count = description.launches.size();
  const size_t launch = spec.launch.value_or(0);
  Status status;
  auto view = [&](const OperandSpec &operand, size_t before) {
    const size_t index = indexOf(operand.buffer);
    Expected<MatrixView> found = views.get(operand, buffers[index].layout,
                                           contents(record, index, before));
    if (!found) {
      status = found.takeError();
      return MatrixView();
    }
    return *found;
  };
  auto input = [&](const OperandSpec &operand) {
    // Without its launch: what the launches themselves compute, for a later one
    // to read, has no values before the run.
    BufferRole role = description.findBuffer(operand.buffer)->role;
    bool isComputed = role == BufferRole::Temporary || role == BufferRole::Out;
    return view(operand, !spec.launch && isComputed ? count : launch);
  };
  problem.a = input(spec.a);
  problem.b = input(spec.b);
  if (spec.c)
    problem.c = view(*spec.c, launch);
  const size_t behind = spec.launch ? launch + 1 : count;
  problem.d = view(spec.d, behind);
  problem.accumulator = spec.accumulator;
  if (spec.epilogue) {
    Epilogue &epilogue = problem.epilogue.emplace();
    epilogue.steps = spec.epilogue->steps;
    epilogue.result = spec.epilogue->result;
    for (const EpilogueOperandSpec &operand : spec.epilogue->operands) {
      using Along = EpilogueOperandSpec::Along;
      using Kind = EpilogueOperand::Kind;
      EpilogueOperand &extra = epilogue.operands.emplace_back();
      extra.kind = operand.along == Along::Matrix ? Kind::Matrix
                   : operand.along == Along::M    ? Kind::AlongM
                   : operand.along == Along::N    ? Kind::AlongN
                                                  : Kind::Scalar;
      if (extra.kind == Kind::Scalar)
        extra.scalar =
            decode(DType::F32, encode(DType::F32, scalar(operand.scalar)));
      else
        extra.view = input(operand.operand);
    }
  }
  if (!status)
    return status.takeError();
  return problem;
}

Expected<std::vector<ProblemResult>>
Session::check(const RunRecord &record) const {
  std::vector<ProblemResult> results;
  for (const ProblemSpec &spec : impl->description.problems) {
    ProblemViews views(sizes());
    Expected<MatmulProblem> problem = impl->resolveProblem(spec, record, views);
    if (!problem)
      return problem.takeError();
    Expected<ErrorSummary> summary =
        checkMatmul(*problem, impl->options.threads);
    if (!summary)
      return makeError(spec.where, summary.error().message);
    ProblemResult result;
    result.formula = spec.formula;
    result.batch = problem->batch;
    result.m = problem->m;
    result.n = problem->n;
    result.k = problem->k;
    result.a = problem->a.layout->type;
    result.b = problem->b.layout->type;
    result.d = problem->d.layout->type;
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
