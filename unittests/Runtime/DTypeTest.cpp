//===- DTypeTest.cpp - Element types against known bits ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bit patterns from the format definitions (IEEE 754, OCP FP8 1.0, OCP MX 1.0),
// and the properties that hold for every code of the narrow formats.
//
//===----------------------------------------------------------------------===//

#include "tc/Runtime/DType.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>

using namespace tc::runtime;

static const double infinity = std::numeric_limits<double>::infinity();
static const double nan64 = std::numeric_limits<double>::quiet_NaN();

static const DType allTypes[] = {
    DType::F64,   DType::F32,   DType::TF32, DType::F16,  DType::BF16,
    DType::E5M2,  DType::E4M3,  DType::E3M2, DType::E2M3, DType::E2M1,
    DType::UE8M0, DType::UE4M3, DType::I8,   DType::U8,   DType::I16,
    DType::U16,   DType::I32,   DType::U32,  DType::I64,  DType::U64};

TEST(DType, namesRoundTrip) {
  for (DType type : allTypes) {
    EXPECT_EQ(getInfo(type).type, type);
    EXPECT_EQ(findDType(getInfo(type).name), type);
  }
  EXPECT_FALSE(findDType("float"));
  EXPECT_EQ(listDTypes().find("f64 f32 tf32 f16 bf16"), 0u);
}

TEST(DType, f32AndF64AreTheMachines) {
  for (double value : {0.0, -0.0, 1.0, -2.5, 1e-45, 1.1754942e-38, 3.4e38, 0.1,
                       1.0 / 3, infinity, -infinity, 1e300, -1e-60}) {
    float narrow = static_cast<float>(value);
    uint32_t bits;
    std::memcpy(&bits, &narrow, sizeof(bits));
    EXPECT_EQ(encode(DType::F32, value), bits) << value;
    EXPECT_EQ(decode(DType::F32, bits), static_cast<double>(narrow)) << value;
    EXPECT_EQ(decode(DType::F64, encode(DType::F64, value)), value);
  }
}

TEST(DType, knownBits) {
  EXPECT_EQ(encode(DType::F16, 1.0), 0x3c00u);
  EXPECT_EQ(encode(DType::F16, 65504), 0x7bffu);
  EXPECT_EQ(encode(DType::F16, 65519.99), 0x7bffu);
  EXPECT_EQ(encode(DType::F16, 65520), 0x7c00u);
  EXPECT_EQ(encode(DType::F16, std::ldexp(1.0, -24)), 1u);
  EXPECT_EQ(encode(DType::F16, std::ldexp(1.0, -25)), 0u); // tie to even
  EXPECT_EQ(encode(DType::F16, std::ldexp(3.0, -25)), 2u); // tie to even
  EXPECT_EQ(encode(DType::F16, nan64), 0x7fffu);
  EXPECT_EQ(encode(DType::BF16, 1.0), 0x3f80u);
  EXPECT_EQ(encode(DType::BF16, -0.0), 0x8000u);
  EXPECT_EQ(encode(DType::BF16, 1 + 1.0 / 256), 0x3f80u); // tie to even
  EXPECT_EQ(encode(DType::BF16, 1 + 3.0 / 256), 0x3f82u); // tie to even
  EXPECT_EQ(encode(DType::BF16, 3.4e38), 0x7f80u);
  EXPECT_EQ(encode(DType::TF32, 1.0), 0x3f800000u);
  EXPECT_EQ(encode(DType::TF32, 1 + std::ldexp(1.0, -11)), 0x3f800000u);
  EXPECT_EQ(encode(DType::TF32, 1 + std::ldexp(3.0, -11)), 0x3f804000u);
  EXPECT_EQ(decode(DType::TF32, 0x3f801fffu), 1.0); // low bits do not count
}

TEST(DType, knownBitsOfNarrowFloats) {
  EXPECT_EQ(encode(DType::E4M3, 448), 0x7eu);
  EXPECT_EQ(encode(DType::E4M3, 1e9), 0x7eu);
  EXPECT_EQ(encode(DType::E4M3, infinity), 0x7eu);
  EXPECT_EQ(encode(DType::E4M3, nan64), 0x7fu);
  EXPECT_EQ(encode(DType::E4M3, std::ldexp(1.0, -9)), 1u);
  EXPECT_EQ(encode(DType::E4M3, -1.5), 0xbcu);
  EXPECT_TRUE(std::isnan(decode(DType::E4M3, 0xff)));
  EXPECT_EQ(decode(DType::E4M3, 0x78), 256.0);
  EXPECT_EQ(encode(DType::E5M2, 57344), 0x7bu);
  EXPECT_EQ(encode(DType::E5M2, 1e9), 0x7bu);
  EXPECT_EQ(encode(DType::E5M2, nan64), 0x7fu);
  EXPECT_EQ(decode(DType::E5M2, 0x7c), infinity);
  EXPECT_EQ(decode(DType::E5M2, 0xfc), -infinity);
  EXPECT_EQ(decode(DType::E5M2, 1), std::ldexp(1.0, -16));
  EXPECT_EQ(encode(DType::E2M1, 5), 6u); // 4 or 6: tie to even
  EXPECT_EQ(encode(DType::E2M1, -100), 0xfu);
  EXPECT_EQ(encode(DType::E2M1, nan64), 7u);
  const double e2m1[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (unsigned i = 0; i < 8; ++i)
    EXPECT_EQ(decode(DType::E2M1, i), e2m1[i]);
  EXPECT_EQ(maxFinite(DType::E3M2), 28);
  EXPECT_EQ(decode(DType::E3M2, 1), 0.0625);
  EXPECT_EQ(maxFinite(DType::E2M3), 7.5);
  EXPECT_EQ(decode(DType::E2M3, 1), 0.125);
}

TEST(DType, scaleFactors) {
  EXPECT_EQ(decode(DType::UE8M0, 127), 1.0);
  EXPECT_EQ(decode(DType::UE8M0, 0), std::ldexp(1.0, -127));
  EXPECT_EQ(decode(DType::UE8M0, 254), std::ldexp(1.0, 127));
  EXPECT_TRUE(std::isnan(decode(DType::UE8M0, 0xff)));
  EXPECT_EQ(encode(DType::UE8M0, 4.0), 129u);
  EXPECT_EQ(encode(DType::UE8M0, 0.0), 0u);
  EXPECT_EQ(encode(DType::UE8M0, -1.0), 0u);
  EXPECT_EQ(encode(DType::UE8M0, infinity), 254u);
  EXPECT_EQ(encode(DType::UE8M0, nan64), 255u);
  EXPECT_EQ(decode(DType::UE4M3, 0x7e), 448.0);
  EXPECT_TRUE(std::isnan(decode(DType::UE4M3, 0x7f)));
  EXPECT_EQ(encode(DType::UE4M3, 1.0), 0x38u);
  EXPECT_EQ(encode(DType::UE4M3, -3.0), 0u);
}

TEST(DType, integersRoundAndSaturate) {
  EXPECT_EQ(encode(DType::I8, -1), 0xffu);
  EXPECT_EQ(decode(DType::I8, 0x80), -128);
  EXPECT_EQ(encode(DType::I8, 1000), 0x7fu);
  EXPECT_EQ(encode(DType::I8, -1000), 0x80u);
  EXPECT_EQ(encode(DType::U8, -1), 0u);
  EXPECT_EQ(encode(DType::U8, 2.5), 2u);
  EXPECT_EQ(encode(DType::U8, nan64), 0u);
  EXPECT_EQ(encode(DType::I32, -2147483648.0), 0x80000000u);
  EXPECT_EQ(encode(DType::U32, 1e10), 0xffffffffu);
  EXPECT_EQ(encode(DType::I64, 1e30), 0x7fffffffffffffffull);
  EXPECT_EQ(encode(DType::U64, 1e30), ~0ull);
  EXPECT_EQ(decode(DType::I16, 0xfffe), -2);
  EXPECT_EQ(decode(DType::U16, 0xfffe), 65534);
}

TEST(DType, everyNarrowCodeRoundTrips) {
  for (DType type : allTypes) {
    const DTypeInfo &info = getInfo(type);
    if (info.bits > 16 || !info.isFloat)
      continue;
    for (uint64_t code = 0; code < uint64_t(1) << info.bits; ++code) {
      double value = decode(type, code);
      bool hasSpareSign = type == DType::UE4M3 && code >= 0x80;
      bool saturates = std::isinf(value) && info.bits == 8;
      if (std::isnan(value) || hasSpareSign || saturates)
        continue;
      EXPECT_EQ(encode(type, value), code) << info.name;
    }
  }
}

TEST(DType, roundingIsToNearest) {
  // Between two neighbours the midpoint goes to the even one, and the values
  // right beside it to the near one.
  for (DType type : {DType::F16, DType::BF16, DType::E4M3, DType::E5M2,
                     DType::E3M2, DType::E2M3, DType::E2M1}) {
    const DTypeInfo &info = getInfo(type);
    uint64_t top = encode(type, maxFinite(type));
    for (uint64_t code = 0; code < top; ++code) {
      double low = decode(type, code), high = decode(type, code + 1);
      double middle = (low + high) / 2;
      EXPECT_EQ(encode(type, middle), code + (code & 1)) << info.name;
      EXPECT_EQ(encode(type, std::nextafter(middle, 0)), code) << info.name;
      EXPECT_EQ(encode(type, std::nextafter(middle, infinity)), code + 1);
      EXPECT_EQ(halfUlp(type, middle), (high - low) / 2) << info.name;
    }
  }
}

TEST(DType, overflowThresholds) {
  EXPECT_EQ(overflowThreshold(DType::F16), 65520);
  EXPECT_EQ(encode(DType::BF16, overflowThreshold(DType::BF16)), 0x7f80u);
  EXPECT_EQ(
      encode(DType::BF16, std::nextafter(overflowThreshold(DType::BF16), 0)),
      0x7f7fu);
  EXPECT_EQ(overflowThreshold(DType::E4M3), infinity);
}

TEST(DType, packedElements) {
  uint8_t nibbles[2] = {};
  writeElement(nibbles, 0, 4, 0x1);
  writeElement(nibbles, 1, 4, 0x2);
  writeElement(nibbles, 3, 4, 0xf);
  EXPECT_EQ(nibbles[0], 0x21);
  EXPECT_EQ(nibbles[1], 0xf0);
  uint8_t sixes[3] = {0xff, 0xff, 0xff};
  for (unsigned i = 0; i < 4; ++i)
    writeElement(sixes, i, 6, i + 1);
  EXPECT_EQ(sixes[0] | sixes[1] << 8 | sixes[2] << 16,
            1 | 2 << 6 | 3 << 12 | 4 << 18);
  for (unsigned i = 0; i < 4; ++i)
    EXPECT_EQ(readElement(sixes, i, 6), i + 1);
  uint8_t words[4] = {1, 2, 3, 4};
  EXPECT_EQ(readElement(words, 1, 16), 0x0403u);
}
/// Many values at once take shorter ways; codes are those of one.
TEST(DType, many_values_are_encoded_like_one) {
  std::vector<double> exact = {0.0,
                               -0.0,
                               1.0,
                               -1.00390625, // ties of bf16
                               1.01171875,
                               1.5,
                               std::ldexp(1.0, -126),
                               std::ldexp(3.0, -135),
                               std::ldexp(1.0, -149),
                               -std::ldexp(1.0, -140),
                               std::ldexp(255.75, 120),
                               -std::ldexp(255.5, 120),
                               std::numeric_limits<double>::infinity(),
                               -std::numeric_limits<double>::infinity()};
  for (int i = -40; i < 40; ++i)
    exact.push_back(std::ldexp(i * 4099, -17));
  std::vector<double> others = exact;
  others.push_back(1.1);
  others.push_back(std::nan(""));
  others.push_back(1e300);
  for (const std::vector<double> &values : {exact, others})
    for (const DType type : {DType::F32, DType::BF16, DType::F16, DType::E4M3})
      for (const size_t stride : {1, 3}) {
        const unsigned bits = getInfo(type).bits;
        std::vector<uint8_t> data((values.size() * stride + 2) * 4);
        Encoder(type).write(values.data(), values.size(), data.data(), 2,
                            stride);
        for (size_t i = 0; i < values.size(); ++i)
          EXPECT_EQ(readElement(data.data(), 2 + i * stride, bits),
                    encode(type, values[i]))
              << getInfo(type).name << " " << values[i];
      }
}
