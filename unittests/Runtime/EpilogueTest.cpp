//===- EpilogueTest.cpp - Steps of epilogues as intervals -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an interval promises: it holds what f32 makes of every value of the
// arguments' intervals, and no more than a few units in the last place beyond.
//
//===----------------------------------------------------------------------===//

#include "tc/Runtime/Epilogue.h"

#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace tc::runtime;

static EpilogueStep step(const std::string &op, size_t args,
                         std::optional<DType> type = DType::F32) {
  EpilogueStep result{op, {}, type};
  result.args.resize(args);
  return result;
}

static Interval evaluate(const EpilogueStep &step,
                         const std::vector<Interval> &args) {
  EXPECT_TRUE(checkStep(step)) << step.op;
  return evaluateStep(step, args.data());
}

/// Draws intervals and values in them; `reference` is the operation in f32.
template <typename Function>
static void expectEnclosed(const std::string &op, size_t count,
                           Function reference, float low, float high,
                           float most = 1e-4f) {
  std::mt19937 generator(1);
  std::uniform_real_distribution<float> draw(low, high);
  std::uniform_real_distribution<float> unit(0, 1);
  for (int i = 0; i < 2000; ++i) {
    std::vector<Interval> args;
    std::vector<float> inside;
    for (size_t j = 0; j < count; ++j) {
      float value = draw(generator), width = 1e-5f * unit(generator);
      args.push_back({double(value) - width, value, double(value) + width});
      float other = value + width * (2 * unit(generator) - 1);
      bool isInside = other >= args.back().low && other <= args.back().high;
      inside.push_back(isInside ? other : value);
    }
    Interval result = evaluate(step(op, count), args);
    float got = reference(inside.data());
    EXPECT_LE(result.low, got) << op << " " << inside[0];
    EXPECT_GE(result.high, got) << op << " " << inside[0];
    EXPECT_LE(result.low, result.value) << op;
    EXPECT_GE(result.high, result.value) << op;
    EXPECT_LE(result.high - result.low,
              most * (1 + std::fabs(float(result.value))))
        << op << " " << args[0].value;
  }
}

TEST(Epilogue, intervalsHoldWhatF32Makes) {
  using P = const float *;
  expectEnclosed("add", 2, [](P x) { return x[0] + x[1]; }, -4, 4);
  expectEnclosed("sub", 2, [](P x) { return x[0] - x[1]; }, -4, 4);
  expectEnclosed("mul", 2, [](P x) { return x[0] * x[1]; }, -4, 4);
  expectEnclosed("div", 2, [](P x) { return x[0] / x[1]; }, 0.5f, 4);
  expectEnclosed(
      "fma", 3, [](P x) { return std::fma(x[0], x[1], x[2]); }, -4, 4);
  expectEnclosed("maximum", 2, [](P x) { return std::max(x[0], x[1]); }, -4, 4);
  expectEnclosed("minnum", 2, [](P x) { return std::min(x[0], x[1]); }, -4, 4);
  expectEnclosed("neg", 1, [](P x) { return -x[0]; }, -4, 4);
  expectEnclosed("abs", 1, [](P x) { return std::fabs(x[0]); }, -1e-5f, 1e-5f);
  expectEnclosed("sqrt", 1, [](P x) { return std::sqrt(x[0]); }, 0.5f, 4);
  expectEnclosed("rsqrt", 1, [](P x) { return 1 / std::sqrt(x[0]); }, 0.5f, 4);
  expectEnclosed("exp", 1, [](P x) { return std::exp(x[0]); }, -20, 10);
  expectEnclosed("exp2", 1, [](P x) { return std::exp2(x[0]); }, -20, 10);
  expectEnclosed("log", 1, [](P x) { return std::log(x[0]); }, 0.5f, 40);
  expectEnclosed("log2", 1, [](P x) { return std::log2(x[0]); }, 0.5f, 40);
  expectEnclosed("tanh", 1, [](P x) { return std::tanh(x[0]); }, -4, 4);
  expectEnclosed(
      "tanh_fast", 1, [](P x) { return std::tanh(x[0]); }, -4, 4, 3e-3f);
  expectEnclosed("erf", 1, [](P x) { return std::erf(x[0]); }, -4, 4);
}

TEST(Epilogue, aConversionRoundsBothEnds) {
  // Between 1 and the next bf16, 1 + 2^-7: the middle rounds to even.
  const double half = 1 + 1.0 / 256;
  Interval result =
      evaluate(step("convert", 1, DType::BF16), {{half, half, half + 1e-3}});
  EXPECT_EQ(result.value, 1);
  EXPECT_LE(result.low, 1);
  EXPECT_EQ(result.high, 1 + 1.0 / 128);
}

TEST(Epilogue, aComparisonThatCanGoBothWaysChoosesBoth) {
  EpilogueStep compare = step("cmp_ogt", 2, std::nullopt);
  EpilogueStep select = step("select", 3);
  Interval zero = Interval::of(0), one = Interval::of(1);
  Interval sure = evaluate(compare, {{0.5, 1, 2}, zero});
  EXPECT_EQ(sure.low, 1);
  EXPECT_EQ(evaluate(select, {sure, one, zero}).low, 1);
  Interval open = evaluate(compare, {{-0.5, 1, 2}, zero});
  EXPECT_EQ(open.low, 0);
  EXPECT_EQ(open.high, 1);
  Interval either = evaluate(select, {open, one, zero});
  EXPECT_EQ(either.low, 0);
  EXPECT_EQ(either.value, 1);
  EXPECT_EQ(either.high, 1);
  // Equal points are not less; NaN is unordered.
  EXPECT_EQ(evaluate(step("cmp_olt", 2, std::nullopt), {one, one}).high, 0);
  Interval nan = Interval::of(std::nan(""));
  EXPECT_EQ(evaluate(step("cmp_uno", 2, std::nullopt), {nan, one}).value, 1);
  EXPECT_EQ(evaluate(step("cmp_ord", 2, std::nullopt), {nan, one}).value, 0);
}

TEST(Epilogue, aDivisorAroundZeroBoundsNothing) {
  Interval result = evaluate(step("div", 2), {Interval::of(1), {-1, 0.5, 1}});
  EXPECT_EQ(result.value, 2);
  EXPECT_TRUE(std::isinf(result.low) && std::isinf(result.high));
}

// A sum next to the limit of f32 is a number or an infinity.
TEST(Epilogue, infinityBesideNumbers) {
  const double inf = std::numeric_limits<double>::infinity();
  const Interval sum = {3e38, 3.4e38, inf};
  Interval none = evaluate(step("mul", 2), {sum, Interval::of(0)});
  EXPECT_EQ(none.low, 0);
  EXPECT_EQ(none.high, 0);
  EXPECT_TRUE(none.mayBeNan);
  EXPECT_FALSE(none.isNan());
  Interval half = evaluate(step("mul", 2), {sum, Interval::of(0.5)});
  EXPECT_FALSE(half.mayBeNan);
  EXPECT_EQ(half.high, inf);
  // Around 0 infinity has either sign, and at 0 there is NaN.
  Interval signs =
      evaluate(step("mul", 2), {{-1e-6, 0, 1e-6}, Interval::of(-inf)});
  EXPECT_EQ(signs.low, -inf);
  EXPECT_EQ(signs.high, inf);
  EXPECT_TRUE(signs.mayBeNan);
  // It stays possible, but for what has no NaN.
  EXPECT_TRUE(evaluate(step("fma", 3), {sum, Interval::of(0), sum}).mayBeNan);
  EXPECT_TRUE(evaluate(step("sub", 2), {sum, sum}).mayBeNan);
  EXPECT_TRUE(evaluate(step("tanh", 1), {none}).mayBeNan);
  EXPECT_TRUE(evaluate(step("convert", 1), {none}).mayBeNan);
  EXPECT_TRUE(evaluate(step("div", 2), {none, Interval::of(1)}).mayBeNan);
  Interval either =
      evaluate(step("cmp_oge", 2, std::nullopt), {none, Interval::of(0)});
  EXPECT_EQ(either.low, 0);
  EXPECT_EQ(either.high, 1);
  Interval chosen =
      evaluate(step("select", 3), {either, none, Interval::of(2)});
  EXPECT_TRUE(chosen.mayBeNan);
  EXPECT_EQ(chosen.high, 2);
  // NaN may be left out of these.
  Interval largest = evaluate(step("maxnum", 2), {none, Interval::of(-2)});
  EXPECT_FLOAT_EQ(largest.low, -2);
  EXPECT_EQ(largest.high, 0);
  EXPECT_TRUE(largest.mayBeNan);
  Interval least = evaluate(step("minnum", 2), {Interval::of(2), none});
  EXPECT_EQ(least.low, 0);
  EXPECT_FLOAT_EQ(least.high, 2);
  EXPECT_FLOAT_EQ(
      evaluate(step("clamp", 3), {none, Interval::of(-1), Interval::of(1)}).low,
      -1);
  // Nothing but NaN.
  Interval infinite = Interval::of(inf), nan = Interval::of(std::nan(""));
  EXPECT_TRUE(evaluate(step("mul", 2), {infinite, Interval::of(0)}).isNan());
  EXPECT_TRUE(evaluate(step("sub", 2), {infinite, infinite}).isNan());
  EXPECT_TRUE(evaluate(step("add", 2), {nan, sum}).isNan());
  EXPECT_TRUE(evaluate(step("sqrt", 1), {Interval::of(-1)}).isNan());
  EXPECT_FALSE(evaluate(step("sqrt", 1), {{-1, -0.5, 1}}).isNan());
  EXPECT_TRUE(evaluate(step("sqrt", 1), {{-1, -0.5, 1}}).mayBeNan);
}

TEST(Epilogue, unknownStepsAreNamed) {
  std::string error = checkStep(step("sin", 1)).error().message;
  EXPECT_EQ(error.rfind("unknown operation 'sin', expected one of: add sub", 0),
            0u)
      << error;
  EXPECT_EQ(checkStep(step("add", 3)).error().message,
            "operation 'add': expected 2 arguments, got 3");
  EXPECT_FALSE(checkStep(step("cmp_gt", 2)));
}
