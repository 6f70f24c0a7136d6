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

#include "Runtime/Reference/MatmulChecker.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

using namespace tc;
using namespace tc::runtime;

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
    summary.output = other.output;
    summary.expected = other.expected;
    summary.got = other.got;
    summary.bound = other.bound;
  }
  summary.mismatches += other.mismatches;
  into.errorSum += next.errorSum;
  into.finite += next.finite;
  into.allExact &= next.allExact;
  into.amax.raise(next.amax);
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
  const int64_t m = problem.m;
  const int64_t blocks = (m + kStripRows - 1) / kStripRows;
  std::vector<Partial> partials(static_cast<size_t>(blocks));
  std::atomic<int64_t> next{0};
  auto work = [&] {
    for (int64_t i = next++; i < blocks; i = next++)
      partials[i] =
          checker.checkRows(i * kStripRows, std::min((i + 1) * kStripRows, m));
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
