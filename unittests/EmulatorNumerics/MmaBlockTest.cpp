//===- MmaBlockTest.cpp - Blocked step equals the reference -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every path of the blocked MMA step against the element-wise model, on random,
// integer, tiny, huge, subnormal and special data, and worked examples of the
// model itself.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Numerics/MmaBlock.h"
#include "Emulator/Numerics/GroupedDot.h"
#include "Emulator/Numerics/MmaKernels.h"

#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace tc::emu;

namespace {

enum class Data {
  Normal,
  Integers,
  Tiny,
  Huge,
  Subnormal,
  AnyBits,
  Constant,
  Sparse,
  Spread,
  /// Sums at the ends of what 32 bits hold.
  Largest,
  /// Ordinary operands, anything in C.
  AnyC,
  /// The same next to the largest tops that are usual.
  HighAnyC
};

uint32_t draw(std::mt19937_64 &random, NumberFormat format, Data data) {
  const FormatInfo &info = formatInfo(format);
  std::normal_distribution<double> normal;
  double value = 0;
  int smallest = 1 - info.bias;
  switch (data) {
  case Data::Normal:
    value = normal(random);
    break;
  case Data::AnyC:
    value = normal(random);
    break;
  case Data::HighAnyC:
    value = std::ldexp(normal(random), std::min(49, info.bias - 1));
    break;
  case Data::Largest:
    value = random() % 4096 ? 2 - std::ldexp(1.0, -info.mantissaBits) : -1;
    break;
  case Data::Integers:
    value = static_cast<int>(random() % 9) - 4;
    break;
  case Data::Tiny:
    value = std::ldexp(normal(random), smallest + 1);
    break;
  case Data::Huge:
    value = std::ldexp(normal(random), info.bias - 1);
    break;
  case Data::Subnormal: {
    uint32_t mantissa =
        static_cast<uint32_t>(random()) & ((1u << info.mantissaBits) - 1);
    value = std::ldexp(static_cast<double>(mantissa),
                       smallest - info.mantissaBits) *
            (random() & 1 ? 1 : -1);
    break;
  }
  case Data::AnyBits: {
    // Special patterns more often than chance would have it.
    uint32_t bits = static_cast<uint32_t>(random()) &
                    (info.bits == 32 ? ~0u : (1u << info.bits) - 1);
    if (random() % 64)
      while (unpack(format, bits).kind >= NumberClass::Infinity)
        bits = static_cast<uint32_t>(random()) &
               (info.bits == 32 ? ~0u : (1u << info.bits) - 1);
    return bits;
  }
  case Data::Constant:
    value = 1.5;
    break;
  case Data::Sparse:
    value = random() % 4 ? 0.0 : normal(random);
    break;
  case Data::Spread:
    value = std::ldexp(normal(random), static_cast<int>(random() % 24) - 12);
    break;
  }
  return encodeNumber(format, value, RoundingMode::NearestEven, true);
}

void compare(DotKind kind, NumberFormat formatA, NumberFormat formatB,
             Data data, bool scaled = false, unsigned group = 0) {
  DotRule rule = dotRule(kind);
  if (group)
    rule.group = group;
  std::mt19937_64 random(static_cast<unsigned>(kind) * 1000 +
                         static_cast<unsigned>(formatA) * 100 +
                         static_cast<unsigned>(data));
  // Less than a vector; vectors and a rest; more than the kernel does at once.
  for (unsigned columns : {8u, 24u, 40u, 328u}) {
    if (columns > 256 && formatInfo(formatA).bits < 16 && !group)
      continue; // the kernels see no difference to formats of 16 bits
    const unsigned m = columns > 256 ? 5 : 9, k = rule.group;
    std::vector<uint32_t> a(m * k), b(columns * k), c(m * columns), scaleA(m),
        scaleB(columns);
    for (uint32_t &x : a)
      x = draw(random, formatA, data);
    for (uint32_t &x : b)
      x = draw(random, formatB, data);
    for (uint32_t &x : c)
      x = draw(random, rule.accumulator,
               data >= Data::AnyC && random() % 64 == 0 ? Data::AnyBits
               : random() % 8                           ? data
                                                        : Data::Normal);
    for (uint32_t &x : scaleA)
      x = static_cast<uint32_t>(random() % 32 ? 100 + random() % 50
                                              : random() % 256);
    for (uint32_t &x : scaleB)
      x = static_cast<uint32_t>(random() % 32 ? 100 + random() % 50
                                              : random() % 256);
    OperandPlanes pa, pb;
    decodeOperand(pa, false, formatA, m, k, a.data(),
                  scaled ? scaleA.data() : nullptr);
    decodeOperand(pb, true, formatB, columns, k, b.data(),
                  scaled ? scaleB.data() : nullptr);
    for (bool accumulate : {false, true}) {
      std::vector<uint32_t> expected(m * columns);
      for (unsigned i = 0; i < m; ++i)
        for (unsigned j = 0; j < columns; ++j) {
          Unpacked sa = unpack(NumberFormat::UE8M0, scaleA[i]),
                   sb = unpack(NumberFormat::UE8M0, scaleB[j]);
          int scale = scaled ? sa.exponent + sb.exponent : 0;
          bool nan = scaled && (sa.kind == NumberClass::NaN ||
                                sb.kind == NumberClass::NaN);
          expected[i * columns + j] =
              fusedDotAdd(rule, formatA, &a[i * k], formatB, &b[j * k],
                          accumulate ? c[i * columns + j] : 0, scale, nan);
        }
      for (const MmaKernels *kernels : supportedMmaKernels())
        for (MmaPath path :
             {MmaPath::Auto, MmaPath::General, MmaPath::Reference}) {
          std::vector<uint32_t> d = c;
          std::vector<uint32_t *> rows(m);
          for (unsigned i = 0; i < m; ++i)
            rows[i] = &d[i * columns];
          mmaStep(rule, pa, pb, rows.data(), accumulate, path, kernels);
          for (unsigned i = 0; i < m * columns; ++i)
            ASSERT_EQ(d[i], expected[i])
                << rule.name << " " << formatInfo(formatA).name << " data "
                << static_cast<int>(data) << " path " << static_cast<int>(path)
                << " " << kernels->name << " element " << i << " c " << std::hex
                << c[i];
        }
    }
  }
}

constexpr Data allData[] = {Data::Normal,   Data::Integers,  Data::Tiny,
                            Data::Huge,     Data::Subnormal, Data::AnyBits,
                            Data::Constant, Data::Sparse,    Data::Spread,
                            Data::Largest,  Data::AnyC,      Data::HighAnyC};

TEST(MmaBlock, f16_to_f32_equals_the_reference) {
  for (Data data : allData)
    for (NumberFormat format : {NumberFormat::F16, NumberFormat::BF16})
      compare(DotKind::F16toF32, format, format, data);
}

TEST(MmaBlock, f16_to_f16_equals_the_reference) {
  for (Data data : allData)
    compare(DotKind::F16toF16, NumberFormat::F16, NumberFormat::F16, data);
}

TEST(MmaBlock, tf32_equals_the_reference) {
  for (Data data : allData)
    compare(DotKind::TF32, NumberFormat::TF32, NumberFormat::TF32, data);
}

/// mma.sync.m16n8k4 has fewer products than a vector kernel takes at a time.
TEST(MmaBlock, short_groups_equal_the_reference) {
  for (Data data : allData) {
    compare(DotKind::TF32, NumberFormat::TF32, NumberFormat::TF32, data,
            /*scaled=*/false, /*group=*/4);
    compare(DotKind::F16toF16, NumberFormat::F16, NumberFormat::F16, data,
            /*scaled=*/false, /*group=*/8);
  }
}

/// Sparse A is expanded with zeros, to groups of twice the products.
TEST(MmaBlock, long_groups_equal_the_reference) {
  for (Data data : allData) {
    compare(DotKind::F16toF32, NumberFormat::BF16, NumberFormat::BF16, data,
            /*scaled=*/false, /*group=*/32);
    compare(DotKind::F8F6F4toF32, NumberFormat::E4M3, NumberFormat::E5M2, data,
            /*scaled=*/false, /*group=*/64);
  }
}

TEST(MmaBlock, f8f6f4_equals_the_reference) {
  constexpr NumberFormat formats[] = {NumberFormat::E4M3, NumberFormat::E5M2,
                                      NumberFormat::E2M3, NumberFormat::E3M2,
                                      NumberFormat::E2M1};
  for (Data data : allData)
    for (NumberFormat a : formats)
      for (NumberFormat b : formats) {
        compare(DotKind::F8F6F4toF32, a, b, data);
        compare(DotKind::F8F6F4toF16, a, b, data);
        compare(DotKind::MXF8F6F4, a, b, data, /*scaled=*/true);
      }
}

uint32_t dotOf(DotKind kind, std::vector<double> a, std::vector<double> b,
               uint32_t c) {
  const DotRule &rule = dotRule(kind);
  NumberFormat format =
      kind == DotKind::TF32 ? NumberFormat::TF32 : NumberFormat::BF16;
  std::vector<uint32_t> x(rule.group), y(rule.group);
  for (size_t i = 0; i < a.size(); ++i) {
    x[i] = encodeNumber(format, a[i], RoundingMode::NearestEven, false);
    y[i] = encodeNumber(format, b[i], RoundingMode::NearestEven, false);
  }
  return fusedDotAdd(rule, format, x.data(), format, y.data(), c);
}

TEST(FusedDotAdd, terms_below_the_window_are_cut_toward_zero) {
  uint32_t one = bitsFromFloat(1.0f);
  // 2^-25 is the last bit of the window at 2^0: two of them make 2^-24, which
  // rounding toward zero drops from 1 but not from 1 - 2^-24.
  EXPECT_EQ(dotOf(DotKind::F16toF32, {0x1p-24, 0x1p-24}, {1, 1}, one),
            bitsFromFloat(1.0f + 0x1p-23f));
  EXPECT_EQ(dotOf(DotKind::F16toF32, {0x1p-25, 0x1p-25}, {1, 1}, one), one);
  EXPECT_EQ(dotOf(DotKind::F16toF32, {0x1p-25, 0x1p-25, 0x1p-25, 0x1p-25},
                  {1, 1, 1, 1}, one),
            bitsFromFloat(1.0f + 0x1p-23f));
  EXPECT_EQ(dotOf(DotKind::F16toF32,
                  {0x1p-26, 0x1p-26, 0x1p-26, 0x1p-26, 0x1p-26, 0x1p-26,
                   0x1p-26, 0x1p-26},
                  {1, 1, 1, 1, 1, 1, 1, 1}, one),
            one);
  // Signs cut alike: -2^-26 is not seen next to 1.
  EXPECT_EQ(dotOf(DotKind::F16toF32, {-0x1p-26}, {1}, one), one);
  EXPECT_EQ(dotOf(DotKind::F16toF32, {-0x1p-25}, {1}, one),
            bitsFromFloat(1.0f - 0x1p-24f));
}

TEST(FusedDotAdd, special_values) {
  double inf = INFINITY;
  EXPECT_EQ(dotOf(DotKind::F16toF32, {inf}, {1}, 0), 0x7f800000u);
  EXPECT_EQ(dotOf(DotKind::F16toF32, {inf}, {-1}, 0), 0xff800000u);
  EXPECT_EQ(dotOf(DotKind::F16toF32, {inf, inf}, {1, -1}, 0), 0x7fffffffu);
  EXPECT_EQ(dotOf(DotKind::F16toF32, {inf}, {0}, 0), 0x7fffffffu);
  EXPECT_EQ(dotOf(DotKind::F16toF32, {NAN}, {1}, 0), 0x7fffffffu);
  EXPECT_EQ(dotOf(DotKind::F16toF32, {1}, {1}, 0xff800000u), 0xff800000u);
  EXPECT_EQ(dotOf(DotKind::F16toF32, {0x1p127}, {2}, 0), 0x7f800000u);
  // Equal terms of both signs leave +0.
  EXPECT_EQ(dotOf(DotKind::F16toF32, {1, -1}, {1, 1}, 0x80000000u), 0u);
  // Subnormal results are kept.
  EXPECT_EQ(dotOf(DotKind::F16toF32, {0x1p-126}, {0x1p-3}, 0), 0x00100000u);
}

// NaN times infinity is NaN, whichever row or column has which.
TEST(MmaBlock, nan_scale_of_infinity) {
  const DotRule &rule = dotRule(DotKind::MXF8F6F4);
  constexpr unsigned count = 8;
  std::vector<uint32_t> ones(count * rule.group, 0x3c), some = ones;
  some[3] = 0x7c;
  std::vector<uint32_t> scales(count, 127), withNaN = scales;
  withNaN[0] = 255;
  for (bool ofA : {false, true})
    for (bool sameSide : {false, true})
      for (MmaPath path :
           {MmaPath::Auto, MmaPath::General, MmaPath::Reference}) {
        OperandPlanes a, b;
        decodeOperand(a, false, NumberFormat::E5M2, count, rule.group,
                      (ofA ? some : ones).data(),
                      (ofA == sameSide ? withNaN : scales).data());
        decodeOperand(b, true, NumberFormat::E5M2, count, rule.group,
                      (ofA ? ones : some).data(),
                      (ofA == sameSide ? scales : withNaN).data());
        std::vector<uint32_t> d(count * count);
        std::vector<uint32_t *> rows(count);
        for (unsigned m = 0; m < count; ++m)
          rows[m] = &d[m * count];
        mmaStep(rule, a, b, rows.data(), false, path);
        for (unsigned m = 0; m < count; ++m)
          for (unsigned n = 0; n < count; ++n) {
            bool isNaN = (ofA == sameSide ? m : n) == 0;
            bool isInfinite = (ofA ? m : n) == 0;
            EXPECT_EQ(d[m * count + n], isNaN        ? 0x7fffffffu
                                        : isInfinite ? 0x7f800000u
                                                     : 0x42000000u)
                << m << " " << n << " " << ofA << sameSide;
          }
      }
}

TEST(GroupedDotAdd, groups_are_summed_exactly_and_scaled) {
  const DotRule &rule = dotRule(DotKind::MXF4);
  std::vector<uint32_t> a(64, 0x7), b(64, 0x7); // 6 * 6 = 36, 64 times
  uint32_t ones[4] = {127, 127, 127, 127};
  EXPECT_EQ(groupedDotAdd(rule, a.data(), b.data(), NumberFormat::UE8M0, ones,
                          ones, 0),
            bitsFromFloat(2304.0f));
  uint32_t scales[4] = {128, 127, 126, 127};
  EXPECT_EQ(groupedDotAdd(rule, a.data(), b.data(), NumberFormat::UE8M0, scales,
                          ones, 0),
            bitsFromFloat(576 * 4.5f));
  uint32_t ue4m3[4] = {0x38, 0x3c, 0x40, 0x30}; // 1, 1.5, 2, 0.5
  uint32_t unit[4] = {0x38, 0x38, 0x38, 0x38};
  EXPECT_EQ(groupedDotAdd(rule, a.data(), b.data(), NumberFormat::UE4M3, ue4m3,
                          unit, bitsFromFloat(1.0f)),
            bitsFromFloat(576 * 5.0f + 1.0f));
  uint32_t withNaN[4] = {127, 255, 127, 127};
  EXPECT_EQ(groupedDotAdd(rule, a.data(), b.data(), NumberFormat::UE8M0,
                          withNaN, ones, 0),
            0x7fffffffu);
}

TEST(GroupedDot, decoded_step_equals_the_reference) {
  std::mt19937_64 random(11);
  const DotRule &rule = dotRule(DotKind::MXF4);
  for (NumberFormat format : {NumberFormat::UE8M0, NumberFormat::UE4M3})
    for (int round = 0; round < 20000; ++round) {
      uint32_t a[64], b[64], sa[4], sb[4];
      for (unsigned i = 0; i < 64; ++i) {
        a[i] = round % 7 == 1 ? 0 : random() & 15;
        b[i] = random() & 15;
      }
      for (unsigned g = 0; g < 4; ++g) {
        // Any scale; around 1; the ends of the range.
        const uint32_t middle = format == NumberFormat::UE8M0 ? 127 : 0x38;
        auto scale = [&] {
          return round % 3 == 0 ? uint32_t(random() & 255)
                 : round % 3 == 1
                     ? middle + uint32_t(random() % 9) - 4
                     : uint32_t(random() % 3 ? random() % 6 : 0xfe);
        };
        sa[g] = scale();
        sb[g] = scale();
      }
      uint32_t c = uint32_t(random());
      if (round % 4 == 1)
        c = bitsFromFloat(float(int32_t(random())) * 0x1p-20f);
      else if (round % 16 == 2)
        c = uint32_t(random() & 1) << 31;
      int16_t x[64], y[64];
      decodeDoubledE2M1(a, 64, x);
      decodeDoubledE2M1(b, 64, y);
      GroupScale u[4], v[4];
      for (unsigned g = 0; g < 4; ++g) {
        u[g] = decodeGroupScale(format, sa[g]);
        v[g] = decodeGroupScale(format, sb[g]);
      }
      ASSERT_EQ(groupedDotAddDecoded(rule, x, y, u, v,
                                     formatInfo(format).mantissaBits, c),
                groupedDotAdd(rule, a, b, format, sa, sb, c))
          << round;
    }
}

TEST(GroupedDot, every_kernel_equals_the_reference) {
  std::mt19937_64 random(12);
  const DotRule &rule = dotRule(DotKind::MXF4);
  constexpr unsigned m = 5;
  for (const MmaKernels *kernels : supportedMmaKernels())
    for (NumberFormat format : {NumberFormat::UE8M0, NumberFormat::UE4M3})
      for (int round = 0; round < 300; ++round) {
        const unsigned n = round % 2 ? 64 : 1 + unsigned(random() % 40);
        std::vector<uint32_t> a(m * 64), b(n * 64), sa(m * 4), sb(n * 4),
            d(m * n);
        for (std::vector<uint32_t> *operand : {&a, &b})
          for (uint32_t &x : *operand)
            x = round % 7 == 1 ? 0 : random() & 15;
        // Around 1; the ends of the range; any, NaN among them.
        const uint32_t middle = format == NumberFormat::UE8M0 ? 127 : 0x38;
        for (std::vector<uint32_t> *scales : {&sa, &sb})
          for (uint32_t &x : *scales)
            x = round % 4 == 0   ? middle + uint32_t(random() % 9) - 4
                : round % 4 == 1 ? middle + uint32_t(random() % 61) - 30
                : round % 4 == 2 ? uint32_t(random() % 3 ? random() % 6 : 0xfe)
                                 : uint32_t(random() & 255);
        if (format == NumberFormat::UE4M3)
          for (std::vector<uint32_t> *scales : {&sa, &sb})
            for (uint32_t &x : *scales)
              x &= round % 4 == 3 ? 255 : 127;
        for (uint32_t &x : d)
          x = round % 3 == 0
                  ? bitsFromFloat(float(int32_t(random())) * 0x1p-26f)
              : round % 3 == 1 ? uint32_t(random())
                               : uint32_t(random() & 1) << 31;
        GroupedOperand decodedA, decodedB;
        auto decode = [&](GroupedOperand &operand,
                          const std::vector<uint32_t> &bits,
                          const std::vector<uint32_t> &scales) {
          operand.doubled.resize(bits.size());
          decodeDoubledE2M1(bits.data(), bits.size(), operand.doubled.data());
          for (uint32_t x : scales)
            operand.scales.push_back(decodeGroupScale(format, x));
        };
        decode(decodedA, a, sa);
        decode(decodedB, b, sb);
        const bool accumulate = round % 5 != 0;
        std::vector<uint32_t> expected(d);
        std::vector<uint32_t *> rows;
        for (unsigned i = 0; i < m; ++i) {
          // One row is disabled.
          rows.push_back(i == 3 ? nullptr : &d[i * n]);
          for (unsigned j = 0; j < n && i != 3; ++j)
            expected[i * n + j] =
                groupedDotAdd(rule, &a[i * 64], &b[j * 64], format, &sa[i * 4],
                              &sb[j * 4], accumulate ? expected[i * n + j] : 0);
        }
        groupedStep(rule, decodedA, decodedB, formatInfo(format).mantissaBits,
                    rows, accumulate, kernels);
        for (unsigned i = 0; i < m * n; ++i)
          ASSERT_EQ(d[i], expected[i])
              << kernels->name << ", round " << round << ", element " << i;
      }
}

} // namespace
