//===- Half.h - f16 and bf16 scalars ----------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversion between the 16-bit formats and binary64, in which every operation
// on them can be computed with one final rounding.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_NUMERICS_HALF_H
#define TC_EMULATOR_NUMERICS_HALF_H

#include "Numerics/BitCast.h"

#include <cmath>
#include <cstdint>

namespace tc::emu {

struct F16 {
  static constexpr unsigned kMantissa = 10, kBias = 15;
  static constexpr uint16_t kInf = 0x7c00, kOne = 0x3c00;
};
struct BF16 {
  static constexpr unsigned kMantissa = 7, kBias = 127;
  static constexpr uint16_t kInf = 0x7f80, kOne = 0x3f80;
};
constexpr uint16_t kHalfNaN = 0x7fff;

/// Subnormal numbers become zeros of their sign.
template <class H>
inline uint16_t flushHalf(uint16_t x) {
  return x & H::kInf ? x : uint16_t(x & 0x8000);
}

/// The exact value.
template <class H>
inline float halfToFloat(uint16_t bits) {
  if constexpr (H::kMantissa == 7)
    return bitCast<float>(uint32_t(bits) << 16);
  uint32_t sign = uint32_t(bits & 0x8000) << 16;
  uint32_t magnitude = bits & 0x7fff;
  if (magnitude >= H::kInf)
    return bitCast<float>(sign | 0x7f800000u | (magnitude & 0x3ff) << 13);
  // Scaling by a power of two normalises subnormals as well.
  float value = bitCast<float>(magnitude << 13) * 0x1p112f;
  return bitCast<float>(sign | bitCast<uint32_t>(value));
}

/// Rounds to nearest even; NaN gives 0x7fff.
template <class H>
inline uint16_t halfFromFloat(float value) {
  uint32_t bits = bitCast<uint32_t>(value);
  uint32_t magnitude = bits & 0x7fffffffu;
  uint16_t sign = uint16_t((bits >> 16) & 0x8000);
  if (magnitude > 0x7f800000u)
    return kHalfNaN;
  if constexpr (H::kMantissa == 7)
    return uint16_t(sign |
                    (magnitude + 0x7fffu + ((magnitude >> 16) & 1)) >> 16);
  if (magnitude >= 0x47800000u) // 2^16 and more
    return sign | H::kInf;
  if (magnitude < 0x38800000u) { // below 2^-14: a multiple of 2^-24
    float scaled = bitCast<float>(magnitude) + 0.5f; // ulp of 0.5 is 2^-24
    return sign | uint16_t(bitCast<uint32_t>(scaled) - 0x3f000000u);
  }
  uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1);
  return sign | uint16_t((rounded - 0x38000000u) >> 13);
}

/// Rounds a binary64 to nearest even through binary32 rounded to odd, which
/// keeps the second rounding from seeing a false tie.
template <class H>
inline uint16_t halfFromDouble(double value) {
  float single = float(value);
  if (double(single) != value && std::isfinite(single)) {
    uint32_t bits = bitCast<uint32_t>(single);
    bool tooLarge = std::fabs(double(single)) > std::fabs(value);
    if (tooLarge)
      --bits; // towards zero
    single = bitCast<float>(bits | 1);
  }
  return halfFromFloat<H>(single);
}

/// a * b + c with one rounding: the product is exact in binary64, the sum is
/// rounded to odd.
template <class H>
inline uint16_t halfFma(uint16_t a, uint16_t b, uint16_t c) {
  double product = double(halfToFloat<H>(a)) * double(halfToFloat<H>(b));
  double addend = halfToFloat<H>(c);
  double sum = product + addend;
  if (std::isfinite(sum)) {
    double part = sum - product;
    double error = (product - (sum - part)) + (addend - part);
    if (error != 0) {
      uint64_t bits = bitCast<uint64_t>(sum);
      if (!(bits & 1)) {
        bool towardsZero = (error < 0) != (sum < 0);
        bits = towardsZero ? bits - 1 : bits + 1;
        sum = bitCast<double>(bits);
      }
    }
  }
  return halfFromDouble<H>(sum);
}

} // namespace tc::emu

#endif // TC_EMULATOR_NUMERICS_HALF_H
