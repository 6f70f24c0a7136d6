//===- FormatsTest.cpp - Decoding and rounding of every format --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Limits, special patterns and rounding from the OCP FP8 and MX tables and
// from PTX's cvt; exhaustive where a format is small.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Numerics/Formats.h"

#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace tc::emu;

namespace {

constexpr NumberFormat allFormats[] = {
    NumberFormat::F32,   NumberFormat::TF32,  NumberFormat::F16,
    NumberFormat::BF16,  NumberFormat::E5M2,  NumberFormat::E4M3,
    NumberFormat::E3M2,  NumberFormat::E2M3,  NumberFormat::E2M1,
    NumberFormat::UE8M0, NumberFormat::UE4M3, NumberFormat::UE5M3};

uint32_t nearest(NumberFormat format, double value) {
  return encodeNumber(format, value, RoundingMode::NearestEven, false);
}

TEST(Formats, limits_are_those_of_the_ocp_tables) {
  struct Row {
    NumberFormat format;
    uint32_t largest;
    double largestValue;
    uint32_t smallest;
    double smallestValue;
  };
  const Row rows[] = {
      {NumberFormat::E5M2, 0x7b, 57344, 0x01, 0x1p-16},
      {NumberFormat::E4M3, 0x7e, 448, 0x01, 0x1p-9},
      {NumberFormat::E3M2, 0x1f, 28, 0x01, 0.0625},
      {NumberFormat::E2M3, 0x1f, 7.5, 0x01, 0.125},
      {NumberFormat::E2M1, 0x7, 6, 0x1, 0.5},
      {NumberFormat::UE8M0, 0xfe, 0x1p127, 0x00, 0x1p-127},
      {NumberFormat::UE4M3, 0x7e, 448, 0x01, 0x1p-9},
      {NumberFormat::UE5M3, 0xfe, 114688, 0x01, 0x1p-17},
      {NumberFormat::F16, 0x7bff, 65504, 0x0001, 0x1p-24},
      {NumberFormat::BF16, 0x7f7f, 0x1.fep127, 0x0001, 0x1p-133},
  };
  for (const Row &row : rows) {
    EXPECT_EQ(decodeFloat(row.format, row.largest), row.largestValue)
        << formatInfo(row.format).name;
    EXPECT_EQ(decodeFloat(row.format, row.smallest), row.smallestValue)
        << formatInfo(row.format).name;
    EXPECT_EQ(nearest(row.format, row.largestValue), row.largest)
        << formatInfo(row.format).name;
    EXPECT_EQ(nearest(row.format, row.smallestValue), row.smallest)
        << formatInfo(row.format).name;
  }
}

TEST(Formats, e2m1_has_its_sixteen_values) {
  const float values[] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
  for (uint32_t code = 0; code < 8; ++code) {
    EXPECT_EQ(decodeFloat(NumberFormat::E2M1, code), values[code]);
    EXPECT_EQ(decodeFloat(NumberFormat::E2M1, code | 8), -values[code]);
  }
}

TEST(Formats, special_patterns) {
  EXPECT_TRUE(std::isinf(decodeFloat(NumberFormat::E5M2, 0x7c)));
  for (uint32_t code : {0x7d, 0x7e, 0x7f, 0xfd})
    EXPECT_TRUE(std::isnan(decodeFloat(NumberFormat::E5M2, code)));
  EXPECT_TRUE(std::isnan(decodeFloat(NumberFormat::E4M3, 0x7f)));
  EXPECT_TRUE(std::isnan(decodeFloat(NumberFormat::E4M3, 0xff)));
  EXPECT_EQ(decodeFloat(NumberFormat::E4M3, 0x78), 256.0f);
  EXPECT_TRUE(std::isnan(decodeFloat(NumberFormat::UE8M0, 0xff)));
  EXPECT_TRUE(std::isnan(decodeFloat(NumberFormat::UE4M3, 0x7f)));
  EXPECT_TRUE(std::isnan(decodeFloat(NumberFormat::UE5M3, 0xff)));
  EXPECT_EQ(decodeFloat(NumberFormat::UE5M3, 0x78), 1.0f);
  // The sign bit of ue4m3 is ignored.
  EXPECT_EQ(decodeFloat(NumberFormat::UE4M3, 0xb8), 1.0f);
  // tf32 drops the low 13 bits.
  EXPECT_EQ(decodeFloat(NumberFormat::TF32, 0x3f801fff), 1.0f);
}

TEST(Formats, every_code_survives_decoding_and_encoding) {
  for (NumberFormat format : allFormats) {
    const FormatInfo &info = formatInfo(format);
    if (info.bits > 16)
      continue;
    for (uint32_t code = 0; code < (1u << info.bits); ++code) {
      if (format == NumberFormat::UE4M3 && code > 0x7f)
        continue;
      float value = decodeFloat(format, code);
      if (!std::isnan(value)) {
        ASSERT_EQ(nearest(format, value), code) << info.name << " " << code;
      }
    }
  }
}

TEST(Formats, rounding_picks_the_right_neighbour) {
  std::mt19937_64 random(7);
  for (NumberFormat format :
       {NumberFormat::F16, NumberFormat::BF16, NumberFormat::E5M2,
        NumberFormat::E4M3, NumberFormat::E3M2, NumberFormat::E2M3,
        NumberFormat::E2M1}) {
    const FormatInfo &info = formatInfo(format);
    uint32_t codes = 1u << (info.bits - 1);
    for (uint32_t code = 0; code + 1 < codes; ++code) {
      double low = decodeFloat(format, code),
             high = decodeFloat(format, code + 1);
      if (!std::isfinite(low) || !std::isfinite(high))
        continue;
      double middle = (low + high) / 2, below = (low + middle) / 2,
             above = (middle + high) / 2;
      uint32_t sign = codes;
      ASSERT_EQ(encodeNumber(format, middle, RoundingMode::NearestEven, true),
                code + (code & 1));
      ASSERT_EQ(encodeNumber(format, middle, RoundingMode::NearestAway, true),
                code + 1);
      ASSERT_EQ(encodeNumber(format, below, RoundingMode::NearestEven, true),
                code);
      ASSERT_EQ(encodeNumber(format, above, RoundingMode::NearestEven, true),
                code + 1);
      ASSERT_EQ(encodeNumber(format, above, RoundingMode::TowardZero, true),
                code);
      ASSERT_EQ(encodeNumber(format, -above, RoundingMode::TowardZero, true),
                sign | code);
      ASSERT_EQ(encodeNumber(format, below, RoundingMode::Up, true), code + 1);
      ASSERT_EQ(encodeNumber(format, -below, RoundingMode::Up, true),
                sign | code);
      ASSERT_EQ(encodeNumber(format, -below, RoundingMode::Down, true),
                sign | (code + 1));
    }
  }
}

TEST(Formats, binary32_matches_the_processor) {
  std::mt19937_64 random(8);
  for (int i = 0; i < 200000; ++i) {
    uint64_t bits = random();
    double value;
    std::memcpy(&value, &bits, 8);
    value = std::ldexp(value, -static_cast<int>(random() % 3) * 300);
    if (std::isnan(value))
      continue;
    ASSERT_EQ(nearest(NumberFormat::F32, value),
              bitsFromFloat(static_cast<float>(value)));
    double around =
        std::ldexp(static_cast<double>(static_cast<int64_t>(random())),
                   -static_cast<int>(random() % 220));
    ASSERT_EQ(nearest(NumberFormat::F32, around),
              bitsFromFloat(static_cast<float>(around)));
  }
}

TEST(Formats, overflow_and_nan_follow_cvt) {
  EXPECT_EQ(nearest(NumberFormat::F16, 65520), 0x7c00u);
  EXPECT_EQ(nearest(NumberFormat::F16, 65519.9), 0x7bffu);
  EXPECT_EQ(
      encodeNumber(NumberFormat::F16, 1e6, RoundingMode::NearestEven, true),
      0x7bffu);
  EXPECT_EQ(
      encodeNumber(NumberFormat::F16, 1e6, RoundingMode::TowardZero, false),
      0x7bffu);
  EXPECT_EQ(
      encodeNumber(NumberFormat::E4M3, 1e6, RoundingMode::NearestEven, true),
      0x7eu);
  EXPECT_EQ(encodeNumber(NumberFormat::E4M3, -INFINITY,
                         RoundingMode::NearestEven, true),
            0xfeu);
  EXPECT_EQ(encodeNumber(NumberFormat::E5M2, INFINITY,
                         RoundingMode::NearestEven, true),
            0x7bu);
  EXPECT_EQ(
      encodeNumber(NumberFormat::E4M3, NAN, RoundingMode::NearestEven, true),
      0x7fu);
  EXPECT_EQ(
      encodeNumber(NumberFormat::E2M1, NAN, RoundingMode::NearestEven, true),
      0x7u);
  EXPECT_EQ(nearest(NumberFormat::F32, NAN), 0x7fffffffu);
  EXPECT_EQ(nearest(NumberFormat::BF16, NAN), 0x7fffu);
  EXPECT_EQ(encodeNumber(NumberFormat::UE8M0, 3.0, RoundingMode::Up, true),
            129u);
  EXPECT_EQ(
      encodeNumber(NumberFormat::UE8M0, 3.0, RoundingMode::TowardZero, true),
      128u);
  EXPECT_EQ(
      encodeNumber(NumberFormat::UE8M0, NAN, RoundingMode::TowardZero, true),
      0xffu);
}

} // namespace
