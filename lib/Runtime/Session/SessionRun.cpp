//===- SessionRun.cpp - Launches and their verdicts -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The launches of a session under a schedule; then their results: against the
// float64 reference, between schedules, and into files.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Session/SessionImpl.h"
#include "Runtime/Session/Windows.h"
#include "tc/Emulator/Certificate.h"
#include "tc/Runtime/Rows.h"

#include <algorithm>
#include <limits>

using namespace tc;
using namespace tc::runtime;

emu::AssumptionSet Session::assumptions() const {
  return impl->options.assumptions;
}

void Session::setPolicy(emu::AssumptionSet assumptions, bool checkRaces) {
  impl->options.assumptions = assumptions;
  impl->options.checkRaces = checkRaces;
}

/// Whether a race is not that of an earlier launch.
static bool isNew(const emu::Report &report, const RunRecord &record) {
  return report.kind != emu::ReportKind::Race ||
         std::none_of(record.reports.begin(), record.reports.end(),
                      [&](const emu::Report &other) {
                        return other.kind == report.kind &&
                               other.lines == report.lines;
                      });
}

Expected<RunRecord> Session::run(const emu::Schedule &schedule,
                                 const Observers &observers) {
  if (!impl->options.callersBuffers.empty())
    return makeError("expected buffers of the session, got the caller's");
  RunRecord record;
  record.schedule = schedule;
  for (const Buffer &buffer : impl->buffers)
    if (!buffer.initial.empty())
      if (Status status = impl->device.write(buffer.address, buffer.initial);
          !status)
        return status.takeError();
  for (const Variable &variable : impl->variables)
    if (!variable.initial.empty())
      if (Status status =
              impl->device.write(variable.address, variable.initial);
          !status)
        return status.takeError();
  emu::RunOptions options;
  options.schedule = schedule;
  options.threads = impl->options.threads;
  options.checkRaces = impl->options.checkRaces;
  options.assumptions = impl->options.assumptions;
  options.keepRaces = impl->options.keepRaces;
  options.approx = impl->options.approx;
  options.raceClusters = impl->options.raceClusters;
  options.maxInstructions = impl->options.maxInstructions;
  options.trace = observers.trace;
  options.coverage = observers.coverage;
  options.debugger = observers.debugger;
  options.certificate = observers.certificate;
  options.progress = observers.progress;
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
    emu::mergeUses(record.uses, result.uses);
    if (record.raceSample.empty())
      record.raceSample = result.raceSample;
    for (emu::Report &report : result.reports)
      if (isNew(report, record))
        record.reports.push_back(std::move(report));
    record.ok &= result.ok;
    if (!result.ok && !result.ended)
      return record;
    if (impl->description.launches.size() > 1)
      if (Status status = impl->keepContents(impl->launchNumbers[i], record);
          !status)
        return status.takeError();
  }
  record.ended = true;
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

/// Random schedules that a search for a report takes.
static constexpr uint64_t kSeedsOfUndecided = 8;

Expected<RunRecord> Session::certify(emu::Certificate &certificate,
                                     Observers observers) {
  if (!impl->options.checkRaces || impl->options.raceClusters)
    return makeError("expected races to be looked for between all clusters");
  observers.certificate = &certificate;
  Expected<RunRecord> first = run({}, observers);
  if (first && !first->ok)
    certificate.refute();
  while (first && certificate.needsRun()) {
    Expected<RunRecord> next = run({}, observers);
    if (!next)
      return next;
    first->stats.warpInstructions += next->stats.warpInstructions;
    if (next->ok)
      continue;
    certificate.refute();
    first = std::move(next);
  }
  // An assumption holds back reports of the checker; what schedules show
  // besides is no matter of it. And what is undecided may be wrong.
  const bool isDecided = certificate.verdict() != emu::Verdict::Incomplete;
  if (!first || !first->ok || (isDecided && first->uses.empty()))
    return first;
  observers.certificate = nullptr;
  std::vector<emu::Schedule> schedules = emu::allSchedules();
  for (uint64_t seed = 2; !isDecided && seed <= kSeedsOfUndecided; ++seed)
    schedules.push_back({emu::Schedule::Kind::Random, seed});
  for (const emu::Schedule &schedule : schedules) {
    Expected<RunRecord> next = run(schedule, observers);
    if (!next || next->ok)
      continue;
    certificate.refute();
    return next;
  }
  return first;
}

Expected<Timing> Session::measure(const TimingOptions &options) {
  return impl->device.measure(impl->launches, options);
}

/// The operations of all problems, each times `weigh` of it.
template <typename Weigh>
static Expected<double> sumOperations(const Session &session,
                                      const Description &description,
                                      Weigh weigh) {
  const Sizes &sizes = session.sizes();
  double total = 0;
  for (const ProblemSpec &spec : description.problems) {
    double product = 2 * weigh(spec);
    for (const Expression *extent : {&spec.m, &spec.n, &spec.k}) {
      Expected<int64_t> value = evaluateInRange(
          *extent, sizes, 0, std::numeric_limits<int64_t>::max(), spec.where,
          "size");
      if (!value)
        return value.takeError();
      product *= double(*value);
    }
    Expected<std::vector<int64_t>> batch =
        evaluateShape(spec.batch, sizes, spec.where, "batch");
    if (!batch)
      return batch.takeError();
    // Groups share the rows.
    for (int64_t extent : *batch)
      product *= spec.ends ? 1 : double(extent);
    total += product;
  }
  return total;
}

Expected<double> Session::operations() const {
  return sumOperations(*this, impl->description,
                       [](const ProblemSpec &) { return 1; });
}

Expected<double> Session::operationsOf16Bits() const {
  const Description &description = impl->description;
  return sumOperations(*this, description, [&](const ProblemSpec &spec) {
    DType type =
        spec.a.type.value_or(description.findBuffer(spec.a.buffer)->type);
    return getInfo(spec.multiplyAs.value_or(type)).bits / 16.0;
  });
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

/// Resolves the operands of one problem; views of them live as long as it.
class tc::runtime::ProblemViews {
public:
  explicit ProblemViews(const Sizes &sizes) : sizes(sizes) {}

  /// The matrix of `operand` in `bytes` with the layout `whole`.
  /// Windows are those of a product with `m` rows and `k` columns of A.
  Expected<MatrixView> get(const OperandSpec &operand,
                           const BufferLayout &whole,
                           const std::vector<uint8_t> &bytes, int64_t m = 0,
                           int64_t k = 0) {
    const DType type = operand.type.value_or(whole.type);
    const unsigned bits = getInfo(whole.type).bits;
    if (getInfo(type).bits != bits)
      return makeError(operand.where,
                       std::string("dtype: expected a type of ") +
                           std::to_string(bits) + " bits, as buffer '" +
                           operand.buffer + "' has, got " + getInfo(type).name);
    if (!operand.isView) {
      layouts.push_back(std::make_unique<BufferLayout>(whole));
      layouts.back()->type = type;
      return MatrixView{layouts.back().get(), bytes.data(), operand.transposed};
    }
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
    Expected<BufferLayout> layout =
        BufferLayout::create(type, std::move(*shape), std::move(*strides));
    if (!layout)
      return makeError(operand.where, layout.error().message);
    const uint64_t startBits = static_cast<uint64_t>(*offset) * bits;
    const uint64_t start = startBits / 8;
    if (startBits % 8 != 0 ||
        (layout->bytes() != 0 && start + layout->bytes() > bytes.size()))
      return makeError(operand.where,
                       "expected a part of buffer '" + operand.buffer +
                           "', which has " + std::to_string(bytes.size()) +
                           " bytes, got " + std::to_string(layout->bytes()) +
                           " after " + std::to_string(start));
    layouts.push_back(std::make_unique<BufferLayout>(std::move(*layout)));
    MatrixView view{layouts.back().get(), bytes.data() + start,
                    operand.transposed};
    if (!operand.windows)
      return view;
    Expected<GatheredMatrix> matrix =
        gatherWindows(view, *operand.windows, m, k);
    if (!matrix)
      return makeError(operand.where, matrix.error().message);
    gathered.push_back(std::make_unique<GatheredMatrix>(std::move(*matrix)));
    return MatrixView{&gathered.back()->layout, gathered.back()->bytes.data()};
  }

private:
  const Sizes &sizes;
  std::vector<std::unique_ptr<BufferLayout>> layouts;
  std::vector<std::unique_ptr<GatheredMatrix>> gathered;
};

/// M, N, K and the batch of `problem`.
Status Session::Impl::resolveSizes(const ProblemSpec &spec,
                                   MatmulProblem &problem) const {
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
  return {};
}

/// The problem of `spec` on what the run read and wrote.
Expected<MatmulProblem>
Session::Impl::resolveProblem(const ProblemSpec &spec, const RunRecord &record,
                              ProblemViews &views) const {
  MatmulProblem problem;
  if (Status status = resolveSizes(spec, problem); !status)
    return status.takeError();
  const size_t count = description.launches.size();
  const size_t launch = spec.launch.value_or(0);
  Status status;
  auto view = [&](const OperandSpec &operand, size_t before) {
    const size_t index = indexOf(operand.buffer);
    Expected<MatrixView> found =
        views.get(operand, buffers[index].layout,
                  contents(record, index, before), problem.m, problem.k);
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
  problem.a.readAs = problem.b.readAs = spec.multiplyAs;
  problem.accumulatorBits = spec.accumulatorBits;
  if (spec.scaleA)
    problem.scaleA = input(*spec.scaleA);
  if (spec.scaleB)
    problem.scaleB = input(*spec.scaleB);
  problem.scaleBlock = spec.scaleBlock;
  problem.scaleColumns = spec.scaleColumns;
  if (spec.metadata)
    problem.metadata = input(*spec.metadata);
  if (spec.c)
    problem.c = view(*spec.c, launch);
  if (spec.ends || spec.counts) {
    problem.rows = input(spec.ends ? *spec.ends : *spec.counts);
    problem.isStacked = bool(spec.ends);
    problem.dBefore = view(spec.d, launch);
  }
  const size_t after = spec.launch ? launch + 1 : count;
  problem.d = view(spec.d, after);
  problem.scaleBlockD = spec.scaleBlockD;
  if (spec.scaleD)
    problem.scaleD = view(*spec.scaleD, after);
  if (spec.amax) {
    problem.amax = view(*spec.amax, after);
    MatrixView before = view(*spec.amax, launch);
    if (status)
      problem.amaxBefore = decode(
          before.layout->type,
          readElement(before.data, 0, getInfo(before.layout->type).bits));
  }
  problem.accumulator = spec.accumulator;
  if (spec.epilogue) {
    Epilogue &epilogue = problem.epilogue.emplace();
    epilogue.steps = spec.epilogue->steps;
    epilogue.result = spec.epilogue->result;
    epilogue.amax = spec.epilogue->amax;
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

Expected<ProblemResult>
Session::Impl::checkRowsOf(const RowsSpec &spec,
                           const RunRecord &record) const {
  ProblemResult result;
  result.formula = spec.formula;
  Expected<std::vector<int64_t>> sizes =
      evaluateShape(spec.sizes, this->sizes(), spec.where, "sizes");
  if (!sizes)
    return sizes.takeError();
  result.sizes = *sizes;
  result.obstacle = spec.obstacle;
  if (!spec.obstacle.empty())
    return result;
  RowsProblem problem;
  problem.sizes = std::move(*sizes);
  problem.steps = spec.steps;
  problem.results = spec.results;
  ProblemViews views(this->sizes());
  auto add = [&](const RowsOperandSpec &operand, size_t launch,
                 std::vector<RowsOperand> &operands) -> Status {
    const size_t index = indexOf(operand.operand.buffer);
    Expected<MatrixView> view =
        views.get(operand.operand, buffers[index].layout,
                  contents(record, index, launch));
    if (!view)
      return view.takeError();
    operands.push_back({*view, operand.dims, operand.adds, operand.isPiece});
    return {};
  };
  for (const RowsOperandSpec &operand : spec.operands)
    if (Status status = add(operand, spec.launch, problem.operands); !status)
      return status.takeError();
  for (const RowsOperandSpec &output : spec.outputs)
    if (Status status = add(output, spec.launch + 1, problem.outputs); !status)
      return status.takeError();
  Expected<ErrorSummary> summary = checkRows(problem, options.threads);
  if (!summary)
    return makeError(spec.where, summary.error().message);
  result.summary = *summary;
  return result;
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
  for (const RowsSpec &spec : impl->description.rows) {
    Expected<ProblemResult> result = impl->checkRowsOf(spec, record);
    if (!result)
      return result.takeError();
    results.push_back(std::move(*result));
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
                      " is between the rows of the shape and was written");
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
