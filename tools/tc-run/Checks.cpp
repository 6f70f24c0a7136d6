//===- Checks.cpp - comparisons in words ------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What --check found: errors beside their bounds, and the first mismatch.
//
//===----------------------------------------------------------------------===//

#include "Checks.h"

#include <cstdio>

using namespace tc;
using namespace tc::run;

/// Prints what is common to comparisons with float64.
static void printErrors(const runtime::ErrorSummary &summary,
                        const char *reason) {
  std::printf("  maximum error %.6g (bound there %.6g), mean error %.6g, "
              "maximum error/bound %.4g%s\n",
              summary.maxError, summary.boundAtMax, summary.meanError,
              summary.maxRatio,
              summary.exact ? ", every element has to be exact" : "");
  if (summary.finite != summary.elements)
    std::printf("  %llu of %llu elements are finite, of which these errors "
                "are\n",
                static_cast<unsigned long long>(summary.finite),
                static_cast<unsigned long long>(summary.elements));
  if (summary.unbounded != 0)
    std::printf("  %llu of %llu elements have no bound: %s\n",
                static_cast<unsigned long long>(summary.unbounded),
                static_cast<unsigned long long>(summary.elements), reason);
}

static void printMismatch(const runtime::ErrorSummary &summary,
                          const std::string &place) {
  std::fprintf(stderr,
               "tc-run: mismatch: %s is %.9g, expected %.9g "
               "with an error of at most %.3g; %llu of %llu elements are "
               "wrong\n",
               place.c_str(), summary.got, summary.expected, summary.bound,
               static_cast<unsigned long long>(summary.mismatches),
               static_cast<unsigned long long>(summary.elements));
}

/// The same for rows.
static bool printRows(const runtime::ProblemResult &result) {
  const runtime::ErrorSummary &summary = result.summary;
  std::string sizes;
  for (int64_t size : result.sizes)
    sizes += (sizes.empty() ? "" : "x") + std::to_string(size);
  std::printf("check %s: %s\n", result.formula.c_str(), sizes.c_str());
  if (!result.obstacle.empty()) {
    std::printf("  not checked: %s has no reference\n",
                result.obstacle.c_str());
    return true;
  }
  printErrors(summary, "they divide by what may be 0, or are integers that "
                       "their type may not hold");
  if (summary.mismatches == 0)
    return true;
  int64_t row = summary.firstMismatch[1];
  std::string place = std::to_string(summary.firstMismatch[2]) + ")";
  for (size_t dim = result.sizes.size() - 1; dim-- > 0;) {
    place = std::to_string(row % result.sizes[dim]) + ", " + place;
    row /= result.sizes[dim];
  }
  printMismatch(summary, "output " + std::to_string(summary.firstMismatch[0]) +
                             " at (" + place);
  return false;
}

bool run::printProblem(const runtime::ProblemResult &result) {
  if (!result.sizes.empty())
    return printRows(result);
  const runtime::ErrorSummary &summary = result.summary;
  std::string batch;
  for (int64_t size : result.batch)
    batch += (batch.empty() ? "batch=" : "x") + std::to_string(size);
  std::printf("check %s: %s%sM=%lld N=%lld K=%lld, %s x %s -> %s\n",
              result.formula.c_str(), batch.c_str(), batch.empty() ? "" : " ",
              static_cast<long long>(result.m),
              static_cast<long long>(result.n),
              static_cast<long long>(result.k), runtime::getInfo(result.a).name,
              runtime::getInfo(result.b).name, runtime::getInfo(result.d).name);
  printErrors(summary, "the epilogue divides by what may be 0");
  if (summary.mismatches == 0)
    return true;
  std::string place = std::to_string(summary.firstMismatch[1]) + ", " +
                      std::to_string(summary.firstMismatch[2]);
  if (!result.batch.empty())
    place = std::to_string(summary.firstMismatch[0]) + ": " + place;
  const std::string output = summary.output;
  if (output == "amax")
    place = "amax";
  else
    place = (output == "D" ? "element (" : output + " of the block at (") +
            place + ")";
  printMismatch(summary, place);
  return false;
}

static std::string str(const std::vector<int64_t> &index) {
  std::string text;
  for (int64_t i : index)
    text += (text.empty() ? "" : ", ") + std::to_string(i);
  return "(" + text + ")";
}

bool run::printExpectation(const runtime::ExpectResult &result) {
  std::printf(
      "check %s: %llu elements against %s, %llu finite and compared\n",
      result.buffer.c_str(), static_cast<unsigned long long>(result.elements),
      result.file.c_str(), static_cast<unsigned long long>(result.finite));
  const runtime::ExpectResult::Element &worst = result.worst;
  if (result.finite)
    std::printf("  maximum error %.6g at element %s (%.9g, expected %.9g, "
                "tolerance there %.6g), mean error %.6g\n",
                result.maxError, str(worst.index).c_str(), worst.got,
                worst.expected, worst.allowed, result.meanError);
  if (!result.wrong)
    return true;
  const runtime::ExpectResult::Element &mismatch = result.mismatch;
  std::fprintf(stderr,
               "tc-run: mismatch: element %s of '%s' is %.9g, expected %.9g "
               "with an error of at most %.3g; %llu of %llu elements are "
               "wrong\n",
               str(mismatch.index).c_str(), result.buffer.c_str(), mismatch.got,
               mismatch.expected, mismatch.allowed,
               static_cast<unsigned long long>(result.wrong),
               static_cast<unsigned long long>(result.elements));
  return false;
}
