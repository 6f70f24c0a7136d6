//===- FusedDotAdd.cpp - one tensor core step, bit by bit -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Straightforward on purpose: integers only until the final rounding, one term
// after the other, no shortcut that the blocked version takes.
//
//===----------------------------------------------------------------------===//

#include "Numerics/FusedDotAdd.h"

#include <cmath>

namespace tc::emu {

// group, F and floor per kind; the f16 accumulator has a floor of its own.
static constexpr DotRule dotRules[] = {
    {"f16 to f32", 16, 25, NumberFormat::F32, -133, 0},
    {"f16 to f16", 16, 25, NumberFormat::F16, -21, 0},
    {"tf32", 8, 25, NumberFormat::F32, -133, 0},
    {"f8f6f4 to f32", 32, 25, NumberFormat::F32, -133, 0},
    {"f8f6f4 to f16", 32, 25, NumberFormat::F16, -21, 0},
    {"mxf8f6f4", 32, 25, NumberFormat::F32, -133, 0},
    {"mxf4", 64, 35, NumberFormat::F32, -133, 16},
};

const DotRule &dotRule(DotKind kind) {
  return dotRules[static_cast<unsigned>(kind)];
}

namespace {

/// A nonzero finite term: significand * 2^(exponent - fraction).
struct Term {
  int64_t significand;
  int exponent;
  int fraction;
};

/// Collects the terms of one step, then sums and rounds them.
class Step {
public:
  explicit Step(const DotRule &rule)
      : rule(rule), largest(rule.floorExponent) {}

  void add(bool negative, int64_t significand, int exponent, int fraction) {
    if (significand == 0)
      return;
    terms[count++] = {negative ? -significand : significand, exponent,
                      fraction};
    if (exponent > largest)
      largest = exponent;
  }
  void addInfinity(bool negative) {
    (negative ? minusInfinity : plusInfinity) = true;
  }
  void addNaN() { nan = true; }

  void addC(uint32_t bits) {
    Unpacked c = unpack(rule.accumulator, bits);
    if (c.kind == NumberClass::NaN)
      addNaN();
    else if (c.kind == NumberClass::Infinity)
      addInfinity(c.negative);
    else
      add(c.negative, c.significand, c.exponent,
          formatInfo(rule.accumulator).mantissaBits);
  }

  uint32_t result() const {
    bool half = rule.accumulator == NumberFormat::F16;
    if (nan || (plusInfinity && minusInfinity))
      return half ? 0x7fff : 0x7fffffff;
    uint32_t infinity = half ? 0x7c00 : 0x7f800000;
    uint32_t signBit = half ? 0x8000 : 0x80000000;
    if (plusInfinity)
      return infinity;
    if (minusInfinity)
      return infinity | signBit;
    int64_t sum = 0;
    for (unsigned i = 0; i < count; ++i)
      sum += cut(terms[i]);
    if (sum == 0)
      return 0;
    // Below 2^53 and far from the ends of the binary64 range: exact.
    double value =
        std::ldexp(static_cast<double>(sum), largest - rule.fractionBits);
    if (half) {
      // What rounds to zero is +0, from below zero, too (an H200's mma.sync).
      const uint32_t bits = encodeNumber(NumberFormat::F16, value,
                                         RoundingMode::NearestEven, false);
      return bits & 0x7fff ? bits : 0;
    }
    if (std::fabs(value) >= 0x1p128)
      return value < 0 ? infinity | signBit : infinity;
    return encodeNumber(NumberFormat::F32, value, RoundingMode::TowardZero,
                        false);
  }

private:
  /// The term in units of 2^(largest - F), cut toward zero.
  int64_t cut(const Term &term) const {
    int64_t magnitude =
        term.significand < 0 ? -term.significand : term.significand;
    int right = largest - term.exponent - (rule.fractionBits - term.fraction);
    magnitude = right <= 0   ? magnitude << -right
                : right < 63 ? magnitude >> right
                             : 0;
    return term.significand < 0 ? -magnitude : magnitude;
  }

  const DotRule &rule;
  Term terms[65];
  unsigned count = 0;
  int largest;
  bool plusInfinity = false, minusInfinity = false, nan = false;
};

} // namespace

uint32_t fusedDotAdd(const DotRule &rule, NumberFormat formatA,
                     const uint32_t *a, NumberFormat formatB, const uint32_t *b,
                     uint32_t c, int scaleExponent, bool nan) {
  Step step(rule);
  if (nan)
    step.addNaN();
  int fraction =
      formatInfo(formatA).mantissaBits + formatInfo(formatB).mantissaBits;
  for (unsigned i = 0; i < rule.group; ++i) {
    Unpacked x = unpack(formatA, a[i]), y = unpack(formatB, b[i]);
    bool negative = x.negative != y.negative;
    if (x.kind == NumberClass::NaN || y.kind == NumberClass::NaN) {
      step.addNaN();
    } else if (x.kind == NumberClass::Infinity ||
               y.kind == NumberClass::Infinity) {
      if (x.kind == NumberClass::Zero || y.kind == NumberClass::Zero)
        step.addNaN();
      else
        step.addInfinity(negative);
    } else {
      step.add(negative, static_cast<int64_t>(x.significand) * y.significand,
               x.exponent + y.exponent + scaleExponent, fraction);
    }
  }
  step.addC(c);
  return step.result();
}

uint32_t groupedDotAdd(const DotRule &rule, const uint32_t *a,
                       const uint32_t *b, NumberFormat scaleFormat,
                       const uint32_t *scaleA, const uint32_t *scaleB,
                       uint32_t c) {
  Step step(rule);
  int scaleFraction = formatInfo(scaleFormat).mantissaBits;
  for (unsigned first = 0; first < rule.group; first += rule.scaledGroup) {
    // e2m1 values in halves: products in quarters, the sum at most 16 * 144.
    int64_t sum = 0;
    for (unsigned i = first; i < first + rule.scaledGroup; ++i) {
      Unpacked x = unpack(NumberFormat::E2M1, a[i]),
               y = unpack(NumberFormat::E2M1, b[i]);
      int64_t product = (static_cast<int64_t>(x.significand) << x.exponent) *
                        (static_cast<int64_t>(y.significand) << y.exponent);
      sum += x.negative != y.negative ? -product : product;
    }
    Unpacked sa = unpack(scaleFormat, scaleA[first / rule.scaledGroup]);
    Unpacked sb = unpack(scaleFormat, scaleB[first / rule.scaledGroup]);
    if (sa.kind == NumberClass::NaN || sb.kind == NumberClass::NaN) {
      step.addNaN();
      continue;
    }
    int64_t magnitude =
        (sum < 0 ? -sum : sum) * sa.significand * sb.significand;
    step.add(sum < 0, magnitude, sa.exponent + sb.exponent,
             2 + 2 * scaleFraction);
  }
  step.addC(c);
  return step.result();
}

} // namespace tc::emu
