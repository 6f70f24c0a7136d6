//===- Approximation.cpp - results of .approx instructions ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table, ranges and draws, and the reader of recorded results.
//
//===----------------------------------------------------------------------===//

#include "Numerics/Approximation.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tc::emu {

using F = ApproxFunction;
using B = ApproxBound;
static constexpr NumberFormat f32 = NumberFormat::F32, f16 = NumberFormat::F16,
                              bf16 = NumberFormat::BF16;
/// Of sin and cos beyond 2 pi, as the ISA writes it: 2^-14.7.
static constexpr double kFarAngle = -14.7;

static constexpr ApproxRow kRows[] = {
    {"rcp.approx.f32", F::Rcp, f32, false, B::Ulp, 1, "9.7.3.13"},
    {"rcp.approx.ftz.f32", F::Rcp, f32, true, B::Ulp, 1, "9.7.3.13"},
    {"sqrt.approx.f32", F::Sqrt, f32, false, B::Relative, -23, "9.7.3.15"},
    {"sqrt.approx.ftz.f32", F::Sqrt, f32, true, B::Relative, -23, "9.7.3.15"},
    {"rsqrt.approx.f32", F::Rsqrt, f32, false, B::Relative, -22.9, "9.7.3.16"},
    {"rsqrt.approx.ftz.f32", F::Rsqrt, f32, true, B::Relative, -22.9,
     "9.7.3.16"},
    {"sin.approx.f32", F::Sin, f32, false, B::Angle, -20.5, "9.7.3.18"},
    {"sin.approx.ftz.f32", F::Sin, f32, true, B::Angle, -20.5, "9.7.3.18"},
    {"cos.approx.f32", F::Cos, f32, false, B::Angle, -20.4, "9.7.3.19"},
    {"cos.approx.ftz.f32", F::Cos, f32, true, B::Angle, -20.4, "9.7.3.19"},
    {"lg2.approx.f32", F::Lg2, f32, false, B::Logarithm, -22, "9.7.3.20"},
    {"lg2.approx.ftz.f32", F::Lg2, f32, true, B::Logarithm, -22, "9.7.3.20"},
    {"ex2.approx.f32", F::Ex2, f32, false, B::Ulp, 2, "9.7.3.21"},
    {"ex2.approx.ftz.f32", F::Ex2, f32, true, B::Ulp, 2, "9.7.3.21"},
    {"tanh.approx.f32", F::Tanh, f32, false, B::Relative, -11, "9.7.3.22"},
    {"div.approx.f32", F::Div, f32, false, B::Ulp, 2, "9.7.3.8"},
    {"div.approx.ftz.f32", F::Div, f32, true, B::Ulp, 2, "9.7.3.8"},
    {"div.full.f32", F::Div, f32, false, B::Ulp, 2, "9.7.3.8"},
    {"div.full.ftz.f32", F::Div, f32, true, B::Ulp, 2, "9.7.3.8"},
    {"tanh.approx.f16", F::Tanh, f16, false, B::Absolute, -10.987, "9.7.4.9"},
    {"tanh.approx.bf16", F::Tanh, bf16, false, B::Absolute, -8, "9.7.4.9"},
    {"ex2.approx.f16", F::Ex2, f16, false, B::Relative, -9.9, "9.7.4.10"},
    {"ex2.approx.ftz.bf16", F::Ex2, bf16, true, B::Relative, -7, "9.7.4.10"},
    // "Gross" approximations and one in software: no bound to draw within.
    {"rcp.approx.ftz.f64", F::Rcp, f32, true, B::None, 0, "9.7.3.14"},
    {"rsqrt.approx.ftz.f64", F::Rsqrt, f32, true, B::None, 0, "9.7.3.17"},
    {"rsqrt.approx.f64", F::Rsqrt, f32, false, B::None, 0, "9.7.3.16"},
};

int findApproxRow(std::string_view opcode) {
  for (size_t i = 0; i < std::size(kRows); ++i)
    if (kRows[i].opcode == opcode)
      return static_cast<int>(i);
  return -1;
}

const ApproxRow &approxRow(unsigned row) { return kRows[row]; }

std::optional<uint64_t> ApproxTable::find(unsigned row, uint64_t a,
                                          uint64_t b) const {
  auto results = rows.find(row);
  if (results == rows.end())
    return std::nullopt;
  auto result = results->second.find({a, b});
  return result == results->second.end() ? std::nullopt
                                         : std::optional(result->second);
}

void ApproxTable::add(unsigned row, uint64_t a, uint64_t b, uint64_t result) {
  rows[row][{a, b}] = result;
}

/// Bits of a format as integers in the order of the numbers; both zeros are 0.
static int64_t toOrder(NumberFormat format, uint32_t bits) {
  const uint32_t sign = 1u << (formatInfo(format).bits - 1);
  return bits & sign ? -int64_t(bits & (sign - 1)) : int64_t(bits);
}

static uint32_t fromOrder(NumberFormat format, int64_t order) {
  const uint32_t sign = 1u << (formatInfo(format).bits - 1);
  return order < 0 ? sign | uint32_t(-order) : uint32_t(order);
}

/// How far from the exact result a result may be; none: infinity. Not for Ulp.
static double distance(const ApproxRow &row, double x, double exact) {
  constexpr double pi = 3.14159265358979323846;
  const double bound = std::exp2(row.bound);
  switch (row.kind) {
  case B::None:
  case B::Ulp:
    return 0;
  case B::Relative:
    return bound * std::fabs(exact);
  case B::Absolute:
    return bound;
  case B::Angle:
    return std::fabs(x) <= 2 * pi     ? bound
           : std::fabs(x) <= 100 * pi ? std::exp2(kFarAngle)
                                      : INFINITY;
  case B::Logarithm:
    return x > 0.5 && x < 2 ? bound : bound * std::fabs(exact);
  }
  return 0;
}

ApproxRange approxRange(const ApproxRow &row, double x, double exact) {
  const NumberFormat format = row.format;
  const uint32_t rounded =
      encodeNumber(format, exact, RoundingMode::NearestEven, false);
  const int64_t middle = toOrder(format, rounded);
  const uint32_t infinity =
      encodeNumber(format, INFINITY, RoundingMode::NearestEven, false);
  // Listed by the ISA: NaN, infinities, and what zeros and infinities give.
  if (x != x || x == 0 || std::isinf(x) || exact != exact || exact == 0 ||
      row.kind == B::None || (rounded & (infinity - 1 | infinity)) >= infinity)
    return {rounded, rounded};
  // No overflow to infinity, no other sign, where the rounded result has
  // neither.
  int64_t least = -int64_t(infinity) + 1, largest = int64_t(infinity) - 1;
  if (row.kind == B::Ulp) {
    const int64_t n = static_cast<int64_t>(row.bound);
    if (middle >= 0)
      least = 0;
    if (middle <= 0)
      largest = 0;
    return {fromOrder(format, std::max(least, middle - n)),
            fromOrder(format, std::min(largest, middle + n))};
  }
  const double far = distance(row, x, exact);
  if (std::isinf(far)) // sin and cos of a large argument: "best effort"
    return {fromOrder(format,
                      -toOrder(format,
                               encodeNumber(format, 1,
                                            RoundingMode::NearestEven, false))),
            encodeNumber(format, 1, RoundingMode::NearestEven, false)};
  least =
      std::max(least, toOrder(format, encodeNumber(format, exact - far,
                                                   RoundingMode::Up, false)));
  largest = std::min(largest,
                     toOrder(format, encodeNumber(format, exact + far,
                                                  RoundingMode::Down, false)));
  // A bound below half a unit in the last place allows the rounded result.
  return {fromOrder(format, std::min(least, middle)),
          fromOrder(format, std::max(largest, middle))};
}

bool isWithinBound(unsigned row, double x, double exact, uint64_t result) {
  const ApproxRow &info = approxRow(row);
  if (info.kind == B::None)
    return true;
  const ApproxRange range = approxRange(info, x, exact);
  if (result == range.least || result == range.largest)
    return true;
  const NumberFormat format = info.format;
  if (unpack(format, uint32_t(result)).kind == NumberClass::NaN)
    return unpack(format, range.least).kind == NumberClass::NaN;
  const int64_t least = toOrder(format, range.least),
                largest = toOrder(format, range.largest),
                got = toOrder(format, uint32_t(result)),
                smallest = int64_t(1) << formatInfo(format).mantissaBits;
  return (got >= least && got <= largest) ||
         (info.ftz && got == 0 && least < smallest && largest > -smallest);
}

/// splitmix64.
static uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

uint32_t drawApprox(unsigned row, uint64_t seed, uint64_t a, uint64_t b,
                    double x, double exact) {
  const ApproxRow &info = approxRow(row);
  const ApproxRange range = approxRange(info, x, exact);
  const int64_t least = toOrder(info.format, range.least),
                largest = toOrder(info.format, range.largest);
  if (least == largest)
    return range.least;
  const uint64_t random = mix(mix(mix(mix(seed) ^ row) ^ a) ^ b);
  switch (random & 3) {
  case 0:
    return range.least;
  case 1:
    return range.largest;
  default:
    break;
  }
  // Uniform in value, not in bits: near zero those are many.
  const double share = double(random >> 11) * 0x1p-53;
  const double low = decodeFloat(info.format, range.least),
               high = decodeFloat(info.format, range.largest);
  const int64_t drawn =
      toOrder(info.format, encodeNumber(info.format, low + share * (high - low),
                                        RoundingMode::NearestEven, false));
  return fromOrder(info.format, std::clamp(drawn, least, largest));
}

static bool readHex(std::string_view text, uint64_t &value) {
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return error == std::errc() && end == text.data() + text.size();
}

static std::string_view nextWord(std::string_view &line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
  std::string_view word = line.substr(0, line.find_first_of(" \t\r"));
  line.remove_prefix(word.size());
  return word;
}

Expected<std::shared_ptr<const ApproxTable>>
readApproxTable(std::string_view text) {
  auto table = std::make_shared<ApproxTable>();
  for (int number = 1; !text.empty(); ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    std::string_view opcode = nextWord(line);
    if (opcode.empty() || opcode[0] == '#')
      continue;
    auto bad = [&](std::string message) {
      return Error{"line " + std::to_string(number) + ": " + message, number};
    };
    const int row = findApproxRow(opcode);
    if (row < 0)
      return bad("expected an opcode with .approx or .full, got '" +
                 std::string(opcode) + "'");
    std::string_view operands = nextWord(line), result = nextWord(line);
    const size_t comma = operands.find(',');
    const bool two = approxRow(unsigned(row)).function == ApproxFunction::Div;
    uint64_t a = 0, b = 0, value = 0;
    if (two != (comma != operands.npos) ||
        !readHex(operands.substr(0, comma), a) ||
        (two && !readHex(operands.substr(comma + 1), b)))
      return bad(std::string("expected ") +
                 (two ? "two operands (a,b)" : "one operand") +
                 " in hexadecimal, got '" + std::string(operands) + "'");
    if (!readHex(result, value) || !nextWord(line).empty())
      return bad("expected one result in hexadecimal, got '" +
                 std::string(result) + "'");
    auto old = table->find(unsigned(row), a, b);
    if (old && *old != value)
      return bad("expected one result for the operands, got a second one");
    table->add(unsigned(row), a, b, value);
  }
  return std::shared_ptr<const ApproxTable>(std::move(table));
}

} // namespace tc::emu
