//===- Reference.cpp - Matmul in float64, with error bounds -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands are decoded to double once. Threads take blocks of four rows from a
// counter and walk the columns in strips that stay in the first-level cache, so
// that the inner loop is a vector loop over columns. Results are merged in row
// order: they do not depend on the number of threads.
//
//===----------------------------------------------------------------------===//

#include "tc/Runtime/Reference.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <thread>

using namespace tc;
using namespace tc::runtime;

namespace {

/// Rows that share one pass over B, and columns of a strip.
constexpr int64_t blockRows = 4, stripColumns = 256;

/// Fraction bits that the alignment of terms keeps.
constexpr int alignmentBits = 25;

/// A dense row-major matrix of doubles.
struct Dense {
  std::vector<double> values;
  /// Exponent of the lowest bit set in any value: all are multiples of 2^this.
  int lowestBit = std::numeric_limits<int>::max();
  bool isFinite = true;
};

/// What the MMA makes of one output element: its sum and how far off it may be.
struct Sum {
  double value = 0, bound = 0, magnitudes = 0, peak = 0;
};

using StripSums = std::array<Sum, stripColumns>;

/// Statistics of a range of rows.
struct Partial {
  ErrorSummary summary;
  double errorSum = 0;
  uint64_t finite = 0;
  bool allExact = true;
};

} // namespace

std::optional<unsigned> runtime::mmaGroupSize(DType type) {
  switch (type) {
  case DType::F16:
  case DType::BF16:
    return 16;
  case DType::TF32:
    return 8;
  case DType::E5M2:
  case DType::E4M3:
  case DType::E3M2:
  case DType::E2M3:
  case DType::E2M1:
    return 32;
  default:
    return std::nullopt;
  }
}

static std::string join(const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return text.empty() ? "one without dimensions" : text;
}

/// Checks the shape of an operand: `matrix` behind dimensions of the batch,
/// each as long as in D or 1.
static Status checkShape(const MatrixView &view, const std::string &name,
                         const MatmulProblem &problem,
                         const std::vector<int64_t> &matrix) {
  const std::vector<int64_t> &shape = view.layout->shape,
                             &batch = problem.batch;
  bool fits = shape.size() >= matrix.size() &&
              shape.size() <= matrix.size() + batch.size() &&
              std::equal(matrix.rbegin(), matrix.rend(), shape.rbegin());
  const size_t own = fits ? shape.size() - matrix.size() : 0;
  for (size_t i = 0; i < own; ++i)
    fits &= shape[i] == 1 || shape[i] == batch[batch.size() - own + i];
  if (fits)
    return {};
  std::vector<int64_t> expected = batch;
  expected.insert(expected.end(), matrix.begin(), matrix.end());
  return makeError("operand " + name + ": expected a buffer of " +
                   join(expected) + ", got " + join(shape));
}

static Status checkView(const MatrixView &view, const char *name,
                        const MatmulProblem &problem, int64_t rows,
                        int64_t columns) {
  if (view.transposed)
    std::swap(rows, columns);
  return checkShape(view, name, problem, {rows, columns});
}

/// The first element of the part of an operand that matrix `number` of the
/// batch reads; `matrixRank` dimensions are not of the batch.
static int64_t firstOf(const BufferLayout &layout, size_t matrixRank,
                       const std::vector<int64_t> &batch, int64_t number) {
  int64_t first = 0;
  for (size_t i = batch.size(), own = layout.shape.size() - matrixRank; i > 0;
       --i) {
    int64_t index = number % batch[i - 1];
    number /= batch[i - 1];
    if (own == 0)
      continue;
    --own;
    first += layout.shape[own] == 1 ? 0 : index * layout.strides[own];
  }
  return first;
}

namespace {

/// One matrix of a batch.
struct Slice {
  Slice(const MatrixView &view, const std::vector<int64_t> &batch,
        int64_t number, size_t matrixRank = 2)
      : view(&view), first(firstOf(*view.layout, matrixRank, batch, number)) {}

  const MatrixView *view;
  int64_t first;
};

} // namespace

static double readElementAt(const Slice &slice, int64_t offset) {
  const MatrixView &view = *slice.view;
  const BufferLayout &layout = *view.layout;
  uint64_t element = static_cast<uint64_t>(slice.first + offset);
  return decode(layout.type,
                readElement(view.data, element, getInfo(layout.type).bits));
}

static double readAt(const Slice &slice, int64_t row, int64_t column) {
  if (slice.view->transposed)
    std::swap(row, column);
  const std::vector<int64_t> &strides = slice.view->layout->strides;
  const size_t rank = strides.size();
  return readElementAt(slice,
                       row * strides[rank - 2] + column * strides[rank - 1]);
}

static int lowestBitOf(double value) {
  int exponent;
  double fraction = std::frexp(value, &exponent);
  // 53 bits as an integer: its trailing zeros tell how low the value reaches.
  auto bits = static_cast<uint64_t>(std::fabs(std::ldexp(fraction, 53)));
  return exponent - 53 + __builtin_ctzll(bits);
}

/// Elements of K that share a scale factor, and what a block of factors holds.
static constexpr int64_t scaleK = 32, scaleRows = 128, scaleColumns = 4;
static constexpr size_t scalesRank = 5;

/// The factor of row `row` and element `k` of K.
static double readScale(const Slice &slice, int64_t row, int64_t k) {
  const std::vector<int64_t> &strides = slice.view->layout->strides;
  const int64_t column = k / scaleK;
  const int64_t index[scalesRank] = {row / scaleRows, column / scaleColumns,
                                     row % 32, row % scaleRows / 32,
                                     column % scaleColumns};
  int64_t offset = 0;
  for (size_t i = 0; i < scalesRank; ++i)
    offset += index[i] * strides[strides.size() - scalesRank + i];
  return readElementAt(slice, offset);
}

/// The matrix `view` with the factors of its rows, or with `alongColumns` of
/// its columns.
static Dense densify(const Slice &view, int64_t rows, int64_t columns,
                     const std::optional<Slice> &scales = std::nullopt,
                     bool alongColumns = false) {
  Dense dense;
  dense.values.resize(static_cast<size_t>(rows * columns));
  double *out = dense.values.data();
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column) {
      double value = readAt(view, row, column);
      if (scales)
        value *= alongColumns ? readScale(*scales, column, row)
                              : readScale(*scales, row, column);
      *out++ = value;
      if (!std::isfinite(value))
        dense.isFinite = false;
      else if (value != 0)
        dense.lowestBit = std::min(dense.lowestBit, lowestBitOf(value));
    }
  return dense;
}

namespace {

/// Everything that the row blocks share.
class MatmulChecker {
public:
  MatmulChecker(const MatmulProblem &problem, unsigned group, int64_t number)
      : problem(problem), group(group), number(number),
        a(densify({problem.a, problem.batch, number}, problem.m, problem.k,
                  scalesOf(problem.scaleA, problem, number))),
        b(densify({problem.b, problem.batch, number}, problem.k, problem.n,
                  scalesOf(problem.scaleB, problem, number),
                  /*alongColumns=*/true)),
        d(problem.d, problem.batch, number) {
    if (problem.c)
      c.emplace(*problem.c, problem.batch, number);
    if (problem.epilogue)
      for (const EpilogueOperand &operand : problem.epilogue->operands) {
        if (operand.kind == EpilogueOperand::Kind::Scalar)
          extras.emplace_back();
        else
          extras.emplace_back(
              std::in_place, operand.view, problem.batch, number,
              operand.kind == EpilogueOperand::Kind::Matrix ? 2 : 1);
      }
    isHalf = problem.accumulator == DType::F16;
    stepRounding = std::ldexp(1.0, isHalf ? -11 : -23);
    alignment = (group + 1) * std::ldexp(1.0, -alignmentBits);
    // Terms below the smallest normal value align as if they had its exponent,
    // and results below it keep its unit in the last place.
    floorPerStep = alignment * std::ldexp(1.0, -126) +
                   std::ldexp(1.0, isHalf ? -24 : -149);
    if (a.isFinite && b.isFinite) {
      constexpr int none = std::numeric_limits<int>::max();
      bool isZero = a.lowestBit == none || b.lowestBit == none;
      productBit = isZero ? 0 : a.lowestBit + b.lowestBit;
      // A sum of multiples of 2^productBit is exact while it fits the
      // significand of the accumulator.
      const int least = isHalf ? -24 : -100; // nothing below is a value of f16
      exactBelow = productBit >= least && productBit <= 60
                       ? std::ldexp(1.0, productBit + (isHalf ? 11 : 24))
                       : 0;
    }
  }

  Partial checkRows(int64_t firstRow, int64_t lastRow) const;

private:
  static std::optional<Slice> scalesOf(const std::optional<MatrixView> &scales,
                                       const MatmulProblem &problem,
                                       int64_t number) {
    if (!scales)
      return std::nullopt;
    return Slice(*scales, problem.batch, number, scalesRank);
  }
  void accumulate(int64_t row, int64_t rows, int64_t column, int64_t columns,
                  StripSums *sums) const;
  void checkElement(int64_t row, int64_t column, const Sum &sum,
                    Partial &partial) const;
  bool isExact(const Sum &sum, double c) const;
  Interval evaluateEpilogue(int64_t row, int64_t column,
                            const Interval &acc) const;
  void checkInterval(int64_t row, int64_t column, const Interval &expected,
                     double got, Partial &partial) const;
  void note(int64_t row, int64_t column, double exact, double got, double bound,
            double ratio, bool isGood, Partial &partial) const;

  const MatmulProblem &problem;
  const unsigned group;
  /// Of the matrix in the batch.
  const int64_t number;
  Dense a, b;
  Slice d;
  std::optional<Slice> c;
  /// Where the operands of the epilogue are, empty for scalars.
  std::vector<std::optional<Slice>> extras;
  bool isHalf;
  double stepRounding, alignment, floorPerStep;
  int productBit = 0;
  double exactBelow = 0;
};

} // namespace

void MatmulChecker::accumulate(int64_t row, int64_t rows, int64_t column,
                               int64_t columns, StripSums *sums) const {
  // Separate arrays, so that the loops over columns become vector loops.
  double value[blockRows][stripColumns] = {}, largest[blockRows][stripColumns];
  double bound[blockRows][stripColumns] = {},
         peak[blockRows][stripColumns] = {};
  double magnitudes[blockRows][stripColumns] = {};
  for (int64_t start = 0; start < problem.k; start += group) {
    int64_t end = std::min<int64_t>(start + group, problem.k);
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t n = 0; n < columns; ++n)
        largest[r][n] = std::fabs(value[r][n]);
    for (int64_t k = start; k < end; ++k) {
      const double *bRow = &b.values[k * problem.n + column];
      for (int64_t r = 0; r < rows; ++r) {
        const double factor = a.values[(row + r) * problem.k + k];
        for (int64_t n = 0; n < columns; ++n) {
          double product = factor * bRow[n];
          double magnitude = std::fabs(product);
          value[r][n] += product;
          magnitudes[r][n] += magnitude;
          largest[r][n] = magnitude > largest[r][n] ? magnitude : largest[r][n];
        }
      }
    }
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t n = 0; n < columns; ++n) {
        double sum = std::fabs(value[r][n]);
        bound[r][n] +=
            alignment * largest[r][n] + stepRounding * sum + floorPerStep;
        double top = sum > largest[r][n] ? sum : largest[r][n];
        peak[r][n] = top > peak[r][n] ? top : peak[r][n];
      }
  }
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t n = 0; n < columns; ++n)
      sums[r][n] = {value[r][n], bound[r][n], magnitudes[r][n], peak[r][n]};
}

/// True if no partial sum and not the addition of C can round.
bool MatmulChecker::isExact(const Sum &sum, double c) const {
  if (sum.magnitudes == 0)
    return std::isfinite(c);
  if (!(sum.magnitudes + std::fabs(c) <= exactBelow))
    return false;
  // C has to be a multiple of the same power of two, else it widens the sum.
  double scaled = std::ldexp(c, -productBit);
  return scaled == std::nearbyint(scaled);
}

void MatmulChecker::checkElement(int64_t row, int64_t column, const Sum &sum,
                                 Partial &partial) const {
  const DType type = problem.d.layout->type;
  const double got = readAt(d, row, column);
  const double c = this->c ? readAt(*this->c, row, column) : 0;
  const double exact = sum.value + c;
  double bound = sum.bound;
  if (this->c)
    bound += std::max(std::ldexp(std::fabs(exact) + bound, -24),
                      std::ldexp(1.0, -150));
  if (problem.epilogue) {
    partial.allExact = false;
    Interval acc = {exact - bound, exact, exact + bound};
    return checkInterval(row, column, evaluateEpilogue(row, column, acc), got,
                         partial);
  }
  const double unrounded = bound;
  if (type != DType::F32)
    bound += halfUlp(type, std::fabs(exact) + bound);
  const double rounded = decode(type, encode(type, exact));

  bool isGood;
  double ratio = 0;
  const bool isExactHere = isExact(sum, c);
  partial.allExact &= isExactHere;
  // Not negated: NaN has to count as overflow.
  const bool accumulatorFits =
      sum.peak + unrounded < maxFinite(problem.accumulator) &&
      std::fabs(exact) + unrounded < maxFinite(DType::F32);
  const double threshold = overflowThreshold(type);
  if (!accumulatorFits && !std::isfinite(got)) {
    // The hardware may have overflowed on the way, or the data holds NaN or
    // infinity; where the exact result is not finite the class has to agree.
    isGood = std::isfinite(exact) || (std::isnan(exact) && std::isnan(got)) ||
             exact == got;
  } else if (!std::isfinite(exact)) {
    // Formats without infinity have saturated; NaN has no finite answer.
    isGood = !std::isnan(exact) && rounded == got;
  } else if (!std::isfinite(got)) {
    // Infinity is right if a value within the bound rounds to it.
    isGood = std::isinf(got) && std::fabs(exact) + unrounded >= threshold &&
             std::signbit(got) == std::signbit(exact);
  } else if (isExactHere) {
    isGood = got == rounded;
    bound = std::fabs(rounded - exact);
    ratio =
        isGood ? (bound > 0 ? 1 : 0) : std::numeric_limits<double>::infinity();
  } else if (std::fabs(exact) - unrounded >= threshold) {
    isGood = false;
  } else {
    // A saturating format clamps values beyond its range.
    double target =
        std::min(std::max(exact, -maxFinite(type)), maxFinite(type));
    double error = std::fabs(got - (std::isinf(threshold) ? target : exact));
    isGood = error <= bound;
    ratio = bound > 0    ? error / bound
            : error == 0 ? 0
                         : std::numeric_limits<double>::infinity();
  }

  note(row, column, exact, got, bound, ratio, isGood, partial);
}

/// The values of the epilogue for one element; the last one is D.
Interval MatmulChecker::evaluateEpilogue(int64_t row, int64_t column,
                                         const Interval &acc) const {
  using Kind = EpilogueOperand::Kind;
  const Epilogue &epilogue = *problem.epilogue;
  std::vector<Interval> values = {acc};
  for (size_t i = 0; i < extras.size(); ++i) {
    const EpilogueOperand &operand = epilogue.operands[i];
    double value = operand.scalar;
    if (operand.kind == Kind::Matrix)
      value = readAt(*extras[i], row, column);
    else if (operand.kind != Kind::Scalar)
      value = readElementAt(*extras[i],
                            (operand.kind == Kind::AlongM ? row : column) *
                                operand.view.layout->strides.back());
    values.push_back(Interval::of(value));
  }
  for (const EpilogueStep &step : epilogue.steps) {
    std::array<Interval, 3> args;
    for (size_t i = 0; i < step.args.size(); ++i)
      args[i] = step.args[i].value ? values[*step.args[i].value]
                                   : Interval::of(step.args[i].constant);
    values.push_back(evaluateStep(step, args.data()));
  }
  return values[epilogue.result];
}

void MatmulChecker::checkInterval(int64_t row, int64_t column,
                                  const Interval &expected, double got,
                                  Partial &partial) const {
  const double value = expected.value;
  if (std::isnan(value))
    return note(row, column, value, got, 0, 0, std::isnan(got), partial);
  bool isGood = got >= expected.low && got <= expected.high;
  double bound = std::max(expected.high - value, value - expected.low);
  if (!(bound < std::numeric_limits<double>::infinity()))
    ++partial.summary.unbounded;
  double error = std::fabs(got - value);
  double ratio = bound > 0    ? error / bound
                 : error == 0 ? 0
                              : std::numeric_limits<double>::infinity();
  note(row, column, value, got, bound, std::isnan(ratio) ? 0 : ratio, isGood,
       partial);
}

/// Adds one element to the statistics.
void MatmulChecker::note(int64_t row, int64_t column, double exact, double got,
                         double bound, double ratio, bool isGood,
                         Partial &partial) const {
  ErrorSummary &summary = partial.summary;
  ++summary.elements;
  summary.maxRatio = std::max(summary.maxRatio, ratio);
  if (std::isfinite(bound))
    summary.maxBound = std::max(summary.maxBound, bound);
  if (std::isfinite(exact) && std::isfinite(got)) {
    double error = std::fabs(got - exact);
    partial.errorSum += error;
    ++partial.finite;
    if (error > summary.maxError || partial.finite == 1) {
      summary.maxError = error;
      summary.boundAtMax = bound;
    }
  }
  if (isGood)
    return;
  // Strips come column by column: the first one met need not be the first.
  const std::array<int64_t, 3> place = {number, row, column};
  if (summary.mismatches++ == 0 || place < summary.firstMismatch) {
    summary.firstMismatch = place;
    summary.expected = exact;
    summary.got = got;
    summary.bound = bound;
  }
}

Partial MatmulChecker::checkRows(int64_t firstRow, int64_t lastRow) const {
  Partial partial;
  std::vector<StripSums> sums(blockRows);
  int64_t rows = lastRow - firstRow;
  for (int64_t column = 0; column < problem.n; column += stripColumns) {
    int64_t columns = std::min(stripColumns, problem.n - column);
    accumulate(firstRow, rows, column, columns, sums.data());
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t n = 0; n < columns; ++n)
        checkElement(firstRow + r, column + n, sums[r][n], partial);
  }
  return partial;
}

/// Adds the statistics of later rows.
static void merge(Partial &into, const Partial &next) {
  ErrorSummary &summary = into.summary;
  const ErrorSummary &other = next.summary;
  if (other.maxError > summary.maxError || into.finite == 0) {
    summary.maxError = other.maxError;
    summary.boundAtMax = other.boundAtMax;
  }
  summary.maxBound = std::max(summary.maxBound, other.maxBound);
  summary.maxRatio = std::max(summary.maxRatio, other.maxRatio);
  summary.elements += other.elements;
  summary.unbounded += other.unbounded;
  if (other.mismatches != 0 && (summary.mismatches == 0 ||
                                other.firstMismatch < summary.firstMismatch)) {
    summary.firstMismatch = other.firstMismatch;
    summary.expected = other.expected;
    summary.got = other.got;
    summary.bound = other.bound;
  }
  summary.mismatches += other.mismatches;
  into.errorSum += next.errorSum;
  into.finite += next.finite;
  into.allExact &= next.allExact;
}

static Expected<unsigned> checkTypes(const MatmulProblem &problem) {
  const DType aType = problem.a.layout->type, bType = problem.b.layout->type;
  std::optional<unsigned> group = mmaGroupSize(aType);
  if (!group || mmaGroupSize(bType) != group)
    return makeError(std::string("operands A and B: expected types of one "
                                 "floating-point kind, got ") +
                     getInfo(aType).name + " and " + getInfo(bType).name);
  if (problem.accumulator != DType::F32 && problem.accumulator != DType::F16)
    return makeError(std::string("accumulator: expected f32 or f16, got ") +
                     getInfo(problem.accumulator).name);
  if (!getInfo(problem.d.layout->type).isFloat)
    return makeError(std::string("operand D: expected a float type, got ") +
                     getInfo(problem.d.layout->type).name);
  if (problem.scaleA && *group != scaleK)
    return makeError(std::string("operands A and B: expected types of 8 bits "
                                 "or fewer with scale factors, got ") +
                     getInfo(aType).name);
  const std::optional<MatrixView> *all[] = {&problem.scaleA, &problem.scaleB};
  for (const std::optional<MatrixView> *scales : all)
    if (*scales && (*scales)->layout->type != DType::UE8M0)
      return makeError(std::string("scale factors: expected ue8m0, got ") +
                       getInfo((*scales)->layout->type).name);
  return *group;
}

/// Checks the operands of an epilogue.
static Status checkExtras(const MatmulProblem &problem) {
  using Kind = EpilogueOperand::Kind;
  if (!problem.epilogue)
    return {};
  for (size_t i = 0; i < problem.epilogue->operands.size(); ++i) {
    const EpilogueOperand &operand = problem.epilogue->operands[i];
    if (operand.kind == Kind::Scalar)
      continue;
    std::vector<int64_t> matrix = {problem.m, problem.n};
    if (operand.kind != Kind::Matrix)
      matrix = {operand.kind == Kind::AlongM ? problem.m : problem.n};
    if (Status status =
            checkShape(operand.view, "X" + std::to_string(i), problem, matrix);
        !status)
      return status;
  }
  return {};
}

/// Checks matrix `number` of the batch on `threads` threads.
static Partial checkOne(const MatmulProblem &problem, unsigned group,
                        int64_t number, unsigned threads) {
  MatmulChecker checker(problem, group, number);
  const int64_t m = problem.m;
  const int64_t blocks = (m + blockRows - 1) / blockRows;
  std::vector<Partial> partials(static_cast<size_t>(blocks));
  std::atomic<int64_t> next{0};
  auto work = [&] {
    for (int64_t i = next++; i < blocks; i = next++)
      partials[i] =
          checker.checkRows(i * blockRows, std::min((i + 1) * blockRows, m));
  };
  std::vector<std::thread> helpers;
  for (int64_t i = 1; i < std::min<int64_t>(threads, blocks); ++i)
    helpers.emplace_back(work);
  work();
  for (std::thread &helper : helpers)
    helper.join();
  Partial total;
  for (const Partial &partial : partials)
    merge(total, partial);
  return total;
}

Expected<ErrorSummary> runtime::checkMatmul(const MatmulProblem &problem,
                                            unsigned threads) {
  const int64_t m = problem.m, n = problem.n, k = problem.k;
  Status status = checkView(problem.a, "A", problem, m, k);
  if (status)
    status = checkView(problem.b, "B", problem, k, n);
  if (status)
    status = checkView(problem.d, "D", problem, m, n);
  if (status && problem.c)
    status = checkView(*problem.c, "C", problem, m, n);
  auto checkScales = [&](const std::optional<MatrixView> &scales,
                         const char *name, int64_t rows) {
    if (status && scales)
      status =
          checkShape(*scales, name, problem,
                     {(rows + scaleRows - 1) / scaleRows,
                      (k + scaleK * scaleColumns - 1) / (scaleK * scaleColumns),
                      32, scaleRows / 32, scaleColumns});
  };
  checkScales(problem.scaleA, "SFA", m);
  checkScales(problem.scaleB, "SFB", n);
  if (status)
    status = checkExtras(problem);
  if (!status)
    return status.takeError();
  Expected<unsigned> group = checkTypes(problem);
  if (!group)
    return group.takeError();

  if (threads == 0)
    threads = std::max(1u, std::thread::hardware_concurrency());
  int64_t count = 1;
  for (int64_t size : problem.batch)
    count *= size;
  Partial total;
  for (int64_t number = 0; number < count; ++number)
    merge(total, checkOne(problem, *group, number, threads));
  ErrorSummary summary = total.summary;
  summary.meanError =
      total.finite ? total.errorSum / static_cast<double>(total.finite) : 0;
  summary.exact = summary.elements != 0 && total.allExact;
  return summary;
}
