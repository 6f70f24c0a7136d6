//===- Rows.cpp - Kernels of rows in float64 --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Row by row: every value of the body for all columns, one step after the
// other. Threads take rows from a counter, and results are merged in the order
// of the rows.
//
//===----------------------------------------------------------------------===//

#include "tc/Runtime/Rows.h"

#include "Runtime/Reference/Errors.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <thread>

using namespace tc;
using namespace tc::runtime;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What a value has for the columns of a row: one for all where it is the same.
using RowValues = std::vector<Interval>;

/// What nothing is known of.
static Interval anything(double value) {
  return {-kInfinity, value, kInfinity, true};
}

static bool isPoint(const Interval &x) {
  return x.low == x.high && !x.mayBeNan && !std::isnan(x.value);
}

/// `x`, or anything where an integer of `bits` bits does not hold it, or a
/// double not exactly.
static Interval asInteger(const Interval &x, unsigned bits) {
  const double limit =
      std::ldexp(1.0, std::min(static_cast<int>(bits) - 1, 53));
  return x.low >= -limit && x.high < limit && !x.mayBeNan ? x
                                                          : anything(x.value);
}

/// The integer of `bits` bits, one of which is its sign, that `all` ends in; of
/// 1 bit a truth value. A double holds no more than 53.
static Interval fromBits(uint64_t all, unsigned bits) {
  if (bits <= 1)
    return Interval::of(static_cast<double>(all & 1));
  const unsigned unused = 64 - bits;
  const auto value =
      static_cast<double>(static_cast<int64_t>(all << unused) >> unused);
  return std::fabs(value) <= 0x1p53 ? Interval::of(value) : anything(value);
}

/// The bits of an exact integer.
static std::optional<uint64_t> toBits(const Interval &x) {
  if (!isPoint(x) || std::fabs(x.value) >= 0x1p63)
    return std::nullopt;
  return static_cast<uint64_t>(static_cast<int64_t>(x.value));
}

static Interval applyIntegers(const IntegerOperation &operation,
                              const Interval *args, unsigned bits) {
  std::optional<uint64_t> a = toBits(args[0]),
                          b = operation.args == 2 ? toBits(args[1]) : 0;
  return a && b ? fromBits(operation.apply(*a, *b), bits)
                : anything(args[0].value);
}

namespace {

/// Statistics of some rows.
struct RowStatistics {
  ErrorSummary summary;
  double errorSum = 0;
};

/// What all rows share.
class RowsChecker {
public:
  explicit RowsChecker(const RowsProblem &problem);

  int64_t countRows() const { return rows; }
  void checkRow(int64_t row, RowStatistics &statistics) const;

private:
  std::vector<int64_t> placeOf(int64_t row) const;
  /// The element of `operand` at `place`, none where it is outside.
  std::optional<uint64_t> elementOf(const RowsOperand &operand,
                                    const std::vector<int64_t> &place,
                                    int64_t column) const;
  Interval read(const RowsOperand &operand, const std::vector<int64_t> &place,
                int64_t column) const;
  RowValues evaluate(const RowsStep &step, size_t number,
                     const std::vector<RowValues> &values,
                     const std::vector<int64_t> &place) const;
  Interval reduce(const RowsStep &step, const RowValues &values) const;
  Interval sumOfIntegers(const RowsStep &step, const RowValues &values) const;
  Interval pick(const RowsStep &step, const std::vector<RowValues> &values,
                const std::vector<int64_t> &place) const;
  void compare(const Interval &expected, double got, int64_t output,
               int64_t row, int64_t column, RowStatistics &statistics) const;

  const RowsProblem &problem;
  int64_t rows = 1;
  const int64_t columns;
  /// Whether each value differs along a row.
  std::vector<bool> isAlong;
};

} // namespace

/// The argument of column `column`.
static Interval argumentOf(const EpilogueStep::Argument &argument,
                           const std::vector<RowValues> &values,
                           int64_t column) {
  if (!argument.value)
    return Interval::of(argument.constant);
  const RowValues &all = values[*argument.value];
  if (all.empty())
    return anything(0);
  return all[all.size() == 1 ? 0 : static_cast<size_t>(column)];
}

RowsChecker::RowsChecker(const RowsProblem &problem)
    : problem(problem), columns(problem.sizes.back()) {
  const size_t last = problem.sizes.size() - 1;
  for (size_t dim = 0; dim < last; ++dim)
    rows *= problem.sizes[dim];
  for (const RowsOperand &operand : problem.operands)
    isAlong.push_back(std::find(operand.dims.begin(), operand.dims.end(),
                                std::optional<size_t>(last)) !=
                      operand.dims.end());
  for (const RowsStep &step : problem.steps) {
    bool along = step.kind == RowsStep::Kind::Index && step.dim == last;
    if (step.kind == RowsStep::Kind::Elementwise)
      for (const EpilogueStep::Argument &argument : step.step.args)
        along |= argument.value && isAlong[*argument.value];
    isAlong.push_back(along);
  }
}

std::vector<int64_t> RowsChecker::placeOf(int64_t row) const {
  std::vector<int64_t> place(problem.sizes.size(), 0);
  for (size_t dim = place.size() - 1; dim-- > 0;) {
    place[dim] = row % problem.sizes[dim];
    row /= problem.sizes[dim];
  }
  return place;
}

std::optional<uint64_t>
RowsChecker::elementOf(const RowsOperand &operand,
                       const std::vector<int64_t> &place,
                       int64_t column) const {
  const BufferLayout &layout = *operand.view.layout;
  int64_t element = 0;
  for (size_t at = 0; at < operand.dims.size(); ++at) {
    int64_t index = operand.adds[at];
    if (operand.dims[at])
      index += *operand.dims[at] + 1 == place.size() ? column
                                                     : place[*operand.dims[at]];
    if (index < 0 || index >= layout.shape[at])
      return std::nullopt;
    element += index * layout.strides[at];
  }
  return static_cast<uint64_t>(element);
}

Interval RowsChecker::read(const RowsOperand &operand,
                           const std::vector<int64_t> &place,
                           int64_t column) const {
  std::optional<uint64_t> element = elementOf(operand, place, column);
  if (!element)
    return Interval::of(0);
  const DType type = operand.view.layout->type;
  const DTypeInfo &info = getInfo(type);
  const Interval value = Interval::of(
      decode(type, readElement(operand.view.data, *element, info.bits)));
  return info.isFloat || info.bits < 64 ? value : asInteger(value, info.bits);
}

/// Exact, modulo 2^bits.
Interval RowsChecker::sumOfIntegers(const RowsStep &step,
                                    const RowValues &values) const {
  const bool isSum = step.step.op == "add";
  uint64_t all = isSum ? 0 : 1;
  for (const Interval &value : values) {
    std::optional<uint64_t> bits = toBits(value);
    if (!bits)
      return anything(value.value);
    all = isSum ? all + *bits : all * *bits;
  }
  return fromBits(all, step.integerBits);
}

Interval RowsChecker::reduce(const RowsStep &step,
                             const RowValues &values) const {
  const RowsReduction &facts = *findRowsReduction(step.step.op);
  const bool isRounded = step.step.op == "add" || step.step.op == "mul";
  if (step.integerBits && isRounded)
    return sumOfIntegers(step, values);
  const IntegerOperation *integers = findIntegerOperation(facts.step);
  EpilogueStep combine;
  combine.op = facts.step;
  Interval all = Interval::of(facts.neutral);
  double magnitudes = 0;
  bool isFirst = true;
  for (const Interval &value : values) {
    const Interval both[] = {all, value};
    all = isFirst    ? value
          : integers ? applyIntegers(*integers, both, step.integerBits)
                     : evaluateStep(combine, both);
    isFirst = false;
    magnitudes += std::max(std::fabs(value.low), std::fabs(value.high));
  }
  if (!isRounded || isFirst)
    return all;
  const auto count = static_cast<double>(values.size());
  double deep = std::ceil(std::log2(count)) + count / 32 + 2;
  // This sum is one of f64, too.
  if (*step.step.type == DType::F64)
    deep += count;
  const DTypeInfo &type = getInfo(*step.step.type);
  const double unit = std::ldexp(1.0, -static_cast<int>(type.mantissaBits) - 1);
  if (step.step.op == "mul")
    magnitudes = std::max(std::fabs(all.low), std::fabs(all.high));
  // Between the values a sum may become infinite, and stay it.
  if (magnitudes > maxFinite(*step.step.type))
    return std::isfinite(all.value) || all.mayBeNan ? anything(all.value) : all;
  const double off = deep * unit * magnitudes;
  all.low -= off;
  all.high += off;
  return all;
}

Interval RowsChecker::pick(const RowsStep &step,
                           const std::vector<RowValues> &values,
                           const std::vector<int64_t> &place) const {
  const Interval index = argumentOf(step.step.args[1], values, 0);
  if (!isPoint(index))
    return anything(index.value);
  const EpilogueStep::Argument &from = step.step.args[0];
  if (index.value >= 0 && index.value < static_cast<double>(columns))
    return argumentOf(from, values, static_cast<int64_t>(index.value));
  if (!from.value || !isAlong[*from.value])
    return argumentOf(from, values, 0);
  // Operands are 0 there, or what a part has.
  if (*from.value >= problem.operands.size() ||
      std::fabs(index.value) >= 0x1p53)
    return anything(0);
  const RowsOperand &operand = problem.operands[*from.value];
  return operand.isPiece
             ? read(operand, place, static_cast<int64_t>(index.value))
             : Interval::of(0);
}

RowValues RowsChecker::evaluate(const RowsStep &step, size_t number,
                                const std::vector<RowValues> &values,
                                const std::vector<int64_t> &place) const {
  switch (step.kind) {
  case RowsStep::Kind::Index: {
    if (!isAlong[number])
      return {Interval::of(static_cast<double>(place[step.dim]))};
    RowValues result;
    for (int64_t column = 0; column < columns; ++column)
      result.push_back(Interval::of(static_cast<double>(column)));
    return result;
  }
  case RowsStep::Kind::Pick:
    return {pick(step, values, place)};
  case RowsStep::Kind::Reduce: {
    const EpilogueStep::Argument &of = step.step.args[0];
    RowValues all;
    if (of.value && isAlong[*of.value])
      return {reduce(step, values[*of.value])};
    all.assign(static_cast<size_t>(columns), argumentOf(of, values, 0));
    return {reduce(step, all)};
  }
  case RowsStep::Kind::Elementwise:
    break;
  }
  RowValues result(isAlong[number] ? static_cast<size_t>(columns) : 1);
  std::vector<Interval> args(step.step.args.size());
  const IntegerOperation *integers =
      step.step.type ? nullptr : findIntegerOperation(step.step.op);
  for (size_t column = 0; column < result.size(); ++column) {
    for (size_t at = 0; at < args.size(); ++at)
      args[at] =
          argumentOf(step.step.args[at], values, static_cast<int64_t>(column));
    result[column] =
        integers ? applyIntegers(*integers, args.data(), step.integerBits)
                 : evaluateStep(step.step, args.data());
    if (step.integerBits)
      result[column] = asInteger(result[column], step.integerBits);
  }
  return result;
}

void RowsChecker::compare(const Interval &expected, double got, int64_t output,
                          int64_t row, int64_t column,
                          RowStatistics &statistics) const {
  ErrorSummary &summary = statistics.summary;
  ++summary.elements;
  const bool isKnown = !std::isnan(expected.low) && !std::isnan(expected.high);
  if (isKnown && std::isinf(expected.low) && std::isinf(expected.high) &&
      expected.low < expected.high)
    ++summary.unbounded;
  bool isGood = std::isnan(got)
                    ? expected.mayBeNan || expected.isNan()
                    : isKnown && got >= expected.low && got <= expected.high;
  const double bound =
      std::max(expected.high - expected.value, expected.value - expected.low);
  if (std::isfinite(got) && std::isfinite(expected.value)) {
    const double error = std::fabs(got - expected.value);
    statistics.errorSum += error;
    if (error > summary.maxError || summary.finite == 0) {
      summary.maxError = error;
      summary.boundAtMax = bound;
    }
    ++summary.finite;
    if (std::isfinite(bound)) {
      summary.maxBound = std::max(summary.maxBound, bound);
      if (error != 0)
        summary.maxRatio =
            std::max(summary.maxRatio, bound == 0 ? kInfinity : error / bound);
    }
  }
  if (isGood || summary.mismatches++ != 0)
    return;
  summary.firstMismatch = {output, row, column};
  summary.expected = expected.value;
  summary.got = got;
  summary.bound = bound;
}

void RowsChecker::checkRow(int64_t row, RowStatistics &statistics) const {
  const std::vector<int64_t> place = placeOf(row);
  std::vector<RowValues> values;
  for (const RowsOperand &operand : problem.operands) {
    RowValues &all = values.emplace_back();
    const int64_t count = isAlong[values.size() - 1] ? columns : 1;
    for (int64_t column = 0; column < count; ++column)
      all.push_back(read(operand, place, column));
  }
  for (const RowsStep &step : problem.steps)
    values.push_back(evaluate(step, values.size(), values, place));
  const auto last = std::optional<size_t>(problem.sizes.size() - 1);
  for (size_t number = 0; number < problem.outputs.size(); ++number) {
    const RowsOperand &output = problem.outputs[number];
    const bool hasColumn = std::find(output.dims.begin(), output.dims.end(),
                                     last) != output.dims.end();
    for (int64_t column = 0; column < (hasColumn ? columns : 1); ++column)
      compare(argumentOf(problem.results[number], values, column),
              read(output, place, column).value, static_cast<int64_t>(number),
              row, column, statistics);
  }
}

/// Whether `operand` has the sizes that its dimensions say.
static Status checkOperand(const RowsProblem &problem,
                           const RowsOperand &operand,
                           const std::string &name) {
  const std::vector<int64_t> &shape = operand.view.layout->shape;
  if (operand.dims.size() != shape.size() ||
      operand.adds.size() != shape.size())
    return makeError(name + ": expected \"dims\" of " +
                     std::to_string(shape.size()) + " entries, got " +
                     std::to_string(operand.dims.size()));
  for (size_t at = 0; at < shape.size(); ++at) {
    if (operand.dims[at] && *operand.dims[at] >= problem.sizes.size())
      return makeError(name + ": expected dimensions below " +
                       std::to_string(problem.sizes.size()) + ", got " +
                       std::to_string(*operand.dims[at]));
    const int64_t size =
        operand.dims[at] ? problem.sizes[*operand.dims[at]] : 1;
    if (!operand.isPiece && shape[at] != size)
      return makeError(name + ": expected " + std::to_string(size) +
                       " elements along dimension " + std::to_string(at) +
                       ", got " + std::to_string(shape[at]));
  }
  return {};
}

/// Whether an operand or an output has the columns, if there are some.
static Status checkColumns(const RowsProblem &problem) {
  const auto last = std::optional<size_t>(problem.sizes.size() - 1);
  auto has = [&](const RowsOperand &operand) {
    return std::find(operand.dims.begin(), operand.dims.end(), last) !=
           operand.dims.end();
  };
  if (std::any_of(problem.operands.begin(), problem.operands.end(), has) ||
      std::any_of(problem.outputs.begin(), problem.outputs.end(), has))
    return {};
  return makeError("expected an operand or an output along the last "
                   "dimension, got none");
}

Expected<ErrorSummary> runtime::checkRows(const RowsProblem &problem,
                                          unsigned threads) {
  if (problem.sizes.empty() || problem.outputs.empty() ||
      problem.results.size() != problem.outputs.size())
    return makeError("expected sizes, outputs, and a result for each of these");
  for (size_t at = 0; at < problem.operands.size(); ++at)
    if (Status status = checkOperand(problem, problem.operands[at],
                                     "operand " + std::to_string(at));
        !status)
      return status.takeError();
  for (size_t at = 0; at < problem.outputs.size(); ++at) {
    const std::string name = "output " + std::to_string(at);
    if (Status status = checkOperand(problem, problem.outputs[at], name);
        !status)
      return status.takeError();
    // So the rows are as many as elements of a buffer.
    const auto &dims = problem.outputs[at].dims;
    for (size_t dim = 0; dim + 1 < problem.sizes.size(); ++dim)
      if (std::find(dims.begin(), dims.end(), std::optional<size_t>(dim)) ==
          dims.end())
        return makeError(name +
                         ": expected every dimension but the last, got "
                         "none that is " +
                         std::to_string(dim));
  }
  if (Status status = checkColumns(problem); !status)
    return status.takeError();
  const RowsChecker checker(problem);
  if (threads == 0)
    threads = std::max(1u, std::thread::hardware_concurrency());
  // Rows side by side: their numbers are few beside those of elements.
  constexpr int64_t kRows = 16;
  const int64_t blocks = (checker.countRows() + kRows - 1) / kRows;
  std::vector<RowStatistics> all(static_cast<size_t>(blocks));
  std::atomic<int64_t> next{0};
  auto work = [&] {
    for (int64_t i = next++; i < blocks; i = next++)
      for (int64_t row = i * kRows;
           row < std::min(checker.countRows(), (i + 1) * kRows); ++row)
        checker.checkRow(row, all[static_cast<size_t>(i)]);
  };
  std::vector<std::thread> helpers;
  for (int64_t i = 1; i < std::min<int64_t>(threads, blocks); ++i)
    helpers.emplace_back(work);
  work();
  for (std::thread &helper : helpers)
    helper.join();
  ErrorSummary total;
  double errorSum = 0;
  for (const RowStatistics &part : all) {
    mergeErrors(total, total.finite != 0, part.summary);
    errorSum += part.errorSum;
  }
  total.meanError =
      total.finite ? errorSum / static_cast<double>(total.finite) : 0;
  return total;
}
