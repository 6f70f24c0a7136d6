//===- ExactTest.cpp - the MMA step against exact arithmetic --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model that shares nothing with lib/Emulator but the names of the formats:
// codes are taken apart by the tables of OCP FP8 1.0 and MX 1.0, every number
// is an integer of 896 bits in units of 2^-448, and the rule of the step is
// applied to those: terms are cut toward zero F bits below the largest
// exponent, added, and rounded once. Operands are random codes, so that NaN,
// infinity, subnormal numbers and both zeros all occur, and scales run through
// all 256 codes.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Numerics/MmaBlock.h"

#include "gtest/gtest.h"

#include <array>
#include <cmath>
#include <random>

using namespace tc::emu;

namespace {

/// magnitude * 2^-448 with a sign.
class Fixed {
public:
  static constexpr int point = 448, words = 14;

  static Fixed make(bool negative, uint64_t significand, int exponent) {
    Fixed x;
    x.negative = negative;
    int bit = exponent + point;
    EXPECT_GE(bit, 0);
    for (int i = 0; i < 64; ++i)
      if (significand >> i & 1)
        x.set(bit + i);
    return x;
  }

  bool isZero() const { return top() < 0; }
  bool isNegative() const { return negative; }
  /// Exponent of the highest bit, -point - 1 for zero.
  int exponent() const { return top() - point; }
  bool bit(int exponent) const {
    int i = exponent + point;
    return i >= 0 && (word[size_t(i / 64)] >> (i % 64) & 1);
  }
  bool anyBelow(int exponent) const {
    for (int e = -point; e < exponent; ++e)
      if (bit(e))
        return true;
    return false;
  }
  /// Drops everything below 2^exponent: toward zero.
  void cutBelow(int exponent) {
    for (int i = 0; i < exponent + point && i < 64 * words; ++i)
      word[size_t(i / 64)] &= ~(uint64_t(1) << (i % 64));
  }

  void add(const Fixed &other) {
    if (negative == other.negative) {
      uint64_t carry = 0;
      for (size_t i = 0; i < words; ++i) {
        unsigned __int128 sum =
            (unsigned __int128)word[i] + other.word[i] + carry;
        word[i] = uint64_t(sum);
        carry = uint64_t(sum >> 64);
      }
      EXPECT_EQ(carry, 0u);
      return;
    }
    Fixed large = *this, small = other;
    if (large.isBelow(small))
      std::swap(large, small);
    uint64_t borrow = 0;
    for (size_t i = 0; i < words; ++i) {
      unsigned __int128 difference =
          (unsigned __int128)large.word[i] - small.word[i] - borrow;
      large.word[i] = uint64_t(difference);
      borrow = uint64_t(difference >> 64) & 1;
    }
    *this = large;
  }

private:
  void set(int i) {
    ASSERT_LT(i, 64 * words);
    word[size_t(i / 64)] |= uint64_t(1) << (i % 64);
  }
  int top() const {
    for (int i = 64 * words - 1; i >= 0; --i)
      if (word[size_t(i / 64)] >> (i % 64) & 1)
        return i;
    return -1;
  }
  bool isBelow(const Fixed &other) const {
    for (size_t i = words; i-- > 0;)
      if (word[i] != other.word[i])
        return word[i] < other.word[i];
    return false;
  }

  std::array<uint64_t, words> word{};
  bool negative = false;
};

/// A row of the tables of OCP FP8 1.0 (5.1) and MX 1.0 (5.3).
struct Row {
  NumberFormat format;
  int exponentBits, mantissaBits, bias;
  bool hasInfinity; ///< largest exponent: infinity and NaN
  bool hasNaN;      ///< all ones
};
constexpr Row kRows[] = {
    {NumberFormat::E4M3, 4, 3, 7, false, true},
    {NumberFormat::E5M2, 5, 2, 15, true, true},
    {NumberFormat::E2M3, 2, 3, 1, false, false},
    {NumberFormat::E3M2, 3, 2, 3, false, false},
    {NumberFormat::E2M1, 2, 1, 1, false, false},
    {NumberFormat::F32, 8, 23, 127, true, true},
    {NumberFormat::F16, 5, 10, 15, true, true},
};
const Row &rowOf(NumberFormat format) {
  for (const Row &row : kRows)
    if (row.format == format)
      return row;
  return kRows[0];
}

/// significand * 2^(exponent - mantissaBits); the exponent of subnormal numbers
/// is that of the smallest normal one.
struct Number {
  enum { Finite, Infinity, NaN } kind = Finite;
  bool negative = false;
  uint64_t significand = 0;
  int exponent = 0, mantissaBits = 0;
};

Number take(const Row &row, uint32_t code) {
  Number n;
  const uint32_t mantissa = code & ((1u << row.mantissaBits) - 1),
                 exponent =
                     code >> row.mantissaBits & ((1u << row.exponentBits) - 1),
                 largest = (1u << row.exponentBits) - 1;
  n.negative = code >> (row.mantissaBits + row.exponentBits) & 1;
  n.mantissaBits = row.mantissaBits;
  n.significand = exponent ? mantissa + (1u << row.mantissaBits) : mantissa;
  n.exponent = (exponent ? int(exponent) : 1) - row.bias;
  if (row.hasInfinity && exponent == largest)
    n.kind = mantissa ? Number::NaN : Number::Infinity;
  else if (row.hasNaN && exponent == largest &&
           mantissa == (1u << row.mantissaBits) - 1)
    n.kind = Number::NaN;
  return n;
}

/// One dot-add step.
class Step {
public:
  Step(int fractionBits, bool half)
      : fractionBits(fractionBits), half(half), largest(half ? -21 : -133) {}

  void nan() { isNaN = true; }
  void infinity(bool negative) { (negative ? minus : plus) = true; }
  /// significand * 2^ulp, whose exponent counts as `exponent`.
  void term(bool negative, uint64_t significand, int exponent, int ulp) {
    if (!significand)
      return;
    largest = std::max(largest, exponent);
    terms.push_back(Fixed::make(negative, significand, ulp));
  }
  void product(const Number &a, const Number &b, int scale) {
    if (a.kind == Number::NaN || b.kind == Number::NaN)
      return nan();
    if (a.kind == Number::Infinity || b.kind == Number::Infinity) {
      bool zero = (a.kind == Number::Finite && !a.significand) ||
                  (b.kind == Number::Finite && !b.significand);
      return zero ? nan() : infinity(a.negative != b.negative);
    }
    int exponent = a.exponent + b.exponent + scale;
    term(a.negative != b.negative, a.significand * b.significand, exponent,
         exponent - a.mantissaBits - b.mantissaBits);
  }
  void accumulator(uint32_t bits) {
    Number c = take(rowOf(half ? NumberFormat::F16 : NumberFormat::F32), bits);
    if (c.kind == Number::NaN)
      nan();
    else if (c.kind == Number::Infinity)
      infinity(c.negative);
    else
      term(c.negative, c.significand, c.exponent, c.exponent - c.mantissaBits);
  }

  uint32_t result() {
    if (isNaN || (plus && minus))
      return half ? 0x7fff : 0x7fffffff;
    const uint32_t sign = half ? 0x8000 : 0x80000000,
                   inf = half ? 0x7c00 : 0x7f800000;
    if (plus || minus)
      return minus ? inf | sign : inf;
    Fixed sum;
    for (Fixed &t : terms) {
      t.cutBelow(largest - fractionBits);
      sum.add(t);
    }
    if (sum.isZero())
      return 0;
    const int mantissa = half ? 10 : 23, smallest = half ? -14 : -126,
              bias = half ? 15 : 127, top = half ? 15 : 127;
    const int exponent = std::max(sum.exponent(), smallest),
              ulp = exponent - mantissa;
    uint64_t digits = 0;
    for (int e = exponent; e >= ulp; --e)
      digits = digits << 1 | sum.bit(e);
    // f32 is cut, f16 rounded to nearest even.
    if (half && sum.bit(ulp - 1) && ((digits & 1) || sum.anyBelow(ulp - 1)))
      ++digits;
    uint32_t bits;
    if (digits < (1ull << mantissa))
      bits = uint32_t(digits); // subnormal
    else                       // a carry into the exponent comes out right
      bits =
          uint32_t(uint64_t(exponent + bias - 1) * (1ull << mantissa) + digits);
    if (exponent > top || bits >= inf)
      bits = inf;
    return sum.isNegative() ? bits | sign : bits;
  }

private:
  const int fractionBits;
  const bool half;
  int largest;
  bool isNaN = false, plus = false, minus = false;
  std::vector<Fixed> terms;
};

constexpr NumberFormat narrow[] = {NumberFormat::E4M3, NumberFormat::E5M2,
                                   NumberFormat::E2M3, NumberFormat::E3M2,
                                   NumberFormat::E2M1};

uint32_t randomCode(std::mt19937_64 &random, NumberFormat format,
                    unsigned specialsIn) {
  const Row &row = rowOf(format);
  const uint32_t mask =
      uint32_t((1ull << (1 + row.exponentBits + row.mantissaBits)) - 1);
  uint32_t code = uint32_t(random()) & mask;
  if (random() % 8 == 0) // subnormal and zero
    code &= mask >> (row.exponentBits + 1) | (mask ^ mask >> 1);
  // Elsewhere a NaN would hide everything else.
  while (take(row, code).kind != Number::Finite && random() % specialsIn)
    code = uint32_t(random()) & mask;
  return code;
}

/// C near the products, or any code.
uint32_t randomC(std::mt19937_64 &random, bool half) {
  NumberFormat format = half ? NumberFormat::F16 : NumberFormat::F32;
  if (random() % 4 == 0)
    return randomCode(random, format, 16);
  const int bias = half ? 15 : 127, mantissa = half ? 10 : 23;
  uint32_t exponent = uint32_t(bias - 8 + int(random() % 16));
  return uint32_t(random() % 2) << (half ? 15 : 31) | exponent << mantissa |
         (uint32_t(random()) & ((1u << mantissa) - 1));
}

/// Steps of one row of A with one column of B, in the emulator and exactly.
void compareStep(DotKind kind, NumberFormat formatA, NumberFormat formatB,
                 unsigned trials, bool scaled) {
  const DotRule &rule = dotRule(kind);
  const bool half = rule.accumulator == NumberFormat::F16;
  std::mt19937_64 random(unsigned(kind) * 100 + unsigned(formatA) * 10 +
                         unsigned(formatB));
  for (unsigned trial = 0; trial < trials; ++trial) {
    // With specials in one of 16, 1000 and practically never.
    const unsigned specials = trial % 3 == 0 ? 16 : trial % 3 == 1 ? 1000 : ~0u;
    std::vector<uint32_t> a(rule.group), b(rule.group);
    for (uint32_t &x : a)
      x = randomCode(random, formatA, specials);
    for (uint32_t &x : b)
      x = randomCode(random, formatB, specials);
    const uint32_t c = randomC(random, half);
    // Every code of a scale meets every trial in turn; 0xff is NaN.
    const uint32_t scaleA = trial % 256,
                   scaleB = trial % 2 ? uint32_t(random() % 256) : 254 - scaleA;
    Step step(25, half);
    if (scaled && (scaleA == 0xff || scaleB == 0xff))
      step.nan();
    for (unsigned i = 0; i < rule.group; ++i)
      step.product(take(rowOf(formatA), a[i]), take(rowOf(formatB), b[i]),
                   scaled ? int(scaleA) + int(scaleB) - 254 : 0);
    step.accumulator(c);
    OperandPlanes pa, pb;
    decodeOperand(pa, false, formatA, 1, rule.group, a.data(),
                  scaled ? &scaleA : nullptr);
    decodeOperand(pb, true, formatB, 1, rule.group, b.data(),
                  scaled ? &scaleB : nullptr);
    uint32_t d = c, *rows[] = {&d};
    mmaStep(rule, pa, pb, rows, /*accumulate=*/true);
    ASSERT_EQ(d, step.result())
        << rule.name << " " << formatInfo(formatA).name << " "
        << formatInfo(formatB).name << " trial " << trial << std::hex << " c 0x"
        << c << " scales " << scaleA << " " << scaleB;
  }
}

TEST(Exact, f8f6f4_all_pairs_of_types) {
  for (NumberFormat a : narrow)
    for (NumberFormat b : narrow) {
      compareStep(DotKind::F8F6F4toF32, a, b, 600, false);
      compareStep(DotKind::F8F6F4toF16, a, b, 600, false);
    }
}

TEST(Exact, mxf8f6f4_all_pairs_of_types_and_all_scales) {
  for (NumberFormat a : narrow)
    for (NumberFormat b : narrow)
      compareStep(DotKind::MXF8F6F4, a, b, 768, true);
}

/// Every pair of codes by itself: the product alone, whatever the type.
TEST(Exact, every_product_of_two_codes) {
  for (NumberFormat formatA : narrow)
    for (NumberFormat formatB : narrow) {
      const DotRule &rule = dotRule(DotKind::F8F6F4toF32);
      const unsigned codesA = 1u << formatInfo(formatA).bits,
                     codesB = 1u << formatInfo(formatB).bits;
      std::vector<uint32_t> a(codesA * rule.group), b(codesB * rule.group);
      for (unsigned i = 0; i < codesA; ++i)
        a[i * rule.group] = i;
      for (unsigned j = 0; j < codesB; ++j)
        b[j * rule.group] = j;
      OperandPlanes pa, pb;
      decodeOperand(pa, false, formatA, codesA, rule.group, a.data());
      decodeOperand(pb, true, formatB, codesB, rule.group, b.data());
      std::vector<uint32_t> d(size_t(codesA) * codesB);
      std::vector<uint32_t *> rows;
      for (unsigned i = 0; i < codesA; ++i)
        rows.push_back(&d[size_t(i) * codesB]);
      mmaStep(rule, pa, pb, rows.data(), /*accumulate=*/false);
      for (unsigned i = 0; i < codesA; ++i)
        for (unsigned j = 0; j < codesB; ++j) {
          Step step(25, false);
          step.product(take(rowOf(formatA), i), take(rowOf(formatB), j), 0);
          // The other products are 0 * 0.
          ASSERT_EQ(d[size_t(i) * codesB + j], step.result())
              << formatInfo(formatA).name << " " << i << " "
              << formatInfo(formatB).name << " " << j;
        }
    }
}

/// A scale: ue8m0, or ue4m3 whose sign bit counts for nothing.
Number takeScale(NumberFormat format, uint32_t code) {
  if (format == NumberFormat::UE4M3)
    return take(rowOf(NumberFormat::E4M3), code & 0x7f);
  Number n;
  n.kind = code == 0xff ? Number::NaN : Number::Finite;
  n.significand = 1;
  n.exponent = int(code) - 127;
  return n;
}

void compareGrouped(NumberFormat scale, unsigned trials) {
  const DotRule &rule = dotRule(DotKind::MXF4);
  std::mt19937_64 random(unsigned(scale) + 77);
  for (unsigned trial = 0; trial < trials; ++trial) {
    uint32_t a[64], b[64], sa[4], sb[4];
    for (unsigned i = 0; i < 64; ++i) {
      a[i] = uint32_t(random() % 16);
      b[i] = uint32_t(random() % 16);
    }
    // All four groups near each other, or of any scales; 0xff and the codes
    // with the sign bit come up too.
    for (unsigned g = 0; g < 4; ++g) {
      bool near = trial % 3;
      sa[g] =
          near ? (0x30 + uint32_t(random() % 16)) : uint32_t(random() % 256);
      sb[g] =
          near ? (0x30 + uint32_t(random() % 16)) : uint32_t(random() % 256);
      if (near && scale == NumberFormat::UE8M0)
        sa[g] += 79, sb[g] += 79;
      else if (near && random() % 2)
        sa[g] |= 0x80;
    }
    if (trial % 64 == 0)
      sa[trial / 64 % 4] = 0xff;
    const uint32_t c = randomC(random, false);
    Step step(35, false);
    for (unsigned g = 0; g < 4; ++g) {
      Fixed sum;
      for (unsigned i = 16 * g; i < 16 * g + 16; ++i) {
        Number x = take(rowOf(NumberFormat::E2M1), a[i]),
               y = take(rowOf(NumberFormat::E2M1), b[i]);
        sum.add(Fixed::make(x.negative != y.negative,
                            x.significand * y.significand,
                            x.exponent + y.exponent - 2));
      }
      Number x = takeScale(scale, sa[g]), y = takeScale(scale, sb[g]);
      if (x.kind == Number::NaN || y.kind == Number::NaN) {
        step.nan();
        continue;
      }
      // The sum in quarters, at most 16 * 36 * 4.
      uint64_t quarters = 0;
      for (int e = 12; e >= -2; --e)
        quarters = quarters << 1 | sum.bit(e);
      int exponent = x.exponent + y.exponent;
      step.term(sum.isNegative(), quarters * x.significand * y.significand,
                exponent, exponent - 2 - x.mantissaBits - y.mantissaBits);
    }
    step.accumulator(c);
    ASSERT_EQ(groupedDotAdd(rule, a, b, scale, sa, sb, c), step.result())
        << formatInfo(scale).name << " trial " << trial;
  }
}

TEST(Exact, mxf4_with_all_scales) {
  compareGrouped(NumberFormat::UE8M0, 20000);
}

TEST(Exact, mxf4nvf4_with_all_scales) {
  compareGrouped(NumberFormat::UE4M3, 20000);
}

/// The value of a code as the tables give it, for the conversions.
double valueOf(NumberFormat format, uint32_t code) {
  Number n = take(rowOf(format), code);
  if (n.kind != Number::Finite)
    return n.kind == Number::NaN ? NAN : n.negative ? -INFINITY : INFINITY;
  double value = std::ldexp(double(n.significand), n.exponent - n.mantissaBits);
  return n.negative ? -value : value;
}

/// Every bfloat16 number, every binary16 number and both neighbours of each, to
/// every narrow type: nearest even with saturation is the code whose value is
/// nearest, the even one of two, and the largest one beyond.
TEST(Exact, conversions_to_narrow_types) {
  for (NumberFormat format : narrow) {
    const uint32_t signBit = 1u << (formatInfo(format).bits - 1);
    std::vector<std::pair<double, uint32_t>> values; // not negative
    for (uint32_t code = 0; code < signBit; ++code)
      if (std::isfinite(valueOf(format, code)))
        values.push_back({valueOf(format, code), code});
    auto expected = [&](double x) {
      double magnitude = std::fabs(x);
      auto high = std::lower_bound(
          values.begin(), values.end(), magnitude,
          [](const auto &entry, double y) { return entry.first < y; });
      uint32_t code;
      if (high == values.end())
        code = values.back().second;
      else if (high == values.begin())
        code = high->second;
      else {
        auto low = high - 1;
        double below = magnitude - low->first, above = high->first - magnitude;
        code = below < above     ? low->second
               : above < below   ? high->second
               : low->second & 1 ? high->second
                                 : low->second;
      }
      return std::signbit(x) ? code | signBit : code;
    };
    auto check = [&](double x) {
      if (std::isnan(x))
        return;
      ASSERT_EQ(encodeNumber(format, x, RoundingMode::NearestEven, true),
                expected(x))
          << formatInfo(format).name << " " << x;
    };
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
      float wide = floatFromBits(bits << 16);
      check(wide);
      check(std::nextafter(wide, INFINITY));
      check(std::nextafter(wide, -INFINITY));
      check(valueOf(NumberFormat::F16, bits));
    }
    for (uint32_t code = 0; code < 2 * signBit; ++code) {
      double value = valueOf(format, code), got = decodeFloat(format, code);
      ASSERT_TRUE(std::isnan(value) ? std::isnan(got)
                                    : value == got && std::signbit(value) ==
                                                          std::signbit(got))
          << formatInfo(format).name << " " << code;
    }
  }
}

} // namespace
