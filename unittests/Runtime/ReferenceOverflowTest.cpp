//===- ReferenceOverflowTest.cpp - Sums that overflow -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums and results that become infinite, and data that is: which answers count
// as right.
//
//===----------------------------------------------------------------------===//

#include "ReferenceCase.h"

#include <cmath>
#include <limits>

using namespace tc::runtime;

TEST(Reference, overflowIsThatOfTheRoundedResult) {
  ReferenceCase test(1, 4, 16, DType::F16, DType::F16, InitKind::Ones);
  const double inf = std::numeric_limits<double>::infinity();
  // Exact sums: 65504, 65520 (rounds to infinity), -65536, 0.
  const double sums[] = {65504, 65520, -65536, 0};
  for (int64_t n = 0; n < 4; ++n)
    for (int64_t k = 0; k < 16; ++k)
      test.b.set(k, n, sums[n] / 16);
  for (int64_t n = 0; n < 4; ++n)
    test.d.set(0, n, sums[n]);
  EXPECT_EQ(test.d.get(0, 1), inf);
  EXPECT_EQ(test.d.get(0, 2), -inf);
  EXPECT_EQ(test.check().mismatches, 0u);
  test.d.set(0, 0, inf);
  EXPECT_EQ(test.check().mismatches, 1u);
  test.d.set(0, 0, 65504);
  test.d.set(0, 1, 65504);
  EXPECT_EQ(test.check().mismatches, 1u);
  test.d.set(0, 1, -inf);
  EXPECT_EQ(test.check().mismatches, 1u);
}

// Sums whose bound reaches over the limit of f32.
TEST(Reference, sumsNextToTheLimit) {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double most = std::numeric_limits<float>::max();
  ReferenceCase test(1, 2, 64, DType::BF16, DType::F32, InitKind::Ones);
  for (int64_t k = 0; k < 64; ++k)
    for (int64_t n = 0; n < 2; ++n)
      test.b.set(k, n, 0);
  // 2^128 - 2^104, of three numbers of bf16.
  test.b.set(0, 0, std::ldexp(255, 120));
  test.b.set(1, 0, std::ldexp(255, 112));
  test.b.set(2, 0, std::ldexp(255, 104));
  // 0, of which the first half is too large.
  for (int64_t k : {0, 1, 32, 33})
    test.b.set(k, 1, std::ldexp(k < 32 ? 255 : -255, 120));
  auto mismatches = [&](double first, double second) {
    test.d.set(0, 0, first);
    test.d.set(0, 1, second);
    return test.check().mismatches;
  };
  for (double second : {0.0, inf, -inf, nan})
    for (double first : {most, inf})
      EXPECT_EQ(mismatches(first, second), 0u) << first << " " << second;
  EXPECT_EQ(mismatches(nan, 0), 1u);
  EXPECT_EQ(mismatches(-inf, 0), 1u);
  EXPECT_EQ(mismatches(-most, 0), 1u);
  // The same through an epilogue, times 1 and times 0.
  test.problem.epilogue.emplace();
  EpilogueStep step;
  step.op = "mul";
  step.args.resize(2);
  step.args[0].value = 0;
  step.args[1].constant = 1;
  step.type = DType::F32;
  test.problem.epilogue->steps = {step};
  test.problem.epilogue->result = 1;
  for (double second : {0.0, inf, -inf, nan})
    for (double first : {most, inf})
      EXPECT_EQ(mismatches(first, second), 0u) << first << " " << second;
  EXPECT_EQ(mismatches(nan, 0), 1u);
  EXPECT_EQ(mismatches(-inf, 0), 1u);
  EXPECT_TRUE(std::isfinite(test.check().maxRatio));
  test.problem.epilogue->steps[0].args[1].constant = 0;
  for (double value : {0.0, nan})
    EXPECT_EQ(mismatches(value, value), 0u) << value;
  EXPECT_EQ(mismatches(1, 0), 1u);
  EXPECT_EQ(mismatches(inf, 0), 1u);
}

// What is too large for f16 is an infinity there, of which the bound is known.
TEST(Reference, epiloguesOverTheLimitOfD) {
  const double inf = std::numeric_limits<double>::infinity();
  ReferenceCase test(1, 1, 16, DType::BF16, DType::F16, InitKind::Ones);
  for (int64_t k = 0; k < 16; ++k)
    test.b.set(k, 0, 65536);
  test.problem.epilogue.emplace();
  for (DType type : {DType::F32, DType::F16}) {
    EpilogueStep step;
    step.op = type == DType::F32 ? "mul" : "convert";
    step.args.resize(type == DType::F32 ? 2 : 1);
    step.args[0].value = test.problem.epilogue->steps.size();
    if (type == DType::F32)
      step.args[1].constant = 3;
    step.type = type;
    test.problem.epilogue->steps.push_back(step);
  }
  test.problem.epilogue->result = 2;
  test.d.set(0, 0, inf);
  EXPECT_EQ(test.check().mismatches, 0u);
  EXPECT_EQ(test.check().unbounded, 0u);
  test.d.set(0, 0, 65504);
  EXPECT_EQ(test.check().mismatches, 1u);
}

TEST(Reference, infinityAndNaN) {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  ReferenceCase test(3, 1, 16, DType::BF16, DType::F32, InitKind::Ones);
  test.a.set(0, 5, inf);
  test.a.set(1, 5, inf);
  test.a.set(1, 6, -inf);
  test.d.set(0, 0, inf);
  test.d.set(1, 0, nan);
  EXPECT_EQ(test.check().mismatches, 0u);
  test.d.set(0, 0, 3);
  EXPECT_EQ(test.check().mismatches, 1u);
  test.d.set(0, 0, nan);
  EXPECT_EQ(test.check().mismatches, 1u);
  test.d.set(0, 0, inf);
  test.d.set(1, 0, 3);
  EXPECT_EQ(test.check().mismatches, 1u);
  // What was not written is NaN, where a number was due.
  test.d.set(1, 0, nan);
  test.d.set(2, 0, nan);
  EXPECT_EQ(test.check().mismatches, 1u);
}

// A sum that overflows before it meets an infinity of the other sign is NaN.
TEST(Reference, infinityMeetsOverflow) {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  // Of column 0 the other numbers are too large together, not of column 1.
  ReferenceCase test(1, 2, 16, DType::BF16, DType::F32, InitKind::Ones);
  test.a.set(0, 15, inf);
  for (int64_t k : {0, 1})
    test.b.set(k, 0, std::ldexp(-1, 127));
  test.b.set(0, 1, std::ldexp(-1, 127));
  for (bool hasEpilogue : {false, true}) {
    if (hasEpilogue) {
      test.problem.epilogue.emplace();
      EpilogueStep step;
      step.op = "mul";
      step.args.resize(2);
      step.args[0].value = 0;
      step.args[1].constant = 1;
      step.type = DType::F32;
      test.problem.epilogue->steps = {step};
      test.problem.epilogue->result = 1;
    }
    auto mismatches = [&](double first, double second) {
      test.d.set(0, 0, first);
      test.d.set(0, 1, second);
      return test.check().mismatches;
    };
    EXPECT_EQ(mismatches(inf, inf), 0u);
    EXPECT_EQ(mismatches(nan, inf), 0u);
    EXPECT_EQ(mismatches(nan, nan), 1u);
    EXPECT_EQ(mismatches(-inf, inf), 1u);
    EXPECT_EQ(mismatches(0, inf), 1u);
  }
}
