//===- MatmulChecker.cpp - One matrix against float64 -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks of four rows walk the columns in strips that stay in the first-level
// cache, so that the inner loop is a vector loop over columns.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Reference/MatmulChecker.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace tc;
using namespace tc::runtime;

/// Fraction bits that the alignment of e2m1 with scale factors keeps, of which
/// an instruction adds four groups and the old sum.
static constexpr int narrowAlignmentBits = 35, narrowTerms = 5;

MatmulChecker::MatmulChecker(const MatmulProblem &problem, unsigned group,
                             int64_t number, Dense a)
    : problem(problem), group(group), number(number), a(std::move(a)),
      b(densify({problem.b, problem.batch, number}, problem.k, problem.n,
                scalesOf(problem.scaleB, problem, number),
                /*alongColumns=*/true)),
      d(problem.d, problem.batch, number),
      promotedK(problem.scaleColumns ? problem.scaleBlock : 0) {
  if (problem.c)
    c.emplace(*problem.c, problem.batch, number);
  if (promotedK) {
    factorA.emplace(*problem.scaleA, problem.batch, number);
    factorB.emplace(*problem.scaleB, problem.batch, number);
  }
  if (problem.scaleD)
    scaleD.emplace(*problem.scaleD, problem.batch, number, scalesRank);
  if (problem.epilogue)
    for (const EpilogueOperand &operand : problem.epilogue->operands) {
      if (operand.kind == EpilogueOperand::Kind::Scalar)
        extras.emplace_back();
      else
        extras.emplace_back(std::in_place, operand.view, problem.batch, number,
                            operand.kind == EpilogueOperand::Kind::Matrix ? 2
                                                                          : 1);
    }
  if (problem.accumulator == DType::I32) {
    // Exact: doubles hold sums of 2^38 products and more.
    isInteger = true;
    return;
  }
  isHalf = problem.accumulator == DType::F16;
  const int bits = problem.accumulatorBits;
  stepRounding = std::ldexp(1.0, -std::min(bits, isHalf ? 11 : 23));
  const unsigned terms = problem.metadata ? group / 2 : group;
  alignment = isNarrowScaled(problem)
                  ? narrowTerms * std::ldexp(1.0, -narrowAlignmentBits)
                  : (terms + 1) * std::ldexp(1.0, -bits);
  // Terms below the smallest normal value align as if they had its exponent,
  // and results below it keep its unit in the last place.
  floorPerStep =
      alignment * std::ldexp(1.0, -126) + std::ldexp(1.0, isHalf ? -24 : -149);
  if (a.isFinite && b.isFinite && !promotedK) {
    constexpr int none = std::numeric_limits<int>::max();
    bool isZero = a.lowestBit == none || b.lowestBit == none;
    productBit = isZero ? 0 : a.lowestBit + b.lowestBit;
    // A sum of multiples of 2^productBit is exact while it fits the
    // significand of the accumulator.
    const int least = isHalf ? -24 : -100; // nothing below is a value of f16
    exactBelow =
        productBit >= least && productBit <= 60
            ? std::ldexp(1.0, productBit + std::min(bits + 1, isHalf ? 11 : 24))
            : 0;
  }
}

/// The sums of the products from `firstK` to `lastK`.
void MatmulChecker::accumulate(int64_t row, int64_t rows, int64_t column,
                               int64_t columns, int64_t firstK, int64_t lastK,
                               StripSums *sums) const {
  // Separate arrays, so that the loops over columns become vector loops.
  double value[kStripRows][kStripColumns] = {},
         largest[kStripRows][kStripColumns];
  double bound[kStripRows][kStripColumns] = {},
         peak[kStripRows][kStripColumns] = {};
  double magnitudes[kStripRows][kStripColumns] = {};
  for (int64_t start = firstK; start < lastK; start += group) {
    int64_t end = std::min<int64_t>(start + group, lastK);
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t n = 0; n < columns; ++n)
        largest[r][n] = std::fabs(value[r][n]);
    for (int64_t k = start; k < end; ++k) {
      const double *bRow = &b.values[k * problem.n + column];
      for (int64_t r = 0; r < rows; ++r) {
        // Not even by zero: B may be NaN there.
        if (!a.kept.empty() && !a.kept[(row + r) * problem.k + k])
          continue;
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

/// The sums of blocks of K, each times its factors.
void MatmulChecker::accumulateBlocks(int64_t row, int64_t rows, int64_t column,
                                     int64_t columns, StripSums *sums) const {
  std::vector<StripSums> block(kStripRows);
  for (int64_t r = 0; r < rows; ++r)
    sums[r].fill({});
  for (int64_t k = 0; k < problem.k; k += promotedK) {
    int64_t end = std::min(k + promotedK, problem.k);
    accumulate(row, rows, column, columns, k, end, block.data());
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t n = 0; n < columns; ++n) {
        const double factor = factorOf(row + r, column + n, k);
        const Sum &part = block[r][n];
        Sum &sum = sums[r][n];
        const double scale = std::fabs(factor);
        const double alignedAs = subnormalProducts(row + r, column + n);
        sum.value += part.value * factor;
        sum.bound += part.bound * scale +
                     std::ldexp(std::fabs(sum.value), -24) +
                     std::ldexp(1.0, -150);
        // What checkElement adds for all of K where there are no factors.
        if (alignedAs > 0)
          sum.bound += scale * alignment * alignedAs *
                       static_cast<double>((end - k + group - 1) / group);
        sum.magnitudes += part.magnitudes * scale;
        sum.peak =
            std::max({sum.peak, part.peak * scale, std::fabs(sum.value)});
      }
  }
}

/// True if no partial sum and not the addition of C can round. No term is
/// aligned as more than `alignedAs` or its own magnitude.
bool MatmulChecker::isExact(const Sum &sum, double c, double alignedAs) const {
  if (sum.magnitudes == 0)
    return std::isfinite(c);
  if (!(sum.magnitudes + std::fabs(c) <= exactBelow && alignedAs <= exactBelow))
    return false;
  // C has to be a multiple of the same power of two, else it widens the sum.
  double scaled = std::ldexp(c, -productBit);
  return scaled == std::nearbyint(scaled);
}

/// An integer modulo 2^32, as i32.
static double wrap(double value) {
  return value - std::ldexp(std::floor(std::ldexp(value, -32) + 0.5), 32);
}

/// `value` as f32 has it where it is too large.
static double overflow(double value) {
  return std::fabs(value) < overflowThreshold(DType::F32)
             ? value
             : std::copysign(std::numeric_limits<double>::infinity(), value);
}

/// Whether the sum can become an infinity on the way to `exact`: of the
/// products above 0, and of those below.
MatmulChecker::Overflow MatmulChecker::findOverflow(const Sum &sum, double c,
                                                    double exact,
                                                    double bound) const {
  // Not negated: NaN has to count as overflow.
  const double most = maxFinite(problem.accumulator);
  const bool fits = sum.peak + bound < most &&
                    std::fabs(exact) + bound < maxFinite(DType::F32);
  auto canExceed = [&](double sign) {
    const double products = (sum.magnitudes + sign * sum.value) / 2;
    return !fits && !(products + std::max(sign * c, 0.0) + bound < most);
  };
  return {canExceed(1), canExceed(-1)};
}

bool MatmulChecker::canOppose(int64_t row, int64_t column, double c,
                              double exact) const {
  double opposite = 0;
  auto add = [&](double value) {
    if (std::isfinite(value) && std::signbit(value) != std::signbit(exact))
      opposite += std::fabs(value);
  };
  add(c);
  for (int64_t k = 0; k < problem.k; ++k)
    if (a.kept.empty() || a.kept[row * problem.k + k])
      add(a.values[row * problem.k + k] * b.values[k * problem.n + column] *
          (promotedK ? factorOf(row, column, k) : 1));
  return opposite >= maxFinite(problem.accumulator);
}

/// `forBlock` becomes what D is quantised from, where it has scale factors.
void MatmulChecker::checkElement(int64_t row, int64_t column, const Sum &sum,
                                 Interval &forBlock, Partial &partial) const {
  const DType type = problem.d.layout->type;
  const double got = readAt(d, row, column);
  const double c = this->c ? readAt(*this->c, row, column) : 0;
  const double exact = isInteger ? wrap(sum.value + c) : sum.value + c;
  const double alignedAs = subnormalProducts(row, column);
  double bound = sum.bound;
  if (isInteger && !problem.epilogue)
    return note(row, column, exact, got, 0, got == exact ? 0 : 2, got == exact,
                partial);
  if (alignedAs > 0 && !promotedK)
    bound += alignment * alignedAs *
             static_cast<double>((problem.k + group - 1) / group);
  if (this->c && !isInteger)
    bound += std::max(std::ldexp(std::fabs(exact) + bound, -24),
                      std::ldexp(1.0, -150));
  if (problem.epilogue || problem.amax || isQuantized(type)) {
    partial.allExact = false;
    const Interval acc = boundAccumulator(row, column, sum, c, exact, bound);
    return checkEpilogue(row, column, acc, got, forBlock, partial);
  }
  const bool isExactHere = isExact(sum, c, alignedAs);
  partial.allExact &= isExactHere;
  const Judgement judged =
      judge(row, column, sum, c, exact, bound, isExactHere, got);
  note(row, column, exact, got, judged.bound, judged.ratio, judged.isGood,
       partial);
}

/// What the accumulator, `exact` give or take `bound`, may be.
Interval MatmulChecker::boundAccumulator(int64_t row, int64_t column,
                                         const Sum &sum, double c, double exact,
                                         double bound) const {
  // An infinity or NaN is exact, and its bound no number.
  Interval acc = std::isfinite(exact)
                     ? Interval{overflow(exact - bound), overflow(exact),
                                overflow(exact + bound)}
                     : Interval::of(exact);
  if (std::isfinite(exact) && !isInteger) {
    const Overflow onTheWay = findOverflow(sum, c, exact, bound);
    if (onTheWay.up)
      acc.high = std::numeric_limits<double>::infinity();
    if (onTheWay.down)
      acc.low = -std::numeric_limits<double>::infinity();
    acc.mayBeNan = onTheWay.up && onTheWay.down;
  } else if (std::isinf(exact)) {
    acc.mayBeNan = canOppose(row, column, c, exact);
  }
  return acc;
}

/// Checks what an epilogue, amax and a conversion with saturation make of
/// `acc`; an element of a block with a scale factor waits in `forBlock`.
void MatmulChecker::checkEpilogue(int64_t row, int64_t column,
                                  const Interval &acc, double got,
                                  Interval &forBlock, Partial &partial) const {
  const DType type = problem.d.layout->type;
  Interval amaxOf = acc;
  Interval value =
      problem.epilogue ? evaluateEpilogue(row, column, acc, amaxOf) : acc;
  if (problem.amax)
    partial.amax.raise(amaxOf);
  forBlock = value;
  if (problem.scaleD)
    return;
  if (isQuantized(type) || !problem.epilogue)
    value = quantize(type, value);
  checkInterval(row, column, value, got, partial);
}

/// Judges an element of D that is the accumulator, rounded to its type.
MatmulChecker::Judgement MatmulChecker::judge(int64_t row, int64_t column,
                                              const Sum &sum, double c,
                                              double exact, double unrounded,
                                              bool isExactHere,
                                              double got) const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const DType type = problem.d.layout->type;
  const double bound =
      type == DType::F32
          ? unrounded
          : unrounded + halfUlp(type, std::fabs(exact) + unrounded);
  const double rounded = decode(type, encode(type, exact));
  const Overflow onTheWay = findOverflow(sum, c, exact, unrounded);
  const double threshold = overflowThreshold(type);
  auto without = [&](bool isGood) { return Judgement{isGood, bound, 0}; };
  if ((onTheWay.up || onTheWay.down) && !std::isfinite(got)) {
    // The hardware may have overflowed on the way, or the data holds NaN or
    // infinity; where the exact result is not finite the class has to agree,
    // unless an overflow meets an infinity.
    if (!std::isfinite(exact))
      return without(exact == got ||
                     (std::isnan(got) &&
                      (std::isnan(exact) || canOppose(row, column, c, exact))));
    if (std::isnan(got))
      return without(onTheWay.up && onTheWay.down);
    return without(got > 0 ? onTheWay.up : onTheWay.down);
  }
  // Formats without infinity have saturated; NaN has no finite answer.
  if (!std::isfinite(exact))
    return without(!std::isnan(exact) && rounded == got);
  // Infinity is right if a value within the bound rounds to it.
  if (!std::isfinite(got))
    return without(std::isinf(got) &&
                   std::fabs(exact) + unrounded >= threshold &&
                   std::signbit(got) == std::signbit(exact));
  if (isExactHere) {
    const bool isGood = got == rounded;
    const double error = std::fabs(rounded - exact);
    return {isGood, error, isGood ? (error > 0 ? 1 : 0) : infinity};
  }
  if (std::fabs(exact) - unrounded >= threshold)
    return without(false);
  // A saturating format clamps values beyond its range.
  const double target =
      std::min(std::max(exact, -maxFinite(type)), maxFinite(type));
  const double error =
      std::fabs(got - (std::isinf(threshold) ? target : exact));
  const double ratio = bound > 0 ? error / bound : error == 0 ? 0 : infinity;
  return {error <= bound, bound, ratio};
}

/// The values of the epilogue for one element: that of D, and that which amax
/// is of.
Interval MatmulChecker::evaluateEpilogue(int64_t row, int64_t column,
                                         const Interval &acc,
                                         Interval &amaxOf) const {
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
  amaxOf = values[epilogue.amax];
  return values[epilogue.result];
}

/// The elements of row `row` from `column` on that share a scale factor, which
/// are made of `values`.
void MatmulChecker::checkBlock(int64_t row, int64_t column,
                               const Interval *values, Partial &partial) const {
  const DType type = problem.d.layout->type;
  const double factor = readFactor(*scaleD, row, column / problem.scaleBlockD);
  Amax largest;
  for (int64_t i = 0; i < problem.scaleBlockD; ++i)
    largest.raise(values[i]);
  const Interval expected =
      quantizeFactor(type, problem.scaleD->layout->type, largest);
  checkInterval(row, column, expected, factor, partial, "SFD");
  for (int64_t i = 0; i < problem.scaleBlockD; ++i) {
    const double got = readAt(d, row, column + i);
    checkInterval(row, column + i, quantize(type, values[i], factor), got,
                  partial);
  }
}

void MatmulChecker::checkInterval(int64_t row, int64_t column,
                                  const Interval &expected, double got,
                                  Partial &partial, const char *output) const {
  const double value = expected.value;
  if (expected.isNan())
    return note(row, column, value, got, 0, 0, std::isnan(got), partial,
                output);
  const bool isGood = (got >= expected.low && got <= expected.high) ||
                      (std::isnan(got) && expected.mayBeNan);
  // Ends that are the same infinity have no difference.
  double bound = expected.low == expected.high
                     ? 0
                     : std::max(expected.high - value, value - expected.low);
  // An infinity that numbers from `low` on become, too, has one.
  const bool hasNoEnds = std::isinf(expected.low) &&
                         std::isinf(expected.high) &&
                         expected.low != expected.high;
  if (hasNoEnds || (std::isfinite(value) && !std::isfinite(bound)))
    ++partial.summary.unbounded;
  double error = got == value ? 0 : std::fabs(got - value);
  double ratio = bound > 0    ? error / bound
                 : error == 0 ? 0
                              : std::numeric_limits<double>::infinity();
  // There is no part of a bound that is no number.
  if (std::isnan(ratio) || (isGood && !std::isfinite(ratio)))
    ratio = 0;
  note(row, column, value, got, bound, ratio, isGood, partial, output);
}

/// Adds one element to the statistics.
void MatmulChecker::note(int64_t row, int64_t column, double exact, double got,
                         double bound, double ratio, bool isGood,
                         Partial &partial, const char *output) const {
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
    summary.output = output;
    summary.expected = exact;
    summary.got = got;
    summary.bound = bound;
  }
}

Partial MatmulChecker::checkRows(int64_t firstRow, int64_t lastRow) const {
  Partial partial;
  std::vector<StripSums> sums(kStripRows);
  std::array<Interval, kStripColumns> forBlocks;
  int64_t rows = lastRow - firstRow;
  for (int64_t column = 0; column < problem.n; column += kStripColumns) {
    int64_t columns = std::min(kStripColumns, problem.n - column);
    if (promotedK)
      accumulateBlocks(firstRow, rows, column, columns, sums.data());
    else
      accumulate(firstRow, rows, column, columns, 0, problem.k, sums.data());
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t n = 0; n < columns; ++n)
        checkElement(firstRow + r, column + n, sums[r][n], forBlocks[n],
                     partial);
      for (int64_t n = 0; problem.scaleD && n < columns;
           n += problem.scaleBlockD)
        checkBlock(firstRow + r, column + n, &forBlocks[n], partial);
    }
  }
  return partial;
}
