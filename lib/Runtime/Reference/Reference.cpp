//===- Reference.cpp - Matmul in float64, with error bounds -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands are decoded to double once. Threads take blocks of four rows from a
// counter. Results are merged in row order: they do not depend on the number of
// threads.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Reference/Errors.h"
#include "Runtime/Reference/MatmulChecker.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

using namespace tc;
using namespace tc::runtime;

/// Adds the statistics of later rows.
static void merge(Partial &into, const Partial &next) {
  mergeErrors(into.summary, into.finite != 0, next.summary);
  into.errorSum += next.errorSum;
  into.finite += next.finite;
  into.allExact &= next.allExact;
  into.amax.raise(next.amax);
}

/// Rows from `first` to before `last`.
struct RowRange {
  int64_t first, last;
};

/// The rows that matrix `number` of the batch has.
static RowRange rowsOf(const MatmulProblem &problem, int64_t number) {
  if (!problem.rows)
    return {0, problem.m};
  auto told = [&](int64_t index) {
    return static_cast<int64_t>(decode(
        DType::I32, readElement(problem.rows->data,
                                static_cast<uint64_t>(
                                    index * problem.rows->layout->strides[0]),
                                32)));
  };
  int64_t first = 0;
  for (int64_t index = 0; index < number && problem.isStacked; ++index)
    first = std::min(std::max(told(index), first), problem.m);
  return {first, std::min(std::max(told(number), first), problem.m)};
}

/// Finds the first element of `rows` of matrix `number` that has other bits
/// than before the run, though it is written by none.
static void checkUnwritten(const MatmulProblem &problem, int64_t number,
                           RowRange rows, Partial &total) {
  const BufferLayout &layout = *problem.d.layout;
  const size_t rank = layout.shape.size();
  const unsigned bits = getInfo(layout.type).bits;
  const int64_t start = rank > 2 ? number * layout.strides[0] : 0;
  for (int64_t row = rows.first; row < rows.last; ++row)
    for (int64_t column = 0; column < problem.n; ++column) {
      const auto element =
          static_cast<uint64_t>(start + row * layout.strides[rank - 2] +
                                column * layout.strides[rank - 1]);
      const uint64_t before = readElement(problem.dBefore->data, element, bits),
                     after = readElement(problem.d.data, element, bits);
      if (before == after || total.summary.mismatches++ != 0)
        continue;
      total.summary.firstMismatch = {number, row, column};
      total.summary.output = "D, a row of no group,";
      total.summary.expected = decode(layout.type, before);
      total.summary.got = decode(layout.type, after);
    }
}

/// Checks matrix `number` of the batch on `threads` threads.
static Expected<Partial> checkOne(const MatmulProblem &problem, unsigned group,
                                  int64_t number, unsigned threads) {
  Dense a;
  if (problem.metadata) {
    Expected<Dense> expanded = densifySparse(problem, number);
    if (!expanded)
      return expanded.takeError();
    a = std::move(*expanded);
  } else {
    a = densify({problem.a, problem.batch, number}, problem.m, problem.k,
                MatmulChecker::scalesOf(problem.scaleA, problem, number));
  }
  MatmulChecker checker(problem, group, number, std::move(a));
  const RowRange rows = rowsOf(problem, number);
  const int64_t blocks = (rows.last - rows.first + kStripRows - 1) / kStripRows;
  std::vector<Partial> partials(static_cast<size_t>(blocks));
  std::atomic<int64_t> next{0};
  auto work = [&] {
    for (int64_t i = next++; i < blocks; i = next++)
      partials[i] = checker.checkRows(
          rows.first + i * kStripRows,
          std::min(rows.first + (i + 1) * kStripRows, rows.last));
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
  const int64_t count = problem.rows ? problem.batch[0] : 0;
  if (problem.rows && (!problem.isStacked || number + 1 == count))
    checkUnwritten(problem, number, {rows.last, problem.m}, total);
  return total;
}

/// Compares amax with what all elements, and its old value, may make of it.
static void checkAmax(const MatmulProblem &problem, Partial &total) {
  total.amax.raise(Interval::of(problem.amaxBefore));
  const double got = decode(DType::F32, readElement(problem.amax->data, 0, 32));
  const Interval expected = total.amax.get();
  const bool isGood = std::isnan(expected.value)
                          ? std::isnan(got)
                          : got >= expected.low && got <= expected.high;
  if (isGood || total.summary.mismatches++ != 0)
    return;
  total.summary.output = "amax";
  total.summary.expected = expected.value;
  total.summary.got = got;
  total.summary.bound =
      std::max(expected.high - expected.value, expected.value - expected.low);
}

Expected<ErrorSummary> runtime::checkMatmul(const MatmulProblem &problem,
                                            unsigned threads) {
  Expected<unsigned> group = checkOperands(problem);
  if (!group)
    return group.takeError();
  if (threads == 0)
    threads = std::max(1u, std::thread::hardware_concurrency());
  int64_t count = 1;
  for (int64_t size : problem.batch)
    count *= size;
  Partial total;
  // A sparse instruction takes as many products of twice the K.
  const unsigned step = problem.metadata ? 2 * *group : *group;
  for (int64_t number = 0; number < count; ++number) {
    Expected<Partial> one = checkOne(problem, step, number, threads);
    if (!one)
      return one.takeError();
    merge(total, *one);
  }
  if (problem.amax)
    checkAmax(problem, total);
  ErrorSummary summary = total.summary;
  summary.meanError =
      total.finite ? total.errorSum / static_cast<double>(total.finite) : 0;
  summary.finite = total.finite;
  summary.exact = summary.elements != 0 && total.allExact;
  return summary;
}
