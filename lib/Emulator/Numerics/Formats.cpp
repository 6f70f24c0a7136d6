//===- Formats.cpp - Number formats of the tensor core ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table and two integer algorithms (decode, round) for all formats. ue8m0
// is the exception: an exponent alone, without sign, zero and mantissa.
//
//===----------------------------------------------------------------------===//

#include "Numerics/Formats.h"

#include <cmath>

namespace tc::emu {

static constexpr FormatInfo formatTable[] = {
    {"f32", 32, 8, 23, 127, true, Specials::Ieee},
    {"tf32", 32, 8, 10, 127, true, Specials::Ieee},
    {"f16", 16, 5, 10, 15, true, Specials::Ieee},
    {"bf16", 16, 8, 7, 127, true, Specials::Ieee},
    {"e5m2", 8, 5, 2, 15, true, Specials::Ieee},
    {"e4m3", 8, 4, 3, 7, true, Specials::NanOnly},
    {"e3m2", 6, 3, 2, 3, true, Specials::None},
    {"e2m3", 6, 2, 3, 1, true, Specials::None},
    {"e2m1", 4, 2, 1, 1, true, Specials::None},
    {"ue8m0", 8, 8, 0, 127, false, Specials::NanOnly},
    {"ue4m3", 8, 4, 3, 7, false, Specials::NanOnly},
    {"ue5m3", 8, 5, 3, 15, false, Specials::NanOnly},
};

const FormatInfo &formatInfo(NumberFormat format) {
  return formatTable[static_cast<unsigned>(format)];
}

/// tf32 lives in the high bits of a 32-bit word; all others are right-aligned.
static unsigned storageShift(NumberFormat format) {
  return format == NumberFormat::TF32 ? 13 : 0;
}

Unpacked unpack(NumberFormat format, uint32_t bits) {
  const FormatInfo &info = formatInfo(format);
  if (format == NumberFormat::UE8M0) {
    uint32_t field = bits & 0xff;
    if (field == 0xff)
      return {NumberClass::NaN, false, 0, 0};
    return {NumberClass::Finite, false, static_cast<int32_t>(field) - 127, 1};
  }
  bits >>= storageShift(format);
  uint32_t mantissaMask = (1u << info.mantissaBits) - 1;
  uint32_t exponentMask = (1u << info.exponentBits) - 1;
  uint32_t mantissa = bits & mantissaMask;
  uint32_t field = (bits >> info.mantissaBits) & exponentMask;
  // ue4m3 has no sign: the tensor core ignores the top bit.
  bool negative =
      info.isSigned && ((bits >> (info.mantissaBits + info.exponentBits)) & 1);
  if (field == exponentMask) {
    if (info.specials == Specials::Ieee)
      return {mantissa ? NumberClass::NaN : NumberClass::Infinity, negative, 0,
              0};
    if (info.specials == Specials::NanOnly && mantissa == mantissaMask)
      return {NumberClass::NaN, negative, 0, 0};
  }
  if (field == 0) {
    int32_t exponent = 1 - info.bias;
    return {mantissa ? NumberClass::Finite : NumberClass::Zero, negative,
            exponent, mantissa};
  }
  return {NumberClass::Finite, negative,
          static_cast<int32_t>(field) - info.bias,
          mantissa | (mantissaMask + 1)};
}

float decodeFloat(NumberFormat format, uint32_t bits) {
  if (format == NumberFormat::F32)
    return floatFromBits(bits);
  Unpacked number = unpack(format, bits);
  uint32_t sign = number.negative ? 0x80000000u : 0;
  switch (number.kind) {
  case NumberClass::Zero:
    return floatFromBits(sign);
  case NumberClass::Infinity:
    return floatFromBits(sign | 0x7f800000u);
  case NumberClass::NaN:
    return floatFromBits(0x7fffffffu);
  case NumberClass::Finite:
    break;
  }
  float magnitude =
      std::ldexp(static_cast<float>(number.significand),
                 number.exponent - formatInfo(format).mantissaBits);
  return number.negative ? -magnitude : magnitude;
}

static uint32_t canonicalNaN(NumberFormat format) {
  switch (format) {
  case NumberFormat::F32:
    return 0x7fffffff;
  case NumberFormat::TF32:
    return 0x7fffe000;
  case NumberFormat::F16:
  case NumberFormat::BF16:
    return 0x7fff;
  case NumberFormat::E5M2:
  case NumberFormat::E4M3:
  case NumberFormat::UE4M3:
    return 0x7f;
  case NumberFormat::UE8M0:
  case NumberFormat::UE5M3:
    return 0xff;
  case NumberFormat::E3M2:
  case NumberFormat::E2M3:
    return 0x1f;
  case NumberFormat::E2M1:
    return 0x7;
  }
  return 0;
}

/// Whether a magnitude with quotient `quotient` and a remainder (`half` is its
/// top bit, `sticky` the rest) goes up to quotient + 1.
static bool roundsUp(RoundingMode mode, bool negative, bool odd, bool half,
                     bool sticky) {
  switch (mode) {
  case RoundingMode::NearestEven:
    return half && (sticky || odd);
  case RoundingMode::NearestAway:
    return half;
  case RoundingMode::TowardZero:
    return false;
  case RoundingMode::Up:
    return !negative && (half || sticky);
  case RoundingMode::Down:
    return negative && (half || sticky);
  }
  return false;
}

static uint32_t encodeUE8M0(double magnitude, RoundingMode rounding) {
  if (magnitude == 0)
    return 0;
  if (std::isinf(magnitude))
    return 0xfe;
  int exponent;
  double fraction = std::frexp(magnitude, &exponent); // in [0.5, 1)
  --exponent;
  bool exact = fraction == 0.5;
  if (!exact && rounding == RoundingMode::Up)
    ++exponent;
  int field = exponent + 127;
  return field < 0 ? 0 : field > 0xfe ? 0xfe : static_cast<uint32_t>(field);
}

uint32_t encodeNumber(NumberFormat format, double value, RoundingMode rounding,
                      bool satfinite) {
  const FormatInfo &info = formatInfo(format);
  if (std::isnan(value))
    return canonicalNaN(format);
  bool negative = info.isSigned && std::signbit(value);
  double magnitude = std::fabs(value);
  if (format == NumberFormat::UE8M0)
    return encodeUE8M0(magnitude, rounding);

  uint32_t exponentMask = (1u << info.exponentBits) - 1;
  uint32_t allOnes =
      (exponentMask << info.mantissaBits) | ((1u << info.mantissaBits) - 1);
  uint32_t infinity = exponentMask << info.mantissaBits;
  uint32_t largest = info.specials == Specials::Ieee      ? infinity - 1
                     : info.specials == Specials::NanOnly ? allOnes - 1
                                                          : allOnes;
  uint32_t overflow = satfinite || info.specials == Specials::None ? largest
                      : info.specials == Specials::NanOnly         ? allOnes
                                                                   : infinity;
  uint32_t sign = negative ? 1u << (info.mantissaBits + info.exponentBits) : 0;
  uint32_t code;
  if (std::isinf(magnitude)) {
    code = overflow;
  } else if (magnitude == 0) {
    code = 0;
  } else {
    int exponent;
    double fraction = std::frexp(magnitude, &exponent);
    --exponent;
    uint64_t digits =
        static_cast<uint64_t>(std::ldexp(fraction, 53)); // exact: 53 bits
    int smallest = 1 - info.bias;
    int quantum =
        (exponent < smallest ? smallest : exponent) - info.mantissaBits;
    int shift = quantum - (exponent - 52); // >= 52 - 23
    uint64_t quotient = shift > 63 ? 0 : digits >> shift;
    bool half = shift <= 64 && ((digits >> (shift - 1)) & 1);
    bool sticky =
        shift > 64 ? true : (digits & ((uint64_t(1) << (shift - 1)) - 1)) != 0;
    if (roundsUp(rounding, negative, quotient & 1, half, sticky))
      ++quotient;
    // A carry out of the mantissa moves into the exponent field by itself.
    uint64_t wide = quotient;
    if (exponent >= smallest)
      wide += static_cast<uint64_t>(exponent - smallest) << info.mantissaBits;
    bool awayFromZero = rounding == RoundingMode::NearestEven ||
                        rounding == RoundingMode::NearestAway ||
                        (rounding == RoundingMode::Up && !negative) ||
                        (rounding == RoundingMode::Down && negative);
    code = wide > largest ? (awayFromZero ? overflow : largest)
                          : static_cast<uint32_t>(wide);
  }
  return (sign | code) << storageShift(format);
}

} // namespace tc::emu
