//===- Epilogue.cpp - Elementwise steps as intervals ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table below is the whole rule: how many arguments an operation takes, its
// function, where that function is monotone, and how far off the instructions
// may be. Errors are those that the PTX ISA states for the approximations
// ("Floating Point Instructions": div.full, ex2, lg2, rsqrt, tanh; 9.7.3) with
// what the argument reduction of a compiler adds.
//
//===----------------------------------------------------------------------===//

#include "tc/Runtime/Epilogue.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace tc;
using namespace tc::runtime;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// An error: relative to the result, absolute, and for the result relative to
/// the argument.
struct Off {
  double relative = 0, absolute = 0, perArgument = 0;
};

/// A function of one argument.
struct Unary {
  const char *name;
  double (*function)(double);
  Off off;
  /// Ascending or descending in pieces whose ends are given; functions without
  /// ends are monotone everywhere.
  bool turnsAtZero = false;
};

double negate(double x) { return -x; }
double reciprocalRoot(double x) { return 1 / std::sqrt(x); }
double roundEven(double x) { return std::nearbyint(x); }

constexpr double p(int exponent) {
  double value = 1;
  for (int i = 0; i < exponent; ++i)
    value /= 2;
  return value;
}

const Unary unaries[] = {
    {"neg", negate, {}},
    {"abs", std::fabs, {}, /*turnsAtZero=*/true},
    {"ceil", std::ceil, {}},
    {"floor", std::floor, {}},
    {"trunc", std::trunc, {}},
    {"roundeven", roundEven, {}},
    {"sqrt", std::sqrt, {}},
    {"rsqrt", reciprocalRoot, {p(21), 0, 0}},
    {"exp2", std::exp2, {p(21), p(126), 0}},
    {"exp", std::exp, {p(21), p(126), p(22)}},
    {"log2", std::log2, {p(21), p(21), 0}},
    {"log", std::log, {p(21), p(21), 0}},
    {"tanh", std::tanh, {0, p(20), 0}},
    {"tanh_fast", std::tanh, {p(10), p(126), 0}},
    {"erf", std::erf, {0, p(20), 0}},
};

/// Operations of other shapes, with their numbers of arguments.
struct Other {
  const char *name;
  size_t args;
};
const Other others[] = {
    {"add", 2},     {"sub", 2},     {"mul", 2},    {"div", 2},    {"fma", 3},
    {"maximum", 2}, {"minimum", 2}, {"maxnum", 2}, {"minnum", 2}, {"clamp", 3},
    {"select", 3},  {"convert", 1}, {"and", 2},    {"or", 2},     {"xor", 2}};

const char *const predicates[] = {"oeq", "one", "olt", "ole", "ogt",
                                  "oge", "ord", "ueq", "une", "ult",
                                  "ule", "ugt", "uge", "uno"};

const Unary *findUnary(std::string_view name) {
  for (const Unary &unary : unaries)
    if (name == unary.name)
      return &unary;
  return nullptr;
}

constexpr std::string_view comparePrefix = "cmp_";

std::optional<size_t> countArgs(std::string_view name) {
  if (findUnary(name))
    return 1;
  for (const Other &other : others)
    if (name == other.name)
      return other.args;
  if (name.substr(0, comparePrefix.size()) == comparePrefix)
    for (const char *predicate : predicates)
      if (name.substr(comparePrefix.size()) == predicate)
        return 2;
  return std::nullopt;
}

/// The interval around `x` with what an instruction may be off.
Interval widen(Interval x, const Off &off, double argument) {
  auto by = [&](double end) {
    return std::isfinite(end)
               ? off.absolute + std::fabs(end) *
                                    (off.relative + off.perArgument * argument)
               : 0;
  };
  return {x.low - by(x.low), x.value, x.high + by(x.high), x.mayBeNan};
}

/// Both ends rounded to `type`, outward where rounding would narrow: a kernel
/// may also keep more bits than the step says (a product in a fused
/// multiply-add).
Interval roundOutward(Interval x, std::optional<DType> type) {
  if (!type)
    return x;
  // The ends themselves are off by the rounding of float64.
  auto spread = [](double end) {
    return std::isfinite(end) ? std::fabs(end) * p(50) : 0;
  };
  auto rounded = [&](double end) { return decode(*type, encode(*type, end)); };
  double low = x.low - spread(x.low), high = x.high + spread(x.high);
  return {std::min(low, rounded(low)), x.value, std::max(high, rounded(high)),
          x.mayBeNan};
}

bool hasNan(const Interval &x) {
  return std::isnan(x.low) || std::isnan(x.high);
}

/// What has ends that are NaN: other values between them may be numbers.
Interval unknown(double value) { return {-infinity, value, infinity, true}; }

/// The hull of a function of two arguments that is monotone in each.
template <typename Function>
Interval corners(const Interval &a, const Interval &b, Function function) {
  const double ends[] = {function(a.low, b.low), function(a.low, b.high),
                         function(a.high, b.low), function(a.high, b.high)};
  Interval result = {infinity, function(a.value, b.value), -infinity,
                     a.mayBeNan || b.mayBeNan};
  if (std::isnan(result.value) &&
      std::all_of(std::begin(ends), std::end(ends),
                  [](double end) { return std::isnan(end); }))
    return Interval::of(result.value);
  for (double end : ends) {
    if (std::isnan(end))
      return unknown(result.value);
    result.low = std::min(result.low, end);
    result.high = std::max(result.high, end);
  }
  // Numbers around what is none, as with 0 between two ends times infinity.
  return std::isnan(result.value) ? unknown(result.value) : result;
}

/// Infinity times 0 is NaN, and any number times 0 is 0.
Interval multiply(const Interval &a, const Interval &b) {
  auto isOneInfinity = [](const Interval &x) {
    return std::isinf(x.low) && x.low == x.high;
  };
  bool makesNan = false;
  Interval result = corners(a, b, [&](double x, double y) {
    bool isNan = (std::isinf(x) && y == 0) || (std::isinf(y) && x == 0);
    makesNan |= isNan;
    return isNan ? 0 : x * y;
  });
  // Not where a number is among the factors that are infinite.
  if (makesNan && (isOneInfinity(a) || isOneInfinity(b)))
    return corners(a, b, [](double x, double y) { return x * y; });
  result.mayBeNan |= makesNan;
  return result;
}

/// 0, 1 or both.
Interval truth(bool value, bool canBeFalse, bool canBeTrue) {
  return {canBeFalse ? 0.0 : 1.0, value ? 1.0 : 0.0, canBeTrue ? 1.0 : 0.0};
}

bool holds(std::string_view predicate, double a, double b) {
  bool isUnordered = std::isnan(a) || std::isnan(b);
  std::string_view relation = predicate.substr(1);
  if (relation == "rd" || relation == "no") // ord, uno
    return isUnordered == (predicate == "uno");
  if (isUnordered)
    return predicate[0] == 'u';
  return relation == "eq"   ? a == b
         : relation == "ne" ? a != b
         : relation == "lt" ? a < b
         : relation == "le" ? a <= b
         : relation == "gt" ? a > b
                            : a >= b;
}

Interval compare(std::string_view predicate, const Interval &a,
                 const Interval &b) {
  bool value = holds(predicate, a.value, b.value);
  if (hasNan(a) || hasNan(b) || a.mayBeNan || b.mayBeNan)
    return truth(value, true, true);
  // Where the intervals overlap each order and equality may be.
  bool overlaps = a.low <= b.high && b.low <= a.high;
  bool isPoint = a.low == a.high && b.low == b.high;
  bool isOpen =
      overlaps && !isPoint && predicate != "ord" && predicate != "uno";
  return truth(value, isOpen || !value, isOpen || value);
}

} // namespace

Status runtime::checkStep(const EpilogueStep &step) {
  std::optional<size_t> count = countArgs(step.op);
  if (!count)
    return makeError("unknown operation '" + step.op +
                     "', expected one of: " + listEpilogueOps());
  if (step.args.size() != *count)
    return makeError("operation '" + step.op + "': expected " +
                     std::to_string(*count) + " arguments, got " +
                     std::to_string(step.args.size()));
  return {};
}

std::string runtime::listEpilogueOps() {
  std::string text;
  for (const Other &other : others)
    text += std::string(other.name) + " ";
  for (const Unary &unary : unaries)
    text += std::string(unary.name) + " ";
  return text + "cmp_oeq and the other predicates";
}

/// `result` as `type` has it.
static Interval roundResult(const Interval &result, std::optional<DType> type) {
  if (result.isNan())
    return result;
  return hasNan(result) ? unknown(result.value) : roundOutward(result, type);
}

static Interval evaluateUnary(const Unary &unary, const Interval &x,
                              std::optional<DType> type) {
  double low = unary.function(x.low), high = unary.function(x.high);
  Interval result = {std::min(low, high), unary.function(x.value),
                     std::max(low, high), x.mayBeNan};
  if (std::isnan(low) && std::isnan(high) && std::isnan(result.value))
    return Interval::of(result.value);
  if (std::isnan(low) || std::isnan(high))
    return unknown(result.value);
  if (unary.turnsAtZero && x.low < 0 && x.high > 0)
    result.low = 0;
  double argument = std::max(std::fabs(x.low), std::fabs(x.high));
  return roundResult(widen(result, unary.off, argument), type);
}

static Interval select(const Interval &condition, const Interval &a,
                       const Interval &b) {
  const Interval &chosen = condition.value != 0 ? a : b;
  if (condition.low == condition.high)
    return chosen;
  // Of two that are NaN in any case the other may be chosen.
  if (a.isNan() || b.isNan())
    return unknown(chosen.value);
  return {std::min(a.low, b.low), chosen.value, std::max(a.high, b.high),
          a.mayBeNan || b.mayBeNan};
}

Interval runtime::evaluateStep(const EpilogueStep &step, const Interval *x) {
  const std::string &op = step.op;
  auto finish = [&](const Interval &result) {
    return roundResult(result, step.type);
  };
  if (const Unary *unary = findUnary(op))
    return evaluateUnary(*unary, x[0], step.type);
  if (op.compare(0, comparePrefix.size(), comparePrefix) == 0)
    return compare(std::string_view(op).substr(comparePrefix.size()), x[0],
                   x[1]);
  if (op == "select")
    return select(x[0], x[1], x[2]);
  if (op == "convert") {
    Interval result = roundOutward(x[0], step.type);
    if (step.type)
      result.value = decode(*step.type, encode(*step.type, x[0].value));
    return result;
  }
  auto two = [&](auto function) { return corners(x[0], x[1], function); };
  auto larger = [](double a, double b) { return std::max(a, b); };
  auto smaller = [](double a, double b) { return std::min(a, b); };
  auto add = [](double a, double b) { return a + b; };
  if (op == "add")
    return finish(two(add));
  if (op == "sub")
    return finish(two([](double a, double b) { return a - b; }));
  if (op == "mul")
    return finish(multiply(x[0], x[1]));
  if (op == "fma")
    return finish(corners(multiply(x[0], x[1]), x[2], add));
  if (op == "div") {
    if (x[1].low <= 0 && x[1].high >= 0)
      return unknown(x[0].value / x[1].value);
    return finish(widen(two([](double a, double b) { return a / b; }),
                        Off{p(22), p(126), 0}, 0));
  }
  // NaN may give way to the other argument.
  auto giveWay = [](const Interval &a, const Interval &b, Interval result) {
    if (a.mayBeNan && !hasNan(b))
      result = {std::min(result.low, b.low), result.value,
                std::max(result.high, b.high), true};
    return result;
  };
  auto choose = [&](auto function) {
    return finish(giveWay(x[1], x[0], giveWay(x[0], x[1], two(function))));
  };
  // Numbers win over NaN, or NaN over numbers.
  if (op == "maxnum")
    return choose([](double a, double b) { return std::fmax(a, b); });
  if (op == "minnum")
    return choose([](double a, double b) { return std::fmin(a, b); });
  if (op == "maximum" || op == "minimum") {
    const bool isMaximum = op == "maximum";
    return choose([&](double a, double b) {
      return std::isnan(a) || std::isnan(b)
                 ? std::numeric_limits<double>::quiet_NaN()
             : isMaximum ? std::max(a, b)
                         : std::min(a, b);
    });
  }
  if (op == "clamp") {
    Interval bounded = giveWay(x[0], x[1], corners(x[0], x[1], larger));
    return finish(giveWay(x[0], x[2], corners(bounded, x[2], smaller)));
  }
  if (op == "and")
    return two(smaller);
  if (op == "or")
    return two(larger);
  // xor
  bool isOpen = x[0].low != x[0].high || x[1].low != x[1].high;
  bool value = (x[0].value != 0) != (x[1].value != 0);
  return truth(value, isOpen || !value, isOpen || value);
}
